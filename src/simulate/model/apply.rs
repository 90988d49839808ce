//! What each fact does to the plain semaphore.

use super::{Model, Note, Permit, Place, Ticket};
use crate::room::config::{ADMISSION_MICRO, RoomConfig};
use crate::room::event::{Event, From, How, To};
use crate::room::hall::{Draw, Seed};
use crate::units::{Fence, Instant, LobbyId, Number, Version};
use sha2::{Digest, Sha256};

impl Model {
    /// One fact becomes true. Which places a grace's end takes comes with [`Self::end_places`].
    pub fn apply(&mut self, version: Version, now: Instant, fact: &Event) {
        match fact {
            Event::Configured(config) => self.configure(now, config),
            Event::Joined { lobby, count, .. } => {
                for _ in 0..*count {
                    self.numbers += 1;
                    let number = Number(self.numbers);
                    self.tickets.push(Ticket {
                        number,
                        place: Place::Present,
                        missed: false,
                        lobby: *lobby,
                    });
                }
            }
            Event::Entered { lobby, count, .. } => {
                for _ in 0..*count {
                    self.entries += 1;
                    self.hall.push(Ticket {
                        number: Number::of_entry(self.entries),
                        place: Place::Present,
                        missed: false,
                        lobby: *lobby,
                    });
                }
            }
            Event::Drawn { draw, seed, .. } => self.draw(version, *draw, seed),
            Event::Doors(door) => self.door = *door,
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
            } => {
                match from {
                    From::Hand => self.hand -= 1,
                    From::Tray => self.tray -= 1,
                    From::Nowhere => self.debt += 1,
                }
                self.numbers += 1;
                let config = self.config();
                let idle_ms = config.claim_within_ms.min(config.lease_idle_ms);
                self.grant(
                    now,
                    *fence,
                    *number,
                    *lobby,
                    false,
                    now.plus_ms(idle_ms),
                    now.plus_ms(config.lease_max_ms),
                );
                if let Some(permit) = self.permits.last_mut() {
                    permit.provisional = true;
                }
            }
            Event::Called { number, fence } => {
                self.hand -= 1;
                self.call(version, now, *number, *fence);
            }
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
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
                    let number = permit.number;
                    self.gone(number);
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
            Event::TrayEmptied { .. } => (self.hand, self.tray) = (self.hand + self.tray, 0),
            Event::WentAway(numbers) => numbers.iter().for_each(|n| self.put(*n, Place::Away(now))),
            Event::CameBack(numbers) => numbers.iter().for_each(|n| self.put(*n, Place::Present)),
            Event::Left(number) => {
                let lobby = self.lobby_of(*number);
                self.gone(*number);
                self.note(version, *number, lobby);
            }
            Event::BatchTaken {
                lobby,
                epoch,
                sequence,
                acknowledged,
                ..
            } => {
                self.batches.retain(|(known, ..)| known != lobby);
                self.batches.push((*lobby, *epoch, *sequence));
                self.notes
                    .retain(|note| note.lobby != *lobby || note.version > *acknowledged);
            }
            Event::Refenced { from, fence } => {
                if let Some(at) = self.permits.iter().position(|p| p.fence == *from) {
                    let mut permit = self.permits.remove(at);
                    permit.fence = *fence;
                    self.fences = fence.0;
                    self.permits.push(permit);
                }
            }
            Event::LineEnded { .. } => {
                let called = self.permits.iter().filter(|p| p.called).count() as u32;
                self.permits.retain(|permit| !permit.called);
                let paid = called.min(self.debt);
                self.debt -= paid;
                self.hand += called - paid;
                let mut tickets = core::mem::take(&mut self.tickets);
                tickets.append(&mut self.hall);
                let over = |note: &Note| tickets.iter().any(|t| t.number == note.number);
                self.notes.retain(|note| !over(note));
            }
            Event::Dismissed { number, lobby, .. } => self.note(version, *number, *lobby),
            Event::OriginSeen { good, bad } => self.origin_seen(now, *good, *bad),
            Event::StockSeen { reported_at_ms, .. } => self.stock_reported_at_ms = *reported_at_ms,
            Event::Reset { edition, .. } => {
                self.resets = edition.0 - 1;
                self.numbers = 0;
                (self.hand, self.tray, self.debt) = (self.config().permits, 0, 0);
                self.entries = 0;
                self.tickets.clear();
                self.hall.clear();
                self.drawn.clear();
                self.permits.clear();
                self.notes.clear();
            }
            Event::GraceEnded { .. }
            | Event::Turned
            | Event::Adjusted { .. }
            | Event::Committed(_) => {}
        }
    }

    /// These places are past their grace.
    pub fn end_places(&mut self, gone: &[Number]) {
        self.tickets.retain(|t| !gone.contains(&t.number));
        self.hall.retain(|t| !gone.contains(&t.number));
    }

    /// Everybody draws a lot, and the least goes first.
    fn draw(&mut self, version: Version, draw: Draw, seed: &Seed) {
        let mut hall = core::mem::take(&mut self.hall);
        if draw == Draw::Shuffle {
            hall.sort_by_key(|ticket| {
                let entry = ticket.number.entry().unwrap_or_default();
                let lot = Sha256::new().chain_update(seed.0);
                <[u8; 32]>::from(lot.chain_update(entry.to_be_bytes()).finalize())
            });
        }
        // Names of draws of which nobody is there any more are forgotten, and of more than sixteen the oldest.
        let (tickets, permits) = (&self.tickets, &self.permits);
        let there = |number: &Number| {
            tickets.iter().any(|t| t.number == *number)
                || permits.iter().any(|p| p.number == *number)
        };
        self.drawn
            .retain(|(_, draw)| draw.iter().any(|(_, number)| there(number)));
        if self.drawn.len() >= 16 {
            self.drawn.remove(0);
        }
        let mut pairs = Vec::new();
        for ticket in hall {
            self.numbers += 1;
            let number = Number(self.numbers);
            pairs.push((ticket.number, number));
            self.tickets.push(Ticket { number, ..ticket });
        }
        self.drawn.push((version, pairs));
    }

    fn configure(&mut self, now: Instant, config: &RoomConfig) {
        let before = self.config();
        // One permit at a time: new ones pay the debt, of too many the free ones go first.
        for _ in before.permits..config.permits {
            if self.debt > 0 {
                self.debt -= 1
            } else {
                self.hand += 1
            }
        }
        for _ in config.permits..before.permits {
            match (self.hand, self.tray) {
                (0, 0) => self.debt += 1,
                (0, _) => self.tray -= 1,
                (_, _) => self.hand -= 1,
            }
        }
        let rate = config.admissions_milli_per_s;
        if before.admissions_milli_per_s != rate {
            let most = (rate * config.tick_ms).max(ADMISSION_MICRO);
            let capped = before.admissions_milli_per_s > 0;
            let kept = if capped { self.level(now) } else { most };
            self.bucket = (kept.min(most), now);
        }
        let health = |c: &RoomConfig| (c.origin_errors_max_percent, c.origin_errors_window_ms);
        if health(&before) != health(config) {
            self.origin_forgotten();
        }
        self.config = Some(config.clone());
    }

    #[allow(clippy::too_many_arguments, reason = "a row of a table")]
    fn grant(
        &mut self,
        now: Instant,
        fence: Fence,
        number: Number,
        lobby: LobbyId,
        called: bool,
        idle_end: Instant,
        hard_end: Instant,
    ) {
        self.fences = fence.0;
        self.permits.push(Permit {
            fence,
            number,
            called,
            idle_end,
            hard_end,
            extended_ms: 0,
            provisional: false,
            lobby,
        });
        if self.config().admissions_milli_per_s > 0 {
            self.bucket = (self.level(now).saturating_sub(ADMISSION_MICRO), now);
        }
        self.origin_spends(now);
    }

    fn call(&mut self, version: Version, now: Instant, number: Number, fence: Fence) {
        let claim_by = now.plus_ms(self.config().claim_within_ms);
        let lobby = self.lobby_of(number);
        self.put(number, Place::Called);
        self.grant(now, fence, number, lobby, true, claim_by, claim_by);
        self.note(version, number, lobby);
    }

    fn end(&mut self, version: Version, now: Instant, fence: Fence, how: How) {
        let Some(at) = self.permits.iter().position(|p| p.fence == fence) else {
            return;
        };
        let Permit { number, lobby, .. } = self.permits.remove(at);
        match how {
            How::Missed => {
                self.put(number, Place::Away(now));
                self.tickets
                    .iter_mut()
                    .filter(|t| t.number == number)
                    .for_each(|t| t.missed = true);
            }
            How::MissedAgain | How::Left => self.gone(number),
            How::Released | How::Expired => {}
        }
        self.note(version, number, lobby);
    }

    fn put(&mut self, number: Number, place: Place) {
        let tickets = self.tickets.iter_mut().chain(&mut self.hall);
        tickets
            .filter(|t| t.number == number)
            .for_each(|t| t.place = place);
    }

    fn lobby_of(&self, number: Number) -> LobbyId {
        self.ticket(number).map_or(LobbyId(0), |t| t.lobby)
    }

    fn gone(&mut self, number: Number) {
        self.tickets.retain(|t| t.number != number);
        self.hall.retain(|t| t.number != number);
        self.notes.retain(|note| note.number != number);
    }

    fn note(&mut self, version: Version, number: Number, lobby: LobbyId) {
        self.notes.retain(|note| note.number != number);
        self.notes.push(Note {
            version,
            number,
            lobby,
        });
    }
}
