//! The fold: what each fact does to the state. Nothing here decides, refuses or asks the time;
//! a fact that fits nothing changes nothing.

use super::command::LineEnd;
use super::config::{Mode, RoomConfig};
use super::event::{Event, From, How, To, WhyEnded};
use super::line::Line;
use super::notices::Noted;
use super::permits::{Grant, Lease, Stage};
use super::times::observed::VisitEnd;
use super::times::{Stay, Times};
use super::{Room, Totals};
use crate::planted::{self, Bug};
use crate::units::{Edition, Fence, Instant, LobbyId, Number, Version};

/// An away group's grain: fourteen of them fit into the grace, so fifteen groups are enough.
pub(super) const fn away_grain_ms(config: &RoomConfig) -> u64 {
    config.grace_ms.div_ceil(14)
}

impl Room {
    /// Folds one event of the row `version`, written at `at`, into the state.
    /// O(log n), but for the lists and groups an event names.
    pub fn apply(&mut self, version: Version, at: Instant, event: &Event) {
        self.version = version;
        // Before its first settings a room stands in no way, and its clock at zero.
        if self.configured && at > self.now {
            self.times.pass(self.now, at, self.stands());
        }
        self.now = at;
        self.fold(version, at, event);
        self.times.idle.settle(self.permits.free());
    }

    fn fold(&mut self, version: Version, at: Instant, event: &Event) {
        match event {
            Event::Configured(config) => self.apply_config(at, config),
            Event::Joined { lobby, count, .. } => {
                if self.line.alive() == 0 {
                    self.rhythm.clear();
                }
                let first = self.line.next();
                let living = self.line.nth(0).unwrap_or(first);
                self.times.joins.joined(first, at, living);
                self.line.join(*lobby, u64::from(*count));
                self.lobbies.entry(*lobby).or_default().issue(version);
                self.totals.joined += u64::from(*count);
            }
            Event::WalkedIn {
                lobby, fence, from, ..
            } => self.apply_walk_in(*lobby, *fence, *from),
            Event::Called { number, fence } => {
                self.permits.take_from_hand();
                self.totals.called += 1;
                let dead_ms = self.times.idle.take();
                self.call(*number, *fence, dead_ms);
            }
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
                let dead_ms = self.end(*from, *how);
                self.totals.handed += 1;
                self.call(*number, *fence, dead_ms);
            }
            Event::Claimed { fence } => self.apply_claim(*fence),
            Event::Slid { fence } => self.apply_slide(*fence),
            Event::Extended { fence, by_ms } => self.change_lease(*fence, |lease, _| {
                lease.extended_ms += by_ms;
                lease.hard_end = lease.hard_end.plus_ms(*by_ms);
            }),
            Event::Ended { fence, how, to } => {
                let dead_ms = self.end(*fence, *how);
                match to {
                    To::Hand => self.permits.put_in_hand(),
                    To::Tray => self.permits.put_on_tray(),
                    To::Debt => self.permits.pay_debt(),
                }
                if *to != To::Debt {
                    self.times.idle.give(dead_ms);
                }
            }
            Event::TrayEmptied { .. } => self.permits.empty_tray(),
            Event::WentAway(numbers) => {
                for number in numbers {
                    self.go_away(*number);
                }
            }
            Event::CameBack(numbers) => {
                for number in numbers {
                    self.line_of_mut(*number).set_present(*number);
                }
            }
            Event::Left(number) => {
                self.note_end(self.line_of(*number).lobby(*number), *number, Noted::Left);
                self.line_of_mut(*number).remove(*number);
                self.totals.left += 1;
            }
            Event::GraceEnded { .. } => {
                self.totals.grace_ended +=
                    self.line.expire_away(at) + self.hall.line.expire_away(at);
            }
            Event::BatchTaken {
                lobby,
                epoch,
                sequence,
                attempts,
                edition,
                acknowledged,
                replies,
            } => {
                self.totals.attempts += u64::from(*attempts);
                let record = self.lobbies.entry(*lobby).or_default();
                record.take((*epoch, *sequence), version, replies);
                record.edition = *edition;
                record.acknowledge(*acknowledged);
            }
            Event::Turned => self.turned_at = at,
            Event::Refenced { from, fence } => self.permits.refence(*from, *fence),
            Event::LineEnded { why, .. } => self.end_line(*why),
            Event::Adjusted { by, values } => {
                self.announced = version;
                self.live.apply(at, by, values);
            }
            Event::Dismissed { number, lobby, .. } => {
                self.note_end(*lobby, *number, Noted::Dismissed);
            }
            Event::OriginSeen { good, bad } => {
                self.totals.origin_errors += u64::from(*bad);
                self.health.seen(at, *good, *bad, &self.config);
            }
            Event::StockSeen {
                left,
                reported_at_ms,
            } => {
                let over = self.visits_over();
                self.stock.seen(at, *left, *reported_at_ms, over);
            }
            Event::Doors(door) => self.apply_door(*door),
            Event::Committed(lot) => self.apply_commitment(*lot),
            Event::Entered { lobby, count, .. } => {
                self.hall.line.join(*lobby, u64::from(*count));
                self.lobbies.entry(*lobby).or_default().issue(version);
                self.totals.entered += u64::from(*count);
            }
            Event::Drawn { draw, seed, .. } => self.apply_draw(*draw, *seed),
            Event::Reset { edition, .. } => self.begin(*edition),
        }
    }

    fn apply_config(&mut self, at: Instant, config: &RoomConfig) {
        let before = if self.configured {
            self.config.permits
        } else {
            0
        };
        self.permits.resize(before, config.permits);
        if self.config.admissions_milli_per_s != config.admissions_milli_per_s {
            self.pace.change(at, &self.config, config);
        }
        self.health.restart_if_changed(&self.config, config);
        if config.mode == Mode::Observe && self.config.mode != Mode::Observe {
            self.times.observed.begin(at);
            self.times.observed.stands(self.permits.leased());
        }
        self.config = config.clone();
        self.configured = true;
        self.announced = self.version;
    }

    /// One has been admitted.
    fn spend(&mut self) {
        self.pace.spend(self.now, &self.config);
        self.health.spend(self.now, &self.config);
    }

    fn apply_walk_in(&mut self, lobby: LobbyId, fence: Fence, from: From) {
        match from {
            From::Hand => self.permits.take_from_hand(),
            From::Tray => self.permits.take_from_tray(),
            From::Nowhere => self.permits.make_one(),
        }
        self.spend();
        let number = self.line.pass(lobby);
        self.lobbies.entry(lobby).or_default().issue(self.version);
        let lease = Lease::begin_provisional(self.now, &self.config);
        self.permits.insert(
            fence,
            Grant {
                number,
                lobby,
                stage: Stage::Leased(lease),
            },
        );
        self.totals.walked_in += 1;
        if self.config.mode == Mode::Observe {
            self.times.observed.stands(self.permits.leased());
        }
    }

    fn call(&mut self, number: Number, fence: Fence, dead_ms: u64) {
        let lobby = self.line.lobby(number);
        if !self.line.missed(number) {
            self.times.called(self.now, number);
        }
        let claim_by = self.now.plus_ms(self.config.claim_within_ms);
        self.line.set_called(number);
        self.permits.insert(
            fence,
            Grant {
                number,
                lobby,
                stage: Stage::Called {
                    claim_by,
                    called_at: self.now,
                    dead_ms,
                },
            },
        );
        self.spend();
        self.rhythm.called(self.now);
        self.note(lobby, number, Noted::Called(fence));
    }

    fn apply_claim(&mut self, fence: Fence) {
        let Some(grant) = self.permits.grant(fence) else {
            return;
        };
        let Grant { number, lobby, .. } = *grant;
        if let Stage::Called {
            called_at, dead_ms, ..
        } = grant.stage
        {
            self.times.claimed(self.now, called_at, dead_ms);
        }
        let lease = Lease::begin(self.now, &self.config);
        self.permits.set_stage(fence, Stage::Leased(lease));
        self.line.remove(number);
        self.forget_notice(lobby, number);
        self.totals.claimed += 1;
    }

    fn apply_slide(&mut self, fence: Fence) {
        let at = self.now;
        let stage = self.permits.grant(fence).map(|grant| grant.stage);
        if self.config.mode == Mode::Observe
            && let Some(Stage::Leased(lease)) = stage
            && !lease.provisional
        {
            let paused_ms = at.since_ms(lease.active_at(&self.config));
            self.times.observed.active_after(paused_ms);
        }
        self.change_lease(fence, |lease, config| {
            lease.provisional = false;
            lease.idle_end = lease.idle_end.max(at.plus_ms(config.lease_idle_ms));
        });
    }

    fn change_lease(&mut self, fence: Fence, change: impl FnOnce(&mut Lease, &RoomConfig)) {
        let stage = self.permits.grant(fence).map(|grant| grant.stage);
        if let Some(Stage::Leased(mut lease)) = stage {
            change(&mut lease, &self.config);
            self.permits.set_stage(fence, Stage::Leased(lease));
        }
    }

    /// A permit is no longer with this fence; what becomes of its ticket follows from `how`. Yields for how long the permit
    /// has been dead: only one that was called for and not taken has.
    fn end(&mut self, fence: Fence, how: How) -> u64 {
        let Some(grant) = self.permits.remove(fence) else {
            return 0;
        };
        let Grant { number, lobby, .. } = grant;
        let dead_ms = self.measure_end(&grant, how);
        match how {
            How::Released => {
                self.totals.released += 1;
                self.note_end(lobby, number, Noted::Released);
            }
            How::Expired => {
                self.totals.expired += 1;
                self.note(lobby, number, Noted::Expired);
            }
            How::Missed => {
                self.totals.missed += 1;
                self.go_away(number);
                self.line.set_missed(number);
                self.note(lobby, number, Noted::Missed);
            }
            How::MissedAgain => {
                self.totals.missed += 1;
                self.line.remove(number);
                self.note(lobby, number, Noted::MissedAgain);
            }
            How::Left => {
                self.totals.left += 1;
                self.line.remove(number);
                self.note_end(lobby, number, Noted::Left);
            }
        }
        dead_ms
    }

    fn measure_end(&mut self, grant: &Grant, how: How) -> u64 {
        let at = self.now;
        match grant.stage {
            Stage::Called {
                called_at, dead_ms, ..
            } => dead_ms.saturating_add(at.since_ms(called_at)),
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

    /// Nobody waits any more. What was called for comes back; of the places nothing is noted one by
    /// one, every lobby hears that all are over.
    fn end_line(&mut self, why: WhyEnded) {
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
        let living = self.line.living().chain(self.hall.line.living());
        let living: Vec<Number> = living.map(|(number, _)| number).collect();
        for number in living {
            self.forget_notice(self.line_of(number).lobby(number), number);
            self.line_of_mut(number).remove(number);
        }
        self.ended = Some(LineEnd {
            below: self.line.next(),
            entries_below: self.hall.line.next(),
            version: self.version,
            why,
        });
    }

    /// The room is as it was before anybody came, but for its counters of fences and rows, what the operator set, and what
    /// lobbies were last answered: a batch from before the reset may come again.
    fn begin(&mut self, edition: Edition) {
        self.edition = edition;
        self.began = self.version;
        // Nobody is told ticket by ticket: every lobby hears of the edition.
        self.announced = self.version;
        // Who edits by what was there before is told.
        self.live.revision += 1;
        self.line = Line::default();
        self.hall.begin();
        self.permits.begin(self.config.permits);
        self.rhythm.clear();
        self.stock.begin();
        self.totals = Totals::default();
        // The chart of the last hour shows what was, rehearsals too.
        self.times = Times {
            hour: core::mem::take(&mut self.times.hour),
            ..Times::default()
        };
        if self.config.mode == Mode::Observe {
            self.times.observed.begin(self.now);
        }
        self.ended = None;
        for record in self.lobbies.values_mut() {
            record.forget_notices();
        }
    }

    fn go_away(&mut self, number: Number) {
        let halves = if planted::is(Bug::GraceEndsEarly) {
            2
        } else {
            1
        };
        let due_at = self.now.plus_ms(self.config.grace_ms / halves);
        let grain_ms = away_grain_ms(&self.config);
        self.line_of_mut(number).set_away(number, due_at, grain_ms);
    }
}
