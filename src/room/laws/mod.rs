//! The laws of a room, each a function with a name.
//!
//! They are numbered as in `docs/promises.md`. There are three kinds: what must hold in every *state*, what must hold of every *fact* at the moment
//! it becomes true, and what must hold between *two states*. The tests and the simulator check all of them after every command. [`conserved`] and
//! [`leases_bounded`], which cost nothing, are also checked before each write (`living/room.rs`).
//!
//! | file | what |
//! |---|---|
//! | `mod` | what a law is; all laws of a state, and of a row; the laws of limits and of vouchers |
//! | `permits` | permits are conserved, bounded and not forgotten |
//! | `places` | a ticket is in one state, and the only one of its key and of its account |
//! | `facts` | what must hold of a fact |
//! | `steps` | what must hold between two states |
//!
//! The sources of the laws: 1, Dijkstra's counting semaphore (1965), as double entry; 2, the ticket lock of Mellor-Crummey and Scott (1991), and the
//! fencing tokens of Burrows' *Chubby* (2006); 3, Lamport's bakery (1974) and tokio's `batch_semaphore`; 4, "passing the baton" of Andrews'
//! *Concurrent Programming* (1991); 6, idempotence; 7, the leases of Gray and Cheriton (1989); 9, write-ahead logging.

mod facts;
mod permits;
mod places;
mod steps;

pub use facts::fact_is_lawful;
pub use permits::{conserved, debt_means_nothing_free, leases_bounded, no_permit_forgotten, turn_is_idempotent};
pub use places::{counts_agree, keys_are_unique, one_place_an_account, one_state_each};
pub use steps::{ahead_never_rises, begins_clean, done_twice_is_done_once, numbers_and_fences_grow};

use super::Room;
use ::facts::event::{Event, Row};
use ::facts::limits::{LINE_MAX, LOBBIES_MAX, PERMITS_MAX};
use ::facts::units::Instant;

/// A law that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law's name.
    pub law: &'static str,
    /// What the check saw.
    pub seen: String,
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "law broken: {}: {}", self.law, self.seen)
    }
}

/// `Ok` if the law holds, else how it is broken.
pub type Check = Result<(), Violation>;

fn require(law: &'static str, holds: bool, seen: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Violation { law, seen: seen() }) }
}

/// Turns what is wrong into a [`Check`]; `None` means that the law holds.
fn holds(law: &'static str, wrong: Option<String>) -> Check {
    wrong.map_or(Ok(()), |seen| Err(Violation { law, seen }))
}

/// A law about one state.
pub type StateLaw = fn(&Room, Instant) -> Check;

/// Every law about one state.
pub const STATE_LAWS: &[StateLaw] = &[
    conserved,
    leases_bounded,
    debt_means_nothing_free,
    one_state_each,
    keys_are_unique,
    one_place_an_account,
    counts_agree,
    no_permit_forgotten,
    bounded,
    vouchers_agree,
];

/// Checks every law about one state. O(n).
///
/// # Errors
/// Returns the first law that is broken.
pub fn check_state(room: &Room, now: Instant) -> Check {
    STATE_LAWS.iter().try_for_each(|law| law(room, now))
}

/// Checks that the facts of a row were lawful one by one, that they lead from `before` to `after`, and the laws between the two. O(n · facts).
///
/// # Errors
/// Returns the first law that is broken.
pub fn check_row(before: &Room, after: &Room, row: &Row) -> Check {
    let mut step = before.clone();
    for event in &row.events {
        fact_is_lawful(&step, row.at, event)?;
        step.apply(row.version, row.at, event);
        if matches!(event, Event::Reset { .. }) {
            begins_clean(&step)?;
        }
    }
    require("state is the fold of the facts (9)", step == *after, || {
        format!("row {} leads to another state than was kept", row.version)
    })?;
    ahead_never_rises(before, after)?;
    numbers_and_fences_grow(before, after)
}

/// Checks law 11: every collection is bounded.
///
/// # Errors
/// Returns the law if it is broken.
pub fn bounded(room: &Room, _: Instant) -> Check {
    let holds = room.lanes().alive() <= LINE_MAX
        && room.permits().called() + room.permits().leased() <= PERMITS_MAX.saturating_add(room.permits().debt())
        && room.book().lobbies().count() <= usize::from(LOBBIES_MAX);
    require("everything is bounded (11)", holds, || "a collection is past its limit".to_owned())
}

/// Checks that the spent vouchers of each sheet are as many as were counted, and that no voucher gave more places than it may. O(vouchers).
///
/// # Errors
/// Returns the law if it is broken.
pub fn vouchers_agree(room: &Room, _: Instant) -> Check {
    holds("a voucher gives no more than it may", room.vouchers().disagreement())
}
