//! Visitors' sockets as the lobby decides about them: who gets one, what it shows, what it hears first, and whether it stays open.

use super::{Lobby, Moment};
use facts::holder::Shown;
use facts::units::VisitorId;
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
    /// Returns what a socket that has opened hears first. Call [`handle_socket_opened`](Self::handle_socket_opened) before. O(log tickets + log
    /// points).
    pub fn first_words(&mut self, m: Moment, visitor: VisitorId) -> FirstWords {
        let shown = self.guests.get(visitor).and_then(|guest| guest.shown);
        let status = self.status(m, visitor, shown, None);
        self.guests.show(visitor, status.shown());
        let is_last = matches!(status.state, State::None | State::Over);
        let frame = if is_last { None } else { self.first_frame(visitor) };
        FirstWords { status, frame, is_last }
    }

    fn first_frame(&mut self, visitor: VisitorId) -> Option<Vec<u8>> {
        let ticket = self.ticket_of(visitor)?;
        let (lane, row) = (ticket.number.lane(), ticket.row.0);
        let spread_s = self.spread_s();
        let known = self.frames.get_mut(&lane)?;
        (known.frame.version >= row).then(|| known.told(spread_s))
    }
}
