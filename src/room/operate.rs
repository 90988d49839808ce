//! What the operator does to a room: settings, live values, the end of a ticket, a new edition.

use super::Room;
use crate::facts::command::Command;
use crate::facts::config::{Mode, RoomConfig};
use crate::facts::event::WhyEnded;
use crate::facts::event::{Change, Event, Row};
use crate::facts::holder::{Held, Key};
use crate::facts::units::{Edition, Fence, Instant, Number};

impl Room {
    /// New settings, and the end of the line if there is nothing left to wait for. Changes nothing
    /// when they are those in force. O(1), at the end of the line O(n).
    pub fn configure(&mut self, config: &RoomConfig, row: &mut Row) {
        if self.configured && self.config == *config {
            return;
        }
        self.commit([Event::Configured(Box::new(config.clone()))], row);
        let count = self.lanes.alive();
        if config.mode == Mode::SoldOut && count > 0 {
            let why = WhyEnded::SoldOut;
            self.commit([Event::LineEnded { why, count }], row);
        }
    }

    /// Live values are these from now on, and `by` changed them. What the room decides by comes
    /// with [`configure`](Self::configure) before. O(values).
    pub fn adjust(&mut self, by: &str, values: Vec<Change>, row: &mut Row) {
        let by = by.to_owned();
        self.commit([Event::Adjusted { by, values }], row);
    }

    /// Ends a ticket on the operator's behalf: its permit passes on, its place is free, its visitor
    /// is told. Says whether there was one to end. O(log n).
    pub fn dismiss(&mut self, now: Instant, number: Number, by: &str, row: &mut Row) -> bool {
        let (Some(lobby), Some(holder)) = (self.lobby_of(number), self.holder(number)) else {
            return false;
        };
        let place = Held {
            number,
            key: holder.key,
        };
        self.perform(now, &Command::Leave(place), lobby, row);
        let by = by.to_owned();
        self.commit([Event::Dismissed { number, by }], row);
        true
    }

    /// Ends an account's ticket, as [`dismiss`](Self::dismiss) does by the number. Yields it; `None`: the account has none.
    /// O(log n).
    pub fn dismiss_account(
        &mut self,
        now: Instant,
        account: Key,
        by: &str,
        row: &mut Row,
    ) -> Option<Number> {
        let number = self.living_of_account(account)?;
        self.dismiss(now, number, by, row).then_some(number)
    }

    /// Gives a lease back by its fence, as [`dismiss`](Self::dismiss) does by the number. Says whether it lived; none: no
    /// lease ever had this fence. A permit that is only called for is no lease: nobody outside knows its fence. O(log n).
    pub fn end_lease(
        &mut self,
        now: Instant,
        fence: Fence,
        by: &str,
        row: &mut Row,
    ) -> Option<bool> {
        if fence > self.permits.last_fence() || fence == Fence(0) {
            return None;
        }
        let leased = self.lease(now, fence).map(|(_, grant)| grant.number);
        Some(leased.is_some_and(|number| self.dismiss(now, number, by, row)))
    }

    /// Begins the room anew, so that one can rehearse where the sale will be: every ticket is over, numbers begin at 1.
    /// Fences, versions, settings and live values go on. O(n), once.
    pub fn reset(&mut self, by: &str, row: &mut Row) -> Edition {
        let edition = self.edition.next();
        let reset = Event::Reset {
            edition,
            by: by.to_owned(),
            waiting: self.lanes.alive(),
            inside: self.permits.leased(),
        };
        self.commit([reset], row);
        edition
    }
}
