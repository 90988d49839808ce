//! What must be so on an edge, beyond `laws::check_row`: what each deed promises to whoever does
//! it, and what nobody may be given by it.

use crate::step::{Deed, Step};
use crate::world::{Outcome, World, ends_at};
use baton::room::command::{Batch, Command, Notice, Reply, Standing};
use baton::room::config::Mode;
use baton::room::event::{Event, How};
use baton::room::laws::{Check, Violation};
use baton::room::line::Place;
use baton::room::permits::Stage;
use baton::units::{LobbyId, Number, Version};

pub fn require(law: &'static str, holds: bool, seen: impl FnOnce() -> String) -> Check {
    if holds {
        Ok(())
    } else {
        Err(Violation { law, seen: seen() })
    }
}

/// Every promise about an edge.
pub fn check(before: &World, after: &World, step: Step, outcome: &Outcome) -> Check {
    closed_means_closed(before, outcome)?;
    strangers_change_nothing(after)?;
    nobody_is_evicted(before, after, step)?;
    baton_or_nobody(before, step, outcome)?;
    told(before, after, outcome)?;
    if let Step::Does(deed, person) = step {
        answered_as_it_is(after, deed, person, outcome)?;
        done_is_done(before, after, deed, person)?;
        deed_does(before, after, deed, person)?;
    }
    if step == Step::Usher {
        usher_sweeps(before, after)?;
    }
    Ok(())
}

/// A lobby that has not heard of a reset names numbers that are others' now. Whatever it says of them changes nothing.
fn strangers_change_nothing(world: &World) -> Check {
    let known = world.room.edition();
    let numbers: Vec<Number> = (1..world.room.line().next().0).map(Number).collect();
    let commands = numbers.iter().flat_map(|number| {
        [
            Command::Claim(*number),
            Command::Back(*number),
            Command::Carry(*number),
            Command::Leave(*number),
            Command::Away(vec![*number]),
        ]
    });
    let commands: Vec<Command> = commands.collect();
    let (mut room, lobby) = (world.room.clone(), &world.lobbies[0]);
    let mut row = room.open_row(world.now);
    let batch = Batch {
        lobby: LobbyId(0),
        epoch: lobby.epoch + 1,
        sequence: 1,
        attempts: 0,
        edition: known.next(),
        acknowledged: Version(0),
        roster: numbers,
        commands,
    };
    let message = room.receive(world.now, &batch, &mut row);
    let replies = message.expect("the first batch of a life").replies;
    let told = replies
        .iter()
        .all(|reply| matches!(reply, Reply::Done | Reply::Stands(Standing::Over)));
    let silent = matches!(row.events.as_slice(), [Event::BatchTaken { .. }]);
    require(
        "a number means nobody in another edition (2)",
        told && silent,
        || format!("{:?}", row.events),
    )
}

/// While a room is paused or bypassed nobody is given a permit.
fn closed_means_closed(before: &World, outcome: &Outcome) -> Check {
    let admitted = outcome.row.events.iter().find(|event| {
        matches!(
            event,
            Event::Called { .. } | Event::Handed { .. } | Event::WalkedIn { .. }
        )
    });
    let open = before.room.config().mode == Mode::Open;
    require(
        "a room that is not open admits nobody",
        open || admitted.is_none(),
        || format!("{admitted:?}"),
    )
}

/// What an operator sets takes nothing from anybody who has a permit; only its holder and the
/// usher at its end do, and a walk-in that finds nothing free.
fn nobody_is_evicted(before: &World, after: &World, step: Step) -> Check {
    let own = match step {
        Step::Does(Deed::Release | Deed::Leave | Deed::Carry, person) => before.fence(person),
        Step::Reset => return Ok(()),
        _ => None,
    };
    for (fence, grant) in before.room.permits().out() {
        let gone = after.room.permits().grant(fence).is_none();
        let over = ends_at(grant) <= before.now
            && matches!(step, Step::Usher | Step::Does(Deed::WalkIn, _));
        require(
            "nobody is evicted (1, 7)",
            !gone || over || own == Some(fence),
            || format!("fence {fence} of number {} is gone", grant.number),
        )?;
    }
    Ok(())
}

/// Law 4: a permit that its holder gives back goes to the first present at once, touching neither
/// hand nor tray; without anybody present it goes to the tray; first of all it pays the debt.
fn baton_or_nobody(before: &World, step: Step, outcome: &Outcome) -> Check {
    let Step::Does(Deed::Release | Deed::Leave, person) = step else {
        return Ok(());
    };
    let Some(fence) = before.fence(person) else {
        return Ok(());
    };
    let room = &before.room;
    let to = outcome.row.events.iter().find_map(|event| match event {
        Event::Handed { from, number, .. } if *from == fence => Some(Some(*number)),
        Event::Ended { fence: of, .. } if *of == fence => Some(None),
        _ => None,
    });
    let open = room.config().mode == Mode::Open && room.permits().debt() == 0;
    let wanted = room.line().first_present().filter(|_| open);
    require("no lost wake-up (4)", to == Some(wanted), || {
        format!("the permit of {fence} went to {to:?}, not to {wanted:?}")
    })
}

/// Calls, misses and ends that a lobby did not bring about are told to the right one.
fn told(before: &World, after: &World, outcome: &Outcome) -> Check {
    let events = &outcome.row.events;
    let grant = |fence| before.room.permits().grant(fence).map(|g| g.number);
    let news: Vec<(Number, u8)> = events
        .iter()
        .flat_map(|event| match event {
            Event::Called { number, .. } => vec![(*number, 0)],
            Event::Handed { number, .. } => vec![(*number, 0)],
            Event::Ended { fence, how, .. } => {
                let kind = match how {
                    How::Missed => 1,
                    How::MissedAgain => 2,
                    How::Expired => 3,
                    How::Released => 4,
                    How::Left => 5,
                };
                grant(*fence).map(|n| (n, kind)).into_iter().collect()
            }
            _ => vec![],
        })
        .collect();
    for (number, kind) in news {
        let lobby = lobby_of(before, number);
        let message = after.room.message(after.now, lobby);
        let said = message.notices.iter().find(|(n, _, _)| *n == number);
        let fence = after.room.permits().of_number(number).map(|(f, _)| f);
        let right = match said.map(|(_, _, notice)| *notice) {
            Some(Notice::Called { fence: f, .. }) => kind == 0 && Some(f) == fence,
            Some(Notice::Missed) => kind == 1,
            Some(Notice::MissedAgain) => kind == 2,
            Some(Notice::Expired) => kind == 3,
            Some(Notice::Released) => kind == 4,
            Some(Notice::Left) => kind == 5,
            Some(Notice::Dismissed) | None => false,
        };
        require("what happens is told (4, 9)", right, || {
            format!("lobby {lobby} hears of number {number}: {said:?}")
        })?;
    }
    Ok(())
}

fn lobby_of(world: &World, number: Number) -> LobbyId {
    match world.room.permits().of_number(number) {
        Some((_, grant)) => grant.lobby,
        None => world.room.line().lobby(number),
    }
}

/// Whoever is told how things stand is told how they stand afterwards.
fn answered_as_it_is(after: &World, deed: Deed, person: u8, outcome: &Outcome) -> Check {
    let number = after.tickets[usize::from(person)].unwrap_or_default();
    let standing = after.room.standing(after.now, number);
    let right = match (deed, &outcome.reply) {
        (Deed::Join, Some(Reply::Joined { first, ahead })) => {
            *first == number && *ahead == after.room.ahead(number)
        }
        (Deed::WalkIn, Some(Reply::NoWalkIn)) => true,
        (Deed::Release | Deed::Leave | Deed::Away, Some(Reply::Done)) => true,
        // A fence that is not a lease's is over, whatever its ticket is.
        (Deed::Renew | Deed::Extend, Some(Reply::Stands(Standing::Over))) => {
            !matches!(standing, Standing::Admitted { .. })
        }
        (
            Deed::WalkIn | Deed::Claim | Deed::Back | Deed::Renew | Deed::Extend | Deed::Carry,
            Some(Reply::Stands(said)),
        ) => *said == standing,
        _ => false,
    };
    require("the answer is how things stand", right, || {
        format!("answered {:?}, stands {standing:?}", outcome.reply)
    })
}

/// Law 6: who does it twice changes nothing more. A join, a walk-in, an extension and a carrying
/// count; the batch's sequence is what makes those safe to send again.
fn done_is_done(before: &World, after: &World, deed: Deed, person: u8) -> Check {
    if matches!(deed, Deed::Join | Deed::WalkIn | Deed::Extend | Deed::Carry) {
        return Ok(());
    }
    let again = before.command(deed, person);
    let (events, _) = after.room.decide(after.now, &again, LobbyId(0));
    require("done twice is done once (6)", events.is_empty(), || {
        format!("{again:?} again: {events:?}")
    })
}

/// What a visitor's deed is for.
fn deed_does(before: &World, after: &World, deed: Deed, person: u8) -> Check {
    let number = before.tickets[usize::from(person)].unwrap_or_default();
    let stage = |world: &World| world.room.permits().of_number(number).map(|(_, g)| g.stage);
    let (was, is) = (stage(before), stage(after));
    let place = after.room.line().place(number);
    let called = matches!(was, Some(Stage::Called { .. }));
    let config = after.room.config();
    let holds = match deed {
        Deed::Claim if called => {
            matches!(is, Some(Stage::Leased(l))
                if l.idle_end == after.now.plus_ms(config.lease_idle_ms) && !l.provisional)
        }
        Deed::Renew => match (was, is) {
            (Some(Stage::Leased(was)), Some(Stage::Leased(is))) if was.hard_end > before.now => {
                is.idle_end >= was.idle_end
                    && is.idle_end >= after.now.plus_ms(config.lease_idle_ms)
                    && is.hard_end == was.hard_end
                    && !is.provisional
            }
            _ => was == is,
        },
        Deed::Extend => match (was, is) {
            (Some(Stage::Leased(was)), Some(Stage::Leased(is))) => {
                let moved = is.hard_end.since_ms(was.hard_end);
                moved == is.extended_ms - was.extended_ms
                    && is.extended_ms <= config.lease_extend_max_ms
                    && (moved == 0 || was.hard_end > before.now)
            }
            _ => was == is,
        },
        Deed::Release | Deed::Leave => is.is_none() && place == Place::Gone || was.is_none(),
        Deed::Away => place != Place::Present,
        Deed::Back => !matches!(place, Place::Away(_)),
        Deed::Carry => {
            was == is && !matches!(place, Place::Away(_)) && refenced(before, after, person)
        }
        Deed::Claim | Deed::Join | Deed::WalkIn => true,
    };
    let left = deed != Deed::Leave || place == Place::Gone && is.is_none();
    require("a deed does what it is for", holds && left, || {
        format!("{deed:?}: {was:?} became {is:?}, {place:?}")
    })?;
    walks_in_when_free(before, after, deed, person)
}

/// A lease that is carried is another fence's, and the old one is nobody's; a call keeps its own.
fn refenced(before: &World, after: &World, person: u8) -> bool {
    let (was, is) = (before.fence(person), after.fence(person));
    let runs = |lease: baton::room::permits::Lease| lease.hard_end > before.now;
    let grant = was.and_then(|fence| before.room.permits().grant(fence));
    let leased =
        matches!(grant.map(|grant| grant.stage), Some(Stage::Leased(lease)) if runs(lease));
    let old = was.and_then(|fence| after.room.permits().grant(fence));
    if leased {
        is > was && is == Some(after.room.permits().last_fence()) && old.is_none()
    } else {
        is == was
    }
}

/// A walk-in succeeds exactly when the room is open, nobody present waits, and a permit is free
/// or has run out.
fn walks_in_when_free(before: &World, after: &World, deed: Deed, person: u8) -> Check {
    if deed != Deed::WalkIn {
        return Ok(());
    }
    let room = &before.room;
    let over = before.overdue();
    let free = room.permits().free() > 0 || over > room.permits().debt();
    let should = room.config().mode == Mode::Open && room.line().present() == 0 && free;
    let walked = after.living(person).is_some();
    require(
        "a walk-in takes what is free (3, 4)",
        walked == should,
        || {
            format!(
                "walked in: {walked}, {} free, {over} over",
                room.permits().free()
            )
        },
    )
}

/// After the usher's turn nothing is overdue, and no free permit lies beside somebody present.
fn usher_sweeps(before: &World, after: &World) -> Check {
    let room = &after.room;
    let overdue = u64::from(after.overdue()) + room.line().away_due(after.now);
    require(
        "the usher leaves nothing overdue (4, 7)",
        overdue == 0,
        || format!("{overdue} are overdue"),
    )?;
    let idle = room.permits().free() > 0 && room.line().present() > 0;
    require(
        "the usher leaves no permit beside a waiter (4)",
        !idle || room.config().mode != Mode::Open,
        || format!("{} free", room.permits().free()),
    )?;
    missed_once_keeps_the_place(before, after)
}

/// Whoever misses a first call keeps the number, away; who misses a second is over; whoever is
/// present or not yet out of grace keeps what it has.
fn missed_once_keeps_the_place(before: &World, after: &World) -> Check {
    for person in 0..before.tickets.len() as u8 {
        let Some(number) = before.living(person) else {
            continue;
        };
        let line = before.room.line();
        let stage = before
            .room
            .permits()
            .of_number(number)
            .map(|(_, g)| g.stage);
        let keeps = match (stage, line.place(number)) {
            (Some(Stage::Called { claim_by, .. }), _) => {
                claim_by > before.now || !line.missed(number)
            }
            (Some(Stage::Leased(lease)), _) => lease.idle_end.min(lease.hard_end) > before.now,
            (None, Place::Away(_)) => before.away_until[usize::from(person)] > before.now,
            (None, _) => true,
        };
        let kept = after.living(person) == Some(number);
        require("a place is kept as long as promised", keeps == kept, || {
            format!("number {number}: should keep {keeps}, keeps {kept}")
        })?;
    }
    Ok(())
}
