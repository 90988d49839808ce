//! Opens and closes each lane by its hours, and makes its draws.

use super::super::Room;
use super::super::apply::away_grain_ms;
use super::super::hall::{Drawn, Hall, Lots, in_drawn_order, runs};
use super::super::hours::{self, Moment};
use super::super::line::{Line, Place};
use super::Lane;
use facts::config::Mode;
use facts::event::{Event, Row};
use facts::hall::{Door, Draw, Lot, Seed};
use facts::planted::{self, Bug};
use facts::units::{LaneId, Number};

impl Room {
    /// Returns the mode in force for everybody. Outside its hours a room whose mode lets people in, or calls them, is closed.
    #[must_use]
    pub fn mode(&self) -> Mode {
        let everybody = self.lanes.lane(self.lanes.everybody());
        everybody.mode(self.config.mode)
    }

    /// Returns true if mode and hours allow calls in any lane.
    #[must_use]
    pub fn calls(&self) -> bool {
        let mode = self.config.mode;
        self.lanes.order().any(|(_, lane)| lane.calls(mode))
    }

    /// Opens and closes the lanes by their hours, and draws where a draw is due. Does nothing if that is already done for `wall_ms`.
    /// O(lanes · periods), at a draw O(entries · log entries).
    pub fn keep_hours(&mut self, wall_ms: u64, lots: &Lots, row: &mut Row) {
        let lanes: Vec<LaneId> = self.lanes.order().map(|(id, _)| id).collect();
        for lane in lanes {
            self.keep_hours_of(lane, wall_ms, lots, row);
        }
    }

    fn keep_hours_of(&mut self, id: LaneId, wall_ms: u64, lots: &Lots, row: &mut Row) {
        let lane = self.lanes.lane(id);
        let door = self.door_at(lane, wall_ms);
        if door == lane.hall.door && !lane.hall.draw_is_due() {
            return;
        }
        let lot = lane.hall.lot;
        let moves = door != lane.hall.door;
        if matches!(door, Door::Hall { .. }) && lot.is_none() {
            let lot = lots.commit(id, row.version);
            let committed = match id {
                LaneId::FIRST => Event::Committed(lot),
                lane => Event::LaneCommitted { lane, lot },
            };
            self.commit([committed], row);
        }
        if moves {
            let turned = match id {
                LaneId::FIRST => Event::Doors(door),
                lane => Event::LaneDoors { lane, door },
            };
            self.commit([turned], row);
        }
        let lane = self.lanes.lane(id);
        if lane.hall.draw_is_due() {
            let lot = lot.unwrap_or_else(|| lots.commit(id, row.version));
            let drawn = Event::Drawn {
                draw: lane.draw(&self.config),
                seed: lots.reveal(id, lot),
                first: lane.line.next(),
                count: lane.hall.line.alive(),
            };
            self.commit([drawn], row);
        }
    }

    fn door_at(&self, lane: &Lane, wall_ms: u64) -> Door {
        let hall_ms = lane.hall_ms(&self.config);
        match hours::moment(lane.periods(&self.config), wall_ms) {
            Moment::Open { closes_at_ms } => Door::Open { closes_at_ms },
            Moment::Shut {
                opens_at_ms: Some(opens_at_ms),
            } => {
                let soon = opens_at_ms.saturating_sub(wall_ms) <= hall_ms;
                // An opening that is put off must not send anybody in the hall home.
                if soon || lane.hall.line.alive() > 0 {
                    Door::Hall { opens_at_ms }
                } else {
                    Door::Shut {
                        opens_at_ms: Some(opens_at_ms),
                    }
                }
            }
            Moment::Shut { opens_at_ms: None } => Door::Shut { opens_at_ms: None },
        }
    }

    /// Returns when the hours next change something, Unix ms, or `None` if they never do. O(lanes).
    #[must_use]
    pub fn hours_due_ms(&self) -> Option<u64> {
        let due = |(_, lane): (LaneId, &Lane)| match lane.hall.door {
            Door::Open { closes_at_ms } => closes_at_ms,
            Door::Hall { opens_at_ms } => Some(opens_at_ms),
            Door::Shut { opens_at_ms: Some(at) } => Some(at.saturating_sub(lane.hall_ms(&self.config))),
            Door::Shut { opens_at_ms: None } => None,
        };
        self.lanes.order().filter_map(due).min()
    }

    /// Returns when the room opens for everybody, Unix ms, or `None` if it is open or that is not known.
    #[must_use]
    pub fn opens_at_ms(&self) -> Option<u64> {
        self.lanes.lane(self.lanes.everybody()).opens_at_ms()
    }

    /// Returns the hall of the first lane. In a room without lanes that is the room's.
    #[must_use]
    pub fn hall(&self) -> &Hall {
        &self.lanes.lane(LaneId::FIRST).hall
    }

    /// Returns the line in which a number stands: its lane's line, or the hall's for an entry.
    #[must_use]
    pub fn line_of(&self, number: Number) -> &Line {
        self.lanes.line_of(number)
    }

    pub(crate) fn line_of_mut(&mut self, number: Number) -> &mut Line {
        self.lanes.line_of_mut(number)
    }

    pub(crate) fn apply_commitment(&mut self, lane: LaneId, lot: Lot) {
        self.lanes.lane_mut(lane).hall.lot = Some(lot);
    }

    pub(crate) fn apply_door(&mut self, lane: LaneId, door: Door) {
        self.lanes.lane_mut(lane).hall.door = door;
        self.announced = self.version;
    }

    /// Gives numbers to the entries of the lane's hall. Holders, accounts, lobbies, presence and missed calls go along. The room's life ends with
    /// this row: what lobbies know of their tickets belongs to the old one.
    pub(crate) fn apply_draw(&mut self, id: LaneId, draw: Draw, seed: Seed) {
        let drawn = if planted::is(Bug::DrawAcrossLanes) { self.lanes.everybody() } else { id };
        let lane = self.lanes.lane_mut(drawn);
        let empty = Line::starting_at(lane.hall.line.next());
        let hall = core::mem::replace(&mut lane.hall.line, empty);
        let lane = self.lanes.lane_mut(id);
        let first = lane.line.next();
        if lane.line.alive() == 0 {
            lane.rhythm.clear();
        }
        let living = lane.line.first_living().unwrap_or(first);
        lane.joins.joined(first, self.now, living);
        self.told_from = self.version;
        self.changes.forget(self.version);
        in_drawn_order(&hall, draw, &seed, |entry| {
            self.give_number(id, &hall, entry);
        });
        // The pages belong to the old life, so every page is due again.
        self.accounts.repage_all();
        self.totals.joined += hall.alive();
        let hall_of = &mut self.lanes.lane_mut(id).hall;
        let lot = hall_of.lot.take();
        hall_of.drawn = Some(Drawn {
            version: self.version,
            draw,
            commitment: lot.map_or_else(|| seed.commitment(), |lot| lot.commitment),
            seed,
            first,
            count: hall.alive(),
            runs: runs(hall.living().filter_map(|(number, _)| number.entry())),
        });
        self.announced = self.version;
    }

    /// Moves an entry of a drawn hall to the end of the lane's line.
    fn give_number(&mut self, lane: LaneId, hall: &Line, entry: Number) {
        let holder = hall.holder(entry).unwrap_or_default();
        let line = &mut self.lanes.lane_mut(lane).line;
        let number = line.join(hall.lobby(entry), &[holder]);
        if let Place::Away(slot) = hall.place(entry) {
            let grain_ms = away_grain_ms(&self.config);
            line.set_away(number, hall.away_until(slot), grain_ms);
        }
        // The entry may have come from another lane's line, where it missed a call.
        if hall.missed(entry) {
            line.set_missed(number);
        }
        self.carried.remove(&entry);
        self.enter_in_book(number, holder);
        if let Some(account) = hall.account(entry) {
            self.own_unpaged(number, account);
        }
    }
}
