//! Says what was tried: how many people were inside at once in the last hour, and whether the shop was slower with more of them. A forecast for
//! anything else would be a guess, so there is none.

use room::outlook::{Minute, Outlook};
use serde::{Deserialize, Serialize};

/// How far beyond the most permits ever in use a forecast may go: one tenth.
pub const MARGIN: f64 = 0.1;
/// The fewest minutes that make a level. Only minutes in which people waited count.
const MINUTES_MIN: usize = 5;
/// The factor by which visits must be longer for a shop to count as slower.
const SLOWER: f64 = 1.3;

/// What was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The fewest people inside in a minute in which somebody was.
    pub least: u32,
    /// The most people inside in a minute.
    pub most: u32,
    /// The fewest permits for which there is a forecast.
    pub from: u32,
    /// The most permits for which there is a forecast.
    pub to: u32,
    /// The number of people inside above which visits were longer; `None` if that was not seen.
    pub slows_above: Option<u32>,
}

impl Measured {
    /// Reads the last hour. O(minutes · log minutes).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let now = core::iter::once(outlook.inside);
        let inside = outlook.hour.iter().map(|minute| minute.inside).chain(now);
        let inside = inside.filter(|count| *count > 0);
        let least = inside.clone().min().unwrap_or(0);
        let most = inside.max().unwrap_or(0);
        let slows_above = by_visits(&outlook.hour);
        let beyond = (f64::from(most) * (1.0 + MARGIN)).floor() as u32;
        let to = slows_above.map_or(beyond, |knee| beyond.min(knee.max(outlook.permits)));
        Self {
            least,
            most,
            from: least.min(outlook.permits),
            to: to.max(least),
            slows_above,
        }
    }
}

/// Returns each minute's level, and how long visits were by Little's law: inside = let in a minute × visit.
fn visits(hour: &[Minute]) -> Vec<(u32, f64)> {
    let pairs = hour.iter().zip(hour.iter().skip(1));
    let busy = pairs.filter(|(before, minute)| {
        // While the level moves, not as many people come in as go out.
        let steady = f64::from(before.inside.abs_diff(minute.inside)) <= 0.05 * f64::from(minute.inside);
        before.waiting > 0 && minute.waiting > 0 && steady && minute.admitted > before.admitted
    });
    let mut visits: Vec<(u32, f64)> = busy
        .map(|(before, minute)| {
            let admitted = (minute.admitted - before.admitted) as f64;
            (minute.inside, f64::from(minute.inside) / admitted)
        })
        .collect();
    visits.sort_by_key(|(inside, _)| *inside);
    visits
}

/// Returns the level above which visits were longer by [`SLOWER`] and by the largest factor, with enough minutes on both sides, and apart by more
/// than chance: their means differ by more than three standard errors.
fn by_visits(hour: &[Minute]) -> Option<u32> {
    let visits = visits(hour);
    let cuts = MINUTES_MIN..=visits.len().checked_sub(MINUTES_MIN)?;
    let found = cuts.filter_map(|at| {
        let (low, high) = visits.split_at_checked(at)?;
        let (first, _) = high.first()?;
        let level = low.last()?.0;
        if *first <= level + level / 20 {
            return None;
        }
        let (calm, calm_error) = mean(low);
        let (slow, slow_error) = mean(high);
        let apart = slow - calm > 3.0 * calm_error.hypot(slow_error);
        (slow > calm * SLOWER && apart).then_some((slow / calm, level))
    });
    let best = found.max_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(best.1)
}

/// Returns the mean and its standard error.
fn mean(visits: &[(u32, f64)]) -> (f64, f64) {
    let count = visits.len() as f64;
    let mean = visits.iter().map(|(_, length)| length).sum::<f64>() / count;
    let squares = visits.iter().map(|(_, length)| (length - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}
