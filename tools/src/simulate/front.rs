//! The front, as far as it decides without a runtime: cookies, what a pass is good for, claiming on landing, renewing, releasing, the farewell, the
//! check of a strict room, the hop to the next lobby if one is full, and the hop to the lobby of the visitor's place. Its control flow follows
//! `edge/front/verdict.rs` and `lease.rs`; its tokens are those of `token`.

use super::faults::Kind as Fault;
use super::people::{ARRIVE, Kind};
use super::queue::{Event, Life};
use super::rng::Rng;
use super::slab::Id;
use super::world::{World, who};
use baton::facts::holder::{Key, Shown};
use baton::facts::units::{Fence, LobbyId, Version};
use baton::gate::{ASK_PATIENCE_MS, Hops, ask_patience_ms};
use baton::lobby::Asker;
use baton::token::{Farewell, Freshness, Keyring, Pass, PassCookie, Scope};
use baton::wire::{Ask, CarryTold, Told, Wish};

/// How many links are remembered, to be opened again.
const LINKS_MAX: usize = 8;
/// How long a front honours a pass without asking, in ms.
pub const PASS_TTL_MS: u64 = 6_000;
const SCOPE: Scope<'static> = Scope {
    room: "onsale",
    host: "shop.example",
};

/// What the pass cookie holds.
#[derive(Clone, Debug)]
pub enum Cookie {
    /// A pass: the visitor has a lease.
    Pass(Pass),
    /// A farewell: the holder is done, and the last page still loads.
    Farewell(Farewell),
}

/// An ask: on its way, in a lobby, or on its way back.
pub struct Asking {
    pub visitor: usize,
    pub lobby: usize,
    pub ask: Ask,
    pub kind: Kind,
    /// When the front asked.
    pub asked_at: u64,
    /// When the lobby heard it.
    pub arrived_at: u64,
    /// The lobby's life and the asker that it answers; `None` until the ask has arrived.
    pub at: Option<(Life, Asker)>,
    pub done: bool,
    pub socket: Option<Id>,
    /// Whether the front asks the second time, because the lobby could not read the ask.
    pub again: bool,
    way: Hops,
}

impl Asking {
    /// Returns whether the ask may lead to a place.
    #[must_use]
    pub const fn takes_place(&self) -> bool {
        matches!(
            self.ask.wish,
            Wish::Join | Wish::Attend | Wish::Arrive { .. } | Wish::Carry { .. }
        )
    }

    /// The fence of the lease that the ask checks.
    #[must_use]
    pub const fn checks(&self) -> Option<Fence> {
        match self.ask.wish {
            Wish::Check(fence) => Some(fence),
            _ => None,
        }
    }

    /// The fence of the lease that the ask gives back.
    #[must_use]
    pub const fn releases(&self) -> Option<Fence> {
        match self.ask.wish {
            Wish::Release(fence) => Some(fence),
            _ => None,
        }
    }
}

/// A link with which a visitor takes over a place.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub lobby: usize,
    pub place: Shown,
    pub key: Key,
}

/// The front of a world. In one world of sixteen it signs and reads cookies; in the others it takes them at their word.
pub struct Front {
    pub keyring: Option<Keyring>,
    /// Whether the room is strict: the front asks about each request inside.
    pub strict: bool,
}

impl Front {
    /// Reads the cookie that a browser shows. With `forged` one letter of it is changed. Returns `None` if the cookie is no good.
    fn reads(&self, cookie: &Cookie, time: u64, forged: bool) -> Option<Cookie> {
        let Some(keyring) = &self.keyring else {
            return (!forged).then(|| cookie.clone());
        };
        let mut text = match cookie {
            Cookie::Pass(pass) => keyring.sign(pass, SCOPE),
            Cookie::Farewell(farewell) => keyring.sign(farewell, SCOPE),
        };
        if forged {
            let at = (time % text.len() as u64) as usize;
            let other = if text.as_bytes()[at] == b'A' {
                "B"
            } else {
                "A"
            };
            text.replace_range(at..=at, other);
        }
        match keyring.verify_pass_cookie(&text, SCOPE, time).ok()?.token {
            PassCookie::Pass(pass) => Some(Cookie::Pass(pass)),
            PassCookie::Farewell(farewell) => Some(Cookie::Farewell(farewell)),
        }
    }
}

impl World {
    /// Navigates to the gated path: the visitor goes in with a pass, and otherwise asks for whatever can be had.
    pub fn lands(&mut self, visitor: usize) {
        let Some(cookie) = self.people[visitor].cookie.clone() else {
            return self.asks_for(visitor, ARRIVE, Kind::Plain);
        };
        let forged = self.faults.borrow_mut().strikes(Fault::Forgery);
        let read = self.front.reads(&cookie, self.time, forged);
        if let (true, Some(read)) = (forged, &read) {
            self.flaw(
                "a token that was tampered with is none",
                format!("{read:?}"),
            );
        }
        match read {
            // The page still loads, and the front asks nobody.
            Some(Cookie::Farewell(farewell)) if farewell.ends_at_ms > self.time => {}
            Some(Cookie::Pass(pass)) => match pass.freshness(self.time, PASS_TTL_MS) {
                Freshness::Fresh | Freshness::RenewSoon if self.front.strict => {
                    self.note(Fault::Check);
                    self.asks_for(visitor, Wish::Check(pass.fence), Kind::Plain);
                }
                Freshness::Fresh => self.goes_in(visitor, &pass),
                Freshness::RenewSoon => {
                    self.goes_in(visitor, &pass);
                    self.asks_for(visitor, Wish::Renew(pass.fence), Kind::Plain);
                }
                Freshness::Ended | Freshness::LeaseEnded => {
                    self.asks_for(visitor, Wish::Renew(pass.fence), Kind::Plain);
                }
            },
            _ => {
                if !forged {
                    self.people[visitor].drops_pass();
                    self.people[visitor].cookie = None;
                }
                self.asks_for(visitor, ARRIVE, Kind::Plain);
            }
        }
    }

    fn goes_in(&mut self, visitor: usize, pass: &Pass) {
        self.passes += 1;
        let lawful = self.oracle.passes(visitor, pass, self.time, self.skewed);
        self.holds(lawful);
    }

    /// Gives a lease back, because the origin is done with its holder, and turns the pass into a farewell.
    pub fn is_done(&mut self, visitor: usize, fence: Fence) {
        self.asks_for(visitor, Wish::Release(fence), Kind::Plain);
        let time = self.time;
        let person = &mut self.people[visitor];
        if let Some(Cookie::Pass(pass)) = &person.cookie {
            let Pass {
                number,
                edition,
                lobby,
                visitor,
                ..
            } = *pass;
            person.old_fence = Some(pass.fence);
            let ends_at_ms = time.saturating_add(PASS_TTL_MS);
            person.cookie = Some(Cookie::Farewell(Farewell {
                number,
                edition,
                lobby,
                visitor,
                ends_at_ms,
            }));
        }
    }

    fn new_ask(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) -> Id {
        self.asks.insert(Asking {
            visitor,
            lobby,
            ask,
            kind,
            asked_at: self.time,
            arrived_at: 0,
            at: None,
            done: false,
            socket: None,
            again: false,
            way: Hops::from(World::lobby_id(lobby)),
        })
    }

    /// Sends an ask on its way to another lobby. The front shows a ticket only to the lobby that it names.
    fn hops_on(&mut self, asking: Asking, way: Hops) {
        let (visitor, lobby) = (asking.visitor, usize::from(way.lobby.0));
        self.people[visitor].under_way += 1;
        self.hops += 1;
        let ticket = self.people[visitor].ticket;
        let shown = ticket
            .filter(|(_, of)| *of == lobby)
            .map(|(place, _)| place);
        let ask = Ask {
            shown,
            ..asking.ask
        };
        self.writes(|| format!("visitor {visitor} is sent to lobby {lobby}: {:?}", ask.wish));
        let id = self.goes_to(visitor, lobby, ask, asking.kind);
        if let Some(again) = self.asks.get_mut(id) {
            again.way = way;
        }
    }

    pub fn goes_to(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) -> Id {
        let patience_ms = ask_patience_ms(ask.wish);
        let id = self.new_ask(visitor, lobby, ask.clone(), kind);
        if self.faults.borrow_mut().strikes(Fault::Lost) {
            if let Some(asking) = self.asks.get_mut(id) {
                asking.done = true;
            }
            self.after(
                patience_ms,
                Event::Heard {
                    ask: id,
                    told: None,
                },
            );
        } else {
            // A front that got no answer asks again: the lobby hears the ask twice, the visitor hears one answer.
            if self.faults.borrow_mut().strikes(Fault::Twice) {
                let again = self.new_ask(visitor, lobby, ask, Kind::Unheard);
                let ms = self.travel_ms();
                self.after(ms, Event::AskArrives(again));
            }
            let ms = self.travel_ms();
            self.after(ms, Event::AskArrives(id));
        }
        id
    }

    /// Sends an answer from a lobby to the visitor. It may be lost on the way.
    pub fn answer_travels(&mut self, ask: Id, told: Option<Box<Told>>) {
        let lost = self.faults.borrow_mut().strikes(Fault::Lost);
        let (ms, told) = if lost {
            let wish = self.asks.get(ask).map(|asking| asking.ask.wish);
            (wish.map_or(ASK_PATIENCE_MS, ask_patience_ms), None)
        } else {
            (self.travel_ms(), told)
        };
        self.after(ms, Event::Heard { ask, told });
    }

    /// Keeps a new link for later, and lets two visitors open it now.
    fn link_travels(&mut self, link: Link) {
        if self.links.len() >= LINKS_MAX {
            self.links.remove(0);
        }
        self.links.push(link);
        let mut rng = Rng::of(self.seed, link.key.0 ^ link.place.row.0);
        for _ in 0..2 {
            let taker = rng.below(self.people.len() as u64) as usize;
            self.opens_link(taker, link);
        }
    }

    /// Lets a visitor take over the place that a link names, even if the visitor has a place already.
    pub fn opens_link(&mut self, taker: usize, link: Link) {
        let Link { lobby, place, key } = link;
        if self.people[taker].gone {
            return;
        }
        self.note(Fault::Carry);
        self.people[taker].under_way += 1;
        let ticket = self.people[taker].ticket;
        let shown = ticket
            .filter(|(_, of)| *of == lobby)
            .map(|(place, _)| place);
        let wish = Wish::Carry { place, key };
        self.writes(|| format!("visitor {taker} asks lobby {lobby}: {wish:?}"));
        let visitor = who(taker);
        let ask = Ask::plain(visitor, shown, wish);
        self.goes_to(taker, lobby, ask, Kind::Plain);
    }

    /// Takes in a lobby's answer: the front hops to another lobby if it must, and tells the visitor.
    ///
    /// Long because the consequences of an answer stand in the order in which the front draws them.
    pub fn heard(&mut self, id: Id, told: Option<Told>) {
        let Some(asking) = self.asks.remove(id) else {
            return;
        };
        let Asking {
            visitor,
            lobby,
            asked_at,
            socket,
            ..
        } = asking;
        self.people[visitor].under_way -= 1;
        let Some(told) = told else {
            // The answer to the upgrade was lost, and the socket with it.
            if let Some(socket) = socket {
                self.after(
                    100,
                    Event::SocketGone {
                        socket,
                        by_visitor: true,
                    },
                );
            }
            return;
        };
        let mut way = asking.way;
        match way.ends_with(&told) {
            Ok(true) => {}
            Ok(false) if usize::from(way.lobby.0) < self.lobbies.len() => {
                return self.hops_on(asking, way);
            }
            // The front says that it cannot reach the room.
            Ok(false) | Err(_) => return,
        }
        if let (Some(CarryTold::Offered { key, row }), Some(place)) =
            (told.carry, told.status.shown())
        {
            let place = Shown { row, ..place };
            self.link_travels(Link { lobby, place, key });
        }
        if let Some(account) = told.account {
            self.is_told_of_account(visitor, account);
        }
        let person = &mut self.people[visitor];
        person.is_answered(&told.status, lobby);
        match (told.lease, asking.ask.wish) {
            // The pass is a farewell already.
            (_, Wish::Release(_)) => {}
            // The front makes no pass from what a lobby alone says of a lease: the room may have ended it.
            (
                Some(_),
                Wish::Join | Wish::Attend | Wish::Status { .. } | Wish::Offer | Wish::Leave,
            ) => {}
            (Some(lease), _) => {
                person.cookie = Some(Cookie::Pass(Pass::of(
                    &lease,
                    Version(told.status.version),
                    LobbyId(lobby as u16),
                    who(visitor),
                    asked_at,
                    PASS_TTL_MS,
                )))
            }
            (None, Wish::Renew(fence) | Wish::Check(fence)) => {
                if matches!(&person.cookie, Some(Cookie::Pass(pass)) if pass.fence == fence) {
                    person.drops_pass();
                }
            }
            _ => {}
        }
        if let (Some(_), Wish::Check(fence)) = (told.lease, asking.ask.wish) {
            self.passes += 1;
            let lawful = self.oracle.checked(visitor, fence, asked_at);
            self.holds(lawful);
        }
        if let Some(socket) = socket {
            if let Some(before) = self.people[visitor].holds(socket, self.time) {
                self.after(
                    20,
                    Event::SocketGone {
                        socket: before,
                        by_visitor: true,
                    },
                );
            }
            if self.sockets.get(socket).is_none() {
                self.people[visitor].socket = None;
            }
        }
    }
}
