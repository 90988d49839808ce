//! What an isolate remembers from one request for another: plain data, never a promise (one request's I/O must not
//! hang on another's). All of it may be lost at any moment; then a question more is asked.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::facts::config::Mode;
use crate::facts::proofs::ProofChecks;
use crate::facts::units::Fence;
use crate::gate::{Address, Guesses, Language, Openly, Outage, Template};
use crate::settings::OpenPolicy;
use crate::token::{Pass, Standing, StockReport};
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
/// How often one isolate tells a room of proofs that were all good, in ms.
const GOOD_PROOFS_EVERY_MS: u64 = 10_000;
/// Answers counted longer ago are not told: they say nothing of how the origin is now. Longer than it takes until errors
/// are told, shorter than any window of use.
const ANSWERS_AGE_MS_MAX: u64 = 5_000;

type Lease = (String, Fence);

#[derive(Default)]
struct Memory {
    /// One a language that was asked for, of the few that there are.
    templates: Vec<(Language, Rc<Template>)>,
    /// What is shown in place of an origin that does not answer.
    down_pages: Vec<(Language, Rc<str>)>,
    /// By name: of those that there are.
    rooms: BTreeMap<String, OfRoom>,
    /// Since when, Unix ms.
    renewing: BTreeMap<Lease, u64>,
    renewed: BTreeMap<Lease, Pass>,
    guesses: Guesses,
}

/// What is remembered of one room.
#[derive(Default)]
struct OfRoom {
    heard: Option<Heard>,
    /// When somebody last set out to ask for its mode, Unix ms.
    looked_at_ms: Option<u64>,
    outage: Outage,
    /// Requests let in while it failed, which it has not been told of.
    opened: u64,
    /// If it wants to know.
    answers: Answers,
    stock: Stock,
    proofs: Proofs,
    /// By [`Openly`].
    openly: [Option<Said>; Openly::COUNT],
}

/// What a room said to everybody.
#[derive(Clone)]
pub struct Said {
    /// When it was asked, Unix ms.
    pub at_ms: u64,
    /// JSON.
    pub text: String,
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

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
    /// When an unknown key was said in the log last.
    static UNKNOWN_KEY_AT_MS: Cell<u64> = const { Cell::new(0) };
}

/// For how many seconds no operator's token of this address is looked at; none: it is.
pub fn slowed_s(now_ms: u64, from: Option<Address>) -> Option<u64> {
    MEMORY.with_borrow(|memory| memory.guesses.slowed_s(now_ms, from))
}

/// Somebody showed an operator's token that is nobody's.
pub fn note_guess(now_ms: u64, from: Option<Address>) {
    MEMORY.with_borrow_mut(|memory| memory.guesses.fail(now_ms, from));
}

/// Looks at what is remembered of a room, if anything is.
fn of_room<T>(room: &str, look: impl FnOnce(&OfRoom) -> T) -> Option<T> {
    MEMORY.with_borrow(|memory| memory.rooms.get(room).map(look))
}

/// Changes what is remembered of a room.
fn change_room<T>(room: &str, change: impl FnOnce(&mut OfRoom) -> T) -> T {
    MEMORY.with_borrow_mut(|memory| change(memory.rooms.entry(room.to_owned()).or_default()))
}

/// The page in this language, if it was read already.
pub fn template(language: Language) -> Option<Rc<Template>> {
    MEMORY.with_borrow(|memory| {
        let mut kept = memory.templates.iter();
        let found = kept.find(|(of, _)| *of == language)?;
        Some(Rc::clone(&found.1))
    })
}

/// Keeps a page.
pub fn keep_template(language: Language, template: &Rc<Template>) {
    MEMORY.with_borrow_mut(|memory| {
        memory.templates.retain(|(of, _)| *of != language);
        memory.templates.push((language, Rc::clone(template)));
    });
}

/// A room has spoken. `at_ms` is when it was asked.
pub fn hear(room: &str, at_ms: u64, told: &Told) {
    change_room(room, |known| {
        known.outage.heal();
        if known.heard.is_none_or(|old| old.at_ms <= at_ms) {
            known.heard = Some(Heard {
                at_ms,
                no_walk_in: told.no_walk_in,
                mode: told.status.mode,
                wants_health: told.wants_health,
            });
        }
    });
}

/// The room could not be reached, or was not just now. Whether one request is let in all the same; counts it if so.
pub fn opens(room: &str, now_ms: u64, policy: &OpenPolicy, failed: Failed) -> bool {
    change_room(room, |known| {
        if failed == Failed::Now {
            known.outage.failed(now_ms, policy);
        }
        let lets_in = known.outage.lets_in(now_ms, policy);
        known.opened += u64::from(lets_in);
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
    if !of_room(room, |known| known.opened > 0 && !known.outage.is_on())? {
        return None;
    }
    Some(change_room(room, |known| {
        core::mem::take(&mut known.opened)
    }))
}

/// It was not told after all.
pub fn put_back_opened(room: &str, count: u64) {
    change_room(room, |known| known.opened += count);
}

/// Whether the room wants to know how the origin answers, as far as it was heard.
pub fn wants_health(room: &str) -> Option<bool> {
    heard(room)?.wants_health
}

/// The origin answered somebody inside.
pub fn count_answer(room: &str, is_error: bool, now_ms: u64) {
    change_room(room, |known| known.answers.count(is_error, now_ms));
}

/// Whether [`take_answers`] or [`take_stock`] gives something now.
pub fn may_tell_origin(room: &str, now_ms: u64) -> bool {
    let may = of_room(room, |known| {
        known.answers.may_be_told(now_ms) || known.stock.may_be_told(now_ms)
    });
    may.unwrap_or(false)
}

/// The shop said how many seats are left. Whether that is newer than what is known here.
pub fn note_stock(room: &str, report: StockReport) -> bool {
    change_room(room, |known| {
        let stock = &mut known.stock;
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
    change_room(room, |known| {
        let stock = &mut known.stock;
        let may = now_ms.abs_diff(stock.refused_at_ms) >= REFUSED_EVERY_MS;
        if may {
            stock.refused_at_ms = now_ms;
        }
        may
    })
}

/// The page in place of the origin's answer, if it was read before.
pub fn down_page(language: Language) -> Option<Rc<str>> {
    MEMORY.with_borrow(|memory| {
        let mut kept = memory.down_pages.iter();
        kept.find(|(of, _)| *of == language)
            .map(|(_, page)| Rc::clone(page))
    })
}

/// Keeps it; one for each language.
pub fn keep_down_page(language: Language, page: &Rc<str>) {
    MEMORY.with_borrow_mut(|memory| {
        memory.down_pages.retain(|(of, _)| *of != language);
        memory.down_pages.push((language, Rc::clone(page)));
    });
}

/// Whether an unknown key may be said in the log now: once in [`REFUSED_EVERY_MS`].
pub fn may_say_unknown_key(now_ms: u64) -> bool {
    UNKNOWN_KEY_AT_MS.with(|at_ms| {
        let may = now_ms.abs_diff(at_ms.get()) >= REFUSED_EVERY_MS;
        if may {
            at_ms.set(now_ms);
        }
        may
    })
}

/// The shop's check judged a proof. In how long whoever says so tells the room of it; none: somebody else does.
pub fn count_proof(room: &str, checks: &ProofChecks, now_ms: u64) -> Option<u64> {
    change_room(room, |known| {
        let proofs = &mut known.proofs;
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

/// How proofs were judged, if the room has not been told and it is time to. Whoever takes the counts tells it; what gets lost
/// on the way is lost.
pub fn take_proofs(room: &str, now_ms: u64) -> Option<ProofChecks> {
    if !of_room(room, |known| known.proofs.may_be_told(now_ms))? {
        return None;
    }
    let told = Proofs {
        told_at_ms: now_ms,
        ..Proofs::default()
    };
    let taken = change_room(room, |known| core::mem::replace(&mut known.proofs, told));
    Some(taken.checks)
}

/// The seats left, if the room has not been told of them, at most once in [`ANSWERS_EVERY_MS`]. Whoever takes them
/// tells it; what gets lost on the way is lost.
pub fn take_stock(room: &str, now_ms: u64) -> Option<StockReport> {
    if !of_room(room, |known| known.stock.may_be_told(now_ms))? {
        return None;
    }
    change_room(room, |known| {
        known.stock.told_at_ms = now_ms;
        known.stock.news.take()
    })
}

/// Good answers and errors that the room has not been told of, at most once in [`ANSWERS_EVERY_MS`]. Whoever takes
/// them tells it; what gets lost on the way is lost.
pub fn take_answers(room: &str, now_ms: u64) -> Option<(u32, u32)> {
    if !of_room(room, |known| known.answers.may_be_told(now_ms))? {
        return None;
    }
    let told = Answers {
        since_ms: now_ms,
        told_at_ms: now_ms,
        ..Answers::default()
    };
    let taken = change_room(room, |known| core::mem::replace(&mut known.answers, told));
    Some((taken.good, taken.bad))
}

/// Whether the room said within the last `tick_ms` that nobody can walk in. A clock that was set back makes it
/// forget.
pub fn is_lately_full(room: &str, now_ms: u64, tick_ms: u64) -> bool {
    heard(room).is_some_and(|heard| {
        heard.no_walk_in
            && now_ms
                .checked_sub(heard.at_ms)
                .is_some_and(|age_ms| age_ms < tick_ms)
    })
}

/// What the room last let us know.
fn heard(room: &str) -> Option<Heard> {
    of_room(room, |known| known.heard).flatten()
}

/// The mode that the room last spoke of.
pub fn heard_mode(room: &str) -> Option<Mode> {
    heard(room).map(|heard| heard.mode)
}

/// The mode that the room last spoke of, which the operator may have changed since the file was written, and whether
/// it was so long ago that the room should be asked again. Says so to one request only.
pub fn mode(room: &str, now_ms: u64) -> (Option<Mode>, bool) {
    change_room(room, |known| {
        let heard_at_ms = known.heard.map(|heard| heard.at_ms);
        let is_old = [heard_at_ms, known.looked_at_ms]
            .into_iter()
            .flatten()
            .all(|at_ms| now_ms.abs_diff(at_ms) >= MODE_AGE_MS_MAX);
        if is_old {
            known.looked_at_ms = Some(now_ms);
        }
        (known.heard.map(|heard| heard.mode), is_old)
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

/// What the room said to everybody.
pub fn said(room: &str, what: Openly) -> Option<Said> {
    of_room(room, |known| {
        known.openly.get(what as usize).cloned().flatten()
    })
    .flatten()
}

/// The room has said it.
pub fn keep_said(room: &str, what: Openly, said: Said) {
    change_room(room, |known| {
        if let Some(place) = known.openly.get_mut(what as usize) {
            *place = Some(said);
        }
    });
}
