//! What each fact does to the plain semaphore.

use super::{Changed, Ended, Model, Permit, Place, Ticket};
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, From, How, To};
use baton::facts::hall::{Draw, Seed};
use baton::facts::holder::Holder;
use baton::facts::message::Ended as Why;
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};
use sha2::{Digest, Sha256};

impl Model {
    /// Applies one fact. The end of graces only counts places; [`Self::end_places`] takes those that end.
    ///
    /// Long because it has an arm for each fact.
    pub fn apply(&mut self, version: Version, now: Instant, fact: &Event) {
        self.version = version;
        match fact {
            Event::Configured(config) => self.configure(config),
            Event::Joined { lobby, holders, first, .. } => {
                let lane = first.lane();
                for holder in holders {
                    self.slots.of(lane).numbers += 1;
                    let number = lane.number(self.slots.of(lane).numbers);
                    let ticket = Ticket::new(number, *lobby, *holder);
                    self.note(version, ticket.number, *lobby, Ended::Not);
                    self.tickets.push(ticket);
                }
            }
            Event::Entered { lobby, holders, first, .. } => {
                let lane = first.lane();
                for holder in holders {
                    self.slots.of(lane).entries += 1;
                    let number = lane.entry(self.slots.of(lane).entries);
                    let ticket = Ticket::new(number, *lobby, *holder);
                    self.note(version, ticket.number, *lobby, Ended::Not);
                    self.hall.push(ticket);
                }
            }
            Event::Owned { tickets, accounts } => {
                let all = tickets.iter().copied().zip(accounts.iter().copied());
                self.owned.extend(all);
            }
            Event::Drawn { draw, seed, first, .. } => self.draw(version, first.lane(), *draw, seed),
            Event::Doors(door) => self.door_is(LaneId::FIRST, *door),
            Event::LaneDoors { lane, door } => self.door_is(*lane, *door),
            Event::Moved { from, to } => self.moves_to(version, *from, *to),
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
                holder,
            } => {
                match from {
                    From::Hand => self.hand -= 1,
                    From::Tray => self.tray -= 1,
                    From::Nowhere => self.debt += 1,
                }
                self.slots.of(number.lane()).numbers += 1;
                let config = self.config();
                let idle_ms = config.claim_within_ms.min(config.lease_idle_ms);
                self.grant(
                    *fence,
                    *number,
                    *lobby,
                    holder.unwrap_or_default(),
                    false,
                    now.plus_ms(idle_ms),
                    now.plus_ms(config.lease_max_ms),
                );
                self.note(version, *number, *lobby, Ended::Not);
                if let Some(permit) = self.permits.last_mut() {
                    permit.provisional = true;
                }
            }
            Event::Called { number, fence } => {
                self.hand -= 1;
                self.call(version, now, *number, *fence);
            }
            Event::Handed { from, how, number, fence } => {
                self.end(version, now, *from, *how);
                self.call(version, now, *number, *fence);
            }
            Event::Ended { fence, how, to } => {
                self.end(version, now, *fence, *how);
                match to {
                    To::Hand => self.hand += 1,
                    To::Tray => self.tray += 1,
                    To::Debt => self.debt -= 1,
                }
            }
            Event::Claimed { fence } => {
                let config = self.config();
                if let Some(permit) = self.permits.iter_mut().find(|p| p.fence == *fence) {
                    permit.called = false;
                    permit.idle_end = now.plus_ms(config.lease_idle_ms);
                    permit.hard_end = now.plus_ms(config.lease_max_ms);
                    let (number, lobby) = (permit.number, permit.lobby);
                    self.gone(number);
                    self.note(version, number, lobby, Ended::Not);
                }
            }
            Event::Slid { fence } => {
                let idle_ms = self.config().lease_idle_ms;
                if let Some(permit) = self.permits.iter_mut().find(|p| p.fence == *fence) {
                    permit.idle_end = permit.idle_end.max(now.plus_ms(idle_ms));
                    permit.provisional = false;
                }
            }
            Event::Extended { fence, by_ms } => {
                if let Some(permit) = self.permits.iter_mut().find(|p| p.fence == *fence) {
                    permit.hard_end = permit.hard_end.plus_ms(*by_ms);
                    permit.extended_ms += by_ms;
                }
            }
            Event::LaneCommitted { .. } => {}
            Event::TrayEmptied { .. } => (self.hand, self.tray) = (self.hand + self.tray, 0),
            Event::WentAway(numbers) => numbers.iter().for_each(|n| self.put(*n, Place::Away(now))),
            Event::CameBack(numbers) => numbers.iter().for_each(|n| self.put(*n, Place::Present)),
            Event::Left(number) => {
                let lobby = self.lobby_in_line(*number);
                self.gone(*number);
                self.note(version, *number, lobby, Ended::By(Why::Left));
            }
            Event::Carried { number, fences, to } => {
                self.carry(version, *number, *fences, to.unwrap_or_default());
            }
            Event::LineEnded { .. } => {
                let called = self.permits.iter().filter(|p| p.called).count() as u32;
                self.permits.retain(|permit| !permit.called);
                let paid = called.min(self.debt);
                self.debt -= paid;
                self.hand += called - paid;
                let mut tickets = core::mem::take(&mut self.tickets);
                tickets.append(&mut self.hall);
                for ticket in tickets {
                    self.note(version, ticket.number, ticket.lobby, Ended::WithTheLine);
                }
            }
            // A visitor whom the operator dismisses did not leave.
            Event::Dismissed { number, .. } => {
                if let Some(changed) = self.changed.get_mut(number) {
                    changed.ended = Ended::By(Why::Released);
                }
            }
            // These are only measured.
            Event::Overheard(_) => {}
            Event::Reset { .. } => {
                self.slots.begins();
                (self.hand, self.tray, self.debt) = (self.config().permits, 0, 0);
                self.tickets.clear();
                self.hall.clear();
                self.permits.clear();
                self.forgets_changes();
                self.owned.clear();
                self.vouchers_begin();
                self.told_from = version;
            }
            Event::SheetMade { .. } | Event::SheetWithdrawn { .. } | Event::Spent(_) => {
                self.apply_voucher(fact);
            }
            Event::GraceEnded { .. }
            | Event::Turned
            | Event::Adjusted { .. }
            | Event::Scheduled { .. }
            | Event::RolledBack { .. }
            | Event::Begun { .. }
            | Event::Attempted { .. }
            | Event::Committed(_) => {}
        }
    }

    /// Takes away these places, which are past their grace.
    pub fn end_places(&mut self, gone: &[Number]) {
        for number in gone {
            let lobby = self.lobby_in_line(*number);
            self.note(self.version, *number, lobby, Ended::By(Why::Away));
        }
        self.tickets.retain(|t| !gone.contains(&t.number));
        self.hall.retain(|t| !gone.contains(&t.number));
    }

    /// Draws the hall of a lane: everybody gets a lot, and the least goes first.
    fn draw(&mut self, version: Version, lane: LaneId, draw: Draw, seed: &Seed) {
        let all = core::mem::take(&mut self.hall);
        let (mut hall, others): (Vec<Ticket>, Vec<Ticket>) = all.into_iter().partition(|ticket| ticket.number.lane() == lane);
        self.hall = others;
        if draw == Draw::Shuffle {
            hall.sort_by_key(|ticket| {
                let entry = ticket.number.entry().unwrap_or_default();
                let lot = Sha256::new().chain_update(seed.0);
                <[u8; 32]>::from(lot.chain_update(entry.to_be_bytes()).finalize())
            });
        }
        for ticket in hall {
            self.slots.of(lane).numbers += 1;
            let number = lane.number(self.slots.of(lane).numbers);
            if let Some(account) = self.owned.remove(&ticket.number) {
                self.owned.insert(number, account);
            }
            self.tickets.push(Ticket { number, ..ticket });
        }
        self.forgets_changes();
        self.told_from = version;
    }

    /// Moves a ticket to another lane, where it gets another number.
    fn moves_to(&mut self, version: Version, from: Number, to: Number) {
        let Some(mut ticket) = self.ticket(from).cloned() else {
            return;
        };
        let lobby = ticket.lobby;
        self.gone(from);
        self.note(version, from, lobby, Ended::By(Why::Moved));
        ticket.number = to;
        if to.is_entry() {
            self.slots.of(to.lane()).entries += 1;
            self.hall.push(ticket);
        } else {
            self.slots.of(to.lane()).numbers += 1;
            self.tickets.push(ticket);
        }
        if let Some(account) = self.owned.remove(&from) {
            self.owned.insert(to, account);
        }
        self.note(version, to, lobby, Ended::Not);
    }

    fn carry(&mut self, version: Version, number: Number, fences: Option<(Fence, Fence)>, to: Holder) {
        if let Some((from, fence)) = fences
            && let Some(at) = self.permits.iter().position(|p| p.fence == from)
        {
            let mut permit = self.permits.remove(at);
            permit.fence = fence;
            permit.holder = to;
            self.permits.push(permit);
        }
        let tickets = self.tickets.iter_mut().chain(&mut self.hall);
        if let Some(ticket) = tickets.into_iter().find(|t| t.number == number) {
            ticket.holder = to;
        }
        if let Some(lobby) = self.lobby_of(number) {
            self.note(version, number, lobby, Ended::Not);
        }
    }

    fn configure(&mut self, config: &RoomConfig) {
        let before = self.config();
        // One permit at a time: new permits pay debt first, and of too many permits the free ones go first.
        for _ in before.permits..config.permits {
            if self.debt > 0 { self.debt -= 1 } else { self.hand += 1 }
        }
        for _ in config.permits..before.permits {
            match (self.hand, self.tray) {
                (0, 0) => self.debt += 1,
                (0, _) => self.tray -= 1,
                (_, _) => self.hand -= 1,
            }
        }
        self.config = Some(config.clone());
        self.configure_lanes(config);
    }

    #[allow(clippy::too_many_arguments, reason = "a row of a table")]
    fn grant(&mut self, fence: Fence, number: Number, lobby: LobbyId, holder: Holder, called: bool, idle_end: Instant, hard_end: Instant) {
        self.permits.push(Permit {
            fence,
            number,
            called,
            idle_end,
            hard_end,
            holder,
            extended_ms: 0,
            provisional: false,
            lobby,
        });
    }

    fn call(&mut self, version: Version, now: Instant, number: Number, fence: Fence) {
        let claim_by = now.plus_ms(self.config().claim_within_ms);
        let Some(Ticket { lobby, holder, .. }) = self.ticket(number).cloned() else {
            return;
        };
        self.put(number, Place::Called);
        self.grant(fence, number, lobby, holder, true, claim_by, claim_by);
        self.note(version, number, lobby, Ended::Not);
    }

    fn end(&mut self, version: Version, now: Instant, fence: Fence, how: How) {
        let Some(at) = self.permits.iter().position(|p| p.fence == fence) else {
            return;
        };
        let Permit { number, lobby, .. } = self.permits.remove(at);
        let ended = match how {
            How::Missed => Ended::Not,
            How::MissedAgain => Ended::By(Why::Missed),
            How::Left => Ended::By(Why::Left),
            How::Released => Ended::By(Why::Released),
            How::Expired => Ended::By(Why::Expired),
        };
        if ended == Ended::Not {
            self.put(number, Place::Away(now));
            let mut tickets = self.tickets.iter_mut();
            if let Some(ticket) = tickets.find(|t| t.number == number) {
                ticket.missed = true;
            }
        } else {
            self.gone(number);
        }
        self.note(version, number, lobby, ended);
    }

    fn put(&mut self, number: Number, place: Place) {
        let tickets = self.tickets.iter_mut().chain(&mut self.hall);
        tickets.filter(|t| t.number == number).for_each(|t| t.place = place);
    }

    fn lobby_in_line(&self, number: Number) -> LobbyId {
        self.ticket(number).map_or(LobbyId(0), |t| t.lobby)
    }

    fn gone(&mut self, number: Number) {
        self.tickets.retain(|t| t.number != number);
        self.hall.retain(|t| t.number != number);
    }

    /// Forgets all changes: lobbies are not told one by one of what was before.
    fn forgets_changes(&mut self) {
        self.changed.clear();
        self.changes.clear();
    }

    fn note(&mut self, version: Version, number: Number, lobby: LobbyId, ended: Ended) {
        let changed = Changed { lobby, version, ended };
        self.changed.insert(number, changed);
        self.changes.push((changed.version, number));
    }
}

impl Ticket {
    const fn new(number: Number, lobby: LobbyId, holder: Holder) -> Self {
        Self {
            number,
            place: Place::Present,
            missed: false,
            holder,
            lobby,
        }
    }
}
