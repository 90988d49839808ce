//! Visitors, as the world keeps them: what a browser holds, and what its page shows. A visitor knows only what it was told, and that may be old.

use super::front::Cookie;
use super::slab::Id;
use baton::facts::holder::Shown;
use baton::facts::units::{Fence, VisitorId};
use baton::facts::wire::{State, Status, Wish};

/// How many visitors share an address.
const AT_ONE_ADDRESS: usize = 3;

/// A visitor's name.
#[must_use]
pub fn who(visitor: usize) -> VisitorId {
    let mut id = [0; 16];
    id[..2].copy_from_slice(&((visitor / AT_ONE_ADDRESS) as u16).to_le_bytes());
    id[8..10].copy_from_slice(&(visitor as u16).to_le_bytes());
    VisitorId(id)
}

/// The visitor of a name.
#[must_use]
pub const fn visitor_of(id: VisitorId) -> usize {
    u16::from_le_bytes([id.0[8], id.0[9]]) as usize
}

/// A visitor.
#[derive(Debug, Default)]
pub struct Visitor {
    pub home: usize,
    /// The ticket cookie, with the lobby that it names.
    pub ticket: Option<(Shown, usize)>,
    /// The pass cookie.
    pub cookie: Option<Cookie>,
    pub seen: Status,
    /// What the page showed from which the visitor last went on: the browser stored it.
    pub stored: Option<Status>,
    /// The socket that the page holds.
    pub socket: Option<Id>,
    /// All sockets that the platform holds for the visitor, with their lobbies.
    pub sockets: Vec<(Id, usize)>,
    /// Since when the page has held a socket without a break.
    socket_since: u64,
    pub under_way: u32,
    pub away_until: u64,
    /// Whether the visitor went away for good.
    pub gone: bool,
    pub(super) admitted_in_calm: bool,
    pub(super) acts: u32,
    /// How often it asked with, or could have asked with, an account.
    pub asked_as: u64,
    /// How often it asked with, or could have asked with, a voucher.
    pub asked_with: u64,
    /// Whether the next ask comes by a pressed button.
    pub presses: bool,
    /// A fence and a place of earlier times, to be shown again.
    pub old_fence: Option<Fence>,
    pub old_place: Option<(Shown, usize)>,
}

impl Visitor {
    /// Makes a visitor who was never here.
    #[must_use]
    pub fn new(home: usize) -> Self {
        Self { home, ..Self::default() }
    }

    /// Notes that a socket is gone, which may be the page's.
    pub fn lost(&mut self, socket: Id) {
        if self.socket == Some(socket) {
            self.socket = None;
        }
    }

    /// Makes this the page's socket. Returns the one that it held before.
    pub fn holds(&mut self, socket: Id, time: u64) -> Option<Id> {
        let before = self.socket.replace(socket);
        if before.is_none() {
            self.socket_since = time;
        }
        before
    }

    /// Since when the page has held a socket; `None` if it holds none.
    #[must_use]
    pub fn steady_since(&self) -> Option<u64> {
        self.socket.map(|_| self.socket_since)
    }

    /// Makes a visitor who was in want to come in again.
    pub const fn comes_once_more(&mut self) {
        self.admitted_in_calm = false;
    }

    /// Returns whether the visitor stays and was not in yet since the calm began, or since [`comes_once_more`](Self::comes_once_more).
    #[must_use]
    pub const fn waits_in_calm(&self) -> bool {
        !self.gone && !self.admitted_in_calm
    }

    /// Shows a status, unless it is older than the one shown. Returns whether it is shown now.
    pub(super) fn sees(&mut self, status: &Status) -> bool {
        let is_news = status.version >= self.seen.version;
        if is_news {
            self.seen = status.clone();
        }
        is_news
    }

    /// Takes in the front's answer, which brings cookies too. The ticket keeps the row in which the place was first told.
    pub fn take_answer(&mut self, status: &Status, lobby: usize) {
        if !self.sees(status) {
            return;
        }
        match (status.state, status.shown()) {
            (State::Over, _) => self.drops_ticket(),
            (_, Some(place)) => self.keeps_ticket(place, lobby),
            _ => {}
        }
    }

    /// Takes in a socket's word. It ignores the end of a place other than the cookie's, because that socket belongs to another tab.
    pub fn take_word(&mut self, status: &Status, lobby: usize) {
        let own = self.ticket.map(|(own, _)| (own.edition, own.number));
        let place = status.shown();
        let other = own.is_some() && place.map(|p| (p.edition, p.number)) != own;
        if other && status.state == State::Over || !self.sees(status) {
            return;
        }
        match (status.state, place) {
            (State::Over, _) => self.drops_ticket(),
            // No socket brings a cookie, but the cookie of its upgrade may have come with an older place.
            (_, Some(place)) if own.is_none() => self.keeps_ticket(place, lobby),
            _ => {}
        }
    }

    pub(super) fn drops_ticket(&mut self) {
        self.old_place = self.ticket.or(self.old_place);
        self.ticket = None;
        self.drops_pass();
    }

    fn keeps_ticket(&mut self, place: Shown, lobby: usize) {
        let same = self
            .ticket
            .filter(|(own, of)| (own.edition, own.number, *of) == (place.edition, place.number, lobby));
        if same.is_none() {
            self.old_place = self.ticket.or(self.old_place);
            self.ticket = Some((place, lobby));
        }
    }

    /// Returns what is shown to which lobby: the ticket, or else what the pass says, or else nothing, to the lobby at home.
    pub(super) fn shows(&self) -> (Option<Shown>, usize) {
        match (&self.ticket, &self.cookie) {
            (Some((place, lobby)), _) => (Some(*place), *lobby),
            (None, Some(Cookie::Pass(pass))) => (Some(pass.shown()), usize::from(pass.lobby.0)),
            _ => (None, self.home),
        }
    }

    /// Returns what is shown with a wish. A wish about a lease goes by its pass, as the front sends it, whatever ticket there is.
    pub(super) fn shows_for(&self, wish: &Wish) -> (Option<Shown>, usize) {
        match (wish, &self.cookie) {
            (Wish::Renew(fence) | Wish::Check(fence) | Wish::Release(fence) | Wish::Extend { fence, .. }, Some(Cookie::Pass(pass)))
                if pass.fence == *fence =>
            {
                (Some(pass.shown()), usize::from(pass.lobby.0))
            }
            _ => self.shows(),
        }
    }

    /// Drops the pass, which is no longer good.
    pub fn drops_pass(&mut self) {
        if let Some(Cookie::Pass(pass)) = &self.cookie {
            self.old_fence = Some(pass.fence);
            self.cookie = None;
        }
    }
}
