//! Visitors: they come, join, hold sockets, drop them, come back, claim when they learn of a call, look around inside, are done, dawdle,
//! sleep and vanish. A visitor knows only what it was told, and that may be old. Its chance follows from its number and the count of its
//! acts, so leaving out one act changes no other.

use crate::simulate::faults::{Kind as Fault, Name};
use crate::simulate::front::{Cookie, Kind};
use crate::simulate::people::who;
use crate::simulate::queue::Event;
use crate::simulate::slab::Id;
use crate::simulate::world::World;
use baton::facts::config::Mode;
use baton::facts::wire::{Ask, State, Status, Wish};
use baton::gate::Errand;
use baton_advice::chance::Chance;

/// How long a socket stays half-open at most, ms: longer than it takes a lobby to find it silent.
const HALF_OPEN_MAX_MS: u64 = 250_000;
/// The page's socket.
const SOCKET: Errand = Errand::Socket {
    resumes: false,
    by_token: false,
};
/// An app's one call.
const ENTER: Errand = Errand::Enter(Mode::Open);

impl World {
    /// Asks the lobby of the pass beside a request, as the front does for a lease.
    pub fn asks_for(&mut self, visitor: usize, wish: Wish) {
        let person = &mut self.people[visitor];
        let (shown, lobby) = person.shows_for(&wish);
        person.under_way += 1;
        self.writes(|| format!("visitor {visitor} asks lobby {lobby}: {wish:?}"));
        self.goes_to(visitor, lobby, Ask::plain(who(visitor), shown, wish), Kind::Plain);
    }

    /// Takes in what a socket brings.
    pub fn socket_says(&mut self, socket: Id, status: &Status) {
        let Some((visitor, lobby)) = self.sockets.get(socket).map(|s| (s.visitor, s.lobby)) else {
            return;
        };
        self.people[visitor].take_word(status, lobby);
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
        let under_way = person.under_way;
        let mut rng = Chance::of(self.seed, (visitor as u64 + 1) << 32 | u64::from(act));
        let moody = self.moody;
        if under_way < if moody { 2 } else { 1 } {
            let may = self.faults.borrow_mut().may(Name::Act(visitor as u16, act));
            if may || !moody {
                if moody && rng.below(10) == 0 {
                    self.looks(visitor);
                }
                if moody && rng.below(20) == 0 {
                    self.goes_back(visitor, &mut rng);
                }
                match self.people[visitor].seen.state {
                    State::None | State::Over => self.comes(visitor, &mut rng),
                    State::Hall | State::Waiting => self.waits(visitor, &mut rng),
                    State::Called => self.act_called(visitor, &mut rng),
                    State::Admitted => self.act_inside(visitor, &mut rng),
                }
            }
        }
        let person = &self.people[visitor];
        if !moody && person.admitted_in_calm && matches!(person.seen.state, State::None | State::Over) {
            // The visitor was in, and does not come again before it is asked to.
            return;
        }
        let ms = if moody { rng.within(50, 6_000) } else { rng.within(300, 2_500) };
        self.after(ms, Event::Acts(visitor));
    }

    /// Goes back to the page that the browser stored. The cookies are those of now, the socket is none.
    fn goes_back(&mut self, visitor: usize, rng: &mut Chance) {
        let Some(stored) = self.people[visitor].stored.take() else {
            return;
        };
        self.note(Fault::StoredPage);
        if let Some(socket) = self.people[visitor].socket {
            self.hangs_up(visitor, socket, rng);
        }
        self.people[visitor].seen = stored;
    }

    fn comes(&mut self, visitor: usize, rng: &mut Chance) {
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
            2 | 3 => self.calls(visitor, SOCKET),
            4 if rng.below(2) == 0 => self.calls(visitor, ENTER),
            4 => self.calls(visitor, Errand::Join),
            _ => {
                self.note(Fault::SecondTab);
                self.lands(visitor);
                self.calls(visitor, SOCKET);
            }
        }
    }

    fn waits(&mut self, visitor: usize, rng: &mut Chance) {
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
                _ => self.calls(visitor, SOCKET),
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
            3 => self.calls(visitor, Errand::Leave),
            4..8 => {
                let ms = self.travel_ms();
                self.after(ms, Event::SocketWord(socket));
            }
            8 => self.calls(visitor, Errand::Join),
            9 => self.calls(visitor, Errand::Claim),
            10 => {
                self.note(Fault::SecondTab);
                self.calls(visitor, SOCKET);
            }
            11 => self.replays(visitor, rng),
            12 => self.calls(visitor, Errand::Offer),
            13 => self.opens_again(visitor, rng),
            14 | 15 => self.polls(visitor),
            _ => {}
        }
    }

    fn act_called(&mut self, visitor: usize, rng: &mut Chance) {
        match rng.below(10) {
            0 if self.moody => self.vanishes(visitor, rng),
            1 if self.moody => self.calls(visitor, Errand::Leave),
            2 if self.moody => self.calls(visitor, Errand::Offer),
            2..6 => self.calls(visitor, Errand::Claim),
            _ => self.lands(visitor),
        }
    }

    fn act_inside(&mut self, visitor: usize, rng: &mut Chance) {
        if !self.moody {
            self.people[visitor].admitted_in_calm = true;
        }
        let Some(Cookie::Pass(pass)) = self.people[visitor].cookie.clone() else {
            return self.lands(visitor);
        };
        let fence = pass.fence;
        if !self.moody {
            return self.end_visit(visitor, fence);
        }
        match rng.below(13) {
            12 => self.calls(visitor, Errand::Offer),
            0 => self.vanishes(visitor, rng),
            1 => self.asks_for(visitor, Wish::Renew(fence)),
            2 => self.asks_for(visitor, Wish::Extend { fence, by_ms: 5_000 }),
            3 => self.calls(visitor, Errand::Leave),
            4 => self.calls(visitor, SOCKET),
            5 => self.replays(visitor, rng),
            6..10 => self.lands(visitor),
            _ => self.end_visit(visitor, fence),
        }
    }

    /// Opens a link that was made some time ago, perhaps not for the first time.
    fn opens_again(&mut self, visitor: usize, rng: &mut Chance) {
        let count = self.links.len() as u64;
        if let Some(link) = self.links.get(rng.below(count) as usize).copied() {
            self.opens_link(visitor, link);
        }
    }

    /// Asks by a long poll, as a page without a socket does.
    fn polls(&mut self, visitor: usize) {
        self.note(Fault::LongPoll);
        self.calls(visitor, Errand::Status { wait_ms: 4_000 });
    }

    /// Shows something of an earlier time again. It must do nothing.
    fn replays(&mut self, visitor: usize, rng: &mut Chance) {
        let person = &self.people[visitor];
        let (fence, place) = (person.old_fence, person.old_place);
        self.note(Fault::Replay);
        match (rng.below(5), fence) {
            (0, Some(fence)) => self.asks_for(visitor, Wish::Release(fence)),
            (1, Some(fence)) => self.asks_for(visitor, Wish::Renew(fence)),
            (2, Some(fence)) => self.asks_for(visitor, Wish::Extend { fence, by_ms: 3_000 }),
            (3, _) => self.calls_with(visitor, place, Errand::Claim),
            _ => self.calls_with(visitor, place, Errand::Join),
        }
    }

    pub fn hangs_up(&mut self, visitor: usize, socket: Id, rng: &mut Chance) {
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
        self.after(ms, Event::SocketGone { socket, by_visitor: true });
    }

    fn vanishes(&mut self, visitor: usize, rng: &mut Chance) {
        let long = rng.below(8) == 0;
        self.note(if long { Fault::Vanish } else { Fault::Close });
        let ms = if long { rng.within(40_000, 900_000) } else { rng.within(500, 40_000) };
        let person = &mut self.people[visitor];
        person.away_until = self.time + ms;
        if let Some(socket) = person.socket {
            self.hangs_up(visitor, socket, rng);
        }
    }
}
