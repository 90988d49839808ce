//! Tests the audit with real exports and forged ones. The real ones are what the room's core wrote under random commands. The forged ones have every
//! small change that can be made to any row, with the old hashes and with the whole chain computed anew. The core itself is the second judge
//! (`audit/oracle.rs`): the audit must find a forgery in the very row that the core could not have written, and the core must be able to write
//! whatever the audit lets pass.
//!
//! A failure prints the seed that replays it: `BATON_SEED=<seed> cargo test -p baton-tools --test audit`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "audit/accounts.rs"]
mod accounts;
#[path = "audit/carried.rs"]
mod carried;
#[path = "audit/forge.rs"]
mod forge;
#[path = "audit/house.rs"]
mod house;
#[path = "audit/invent.rs"]
mod invent;
#[path = "audit/lane_forgeries.rs"]
mod lane_forgeries;
#[path = "audit/lane_shop.rs"]
mod lane_shop;
#[path = "audit/lane_told.rs"]
mod lane_told;
#[path = "audit/lanes.rs"]
mod lanes;
#[path = "audit/oracle.rs"]
mod oracle;
#[path = "audit/sale.rs"]
mod sale;
#[path = "audit/schedule.rs"]
mod schedule;
#[path = "audit/told.rs"]
mod told;
#[path = "audit/tool.rs"]
mod tool;

mod programs;
#[path = "audit/vouchers.rs"]
mod vouchers;

use baton::facts::event::{Event, Row};
use baton::room::Room;
use baton_tools::audit::report::Report;
use baton_tools::audit::{Audit, Fault, Fingerprint, Scope, Stop};
use sale::{Keeps, Sale, seeds};
use std::collections::BTreeSet;

fn audit(lines: &[String], published: Option<Fingerprint>) -> Result<Report, Stop> {
    let mut audit = Audit::new(Scope::Everything, published);
    lines.iter().try_for_each(|line| audit.line(line))?;
    audit.finish()
}

/// Returns what is wrong with an export.
fn fault(lines: &[String]) -> Fault {
    match audit(lines, None) {
        Err(Stop::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

impl Sale {
    /// Returns what the audit says of the sale with one more row of these facts, whether the room could have written it or not.
    fn judged(&self, events: Vec<Event>) -> Result<(), String> {
        let report = audit(&sale::export(&self.rows_and(events)), None);
        report.map(drop).map_err(|stop| stop.to_string())
    }
}

/// Returns the room before each row, and after the last one.
fn states(rows: &[Row]) -> Vec<Room> {
    let mut room = Room::new();
    let mut states = vec![room.clone()];
    for row in rows {
        room.replay(row).unwrap();
        states.push(room.clone());
    }
    states
}

/// Returns what the room counted in all its editions together. The room itself counts each edition from zero.
fn whole(rows: &[Row]) -> [u64; 10] {
    let counted = |room: &Room| {
        let totals = room.measured().totals;
        [
            totals.joined,
            totals.walked_in,
            totals.called,
            totals.handed,
            totals.claimed,
            totals.released,
            totals.expired,
            totals.missed,
            totals.left,
            totals.grace_ended,
        ]
    };
    let (mut room, mut past) = (Room::new(), [0; 10]);
    let add = |past: &mut [u64; 10], room: &Room| {
        past.iter_mut().zip(counted(room)).for_each(|(sum, more)| *sum += more);
    };
    for row in rows {
        for event in &row.events {
            if matches!(event, Event::Reset { .. }) {
                add(&mut past, &room);
            }
            room.apply(row.version, row.at, event);
        }
    }
    add(&mut past, &room);
    past
}

#[test]
fn real_histories_are_sound_and_the_figures_are_the_rooms_own() {
    for seed in seeds(0..80) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test audit");
        let sale = Sale::of(seed, 300, Keeps::default());
        let report = audit(&sale.export(), None).unwrap_or_else(|stop| panic!("{stop}"));
        let (totals, room, is) = (report.totals, &sale.room, report.standing);
        assert_eq!(report.rows, 300);
        assert_eq!(
            [
                totals.joined + totals.drawn,
                totals.walked_in,
                totals.called,
                totals.handed,
                totals.claimed,
                totals.released,
                totals.expired,
                totals.missed,
                totals.left,
                totals.grace_ended
            ],
            whole(&sale.rows)
        );
        let permits = room.permits();
        assert_eq!(
            [is.hand, is.tray, is.called, is.leased, is.debt],
            [permits.hand(), permits.tray(), permits.called(), permits.leased(), permits.debt()].map(u64::from)
        );
        let last = report.editions.last().unwrap();
        assert_eq!(last.edition, room.edition().0);
        assert_eq!(last.numbers, room.line().next().0 - 1);
        assert_eq!(report.editions.len() as u64, totals.resets + 1);
        let line = room.line();
        assert_eq!([is.present, is.away], [line.present(), line.away()]);
        assert_eq!(is.present + is.away + is.called, line.alive());
    }
}

/// Returns the audit as it is before each row, and after the last one.
fn audits(lines: &[String]) -> Vec<Audit> {
    let mut audit = Audit::new(Scope::Everything, None);
    lines
        .iter()
        .map(|line| {
            audit.line(line).unwrap_or_else(|stop| panic!("{stop}"));
            audit.clone()
        })
        .collect()
}

/// What the two judges found in all forgeries of a history.
#[derive(Default)]
struct Verdicts {
    found: usize,
    lawful: Vec<String>,
    laws: BTreeSet<&'static str>,
}

/// Judges every forgery of every row, with the chain computed anew. The audit and the core must agree on the first impossible row. A forgery that
/// both find lawful must have another fingerprint.
fn judge(sale: &Sale, verdicts: &mut Verdicts) {
    let states = states(&sale.rows);
    let lines = sale.export();
    let audits = audits(&lines);
    let fingerprint = audits[sale.rows.len()].clone().finish().unwrap().fingerprint;
    for (at, before) in states.iter().take(sale.rows.len()).enumerate() {
        for forgery in forge::of(&sale.rows, at, before) {
            let row = &sale.rows[at];
            let what = || format!("row {}: {}\nit was {row:#?}", at + 1, forgery.what);
            let mut audit = audits[at].clone();
            let forged = sale::rows_after(&lines[at], &forgery.rows);
            let heard = forged.iter().try_for_each(|line| audit.line(line));
            let impossible = oracle::first_impossible(before, &forgery.rows);
            match heard {
                Err(Stop::Fault(fault)) => {
                    assert_eq!(Some(fault.row), impossible, "{fault}\n{}", what());
                    assert_eq!(fault.line, fault.row + 1, "{}", what());
                    verdicts.found += 1;
                    verdicts.laws.insert(fault.law);
                }
                Ok(()) => {
                    assert_eq!(None, impossible, "the core never wrote {}", what());
                    let unlike = audit.finish().map(|report| report.fingerprint);
                    assert_ne!(unlike.as_ref(), Ok(&fingerprint), "{}", what());
                    verdicts.lawful.push(forgery.what);
                }
                Err(stop) => panic!("{stop}\n{}", what()),
            }
        }
    }
}

#[test]
fn a_forgery_with_whole_hashes_is_found_where_the_core_could_not_have_written_it() {
    let mut verdicts = Verdicts::default();
    for seed in seeds([0, 1, 8]) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test audit a_forgery");
        judge(&Sale::of(seed, 45, Keeps::default()), &mut verdicts);
    }
    let Verdicts { found, lawful, laws } = verdicts;
    println!("{found} found, {} lawful", lawful.len());
    for what in &lawful {
        println!("lawful: {what}");
    }
    if option_env!("BATON_SEED").is_none() {
        assert!(found > 4_000 && lawful.len() < found / 3);
        let laws: Vec<&str> = laws.into_iter().collect();
        assert_eq!(laws, LAWS, "each law has found something");
    }
}

/// Every law that these forgeries break.
const LAWS: [&str; 25] = [
    "a change changes something",
    "a count says something",
    "a lobby speaks of its own tickets",
    "a permit ends by its holder or at its time",
    "a room is configured first",
    "a row is one turn of the room",
    "editions follow each other",
    "entries are consecutive",
    "every permit is accounted for",
    "fences only grow, one by one",
    "hours are kept",
    "leases are bounded",
    "mode and pace are kept",
    "no fact about what does not live",
    "numbers are consecutive within an edition",
    "places are kept for the grace, no longer",
    "settings change when they differ",
    "the chain is whole",
    "the draw is what was committed to",
    "the line is bounded",
    "the order is kept",
    "the usher leaves nothing undone",
    "what comes back goes to the first who is present",
    "what ran out is taken back for somebody",
    "what runs out first comes back first",
];

/// Parses a row's line, so that a test can change its fields.
fn fields(line: &str) -> serde_json::Value {
    serde_json::from_str(line).expect("a row")
}

/// With the old hashes, every change is found in the row that was changed, even if the changed history would be lawful.
///
/// Long because it tries each way to tamper in each row of one sale.
#[test]
fn what_was_changed_after_the_hashes_were_made_is_found_in_its_row() {
    for seed in seeds([0]) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test audit what_was_changed");
        let sale = Sale::of(seed, 40, Keeps::default());
        let (lines, states) = (sale.export(), states(&sale.rows));
        let audits = audits(&lines);
        let mut tried = 0;
        let mut found_in = |row: usize, from: usize, changed: &[String], what: &str| {
            let mut audit = audits[from - 1].clone();
            match changed.iter().try_for_each(|line| audit.line(line)) {
                Err(Stop::Fault(fault)) => assert_eq!(fault.row, row as u64, "{what}: {fault}"),
                other => panic!("row {row}: {what}: {other:?}"),
            }
            tried += 1;
        };
        for row in 1..=sale.rows.len() {
            let rest = &lines[row..];
            let with = |line: String| [&[line], &rest[1..]].concat();
            for forgery in forge::of(&sale.rows, row - 1, &states[row - 1]) {
                let forged = sale::rows_after(&lines[row - 1], &forgery.rows);
                if let Some(line) = forged.first()
                    && forged.len() == rest.len()
                {
                    let mut line = fields(line);
                    line["hash"] = fields(&rest[0])["hash"].clone();
                    found_in(row, row, &with(line.to_string()), &forgery.what);
                    let mut readable = fields(&rest[0]);
                    if line["events"] != readable["events"] {
                        readable["events"] = line["events"].take();
                        found_in(row, row, &with(readable.to_string()), "`events` alone");
                    }
                }
            }
            for field in ["version", "at_ms", "wall_ms"] {
                let mut line = fields(&rest[0]);
                line[field] = (line[field].as_u64().unwrap() + 1).into();
                found_in(row, row, &with(line.to_string()), field);
            }
            for digit in 0..64 {
                let mut line = fields(&rest[0]);
                let mut hash = line["hash"].as_str().unwrap().to_owned().into_bytes();
                hash[digit] = if hash[digit] == b'0' { b'1' } else { b'0' };
                line["hash"] = String::from_utf8(hash).unwrap().into();
                found_in(row, row, &with(line.to_string()), "a digit of the hash");
            }
            if let [this, next, later @ ..] = rest {
                found_in(row, row, &[std::slice::from_ref(next), later].concat(), "removed");
                let swapped = [&[next.clone(), this.clone()], later].concat();
                found_in(row, row, &swapped, "swapped");
                let twice = [std::slice::from_ref(this), rest].concat();
                found_in(row + 1, row, &twice, "twice");
            }
        }
        assert!(tried > 3_000, "{tried}");
    }
}
