//! Invents facts that never happened and makes them plausible: they have the next fences and numbers.

use super::lanes;
use super::sale::holder;
use baton::facts::event::{Event, From, How, Row, To};
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::units::{Fence, LobbyId, Number};
use baton::room::Room;
use baton::room::line::Place;
use baton::room::permits::Stage;

/// Returns what else might have been overheard: nothing; answers to ten more people whom the origin failed, or did not fail; another stock.
pub fn overheard(heard: &Overheard) -> Vec<Event> {
    let of_ten_more = |(good, bad)| {
        let mut heard = heard.clone();
        for fence in 1_000..1_010 {
            heard.origin.count(Fence(fence), good, bad);
        }
        heard
    };
    let mut all = vec![Overheard::default()];
    if !heard.origin.is_none() {
        all.extend([(0, 10), (10, 0)].map(of_ten_more));
    }
    if let Some(StockReport { left, at_ms }) = heard.stock {
        let said = [(left, 0), (left + 1, at_ms), (u32::MAX, at_ms)];
        all.extend(said.map(|(left, at_ms)| Overheard {
            stock: Some(StockReport { left, at_ms }),
            ..heard.clone()
        }));
    }
    let facts = all.into_iter();
    facts.map(|heard| Event::Overheard(Box::new(heard))).collect()
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
            Stage::Called { .. } if room.tickets().line_of(grant.number).missed(grant.number) => ended(fence, How::MissedAgain),
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
    let mut invented = vec![Event::Turned, Event::TrayEmptied { permits }, Event::Attempted { count: 1 }];
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
