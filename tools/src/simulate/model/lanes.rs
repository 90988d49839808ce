//! Lanes once more, as plainly as it can be said: which slot each has, and when each is open.

use super::{Model, Place};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::hall::Door;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::units::{LaneId, Number};

/// A slot, and what stands in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    lane: Option<Lane>,
    door: Door,
    /// How many numbers, and how many entries, it has issued.
    pub numbers: u64,
    pub entries: u64,
}

/// All slots.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pub all: Vec<Slot>,
    /// The slots in order, the best first: those on the list, and those that left it with people in them.
    order: Vec<usize>,
    /// The operator's lanes; empty if the room has none.
    list: Vec<Lane>,
    everybody: usize,
    rule: LanesRule,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            all: vec![Slot::default()],
            order: vec![0],
            list: vec![],
            everybody: 0,
            rule: LanesRule::default(),
        }
    }
}

impl Slots {
    pub fn of(&mut self, lane: LaneId) -> &mut Slot {
        &mut self.all[usize::from(lane.0)]
    }

    fn configure(&mut self, config: &RoomConfig, lived_in: &[bool]) {
        if self.rule == config.lanes_rule && self.list == config.lanes {
            return;
        }
        let before = self.order.clone();
        self.rule = config.lanes_rule;
        self.list = config.lanes.clone();
        let lives = |slot: usize| lived_in.get(slot).copied().unwrap_or(false);
        let mut order = vec![];
        if let Some((last, others)) = config.lanes.split_last() {
            if self.all[0].lane.is_none() && self.named(last.name).is_none() {
                self.all[0].lane = Some(last.clone());
            }
            let everybody = self.slot_for(last, &lives);
            order.extend(others.iter().filter_map(|lane| self.slot_for(lane, &lives)));
            order.extend(everybody);
        } else {
            self.all[0].lane = None;
        }
        if order.is_empty() {
            order.push(0);
        }
        self.everybody = order[order.len() - 1];
        for (at, slot) in before.into_iter().enumerate() {
            if lives(slot) && !order.contains(&slot) {
                order.insert(at.min(order.len()), slot);
            }
        }
        self.order = order;
    }

    fn named(&self, name: LaneName) -> Option<usize> {
        let of = |slot: &Slot| slot.lane.as_ref().map(|lane| lane.name);
        self.all.iter().position(|slot| of(slot) == Some(name))
    }

    /// Finds the slot of a lane. A known name keeps its slot. A new one gets the first slot in which nobody lives and whose name is not on the list,
    /// or else one more. Returns `None` if all are taken.
    fn slot_for(&mut self, lane: &Lane, lives: &impl Fn(usize) -> bool) -> Option<usize> {
        let slot = self.named(lane.name).or_else(|| {
            let wanted = |slot: &Slot| {
                let own = slot.lane.as_ref();
                own.is_some_and(|own| self.list.iter().any(|lane| lane.name == own.name))
            };
            let free = (0..self.all.len()).find(|at| !wanted(&self.all[*at]) && !lives(*at));
            if let Some(free) = free {
                self.all[free].door = Door::default();
                return Some(free);
            }
            (self.all.len() < 8).then(|| {
                self.all.push(Slot::default());
                self.all.len() - 1
            })
        })?;
        self.all[slot].lane = Some(lane.clone());
        Some(slot)
    }

    fn are_on_the_list(&self, slot: usize) -> bool {
        let own = self.all[slot].lane.as_ref().map(|lane| lane.name);
        self.list.iter().any(|lane| Some(lane.name) == own)
    }

    pub fn begins(&mut self) {
        for slot in &mut self.all {
            (slot.numbers, slot.entries) = (0, 0);
        }
    }
}

impl Model {
    /// Sets the operator's lanes.
    pub(super) fn configure_lanes(&mut self, config: &RoomConfig) {
        let mut lived_in = [false; 8];
        let waiting = self.tickets.iter().chain(&self.hall).map(|t| t.number);
        let inside = self.permits.iter().map(|p| p.number);
        for number in waiting.chain(inside) {
            lived_in[usize::from(number.lane().0)] = true;
        }
        self.slots.configure(config, &lived_in);
    }

    /// Sets a lane's door.
    pub(super) fn door_is(&mut self, lane: LaneId, door: Door) {
        self.slots.of(lane).door = door;
    }

    pub(super) fn lane_named(&self, name: Option<LaneName>) -> LaneId {
        let named = name.and_then(|name| self.slots.named(name));
        let named = named.filter(|slot| self.slots.order.contains(slot) && self.slots.are_on_the_list(*slot));
        LaneId(named.unwrap_or(self.slots.everybody) as u8)
    }

    fn mode_of(&self, slot: usize) -> Mode {
        match (self.config().mode, self.slots.all[slot].door) {
            (Mode::Open | Mode::Paused | Mode::Drain, Door::Shut { .. }) => Mode::Closed,
            (mode, _) => mode,
        }
    }

    /// Returns the number, or the entry, for the next who comes into this lane, or `None` if the lane takes nobody.
    pub(super) fn next_in(&self, lane: LaneId) -> Option<Number> {
        let slot = &self.slots.all[usize::from(lane.0)];
        let mode = self.config().mode;
        let enters = matches!(slot.door, Door::Hall { .. }) && matches!(mode, Mode::Open | Mode::Paused);
        if enters {
            return Some(lane.entry(slot.entries + 1));
        }
        let shut = matches!(self.mode_of(usize::from(lane.0)), Mode::Closed | Mode::SoldOut | Mode::Drain);
        (!shut).then(|| lane.number(slot.numbers + 1))
    }

    /// Returns a lane's place in the order, 0 for the best.
    pub(super) fn rank(&self, lane: LaneId) -> Option<usize> {
        let mut order = self.slots.order.iter();
        order.position(|own| *own == usize::from(lane.0))
    }

    /// Returns whether a number waits in line or in a hall.
    pub(super) fn waits(&self, number: Number) -> bool {
        self.ticket(number).is_some_and(|ticket| ticket.place != Place::Called)
    }
}
