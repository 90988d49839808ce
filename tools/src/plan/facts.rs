//! Plays what the facts of a row mean for people.

use super::crowd::NEVER;
use super::desk::who_holds;
use super::outcome::Outcome;
use super::parts::State;
use super::world::World;
use baton::facts::event::{Event as Fact, How};
use baton::facts::holder::Holder;
use baton::facts::units::{Fence, LaneId};

impl World<'_> {
    pub(super) fn learn(&mut self, fact: &Fact) {
        match fact {
            Fact::Joined { first, holders, .. } | Fact::Entered { first, holders, .. } => {
                for (holder, nth) in holders.iter().zip(0..) {
                    self.placed(who(*holder), first.plus(nth));
                }
            }
            Fact::Drawn { first, .. } => self.renumber(first.lane()),
            Fact::WalkedIn { number, fence, holder, .. } => {
                let who = who(holder.unwrap_or_default());
                self.note_fence(*fence, who);
                self.walked_in(who, *number, *fence);
            }
            Fact::Called { number, fence } | Fact::Handed { number, fence, .. } => {
                let who = who(self.room.tickets().holder(*number).unwrap_or_default());
                self.note_fence(*fence, who);
                self.lane_called(number.lane());
                self.news_for(who);
                self.called(who, *fence);
            }
            Fact::Claimed { fence } => {
                if let Some(who) = self.who_has(*fence) {
                    self.admitted(who);
                }
            }
            Fact::Ended { fence, how, .. } => self.ended(*fence, *how),
            Fact::LineEnded { .. } => self.line_ended(),
            _ => {}
        }
    }

    /// Gives everybody in a lane's hall the number that the draw gave them.
    fn renumber(&mut self, lane: LaneId) {
        let line = self.room.lanes().lane(lane).line();
        for (number, _) in line.living() {
            let who = who(line.holder(number).unwrap_or_default());
            if let Some(visit) = self.visits.get_mut(who as usize) {
                visit.number = number;
            }
        }
    }

    fn note_fence(&mut self, fence: Fence, who: u32) {
        self.fences.resize(fence.0 as usize + 1, NEVER);
        if let Some(slot) = self.fences.get_mut(fence.0 as usize) {
            *slot = who;
        }
    }

    fn who_has(&self, fence: Fence) -> Option<u32> {
        let who = self.fences.get(fence.0 as usize).copied();
        who.filter(|who| *who != NEVER)
    }

    /// Handles a permit that came back without being handed on.
    fn ended(&mut self, fence: Fence, how: How) {
        let Some(who) = self.who_has(fence) else {
            return;
        };
        match how {
            How::Missed | How::MissedAgain => self.missed(who, fence, how == How::MissedAgain),
            How::Expired => self.expired(who, fence),
            How::Released | How::Left => {}
        }
    }

    fn line_ended(&mut self) {
        let ended_at = self.now;
        for visit in &mut self.visits {
            let has_place = visit.placed_ms != NEVER;
            let waits = matches!(visit.state, State::Waiting | State::Gone | State::Called | State::Landing | State::Asking);
            if waits && has_place {
                // Somebody who closed the page long ago and would not have come back gave up; all others waited in vain.
                let gave_up = visit.state == State::Gone && visit.person.returns_ms == NEVER;
                let outcome = if gave_up { Outcome::GaveUp } else { Outcome::InVain };
                visit.state = State::Over(outcome);
                let open_ms = core::mem::replace(&mut visit.open_ms, NEVER);
                self.seen.note_open(open_ms, ended_at);
                if outcome == Outcome::InVain {
                    self.seen.in_vain(visit.number, visit.placed_ms, ended_at);
                }
            }
        }
    }
}

// What is seen of each lane.
impl World<'_> {
    /// Records a call in the lane that has this slot. O(lanes).
    pub(super) fn lane_called(&mut self, id: LaneId) {
        let lanes = self.lane_ids.iter().zip(&mut self.seen.lanes);
        for (_, seen) in lanes.filter(|(own, _)| **own == id) {
            seen.called(self.now);
        }
    }

    /// Looks at every lane after a turn. O(lanes).
    pub(super) fn look_at_lanes(&mut self) {
        let lanes = self.room.lanes();
        for (id, seen) in self.lane_ids.iter().zip(&mut self.seen.lanes) {
            seen.stands(lanes.lane(*id).line().present() > 0, self.now);
        }
    }

    /// Ends the pauses that still last, now that the run is over.
    pub(super) fn end_pauses(&mut self) {
        for seen in &mut self.seen.lanes {
            seen.paused(self.now);
        }
    }
}

/// Returns whose key a holder has, as an index into the crowd.
fn who(holder: Holder) -> u32 {
    who_holds(holder.key)
}
