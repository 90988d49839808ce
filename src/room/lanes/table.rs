//! Decides which lane has which slot.
//!
//! A lane whose name is known keeps its slot. A new one takes the first free slot, one whose lane is not on the list and has no living ticket. The
//! numbers of a slot go on when another lane takes it. A lane that leaves the list while people are in it keeps its slot, its settings and its rank,
//! and nobody comes into it any more. When a room gets its first lanes, its line stays in the first slot as everybody's, the last of the list.
//! Everybody's lane gets its slot first, so if there are too few, another lane has none, and its people go to everybody's.

use super::{Lane, LaneConfig, Lanes};
use facts::lanes::LanesRule;
use facts::units::{LANES_MAX, LaneId};

impl Lanes {
    /// Puts the operator's list and rule in force; does nothing if they are already. `is_inside` says whether anybody is inside with a
    /// number of a lane. O(lanes²).
    pub(crate) fn configure(&mut self, wanted: &[LaneConfig], rule: LanesRule, is_inside: impl Fn(LaneId) -> bool) {
        if self.rule == rule && self.is_the_list(wanted) {
            return;
        }
        let before = core::mem::take(&mut self.order);
        self.all_mut().for_each(|lane| lane.is_listed = false);
        self.rule = rule;
        self.begin_turn();
        if wanted.is_empty() {
            self.first.config = None;
            self.first.is_listed = true;
        }
        if let Some(last) = wanted.last()
            && self.first.config.is_none()
            && self.slot_named(last).is_none()
        {
            self.first.config = Some(last.clone());
        }
        let (last, others) = wanted.split_last().map_or((None, wanted), |(l, o)| (Some(l), o));
        let everybody = last.and_then(|last| self.take_slot(last, wanted, &is_inside));
        for lane in others {
            let id = self.take_slot(lane, wanted, &is_inside);
            self.order.extend(id);
        }
        self.order.extend(everybody);
        let none_listed = self.order.is_empty();
        if none_listed {
            self.order.push(LaneId::FIRST);
        }
        self.everybody = self.order.last().copied().unwrap_or_default();
        for (at, id) in before.iter().enumerate() {
            let stays = self.lane(*id).alive() > 0 || is_inside(*id);
            if stays && !self.order.contains(id) {
                self.order.insert(at.min(self.order.len()), *id);
            }
        }
    }

    fn is_the_list(&self, wanted: &[LaneConfig]) -> bool {
        let listed = self.order().filter(|(_, lane)| lane.is_listed);
        listed.filter_map(|(_, lane)| lane.config.as_ref()).eq(wanted)
    }

    fn slot_named(&self, wanted: &LaneConfig) -> Option<LaneId> {
        let is_it = |lane: &Lane| {
            let own = lane.config.as_ref();
            own.is_some_and(|own| own.name == wanted.name)
        };
        let mut all = self.all().filter(|(_, lane)| is_it(lane));
        all.next().map(|(id, _)| id)
    }

    /// Gives a lane of the list its slot from now on, and returns it; `None` if there is none left.
    fn take_slot(&mut self, wanted: &LaneConfig, list: &[LaneConfig], is_inside: &impl Fn(LaneId) -> bool) -> Option<LaneId> {
        let known = self.slot_named(wanted);
        let id = match known {
            Some(id) => id,
            None => self.free_slot(list, is_inside)?,
        };
        let lane = self.lane_mut(id);
        if known.is_none() {
            lane.hall.forget();
            lane.rhythm.clear();
        }
        lane.config = Some(wanted.clone());
        lane.is_listed = true;
        Some(id)
    }

    fn free_slot(&mut self, list: &[LaneConfig], is_inside: &impl Fn(LaneId) -> bool) -> Option<LaneId> {
        let keeps = |lane: &Lane| {
            let own = lane.config.as_ref();
            own.is_some_and(|own| list.iter().any(|wanted| wanted.name == own.name))
        };
        let is_free = |(id, lane): &(LaneId, &Lane)| !keeps(lane) && lane.alive() == 0 && !is_inside(*id);
        if let Some((id, _)) = self.all().find(is_free) {
            return Some(id);
        }
        let id = LaneId::all().nth(self.others.len() + 1)?;
        debug_assert!(usize::from(id.0) < LANES_MAX, "a slot has three bits");
        self.others.push(Lane::new(id));
        Some(id)
    }
}
