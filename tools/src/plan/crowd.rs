//! The people of one run, drawn from a seed: when each comes, how long the visit lasts, how patient each is. Everybody has a stream of
//! chance of their own, so another number of permits meets the very same people.
//!
//! - Before the opening the pressure to come is one over the time left; from the opening on it is a rush with a plateau and a tail. Both as
//!   in `crowds/draw.csv` and `crowds/opening_rush.csv`, with the sources that crowds/README.md names.
//! - Stays are log-normal by default: times that people take for a task are skewed so.
//! - Patience and returning are log-normal about their medians with [`WIDTH`].

use super::event::{Arrival, Coming, Event, Shape};
use crate::simulate::rng::Rng;

/// The logarithm's standard deviation of patience, returning and loading: half of all lie within a factor of 1.6.
const WIDTH: f64 = 0.7;
/// What never happens, in ms of a run.
pub const NEVER: u32 = u32::MAX;
/// Who comes before an opening does so up to this share of the time before it.
const EARLY_CUT: f64 = 1.0 / 60.0;
/// A rush: the rise and the plateau end at these shares of the time, with these shares of the people; the tail's mean.
const RISE_END: f64 = 1.0 / 60.0;
const RISE_SHARE: f64 = 0.15;
const PLATEAU_END: f64 = 0.1;
const PLATEAU_SHARE: f64 = 0.65;
const TAIL_MEAN: f64 = 0.15;

/// One who comes, and what chance has in store. Times in ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    /// When, from the beginning.
    pub comes_ms: u32,
    /// How long the visit lasts at the shop's usual speed.
    pub stay_ms: u32,
    /// After how long of waiting the page is closed; [`NEVER`].
    pub leaves_ms: u32,
    /// How long after that, or after a call that was slept through, the page is back; [`NEVER`].
    pub returns_ms: u32,
    /// Seats that are bought if there are any; 0: none.
    pub seats: u8,
    /// Sleeps at the first call.
    pub sleeps: bool,
    /// Which lane, by its place in the list.
    pub lane: u8,
    /// In so many of 255 parts of the visit the tab is closed; 0: it is not.
    pub walks_off: u8,
}

/// Everybody of the run with this seed, in order of coming. O(people · log people).
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
    let mut dice = Dice(Rng::of(seed, who));
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
    // Last, so that lanes change nothing else of anybody.
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

/// When somebody comes, ms from the beginning.
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
    // The share is exact: it is the first so many of them.
    if (who as f64) < (early * *people as f64).round() {
        let cut = early_ms * EARLY_CUT;
        let whole = early_ms + cut;
        return opens + cut - whole * (cut / whole).powf(dice.0.unit());
    }
    opens
        + if *rush {
            rushed(over_ms, dice)
        } else {
            over_ms * dice.0.unit()
        }
}

/// A steep rise, a plateau, a tail.
fn rushed(over_ms: f64, dice: &mut Dice) -> f64 {
    let part = dice.0.unit();
    let share = if part < RISE_SHARE {
        RISE_END * dice.0.unit().sqrt()
    } else if part < PLATEAU_SHARE {
        RISE_END + (PLATEAU_END - RISE_END) * dice.0.unit()
    } else {
        // The tail's end is cut off, so what is behind it is dealt out over what is there.
        let most = 1.0 - (-(1.0 - PLATEAU_END) / TAIL_MEAN).exp();
        PLATEAU_END - TAIL_MEAN * (1.0 - most * dice.0.unit()).ln()
    };
    over_ms * share
}

fn whole(ms: f64) -> u32 {
    // Below NEVER, and a float beyond it saturates.
    (ms.round() as u32).min(NEVER - 1)
}

/// Chance, in the shapes that people have.
pub(super) struct Dice(pub Rng);

impl Dice {
    fn happens(&mut self, share: f64) -> bool {
        self.0.unit() < share
    }

    /// Half of the time below this.
    fn about(&mut self, median: f64) -> f64 {
        median * (WIDTH * self.0.normal()).exp()
    }

    /// Log-normal with this average and standard deviation over it.
    fn with_mean(&mut self, mean: f64, spread: f64) -> f64 {
        let variance = (1.0 + spread * spread).ln();
        mean * (variance.sqrt() * self.0.normal() - variance / 2.0).exp()
    }

    fn stay(&mut self, event: &Event) -> f64 {
        let mean = event.stay_ms as f64;
        match event.stay_shape {
            Shape::LogNormal => self.with_mean(mean, event.stay_spread),
            Shape::Exponential => -mean * (1.0 - self.0.unit()).ln(),
        }
    }

    /// How long a page loads, ms.
    pub fn page_ms(&mut self, mean_ms: u64) -> u32 {
        if mean_ms == 0 {
            return 0;
        }
        whole(self.with_mean(mean_ms as f64, WIDTH))
    }
}
