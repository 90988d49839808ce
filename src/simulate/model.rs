//! The semaphore once more, as plainly as it can be said: a list of tickets, a list of permits, and scans
//! from the front. It decides for itself what follows from each batch and each turn of the usher, and must
//! arrive at the same facts, the same replies and the same picture of everybody as the room.
//!
//! Two things it is told, because they are grains of the room's clockwork and no promises: *which* of the
//! places that are past their grace a turn ends, and the room's version.

use crate::room::command::{Batch, Command, Reply, Standing};
use crate::room::config::{ADMISSION_MICRO, Mode, RoomConfig};
use crate::room::event::{Event, From, How, To};
use crate::units::{Ahead, Fence, Instant, LobbyId, Number, Version};

/// A place in the line.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// Its number.
    pub number: Number,
    /// Whether it is there, away since when, or called.
    pub place: Place,
    /// It missed a call.
    pub missed: bool,
    lobby: LobbyId,
}

/// See [`Ticket`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// There.
    Present,
    /// Away since then.
    Away(Instant),
    /// Has a permit to come for.
    Called,
}

/// A permit that somebody has.
#[derive(Clone, Debug)]
pub struct Permit {
    /// Under which fence.
    pub fence: Fence,
    /// Whose.
    pub number: Number,
    /// Not yet taken.
    pub called: bool,
    /// When the usher takes it back if nothing happens.
    pub idle_end: Instant,
    /// When in any case.
    pub hard_end: Instant,
    extended_ms: u64,
    provisional: bool,
    lobby: LobbyId,
}

impl Permit {
    fn due_at(&self) -> Instant {
        self.idle_end.min(self.hard_end)
    }
}

/// What a lobby must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Of which row.
    pub version: Version,
    /// Of which ticket.
    pub number: Number,
    /// By which lobby.
    pub lobby: LobbyId,
}

/// The whole semaphore.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The settings; `None` before the first.
    pub config: Option<RoomConfig>,
    /// In order.
    pub tickets: Vec<Ticket>,
    /// Oldest fence first.
    pub permits: Vec<Permit>,
    /// In the usher's hand.
    pub hand: u32,
    /// On the tray.
    pub tray: u32,
    /// Out beyond what there is.
    pub debt: u32,
    /// Said and not acknowledged.
    pub notes: Vec<Note>,
    numbers: u64,
    fences: u64,
    bucket: (u64, Instant),
    batches: Vec<(LobbyId, u64, u64)>,
}

type Facts = Vec<Event>;

// What follows.
impl Model {
    fn config(&self) -> RoomConfig {
        let none = RoomConfig {
            permits: 0,
            ..RoomConfig::default()
        };
        self.config.clone().unwrap_or(none)
    }

    /// Other settings are a fact.
    pub fn decide_config(&self, wanted: &RoomConfig) -> Facts {
        let same = self.config.as_ref() == Some(wanted);
        if same {
            vec![]
        } else {
            vec![Event::Configured(wanted.clone())]
        }
    }

    /// Whether a batch is news: neither a repeat nor to be refused.
    #[must_use]
    pub fn is_news(&self, batch: &Batch) -> bool {
        let last = self
            .batches
            .iter()
            .find(|(lobby, ..)| *lobby == batch.lobby);
        let (epoch, sequence) = last.map_or((0, 0), |(_, epoch, sequence)| (*epoch, *sequence));
        (batch.epoch == epoch && batch.sequence == sequence + 1)
            || (batch.epoch > epoch && batch.sequence == 1)
    }

    /// Who of these waits and is away comes back.
    pub fn decide_roster(&self, numbers: &[Number]) -> Facts {
        let away = |t: &&Ticket| matches!(t.place, Place::Away(_));
        let back = numbers
            .iter()
            .copied()
            .filter(|n| self.ticket(*n).filter(away).is_some());
        let back: Vec<Number> = back.collect();
        if back.is_empty() {
            vec![]
        } else {
            vec![Event::CameBack(back)]
        }
    }

    /// One command.
    pub fn decide(&self, now: Instant, command: &Command, lobby: LobbyId) -> (Facts, Reply) {
        let config = self.config();
        match command {
            Command::Join { count } => {
                let first = Number(self.numbers + 1);
                let ahead = Ahead(self.tickets.len() as u64);
                (
                    vec![Event::Joined {
                        lobby,
                        first,
                        count: *count,
                    }],
                    Reply::Joined { first, ahead },
                )
            }
            Command::WalkIn => self.decide_walk_in(now, lobby),
            Command::Claim(number) => {
                let fence = self
                    .permit_of(*number)
                    .filter(|p| p.called)
                    .map(|p| p.fence);
                let facts: Facts = fence
                    .map(|fence| Event::Claimed { fence })
                    .into_iter()
                    .collect();
                self.after(now, facts, *number)
            }
            Command::Renew(fence) => match self.lease(now, *fence) {
                None => (vec![], Reply::Stands(Standing::Over)),
                Some(permit) => {
                    let slides =
                        permit.provisional || permit.idle_end < now.plus_ms(config.lease_idle_ms);
                    let facts = if slides {
                        vec![Event::Slid { fence: *fence }]
                    } else {
                        vec![]
                    };
                    self.after(now, facts, permit.number)
                }
            },
            Command::Extend { fence, by_ms } => match self.lease(now, *fence) {
                None => (vec![], Reply::Stands(Standing::Over)),
                Some(permit) => {
                    let by_ms = (*by_ms).min(
                        config
                            .lease_extend_max_ms
                            .saturating_sub(permit.extended_ms),
                    );
                    let facts = if by_ms > 0 {
                        vec![Event::Extended {
                            fence: *fence,
                            by_ms,
                        }]
                    } else {
                        vec![]
                    };
                    self.after(now, facts, permit.number)
                }
            },
            Command::Release(fence) => (self.give_back(now, *fence), Reply::Done),
            Command::Leave(number) => {
                let facts = match (self.permit_of(*number), self.ticket(*number)) {
                    (Some(permit), _) => self.give_back(now, permit.fence),
                    (None, Some(_)) => vec![Event::Left(*number)],
                    (None, None) => vec![],
                };
                (facts, Reply::Done)
            }
            Command::Away(numbers) => {
                let here = |n: &Number| self.ticket(*n).is_some_and(|t| t.place == Place::Present);
                let gone: Vec<Number> = numbers.iter().copied().filter(here).collect();
                let facts = if gone.is_empty() {
                    vec![]
                } else {
                    vec![Event::WentAway(gone)]
                };
                (facts, Reply::Done)
            }
            Command::Back(number) => self.after(now, self.decide_roster(&[*number]), *number),
        }
    }

    /// How a ticket stands once these facts are true.
    fn after(&self, now: Instant, facts: Facts, number: Number) -> (Facts, Reply) {
        let standing = if facts.is_empty() {
            self.standing(now, number)
        } else {
            let mut then = self.clone();
            facts
                .iter()
                .for_each(|fact| then.apply(Version(0), now, fact));
            then.standing(now, number)
        };
        (facts, Reply::Stands(standing))
    }

    fn decide_walk_in(&self, now: Instant, lobby: LobbyId) -> (Facts, Reply) {
        let mut facts = if self.hand + self.tray == 0 {
            self.take_back(now)
        } else {
            vec![]
        };
        let back = facts
            .iter()
            .filter(|f| matches!(f, Event::Ended { to: To::Hand, .. }))
            .count() as u32;
        let nobody_waits = !self.tickets.iter().any(|t| t.place == Place::Present);
        if !self.config().walk_in
            || !self.may_admit(now)
            || !nobody_waits
            || self.hand + back + self.tray == 0
        {
            return (facts, Reply::NoWalkIn);
        }
        let number = Number(self.numbers + 1);
        let from = if self.hand + back > 0 {
            From::Hand
        } else {
            From::Tray
        };
        facts.push(Event::WalkedIn {
            lobby,
            number,
            fence: Fence(self.fences + 1),
            from,
        });
        self.after(now, facts, number)
    }

    fn give_back(&self, now: Instant, fence: Fence) -> Facts {
        let Some(permit) = self.permits.iter().find(|p| p.fence == fence) else {
            return vec![];
        };
        let how = if permit.called {
            How::Left
        } else {
            How::Released
        };
        if self.debt > 0 {
            return vec![Event::Ended {
                fence,
                how,
                to: To::Debt,
            }];
        }
        match self.first_present().filter(|_| self.may_admit(now)) {
            Some(number) => vec![Event::Handed {
                from: fence,
                how,
                number,
                fence: Fence(self.fences + 1),
            }],
            None => vec![Event::Ended {
                fence,
                how,
                to: To::Tray,
            }],
        }
    }

    /// What has run out, earliest first.
    fn take_back(&self, now: Instant) -> Facts {
        let mut due: Vec<&Permit> = self.permits.iter().filter(|p| p.due_at() <= now).collect();
        due.sort_by_key(|p| (p.due_at(), p.fence));
        let end = |(at, permit): (usize, &&Permit)| {
            let missed_before = self.ticket(permit.number).is_some_and(|t| t.missed);
            let how = match permit.called {
                false => How::Expired,
                true if missed_before => How::MissedAgain,
                true => How::Missed,
            };
            let to = if at < self.debt as usize {
                To::Debt
            } else {
                To::Hand
            };
            Event::Ended {
                fence: permit.fence,
                how,
                to,
            }
        };
        due.iter().enumerate().map(end).collect()
    }

    /// The usher's turn. `graces`: how many places end now.
    pub fn decide_turn(&self, now: Instant, graces: u64) -> Facts {
        let mut facts = vec![];
        if graces > 0 {
            facts.push(Event::GraceEnded { count: graces });
        }
        facts.extend(self.take_back(now));
        let back = facts
            .iter()
            .filter(|f| matches!(f, Event::Ended { to: To::Hand, .. }))
            .count() as u32;
        let (mut hand, mut tray) = (self.hand + back, self.tray);
        let mut fence = self.fences;
        let mut allowed = if self.config().mode == Mode::Open {
            self.allows(now)
        } else {
            0
        };
        let mut waiting = self.tickets.iter().filter(|t| t.place == Place::Present);
        while allowed > 0 {
            if hand == 0 && tray > 0 {
                facts.push(Event::TrayEmptied { permits: tray });
                (hand, tray) = (tray, 0);
            }
            if hand == 0 {
                break;
            }
            let Some(ticket) = waiting.next() else { break };
            fence += 1;
            facts.push(Event::Called {
                number: ticket.number,
                fence: Fence(fence),
            });
            hand -= 1;
            allowed -= 1;
        }
        if !facts.is_empty() {
            facts.push(Event::Turned);
        }
        facts
    }

    /// Where a number stands.
    #[must_use]
    pub fn standing(&self, now: Instant, number: Number) -> Standing {
        if let Some(permit) = self.permit_of(number) {
            let fence = permit.fence;
            return match permit.called {
                true => Standing::Called {
                    fence,
                    claim_in_ms: permit.idle_end.since_ms(now),
                },
                false if permit.hard_end <= now => Standing::Over,
                false => Standing::Admitted {
                    number,
                    fence,
                    idle_in_ms: permit.idle_end.since_ms(now),
                    hard_in_ms: permit.hard_end.since_ms(now),
                    provisional: permit.provisional,
                },
            };
        }
        match self.tickets.iter().position(|t| t.number == number) {
            Some(at) => Standing::Waiting {
                ahead: Ahead(at as u64),
                missed: self.tickets[at].missed,
            },
            None => Standing::Over,
        }
    }

    fn ticket(&self, number: Number) -> Option<&Ticket> {
        self.tickets.iter().find(|t| t.number == number)
    }

    fn permit_of(&self, number: Number) -> Option<&Permit> {
        self.permits.iter().find(|p| p.number == number)
    }

    fn lease(&self, now: Instant, fence: Fence) -> Option<&Permit> {
        self.permits
            .iter()
            .find(|p| p.fence == fence && !p.called && p.hard_end > now)
    }

    fn first_present(&self) -> Option<Number> {
        self.tickets
            .iter()
            .find(|t| t.place == Place::Present)
            .map(|t| t.number)
    }

    fn may_admit(&self, now: Instant) -> bool {
        self.config().mode == Mode::Open && self.allows(now) > 0
    }

    fn level(&self, now: Instant) -> u64 {
        let config = self.config();
        let rate = config.admissions_milli_per_s;
        let most = (rate * config.tick_ms).max(ADMISSION_MICRO);
        (self.bucket.0 + now.since_ms(self.bucket.1) * rate).min(most)
    }

    fn allows(&self, now: Instant) -> u64 {
        let capped = self.config().admissions_milli_per_s > 0;
        if capped {
            self.level(now) / ADMISSION_MICRO
        } else {
            u64::MAX
        }
    }
}

// What it does.
impl Model {
    /// One fact becomes true. Which places a grace's end takes comes with [`Self::end_places`].
    pub fn apply(&mut self, version: Version, now: Instant, fact: &Event) {
        match fact {
            Event::Configured(config) => self.configure(now, config),
            Event::Joined { lobby, count, .. } => {
                for _ in 0..*count {
                    self.numbers += 1;
                    let number = Number(self.numbers);
                    self.tickets.push(Ticket {
                        number,
                        place: Place::Present,
                        missed: false,
                        lobby: *lobby,
                    });
                }
            }
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
            } => {
                match from {
                    From::Hand => self.hand -= 1,
                    From::Tray => self.tray -= 1,
                }
                self.numbers += 1;
                let config = self.config();
                let idle_ms = config.claim_within_ms.min(config.lease_idle_ms);
                self.grant(
                    now,
                    *fence,
                    *number,
                    *lobby,
                    false,
                    now.plus_ms(idle_ms),
                    now.plus_ms(config.lease_max_ms),
                );
                if let Some(permit) = self.permits.last_mut() {
                    permit.provisional = true;
                }
            }
            Event::Called { number, fence } => {
                self.hand -= 1;
                self.call(version, now, *number, *fence);
            }
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
                self.end(version, now, *from, *how);
                self.call(version, now, *number, *fence);
            }
            Event::Ended { fence, how, to } => {
                self.end(version, now, *fence, *how);
                match to {
                    To::Hand => self.hand += 1,
                    To::Tray => self.tray += 1,
                    To::Debt => self.debt -= 1,
                }
            }
            Event::Claimed { fence } => {
                let config = self.config();
                if let Some(permit) = self.permits.iter_mut().find(|p| p.fence == *fence) {
                    permit.called = false;
                    permit.idle_end = now.plus_ms(config.lease_idle_ms);
                    permit.hard_end = now.plus_ms(config.lease_max_ms);
                    let number = permit.number;
                    self.gone(number);
                }
            }
            Event::Slid { fence } => {
                let idle_ms = self.config().lease_idle_ms;
                if let Some(permit) = self.permits.iter_mut().find(|p| p.fence == *fence) {
                    permit.idle_end = permit.idle_end.max(now.plus_ms(idle_ms));
                    permit.provisional = false;
                }
            }
            Event::Extended { fence, by_ms } => {
                if let Some(permit) = self.permits.iter_mut().find(|p| p.fence == *fence) {
                    permit.hard_end = permit.hard_end.plus_ms(*by_ms);
                    permit.extended_ms += by_ms;
                }
            }
            Event::TrayEmptied { .. } => (self.hand, self.tray) = (self.hand + self.tray, 0),
            Event::WentAway(numbers) => numbers.iter().for_each(|n| self.put(*n, Place::Away(now))),
            Event::CameBack(numbers) => numbers.iter().for_each(|n| self.put(*n, Place::Present)),
            Event::Left(number) => self.gone(*number),
            Event::BatchTaken {
                lobby,
                epoch,
                sequence,
                acknowledged,
                ..
            } => {
                self.batches.retain(|(known, ..)| known != lobby);
                self.batches.push((*lobby, *epoch, *sequence));
                self.notes
                    .retain(|note| note.lobby != *lobby || note.version > *acknowledged);
            }
            Event::GraceEnded { .. } | Event::Turned => {}
        }
    }

    /// These places are past their grace.
    pub fn end_places(&mut self, gone: &[Number]) {
        self.tickets.retain(|t| !gone.contains(&t.number));
    }

    fn configure(&mut self, now: Instant, config: &RoomConfig) {
        let before = self.config();
        // One permit at a time: new ones pay the debt, of too many the free ones go first.
        for _ in before.permits..config.permits {
            if self.debt > 0 {
                self.debt -= 1
            } else {
                self.hand += 1
            }
        }
        for _ in config.permits..before.permits {
            match (self.hand, self.tray) {
                (0, 0) => self.debt += 1,
                (0, _) => self.tray -= 1,
                (_, _) => self.hand -= 1,
            }
        }
        let rate = config.admissions_milli_per_s;
        if before.admissions_milli_per_s != rate {
            self.bucket = ((rate * config.tick_ms).max(ADMISSION_MICRO), now);
        }
        self.config = Some(config.clone());
    }

    #[allow(clippy::too_many_arguments, reason = "a row of a table")]
    fn grant(
        &mut self,
        now: Instant,
        fence: Fence,
        number: Number,
        lobby: LobbyId,
        called: bool,
        idle_end: Instant,
        hard_end: Instant,
    ) {
        self.fences = fence.0;
        self.permits.push(Permit {
            fence,
            number,
            called,
            idle_end,
            hard_end,
            extended_ms: 0,
            provisional: false,
            lobby,
        });
        if self.config().admissions_milli_per_s > 0 {
            self.bucket = (self.level(now).saturating_sub(ADMISSION_MICRO), now);
        }
    }

    fn call(&mut self, version: Version, now: Instant, number: Number, fence: Fence) {
        let claim_by = now.plus_ms(self.config().claim_within_ms);
        let lobby = self.ticket(number).map_or(LobbyId(0), |t| t.lobby);
        self.put(number, Place::Called);
        self.grant(now, fence, number, lobby, true, claim_by, claim_by);
        self.note(version, number, lobby);
    }

    fn end(&mut self, version: Version, now: Instant, fence: Fence, how: How) {
        let Some(at) = self.permits.iter().position(|p| p.fence == fence) else {
            return;
        };
        let Permit { number, lobby, .. } = self.permits.remove(at);
        match how {
            How::Missed => {
                self.put(number, Place::Away(now));
                self.tickets
                    .iter_mut()
                    .filter(|t| t.number == number)
                    .for_each(|t| t.missed = true);
            }
            How::MissedAgain | How::Left => self.gone(number),
            How::Released => self.notes.retain(|note| note.number != number),
            How::Expired => {}
        }
        if matches!(how, How::Missed | How::MissedAgain | How::Expired) {
            self.note(version, number, lobby);
        }
    }

    fn put(&mut self, number: Number, place: Place) {
        self.tickets
            .iter_mut()
            .filter(|t| t.number == number)
            .for_each(|t| t.place = place);
    }

    fn gone(&mut self, number: Number) {
        self.tickets.retain(|t| t.number != number);
        self.notes.retain(|note| note.number != number);
    }

    fn note(&mut self, version: Version, number: Number, lobby: LobbyId) {
        self.notes.retain(|note| note.number != number);
        self.notes.push(Note {
            version,
            number,
            lobby,
        });
    }
}
