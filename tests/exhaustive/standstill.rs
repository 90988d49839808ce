//! What must be so in a state: the laws, what can be worked out about it by other means, and
//! that nobody who has no right moves anything.

use crate::promises::require;
use crate::world::{World, ends_at};
use baton::room::command::{Command, Refusal};
use baton::room::config::Mode;
use baton::room::laws::{self, Check};
use baton::room::line::Place;
use baton::units::{Ahead, Fence, LobbyId, Number};

/// Checks a state.
pub fn check(world: &World) -> Check {
    laws::check_state(&world.room, world.now)?;
    laws::turn_is_idempotent(&world.room, world.now)?;
    alarm_is_due(world)?;
    ahead_is_counted(world)?;
    strangers_move_nothing(world)?;
    batches_count_once(world)
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
    let due_at = room.due_at(world.now);
    require(
        "the alarm is when something is due (10)",
        due_at == wanted,
        || format!("{due_at:?}, wanted {wanted:?} at {}", world.now),
    )
}

/// `ahead` is the number of living tickets in front, counted one by one.
fn ahead_is_counted(world: &World) -> Check {
    let room = &world.room;
    for number in 1..=room.line().next().0 {
        let number = Number(number);
        let earlier = |n: &u64| room.line().place(Number(*n)) != Place::Gone;
        let counted = Ahead((1..number.0).filter(earlier).count() as u64);
        require(
            "ahead is counted (5)",
            room.ahead(number) == counted,
            || {
                format!(
                    "number {number}: {:?}, counted {counted:?}",
                    room.ahead(number)
                )
            },
        )?;
    }
    Ok(())
}

/// Old fences, numbers that are over and ones that were never issued do nothing (2, 7).
fn strangers_move_nothing(world: &World) -> Check {
    let room = &world.room;
    let still = |command: Command| {
        let (events, _) = room.decide(world.now, &command, LobbyId(0));
        require(
            "an old fence or number moves nothing (7)",
            events.is_empty(),
            || format!("{command:?}: {events:?}"),
        )
    };
    for fence in (0..=room.permits().last_fence().0 + 1).map(Fence) {
        if room.permits().grant(fence).is_none() {
            still(Command::Renew(fence))?;
            still(Command::Extend { fence, by_ms: 1 })?;
            still(Command::Release(fence))?;
        }
    }
    for number in (0..=room.line().next().0 + 1).map(Number) {
        let holds = room.permits().of_number(number).is_some();
        if !holds && room.line().place(number) == Place::Gone {
            still(Command::Claim(number))?;
            still(Command::Leave(number))?;
            still(Command::Away(vec![number]))?;
            still(Command::Back(number))?;
            still(Command::Carry(number))?;
        }
    }
    Ok(())
}

/// The last batch of a lobby again is answered the same and writes nothing; one of an old life,
/// one after a gap and one of a life that began with a gap are refused and write nothing.
fn batches_count_once(world: &World) -> Check {
    for of in &world.lobbies {
        let Some((batch, replies, answered)) = &of.last else {
            continue;
        };
        let mut room = world.room.clone();
        let mut row = room.open_row(world.now);
        let again = room.receive(world.now, batch, &mut row);
        let same = again
            .as_ref()
            .is_ok_and(|m| m.replies == *replies && m.answered == *answered);
        require("a batch again is answered the same (6)", same, || {
            format!("{again:?}, first {replies:?}")
        })?;
        for (epoch, sequence, why) in [
            (batch.epoch - 1, batch.sequence + 1, Refusal::OldEpoch),
            (batch.epoch, batch.sequence + 2, Refusal::Gap),
            (batch.epoch + 1, 2, Refusal::Gap),
        ] {
            let mut wrong = batch.clone();
            (wrong.epoch, wrong.sequence) = (epoch, sequence);
            let refused = room.receive(world.now, &wrong, &mut row);
            require(
                "a batch out of turn is refused (6)",
                refused == Err(why),
                || format!("epoch {epoch} sequence {sequence}: {refused:?}"),
            )?;
        }
        let untouched = row.events.is_empty() && room == world.room;
        require("what is not taken writes nothing (6)", untouched, || {
            format!("{row:?}")
        })?;
    }
    Ok(())
}
