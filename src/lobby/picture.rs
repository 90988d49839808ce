//! What a visitor may know, worked out from the replica and the one picture that all visitors share.

use super::asking::{Asking, Progress, takes_number};
use super::frames::Frames;
use super::lanes::Lanes;
use super::replica::Replica;
use super::ticket::{Phase, Ticket};
use super::timers::Timers;
use super::{Effect, LOOK_AFTER_MS, LOOK_AFTER_PASSING_MS, Moment};
use facts::holder::{Key, Shown};
use facts::lane_name::LaneName;
use facts::message::{Gist, LanePace, Message};
use facts::notice::Notice;
use facts::planted::{self, Bug};
use facts::units::{Edition, Instant, LaneId, Number};
use facts::wire::{CarryTold, LeaseTold, Limited, Share, State, Status, Told, Wish};
use std::collections::VecDeque;

/// The pause of a polling client far back in the line, in seconds.
const POLL_AFTER_MAX_S: u64 = 20;
/// The pause of a polling client near the front of the line, in seconds.
const POLL_AFTER_MIN_S: u64 = 2;
/// The most pages that should come back to one lobby in a second.
const RETURNS_PER_S: u64 = 400;
/// What a newcomer to a full line is told. Whoever asks first once a place is free gets it, so nobody gains by asking sooner than the others do. At this
/// pace a million people who are turned away ask 33,000 times a second, which lobbies answer without the room.
const LINE_FULL: Limited = Limited {
    by: Share::Line,
    retry_after_s: 30,
};

/// The one picture that all visitors share: what the room last said of itself, all in one message, and the frames that this life has heard.
#[derive(Clone, Debug, Default)]
pub(super) struct Picture {
    /// The room's name for the status.
    room: String,
    /// The longest time over which pages spread a return of all, in ms.
    spread_ms: u64,
    /// When the room was last heard; `None` before this life has heard it.
    heard_at: Option<Moment>,
    lanes: Lanes,
    /// What the operator tells everybody.
    message: Notice,
    /// Whether something changed that all must be told.
    tell_everybody: bool,
    frames: Frames,
}

impl Picture {
    /// The picture of a room of this name that was not heard yet.
    pub fn new(room: String, spread_ms: u64) -> Self {
        Self {
            room,
            spread_ms,
            ..Self::default()
        }
    }

    /// Takes in what every message carries: the gist, the lanes, the operator's words and the frames. O(lanes + points).
    pub fn hear(&mut self, m: Moment, message: &Message, sockets: u64, timers: &mut Timers) {
        let turn = self.lanes.hear(message.gist, &message.lanes);
        self.tell_everybody |= turn || self.message != message.message;
        self.message.clone_from(&message.message);
        self.heard_at = Some(m);
        for (lane, bytes) in &message.frames {
            self.frames.take(m.now, *lane, bytes, message.gist.tick_ms, sockets, timers);
        }
    }

    /// Forgets that the room was heard, because the life is over.
    pub fn forget(&mut self) {
        self.heard_at = None;
        self.frames.clear();
    }

    pub const fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Whether what the room last said is too old to tell a visitor, by either clock: the lobby's own may stand while the wall clock is set.
    pub fn must_look(&self, m: Moment) -> bool {
        let lets_pass = self.lanes.gist().mode.passes();
        let look_after_ms = if lets_pass { LOOK_AFTER_PASSING_MS } else { LOOK_AFTER_MS };
        let is_young = |at: Moment| {
            let on_the_wall_ms = m.wall_ms.checked_sub(at.wall_ms);
            m.now.since_ms(at.now) < look_after_ms && on_the_wall_ms.is_some_and(|ms| ms < look_after_ms)
        };
        !self.heard_at.is_some_and(is_young)
    }

    /// Whether the room was heard within a turn of its usher.
    pub fn has_just_heard(&self, now: Instant) -> bool {
        let heard_ms = self.heard_at.map(|at| now.since_ms(at.now));
        heard_ms.is_some_and(|ms| ms < self.lanes.gist().tick_ms)
    }

    /// Returns, once, whether something changed that all must be told.
    pub const fn take_everybody(&mut self) -> bool {
        core::mem::replace(&mut self.tell_everybody, false)
    }

    /// Sends the newest frames to the sockets, in a lobby with so many tickets. O(lanes · points).
    pub fn send_frames(&mut self, now: Instant, living: usize, effects: &mut VecDeque<Effect>) {
        self.frames.send(now, self.spread_s(living), effects);
    }

    /// Returns the frame that a socket of this ticket hears first, or `None` if it is older than the ticket. O(points).
    pub fn first_frame(&mut self, ticket: &Ticket, living: usize) -> Option<Vec<u8>> {
        self.frames.first(ticket, self.spread_s(living))
    }

    /// Returns over how many seconds the pages of a lobby with so many tickets should spread their return if all lose their sockets at once. An object
    /// can serve some thousand requests a second, and each returning page makes one or two. If there are few pages, they may return as they like. O(1).
    fn spread_s(&self, living: usize) -> u8 {
        let needed_s = living as u64 / RETURNS_PER_S;
        let spread_s = needed_s.min(self.spread_ms / 1_000);
        u8::try_from(spread_s).unwrap_or(u8::MAX)
    }

    /// What an asker is told whose holder has this key. `limited`: why the ask was turned away. O(log tickets + log points).
    pub fn told(&self, m: Moment, key: Key, asking: &Asking, limited: Option<Limited>, replica: &mut Replica) -> Told {
        let Asking { ask, progress, .. } = asking;
        let mut status = self.status(m, key, ask.shown, ask.lane, replica);
        let ticket = replica.of_key(key);
        if let Some(lane) = &mut status.lane {
            lane.better = ticket.is_some_and(|ticket| self.lanes.may_have_better(ask, ticket));
        }
        let everybody = self.lanes.gist_of(self.lanes.of_newcomer(None));
        let carry = match (ask.wish, ticket) {
            (Wish::Offer, Some(ticket)) => Some(CarryTold::Offered {
                key: ticket.holder.key,
                row: replica.have(),
            }),
            (Wish::Carry { .. }, _) if progress.carried => Some(CarryTold::Carried),
            (Wish::Offer | Wish::Carry { .. }, _) => Some(CarryTold::Gone),
            _ => None,
        };
        let mut lease = progress.lease.map(|lease| aged(lease, m.now, progress));
        if planted::is(Bug::PassFromAnOlderAnswer) && lease.is_none() {
            lease = ticket.and_then(|ticket| lease_known(m.now, ticket, replica.edition()));
        }
        Told {
            issued: progress.issued && status.state != State::None,
            lease,
            full: progress.lobby_full,
            no_walk_in: !everybody.mode.passes() && !everybody.walk_in,
            wants_health: self.heard_at.map(|_| self.lanes.gist().wants_health),
            limited: limited.or(progress.line_full.then_some(LINE_FULL)),
            carry,
            at: progress.at,
            account: progress.account,
            unspent: progress.unspent,
            lost: progress.lost,
            no_lane: ticket.is_none() && takes_number(ask.wish) && self.lanes.lack_one_for(ask),
            status,
        }
    }

    /// The status of the holder with this key, who shows this place and, if without a ticket, asks for this lane. O(log tickets + log points).
    pub fn status(&self, m: Moment, key: Key, shown: Option<Shown>, wanted: Option<LaneName>, replica: &mut Replica) -> Status {
        let ticket = replica.of_key(key).copied();
        let lane = match &ticket {
            Some(ticket) => self.lanes.of_number(ticket.number),
            None => self.lanes.of_newcomer(wanted),
        };
        let gist = self.lanes.gist_of(lane);
        let base = Status {
            lane: lane.map(|lane| Lanes::told(lane, ticket.map(|ticket| ticket.number))),
            room: self.room.clone(),
            version: replica.have().0,
            mode: gist.mode,
            waiting: self.heard_at.map(|_| gist.waiting),
            poll_after_s: POLL_AFTER_MAX_S,
            spread_s: self.spread_s(replica.living()).into(),
            opens_at_ms: gist.opens_at_ms,
            message: (!self.message.any.is_empty()).then(|| self.message.any.clone()),
            messages: facts::ordered::filled(self.message.by_language.iter().cloned()),
            ..Status::default()
        };
        match ticket {
            Some(ticket) => self.status_of(m, &ticket, &gist, base, replica),
            None => self.status_without(key, shown, base, replica),
        }
    }

    fn status_of(&self, m: Moment, ticket: &Ticket, gist: &Gist, base: Status, replica: &mut Replica) -> Status {
        let at_ms = |at: Instant| Some(m.wall_ms.saturating_add(at.since_ms(m.now)));
        let entry = ticket.number.entry();
        let base = Status {
            number: entry.is_none().then_some(ticket.number),
            entry,
            hall: hall_of(ticket.number),
            edition: Some(replica.edition()),
            ..base
        };
        match ticket.phase {
            Phase::Waiting { .. } if entry.is_some() => self.in_hall(m.wall_ms, gist, base),
            Phase::Waiting { missed } => self.waiting(ticket, missed, gist, base, replica),
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
    fn status_without(&self, key: Key, shown: Option<Shown>, base: Status, replica: &Replica) -> Status {
        let over = |edition, number: Number, reason| {
            let entry = number.entry();
            let lane = self.lanes.of_number(number);
            Status {
                state: State::Over,
                lane: lane.map(|lane| Lanes::told(lane, Some(number))),
                number: entry.is_none().then_some(number),
                entry,
                hall: hall_of(number),
                edition: Some(edition),
                reason,
                ..base.clone()
            }
        };
        if let Some(shown) = shown {
            return match replica.why_over(key, shown) {
                Some(reason) => over(shown.edition, shown.number, reason),
                None => base,
            };
        }
        match replica.end_of(key) {
            Some((number, reason)) => over(replica.edition(), number, Some(reason)),
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

    /// The status of a visitor in the line. In front are no more than the room said of this ticket in this life, or the lane's last frame says.
    fn waiting(&self, ticket: &Ticket, missed: bool, gist: &Gist, base: Status, replica: &mut Replica) -> Status {
        let ahead = replica.note_ahead(ticket.number, self.frames.ahead(ticket));
        let pace = self.lanes.of_number(ticket.number).map(|lane| lane.pace);
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
}

/// For a planted bug only: the lease as the replica has it. No pass may be made of it.
fn lease_known(now: Instant, ticket: &Ticket, edition: Edition) -> Option<LeaseTold> {
    let Phase::Admitted {
        fence,
        idle_end,
        hard_end,
        provisional,
        ..
    } = ticket.phase
    else {
        return None;
    };
    Some(LeaseTold {
        number: ticket.number,
        edition,
        fence,
        idle_in_ms: idle_end.since_ms(now),
        hard_in_ms: hard_end.since_ms(now),
        provisional,
    })
}

/// Returns the lease with the time since the question taken off its remaining times: the room stated them no earlier.
fn aged(lease: LeaseTold, now: Instant, progress: &Progress) -> LeaseTold {
    let by_ms = match planted::is(Bug::LeaseToldLonger) {
        true => 0,
        false => now.since_ms(progress.lease_at),
    };
    LeaseTold {
        idle_in_ms: lease.idle_in_ms.saturating_sub(by_ms),
        hard_in_ms: lease.hard_in_ms.saturating_sub(by_ms),
        ..lease
    }
}

/// Returns the lane of an entry. For a number, which carries its lane itself, returns the first lane.
const fn hall_of(number: Number) -> LaneId {
    if number.is_entry() { number.lane() } else { LaneId::FIRST }
}
