//! What a lobby counts for the room: join attempts, whose rise shows the pressure; how the origin answered people inside, and how long it took; how
//! its check judged their proofs; how many seats it has left; who had no entry token; what only an observing room lets in. The counts travel with the next batch, or with one of their
//! own if none comes for a while. They are sent once and never repeated: they are measurements, not promises.

use super::timers::Timer;
use super::{Lobby, Moment};
use crate::facts::answer_times::AnswerTimes;
use crate::facts::command::Command;
use crate::facts::entry::EntryRefusals;
use crate::facts::origin::OriginAnswers;
use crate::facts::proofs::ProofChecks;
use crate::facts::units::Instant;
use crate::wire::Ask;

/// How long attempts, good proofs and refused entry tokens wait for a batch before one is sent for them, in ms: at most
/// one row in ten seconds for a crowd that only reloads.
pub const ATTEMPTS_AFTER_MS: u64 = 10_000;
/// How long errors of the origin, refused proofs and seats wait for a batch before one is sent for them, in ms.
pub const ORIGIN_AFTER_MS: u64 = 1_000;

/// The least time between two reports of how long the origin took, in ms. They only ride along with other
/// batches: they are not worth a row of their own.
const TIMES_EVERY_MS: u64 = 10_000;

/// What was counted and not sent yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    attempts: u32,
    origin: OriginAnswers,
    /// The seats left, and when the shop said so, Unix ms by its clock.
    stock: Option<(u32, u64)>,
    proofs: ProofChecks,
    entry: EntryRefusals,
    observed_only: u64,
    times: AnswerTimes,
    /// When the answer times were last sent.
    times_at: Option<Instant>,
    overdue: bool,
}

impl Counts {
    /// Whether the counts are worth a batch of their own.
    pub const fn is_overdue(&self) -> bool {
        self.overdue
    }

    /// Notes that the counts have waited for a batch long enough.
    pub const fn mark_overdue(&mut self) {
        self.overdue = true;
    }

    pub const fn take_attempts(&mut self) -> u32 {
        core::mem::replace(&mut self.attempts, 0)
    }

    /// Takes what goes with a batch, if there is something.
    pub fn take_origin(&mut self, now: Instant) -> impl Iterator<Item = Command> {
        self.overdue = false;
        let origin = core::mem::take(&mut self.origin);
        let counts = (!origin.is_none()).then_some(Command::Origin(origin));
        let stock = self.stock.take();
        let stock = stock.map(|(left, reported_at_ms)| Command::Stock {
            left,
            reported_at_ms,
        });
        let proofs = core::mem::take(&mut self.proofs);
        let proofs = (!proofs.is_none()).then_some(Command::Proofs(proofs));
        let entry = core::mem::take(&mut self.entry);
        let entry = (!entry.is_none()).then_some(Command::EntryRefused(entry));
        let observed_only = core::mem::take(&mut self.observed_only);
        let observed_only = (observed_only > 0).then_some(Command::ObservedOnly(observed_only));
        let times = self.take_times(now).map(Command::AnswerTimes);
        let measured = counts.into_iter().chain(stock).chain(proofs);
        measured.chain(entry).chain(observed_only).chain(times)
    }

    fn take_times(&mut self, now: Instant) -> Option<AnswerTimes> {
        let is_early = |at: Instant| now.since_ms(at) < TIMES_EVERY_MS;
        if self.times.is_none() || self.times_at.is_some_and(is_early) {
            return None;
        }
        self.times_at = Some(now);
        Some(core::mem::take(&mut self.times))
    }
}

impl Lobby {
    /// Counts an attempt of a visitor without a permit to get in.
    pub(super) fn attempted(&mut self, now: Instant, ask: &Ask) {
        let phase = self.ticket_of(ask.visitor).map(|ticket| ticket.phase);
        if matches!(phase, None | Some(super::Phase::Waiting { .. })) {
            self.counts.attempts = self.counts.attempts.saturating_add(1);
            self.timers
                .set_once(Timer::Attempts, now.plus_ms(ATTEMPTS_AFTER_MS));
        }
    }

    /// Adds what a front has counted of the origin's answers to people inside. Good answers wait for a batch that goes anyway.
    pub fn handle_origin(&mut self, m: Moment, answers: &OriginAnswers) {
        self.awake(m);
        self.counts.origin.add(answers);
        if answers.sums().1 > 0 {
            self.tells_origin_by(m.now);
        }
        self.settle(m);
    }

    /// Adds what a front has measured of how long the origin took to answer people inside.
    pub fn handle_answer_times(&mut self, times: &AnswerTimes) {
        self.counts.times = self.counts.times.plus(times);
    }

    /// Notes how many seats the shop has left, as a front heard, and when the shop said so by its clock.
    /// Ignores a report that is no newer than the unsent one.
    pub fn handle_stock(&mut self, m: Moment, left: u32, reported_at_ms: u64) {
        self.awake(m);
        if self
            .counts
            .stock
            .is_none_or(|(_, at_ms)| at_ms < reported_at_ms)
        {
            self.counts.stock = Some((left, reported_at_ms));
            self.tells_origin_by(m.now);
        }
        self.settle(m);
    }

    /// Adds what a front has counted of how the shop's check judged proofs. Refusals are sent soon, since somebody is mending them.
    pub fn handle_proofs(&mut self, m: Moment, checks: &ProofChecks) {
        self.awake(m);
        self.counts.proofs = self.counts.proofs.plus(checks);
        if checks.refuses() {
            self.tells_origin_by(m.now);
        } else if !checks.is_none() {
            self.timers
                .set_once(Timer::Attempts, m.now.plus_ms(ATTEMPTS_AFTER_MS));
        }
        self.settle(m);
    }

    /// Adds what a front has counted of visits without a valid entry token.
    pub fn handle_entry_refusals(&mut self, m: Moment, refusals: &EntryRefusals) {
        self.awake(m);
        self.counts.entry = self.counts.entry.plus(refusals);
        if !refusals.is_none() {
            self.timers
                .set_once(Timer::Attempts, m.now.plus_ms(ATTEMPTS_AFTER_MS));
        }
        self.settle(m);
    }

    /// Adds what a front has counted of requests that the room lets in only because it observes.
    pub fn handle_observed_only(&mut self, m: Moment, count: u64) {
        self.awake(m);
        self.counts.observed_only = self.counts.observed_only.saturating_add(count);
        self.timers
            .set_once(Timer::Attempts, m.now.plus_ms(ATTEMPTS_AFTER_MS));
        self.settle(m);
    }

    fn tells_origin_by(&mut self, now: Instant) {
        self.timers
            .set_once(Timer::Origin, now.plus_ms(ORIGIN_AFTER_MS));
    }

    /// Whether the room wants to know how the origin answers, or `None` if the room was not heard yet.
    pub(super) fn wants_health(&self) -> Option<bool> {
        self.heard_at.map(|_| self.gist.wants_health)
    }
}
