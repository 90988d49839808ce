//! Visitors' asks and sockets at a lobby object, as its platform hands them on: an ask arrives, is answered
//! once, and ends. This module decides nothing.

use crate::simulate::builds::Way;
use crate::simulate::faults::Kind;
use crate::simulate::front::Kind as Kept;
use crate::simulate::people::who;
use crate::simulate::queue::{Event, Life};
use crate::simulate::slab::Id;
use crate::simulate::world::{Socket, World};
use baton::facts::wire::{Status, Told, Wish};
use baton::lobby::{Asker, FirstWords, socket_for};

impl World {
    pub fn ask_arrives(&mut self, id: Id) {
        let Some(lobby) = self.asks.get(id).map(|asking| asking.lobby) else {
            return;
        };
        let life = self.wake_lobby(lobby);
        if self.is_unread(lobby, Way::ToLobby) {
            return self.ask_is_refused(id);
        }
        self.askers += 1;
        let (asker, time) = (Asker(self.askers), self.time);
        let Some(asking) = self.asks.get_mut(id) else {
            return;
        };
        asking.at = Some((life, asker));
        asking.arrived_at = time;
        let (visitor, ask) = (asking.visitor, asking.ask.clone());
        let Some(Some(living)) = self.lobbies[lobby].slot(life.id) else {
            return;
        };
        living.askers.insert(asker, id);
        self.oracle.speaks(visitor, time);
        if self.faults.borrow_mut().strikes(Kind::Gone) {
            let ms = self.faults.borrow_mut().chance_of(Kind::Gone).below(6_000);
            self.after(ms, Event::AskerGone(id));
        }
        self.lobby_does(life, |lobby, m| lobby.handle_ask(m, asker, ask));
    }

    /// Tells the lobby that an asker no longer waits, because the request was cancelled.
    pub fn asker_gone(&mut self, id: Id) {
        let Some((life, asker)) = self.asks.get(id).and_then(|asking| asking.at) else {
            return;
        };
        let Some(Some(living)) = self.lobbies[life.lobby].slot(life.id) else {
            return;
        };
        if living.askers.remove(&asker).is_some() {
            self.lobby_does(life, |lobby, m| lobby.handle_gone(m, asker));
            self.finish(id, None);
        }
    }

    pub(super) fn lobby_answers(&mut self, life: Life, is_old: bool, asker: Asker, told: Option<Box<Told>>, opens: &mut Vec<(Id, Box<Told>)>) {
        let slot = self.lobbies[life.lobby].slot(life.id);
        let living = slot.and_then(Option::as_deref_mut);
        let Some(id) = living.and_then(|living| living.askers.remove(&asker)) else {
            // The asker left while the answer was being made.
            return;
        };
        if let (Some(told), Some(asking)) = (&told, self.asks.get(id)) {
            let (visitor, shown, kind) = (asking.visitor, asking.ask.shown, asking.kind);
            let answered = self.oracle.answered(asking, told, &self.judge.shadow);
            self.holds(answered);
            if told.lease.is_some() {
                self.release_is_heeded(life, id);
            }
            self.judge_told(life, visitor, shown, &told.status, told.lease);
            if kind == Kept::Socket && socket_for(told, shown).is_ok() && !is_old {
                opens.push((id, told.clone()));
                return;
            }
        }
        self.finish(id, told);
    }

    /// Checks that nobody gets in by a check that reached the lobby after the release of the same lease.
    fn release_is_heeded(&mut self, life: Life, id: Id) {
        let Some(check) = self.asks.get(id) else {
            return;
        };
        let Wish::Check(fence) = check.ask.wish else { return };
        let arrived_at = check.at.map(|(_, asker)| asker);
        let slot = self.lobbies[life.lobby].slot(life.id);
        let living = slot.and_then(Option::as_mut);
        let others = living.into_iter().flat_map(|living| &living.askers);
        let gives_back = others
            .filter(|(asker, _)| Some(**asker) < arrived_at)
            .filter_map(|(_, ask)| self.asks.get(*ask))
            .any(|asking| asking.ask.wish == Wish::Release(fence));
        if gives_back {
            self.flaw("a lease that is being given back lets nobody in (7)", format!("fence {fence}"));
        }
    }

    pub(super) fn socket_opens(&mut self, id: Id, life: Life, told: Told) {
        let asking = self.asks.get(id);
        let Some((visitor, showed)) = asking.map(|asking| (asking.visitor, asking.ask.shown)) else {
            return;
        };
        let Ok(shown) = socket_for(&told, showed) else {
            return self.finish(id, Some(Box::new(told)));
        };
        let socket = self.sockets.insert(Socket {
            visitor,
            lobby: life.lobby,
            shown,
            heard_at: self.time,
            last_at: 0,
        });
        self.people[visitor].sockets.push((socket, life.lobby));
        let greeted = self.lobby_says(
            life,
            |lobby, m| {
                lobby.handle_socket_opened(m, who(visitor), shown);
                let words = lobby.first_words(m, who(visitor));
                if words.is_last {
                    lobby.handle_socket_closed(m, who(visitor));
                }
                words
            },
            |world, words| world.socket_is_greeted(life, socket, words),
        );
        if greeted.is_none() {
            // The socket was accepted, but then the answer failed, so the runtime closes the socket.
            self.take_socket(socket);
            return self.finish(id, None);
        }
        if let Some(asking) = self.asks.get_mut(id) {
            asking.socket = Some(socket);
        }
        self.finish(id, Some(Box::new(told)));
    }

    /// Sends a socket that has opened what it hears first.
    fn socket_is_greeted(&mut self, life: Life, id: Id, words: &FirstWords) {
        let Some(Socket { visitor, shown, .. }) = self.sockets.get(id).copied() else {
            return;
        };
        self.judge_told(life, visitor, shown, &words.status, None);
        if let Some(socket) = self.sockets.get_mut(id) {
            socket.shows(&words.status);
        }
        self.socket_sends(id, words.status.clone());
        if let Some(frame) = &words.frame {
            self.played.frames += 1;
            self.holds(self.oracle.first_frame(&words.status, frame, &self.judge.shadow));
        }
        if words.is_last {
            self.lobby_closes(id);
        }
    }

    /// Sends a status over a socket. A socket keeps the order: what was sent first arrives first.
    pub(super) fn socket_sends(&mut self, id: Id, status: Status) {
        let travel_ms = self.travel_ms();
        let time = self.time;
        if let Some(socket) = self.sockets.get_mut(id) {
            socket.last_at = (time + travel_ms).max(socket.last_at);
            let ms = socket.last_at - time;
            self.after(
                ms,
                Event::SocketSays {
                    socket: id,
                    status: Box::new(status),
                },
            );
        }
    }

    /// Hands a page's word to the lobby: the page is awake.
    pub fn socket_word(&mut self, id: Id) {
        let Some(Socket { visitor, lobby, .. }) = self.sockets.get(id).copied() else {
            return;
        };
        let life = self.wake_lobby(lobby);
        self.oracle.speaks(visitor, self.time);
        self.lobby_does(life, |lobby, m| lobby.handle_word(m, who(visitor)));
    }

    /// Closes a socket for the other side: one side has closed it, and the other hears of that now.
    pub fn socket_gone(&mut self, id: Id, by_visitor: bool) {
        if !by_visitor {
            return self.people.iter_mut().for_each(|person| person.lost(id));
        }
        let Some(Socket { visitor, lobby, shown, .. }) = self.take_socket(id) else {
            return;
        };
        // A lobby that was asleep did not count the socket, so it is opened first.
        let is_counted = self.lobbies[lobby].living.is_some();
        let life = self.wake_lobby(lobby);
        self.lobby_does(life, |lobby, m| {
            if !is_counted {
                lobby.handle_socket_opened(m, who(visitor), shown);
            }
            lobby.handle_socket_closed(m, who(visitor));
        });
    }

    /// Takes a socket from the platform. Returns what was known of it, or `None` if it was taken before.
    pub(super) fn take_socket(&mut self, id: Id) -> Option<Socket> {
        let socket = self.sockets.remove(id)?;
        let person = &mut self.people[socket.visitor];
        person.sockets.retain(|(other, _)| *other != id);
        Some(socket)
    }

    /// Ends an ask. A second end of the same ask does nothing.
    pub fn finish(&mut self, id: Id, told: Option<Box<Told>>) {
        let Some(asking) = self.asks.get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut asking.done, true) {
            return;
        }
        let lobby = asking.lobby;
        if asking.kind == Kept::Unheard {
            self.asks.remove(id);
        } else {
            let told = told.filter(|_| !self.is_unread(lobby, Way::FromLobby));
            self.answer_travels(id, told);
        }
    }
}
