//! The fold: what each fact does to the state. Nothing here decides, refuses or asks for the time. A fact that does not fit
//! the state changes nothing.

use super::Room;
use super::permits::{Grant, Lease, Stage};
use super::times::observed::Observed;
use facts::config::{Mode, RoomConfig};
use facts::event::{Event, From, To};
use facts::holder::Holder;
use facts::message::Ended;
use facts::overheard::{Overheard, StockReport};
use facts::planted::{self, Bug};
use facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};

/// Returns the grain of away groups. Fourteen grains cover the grace, so fifteen groups are enough.
pub(super) const fn away_grain_ms(config: &RoomConfig) -> u64 {
    config.grace_ms.div_ceil(14)
}

impl Room {
    /// Folds one event of the row `version`, written at `at`, into the state. O(log n), plus the lists and groups that the event names.
    pub fn apply(&mut self, version: Version, at: Instant, event: &Event) {
        self.version = version;
        // Before its first settings the room has nothing to measure, and its clock is at zero.
        if self.configured && at > self.now {
            self.times.pass(self.now, at, self.stands());
        }
        self.now = at;
        self.fold(version, at, event);
        self.lanes.forfeit(self.config.mode);
        self.times.idle.note_free(self.permits.free());
    }

    /// Long because it has an arm for each fact; any arm of more than a few lines is a function of its own.
    fn fold(&mut self, version: Version, at: Instant, event: &Event) {
        match event {
            Event::Configured(config) => self.apply_config(at, config),
            Event::Joined { lobby, first, holders, .. } => self.apply_join(at, *lobby, first.lane(), holders),
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
                holder,
            } => {
                let holder = holder.unwrap_or_default();
                self.apply_walk_in((number.lane(), *lobby), *fence, *from, holder);
            }
            Event::Called { number, fence } => {
                self.permits.take_from_hand();
                self.totals.called += 1;
                let dead_ms = self.times.idle.take();
                self.call(*number, *fence, dead_ms);
            }
            Event::Handed { from, how, number, fence } => {
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
                let lobby = self.line_of(*number).lobby(*number);
                self.line_of_mut(*number).remove(*number);
                self.note_end(lobby, *number, Ended::Left);
                self.totals.left += 1;
            }
            Event::GraceEnded { count } => self.end_graces(at, *count),
            Event::Attempted { count } => self.totals.attempts += u64::from(*count),
            Event::Turned => self.turned_at = at,
            Event::Carried { number, fences, to } => self.apply_carry(*number, *fences, to.unwrap_or_default()),
            Event::LineEnded { why, .. } => self.end_line(*why),
            Event::Adjusted { by, values } => {
                self.announced = version;
                self.live.apply(at, by, values);
            }
            // The event that ended its place or its permit stands before this one in the row.
            Event::Dismissed { number, .. } => self.changes.note_dismissal(self.version, *number),
            Event::Overheard(heard) => self.apply_overheard(at, heard),
            Event::Doors(door) => self.apply_door(LaneId::FIRST, *door),
            Event::LaneDoors { lane, door } => self.apply_door(*lane, *door),
            Event::Committed(lot) => self.apply_commitment(LaneId::FIRST, *lot),
            Event::LaneCommitted { lane, lot } => self.apply_commitment(*lane, *lot),
            Event::Moved { from, to } => self.apply_move(*from, *to),
            Event::RolledBack { shown, next } => self.apply_roll_back(*shown, *next),
            Event::Entered { lobby, first, holders, .. } => {
                let line = &mut self.lanes.lane_mut(first.lane()).hall.line;
                let first = line.join(*lobby, holders);
                self.enter_all(*lobby, first, holders);
                self.totals.entered += holders.len() as u64;
            }
            Event::Owned { tickets, accounts } => self.apply_owned(tickets, accounts),
            Event::Drawn { draw, seed, first, .. } => self.apply_draw(first.lane(), *draw, *seed),
            Event::Reset { edition, .. } => self.begin(*edition),
            Event::Begun { edition } => self.edition = *edition,
            Event::Scheduled { at_ms, end } => self.schedule.end(*at_ms, end),
            Event::SheetMade {
                sheet, terms, slips, codes, ..
            } => self.vouchers.make(*sheet, terms, *slips, codes),
            Event::SheetWithdrawn { sheet, .. } => self.vouchers.withdraw(*sheet),
            Event::Spent(spent) => self.vouchers.spend(spent),
        }
    }

    fn apply_overheard(&mut self, at: Instant, heard: &Overheard) {
        let Overheard {
            origin,
            stock,
            proofs,
            entry,
            observed_only,
            unheeded,
            times,
        } = heard;
        if !origin.is_none() {
            self.totals.origin_errors += origin.sums().1;
            self.health.seen(at, origin, &self.config);
        }
        if let Some(StockReport { left, at_ms }) = *stock {
            let over = self.visits_over();
            self.stock.seen(at, left, at_ms, over);
        }
        if !proofs.is_none() {
            self.totals.proofs = self.totals.proofs.plus(proofs);
            self.times.proofs.seen(at, proofs);
        }
        self.totals.entry = self.totals.entry.plus(entry);
        self.times.observed.let_in(*observed_only);
        self.totals.unheeded += unheeded;
        if !times.is_none() {
            self.times.answers.seen(at, times);
        }
    }

    fn apply_config(&mut self, at: Instant, config: &RoomConfig) {
        let before = if self.configured { self.config.permits } else { 0 };
        self.permits.resize(before, config.permits);
        if self.config.admissions_milli_per_s != config.admissions_milli_per_s {
            self.pace.change(at, &self.config, config);
        }
        self.health.restart_if_changed(&self.config, config);
        if config.mode == Mode::Observe && self.config.mode != Mode::Observe {
            self.times.observed = Observed::default();
            self.times.observed.stands(self.permits.leased());
        }
        self.configure_lanes(config);
        self.config = config.clone();
        self.configured = true;
        self.announced = self.version;
    }

    fn apply_join(&mut self, at: Instant, lobby: LobbyId, lane: LaneId, holders: &[Holder]) {
        let of = self.lanes.lane_mut(lane);
        if of.line.alive() == 0 {
            of.rhythm.clear();
        }
        let first = of.line.next();
        let living = of.line.nth(0).unwrap_or(first);
        of.joins.joined(first, at, living);
        of.line.join(lobby, holders);
        self.enter_all(lobby, first, holders);
        self.totals.joined += holders.len() as u64;
    }

    /// Counts one admission from this lane.
    fn spend(&mut self, lane: LaneId) {
        self.lanes.spend(lane);
        self.pace.spend(self.now, &self.config);
        self.health.spend(self.now, &self.config);
    }

    /// Enters these holders in the book, with consecutive numbers from `first` on.
    fn enter_all(&mut self, lobby: LobbyId, first: Number, holders: &[Holder]) {
        self.enter_run(first, holders);
        self.note_run(lobby, first, u32::try_from(holders.len()).unwrap_or(u32::MAX));
    }

    /// Gives a place to another holder. It keeps its rank, and a permit keeps its ends.
    fn apply_carry(&mut self, number: Number, fences: Option<(Fence, Fence)>, to: Holder) {
        let Some(lobby) = self.lobby_of(number) else {
            return;
        };
        if let Some((from, fence)) = fences {
            self.permits.carry(from, fence, to);
        }
        self.line_of_mut(number).set_holder(number, to);
        self.enter_in_book(number, to);
        self.note_carried(number, to);
        self.note(lobby, number);
    }

    fn apply_walk_in(&mut self, (lane, lobby): (LaneId, LobbyId), fence: Fence, from: From, holder: Holder) {
        match from {
            From::Hand => self.permits.take_from_hand(),
            From::Tray => self.permits.take_from_tray(),
            From::Nowhere => self.permits.make_one(),
        }
        self.spend(lane);
        let number = self.lanes.lane_mut(lane).line.pass(lobby);
        let lease = Lease::begin_provisional(self.now, &self.config);
        self.permits.insert(
            fence,
            Grant {
                number,
                lobby,
                holder,
                account: None,
                stage: Stage::Leased(lease),
            },
        );
        self.enter_in_book(number, holder);
        self.note(lobby, number);
        self.totals.walked_in += 1;
        if self.config.mode == Mode::Observe {
            self.times.observed.stands(self.permits.leased());
        }
    }

    fn call(&mut self, number: Number, fence: Fence, dead_ms: u64) {
        let now = self.now;
        let lane = self.lanes.lane_mut(number.lane());
        let line = &mut lane.line;
        let lobby = line.lobby(number);
        let holder = line.holder(number).unwrap_or_default();
        let account = line.account(number);
        if !line.missed(number) {
            self.times.called(now, lane.joins.issued_at(number));
        }
        let claim_by = now.plus_ms(self.config.claim_within_ms);
        line.set_called(number);
        lane.rhythm.called(now);
        self.permits.insert(
            fence,
            Grant {
                number,
                lobby,
                holder,
                account: account.filter(|_| !planted::is(Bug::AccountLostInside)),
                stage: Stage::Called {
                    claim_by,
                    called_at: self.now,
                    dead_ms,
                },
            },
        );
        self.index_called(number, holder, account);
        self.spend(number.lane());
        self.note(lobby, number);
    }

    fn apply_claim(&mut self, fence: Fence) {
        let Some(grant) = self.permits.grant(fence) else {
            return;
        };
        let Grant { number, lobby, .. } = *grant;
        if let Stage::Called { called_at, dead_ms, .. } = grant.stage {
            self.times.claimed(self.now, called_at, dead_ms);
        }
        let lease = Lease::begin(self.now, &self.config);
        self.permits.set_stage(fence, Stage::Leased(lease));
        self.line_of_mut(number).remove(number);
        self.note(lobby, number);
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

    pub(super) fn go_away(&mut self, number: Number) {
        let halves = if planted::is(Bug::GraceEndsEarly) { 2 } else { 1 };
        let due_at = self.now.plus_ms(self.config.grace_ms / halves);
        let grain_ms = away_grain_ms(&self.config);
        self.line_of_mut(number).set_away(number, due_at, grain_ms);
    }
}
