//! Visitors: they come, join, hold sockets, drop them, come back, claim when they learn of a call, look around inside, are done, dawdle,
//! sleep and vanish. A visitor knows only what it was told, and that may be old. Its chance follows from its number and the count of its
//! acts, so leaving out one act changes no other.

use super::faults::{Kind as Fault, Name};
use super::front::Cookie;
use super::queue::Event;
use super::rng::Rng;
use super::slab::Id;
use super::world::{World, who};
use baton::facts::holder::Shown;
use baton::facts::units::Fence;
use baton::wire::{Ask, State, Status, Wish};

/// How an ask reaches its lobby.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// As a request, which gets an answer.
    Plain,
    /// As an upgrade to a socket.
    Socket,
    /// As a request that a front sent again: nobody hears the answer.
    Unheard,
}

/// How long a socket stays half-open at most, ms: longer than it takes a lobby to find it silent.
const HALF_OPEN_MAX_MS: u64 = 250_000;
/// A navigation to the gated path.
pub const ARRIVE: Wish = Wish::Arrive {
    walk_in: true,
    join: true,
};

/// A visitor.
#[derive(Debug)]
pub struct Visitor {
    pub home: usize,
    /// The ticket cookie, with the lobby that it names.
    pub ticket: Option<(Shown, usize)>,
    /// The pass cookie.
    pub cookie: Option<Cookie>,
    pub seen: Status,
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
    admitted_in_calm: bool,
    acts: u32,
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
        Self {
            home,
            ticket: None,
            cookie: None,
            seen: Status::default(),
            socket: None,
            sockets: vec![],
            socket_since: 0,
            under_way: 0,
            away_until: 0,
            gone: false,
            admitted_in_calm: false,
            acts: 0,
            asked_as: 0,
            asked_with: 0,
            presses: false,
            old_fence: None,
            old_place: None,
        }
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
    fn sees(&mut self, status: &Status) -> bool {
        let is_news = status.version >= self.seen.version;
        if is_news {
            self.seen = status.clone();
        }
        is_news
    }

    /// Takes in the front's answer, which brings cookies too. The ticket keeps the row in which the place was first told.
    pub fn is_answered(&mut self, status: &Status, lobby: usize) {
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
    pub fn is_told(&mut self, status: &Status, lobby: usize) {
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

    fn drops_ticket(&mut self) {
        self.old_place = self.ticket.or(self.old_place);
        self.ticket = None;
        self.drops_pass();
    }

    fn keeps_ticket(&mut self, place: Shown, lobby: usize) {
        let same = self.ticket.filter(|(own, of)| {
            (own.edition, own.number, *of) == (place.edition, place.number, lobby)
        });
        if same.is_none() {
            self.old_place = self.ticket.or(self.old_place);
            self.ticket = Some((place, lobby));
        }
    }

    /// Returns what is shown to which lobby: the ticket, or else what the pass says, or else nothing, to the lobby at home.
    fn shows(&self) -> (Option<Shown>, usize) {
        match (&self.ticket, &self.cookie) {
            (Some((place, lobby)), _) => (Some(*place), *lobby),
            (None, Some(Cookie::Pass(pass))) => (Some(pass.shown()), usize::from(pass.lobby.0)),
            _ => (None, self.home),
        }
    }

    /// Returns what is shown with a wish. A wish about a lease goes by its pass, as the front sends it, whatever ticket there is.
    fn shows_for(&self, wish: &Wish) -> (Option<Shown>, usize) {
        match (wish, &self.cookie) {
            (
                Wish::Renew(fence)
                | Wish::Check(fence)
                | Wish::Release(fence)
                | Wish::Extend { fence, .. },
                Some(Cookie::Pass(pass)),
            ) if pass.fence == *fence => (Some(pass.shown()), usize::from(pass.lobby.0)),
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

impl World {
    /// Asks the lobby of the ticket, or else the one at home.
    pub fn asks_for(&mut self, visitor: usize, wish: Wish, kind: Kind) {
        let (shown, _) = self.people[visitor].shows_for(&wish);
        self.asks_with(visitor, shown, wish, kind);
    }

    fn asks_with(&mut self, visitor: usize, shown: Option<Shown>, wish: Wish, kind: Kind) {
        let account = self.account_for(visitor, &wish);
        let spend = self
            .voucher_for(visitor, &wish)
            .filter(|_| account.is_none());
        let lane = self.lane_of(visitor);
        let person = &mut self.people[visitor];
        let (_, lobby) = person.shows_for(&wish);
        person.under_way += 1;
        self.writes(|| {
            format!("visitor {visitor} asks lobby {lobby}: {wish:?} {account:?} {spend:?}")
        });
        self.goes_to(
            visitor,
            lobby,
            Ask {
                account,
                spend,
                lane,
                ..Ask::plain(who(visitor), shown, wish)
            },
            kind,
        );
    }

    /// Takes in what a socket brings.
    pub fn socket_says(&mut self, socket: Id, status: &Status) {
        let Some((visitor, lobby)) = self.sockets.get(socket).map(|s| (s.visitor, s.lobby)) else {
            return;
        };
        self.people[visitor].is_told(status, lobby);
        // A page acts on what it is told.
        if status.state == State::Called {
            let ms = self.net.within(10, 2_500);
            self.after(ms, Event::Acts(visitor));
        }
    }

    /// Lets a visitor act, and plans its next act.
    pub fn acts(&mut self, visitor: usize) {
        let time = self.time;
        let person = &mut self.people[visitor];
        if person.gone {
            return;
        }
        if person.away_until > time {
            let ms = person.away_until - time;
            return self.after(ms, Event::Acts(visitor));
        }
        let act = person.acts;
        person.acts += 1;
        let (under_way, state) = (person.under_way, person.seen.state);
        let mut rng = Rng::of(self.seed, (visitor as u64 + 1) << 32 | u64::from(act));
        let moody = self.moody;
        if under_way < if moody { 2 } else { 1 } {
            let may = self.faults.borrow_mut().may(Name::Act(visitor as u16, act));
            if may || !moody {
                match state {
                    State::None | State::Over => self.comes(visitor, &mut rng),
                    State::Hall | State::Waiting => self.waits(visitor, &mut rng),
                    State::Called => self.is_called(visitor, &mut rng),
                    State::Admitted => self.is_in(visitor, &mut rng),
                }
            }
        }
        let person = &self.people[visitor];
        if !moody
            && person.admitted_in_calm
            && matches!(person.seen.state, State::None | State::Over)
        {
            // The visitor was in, and does not come again before it is asked to.
            return;
        }
        let ms = if moody {
            rng.within(50, 6_000)
        } else {
            rng.within(300, 2_500)
        };
        self.after(ms, Event::Acts(visitor));
    }

    fn comes(&mut self, visitor: usize, rng: &mut Rng) {
        let person = &mut self.people[visitor];
        if person.admitted_in_calm && !self.moody {
            return;
        }
        if person.seen.state == State::Over {
            person.seen = Status {
                version: person.seen.version,
                ..Status::default()
            };
        }
        match rng.below(6) {
            0 | 1 => self.lands(visitor),
            2 | 3 => self.asks_for(visitor, Wish::Attend, Kind::Socket),
            4 => self.asks_for(visitor, Wish::Join, Kind::Plain),
            _ => {
                self.note(Fault::SecondTab);
                self.lands(visitor);
                self.asks_for(visitor, Wish::Attend, Kind::Socket);
            }
        }
    }

    fn waits(&mut self, visitor: usize, rng: &mut Rng) {
        let missed = self.people[visitor].seen.missed;
        // A tab that showed an ended ticket of another lobby is not the page that waits.
        let there = self.people[visitor].socket.and_then(|socket| {
            let lobby = self.sockets.get(socket).map(|socket| socket.lobby)?;
            let home = self.people[visitor].ticket.map(|(_, lobby)| lobby)?;
            (lobby != home).then_some(socket)
        });
        if let Some(elsewhere) = there {
            self.hangs_up(visitor, elsewhere, rng);
        }
        let Some(socket) = self.people[visitor].socket else {
            return match rng.below(6) {
                0 if self.moody => self.vanishes(visitor, rng),
                1 => self.polls(visitor),
                2 => self.lands(visitor),
                _ => self.asks_for(visitor, Wish::Attend, Kind::Socket),
            };
        };
        if !self.moody {
            // A page that slept through its call says a word.
            if missed {
                let ms = self.travel_ms();
                self.after(ms, Event::SocketWord(socket));
            }
            return;
        }
        match rng.below(32) {
            0 | 1 => {
                self.note(Fault::Reload);
                self.hangs_up(visitor, socket, rng);
            }
            2 => self.vanishes(visitor, rng),
            3 => self.asks_for(visitor, Wish::Leave, Kind::Plain),
            4..8 => {
                let ms = self.travel_ms();
                self.after(ms, Event::SocketWord(socket));
            }
            8 => self.asks_for(visitor, Wish::Join, Kind::Plain),
            9 => self.asks_for(visitor, Wish::Claim, Kind::Plain),
            10 => {
                self.note(Fault::SecondTab);
                self.asks_for(visitor, Wish::Attend, Kind::Socket);
            }
            11 => self.replays(visitor, rng),
            12 => self.asks_for(visitor, Wish::Offer, Kind::Plain),
            13 => self.opens_again(visitor, rng),
            14 | 15 => self.polls(visitor),
            _ => {}
        }
    }

    fn is_called(&mut self, visitor: usize, rng: &mut Rng) {
        match rng.below(10) {
            0 if self.moody => self.vanishes(visitor, rng),
            1 if self.moody => self.asks_for(visitor, Wish::Leave, Kind::Plain),
            2 if self.moody => self.asks_for(visitor, Wish::Offer, Kind::Plain),
            2..6 => self.asks_for(visitor, Wish::Claim, Kind::Plain),
            _ => self.lands(visitor),
        }
    }

    fn is_in(&mut self, visitor: usize, rng: &mut Rng) {
        if !self.moody {
            self.people[visitor].admitted_in_calm = true;
        }
        let Some(Cookie::Pass(pass)) = self.people[visitor].cookie.clone() else {
            return self.lands(visitor);
        };
        let fence = pass.fence;
        if !self.moody {
            return self.is_done(visitor, fence);
        }
        match rng.below(13) {
            12 => self.asks_for(visitor, Wish::Offer, Kind::Plain),
            0 => self.vanishes(visitor, rng),
            1 => self.asks_for(visitor, Wish::Renew(fence), Kind::Plain),
            2 => self.asks_for(
                visitor,
                Wish::Extend {
                    fence,
                    by_ms: 5_000,
                },
                Kind::Plain,
            ),
            3 => self.asks_for(visitor, Wish::Leave, Kind::Plain),
            4 => self.asks_for(visitor, Wish::Attend, Kind::Socket),
            5 => self.replays(visitor, rng),
            6..10 => self.lands(visitor),
            _ => self.is_done(visitor, fence),
        }
    }

    /// Opens a link that was made some time ago, perhaps not for the first time.
    fn opens_again(&mut self, visitor: usize, rng: &mut Rng) {
        let count = self.links.len() as u64;
        if let Some(link) = self.links.get(rng.below(count) as usize).copied() {
            self.opens_link(visitor, link);
        }
    }

    /// Asks by a long poll, as a page without a socket does.
    fn polls(&mut self, visitor: usize) {
        self.note(Fault::LongPoll);
        self.asks_for(visitor, Wish::Status { wait_ms: 4_000 }, Kind::Plain);
    }

    /// Shows something of an earlier time again. It must do nothing.
    fn replays(&mut self, visitor: usize, rng: &mut Rng) {
        let person = &self.people[visitor];
        let (_, lobby) = person.shows();
        // The front shows a ticket only to the lobby that it names.
        let place = person.old_place.filter(|(_, of)| *of == lobby);
        let (fence, place) = (person.old_fence, place.map(|(place, _)| place));
        self.note(Fault::Replay);
        match (rng.below(5), fence) {
            (0, Some(fence)) => self.asks_for(visitor, Wish::Release(fence), Kind::Plain),
            (1, Some(fence)) => self.asks_for(visitor, Wish::Renew(fence), Kind::Plain),
            (2, Some(fence)) => self.asks_for(
                visitor,
                Wish::Extend {
                    fence,
                    by_ms: 3_000,
                },
                Kind::Plain,
            ),
            (3, _) => self.asks_with(visitor, place, Wish::Claim, Kind::Plain),
            _ => self.asks_with(visitor, place, Wish::Join, Kind::Plain),
        }
    }

    pub fn hangs_up(&mut self, visitor: usize, socket: Id, rng: &mut Rng) {
        self.people[visitor].socket = None;
        let time = self.time;
        if let Some(socket) = self.sockets.get_mut(socket) {
            socket.heard_at = time;
        }
        // Now and then the socket stays half-open for a while, some until the lobby closes them because they are silent.
        let ms = if rng.chance(50) {
            rng.within(40_000, HALF_OPEN_MAX_MS)
        } else if rng.chance(150) {
            rng.within(1_000, 40_000)
        } else {
            rng.within(1, 60)
        };
        self.after(
            ms,
            Event::SocketGone {
                socket,
                by_visitor: true,
            },
        );
    }

    fn vanishes(&mut self, visitor: usize, rng: &mut Rng) {
        let long = rng.below(8) == 0;
        self.note(if long { Fault::Vanish } else { Fault::Close });
        let ms = if long {
            rng.within(40_000, 900_000)
        } else {
            rng.within(500, 40_000)
        };
        let person = &mut self.people[visitor];
        person.away_until = self.time + ms;
        if let Some(socket) = person.socket {
            self.hangs_up(visitor, socket, rng);
        }
    }
}
