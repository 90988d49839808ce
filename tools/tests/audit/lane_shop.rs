//! A room with two lanes, members and everybody, that a test takes through a sale step by step.

use super::sale::{OPENS_MS, Sale, export, holder, wall_ms};
use super::{audit, fault};
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::hall::Draw;
use baton::facts::hours::{NEVER_MS, Period};
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::units::{LaneId, LobbyId, Number};
use baton::room::hall::Lots;
use std::ops::Range;

pub const LOBBY: LobbyId = LobbyId(0);
/// Everybody's lane, the last of the list, has the first slot.
pub const EVERYBODY: LaneId = LaneId(0);
pub const MEMBERS: LaneId = LaneId(1);

pub fn name(text: &str) -> LaneName {
    LaneName::parse(text).unwrap()
}

pub fn lane(text: &str, share: u32) -> Lane {
    Lane {
        name: name(text),
        title: String::new(),
        share,
        periods: None,
        hall_ms: None,
        draw: None,
    }
}

pub fn opens_after(ms: u64) -> Option<Vec<Period>> {
    Some(vec![Period {
        opens_at_ms: OPENS_MS + ms,
        closes_at_ms: NEVER_MS,
    }])
}

/// Returns the settings of a room without permits.
pub fn config(lanes: Vec<Lane>, lanes_rule: LanesRule) -> RoomConfig {
    RoomConfig {
        permits: 0,
        lanes,
        lanes_rule,
        claim_within_ms: 3_000,
        grace_ms: 60_000,
        hall_ms: 0,
        ..RoomConfig::default()
    }
}

pub fn members_and_everybody(rule: LanesRule, members: u32) -> RoomConfig {
    config(vec![lane("members", members), lane("everybody", 1)], rule)
}

impl Sale {
    pub fn set_permits(&mut self, permits: u32) {
        let config = RoomConfig {
            permits,
            ..self.room.config().clone()
        };
        self.set(&config);
    }

    pub fn does(&mut self, command: Command) {
        self.write(|room, now, row| {
            room.keep_hours(wall_ms(row), &Lots::default(), row);
            room.take(now, LOBBY, &[command], 0, row);
        });
    }

    /// Lets people join with a token of this lane.
    pub fn come(&mut self, lane: &str, who: Range<u64>) {
        let join = Command::join(who.map(holder).collect::<Vec<_>>());
        self.does(join.into_lane(name(lane)));
    }

    pub fn turns_after(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        self.write(|room, now, row| {
            room.keep_hours(wall_ms(row), &Lots::default(), row);
            room.take_turn(now, row);
        });
    }

    pub fn presence(&mut self, here: &[Number], away: &[Number]) {
        let places = |numbers: &[Number]| numbers.iter().map(|number| self.place(*number)).collect();
        let (here, away) = (places(here), places(away));
        let as_of = self.room.version();
        self.does(Command::Presence { as_of, here, away });
    }

    pub fn last(&self) -> &[Event] {
        &self.rows.last().unwrap().events
    }

    /// Returns the tickets that the last row called, in order.
    pub fn called(&self) -> Vec<Number> {
        let called = self.last().iter().filter_map(|event| match event {
            Event::Called { number, .. } | Event::Handed { number, .. } => Some(*number),
            _ => None,
        });
        called.collect()
    }

    /// Asserts that the real journal is sound, and that the audit finds this law broken in the last row once that is forged.
    pub fn forged(&self, law: &str, forge: impl FnOnce(&mut Vec<Event>)) {
        let mut rows = self.rows.clone();
        let last = rows.last_mut().unwrap();
        forge(&mut last.events);
        assert_ne!(last.events, self.last(), "nothing was forged");
        self.broken(law, &rows);
    }

    /// Asserts that the real journal is sound, and that one more row, which the room did not write, breaks this law.
    pub fn invented(&self, law: &str, events: Vec<Event>) {
        self.broken(law, &self.rows_and(events));
    }

    fn broken(&self, law: &str, rows: &[Row]) {
        audit(&export(&self.rows), None).unwrap_or_else(|stop| panic!("{stop}"));
        let fault = fault(&export(rows));
        println!("{fault}");
        let row = rows.last().unwrap().version.0;
        assert_eq!((fault.row, fault.law), (row, law), "{fault}");
    }
}

/// Returns a sale in which eight members and eight others wait before the room gets its permits and the usher has a turn.
pub fn sale(rule: LanesRule, members: u32, permits: u32) -> Sale {
    let mut sale = Sale::with(&members_and_everybody(rule, members));
    sale.come("members", 1..9);
    sale.come("everybody", 11..19);
    sale.set_permits(permits);
    sale.turns_after(1_000);
    sale
}

pub fn numbers(of: &[(LaneId, u64)]) -> Vec<Number> {
    of.iter().map(|(lane, nth)| lane.number(*nth)).collect()
}

/// Returns settings by which the members' lane opens after a minute, and its hall half a minute before that.
pub fn presale(draw: Draw) -> RoomConfig {
    let members = Lane {
        periods: opens_after(60_000),
        hall_ms: Some(30_000),
        draw: Some(draw),
        ..lane("members", 1)
    };
    config(vec![members, lane("everybody", 1)], LanesRule::Strict)
}
