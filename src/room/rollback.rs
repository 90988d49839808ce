//! What follows when somebody shows that the room's data is older than what people were told, because a backup was restored.
//!
//! Whatever Baton tells of a place, it signs or it says to a lobby, and only after the room has stored it. So a place that this room cannot have given
//! proves a roll-back. The room then moves its numbers past the proof, with room for places that nobody has shown yet, and no number is given twice
//! from there on. Places that the data still has keep their numbers and their order. A place that it has not is *lost*: its holder is told nothing of
//! it, neither that it is over nor that it was carried, and joins anew. If the proof is of a later edition, everybody's place had ended before, and the
//! turn ends with the beginning of an edition some way after it.
//!
//! Fences need no proof: a room that comes into memory mints above the wall clock ([`Room::mint_above`]).

use super::Room;
use super::decide::Case;
use facts::event::{Event, Row};
use facts::holder::{Key, Shown};
use facts::limits::NUMBERS_MAX;
use facts::planted::{self, Bug};
use facts::units::{Fence, LaneId, Number, Version};

/// How many numbers are left out behind a place that was lost: as many as a sale gives in some minutes. A proof behind them moves the numbers again.
const LEFT_OUT: u64 = 16_384;
/// Who is said to have begun an edition because of a proof.
const BY: &str = "roll-back";

impl Case<'_> {
    /// Returns the fact that follows when the holder of this key shows a place: none, unless the room cannot have given it and has not learnt of
    /// that before. O(log n).
    pub(super) fn decide_shown(&self, key: Key, shown: Shown) -> Option<Event> {
        let number = shown.number;
        let line = self.tickets.line_of(number);
        let is_news = self.is_news(shown.row);
        let proves = match shown.edition.cmp(&self.edition) {
            core::cmp::Ordering::Less => false,
            // An edition after it must be left.
            core::cmp::Ordering::Greater => self.lost.edition() < Some(shown.edition) && shown.edition < shown.edition.next(),
            // A draw begins the hall's count anew.
            core::cmp::Ordering::Equal if number.is_entry() => is_news,
            core::cmp::Ordering::Equal => {
                let is_twice = self.is_anothers(key, number) && !self.lost.has_lane(number.lane());
                is_news || (self.has_slot(number) && (number >= line.next() || is_twice))
            }
        };
        let is_ignored = planted::is(Bug::ProofsIgnored);
        (proves && !is_ignored).then(|| self.rolls_back(shown))
    }

    /// Whether the number's lane has a slot here. Where it has none there is no count to move, and the row of the ticket is the proof.
    fn has_slot(&self, number: Number) -> bool {
        self.tickets.line_of(number).next().lane() == number.lane()
    }

    /// Whether a row that somebody knows proves something new. As long as the room has not come as far as a row that was proved, others only say the
    /// same again.
    fn is_news(&self, row: Version) -> bool {
        row > self.version && self.lost.row() <= self.version
    }

    /// Returns the fact that follows when a lobby knows a row: none, unless the room has not written it yet. O(log n).
    #[must_use]
    pub fn decide_known(&self, row: Version) -> Option<Event> {
        let shown = Shown {
            edition: self.edition,
            number: LaneId::FIRST.number(0),
            row,
        };
        self.is_news(row).then(|| self.rolls_back(shown))
    }

    fn rolls_back(&self, shown: Shown) -> Event {
        let next = self.tickets.line_of(shown.number).next();
        let is_counted = shown.edition == self.edition && !shown.number.is_entry() && self.has_slot(shown.number);
        let past = next.max(shown.number.plus(1));
        let farther = past.plus(LEFT_OUT);
        let next = match is_counted {
            true if farther.within() < NUMBERS_MAX => farther,
            true => past,
            false => next,
        };
        Event::RolledBack { shown, next }
    }

    /// Returns whether the room's data does not have this place any more, although it was given: nobody may be told that it is over. Once a lane's
    /// numbers have moved, an ended number of it may have been another's, so its end is told only by whoever knows how it came. O(log n).
    pub(super) fn is_lost(&self, key: Key, shown: Shown) -> bool {
        if planted::is(Bug::LostIsOver) {
            return false;
        }
        let is_newer = (shown.edition, shown.row) > (self.edition, self.version);
        let may_be_anothers = || {
            let is_over = self.tickets.holder(shown.number).is_none();
            is_over && self.lost.has_lane(shown.number.lane())
        };
        let is_missing = self.lost.has(shown.number) || self.is_anothers(key, shown.number) || may_be_anothers();
        let is_counted = shown.edition == self.edition && !shown.number.is_entry();
        is_newer || (is_counted && is_missing)
    }

    /// Whether a living number is another's although it was never carried: it was given twice.
    fn is_anothers(&self, key: Key, number: Number) -> bool {
        let holder = self.tickets.holder(number);
        holder.is_some_and(|holder| holder.key != key) && self.book.carried_in(number) == Version(0)
    }
}

impl Room {
    /// How many proofs there were that the room's data is older than what people were told.
    #[must_use]
    pub const fn rolled_back(&self) -> u64 {
        self.lost.proofs()
    }

    /// Makes every later fence greater than this one. A room that comes into memory mints above the wall clock in ms: it gives less than a thousand
    /// fences a second, so no older life of it, no room of its name in another place and no state that was taken back can have given one as great.
    /// No fact: the facts name the fences that were minted.
    pub fn mint_above(&mut self, fence: Fence) {
        if !planted::is(Bug::FencesGoBack) {
            self.tickets.permits_mut().mint_above(fence);
        }
    }

    /// Begins the edition after one that was proved, in whose beginning every place of this one had ended. Last in a turn: keys of another edition
    /// are others.
    pub fn follow_proved_edition(&mut self, row: &mut Row) {
        if self.lost.edition().is_some() {
            self.reset(BY, row);
        }
    }
}
