//! What must be so on an edge, beyond `laws::check_row`: what each deed promises to whoever does
//! it, and what nobody may be given by it.

use crate::step::{Deed, Step};
use crate::world::{Outcome, Rules, World, ends_at};
use baton::facts::config::Mode;
use baton::facts::event::{Event, How};
use baton::facts::message::{Change, Ended};
use baton::facts::reply::{NoTicket, Reached, Reply, Standing};
use baton::facts::units::{Fence, LobbyId, Number};
use baton::room::laws::{self, Check, Violation};
use baton::room::line::Place;
use baton::room::permits::Stage;

pub fn require(law: &'static str, holds: bool, seen: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Violation { law, seen: seen() }) }
}

/// Every promise about an edge.
pub fn check(rules: &Rules, before: &World, after: &World, step: Step, outcome: &Outcome) -> Check {
    closed_means_closed(before, outcome)?;
    nobody_is_evicted(before, after, step)?;
    baton_or_nobody(before, step, outcome)?;
    told(before, after, outcome)?;
    if let Step::Does(deed, person) = step {
        let lobby = before.lobby_of(rules, deed, person);
        answered_as_it_is(after, deed, person, lobby, outcome)?;
        let again = before.command(rules, deed, person);
        laws::done_twice_is_done_once(&after.room, after.now, &again, lobby)?;
        deed_does(before, after, deed, person)?;
    }
    if step == Step::Usher {
        usher_sweeps(before, after)?;
    }
    Ok(())
}

/// While a room is paused or bypassed nobody is given a permit.
fn closed_means_closed(before: &World, outcome: &Outcome) -> Check {
    let admitted = outcome
        .row
        .events
        .iter()
        .find(|event| matches!(event, Event::Called { .. } | Event::Handed { .. } | Event::WalkedIn { .. }));
    let open = before.room.config().mode == Mode::Open;
    require("a room that is not open admits nobody", open || admitted.is_none(), || {
        format!("{admitted:?}")
    })
}

/// What an operator sets takes nothing from anybody who has a permit; only its holder and the
/// usher at its end do, and whoever asks of a lease that has run out, or for a way in.
fn nobody_is_evicted(before: &World, after: &World, step: Step) -> Check {
    let own = match step {
        Step::Does(Deed::Release | Deed::Leave | Deed::Carry | Deed::Takes, person) => before.fence(person),
        Step::Reset => return Ok(()),
        _ => None,
    };
    for (fence, grant) in before.room.permits().out() {
        let gone = after.room.permits().grant(fence).is_none();
        let over = ends_at(grant) <= before.now
            && matches!(
                step,
                Step::Usher
                    | Step::JoinAll(_)
                    | Step::Does(Deed::WalkIn | Deed::Join | Deed::Elsewhere | Deed::Renew, _)
                    | Step::Does(Deed::Moves | Deed::Takes, _)
            );
        require("nobody is evicted (1, 7)", !gone || over || own == Some(fence), || {
            format!("fence {fence} of number {} is gone", grant.number)
        })?;
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

/// Calls, misses and ends are told to the right lobby, and as they are.
///
/// Long because each fact that a lobby must hear has an arm.
fn told(before: &World, after: &World, outcome: &Outcome) -> Check {
    let events = &outcome.row.events;
    let ended = |fence: &Fence, how: &How| {
        let number = before.room.permits().grant(*fence).map(|grant| grant.number);
        let why = match how {
            How::Missed => None,
            How::MissedAgain => Some(Ended::Missed),
            How::Expired => Some(Ended::Expired),
            How::Released => Some(Ended::Released),
            How::Left => Some(Ended::Left),
        };
        number.map(|number| (number, why))
    };
    let mut news: Vec<(Number, Option<Ended>)> = vec![];
    for event in events {
        match event {
            Event::Called { number, .. } => news.push((*number, None)),
            Event::Handed { from, how, number, .. } => {
                news.extend(ended(from, how));
                news.push((*number, None));
            }
            Event::Ended { fence, how, .. } => news.extend(ended(fence, how)),
            Event::Left(number) => news.push((*number, Some(Ended::Left))),
            Event::Carried { number, .. } | Event::WalkedIn { number, .. } => news.push((*number, None)),
            Event::Reset { .. } => return Ok(()),
            _ => {}
        }
    }
    for (number, over) in news {
        let lobby = before.room.tickets().lobby_of(number).or(after.room.tickets().lobby_of(number));
        let changes = lobby.and_then(|lobby| {
            after
                .room
                .book()
                .changes_since(after.room.tickets(), after.now, lobby, before.room.version())
        });
        let said = changes.into_iter().flatten().find(|change| change.number() == number);
        let right = match (&said, over) {
            (Some(Change::Over(_, why)), Some(over)) => *why == over,
            (Some(Change::Lives(listed)), None) => {
                listed.standing == after.room.tickets().standing(after.now, number) && Some(listed.holder) == after.room.tickets().holder(number)
            }
            _ => false,
        };
        require("what happens is told (4, 9)", right, || {
            format!("lobby {lobby:?} hears of number {number}: {said:?}")
        })?;
    }
    Ok(())
}

/// A visitor who is told how things stand is told how they stand afterwards.
fn answered_as_it_is(after: &World, deed: Deed, person: u8, lobby: LobbyId, outcome: &Outcome) -> Check {
    let number = after.tickets[usize::from(person)].unwrap_or_default();
    let standing = after.room.tickets().standing(after.now, number);
    let place = after.living(person).and_then(|number| after.room.tickets().lobby_of(number));
    let away = place.filter(|place| *place != lobby);
    let right = match (deed, &outcome.reply) {
        (Deed::Join | Deed::Elsewhere, Some(Reply::Joined(without))) => match away {
            Some(at) => *without == [(0, NoTicket::At(at))],
            None => without.is_empty() && place.is_some(),
        },
        (Deed::Takes, Some(Reply::Joined(without))) => without.is_empty(),
        (Deed::Moves, Some(Reply::Joined(without))) => {
            let elsewhere = |reached| vec![(0, NoTicket::Elsewhere(reached))];
            match standing {
                Standing::Called { .. } => *without == elsewhere(Reached::Called),
                Standing::Admitted { .. } => *without == elsewhere(Reached::Admitted),
                Standing::Waiting { .. } => without.is_empty(),
                Standing::Over => false,
            }
        }
        (Deed::WalkIn, Some(Reply::None(NoTicket::NoWalkIn))) => place.is_none(),
        (Deed::Release | Deed::Leave | Deed::Away | Deed::Back, Some(Reply::Done)) => true,
        // A fence that is not a lease's is over, whatever its ticket is.
        (Deed::Renew | Deed::Extend, Some(Reply::None(NoTicket::Void))) => !matches!(standing, Standing::Admitted { .. }),
        (Deed::Claim | Deed::Carry, Some(Reply::None(NoTicket::Void))) => place.is_none() || after.overdue() > 0,
        (Deed::WalkIn | Deed::Claim | Deed::Renew | Deed::Extend | Deed::Carry, Some(Reply::Stands(said, stands))) => {
            (*said, *stands) == (number, standing)
        }
        _ => false,
    };
    require("the answer is how things stand", right, || {
        format!("answered {:?}, stands {standing:?} in {place:?}", outcome.reply)
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
            // It has run out, which the renewal has found.
            (Some(Stage::Leased(was)), None) => was.hard_end <= before.now,
            _ => was == is,
        },
        Deed::Extend => match (was, is) {
            (Some(Stage::Leased(was)), Some(Stage::Leased(is))) => {
                let moved = is.hard_end.since_ms(was.hard_end);
                moved == is.extended_ms - was.extended_ms && is.extended_ms <= config.lease_extend_max_ms && (moved == 0 || was.hard_end > before.now)
            }
            _ => was == is,
        },
        Deed::Release | Deed::Leave => is.is_none() && place == Place::Gone || was.is_none(),
        Deed::Away => place != Place::Present,
        Deed::Back => !matches!(place, Place::Away(_)),
        Deed::Carry => {
            let kept = before.room.line().place(number) == place;
            was == is && kept && refenced(before, after, person)
        }
        Deed::Moves | Deed::Takes => moves(before, after, deed, person),
        Deed::Claim | Deed::Join | Deed::Elsewhere | Deed::WalkIn => true,
    };
    let left = deed != Deed::Leave || place == Place::Gone && is.is_none();
    require("a deed does what it is for", holds && left, || {
        format!("{deed:?}: {was:?} became {is:?}, {place:?}")
    })?;
    walks_in_when_free(before, after, deed, person)
}

/// A place that waits is the other device's, and so is one with a permit, under another fence, where the button was pressed. A lease that
/// has run out is nobody's any more: then the account begins anew.
fn moves(before: &World, after: &World, deed: Deed, person: u8) -> bool {
    let at = usize::from(person);
    let moved = before.devices[at] != after.devices[at];
    let same = before.tickets[at] == after.tickets[at];
    let grant = before.fence(person).and_then(|fence| before.room.permits().grant(fence));
    let over = grant.is_some_and(|grant| matches!(grant.stage, Stage::Leased(_)) && ends_at(grant) <= before.now);
    if over {
        return moved && !same;
    }
    match (deed, grant) {
        (Deed::Moves, Some(_)) => !moved && same && before.fence(person) == after.fence(person),
        (_, Some(_)) => moved && same && before.fence(person) < after.fence(person),
        (_, None) => moved && same,
    }
}

/// A permit that is carried is another fence's, and the old one is nobody's. One that has run out is not carried.
fn refenced(before: &World, after: &World, person: u8) -> bool {
    let (was, is) = (before.fence(person), after.fence(person));
    let grant = was.and_then(|fence| before.room.permits().grant(fence));
    let runs = grant.is_some_and(|grant| match grant.stage {
        Stage::Called { .. } => true,
        Stage::Leased(lease) => lease.idle_end.min(lease.hard_end) > before.now,
    });
    let old = was.and_then(|fence| after.room.permits().grant(fence));
    if runs {
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
    require("a walk-in takes what is free (3, 4)", walked == should, || {
        format!("walked in: {walked}, {} free, {over} over", room.permits().free())
    })
}

/// After the usher's turn nothing is overdue, and no free permit lies beside somebody present.
fn usher_sweeps(before: &World, after: &World) -> Check {
    let room = &after.room;
    let overdue = u64::from(after.overdue()) + room.line().away_due(after.now);
    require("the usher leaves nothing overdue (4, 7)", overdue == 0, || {
        format!("{overdue} are overdue")
    })?;
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
        let stage = before.room.permits().of_number(number).map(|(_, g)| g.stage);
        let keeps = match (stage, line.place(number)) {
            (Some(Stage::Called { claim_by, .. }), _) => claim_by > before.now || !line.missed(number),
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
