//! The semaphore once more, as plainly as it can be said: a list of tickets, a list of permits, and scans from the front. The model decides by itself
//! what follows from each batch that the room takes and from each turn of the usher. It must arrive at the same facts, replies, lists and changes as
//! the room, and at the same picture of everybody.
//!
//! The judge tells it the details that no promise covers: *which* of the places that are past their grace a turn ends, the room's version, when the
//! hours change something and with which seed, and what the room has forgotten where it remembers little.

mod accounts;
mod answers;
mod apply;
mod decide;
mod health;
mod lanes;
mod vouchers;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row, WhyEnded};
use baton::facts::holder::{Held, Holder, Key};
use baton::facts::limits::ADMISSION_MICRO;
use baton::facts::message::{Batch, Ended as Why};
use baton::facts::reply::Standing;
use baton::facts::units::{Ahead, Edition, Fence, Instant, LobbyId, Number, Version};
use baton::facts::voucher::SheetId;
use std::collections::{BTreeMap, BTreeSet};

/// The operator's name in facts.
pub const OPERATOR: &str = "operator";
/// A place in a line or in a hall.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// Its number.
    pub number: Number,
    /// Whether it is present, away or called.
    pub place: Place,
    /// Whether it missed a call.
    pub missed: bool,
    /// Who holds it.
    pub holder: Holder,
    lobby: LobbyId,
}

impl Ticket {
    fn waits(&self, ahead: Ahead) -> Standing {
        Standing::Waiting {
            ahead,
            away: matches!(self.place, Place::Away(_)),
            missed: self.missed,
        }
    }
}

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Present.
    Present,
    /// Away since then.
    Away(Instant),
    /// Called: it has a permit to come for.
    Called,
}

/// A permit that somebody has.
#[derive(Clone, Debug)]
pub struct Permit {
    /// Its fence.
    pub fence: Fence,
    /// The number of the ticket that has it.
    pub number: Number,
    /// Whether it is called and not yet claimed.
    pub called: bool,
    /// When the usher takes it back if nothing happens.
    pub idle_end: Instant,
    /// When the usher takes it back in any case.
    pub hard_end: Instant,
    /// Who holds the ticket.
    pub holder: Holder,
    extended_ms: u64,
    provisional: bool,
    lobby: LobbyId,
}

impl Permit {
    fn due_at(&self) -> Instant {
        self.idle_end.min(self.hard_end)
    }
}

/// Whether a ticket is over, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was not over when something last happened to it.
    Not,
    /// It ended with the line.
    WithTheLine,
    /// It ended by itself.
    By(Why),
}

/// The last thing that happened to a ticket.
#[derive(Clone, Copy, Debug)]
struct Changed {
    lobby: LobbyId,
    version: Version,
    ended: Ended,
}

/// The whole semaphore.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The settings; `None` before the first are set.
    pub config: Option<RoomConfig>,
    /// Everybody in line: within each lane in order of number.
    pub tickets: Vec<Ticket>,
    /// Everybody in the hall: within each lane in order of entry.
    pub hall: Vec<Ticket>,
    /// The permits that are out, the oldest fence first.
    pub permits: Vec<Permit>,
    /// Permits in the usher's hand.
    pub hand: u32,
    /// Permits on the tray.
    pub tray: u32,
    /// Permits that are out beyond those that there are.
    pub debt: u32,
    changed: BTreeMap<Number, Changed>,
    /// Everything that was ever put into `changed`, the oldest row first.
    changes: Vec<(Version, Number)>,
    /// The tickets that the row being judged brings back. Where the room remembers too little to know who has missed
    /// a call since, the model believes the row.
    told_back: BTreeSet<Number>,
    /// The row in which each ticket was last carried.
    carried: BTreeMap<Number, Version>,
    /// The account of each number, whether its ticket lives or not.
    owned: BTreeMap<Number, Key>,
    sheets: BTreeMap<SheetId, vouchers::Sheet>,
    sheets_made: u32,
    version: Version,
    told_from: Version,
    slots: lanes::Slots,
    resets: u32,
    fences: u64,
    bucket: (u64, Instant),
    /// The origin's answers: when they were counted, under which lease, good ones, bad ones.
    origin: Vec<(Instant, Fence, u64, u64)>,
    resume_at: Option<Instant>,
    admitted: Vec<Instant>,
    stock_reported_at_ms: u64,
}

type Facts = Vec<Event>;

fn only_if(holds: bool, fact: Event) -> Facts {
    if holds { vec![fact] } else { vec![] }
}

// Decisions.
impl Model {
    fn config(&self) -> RoomConfig {
        let none = RoomConfig {
            permits: 0,
            ..RoomConfig::default()
        };
        self.config.clone().unwrap_or(none)
    }

    /// Decides what follows if these settings are wanted: nothing if they are in force.
    pub fn decide_config(&self, wanted: &RoomConfig) -> Facts {
        let same = self.config.as_ref() == Some(wanted);
        if same {
            return vec![];
        }
        let mut facts = vec![Event::Configured(Box::new(wanted.clone()))];
        let waiting = self.tickets.len() + self.hall.len();
        if wanted.mode == Mode::SoldOut && waiting > 0 {
            facts.push(Event::LineEnded {
                why: WhyEnded::SoldOut,
                count: waiting as u64,
            });
        }
        facts
    }

    /// Decides a reset: everybody is sent away.
    pub fn decide_reset(&self, by: &str) -> Facts {
        vec![Event::Reset {
            edition: self.edition().next(),
            by: by.to_owned(),
            waiting: (self.tickets.len() + self.hall.len()) as u64,
            inside: self.permits.iter().filter(|p| !p.called).count() as u32,
        }]
    }

    fn edition(&self) -> Edition {
        Edition(self.resets + 1)
    }

    /// The version of the last row.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The version of the last reset or draw.
    #[must_use]
    pub const fn told_from(&self) -> Version {
        self.told_from
    }

    /// Learns which tickets come back in the row that is judged next.
    pub fn learn(&mut self, row: &Row) {
        let back = row.events.iter().flat_map(|event| match event {
            Event::CameBack(numbers) => numbers.as_slice(),
            _ => &[],
        });
        self.told_back = back.copied().collect();
    }

    /// Takes a batch: decides each command and applies what follows before the next.
    pub fn take(&mut self, version: Version, now: Instant, batch: &Batch) -> Facts {
        let mut all = vec![];
        for command in &batch.commands {
            match command {
                Command::JoinAs(members) => {
                    let into = (self.everybody(), batch.lobby);
                    all.extend(self.take_joins(version, now, members, into));
                    continue;
                }
                Command::Into(name, entering) => {
                    all.extend(self.take_into((version, now), *name, entering, batch.lobby));
                    continue;
                }
                Command::WalkInAs { holder, account } => {
                    let into = (self.everybody(), batch.lobby);
                    let walked = self.take_walk_in(version, now, *holder, *account, into);
                    all.extend(walked);
                    continue;
                }
                Command::JoinWith { holder, spend } => {
                    let joined = self.take_with((version, now), *holder, spend, false, batch.lobby);
                    all.extend(joined);
                    continue;
                }
                Command::WalkInWith { holder, spend } => {
                    let walked = self.take_with((version, now), *holder, spend, true, batch.lobby);
                    all.extend(walked);
                    continue;
                }
                _ => {}
            }
            if let Some((own, lobby)) = self.own_place(now, command, batch.lobby) {
                all.extend(self.performs(version, now, &Command::Leave(own), lobby));
            }
            all.extend(self.performs(version, now, command, batch.lobby));
        }
        let count = batch.attempts;
        let counted = only_if(count > 0, Event::Attempted { count });
        counted
            .iter()
            .for_each(|fact| self.apply(version, now, fact));
        all.extend(counted);
        all
    }

    /// Ends a ticket for the operator, as if its holder left.
    pub fn dismiss(&mut self, version: Version, now: Instant, number: Number, by: &str) -> Facts {
        let (Some(lobby), Some(holder)) = (self.lobby_of(number), self.holder(number)) else {
            return vec![];
        };
        let key = holder.key;
        let leave = Command::Leave(Held { number, key });
        let mut facts = self.performs(version, now, &leave, lobby);
        let by = by.to_owned();
        let dismissed = Event::Dismissed { number, by };
        self.apply(version, now, &dismissed);
        facts.push(dismissed);
        facts
    }

    fn performs(
        &mut self,
        version: Version,
        now: Instant,
        command: &Command,
        lobby: LobbyId,
    ) -> Facts {
        let facts = self.decide(now, command, lobby);
        facts.iter().for_each(|fact| self.apply(version, now, fact));
        facts
    }

    /// Returns whether a link is good: the place lives in this lobby, the link names its holder, it was not
    /// carried since, and another key takes it over.
    fn link_is_good(
        &self,
        now: Instant,
        place: Held,
        row: Version,
        to: Holder,
        lobby: LobbyId,
    ) -> bool {
        let carried = self.carried.get(&place.number).copied().unwrap_or_default();
        place.key != to.key
            && self.is_held(place, lobby)
            && carried <= row
            && !self.has_run_out(now, place.number)
    }

    /// Returns the place that the taker of a good link must leave, if there is one.
    fn own_place(
        &self,
        now: Instant,
        command: &Command,
        lobby: LobbyId,
    ) -> Option<(Held, LobbyId)> {
        let Command::Carry { place, row, to } = *command else {
            return None;
        };
        let good = self.link_is_good(now, place, row, to, lobby);
        let number = self.number_of(to.key).filter(|_| good)?;
        let key = to.key;
        Some((Held { number, key }, self.lobby_of(number)?))
    }

    fn ticket(&self, number: Number) -> Option<&Ticket> {
        let mut tickets = self.tickets.iter().chain(&self.hall);
        tickets.find(|t| t.number == number)
    }

    fn permit_of(&self, number: Number) -> Option<&Permit> {
        self.permits.iter().find(|p| p.number == number)
    }

    fn lease(&self, now: Instant, fence: Fence) -> Option<&Permit> {
        self.permits
            .iter()
            .find(|p| p.fence == fence && !p.called && p.hard_end > now)
    }

    fn may_call(&self, now: Instant) -> bool {
        self.calls() && self.allows(now) > 0
    }

    fn level(&self, now: Instant) -> u64 {
        let config = self.config();
        let rate = config.admissions_milli_per_s;
        let most = (rate * config.tick_ms).max(ADMISSION_MICRO);
        (self.bucket.0 + now.since_ms(self.bucket.1) * rate).min(most)
    }

    fn allows(&self, now: Instant) -> u64 {
        let capped = self.config().admissions_milli_per_s > 0;
        let by_pace = if capped {
            self.level(now) / ADMISSION_MICRO
        } else {
            u64::MAX
        };
        by_pace.min(self.origin_allows(now))
    }
}
