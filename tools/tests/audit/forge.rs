//! Forges histories: every history that one small change can make of a real one.

use super::sale::{LOBBIES, holder};
use super::{invent, lanes};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, From, How, Row, To};
use baton::facts::hall::{Door, Draw};
use baton::facts::units::{Fence, Instant, Number, Version};
use baton::room::Room;
use serde_json::{Value, json};

/// A history in which one row or two are changed.
pub struct Forgery {
    pub what: String,
    /// The rows from the first changed one on.
    pub rows: Vec<Row>,
}

/// Returns every forgery of `rows[at]` of the kinds below, each different from the real rows. `before` is the room before that row.
pub fn of(rows: &[Row], at: usize, before: &Room) -> Vec<Forgery> {
    let row = &rows[at];
    let mut forged = Vec::new();
    let mut put = |what: String, events: Vec<Event>| {
        if events != row.events {
            let mut rows = rows[at..].to_vec();
            rows[0].events = events;
            forged.push(Forgery { what, rows });
        }
    };
    for i in 0..row.events.len() {
        let (mut events, gone) = (row.events.clone(), row.events[i].clone());
        events.remove(i);
        put(format!("fact {} removed: {gone:?}", i + 1), events.clone());
        events.splice(i..i, [gone.clone(), gone.clone()]);
        put(format!("fact {} twice: {gone:?}", i + 1), events);
        for j in i + 1..row.events.len() {
            let mut events = row.events.clone();
            events.swap(i, j);
            put(format!("facts {} and {} swapped", i + 1, j + 1), events);
        }
        for other in variants(&gone, before) {
            let mut events = row.events.clone();
            events[i] = other.clone();
            put(format!("fact {}: {gone:?} became {other:?}", i + 1), events);
        }
    }
    for (what, events) in invent::into(row, before) {
        put(what, events);
    }
    forged.extend(whole(rows, at));
    forged
}

/// Returns the forgeries that remove, repeat, swap or delay a whole row.
fn whole(rows: &[Row], at: usize) -> Vec<Forgery> {
    let mut forged = Vec::new();
    let mut put = |what: &str, mut changed: Vec<Row>| {
        for (version, row) in (at as u64 + 1..).zip(&mut changed) {
            row.version = Version(version);
        }
        if changed != rows[at..] {
            forged.push(Forgery {
                what: what.to_owned(),
                rows: changed,
            });
        }
    };
    put("row removed", rows[at + 1..].to_vec());
    if at + 1 < rows.len() {
        let mut swapped = rows[at..].to_vec();
        swapped.swap(0, 1);
        put("swapped with the next row", swapped.clone());
        let (first, second) = (swapped[1].at, swapped[0].at);
        (swapped[0].at, swapped[1].at) = (first, second);
        put("swapped with the next row, but not its time", swapped);
    }
    let mut twice = rows[at..].to_vec();
    twice.insert(0, twice[0].clone());
    put("row twice", twice);
    for (what, by_ms) in [("later by 1 ms", 1), ("later by 5 s", 5_000), ("earlier by 1 ms", -1)] {
        let mut moved = rows[at..].to_vec();
        moved[0].at = Instant(moved[0].at.0.strict_add_signed(by_ms));
        put(what, moved);
    }
    forged
}

/// Returns the fact with one field changed, in every way that is tried, and other facts that could stand in its place.
fn variants(event: &Event, room: &Room) -> Vec<Event> {
    let mut out = others(event, room);
    let fact = serde_json::to_value(event).unwrap();
    let Some((kind, fields)) = fact.as_object().and_then(|fact| fact.iter().next()) else {
        return out;
    };
    let mut put = |field: Option<&String>, value: Value| {
        let mut fact = fact.clone();
        match field {
            Some(field) => fact[kind][field] = value,
            None => fact[kind] = value,
        }
        let mut event: Event = serde_json::from_value(fact).unwrap();
        if let Event::Joined { count, holders, .. } | Event::Entered { count, holders, .. } = &mut event {
            let strangers = (0..).map(|stranger| holder(1_000_000 + stranger));
            *holders = holders.iter().copied().chain(strangers).take(*count as usize).collect();
        }
        out.push(event);
    };
    values(room, kind, kind, fields).into_iter().for_each(|value| put(None, value));
    for (field, was) in fields.as_object().into_iter().flatten() {
        values(room, kind, field, was).into_iter().for_each(|value| put(Some(field), value));
    }
    out
}

const fn around(value: u64) -> [u64; 3] {
    [value + 1, value.saturating_sub(1), value + 3]
}

/// Returns what else could stand in a field of a fact. A fact with one field that has no name has its kind as the field's name.
fn values(room: &Room, kind: &str, field: &str, was: &Value) -> Vec<Value> {
    let nth = was.as_u64().unwrap_or_default();
    let numbers = |nth: u64| -> Vec<Value> {
        let number = Number(nth);
        // Somebody further back, or the first of all, takes the place of this one.
        let present = [room.line().next_present(number), room.line().first_present()];
        let numbers = present.into_iter().flatten().chain(lanes::others(room, number));
        let numbers = around(nth).into_iter().chain(numbers.map(|number| number.0));
        numbers.map(Value::from).collect()
    };
    match (kind, field) {
        ("moved", "from" | "to") | (_, "number" | "first" | "left") => numbers(nth),
        (_, "tickets" | "went_away" | "came_back") => {
            let list = was.as_array().unwrap();
            let others = numbers(list[0].as_u64().unwrap());
            let longer = [list.as_slice(), &others[..1]].concat();
            let alone = others.iter().map(|other| json!([other]));
            alone.chain([longer.into(), list[1..].into()]).collect()
        }
        (_, "lobby") => vec![((nth + 1) % u64::from(LOBBIES)).into(), u16::MAX.into()],
        (_, "fence" | "by_ms") | ("handed", "from") => around(nth).map(Value::from).into(),
        (_, "count" | "permits" | "waiting" | "inside" | "edition" | "at_ms") => vec![0.into(), (nth + 1).into(), nth.saturating_sub(1).into()],
        ("committed", "nonce") => vec![(nth + 1).into()],
        // The commitment stays as it is: only the room knows the seed before the draw.
        (_, "lot") => vec![json!({ "nonce": was["nonce"].as_u64().unwrap() + 1, "commitment": was["commitment"] })],
        (_, "seed") => {
            let seed = was.as_str().unwrap();
            let first = if seed.starts_with('0') { '1' } else { '0' };
            vec![format!("{first}{}", &seed[1..]).into()]
        }
        (_, "how") => HOWS.map(|how| json!(how)).into(),
        ("walked_in", "from") => [From::Hand, From::Tray, From::Nowhere].map(|from| json!(from)).into(),
        ("ended", "to") => TOS.map(|to| json!(to)).into(),
        (_, "draw") => [Draw::Shuffle, Draw::Arrival].map(|draw| json!(draw)).into(),
        (_, "door" | "doors") => DOORS.map(|door| json!(door)).into(),
        _ => vec![],
    }
}

/// Returns facts that could stand in the place of this one, and changes that are more than another value of a field.
fn others(event: &Event, room: &Room) -> Vec<Event> {
    let next = room.permits().last_fence().next();
    match event.clone() {
        Event::Configured(config) => configs(&config),
        Event::Handed { from, how, .. } => TOS.map(|to| Event::Ended { fence: from, how, to }).into(),
        Event::Claimed { fence } => vec![Event::Slid { fence }],
        Event::Slid { fence } => vec![Event::Claimed { fence }],
        Event::Carried { number, fences, to } => {
            let made = |fences| Event::Carried { number, fences, to };
            let last = room.permits().out().map(|(fence, _)| fence).last();
            let (from, fence) = fences.unwrap_or((last.unwrap_or_default(), next));
            let befores = around(from.0).map(|before| (Fence(before), fence));
            let permits = befores.into_iter().chain(around(fence.0).map(|after| (from, Fence(after))));
            let permit = fences.xor(Some((from, fence)));
            let carried = permits.map(Some).chain([permit]).map(made);
            carried.chain([Event::Left(number), Event::Slid { fence: from }]).collect()
        }
        Event::Ended { fence: from, how, .. } => {
            let first = room.line().first_present().into_iter();
            let handed = first.map(|number| Event::Handed {
                from,
                how,
                number,
                fence: next,
            });
            handed.collect()
        }
        Event::Adjusted { by, .. } => vec![Event::Adjusted { by, values: vec![] }],
        Event::Overheard(heard) => invent::overheard(&heard),
        _ => vec![],
    }
}

/// Returns other settings, each with one change.
fn configs(config: &RoomConfig) -> Vec<Event> {
    let with = |change: &dyn Fn(&mut RoomConfig)| {
        let mut other = Box::new(config.clone());
        change(&mut other);
        Event::Configured(other)
    };
    let modes = Mode::ALL.map(|mode| with(&|other| other.mode = mode)).into_iter();
    let walks = with(&|other| other.walk_in = !other.walk_in);
    modes.chain(lanes::configs(config)).chain([walks]).collect()
}

const DOORS: [Door; 3] = [
    Door::Open { closes_at_ms: None },
    Door::Shut { opens_at_ms: None },
    Door::Hall { opens_at_ms: 1 },
];
const HOWS: [How; 5] = [How::Released, How::Expired, How::Missed, How::MissedAgain, How::Left];
const TOS: [To; 3] = [To::Hand, To::Tray, To::Debt];
