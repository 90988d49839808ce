//! How the origin answered people inside, by lease. One person can make it fail as often as that person likes, so what is concluded goes by people.

use super::limits::ORIGIN_LEASES_MAX;
use super::units::Fence;
use serde::{Deserialize, Serialize};

/// The origin's answers under one lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Fence, u32, u32)", into = "(Fence, u32, u32)")]
pub struct LeaseAnswers {
    /// The lease.
    pub fence: Fence,
    /// Answers without errors.
    pub good: u32,
    /// Errors of the origin's own (5xx), or no answer at all.
    pub bad: u32,
}

impl From<(Fence, u32, u32)> for LeaseAnswers {
    fn from((fence, good, bad): (Fence, u32, u32)) -> Self {
        Self { fence, good, bad }
    }
}

impl From<LeaseAnswers> for (Fence, u32, u32) {
    fn from(of: LeaseAnswers) -> Self {
        (of.fence, of.good, of.bad)
    }
}

/// The origin's answers under several leases, in the order of their fences. At most [`ORIGIN_LEASES_MAX`]: those that come first, as a sample of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginAnswers(Vec<LeaseAnswers>);

impl OriginAnswers {
    /// Counts answers under a lease. A lease that comes when there are as many as may be goes uncounted. O(leases).
    pub fn count(&mut self, fence: Fence, good: u32, bad: u32) {
        match self.0.binary_search_by_key(&fence, |of| of.fence) {
            Ok(at) => {
                if let Some(of) = self.0.get_mut(at) {
                    of.good = of.good.saturating_add(good);
                    of.bad = of.bad.saturating_add(bad);
                }
            }
            Err(at) if self.0.len() < ORIGIN_LEASES_MAX && (good > 0 || bad > 0) => {
                self.0.insert(at, LeaseAnswers { fence, good, bad });
            }
            Err(_) => {}
        }
    }

    /// Counts all of these. O(leases²).
    pub fn add(&mut self, answers: &Self) {
        for of in answers.iter() {
            self.count(of.fence, of.good, of.bad);
        }
    }

    /// The leases, in the order of their fences.
    pub fn iter(&self) -> impl Iterator<Item = &LeaseAnswers> {
        self.0.iter()
    }

    /// Whether there is no answer.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// How many answers were without errors, and how many were errors. O(leases).
    #[must_use]
    pub fn sums(&self) -> (u64, u64) {
        self.0
            .iter()
            .fold((0, 0), |(good, bad), of| (good + u64::from(of.good), bad + u64::from(of.bad)))
    }
}
