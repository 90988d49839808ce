//! Counts what each lane of a room was given. A room of one line has one lane without a name, of which nothing is told.

use super::durations::Durations;
use super::spans::{Kept, OF_NUMBERS, Spans};
use crate::audit::Ledger;
use crate::sums::{Sums, counts};
use baton::facts::units::LaneId;
use serde::Serialize;

/// A group of neighbouring numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    pub issued: u64,
    /// When the first and the last of them was first called, or walked in: wall clock, Unix ms.
    pub called_ms: Option<(u64, u64)>,
    pub called: u64,
}

impl Numbers {
    pub fn call(&mut self, at_ms: u64) {
        self.take(&Self {
            issued: 0,
            called_ms: Some((at_ms, at_ms)),
            called: 1,
        });
    }
}

impl Sums for Numbers {
    fn take(&mut self, later: &Self) {
        self.issued += later.issued;
        self.called += later.called;
        self.called_ms = match (self.called_ms, later.called_ms) {
            (Some((first, last)), Some((other, end))) => Some((first.min(other), last.max(end))),
            (some, other) => some.or(other),
        };
    }
}

impl Kept for Numbers {
    const WIDTHS: &'static [u64] = OF_NUMBERS;
    const MOST: usize = 1_024;
}

/// The counts of one lane.
#[derive(Clone, Debug, Default)]
pub struct OfLane {
    slot: LaneId,
    name: Option<String>,
    title: String,
    share: u32,
    pub counted: Counted,
    /// The time from the number, or from the draw, to the first call, of everybody who was called.
    waits: Durations,
    /// The groups of numbers, by the number within the lane.
    pub numbers: Spans<Numbers>,
}

counts! {
/// What was counted in one lane.
Counted {
    /// The numbers issued to people who waited.
    issued,
    /// People who went straight in.
    walked_in,
    /// How many people came from a later lane of the list.
    came_over,
    /// People who moved to an earlier lane.
    went_over,
    /// The number of people called; second calls are not counted.
    called,
    /// Calls, second ones included.
    calls,
}
}

/// One lane as it is told. In public this may be several lanes, each of which had fewer than ten people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    /// The name that tokens have for it; empty for the line that the room had while it had no lanes.
    pub name: String,
    /// The title that people were shown.
    pub title: String,
    /// Calls in a row in its turn by `lanes_rule = "shares"`, as it was last; null for several lanes.
    pub share: Option<u32>,
    /// What was counted in it.
    #[serde(flatten)]
    pub counted: Counted,
    /// Its calls, in percent of the room's.
    pub calls_percent: f64,
    /// The median wait of those who were called.
    pub half_ms: Option<u64>,
    /// Nine of ten of them waited at most this long.
    pub nine_of_ten_ms: Option<u64>,
    /// The longest wait, exactly.
    pub longest_ms: Option<u64>,
}

impl OfLane {
    fn new(slot: LaneId) -> Self {
        Self {
            slot,
            share: 1,
            ..Self::default()
        }
    }

    /// The name that tokens have for it; `None` if the room has one line.
    pub fn name(&self) -> Option<&String> {
        self.name.as_ref()
    }

    /// Records that `count` of its numbers from `first` on were issued.
    pub fn issue(&mut self, first: u64, count: u64) {
        self.counted.issued += count;
        for number in first..first + count {
            self.numbers.at(number.saturating_sub(1)).issued += 1;
        }
    }

    /// Records somebody who walked in with this number.
    pub fn walk_in(&mut self, number: u64, wall_ms: u64) {
        self.counted.walked_in += 1;
        let group = self.numbers.at(number.saturating_sub(1));
        group.issued += 1;
        group.call(wall_ms);
    }

    /// Records that somebody was called for the first time.
    pub fn first_call(&mut self, number: u64, wall_ms: u64, wait_ms: u64) {
        self.counted.called += 1;
        self.waits.add(wait_ms);
        self.numbers.at(number.saturating_sub(1)).call(wall_ms);
    }

    const fn came(&self) -> u64 {
        self.counted.issued + self.counted.walked_in
    }

    /// Adds another lane, so that both are told as one.
    fn with(&mut self, other: &Self) {
        self.counted.take(&other.counted);
        self.waits.take(&other.waits);
        if let (Some(name), Some(other)) = (&mut self.name, &other.name) {
            name.push_str(", ");
            name.push_str(other);
        }
        self.title.push_str(", ");
        self.title.push_str(&other.title);
        self.share = 0;
    }

    fn told(&self, calls: u64, least: u64) -> Told {
        let waits = Some(&self.waits).filter(|_| self.came() >= least);
        let percent = self.counted.calls as f64 / calls.max(1) as f64 * 100.0;
        let quantile = |thousandths| waits.and_then(|waits| waits.quantile_ms(thousandths));
        Told {
            name: self.name.clone().unwrap_or_default(),
            title: self.title.clone(),
            share: (self.share > 0).then_some(self.share),
            counted: self.counted,
            calls_percent: (percent * 10.0).round() / 10.0,
            half_ms: quantile(500),
            nine_of_ten_ms: quantile(900),
            longest_ms: waits.and_then(|waits| waits.told().longest_ms),
        }
    }
}

/// Every lane, in the order in which they were first seen.
#[derive(Clone, Debug, Default)]
pub struct Lanes(Vec<OfLane>);

impl Lanes {
    /// Returns the counts of a lane. A slot that another lane has taken begins anew. O(lanes).
    pub fn of(&mut self, ledger: &Ledger, slot: LaneId) -> Option<&mut OfLane> {
        let settings = ledger.lanes.of(slot).and_then(|lane| lane.settings());
        let name = settings.map(|own| own.name.to_string());
        let is_it = |of: &OfLane| of.slot == slot && (of.name == name || of.name.is_none() || name.is_none());
        let at = self.0.iter().position(is_it).unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push(OfLane::new(slot));
        }
        let one = self.0.get_mut(at)?;
        if let Some(own) = settings {
            one.name = name;
            let named = |own: &str| {
                if own.is_empty() { None } else { Some(own.to_owned()) }
            };
            one.title = named(&own.title).unwrap_or_else(|| own.name.to_string());
            one.share = own.share;
        }
        Some(one)
    }

    /// All lanes.
    pub fn iter(&self) -> impl Iterator<Item = &OfLane> {
        self.0.iter()
    }

    /// Returns what is told of the lanes, if any has a name. Lanes with fewer than `least` people are merged. O(lanes · buckets).
    #[must_use]
    pub fn told(&self, least: u64) -> Vec<Told> {
        if self.0.iter().all(|lane| lane.name.is_none()) {
            return Vec::new();
        }
        let mut lanes: Vec<OfLane> = Vec::new();
        for lane in &self.0 {
            match lanes.last_mut() {
                Some(last) if last.came() < least => last.with(lane),
                _ => lanes.push(lane.clone()),
            }
        }
        if let Some(short) = lanes.pop_if(|last| last.came() < least) {
            match lanes.last_mut() {
                Some(last) => last.with(&short),
                None => lanes.push(short),
            }
        }
        let calls = lanes.iter().map(|lane| lane.counted.calls).sum();
        lanes.iter().map(|lane| lane.told(calls, least)).collect()
    }
}

/// Returns the name that tokens have for a lane; `None` if the room has one line.
pub(super) fn lane_name(ledger: &Ledger, id: LaneId) -> Option<String> {
    let settings = ledger.lanes.of(id)?.settings()?;
    Some(settings.name.to_string())
}
