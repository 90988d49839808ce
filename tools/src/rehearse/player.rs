//! Plays a trace with visitors who are present the whole time, come the moment they are called, and are active as long as they are inside.
//!
//! So only the hard end takes a permit from a holder, unless the trace says how long the visitor stays. The usher turns exactly where the trace says
//! so. In a trace without a `tick` it turns when the room's own alarm rings, also after the last row, until nothing is pending. Within one
//! millisecond, visitors who stayed long enough go first, then come the rows, then that alarm.

use super::table::quote;
use super::trace::{Act, Step};
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::reply::{Reply, Standing};
use baton::facts::units::{Instant, LobbyId, Number};
use baton::room::{Room, laws};
use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

/// The time on the room's clock at the trace's 0. As in life, its last turn is long past.
const START: Instant = Instant(1_000_000_000_000);
/// The lobby of all visitors. Which one makes no difference to the room's decisions.
const LOBBY: LobbyId = LobbyId(0);

/// How a visitor got in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// The usher called.
    Usher,
    /// Another visitor's permit was handed on.
    Baton,
    /// A permit was free and nobody waited.
    WalkIn,
}

impl Through {
    /// All ways to get in.
    pub const ALL: [Self; 3] = [Self::Usher, Self::Baton, Self::WalkIn];

    /// The name in the output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usher => "usher",
            Self::Baton => "baton",
            Self::WalkIn => "walk_in",
        }
    }
}

/// Something that the rehearsal saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A visitor got in.
    Admit {
        /// Who.
        visitor: String,
        /// How.
        by: Through,
    },
    /// The usher emptied the tray into the hand.
    Tray {
        /// How many permits moved.
        permits: u32,
    },
}

/// One row of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The time on the trace's clock.
    pub at_ms: u64,
    /// What.
    pub what: What,
}

/// The header line of the output.
pub const HEADER: &str = "at_ms,event,subject,by";

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_ms = self.at_ms;
        match &self.what {
            What::Admit { visitor, by } => {
                write!(f, "{at_ms},admit,{},{}", quote(visitor), by.name())
            }
            What::Tray { permits } => write!(f, "{at_ms},tray,{permits},usher"),
        }
    }
}

/// Something that the room did and must never do: a bug in Baton, not in the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The time on the trace's clock.
    pub at_ms: u64,
    /// What was seen.
    pub seen: String,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ms: {}", self.at_ms, self.seen)
    }
}

/// Plays a trace against a new room. O(steps · log visitors).
///
/// # Errors
/// Returns [`Bug`] if the room breaks one of its laws.
pub fn play(config: &RoomConfig, steps: &[Step]) -> Result<Vec<Seen>, Bug> {
    let mut player = Player::new(config);
    let alarms = !steps.iter().any(|step| step.act == Act::Tick);
    for step in steps {
        let at = START.plus_ms(step.at_ms);
        player.pass_time(at, alarms)?;
        player.now = at;
        match &step.act {
            Act::Arrive { visitor, stay_ms } => {
                player.stay(visitor, *stay_ms);
                player.arrive(visitor)?;
            }
            Act::Release(visitor) => player.release(visitor)?,
            Act::Tick => player.usher()?,
        }
    }
    player.pass_time(Instant::NEVER, alarms)?;
    Ok(player.seen)
}

#[derive(Default)]
struct Player {
    room: Room,
    now: Instant,
    /// The holder of everybody who came, by name.
    holders: BTreeMap<String, Holder>,
    tickets: BTreeMap<String, Number>,
    /// The visitor of each number, for as long as the room may speak of it.
    visitors: BTreeMap<Number, String>,
    /// The visitors inside, by when the lease would end for lack of activity.
    idle_ends: BTreeSet<(Instant, Number)>,
    /// How long each visitor stays once inside, ms. A visitor who is not in the map does not leave alone.
    stays: BTreeMap<String, u64>,
    /// The visitors inside who leave on their own, by when.
    goings: BTreeSet<(Instant, Number)>,
    seen: Vec<Seen>,
}

impl Player {
    fn new(config: &RoomConfig) -> Self {
        let mut room = Room::new();
        let mut row = room.open_row(START);
        room.configure(config, &mut row);
        Self {
            room,
            now: START,
            ..Self::default()
        }
    }

    /// Lets everybody go whose stay is over by `until`, and rings every alarm that is due before it (each turn moves the next one later), in order of
    /// time. `alarms` says whether alarms ring at all.
    fn pass_time(&mut self, until: Instant, alarms: bool) -> Result<(), Bug> {
        let mut rung_at = None;
        loop {
            let due = self.room.case(self.now).due_at().filter(|due| alarms && *due < until);
            let going = self.goings.first().copied();
            if let Some((at, number)) = going
                && at <= until
                && due.is_none_or(|due| at <= due)
            {
                self.goings.pop_first();
                self.now = at.max(self.now);
                if let Some(visitor) = self.visitors.get(&number).cloned() {
                    self.release(&visitor)?;
                }
                rung_at = None;
                continue;
            }
            let Some(due) = due else {
                return Ok(());
            };
            self.now = due.max(self.now);
            if rung_at == Some(self.now) {
                return Err(self.bug("the alarm rings for nothing, again and again"));
            }
            rung_at = Some(self.now);
            self.usher()?;
        }
    }

    /// Records how long a visitor will stay. A visitor who is already inside leaves when an earlier row said.
    fn stay(&mut self, visitor: &str, stay_ms: Option<u64>) {
        match stay_ms {
            Some(stay_ms) => self.stays.insert(visitor.to_owned(), stay_ms),
            None => self.stays.remove(visitor),
        };
    }

    fn arrive(&mut self, visitor: &str) -> Result<(), Bug> {
        let lives = |number: &Number| self.room.tickets().standing(self.now, *number) != Standing::Over;
        if self.room.config().mode == Mode::Bypass || self.tickets.get(visitor).is_some_and(lives) {
            return Ok(());
        }
        let holder = self.holder(visitor);
        if self.room.config().walk_in {
            self.show_activity()?;
            let reply = self.ask(Command::walk_in(holder))?;
            if let Reply::Stands(number, Standing::Admitted { fence, .. }) = reply {
                self.enrol(visitor, number);
                self.admitted(number, Through::WalkIn);
                // The cookie comes back with the visitor's next request.
                self.ask(Command::Renew(fence))?;
                self.watch(number);
                return Ok(());
            }
        }
        self.ask(Command::join(vec![holder]))?;
        if let Some(number) = self.room.living_of(holder.key) {
            self.enrol(visitor, number);
        }
        Ok(())
    }

    /// Returns the holder of a name. Each name has another key.
    fn holder(&mut self, visitor: &str) -> Holder {
        let next = Holder {
            key: Key(self.holders.len() as u64 + 1),
            tag: Tag::default(),
        };
        *self.holders.entry(visitor.to_owned()).or_insert(next)
    }

    fn release(&mut self, visitor: &str) -> Result<(), Bug> {
        let Some(number) = self.tickets.remove(visitor) else {
            return Ok(());
        };
        self.visitors.remove(&number);
        let command = match self.room.permits().of_number(number) {
            Some((fence, _)) => Command::Release(fence),
            None => Command::Leave(self.held(number)),
        };
        self.ask(command).map(|_| ())
    }

    fn usher(&mut self) -> Result<(), Bug> {
        self.show_activity()?;
        let mut row = self.room.open_row(self.now);
        self.room.take_turn(self.now, &mut row);
        self.settle(&row)
    }

    /// The ticket as its holder shows it.
    fn held(&self, number: Number) -> Held {
        let key = self.room.tickets().holder(number).unwrap_or_default().key;
        Held { number, key }
    }

    /// Asks the room as a lobby does, and lets called visitors come at once.
    fn ask(&mut self, command: Command) -> Result<Reply, Bug> {
        let commands = [command];
        let mut row = self.room.open_row(self.now);
        self.room.take(self.now, LOBBY, &commands, 0, &mut row);
        let mut replies = self.room.case(self.now).answers(LOBBY, &commands);
        self.settle(&row)?;
        replies.pop().ok_or_else(|| self.bug("a command was not answered"))
    }

    /// Plays what a turn of the room means for the visitors.
    fn settle(&mut self, row: &Row) -> Result<(), Bug> {
        laws::conserved(&self.room, self.now)
            .and_then(|()| laws::leases_bounded(&self.room, self.now))
            .map_err(|violation| self.bug(&violation.to_string()))?;
        let mut called = Vec::new();
        for event in &row.events {
            let (number, fence, by) = match event {
                Event::Called { number, fence } => (*number, *fence, Through::Usher),
                Event::Handed { number, fence, .. } => (*number, *fence, Through::Baton),
                Event::TrayEmptied { permits } => {
                    let permits = *permits;
                    self.note(What::Tray { permits });
                    continue;
                }
                _ => continue,
            };
            // Noted now, so that the output keeps the order of the turn; the visitors come right after.
            self.admitted(number, by);
            called.push((number, fence));
        }
        for (number, fence) in called {
            let place = self.held(number);
            self.ask(Command::Claim { place, fence })?;
            self.watch(number);
        }
        Ok(())
    }

    /// Makes everybody inside active, so that no lease reaches its idle end.
    fn show_activity(&mut self) -> Result<(), Bug> {
        let later = self.idle_ends.split_off(&(self.now.plus_ms(1), Number(0)));
        let due = core::mem::replace(&mut self.idle_ends, later);
        for (_, number) in due {
            let leased = self.room.permits().of_number(number).map(|(fence, _)| fence);
            if let Some(fence) = leased {
                self.ask(Command::Renew(fence))?;
                self.watch(number);
            }
        }
        Ok(())
    }

    /// Records when a holder must be active again, unless the hard end comes first: nothing helps then.
    fn watch(&mut self, number: Number) {
        if let Standing::Admitted { idle_in_ms, hard_in_ms, .. } = self.room.tickets().standing(self.now, number)
            && idle_in_ms < hard_in_ms
        {
            self.idle_ends.insert((self.now.plus_ms(idle_in_ms), number));
        }
    }

    fn enrol(&mut self, visitor: &str, number: Number) {
        if let Some(before) = self.tickets.insert(visitor.to_owned(), number) {
            self.visitors.remove(&before);
        }
        self.visitors.insert(number, visitor.to_owned());
    }

    fn admitted(&mut self, number: Number, by: Through) {
        let visitor = self.visitors.get(&number).cloned().unwrap_or_default();
        if let Some(stay_ms) = self.stays.get(&visitor) {
            self.goings.insert((self.now.plus_ms(*stay_ms), number));
        }
        self.note(What::Admit { visitor, by });
    }

    fn note(&mut self, what: What) {
        let at_ms = self.now.since_ms(START);
        self.seen.push(Seen { at_ms, what });
    }

    fn bug(&self, seen: &str) -> Bug {
        Bug {
            at_ms: self.now.since_ms(START),
            seen: seen.to_owned(),
        }
    }
}
