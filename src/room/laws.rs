//! The laws of a room, each a function with a name.
//!
//! `DESIGN` numbers them; so do these. Three kinds: what must hold in every *state*, what must
//! hold of every *fact* at the moment it becomes true, and what must hold between *two states*.
//! The tests and the simulator call all of them after every command; [`conserved`] and
//! [`leases_bounded`], which cost nothing, are also called by the room object before it writes.

use super::Room;
use super::lanes::Lane;
use super::line::{Line, Place};
use super::permits::Stage;
use crate::facts::config::Mode;
use crate::facts::event::{Event, From, Row};
use crate::facts::hall::Door;
use crate::facts::holder::{Holder, Key};
use crate::facts::limits::{LINE_MAX, LOBBIES_MAX, PERMITS_MAX};
use crate::facts::units::{Instant, LaneId, Number};
use std::collections::{BTreeMap, BTreeSet};

/// What a law found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law's name.
    pub law: &'static str,
    /// What was seen.
    pub seen: String,
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "law broken: {}: {}", self.law, self.seen)
    }
}

/// Held, or how it was broken.
pub type Check = Result<(), Violation>;

fn require(law: &'static str, holds: bool, seen: impl FnOnce() -> String) -> Check {
    if holds {
        Ok(())
    } else {
        Err(Violation { law, seen: seen() })
    }
}

/// Held, unless something is wrong.
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
/// The first law that is broken.
pub fn check_state(room: &Room, now: Instant) -> Check {
    STATE_LAWS.iter().try_for_each(|law| law(room, now))
}

/// Checks that a row's facts were lawful one by one, that they lead from one state to the other,
/// and the laws between the two. O(n · facts).
///
/// # Errors
/// The first law that is broken.
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

/// Law 1: `hand + tray + called + leased = permits + debt`. O(1).
///
/// # Errors
/// When it is broken.
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

/// Law 8: leases never exceed `permits + debt`. O(1).
///
/// # Errors
/// When it is broken.
pub fn leases_bounded(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    let most = room.config().permits + p.debt();
    require("leases are bounded (8)", p.leased() <= most, || {
        format!("{} leases, at most {most}", p.leased())
    })
}

/// Law 1, the part about debt: while it lasts every returned permit pays it, so none is free.
///
/// # Errors
/// When it is broken.
pub fn debt_means_nothing_free(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    require(
        "debt is paid first (1)",
        p.debt() == 0 || p.free() == 0,
        || format!("debt {} with {} free", p.debt(), p.free()),
    )
}

/// Law 2: every ticket is in exactly one state. O(n).
///
/// # Errors
/// When it is broken.
pub fn one_state_each(room: &Room, _: Instant) -> Check {
    const LAW: &str = "one state each (2)";
    for (fence, grant) in room.permits().out() {
        let place = room.line_of(grant.number).place(grant.number);
        let fits = match grant.stage {
            Stage::Called { .. } => place == Place::Called,
            Stage::Leased(_) => place == Place::Gone,
        };
        require(LAW, fits, || {
            format!("number {} of fence {fence} is {place:?}", grant.number)
        })?;
    }
    let called = room
        .lanes()
        .lines()
        .flat_map(Line::living)
        .filter(|(_, place)| *place == Place::Called);
    for (number, _) in called {
        let known = room.permits().of_number(number).is_some();
        require(LAW, known, || {
            format!("number {number} is called without a permit")
        })?;
    }
    Ok(())
}

/// Law 2, the books: running counts equal what is counted bit by bit. O(n).
///
/// # Errors
/// When it is broken.
pub fn counts_agree(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    let called = p
        .out()
        .filter(|(_, g)| matches!(g.stage, Stage::Called { .. }))
        .count();
    let lines = room.lanes().lines().all(Line::recount_agrees);
    let agree = lines && called == p.called() as usize;
    require("counts agree (2)", agree, || {
        "a running count differs from a recount".to_owned()
    })
}

/// Laws 4 and 10: whatever is pending has a time at which the usher looks, and a free permit
/// beside somebody present waits at most one tick (pace and the origin's health aside).
///
/// # Errors
/// When it is broken.
pub fn no_permit_forgotten(room: &Room, now: Instant) -> Check {
    const LAW: &str = "no permit is forgotten (4, 10)";
    let due_at = room.due_at(now);
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
        let latest = room.ready_at(now).max(now.plus_ms(tick_ms));
        require(LAW, due_at.is_some_and(|at| at <= latest), || {
            format!("a free permit and a waiter at {now}, the usher looks at {due_at:?}")
        })?;
    }
    Ok(())
}

/// Law 11: every collection is bounded.
///
/// # Errors
/// When it is broken.
pub fn bounded(room: &Room, _: Instant) -> Check {
    let holds = room.lanes().alive() <= LINE_MAX
        && room.permits().called() + room.permits().leased()
            <= PERMITS_MAX.saturating_add(room.permits().debt())
        && room.lobbies().count() <= usize::from(LOBBIES_MAX);
    require("everything is bounded (11)", holds, || {
        "a collection is past its limit".to_owned()
    })
}

/// What is marked as spent of each sheet is what was counted, and no voucher gave more places than it may. O(vouchers).
///
/// # Errors
/// When it is broken.
pub fn vouchers_agree(room: &Room, _: Instant) -> Check {
    holds(
        "a voucher gives no more than it may",
        room.vouchers().disagreement(),
    )
}

/// Laws 2, 3 and 7 for one fact, as the state stands when it becomes true. O(log n).
///
/// # Errors
/// When it is broken.
pub fn fact_is_lawful(room: &Room, at: Instant, event: &Event) -> Check {
    let p = room.permits();
    match event {
        Event::Joined {
            first,
            count,
            holders,
            ..
        } => {
            let next = room.line_of(*first).next();
            let lawful = *first == next && holders.len() == *count as usize;
            require("numbers are consecutive (2)", lawful, || {
                format!("{first} was issued, {next} is next")
            })?;
            one_place_a_key(room, holders.iter())
        }
        Event::Entered {
            first,
            count,
            holders,
            ..
        } => {
            let next = room.line_of(*first).next();
            let lawful = *first == next && holders.len() == *count as usize;
            require("entries are consecutive (2)", lawful, || {
                format!("{first} was issued, {next} is next")
            })?;
            one_place_a_key(room, holders.iter())
        }
        Event::Drawn { first, count, .. } => {
            let lane = room.lanes().lane(first.lane());
            let open = matches!(lane.hall().door(), Door::Open { .. });
            let all = *count == lane.hall().line().alive();
            let lawful = open && all && *first == lane.line().next();
            require("a draw numbers all who are in the hall (2)", lawful, || {
                format!("{event:?} at {at}")
            })
        }
        Event::WalkedIn {
            number,
            fence,
            from,
            holder,
            ..
        } => {
            one_place_a_key(room, holder.iter())?;
            let source = match from {
                From::Hand => p.hand() > 0,
                From::Tray => p.hand() == 0 && p.tray() > 0,
                From::Nowhere => p.free() == 0 && room.config().mode == Mode::Observe,
            };
            require(
                "nobody walks past the line (3)",
                room.lanes().callable(room.config().mode) == 0
                    || room.config().mode == Mode::Observe,
                || format!("{} present wait", room.lanes().present()),
            )?;
            let lawful =
                source && *number == room.line_of(*number).next() && *fence > p.last_fence();
            require("a walk-in takes a free permit (1, 2)", lawful, || {
                format!("{event:?}")
            })
        }
        Event::Called { number, fence } => {
            require("a call takes from the hand (1)", p.hand() > 0, || {
                format!("{event:?}")
            })?;
            admitted_in_order(room, *number)?;
            require("fences grow (2)", *fence > p.last_fence(), || {
                format!("{event:?}")
            })
        }
        Event::Handed {
            from,
            number,
            fence,
            ..
        } => {
            require(
                "only an open permit passes (7)",
                p.grant(*from).is_some(),
                || format!("fence {from} is not out"),
            )?;
            require("debt is paid first (1)", p.debt() == 0, || {
                format!("debt {}", p.debt())
            })?;
            admitted_in_order(room, *number)?;
            require("fences grow (2)", *fence > p.last_fence(), || {
                format!("{event:?}")
            })
        }
        Event::Ended { fence, .. } => require(
            "a permit comes back once (7)",
            p.grant(*fence).is_some(),
            || format!("fence {fence} is not out"),
        ),
        Event::Claimed { fence } => {
            let called = p.grant(*fence).map(|grant| grant.stage);
            let lawful = matches!(called, Some(Stage::Called { .. }));
            require("only a called ticket claims (7)", lawful, || {
                format!("{event:?} at {at}")
            })
        }
        Event::Carried { number, fences, to } => {
            let holder = room.holder(*number);
            let lawful = fences.is_none_or(|(from, fence)| {
                let of = p.grant(from).map(|grant| grant.number);
                of == Some(*number) && fence > p.last_fence()
            });
            require(
                "only a living ticket is carried, and its fence grows (2, 7)",
                lawful && holder.is_some(),
                || format!("{event:?} at {at}, held by {holder:?}"),
            )?;
            one_place_a_key(room, to.iter())
        }
        Event::Moved { from, to } => require(
            "a ticket moves to a better lane's end (3)",
            room.may_move(*from, *to),
            || format!("{from} became {to}"),
        ),
        Event::Owned { tickets, accounts } => owned_is_lawful(room, tickets, accounts),
        Event::Reset {
            edition,
            waiting,
            inside,
            ..
        } => {
            let alive = room.lanes().alive();
            let counts = (*waiting, *inside) == (alive, p.leased());
            let lawful = *edition == room.edition().next() && counts;
            require(
                "editions follow each other, and a reset counts whom it ends (2)",
                lawful,
                || format!("{event:?} in edition {}", room.edition()),
            )
        }
        Event::Scheduled { at_ms, .. } => {
            let next = room.step_due_ms();
            require(
                "steps are dealt with once and in order",
                next == Some(*at_ms),
                || format!("{at_ms} was dealt with, {next:?} is next"),
            )
        }
        Event::SheetMade { sheet, .. } => {
            holds("sheets are counted up", room.vouchers().misnamed(*sheet))
        }
        Event::Spent(spent) => {
            let lives = room.holder(spent.number).is_some();
            let wrong = room.vouchers().misspent(spent, lives);
            holds("a voucher is spent once, on a living ticket", wrong)
        }
        Event::TrayEmptied { permits } => {
            let lawful = p.hand() == 0 && *permits == p.tray();
            require("the tray is emptied into an empty hand", lawful, || {
                format!("{event:?}")
            })
        }
        _ => Ok(()),
    }
}

/// Law 2, for tickets that are issued or carried: none of these keys has a living ticket, and none comes twice.
fn one_place_a_key<'h>(room: &Room, holders: impl Iterator<Item = &'h Holder>) -> Check {
    let mut seen = BTreeSet::new();
    for holder in holders {
        let living = room.living_of(holder.key);
        let first = seen.insert(holder.key);
        require(
            "one living place a key (2)",
            living.is_none() && first,
            || format!("{} has {living:?} and gets another", holder.key),
        )?;
    }
    Ok(())
}

/// Law 2 of the whole book: whoever is in line or inside has a key of its own, and the index finds it. O(n).
///
/// # Errors
/// When it is broken.
pub fn keys_are_unique(room: &Room, _: Instant) -> Check {
    let mut seen = BTreeMap::new();
    for number in living(room) {
        let key = room.holder(number).map(|holder| holder.key);
        let found = key.and_then(|key| room.living_of(key));
        let other = key.and_then(|key| seen.insert(key, number));
        let alone = other.is_none_or(|other| other == number) && found == Some(number);
        require("one living place a key (2)", alone, || {
            format!("{number} is {key:?}'s, which has {other:?} and is found at {found:?}")
        })?;
    }
    Ok(())
}

/// Law 2, for tickets that become accounts': they live and are nobody's yet, and none of the accounts has another.
fn owned_is_lawful(room: &Room, tickets: &[Number], accounts: &[Key]) -> Check {
    let mut seen = BTreeSet::new();
    let is_lawful = |(number, account): (&Number, &Key)| {
        let is_free = room.holder(*number).is_some() && room.account_of(*number).is_none();
        is_free && room.living_of_account(*account).is_none() && seen.insert(*account)
    };
    let all = tickets.len() == accounts.len();
    let lawful = all && tickets.iter().zip(accounts).all(is_lawful);
    require("one living place an account (2)", lawful, || {
        format!("{tickets:?} became the places of {accounts:?}")
    })
}

/// Law 2 of whole accounts: a living ticket that is an account's is its only one, and the index finds it. O(n).
///
/// # Errors
/// When it is broken.
pub fn one_place_an_account(room: &Room, _: Instant) -> Check {
    let mut seen = BTreeMap::new();
    let owned = living(room).filter_map(|number| Some((number, room.account_of(number)?)));
    for (number, account) in owned {
        let found = room.living_of_account(account);
        let other = seen.insert(account, number);
        let alone = other.is_none_or(|other| other == number) && found == Some(number);
        require("one living place an account (2)", alone, || {
            format!("{number} is {account}'s, which has {other:?} and is found at {found:?}")
        })?;
    }
    Ok(())
}

/// Every living ticket: in the line, in the hall, or inside. One that is called comes twice.
fn living(room: &Room) -> impl Iterator<Item = Number> {
    let waiting = room
        .lanes()
        .lines()
        .flat_map(Line::living)
        .map(|(number, _)| number);
    waiting.chain(room.permits().out().map(|(_, grant)| grant.number))
}

/// Law 3: of two present waiters of a lane the one in front goes first; and the lane is the one that the rule picks.
fn admitted_in_order(room: &Room, number: Number) -> Check {
    let first = room.line_of(number).first_present();
    require("no barging (3)", first == Some(number), || {
        format!("{number} was called, the first present is {first:?}")
    })?;
    let next = room.next_lane();
    let picked = next == Some(number.lane());
    require("the rule picks the lane (3)", picked, || {
        format!("{number} was called, {next:?} is next")
    })
}

/// Law 5: `ahead` never rises. O(n).
///
/// # Errors
/// When it is broken.
pub fn ahead_never_rises(before: &Room, after: &Room) -> Check {
    for (id, lane) in after.lanes().all() {
        let known = before.lanes().lane(id).line().next();
        for (number, _) in lane.line().living().take_while(|(n, _)| *n < known) {
            let (was, is) = (before.ahead(number), after.ahead(number));
            require("ahead never rises (5)", is <= was, || {
                format!("number {number} had {was} in front and has {is}")
            })?;
        }
    }
    Ok(())
}

/// Laws 1 and 2 where an edition begins: nobody waits, nobody is inside, every permit is in the hand, numbers begin at 1.
/// O(lanes).
///
/// # Errors
/// When it is broken.
pub fn begins_clean(room: &Room) -> Check {
    let p = room.permits();
    let is_new = |(id, lane): (LaneId, &Lane)| {
        let (line, hall) = (lane.line(), lane.hall());
        let unused = line.next() == id.first_number() && hall.line().next() == id.entry(1);
        unused && line.away() == 0 && hall.drawn().is_none()
    };
    let empty = room.lanes().all().all(is_new) && room.lanes().alive() == 0 && p.out_count() == 0;
    let free = p.hand() == room.config().permits && p.tray() == 0 && p.debt() == 0;
    let clean = empty && free && room.ended.is_none();
    require("an edition begins clean (1, 2)", clean, || {
        format!("{:?} after a reset", room.lanes())
    })
}

/// Law 2: within an edition numbers only grow, fences and editions for ever.
///
/// # Errors
/// When it is broken.
pub fn numbers_and_fences_grow(before: &Room, after: &Room) -> Check {
    let known = before.lanes().all();
    let numbers = known.filter(|_| before.edition() == after.edition());
    let numbers_grow = numbers.flat_map(|(id, lane)| {
        let now = after.lanes().lane(id);
        [
            lane.line().next() <= now.line().next(),
            lane.hall().line().next() <= now.hall().line().next(),
        ]
    });
    let grows = before.edition() <= after.edition()
        && numbers_grow.into_iter().all(|grows| grows)
        && before.permits().last_fence() <= after.permits().last_fence()
        && before.version() <= after.version();
    require("numbers and fences grow (2)", grows, || {
        "a counter ran back".to_owned()
    })
}

/// Law 6 for the usher: a second turn at the same moment finds nothing to do.
///
/// # Errors
/// When it is broken.
pub fn turn_is_idempotent(room: &Room, now: Instant) -> Check {
    let mut once = room.clone();
    let mut row = once.open_row(now);
    once.take_turn(now, &mut row);
    let again = once.decide_turn(now);
    require("tick(t); tick(t) = tick(t) (6)", again.is_empty(), || {
        format!("{again:?}")
    })
}
