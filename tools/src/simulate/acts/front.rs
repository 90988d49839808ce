//! The front, as far as it decides without a runtime: claiming on landing, renewing, releasing, the farewell, the check of a strict room, the hop to the next
//! lobby if one is full, and the hop to the lobby of the visitor's place. Its control flow follows `edge/front/verdict.rs` and `lease.rs`.

use crate::simulate::faults::Kind as Fault;
use crate::simulate::front::{ARRIVE, Asking, Cookie, Kind, Link, PASS_TTL_MS};
use crate::simulate::people::who;
use crate::simulate::queue::Event;
use crate::simulate::slab::Id;
use crate::simulate::world::World;
use baton::facts::holder::Shown;
use baton::facts::units::{Fence, LobbyId, Version};
use baton::gate::{ASK_PATIENCE_MS, Hops, ask_patience_ms};
use baton::token::{Freshness, Pass};
use baton::wire::{Ask, CarryTold, Told, Wish};
use baton_advice::chance::Chance;

/// How many links are remembered, to be opened again.
const LINKS_MAX: usize = 8;

impl World {
    /// Navigates to the gated path: the visitor goes in with a pass, and otherwise asks for whatever can be had.
    pub fn lands(&mut self, visitor: usize) {
        let person = &mut self.people[visitor];
        person.stored = Some(person.seen.clone());
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

    /// Loads the gated path ahead of a click, as a prefetch does. With a pass that counts the front hands the look on and renews nothing; of a strict
    /// room it asks about it. Without one it asks nobody, so nothing is taken and nothing is given back.
    pub(super) fn looks(&mut self, visitor: usize) {
        self.note(Fault::Look);
        let cookie = self.people[visitor].cookie.clone();
        let read = cookie.and_then(|cookie| self.front.reads(&cookie, self.time, false));
        let Some(Cookie::Pass(pass)) = read else {
            return;
        };
        match pass.freshness(self.time, PASS_TTL_MS) {
            Freshness::Fresh | Freshness::RenewSoon if self.front.strict => {
                self.asks_for(visitor, Wish::Check(pass.fence), Kind::Plain);
            }
            Freshness::Fresh | Freshness::RenewSoon => self.goes_in(visitor, &pass),
            Freshness::Ended | Freshness::LeaseEnded => {}
        }
    }

    fn goes_in(&mut self, visitor: usize, pass: &Pass) {
        self.passes += 1;
        let lawful = self.oracle.passes(visitor, pass, self.time, self.skewed);
        self.holds(lawful);
    }

    /// Gives a lease back, because the origin is done with its holder, and turns the pass into a farewell.
    pub fn end_visit(&mut self, visitor: usize, fence: Fence) {
        self.asks_for(visitor, Wish::Release(fence), Kind::Plain);
        let time = self.time;
        let person = &mut self.people[visitor];
        if let Some(Cookie::Pass(pass)) = &person.cookie {
            let farewell = pass.farewell(time.saturating_add(PASS_TTL_MS));
            person.old_fence = Some(pass.fence);
            person.cookie = Some(Cookie::Farewell(farewell));
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
        let mut rng = Chance::of(self.seed, link.key.0 ^ link.place.row.0);
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
            self.tell_of_account(visitor, account);
        }
        let person = &mut self.people[visitor];
        person.take_answer(&told.status, lobby);
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
