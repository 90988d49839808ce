//! The other judge of a history: the real core. A row is lawful exactly when there is something
//! that the core could have been asked, in the state and at the time, to write just this row.
//!
//! The audit shares no code with the core, so where the two judges agree on thousands of forged
//! histories neither is likely to be wrong.
//!
//! One thing both leave open: what a *waiting* visitor is told of `ahead`, as the answer does not
//! say of which ticket it speaks.

use baton::room::Room;
use baton::room::command::{Batch, Command, Reply, Standing};
use baton::room::event::{Event, Row};
use baton::room::hall::Lots;
use baton::room::inbox::Verdict;
use baton::room::line::Place;
use baton::units::{Fence, Instant, LobbyId, Number};

/// The first row that the core cannot have written, after those that led to `room`.
pub fn first_impossible(room: &Room, rows: &[Row]) -> Option<u64> {
    let mut room = room.clone();
    for row in rows {
        if row.version.0 != room.version().0 + 1 || !possible(&room, row) {
            return Some(room.version().0 + 1);
        }
        room.replay(row).unwrap();
    }
    None
}

/// Whether the core could have written this row in this state.
fn possible(before: &Room, row: &Row) -> bool {
    let mut room = before.clone();
    if row.at < room.now() {
        return false;
    }
    let mut events = row.events.as_slice();
    let mut written = room.open_row(row.at);
    if let Some((Event::Configured(config), rest)) = events.split_first() {
        room.configure(config, &mut written);
        if written.events.is_empty() {
            return false;
        }
        // What follows from the change alone, such as the end of the line.
        let follows = written.events.get(1..).unwrap_or_default();
        match rest.strip_prefix(follows) {
            Some(rest) => events = rest,
            None => return false,
        }
    }
    let by_hours = |event: &&Event| {
        matches!(
            event,
            Event::Committed(_) | Event::Doors(_) | Event::Drawn { .. }
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
        Some((Event::Turned, _)) => room.decide_turn(row.at) == events,
        Some((Event::Adjusted { values, .. }, [])) => !values.is_empty(),
        Some((Event::Dismissed { number, lobby, by }, facts)) => {
            let mut written = room.open_row(row.at);
            let was = written.events.len();
            room.dismiss(row.at, *number, by, &mut written);
            let told = Event::Dismissed {
                number: *number,
                lobby: *lobby,
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
        Some((taken @ Event::BatchTaken { .. }, facts)) => batch(&room, row.at, facts, taken),
        Some(_) => false,
    }
}

fn batch(room: &Room, at: Instant, facts: &[Event], taken: &Event) -> bool {
    let Event::BatchTaken {
        lobby,
        epoch,
        sequence,
        attempts,
        edition,
        acknowledged,
        replies,
    } = taken
    else {
        return false;
    };
    let batch = Batch {
        lobby: *lobby,
        epoch: *epoch,
        sequence: *sequence,
        attempts: *attempts,
        edition: *edition,
        acknowledged: *acknowledged,
        roster: vec![],
        commands: vec![],
    };
    if room.judge(&batch) != Verdict::New {
        return false;
    }
    let search = Search {
        at,
        lobby: *lobby,
        knows: *edition == room.edition(),
    };
    let with_roster = match facts.split_first() {
        Some((roster @ Event::CameBack(numbers), rest)) => {
            let place = |number: &Number| room.line_of(*number).place(*number);
            let away = |number: &Number| matches!(place(number), Place::Away(_));
            let mut room = room.clone();
            room.apply(room.version(), at, roster);
            search.knows
                && !numbers.is_empty()
                && numbers.iter().all(away)
                && search.from(&room, rest, replies)
        }
        _ => false,
    };
    with_roster || search.from(room, facts, replies)
}

/// Which wishes lead to these facts and answers?
struct Search {
    at: Instant,
    lobby: LobbyId,
    /// Whether numbers in the batch are those of the room's edition.
    knows: bool,
}

impl Search {
    fn from(&self, room: &Room, facts: &[Event], replies: &[Reply]) -> bool {
        let Some((reply, later)) = replies.split_first() else {
            return facts.is_empty();
        };
        let waiting = matches!(reply, Reply::Stands(Standing::Waiting { .. }));
        if self.knows && waiting && self.from(room, facts, later) {
            return true;
        }
        wishes(room, facts.first(), reply).iter().any(|wish| {
            let nobody = by_number(wish) && !self.knows;
            let wish = if nobody {
                &Command::Claim(Number(0))
            } else {
                wish
            };
            let (decided, answer) = room.decide(self.at, wish, self.lobby);
            let answered = answer == *reply
                || (waiting && matches!(answer, Reply::Stands(Standing::Waiting { .. })));
            if !answered || !facts.starts_with(&decided) {
                return false;
            }
            let mut after = room.clone();
            for event in &decided {
                after.apply(after.version(), self.at, event);
            }
            self.from(&after, &facts[decided.len()..], later)
        })
    }
}

const fn by_number(wish: &Command) -> bool {
    matches!(
        wish,
        Command::Claim(_)
            | Command::Back(_)
            | Command::Carry(_)
            | Command::Leave(_)
            | Command::Away(_)
    )
}

/// What might have been asked by whoever was answered so, if this fact is the next.
fn wishes(room: &Room, next: Option<&Event>, reply: &Reply) -> Vec<Command> {
    let nobody = Number(0);
    match reply {
        Reply::Joined { .. } => match next {
            Some(Event::Joined { count, .. } | Event::Entered { count, .. }) => {
                vec![Command::Join { count: *count }]
            }
            _ => vec![],
        },
        // The sale asks for none.
        Reply::Numbers(_) => vec![],
        Reply::Full => vec![Command::Join { count: 10_000 }],
        Reply::Shut => vec![Command::Join { count: 1 }],
        Reply::NoWalkIn => vec![Command::WalkIn],
        Reply::Stands(Standing::Over) => vec![
            Command::Claim(nobody),
            // A lease that has no time at all is claimed and over at once.
            match next {
                Some(Event::Claimed { fence }) => Command::Claim(number_of(room, *fence)),
                _ => Command::WalkIn,
            },
        ],
        Reply::Stands(Standing::Waiting { .. }) => match next {
            Some(Event::CameBack(numbers)) => numbers.iter().copied().map(Command::Back).collect(),
            _ => vec![],
        },
        Reply::Stands(Standing::Called { fence, .. }) => {
            vec![Command::Back(number_of(room, *fence))]
        }
        Reply::Stands(Standing::Admitted { fence, number, .. }) => {
            let mut wishes = vec![
                Command::WalkIn,
                Command::Claim(*number),
                Command::Back(*number),
                Command::Renew(*fence),
                Command::Extend {
                    fence: *fence,
                    by_ms: 0,
                },
            ];
            if let Some(Event::Extended { by_ms, .. }) = next {
                wishes.push(Command::Extend {
                    fence: *fence,
                    by_ms: *by_ms,
                });
            }
            if let Some(Event::Refenced { .. }) = next {
                wishes.push(Command::Carry(*number));
            }
            wishes
        }
        Reply::Done => {
            let mut wishes = vec![Command::Release(Fence(0))];
            match next {
                Some(Event::Handed { from: fence, .. } | Event::Ended { fence, .. }) => {
                    wishes.push(Command::Release(*fence));
                }
                Some(Event::Left(number)) => wishes.push(Command::Leave(*number)),
                Some(Event::WentAway(numbers)) => wishes.push(Command::Away(numbers.clone())),
                Some(Event::StockSeen {
                    left,
                    reported_at_ms,
                }) => wishes.push(Command::Stock {
                    left: *left,
                    reported_at_ms: *reported_at_ms,
                }),
                Some(Event::OriginSeen { good, bad }) => wishes.push(Command::Origin {
                    good: *good,
                    bad: *bad,
                }),
                _ => {}
            }
            wishes
        }
    }
}

fn number_of(room: &Room, fence: Fence) -> Number {
    room.permits()
        .grant(fence)
        .map_or(Number(0), |grant| grant.number)
}
