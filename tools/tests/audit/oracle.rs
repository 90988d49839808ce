//! The second judge of a history: the real core. A row is lawful exactly if some command, in that state and at that time, makes the core write just
//! this row.
//!
//! The audit shares no code with the core, so if the two judges agree on thousands of forged histories, neither is likely to be wrong. The audit does
//! not see who holds a ticket, so holders do not matter here either: everybody who comes is somebody new.

use super::lanes;
use super::sale::{LOBBIES, holder};
use baton::facts::command::Command;
use baton::facts::event::{Event, How, Row};
use baton::facts::holder::{Held, Holder};
use baton::facts::limits::{JOIN_COUNT_MAX, LOBBIES_MAX};
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::journal::Hides;
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::permits::Stage;

/// Returns the first of `rows` that the core cannot have written, if `room` is the state before them.
pub fn first_impossible(room: &Room, rows: &[Row]) -> Option<u64> {
    let mut room = room.clone();
    let mut rows = rows.to_vec();
    let mut strangers = Strangers(10_000_000);
    rows.iter_mut().for_each(|row| strangers.come(row));
    for row in &rows {
        if row.version.0 != room.version().0 + 1 || !possible(&room, row) {
            return Some(room.version().0 + 1);
        }
        room.replay(row).unwrap();
    }
    None
}

/// The fence that the fact mints.
const fn minted(event: &Event) -> Option<Fence> {
    match event {
        Event::Called { fence, .. }
        | Event::Handed { fence, .. }
        | Event::WalkedIn { fence, .. }
        | Event::Carried {
            fences: Some((_, fence)), ..
        } => Some(*fence),
        _ => None,
    }
}

/// Returns whether the core could have written this row in this state.
///
/// Long because it has a branch for each way in which the room comes to write a row.
fn possible(before: &Room, row: &Row) -> bool {
    let mut room = before.clone();
    if row.at < room.now() {
        return false;
    }
    if let Some(fence) = row.events.iter().find_map(minted) {
        // The room may have come into memory just now.
        room.mint_above(Fence(fence.0.saturating_sub(1)));
    }
    let mut events = row.events.as_slice();
    let mut written = room.open_row(row.at);
    if let Some((Event::Configured(config), rest)) = events.split_first() {
        room.configure(config, &mut written);
        if written.events.is_empty() {
            return false;
        }
        // The facts that follow from the change alone, such as the end of the line.
        let follows = written.events.get(1..).unwrap_or_default();
        match rest.strip_prefix(follows) {
            Some(rest) => events = rest,
            None => return false,
        }
    }
    let by_hours = |event: &&Event| {
        matches!(
            event,
            Event::Committed(_) | Event::LaneCommitted { .. } | Event::Doors(_) | Event::LaneDoors { .. } | Event::Drawn { .. }
        )
    };
    let changed = written.events.len();
    room.keep_hours(super::sale::wall_ms(row), &Lots::default(), &mut written);
    let hours = events.iter().take_while(by_hours).count();
    let (hours, rest) = events.split_at(hours);
    if written.events.get(changed..) != Some(hours) {
        return false;
    }
    let events = rest;
    match events.split_last() {
        None => !row.events.is_empty(),
        Some(_) if !room.configured() => false,
        Some((Event::Turned, _)) => room.case(row.at).decide_turn() == events,
        Some((Event::Adjusted { values, .. }, [])) => !values.is_empty(),
        Some((Event::Dismissed { number, by }, facts)) => {
            let mut written = room.open_row(row.at);
            let was = written.events.len();
            room.dismiss(row.at, *number, by, &mut written);
            let told = Event::Dismissed {
                number: *number,
                by: by.clone(),
            };
            written.events[was..].split_last() == Some((&told, facts))
        }
        Some((reset @ Event::Reset { by, .. }, [])) => {
            let mut written = room.open_row(row.at);
            let was = written.events.len();
            room.reset(by, &mut written);
            written.events.get(was) == Some(reset)
        }
        Some(_) => batch(&room, row.at, events),
    }
}

/// Makes people whom nobody has seen before. Holds the last one's number.
struct Strangers(u64);

impl Strangers {
    fn next(&mut self) -> Holder {
        self.0 += 1;
        holder(self.0)
    }

    fn group(&mut self, count: u32) -> Vec<Holder> {
        (0..count.min(JOIN_COUNT_MAX + 1)).map(|_| self.next()).collect()
    }

    /// Makes a stranger of everybody who comes in a row.
    fn come(&mut self, row: &mut Row) {
        for event in &mut row.events {
            match event {
                Event::Joined { holders, .. } | Event::Entered { holders, .. } => {
                    holders.iter_mut().for_each(|holder| *holder = self.next());
                }
                Event::WalkedIn { holder, .. } | Event::Carried { to: holder, .. } => {
                    *holder = Some(self.next());
                }
                _ => {}
            }
        }
    }
}

/// Returns a fact as an export shows it.
fn public(event: &Event) -> Event {
    let mut event = event.clone();
    event.hide(&mut Vec::new()).unwrap();
    event
}

/// Returns whether some commands, of one lobby or of several, lead to these facts.
fn batch(room: &Room, at: Instant, facts: &[Event]) -> bool {
    let named = facts.iter().filter_map(|event| match event {
        Event::Joined { lobby, .. } | Event::Entered { lobby, .. } | Event::WalkedIn { lobby, .. } => Some(*lobby),
        _ => None,
    });
    let mut lobbies: Vec<LobbyId> = (0..LOBBIES).map(LobbyId).chain(named).collect();
    lobbies.retain(|lobby| lobby.0 < LOBBIES_MAX);
    lobbies.dedup();
    let facts: Vec<Event> = facts.iter().map(public).collect();
    let strangers = &mut Strangers(20_000_000);
    leads_to(room, at, &lobbies, &facts, strangers)
}

fn leads_to(room: &Room, at: Instant, lobbies: &[LobbyId], facts: &[Event], strangers: &mut Strangers) -> bool {
    match facts {
        [] => return true,
        // A batch ends here; another may follow.
        [Event::Attempted { count: 1.. }, rest @ ..] => {
            return leads_to(room, at, lobbies, rest, strangers);
        }
        _ => {}
    }
    let commands = commands(room, facts, strangers).into_iter();
    let commands = commands.flat_map(|command| lanes::into_each(room, command));
    let mut words = commands.flat_map(|command| lobbies.iter().map(move |of| (*of, command.clone())));
    words.any(|(lobby, command)| {
        let mut after = room.clone();
        let mut row = room.open_row(at);
        after.perform(at, &command, lobby, &mut row);
        let decided: Vec<Event> = row.events.iter().map(public).collect();
        !decided.is_empty() && facts.starts_with(&decided) && leads_to(&after, at, lobbies, &facts[decided.len()..], strangers)
    })
}

/// Returns the commands that might lead to the first of these facts, and perhaps to more of them.
///
/// Long because it has an arm for each fact.
fn commands(room: &Room, facts: &[Event], strangers: &mut Strangers) -> Vec<Command> {
    let held = |number: Number| {
        let key = room.tickets().holder(number).unwrap_or_default().key;
        Held { number, key }
    };
    let by_fence = |fence: Fence| held(number_of(room, fence));
    let carry = |number: Number, to: Holder| Command::Carry {
        place: held(number),
        row: Version(u64::MAX),
        to,
    };
    // A device that takes over a place leaves its own place first.
    let moved = |from: Number| match (facts, room.tickets().holder(from)) {
        ([_, Event::Carried { number, .. }, ..], Some(to)) => Some(carry(*number, to)),
        _ => None,
    };
    match &facts[0] {
        Event::Joined { count, .. } | Event::Entered { count, .. } => {
            vec![Command::join(strangers.group(*count))]
        }
        Event::WalkedIn { .. } => vec![Command::walk_in(strangers.next())],
        Event::Claimed { fence } => {
            let (place, fence) = (by_fence(*fence), *fence);
            vec![Command::Claim { place, fence }]
        }
        Event::Slid { fence } => vec![Command::Renew(*fence)],
        Event::Extended { fence, by_ms } => vec![Command::Extend {
            fence: *fence,
            total_ms: extended_ms(room, *fence).unwrap_or_default() + by_ms,
        }],
        event if ran_out(event) => collected(room, facts, strangers),
        Event::Ended { fence, .. } | Event::Handed { from: fence, .. } => {
            let moved = moved(number_of(room, *fence));
            [Command::Release(*fence)].into_iter().chain(moved).collect()
        }
        Event::Left(number) => {
            let left = Command::Leave(held(*number));
            [left].into_iter().chain(moved(*number)).collect()
        }
        Event::WentAway(numbers) => vec![Command::Presence {
            as_of: Version(u64::MAX),
            here: vec![],
            away: numbers.iter().copied().map(held).collect(),
        }],
        Event::CameBack(numbers) => vec![Command::Presence {
            as_of: Version(u64::MAX),
            here: numbers.iter().copied().map(held).collect(),
            away: vec![],
        }],
        Event::Carried { number, .. } => vec![carry(*number, strangers.next())],
        Event::Moved { from, .. } => {
            let who = room.tickets().holder(*from).unwrap_or_default();
            vec![Command::join(vec![who])]
        }
        Event::Overheard(heard) => vec![Command::Overheard(heard.clone())],
        _ => vec![],
    }
}

const fn ran_out(event: &Event) -> bool {
    matches!(event, Event::Ended { how, .. } if matches!(how, How::Expired | How::Missed | How::MissedAgain))
}

/// Returns the commands for which the room takes back what has run out: a walk-in, and a holder of one of these permits who comes again.
fn collected(room: &Room, facts: &[Event], strangers: &mut Strangers) -> Vec<Command> {
    let run = facts.iter().take_while(|event| ran_out(event)).count();
    let after = match facts.get(run) {
        Some(Event::Joined { count, .. } | Event::Entered { count, .. }) => *count,
        _ => 1,
    };
    let mut commands = vec![Command::walk_in(strangers.next())];
    for event in &facts[..run] {
        let Event::Ended { fence, .. } = event else {
            continue;
        };
        commands.push(Command::Renew(*fence));
        if let Some(had) = room.tickets().holder(number_of(room, *fence)) {
            commands.push(Command::walk_in(had));
            let more = strangers.group(after.saturating_sub(1));
            commands.push(Command::join([vec![had], more].concat()));
        }
    }
    commands
}

fn extended_ms(room: &Room, fence: Fence) -> Option<u64> {
    match room.permits().grant(fence)?.stage {
        Stage::Leased(lease) => Some(lease.extended_ms),
        Stage::Called { .. } => None,
    }
}

fn number_of(room: &Room, fence: Fence) -> Number {
    room.permits().grant(fence).map_or(Number(0), |grant| grant.number)
}
