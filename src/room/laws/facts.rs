//! The laws of facts: what must hold of each fact at the moment it becomes true.

use super::{Check, holds, require};
use crate::Room;
use crate::permits::Stage;
use facts::config::Mode;
use facts::event::{Event, From};
use facts::hall::Door;
use facts::holder::{Holder, Key};
use facts::units::{Fence, Instant, Number};
use std::collections::BTreeSet;

/// Checks laws 1, 2, 3 and 7, and the laws without a number, for one fact, as the state stands when it becomes true. O(log n).
///
/// Long because it has an arm for each kind of fact.
///
/// # Errors
/// Returns the law that is broken.
pub fn fact_is_lawful(room: &Room, at: Instant, event: &Event) -> Check {
    let p = room.permits();
    match event {
        Event::Joined { first, count, holders, .. } => issued_in_order("numbers are consecutive (2)", room, *first, *count, holders),
        Event::Entered { first, count, holders, .. } => issued_in_order("entries are consecutive (2)", room, *first, *count, holders),
        Event::Drawn { first, count, .. } => {
            let lane = room.lanes().lane(first.lane());
            let open = matches!(lane.hall().door(), Door::Open { .. });
            let all = *count == lane.hall().line().alive();
            let lawful = open && all && *first == lane.line().next();
            require("a draw numbers all who are in the hall (2)", lawful, || format!("{event:?} at {at}"))
        }
        Event::WalkedIn { holder, .. } => {
            one_place_a_key(room, holder.iter())?;
            walk_in_is_lawful(room, event)
        }
        Event::Called { number, fence } => {
            require("a call takes from the hand (1)", p.hand() > 0, || format!("{event:?}"))?;
            called_in_order(room, *number, *fence, event)
        }
        Event::Handed { from, number, fence, .. } => {
            is_out(room, "only an open permit passes (7)", *from)?;
            require("debt is paid first (1)", p.debt() == 0, || format!("debt {}", p.debt()))?;
            called_in_order(room, *number, *fence, event)
        }
        Event::Ended { fence, .. } => is_out(room, "a permit comes back once (7)", *fence),
        Event::Claimed { fence } => {
            let called = p.grant(*fence).map(|grant| grant.stage);
            let lawful = matches!(called, Some(Stage::Called { .. }));
            require("only a called ticket claims (7)", lawful, || format!("{event:?} at {at}"))
        }
        Event::Carried { number, fences, to } => {
            carry_is_lawful(room, *number, *fences, || format!("{event:?} at {at}"))?;
            one_place_a_key(room, to.iter())
        }
        Event::Moved { from, to } => require(
            "a ticket moves to a better lane's end (3)",
            room.lanes().may_move(*from, *to, room.config().mode),
            || format!("{from} became {to}"),
        ),
        Event::Owned { tickets, accounts } => owned_is_lawful(room, tickets, accounts),
        Event::Reset {
            edition, waiting, inside, ..
        } => {
            let alive = room.lanes().alive();
            let counts = (*waiting, *inside) == (alive, p.leased());
            let lawful = *edition == room.lost.edition_after(room.edition()) && counts;
            require("editions follow each other, and a reset counts whom it ends (2)", lawful, || {
                format!("{event:?} in edition {}", room.edition())
            })
        }
        Event::Scheduled { at_ms, .. } => {
            let next = room.schedule.due_ms(&room.config);
            require("steps are dealt with once and in order", next == Some(*at_ms), || {
                format!("{at_ms} was dealt with, {next:?} is next")
            })
        }
        Event::Begun { edition } => {
            let lawful = !room.configured() && *edition > room.edition();
            require("a room begins once", lawful, || format!("{event:?}"))
        }
        Event::RolledBack { shown, next } => {
            let first = room.tickets().line_of(*next).next();
            let is_moved = *next > first && next.lane() == shown.number.lane();
            let lawful = *next == first || is_moved;
            require("a roll-back takes no number back (2)", lawful, || {
                format!("{first} was next, {next} is said to be")
            })
        }
        Event::SheetMade { sheet, .. } => holds("sheets are counted up", room.vouchers().misnamed(*sheet)),
        Event::Spent(spent) => {
            let lives = room.tickets().holder(spent.number).is_some();
            let wrong = room.vouchers().misspent(spent, lives);
            holds("a voucher is spent once, on a living ticket", wrong)
        }
        Event::TrayEmptied { permits } => {
            let lawful = p.hand() == 0 && *permits == p.tray();
            require("the tray is emptied into an empty hand", lawful, || format!("{event:?}"))
        }
        _ => Ok(()),
    }
}

/// Checks law 2 for numbers that are issued in a row: they go on where the last ended, one for each holder.
fn issued_in_order(law: &'static str, room: &Room, first: Number, count: u32, holders: &[Holder]) -> Check {
    let next = room.tickets().line_of(first).next();
    let lawful = first == next && holders.len() == count as usize;
    require(law, lawful, || format!("{first} was issued, {next} is next"))?;
    let left = room.lanes().places_left(first.lane(), room.config().line_max);
    let fits = left.is_none_or(|left| u64::from(count) <= left);
    require("the line keeps its cap", fits, || format!("{count} joined where {left:?} may"))?;
    one_place_a_key(room, holders.iter())
}

/// Checks laws 1 to 3 for a walk-in: it passes nobody who waits and is present, and takes a permit that is free.
fn walk_in_is_lawful(room: &Room, event: &Event) -> Check {
    let Event::WalkedIn { number, fence, from, .. } = event else {
        return Ok(());
    };
    let p = room.permits();
    let mode = room.config().mode;
    require(
        "nobody walks past the line (3)",
        room.lanes().callable(mode) == 0 || mode == Mode::Observe,
        || format!("{} present wait", room.lanes().present()),
    )?;
    let source = match from {
        From::Hand => p.hand() > 0,
        From::Tray => p.hand() == 0 && p.tray() > 0,
        From::Nowhere => p.free() == 0 && mode == Mode::Observe,
    };
    let lawful = source && *number == room.tickets().line_of(*number).next() && *fence > p.last_fence();
    require("a walk-in takes a free permit (1, 2)", lawful, || format!("{event:?}"))
}

/// Checks law 7: a permit that passes or comes back is out.
fn is_out(room: &Room, law: &'static str, fence: Fence) -> Check {
    require(law, room.permits().grant(fence).is_some(), || format!("fence {fence} is not out"))
}

/// Checks laws 2 and 3 for a call: it is the turn of this number, and the fence is new.
fn called_in_order(room: &Room, number: Number, fence: Fence, event: &Event) -> Check {
    admitted_in_order(room, number)?;
    require("fences grow (2)", fence > room.permits().last_fence(), || format!("{event:?}"))
}

/// Checks laws 2 and 7 for a place that is carried: its ticket lives, and its permit, if it has one, gets a new fence.
fn carry_is_lawful(room: &Room, number: Number, fences: Option<(Fence, Fence)>, seen: impl FnOnce() -> String) -> Check {
    let p = room.permits();
    let holder = room.tickets().holder(number);
    let lawful = fences.is_none_or(|(from, fence)| {
        let of = p.grant(from).map(|grant| grant.number);
        of == Some(number) && fence > p.last_fence()
    });
    require(
        "only a living ticket is carried, and its fence grows (2, 7)",
        lawful && holder.is_some(),
        || format!("{}, held by {holder:?}", seen()),
    )
}

/// Checks law 2 for tickets that are issued or carried: none of these keys has a living ticket, and none comes twice.
fn one_place_a_key<'h>(room: &Room, holders: impl Iterator<Item = &'h Holder>) -> Check {
    let mut seen = BTreeSet::new();
    for holder in holders {
        let living = room.living_of(holder.key);
        let first = seen.insert(holder.key);
        require("one living place a key (2)", living.is_none() && first, || {
            format!("{} has {living:?} and gets another", holder.key)
        })?;
    }
    Ok(())
}

/// Checks law 2 for tickets that become accounts': each lives and is no account's yet, and none of the accounts has another.
fn owned_is_lawful(room: &Room, tickets: &[Number], accounts: &[Key]) -> Check {
    let mut seen = BTreeSet::new();
    let is_lawful = |(number, account): (&Number, &Key)| {
        let is_free = room.tickets().holder(*number).is_some() && room.tickets().account_of(*number).is_none();
        is_free && room.living_of_account(*account).is_none() && seen.insert(*account)
    };
    let all = tickets.len() == accounts.len();
    let lawful = all && tickets.iter().zip(accounts).all(is_lawful);
    require("one living place an account (2)", lawful, || {
        format!("{tickets:?} became the places of {accounts:?}")
    })
}

/// Checks law 3: of two present tickets of a lane the one in front goes first, and the rule picks the lane.
fn admitted_in_order(room: &Room, number: Number) -> Check {
    let first = room.tickets().line_of(number).first_present();
    require("no barging (3)", first == Some(number), || {
        format!("{number} was called, the first present is {first:?}")
    })?;
    let next = room.lanes().next_lane(room.config().mode);
    let picked = next == Some(number.lane());
    require("the rule picks the lane (3)", picked, || format!("{number} was called, {next:?} is next"))
}
