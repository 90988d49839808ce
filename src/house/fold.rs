//! How the house is folded from its journal.

use super::House;
use facts::house::HouseEvent;
use facts::units::Instant;
use journal::Fold;

impl Fold for House {
    type Event = HouseEvent;

    fn fold(&mut self, version: u64, _: Instant, events: &[Self::Event]) {
        self.apply(version, events);
    }
}
