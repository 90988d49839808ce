//! The part of the fold in which something ends: a permit's time with somebody, places whose grace is over, the line, an edition. As in
//! [`apply`](super::apply), nothing here decides.

use super::permits::{Grant, Stage};
use super::tickets::Absence;
use super::times::observed::VisitEnd;
use super::times::{Stay, Times};
use super::{Room, Totals};
use facts::event::{How, WhyEnded};
use facts::limits::sizes;
use facts::message::{Ended, LineEnd};
use facts::units::{Edition, Fence, Instant};

impl Room {
    /// Ends a permit's time with somebody; `how` says what becomes of its ticket. Returns how long the permit has been dead, in ms: 0 unless it was called
    /// for and not taken.
    pub(super) fn end(&mut self, fence: Fence, how: How) -> u64 {
        let absence = Absence::from(self.now, &self.config);
        let Some(grant) = self.tickets.end(fence, how, absence) else {
            return 0;
        };
        let (count, ended) = match how {
            How::Released => (&mut self.totals.released, Some(Ended::Released)),
            How::Expired => (&mut self.totals.expired, Some(Ended::Expired)),
            How::Missed => (&mut self.totals.missed, None),
            How::MissedAgain => (&mut self.totals.missed, Some(Ended::Missed)),
            How::Left => (&mut self.totals.left, Some(Ended::Left)),
        };
        *count += 1;
        let Grant { number, lobby, .. } = grant;
        match ended {
            Some(why) => self.book.ended(self.version, lobby, number, why),
            None => self.book.changed(self.version, lobby, number),
        }
        self.measure_end(&grant, how)
    }

    fn measure_end(&mut self, grant: &Grant, how: How) -> u64 {
        let at = self.now;
        match grant.stage {
            Stage::Called { called_at, dead_ms, .. } => dead_ms.saturating_add(at.since_ms(called_at)),
            Stage::Leased(lease) if lease.provisional && how == How::Expired => {
                self.totals.unproven += 1;
                0
            }
            Stage::Leased(lease) => {
                let end = match how {
                    How::Expired if lease.hard_end <= lease.idle_end => VisitEnd::Cut,
                    How::Expired => VisitEnd::Silent,
                    How::Released | How::Missed | How::MissedAgain | How::Left => VisitEnd::Said,
                };
                let stay = Stay {
                    begun_at: lease.begun_at,
                    active_at: lease.active_at(&self.config),
                    end,
                };
                self.times.ended(at, self.config.mode, stay);
                0
            }
        }
    }

    /// Ends the places whose grace is over. Their lobbies are told of each, unless there are so many that lists are cheaper.
    pub(super) fn end_graces(&mut self, at: Instant, count: u64) {
        let told = count <= sizes().ended_told_max;
        let (count, ended) = self.tickets.end_graces(at, told);
        self.totals.grace_ended += count;
        for (number, lobby) in ended {
            self.book.ended(self.version, lobby, number, Ended::Away);
        }
        if !told {
            self.book.forget_over(self.version, &self.tickets);
        }
    }

    /// Ends every place in line and in the halls. Permits that were called for come back. The ended places are not noted one by one: every lobby
    /// hears that all are over.
    pub(super) fn end_line(&mut self, why: WhyEnded) {
        let ended = self.tickets.end_line().into_iter();
        ended.for_each(|number| self.book.forget(number));
        self.ended = Some(LineEnd {
            lanes: self.tickets.lanes().ends(),
            version: self.version,
            why,
        });
    }

    /// Begins an edition: the room is as it was before anybody came, except that fences and rows keep counting and the operator's settings stay.
    pub(super) fn begin(&mut self, edition: Edition) {
        self.edition = edition;
        self.told_from = self.version;
        self.book.begin(self.version);
        self.vouchers.begin();
        // No lobby is told of each ticket: every lobby hears of the edition.
        self.announced = self.version;
        // An operator who edits an older revision must be told.
        self.live.revision += 1;
        self.tickets.begin(self.config.permits);
        self.stock.begin();
        self.totals = Totals::default();
        // The chart of the last hour keeps showing what was, rehearsals included.
        self.times = Times {
            hour: core::mem::take(&mut self.times.hour),
            ..Times::default()
        };
        self.ended = None;
        self.lost.begin();
    }
}
