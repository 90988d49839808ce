//! The whole picture: everybody's place and rank, every permit and every count, compared with the [`Model`](super::Model).

use super::{Judge, require};
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
        require("counts agree (2)", seen == counted, || {
            format!("alive, waiting, present, away: {seen:?}, counted {counted:?}")
        })
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
            let agrees = same && line.missed(number) == ticket.missed;
            require("one state each (2)", agrees, || format!("{ticket:?} is {place:?}"))?;
            self.book_agrees(room, number)?;
            let ahead = room.lanes().ahead(number).0;
            let is_right = number.is_entry() || ahead == ticket.rank;
            require("ahead is a count that never rises (5)", is_right, || {
                format!("{ticket:?}, the room says that {ahead} are in front")
            })?;
        }
        Ok(())
    }

    /// Compares how many permits are where.
    fn books_agree(&self, room: &Room) -> Check {
        let (permits, ledger) = (room.permits(), self.model.ledger());
        let books = [permits.hand(), permits.tray(), permits.debt(), permits.called(), permits.leased()].map(u64::from);
        let own = [ledger.hand, ledger.tray, ledger.debt, ledger.called(), ledger.leased()];
        require("the books agree (1)", books == own, || {
            format!("hand, tray, debt, called, leased: {books:?}, not {own:?}")
        })
    }

    /// Compares every permit that somebody has.
    fn permits_agree(&self, room: &Room) -> Check {
        for ((fence, plain), (own, grant)) in self.model.permits().zip(room.permits().out()) {
            let same = match (plain.stage, grant.stage) {
                (PlainStage::Called { claim_by_ms }, Stage::Called { claim_by, .. }) => claim_by.0 == claim_by_ms,
                (PlainStage::Leased(plain), Stage::Leased(lease)) => (lease.idle_end.0, lease.hard_end.0) == (plain.idle_end_ms, plain.hard_end_ms),
                _ => false,
            };
            let agrees = same && (fence, plain.number) == (own, grant.number);
            require("a permit is whose the model says (2, 7)", agrees, || {
                format!("{fence} {plain:?}\n{own} {grant:?}")
            })?;
            self.book_agrees(room, plain.number)?;
        }
        Ok(())
    }

    /// Checks a living ticket's holder and account, that its key finds it, and that its account finds no other.
    fn book_agrees(&self, room: &Room, number: Number) -> Check {
        let account = self.model.account_of_living(number);
        let place = account.and_then(|account| room.living_of_account(account));
        let is_theirs = account == room.tickets().account_of(number) && place.is_none_or(|place| place == number);
        require("one living place an account (2)", is_theirs, || {
            format!("{number} is {account:?}'s, which is found at {place:?}")
        })?;
        let holder = self.model.holder(number);
        let found = room.tickets().holder(number);
        let living = holder.and_then(|Holder { key, .. }| room.living_of(key));
        let is_held = holder.is_some() && found == holder && living == Some(number);
        require("one living place a key (2)", is_held, || {
            format!("{number} is {holder:?}'s, the room says {found:?}, and finds {living:?}")
        })
    }
}
