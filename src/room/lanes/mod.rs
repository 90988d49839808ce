//! The lanes of a room: lines of their own that share one pool of permits.
//!
//! A lane stands in a *slot*, which is the [`LaneId`] in its numbers. `table.rs` says which lane has which slot, `rule.rs` which lane
//! is next. A room without lanes is one lane in the first slot. Nothing here knows permits, holders' rights or the time.

mod gist;
mod hours;
mod moves;
mod rule;
mod table;

use super::hall::Hall;
use super::line::Line;
use super::rhythm::Rhythm;
use super::times::joins::Joins;
use crate::facts::config::{Mode, RoomConfig};
use crate::facts::hall::{Door, Draw};
use crate::facts::hours::Period;
use crate::facts::lane_name::LaneName;
use crate::facts::lanes::{Lane as LaneConfig, LanesRule};
use crate::facts::message::LaneEnd;
use crate::facts::units::{LANES_MAX, LaneId, Number};
pub use gist::LaneReport;
pub use rule::Turn;
use serde::{Deserialize, Serialize};

/// One lane: a line with its hall, and what is measured of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    pub(super) line: Line,
    pub(super) hall: Hall,
    pub(super) rhythm: Rhythm,
    pub(super) joins: Joins,
    /// As it was last configured; `None`: it was never one of several.
    pub(super) config: Option<LaneConfig>,
    /// People may come into it: it is on the list, or the room has no lanes.
    pub(super) is_listed: bool,
}

impl Lane {
    fn new(id: LaneId) -> Self {
        Self {
            line: Line::starting_at(id.first_number()),
            hall: Hall::of(id),
            rhythm: Rhythm::default(),
            joins: Joins::default(),
            config: None,
            is_listed: false,
        }
    }

    /// Who waits.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// Who waits for its opening.
    #[must_use]
    pub const fn hall(&self) -> &Hall {
        &self.hall
    }

    /// What the operator says of it; `None`: it was never one of several.
    #[must_use]
    pub const fn config(&self) -> Option<&LaneConfig> {
        self.config.as_ref()
    }

    /// People may come into it.
    #[must_use]
    pub const fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Calls in a row when its turn comes.
    #[must_use]
    pub fn share(&self) -> u32 {
        self.config.as_ref().map_or(1, |config| config.share.max(1))
    }

    /// Places in the line and in the hall.
    pub(super) const fn alive(&self) -> u64 {
        self.line.alive() + self.hall.line.alive()
    }

    /// When it is open.
    pub(super) fn periods<'a>(&'a self, room: &'a RoomConfig) -> &'a [Period] {
        let own = self.config.as_ref().and_then(|own| own.periods.as_ref());
        own.unwrap_or(&room.periods)
    }

    /// How long before an opening people may wait for it.
    pub(super) fn hall_ms(&self, room: &RoomConfig) -> u64 {
        let own = self.config.as_ref().and_then(|own| own.hall_ms);
        own.unwrap_or(room.hall_ms)
    }

    /// How those in its hall get their numbers.
    #[must_use]
    pub fn draw(&self, room: &RoomConfig) -> Draw {
        let own = self.config.as_ref().and_then(|own| own.draw);
        own.unwrap_or(room.draw)
    }

    /// The mode in force: outside its hours a lane that lets people in, or calls them, is closed.
    #[must_use]
    pub const fn mode(&self, of_room: Mode) -> Mode {
        let by_hours = matches!(of_room, Mode::Open | Mode::Paused | Mode::Drain);
        match self.hall.door {
            Door::Shut { .. } if by_hours => Mode::Closed,
            _ => of_room,
        }
    }

    /// Whether those in line are called, by mode and hours.
    pub(super) const fn calls(&self, of_room: Mode) -> bool {
        self.mode(of_room).calls() && !matches!(self.hall.door, Door::Hall { .. })
    }

    /// Whether who comes now gets an entry.
    pub(super) const fn enters_hall(&self, of_room: Mode) -> bool {
        matches!(self.hall.door, Door::Hall { .. }) && matches!(of_room, Mode::Open | Mode::Paused)
    }

    /// Who could be called: how many are present while the lane calls.
    pub(super) const fn callable(&self, of_room: Mode) -> u64 {
        if self.calls(of_room) {
            self.line.present()
        } else {
            0
        }
    }
}

/// Every lane of a room, and whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lanes {
    first: Lane,
    others: Vec<Lane>,
    /// The lanes that may be called, the best first: those on the list, and among them those that have left it and had people then.
    order: Vec<LaneId>,
    /// Where those go who name no lane.
    everybody: LaneId,
    rule: LanesRule,
    turn: Turn,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            first: Lane {
                is_listed: true,
                ..Lane::new(LaneId::FIRST)
            },
            others: Vec::new(),
            order: vec![LaneId::FIRST],
            everybody: LaneId::FIRST,
            rule: LanesRule::default(),
            turn: Turn::default(),
        }
    }
}

impl Lanes {
    /// The lane in a slot; that of the first where there is none, which knows nobody by such a number.
    #[must_use]
    pub fn lane(&self, id: LaneId) -> &Lane {
        match usize::from(id.0).checked_sub(1) {
            None => &self.first,
            Some(at) => self.others.get(at).unwrap_or(&self.first),
        }
    }

    pub(super) fn lane_mut(&mut self, id: LaneId) -> &mut Lane {
        match usize::from(id.0).checked_sub(1) {
            None => &mut self.first,
            Some(at) => self.others.get_mut(at).unwrap_or(&mut self.first),
        }
    }

    /// The lanes that may be called, the best first. Without lanes the one that there is.
    pub fn order(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        self.order.iter().map(|id| (*id, self.lane(*id)))
    }

    /// Whether the room has more than one.
    #[must_use]
    pub fn are_several(&self) -> bool {
        self.order.len() > 1
    }

    /// Every lane that has a slot, by slot.
    pub fn all(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        let lanes = core::iter::once(&self.first).chain(&self.others);
        LaneId::all().zip(lanes)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        core::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// Every line and every hall's, in the order of their numbers.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.all()
            .flat_map(|(_, lane)| [&lane.line, &lane.hall.line])
    }

    pub(super) fn lines_mut(&mut self) -> impl Iterator<Item = &mut Line> {
        self.all_mut()
            .flat_map(|lane| [&mut lane.line, &mut lane.hall.line])
    }

    /// The line in which a number stands: the hall's for an entry.
    #[must_use]
    pub fn line_of(&self, number: Number) -> &Line {
        let lane = self.lane(number.lane());
        if number.is_entry() {
            &lane.hall.line
        } else {
            &lane.line
        }
    }

    pub(super) fn line_of_mut(&mut self, number: Number) -> &mut Line {
        let lane = self.lane_mut(number.lane());
        if number.is_entry() {
            &mut lane.hall.line
        } else {
            &mut lane.line
        }
    }

    /// Where those go who name no lane.
    #[must_use]
    pub const fn everybody(&self) -> LaneId {
        self.everybody
    }

    /// Which rule is in force.
    #[must_use]
    pub const fn rule(&self) -> LanesRule {
        self.rule
    }

    /// The lane into which a join of this name goes: everybody's where the list has none of it.
    #[must_use]
    pub fn named(&self, name: Option<LaneName>) -> LaneId {
        let is_named = |lane: &Lane| {
            let own = lane.config.as_ref().map(|config| config.name);
            lane.is_listed && own == name
        };
        let mut named = self.order().filter(|(_, lane)| is_named(lane));
        let named = name.and_then(|_| named.next());
        named.map_or(self.everybody, |(id, _)| id)
    }

    /// Whether a lane is before another in the list.
    #[must_use]
    pub fn is_better(&self, id: LaneId, than: LaneId) -> bool {
        let place = |wanted| self.order.iter().position(|id| *id == wanted);
        place(id) < place(than) && place(id).is_some()
    }

    /// Whether any lane is before this one in the list.
    #[must_use]
    pub fn is_behind_any(&self, id: LaneId) -> bool {
        self.order.iter().skip(1).any(|own| *own == id)
    }

    /// Places in every line.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.alive()).sum()
    }

    /// Entries of every hall.
    #[must_use]
    pub fn in_hall(&self) -> u64 {
        self.all().map(|(_, lane)| lane.hall.line.alive()).sum()
    }

    /// Places in every line and in every hall.
    #[must_use]
    pub fn alive(&self) -> u64 {
        self.waiting() + self.in_hall()
    }

    /// Who is present, in every line.
    #[must_use]
    pub fn present(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.present()).sum()
    }

    /// Who keeps a place and is away, in every line.
    #[must_use]
    pub fn away(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.away()).sum()
    }

    /// Who could be called, in every lane that calls.
    #[must_use]
    pub fn callable(&self, mode: Mode) -> u64 {
        self.order().map(|(_, lane)| lane.callable(mode)).sum()
    }

    /// Up to where everybody is over if the line ends now.
    pub(super) fn ends(&self) -> [LaneEnd; LANES_MAX] {
        let mut ends = [LaneEnd::default(); LANES_MAX];
        for (end, (_, lane)) in ends.iter_mut().zip(self.all()) {
            *end = LaneEnd {
                below: lane.line.next().within(),
                entries_below: lane.hall.line.next().within(),
            };
        }
        ends
    }

    /// Nobody holds a place, and numbers begin at 1. Slots, doors and what the next draws are bound to stay.
    pub(super) fn begin(&mut self) {
        for id in LaneId::all().take(self.others.len() + 1) {
            let lane = self.lane_mut(id);
            lane.line = Line::starting_at(id.first_number());
            lane.hall.begin(id);
            lane.rhythm.clear();
            lane.joins = Joins::default();
        }
        self.turn = Turn::default();
    }
}
