//! Decides which lane is next.
//!
//! Under *shares* the lane whose turn it is goes on while it has credit and somebody who can be called. Then the next such lane of the list has its
//! turn, with as much credit as its share (deficit round robin with calls of cost 1: Shreedhar and Varghese, *Efficient fair queuing*, 1995). A lane
//! in which nobody can be called loses its credit at once, so an absent lane saves nothing up. A missed call counts as a call. Under *strict* the
//! next lane is always the first of the list in which somebody can be called.

use super::Lanes;
use facts::config::Mode;
use facts::lanes::LanesRule;
use facts::planted::{self, Bug};
use facts::units::{LaneId, Number};
use serde::{Deserialize, Serialize};

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The lane that had the last call; `None` if there was none since the rule or the lanes changed.
    lane: Option<LaneId>,
    /// How many more calls the lane may have in this turn.
    credit: u32,
}

impl Turn {
    /// Returns the turn after a call, a baton or a walk-in of a lane with this share.
    const fn spend(self, lane: LaneId, share: u32) -> Self {
        let goes_on = matches!(self.lane, Some(own) if own.0 == lane.0) && self.credit > 0;
        let had = if goes_on { self.credit } else { share };
        Self {
            lane: Some(lane),
            credit: had.saturating_sub(1),
        }
    }
}

impl Lanes {
    /// Returns the next lane among those for which `calls` says that somebody can be called. O(lanes).
    fn next_of(&self, turn: Turn, calls: impl Fn(LaneId) -> bool) -> Option<LaneId> {
        let mut callable = self.order.iter().copied().filter(|id| calls(*id));
        if planted::is(Bug::SecondLaneFirst) {
            let first = callable.next();
            return callable.next().or(first);
        }
        let (LanesRule::Shares, Some(last)) = (self.rule, turn.lane) else {
            return callable.next();
        };
        if turn.credit > 0 && calls(last) {
            return Some(last);
        }
        let after = self.order.iter().position(|id| *id == last);
        let (before, behind) = self.order.split_at(after.map_or(0, |at| at + 1));
        let mut round = behind.iter().chain(before).copied();
        round.find(|id| calls(*id))
    }

    /// Takes back the credit that is left if nobody in the lane whose turn it is can be called.
    pub(crate) fn forfeit(&mut self, mode: Mode) {
        if let Turn {
            lane: Some(lane),
            credit: 1..,
        } = self.turn
            && self.lane(lane).callable(mode) == 0
            && !planted::is(Bug::AbsentLaneSavesUp)
        {
            self.turn.credit = 0;
        }
    }

    /// Records that somebody of this lane was given a permit.
    pub(crate) fn spend(&mut self, lane: LaneId) {
        if self.are_several() && self.rule == LanesRule::Shares {
            self.turn = self.turn.spend(lane, self.lane(lane).share());
        }
    }

    /// Gives nothing back for a missed call: it counts as a call.
    pub(crate) fn missed(&mut self, lane: LaneId) {
        if planted::is(Bug::MissedCallIsFree) && self.turn.lane == Some(lane) {
            self.turn.credit += 1;
        }
    }

    pub(super) const fn begin_turn(&mut self) {
        self.turn = Turn { lane: None, credit: 0 };
    }
}

/// Picks the people who can be called one after the other, from the state as it stands and as if each were called.
pub(crate) struct Picker<'r> {
    lanes: &'r Lanes,
    turn: Turn,
    /// For each lane, in order: who is next, and how many are left.
    next: Vec<(LaneId, Option<Number>, u64)>,
}

impl Picker<'_> {
    /// Returns who is called next, each number once. O(lanes + log n).
    pub fn pick(&mut self) -> Option<Number> {
        let left = |id: LaneId| self.next.iter().any(|(of, _, left)| *of == id && *left > 0);
        let lane = self.lanes.next_of(self.turn, left)?;
        let (_, next, left) = self.next.iter_mut().find(|(of, ..)| *of == lane)?;
        let number = (*next)?;
        let of = self.lanes.lane(lane);
        *next = of.line.next_present(number);
        *left -= 1;
        self.turn = self.turn.spend(lane, of.share());
        if *left == 0 && !planted::is(Bug::AbsentLaneSavesUp) {
            self.turn.credit = 0;
        }
        Some(number)
    }
}

impl Lanes {
    /// Returns a picker for the calls to come. O(lanes · log n).
    pub(crate) fn picker(&self, mode: Mode) -> Picker<'_> {
        let next = self.order().map(|(id, lane)| {
            let callable = lane.callable(mode);
            let first = (callable > 0).then(|| lane.line.first_present()).flatten();
            (id, first, callable)
        });
        Picker {
            lanes: self,
            turn: self.turn,
            next: next.collect(),
        }
    }

    /// Returns the lane that has the next call, or `None` if nobody can be called. O(lanes).
    #[must_use]
    pub fn next_lane(&self, mode: Mode) -> Option<LaneId> {
        let calls = |id| self.lane(id).callable(mode) > 0;
        self.next_of(self.turn, calls)
    }

    /// Returns who is called next, or `None` if nobody can be. O(lanes + log n).
    #[must_use]
    pub fn next_to_call(&self, mode: Mode) -> Option<Number> {
        self.lane(self.next_lane(mode)?).line.first_present()
    }

    /// Returns true if the rule is strict and somebody in a lane before this one can be called.
    #[must_use]
    pub fn is_behind(&self, lane: LaneId, mode: Mode) -> bool {
        let strict = self.rule == LanesRule::Strict;
        let mut first = self.order().take_while(|(id, _)| *id != lane);
        strict && first.any(|(_, first)| first.callable(mode) > 0)
    }
}
