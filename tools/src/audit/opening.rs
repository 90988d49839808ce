//! Checks that doors stand as the dates say, who comes into a hall, and each draw: the seed must be the one that was committed to, and the numbers must
//! go to the entries in the order that follows from it.

use super::hall::{DRAW, HOURS};
use super::lanes::Lane;
use super::ledger::Ledger;
use super::line::Place;
use super::{Broken, Check, require};
use baton::facts::config::RoomConfig;
use baton::facts::hall::{Door, Draw, Lot, Seed};
use baton::facts::units::{LaneId, Number};
use sha2::{Digest, Sha256};

const ENTRIES: &str = "entries are consecutive";

impl Ledger {
    /// Turns a lane's door.
    pub(super) fn door(&mut self, id: LaneId, door: Door) -> Check {
        self.lanes.of_mut(id).hall.turn(door)
    }

    /// Commits to a lane's seed.
    pub(super) fn commit(&mut self, id: LaneId, lot: Lot) -> Check {
        self.lanes.of_mut(id).hall.commit(lot)
    }

    pub(super) fn entered(&mut self, lobby: u16, first: Number, count: u32) -> Check {
        let lane = self.lanes.taking_of(ENTRIES, first)?;
        require(HOURS, lane.takes_entries(self.mode()), || {
            "entries were issued, and there is no hall now".to_owned()
        })?;
        require(DRAW, lane.hall.lot.is_some(), || {
            "entries were issued before a seed was committed to".to_owned()
        })?;
        let next = lane.hall.line.issued() + 1;
        require(ENTRIES, first == first.lane().entry(next), || {
            format!("{} was issued, entry {next} is next", self.say(first))
        })?;
        self.fits(next, count)?;
        self.keeps_cap(first.lane(), count)?;
        let hall = &mut self.lanes.of_mut(first.lane()).hall;
        hall.line.join(lobby, u64::from(count));
        self.totals.entered += u64::from(count);
        Ok(())
    }

    pub(super) fn drawn(&mut self, config: &RoomConfig, draw: Draw, seed: &Seed, (first, count): (Number, u64)) -> Check {
        let id = first.lane();
        let lane = self.lanes.of_mut(id);
        let way = lane.draw(config);
        require(HOURS, lane.is_open() && draw == way, || {
            format!("there was a draw by {}, and the room is not open or draws by {}", draw.name(), way.name())
        })?;
        let commitment = Seed(Sha256::digest(seed.0).into());
        let told = lane.hall.lot.map(|lot| lot.commitment);
        require(DRAW, told == Some(commitment), || match told {
            Some(told) => format!("the seed's hash is {commitment}, {told} was told before"),
            None => "no seed was committed to".to_owned(),
        })?;
        let order = lane.hall.order(draw, seed);
        let next = id.number(lane.line.issued() + 1);
        let all = count == order.len() as u64 && count > 0;
        require(DRAW, first == next && all, || {
            let there = order.len();
            format!("{count} numbers from {first} were drawn; {there} from {next} were due")
        })?;
        for (number, (entry, place, lobby)) in (first.within()..).zip(&order) {
            lane.line.join(*lobby, 1);
            if matches!(place, Place::Away(_)) {
                let until_ms = lane.hall.line.kept_until_ms(*entry).unwrap_or_default();
                lane.line.stay_away(number, until_ms, config.grace_ms);
            }
            // It may have come from another lane's line, where it missed a call.
            if lane.hall.line.missed(*entry) {
                lane.line.set_missed(number);
            }
        }
        lane.hall.line.end_all();
        lane.hall.lot = None;
        self.owned_are_drawn(first, order.iter().map(|(entry, ..)| *entry));
        self.totals.drawn += count;
        Ok(())
    }

    /// Checks that every door stands as the dates say at `wall_ms`, at the beginning of a row. `committed` names the lanes to whose seed the row
    /// committed, which it must when a hall begins and no earlier seed is still secret. O(lanes · periods).
    pub fn hours_kept(&self, wall_ms: u64, committed: &[LaneId]) -> Check {
        let Some(config) = self.config.as_ref() else {
            return Ok(());
        };
        self.lanes.in_order().try_for_each(|(id, lane)| {
            let kept = lane.hours_kept(config, wall_ms, committed.contains(&id));
            kept.map_err(|broken| match lane.settings() {
                None => broken,
                Some(own) => Broken {
                    what: format!("lane {}: {}", own.name, broken.what),
                    ..broken
                },
            })
        })
    }
}

impl Lane {
    fn hours_kept(&self, config: &RoomConfig, wall_ms: u64, committed: bool) -> Check {
        let periods = self.periods(config);
        let current = periods.iter().find(|p| wall_ms < p.closes_at_ms);
        let expected = match current {
            _ if periods.is_empty() => Door::Open { closes_at_ms: None },
            None => Door::Shut { opens_at_ms: None },
            Some(period) if period.opens_at_ms <= wall_ms => Door::Open {
                closes_at_ms: (period.closes_at_ms < u64::MAX).then_some(period.closes_at_ms),
            },
            Some(period) => {
                let opens_at_ms = period.opens_at_ms;
                let hall_ms = self.hall_ms(config);
                let near = hall_ms > 0 && opens_at_ms - wall_ms <= hall_ms;
                if near || self.hall.line.alive() > 0 {
                    Door::Hall { opens_at_ms }
                } else {
                    let opens_at_ms = Some(opens_at_ms);
                    Door::Shut { opens_at_ms }
                }
            }
        };
        require(HOURS, self.hall.door == expected, || {
            format!("{:?} where the dates say {expected:?}", self.hall.door)
        })?;
        let hall = matches!(expected, Door::Hall { .. });
        let bound = if hall { self.hall.lot.is_some() } else { !committed };
        require(DRAW, bound, || "a seed is committed to when a hall begins, and not otherwise".to_owned())?;
        let undrawn = matches!(expected, Door::Open { .. }) && self.hall.line.alive() > 0;
        require(HOURS, !undrawn, || format!("open, and {} still in the hall", self.hall.line.alive()))
    }
}
