//! What every released format wrote can still be read: `tests/fixtures/journal/format-N/` holds
//! rows and a snapshot of a scripted room, and what must come of them.
//!
//! A format that was released is never written again. One that was not, after a change:
//! `cargo test --test recovery -- --ignored write_fixture`

use crate::disk::Disk;
use crate::scripted::{self, SALT};
use baton::facts::event::Event;
use baton::facts::holder::Key;
use baton::facts::units::{Edition, Instant, Number};
use baton::journal::{self, FORMAT, Hash, Sealed, Snapshot};
use baton::room::Room;
use serde_json::{Value, json};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The fixtures of a format, as text: a room's disk and state.
macro_rules! fixture {
    ($format:literal) => {
        [
            include_str!(concat!("../fixtures/journal/format-", $format, "/room.disk.json")),
            include_str!(concat!("../fixtures/journal/format-", $format, "/room.state.json")),
        ]
    };
}

/// By format, from 1 on.
const FIXTURES: [[&str; 2]; FORMAT as usize] = [fixture!("1")];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().expect("hex");
    let pair = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex");
    (0..text.len()).step_by(2).map(pair).collect()
}

fn hash(text: &Value) -> Hash {
    Hash(unhex(text).try_into().expect("32 bytes"))
}

/// A disk, in the columns of the objects' tables.
fn disk_to_json(disk: &Disk) -> Value {
    let rows: Vec<Value> = disk
        .rows
        .borrow()
        .iter()
        .map(|row| {
            json!({ "version": row.version, "at_ms": row.at.0, "wall_ms": row.wall_ms,
                "hash": hex(&row.hash.0), "bytes": hex(&row.bytes) })
        })
        .collect();
    let snapshot = disk.snapshot.borrow();
    let snapshot = snapshot.as_ref().map(|s| {
        let parts: Vec<String> = s.parts.iter().map(|part| hex(part)).collect();
        json!({ "version": s.version, "at_ms": s.at.0, "wall_ms": s.wall_ms,
            "hash": hex(&s.hash.0), "parts": parts })
    });
    json!({ "rows": rows, "snapshot": snapshot })
}

fn disk_of_json(text: &str) -> Disk {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let count = |value: &Value| value.as_u64().expect("a whole number");
    let row = |row: &Value| Sealed {
        version: count(&row["version"]),
        at: Instant(count(&row["at_ms"])),
        wall_ms: count(&row["wall_ms"]),
        hash: hash(&row["hash"]),
        bytes: unhex(&row["bytes"]),
    };
    let s = &value["snapshot"];
    let snapshot = Snapshot {
        version: count(&s["version"]),
        at: Instant(count(&s["at_ms"])),
        wall_ms: count(&s["wall_ms"]),
        hash: hash(&s["hash"]),
        parts: s["parts"].as_array().expect("parts").iter().map(unhex).collect(),
    };
    let disk = Disk::default();
    let rows = value["rows"].as_array().expect("rows");
    disk.rows.replace(rows.iter().map(row).collect());
    disk.snapshot.replace(Some(snapshot));
    let salts = [Edition::FIRST, Edition::FIRST.next()].map(|edition| (edition, SALT));
    disk.salts.replace(salts.into());
    disk
}

/// A room as anybody can ask it: all that its promises depend on.
fn room_to_json(room: &Room) -> Value {
    let now = room.now();
    let numbers = 1..room.line().next().0 + 1;
    let standing: Vec<Value> = numbers
        .map(|n| json!({ "number": n, "standing": room.tickets().standing(now, Number(n)) }))
        .collect();
    let lobbies: Vec<Value> = room
        .book()
        .lobbies()
        .map(|lobby| {
            json!({ "lobby": lobby, "newest": room.book().newest_change(lobby),
                "list": room.tickets().list(now, lobby, Number(0)).0 })
        })
        .collect();
    let permits = room.permits();
    let accounts: Vec<Option<Number>> = [1, 2].map(|account| room.living_of_account(Key(account))).to_vec();
    json!({
        "version": room.version(), "now": now, "due_at": room.case(now).due_at(),
        "config": room.config(), "totals": room.measured().totals, "standing": standing,
        "present": room.line().present(), "away": room.line().away(),
        "hand": permits.hand(), "tray": permits.tray(), "debt": permits.debt(),
        "called": permits.called(), "leased": permits.leased(), "fence": permits.last_fence(),
        "lobbies": lobbies, "accounts": accounts, "steps": room.schedule().told(room.config()),
    })
}

/// Restores with the snapshot and, from the rows alone, without it: the same.
fn both_ways(disk: &Disk) -> Room {
    let with = journal::restore::<Room, _>(&disk).expect("opens");
    assert!(with.replayed > 0, "no row after the snapshot");
    let rows = disk.clone();
    rows.snapshot.take();
    let without = journal::restore::<Room, _>(&&rows).expect("opens");
    assert!(with.state == without.state, "snapshot and rows differ");
    assert_eq!((with.hash, with.clock), (without.hash, without.clock));
    with.state
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn every_released_format_still_opens() {
    for (format, [room, room_state]) in (1_u8..).zip(FIXTURES) {
        let disk = disk_of_json(room);
        let formats: Vec<u8> = disk.rows.borrow().iter().map(|row| row.bytes[0]).collect();
        assert!(formats.iter().all(|byte| *byte == format), "{formats:?}");
        let room = both_ways(&disk);
        assert_eq!(room_to_json(&room), parsed(room_state), "format {format}");
    }
}

/// Writes again what was read from a disk.
fn rewritten(disk: &Disk) -> Disk {
    let again = Disk::default();
    again.salts.replace(disk.salts.borrow().clone());
    let mut state = Room::default();
    let mut previous = Hash::default();
    let snapshot = disk.snapshot.borrow().clone().expect("a snapshot");
    for row in disk.rows.borrow().iter() {
        let events: Vec<Event> = journal::open(&previous, row, Some(&SALT)).expect("opens");
        for event in &events {
            state.apply(baton::facts::units::Version(row.version), row.at, event);
        }
        let (version, at, wall_ms) = (row.version, row.at, row.wall_ms);
        let sealed = journal::seal(&previous, &SALT, version, at, wall_ms, &events);
        previous = row.hash;
        again.rows.borrow_mut().push(sealed.expect("facts can be written"));
        if version == snapshot.version {
            let same = journal::snapshot(version, at, wall_ms, &previous, &state);
            again.snapshot.replace(same.ok());
        }
    }
    again
}

/// What was read is written byte for byte as it was: a change of the stored form does not go
/// unseen, whatever a room decides nowadays.
#[test]
fn the_stored_form_is_for_ever() {
    let [room, _] = FIXTURES[usize::from(FORMAT) - 1];
    let room = disk_of_json(room);
    assert!(
        rewritten(&room) == room,
        "the stored form changed. A form that was released stays as it is: raise FORMAT \
         and go on reading the old one. One that was not: \
         cargo test --test recovery -- --ignored write_fixture"
    );
}

/// The name of an enum's variant, as serde writes it, and of everything in `fields`.
fn names<E: serde::Serialize>(event: &E, fields: &[&str], found: &mut BTreeSet<String>) {
    let value = serde_json::to_value(event).expect("JSON");
    let (name, inner) = match &value {
        Value::String(name) => (name.clone(), &Value::Null),
        Value::Object(map) => {
            let (name, inner) = map.iter().next().expect("a variant");
            (name.clone(), inner)
        }
        other => panic!("{other}"),
    };
    for field in fields {
        let word = match &inner[*field] {
            Value::String(word) => word.clone(),
            Value::Object(map) => map.keys().next().expect("a variant").clone(),
            _ => continue,
        };
        found.insert(format!("{field} {word}").to_lowercase());
    }
    found.insert(name.to_lowercase().replace('_', ""));
}

/// The fixtures leave no fact out.
#[test]
fn every_fact_is_in_the_fixture() {
    let [room, _] = FIXTURES[usize::from(FORMAT) - 1];
    let room = disk_of_json(room);
    let mut facts = BTreeSet::new();
    let mut previous = Hash::default();
    for row in room.rows.borrow().iter() {
        for event in journal::open::<Event>(&previous, row, Some(&SALT)).unwrap() {
            names(&event, &["how", "to", "end"], &mut facts);
        }
        previous = row.hash;
    }
    let wanted = "configured joined walkedin called handed claimed slid extended ended trayemptied \
                  wentaway cameback left graceended attempted turned carried lineended adjusted \
                  dismissed overheard doors committed entered drawn reset owned scheduled";
    let how = ["released", "expired", "missed", "left"].map(|word| format!("how {word}"));
    let to = ["hand", "tray", "debt"].map(|word| format!("to {word}"));
    for name in wanted.split_whitespace().map(str::to_owned).chain(how).chain(to) {
        assert!(facts.contains(&name), "{name} is not among {facts:?}");
    }
    let again = facts.iter().any(|name| name.replace('_', "") == "how missedagain");
    assert!(again, "how missed again is not among {facts:?}");
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
#[ignore = "writes tests/fixtures/journal for the format in force"]
fn write_fixture() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/journal");
    let folder = format!("{root}/format-{FORMAT}");
    std::fs::create_dir_all(&folder).expect("a folder");
    let put = |name: &str, value: &Value| {
        let text = serde_json::to_string_pretty(value).expect("JSON");
        std::fs::write(format!("{folder}/{name}"), text + "\n").expect("written");
    };
    let room = Disk::default();
    put("room.state.json", &room_to_json(&scripted::room(&room)));
    put("room.disk.json", &disk_to_json(&room));
}
