//! The seeds of the corpus, valid and nasty, by target: `ok-…` must be read, `no-…` refused. `cargo test -p baton-tools --test fuzz_corpus --
//! --ignored write_seeds` writes them anew.

use crate::targets::worlds::{self, NOW_MS, SCOPE};
use baton::facts::command::Command;
use baton::facts::event::{Event, How, To};
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number, Version};
use baton::journal::{self, Hash, Sealed};
use baton::room::Room;
use baton::room::frame::Frame;
use baton::token::{Farewell, Keyring, Pass, Provisional, Scope, Ticket, Visitor};
use serde::Serialize;

#[path = "seeds/travel.rs"]
mod travel;

type Seed = (String, Vec<u8>);

/// Returns the core of the world's room.
fn the_room() -> Room {
    worlds::world().room.room().clone()
}

/// Returns the seeds of a target.
pub fn of(target: &str) -> Vec<Seed> {
    match target {
        "token" => tokens(),
        "proof" => proofs(),
        "to_room" => travel::to_room(),
        "from_room" => travel::from_room(),
        "to_lobby" => travel::to_lobby(),
        "frame" => frames(),
        "row" => rows(),
        "snapshot" => snapshots(),
        _ => texts(target),
    }
}

fn named(seeds: Vec<(&str, Vec<u8>)>) -> Vec<Seed> {
    let owned = |(name, bytes): (&str, Vec<u8>)| (name.to_owned(), bytes);
    seeds.into_iter().map(owned).collect()
}

fn post(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("can be written")
}

/// Long because it is one list with a token of each kind.
fn tokens() -> Vec<Seed> {
    let visitor = worlds::visitor(3);
    let (number, lobby) = (Number(3), LobbyId(0));
    let pass = Pass {
        number,
        edition: Edition(3),
        fence: Fence(9),
        lobby,
        visitor,
        fresh_until_at_ms: NOW_MS + 60_000,
        lease_ends_at_ms: NOW_MS + 300_000,
        hard_ends_at_ms: NOW_MS + 1_800_000,
        provisional: Provisional::Confirmed,
        row: Version(77),
    };
    let over = Pass {
        hard_ends_at_ms: NOW_MS,
        ..pass
    };
    let never = Pass {
        hard_ends_at_ms: u64::MAX,
        ..pass
    };
    let ticket = Ticket {
        number,
        edition: Edition(3),
        lobby,
        visitor,
        row: Version(4),
        issued_at_ms: NOW_MS,
    };
    let farewell = Farewell {
        number,
        edition: Edition(3),
        lobby,
        visitor,
        ends_at_ms: NOW_MS + 60_000,
    };
    let who = Visitor {
        id: visitor,
        issued_at_ms: NOW_MS,
    };
    let keys = worlds::keys();
    let before = Keyring::from_secrets(Some(worlds::SECRET_BEFORE), None).expect("a secret");
    let strange = Keyring::from_secrets(Some(&"x".repeat(40)), None).expect("a secret");
    let elsewhere = Scope {
        host: "evil.example",
        ..SCOPE
    };
    named(vec![
        ("ok-visitor", keys.sign(&who, SCOPE).into()),
        ("ok-ticket", keys.sign(&ticket, SCOPE).into()),
        ("ok-pass", keys.sign(&pass, SCOPE).into()),
        ("ok-farewell", keys.sign(&farewell, SCOPE).into()),
        ("ok-previous-key", before.sign(&pass, SCOPE).into()),
        ("no-over", keys.sign(&over, SCOPE).into()),
        ("no-never-ends", keys.sign(&never, SCOPE).into()),
        ("no-strange-key", strange.sign(&pass, SCOPE).into()),
        ("no-other-host", keys.sign(&ticket, elsewhere).into()),
        ("no-padded", format!("{}=", keys.sign(&who, SCOPE)).into()),
        ("no-empty", vec![]),
        ("no-zeros", "A".repeat(98).into()),
        ("no-bytes", (0..=255).collect()),
    ])
}

fn proofs() -> Vec<Seed> {
    let proof = |path: &str, at_ms| {
        let request = worlds::proof_request(path);
        let proof = worlds::origin_key().prove(at_ms, worlds::NONCE, &request).expect("a proof");
        format!("{proof}\n{path}").into_bytes()
    };
    let upper = String::from_utf8(proof("/buy", NOW_MS)).expect("ASCII").to_uppercase();
    named(vec![
        ("ok-proof", proof("/buy", NOW_MS)),
        ("ok-a-minute-late", proof("/buy?x=%0A", NOW_MS - 60_000)),
        ("no-late", proof("/buy", NOW_MS - 60_001)),
        ("no-early", proof("/buy", u64::MAX)),
        ("no-upper-case", upper.into()),
        ("ok-operator", b"bEARER  operator's own".to_vec()),
        ("no-operator", b"Bearer operator's owm\n/x".to_vec()),
        ("no-sign", b"v1;t=+1;mac=".to_vec()),
        ("no-zero", format!("v1;t=0;mac={}", "0".repeat(64)).into()),
        ("no-hex", format!("v1;t=1;mac={}", "+f".repeat(32)).into()),
        ("no-line-break", b"v1;t=1;mac=\n/a\nb\r".to_vec()),
        ("no-empty", vec![]),
    ])
}

fn frames() -> Vec<Seed> {
    let room = Frame::of(&the_room(), worlds::NOW).encode();
    let mut crowd = the_room();
    let mut row = crowd.open_row(worlds::NOW);
    let people: Vec<Holder> = (1..=10_000).map(|who| Holder { key: Key(who), tag: Tag(1) }).collect();
    crowd.perform(worlds::NOW, &Command::join(people), LobbyId(0), &mut row);
    let long = Frame::of(&crowd, worlds::NOW).encode();
    for number in (1..10_000).filter(|number| number % 7 < 2) {
        let number = Number(number);
        let key = crowd.tickets().holder(number).unwrap_or_default().key;
        let leave = Command::Leave(Held { number, key });
        crowd.perform(worlds::NOW, &leave, LobbyId(0), &mut row);
    }
    let holes = Frame::of(&crowd, worlds::NOW).encode();
    let most = [[0xff; 7].as_slice(), &[0x0f]].concat();
    named(vec![
        ("ok-room", room.clone()),
        ("ok-ten-thousand", long.clone()),
        ("ok-holes", holes.clone()),
        ("ok-nobody", vec![1, 0, 40, 1, 0, 0, 0]),
        ("ok-paused", vec![1, 1, 0, 9, 3, 0, 0, 5, 1, 9]),
        ("ok-long-varints", vec![1, 2, 0, 0x81, 0, 0x82, 0, 0, 0, 7, 0x81, 0]),
        ("ok-last-number", [&[1, 0, 0, 1, 1, 0, 0], most.as_slice()].concat()),
        ("no-past-the-last", [&[1, 0, 0, 1, 2, 0, 0], most.as_slice(), &[1]].concat()),
        ("no-format", vec![2, 0, 0, 1, 0, 0, 0]),
        ("no-mode", vec![1, 7, 0, 1, 0, 0, 0]),
        ("no-cut", long[..long.len() - 1].to_vec()),
        ("no-slack", holes[..holes.len() - 1].to_vec()),
        ("no-more", [room.as_slice(), &[0, 0]].concat()),
        ("no-backwards", vec![1, 0, 0, 1, 0, 2, 1]),
        ("no-standing-still", vec![1, 0, 0, 1, 2, 0, 0, 7, 0]),
        ("no-endless", vec![1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("no-many-points", [&[1, 0, 0, 1], most.as_slice(), &[0, 0, 7, 1]].concat()),
        ("no-empty", vec![]),
    ])
}

fn in_columns(previous: &Hash, row: &Sealed) -> Vec<u8> {
    let numbers = [row.version, row.at.0, row.wall_ms].map(u64::to_le_bytes);
    [&previous.0[..], &row.hash.0, &numbers.concat(), &row.bytes].concat()
}

fn rows() -> Vec<Seed> {
    let events = vec![
        Event::Joined {
            lobby: LobbyId(3),
            first: Number(5),
            count: 2,
            holders: vec![worlds::holder(1), worlds::holder(2)],
        },
        Event::Ended {
            fence: Fence(3),
            how: How::Expired,
            to: To::Hand,
        },
        Event::WentAway(vec![Number(1), Number(2)]),
        Event::Turned,
    ];
    let zero = Hash::default();
    let seal = |hash: &Hash, version, events: &[Event]| journal::seal(hash, &worlds::SALT, version, Instant(NOW_MS), NOW_MS, events).expect("sealed");
    let first = seal(&zero, 1, &events);
    let second = seal(&first.hash, 2, &events[1..]);
    let empty = seal(&zero, 1, &[]);
    let mut newer = first.clone();
    newer.bytes[0] = 9;
    let mut bare = first.clone();
    bare.bytes.clear();
    named(vec![
        ("ok-first", in_columns(&zero, &first)),
        ("ok-second", in_columns(&first.hash, &second)),
        ("ok-no-facts", in_columns(&zero, &empty)),
        ("ok-facts-alone", post(&events)),
        ("no-wrong-chain", in_columns(&zero, &second)),
        ("no-newer", in_columns(&zero, &newer)),
        ("no-no-bytes", in_columns(&zero, &bare)),
        ("no-huge-list", vec![0xff, 0xff, 0xff, 0xff, 0x0f, 1]),
        ("no-unknown-fact", vec![1, 200, 1]),
        ("no-empty", vec![]),
    ])
}

fn snapshots() -> Vec<Seed> {
    let room = the_room();
    let hash = Hash([7; 32]);
    let of = |room| {
        let version = the_room().version().0;
        journal::snapshot(version, Instant(NOW_MS), NOW_MS, &hash, room).expect("a snapshot")
    };
    let columns = |s: &journal::Snapshot| {
        let numbers = [s.version, s.at.0, s.wall_ms].map(u64::to_le_bytes);
        [&s.hash.0[..], &numbers.concat(), &s.parts[0]].concat()
    };
    let whole = of(&room);
    let new = of(&Room::new());
    let mut newer = whole.clone();
    newer.parts[0][0] = 2;
    let mut late = whole.clone();
    late.version += 1;
    let mut short = whole.clone();
    short.parts[0].truncate(3);
    named(vec![
        ("ok-room", columns(&whole)),
        ("ok-new-room", columns(&new)),
        ("state-alone", post(&room)),
        ("state-of-a-new-room", post(&Room::new())),
        ("no-newer", columns(&newer)),
        ("no-other-version", columns(&late)),
        ("no-short", columns(&short)),
        ("no-ones", vec![0xff; 90]),
        ("no-empty", vec![]),
    ])
}

/// Returns the seeds of a target that reads text. Their file has a line `name<TAB>text` for each, with `\n`, `\t`, `\r`, `\\` and `\xNN` as escapes.
fn texts(target: &str) -> Vec<Seed> {
    let file = format!("{}/tests/fuzz/seeds/{target}.txt", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("no seeds for {target}: {file}: {error}"));
    let pair = |line: &str| {
        let (name, text) = line.split_once('\t').expect("name and text");
        (name.to_owned(), unescaped(text))
    };
    lines.lines().map(pair).collect()
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, length) = match after.as_bytes() {
            [b'n', ..] => (b'\n', 1),
            [b't', ..] => (b'\t', 1),
            [b'r', ..] => (b'\r', 1),
            [b'\\', ..] => (b'\\', 1),
            [b'x', ..] => (u8::from_str_radix(&after[1..3], 16).expect("hex"), 3),
            _ => panic!("{text:?}"),
        };
        bytes.push(byte);
        rest = &after[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}
