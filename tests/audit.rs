//! The audit against real exports and forged ones. Real: what the room's core wrote under random
//! commands. Forged: every small change that can be made to every row, with the hashes as they
//! were and with the whole chain computed anew. The other judge is the core itself
//! (`audit/oracle.rs`): a forgery must be found in the very row that the core could not have
//! written, and what the audit lets pass the core must be able to write.
//!
//! A failure prints the seed that replays it: `BATON_SEED=<seed> cargo test --test audit`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "audit/forge.rs"]
mod forge;
#[path = "audit/oracle.rs"]
mod oracle;
#[path = "audit/sale.rs"]
mod sale;

use baton::audit::report::Report;
use baton::audit::story::{Story, Tale};
use baton::audit::{Audit, Fault, Fingerprint, Scope, Stop};
use baton::room::Room;
use baton::room::command::Standing;
use baton::room::event::Row;
use baton::units::Number;
use sale::{Keeps, Sale};

fn seeds(count: u64) -> Vec<u64> {
    match option_env!("BATON_SEED").and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..count).collect(),
    }
}

fn audit(lines: &[String], published: Option<Fingerprint>) -> Result<Report, Stop> {
    let mut audit = Audit::new(Scope::Everything, published);
    lines.iter().try_for_each(|line| audit.line(line))?;
    audit.finish()
}

fn fault(lines: &[String], what: &str) -> Fault {
    match audit(lines, None) {
        Err(Stop::Fault(fault)) => fault,
        other => panic!("{what}: {other:?}"),
    }
}

fn story(lines: &[String], number: u64) -> Result<Story, Stop> {
    let mut tale = Tale::new(number);
    lines.iter().try_for_each(|line| tale.line(line))?;
    tale.finish(None)
}

/// The room before each row, and after the last.
fn states(rows: &[Row]) -> Vec<Room> {
    let mut room = Room::new();
    let mut states = vec![room.clone()];
    for row in rows {
        room.replay(row).unwrap();
        states.push(room.clone());
    }
    states
}

#[test]
fn real_histories_are_sound_and_the_figures_are_the_rooms_own() {
    for seed in seeds(120) {
        println!("BATON_SEED={seed} cargo test --test audit");
        let sale = Sale::of(seed, 300, Keeps::default());
        let report = audit(&sale.export(), None).unwrap_or_else(|stop| panic!("{stop}"));
        let (totals, room, is) = (report.totals, &sale.room, report.standing);
        let wanted = room.totals();
        assert_eq!(report.rows, 300);
        assert_eq!(
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
                totals.grace_ended
            ],
            [
                wanted.joined,
                wanted.walked_in,
                wanted.called,
                wanted.handed,
                wanted.claimed,
                wanted.released,
                wanted.expired,
                wanted.missed,
                wanted.left,
                wanted.grace_ended
            ]
        );
        let permits = room.permits();
        assert_eq!(
            [is.hand, is.tray, is.called, is.leased, is.debt],
            [
                permits.hand(),
                permits.tray(),
                permits.called(),
                permits.leased(),
                permits.debt()
            ]
            .map(u64::from)
        );
        let line = room.line();
        assert_eq!([is.present, is.away], [line.present(), line.away()]);
        assert_eq!(is.present + is.away + is.called, line.alive());
    }
}
