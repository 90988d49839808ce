//! What must be so in a state: the laws, what can be worked out about it by other means, and
//! that nobody who has no right moves anything.

use crate::promises::require;
use crate::world::{World, ends_at};
use baton::facts::command::Command;
use baton::facts::config::Mode;
use baton::facts::holder::{Held, Key};
use baton::facts::reply::Standing;
use baton::facts::units::{Ahead, Fence, LobbyId, Number};
use baton::room::laws::{self, Check};
use baton::room::line::Place;

/// Checks a state.
pub fn check(world: &World) -> Check {
    laws::check_state(&world.room, world.now)?;
    laws::turn_is_idempotent(&world.room, world.now)?;
    alarm_is_due(world)?;
    ahead_is_counted(world)?;
    strangers_move_nothing(world)?;
    the_book_is_right(world)
}

/// Law 10: the usher looks when the first thing runs out, and not more often than each tick.
fn alarm_is_due(world: &World) -> Check {
    let room = &world.room;
    let waits = room.line().present() > 0 && room.permits().free() > 0;
    let call_at = (waits && room.config().mode == Mode::Open).then_some(world.now);
    let ends = room.permits().out().map(|(_, grant)| ends_at(grant));
    let away = (0..world.tickets.len() as u8).filter_map(|person| world.away_until_of(person));
    let wanted = ends
        .chain(away)
        .chain(call_at)
        .min()
        .map(|at| at.max(world.turned_at.plus_ms(room.config().tick_ms)));
    let due_at = room.case(world.now).due_at();
    require("the alarm is when something is due (10)", due_at == wanted, || {
        format!("{due_at:?}, wanted {wanted:?} at {}", world.now)
    })
}

/// `ahead` is the number of living tickets in front, counted one by one.
fn ahead_is_counted(world: &World) -> Check {
    let room = &world.room;
    for number in 1..=room.line().next().0 {
        let number = Number(number);
        let earlier = |n: &u64| room.line().place(Number(*n)) != Place::Gone;
        let counted = Ahead((1..number.0).filter(earlier).count() as u64);
        require("ahead is counted (5)", room.lanes().ahead(number) == counted, || {
            format!("number {number}: {:?}, counted {counted:?}", room.lanes().ahead(number))
        })?;
    }
    Ok(())
}

/// Old fences do nothing; nor does a number under a key that does not hold it, or in the name of a lobby whose it is not (2, 7).
fn strangers_move_nothing(world: &World) -> Check {
    let room = &world.room;
    let still = |command: Command, lobby: LobbyId| {
        let events = world.leads_to(lobby, &command);
        require("a stranger's word moves nothing (7)", events.is_empty(), || {
            format!("{command:?} of lobby {lobby}: {events:?}")
        })
    };
    for fence in (0..=room.permits().last_fence().0 + 1).map(Fence) {
        if room.permits().grant(fence).is_none() {
            still(Command::Renew(fence), LobbyId(0))?;
            still(Command::Extend { fence, total_ms: 1 }, LobbyId(0))?;
            still(Command::Release(fence), LobbyId(0))?;
        }
    }
    let keys = (0..world.tickets.len() as u8).flat_map(|person| [false, true].map(|other| world.holder(person, other).key));
    let keys: Vec<Key> = keys.chain([Key(u64::MAX)]).collect();
    for number in (0..=room.line().next().0 + 1).map(Number) {
        let fence = room.permits().of_number(number).map(|(fence, _)| fence);
        for (key, lobby) in keys.iter().flat_map(|key| [0, 1, 2].map(|of| (*key, LobbyId(of)))) {
            let holds = room.tickets().holder(number).is_some_and(|holder| holder.key == key);
            if holds && room.tickets().lobby_of(number) == Some(lobby) {
                continue;
            }
            let place = Held { number, key };
            let fence = fence.unwrap_or_default();
            still(Command::Claim { place, fence }, lobby)?;
            still(Command::Leave(place), lobby)?;
            let (here, away) = (vec![place], vec![place]);
            let as_of = room.version();
            still(Command::Presence { as_of, here, away }, lobby)?;
            let to = crate::wishes::holder(99);
            let row = room.version();
            still(Command::Carry { place, row, to }, lobby)?;
        }
    }
    Ok(())
}

/// The book knows of each visitor's place, and of no other: one living place a key (2).
fn the_book_is_right(world: &World) -> Check {
    let room = &world.room;
    for person in 0..world.tickets.len() as u8 {
        let [own, other] = [false, true].map(|other| room.living_of(world.holder(person, other).key));
        let right = own == world.living(person) && other.is_none();
        require("one living place a key (2)", right, || {
            format!("{person}: {own:?} and {other:?}, not {:?}", world.living(person))
        })?;
    }
    for lobby in room.book().lobbies() {
        let (tickets, next) = room.tickets().list(world.now, lobby, Number(0));
        let lives = |listed: &baton::facts::message::Listed| {
            room.tickets().lobby_of(listed.number) == Some(lobby)
                && room.tickets().holder(listed.number) == Some(listed.holder)
                && room.tickets().standing(world.now, listed.number) == listed.standing
        };
        let of = |number: &Number| room.tickets().lobby_of(*number) == Some(lobby) && room.tickets().standing(world.now, *number) != Standing::Over;
        let count = (1..room.line().next().0).map(Number).filter(of).count();
        let whole = tickets.iter().all(lives) && tickets.len() == count && next.is_none();
        require("a list says what the book has (5)", whole, || {
            format!("lobby {lobby}: {tickets:?}, {count} live")
        })?;
    }
    Ok(())
}
