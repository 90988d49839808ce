//! Lets faults that come with time happen.

use crate::simulate::faults::Kind;
use crate::simulate::picks::TIMED;
use crate::simulate::queue::{Event, Object};
use crate::simulate::world::World;
use baton::facts::answer_times::AnswerTimes;
use baton::facts::config::Mode;
use baton::facts::hall::Draw;
use baton::facts::hours::{NEVER_MS, Period};
use baton::facts::origin::OriginAnswers;
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::units::Fence;
use baton::lobby::Lobby;

/// How long the origin fails at most, ms.
const ORIGIN_FAILS_MAX_MS: u64 = 12_000;
/// How often a lobby is told of it, ms.
const ORIGIN_TOLD_EVERY_MS: u64 = 1_000;
/// By how much each good answer slows the origin, ms.
const SLOWER_MS: u64 = 100;
/// How many seats are left at most.
const STOCK_MOST: u64 = 500;
/// How old the shop's word is at most, ms: some words are overtaken on their way.
const STOCK_AGE_MAX_MS: u64 = 5_000;
/// How long a lobby is deaf at most, ms: longer than it waits for an answer.
const DEAF_MAX_MS: u64 = 25_000;
/// A room that was paused opens again within this time, ms.
const PAUSED_MAX_MS: u64 = 30_000;
/// A room whose hours are set opens within this time, ms.
const SHUT_MAX_MS: u64 = 40_000;
/// How long an isolate whose time is over goes on at most, ms.
const OLD_LIFE_MAX_MS: u64 = 40_000;
/// By how much a clock is set at most, ms.
const CLOCK_SET_MAX_MS: u64 = 7_200_000;

impl World {
    /// Plans the first fault of each kind that comes with time.
    pub fn weather_begins(&mut self) {
        for (kind, _) in TIMED {
            self.weather_goes_on(*kind);
        }
        self.weather_goes_on(Kind::OriginFails);
        self.weather_goes_on(Kind::StockSaid);
        self.weather_goes_on(Kind::Deaf);
        self.weather_goes_on(Kind::Schedule);
        self.weather_goes_on(Kind::PorterRestart);
        self.weather_goes_on(Kind::Lanes);
        self.weather_goes_on(Kind::Sheets);
        self.weather_goes_on(Kind::Skew);
    }

    /// Returns whether nothing that the room says reaches this lobby now.
    pub fn is_deaf(&self, lobby: usize) -> bool {
        self.time < self.lobbies[lobby].deaf_until
    }

    fn weather_goes_on(&mut self, kind: Kind) {
        let mut faults = self.faults.borrow_mut();
        let every_ms = u64::from(faults.rate(kind));
        if every_ms > 0 {
            let ms = faults.chance_of(kind).within(1, 2 * every_ms);
            drop(faults);
            self.after(ms, Event::Strikes(kind));
        }
    }

    /// Lets a fault that comes with time happen, and plans the next of its kind.
    pub fn weather_strikes(&mut self, kind: Kind) {
        if kind == Kind::Resume {
            return self.operator_sets(|options| options.config.mode = Mode::Open);
        }
        let mut faults = self.faults.borrow_mut();
        if faults.rate(kind) == 0 {
            return;
        }
        // These are picked whether the fault may happen or not, so that leaving it out changes nothing else.
        let chance = faults.chance_of(kind);
        let (which, size) = (chance.u64(), chance.u64());
        let may = faults.happens(kind);
        drop(faults);
        self.weather_goes_on(kind);
        if may {
            self.fault_happens(kind, which, size);
        }
    }

    /// Lets a fault happen. Long because it has an arm for each kind of fault.
    fn fault_happens(&mut self, kind: Kind, which: u64, size: u64) {
        let index = (which % self.lobbies.len() as u64) as usize;
        self.writes(|| format!("FAULT {} (lobby {index})", kind.name()));
        match kind {
            Kind::RoomRestart => self.room_restarts(),
            Kind::Lanes => self.operator_changes_lanes(which),
            Kind::PorterRestart => self.porter_restarts((which % self.porters.len() as u64) as usize),
            Kind::LobbyRestart => self.lobby_restarts(index),
            Kind::LobbySleeps => self.lobby_sleeps(index),
            Kind::TwoLives => self.lobby_lives_twice(index, 1_000 + size % OLD_LIFE_MAX_MS),
            Kind::AllRestart => self.all_restart(which),
            Kind::Burst => self.all_say_hello(),
            Kind::Deaf => self.lobbies[index].deaf_until = self.time + size % DEAF_MAX_MS,
            Kind::Skew => self.builds_differ(index, which, size),
            Kind::Schedule => self.operator_plans(which, size),
            Kind::Sheets => self.operator_turns_to_sheets(which, size),
            Kind::Dismiss => self.operator_dismisses(size),
            Kind::CookieLost => self.cookie_is_lost(size),
            Kind::OtherLobby => {
                let visitor = (size % self.people.len() as u64) as usize;
                self.people[visitor].home = index;
            }
            Kind::ClockForward | Kind::ClockBack => {
                let object = if which.is_multiple_of(3) { Object::Room } else { Object::Lobby(index) };
                let by_ms = 1_000 + (size % CLOCK_SET_MAX_MS) as i64;
                self.clock_is_set(object, if kind == Kind::ClockForward { by_ms } else { -by_ms });
            }
            Kind::Reset => self.operator_resets(),
            Kind::Raise => {
                let more = 1 + (size % 3) as u32;
                let permits = self.room.options.config.permits + more;
                self.operator_turns(permits, which);
            }
            Kind::Lower => {
                let fewer = 1 + (size % 3) as u32;
                let permits = self.room.options.config.permits.saturating_sub(fewer).max(1);
                self.operator_turns(permits, which);
            }
            Kind::Pause => {
                self.after(1 + size % PAUSED_MAX_MS, Event::Strikes(Kind::Resume));
                self.note(Kind::Resume);
                // Only one pause in seven ends the sale, so that not every world is emptied.
                let modes = [Mode::Paused, Mode::Closed, Mode::Drain, Mode::Observe, Mode::SoldOut];
                let mode = modes.get((which % 7) as usize).copied();
                self.operator_sets(|options| options.config.mode = mode.unwrap_or(Mode::Paused));
            }
            Kind::OriginFails => self.origin_answers(index, self.time + size % ORIGIN_FAILS_MAX_MS),
            Kind::StockSaid => self.stock_is_said(index, (size % STOCK_MOST) as u32, which),
            Kind::Hours => {
                let now_ms = self.wall_of(Object::Room);
                let opens_at_ms = now_ms + 1 + size % SHUT_MAX_MS;
                // Sometimes the room stays shut for a while before the hall.
                let hall_ms = [0, 5_000, SHUT_MAX_MS, SHUT_MAX_MS];
                let hall_ms = hall_ms.get((which % 4) as usize).copied();
                self.operator_sets(|options| {
                    options.config.periods = vec![Period {
                        opens_at_ms,
                        closes_at_ms: NEVER_MS,
                    }];
                    options.config.hall_ms = hall_ms.unwrap_or_default();
                    options.config.draw = if which.is_multiple_of(5) { Draw::Arrival } else { Draw::Shuffle };
                });
            }
            _ => {}
        }
    }

    /// Ends every process in the same moment; some lobbies keep their sockets.
    fn all_restart(&mut self, which: u64) {
        self.room_restarts();
        for index in 0..self.lobbies.len() {
            if which >> (index % 60) & 1 == 0 {
                self.lobby_restarts(index);
            } else {
                self.lobby_sleeps(index);
            }
        }
    }

    /// Brings every lobby into memory in the same moment, and lets it say Hello.
    fn all_say_hello(&mut self) {
        for index in 0..self.lobbies.len() {
            self.lobby_sleeps(index);
            let life = self.wake_lobby(index);
            self.lobby_does(life, Lobby::handle_timeout);
        }
    }

    /// Takes a visitor's ticket cookie away, and sometimes the pass.
    fn cookie_is_lost(&mut self, size: u64) {
        let visitor = (size % self.people.len() as u64) as usize;
        let person = &mut self.people[visitor];
        person.old_place = person.ticket.or(person.old_place);
        person.ticket = None;
        if (size / 1_000).is_multiple_of(2) {
            person.drops_pass();
        }
    }

    /// Lets a front tell a lobby how many seats the shop has left.
    fn stock_is_said(&mut self, lobby: usize, left: u32, which: u64) {
        let at_ms = self.time.saturating_sub(which % STOCK_AGE_MAX_MS);
        let life = self.wake_lobby(lobby);
        let heard = Overheard {
            stock: Some(StockReport { left, at_ms }),
            ..Overheard::default()
        };
        self.lobby_does(life, |lobby, m| lobby.handle_overheard(m, &heard));
    }

    /// Lets a front tell a lobby how the origin answered, mostly with errors, and plans to tell it again a second later while the origin fails.
    pub fn origin_answers(&mut self, lobby: usize, until: u64) {
        let mut faults = self.faults.borrow_mut();
        if faults.rate(Kind::OriginFails) == 0 {
            return;
        }
        let chance = faults.chance_of(Kind::OriginFails);
        let (good, bad) = (chance.below(6), chance.below(20));
        let mut answers = OriginAnswers::default();
        for nth in 0..good + bad {
            let bad = u32::from(nth >= good);
            answers.count(Fence(1 + chance.below(12)), 1 - bad, bad);
        }
        drop(faults);
        let life = self.wake_lobby(lobby);
        let heard = Overheard {
            origin: answers,
            times: AnswerTimes::one(good * SLOWER_MS),
            ..Overheard::default()
        };
        self.lobby_does(life, |lobby, m| lobby.handle_overheard(m, &heard));
        if self.time < until {
            self.after(ORIGIN_TOLD_EVERY_MS, Event::OriginAnswers { lobby, until });
        }
    }
}
