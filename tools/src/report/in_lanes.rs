//! Counts what facts mean for single lanes, while the fold reads them.

use super::acts::Drawing;
use super::fold::Fold;
use super::lanes::{OfLane, lane_name};
use crate::audit::Ledger;
use baton::facts::hall::{Door, Lot};
use baton::facts::units::{LaneId, Number};

impl Fold {
    /// Counts something for a lane, if this row is counted.
    pub(super) fn lane(&mut self, ledger: &Ledger, id: LaneId, add: impl Fn(&mut OfLane)) {
        if self.is_counted
            && let Some(lane) = self.counts.lanes.of(ledger, id)
        {
            add(lane);
        }
    }

    /// Counts a ticket that moves to another lane. A ticket from a line keeps the wait that it had.
    pub(super) fn moved(&mut self, ledger: &Ledger, from: Number, to: Number) {
        if let Some(born) = self.born.remove(&from.0) {
            self.born.insert(to.0, born);
        }
        self.lane(ledger, from.lane(), |lane| lane.counted.went_over += 1);
        self.lane(ledger, to.lane(), |lane| {
            lane.counted.came_over += 1;
            if !to.is_entry() {
                lane.issue(to.within(), 1);
            }
        });
    }

    pub(super) fn door(&mut self, ledger: &Ledger, id: LaneId, door: Door) {
        if self.is_counted {
            let lane = lane_name(ledger, id);
            self.counts.acts.door(self.wall_ms, lane, door);
        }
    }

    pub(super) fn commit(&mut self, ledger: &Ledger, id: LaneId, lot: Lot) {
        let lane = lane_name(ledger, id);
        let draw = Drawing::committed((self.wall_ms, self.row), lane, lot);
        self.draws.insert(id, draw);
    }
}
