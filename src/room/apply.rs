//! The fold: what each fact does to the state. Nothing here decides, refuses or asks for the time. A fact that does not fit
//! the state changes nothing.

use super::Room;
use super::permits::{Grant, Lease, Stage};
use super::tickets::{Absence, Tickets};
use super::times::observed::Observed;
use facts::config::{Mode, RoomConfig};
use facts::event::{Event, From, To};
use facts::hall::{Door, Draw, Seed};
use facts::holder::{Holder, Shown};
use facts::message::Ended;
use facts::overheard::{Overheard, StockReport};
use facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};

impl Room {
    /// Folds one event of the row `version`, written at `at`, into the state. O(log n), plus the lists and groups that the event names.
    pub fn apply(&mut self, version: Version, at: Instant, event: &Event) {
        self.version = version;
        // Before its first settings the room has nothing to measure, and its clock is at zero.
        if self.configured && at > self.now {
            self.measured.pass(self.now, at, self.config.mode, &self.tickets);
        }
        self.now = at;
        self.fold(version, at, event);
        self.tickets.lanes_mut().forfeit(self.config.mode);
        self.measured.times.idle.note_free(self.tickets.permits().free());
    }

    /// Long because it has an arm for each fact; any arm of more than a few lines is a function of its own.
    fn fold(&mut self, version: Version, at: Instant, event: &Event) {
        match event {
            Event::Configured(config) => self.apply_config(at, config),
            Event::Joined { lobby, first, holders, .. } => {
                let first = self.tickets.join(at, (first.lane(), *lobby), holders);
                self.book.issued(version, &self.tickets, *lobby, first, holders);
                self.measured.totals.joined += holders.len() as u64;
            }
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
                holder,
            } => {
                let holder = holder.unwrap_or_default();
                self.apply_walk_in((number.lane(), *lobby), (*fence, *from), holder);
            }
            Event::Called { number, fence } => {
                self.tickets.permits_mut().take_from_hand();
                self.measured.totals.called += 1;
                let dead_ms = self.measured.times.idle.take();
                self.call(*number, *fence, dead_ms);
            }
            Event::Handed { from, how, number, fence } => {
                let dead_ms = self.end(*from, *how);
                self.measured.totals.handed += 1;
                self.call(*number, *fence, dead_ms);
            }
            Event::Claimed { fence } => self.apply_claim(*fence),
            Event::Slid { fence } => self.apply_slide(*fence),
            Event::Extended { fence, by_ms } => self.tickets.permits_mut().change_lease(*fence, |lease| {
                lease.extended_ms += by_ms;
                lease.hard_end = lease.hard_end.plus_ms(*by_ms);
            }),
            Event::Ended { fence, how, to } => {
                let dead_ms = self.end(*fence, *how);
                let permits = self.tickets.permits_mut();
                match to {
                    To::Hand => permits.put_in_hand(),
                    To::Tray => permits.put_on_tray(),
                    To::Debt => permits.pay_debt(),
                }
                if *to != To::Debt {
                    self.measured.times.idle.give(dead_ms);
                }
            }
            Event::TrayEmptied { .. } => self.tickets.permits_mut().empty_tray(),
            Event::WentAway(numbers) => {
                let absence = Absence::from(at, &self.config);
                for number in numbers {
                    self.tickets.go_away(*number, absence);
                }
            }
            Event::CameBack(numbers) => {
                for number in numbers {
                    self.tickets.lanes_mut().line_of_mut(*number).set_present(*number);
                }
            }
            Event::Left(number) => {
                let lobby = self.tickets.leave(*number);
                self.book.ended(version, lobby, *number, Ended::Left);
                self.measured.totals.left += 1;
            }
            Event::GraceEnded { count } => self.end_graces(at, *count),
            Event::Attempted { count } => self.measured.totals.attempts += u64::from(*count),
            Event::Turned => self.turned_at = at,
            Event::Carried { number, fences, to } => {
                let to = to.unwrap_or_default();
                if let Some(lobby) = self.tickets.carry(*number, *fences, to) {
                    self.book.carried(version, &self.tickets, lobby, *number, to);
                }
            }
            Event::LineEnded { why, .. } => self.end_line(*why),
            Event::Adjusted { by, values } => {
                self.announced = version;
                self.live.apply(at, by, values);
            }
            // The event that ended its place or its permit stands before this one in the row.
            Event::Dismissed { number, .. } => self.book.dismissed(version, *number),
            Event::Overheard(heard) => self.apply_overheard(at, heard),
            Event::Doors(door) => self.apply_door(LaneId::FIRST, *door),
            Event::LaneDoors { lane, door } => self.apply_door(*lane, *door),
            Event::Committed(lot) => self.tickets.lanes_mut().lane_mut(LaneId::FIRST).hall.lot = Some(*lot),
            Event::LaneCommitted { lane, lot } => self.tickets.lanes_mut().lane_mut(*lane).hall.lot = Some(*lot),
            Event::Moved { from, to } => {
                let absence = Absence::from(at, &self.config);
                if let Some(moved) = self.tickets.move_to(*from, *to, at, absence) {
                    self.book.moved(version, &mut self.tickets, moved);
                }
            }
            Event::RolledBack { shown, next } => self.apply_roll_back(*shown, *next),
            Event::Entered { lobby, first, holders, .. } => {
                let first = self.tickets.enter_hall((first.lane(), *lobby), holders);
                self.book.issued(version, &self.tickets, *lobby, first, holders);
                self.measured.totals.entered += holders.len() as u64;
            }
            Event::Owned { tickets, accounts } => self.book.owned(version, &mut self.tickets, tickets, accounts),
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
        if !heard.origin.is_none() {
            self.allowance.seen(at, &heard.origin, &self.config);
        }
        if let Some(StockReport { left, at_ms }) = heard.stock {
            let over = self.measured.totals.visits_over(self.tickets.permits().leased());
            self.stock.seen(at, left, at_ms, over);
        }
        self.measured.heard(at, heard);
    }

    fn apply_config(&mut self, at: Instant, config: &RoomConfig) {
        let before = if self.configured { self.config.permits } else { 0 };
        self.tickets.permits_mut().resize(before, config.permits);
        self.allowance.change(at, &self.config, config);
        if config.mode == Mode::Observe && self.config.mode != Mode::Observe {
            self.measured.times.observed = Observed::default();
            self.measured.times.observed.stands(self.tickets.permits().leased());
        }
        self.tickets.configure_lanes(config);
        self.config = config.clone();
        self.configured = true;
        self.announced = self.version;
    }

    /// Sets a door. Every lobby hears of it.
    fn apply_door(&mut self, lane: LaneId, door: Door) {
        self.tickets.lanes_mut().lane_mut(lane).hall.door = door;
        self.announced = self.version;
    }

    fn apply_walk_in(&mut self, into: (LaneId, LobbyId), permit: (Fence, From), holder: Holder) {
        let lease = Lease::begin_provisional(self.now, &self.config);
        let number = self.tickets.walk_in(into, permit, holder, lease);
        self.allowance.spend(self.now, &self.config);
        self.book.issued(self.version, &self.tickets, into.1, number, &[holder]);
        self.measured.totals.walked_in += 1;
        if self.config.mode == Mode::Observe {
            self.measured.times.observed.stands(self.tickets.permits().leased());
        }
    }

    fn call(&mut self, number: Number, fence: Fence, dead_ms: u64) {
        let stage = Stage::Called {
            claim_by: self.now.plus_ms(self.config.claim_within_ms),
            called_at: self.now,
            dead_ms,
        };
        let called = self.tickets.call(number, fence, self.now, stage);
        self.measured.times.called(self.now, called.issued_at);
        self.allowance.spend(self.now, &self.config);
        self.book.called(self.version, &self.tickets, number, &called);
    }

    fn apply_claim(&mut self, fence: Fence) {
        let lease = Lease::begin(self.now, &self.config);
        let Some(Grant { number, lobby, stage, .. }) = self.tickets.claim(fence, lease) else {
            return;
        };
        if let Stage::Called { called_at, dead_ms, .. } = stage {
            self.measured.times.claimed(self.now, called_at, dead_ms);
        }
        self.book.changed(self.version, lobby, number);
        self.measured.totals.claimed += 1;
    }

    fn apply_slide(&mut self, fence: Fence) {
        let (at, config) = (self.now, &self.config);
        self.tickets.permits_mut().change_lease(fence, |lease| {
            if config.mode == Mode::Observe && !lease.provisional {
                let paused_ms = at.since_ms(lease.active_at(config));
                self.measured.times.observed.active_after(paused_ms);
            }
            lease.provisional = false;
            lease.idle_end = lease.idle_end.max(at.plus_ms(config.lease_idle_ms));
        });
    }

    /// Gives numbers to the entries of the lane's hall. The room's life ends with this row: what lobbies know of their tickets belongs to the old one.
    fn apply_draw(&mut self, id: LaneId, draw: Draw, seed: Seed) {
        let row = self.version;
        (self.told_from, self.announced) = (row, row);
        self.book.forget_changes(row);
        let absence = Absence::from(self.now, &self.config);
        let each = |tickets: &Tickets, moved| self.book.drawn(tickets, moved);
        self.measured.totals.joined += self.tickets.draw(id, (draw, seed), (row, self.now), absence, each);
        // The pages belong to the old life, so every page is due again.
        self.book.repage_all();
    }

    fn apply_roll_back(&mut self, shown: Shown, next: Number) {
        let line = self.tickets.lanes_mut().line_of_mut(next);
        let from = line.next();
        line.skip_to(next);
        self.lost.proved(shown, (from, next), self.edition);
        // A lobby may know rows that were written twice: each must take a list.
        self.told_from = self.version;
        self.book.forget_changes(self.version);
        self.announced = self.version;
    }
}
