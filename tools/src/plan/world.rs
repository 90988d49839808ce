//! Plays one run: these people, this room, in simulated time.
//!
//! The room is the one that ships, and it decides everything. This module plays what lies around it: a page that loads, opens its socket, lands when
//! it is called, is closed, comes back (`visit.rs`); lobbies with one batch out each, which decides how many rows there are (`desk.rs`); an alarm
//! that is never moved later; a shop with seats. Nothing here is a second opinion about who is next.
//!
//! It does not play the lobby's endpoint, sockets that break, several data centres, or people who come twice.

use super::crowd::{self, Dice, NEVER};
use super::event::Event;
use super::parts::{Desk, State, Visit, What, Wish};
use super::seen::{Sample, Seen};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::Row;
use baton::facts::hall::Door;
use baton::facts::hours::{NEVER_MS, Period};
use baton::facts::lanes::Lane;
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::lanes::Lane as RoomLane;
use baton::room::laws;
use baton_advice::agenda::{self, Agenda, Scenario};
use baton_advice::chance::Chance;

/// The time on the room's clock when the run begins. As in life, its last turn is long past.
const START_MS: u64 = 1_000_000_000_000;
/// The world's own stream of chance. Everybody's is below it.
const WORLD_STREAM: u64 = u64::MAX;
/// The shortest time between two reports of the shop's stock, ms (a lobby reports it once a second).
const STOCK_EVERY_MS: u32 = 1_000;

/// The run under way.
pub struct World<'a> {
    pub(super) event: &'a Event,
    pub(super) room: Room,
    pub(super) config: RoomConfig,
    /// The slot of each lane of the event.
    pub(super) lane_ids: Vec<LaneId>,
    pub(super) visits: Vec<Visit>,
    agenda: Agenda<What>,
    /// The number of people who have come.
    came: usize,
    pub(super) desks: Vec<Desk>,
    /// The number of lobbies in which anybody ever was.
    pub(super) used: u16,
    /// The lobbies with news for their people since the last push, each once.
    news: Vec<u16>,
    pub(super) now: u32,
    pub(super) dice: Dice,
    /// Who has which fence; fences count up from 1.
    pub(super) fences: Vec<u32>,
    alarm: Option<u32>,
    framed_at: Option<u32>,
    framed: Version,
    /// The time until which the front knows that nobody walks in.
    pub(super) full_until: u32,
    pub(super) seats_left: Option<u64>,
    stock_told: Option<u32>,
    stock_planned: bool,
    lots: Lots,
    pub(super) seen: Seen,
}

/// Something that the room did and must never do: a bug in Baton, not in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug(pub String);

/// Plays an event with the people of a seed.
///
/// # Errors
/// Returns [`Bug`] if the room breaks one of its laws.
pub fn play(event: &Event, seed: u64) -> Result<Seen, Bug> {
    let mut world = World::new(event, seed);
    let limit = (event.opens_ms() + event.until_ms).min(u64::from(NEVER - 1));
    agenda::play(&mut world, limit)?;
    Ok(world.end())
}

impl Scenario for World<'_> {
    type What = What;
    type Stop = Bug;

    fn agenda(&mut self) -> &mut Agenda<What> {
        &mut self.agenda
    }

    fn passes(&mut self, at: u64) {
        let at = u32::try_from(at).unwrap_or(NEVER);
        self.sample_until(at);
        self.now = at;
    }

    /// People come by themselves, in order.
    fn comes_at(&self) -> Option<u64> {
        let next = self.visits.get(self.came);
        next.map(|visit| visit.person.comes_ms.into())
    }

    fn comes(&mut self) -> Result<(), Bug> {
        self.came += 1;
        World::comes(self, (self.came - 1) as u32);
        Ok(())
    }

    fn happens(&mut self, what: What) -> Result<(), Bug> {
        match what {
            What::Page(who) => self.page(who),
            What::Batch(lobby) => return self.batch(lobby),
            What::Alarm => return self.ring(),
            What::Land(who) => self.land(who),
            What::Renew(who) => self.renew(who),
            What::Leave(who) => self.leave(who),
            What::Close(who) => self.close(who),
            What::Linger(who) => self.linger(who),
            What::Return(who) => self.looks_again(who),
            What::Stock => self.tell_stock(),
            What::SoldOut => return self.sold_out(),
        }
        Ok(())
    }
}

impl<'a> World<'a> {
    fn new(event: &'a Event, seed: u64) -> Self {
        let mut config = event.room.core.clone();
        if event.opens_ms() > 0 {
            config.periods = vec![Period {
                opens_at_ms: START_MS + event.opens_ms(),
                closes_at_ms: NEVER_MS,
            }];
        }
        let visits = crowd::people(event, seed).into_iter().map(|person| Visit {
            person,
            state: State::Coming,
            number: Number(0),
            fence: Fence(0),
            placed_ms: NEVER,
            open_ms: NEVER,
            in_ms: NEVER,
            renewed_ms: 0,
            closes_planned: false,
            slept: false,
        });
        let mut key = [0; 32];
        key.iter_mut().zip(seed.to_be_bytes()).for_each(|(to, from)| *to = from);
        let mut world = Self {
            event,
            room: Room::new(),
            visits: visits.collect(),
            agenda: Agenda::default(),
            came: 0,
            desks: (0..event.room.lobbies()).map(|_| Desk::default()).collect(),
            used: 0,
            news: Vec::new(),
            now: 0,
            dice: Dice(Chance::of(seed, WORLD_STREAM)),
            fences: vec![0],
            alarm: None,
            framed_at: None,
            framed: Version(0),
            full_until: 0,
            seats_left: event.seats,
            stock_told: None,
            stock_planned: false,
            lots: Lots::new(vec![key]),
            seen: Seen::new(event),
            config,
            lane_ids: Vec::new(),
        };
        let config = world.config.clone();
        let mut row = world.room.open_row(world.instant());
        world.room.configure(&config, &mut row);
        world.find_lanes();
        world.keep_hours(&mut row);
        world.settle(&row);
        if event.seats.is_some() && config.stock_line {
            world.plan(0, What::Stock);
            world.stock_planned = true;
        }
        world
    }

    /// Finds the slot of each lane. People whose room has no lanes are all in the one line.
    fn find_lanes(&mut self) {
        let names = &self.config.lanes;
        let slot = |at| {
            let own = names.get(at).map(|lane: &Lane| lane.name);
            self.room.lanes().named(own)
        };
        self.lane_ids = (0..self.event.groups.len()).map(slot).collect();
    }

    pub(super) fn instant(&self) -> Instant {
        Instant(START_MS + u64::from(self.now))
    }

    /// Returns a moment of the room as one of the run; a past moment becomes now.
    fn moment(&self, at: Instant) -> u32 {
        let ms = at.0.saturating_sub(START_MS).min(u64::from(NEVER - 1));
        (ms as u32).max(self.now)
    }

    /// Plans this in `after_ms`. It never happens if that is past the end of all times.
    pub(super) fn plan(&mut self, after_ms: u32, what: What) {
        let Some(at) = self.now.checked_add(after_ms).filter(|at| *at < NEVER) else {
            return;
        };
        self.agenda.push(at.into(), what);
    }

    /// Samples the whole for every sample that is due by `at`.
    fn sample_until(&mut self, at: u32) {
        while self.seen.is_sample_due(at) {
            let sample = Sample {
                inside: self.room.permits().leased(),
                waiting: self.room.lanes().alive(),
                seats_left: self.seats_left,
                entered: self.seen.waits.len() as u64,
                seats_to: self.room.seats_to(),
            };
            self.seen.sampled(sample);
        }
    }

    // --------------------------------------------------------------------------------------------- the room's turns

    /// Plays a batch that reaches the room.
    fn batch(&mut self, lobby: u16) -> Result<(), Bug> {
        let wishes = self.take_batch(lobby);
        self.seen.counts.batches += 1;
        let (commands, joins) = self.commands(&wishes);
        let mut row = self.room.open_row(self.instant());
        self.keep_hours(&mut row);
        self.room.take(self.instant(), LobbyId(lobby), &commands, joins, &mut row);
        self.lawful()?;
        self.settle_for(&row, Some(lobby));
        for (who, wish) in wishes {
            self.answered(who, wish);
        }
        Ok(())
    }

    /// Plays the alarm: the usher's turn.
    fn ring(&mut self) -> Result<(), Bug> {
        if self.alarm != Some(self.now) {
            return Ok(());
        }
        self.alarm = None;
        self.seen.counts.alarms += 1;
        let mut row = self.room.open_row(self.instant());
        self.keep_hours(&mut row);
        self.room.take_turn(self.instant(), &mut row);
        self.lawful()?;
        self.settle(&row);
        if self.alarm == Some(self.now) && row.events.is_empty() {
            return Err(self.bug("the alarm rings for nothing, again and again"));
        }
        Ok(())
    }

    fn sold_out(&mut self) -> Result<(), Bug> {
        self.config.mode = Mode::SoldOut;
        self.seen.goes_on(self.now);
        let config = self.config.clone();
        let mut row = self.room.open_row(self.instant());
        self.room.configure(&config, &mut row);
        self.lawful()?;
        self.settle(&row);
        Ok(())
    }

    fn keep_hours(&mut self, row: &mut Row) {
        let wall_ms = self.instant().0;
        self.room.keep_hours(wall_ms, &self.lots, row);
    }

    fn lawful(&self) -> Result<(), Bug> {
        let now = self.instant();
        laws::conserved(&self.room, now)
            .and_then(|()| laws::leases_bounded(&self.room, now))
            .map_err(|violation| self.bug(&violation.to_string()))
    }

    fn bug(&self, seen: &str) -> Bug {
        Bug(format!("at {} ms: {seen}", self.now))
    }

    fn settle(&mut self, row: &Row) {
        self.settle_for(row, None);
    }

    /// Plays what a row means for people and what the room does after it: it tells its lobbies and arms its alarm.
    fn settle_for(&mut self, row: &Row, answered: Option<u16>) {
        self.seen.counts.rows += u64::from(!row.events.is_empty());
        for fact in &row.events {
            self.learn(fact);
        }
        self.look_at_lanes();
        self.push(answered);
        self.arm();
    }

    // --------------------------------------------------------------------------------------------- pushes and the alarm

    pub(super) fn news_for(&mut self, who: u32) {
        let lobby = self.lobby_of(who);
        if let Some(desk) = self.desks.get_mut(lobby as usize)
            && !core::mem::replace(&mut desk.has_news, true)
        {
            self.news.push(lobby);
        }
    }

    /// Counts the pushes: a frame once a tick to every lobby in use if anything changed, otherwise news to the lobbies that no answer
    /// tells. O(lobbies with news).
    fn push(&mut self, answered: Option<u16>) {
        let due = self.framed_at.is_none_or(|at| self.now >= at.saturating_add(self.tick_ms()));
        let is_frame = due && self.framed < self.room.version() && self.used > 0;
        if is_frame {
            self.framed = self.room.version();
            self.framed_at = Some(self.now);
        }
        let mut told = 0;
        for lobby in self.news.drain(..) {
            if let Some(desk) = self.desks.get_mut(lobby as usize) {
                desk.has_news = false;
                told += u64::from(desk.is_used && answered != Some(lobby));
            }
        }
        self.seen.counts.pushes += if is_frame { self.used.into() } else { told };
    }

    fn tick_ms(&self) -> u32 {
        u32::try_from(self.config.tick_ms).unwrap_or(NEVER)
    }

    /// Arms the alarm. An alarm is never moved later: one that comes too early finds nothing to do and is armed anew.
    fn arm(&mut self) {
        let is_stale = self.framed < self.room.version() && self.used > 0;
        let frame = is_stale.then(|| self.framed_at.map_or(self.now, |at| at.saturating_add(self.tick_ms())));
        let hours = self.room.lanes().hours_due_ms(self.room.config()).map(Instant);
        let room = self.room.case(self.instant()).due_at();
        let due = [room, hours].into_iter().flatten().map(|at| self.moment(at));
        let Some(due) = due.chain(frame).min().map(|at| at.max(self.now)) else {
            return;
        };
        if self.alarm.is_none_or(|at| due < at) {
            self.alarm = Some(due);
            self.seen.counts.alarms_set += 1;
            self.plan(due - self.now, What::Alarm);
        }
    }

    // --------------------------------------------------------------------------------------------- the shop's seats

    /// Sells up to `wanted` seats, and returns how many there were.
    pub(super) fn buy(&mut self, wanted: u8) -> u64 {
        let Some(left) = self.seats_left else {
            return wanted.into();
        };
        let bought = left.min(wanted.into());
        self.seats_left = Some(left - bought);
        if bought > 0 && left == bought {
            self.seen.seats_end_ms = Some(self.now);
            let after = u32::try_from(self.event.sold_out_after_ms).unwrap_or(NEVER);
            self.plan(after, What::SoldOut);
        }
        if bought > 0 && self.config.stock_line && !self.stock_planned {
            self.stock_planned = true;
            let next = self.stock_told.map_or(0, |at| at.saturating_add(STOCK_EVERY_MS));
            self.plan(next.saturating_sub(self.now), What::Stock);
        }
        bought
    }

    fn tell_stock(&mut self) {
        self.stock_planned = false;
        self.stock_told = Some(self.now);
        self.ask(0, Wish::Stock);
    }

    /// The lane of this person in the room.
    fn lane(&self, who: u32) -> &RoomLane {
        let visit = self.visits.get(who as usize);
        let at = visit.map_or(0, |visit| usize::from(visit.person.lane));
        let id = self.lane_ids.get(at).copied().unwrap_or_default();
        self.room.lanes().lane(id)
    }

    /// The door of this person's lane, by its dates.
    pub(super) fn door(&self, who: u32) -> Door {
        self.lane(who).hall().door()
    }

    /// The mode in force for this person's lane.
    pub(super) fn mode(&self, who: u32) -> Mode {
        self.lane(who).mode(self.config.mode)
    }

    /// How long before the opening the hall of this person's lane opens.
    pub(super) fn hall_ms(&self, who: u32) -> u64 {
        let own = self.lane(who).config().and_then(|lane| lane.hall_ms);
        own.unwrap_or(self.config.hall_ms)
    }

    // --------------------------------------------------------------------------------------------- the end

    fn end(mut self) -> Seen {
        let now = self.instant();
        let report = self.room.report(now);
        self.end_pauses();
        self.seen.finish(&self.room, &report, &self.visits);
        self.seen
    }
}
