//! Who may move to a better lane: to the end of it, with a new number. A ticket that is called or inside must never move.

use super::super::line::Place;
use super::Lanes;
use facts::config::Mode;
use facts::units::{LaneId, Number};

impl Lanes {
    /// Returns true if the law of moves allows a move: a ticket moves while it waits, to the end of a better lane into which people come. O(lanes).
    #[must_use]
    pub fn may_move(&self, from: Number, to: Number, mode: Mode) -> bool {
        let is_better = self.is_better(to.lane(), from.lane());
        self.waits(from) && is_better && self.next_in(to.lane(), mode) == Some(to)
    }

    /// Returns the number that the next person to come into a lane gets, or `None` if nobody may come into it.
    pub(crate) fn next_in(&self, lane: LaneId, mode: Mode) -> Option<Number> {
        let of = self.lane(lane);
        if of.enters_hall(mode) {
            Some(of.hall.line.next())
        } else {
            of.mode(mode).issues().then(|| of.line.next())
        }
    }

    /// Returns true if a number waits in a line or in a hall and is not called.
    pub(crate) fn waits(&self, number: Number) -> bool {
        let place = self.line_of(number).place(number);
        matches!(place, Place::Present | Place::Away(_))
    }
}
