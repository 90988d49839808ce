//! Keeps the lanes of a room: each is a line and a hall of its own. A room without lanes is one lane in the first slot.
//!
//! A lane's slot is in its numbers. Which slot a lane has follows from the settings and from who lives; the audit works it out by itself. A name that
//! is known keeps its slot. A new name takes the first slot whose name is not on the list and in which nobody lives, or one slot more. The last of
//! the list is everybody's: it finds its slot first, and takes the first slot if that has no name. A lane with living tickets that leaves the list
//! stays where it was, and nobody comes into it. `rule` says which lane is called next.

use super::hall::Hall;
use super::line::{Line, Place};
use super::{Broken, require};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::hall::{Door, Draw};
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane as Settings, LanesRule};
use baton::facts::units::{LANES_MAX, LaneId, Number};
use std::collections::BTreeSet;

const LISTED: &str = "nobody comes into a lane that left the list";

/// Makes a ticket's number of its place in a line of the lane.
#[cfg(feature = "programs")]
type NumberOf = fn(LaneId, u64) -> Number;

/// One lane.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    pub line: Line,
    pub hall: Hall,
    /// Its settings as they last were on the list; `None` if it was never one of several.
    settings: Option<Settings>,
    is_listed: bool,
    /// Calls since the set of lanes with people who can be called last changed.
    pub(super) calls: u64,
}

impl Lane {
    /// The number of places in the line and in the hall.
    pub fn alive(&self) -> u64 {
        self.line.alive() + self.hall.line.alive()
    }

    /// The line, then that of the hall, each with what makes a number of its numbers.
    #[cfg(feature = "programs")]
    pub fn lines(&self) -> [(&Line, NumberOf); 2] {
        [(&self.line, LaneId::number), (&self.hall.line, LaneId::entry)]
    }

    pub fn is_open(&self) -> bool {
        matches!(self.hall.door, Door::Open { .. })
    }

    /// Returns true if people in the line may be called.
    pub fn calls(&self, mode: Mode) -> bool {
        self.is_open() && matches!(mode, Mode::Open | Mode::Drain)
    }

    /// The number of people who can be called.
    pub fn callable(&self, mode: Mode) -> u64 {
        if self.calls(mode) { self.line.present() } else { 0 }
    }

    /// Returns true if people who come get an entry.
    pub fn takes_entries(&self, mode: Mode) -> bool {
        matches!(self.hall.door, Door::Hall { .. }) && matches!(mode, Mode::Open | Mode::Paused)
    }

    /// Returns true if people who come get a number.
    pub fn issues(&self, mode: Mode) -> bool {
        match mode {
            Mode::Closed | Mode::SoldOut | Mode::Drain => false,
            Mode::Open | Mode::Paused => self.is_open(),
            Mode::Bypass | Mode::Observe => true,
        }
    }

    pub fn periods<'a>(&'a self, room: &'a RoomConfig) -> &'a [Period] {
        let own = self.settings.as_ref().and_then(|own| own.periods.as_ref());
        own.unwrap_or(&room.periods)
    }

    pub fn hall_ms(&self, room: &RoomConfig) -> u64 {
        let own = self.settings.as_ref().and_then(|own| own.hall_ms);
        own.unwrap_or(room.hall_ms)
    }

    pub fn draw(&self, room: &RoomConfig) -> Draw {
        let own = self.settings.as_ref().and_then(|own| own.draw);
        own.unwrap_or(room.draw)
    }

    /// The number of calls in a row in the lane's turn.
    pub fn share(&self) -> u32 {
        self.settings.as_ref().map_or(1, |own| own.share.max(1))
    }

    pub fn settings(&self) -> Option<&Settings> {
        self.settings.as_ref()
    }

    fn name(&self) -> Option<LaneName> {
        self.settings.as_ref().map(|own| own.name)
    }

    /// Empties the lane; numbers begin at 1. Its door stays, and the seed that was committed to.
    fn begin(&mut self) {
        self.line = Line::default();
        self.hall.line = Line::default();
    }
}

/// Whose turn it is.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The lane that got the last permit, and how many more calls it has in this turn.
    pub(super) last: Option<(LaneId, u32)>,
    /// The lanes with people who can be called, as the last fact left them.
    pub(super) callable: Vec<LaneId>,
}

/// Every lane of a room, and whose turn it is.
#[derive(Clone, Debug)]
pub struct Lanes {
    first: Lane,
    others: Vec<Lane>,
    /// The lanes that are called, the best first: the list, with the lanes in between that left it while somebody lived in them.
    pub(super) order: Vec<LaneId>,
    /// The lane of people who name none.
    everybody: LaneId,
    pub(super) rule: LanesRule,
    pub(super) turn: Turn,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            first: Lane {
                is_listed: true,
                ..Lane::default()
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
    /// The lane in a slot; `None` if the slot was never used.
    pub fn of(&self, id: LaneId) -> Option<&Lane> {
        match usize::from(id.0).checked_sub(1) {
            None => Some(&self.first),
            Some(at) => self.others.get(at),
        }
    }

    /// The lane in a slot, or the first lane if there is none: the caller has checked that there is one.
    pub(super) fn of_mut(&mut self, id: LaneId) -> &mut Lane {
        match usize::from(id.0).checked_sub(1) {
            None => &mut self.first,
            Some(at) => self.others.get_mut(at).unwrap_or(&mut self.first),
        }
    }

    /// Every slot that was ever used, with its lane.
    pub fn all(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        let lanes = core::iter::once(&self.first).chain(&self.others);
        LaneId::all().zip(lanes)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        core::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// The lanes that are called, the best first.
    pub fn in_order(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        let lane = |id: &LaneId| Some((*id, self.of(*id)?));
        self.order.iter().filter_map(lane)
    }

    /// The lanes into which people come.
    pub fn taking(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        self.in_order().filter(|(id, _)| self.takes(*id))
    }

    /// Returns true if people come into a lane.
    fn takes(&self, id: LaneId) -> bool {
        id == self.everybody || self.of(id).is_some_and(|lane| lane.is_listed)
    }

    /// Returns true if a lane is that of people who name none.
    pub fn is_everybody(&self, id: LaneId) -> bool {
        id == self.everybody
    }

    /// The number of places in every line.
    pub fn waiting(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.alive()).sum()
    }

    /// The number of entries in every hall.
    pub fn in_hall(&self) -> u64 {
        self.all().map(|(_, lane)| lane.hall.line.alive()).sum()
    }

    /// The number of places in every line and every hall.
    pub fn alive(&self) -> u64 {
        self.waiting() + self.in_hall()
    }

    /// The number of people present in every line.
    pub fn present(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.present()).sum()
    }

    /// The number of people away in every line.
    pub fn away(&self) -> u64 {
        self.all().map(|(_, lane)| lane.line.away()).sum()
    }

    /// The number of people who can be called.
    pub fn callable(&self, mode: Mode) -> u64 {
        self.in_order().map(|(_, lane)| lane.callable(mode)).sum()
    }

    /// Returns every living ticket, and when it loses its place if it is away, Unix ms.
    #[cfg(feature = "programs")]
    pub fn living(&self) -> impl Iterator<Item = (Number, Option<u64>)> {
        let lines = self.all().flat_map(|(id, lane)| lane.lines().map(|of| (id, of)));
        lines.flat_map(|(id, (line, number))| line.living().map(move |(nth, ..)| (number(id, nth), line.kept_until_ms(nth))))
    }

    /// Returns the line in which a number stands and its number there, or `None` if there is no such number.
    pub fn line_of(&self, number: Number) -> Option<(&Line, u64)> {
        let lane = self.of(number.lane())?;
        let (line, within) = match number.entry() {
            Some(entry) => (&lane.hall.line, entry),
            None => (&lane.line, number.within()),
        };
        is_plain(number).then_some((line, within))
    }

    /// As [`line_of`](Self::line_of), to change the line. For a number that nobody can have, the number there is 0.
    pub(super) fn line_of_mut(&mut self, number: Number) -> (&mut Line, u64) {
        let within = match self.line_of(number) {
            Some((_, within)) => within,
            None => 0,
        };
        let lane = self.of_mut(number.lane());
        match number.is_entry() {
            true => (&mut lane.hall.line, within),
            false => (&mut lane.line, within),
        }
    }

    pub fn place(&self, number: Number) -> Option<Place> {
        let (line, within) = self.line_of(number)?;
        line.place(within)
    }

    /// Returns the lane into which somebody comes with this number, or an error if nobody may.
    pub(super) fn taking_of(&self, law: &'static str, number: Number) -> Result<&Lane, Broken> {
        let id = number.lane();
        let Some(lane) = self.of(id).filter(|_| is_plain(number)) else {
            let what = format!("number {number} was issued, and there is no such lane");
            return Err(Broken { law, what });
        };
        require(LISTED, self.takes(id), || format!("somebody came in as {}", self.say(number)))?;
        Ok(lane)
    }

    /// Returns true if one lane stands before another in the order.
    pub fn is_better(&self, id: LaneId, than: LaneId) -> bool {
        let rank = |id| self.order.iter().position(|own| *own == id);
        rank(id).is_some_and(|rank_of| rank(than).is_some_and(|other| rank_of < other))
    }

    /// Returns the name that tokens have for a lane, or its slot if it has no name.
    pub fn name(&self, id: LaneId) -> String {
        let name = self.of(id).and_then(Lane::name);
        name.map_or_else(|| id.to_string(), |name| name.to_string())
    }

    /// Returns a number as people see it, with its lane if that has a name.
    pub fn say(&self, number: Number) -> String {
        match (self.of(number.lane()).and_then(Lane::name), number.entry()) {
            (None, _) => number.to_string(),
            (Some(name), Some(entry)) => format!("entry {entry} ({name})"),
            (Some(name), None) => format!("{} ({name})", number.within()),
        }
    }

    /// Takes the operator's list and rule. `inside` names the lanes of people who have a permit.
    pub(super) fn configure(&mut self, config: &RoomConfig, inside: &BTreeSet<LaneId>) {
        let listed = self.in_order().filter(|(_, lane)| lane.is_listed);
        let is_the_same = listed.filter_map(|(_, lane)| lane.settings.as_ref()).eq(&config.lanes);
        if is_the_same && self.rule == config.lanes_rule {
            return;
        }
        let is_lived_in = |(id, lane): &(LaneId, &Lane)| lane.alive() > 0 || inside.contains(id);
        let lived_in: BTreeSet<LaneId> = self.all().filter(is_lived_in).map(|(id, _)| id).collect();
        self.all_mut().for_each(|lane| lane.is_listed = false);
        let mut order = self.find_slots(&config.lanes, &lived_in);
        if order.is_empty() {
            order.push(LaneId::FIRST);
        }
        self.everybody = order.last().copied().unwrap_or_default();
        for (at, id) in self.order.iter().enumerate() {
            if lived_in.contains(id) && !order.contains(id) {
                order.insert(at.min(order.len()), *id);
            }
        }
        (self.order, self.rule) = (order, config.lanes_rule);
        self.turn = Turn::default();
    }

    /// Finds the slots of a list, in its order. A lane for which there is no slot is left out.
    fn find_slots(&mut self, list: &[Settings], lived_in: &BTreeSet<LaneId>) -> Vec<LaneId> {
        let Some((last, others)) = list.split_last() else {
            (self.first.settings, self.first.is_listed) = (None, true);
            return Vec::new();
        };
        if self.first.settings.is_none() && self.named(last.name).is_none() {
            self.first.settings = Some(last.clone());
        }
        let everybody = self.find_slot(last, list, lived_in);
        let slots = others.iter().map(|lane| self.find_slot(lane, list, lived_in));
        let mut order: Vec<LaneId> = slots.flatten().collect();
        order.extend(everybody);
        order
    }

    /// Returns the slot of the lane that has this name, or had it last.
    pub fn named(&self, name: LaneName) -> Option<LaneId> {
        let mut named = self.all().filter(|(_, lane)| lane.name() == Some(name));
        named.next().map(|(id, _)| id)
    }

    fn find_slot(&mut self, settings: &Settings, list: &[Settings], lived_in: &BTreeSet<LaneId>) -> Option<LaneId> {
        let known = self.named(settings.name);
        let is_wanted = |lane: &Lane| list.iter().any(|other| lane.name() == Some(other.name));
        let is_free = |(id, lane): &(LaneId, &Lane)| !is_wanted(lane) && !lived_in.contains(id);
        let free = self.all().find(is_free).map(|(id, _)| id);
        let id = match known.or(free) {
            Some(id) => id,
            None if self.others.len() + 1 < LANES_MAX => {
                self.others.push(Lane::default());
                LaneId::all().nth(self.others.len())?
            }
            None => return None,
        };
        let lane = self.of_mut(id);
        if known.is_none() {
            lane.hall.forget();
        }
        (lane.settings, lane.is_listed) = (Some(settings.clone()), true);
        Some(id)
    }

    /// Begins an edition. Slots, doors and seeds stay.
    pub(super) fn begin(&mut self) {
        self.all_mut().for_each(Lane::begin);
        self.turn = Turn::default();
    }

    /// The number of places that have run out of grace.
    pub fn away_due(&self, at_ms: u64) -> u64 {
        let due = |lane: &Lane| lane.line.away_due(at_ms) + lane.hall.line.away_due(at_ms);
        self.all().map(|(_, lane)| due(lane)).sum()
    }

    pub(super) fn end_grace(&mut self, at_ms: u64) {
        for lane in self.all_mut() {
            lane.line.end_grace(at_ms);
            lane.hall.line.end_grace(at_ms);
        }
    }

    /// Ends every place. Numbers go on.
    pub(super) fn end_all(&mut self) {
        for lane in self.all_mut() {
            lane.line.end_all();
            lane.hall.line.end_all();
        }
    }
}

/// Returns true if a number is one of a lane or an entry of its hall, and nothing else.
fn is_plain(number: Number) -> bool {
    let id = number.lane();
    let is = number.entry().map_or_else(|| id.number(number.within()), |entry| id.entry(entry));
    number == is
}
