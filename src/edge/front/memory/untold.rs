//! What was overheard and rooms have not been told yet. The request that takes it must tell it; what gets lost on the way is lost.

use super::{REFUSED_EVERY_MS, change_room, of_room};
use facts::origin::OriginAnswers;
use facts::overheard::Overheard;

/// How often one isolate tells a room what it overheard, ms. Requests of its own for that are as seldom as
/// [`may_wait_ms`](Overheard::may_wait_ms) says: on a quiet day no other request goes to the room.
const TOLD_EVERY_MS: u64 = 1_000;
/// The origin's answers that were counted longer ago are not told, ms: they no longer describe the origin. Longer than errors take to
/// be told, shorter than any useful window.
const ANSWERS_AGE_MS_MAX: u64 = 5_000;

/// What one room has not been told yet.
#[derive(Default)]
pub(super) struct Untold {
    heard: Overheard,
    /// When counting the origin's answers began, Unix ms.
    answers_since_ms: u64,
    /// When the room was last told, Unix ms.
    told_at_ms: u64,
    /// When a request that has set out will tell it, Unix ms.
    teller_at_ms: u64,
    /// When the shop made its newest report of its stock, Unix ms by its clock.
    stock_at_ms: u64,
    /// When the log last said that the shop is not believed, Unix ms.
    refused_at_ms: u64,
}

impl Untold {
    fn hear(&mut self, mut heard: Overheard, now_ms: u64) {
        self.forget_old_answers(now_ms);
        let newest_ms = self.stock_at_ms;
        heard.stock = heard.stock.filter(|said| said.at_ms > newest_ms);
        self.stock_at_ms = heard.stock.map_or(newest_ms, |said| said.at_ms);
        self.heard.merge(&heard);
    }

    fn forget_old_answers(&mut self, now_ms: u64) {
        if now_ms.abs_diff(self.answers_since_ms) > ANSWERS_AGE_MS_MAX {
            self.heard.origin = OriginAnswers::default();
            self.answers_since_ms = now_ms;
        }
    }

    fn begin_telling(&mut self, now_ms: u64) -> Option<u64> {
        let since_ms = now_ms.abs_diff(self.told_at_ms);
        let in_ms = self.heard.may_wait_ms()?.saturating_sub(since_ms);
        let at_ms = now_ms.saturating_add(in_ms);
        if (now_ms..=at_ms).contains(&self.teller_at_ms) {
            return None;
        }
        self.teller_at_ms = at_ms;
        Some(at_ms)
    }

    fn admit_teller(&mut self, at_ms: u64) -> bool {
        let is_so = self.teller_at_ms == at_ms;
        if is_so {
            self.told_at_ms = 0;
        }
        is_so
    }

    fn take(&mut self, now_ms: u64) -> Option<Overheard> {
        if now_ms.abs_diff(self.told_at_ms) < TOLD_EVERY_MS {
            return None;
        }
        self.forget_old_answers(now_ms);
        let heard = core::mem::take(&mut self.heard);
        if heard.is_none() {
            return None;
        }
        // Whoever has set out finds nothing of what comes from now on due.
        (self.told_at_ms, self.teller_at_ms) = (now_ms, 0);
        self.answers_since_ms = now_ms;
        Some(heard)
    }
}

/// Notes what was overheard of a room.
pub fn overhear(room: &str, heard: Overheard, now_ms: u64) {
    change_room(room, |known| known.untold.hear(heard, now_ms));
}

/// Returns when the caller must tell the room what was overheard, Unix ms; `None` if nothing is worth that, or another request has set out to. Until
/// then it waits, and then asks [`admit_teller`].
pub fn begin_telling(room: &str, now_ms: u64) -> Option<u64> {
    change_room(room, |known| known.untold.begin_telling(now_ms))
}

/// Returns whether the request that set out to tell the room at `at_ms` must still do so, and lets the next [`take_overheard`] give it what there is.
/// No clock is asked: a timer may ring before `Date.now()` says that it is time, by 2 ms in workerd 2026-11.
pub fn admit_teller(room: &str, at_ms: u64) -> bool {
    change_room(room, |known| known.untold.admit_teller(at_ms))
}

/// Takes what the room has not been told of, at most once in [`TOLD_EVERY_MS`].
pub fn take_overheard(room: &str, now_ms: u64) -> Option<Overheard> {
    // A room of which nothing is remembered is not entered into the memory by this.
    of_room(room, |_| ())?;
    change_room(room, |known| known.untold.take(now_ms))
}

/// Returns true if the log may say now that the shop is not believed: once in [`REFUSED_EVERY_MS`], because every answer may give a reason to.
pub fn begin_saying_refused(room: &str, now_ms: u64) -> bool {
    change_room(room, |known| {
        let untold = &mut known.untold;
        let may = now_ms.abs_diff(untold.refused_at_ms) >= REFUSED_EVERY_MS;
        if may {
            untold.refused_at_ms = now_ms;
        }
        may
    })
}
