//! The laws of permits: none is lost, made or forgotten, and the usher's turn leaves nothing to do.

use super::{Check, require};
use crate::Room;
use facts::units::Instant;

/// Checks law 1: `hand + tray + called + leased = permits + debt`. O(1).
///
/// # Errors
/// Returns the law if it is broken.
pub fn conserved(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    let have = p.hand() + p.tray() + p.called() + p.leased();
    let should = room.config().permits + p.debt();
    require("permits are conserved (1)", have == should, || {
        format!(
            "hand {} + tray {} + called {} + leased {} = {have}, permits {} + debt {} = {should}",
            p.hand(),
            p.tray(),
            p.called(),
            p.leased(),
            room.config().permits,
            p.debt(),
        )
    })
}

/// Checks law 8: leases never exceed `permits + debt`. O(1).
///
/// # Errors
/// Returns the law if it is broken.
pub fn leases_bounded(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    let most = room.config().permits + p.debt();
    require("leases are bounded (8)", p.leased() <= most, || {
        format!("{} leases, at most {most}", p.leased())
    })
}

/// Checks the part of law 1 about debt: while there is debt, every returned permit pays it, so none is free.
///
/// # Errors
/// Returns the law if it is broken.
pub fn debt_means_nothing_free(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    require("debt is paid first (1)", p.debt() == 0 || p.free() == 0, || {
        format!("debt {} with {} free", p.debt(), p.free())
    })
}

/// Checks laws 4 and 10: whatever is pending has a time at which the usher looks, and a free permit beside somebody present waits at most one tick
/// (pace and the origin's health aside).
///
/// # Errors
/// Returns the law if it is broken.
pub fn no_permit_forgotten(room: &Room, now: Instant) -> Check {
    const LAW: &str = "no permit is forgotten (4, 10)";
    let due_at = room.case(now).due_at();
    let first_end = room.permits().due_at();
    let tick_ms = room.config().tick_ms;
    if let Some(end) = first_end {
        let latest = end.max(room.turned_at.plus_ms(tick_ms));
        require(LAW, due_at.is_some_and(|at| at <= latest), || {
            format!("a permit is due back at {end}, the usher looks at {due_at:?}")
        })?;
    }
    let waits = room.lanes().callable(room.config().mode) > 0;
    if waits && room.permits().free() > 0 {
        let latest = room.allowance.ready_at(now, room.config()).max(now.plus_ms(tick_ms));
        require(LAW, due_at.is_some_and(|at| at <= latest), || {
            format!("a free permit and a waiter at {now}, the usher looks at {due_at:?}")
        })?;
    }
    Ok(())
}

/// Checks law 6 for the usher: a second turn at the same moment finds nothing to do.
///
/// # Errors
/// Returns the law if it is broken.
pub fn turn_is_idempotent(room: &Room, now: Instant) -> Check {
    let mut once = room.clone();
    let mut row = once.open_row(now);
    once.take_turn(now, &mut row);
    let again = once.case(now).decide_turn();
    require("tick(t); tick(t) = tick(t) (6)", again.is_empty(), || format!("{again:?}"))
}
