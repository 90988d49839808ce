//! Decides which lane is next, by the rule in force, and whether the lanes keep their shares.
//!
//! *Strict*: the first lane of the order that calls and in which somebody is present. *Shares*: the lanes in turn, each with as many calls as its
//! share. A lane in which nobody can be called loses the rest of its turn at once, and a missed call counts as a call. Each call, baton and walk-in
//! of the journal must follow from the facts before it.
//!
//! Beside the exact pick, the audit checks the promise to people: while the same lanes have people who can be called, no lane is ahead of another by
//! more than one turn. It names a broken promise first, because that says more.

use super::lanes::{Lane, Lanes};
use super::{Check, require};
use baton::facts::config::Mode;
use baton::facts::lanes::LanesRule;
use baton::facts::units::{LaneId, Number};

const RULE: &str = "the rule picks the lane";
const SHARES: &str = "lanes keep their shares";

impl Lanes {
    /// Returns the lane that is next, or `None` if nobody can be called. O(lanes).
    pub fn next(&self, mode: Mode) -> Option<LaneId> {
        let rank = |id| self.order.iter().position(|own| *own == id);
        let begin = match (self.rule, self.turn.last) {
            (LanesRule::Shares, Some((last, left))) => rank(last).map_or(0, |rank| rank + usize::from(left == 0)),
            _ => 0,
        };
        let (before, behind) = self.order.split_at(begin.min(self.order.len()));
        let mut round = behind.iter().chain(before).copied();
        round.find(|id| self.of(*id).is_some_and(|lane| lane.callable(mode) > 0))
    }

    /// Returns who is called next.
    pub fn next_to_call(&self, mode: Mode) -> Option<Number> {
        let id = self.next(mode)?;
        let first = self.of(id)?.line.first_present()?;
        Some(id.number(first))
    }

    /// Checks that a call of this lane is the one that is due.
    pub(super) fn is_due(&self, id: LaneId, mode: Mode) -> Check {
        if self.rule == LanesRule::Shares
            && let Some(lane) = self.of(id)
        {
            self.keeps_shares(id, lane, mode)?;
        }
        let next = self.next(mode);
        require(RULE, next == Some(id), || {
            let next = next.map_or_else(String::new, |next| self.name(next));
            format!("lane {} got a call, lane {next} is next", self.name(id))
        })
    }

    /// Checks that with one more call this lane is not more than one turn ahead of any other.
    fn keeps_shares(&self, id: LaneId, lane: &Lane, mode: Mode) -> Check {
        let (calls, share) = (lane.calls + 1, u64::from(lane.share()));
        for (other_id, other) in self.in_order() {
            let of_other = u64::from(other.share());
            let keeps = calls * of_other <= (other.calls + of_other) * share;
            let waits = other_id != id && other.callable(mode) > 0;
            require(SHARES, keeps || !waits, || {
                format!(
                    "lane {} got {calls} calls for a share of {share}, and lane {}, which has people too, {} for {of_other}",
                    self.name(id),
                    self.name(other_id),
                    other.calls
                )
            })?;
        }
        Ok(())
    }

    /// Records that somebody of this lane was given a permit.
    pub(super) fn note_given(&mut self, id: LaneId) {
        let share = self.of(id).map_or(1, Lane::share);
        self.of_mut(id).calls += 1;
        if self.order.len() > 1 && self.rule == LanesRule::Shares {
            let left = match self.turn.last {
                Some((last, left)) if last == id && left > 0 => left,
                _ => share,
            };
            self.turn.last = Some((id, left - 1));
        }
    }

    /// Settles the turn after each fact. A lane in which nobody can be called loses the rest of its turn; counts begin anew when the set of lanes
    /// with people who can be called changes.
    pub(super) fn settle(&mut self, mode: Mode) {
        let can = self.in_order().filter(|(_, lane)| lane.callable(mode) > 0);
        if !can.map(|(id, _)| id).eq(self.turn.callable.iter().copied()) {
            let can = self.in_order().filter(|(_, lane)| lane.callable(mode) > 0);
            self.turn.callable = can.map(|(id, _)| id).collect();
            self.all_mut().for_each(|lane| lane.calls = 0);
        }
        if let Some((last, left)) = &mut self.turn.last
            && !self.turn.callable.contains(last)
        {
            *left = 0;
        }
    }
}
