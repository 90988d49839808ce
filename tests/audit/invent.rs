//! Facts out of thin air, as plausible as can be: with the fences and numbers that come next, and
//! with the answers that would have been given.

use baton::room::Room;
use baton::room::command::{Reply, Standing};
use baton::room::event::{Event, From, How, Row, To};
use baton::room::line::Place;
use baton::units::{Ahead, LobbyId};

/// A row's facts with one more, in every place, and what that is called. `before` is the room as
/// it stood before the row.
pub fn into(row: &Row, before: &Room) -> Vec<(String, Vec<Event>)> {
    let places = row.events.len();
    let mut out = Vec::new();
    for event in inventions(before) {
        for place in 0..places {
            let mut events = row.events.clone();
            events.insert(place, event.clone());
            out.push((format!("invented as fact {}: {event:?}", place + 1), events));
        }
    }
    for (event, reply) in answered(row, before) {
        for place in 0..places {
            for answer in answers(row, &reply) {
                let mut events = row.events.clone();
                let told = format!("invented as fact {}, with its answer: {event:?}", place + 1);
                *events.last_mut().unwrap() = answer;
                events.insert(place, event.clone());
                out.push((told, events));
            }
        }
    }
    out
}

fn inventions(room: &Room) -> Vec<Event> {
    let fence = room.permits().last_fence().next();
    let permits = room.permits().tray();
    let mut invented = vec![Event::Turned, Event::TrayEmptied { permits }];
    if let Some(number) = room.line().first_present() {
        invented.push(Event::Called { number, fence });
        invented.push(Event::Left(number));
        invented.push(Event::WentAway(vec![number]));
    }
    if let Some((fence, _)) = room.permits().out().next() {
        let (how, to) = (How::Released, To::Tray);
        invented.push(Event::Ended { fence, how, to });
    }
    invented
}

/// Facts that call for an answer of their own, and that answer.
fn answered(row: &Row, room: &Room) -> Vec<(Event, Reply)> {
    let lobby = match row.events.last() {
        Some(Event::BatchTaken { lobby, .. }) => *lobby,
        _ => LobbyId(0),
    };
    let (number, config) = (room.line().next(), room.config());
    let (idle_in_ms, hard_in_ms) = (config.lease_idle_ms, config.lease_max_ms);
    let ahead = Ahead(room.line().alive());
    let joined = Reply::Joined {
        first: number,
        ahead,
    };
    let (first, count) = (number, 1);
    let mut invented = vec![(
        Event::Joined {
            lobby,
            first,
            count,
        },
        joined,
    )];
    for from in [From::Hand, From::Tray] {
        let fence = room.permits().last_fence().next();
        let inside = Standing::Admitted {
            number,
            fence,
            idle_in_ms: config.claim_within_ms.min(idle_in_ms),
            hard_in_ms,
            provisional: true,
        };
        let walked_in = Event::WalkedIn {
            lobby,
            number,
            fence,
            from,
        };
        invented.push((walked_in, Reply::Stands(inside)));
    }
    let away = room.line().living();
    let away = away.filter(|(_, place)| matches!(place, Place::Away(_)));
    let back = Event::CameBack(away.map(|(number, _)| number).take(2).collect());
    let missed = false;
    invented.push((back, Reply::Stands(Standing::Waiting { ahead, missed })));
    for (fence, grant) in room.permits().out().take(2) {
        let inside = Standing::Admitted {
            number: grant.number,
            fence,
            idle_in_ms,
            hard_in_ms,
            provisional: false,
        };
        invented.push((Event::Claimed { fence }, Reply::Stands(inside)));
        let at = row.at;
        if let Standing::Admitted {
            number, hard_in_ms, ..
        } = room.standing(at, grant.number)
        {
            let inside = |idle_in_ms, hard_in_ms| {
                Reply::Stands(Standing::Admitted {
                    number,
                    fence,
                    idle_in_ms,
                    hard_in_ms,
                    provisional: false,
                })
            };
            let slid = inside(idle_in_ms, hard_in_ms);
            invented.push((Event::Slid { fence }, slid));
            // Carried, but under a fence that was handed out already.
            let refenced = Event::Refenced { from: fence, fence };
            invented.push((refenced, Reply::Stands(room.standing(at, number))));
            let by_ms = config.lease_extend_max_ms + 1;
            if let Standing::Admitted { idle_in_ms, .. } = room.standing(at, number) {
                let longer = inside(idle_in_ms, hard_in_ms + by_ms);
                invented.push((Event::Extended { fence, by_ms }, longer));
            }
        }
    }
    invented
}

/// The batch with this answer as well, in every place or instead of "no walk-in".
fn answers(row: &Row, reply: &Reply) -> Vec<Event> {
    let Some(Event::BatchTaken {
        lobby,
        epoch,
        sequence,
        attempts,
        edition,
        acknowledged,
        replies,
    }) = row.events.last()
    else {
        return vec![];
    };
    let taken = |replies| Event::BatchTaken {
        lobby: *lobby,
        epoch: *epoch,
        sequence: *sequence,
        attempts: *attempts,
        edition: *edition,
        acknowledged: *acknowledged,
        replies,
    };
    let mut out = Vec::new();
    for place in 0..=replies.len() {
        let mut more = replies.clone();
        more.insert(place, reply.clone());
        out.push(taken(more));
        if replies.get(place) == Some(&Reply::NoWalkIn) {
            let mut other = replies.clone();
            other[place] = reply.clone();
            out.push(taken(other));
        }
    }
    out
}
