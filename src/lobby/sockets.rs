//! Visitors' sockets as the lobby decides about them: who gets one, what it shows, what it hears first and later, and whether it stays open.

use super::{Effect, Lobby, Moment};
use facts::holder::Shown;
use facts::units::{LaneId, VisitorId};
use facts::wire::{AccountTold, State, Status, Told};

/// Why a visitor gets no socket here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSocket {
    /// The place is in another lobby.
    Elsewhere,
    /// The lobby is full.
    Full,
    /// The room has no such lane.
    NoLane,
    /// The visitor or the address has had its share, or the line is full.
    Limited,
    /// The account's place is on another device.
    OnOtherDevice,
}

/// What a socket hears when it has opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstWords {
    /// How things are.
    pub status: Status,
    /// The newest frame, unless it is older than the ticket.
    pub frame: Option<Vec<u8>>,
    /// Whether the socket must be closed now, and the close reported: it only resumes and has nothing to resume, or the ticket is over.
    pub is_last: bool,
}

/// Decides whether the visitor who was told this gets a socket. Returns the place that the socket shows; `showed` is the place that the
/// visitor came with.
///
/// # Errors
/// Why there is no socket.
pub fn socket_for(told: &Told, showed: Option<Shown>) -> Result<Option<Shown>, NoSocket> {
    match told {
        Told { at: Some(_), .. } => Err(NoSocket::Elsewhere),
        Told { full: true, .. } => Err(NoSocket::Full),
        Told { no_lane: true, .. } => Err(NoSocket::NoLane),
        Told { limited: Some(_), .. } => Err(NoSocket::Limited),
        Told {
            account: Some(AccountTold::Elsewhere(_)),
            ..
        } => Err(NoSocket::OnOtherDevice),
        _ => Ok(told.status.shown().or(showed.filter(|_| !told.lost))),
    }
}

impl Lobby {
    /// Whether the room has lanes, as far as it was heard.
    #[must_use]
    pub const fn has_lanes(&self) -> bool {
        self.picture.lanes().are_there()
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

    /// Returns what a socket that has opened hears first. Call [`handle_socket_opened`](Self::handle_socket_opened) before. O(log tickets + log
    /// points).
    pub fn first_words(&mut self, m: Moment, visitor: VisitorId) -> FirstWords {
        let shown = self.guests.get(visitor).and_then(|guest| guest.shown);
        let key = self.guests.holder_of(visitor).key;
        let status = self.picture.status(m, key, shown, None, &mut self.replica);
        self.guests.show(visitor, status.shown());
        let is_last = matches!(status.state, State::None | State::Over);
        let living = self.replica.living();
        let ticket = self.replica.of_key(key).filter(|_| !is_last);
        let frame = ticket.and_then(|ticket| self.picture.first_frame(ticket, living));
        FirstWords { status, frame, is_last }
    }

    /// Tells the visitors for whom there is news, and everybody if a mode, the lanes or the operator's message changed. O(told · log tickets).
    pub(super) fn tell_news(&mut self, m: Moment) {
        if !self.link.is_whole() {
            return;
        }
        let news = self.replica.take_news();
        let everybody = self.picture.take_everybody();
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
        let key = guest.holder.key;
        let status = self.picture.status(m, key, guest.shown, None, &mut self.replica);
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
