//! Draws the people of one run from a seed: when each comes, how long the visit lasts, how patient each is. Everybody has a stream of chance of their
//! own, so another number of permits meets the very same people.
//!
//! - Before the opening, the rate of arrivals is proportional to one over the time left. From the opening on it is a rush with a plateau and a tail.
//!   Both are as in `crowds/draw.csv` and `crowds/opening_rush.csv`, with the sources that crowds/README.md names.
//! - Stays are log-normal by default: the times that people take for a task are skewed like that.
//! - Patience and the time until somebody returns are log-normal about their medians, with `WIDTH`.

use super::event::{Arrival, Coming, Event, Shape};
use baton_advice::chance::Chance;

/// The standard deviation of the logarithm of patience, returning and loading: half of all values lie within a factor of 1.6.
const WIDTH: f64 = 0.7;
/// The time of what never happens, in ms of a run.
pub const NEVER: u32 = u32::MAX;
/// Added to the time left before the opening, as a share of the whole time, so that the rate of arrivals stays finite.
const EARLY_CUT: f64 = 1.0 / 60.0;
/// A rush: the rise and the plateau end at these shares of the time, when these shares of the people have come; the tail has this mean.
const RISE_END: f64 = 1.0 / 60.0;
const RISE_SHARE: f64 = 0.15;
const PLATEAU_END: f64 = 0.1;
const PLATEAU_SHARE: f64 = 0.65;
const TAIL_MEAN: f64 = 0.15;

/// One person, and what chance has in store. Times are in ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    /// When the person comes, from the beginning.
    pub comes_ms: u32,
    /// How long the visit lasts at the shop's usual speed.
    pub stay_ms: u32,
    /// How long the person waits before closing the page, or [`NEVER`].
    pub leaves_ms: u32,
    /// How long after that, or after a call slept through, the person is back, or [`NEVER`].
    pub returns_ms: u32,
    /// The number of seats that the person buys if there are any; 0 for somebody who buys none.
    pub seats: u8,
    /// Whether the person sleeps at the first call.
    pub sleeps: bool,
    /// The lane, by its position in the list.
    pub lane: u8,
    /// After how many of 255 parts of the visit the person closes the tab; 0 if never.
    pub walks_off: u8,
}

/// Returns everybody of the run with this seed, in order of coming. O(people · log people).
#[must_use]
pub fn people(event: &Event, seed: u64) -> Vec<Person> {
    let mut people: Vec<Person> = match &event.coming {
        Coming::Drawn { people, .. } => {
            let drawn = (0..*people).map(|who| person(event, seed, who, None));
            drawn.collect()
        }
        Coming::Traced { arrivals, .. } => {
            let traced = arrivals.iter().zip(0..);
            let traced = traced.map(|(arrival, who)| person(event, seed, who, Some(*arrival)));
            traced.collect()
        }
    };
    people.sort_by_key(|person| person.comes_ms);
    people
}

fn person(event: &Event, seed: u64, who: u64, traced: Option<Arrival>) -> Person {
    let mut dice = Dice(Chance::of(seed, who));
    let comes_ms = match traced {
        Some(arrival) => arrival.at_ms as f64,
        None => comes(event, who, &mut dice),
    };
    let stay = dice.stay(event);
    let stay_ms = traced.and_then(|arrival| arrival.stay_ms);
    let gives_up = dice.happens(event.gives_up);
    let leaves_ms = dice.about(event.patience_ms as f64);
    let returns = dice.happens(event.returns);
    let returns_ms = dice.about(event.returns_after_ms as f64);
    let buys = dice.happens(event.buy);
    let seats = 1 + dice.0.below(2 * event.seats_each - 1);
    let walks_off = dice.happens(event.walks_off);
    let part = 1 + dice.0.below(255);
    let sleeps = dice.happens(event.sleeps);
    // Drawn last, so that lanes change nothing else about anybody.
    let lane = event.lane_of(|| dice.0.unit());
    Person {
        comes_ms: whole(comes_ms),
        stay_ms: stay_ms.map_or_else(|| whole(stay).max(1), |ms| whole(ms as f64).max(1)),
        leaves_ms: if gives_up { whole(leaves_ms) } else { NEVER },
        returns_ms: if returns { whole(returns_ms) } else { NEVER },
        seats: if buys { seats as u8 } else { 0 },
        sleeps,
        lane,
        walks_off: if walks_off { part as u8 } else { 0 },
    }
}

/// Returns when somebody comes, ms from the beginning.
fn comes(event: &Event, who: u64, dice: &mut Dice) -> f64 {
    let Coming::Drawn {
        people,
        early,
        early_ms,
        over_ms,
        rush,
    } = &event.coming
    else {
        return 0.0;
    };
    let opens = event.opens_ms() as f64;
    let (early_ms, over_ms) = (*early_ms as f64, *over_ms as f64);
    // The share is exact: it is the first people by number.
    if (who as f64) < (early * *people as f64).round() {
        let cut = early_ms * EARLY_CUT;
        let whole = early_ms + cut;
        return opens + cut - whole * (cut / whole).powf(dice.0.unit());
    }
    opens + if *rush { rushed(over_ms, dice) } else { over_ms * dice.0.unit() }
}

/// Draws a time of a rush: a steep rise, a plateau, a tail.
fn rushed(over_ms: f64, dice: &mut Dice) -> f64 {
    let part = dice.0.unit();
    let share = if part < RISE_SHARE {
        RISE_END * dice.0.unit().sqrt()
    } else if part < PLATEAU_SHARE {
        RISE_END + (PLATEAU_END - RISE_END) * dice.0.unit()
    } else {
        // The tail is cut off at the end of the time, and its remainder is spread over the rest.
        let most = 1.0 - (-(1.0 - PLATEAU_END) / TAIL_MEAN).exp();
        PLATEAU_END - TAIL_MEAN * (1.0 - most * dice.0.unit()).ln()
    };
    over_ms * share
}

fn whole(ms: f64) -> u32 {
    // Stays below NEVER; a float beyond u32 saturates.
    (ms.round() as u32).min(NEVER - 1)
}

/// Chance, in the distributions that people have.
pub(super) struct Dice(pub Chance);

impl Dice {
    fn happens(&mut self, share: f64) -> bool {
        self.0.unit() < share
    }

    /// Draws a log-normal value with this median and [`WIDTH`].
    fn about(&mut self, median: f64) -> f64 {
        median * self.0.factor(WIDTH)
    }

    /// Draws a log-normal value with this mean and this ratio of standard deviation to mean.
    fn with_mean(&mut self, mean: f64, spread: f64) -> f64 {
        let variance = (1.0 + spread * spread).ln();
        mean * (variance.sqrt() * self.0.normal() - variance / 2.0).exp()
    }

    fn stay(&mut self, event: &Event) -> f64 {
        let mean = event.stay_ms as f64;
        match event.stay_shape {
            Shape::LogNormal => self.with_mean(mean, event.stay_spread),
            Shape::Exponential => mean * self.0.wait(),
        }
    }

    /// Draws how long a page loads, ms.
    pub fn page_ms(&mut self, mean_ms: u64) -> u32 {
        if mean_ms == 0 {
            return 0;
        }
        whole(self.with_mean(mean_ms as f64, WIDTH))
    }
}
