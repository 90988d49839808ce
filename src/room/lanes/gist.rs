//! What lobbies and operators are told of the lanes.

use super::super::{Case, Room};
use super::{Lane, Lanes};
use facts::config::Mode;
use facts::hall::Door;
use facts::message::{Gist, LaneGist, LanePace};
use facts::ordered::sort_few;
use facts::rhythm::CallTime;
use facts::units::{Instant, LaneId};
use serde::{Deserialize, Serialize};

/// One lane in numbers, for operators.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneReport {
    /// The name that tokens use.
    pub name: String,
    /// The title that people are shown.
    pub title: String,
    /// Where the lane's numbers begin: its ticket 1 has the number after this one.
    pub numbers_from: u64,
    /// Calls in a row when the lane's turn comes.
    pub share: u32,
    /// True if people may still come into the lane.
    pub is_listed: bool,
    /// The room's mode, as far as the lane's hours allow it.
    pub mode: Mode,
    /// When the lane opens, Unix ms; `None` if it is open or that is not known.
    pub opens_at_ms: Option<u64>,
    /// People in its line: present, away or called.
    pub waiting: u64,
    /// Of these, the present ones: seen lately and not called.
    pub present: u64,
    /// Of these, the away ones, who keep their places.
    pub away: u64,
    /// Of these, the called ones, who have not come yet.
    pub called: u64,
    /// People in its hall.
    pub in_hall: u64,
    /// Calls in the last minute, as far as the room remembers them.
    pub called_lately: u64,
    /// True if the next call goes to this lane.
    pub is_next: bool,
}

impl LaneReport {
    /// Returns the lane's name and how many people have a place in it.
    #[must_use]
    pub fn living(&self) -> (&str, u64) {
        (&self.name, self.waiting + self.in_hall)
    }
}

/// How far back [`LaneReport::called_lately`] counts, in ms.
const LATELY_MS: u64 = 60_000;

impl Lane {
    /// Returns when the lane opens, Unix ms, or `None` if it is open or that is not known.
    #[must_use]
    pub const fn opens_at_ms(&self) -> Option<u64> {
        match self.hall.door {
            Door::Open { .. } => None,
            Door::Shut { opens_at_ms } => opens_at_ms,
            Door::Hall { opens_at_ms } => Some(opens_at_ms),
        }
    }
}

impl Lanes {
    /// Returns what people are shown of each lane, by slot. Empty for a room without lanes. O(lanes).
    #[must_use]
    pub fn titles(&self) -> Vec<String> {
        let has_names = self.all().any(|(_, lane)| lane.config.is_some());
        let title = |(id, lane): (LaneId, &Lane)| match &lane.config {
            Some(config) if !config.title.is_empty() => config.title.clone(),
            Some(config) => config.name.to_string(),
            None => id.to_string(),
        };
        let all = self.all().filter(|_| has_names);
        all.map(title).collect()
    }

    /// Returns the lanes in numbers, in the same order as [`Case::lane_gists`](crate::Case::lane_gists). O(lanes · moments).
    #[must_use]
    pub fn reports(&self, now: Instant, mode: Mode) -> Vec<LaneReport> {
        let next = self.next_lane(mode);
        let report = |(id, lane): (LaneId, &Lane)| {
            let config = lane.config.as_ref()?;
            let line = &lane.line;
            Some(LaneReport {
                name: config.name.to_string(),
                title: config.title.clone(),
                numbers_from: id.number(0).0,
                share: lane.share(),
                is_listed: lane.is_listed,
                mode: lane.mode(mode),
                opens_at_ms: lane.opens_at_ms(),
                waiting: line.alive(),
                present: line.present(),
                away: line.away(),
                called: line.alive() - line.present() - line.away(),
                in_hall: lane.hall.line.alive(),
                called_lately: lane.rhythm.calls_within(now, LATELY_MS),
                is_next: next == Some(id),
            })
        };
        let mut reports: Vec<LaneReport> = self.order().filter_map(report).collect();
        sort_few(&mut reports, |a, b| b.is_listed.cmp(&a.is_listed));
        reports
    }
}

impl Case<'_> {
    /// Returns what to base an estimate for a lane on. While the room lets nobody of the lane in, that is as if nothing was measured: the calls
    /// before say nothing of when the next one comes. O(moments).
    #[must_use]
    pub fn pace_of(&self, id: LaneId) -> LanePace {
        let lane = self.tickets.lanes().lane(id);
        if self.tickets.lanes().is_behind(id, self.config.mode) {
            LanePace::Behind
        } else if self.config.permits == 0 || !lane.calls(self.config.mode) || self.allowance.stops(self.now, self.config) {
            LanePace::Calls(CallTime::default())
        } else {
            LanePace::Calls(lane.rhythm.call_time(self.now))
        }
    }

    /// Returns the lanes as lobbies are told of them: those on the list, then those that have left it. Empty for a room without lanes.
    /// O(lanes² + lanes · moments).
    #[must_use]
    pub fn lane_gists(&self) -> Vec<LaneGist> {
        let mode = self.config.mode;
        let gist = |(id, lane): (LaneId, &Lane)| {
            let config = lane.config.as_ref()?;
            Some(LaneGist {
                id,
                name: config.name,
                title: config.title.clone(),
                is_listed: lane.is_listed,
                mode: lane.mode(mode),
                opens_at_ms: lane.opens_at_ms(),
                draw: lane.draw(self.config),
                waiting: lane.line.alive(),
                in_hall: lane.hall.line.alive(),
                walk_in: self.lets_walk_in(id),
                pace: self.pace_of(id),
            })
        };
        let mut gists: Vec<LaneGist> = self.tickets.lanes().order().filter_map(gist).collect();
        sort_few(&mut gists, |a, b| b.is_listed.cmp(&a.is_listed));
        gists
    }
}

impl Room {
    /// Returns the state of the room at large, worked out once for all lobbies.
    #[must_use]
    pub fn gist(&self, now: Instant) -> Gist {
        let (case, lanes) = (self.case(now), self.tickets.lanes());
        let id = lanes.everybody();
        let everybody = lanes.lane(id);
        Gist {
            mode: lanes.mode(self.config.mode),
            permits: self.config.permits,
            waiting: everybody.line.alive(),
            walk_in: case.lets_walk_in(id),
            call_time: case.pace_of(id).call_time(),
            walk_ins: self.config.walk_in,
            tick_ms: self.config.tick_ms,
            lease_idle_ms: self.config.lease_idle_ms,
            ended: self.ended,
            wants_health: self.config.origin_errors_max_percent > 0,
            seats_to: self.seats_to(),
            in_hall: everybody.hall.line.alive(),
            draw: everybody.draw(&self.config),
            opens_at_ms: lanes.opens_at_ms(),
            edition: self.edition,
            full: lanes.places_left(id, self.config.line_max) == Some(0),
        }
    }
}
