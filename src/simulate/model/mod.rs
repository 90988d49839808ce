//! The semaphore once more, as plainly as it can be said: a list of tickets, a list of permits, and scans
//! from the front. It decides for itself what follows from each batch and each turn of the usher, and must
//! arrive at the same facts, the same replies and the same picture of everybody as the room.
//!
//! Two things it is told, because they are grains of the room's clockwork and no promises: *which* of the
//! places that are past their grace a turn ends, and the room's version.

mod apply;
mod health;

use crate::room::command::{Batch, Command, Reply, Standing};
use crate::room::config::{ADMISSION_MICRO, Mode, RoomConfig};
use crate::room::event::{Event, From, How, To, WhyEnded};
use crate::room::hall::Door;
use crate::room::stock::STOCK_MAX;
use crate::units::{Ahead, Edition, Fence, Instant, LobbyId, Number, Version};

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
    /// Who is in the hall, in order of entry.
    pub hall: Vec<Ticket>,
    /// Whether the room is open, by its hours: this it is told.
    pub door: Door,
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
    entries: u64,
    /// What entries became, draw by draw, with the row of each.
    drawn: Vec<(Version, Vec<(Number, Number)>)>,
    resets: u32,
    fences: u64,
    bucket: (u64, Instant),
    /// The origin's answers: when, good, bad.
    origin: Vec<(Instant, u64, u64)>,
    resume_at: Option<Instant>,
    admitted: Vec<Instant>,
    stock_reported_at_ms: u64,
    batches: Vec<(LobbyId, u64, u64)>,
}

type Facts = Vec<Event>;

/// What a command is answered.
enum Answer {
    Is(Reply),
    /// How this ticket stands once the facts are true.
    StandingOf(Number),
}

fn only_if(holds: bool, fact: Event) -> Facts {
    if holds { vec![fact] } else { vec![] }
}

/// Permits that these facts put into the hand.
fn into_hand(facts: &[Event]) -> u32 {
    let back = |fact: &&Event| matches!(fact, Event::Ended { to: To::Hand, .. });
    facts.iter().filter(back).count() as u32
}

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

    /// The operator begins anew: everybody is sent away.
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

    /// Whether a batch speaks of the numbers that there are.
    #[must_use]
    pub fn knows(&self, batch: &Batch) -> bool {
        batch.edition == self.edition()
    }

    /// What one is told who asks for a number of another edition; `None` when it is no such question.
    #[must_use]
    pub fn for_strangers(command: &Command) -> Option<Reply> {
        match command {
            Command::Claim(_) | Command::Back(_) | Command::Carry(_) => {
                Some(Reply::Stands(Standing::Over))
            }
            Command::Leave(_) | Command::Away(_) => Some(Reply::Done),
            Command::Numbers(_) => Some(Reply::Numbers(vec![])),
            _ => None,
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
        let back = self.those(numbers, |place| matches!(place, Place::Away(_)));
        only_if(!back.is_empty(), Event::CameBack(back))
    }

    /// One command: it is decided, it becomes true, and then the ticket it speaks of stands so.
    pub fn perform(
        &mut self,
        version: Version,
        now: Instant,
        command: &Command,
        lobby: LobbyId,
    ) -> (Facts, Reply) {
        let (facts, answer) = self.decide(now, command, lobby);
        facts.iter().for_each(|fact| self.apply(version, now, fact));
        let reply = match answer {
            Answer::Is(reply) => reply,
            Answer::StandingOf(number) => Reply::Stands(self.standing(now, number)),
        };
        (facts, reply)
    }

    fn decide(&self, now: Instant, command: &Command, lobby: LobbyId) -> (Facts, Answer) {
        let over = || (vec![], Answer::Is(Reply::Stands(Standing::Over)));
        let done = |facts| (facts, Answer::Is(Reply::Done));
        match *command {
            Command::Join { count }
                if matches!(self.door, Door::Hall { .. })
                    && matches!(self.config().mode, Mode::Open | Mode::Paused) =>
            {
                let first = Number::of_entry(self.entries + 1);
                let ahead = Ahead(self.hall.len() as u64);
                let entered = Event::Entered {
                    lobby,
                    first,
                    count,
                };
                (vec![entered], Answer::Is(Reply::Joined { first, ahead }))
            }
            Command::Join { .. }
                if matches!(self.mode(), Mode::Closed | Mode::SoldOut | Mode::Drain) =>
            {
                (vec![], Answer::Is(Reply::Shut))
            }
            Command::Join { count } => {
                let first = Number(self.numbers + 1);
                let ahead = Ahead(self.tickets.len() as u64);
                let answer = Answer::Is(Reply::Joined { first, ahead });
                (
                    vec![Event::Joined {
                        lobby,
                        first,
                        count,
                    }],
                    answer,
                )
            }
            Command::WalkIn => self.decide_walk_in(now, lobby),
            Command::Claim(number) => {
                let number = self.named(number);
                let called = self.permit_of(number).filter(|permit| permit.called);
                let claimed = called.map(|permit| Event::Claimed {
                    fence: permit.fence,
                });
                (claimed.into_iter().collect(), Answer::StandingOf(number))
            }
            Command::Renew(fence) => {
                let Some(permit) = self.lease(now, fence) else {
                    return over();
                };
                let idle_end = now.plus_ms(self.config().lease_idle_ms);
                let slides = permit.provisional || permit.idle_end < idle_end;
                let facts = only_if(slides, Event::Slid { fence });
                (facts, Answer::StandingOf(permit.number))
            }
            Command::Extend { fence, by_ms } => {
                let Some(permit) = self.lease(now, fence) else {
                    return over();
                };
                let most_ms = self.config().lease_extend_max_ms;
                let by_ms = by_ms.min(most_ms.saturating_sub(permit.extended_ms));
                let facts = only_if(by_ms > 0, Event::Extended { fence, by_ms });
                (facts, Answer::StandingOf(permit.number))
            }
            Command::Release(fence) => done(self.give_back(now, fence)),
            Command::Leave(number) => {
                let number = self.named(number);
                done(match self.permit_of(number) {
                    Some(permit) => self.give_back(now, permit.fence),
                    None => only_if(self.ticket(number).is_some(), Event::Left(number)),
                })
            }
            Command::Away(ref numbers) => {
                let gone = self.those(numbers, |place| place == Place::Present);
                done(only_if(!gone.is_empty(), Event::WentAway(gone)))
            }
            Command::Back(number) => (self.decide_roster(&[number]), Answer::StandingOf(number)),
            Command::Carry(number) => {
                let number = self.named(number);
                let lease = self.permit_of(number);
                let lease = lease.and_then(|permit| self.lease(now, permit.fence));
                let facts = match lease {
                    Some(Permit { fence: from, .. }) => vec![Event::Refenced {
                        from: *from,
                        fence: Fence(self.fences + 1),
                    }],
                    None => self.decide_roster(&[number]),
                };
                (facts, Answer::StandingOf(number))
            }
            Command::Origin { good, bad } => {
                let wanted = self.config().origin_errors_max_percent > 0 && good + bad > 0;
                done(only_if(wanted, Event::OriginSeen { good, bad }))
            }
            Command::Stock {
                left,
                reported_at_ms,
            } => {
                let wanted = self.config().stock_line
                    && left <= STOCK_MAX
                    && reported_at_ms > self.stock_reported_at_ms;
                let seen = Event::StockSeen {
                    left,
                    reported_at_ms,
                };
                done(only_if(wanted, seen))
            }
            Command::Numbers(ref entries) => {
                let became = |entry: &Number| {
                    let waits = self.hall.iter().any(|t| t.number == *entry);
                    let itself = if waits || !entry.is_entry() {
                        *entry
                    } else {
                        Number(0)
                    };
                    let (number, version) = self.became(*entry).unwrap_or((itself, Version(0)));
                    let ahead = self.tickets.iter().filter(|t| t.number < number).count();
                    (number, Ahead(ahead as u64), version)
                };
                let numbers = entries.iter().map(became).collect();
                (vec![], Answer::Is(Reply::Numbers(numbers)))
            }
        }
    }

    /// What an entry became.
    fn named(&self, number: Number) -> Number {
        self.became(number).map_or(number, |(number, _)| number)
    }

    fn became(&self, entry: Number) -> Option<(Number, Version)> {
        let of = |(version, draw): &(Version, Vec<(Number, Number)>)| {
            let pair = draw.iter().find(|(of, _)| *of == entry)?;
            Some((pair.1, *version))
        };
        self.drawn.iter().find_map(of)
    }

    /// By the operator's word and the hours.
    fn mode(&self) -> Mode {
        match (self.config().mode, self.door) {
            (Mode::Open | Mode::Paused | Mode::Drain, Door::Shut { .. }) => Mode::Closed,
            (mode, _) => mode,
        }
    }

    fn those(&self, numbers: &[Number], wanted: fn(Place) -> bool) -> Vec<Number> {
        let fits = |n: &Number| self.ticket(*n).is_some_and(|ticket| wanted(ticket.place));
        let named = numbers.iter().map(|number| self.named(*number));
        named.filter(fits).collect()
    }

    fn decide_walk_in(&self, now: Instant, lobby: LobbyId) -> (Facts, Answer) {
        let nothing_free = self.hand + self.tray == 0;
        let mut facts = if nothing_free {
            self.take_back(now)
        } else {
            vec![]
        };
        let hand = self.hand + into_hand(&facts);
        let observed = self.config().mode == Mode::Observe;
        let open = self.mode() == Mode::Open
            && self.calls()
            && self.config().walk_in
            && self.allows(now) > 0
            && self.first_present().is_none();
        let free = hand + self.tray;
        if !(observed || (open && free > 0)) {
            return (facts, Answer::Is(Reply::NoWalkIn));
        }
        let number = Number(self.numbers + 1);
        let fence = Fence(self.fences + 1);
        let from = match (hand, self.tray) {
            (0, 0) => From::Nowhere,
            (0, _) => From::Tray,
            _ => From::Hand,
        };
        facts.push(Event::WalkedIn {
            lobby,
            number,
            fence,
            from,
        });
        (facts, Answer::StandingOf(number))
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
        match self.first_present().filter(|_| self.may_call(now)) {
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
        let (mut hand, mut tray) = (self.hand + into_hand(&facts), self.tray);
        let mut fence = self.fences;
        let mut allowed = if self.calls() { self.allows(now) } else { 0 };
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
        let number = self.named(number);
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
        let line = if number.is_entry() {
            &self.hall
        } else {
            &self.tickets
        };
        match line.iter().position(|t| t.number == number) {
            Some(at) => Standing::Waiting {
                ahead: Ahead(at as u64),
                missed: line[at].missed,
            },
            None => Standing::Over,
        }
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

    fn first_present(&self) -> Option<Number> {
        self.tickets
            .iter()
            .find(|t| t.place == Place::Present)
            .map(|t| t.number)
    }

    fn calls(&self) -> bool {
        matches!(self.config().mode, Mode::Open | Mode::Drain)
            && matches!(self.door, Door::Open { .. })
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
