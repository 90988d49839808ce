//! The part of the fold in which something ends: a permit's time with somebody, places whose grace is over, the line, an edition. As in
//! [`apply`](super::apply), nothing here decides.

use super::line::Line;
use super::permits::{Grant, Stage};
use super::times::observed::VisitEnd;
use super::times::{Stay, Times};
use super::unindexed::Unindexed;
use super::{Room, Totals};
use facts::event::{How, WhyEnded};
use facts::limits::sizes;
use facts::message::{Ended, LineEnd};
use facts::planted::{self, Bug};
use facts::units::{Edition, Fence, Instant, LobbyId, Number};

impl Room {
    /// Removes the permit of a fence; `how` says what becomes of its ticket. Returns how long the permit has been dead, in ms: 0 unless it was called
    /// for and not taken.
    pub(super) fn end(&mut self, fence: Fence, how: How) -> u64 {
        let Some(grant) = self.permits.remove(fence) else {
            return 0;
        };
        let Grant { number, lobby, .. } = grant;
        let dead_ms = self.measure_end(&grant, how);
        match how {
            How::Released => {
                self.totals.released += 1;
                self.note_end(lobby, number, Ended::Released);
            }
            How::Expired => {
                self.totals.expired += 1;
                self.note_end(lobby, number, Ended::Expired);
            }
            How::Missed => {
                self.totals.missed += 1;
                self.go_away(number);
                self.line_of_mut(number).set_missed(number);
                self.lanes.missed(number.lane());
                self.note(lobby, number);
            }
            How::MissedAgain => {
                self.totals.missed += 1;
                self.line_of_mut(number).remove(number);
                self.note_end(lobby, number, Ended::Missed);
            }
            How::Left => {
                self.totals.left += 1;
                self.line_of_mut(number).remove(number);
                self.note_end(lobby, number, Ended::Left);
            }
        }
        dead_ms
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
        let mut ended: Vec<(Number, LobbyId)> = Vec::new();
        for line in self.lanes.lines_mut() {
            let each = |number, lobby| ended.push((number, lobby));
            self.totals.grace_ended += line.expire_away(at, told, each);
        }
        for (number, mut lobby) in ended {
            if planted::is(Bug::EndToldElsewhere) {
                lobby = self.line_of(number).lobby(number);
            }
            self.note_end(lobby, number, Ended::Away);
        }
        if !told {
            self.changes.forget(self.version);
            let (lanes, permits) = (&self.lanes, &self.permits);
            let lives = |number: Number| {
                let waits = lanes.line_of(number).lives(number);
                waits || permits.of_number(number).is_some()
            };
            self.carried.retain(|number, _| lives(*number));
            self.accounts.retain(lives);
        }
    }

    /// Ends every place in line and in the halls. Permits that were called for come back. The ended places are not noted one by one: every lobby
    /// hears that all are over.
    pub(super) fn end_line(&mut self, why: WhyEnded) {
        let called: Vec<Fence> = self
            .permits
            .out()
            .filter(|(_, grant)| matches!(grant.stage, Stage::Called { .. }))
            .map(|(fence, _)| fence)
            .collect();
        for fence in called {
            self.permits.remove(fence);
            if self.permits.debt() > 0 {
                self.permits.pay_debt();
            } else {
                self.permits.put_in_hand();
            }
        }
        let living = self.lanes.lines().flat_map(Line::living);
        let living: Vec<Number> = living.map(|(number, _)| number).collect();
        for number in living {
            self.carried.remove(&number);
            self.accounts.ends(number);
            self.line_of_mut(number).remove(number);
        }
        self.ended = Some(LineEnd {
            lanes: self.lanes.ends(),
            version: self.version,
            why,
        });
    }

    /// Begins an edition: the room is as it was before anybody came, except that fences and rows keep counting and the operator's settings stay.
    pub(super) fn begin(&mut self, edition: Edition) {
        self.edition = edition;
        self.told_from = self.version;
        self.changes.forget(self.version);
        self.carried.clear();
        self.accounts.begin();
        self.vouchers.begin();
        self.index.clear();
        self.unindexed = Unindexed::default();
        // No lobby is told of each ticket: every lobby hears of the edition.
        self.announced = self.version;
        // An operator who edits an older revision must be told.
        self.live.revision += 1;
        self.lanes.begin();
        self.permits.begin(self.config.permits);
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
