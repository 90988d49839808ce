//! What an isolate remembers from one request for another: plain data, never a promise (one request's I/O must not
//! hang on another's). All of it may be lost at any moment; then a question more is asked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::gate::{Language, OpenPolicy, Outage, Template};
use crate::room::config::Mode;
use crate::token::{Pass, Standing, StockReport};
use crate::units::Fence;
use crate::wire::Told;

/// Renewed passes kept for their next request: about 100 bytes each of the isolate's 128 MB. Beyond that the oldest
/// fences are forgotten.
const RENEWED_MAX: usize = 4_096;
/// Renewals in flight at once in one isolate. Beyond that a pass is renewed when its end has come.
const RENEWING_MAX: usize = 4_096;
/// A renewal that was not ended by then was cut off with its request.
const RENEWING_MS_MAX: u64 = 30_000;

/// A mode of `bypass` is asked for again after this: nothing else would tell that the operator ended it.
const MODE_AGE_MS_MAX: u64 = 5_000;

/// How often one isolate tells a room how the origin answers.
const ANSWERS_EVERY_MS: u64 = 1_000;
/// That the shop is not believed is said so often at most, ms.
const REFUSED_EVERY_MS: u64 = 10_000;
/// Answers counted longer ago are not told: they say nothing of how the origin is now. Longer than it takes until errors
/// are told, shorter than any window of use.
const ANSWERS_AGE_MS_MAX: u64 = 5_000;

type Lease = (String, Fence);

#[derive(Default)]
struct Memory {
    templates: BTreeMap<Language, Rc<Template>>,
    rooms: BTreeMap<String, Heard>,
    /// When somebody last set out to ask for a room's mode, Unix ms.
    looked: BTreeMap<String, u64>,
    /// Since when, Unix ms.
    renewing: BTreeMap<Lease, u64>,
    renewed: BTreeMap<Lease, Pass>,
    /// Rooms that failed, by name: of those that there are.
    outages: BTreeMap<String, Outage>,
    /// Requests let in while a room failed, which it has not been told of.
    opened: BTreeMap<String, u64>,
    /// Of rooms that want to know.
    answers: BTreeMap<String, Answers>,
    stock: BTreeMap<String, Stock>,
}

/// What a room last let us know.
#[derive(Clone, Copy)]
struct Heard {
    at_ms: u64,
    no_walk_in: bool,
    mode: Mode,
    wants_health: Option<bool>,
}

/// What the shop said of its stock.
#[derive(Clone, Copy, Default)]
struct Stock {
    /// What the room has not been told of.
    news: Option<StockReport>,
    /// Of when the newest report is, by the shop's clock, Unix ms.
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

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
}

/// The page in this language, if it was read already.
pub fn template(language: Language) -> Option<Rc<Template>> {
    MEMORY.with_borrow(|memory| memory.templates.get(&language).cloned())
}

/// Keeps a page.
pub fn keep_template(language: Language, template: &Rc<Template>) {
    MEMORY.with_borrow_mut(|memory| memory.templates.insert(language, Rc::clone(template)));
}

/// A room has spoken. `at_ms` is when it was asked.
pub fn hear(room: &str, at_ms: u64, told: &Told) {
    MEMORY.with_borrow_mut(|memory| {
        let heard = Heard {
            at_ms,
            no_walk_in: told.no_walk_in,
            mode: told.status.mode,
            wants_health: told.wants_health,
        };
        if let Some(outage) = memory.outages.get_mut(room) {
            outage.heal();
        }
        let newer = memory.rooms.get(room).is_none_or(|old| old.at_ms <= at_ms);
        if newer {
            memory.rooms.insert(room.to_owned(), heard);
        }
    });
}

/// The room could not be reached, or was not just now. Whether one request is let in all the same; counts it if so.
pub fn opens(room: &str, now_ms: u64, policy: &OpenPolicy, failed: Failed) -> bool {
    MEMORY.with_borrow_mut(|memory| {
        let outage = memory.outages.entry(room.to_owned()).or_default();
        if failed == Failed::Now {
            outage.failed(now_ms, policy);
        }
        let lets_in = outage.lets_in(now_ms, policy);
        if lets_in {
            *memory.opened.entry(room.to_owned()).or_default() += 1;
        }
        lets_in
    })
}

/// When a room was found to be out of reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// By this request.
    Now,
    /// By an earlier one, if at all; this one asks nothing.
    Before,
}

/// How many were let in that the room has not been told of, once it answers again. Whoever takes them tells it.
pub fn take_opened(room: &str) -> Option<u64> {
    MEMORY.with_borrow_mut(|memory| {
        let is_on = memory.outages.get(room).is_some_and(Outage::is_on);
        if is_on {
            None
        } else {
            memory.opened.remove(room)
        }
    })
}

/// It was not told after all.
pub fn put_back_opened(room: &str, count: u64) {
    MEMORY.with_borrow_mut(|memory| {
        *memory.opened.entry(room.to_owned()).or_default() += count;
    });
}

/// Whether the room wants to know how the origin answers, as far as it was heard.
pub fn wants_health(room: &str) -> Option<bool> {
    MEMORY.with_borrow(|memory| memory.rooms.get(room)?.wants_health)
}

/// The origin answered somebody inside.
pub fn count_answer(room: &str, is_error: bool, now_ms: u64) {
    MEMORY.with_borrow_mut(|memory| {
        let answers = memory.answers.entry(room.to_owned()).or_default();
        answers.count(is_error, now_ms);
    });
}

/// Whether [`take_answers`] or [`take_stock`] gives something now.
pub fn may_tell_origin(room: &str, now_ms: u64) -> bool {
    MEMORY.with_borrow(|memory| {
        let answers = memory.answers.get(room);
        let stock = memory.stock.get(room);
        answers.is_some_and(|answers| answers.may_be_told(now_ms))
            || stock.is_some_and(|stock| stock.may_be_told(now_ms))
    })
}

/// The shop said how many seats are left. Whether that is newer than what is known here.
pub fn note_stock(room: &str, report: StockReport) -> bool {
    MEMORY.with_borrow_mut(|memory| {
        let stock = memory.stock.entry(room.to_owned()).or_default();
        let is_news = report.at_ms > stock.newest_ms;
        if is_news {
            stock.newest_ms = report.at_ms;
            stock.news = Some(report);
        }
        is_news
    })
}

/// Whether it is to be said that the shop is not believed; at most once in [`REFUSED_EVERY_MS`], since it is in every answer.
pub fn may_say_refused(room: &str, now_ms: u64) -> bool {
    MEMORY.with_borrow_mut(|memory| {
        let stock = memory.stock.entry(room.to_owned()).or_default();
        let may = now_ms.abs_diff(stock.refused_at_ms) >= REFUSED_EVERY_MS;
        if may {
            stock.refused_at_ms = now_ms;
        }
        may
    })
}

/// The seats left, if the room has not been told of them, at most once in [`ANSWERS_EVERY_MS`]. Whoever takes them
/// tells it; what gets lost on the way is lost.
pub fn take_stock(room: &str, now_ms: u64) -> Option<StockReport> {
    MEMORY.with_borrow_mut(|memory| {
        let stock = memory.stock.get_mut(room)?;
        if !stock.may_be_told(now_ms) {
            return None;
        }
        stock.told_at_ms = now_ms;
        stock.news.take()
    })
}

/// Good answers and errors that the room has not been told of, at most once in [`ANSWERS_EVERY_MS`]. Whoever takes
/// them tells it; what gets lost on the way is lost.
pub fn take_answers(room: &str, now_ms: u64) -> Option<(u32, u32)> {
    MEMORY.with_borrow_mut(|memory| {
        let answers = memory.answers.get_mut(room)?;
        if !answers.may_be_told(now_ms) {
            return None;
        }
        let taken = (answers.good, answers.bad);
        *answers = Answers {
            since_ms: now_ms,
            told_at_ms: now_ms,
            ..Answers::default()
        };
        Some(taken)
    })
}

/// Whether the room said within the last `tick_ms` that nobody can walk in. A clock that was set back makes it
/// forget.
pub fn is_lately_full(room: &str, now_ms: u64, tick_ms: u64) -> bool {
    let heard = MEMORY.with_borrow(|memory| memory.rooms.get(room).copied());
    heard.is_some_and(|heard| {
        heard.no_walk_in
            && now_ms
                .checked_sub(heard.at_ms)
                .is_some_and(|age_ms| age_ms < tick_ms)
    })
}

/// The mode that the room last spoke of.
pub fn heard_mode(room: &str) -> Option<Mode> {
    MEMORY.with_borrow(|memory| memory.rooms.get(room).map(|heard| heard.mode))
}

/// The mode that the room last spoke of, which the operator may have changed since the file was written, and whether
/// it was so long ago that the room should be asked again. Says so to one request only.
pub fn mode(room: &str, now_ms: u64) -> (Option<Mode>, bool) {
    MEMORY.with_borrow_mut(|memory| {
        let mode = memory.rooms.get(room).map(|heard| heard.mode);
        let heard_at_ms = memory.rooms.get(room).map(|heard| heard.at_ms);
        let looked_at_ms = memory.looked.get(room).copied();
        let is_old = [heard_at_ms, looked_at_ms]
            .into_iter()
            .flatten()
            .all(|at_ms| now_ms.abs_diff(at_ms) >= MODE_AGE_MS_MAX);
        if is_old {
            memory.looked.insert(room.to_owned(), now_ms);
        }
        (mode, is_old)
    })
}

/// Whether this request may renew the lease's pass: none other in this isolate does. End it with [`end_renewal`].
pub fn begin_renewal(room: &str, fence: Fence, now_ms: u64) -> bool {
    MEMORY.with_borrow_mut(|memory| {
        if memory.renewing.len() >= RENEWING_MAX {
            memory
                .renewing
                .retain(|_, since_ms| now_ms.abs_diff(*since_ms) < RENEWING_MS_MAX);
        }
        let lease = (room.to_owned(), fence);
        let since_ms = memory.renewing.get(&lease).copied();
        let is_free = since_ms.is_none_or(|since_ms| now_ms.abs_diff(since_ms) >= RENEWING_MS_MAX);
        let may = is_free && memory.renewing.len() < RENEWING_MAX;
        if may {
            memory.renewing.insert(lease, now_ms);
        }
        may
    })
}

/// The renewal is over, with or without a new pass.
pub fn end_renewal(room: &str, fence: Fence, renewed: Option<Pass>) {
    MEMORY.with_borrow_mut(|memory| {
        let lease = (room.to_owned(), fence);
        memory.renewing.remove(&lease);
        if let Some(pass) = renewed {
            memory.renewed.insert(lease, pass);
        }
        while memory.renewed.len() > RENEWED_MAX {
            memory.renewed.pop_first();
        }
    });
}

/// A pass that was renewed too late for the answer that asked for it, if it is still good.
pub fn renewed(room: &str, fence: Fence, now_ms: u64, pass_ttl_ms: u64) -> Option<Pass> {
    MEMORY.with_borrow_mut(|memory| {
        let lease = (room.to_owned(), fence);
        let pass = memory.renewed.get(&lease).copied()?;
        if pass.standing(now_ms, pass_ttl_ms) == Standing::Fresh {
            return Some(pass);
        }
        memory.renewed.remove(&lease);
        None
    })
}

/// The lease is over, or its new pass is on its way.
pub fn forget(room: &str, fence: Fence) {
    MEMORY.with_borrow_mut(|memory| memory.renewed.remove(&(room.to_owned(), fence)));
}
