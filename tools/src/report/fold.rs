//! Counts what each fact means. The fold watches the audit, so it sees lawful facts only, and the audit's books as they stood before each.

use super::Asked;
use super::acts::{Drawing, Drawn, Settings, Values, What, settings};
use super::counts::{Counts, Stretch};
use super::lanes::lane_name;
use super::standing::Standing;
use crate::audit::{Fingerprint, Ledger, Moment, Stage, Watch};
use baton::facts::event::{Event, How};
use baton::facts::overheard::Overheard;
use baton::facts::units::{Fence, LaneId, Number};
use std::collections::BTreeMap;

/// The fold drops tickets that ended without being named when it keeps this many more than twice the tickets in line.
const STALE_MAX: usize = 4_096;

/// A ticket in line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Born {
    /// The time when its number was issued, on the room's clock and on the wall clock.
    at_ms: u64,
    wall_ms: u64,
    was_drawn: bool,
    was_called: bool,
}

/// How a ticket or a permit ended. The next fact may say that the operator ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Out {
    GaveUp,
    Released,
}

/// The state while the export is read.
#[derive(Debug, Default)]
pub struct Fold {
    asked: Asked,
    pub counts: Counts,
    /// The last edition before this one in which anybody came.
    pub past: Option<Counts>,
    pub(super) born: BTreeMap<u64, Born>,
    /// When the holder of each fence was called, or went in.
    out: BTreeMap<u64, u64>,
    stood: Standing,
    /// The draws whose seed was committed to and is still secret.
    pub draws: BTreeMap<LaneId, Drawing>,
    values: Values,
    /// The settings before and after this row, if it changed them.
    turned: Option<(Settings, Settings)>,
    pub(super) row: u64,
    pub(super) wall_ms: u64,
    /// Whether this row is counted.
    pub(super) is_counted: bool,
    last_out: Option<Out>,
    has_reset: bool,
    stopped_until_ms: u64,
}

impl Fold {
    pub fn new(asked: Asked) -> Self {
        Self {
            asked,
            counts: Counts::new(1),
            ..Self::default()
        }
    }

    const fn is_in(&self, wall_ms: u64) -> bool {
        wall_ms >= self.asked.from_ms && wall_ms < self.asked.to_ms
    }

    fn is_edition(&self) -> bool {
        (self.asked.edition).is_none_or(|wanted| wanted == self.counts.edition)
    }

    /// Lets time pass to the next row, while the room stands as it stood. The room's clock measures the time, the wall clock places it: where the two
    /// differ, each moment gets its share. O(stretches that pass).
    fn pass(&mut self, at_ms: u64, wall_ms: u64) {
        let stood = self.stood;
        if stood.is_empty() || !self.is_edition() {
            return;
        }
        let (room_ms, span_ms) = (at_ms - stood.at_ms, wall_ms - stood.wall_ms);
        if span_ms == 0 {
            if self.is_in(wall_ms) {
                let add = |stretch: &mut Stretch| stood.last(room_ms, stretch);
                self.counts.count(wall_ms, add);
            }
            return;
        }
        let share = |until_ms: u64| {
            let gone = u128::from(until_ms - stood.wall_ms) * u128::from(room_ms);
            u64::try_from(gone / u128::from(span_ms)).unwrap_or(u64::MAX)
        };
        let mut from_ms = stood.wall_ms.max(self.asked.from_ms);
        let to_ms = wall_ms.min(self.asked.to_ms);
        while from_ms < to_ms {
            let width_ms = self.counts.stretches.width();
            let until_ms = to_ms.min(from_ms - from_ms % width_ms + width_ms);
            let ms = share(until_ms) - share(from_ms);
            self.counts.count(from_ms, |stretch| stood.last(ms, stretch));
            from_ms = until_ms;
        }
    }

    fn begin_row(&mut self, moment: Moment) {
        self.row = moment.row;
        self.wall_ms = self.stood.wall_ms.max(moment.wall_ms);
        if moment.row > 1 {
            self.pass(moment.at_ms, self.wall_ms);
        }
        self.is_counted = self.is_in(self.wall_ms) && self.is_edition();
        (self.last_out, self.turned, self.has_reset) = (None, None, false);
        if self.is_counted && self.counts.wall_ms.is_none() {
            self.counts.wall_ms = Some((self.wall_ms, self.wall_ms));
            self.counts.total.people.before = self.stood.in_line + self.stood.hall;
            self.counts.total.inside.before = self.stood.leased;
            self.see_permits(self.stood.permits);
        }
    }

    /// Ends the row; the books stand like this now.
    pub fn end_row(&mut self, ledger: &Ledger, head: Fingerprint, moment: Moment) {
        let (at_ms, wall_ms) = (moment.at_ms, self.wall_ms);
        let stands = Standing::of(ledger, at_ms, wall_ms);
        self.stood = stands;
        if let Some((before, after)) = self.turned.take()
            && let Some(deployed) = self.values.deployed(&before, &after)
            && !before.is_empty()
        {
            self.act(deployed);
        }
        if self.is_counted {
            self.see_permits(stands.permits);
            let counts = &mut self.counts;
            let mode = ledger.config.as_ref().map(|config| config.mode.name());
            counts.acts.mode(wall_ms, mode.unwrap_or_default());
            if counts.acts.doors.is_empty() {
                for (id, lane) in ledger.lanes.in_order() {
                    let name = lane_name(ledger, id);
                    counts.acts.door(wall_ms, name, lane.hall.door);
                }
            }
            counts.wall_ms = counts.wall_ms.map(|(from_ms, _)| (from_ms, wall_ms));
            counts.longest_line.see(stands.in_line, wall_ms);
            counts.fullest_hall.see(stands.hall, wall_ms);
            counts.most_inside.see(stands.leased, wall_ms);
            counts.total.people.wait = stands.in_line + stands.hall;
            counts.total.inside.are = stands.leased;
            let last = counts.heads.at(wall_ms);
            (last.at_ms, last.row, last.hash) = (moment.wall_ms, self.row, head);
        }
        self.see_stop(ledger, at_ms);
        if self.has_reset {
            self.begin_edition(ledger.edition());
        } else if self.born.len() as u64 > 2 * ledger.lanes.waiting() + STALE_MAX as u64 {
            let lives = |number: &u64| ledger.place(Number(*number)).is_some();
            self.born.retain(|number, _| lives(number));
        }
    }

    fn see_permits(&mut self, permits: u64) {
        if permits == 0 && self.row == 1 {
            return;
        }
        let (least, most) = self.counts.permits.unwrap_or((permits, permits));
        self.counts.permits = Some((least.min(permits), most.max(permits)));
    }

    fn see_stop(&mut self, ledger: &Ledger, at_ms: u64) {
        let until_ms = ledger.health.stopped_until_ms().unwrap_or(0);
        if until_ms > at_ms && until_ms != self.stopped_until_ms && self.is_counted {
            let wall_ms = self.wall_ms;
            let acts = &mut self.counts.acts;
            acts.stopped(wall_ms, wall_ms.saturating_add(until_ms - at_ms));
        }
        self.stopped_until_ms = until_ms;
    }

    fn begin_edition(&mut self, edition: u32) {
        let next = Counts::new(edition);
        let ended = core::mem::replace(&mut self.counts, next);
        let is_worth = ended.came() > 0 || self.asked.edition == Some(ended.edition);
        if is_worth && ended.wall_ms.is_some() {
            self.past = Some(ended);
        }
        self.born.clear();
        self.out.clear();
    }

    fn act(&mut self, what: What) {
        if self.is_counted {
            self.counts.acts.act((self.wall_ms, self.row), what);
        }
    }

    /// Counts something, if this row is counted.
    fn count(&mut self, add: impl Fn(&mut Stretch)) {
        if self.is_counted {
            self.counts.count(self.wall_ms, add);
        }
    }

    /// Records that `count` numbers from `first` on were issued to people who wait.
    fn issue(&mut self, ledger: &Ledger, at_ms: u64, (first, count): (Number, u64), was_drawn: bool) {
        let wall_ms = self.wall_ms;
        let born = Born {
            at_ms,
            wall_ms,
            was_drawn,
            was_called: false,
        };
        for number in first.0..first.0 + count {
            self.born.insert(number, born);
        }
        self.lane(ledger, first.lane(), |lane| lane.issue(first.within(), count));
        if self.is_counted && !was_drawn {
            self.counts.arrivals.at(wall_ms).joined += count;
        }
    }

    fn call(&mut self, ledger: &Ledger, at_ms: u64, number: Number, fence: Fence) {
        self.out.insert(fence.0, at_ms);
        self.count(|stretch| stretch.counted.calls += 1);
        self.lane(ledger, number.lane(), |lane| lane.counted.calls += 1);
        let Some(born) = self.born.get_mut(&number.0) else {
            return;
        };
        if core::mem::replace(&mut born.was_called, true) || !self.is_counted {
            return;
        }
        let (born, wall_ms) = (*born, self.wall_ms);
        let wait_ms = at_ms.saturating_sub(born.at_ms);
        let counts = &mut self.counts;
        counts.waits.add(wait_ms);
        if born.was_drawn {
            counts.drawn_waits.add(wait_ms);
        } else if born.wall_ms >= self.asked.from_ms {
            counts.arrivals.at(born.wall_ms).waits.add(wait_ms);
        }
        self.lane(ledger, number.lane(), |lane| {
            lane.first_call(number.within(), wall_ms, wait_ms);
        });
    }

    fn walk_in(&mut self, ledger: &Ledger, at_ms: u64, number: Number, fence: Fence) {
        self.out.insert(fence.0, at_ms);
        self.count(|stretch| {
            stretch.people.walked_in += 1;
            stretch.people.got_in += 1;
        });
        let wall_ms = self.wall_ms;
        self.lane(ledger, number.lane(), |lane| {
            lane.walk_in(number.within(), wall_ms);
        });
        if self.is_counted {
            self.counts.arrivals.at(wall_ms).walked_in += 1;
        }
    }

    /// Counts a permit that came back from its holder.
    fn end(&mut self, ledger: &Ledger, at_ms: u64, fence: Fence, how: How) {
        let grant = ledger.grant(fence.0);
        let stage = grant.map(|grant| grant.stage);
        let is_unproven = matches!(stage, Some(Stage::Leased(lease)) if lease.provisional);
        let number = grant.map(|grant| grant.number.0);
        let since_ms = self.out.remove(&fence.0);
        match how {
            How::Released => {
                self.count(|stretch| stretch.inside.released += 1);
                if let Some(since_ms) = since_ms.filter(|_| self.is_counted) {
                    self.counts.stays.add(at_ms.saturating_sub(since_ms));
                }
                self.last_out = Some(Out::Released);
                return;
            }
            How::Expired => {
                return self.count(|stretch| {
                    stretch.inside.expired += 1;
                    stretch.counted.unproven += u64::from(is_unproven);
                });
            }
            How::Missed => return self.count(|stretch| stretch.counted.missed += 1),
            How::MissedAgain => self.count(|stretch| {
                stretch.counted.missed += 1;
                stretch.people.missed_out += 1;
            }),
            How::Left => {
                self.count(|stretch| stretch.people.gave_up += 1);
                self.last_out = Some(Out::GaveUp);
            }
        }
        if let Some(number) = number {
            self.born.remove(&number);
        }
    }

    fn claim(&mut self, at_ms: u64, fence: Fence, number: Option<u64>) {
        self.count(|stretch| stretch.people.got_in += 1);
        let called_ms = self.out.insert(fence.0, at_ms);
        if let Some(called_ms) = called_ms.filter(|_| self.is_counted) {
            self.counts.claims.add(at_ms.saturating_sub(called_ms));
        }
        if let Some(number) = number {
            self.born.remove(&number);
        }
    }

    /// Counts somebody as ended by the operator whom the fact before counted as gone.
    fn dismiss(&mut self, ledger: &Ledger, number: Number) {
        match self.last_out.take() {
            Some(Out::GaveUp) => self.count(|stretch| {
                stretch.people.gave_up -= 1;
                stretch.people.dismissed += 1;
            }),
            Some(Out::Released) => self.count(|stretch| {
                stretch.inside.released -= 1;
                stretch.inside.dismissed += 1;
            }),
            None => {}
        }
        let lane = lane_name(ledger, number.lane());
        let number = Some(lane.as_ref().map_or(number.0, |_| number.within()));
        self.act(What::Dismissed { number, lane });
    }

    /// Counts facts about people.
    fn person(&mut self, ledger: &Ledger, at_ms: u64, event: &Event) {
        match event {
            Event::Joined { first, count, .. } => {
                let count = u64::from(*count);
                self.count(|stretch| stretch.people.joined += count);
                self.issue(ledger, at_ms, (*first, count), false);
            }
            Event::Entered { count, .. } => {
                let count = u64::from(*count);
                self.count(|stretch| stretch.people.entered += count);
            }
            Event::WalkedIn { number, fence, .. } => {
                self.walk_in(ledger, at_ms, *number, *fence);
            }
            Event::Moved { from, to } => self.moved(ledger, *from, *to),
            Event::Called { number, fence } => self.call(ledger, at_ms, *number, *fence),
            Event::Handed { from, how, number, fence } => {
                self.end(ledger, at_ms, *from, *how);
                self.call(ledger, at_ms, *number, *fence);
            }
            Event::Ended { fence, how, .. } => self.end(ledger, at_ms, *fence, *how),
            Event::Claimed { fence } => {
                let number = ledger.grant(fence.0).map(|grant| grant.number.0);
                self.claim(at_ms, *fence, number);
            }
            Event::Left(number) => {
                self.count(|stretch| stretch.people.gave_up += 1);
                self.born.remove(&number.0);
                self.last_out = Some(Out::GaveUp);
            }
            Event::GraceEnded { count } => self.count(|stretch| stretch.people.lost += count),
            Event::LineEnded { count, .. } => {
                self.count(|stretch| stretch.people.sold_out += count);
                self.born.clear();
            }
            Event::WentAway(numbers) => {
                let count = numbers.len() as u64;
                self.count(|stretch| stretch.counted.went_away += count);
            }
            Event::CameBack(numbers) => {
                let count = numbers.len() as u64;
                self.count(|stretch| stretch.counted.came_back += count);
            }
            Event::Carried { fences, .. } => {
                self.count(|stretch| stretch.counted.carried += 1);
                if let Some((from, to)) = fences
                    && let Some(since_ms) = self.out.remove(&from.0)
                {
                    self.out.insert(to.0, since_ms);
                }
            }
            _ => {}
        }
    }

    /// Counts facts about the room.
    ///
    /// Long because it has an arm for each fact about the room.
    fn thing(&mut self, ledger: &Ledger, at_ms: u64, event: &Event) {
        let when = (self.wall_ms, self.row);
        let now = || ledger.config.as_ref().map(settings).unwrap_or_default();
        match event {
            Event::Configured(config) => self.turned = Some((now(), settings(config))),
            Event::Adjusted { values, .. } => {
                let (before, after) = self.turned.take().unwrap_or_else(|| (now(), now()));
                let adjusted = self.values.adjust(values, &before, &after);
                self.act(adjusted);
            }
            Event::Scheduled { at_ms, end } if self.is_counted => {
                self.counts.acts.step(when, *at_ms, end);
            }
            Event::Dismissed { number, .. } => self.dismiss(ledger, *number),
            Event::Reset { waiting, inside, .. } => {
                let (waiting, inside) = (*waiting, u64::from(*inside));
                self.has_reset = true;
                self.count(|stretch| {
                    stretch.people.reset += waiting;
                    stretch.inside.reset += inside;
                });
                self.act(What::Reset { waiting, inside });
            }
            Event::Extended { .. } => self.count(|stretch| stretch.counted.extended += 1),
            Event::Attempted { count } => {
                self.count(|stretch| stretch.counted.attempts += u64::from(*count));
            }
            Event::Overheard(heard) => self.overheard(when.0, heard),
            Event::Doors(door) => self.door(ledger, LaneId::FIRST, *door),
            Event::LaneDoors { lane, door } => self.door(ledger, *lane, *door),
            Event::Committed(lot) => self.commit(ledger, LaneId::FIRST, *lot),
            Event::LaneCommitted { lane, lot } => self.commit(ledger, *lane, *lot),
            Event::Drawn { draw, seed, first, count } => {
                let drawn = Drawn {
                    at_ms: when.0,
                    row: when.1,
                    way: draw.name(),
                    seed: seed.to_string(),
                    first: first.within(),
                    count: *count,
                };
                let draw = self.draws.remove(&first.lane());
                if let Some(draw) = draw.filter(|_| self.is_counted) {
                    let drawn = Some(drawn);
                    self.counts.acts.draw(Drawing { drawn, ..draw });
                }
                self.issue(ledger, at_ms, (*first, *count), true);
            }
            _ => {}
        }
    }
}

impl Fold {
    fn overheard(&mut self, at_ms: u64, heard: &Overheard) {
        self.count(|stretch| {
            let (good, bad) = heard.origin.sums();
            stretch.good += good;
            stretch.bad += bad;
            stretch.times = stretch.times.plus(&heard.times);
            stretch.stock = heard.stock.map(|said| said.left).or(stretch.stock);
        });
        if self.is_counted {
            self.counts.proofs = self.counts.proofs.plus(&heard.proofs);
            if let Some(said) = heard.stock {
                self.counts.first_stock.get_or_insert((at_ms, said.left));
            }
        }
    }
}

impl Watch for Fold {
    fn before(&mut self, ledger: &Ledger, moment: Moment, event: &Event) {
        if moment.row != self.row {
            self.begin_row(moment);
        }
        self.person(ledger, moment.at_ms, event);
        self.thing(ledger, moment.at_ms, event);
    }
}
