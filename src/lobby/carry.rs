//! A place that goes to another device: offered by the one that has it, taken up by whoever comes
//! first with the secret, and moved when the room has said how it stands.
//!
//! From the moment it is taken up there is no way back: the lobby pursues it through restarts until
//! the place is moved or over. So nobody has two places, whatever dies in between: before the move it
//! is the old device's, afterwards the new one's, and the room speaks of one number all the time. A
//! place that the new device had here is given up after that, and pursued as well.

use super::asks::{Progress, Step};
use super::event::LobbyEvent;
use super::standings::Said;
use super::{Lobby, Phase, Ticket, Want};
use crate::room::command::Standing;
use crate::units::{Instant, Number, VisitorId};
use crate::wire::{Ask, CarryTold, Wish};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;

/// A place that another device may take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Offer {
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// Until then, on the lobby's clock.
    pub until: Instant,
    /// Who came first.
    pub taken_up_by: Option<VisitorId>,
}

/// Places on their way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Carrying {
    /// One a living ticket at most.
    pub offers: BTreeMap<Number, Offer>,
    /// Numbers that are nobody's any more and of which the room must hear, with whose they were. They
    /// live until the room's next answer.
    pub dropping: BTreeMap<Number, VisitorId>,
}

impl Lobby {
    /// Notes who comes with what was offered, as the first and in time. Not while a number is on its
    /// way to the same visitor, which is waited for: what is noted is wanted of the room in the same
    /// moment, whoever stays to hear of it. O(log tickets).
    pub(super) fn take_up(
        &mut self,
        now: Instant,
        visitor: VisitorId,
        number: Number,
        hash: &[u8; 32],
    ) {
        let holder = self.book.by_number.get(&number);
        let offer = self.book.carrying.offers.get(&number);
        let open = offer.is_some_and(|offer| {
            let fits = bool::from(offer.hash.ct_eq(hash));
            fits && offer.until > now && offer.taken_up_by.is_none()
        });
        if open && holder != Some(&visitor) && self.joins(visitor).is_none() {
            let by = visitor;
            self.record(now, LobbyEvent::TakenUp { number, by });
        }
    }

    pub(super) fn step_of_carry(
        &self,
        visitor: VisitorId,
        own: Option<Ticket>,
        number: Number,
        progress: &Progress,
    ) -> Step {
        // Carried before: a pass is made of the room's word alone.
        if let Some(own) = own.filter(|own| own.number == number)
            && let Phase::Admitted { fence, .. } = own.phase
        {
            return if progress.did(Want::Carry(number)) {
                Step::Tell
            } else {
                Step::Want(Want::Renew(fence))
            };
        }
        if let Some(join) = self.joins(visitor).filter(|join| !progress.did(*join)) {
            return Step::Want(join);
        }
        let offer = self.book.carrying.offers.get(&number);
        if offer.is_some_and(|offer| offer.taken_up_by == Some(visitor)) {
            Step::Want(Want::Carry(number))
        } else {
            Step::Tell
        }
    }

    /// What an offer comes to, or the taking up of one. O(log tickets).
    pub(super) fn carry_told(
        &mut self,
        now: Instant,
        ask: &Ask,
        progress: &Progress,
    ) -> Option<CarryTold> {
        let ticket = self.ticket(ask.visitor).copied();
        let living = ticket.filter(|ticket| ticket.phase.living());
        match (ask.wish, living) {
            (Wish::Offer { hash, within_ms }, Some(Ticket { number, .. })) => {
                if self.goes_elsewhere(ask.visitor) {
                    return Some(CarryTold::Gone);
                }
                let until = now.plus_ms(within_ms);
                let offered = LobbyEvent::Offered {
                    number,
                    hash,
                    until,
                };
                self.record(now, offered);
                Some(CarryTold::Offered)
            }
            (Wish::Carry { place, .. }, Some(ticket))
                if (ticket.edition, ticket.number) == (place.edition, place.number)
                    || progress.moved(place.number) =>
            {
                Some(CarryTold::Carried)
            }
            (Wish::Offer { .. } | Wish::Carry { .. }, _) => Some(CarryTold::Gone),
            _ => None,
        }
    }

    /// The room has said how a place stands that was taken up: it is that visitor's now, unless it is
    /// over. Returns whose it was: either is news. O(log tickets).
    pub(super) fn take_carried(
        &mut self,
        said: Said<'_>,
        number: Number,
        to: VisitorId,
        standing: &Standing,
    ) -> Option<VisitorId> {
        let from = *self.book.by_number.get(&number)?;
        let offer = self.book.carrying.offers.get(&number);
        let meant = offer.is_some_and(|offer| offer.taken_up_by == Some(to));
        self.take_standing(said, from, Want::Carry(number), standing);
        let ticket = self.ticket(from).filter(|ticket| ticket.phase.living());
        let Some(ticket) = ticket.filter(|_| meant && from != to) else {
            return Some(from);
        };
        // What it was asked for as an entry may be a number by now.
        let number = ticket.number;
        let own = self.own_number(to).filter(|_| self.is_living(to));
        self.record(said.now, LobbyEvent::Carried { number, to });
        if said.is_old() {
            self.confirmed.remove(&to);
            self.want(to, Want::Back);
        } else {
            self.confirmed.insert(to);
        }
        self.leaving.remove(&from);
        if let Some(own) = own {
            self.want(to, Want::Drop(own));
        }
        match self.ticket(to).map(|ticket| ticket.phase) {
            Some(Phase::Waiting { .. }) => {
                self.presence.seen(said.now, to, self.config.linger_ms);
            }
            _ => self.keep_alive(said.now, to),
        }
        Some(from)
    }

    /// Whether this answers an entry that another has taken up by what it became. The answer to that one says the same of
    /// the place, under the fence that counts.
    pub(super) fn goes_as_an_entry(
        &self,
        visitor: VisitorId,
        want: Want,
        standing: &Standing,
    ) -> bool {
        let carries = matches!(want, Want::Carry(_));
        let inside = matches!(standing, Standing::Admitted { .. });
        inside && !carries && self.goes_elsewhere(visitor)
    }

    /// Whether this speaks of a lease that the visitor had beside the place it has now, and gives up.
    pub(super) fn is_given_up(&self, known: Option<&Ticket>, standing: &Standing) -> bool {
        let Standing::Admitted { number, .. } = *standing else {
            return false;
        };
        let other = |known: &Ticket| known.phase.living() && known.number != number;
        known.is_some_and(other) || self.book.carrying.dropping.contains_key(&number)
    }

    /// Wants again whatever an earlier life began.
    pub(super) fn pursue(&mut self) {
        let carrying = &self.book.carrying;
        let taken_up = carrying
            .offers
            .iter()
            .filter_map(|(number, offer)| offer.taken_up_by.map(|by| (by, Want::Carry(*number))));
        let dropping = carrying.dropping.iter();
        let dropping = dropping.map(|(number, of)| (*of, Want::Drop(*number)));
        let begun: Vec<(VisitorId, Want)> = taken_up.chain(dropping).collect();
        for (visitor, want) in begun {
            self.want(visitor, want);
        }
    }

    /// Whether the visitor's place is about to be another's. O(log tickets).
    pub(super) fn goes_elsewhere(&self, visitor: VisitorId) -> bool {
        let offer = |number| self.book.carrying.offers.get(&number);
        let offer = self.own_number(visitor).and_then(offer);
        offer.is_some_and(|offer| offer.taken_up_by.is_some())
    }

    /// The place that is being carried to this visitor.
    pub(super) fn carry_on_its_way(&self, visitor: VisitorId) -> Option<Want> {
        let (least, most) = (Want::Carry(Number(0)), Want::Carry(Number(u64::MAX)));
        let mut wants = self.waiters.range((visitor, least)..=(visitor, most));
        wants.next().map(|((_, want), _)| *want)
    }

    /// How a number is on its way to this visitor.
    fn joins(&self, visitor: VisitorId) -> Option<Want> {
        let waits = |want: &Want| self.waiters.contains_key(&(visitor, *want));
        [Want::Join, Want::WalkIn].into_iter().find(waits)
    }
}
