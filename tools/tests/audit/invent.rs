//! Invents facts that never happened and makes them plausible: they have the next fences and numbers.

use super::lanes;
use super::sale::holder;
use baton::facts::event::{Event, From, How, Row, To};
use baton::facts::origin::OriginAnswers;
use baton::facts::units::{Fence, LobbyId, Number};
use baton::room::Room;
use baton::room::line::Place;
use baton::room::permits::Stage;

/// Returns other answers of the origin: none, and those of ten more people whom it failed, or did not fail.
pub fn origin(answers: &OriginAnswers) -> [Event; 3] {
    let of_ten_more = |good, bad| {
        let mut answers = answers.clone();
        for fence in 1_000..1_010 {
            answers.count(Fence(fence), good, bad);
        }
        Event::OriginSeen(answers)
    };
    let none = Event::OriginSeen(OriginAnswers::default());
    [none, of_ten_more(0, 10), of_ten_more(10, 0)]
}

/// Returns a row's facts with an invented fact, or a run of them, in every place, each with a description. `before` is the room before the row.
pub fn into(row: &Row, before: &Room) -> Vec<(String, Vec<Event>)> {
    let mut out = Vec::new();
    for event in inventions(row, before) {
        for place in 0..=row.events.len() {
            let mut events = row.events.clone();
            events.insert(place, event.clone());
            out.push((format!("invented as fact {}: {event:?}", place + 1), events));
        }
    }
    for run in taken_back(row, before) {
        for place in 0..=row.events.len() {
            let mut events = row.events.clone();
            let what = format!("taken back as fact {}: {run:?}", place + 1);
            events.splice(place..place, run.iter().cloned());
            out.push((what, events));
        }
    }
    out
}

/// Returns two runs of facts: one takes back everything that has run out, the other leaves out the first.
fn taken_back(row: &Row, room: &Room) -> Vec<Vec<Event>> {
    let mut debt = room.permits().debt();
    let mut ended = |fence, how| {
        let to = if debt > 0 { To::Debt } else { To::Hand };
        debt = debt.saturating_sub(1);
        Event::Ended { fence, how, to }
    };
    let due = room.permits().due(row.at);
    let all: Vec<Event> = due
        .map(|(fence, grant)| match grant.stage {
            Stage::Leased(_) => ended(fence, How::Expired),
            Stage::Called { .. } if room.line_of(grant.number).missed(grant.number) => {
                ended(fence, How::MissedAgain)
            }
            Stage::Called { .. } => ended(fence, How::Missed),
        })
        .collect();
    let fewer = all.get(1..).unwrap_or_default().to_vec();
    let mut runs = vec![all, fewer];
    runs.retain(|run| !run.is_empty());
    runs
}

fn inventions(row: &Row, room: &Room) -> Vec<Event> {
    let fence = room.permits().last_fence().next();
    let permits = room.permits().tray();
    let mut invented = vec![
        Event::Turned,
        Event::TrayEmptied { permits },
        Event::Attempted { count: 1 },
    ];
    invented.extend(entrances(row, room));
    invented.extend(lanes::inventions(room));
    for number in lanes::first_present(room) {
        invented.push(Event::Called { number, fence });
        invented.push(Event::Left(number));
        invented.push(Event::WentAway(vec![number]));
        invented.push(carried(number));
    }
    let away = room.line().living();
    let away = away.filter(|(_, place)| matches!(place, Place::Away(_)));
    let away: Vec<Number> = away.map(|(number, _)| number).take(2).collect();
    invented.push(Event::CameBack(away));
    for (fence, _) in room.permits().out().take(2) {
        let (how, to) = (How::Released, To::Tray);
        invented.push(Event::Ended { fence, how, to });
        let (how, to) = (How::Expired, To::Hand);
        invented.push(Event::Ended { fence, how, to });
        let by_ms = room.config().lease_extend_max_ms + 1;
        invented.push(Event::Claimed { fence });
        invented.push(Event::Slid { fence });
        invented.push(Event::Extended { fence, by_ms });
    }
    for (fence, grant) in room.permits().out().take(2) {
        // With a fence that is in use already, and with the next one.
        for next in [fence, room.permits().last_fence().next()] {
            invented.push(Event::Carried {
                number: grant.number,
                fences: Some((fence, next)),
                to: Some(holder(2_000_000)),
            });
        }
        invented.push(carried(grant.number));
    }
    invented
}

fn carried(number: Number) -> Event {
    Event::Carried {
        number,
        fences: None,
        to: Some(holder(2_000_000)),
    }
}

/// Returns facts by which one more person comes through the row's lobby, in each lane.
fn entrances(row: &Row, room: &Room) -> Vec<Event> {
    let lobby = row.events.iter().find_map(|event| match event {
        Event::Joined { lobby, .. } | Event::WalkedIn { lobby, .. } => Some(*lobby),
        _ => None,
    });
    let lobby = lobby.unwrap_or(LobbyId(0));
    let fence = room.permits().last_fence().next();
    let stranger = holder(3_000_000);
    let mut invented = vec![];
    for (_, lane) in room.lanes().all() {
        let number = lane.line().next();
        invented.push(Event::Joined {
            lobby,
            first: number,
            count: 1,
            holders: vec![stranger],
        });
        for from in [From::Hand, From::Tray, From::Nowhere] {
            invented.push(Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
                holder: Some(stranger),
            });
        }
    }
    invented
}
