//! The fold: what each fact does to the state. Nothing here decides, refuses or asks the time;
//! a fact that fits nothing changes nothing.

use super::line::Line;
use super::permits::{Grant, Lease, Stage};
use super::times::observed::VisitEnd;
use super::times::{Stay, Times};
use super::{Room, Totals};
use crate::facts::config::{Mode, RoomConfig};
use crate::facts::event::WhyEnded;
use crate::facts::event::{Event, From, How, To};
use crate::facts::holder::Holder;
use crate::facts::limits::sizes;
use crate::facts::message::{Ended, LineEnd};
use crate::facts::units::{Edition, Fence, Instant, LaneId, LobbyId, Number, Version};
use crate::planted::{self, Bug};

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
        self.lanes.forfeit(self.config.mode);
        self.times.idle.settle(self.permits.free());
    }

    fn fold(&mut self, version: Version, at: Instant, event: &Event) {
        match event {
            Event::Configured(config) => self.apply_config(at, config),
            Event::Joined {
                lobby,
                first,
                holders,
                ..
            } => self.apply_join(at, *lobby, first.lane(), holders),
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
                let lobby = self.line_of(*number).lobby(*number);
                self.line_of_mut(*number).remove(*number);
                self.note_end(lobby, *number, Ended::Left);
                self.totals.left += 1;
            }
            Event::GraceEnded { count } => self.end_graces(at, *count),
            Event::Attempted { count } => self.totals.attempts += u64::from(*count),
            Event::Turned => self.turned_at = at,
            Event::Carried { number, fences, to } => {
                self.apply_carry(*number, *fences, to.unwrap_or_default())
            }
            Event::LineEnded { why, .. } => self.end_line(*why),
            Event::Adjusted { by, values } => {
                self.announced = version;
                self.live.apply(at, by, values);
            }
            // What became of its place or its permit stands before this in the row.
            Event::Dismissed { number, .. } => self.changes.was_dismissed(self.version, *number),
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
            Event::ProofsChecked(checks) => {
                self.totals.proofs = self.totals.proofs.plus(checks);
                self.times.proofs.seen(at, checks);
            }
            Event::EntryRefused(refusals) => {
                self.totals.entry = self.totals.entry.plus(refusals);
            }
            Event::AnswersTimed(times) => self.times.answers.seen(at, times),
            Event::Doors(door) => self.apply_door(LaneId::FIRST, *door),
            Event::LaneDoors { lane, door } => self.apply_door(*lane, *door),
            Event::Committed(lot) => self.apply_commitment(LaneId::FIRST, *lot),
            Event::LaneCommitted { lane, lot } => self.apply_commitment(*lane, *lot),
            Event::Moved { from, to } => self.apply_move(*from, *to),
            Event::Entered {
                lobby,
                first,
                holders,
                ..
            } => {
                let line = &mut self.lanes.lane_mut(first.lane()).hall.line;
                let first = line.join(*lobby, holders);
                self.enter_all(*lobby, first, holders);
                self.totals.entered += holders.len() as u64;
            }
            Event::Owned { tickets, accounts } => self.apply_owned(tickets, accounts),
            Event::Drawn {
                draw, seed, first, ..
            } => self.apply_draw(first.lane(), *draw, *seed),
            Event::Reset { edition, .. } => self.begin(*edition),
            Event::Scheduled { at_ms, end } => self.schedule.end(*at_ms, end),
            Event::SheetMade {
                sheet,
                terms,
                slips,
                codes,
                ..
            } => self.vouchers.make(*sheet, terms, *slips, codes),
            Event::SheetWithdrawn { sheet, .. } => self.vouchers.withdraw(*sheet),
            Event::Spent(spent) => self.vouchers.spend(spent),
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

    /// One of this lane has been admitted.
    fn spend(&mut self, lane: LaneId) {
        self.lanes.spend(lane);
        self.pace.spend(self.now, &self.config);
        self.health.spend(self.now, &self.config);
    }

    /// These holders have numbers from now on, from `first` on.
    fn enter_all(&mut self, lobby: LobbyId, first: Number, holders: &[Holder]) {
        for (offset, holder) in (0..).zip(holders) {
            self.enter_in_book(first.plus(offset), *holder);
        }
        self.note_run(
            lobby,
            first,
            u32::try_from(holders.len()).unwrap_or(u32::MAX),
        );
    }

    /// Places whose grace is over. Their lobbies are told one by one, unless they are so many that lists are cheaper.
    fn end_graces(&mut self, at: Instant, count: u64) {
        let mut ended: Vec<Number> = Vec::new();
        let most = sizes().ended_told_max;
        let note = |from: Number, mut bits: u64| {
            while bits != 0 && count <= most {
                ended.push(from.plus(u64::from(bits.trailing_zeros())));
                bits &= bits - 1;
            }
        };
        let mut note = note;
        let mut gone = 0;
        for line in self.lanes.lines_mut() {
            gone += line.expire_away(at, &mut note);
        }
        self.totals.grace_ended += gone;
        for number in &ended {
            let lobby = self.line_of(*number).lobby(*number);
            self.note_end(lobby, *number, Ended::Away);
        }
        if count > most {
            self.changes.forget(self.version);
            let (lanes, permits) = (&self.lanes, &self.permits);
            let lives = |number: Number| {
                let waits = lanes.line_of(number).holder(number).is_some();
                waits || permits.of_number(number).is_some()
            };
            self.carried.retain(|number, _| lives(*number));
            self.accounts.retain(lives);
        }
    }

    /// The place is another's, with the ends and the rank that it had.
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

    fn apply_walk_in(
        &mut self,
        (lane, lobby): (LaneId, LobbyId),
        fence: Fence,
        from: From,
        holder: Holder,
    ) {
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
        self.spend(number.lane());
        self.note(lobby, number);
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

    /// The room is as it was before anybody came, but for its counters of fences and rows, and what the operator set.
    fn begin(&mut self, edition: Edition) {
        self.edition = edition;
        self.told_from = self.version;
        self.changes.forget(self.version);
        self.carried.clear();
        self.accounts.begin();
        self.vouchers.begin();
        self.index.clear();
        // Nobody is told ticket by ticket: every lobby hears of the edition.
        self.announced = self.version;
        // Who edits by what was there before is told.
        self.live.revision += 1;
        self.lanes.begin();
        self.permits.begin(self.config.permits);
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
