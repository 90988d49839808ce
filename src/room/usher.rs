//! The usher: takes permits back from those who overstay or vanish, calls people from the head of the line, and says when it must look again.
//!
//! In a turn, places whose grace is over end first. Then the usher takes what has run out into its hand. Then, while mode, pace and the origin's
//! health allow: if the hand is empty, it empties the tray into it; if the hand is still empty or nobody is present, it stops; else it calls the
//! first present ticket of the lane whose turn it is.

use super::decide::Case;
use super::line::Line;
use super::permits::{Grant, Stage};
use facts::event::{Event, How, To};
use facts::planted::{self, Bug};
use facts::units::Instant;

impl Case<'_> {
    /// Returns what the usher's turn at `self.now` leads to; nothing if there is nothing to do. O((ended + called) · log n), plus O(n / 64) when
    /// away tickets run out.
    #[must_use]
    pub fn decide_turn(&self) -> Vec<Event> {
        let mut events = Vec::new();
        // This comes first, so that the count is of what the fold will end: a call missed in this turn makes its ticket away, and with a short grace
        // that ticket could run out, or postpone the last of a full set of groups, before this fact is applied.
        let count = self.tickets.lanes().lines().map(|line| line.away_due(self.now)).sum();
        if count > 0 {
            events.push(Event::GraceEnded { count });
        }
        events.extend(self.collect());
        self.call_from_the_head(&mut events);
        if !events.is_empty() {
            events.push(Event::Turned);
        }
        events
    }

    /// Returns the events that take back every permit whose time is over: leases at their end, calls that nobody answered.
    pub(super) fn collect(&self) -> Vec<Event> {
        let mut debt = self.tickets.permits().debt();
        let take_back = |(fence, grant): (_, &Grant)| {
            let how = match grant.stage {
                Stage::Leased(_) => How::Expired,
                Stage::Called { .. } if planted::is(Bug::MissedLosesItsPlace) => How::MissedAgain,
                Stage::Called { .. } if self.tickets.line_of(grant.number).missed(grant.number) => How::MissedAgain,
                Stage::Called { .. } => How::Missed,
            };
            let to = if debt > 0 { To::Debt } else { To::Hand };
            debt = debt.saturating_sub(1);
            Event::Ended { fence, how, to }
        };
        self.tickets.permits().due(self.now).map(take_back).collect()
    }

    /// Calls people from the head while there is a permit, somebody is present and calls are allowed. `events` are what this turn has decided before.
    fn call_from_the_head(&self, events: &mut Vec<Event>) {
        if !self.tickets.lanes().calls(self.config.mode) {
            return;
        }
        let returned = events.iter().filter(|e| matches!(e, Event::Ended { to: To::Hand, .. }));
        let mut hand = self.tickets.permits().hand() as usize + returned.count();
        let mut tray = self.tickets.permits().tray();
        let mut fence = self.tickets.permits().minted();
        let mut picker = self.tickets.lanes().picker(self.config.mode);
        let mut next = picker.pick();
        let mut allowed = self.allowance.allows(self.now, self.config);
        while allowed > 0 {
            if hand == 0 && tray > 0 && !planted::is(Bug::TrayNeverEmptied) {
                events.push(Event::TrayEmptied { permits: tray });
                hand = tray as usize;
                tray = 0;
            }
            let Some(number) = next else { break };
            if hand == 0 {
                break;
            }
            fence = fence.next();
            events.push(Event::Called { number, fence });
            next = picker.pick();
            hand -= 1;
            allowed -= 1;
        }
    }

    /// Returns whether mode, pace and the origin's health allow a call in any lane.
    pub(super) fn may_call(&self) -> bool {
        self.tickets.lanes().calls(self.config.mode) && self.allowance.allows(self.now, self.config) > 0
    }

    /// Returns when the usher must look again, never sooner than a tick after its last turn, or `None` if there is nothing to do: then no alarm is
    /// armed and the room costs nothing. O(lanes + log permits).
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        let (lanes, permits) = (self.tickets.lanes(), self.tickets.permits());
        let waits = permits.free() > 0 && lanes.callable(self.config.mode) > 0;
        let call_at = waits.then(|| self.allowance.ready_at(self.now, self.config));
        let away = lanes.lines().filter_map(Line::away_due_at);
        let due = [call_at, permits.due_at()].into_iter().flatten();
        let earliest = due.chain(away).min()?;
        Some(earliest.max(self.turned_at.plus_ms(self.config.tick_ms)))
    }
}
