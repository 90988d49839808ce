//! How long the origin took to answer people inside, counted by octaves.

use serde::{Deserialize, Serialize};

/// The octaves that have an end. The first counts answers of at most 1 ms; each later one ends at twice the end before it, up to 65,536 ms.
const OCTAVES: usize = 17;
/// The octaves, and one more count for answers that took longer than any octave.
const COUNTS: usize = OCTAVES + 1;

/// The number of answers by how long they took, from the request sent to the headers received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct AnswerTimes {
    counts: [u64; COUNTS],
    /// The total time of the answers, in ms.
    pub sum_ms: u64,
    /// Errors of the origin's own (5xx), or no answer at all. They have no time, because a quick error is no quick answer.
    pub failed: u64,
}

/// The form that travels and is stored: without the octaves before the first answer and after the last.
#[derive(Serialize, Deserialize)]
struct Stored {
    first: u8,
    counts: Vec<u64>,
    sum_ms: u64,
    failed: u64,
}

/// Returns the octave of an answer that took this long.
fn octave(ms: u64) -> usize {
    let doublings = u64::BITS - ms.saturating_sub(1).leading_zeros();
    (doublings as usize).min(OCTAVES)
}

/// Returns the end of an octave, in ms; for the last count, where it begins.
fn end_ms(octave: usize) -> u64 {
    1 << octave.min(OCTAVES - 1)
}

impl AnswerTimes {
    /// Counts one answer that took this long.
    #[must_use]
    pub fn one(ms: u64) -> Self {
        let mut times = Self {
            sum_ms: ms,
            ..Self::default()
        };
        if let Some(count) = times.counts.get_mut(octave(ms)) {
            *count = 1;
        }
        times
    }

    /// Counts one error.
    #[must_use]
    pub fn one_failed() -> Self {
        Self {
            failed: 1,
            ..Self::default()
        }
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(&self, more: &Self) -> Self {
        let mut both = *self;
        for (count, more) in both.counts.iter_mut().zip(more.counts) {
            *count = count.saturating_add(more);
        }
        both.sum_ms = both.sum_ms.saturating_add(more.sum_ms);
        both.failed = both.failed.saturating_add(more.failed);
        both
    }

    /// The number of answers that have a time.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().copied().fold(0, u64::saturating_add)
    }

    /// Returns whether nothing was counted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Yields every octave: its end in ms, and the number of answers in it. An answer that took longer than 65,536 ms is in none.
    pub fn octaves(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.into_iter().enumerate();
        counts.take(OCTAVES).map(|(at, count)| (end_ms(at), count))
    }

    /// Returns the time, in ms, that this many thousandths of the answers did not exceed. It assumes that answers lie evenly within an octave, so
    /// it may be wrong by less than a factor of two; 65,536 means that it may be longer. Returns `None` if no answer has a time.
    #[must_use]
    pub fn quantile_ms(&self, thousandths: u64) -> Option<u64> {
        let wanted = u128::from(self.count()) * u128::from(thousandths.min(1_000));
        let mut below = 0_u128;
        for (at, count) in self.counts.into_iter().enumerate() {
            let within = u128::from(count) * 1_000;
            if count > 0 && below + within >= wanted {
                let begin_ms = if at == 0 { 0 } else { end_ms(at - 1) };
                let width_ms = u128::from(end_ms(at).saturating_sub(begin_ms));
                let share_ms = (width_ms * (wanted - below)).div_ceil(within);
                return Some(begin_ms + u64::try_from(share_ms).unwrap_or(0));
            }
            below += within;
        }
        None
    }
}

impl From<AnswerTimes> for Stored {
    fn from(times: AnswerTimes) -> Self {
        let counts = times.counts;
        let is_some = |count: &u64| *count > 0;
        let first = counts.iter().position(is_some).unwrap_or(0);
        let end = counts.iter().rposition(is_some).map_or(first, |at| at + 1);
        Self {
            first: u8::try_from(first).unwrap_or(0),
            counts: counts.get(first..end).unwrap_or_default().to_vec(),
            sum_ms: times.sum_ms,
            failed: times.failed,
        }
    }
}

impl TryFrom<Stored> for AnswerTimes {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let first = usize::from(stored.first);
        let is_short = stored.counts.first() != Some(&0) && stored.counts.last() != Some(&0);
        if !is_short || (stored.counts.is_empty() && first > 0) {
            return Err("the counts of answer times begin or end with an empty octave");
        }
        let mut times = Self {
            sum_ms: stored.sum_ms,
            failed: stored.failed,
            ..Self::default()
        };
        let end = first.saturating_add(stored.counts.len());
        let place = times.counts.get_mut(first..end);
        let place = place.ok_or("there are more counts of answer times than octaves")?;
        place.copy_from_slice(&stored.counts);
        Ok(times)
    }
}
