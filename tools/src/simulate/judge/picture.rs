//! The whole picture: everybody's place and rank, every permit and every count, compared with the [`Model`](super::Model).

use super::{Judge, broken};
use crate::audit::{Place as Plain, Stage as PlainStage};
use baton::facts::holder::Holder;
use baton::facts::units::Number;
use baton::room::Room;
use baton::room::laws::Check;
use baton::room::line::Place;
use baton::room::permits::Stage;

impl Judge {
    /// Compares the room with the model: every place, every rank, every permit and every count.
    pub(super) fn picture(&self, room: &Room) -> Check {
        self.counts_agree(room)?;
        self.places_agree(room)?;
        self.books_agree(room)?;
        self.permits_agree(room)
    }

    fn counts_agree(&self, room: &Room) -> Check {
        let (lanes, model) = (room.lanes(), &self.model.ledger().lanes);
        let seen = [lanes.alive(), lanes.waiting(), lanes.present(), lanes.away()];
        let counted = [model.alive(), model.waiting(), model.present(), model.away()];
        if seen != counted {
            return broken("counts agree (2)", || {
                format!("alive, waiting, present, away: {seen:?}, counted {counted:?}")
            });
        }
        Ok(())
    }

    /// Compares everybody in a line or in a hall: the place, the rank and the holder.
    fn places_agree(&self, room: &Room) -> Check {
        for ticket in self.model.tickets() {
            let number = ticket.number;
            let line = room.tickets().line_of(number);
            let place = line.place(number);
            let same = match ticket.place {
                Plain::Present => place == Place::Present,
                Plain::Away(_) => matches!(place, Place::Away(_)),
                Plain::Called => place == Place::Called,
            };
            if !same || line.missed(number) != ticket.missed {
                return broken("one state each (2)", || format!("{ticket:?} is {place:?}"));
            }
            self.book_agrees(room, number)?;
            let ahead = room.lanes().ahead(number).0;
            if !number.is_entry() && ahead != ticket.rank {
                return broken("ahead is a count that never rises (5)", || {
                    format!("{ticket:?}, the room says that {ahead} are in front")
                });
            }
        }
        Ok(())
    }

    /// Compares how many permits are where.
    fn books_agree(&self, room: &Room) -> Check {
        let (permits, ledger) = (room.permits(), self.model.ledger());
        let books = [permits.hand(), permits.tray(), permits.debt(), permits.called(), permits.leased()].map(u64::from);
        let own = [ledger.hand, ledger.tray, ledger.debt, ledger.called(), ledger.leased()];
        if books != own {
            return broken("the books agree (1)", || {
                format!("hand, tray, debt, called, leased: {books:?}, not {own:?}")
            });
        }
        Ok(())
    }

    /// Compares every permit that somebody has.
    fn permits_agree(&self, room: &Room) -> Check {
        for ((fence, plain), (own, grant)) in self.model.permits().zip(room.permits().out()) {
            let same = match (plain.stage, grant.stage) {
                (PlainStage::Called { claim_by_ms }, Stage::Called { claim_by, .. }) => claim_by.0 == claim_by_ms,
                (PlainStage::Leased(plain), Stage::Leased(lease)) => (lease.idle_end.0, lease.hard_end.0) == (plain.idle_end_ms, plain.hard_end_ms),
                _ => false,
            };
            if !same || (fence, plain.number) != (own, grant.number) {
                return broken("a permit is whose the model says (2, 7)", || {
                    format!("{fence} {plain:?}\n{own} {grant:?}")
                });
            }
            self.book_agrees(room, plain.number)?;
        }
        Ok(())
    }

    /// Checks a living ticket's holder and account, that its key finds it, and that its account finds no other.
    fn book_agrees(&self, room: &Room, number: Number) -> Check {
        let account = self.model.account_of_living(number);
        let place = account.and_then(|account| room.living_of_account(account));
        if account != room.tickets().account_of(number) || place.is_some_and(|place| place != number) {
            return broken("one living place an account (2)", || {
                format!("{number} is {account:?}'s, which is found at {place:?}")
            });
        }
        let holder = self.model.holder(number);
        let found = room.tickets().holder(number);
        let living = holder.and_then(|Holder { key, .. }| room.living_of(key));
        if holder.is_some() && found == holder && living == Some(number) {
            return Ok(());
        }
        broken("one living place a key (2)", || {
            format!("{number} is {holder:?}'s, the room says {found:?}, and finds {living:?}")
        })
    }
}
