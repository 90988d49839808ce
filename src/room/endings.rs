//! The part of the fold in which something ends: a permit's time with somebody, places whose grace is over, the line, an edition. As in
//! [`apply`](super::apply), nothing here decides.

use super::Room;
use super::tickets::Absence;
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
        let ended = match how {
            How::Released => Some(Ended::Released),
            How::Expired => Some(Ended::Expired),
            How::Missed => None,
            How::MissedAgain => Some(Ended::Missed),
            How::Left => Some(Ended::Left),
        };
        match ended {
            Some(why) => self.book.ended(self.version, grant.lobby, grant.number, why),
            None => self.book.changed(self.version, grant.lobby, grant.number),
        }
        self.measured.ended(self.now, &self.config, &grant, how)
    }

    /// Ends the places whose grace is over. Their lobbies are told of each, unless there are so many that lists are cheaper.
    pub(super) fn end_graces(&mut self, at: Instant, count: u64) {
        let told = count <= sizes().ended_told_max;
        let (count, ended) = self.tickets.end_graces(at, told);
        self.measured.totals.grace_ended += count;
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
        self.measured.begin();
        self.ended = None;
        self.lost.begin();
    }
}
