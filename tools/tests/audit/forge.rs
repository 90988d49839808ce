//! Forges histories: every history that one small change can make of a real one.

use super::sale::{LOBBIES, holder};
use super::{invent, lanes};
use baton::facts::config::Mode;
use baton::facts::event::{Event, From, How, Row, To};
use baton::facts::hall::{Door, Draw};
use baton::facts::holder::Holder;
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number, Version};
use baton::facts::voucher::{Slips, Spent};
use baton::room::Room;

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

fn around(value: u64) -> Vec<u64> {
    vec![value + 1, value.saturating_sub(1), value + 3]
}

/// Returns `count` holders: these, and then strangers.
fn holders_of(count: u32, of: &[Holder]) -> Vec<Holder> {
    let strangers = (0..).map(|stranger| holder(1_000_000 + stranger));
    let all = of.iter().copied().chain(strangers);
    all.take(count as usize).collect()
}

fn others(lobby: LobbyId) -> [LobbyId; 2] {
    [LobbyId((lobby.0 + 1) % LOBBIES), LobbyId(u16::MAX)]
}

/// Returns the fact with one field changed, in every way that is tried. Long because it has an arm for each fact, and each arm changes each field.
fn variants(event: &Event, room: &Room) -> Vec<Event> {
    let numbers = |number: Number| {
        let mut numbers: Vec<Number> = around(number.0).into_iter().map(Number).collect();
        // Somebody further back, or the first of all, takes the place of this one.
        numbers.extend(room.line().next_present(number));
        numbers.extend(room.line().first_present());
        numbers.extend(lanes::others(room, number));
        numbers
    };
    // Tickets or entries that begin at another number, or another count of them.
    let issued = |first: Number, count: u32| {
        let others = numbers(first).into_iter().map(move |other| (other, count));
        let counts = [0, count + 1, count - 1];
        others.chain(counts.map(|count| (first, count)))
    };
    let fences = |fence: Fence| around(fence.0).into_iter().map(Fence).collect::<Vec<_>>();
    let mut out = Vec::new();
    match event.clone() {
        Event::Configured(config) => {
            for permits in around(u64::from(config.permits)) {
                let mut config = config.clone();
                config.permits = permits as u32;
                out.push(Event::Configured(config));
            }
            for mode in Mode::ALL {
                let mut config = config.clone();
                config.mode = mode;
                out.push(Event::Configured(config));
            }
            out.extend(lanes::configs(&config));
            let mut other = config;
            other.walk_in = !other.walk_in;
            out.push(Event::Configured(other));
        }
        Event::Joined {
            lobby,
            first,
            count,
            holders,
        } => {
            let made = |lobby, first, count| Event::Joined {
                lobby,
                first,
                count,
                holders: holders_of(count, &holders),
            };
            out.extend(issued(first, count).map(|(first, count)| made(lobby, first, count)));
            out.extend(others(lobby).map(|lobby| made(lobby, first, count)));
        }
        Event::Entered {
            lobby,
            first,
            count,
            holders,
        } => {
            let made = |lobby, first, count| Event::Entered {
                lobby,
                first,
                count,
                holders: holders_of(count, &holders),
            };
            out.extend(issued(first, count).map(|(first, count)| made(lobby, first, count)));
            out.extend(others(lobby).map(|lobby| made(lobby, first, count)));
        }
        Event::Doors(_) => out.extend(DOORS.map(Event::Doors)),
        Event::LaneDoors { lane, .. } => {
            out.extend(DOORS.map(|door| Event::LaneDoors { lane, door }));
        }
        Event::LaneCommitted { lane, mut lot } => {
            lot.nonce.0 += 1;
            out.push(Event::LaneCommitted { lane, lot });
        }
        Event::Moved { from, to } => {
            out.extend(numbers(from).into_iter().map(|from| Event::Moved { from, to }));
            out.extend(numbers(to).into_iter().map(|to| Event::Moved { from, to }));
        }
        Event::Committed(mut lot) => {
            // The commitment stays as it is: only the room knows the seed before the draw.
            lot.nonce.0 += 1;
            out.push(Event::Committed(lot));
        }
        Event::Drawn {
            draw,
            mut seed,
            first,
            count,
        } => {
            let drawn = |draw, seed, first, count| Event::Drawn { draw, seed, first, count };
            for count in [count + 1, count - 1] {
                out.push(drawn(draw, seed, first, count));
            }
            for first in numbers(first) {
                out.push(drawn(draw, seed, first, count));
            }
            for other in [Draw::Shuffle, Draw::Arrival] {
                out.push(drawn(other, seed, first, count));
            }
            seed.0[0] ^= 1;
            out.push(drawn(draw, seed, first, count));
        }
        Event::WalkedIn {
            lobby,
            number,
            fence,
            from,
            holder,
        } => {
            let made = |lobby, number, fence, from| Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
                holder,
            };
            out.extend(others(lobby).map(|lobby| made(lobby, number, fence, from)));
            out.extend(numbers(number).into_iter().map(|n| made(lobby, n, fence, from)));
            out.extend(fences(fence).into_iter().map(|f| made(lobby, number, f, from)));
            let places = [From::Hand, From::Tray, From::Nowhere];
            out.extend(places.map(|from| made(lobby, number, fence, from)));
        }
        Event::Called { number, fence } => {
            out.extend(numbers(number).into_iter().map(|number| Event::Called { number, fence }));
            out.extend(fences(fence).into_iter().map(|fence| Event::Called { number, fence }));
        }
        Event::Handed { from, how, number, fence } => {
            for from in fences(from) {
                out.push(Event::Handed { from, how, number, fence });
            }
            for how in HOWS {
                out.push(Event::Handed { from, how, number, fence });
            }
            for number in numbers(number) {
                out.push(Event::Handed { from, how, number, fence });
            }
            for fence in fences(fence) {
                out.push(Event::Handed { from, how, number, fence });
            }
            for to in TOS {
                out.push(Event::Ended { fence: from, how, to });
            }
        }
        Event::Claimed { fence } => {
            out.extend(fences(fence).into_iter().map(|fence| Event::Claimed { fence }));
            out.push(Event::Slid { fence });
        }
        Event::Slid { fence } => {
            out.extend(fences(fence).into_iter().map(|fence| Event::Slid { fence }));
            out.push(Event::Claimed { fence });
        }
        Event::Carried { number, fences: permit, to } => {
            let made = |number, fences| Event::Carried { number, fences, to };
            out.extend(numbers(number).into_iter().map(|n| made(n, permit)));
            out.push(Event::Left(number));
            let out_now = room.permits().out().map(|(fence, _)| fence);
            let next = room.permits().last_fence().next();
            let (from, fence) = permit.unwrap_or((out_now.last().unwrap_or_default(), next));
            let permit = permit.map_or(Some((from, fence)), |_| None);
            out.push(made(number, permit));
            out.extend(fences(from).into_iter().map(|f| made(number, Some((f, fence)))));
            out.extend(fences(fence).into_iter().map(|f| made(number, Some((from, f)))));
            out.push(Event::Slid { fence: from });
        }
        Event::Extended { fence, by_ms } => {
            out.extend(fences(fence).into_iter().map(|fence| Event::Extended { fence, by_ms }));
            out.extend(around(by_ms).into_iter().map(|by_ms| Event::Extended { fence, by_ms }));
        }
        Event::Ended { fence, how, to } => {
            out.extend(fences(fence).into_iter().map(|fence| Event::Ended { fence, how, to }));
            out.extend(HOWS.map(|how| Event::Ended { fence, how, to }));
            out.extend(TOS.map(|to| Event::Ended { fence, how, to }));
            if let Some(number) = room.line().first_present() {
                let next = room.permits().last_fence().next();
                out.push(Event::Handed {
                    from: fence,
                    how,
                    number,
                    fence: next,
                });
            }
        }
        Event::TrayEmptied { permits } => {
            out.extend([permits + 1, permits - 1].map(|permits| Event::TrayEmptied { permits }));
        }
        Event::WentAway(list) => lists(&list, numbers(list[0])).for_each(|l| out.push(Event::WentAway(l))),
        Event::CameBack(list) => lists(&list, numbers(list[0])).for_each(|l| out.push(Event::CameBack(l))),
        Event::Left(number) => out.extend(numbers(number).into_iter().map(Event::Left)),
        Event::GraceEnded { count } => {
            out.extend([count + 1, count - 1].map(|count| Event::GraceEnded { count }));
        }
        Event::Attempted { count } => {
            out.extend([0, count + 1].map(|count| Event::Attempted { count }));
        }
        Event::Owned { tickets, accounts } => {
            let made = |tickets| Event::Owned {
                tickets,
                accounts: accounts.clone(),
            };
            out.extend(lists(&tickets, numbers(tickets[0])).map(made));
        }
        Event::LineEnded { why, count } => {
            out.extend([count + 1, count - 1].map(|count| Event::LineEnded { why, count }));
        }
        Event::Adjusted { by, .. } => out.push(Event::Adjusted { by, values: vec![] }),
        Event::Dismissed { number, by } => {
            out.extend(numbers(number).into_iter().map(|number| {
                let by = by.clone();
                Event::Dismissed { number, by }
            }));
        }
        Event::Overheard(heard) => out.extend(invent::overheard(&heard)),
        Event::Reset {
            edition,
            by,
            waiting,
            inside,
        } => {
            let reset = |edition, waiting, inside| Event::Reset {
                edition,
                by: by.clone(),
                waiting,
                inside,
            };
            out.push(reset(edition.next(), waiting, inside));
            out.push(reset(Edition(edition.0 - 1), waiting, inside));
            out.push(reset(edition, waiting + 1, inside));
            out.push(reset(edition, waiting, inside + 1));
        }
        Event::SheetMade {
            sheet,
            terms,
            slips,
            codes,
            by,
        } => {
            let made = |sheet, slips| Event::SheetMade {
                sheet,
                terms: terms.clone(),
                slips,
                codes: codes.clone(),
                by: by.clone(),
            };
            out.push(made(sheet.next(), slips));
            out.push(made(sheet, Slips::Invitations { count: 0 }));
        }
        Event::SheetWithdrawn { sheet, by } => {
            let sheet = sheet.next();
            out.push(Event::SheetWithdrawn { sheet, by });
        }
        Event::Spent(spent) => {
            let used = spent.used + 1;
            out.push(Event::Spent(Spent { used, ..spent }));
        }
        Event::Scheduled { at_ms, end } => {
            let ended = |at_ms, end| Event::Scheduled { at_ms, end };
            out.extend([at_ms - 1, at_ms + 1].map(|at_ms| ended(at_ms, end.clone())));
        }
        // A sale has none.
        Event::RolledBack { .. } | Event::Begun { .. } | Event::Turned => {}
    }
    out
}

const DOORS: [Door; 3] = [
    Door::Open { closes_at_ms: None },
    Door::Shut { opens_at_ms: None },
    Door::Hall { opens_at_ms: 1 },
];
const HOWS: [How; 5] = [How::Released, How::Expired, How::Missed, How::MissedAgain, How::Left];
const TOS: [To; 3] = [To::Hand, To::Tray, To::Debt];

fn lists(list: &[Number], others: Vec<Number>) -> impl Iterator<Item = Vec<Number>> {
    let (mut longer, shorter) = (list.to_vec(), list[1..].to_vec());
    longer.push(others[0]);
    let swapped = others.into_iter().map(|number| vec![number]);
    swapped.chain([longer, shorter])
}
