//! What rooms have not been told of yet: how the origin answers and judges proofs, and what the shop says of its stock. A request
//! that takes some of it tells it.

use super::{REFUSED_EVERY_MS, change_room, of_room};
use crate::facts::proofs::ProofChecks;
use crate::token::StockReport;

/// How often one isolate tells a room how the origin answers.
const ANSWERS_EVERY_MS: u64 = 1_000;
/// How often one isolate tells a room of proofs that were all good, in ms.
const GOOD_PROOFS_EVERY_MS: u64 = 10_000;
/// Answers counted longer ago are not told: they say nothing of how the origin is now. Longer than it takes until errors
/// are told, shorter than any window of use.
const ANSWERS_AGE_MS_MAX: u64 = 5_000;

/// What one room has not been told of.
#[derive(Default)]
pub(super) struct Untold {
    /// If it wants to know.
    answers: Answers,
    stock: Stock,
    proofs: Proofs,
}

/// What the shop said of its stock.
#[derive(Clone, Copy, Default)]
struct Stock {
    /// What the room has not been told of.
    news: Option<StockReport>,
    /// When the shop made the newest report, by its clock, Unix ms.
    newest_ms: u64,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
    /// When it was last said that the shop is not believed, Unix ms.
    refused_at_ms: u64,
}

impl Stock {
    const fn may_be_told(&self, now_ms: u64) -> bool {
        self.news.is_some() && now_ms.abs_diff(self.told_at_ms) >= ANSWERS_EVERY_MS
    }
}

/// How the shop's check judged proofs, which the room has not been told of.
#[derive(Clone, Copy, Default)]
struct Proofs {
    checks: ProofChecks,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
    /// When somebody who has set out will tell it, Unix ms.
    teller_at_ms: u64,
}

impl Proofs {
    /// In how long they may be told; none: there are none. Refusals soon, for somebody is mending them; good ones are not
    /// worth a call of their own each second.
    fn due_in_ms(&self, now_ms: u64) -> Option<u64> {
        let every_ms = if self.checks.refuses() {
            ANSWERS_EVERY_MS
        } else {
            GOOD_PROOFS_EVERY_MS
        };
        let since_ms = now_ms.abs_diff(self.told_at_ms);
        (!self.checks.is_none()).then_some(every_ms.saturating_sub(since_ms))
    }

    fn may_be_told(&self, now_ms: u64) -> bool {
        self.due_in_ms(now_ms) == Some(0)
    }
}

/// How the origin answered people inside, which the room has not been told of.
#[derive(Clone, Copy, Default)]
struct Answers {
    good: u32,
    bad: u32,
    /// When counting began, Unix ms.
    since_ms: u64,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
}

impl Answers {
    const fn may_be_told(&self, now_ms: u64) -> bool {
        let is_late = now_ms.abs_diff(self.told_at_ms) >= ANSWERS_EVERY_MS;
        is_late && !self.is_old(now_ms) && (self.good > 0 || self.bad > 0)
    }

    const fn is_old(&self, now_ms: u64) -> bool {
        now_ms.abs_diff(self.since_ms) > ANSWERS_AGE_MS_MAX
    }

    const fn count(&mut self, is_error: bool, now_ms: u64) {
        if self.is_old(now_ms) {
            *self = Self {
                good: 0,
                bad: 0,
                since_ms: now_ms,
                told_at_ms: self.told_at_ms,
            };
        }
        if is_error {
            self.bad = self.bad.saturating_add(1);
        } else {
            self.good = self.good.saturating_add(1);
        }
    }
}

/// The origin answered somebody inside.
pub fn count_answer(room: &str, is_error: bool, now_ms: u64) {
    change_room(room, |known| known.untold.answers.count(is_error, now_ms));
}

/// Whether [`take_answers`] or [`take_stock`] gives something now.
pub fn may_tell_origin(room: &str, now_ms: u64) -> bool {
    let may = of_room(room, |known| {
        known.untold.answers.may_be_told(now_ms) || known.untold.stock.may_be_told(now_ms)
    });
    may.unwrap_or(false)
}

/// The shop said how many seats are left. True if that is newer than what is known here.
pub fn note_stock(room: &str, report: StockReport) -> bool {
    change_room(room, |known| {
        let stock = &mut known.untold.stock;
        let is_news = report.at_ms > stock.newest_ms;
        if is_news {
            stock.newest_ms = report.at_ms;
            stock.news = Some(report);
        }
        is_news
    })
}

/// The shop's check judged a proof. In how long whoever says so tells the room of it; none: somebody else does.
pub fn count_proof(room: &str, checks: &ProofChecks, now_ms: u64) -> Option<u64> {
    change_room(room, |known| {
        let proofs = &mut known.untold.proofs;
        proofs.checks = proofs.checks.plus(checks);
        let due_in_ms = proofs.due_in_ms(now_ms)?;
        let due_at_ms = now_ms.saturating_add(due_in_ms);
        if (now_ms..=due_at_ms).contains(&proofs.teller_at_ms) {
            return None;
        }
        proofs.teller_at_ms = due_at_ms;
        Some(due_in_ms)
    })
}

/// How proofs were judged, if the room has not been told and it is time to. The request that takes the counts tells it; what gets lost
/// on the way is lost.
pub fn take_proofs(room: &str, now_ms: u64) -> Option<ProofChecks> {
    if !of_room(room, |known| known.untold.proofs.may_be_told(now_ms))? {
        return None;
    }
    let told = Proofs {
        told_at_ms: now_ms,
        ..Proofs::default()
    };
    let taken = change_room(room, |known| {
        core::mem::replace(&mut known.untold.proofs, told)
    });
    Some(taken.checks)
}

/// The seats left, if the room has not been told of them, at most once in [`ANSWERS_EVERY_MS`]. The request that takes them
/// tells it; what gets lost on the way is lost.
pub fn take_stock(room: &str, now_ms: u64) -> Option<StockReport> {
    if !of_room(room, |known| known.untold.stock.may_be_told(now_ms))? {
        return None;
    }
    change_room(room, |known| {
        known.untold.stock.told_at_ms = now_ms;
        known.untold.stock.news.take()
    })
}

/// Good answers and errors that the room has not been told of, at most once in [`ANSWERS_EVERY_MS`]. The request that takes
/// them tells it; what gets lost on the way is lost.
pub fn take_answers(room: &str, now_ms: u64) -> Option<(u32, u32)> {
    if !of_room(room, |known| known.untold.answers.may_be_told(now_ms))? {
        return None;
    }
    let told = Answers {
        since_ms: now_ms,
        told_at_ms: now_ms,
        ..Answers::default()
    };
    let taken = change_room(room, |known| {
        core::mem::replace(&mut known.untold.answers, told)
    });
    Some((taken.good, taken.bad))
}

/// Whether it is to be said that the shop is not believed; at most once in [`REFUSED_EVERY_MS`], since it is in every answer.
pub fn may_say_refused(room: &str, now_ms: u64) -> bool {
    change_room(room, |known| {
        let stock = &mut known.untold.stock;
        let may = now_ms.abs_diff(stock.refused_at_ms) >= REFUSED_EVERY_MS;
        if may {
            stock.refused_at_ms = now_ms;
        }
        may
    })
}
