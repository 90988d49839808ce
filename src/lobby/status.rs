//! What a visitor may know, worked out from the replica and the one picture that all visitors share.

use super::ticket::{Phase, Ticket};
use super::timers::Timer;
use super::{Effect, LaneFrame, Lobby, Moment};
use facts::holder::Shown;
use facts::lane_name::LaneName;
use facts::message::{Gist, LaneGist, LanePace, Message};
use facts::units::{Instant, LaneId, Number, VisitorId};
use facts::wire::{State, Status};
use room::frame::Frame;

/// The pause of a polling client far back in the line, in seconds.
const POLL_AFTER_MAX_S: u64 = 20;
/// The pause of a polling client near the front of the line, in seconds.
const POLL_AFTER_MIN_S: u64 = 2;
/// The most frames sent to sockets in a second. One send costs some 60 µs (`npm run bench -- --only frames`),
/// so two thousand take an eighth of a core's second.
const FRAMES_PER_S: u64 = 2_000;
/// The most pages that should come back to one lobby in a second.
const RETURNS_PER_S: u64 = 400;

impl Lobby {
    /// The status of a visitor who shows this place and, if without a ticket, asks for this lane. O(log tickets + log points).
    #[must_use]
    pub(super) fn status(&mut self, m: Moment, visitor: VisitorId, shown: Option<Shown>, wanted: Option<LaneName>) -> Status {
        let ticket = self.ticket_of(visitor).copied();
        let lane = match &ticket {
            Some(ticket) => self.lane_of_number(ticket.number),
            None => self.lane_for(wanted),
        };
        let gist = self.gist_of(lane);
        let base = Status {
            lane: lane.map(|lane| Self::lane_told(lane, ticket.map(|ticket| ticket.number))),
            room: self.config.room.clone(),
            version: self.replica.have().0,
            mode: gist.mode,
            waiting: self.heard_at.map(|_| gist.waiting),
            poll_after_s: POLL_AFTER_MAX_S,
            spread_s: self.spread_s().into(),
            opens_at_ms: gist.opens_at_ms,
            message: (!self.message.any.is_empty()).then(|| self.message.any.clone()),
            messages: facts::ordered::filled(self.message.by_language.iter().cloned()),
            ..Status::default()
        };
        match ticket {
            Some(ticket) => self.status_of(m, &ticket, &gist, base),
            None => self.status_without(visitor, shown, base),
        }
    }

    /// Returns over how many seconds the pages of this lobby should spread their return if all lose their sockets at once. An object can serve
    /// some thousand requests a second, and each returning page makes one or two. If there are few pages, they may return as they like. O(1).
    pub(super) fn spread_s(&self) -> u8 {
        let needed_s = self.replica.living() as u64 / RETURNS_PER_S;
        let spread_s = needed_s.min(self.config.spread_ms / 1_000);
        u8::try_from(spread_s).unwrap_or(u8::MAX)
    }

    fn status_of(&mut self, m: Moment, ticket: &Ticket, gist: &Gist, base: Status) -> Status {
        let at_ms = |at: Instant| Some(m.wall_ms.saturating_add(at.since_ms(m.now)));
        let entry = ticket.number.entry();
        let base = Status {
            number: entry.is_none().then_some(ticket.number),
            entry,
            hall: hall_of(ticket.number),
            edition: Some(self.replica.edition()),
            ..base
        };
        match ticket.phase {
            Phase::Waiting { .. } if entry.is_some() => self.in_hall(m.wall_ms, gist, base),
            Phase::Waiting { missed } => self.waiting(ticket, missed, gist, base),
            Phase::Called { claim_by, .. } => Status {
                state: State::Called,
                claim_by_at_ms: at_ms(claim_by),
                poll_after_s: POLL_AFTER_MIN_S,
                ..base
            },
            Phase::Admitted { idle_end, hard_end, .. } => Status {
                state: State::Admitted,
                ends_at_ms: at_ms(idle_end.min(hard_end)),
                ..base
            },
        }
    }

    /// The status of a visitor without a living ticket here: over, if the place shown is over, or else if an end is remembered under the key.
    fn status_without(&self, visitor: VisitorId, shown: Option<Shown>, base: Status) -> Status {
        let key = self.guests.holder_of(visitor).key;
        let over = |edition, number: Number, reason| {
            let entry = number.entry();
            let lane = self.lane_of_number(number);
            Status {
                state: State::Over,
                lane: lane.map(|lane| Self::lane_told(lane, Some(number))),
                number: entry.is_none().then_some(number),
                entry,
                hall: hall_of(number),
                edition: Some(edition),
                reason,
                ..base.clone()
            }
        };
        if let Some(shown) = shown {
            return match self.replica.why_over(key, shown) {
                Some(reason) => over(shown.edition, shown.number, reason),
                None => base,
            };
        }
        match self.replica.end_of(key) {
            Some((number, reason)) => over(self.replica.edition(), number, Some(reason)),
            None => base,
        }
    }

    /// The status of a visitor in the hall, who polls rarely, and often when the opening comes near.
    fn in_hall(&self, wall_ms: u64, gist: &Gist, base: Status) -> Status {
        let left_ms = base.opens_at_ms.map(|at| at.saturating_sub(wall_ms));
        let poll_after_s = left_ms.map_or(POLL_AFTER_MAX_S, |ms| (ms / 1_000).clamp(POLL_AFTER_MIN_S, POLL_AFTER_MAX_S));
        Status {
            state: State::Hall,
            draw: Some(gist.draw),
            waiting: self.heard_at.map(|_| gist.in_hall),
            poll_after_s,
            ..base
        }
    }

    fn waiting(&mut self, ticket: &Ticket, missed: bool, gist: &Gist, base: Status) -> Status {
        let ahead = self.ahead(ticket);
        let pace = self.lane_of_number(ticket.number).map(|lane| lane.pace);
        let eta = gist.call_time.eta_s(ahead);
        let poll_after_s = eta.map_or(POLL_AFTER_MIN_S * 2, |(least, _)| (least / 8).clamp(POLL_AFTER_MIN_S, POLL_AFTER_MAX_S));
        Status {
            state: State::Waiting,
            missed,
            behind: pace == Some(LanePace::Behind),
            seats_to: gist.seats_to,
            ahead: Some(ahead),
            eta_min_s: eta.map(|(least, _)| least),
            eta_max_s: eta.map(|(_, most)| most),
            poll_after_s,
            ..base
        }
    }

    /// The number of people in front: the least of what the room said of this ticket in this life and what its lane's last frame says. A
    /// frame older than the ticket may not know everybody in front of it.
    fn ahead(&mut self, ticket: &Ticket) -> u64 {
        let within = Number(ticket.number.within());
        let frame = self.frames.get(&ticket.number.lane());
        let frame = frame.filter(|known| known.frame.version >= ticket.row.0);
        let framed = frame.map_or(u64::MAX, |known| known.frame.ahead(within).0);
        self.replica.note_ahead(ticket.number, framed)
    }

    /// Takes in what every message carries: the gist, the lanes, the operator's words and the frames.
    pub(super) fn hears_gist(&mut self, m: Moment, message: &Message) {
        let modes = |lanes: &[LaneGist]| -> Vec<_> {
            let of = |lane: &LaneGist| (lane.id, lane.name, lane.mode, lane.pace == LanePace::Behind);
            lanes.iter().map(of).collect()
        };
        let lanes_turn = modes(&self.lanes) != modes(&message.lanes);
        if self.gist.mode != message.gist.mode || self.message != message.message || lanes_turn {
            self.tell_everybody = true;
        }
        self.gist = message.gist;
        self.message.clone_from(&message.message);
        self.lanes.clone_from(&message.lanes);
        self.config.tick_ms = message.gist.tick_ms;
        self.heard_at = Some(m.now);
        for (lane, bytes) in &message.frames {
            self.takes_frame(m.now, *lane, bytes);
        }
    }

    fn takes_frame(&mut self, now: Instant, lane: LaneId, bytes: &[u8]) {
        let Some(frame) = Frame::decode(bytes) else {
            return;
        };
        let known = self.frames.get(&lane).map(|known| known.frame.version);
        if known.is_none_or(|known| known < frame.version) {
            let is_fresh = true;
            self.frames.insert(lane, LaneFrame { frame, is_fresh });
            let next = self.frame_due_at().max(now);
            self.timers.set_once(Timer::Frame, next);
        }
    }

    /// What the room says of the lane of this number; `None` if the room has no lanes, or the number is of none of them.
    pub(super) fn lane_of_number(&self, number: Number) -> Option<&LaneGist> {
        self.lanes.iter().find(|lane| lane.id == number.lane())
    }

    /// Whether the room has lanes, as far as it was heard.
    #[must_use]
    pub const fn has_lanes(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Whether a visitor's sockets are sent this lane's frames: every socket in a room without lanes. O(log tickets).
    #[must_use]
    pub fn shows_frame(&self, lane: LaneId, visitor: VisitorId) -> bool {
        !self.has_lanes() || self.lane_of(visitor) == Some(lane)
    }

    /// The lane in which a visitor has a living ticket, or `None` without one. O(log tickets).
    #[must_use]
    pub fn lane_of(&self, visitor: VisitorId) -> Option<LaneId> {
        self.ticket_of(visitor).map(|ticket| ticket.number.lane())
    }

    /// When the next frame may go out: at the next tick, or later if there are many sockets.
    fn frame_due_at(&self) -> Instant {
        let spread_ms = self.guests.sockets() * 1_000 / FRAMES_PER_S;
        self.frame_sent_at.plus_ms(self.config.tick_ms.max(spread_ms))
    }

    /// Sends the newest frames to the sockets of their lanes.
    pub(super) fn sends_frame(&mut self, now: Instant) {
        if self.guests.sockets() == 0 {
            return;
        }
        let spread_s = self.spread_s();
        for (lane, known) in &mut self.frames {
            if core::mem::take(&mut known.is_fresh) {
                let effect = Effect::Frame(*lane, known.told(spread_s));
                self.effects.push_back(effect);
                self.frame_sent_at = now;
            }
        }
    }

    /// Tells the visitors for whom there is news, and everybody if a mode, the lanes or the operator's message changed. O(told · log tickets).
    pub(super) fn tell_news(&mut self, m: Moment) {
        if !self.link.is_whole() {
            return;
        }
        let news = self.replica.take_news();
        let everybody = core::mem::take(&mut self.tell_everybody);
        let mut told: Vec<VisitorId> = if everybody {
            self.guests.names().collect()
        } else {
            let guests = news.iter().filter_map(|key| self.guests.of_key(*key));
            guests.map(|(visitor, _)| visitor).collect()
        };
        for key in &news {
            self.guests.slide_later(m.now, *key, &self.replica, &mut self.timers);
        }
        told.sort_unstable();
        for visitor in &told {
            self.tell(m, *visitor);
        }
        if !told.is_empty() {
            self.polls_end(m, &told);
        }
    }

    /// Tells a visitor's sockets how things are. The last word closes them.
    fn tell(&mut self, m: Moment, visitor: VisitorId) {
        let Some(guest) = self.guests.get(visitor).copied().filter(|guest| guest.sockets > 0) else {
            return;
        };
        let status = self.status(m, visitor, guest.shown, None);
        let last = status.state == State::Over;
        if status.state == State::None {
            return;
        }
        self.guests.show(visitor, status.shown());
        if last {
            self.guests.close_all(m.now, visitor, &mut self.replica, &mut self.timers);
        }
        self.effects.push_back(Effect::Tell {
            visitor,
            status: Box::new(status),
            last,
        });
    }
}

/// Returns the lane of an entry. For a number, which carries its lane itself, returns the first lane.
const fn hall_of(number: Number) -> LaneId {
    if number.is_entry() { number.lane() } else { LaneId::FIRST }
}
