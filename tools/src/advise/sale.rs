//! Plays a sale from a seed: the real room, and people who come, wait, give up, miss calls, stay and leave, each in their own way.
//!
//! It shares no code with the forecast but the room. Habits differ between sales far more than the forecast assumes within one: long and short
//! visits, a crowd at the opening or all along, a second wave, a shop that gets slower, phones that sleep.

use super::course::{Asked, Course, LOOK_MS};
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number};
use baton::room::Room;
use baton::room::ramp::{Ramp, Ramps};
use baton_advice::agenda::{self, Agenda, Scenario};
use baton_advice::chance::Chance;
use std::convert::Infallible;

/// The time on the room's clock when the sale opens.
pub const OPENS: Instant = Instant(1_700_000_000_000);
const LOBBY: LobbyId = LobbyId(0);
const MINUTE_MS: u64 = 60_000;
/// The longest time for which a sale is watched.
const WATCHED_MS: u64 = 12 * 60 * MINUTE_MS;

/// The habits of people and shop in one sale.
#[derive(Clone, Debug)]
pub struct Habits {
    /// The number of people who come.
    pub people: u64,
    /// The number of permits.
    pub permits: u32,
    /// A visit's median, ms, and the deviation of its logarithm.
    stay: (f64, f64),
    /// The share of people whose visit takes a tenth of that.
    brief: f64,
    /// The share of people who leave without giving the permit back.
    silent: f64,
    /// From this moment on (ms since the opening), visits last longer by this factor.
    slower: (u64, f64),
    /// The share of people who are there when the sale opens.
    first: f64,
    /// How the others come.
    shape: Shape,
    /// How long people wait on average before they give up, ms.
    patience_ms: f64,
    /// The share of people who close the page and come back after a while.
    sleepers: f64,
    /// The share of calls that nobody answers.
    missed: f64,
    /// How long a called visitor takes on average to come, ms.
    claim_ms: f64,
    /// The share of the permits in force at the opening, and how long they rise from there, ms; `None` if there is no ramp.
    ramp: Option<(f64, u64)>,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Ever fewer: exponential with this mean, ms.
    Falling(f64),
    /// Evenly over this time, ms.
    Even(f64),
    /// Two waves, each exponential with the first number as its mean, ms; the second one, with half of the people, begins
    /// after the second number, ms.
    Waves(f64, f64),
}

impl Habits {
    /// Draws the habits of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut rng = Chance::of(seed, 1);
        let mut between = |from: f64, to: f64| from + (to - from) * rng.unit();
        let permits = (between(20_f64.ln(), 400_f64.ln())).exp() as u32;
        let stay_ms = between(45_000_f64.ln(), 480_000_f64.ln()).exp();
        let generations = between(5.0, 25.0);
        let line_ms = generations * stay_ms;
        let spread = between(3.0, 1.0);
        let shape = match (between(0.0, 10.0)) as u32 {
            0..=5 => Shape::Falling(line_ms / spread),
            6..=8 => Shape::Even(line_ms * 1.2 / spread),
            _ => Shape::Waves(line_ms / 4.0, line_ms / spread),
        };
        let slow_at = between(0.1, 0.9) * line_ms;
        let slower = if between(0.0, 1.0) < 0.2 {
            (slow_at as u64, between(1.1, 1.5))
        } else {
            (u64::MAX, 1.0)
        };
        let ramps = between(0.0, 1.0) < 0.2;
        Self {
            people: (f64::from(permits) * generations) as u64,
            permits,
            stay: (stay_ms, between(0.25, 1.0)),
            brief: between(0.0, 0.4),
            silent: between(0.0, 0.15),
            slower,
            first: between(0.1, 0.8),
            shape,
            patience_ms: between(1.0_f64.ln(), 8.0_f64.ln()).exp() * line_ms,
            sleepers: between(0.0, 0.5),
            missed: between(0.0, 0.15),
            claim_ms: between(1_500.0, 8_000.0),
            ramp: ramps.then(|| (between(0.1, 0.6), (between(2.0, 15.0) * MINUTE_MS as f64) as u64)),
            seed,
        }
    }
}

/// Plays a sale and takes outlooks at these moments, ms since the opening. O(people · log people).
#[must_use]
pub fn play(habits: &Habits, moments: &[u64]) -> Course {
    let mut player = Player::new(habits);
    for after_ms in moments {
        player.plan_at(*after_ms, What::Ask);
    }
    player.plan_at(0, What::Look);
    let Ok(()) = agenda::play(&mut player, OPENS.plus_ms(WATCHED_MS).0);
    player.course.watched_ms = u64::MAX;
    player.course
}

#[derive(Clone, Copy, Debug)]
enum What {
    Come(u64),
    Claim(Number, Fence),
    Done(Fence),
    Vanish(Number),
    Return(Number),
    Step,
    Ask,
    Look,
}

struct Player<'h> {
    habits: &'h Habits,
    room: Room,
    config: RoomConfig,
    ramps: Ramps,
    now: Instant,
    agenda: Agenda<What>,
    /// When the alarm rang last. One that rang for nothing waits until something happens.
    rung_at: Option<Instant>,
    rng: Chance,
    to_come: u64,
    was_empty: bool,
    course: Course,
}

impl Scenario for Player<'_> {
    type What = What;
    type Stop = Infallible;

    fn agenda(&mut self) -> &mut Agenda<What> {
        &mut self.agenda
    }

    fn passes(&mut self, at: u64) {
        self.now = Instant(at);
    }

    /// The room's alarm.
    fn comes_at(&self) -> Option<u64> {
        let due = self.room.case(self.now).due_at()?.max(self.now);
        (self.rung_at != Some(due)).then_some(due.0)
    }

    fn comes(&mut self) -> Result<(), Infallible> {
        self.rung_at = Some(self.now);
        self.turn(Room::take_turn);
        self.looks();
        Ok(())
    }

    fn happens(&mut self, what: What) -> Result<(), Infallible> {
        self.happen(what);
        self.looks();
        Ok(())
    }

    fn goes_on(&self) -> bool {
        !self.was_empty || self.to_come > 0 || self.room.permits().out_count() > 0
    }
}

impl<'h> Player<'h> {
    fn new(habits: &'h Habits) -> Self {
        let config = RoomConfig {
            permits: habits.permits,
            lease_idle_ms: (habits.stay.0 * 6.0) as u64,
            lease_max_ms: (habits.stay.0 * 30.0) as u64,
            ..RoomConfig::default()
        };
        let ramp = habits.ramp.map(|(from, over_ms)| Ramp {
            from: (f64::from(habits.permits) * from).max(1.0) as u64,
            to: u64::from(habits.permits),
            since: OPENS,
            over_ms,
        });
        let mut player = Self {
            habits,
            room: Room::new(),
            config,
            ramps: Ramps {
                permits: ramp,
                ..Ramps::default()
            },
            now: OPENS,
            agenda: Agenda::default(),
            rung_at: None,
            rng: Chance::of(habits.seed, 2),
            to_come: habits.people,
            was_empty: true,
            course: Course::default(),
        };
        player.step();
        for person in 0..habits.people {
            let after_ms = player.comes_after();
            player.plan_at(after_ms, What::Come(person));
        }
        player
    }

    fn comes_after(&mut self) -> u64 {
        let habits = self.habits;
        if self.rng.unit() < habits.first {
            // People who waited for the opening come within seconds.
            return (self.rng.unit() * 5_000.0) as u64;
        }
        let after = match habits.shape {
            Shape::Falling(mean) => self.exponential(mean),
            Shape::Even(over) => over * self.rng.unit(),
            Shape::Waves(mean, second) if self.rng.unit() < 0.5 => second + self.exponential(mean),
            Shape::Waves(mean, _) => self.exponential(mean),
        };
        after as u64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        mean * self.rng.wait()
    }

    /// Looks whether the line is empty now, and was not before.
    fn looks(&mut self) {
        let is_empty = self.room.line().present() == 0;
        if is_empty && !self.was_empty {
            self.course.empty_ms.push(self.after_ms());
        }
        self.was_empty = is_empty;
    }

    const fn after_ms(&self) -> u64 {
        self.now.since_ms(OPENS)
    }

    fn happen(&mut self, what: What) {
        match what {
            What::Come(person) => self.come(person),
            What::Claim(number, fence) => {
                let place = self.held(number);
                self.say(&Command::Claim { place, fence });
                self.settle_in(fence);
            }
            What::Done(fence) => self.say(&Command::Release(fence)),
            What::Vanish(number) => self.vanish(number),
            What::Return(number) => {
                let here = vec![self.held(number)];
                self.presence(here, vec![]);
                self.bear(number);
            }
            What::Step => self.step(),
            What::Ask => {
                if self.room.line().present() > 0 {
                    self.course.asked.push(Asked {
                        after_ms: self.after_ms(),
                        wall_ms: self.now.0,
                        edition: self.room.edition().0,
                        outlook: self.room.outlook(self.now, &self.ramps),
                        next: self.room.line().next(),
                    });
                }
            }
            What::Look => {
                self.course.waiting.push(self.room.line().present());
                if self.to_come > 0 || self.room.line().present() > 0 {
                    self.plan(LOOK_MS, What::Look);
                }
            }
        }
    }

    fn come(&mut self, person: u64) {
        self.to_come -= 1;
        let holder = Holder {
            key: Key(person + 1),
            tag: Tag(0),
        };
        if self.room.case(self.now).lets_walk_in(LaneId::FIRST) {
            self.say(&Command::walk_in(holder));
        } else {
            self.say(&Command::join(vec![holder]));
        }
    }

    /// Plans how long a visitor stays inside.
    fn settle_in(&mut self, fence: Fence) {
        let habits = self.habits;
        if self.rng.unit() < habits.silent {
            // The visitor says nothing; the lease ends the visit.
            return;
        }
        let (median, deviation) = habits.stay;
        let normal = self.rng.normal();
        let mut stay = median * (deviation * normal).exp();
        if self.rng.unit() < habits.brief {
            stay /= 10.0;
        }
        if self.after_ms() >= habits.slower.0 {
            stay *= habits.slower.1;
        }
        self.plan(stay as u64, What::Done(fence));
    }

    /// Plans when somebody who waits gives up.
    fn bear(&mut self, number: Number) {
        let patience = self.exponential(self.habits.patience_ms);
        self.plan(patience as u64, What::Vanish(number));
    }

    /// Closes the page of somebody who waits. Some come back.
    fn vanish(&mut self, number: Number) {
        let waits = matches!(self.room.line().place(number), baton::room::line::Place::Present);
        if !waits {
            return;
        }
        let place = self.held(number);
        if self.rng.unit() < self.habits.sleepers {
            self.presence(vec![], vec![place]);
            let sleep = self.exponential(5.0 * MINUTE_MS as f64);
            self.plan(sleep as u64, What::Return(number));
        } else if self.rng.unit() < 0.3 {
            self.say(&Command::Leave(place));
        } else {
            self.presence(vec![], vec![place]);
        }
    }

    fn presence(&mut self, here: Vec<Held>, away: Vec<Held>) {
        let as_of = self.room.version();
        self.say(&Command::Presence { as_of, here, away });
    }

    fn held(&self, number: Number) -> Held {
        let key = self.room.tickets().holder(number).unwrap_or_default().key;
        Held { number, key }
    }

    /// Applies the settings in force.
    fn step(&mut self) {
        let config = self.ramps.in_force(&self.config, self.now).into_owned();
        self.turn(|room, _, row| room.configure(&config, row));
        let next = self.ramps.next_step(self.now, self.config.tick_ms);
        if let Some(next) = next {
            self.agenda.push(next.0, What::Step);
        }
    }

    fn plan(&mut self, in_ms: u64, what: What) {
        self.agenda.push(self.now.plus_ms(in_ms).0, what);
    }

    fn plan_at(&mut self, after_ms: u64, what: What) {
        self.agenda.push(OPENS.plus_ms(after_ms).0, what);
    }

    fn say(&mut self, command: &Command) {
        self.turn(|room, now, row| room.perform(now, command, LOBBY, row));
    }

    /// Runs one turn of the room, and plans what it means for people.
    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        for event in &row.events {
            match event {
                Event::Joined { first, .. } => self.bear(*first),
                Event::WalkedIn { fence, .. } => {
                    let fence = *fence;
                    let mut row = self.room.open_row(self.now);
                    let shown = Command::Renew(fence);
                    self.room.perform(self.now, &shown, LOBBY, &mut row);
                    self.settle_in(fence);
                }
                Event::Called { number, fence } | Event::Handed { number, fence, .. } => {
                    self.called(*number, *fence);
                }
                _ => {}
            }
        }
    }

    fn called(&mut self, number: Number, fence: Fence) {
        let after_ms = self.after_ms();
        self.course.calls.push((number, after_ms));
        if self.rng.unit() < self.habits.missed {
            // Half of them come after all, too late.
            if self.rng.unit() < 0.5 {
                let late = self.exponential(2.0 * MINUTE_MS as f64);
                let late = late as u64 + self.config.claim_within_ms + self.config.tick_ms;
                self.plan(late, What::Return(number));
            }
            return;
        }
        let claim = self.exponential(self.habits.claim_ms) as u64;
        let claim = claim.min(self.config.claim_within_ms - 1);
        self.plan(claim, What::Claim(number, fence));
    }
}
