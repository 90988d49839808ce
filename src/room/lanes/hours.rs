//! Opens and closes each lane by its hours, and makes its draws.

use super::super::Room;
use super::super::hall::Lots;
use super::super::hours::{self, Moment};
use super::{Lane, Lanes};
use facts::config::{Mode, RoomConfig};
use facts::event::{Event, Row};
use facts::hall::Door;
use facts::units::{LaneId, Version};

impl Lane {
    /// Returns what follows when the lane's door is to stand like this from `row` on: a hall that begins is bound to a seed first, and at an opening
    /// whoever is in the hall is drawn. Nothing if it stands so and nobody is to be drawn.
    fn follows(&self, door: Door, lane: LaneId, room: &RoomConfig, lots: &Lots, row: Version) -> Vec<Event> {
        let mut events = Vec::new();
        let (moves, is_first) = (door != self.hall.door, lane == LaneId::FIRST);
        let lot = || self.hall.lot.unwrap_or_else(|| lots.commit(lane, row));
        if moves && matches!(door, Door::Hall { .. }) && self.hall.lot.is_none() {
            let lot = lot();
            events.push(if is_first {
                Event::Committed(lot)
            } else {
                Event::LaneCommitted { lane, lot }
            });
        }
        if moves {
            events.push(if is_first { Event::Doors(door) } else { Event::LaneDoors { lane, door } });
        }
        if matches!(door, Door::Open { .. }) && self.hall.line.alive() > 0 {
            events.push(Event::Drawn {
                draw: self.draw(room),
                seed: lots.reveal(lane, lot()),
                first: self.line.next(),
                count: self.hall.line.alive(),
            });
        }
        events
    }

    fn door_at(&self, room: &RoomConfig, wall_ms: u64) -> Door {
        let hall_ms = self.hall_ms(room);
        match hours::moment(self.periods(room), wall_ms) {
            Moment::Open { closes_at_ms } => Door::Open { closes_at_ms },
            Moment::Shut {
                opens_at_ms: Some(opens_at_ms),
            } => {
                let soon = opens_at_ms.saturating_sub(wall_ms) <= hall_ms;
                // An opening that is put off must not send anybody in the hall home.
                if soon || self.hall.line.alive() > 0 {
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
}

impl Lanes {
    /// Returns the mode in force for everybody. Outside its hours a room whose mode lets people in, or calls them, is closed.
    #[must_use]
    pub fn mode(&self, of_room: Mode) -> Mode {
        self.lane(self.everybody).mode(of_room)
    }

    /// Returns true if mode and hours allow calls in any lane.
    #[must_use]
    pub fn calls(&self, of_room: Mode) -> bool {
        self.order().any(|(_, lane)| lane.calls(of_room))
    }

    /// Returns when the hours next change something, Unix ms, or `None` if they never do. O(lanes).
    #[must_use]
    pub fn hours_due_ms(&self, room: &RoomConfig) -> Option<u64> {
        let due = |(_, lane): (LaneId, &Lane)| match lane.hall.door {
            Door::Open { closes_at_ms } => closes_at_ms,
            Door::Hall { opens_at_ms } => Some(opens_at_ms),
            Door::Shut { opens_at_ms: Some(at) } => Some(at.saturating_sub(lane.hall_ms(room))),
            Door::Shut { opens_at_ms: None } => None,
        };
        self.order().filter_map(due).min()
    }

    /// Returns when the room opens for everybody, Unix ms, or `None` if it is open or that is not known.
    #[must_use]
    pub fn opens_at_ms(&self) -> Option<u64> {
        self.lane(self.everybody).opens_at_ms()
    }
}

impl Room {
    /// Opens and closes the lanes by their hours, and draws where a draw is due. Does nothing if that is already done for `wall_ms`.
    /// O(lanes · periods), at a draw O(entries · log entries).
    pub fn keep_hours(&mut self, wall_ms: u64, lots: &Lots, row: &mut Row) {
        let lanes: Vec<LaneId> = self.tickets.lanes().order().map(|(id, _)| id).collect();
        for id in lanes {
            let lane = self.tickets.lanes().lane(id);
            let door = lane.door_at(&self.config, wall_ms);
            let follows = lane.follows(door, id, &self.config, lots, row.version);
            self.commit(follows, row);
        }
    }
}
