//! What a visitor may know, worked out from the ticket and the one picture that all share.

use super::{Lobby, Phase};
use crate::units::{Instant, Number, VisitorId};
use crate::wire::{State, Status};

/// A polling client far back in the line pauses this long.
const POLL_AFTER_MAX_S: u64 = 20;
/// One that is near.
const POLL_AFTER_MIN_S: u64 = 2;
/// A socket send costs some 60 µs (`npm run bench -- --only frames`), so two thousand of them take an eighth of a core's
/// second.
const FRAMES_PER_S: u64 = 2_000;

/// What is known of visitors whose ticket is over is forgotten when it is this many too many.
const IN_FRONT_SPARE: usize = 1_000;

impl Lobby {
    /// The status of a visitor. `wall_ms`: Unix time now. O(log tickets + log points).
    #[must_use]
    pub fn status(&mut self, now: Instant, wall_ms: u64, visitor: VisitorId) -> Status {
        let at_ms = |at: Instant| Some(wall_ms.saturating_add(at.since_ms(now)));
        let base = Status {
            room: self.config.room.clone(),
            version: self.gist_version.0,
            mode: self.gist.mode,
            waiting: self.heard_at.map(|_| self.gist.waiting),
            poll_after_s: POLL_AFTER_MAX_S,
            opens_at_ms: self.gist.opens_at_ms,
            message: (!self.message.is_empty()).then(|| self.message.clone()),
            ..Status::default()
        };
        let Some(ticket) = self.ticket(visitor).copied() else {
            return base;
        };
        let version = base.version.max(ticket.version.0);
        let entry = ticket.number.entry();
        let base = Status {
            number: entry.is_none().then_some(ticket.number),
            entry,
            edition: Some(ticket.edition),
            version,
            ..base
        };
        match ticket.phase {
            Phase::Waiting { .. } if entry.is_some() => self.in_hall(wall_ms, base),
            Phase::Waiting { missed, .. } => self.waiting(visitor, missed, base),
            Phase::Called { claim_by, .. } => Status {
                state: State::Called,
                claim_by_at_ms: at_ms(claim_by),
                poll_after_s: POLL_AFTER_MIN_S,
                ..base
            },
            Phase::Admitted {
                idle_end, hard_end, ..
            } => Status {
                state: State::Admitted,
                ends_at_ms: at_ms(idle_end.min(hard_end)),
                ..base
            },
            Phase::Over(reason) => Status {
                state: State::Over,
                reason: Some(reason),
                ..base
            },
        }
    }

    /// Who waits for the opening asks rarely, and often when it comes near.
    fn in_hall(&self, wall_ms: u64, base: Status) -> Status {
        let left_ms = base.opens_at_ms.map(|at| at.saturating_sub(wall_ms));
        let poll_after_s = left_ms.map_or(POLL_AFTER_MAX_S, |ms| {
            (ms / 1_000).clamp(POLL_AFTER_MIN_S, POLL_AFTER_MAX_S)
        });
        Status {
            state: State::Hall,
            draw: Some(self.gist.draw),
            waiting: self.heard_at.map(|_| self.gist.in_hall),
            poll_after_s,
            ..base
        }
    }

    fn waiting(&mut self, visitor: VisitorId, missed: bool, base: Status) -> Status {
        let ahead = self.ahead(visitor);
        let eta = ahead.and_then(|ahead| self.gist.call_time.eta_s(ahead));
        let poll_after_s = eta.map_or(POLL_AFTER_MIN_S * 2, |(least, _)| {
            (least / 8).clamp(POLL_AFTER_MIN_S, POLL_AFTER_MAX_S)
        });
        Status {
            state: State::Waiting,
            missed,
            seats_to: self.gist.seats_to,
            ahead,
            eta_min_s: eta.map(|(least, _)| least),
            eta_max_s: eta.map(|(_, most)| most),
            poll_after_s,
            ..base
        }
    }

    /// People in front: the least of what the room said of this ticket in this life, what its last
    /// frame says, and what was shown before. `None` while the room has said nothing in this life: a
    /// frame is a bound only, and may show more people than an earlier life has shown.
    fn ahead(&mut self, visitor: VisitorId) -> Option<u64> {
        let ticket = *self.ticket(visitor)?;
        let known = self.in_front.get(&ticket.number).copied()?;
        // A frame older than the ticket's standing may not know everybody in front of it.
        let frame = self
            .frame
            .as_ref()
            .filter(|(frame, _)| frame.version >= ticket.version.0);
        let drawn = frame.map_or(u64::MAX, |(frame, _)| frame.ahead(ticket.number).0);
        let least = known.min(drawn);
        self.note_ahead(ticket.number, least);
        Some(least)
    }

    /// Notes that so many are in front of a number, at most. By number, so that it goes with a place
    /// that is carried to another visitor. O(log tickets).
    pub(super) fn note_ahead(&mut self, number: Number, ahead: u64) {
        if self.in_front.len() > self.book.living * 2 + IN_FRONT_SPARE {
            let book = &self.book;
            self.in_front.retain(|number, _| {
                let ticket = book.by_number.get(number).and_then(|v| book.tickets.get(v));
                ticket.is_some_and(|t| t.number == *number && t.phase.living())
            });
        }
        let known = self.in_front.entry(number).or_insert(ahead);
        *known = ahead.min(*known);
    }

    /// For whom the room should go on telling how the line moves: who holds a socket, and who may open
    /// one any moment without the room being asked.
    #[must_use]
    pub fn watchers(&self) -> u64 {
        self.sockets().max(self.book.living as u64)
    }

    /// When the next frame may go out: each tick, less often with many sockets.
    pub(super) fn frame_due_at(&self) -> Instant {
        let spread_ms = self.sockets() * 1_000 / FRAMES_PER_S;
        self.frame_sent_at
            .plus_ms(self.config.tick_ms.max(spread_ms))
    }

    /// The frame to send to every socket now, if there is a new one and it is time. O(1).
    pub fn frame_to_send(&mut self, now: Instant) -> Option<Vec<u8>> {
        if !self.frame_fresh || self.sockets() == 0 || self.frame_due_at() > now {
            return None;
        }
        self.frame_fresh = false;
        self.frame_sent_at = now;
        self.frame.as_ref().map(|(_, bytes)| bytes.clone())
    }

    /// The newest frame for a visitor's socket that just opened. `None` when it is older than the
    /// ticket: it does not know everybody in front.
    #[must_use]
    pub fn frame_for(&self, visitor: VisitorId) -> Option<&[u8]> {
        let ticket = self.ticket(visitor)?;
        let (frame, bytes) = self.frame.as_ref()?;
        (frame.version >= ticket.version.0).then_some(bytes)
    }
}
