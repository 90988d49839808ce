//! The facts a lobby stores, and their fold.
//!
//! **The stored form is for ever**: append new variants at the end, never change the fields of
//! one that was released.

use super::carry::Offer;
use super::{Book, Outstanding, Phase, REMEMBERED_MAX, Ticket};
use crate::room::command::{Batch, LineEnd};
use crate::units::{Edition, Instant, Number, Version, VisitorId};
use crate::wire::Reason;
use serde::{Deserialize, Serialize};

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LobbyEvent {
    /// A new life began.
    Woke {
        /// Which.
        epoch: u64,
    },
    /// A batch that issues numbers or carries places was handed out for sending, or one that ends tickets was not answered.
    Sent {
        /// The batch; its bytes are these.
        batch: Batch,
        /// For each command, whom it is for.
        visitors: Vec<Vec<VisitorId>>,
    },
    /// The outstanding batch is answered, or was refused for good.
    Settled,
    /// Consecutive numbers went to these visitors.
    Joined {
        /// In order.
        visitors: Vec<VisitorId>,
        /// The first's number.
        first: Number,
        /// The first's people in front.
        ahead: u64,
        /// The room's version that said so.
        version: Version,
    },
    /// A ticket stands so.
    Stands {
        /// Whose.
        visitor: VisitorId,
        /// Which.
        number: Number,
        /// How far.
        phase: Phase,
        /// People in front, when the room said.
        ahead: Option<u64>,
        /// The room's version that said so.
        version: Version,
    },
    /// Notices up to this version were taken in.
    Noticed(Version),
    /// A visitor was passed on to the next lobby, this one being full.
    PassedOn(VisitorId),
    /// Another device may take a place over.
    Offered {
        /// Which.
        number: Number,
        /// SHA-256 of what it must show.
        hash: [u8; 32],
        /// Until then.
        until: Instant,
    },
    /// Somebody came with what was offered, as the first. The place goes there as soon as the room
    /// has said how it stands.
    TakenUp {
        /// Which place.
        number: Number,
        /// Who came.
        by: VisitorId,
    },
    /// The place is that visitor's now. A place of its own is to be given up, and one that had this
    /// number before is over.
    Carried {
        /// Which.
        number: Number,
        /// Whose it is now.
        to: VisitorId,
    },
    /// The room knows that a place is given up which a visitor had beside the one carried there.
    Dropped(Number),
    /// Everybody who waited is over.
    LineEnded {
        /// Who that is.
        end: LineEnd,
        /// But these: what the room knows of them may be more than this lobby does, and it is asked.
        unsure: Vec<VisitorId>,
    },
    /// Entries of the hall became these numbers.
    Numbered {
        /// Whose, the people in front as the room said, and the room's version of the draw.
        numbers: Vec<(VisitorId, Number, u64, Version)>,
    },
    /// The room was begun anew: everybody is over.
    Begun {
        /// The edition that began.
        edition: Edition,
        /// In this row of the room.
        version: Version,
    },
    /// Somebody shows a ticket of an earlier edition, and nothing else was known of that visitor.
    Outdated {
        /// Who.
        visitor: VisitorId,
        /// Of which edition.
        edition: Edition,
        /// Which number.
        number: Number,
    },
}

impl Book {
    /// Folds one event in. O(log tickets), for joins times their number.
    pub fn apply(&mut self, event: &LobbyEvent) {
        match event {
            LobbyEvent::Woke { epoch } => self.epoch = *epoch,
            LobbyEvent::Sent { batch, visitors } => {
                self.outstanding = Some(Outstanding {
                    batch: batch.clone(),
                    visitors: visitors.clone(),
                });
            }
            LobbyEvent::Settled => self.outstanding = None,
            LobbyEvent::Joined {
                visitors,
                first,
                ahead,
                version,
            } => {
                let phase = Phase::Waiting {
                    away: false,
                    missed: false,
                };
                for (offset, visitor) in (0_u64..).zip(visitors) {
                    let ticket = Ticket {
                        number: first.plus(offset),
                        edition: self.edition,
                        phase,
                        ahead: ahead.saturating_add(offset),
                        version: *version,
                    };
                    self.put(*visitor, ticket);
                }
            }
            LobbyEvent::Stands {
                visitor,
                number,
                phase,
                ahead,
                version,
            } => {
                let known = self.tickets.get(visitor);
                let known = known.filter(|t| (t.edition, t.number) == (self.edition, *number));
                let least = known.map_or(u64::MAX, |ticket| ticket.ahead);
                let ahead = ahead.map_or(least, |ahead| ahead.min(least));
                let ticket = Ticket {
                    number: *number,
                    edition: self.edition,
                    phase: *phase,
                    ahead,
                    version: *version,
                };
                self.put(*visitor, ticket);
            }
            LobbyEvent::Noticed(version) => self.noticed = self.noticed.max(*version),
            LobbyEvent::PassedOn(visitor) => {
                self.passed_on.insert(*visitor);
                self.remember(*visitor);
            }
            LobbyEvent::Offered {
                number,
                hash,
                until,
            } => {
                let offer = Offer {
                    hash: *hash,
                    until: *until,
                    taken_up_by: None,
                };
                self.carrying.offers.insert(*number, offer);
            }
            LobbyEvent::TakenUp { number, by } => {
                if let Some(offer) = self.carrying.offers.get_mut(number) {
                    offer.taken_up_by = Some(*by);
                }
            }
            LobbyEvent::Carried { number, to } => self.carry(*number, *to),
            LobbyEvent::Dropped(number) => drop(self.carrying.dropping.remove(number)),
            LobbyEvent::LineEnded { end, unsure } => self.end_line(*end, unsure),
            LobbyEvent::Numbered { numbers } => {
                for (visitor, number, ahead, version) in numbers {
                    self.number(*visitor, *number, *ahead, *version);
                }
            }
            LobbyEvent::Begun { edition, version } => self.begin(*edition, *version),
            LobbyEvent::Outdated {
                visitor,
                edition,
                number,
            } => {
                let ticket = Ticket {
                    number: *number,
                    edition: *edition,
                    phase: Phase::Over(Reason::Reset),
                    ahead: u64::MAX,
                    version: self.began,
                };
                self.put(*visitor, ticket);
            }
        }
    }

    /// The visitor's entry is this number from now on.
    fn number(&mut self, visitor: VisitorId, number: Number, ahead: u64, version: Version) {
        let Some(ticket) = self.tickets.get(&visitor).copied() else {
            return;
        };
        let ticket = Ticket {
            number,
            ahead,
            version: ticket.version.max(version),
            ..ticket
        };
        self.put(visitor, ticket);
    }

    /// The living entries of the hall below this, with their visitors. O(log tickets), plus those.
    pub(super) fn entries_below(
        &self,
        below: Number,
    ) -> impl Iterator<Item = (Number, VisitorId)> + '_ {
        let any = self.entries > 0 && below > Number::FIRST_ENTRY;
        let entries = any.then(|| self.by_number.range(Number::FIRST_ENTRY..below));
        let living = |visitor: &VisitorId| {
            let ticket = self.tickets.get(visitor);
            ticket.is_some_and(|ticket| ticket.phase.living())
        };
        entries
            .into_iter()
            .flatten()
            .filter(move |(_, visitor)| living(visitor))
            .map(|(number, visitor)| (*number, *visitor))
    }

    fn carry(&mut self, number: Number, to: VisitorId) {
        let from = self.by_number.get(&number).copied();
        let ticket = from.and_then(|from| self.tickets.get(&from).copied());
        let (Some(from), Some(ticket)) = (from, ticket) else {
            return;
        };
        let own = self.tickets.get(&to).filter(|own| own.phase.living());
        if let Some(own) = own.map(|own| own.number) {
            self.carrying.dropping.insert(own, to);
        }
        let phase = Phase::Over(Reason::Carried);
        self.put(from, Ticket { phase, ..ticket });
        self.put(to, ticket);
    }

    /// The visitor's ticket is over, if there is one.
    pub(super) fn end(&mut self, visitor: VisitorId, reason: Reason, version: Version) {
        if let Some(ticket) = self.tickets.get(&visitor).copied() {
            let phase = Phase::Over(reason);
            self.put(
                visitor,
                Ticket {
                    phase,
                    version,
                    ..ticket
                },
            );
        }
    }

    pub(super) fn put(&mut self, visitor: VisitorId, ticket: Ticket) {
        if ticket.phase.living() {
            self.carried_from_another(visitor, ticket.number);
        }
        let before = self.tickets.insert(visitor, ticket);
        if let Some(before) = before {
            self.living -= usize::from(before.phase.living());
            self.entries -= usize::from(before.is_entry());
            if before.number != ticket.number {
                self.disown(visitor, before.number);
            }
        }
        // The numbers of other editions are others' here.
        if ticket.edition == self.edition {
            if ticket.phase.living() || !self.is_anothers(visitor, ticket.number) {
                self.by_number.insert(ticket.number, visitor);
            }
            if !ticket.phase.living() {
                self.carrying.offers.remove(&ticket.number);
            }
        }
        self.entries += usize::from(ticket.is_entry());
        if ticket.phase.living() {
            self.living += 1;
        } else if before.is_none_or(|before| before.phase.living()) {
            self.remember(visitor);
        }
    }

    /// Whether another visitor has that number, alive.
    fn is_anothers(&self, visitor: VisitorId, number: Number) -> bool {
        let holder = self.by_number.get(&number).filter(|of| **of != visitor);
        let ticket = holder.and_then(|of| self.tickets.get(of));
        ticket.is_some_and(|ticket| ticket.number == number && ticket.phase.living())
    }

    /// A number is one visitor's. Where another has it, this lobby has forgotten that it was carried on: both
    /// showed it, and the place is with who came last.
    fn carried_from_another(&mut self, visitor: VisitorId, number: Number) {
        if !self.is_anothers(visitor, number) {
            return;
        }
        let other = self.by_number.get(&number).copied();
        let ticket = other.and_then(|other| self.tickets.get(&other).copied());
        if let (Some(other), Some(ticket)) = (other, ticket) {
            let phase = Phase::Over(Reason::Carried);
            self.put(other, Ticket { phase, ..ticket });
        }
    }

    /// The number is not this visitor's any more; one that was carried on is another's. A link that was made for it is
    /// worth nothing: who took it up would pursue a place that nobody has.
    fn disown(&mut self, visitor: VisitorId, number: Number) {
        if self.by_number.get(&number) == Some(&visitor) {
            self.by_number.remove(&number);
            self.carrying.offers.remove(&number);
        }
    }

    /// Bounds what is kept of visitors who have no living ticket here.
    fn remember(&mut self, visitor: VisitorId) {
        self.remembered.push_back(visitor);
        while self.remembered.len() > REMEMBERED_MAX {
            let Some(oldest) = self.remembered.pop_front() else {
                break;
            };
            self.passed_on.remove(&oldest);
            if let Some(ticket) = self.tickets.get(&oldest)
                && !ticket.phase.living()
            {
                let number = ticket.number;
                self.disown(oldest, number);
                self.tickets.remove(&oldest);
            }
        }
    }

    /// The visitor's ticket is over for this reason.
    pub(super) fn over(
        visitor: VisitorId,
        ticket: &Ticket,
        reason: Reason,
        version: Version,
    ) -> LobbyEvent {
        LobbyEvent::Stands {
            visitor,
            number: ticket.number,
            phase: Phase::Over(reason),
            ahead: None,
            version,
        }
    }
}
