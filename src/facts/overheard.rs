//! What fronts overhear on the way and tell the room through its lobbies: measurements, which are sent once and never repeated. A new one is a field
//! here, with a line in `merge` and in `haste`, and what the room makes of it.

use super::answer_times::AnswerTimes;
use super::entry::EntryRefusals;
use super::origin::OriginAnswers;
use super::proofs::ProofChecks;
use serde::{Deserialize, Serialize};

/// How long news for which somebody acts wait for a message that goes anyway, in ms.
pub const SOON_MS: u64 = 1_000;
/// How long everything else that is worth a message waits for one that goes anyway, in ms: at most one row in ten seconds for a crowd that only
/// reloads.
pub const LATER_MS: u64 = 10_000;

/// What was overheard since the last telling.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overheard {
    /// How the origin answered people inside, by lease. Counted only if the room wants to know.
    #[serde(with = "if_any")]
    pub origin: OriginAnswers,
    /// What the shop last said of its stock.
    pub stock: Option<StockReport>,
    /// How the shop's check judged the proofs of forwarded requests.
    #[serde(with = "if_any")]
    pub proofs: ProofChecks,
    /// Visits whose entry token or voucher was refused.
    #[serde(with = "if_any")]
    pub entry: EntryRefusals,
    /// Requests that the room let in only because it observes.
    #[serde(with = "if_any")]
    pub observed_only: u64,
    /// Commands in the shop's answers that Baton ignored, by which somebody keeps a permit that the shop meant to take back.
    #[serde(with = "if_any")]
    pub unheeded: u64,
    /// How long the origin took to answer people inside.
    #[serde(with = "if_any")]
    pub times: AnswerTimes,
}

/// How many seats the shop has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockReport {
    /// Seats left.
    pub left: u32,
    /// When the shop said so, by its own clock, Unix ms. A report that is no newer than another is no news.
    pub at_ms: u64,
}

/// How soon the room should hear of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Haste {
    /// It goes with another message, and not with each.
    Seldom,
    /// It goes with the next other message.
    Along,
    /// Like `Along`, but is worth a message of its own after [`LATER_MS`].
    Later,
    /// Like `Along`, but is worth a message of its own after [`SOON_MS`].
    Soon,
}

impl Overheard {
    /// Adds what was overheard later.
    pub fn merge(&mut self, more: &Self) {
        let Self {
            origin,
            stock,
            proofs,
            entry,
            observed_only,
            unheeded,
            times,
        } = more;
        self.origin.add(origin);
        if stock.map(|said| said.at_ms) > self.stock.map(|said| said.at_ms) {
            self.stock = *stock;
        }
        self.proofs = self.proofs.plus(proofs);
        self.entry = self.entry.plus(entry);
        self.observed_only = self.observed_only.saturating_add(*observed_only);
        self.unheeded = self.unheeded.saturating_add(*unheeded);
        self.times = self.times.plus(times);
    }

    /// Returns whether nothing was overheard.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns how soon the room should hear of it, or `None` if nothing was overheard. Somebody mends a check that refuses proofs, and calls stop
    /// for errors: these go soon.
    #[must_use]
    pub fn haste(&self) -> Option<Haste> {
        let Self {
            origin,
            stock,
            proofs,
            entry,
            observed_only,
            unheeded,
            times,
        } = self;
        let counts = !proofs.is_none() || !entry.is_none() || observed_only + unheeded > 0;
        let hurries = origin.sums().1 > 0 || proofs.refuses() || stock.is_some();
        let all = [
            (!times.is_none(), Haste::Seldom),
            (!origin.is_none(), Haste::Along),
            (counts, Haste::Later),
            (hurries, Haste::Soon),
        ];
        let so = all.into_iter().filter(|(is_so, _)| *is_so);
        so.map(|(_, haste)| haste).max()
    }

    /// Returns how long it may wait for a message that goes anyway, in ms; `None` if it is worth none of its own.
    #[must_use]
    pub fn may_wait_ms(&self) -> Option<u64> {
        match self.haste()? {
            Haste::Seldom | Haste::Along => None,
            Haste::Later => Some(LATER_MS),
            Haste::Soon => Some(SOON_MS),
        }
    }
}

/// A measurement travels and is stored only if it says something.
mod if_any {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer, T: Serialize + Default + PartialEq>(said: &T, to: S) -> Result<S::Ok, S::Error> {
        (*said != T::default()).then_some(said).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default + PartialEq>(from: D) -> Result<T, D::Error> {
        match Option::<T>::deserialize(from)? {
            Some(said) if said == T::default() => Err(D::Error::custom("a measurement says nothing")),
            said => Ok(said.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryRefusal;
    use crate::units::Fence;

    fn of(change: impl FnOnce(&mut Overheard)) -> Overheard {
        let mut heard = Overheard::default();
        change(&mut heard);
        heard
    }

    /// One measurement of each kind, with how soon it should be told.
    fn each() -> Vec<(Overheard, Option<Haste>)> {
        let stock = |at_ms| Some(StockReport { left: 9, at_ms });
        let proof = |verdict| ProofChecks::one(verdict).unwrap();
        let missing = EntryRefusals::one(EntryRefusal::Missing);
        vec![
            (Overheard::default(), None),
            (of(|it| it.times = AnswerTimes::one(7)), Some(Haste::Seldom)),
            (of(|it| it.origin.count(Fence(1), 1, 0)), Some(Haste::Along)),
            (of(|it| it.proofs = proof("ok")), Some(Haste::Later)),
            (of(|it| it.entry = missing), Some(Haste::Later)),
            (of(|it| it.observed_only = 1), Some(Haste::Later)),
            (of(|it| it.unheeded = 1), Some(Haste::Later)),
            (of(|it| it.proofs = proof("mac")), Some(Haste::Soon)),
            (of(|it| it.origin.count(Fence(1), 0, 1)), Some(Haste::Soon)),
            (of(|it| it.stock = stock(5)), Some(Haste::Soon)),
        ]
    }

    #[test]
    fn what_hurries_most_takes_the_rest_along() {
        for (one, haste) in each() {
            assert_eq!(one.haste(), haste, "{one:?}");
            for (other, others) in each() {
                let mut both = one.clone();
                both.merge(&other);
                assert_eq!(both.haste(), haste.max(others), "{both:?}");
            }
        }
    }

    #[test]
    fn parts_that_say_nothing_take_a_byte_and_none_of_them_is_lost_on_the_way() {
        let mut all = Overheard::default();
        for (one, _) in each() {
            all.merge(&one);
            for heard in [&one, &all] {
                let bytes = postcard::to_allocvec(heard).unwrap();
                assert_eq!(postcard::from_bytes::<Overheard>(&bytes).unwrap(), *heard);
                let json = serde_json::to_string(heard).unwrap();
                assert_eq!(serde_json::from_str::<Overheard>(&json).unwrap(), *heard);
            }
        }
        let none = postcard::to_allocvec(&Overheard::default()).unwrap();
        assert_eq!(none, [0; 7]);
        let said = postcard::from_bytes::<Overheard>(&[0, 0, 0, 0, 1, 0, 0, 0]);
        assert!(said.is_err(), "a count of none");
        assert_eq!(serde_json::from_str::<Overheard>("{}").unwrap(), Overheard::default());
    }

    #[test]
    fn of_two_reports_of_the_stock_the_newer_counts() {
        let said = |left, at_ms| of(|it| it.stock = Some(StockReport { left, at_ms }));
        let mut heard = said(9, 5);
        heard.merge(&said(8, 4));
        heard.merge(&said(7, 5));
        assert_eq!(heard, said(9, 5));
        heard.merge(&said(6, 6));
        assert_eq!(heard, said(6, 6));
    }
}
