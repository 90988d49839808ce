//! What the room counts and measures of itself. It decides nothing by either.

use super::permits::{Grant, Stage};
use super::tickets::Tickets;
use super::times::Times;
use super::times::hour::Sample;
use super::times::observed::VisitEnd;
use facts::config::{Mode, RoomConfig};
use facts::entry::EntryRefusals;
use facts::event::How;
use facts::overheard::Overheard;
use facts::proofs::ProofChecks;
use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// The counters and the measurements, both of the same facts since the edition began; the last hour alone goes on from one edition to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The counters.
    pub totals: Totals,
    /// The measurements.
    pub times: Times,
}

/// Counters since the edition began, for operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Join attempts, repeats included. How fast this rises shows the pressure.
    pub attempts: u64,
    /// Tickets issued to people who wait.
    pub joined: u64,
    /// Walk-ins: visitors who never waited.
    pub walked_in: u64,
    /// Calls by the usher.
    pub called: u64,
    /// Calls by baton.
    pub handed: u64,
    /// Calls that were answered.
    pub claimed: u64,
    /// Leases given back.
    pub released: u64,
    /// Leases that reached their end.
    pub expired: u64,
    /// Of the expired leases, those of walk-ins that never showed their cookie.
    pub unproven: u64,
    /// Calls that nobody answered.
    pub missed: u64,
    /// Places given up.
    pub left: u64,
    /// Places lost by staying away too long.
    pub grace_ended: u64,
    /// Errors among the origin's answers, counted only while `origin_errors_max_percent` is set.
    pub origin_errors: u64,
    /// Entries issued in the halls.
    pub entered: u64,
    /// How the shop's check judged the proofs of forwarded requests.
    pub proofs: ProofChecks,
    /// Visits without a valid entry token, by reason.
    pub entry: EntryRefusals,
    /// Commands in the shop's answers that Baton ignored, by which somebody kept a permit.
    pub unheeded: u64,
}

impl Totals {
    /// The number of visits that are over, while so many people are inside.
    pub(super) fn visits_over(&self, inside: u32) -> u64 {
        self.admitted().saturating_sub(u64::from(inside))
    }

    /// The number of people who came in.
    pub(super) const fn admitted(&self) -> u64 {
        self.claimed.saturating_add(self.walked_in)
    }
}

impl Measured {
    /// Counts the time from one row to the next, or to a look at the room, while the tickets stood like this. O(lanes), plus the minutes.
    pub(super) fn pass(&mut self, from: Instant, to: Instant, mode: Mode, tickets: &Tickets) {
        let Self { totals, times } = self;
        let (lanes, permits) = (tickets.lanes(), tickets.permits());
        let (ms, inside, free) = (to.since_ms(from), permits.leased(), permits.free());
        let mut dead = u64::from(permits.called());
        if lanes.callable(mode) > 0 {
            times.idle.wanted(ms);
            dead += u64::from(free);
        }
        times.dead_ms = times.dead_ms.saturating_add(ms.saturating_mul(dead));
        times.used_ms = times.used_ms.saturating_add(ms.saturating_mul(u64::from(inside)));
        if mode == Mode::Observe {
            times.observed.pass(ms, inside);
        }
        let answers = &times.answers;
        times.hour.pass(from, to, || {
            let recent = answers.recent(to);
            Sample {
                at_ms: from.0,
                waiting: lanes.waiting(),
                inside,
                free,
                admitted: totals.admitted(),
                attempts: totals.attempts,
                in_hall: lanes.in_hall(),
                answer_p50_ms: recent.quantile_ms(500),
                answer_p95_ms: recent.quantile_ms(950),
            }
        });
    }

    /// Takes in what fronts overheard. O(1).
    pub(super) fn heard(&mut self, at: Instant, heard: &Overheard) {
        let Self { totals, times } = self;
        totals.origin_errors += heard.origin.sums().1;
        if !heard.proofs.is_none() {
            totals.proofs = totals.proofs.plus(&heard.proofs);
            times.proofs.seen(at, &heard.proofs);
        }
        totals.entry = totals.entry.plus(&heard.entry);
        times.observed.let_in(heard.observed_only);
        totals.unheeded += heard.unheeded;
        if !heard.times.is_none() {
            times.answers.seen(at, &heard.times);
        }
    }

    /// Records the end of a permit's time with somebody. Returns how long the permit has been dead, in ms: 0 unless it was called for and not taken.
    pub(super) fn ended(&mut self, at: Instant, config: &RoomConfig, grant: &Grant, how: How) -> u64 {
        let totals = &mut self.totals;
        *match how {
            How::Released => &mut totals.released,
            How::Expired => &mut totals.expired,
            How::Missed | How::MissedAgain => &mut totals.missed,
            How::Left => &mut totals.left,
        } += 1;
        let lease = match grant.stage {
            Stage::Called { called_at, dead_ms, .. } => return dead_ms.saturating_add(at.since_ms(called_at)),
            Stage::Leased(lease) => lease,
        };
        if lease.provisional && how == How::Expired {
            totals.unproven += 1;
            return 0;
        }
        let end = match how {
            How::Expired if lease.hard_end <= lease.idle_end => VisitEnd::Cut,
            How::Expired => VisitEnd::Silent,
            How::Released | How::Missed | How::MissedAgain | How::Left => VisitEnd::Said,
        };
        let times = &mut self.times;
        let held = if end == VisitEnd::Said {
            &mut times.released
        } else {
            &mut times.expired
        };
        held.add_ms(at, at.since_ms(lease.begun_at));
        if config.mode == Mode::Observe {
            let until = if end == VisitEnd::Silent { lease.active_at(config) } else { at };
            times.observed.visited(until.since_ms(lease.begun_at), end);
        }
        0
    }

    /// Begins an edition. The chart of the last hour keeps showing what was, rehearsals included.
    pub(super) fn begin(&mut self) {
        let hour = core::mem::take(&mut self.times.hour);
        *self = Self::default();
        self.times.hour = hour;
    }
}
