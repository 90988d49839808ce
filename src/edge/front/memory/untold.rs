//! What rooms have not been told yet: how the origin answers and how long it takes, how it judges proofs, what the shop says of its stock, which
//! entry tokens were refused, and what a room let in only because it observes. The request that takes some of it must tell it; what gets lost on the way is lost.

use super::{REFUSED_EVERY_MS, change_room, of_room};
use crate::facts::answer_times::AnswerTimes;
use crate::facts::entry::{EntryRefusal, EntryRefusals};
use crate::facts::origin::OriginAnswers;
use crate::facts::proofs::ProofChecks;
use crate::facts::units::Fence;
use crate::token::StockReport;

/// How often one isolate tells a room how the origin answers, ms.
const ANSWERS_EVERY_MS: u64 = 1_000;
/// How often it tells of what is [`Seldom`] by a request of its own, ms: on a quiet day no other request goes to the room. Along with another
/// request it tells of it as often as of answers.
const SELDOM_EVERY_MS: u64 = 10_000;
/// How often one isolate tells a room of proofs that were all good, ms.
const GOOD_PROOFS_EVERY_MS: u64 = 10_000;
/// Answers counted longer ago are not told, ms: they no longer describe the origin. Longer than errors take to
/// be told, shorter than any useful window.
const ANSWERS_AGE_MS_MAX: u64 = 5_000;

/// What one room has not been told yet.
#[derive(Default)]
pub(super) struct Untold {
    /// Counted only if the room wants to know.
    answers: Answers,
    stock: Stock,
    proofs: Proofs,
    refusals: Seldom<EntryRefusals>,
    observed_only: Seldom<u64>,
    times: Times,
}

/// Counts of which the room is told now and then.
#[derive(Clone, Copy, Default)]
struct Seldom<T> {
    counts: T,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
    /// When a request that has set out will tell it, Unix ms.
    teller_at_ms: u64,
}

impl<T: Copy + Default + PartialEq> Seldom<T> {
    /// Counts. Returns in how many ms the caller must tell the room; `None` if another request has set out to.
    fn count(&mut self, now_ms: u64, plus: impl FnOnce(T) -> T) -> Option<u64> {
        self.counts = plus(self.counts);
        let since_ms = now_ms.abs_diff(self.told_at_ms);
        let in_ms = SELDOM_EVERY_MS.saturating_sub(since_ms);
        let at_ms = now_ms.saturating_add(in_ms);
        if (now_ms..=at_ms).contains(&self.teller_at_ms) {
            return None;
        }
        self.teller_at_ms = at_ms;
        Some(in_ms)
    }

    fn may_be_told(&self, now_ms: u64) -> bool {
        let since_ms = now_ms.abs_diff(self.told_at_ms);
        since_ms >= ANSWERS_EVERY_MS && self.counts != T::default()
    }

    fn take(&mut self, now_ms: u64) -> T {
        self.told_at_ms = now_ms;
        core::mem::take(&mut self.counts)
    }
}

/// How long the origin took to answer people inside, which the room has not been told of. No request is sent for this.
#[derive(Clone, Copy, Default)]
struct Times {
    counts: AnswerTimes,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
}

/// What the shop said of its stock.
#[derive(Clone, Copy, Default)]
struct Stock {
    /// The newest report, if the room has not been told of it.
    news: Option<StockReport>,
    /// When the shop made the newest report, Unix ms by its clock.
    newest_ms: u64,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
    /// When the log last said that the shop is not believed, Unix ms.
    refused_at_ms: u64,
}

impl Stock {
    const fn may_be_told(&self, now_ms: u64) -> bool {
        self.news.is_some() && now_ms.abs_diff(self.told_at_ms) >= ANSWERS_EVERY_MS
    }
}

/// The shop's verdicts on proofs that the room has not been told of.
#[derive(Clone, Copy, Default)]
struct Proofs {
    checks: ProofChecks,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
    /// When a request that has set out will tell it, Unix ms.
    teller_at_ms: u64,
}

impl Proofs {
    /// Returns in how many ms the checks may be told, or `None` if there are none. Refusals are told soon, because somebody is mending the check;
    /// good proofs are not worth a call of their own each second.
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

/// The origin's answers to people inside that the room has not been told of.
#[derive(Default)]
struct Answers {
    counts: OriginAnswers,
    /// When counting began, Unix ms.
    since_ms: u64,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
}

impl Answers {
    const fn may_be_told(&self, now_ms: u64) -> bool {
        let is_late = now_ms.abs_diff(self.told_at_ms) >= ANSWERS_EVERY_MS;
        is_late && !self.is_old(now_ms) && !self.counts.is_none()
    }

    const fn is_old(&self, now_ms: u64) -> bool {
        now_ms.abs_diff(self.since_ms) > ANSWERS_AGE_MS_MAX
    }

    fn count(&mut self, fence: Fence, is_error: bool, now_ms: u64) {
        if self.is_old(now_ms) {
            self.counts = OriginAnswers::default();
            self.since_ms = now_ms;
        }
        let bad = u32::from(is_error);
        self.counts.count(fence, 1 - bad, bad);
    }
}

/// Counts an answer of the origin's under a lease.
pub fn count_answer(room: &str, fence: Fence, is_error: bool, now_ms: u64) {
    change_room(room, |known| {
        known.untold.answers.count(fence, is_error, now_ms);
    });
}

/// Whether [`take_answers`] or [`take_stock`] yields something now.
pub fn may_tell_origin(room: &str, now_ms: u64) -> bool {
    let may = of_room(room, |known| {
        known.untold.answers.may_be_told(now_ms) || known.untold.stock.may_be_told(now_ms)
    });
    may.unwrap_or(false)
}

/// Notes how many seats the shop says are left. Returns true if the report is newer than any known here.
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

/// Counts a proof that the shop's check judged. Returns in how many ms the caller must tell the room; `None` if another request has set out to.
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

/// Takes how proofs were judged, if the room has not been told and it is time to. The request that takes the counts must tell
/// them; what gets lost on the way is lost.
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

/// Takes the seats left, if the room has not been told of them, at most once in [`ANSWERS_EVERY_MS`]. The request that takes them must tell
/// them; what gets lost on the way is lost.
pub fn take_stock(room: &str, now_ms: u64) -> Option<StockReport> {
    if !of_room(room, |known| known.untold.stock.may_be_told(now_ms))? {
        return None;
    }
    change_room(room, |known| {
        known.untold.stock.told_at_ms = now_ms;
        known.untold.stock.news.take()
    })
}

/// Takes the good answers and errors that the room has not been told of, at most once in [`ANSWERS_EVERY_MS`]. The request that takes them must tell
/// them; what gets lost on the way is lost.
pub fn take_answers(room: &str, now_ms: u64) -> Option<OriginAnswers> {
    if !of_room(room, |known| known.untold.answers.may_be_told(now_ms))? {
        return None;
    }
    let told = Answers {
        since_ms: now_ms,
        told_at_ms: now_ms,
        counts: OriginAnswers::default(),
    };
    let taken = change_room(room, |known| {
        core::mem::replace(&mut known.untold.answers, told)
    });
    Some(taken.counts)
}

/// Returns true if the log may say now that the shop is not believed: once in [`REFUSED_EVERY_MS`], because every answer may give a reason to.
pub fn begin_saying_refused(room: &str, now_ms: u64) -> bool {
    change_room(room, |known| {
        let stock = &mut known.untold.stock;
        let may = now_ms.abs_diff(stock.refused_at_ms) >= REFUSED_EVERY_MS;
        if may {
            stock.refused_at_ms = now_ms;
        }
        may
    })
}

/// Counts a refused entry token. Returns in how many ms the caller must tell the room; `None` if another request has set out to.
pub fn count_refusal(room: &str, why: EntryRefusal, now_ms: u64) -> Option<u64> {
    change_room(room, |known| {
        let refusals = &mut known.untold.refusals;
        refusals.count(now_ms, |counts| counts.plus(&EntryRefusals::one(why)))
    })
}

/// Takes the refused entry tokens that the room has not been told of, at most once in [`ANSWERS_EVERY_MS`].
pub fn take_refusals(room: &str, now_ms: u64) -> Option<EntryRefusals> {
    take_seldom(room, now_ms, |untold| &mut untold.refusals)
}

/// Counts a request that the room lets in only because it observes. Returns what [`count_refusal`] does.
pub fn count_observed_only(room: &str, now_ms: u64) -> Option<u64> {
    change_room(room, |known| {
        let observed_only = &mut known.untold.observed_only;
        observed_only.count(now_ms, |count| count.saturating_add(1))
    })
}

/// Takes how many such requests the room has not been told of, at most once in [`ANSWERS_EVERY_MS`].
pub fn take_observed_only(room: &str, now_ms: u64) -> Option<u64> {
    take_seldom(room, now_ms, |untold| &mut untold.observed_only)
}

fn take_seldom<T: Copy + Default + PartialEq>(
    room: &str,
    now_ms: u64,
    of: impl FnOnce(&mut Untold) -> &mut Seldom<T>,
) -> Option<T> {
    // A room of which nothing is remembered is not entered into the memory by this.
    of_room(room, |_| ())?;
    change_room(room, |known| {
        let seldom = of(&mut known.untold);
        seldom.may_be_told(now_ms).then(|| seldom.take(now_ms))
    })
}

/// Counts an answer of the origin's to somebody inside by the time that it took.
pub fn count_times(room: &str, times: &AnswerTimes) {
    change_room(room, |known| {
        let counts = &mut known.untold.times.counts;
        *counts = counts.plus(times);
    });
}

/// Takes the times that the room has not been told of, at most once in [`ANSWERS_EVERY_MS`].
pub fn take_times(room: &str, now_ms: u64) -> Option<AnswerTimes> {
    let is_due = |times: &Times| {
        !times.counts.is_none() && now_ms.abs_diff(times.told_at_ms) >= ANSWERS_EVERY_MS
    };
    if !of_room(room, |known| is_due(&known.untold.times))? {
        return None;
    }
    change_room(room, |known| {
        known.untold.times.told_at_ms = now_ms;
        Some(core::mem::take(&mut known.untold.times.counts))
    })
}
