//! Plays one future: the room's own core, from now on, with people drawn from a [`World`].
//!
//! A long line is played by fewer people, each of whom stands for several. Permits and rates shrink with them. Rounding leaves slightly too many or
//! too few permits, so visits last longer or shorter to match. So a forecast takes as long for a million people as for a thousand.

use crate::agenda::{self, Agenda, Scenario};
use crate::beliefs::World;
use crate::chance::Chance;
use facts::command::Command;
use facts::config::RoomConfig;
use facts::event::{Event, Row};
use facts::holder::{Held, Holder, Key, Tag};
use facts::units::{Fence, Instant, LobbyId, Number};
use room::Room;
use room::outlook::Outlook;
use room::ramp::Ramps;
use std::convert::Infallible;

/// The time on the room's clock when a future begins.
const START: Instant = Instant(1_000_000_000_000);
const LOBBY: LobbyId = LobbyId(0);
/// The length of leases, so long that none ends by itself: the measured stays include such ends.
const LEASE_MS: u64 = 1_000_000_000_000;
/// The time between two steps of a ramp.
const RAMP_STEP_MS: u64 = 10_000;
/// How often the line is looked at.
pub const LOOK_MS: u64 = 30_000;
/// The most happenings of a future, whatever else.
const HAPPENINGS_MAX: u32 = 60_000;

/// The scale at which a future is played.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// How many people each played person stands for.
    pub people: f64,
    /// How far it goes, ms.
    pub horizon_ms: u64,
}

/// What happened in a future, in ms from now.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// When the line was empty; `None` if somebody waited until the future ended.
    pub line_ends_ms: Option<u64>,
    /// When somebody who comes now was called.
    pub newcomer_ms: Option<u64>,
    /// The number of present people who wait, at every [`LOOK_MS`].
    pub waiting: Vec<f64>,
    /// How far it was played, ms.
    pub until_ms: u64,
}

/// What happens at its time.
#[derive(Clone, Copy, Debug)]
enum What {
    Come,
    Claim(Number, Fence),
    Done(Fence),
    GiveUp(Number),
    Ramp,
    Look,
}

/// A room that stands as the real one does, with nobody's future decided yet.
pub struct Start {
    room: Room,
    config: RoomConfig,
    ramps: Ramps,
    scale: Scale,
    inside: Vec<Fence>,
    /// The permits before they were shrunk.
    permits: u32,
}

impl Start {
    /// Makes the room of an outlook, with other permits if `permits` says so. O(people played).
    #[must_use]
    pub fn of(outlook: &Outlook, permits: Option<u32>, scale: Scale) -> Self {
        let begun = |ramp: room::ramp::Ramp| {
            let gone_ms = Instant(outlook.now_ms).since_ms(ramp.since);
            room::ramp::Ramp {
                since: Instant(START.0.saturating_sub(gone_ms)),
                ..ramp
            }
        };
        let ramps = Ramps {
            permits: outlook.permits_ramp.map(begun).filter(|_| permits.is_none()),
            admissions_milli_per_s: outlook.admissions_ramp.map(begun),
        };
        let config = RoomConfig {
            permits: permits.unwrap_or(outlook.permits),
            mode: outlook.mode,
            walk_in: outlook.walk_in,
            tick_ms: outlook.tick_ms,
            claim_within_ms: outlook.claim_within_ms,
            lease_idle_ms: LEASE_MS,
            lease_max_ms: LEASE_MS,
            admissions_milli_per_s: outlook.admissions_milli_per_s,
            ..RoomConfig::default()
        };
        let mut start = Self {
            room: Room::new(),
            permits: config.permits,
            config,
            ramps,
            scale,
            inside: Vec::new(),
        };
        let inside = start.shrunk(u64::from(outlook.inside) + u64::from(outlook.called));
        let waits = start.shrunk(outlook.present);
        start.seed(inside, waits);
        start
    }

    fn shrunk(&self, count: u64) -> u64 {
        (count as f64 / self.scale.people).round() as u64
    }

    /// Lets `inside` people in and `waits` people wait. This comes before the settings in force, which may let nobody in.
    fn seed(&mut self, inside: u64, waits: u64) {
        let open = RoomConfig {
            permits: u32::try_from(inside).unwrap_or(u32::MAX),
            walk_in: true,
            admissions_milli_per_s: 0,
            ..self.config.clone()
        };
        let mut row = self.room.open_row(START);
        self.room.configure(&open, &mut row);
        for at in 0..inside {
            let mut row = self.room.open_row(START);
            let come = Command::walk_in(person(at));
            self.room.perform(START, &come, LOBBY, &mut row);
            for event in &row.events {
                if let Event::WalkedIn { fence, .. } = event {
                    self.inside.push(*fence);
                }
            }
        }
        for fence in &self.inside {
            let mut row = self.room.open_row(START);
            let shown = Command::Renew(*fence);
            self.room.perform(START, &shown, LOBBY, &mut row);
        }
        let come = Command::join((inside..inside + waits).map(person).collect::<Vec<_>>());
        let mut row = self.room.open_row(START);
        self.room.perform(START, &come, LOBBY, &mut row);
        self.configure(START);
    }

    /// Applies the settings in force at an instant, shrunk.
    fn configure(&mut self, now: Instant) {
        let config = self.ramps.in_force(&self.config, now).into_owned();
        let shrunk = |rate: u64| ((rate as f64 / self.scale.people).round() as u64).max(1);
        self.permits = config.permits;
        let permits = u32::try_from(self.shrunk(u64::from(config.permits))).unwrap_or(u32::MAX);
        let config = RoomConfig {
            permits: permits.max(u32::from(config.permits > 0)),
            admissions_milli_per_s: match config.admissions_milli_per_s {
                0 => 0,
                rate => shrunk(rate),
            },
            ..config
        };
        let mut row = self.room.open_row(now);
        self.room.configure(&config, &mut row);
    }

    /// The factor for the length of visits that makes up for rounding the permits.
    fn stretch(&self) -> f64 {
        let played = f64::from(self.room.config().permits);
        played * self.scale.people / f64::from(self.permits.max(1))
    }

    fn copy(&self) -> Self {
        Self {
            room: self.room.clone(),
            config: self.config.clone(),
            inside: Vec::new(),
            ..*self
        }
    }
}

/// The holder at this position in the order of coming.
const fn person(at: u64) -> Holder {
    Holder {
        key: Key(at + 1),
        tag: Tag(0),
    }
}

/// Plays one future. O(happenings · log people).
#[must_use]
pub fn play(start: &Start, world: &World, ages: &[(f64, u64)], chance: &mut Chance) -> Story {
    let mut player = Player {
        come: start.room.line().next().0,
        newcomers_from: start.room.line().next(),
        start: start.copy(),
        world,
        chance,
        now: START,
        agenda: Agenda::default(),
        rung_at: None,
        happened: 0,
        story: Story::default(),
    };
    player.begin(&start.inside, ages);
    player.run();
    player.story
}

struct Player<'a> {
    start: Start,
    world: &'a World,
    chance: &'a mut Chance,
    now: Instant,
    agenda: Agenda<What>,
    /// When the alarm rang last. One that rang for nothing waits until something happens.
    rung_at: Option<Instant>,
    happened: u32,
    /// The number of people who have come.
    come: u64,
    /// The first number that somebody gets who comes after now.
    newcomers_from: Number,
    story: Story,
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
        let due = self.start.room.case(self.now).due_at()?.max(self.now);
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
        self.story.line_ends_ms.is_none() && self.happened < HAPPENINGS_MAX
    }
}

impl Player<'_> {
    fn begin(&mut self, inside: &[Fence], ages: &[(f64, u64)]) {
        let all: u64 = ages.iter().map(|(_, count)| count).sum();
        for (at, fence) in inside.iter().enumerate() {
            // At even ranks among the people inside, the oldest last.
            let rank = (at as f64 + self.chance.unit()) / inside.len() as f64 * all as f64;
            let age_ms = age_at(ages, rank);
            let rest_ms = self.world.rest_ms(age_ms, self.chance) * self.start.stretch();
            self.plan(rest_ms as u64, What::Done(*fence));
        }
        let living: Vec<Number> = self.start.room.line().living().map(|(n, _)| n).collect();
        let present = living.len() as f64;
        for number in living {
            self.bear(number);
        }
        // Some who are away come back and are let in too.
        let back = (present * (self.world.leaving.load - 1.0)).round() as u64;
        for _ in 0..back {
            self.join();
        }
        self.newcomers_from = self.start.room.line().next();
        self.expect_next();
        self.plan(RAMP_STEP_MS, What::Ramp);
        self.plan(0, What::Look);
    }

    fn run(&mut self) {
        let end = START.plus_ms(self.start.scale.horizon_ms);
        let Ok(()) = agenda::play(self, end.0);
        // Nothing more happens, or only after the end.
        if self.goes_on() {
            self.now = end;
        }
        self.story.until_ms = self.now.since_ms(START);
    }

    fn looks(&mut self) {
        self.happened += 1;
        if self.start.room.line().present() == 0 && self.now > START {
            let after_ms = self.now.since_ms(START);
            self.story.line_ends_ms = Some(after_ms);
            self.story.newcomer_ms.get_or_insert(after_ms);
        }
    }

    fn happen(&mut self, what: What) {
        match what {
            What::Come => {
                self.join();
                self.expect_next();
            }
            What::Claim(number, fence) => {
                let place = self.held(number);
                self.say(&Command::Claim { place, fence });
                let stretch = self.start.stretch();
                let stay_ms = self.world.stay_ms(self.chance) * stretch;
                self.plan(stay_ms as u64, What::Done(fence));
            }
            What::Done(fence) => self.say(&Command::Release(fence)),
            What::GiveUp(number) => {
                let is_called = self.start.room.permits().of_number(number).is_some();
                if !is_called {
                    let place = self.held(number);
                    self.say(&Command::Leave(place));
                }
            }
            What::Ramp => {
                if self.start.ramps != Ramps::default() {
                    self.start.configure(self.now);
                    self.plan(RAMP_STEP_MS, What::Ramp);
                }
            }
            What::Look => {
                let present = self.start.room.line().present() as f64;
                let there = present / self.world.leaving.load;
                self.story.waiting.push(there * self.start.scale.people);
                self.plan(LOOK_MS, What::Look);
            }
        }
    }

    fn join(&mut self) {
        let holder = person(self.come);
        self.come += 1;
        self.say(&Command::join(vec![holder]));
    }

    /// Plans when somebody gives up who waits from now on.
    fn bear(&mut self, number: Number) {
        if let Some(patience_ms) = self.world.patience_ms(self.chance) {
            self.plan(patience_ms, What::GiveUp(number));
        }
    }

    fn expect_next(&mut self) {
        let from_ms = self.now.since_ms(START) as f64;
        let share = 1.0 / self.start.scale.people;
        let next = self.world.next_arrival_ms(from_ms, share, self.chance);
        if let Some(next_ms) = next.filter(|next_ms| *next_ms < self.start.scale.horizon_ms as f64) {
            self.plan((next_ms - from_ms).max(0.0) as u64, What::Come);
        }
    }

    fn plan(&mut self, in_ms: u64, what: What) {
        self.agenda.push(self.now.plus_ms(in_ms).0, what);
    }

    fn held(&self, number: Number) -> Held {
        let key = self.start.room.tickets().holder(number).unwrap_or_default().key;
        Held { number, key }
    }

    fn say(&mut self, command: &Command) {
        self.turn(|room, now, row| room.perform(now, command, LOBBY, row));
    }

    /// Runs one turn of the room, and plans what it means for people.
    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let now = self.now;
        let mut row = self.start.room.open_row(now);
        act(&mut self.start.room, now, &mut row);
        for event in &row.events {
            match event {
                Event::Joined { first, .. } => self.bear(*first),
                Event::Called { number, fence } | Event::Handed { number, fence, .. } => {
                    self.called(*number, *fence);
                }
                _ => {}
            }
        }
    }

    fn called(&mut self, number: Number, fence: Fence) {
        if number >= self.newcomers_from {
            let after_ms = self.now.since_ms(START);
            self.story.newcomer_ms.get_or_insert(after_ms);
        }
        if self.chance.unit() >= self.world.missed {
            let claim_ms = self.world.claim_ms(self.chance) * self.start.stretch();
            let claim_ms = (claim_ms as u64).min(self.start.config.claim_within_ms);
            self.plan(claim_ms, What::Claim(number, fence));
        }
    }
}

/// Returns how long somebody has been inside who is at this rank from the youngest, ms.
fn age_at(ages: &[(f64, u64)], rank: f64) -> f64 {
    let mut younger = 0.0;
    for (age_ms, count) in ages {
        younger += *count as f64;
        if rank < younger {
            return *age_ms;
        }
    }
    0.0
}
