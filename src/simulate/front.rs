//! The front, as far as it decides without a runtime: cookies, what a pass is good for, claiming on
//! landing, renewing, releasing, the farewell, and the hop to the next lobby when one is full. Its control
//! flow is `edge/front/verdict.rs` and `lease.rs` told once more; tokens are `token`'s own.

use super::faults::Kind as Fault;
use super::lobby_asks::Asking;
use super::people::{ARRIVE, Kind};
use super::queue::Event;
use super::slab::Id;
use super::world::{World, who};
use crate::lobby::Progress;
use crate::token::{Farewell, Keyring, Pass, PassCookie, Scope, Standing};
use crate::units::{Fence, LobbyId};
use crate::wire::{Ask, CarryTold, Told, Wish};

/// A visitor who hears nothing gives up after this.
const GIVES_UP_MS: u64 = 8_000;
/// How long a pass is honoured without asking.
pub const PASS_TTL_MS: u64 = 6_000;
const SCOPE: Scope<'static> = Scope {
    room: "onsale",
    host: "shop.example",
};

/// What the pass cookie holds.
#[derive(Clone, Debug)]
pub enum Cookie {
    /// A lease.
    Pass(Pass),
    /// The holder is done; the last page still loads.
    Farewell(Farewell),
}

/// Signs and reads cookies in one run of so many; in the others they are taken at their word.
pub struct Front {
    pub keyring: Option<Keyring>,
}

impl Front {
    /// What a browser shows, read by the front; `forged`: with one letter changed.
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
    /// A navigation to the gated path: in with a pass, else whatever can be had.
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
            // Still loads, and asks nobody.
            Some(Cookie::Farewell(farewell)) if farewell.ends_at_ms > self.time => {}
            Some(Cookie::Pass(pass)) => match pass.standing(self.time, PASS_TTL_MS) {
                Standing::Fresh => self.goes_in(visitor, &pass),
                Standing::RenewSoon => {
                    self.goes_in(visitor, &pass);
                    self.asks_for(visitor, Wish::Renew(pass.fence), Kind::Plain);
                }
                Standing::Ended | Standing::LeaseEnded => {
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

    /// The origin is done with its holder.
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

    pub fn new_ask(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) -> Id {
        self.asks.insert(Asking {
            visitor,
            lobby,
            ask,
            kind,
            asked_at: self.time,
            life: None,
            progress: Progress::default(),
            done: false,
            turn: 0,
            looking: false,
            socket: None,
        })
    }

    pub fn goes_to(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) {
        let id = self.new_ask(visitor, lobby, ask.clone(), kind);
        if self.faults.borrow_mut().strikes(Fault::Lost) {
            if let Some(asking) = self.asks.get_mut(id) {
                asking.done = true;
            }
            self.after(
                GIVES_UP_MS,
                Event::Heard {
                    ask: id,
                    told: None,
                },
            );
        } else {
            // A front that got no answer asks again: the lobby hears it twice, the visitor once.
            if self.faults.borrow_mut().strikes(Fault::Twice) {
                let again = self.new_ask(visitor, lobby, ask, Kind::Word);
                let ms = self.travel_ms();
                self.after(ms, Event::AskArrives(again));
            }
            let ms = self.travel_ms();
            self.after(ms, Event::AskArrives(id));
        }
    }

    /// An answer leaves a lobby.
    pub fn answer_travels(&mut self, ask: Id, told: Option<Box<Told>>) {
        let lost = self.faults.borrow_mut().strikes(Fault::Lost);
        let (ms, told) = if lost {
            (GIVES_UP_MS, None)
        } else {
            (self.travel_ms(), told)
        };
        self.after(ms, Event::Heard { ask, told });
    }

    /// The front hears, passes on what is full, and tells the visitor.
    pub fn heard(&mut self, id: Id, told: Option<Told>) {
        let Some(asking) = self.asks.remove(id) else {
            return;
        };
        let Asking {
            visitor,
            lobby,
            kind,
            asked_at,
            socket,
            ..
        } = asking;
        self.people[visitor].under_way -= 1;
        let Some(told) = told else {
            // The upgrade's answer was lost: so is the socket.
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
        if told.full && lobby + 1 < self.lobbies.len() {
            self.people[visitor].under_way += 1;
            self.hops += 1;
            // A ticket is shown to the lobby that it names alone.
            let shown = None;
            let ask = Ask {
                shown,
                ..asking.ask
            };
            return self.goes_to(visitor, lobby + 1, ask, kind);
        }
        if let (Some(CarryTold::Offered), Wish::Offer { hash, .. }, Some(place)) =
            (told.carry, asking.ask.wish, told.status.place())
        {
            self.link_travels(place, lobby, hash);
        }
        let person = &mut self.people[visitor];
        person.sees(&told.status, lobby);
        match (told.lease, asking.ask.wish) {
            // What came of a release is a farewell already.
            (_, Wish::Release(_)) => {}
            // Of what the lobby alone says of a lease no pass is made: the room may have ended it.
            (
                Some(_),
                Wish::Join | Wish::Attend | Wish::Status { .. } | Wish::Offer { .. } | Wish::Leave,
            ) => {}
            (Some(lease), _) => {
                person.cookie = Some(Cookie::Pass(Pass::of(
                    &lease,
                    LobbyId(lobby as u16),
                    who(visitor),
                    asked_at,
                    PASS_TTL_MS,
                )))
            }
            (None, Wish::Renew(fence)) => {
                if matches!(&person.cookie, Some(Cookie::Pass(pass)) if pass.fence == fence) {
                    person.drops_pass();
                }
            }
            _ => {}
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
