//! The lanes of a room: lines of their own that share one pool of permits.
//!
//! A lane stands in a *slot*, which is the [`LaneId`] in its numbers. `table.rs` decides which lane has which slot, `rule.rs` which lane is next. A
//! room without lanes is one lane in the first slot. [`Lanes`] knows no permits, no holders' rights and no time.

mod gist;
mod hours;
mod moves;
mod rule;
mod table;

use super::hall::Hall;
use super::line::Line;
use super::rhythm::Rhythm;
use super::times::joins::Joins;
use facts::config::{Mode, RoomConfig};
use facts::hall::{Door, Draw};
use facts::hours::Period;
use facts::lane_name::LaneName;
use facts::lanes::{Lane as LaneConfig, LanesRule};
use facts::message::LaneEnd;
use facts::units::{Ahead, Instant, LANES_MAX, LaneId, Number};
pub use gist::LaneReport;
pub use rule::Turn;
use serde::{Deserialize, Serialize};

/// One lane: a line with its hall, and what the room measures of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    pub(super) line: Line,
    pub(super) hall: Hall,
    pub(super) rhythm: Rhythm,
    pub(super) joins: Joins,
    /// The lane as it was last configured; `None` if it was never one of several.
    pub(super) config: Option<LaneConfig>,
    /// True if people may come into the lane: it is on the list, or the room has no lanes.
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

    /// The line in which people wait.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// The hall in which people wait for the lane's opening.
    #[must_use]
    pub const fn hall(&self) -> &Hall {
        &self.hall
    }

    /// What the operator set for the lane; `None` if it was never one of several.
    #[must_use]
    pub const fn config(&self) -> Option<&LaneConfig> {
        self.config.as_ref()
    }

    /// True if people may come into the lane.
    #[must_use]
    pub const fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Calls in a row when the lane's turn comes.
    #[must_use]
    pub fn share(&self) -> u32 {
        self.config.as_ref().map_or(1, |config| config.share.max(1))
    }

    /// The number of places in the line and in the hall.
    pub(super) const fn alive(&self) -> u64 {
        self.line.alive() + self.hall.line.alive()
    }

    /// Notes that numbers from `first` on are issued now: what was measured before the line was empty says nothing of them.
    pub(super) fn note_joins(&mut self, first: Number, now: Instant) {
        if self.line.alive() == 0 {
            self.rhythm.clear();
        }
        let living = self.line.nth(0).unwrap_or(first);
        self.joins.joined(first, now, living);
    }

    /// When the lane is open: its own periods, else the room's.
    pub(super) fn periods<'a>(&'a self, room: &'a RoomConfig) -> &'a [Period] {
        let own = self.config.as_ref().and_then(|own| own.periods.as_ref());
        own.unwrap_or(&room.periods)
    }

    /// How long before an opening people may wait for it, in ms: the lane's own setting, else the room's.
    pub(super) fn hall_ms(&self, room: &RoomConfig) -> u64 {
        let own = self.config.as_ref().and_then(|own| own.hall_ms);
        own.unwrap_or(room.hall_ms)
    }

    /// How people in the lane's hall get their numbers: by its own setting, else by the room's.
    #[must_use]
    pub fn draw(&self, room: &RoomConfig) -> Draw {
        let own = self.config.as_ref().and_then(|own| own.draw);
        own.unwrap_or(room.draw)
    }

    /// The mode in force. Outside its hours a lane that would let people in, or call them, is closed.
    #[must_use]
    pub const fn mode(&self, of_room: Mode) -> Mode {
        let by_hours = matches!(of_room, Mode::Open | Mode::Paused | Mode::Drain);
        match self.hall.door {
            Door::Shut { .. } if by_hours => Mode::Closed,
            _ => of_room,
        }
    }

    /// True if mode and hours allow calls from the line.
    pub(super) const fn calls(&self, of_room: Mode) -> bool {
        self.mode(of_room).calls() && !matches!(self.hall.door, Door::Hall { .. })
    }

    /// True if a person who comes now gets an entry.
    pub(super) const fn enters_hall(&self, of_room: Mode) -> bool {
        matches!(self.hall.door, Door::Hall { .. }) && matches!(of_room, Mode::Open | Mode::Paused)
    }

    /// The number of people who could be called: those present, if the lane calls.
    pub(super) const fn callable(&self, of_room: Mode) -> u64 {
        if self.calls(of_room) { self.line.present() } else { 0 }
    }
}

/// Every lane of a room, and whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lanes {
    first: Lane,
    others: Vec<Lane>,
    /// The lanes that may be called, the best first: those on the list and, among them, those that left it while people were in them.
    order: Vec<LaneId>,
    /// The lane for people who name none.
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
    /// Returns the lane in a slot. For a slot without one it returns the first lane, which knows nobody by such a number.
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

    /// Returns the lanes that may be called, the best first. A room without lanes has one.
    pub fn order(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        self.order.iter().map(|id| (*id, self.lane(*id)))
    }

    /// Returns true if more than one lane may be called.
    #[must_use]
    pub fn are_several(&self) -> bool {
        self.order.len() > 1
    }

    /// Returns every lane that has a slot, by slot.
    pub fn all(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        let lanes = core::iter::once(&self.first).chain(&self.others);
        LaneId::all().zip(lanes)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        core::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// Returns the line of every lane and of its hall, in the order of their numbers.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.all().flat_map(|(_, lane)| [&lane.line, &lane.hall.line])
    }

    pub(super) fn lines_mut(&mut self) -> impl Iterator<Item = &mut Line> {
        self.all_mut().flat_map(|lane| [&mut lane.line, &mut lane.hall.line])
    }

    /// Returns the line in which a number stands: the hall's for an entry.
    #[must_use]
    pub fn line_of(&self, number: Number) -> &Line {
        let lane = self.lane(number.lane());
        if number.is_entry() { &lane.hall.line } else { &lane.line }
    }

    pub(super) fn line_of_mut(&mut self, number: Number) -> &mut Line {
        let lane = self.lane_mut(number.lane());
        if number.is_entry() { &mut lane.hall.line } else { &mut lane.line }
    }

    /// The tickets ahead of a number in its lane; see [`Line::ahead`]. O(log n).
    #[must_use]
    pub fn ahead(&self, number: Number) -> Ahead {
        self.line_of(number).ahead(number)
    }

    /// The lane for people who name none.
    #[must_use]
    pub const fn everybody(&self) -> LaneId {
        self.everybody
    }

    /// The rule in force.
    #[must_use]
    pub const fn rule(&self) -> LanesRule {
        self.rule
    }

    /// Returns the lane that a join with this name goes to: everybody's, if no lane on the list has the name.
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

    /// Returns true if lane `id` is before lane `than` in the list.
    #[must_use]
    pub fn is_better(&self, id: LaneId, than: LaneId) -> bool {
        let place = |wanted| self.order.iter().position(|id| *id == wanted);
        place(id) < place(than) && place(id).is_some()
    }

    /// Returns true if any lane is before this one in the list.
    #[must_use]
    pub fn is_behind_any(&self, id: LaneId) -> bool {
        self.order.iter().skip(1).any(|own| *own == id)
    }

    /// The number of places in all lines.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.alive()).sum()
    }

    /// The number of entries in all halls.
    #[must_use]
    pub fn in_hall(&self) -> u64 {
        self.all().map(|(_, lane)| lane.hall.line.alive()).sum()
    }

    /// The number of places in all lines and all halls.
    #[must_use]
    pub fn alive(&self) -> u64 {
        self.waiting() + self.in_hall()
    }

    /// The number of people who are present in any line.
    #[must_use]
    pub fn present(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.present()).sum()
    }

    /// The number of people who are away and keep a place in any line.
    #[must_use]
    pub fn away(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.away()).sum()
    }

    /// The number of people who could be called, in all lanes that call.
    #[must_use]
    pub fn callable(&self, mode: Mode) -> u64 {
        self.order().map(|(_, lane)| lane.callable(mode)).sum()
    }

    /// Returns for each lane up to which number everybody is over if the line ends now.
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

    /// Begins an edition: nobody holds a place, and numbers begin at 1. Slots and doors stay, and so do the seeds to which the next draws are bound.
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
