//! Who is there: sockets, polls, and the linger that a refresh or a lift ride needs.

use super::{Lobby, Phase, Want};
use crate::units::{Instant, VisitorId};
use std::collections::{BTreeMap, BTreeSet};

/// Lingers end together, in so many steps of a linger: each step that somebody waits for costs an
/// alarm, which is a request and a row, so thousands who leave one by one must not have one each.
const LINGER_STEPS: u64 = 10;

/// When a linger that is over at `at` is looked at: not sooner, and at most a step later.
fn step_after(at: Instant, linger_ms: u64) -> Instant {
    let step_ms = (linger_ms / LINGER_STEPS).max(1);
    Instant(at.0.div_ceil(step_ms).saturating_mul(step_ms))
}

/// Presence of one visitor.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Open sockets.
    sockets: u32,
    /// Polls that are being held. Counted apart: one that an earlier life held ends in this one,
    /// and must not be taken for a socket's end.
    polls: u32,
    last_at: Instant,
    /// A linger timer is running. None runs while something is held, so that a lobby full of
    /// quiet sockets sleeps.
    timed: bool,
    /// When the lease slides next: one timer, however many sockets and polls come and go.
    slides_at: Option<Instant>,
}

impl Seen {
    const fn held(&self) -> bool {
        self.sockets > 0 || self.polls > 0
    }

    const fn count(&mut self, hold: Hold) -> &mut u32 {
        match hold {
            Hold::Socket => &mut self.sockets,
            Hold::Poll => &mut self.polls,
        }
    }
}

/// What keeps a visitor there.
#[derive(Clone, Copy, Debug)]
enum Hold {
    Socket,
    Poll,
}

/// Why a visitor is looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// May have gone away.
    Linger,
    /// The lease should slide: its holder is there.
    Slide,
}

/// Who is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Presence {
    seen: BTreeMap<VisitorId, Seen>,
    timers: BTreeSet<(Instant, VisitorId, Timer)>,
    sockets: u64,
}

impl Presence {
    pub fn new() -> Self {
        Self::default()
    }

    /// Open sockets.
    pub const fn sockets(&self) -> u64 {
        self.sockets
    }

    pub fn holds(&self, visitor: VisitorId) -> bool {
        self.seen.get(&visitor).is_some_and(|seen| seen.held())
    }

    /// Whether the visitor was seen within the linger.
    pub fn knows(&self, visitor: VisitorId) -> bool {
        self.seen.contains_key(&visitor)
    }

    /// Notes that a visitor was seen, and looks again after the linger.
    pub fn seen(&mut self, now: Instant, visitor: VisitorId, linger_ms: u64) {
        let seen = self.seen.entry(visitor).or_default();
        seen.last_at = seen.last_at.max(now);
        if !seen.held() && !seen.timed {
            seen.timed = true;
            let look_at = step_after(now.plus_ms(linger_ms), linger_ms);
            self.timers.insert((look_at, visitor, Timer::Linger));
        }
    }

    /// Somebody opened a socket, or a poll is held.
    fn begin(&mut self, now: Instant, visitor: VisitorId, hold: Hold) {
        let seen = self.seen.entry(visitor).or_default();
        seen.last_at = seen.last_at.max(now);
        *seen.count(hold) += 1;
    }

    fn end(&mut self, now: Instant, visitor: VisitorId, hold: Hold, linger_ms: u64) {
        if let Some(seen) = self.seen.get_mut(&visitor) {
            let count = seen.count(hold);
            *count = count.saturating_sub(1);
        }
        self.seen(now, visitor, linger_ms);
    }

    pub fn due_at(&self) -> Option<Instant> {
        self.timers.first().map(|(at, ..)| *at)
    }

    pub fn slide_at(&mut self, at: Instant, visitor: VisitorId) {
        let Some(seen) = self.seen.get_mut(&visitor) else {
            return;
        };
        if let Some(before) = seen.slides_at.replace(at) {
            self.timers.remove(&(before, visitor, Timer::Slide));
        }
        self.timers.insert((at, visitor, Timer::Slide));
    }

    fn pop_due(&mut self, now: Instant) -> Option<(VisitorId, Timer)> {
        let (at, visitor, timer) = *self.timers.first()?;
        if at > now {
            return None;
        }
        self.timers.pop_first();
        Some((visitor, timer))
    }
}

impl Lobby {
    /// A visitor's socket opened, or one was found after waking. O(log tickets).
    pub fn socket_opened(&mut self, now: Instant, visitor: VisitorId) {
        self.presence.sockets += 1;
        self.begin(now, visitor, Hold::Socket);
    }

    /// A visitor's socket closed. The visitor is away only after the linger. O(log tickets).
    pub fn socket_closed(&mut self, now: Instant, visitor: VisitorId) {
        self.presence.sockets = self.presence.sockets.saturating_sub(1);
        self.presence
            .end(now, visitor, Hold::Socket, self.config.linger_ms);
    }

    /// A poll is being held: as good as a socket while it lasts.
    pub fn hold(&mut self, now: Instant, visitor: VisitorId) {
        self.begin(now, visitor, Hold::Poll);
    }

    fn begin(&mut self, now: Instant, visitor: VisitorId, hold: Hold) {
        self.presence.begin(now, visitor, hold);
        self.keep_alive(now, visitor);
        // Found after waking beside a place that is away. Whoever opens a socket has asked before,
        // and a page that slept through its call has not spoken.
        let phase = self.book.tickets.get(&visitor).map(|ticket| ticket.phase);
        if let Some(Phase::Waiting {
            away: true,
            missed: false,
        }) = phase
        {
            self.want(visitor, Want::Back);
        }
    }

    /// A held poll was answered.
    pub fn unhold(&mut self, now: Instant, visitor: VisitorId) {
        self.presence
            .end(now, visitor, Hold::Poll, self.config.linger_ms);
    }

    /// Open sockets.
    #[must_use]
    pub const fn sockets(&self) -> u64 {
        self.presence.sockets()
    }

    /// Whether the visitor has a socket or a held poll.
    #[must_use]
    pub fn holds(&self, visitor: VisitorId) -> bool {
        self.presence.holds(visitor)
    }

    /// Does what is due: visitors who lingered out go away, leases of those who are there slide.
    /// O(due · log tickets).
    pub fn tick(&mut self, now: Instant) {
        self.pressure.tick(now);
        self.origin.tick(now);
        while let Some((visitor, timer)) = self.presence.pop_due(now) {
            match timer {
                Timer::Linger => self.linger_ended(now, visitor),
                Timer::Slide => self.slide(visitor),
            }
        }
    }

    fn linger_ended(&mut self, now: Instant, visitor: VisitorId) {
        let Some(seen) = self.presence.seen.get_mut(&visitor) else {
            return;
        };
        seen.timed = false;
        let away_at = seen.last_at.plus_ms(self.config.linger_ms);
        if seen.held() {
            return;
        }
        if away_at > now {
            seen.timed = true;
            let look_at = step_after(away_at, self.config.linger_ms);
            self.presence
                .timers
                .insert((look_at, visitor, Timer::Linger));
        } else {
            if let Some(at) = seen.slides_at {
                self.presence.timers.remove(&(at, visitor, Timer::Slide));
            }
            self.presence.seen.remove(&visitor);
            self.went_away(visitor);
        }
    }

    /// The room is told. Until it has answered the visitor is leaving, and stored as present: a
    /// later life would look again and tell it then.
    fn went_away(&mut self, visitor: VisitorId) {
        let phase = self.book.tickets.get(&visitor).map(|ticket| ticket.phase);
        if let Some(Phase::Waiting { away: false, .. }) = phase {
            self.leaving.insert(visitor);
            self.want(visitor, Want::Away);
        }
    }

    fn slide(&mut self, visitor: VisitorId) {
        let Some(seen) = self.presence.seen.get_mut(&visitor) else {
            return;
        };
        seen.slides_at = None;
        if !seen.held() {
            return;
        }
        if let Some(Phase::Admitted { fence, .. }) =
            self.book.tickets.get(&visitor).map(|t| t.phase)
        {
            self.want(visitor, Want::Renew(fence));
        }
    }

    /// A holder who is there makes the lease slide when half of its idle time is gone.
    pub(super) fn keep_alive(&mut self, now: Instant, visitor: VisitorId) {
        let phase = self.book.tickets.get(&visitor).map(|ticket| ticket.phase);
        if let Some(Phase::Admitted {
            idle_end, hard_end, ..
        }) = phase
            && self.presence.holds(visitor)
            && idle_end < hard_end
        {
            let half_ms = idle_end.since_ms(now) / 2;
            self.presence
                .slide_at(now.plus_ms(half_ms.max(500)), visitor);
        }
    }
}
