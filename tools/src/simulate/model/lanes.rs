//! Lanes once more, as plainly as it can be said: which slot each has, whose turn it is, and when each is open.

use super::{Facts, Model, Place};
use baton::facts::command::Entering;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::Event;
use baton::facts::hall::Door;
use baton::facts::holder::Key;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::units::{Instant, LaneId, LobbyId, Number, Version};

/// A slot, and what stands in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    lane: Option<Lane>,
    door: Door,
    /// How many numbers, and how many entries, it has issued.
    pub numbers: u64,
    pub entries: u64,
}

/// All slots, and whose turn it is.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pub all: Vec<Slot>,
    /// The slots in order, the best first: those on the list, and those that left it with people in them.
    order: Vec<usize>,
    /// The operator's lanes; empty if the room has none.
    list: Vec<Lane>,
    everybody: usize,
    rule: LanesRule,
    /// The slot whose turn it is, and how many calls it has left.
    turn: Option<(usize, u32)>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            all: vec![Slot::default()],
            order: vec![0],
            list: vec![],
            everybody: 0,
            rule: LanesRule::default(),
            turn: None,
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
        self.turn = None;
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

    fn share(&self, slot: usize) -> u32 {
        self.all[slot].lane.as_ref().map_or(1, |lane| lane.share)
    }

    /// Returns whose turn it is among the slots in which somebody can be called.
    fn next(&self, turn: Option<(usize, u32)>, callable: &[u64]) -> Option<usize> {
        let can = |slot: &usize| callable[*slot] > 0;
        if let (LanesRule::Shares, Some((last, left))) = (self.rule, turn) {
            if left > 0 && can(&last) {
                return Some(last);
            }
            let at = self.order.iter().position(|slot| *slot == last);
            let begin = at.map_or(0, |at| at + 1);
            let round =
                (0..self.order.len()).map(|step| self.order[(begin + step) % self.order.len()]);
            return round.into_iter().find(can);
        }
        self.order.iter().copied().find(can)
    }

    fn spent(&self, turn: Option<(usize, u32)>, slot: usize) -> Option<(usize, u32)> {
        let left = match turn {
            Some((last, left)) if last == slot && left > 0 => left,
            _ => self.share(slot),
        };
        Some((slot, left - 1))
    }

    pub fn begins(&mut self) {
        self.turn = None;
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
        let named = named
            .filter(|slot| self.slots.order.contains(slot) && self.slots.are_on_the_list(*slot));
        LaneId(named.unwrap_or(self.slots.everybody) as u8)
    }

    pub(super) fn everybody(&self) -> LaneId {
        LaneId(self.slots.everybody as u8)
    }

    fn mode_of(&self, slot: usize) -> Mode {
        match (self.config().mode, self.slots.all[slot].door) {
            (Mode::Open | Mode::Paused | Mode::Drain, Door::Shut { .. }) => Mode::Closed,
            (mode, _) => mode,
        }
    }

    fn lane_calls(&self, slot: usize) -> bool {
        matches!(self.config().mode, Mode::Open | Mode::Drain)
            && matches!(self.slots.all[slot].door, Door::Open { .. })
    }

    /// Returns whether people may walk in to this lane, by mode and hours.
    pub(super) fn lane_is_open(&self, lane: LaneId) -> bool {
        let slot = usize::from(lane.0);
        self.mode_of(slot) == Mode::Open && self.lane_calls(slot)
    }

    /// Returns whether somebody may be called in any lane, by mode and hours.
    pub(super) fn calls(&self) -> bool {
        self.slots.order.iter().any(|slot| self.lane_calls(*slot))
    }

    fn callable(&self) -> Vec<u64> {
        let count = |slot: usize| {
            let here = self
                .tickets
                .iter()
                .filter(|t| usize::from(t.number.lane().0) == slot && t.place == Place::Present);
            here.count() as u64
        };
        let all = 0..self.slots.all.len();
        let may = |slot: &usize| self.slots.order.contains(slot) && self.lane_calls(*slot);
        all.map(|slot| if may(&slot) { count(slot) } else { 0 })
            .collect()
    }

    /// Returns the next `count` who are called: each is chosen as if those before were called already.
    pub(super) fn next_to_call(&self, count: usize) -> Vec<Number> {
        let (mut left, mut turn) = (self.callable(), self.slots.turn);
        let mut called = vec![];
        while called.len() < count
            && let Some(slot) = self.slots.next(turn, &left)
        {
            let mut here = self.tickets.iter().filter(|t| {
                usize::from(t.number.lane().0) == slot
                    && t.place == Place::Present
                    && !called.contains(&t.number)
            });
            let Some(ticket) = here.next() else { break };
            called.push(ticket.number);
            left[slot] -= 1;
            turn = self.slots.spent(turn, slot);
            if left[slot] == 0 {
                turn = turn.map(|(slot, _)| (slot, 0));
            }
        }
        called
    }

    pub(super) fn first_present(&self) -> Option<Number> {
        self.next_to_call(1).first().copied()
    }

    /// Counts a permit that was given to somebody of this lane.
    pub(super) fn lane_spends(&mut self, lane: LaneId) {
        if self.slots.order.len() > 1 && self.slots.rule == LanesRule::Shares {
            self.slots.turn = self.slots.spent(self.slots.turn, usize::from(lane.0));
        }
    }

    /// Ends the turn of a lane in which nobody can be called. This runs after each fact.
    pub(super) fn lane_forfeits(&mut self) {
        let callable = self.callable();
        if let Some((slot, left)) = &mut self.slots.turn
            && callable[*slot] == 0
        {
            *left = 0;
        }
    }

    /// Returns the number, or the entry, for the next who comes into this lane, or `None` if the lane takes nobody.
    pub(super) fn next_in(&self, lane: LaneId) -> Option<Number> {
        let slot = &self.slots.all[usize::from(lane.0)];
        let mode = self.config().mode;
        let enters =
            matches!(slot.door, Door::Hall { .. }) && matches!(mode, Mode::Open | Mode::Paused);
        if enters {
            return Some(lane.entry(slot.entries + 1));
        }
        let shut = matches!(
            self.mode_of(usize::from(lane.0)),
            Mode::Closed | Mode::SoldOut | Mode::Drain
        );
        (!shut).then(|| lane.number(slot.numbers + 1))
    }

    /// Returns the number after the last that the lane has issued.
    pub(super) fn next_number(&self, lane: LaneId) -> Number {
        lane.number(self.slots.all[usize::from(lane.0)].numbers + 1)
    }

    /// Takes somebody into a lane. A ticket that waits in a worse lane moves to the end of this one.
    pub(super) fn take_into(
        &mut self,
        (version, now): (Version, Instant),
        name: LaneName,
        entering: &Entering,
        lobby: LobbyId,
    ) -> Facts {
        let lane = self.lane_named(Some(name));
        let (mut facts, keys): (Facts, Vec<Key>) = match entering {
            Entering::Join(holders) => {
                let facts = self.decide_join(now, holders, (lane, lobby));
                facts.iter().for_each(|fact| self.apply(version, now, fact));
                (facts, holders.iter().map(|holder| holder.key).collect())
            }
            Entering::JoinAs(members) => {
                let facts = self.take_joins(version, now, members, (lane, lobby));
                (
                    facts,
                    members.iter().map(|member| member.holder.key).collect(),
                )
            }
            Entering::WalkIn(holder) => {
                let facts = self.decide_walk_in(now, *holder, (lane, lobby));
                facts.iter().for_each(|fact| self.apply(version, now, fact));
                (facts, vec![])
            }
            Entering::WalkInAs { holder, account } => (
                self.take_walk_in(version, now, *holder, *account, (lane, lobby)),
                vec![],
            ),
        };
        for key in keys {
            let moved = self.moved(now, lane, key, lobby);
            moved.iter().for_each(|fact| self.apply(version, now, fact));
            facts.extend(moved);
        }
        facts
    }

    pub(super) fn moved(
        &self,
        now: Instant,
        lane: LaneId,
        key: Key,
        lobby: LobbyId,
    ) -> Option<Event> {
        let from = self
            .number_of(key)
            .filter(|number| !self.has_run_out(now, *number))?;
        let waits = self.waits(from);
        let (to_rank, own_rank) = (self.rank(lane)?, self.rank(from.lane()));
        let better = own_rank.is_some_and(|own| to_rank < own);
        let here = self.lobby_of(from) == Some(lobby);
        let to = self.next_in(lane)?;
        (waits && better && here).then_some(Event::Moved { from, to })
    }

    /// Returns a lane's place in the order, 0 for the best.
    pub(super) fn rank(&self, lane: LaneId) -> Option<usize> {
        let mut order = self.slots.order.iter();
        order.position(|own| *own == usize::from(lane.0))
    }

    /// Returns whether a number waits in line or in a hall.
    pub(super) fn waits(&self, number: Number) -> bool {
        self.ticket(number)
            .is_some_and(|ticket| ticket.place != Place::Called)
    }
}
