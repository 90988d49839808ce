//! What an operator does to a room: changes settings, ends a ticket, begins an edition.

use super::Room;
use facts::command::Command;
use facts::config::{Mode, RoomConfig};
use facts::event::{Event, Row, WhyEnded};
use facts::holder::Held;
use facts::units::{Edition, Fence, Instant, Number, Version};

impl Room {
    /// Puts settings in force, and ends the line if there is nothing left to wait for. Does nothing if they are in force already. O(permits +
    /// lanes²), or O(n) if the line ends.
    pub fn configure(&mut self, config: &RoomConfig, row: &mut Row) {
        if self.configured && self.config == *config {
            return;
        }
        self.commit([Event::Configured(Box::new(config.clone()))], row);
        let count = self.tickets.lanes().alive();
        if config.mode == Mode::SoldOut && count > 0 {
            let why = WhyEnded::SoldOut;
            self.commit([Event::LineEnded { why, count }], row);
        }
    }

    /// Ends a ticket for the operator: its permit passes on, its place is over and its visitor is told. Returns whether there was a
    /// living ticket. O(log n).
    pub fn dismiss(&mut self, now: Instant, number: Number, by: &str, row: &mut Row) -> bool {
        let (Some(lobby), Some(holder)) = (self.tickets.lobby_of(number), self.tickets.holder(number)) else {
            return false;
        };
        let place = Held { number, key: holder.key };
        self.perform(now, &Command::Leave(place), lobby, row);
        let by = by.to_owned();
        self.commit([Event::Dismissed { number, by }], row);
        true
    }

    /// Ends a lease by its fence, as [`dismiss`](Self::dismiss) does by number. Returns whether the lease lived, or `None` if the fence was never
    /// minted. A permit that is only called for is no lease: nobody outside knows its fence. O(log n).
    pub fn end_lease(&mut self, now: Instant, fence: Fence, by: &str, row: &mut Row) -> Option<bool> {
        if fence > self.tickets.permits().last_fence() || fence == Fence(0) {
            return None;
        }
        let leased = self.case(now).lease(fence).map(|(_, grant)| grant.number);
        Some(leased.is_some_and(|number| self.dismiss(now, number, by, row)))
    }

    /// Begins a new edition, so that an operator can rehearse in the room of the sale: every ticket is over, and numbers begin at 1. Fences and
    /// versions keep counting; settings and live values stay. O(n), once.
    pub fn reset(&mut self, by: &str, row: &mut Row) -> Edition {
        let edition = self.lost.edition_after(self.edition);
        let reset = Event::Reset {
            edition,
            by: by.to_owned(),
            waiting: self.tickets.lanes().alive(),
            inside: self.tickets.permits().leased(),
        };
        self.commit([reset], row);
        edition
    }

    /// Has the room begin in this edition, if nothing has happened in it and this is not the first: earlier rooms of its name had those before.
    pub fn begin_in(&mut self, edition: Edition, row: &mut Row) {
        if self.version == Version(0) && edition > self.edition {
            self.commit([Event::Begun { edition }], row);
        }
    }
}
