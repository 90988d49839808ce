//! The laws between two states: nobody falls back, no counter runs back, an edition begins clean, and done twice is done once.

use super::{Check, require};
use crate::Room;
use crate::lanes::Lane;
use facts::command::Command;
use facts::enter::Person;
use facts::units::{Instant, LaneId, LobbyId};

/// Checks law 5: `ahead` never rises. O(n).
///
/// # Errors
/// Returns the law if it is broken.
pub fn ahead_never_rises(before: &Room, after: &Room) -> Check {
    for (id, lane) in after.lanes().all() {
        let known = before.lanes().lane(id).line().next();
        for (number, _) in lane.line().living().take_while(|(n, _)| *n < known) {
            let (was, is) = (before.lanes().ahead(number), after.lanes().ahead(number));
            require("ahead never rises (5)", is <= was, || {
                format!("number {number} had {was} in front and has {is}")
            })?;
        }
    }
    Ok(())
}

/// Checks law 2: numbers never run back within an edition; fences, versions and editions never do at all.
///
/// # Errors
/// Returns the law if it is broken.
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
    require("numbers and fences grow (2)", grows, || "a counter ran back".to_owned())
}

/// Checks laws 1 and 2 where an edition begins: nobody waits, nobody is inside, every permit is in the hand, and numbers begin at 1. O(lanes).
///
/// # Errors
/// Returns the law if it is broken.
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
    require("an edition begins clean (1, 2)", clean, || format!("{:?} after a reset", room.lanes()))
}

/// Checks law 6 for a command that the room has just carried out at `now` for this lobby: carried out again, it changes nothing more. O(n), since the
/// room is copied for it.
///
/// # Errors
/// Returns the law if it is broken.
pub fn done_twice_is_done_once(room: &Room, now: Instant, command: &Command, from: LobbyId) -> Check {
    if may_change_again(command) {
        return Ok(());
    }
    let mut twice = room.clone();
    let mut row = twice.open_row(now);
    twice.perform(now, command, from, &mut row);
    require("done twice is done once (6)", row.events.is_empty(), || {
        format!("{command:?} again: {:?}", row.events)
    })
}

/// Whether a command may change something again. Counts count again; lobbies send them once. A report of presence that says both of one place, which no
/// lobby sends, changes it twice. Of several who join for accounts, one may take a place from another, who then has something to join for: two devices
/// of one account take its place from each other, each time.
fn may_change_again(command: &Command) -> bool {
    match command {
        Command::Overheard(_) => true,
        Command::Presence { here, away, .. } => here.iter().any(|held| away.contains(held)),
        Command::Enter(enter) => {
            let accounts = enter.who.iter().filter(|person| person.account.is_some());
            let account = |of: Person| of.account.map(|account| account.key);
            let who = accounts.map(|of| (of.holder, account(of)));
            who.clone().zip(who.skip(1)).any(|(one, next)| one != next)
        }
        Command::Claim { .. }
        | Command::Renew(_)
        | Command::Extend { .. }
        | Command::Release(_)
        | Command::Leave(_)
        | Command::Carry { .. }
        | Command::Shows { .. } => false,
    }
}
