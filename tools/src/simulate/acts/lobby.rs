//! The lobby object's platform: its lives, its alarm, its timer, its sockets. It drives the endpoint as `edge/lobby_object` does:
//! something happens to the lobby, then every effect is carried out in order. This module decides nothing. Visitors' asks, and
//! the sockets that they open, are in `asks`.

use crate::simulate::builds::Way as Leg;
use crate::simulate::faults::Kind;
use crate::simulate::lobby_side::Living;
use crate::simulate::people::{visitor_of, who};
use crate::simulate::queue::{Caller, Event, Life, Object};
use crate::simulate::slab::Id;
use crate::simulate::world::World;
use baton::facts::message::{FromRoom, ToLobby, ToRoom};
use baton::facts::units::{LaneId, LobbyId};
use baton::facts::wire::{Status, Told};
use baton::living::{Ear, LivingLobby, Stay};
use baton::lobby::{CallId, Effect, Lobby, Moment, Way};
use baton::room::courier::Push;
use baton_advice::chance::Chance;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How often a page pings, ms.
const PINGS_EVERY_MS: u64 = 25_000;

/// What an event's effects lead to, once all of them are carried out.
#[derive(Default)]
struct After {
    /// The sockets that open.
    opens: Vec<(Id, Box<Told>)>,
    /// The visitors whose sockets were closed because they had gone silent.
    silent: Vec<usize>,
}

// Lives.
impl World {
    /// The room's number for a lobby.
    #[must_use]
    pub const fn lobby_id(index: usize) -> LobbyId {
        LobbyId(index as u16)
    }

    /// Returns the life to which the platform sends events. If there is none, a life begins, with the sockets that the platform kept. What
    /// follows from those is carried out with the life's first event.
    pub fn wake_lobby(&mut self, index: usize) -> Life {
        if let Some(living) = &self.lobbies[index].living {
            let id = living.id;
            return Life { lobby: index, id };
        }
        self.lives += 1;
        let life = Life {
            lobby: index,
            id: self.lives,
        };
        let chance = Chance::of(self.seed, 1 << 48 | life.id).u64();
        let wall_ms = self.wall_of(Object::Lobby(index));
        let stay = self.stay;
        let side = &mut self.lobbies[index];
        side.looked_at = self.time;
        let lobby = Lobby::new(Self::lobby_id(index), side.config.clone(), chance);
        let mut core = LivingLobby::new(lobby, stay, wall_ms, side.alarm);
        let m = core.moment(wall_ms);
        // One that sleeps and wakes again and again lives too short a time to look for sockets that have gone silent.
        let silent = self.silent_are_closed(index, core.ear());
        let sockets = self.sockets_at(index, None);
        for (visitor, socket) in sockets {
            let shown = self.sockets.get(socket).and_then(|socket| socket.shown);
            core.lobby.handle_socket_opened(m, who(visitor), shown);
        }
        for visitor in silent {
            core.lobby.handle_silent_found(m, who(visitor));
        }
        self.skewed |= core.clock().now().0 != self.time;
        self.lobbies[index].living = Some(Box::new(Living {
            id: life.id,
            core,
            askers: BTreeMap::new(),
            timer: None,
        }));
        life
    }

    /// Returns the sockets that the platform holds at a lobby, of one visitor or of all.
    fn sockets_at(&self, index: usize, of: Option<usize>) -> Vec<(usize, Id)> {
        let all = of.map_or(0..self.people.len(), |visitor| visitor..visitor + 1);
        let sockets = all.flat_map(|visitor| {
            let sockets = self.people[visitor].sockets.iter();
            let here = sockets.filter(|(_, lobby)| *lobby == index);
            here.map(move |(socket, _)| (visitor, *socket))
        });
        sockets.collect()
    }

    /// Tells the askers who waited in a dropped memory that their asks failed.
    fn memory_dropped(&mut self, living: Box<Living>) {
        for ask in living.askers.into_values() {
            self.finish(ask, None);
        }
    }

    /// Drops the memory and keeps the sockets: hibernation, or an error.
    pub fn lobby_sleeps(&mut self, index: usize) {
        if let Some(living) = self.lobbies[index].living.take() {
            self.memory_dropped(living);
        }
    }

    /// Ends the process, with everything in it.
    pub fn lobby_restarts(&mut self, index: usize) {
        self.lobby_sleeps(index);
        self.sockets_drop(index);
    }

    fn sockets_drop(&mut self, index: usize) {
        for (visitor, socket) in self.sockets_at(index, None) {
            self.people[visitor].lost(socket);
            self.take_socket(socket);
        }
    }

    /// Begins a new life while the old isolate goes on for a while with what it has in memory: a new version is deployed, or the platform moves the
    /// object. The old isolate no longer has the object's alarm and sockets.
    pub fn lobby_lives_twice(&mut self, index: usize, for_ms: u64) {
        let Some(living) = self.lobbies[index].living.take() else {
            return;
        };
        let life = Life { lobby: index, id: living.id };
        if let Some(older) = self.lobbies[index].old.replace(living) {
            self.memory_dropped(older);
        }
        self.after(for_ms, Event::OldEnds(life));
        self.sockets_drop(index);
        self.wake_lobby(index);
    }

    /// Ends an isolate whose time is over.
    pub fn old_ends(&mut self, life: Life) {
        let side = &mut self.lobbies[life.lobby];
        if side.is_old(life.id)
            && let Some(old) = side.old.take()
        {
            self.memory_dropped(old);
        }
    }

    pub fn lobby_rings(&mut self, index: usize) -> Result<(), ()> {
        let life = self.wake_lobby(index);
        if let Some(living) = &mut self.lobbies[index].living {
            living.core.rang();
        }
        self.lobby_does(life, Lobby::handle_timeout).ok_or(())
    }

    /// Lets a timer go off, if it is the one that is set.
    pub fn lobby_timer(&mut self, life: Life, at: u64) {
        let Some(Some(living)) = self.lobbies[life.lobby].slot(life.id) else {
            return;
        };
        if living.timer == Some(at) {
            living.timer = None;
            self.lobby_turns(life, Some(at), Lobby::handle_timeout, |_, _| {});
        }
    }
}

// Effects.
impl World {
    /// Does something to a lobby in memory, and carries out what follows. Returns `None` if the life is no longer in memory.
    pub fn lobby_does<T>(&mut self, life: Life, act: impl FnOnce(&mut Lobby, Moment) -> T) -> Option<T> {
        self.lobby_says(life, act, |_, _| {})
    }

    /// Does the same. Before it carries out what follows, `says` sends what came of the act.
    pub(super) fn lobby_says<T>(&mut self, life: Life, act: impl FnOnce(&mut Lobby, Moment) -> T, says: impl FnOnce(&mut Self, &T)) -> Option<T> {
        self.lobby_turns(life, None, act, says)
    }

    /// Does the same, perhaps because the timer has gone off that was set for `timer`.
    fn lobby_turns<T>(
        &mut self,
        life: Life,
        timer: Option<u64>,
        act: impl FnOnce(&mut Lobby, Moment) -> T,
        says: impl FnOnce(&mut Self, &T),
    ) -> Option<T> {
        let wall_ms = self.wall_of(Object::Lobby(life.lobby));
        let side = &mut self.lobbies[life.lobby];
        let is_old = side.is_old(life.id);
        let mut living = side.slot(life.id).and_then(Option::take)?;
        let (clock, bell) = (*living.core.clock(), living.core.bell());
        let is_due = living.core.lobby.poll_timeout().or(living.core.lobby.poll_alarm()).is_some();
        let m = match timer {
            Some(_) => living.core.timer_rang(wall_ms),
            None => living.core.moment(wall_ms),
        };
        if !is_old {
            self.clock_is_sane(Object::Lobby(life.lobby), is_due, &clock, bell, living.core.clock());
        }
        let result = act(&mut living.core.lobby, m);
        self.played.changes += 1;
        let effects: Vec<Effect> = std::iter::from_fn(|| living.core.lobby.poll_effect()).collect();
        let alarm_in_ms = living.core.alarm_in_ms().filter(|_| !is_old);
        if let Some(in_ms) = alarm_in_ms {
            if self.faults.borrow_mut().strikes(Kind::WriteFails) {
                // The runtime resets an object whose storage fails, so nothing of this event leaves it.
                self.memory_dropped(living);
                self.sockets_drop(life.lobby);
                return None;
            }
            let due = wall_ms.saturating_add(in_ms);
            self.lobbies[life.lobby].alarm = Some(due);
            self.arm(Object::Lobby(life.lobby), due);
        }
        self.timer_is_set(life, &mut living);
        let sockets = living.core.lobby.sockets();
        self.lobbies[life.lobby].keep(is_old, living);
        if sockets > 0 && !is_old && self.lobbies[life.lobby].alarm.is_none() {
            self.flaw(
                "a lobby with sockets always has an alarm (10)",
                format!("lobby {} with {sockets}", life.lobby),
            );
        }
        says(self, &result);
        let mut after = After::default();
        for effect in effects {
            self.carry_out(life, is_old, effect, &mut after);
        }
        self.goes_after(life, after);
        Some(result)
    }

    fn goes_after(&mut self, life: Life, After { opens, silent }: After) {
        if !silent.is_empty() {
            self.lobby_does(life, |lobby, m| {
                for visitor in silent {
                    lobby.handle_socket_silent(m, who(visitor));
                }
            });
        }
        for (ask, told) in opens {
            self.socket_opens(ask, life, *told);
        }
    }

    /// Sets the one timer in memory anew if something is due sooner.
    fn timer_is_set(&mut self, life: Life, living: &mut Living) {
        let Some(in_ms) = living.core.timer_in_ms() else {
            return;
        };
        let at = self.time + in_ms;
        living.timer = Some(at);
        self.rings_after(in_ms, Event::LobbyTimer { life, at });
    }

    fn carry_out(&mut self, life: Life, is_old: bool, effect: Effect, after: &mut After) {
        match effect {
            Effect::Call(call, said, way) => self.lobby_calls((life, call), Rc::from(said), way),
            Effect::Answer(asker, told) => {
                self.lobby_answers(life, is_old, asker, told, &mut after.opens);
            }
            Effect::Tell { visitor, status, last } => self.sockets_are_told(life, is_old, visitor_of(visitor), &status, last),
            Effect::Frame(lane, bytes) => self.frame_is_shown(life, is_old, lane, &bytes),
            // The sockets are the platform's, and an old isolate has none.
            Effect::CloseSilent if is_old => {}
            Effect::CloseSilent => {
                let living = self.lobbies[life.lobby].slot(life.id);
                if let Some(ear) = living.and_then(|living| Some(living.as_ref()?.core.ear())) {
                    after.silent = self.silent_are_closed(life.lobby, ear);
                }
            }
        }
    }

    fn lobby_calls(&mut self, (life, call): (Life, CallId), said: Rc<ToRoom>, way: Way) {
        let asks = self.lobbies[life.lobby].slot(life.id).map(|living| {
            let askers = living.iter().flat_map(|living| living.askers.values());
            askers.copied().collect::<Vec<_>>()
        });
        let waits = asks.into_iter().flatten();
        let waits: Vec<usize> = waits
            .filter_map(|ask| self.asks.get(ask))
            .filter(|asking| asking.takes_place())
            .map(|asking| asking.visitor)
            .collect();
        self.holds(self.oracle.sent(&said, &waits));
        let porters = self.porters.len();
        match (way, &*said) {
            (Way::Porter, ToRoom::Batch(_)) => self.transmit(|| Event::PorterHears {
                porter: life.lobby % porters,
                life,
                call,
                said: Rc::clone(&said),
            }),
            _ => self.transmit(|| Event::RoomHears {
                from: Caller::Lobby(life, call),
                said: Rc::clone(&said),
            }),
        }
    }

    pub fn lobby_hears(&mut self, life: Life, call: CallId, answer: Option<&FromRoom>) {
        let answer = answer.cloned();
        self.lobby_does(life, |lobby, m| lobby.handle_answer(m, call, answer));
        self.replica_agrees(life);
    }

    /// Checks that the lobby's replica says what the book says, if it is whole and as new as the book.
    fn replica_agrees(&mut self, life: Life) {
        if !self.checks {
            return;
        }
        let Some(Some(living)) = self.lobbies[life.lobby].slot(life.id) else {
            return;
        };
        let lobby = &living.core.lobby;
        let agrees = self.judge.replica_agrees(Self::lobby_id(life.lobby), lobby.is_whole(), lobby.replica());
        self.holds(agrees);
    }

    pub fn push_arrives(&mut self, id: Id, push: &Push) {
        if self.is_deaf(usize::from(push.lobby.0)) {
            return;
        }
        let lobby = usize::from(push.lobby.0);
        let life = self.wake_lobby(lobby);
        if self.is_unread(lobby, Leg::Push) {
            return self.transmit(|| Event::PushEnded { id, heard: None });
        }
        let heard = self.lobby_does(life, |lobby, m| lobby.handle_push(m, &push.said));
        let Some(heard) = heard else { return };
        if self.is_unread(lobby, Leg::Heard) {
            return self.transmit(|| Event::PushEnded { id, heard: None });
        }
        if let (ToLobby::Push(_), Some(version)) = (&push.said, heard.acknowledged) {
            self.judge.watch.acknowledged(heard.life, version);
        }
        self.replica_agrees(life);
        self.transmit(|| Event::PushEnded { id, heard: Some(heard) });
    }

    fn sockets_are_told(&mut self, life: Life, is_old: bool, visitor: usize, status: &Status, last: bool) {
        // The sockets are the platform's, and an old isolate has none.
        if is_old {
            return;
        }
        for (_, socket) in self.sockets_at(life.lobby, Some(visitor)) {
            let shown = self.sockets.get(socket).and_then(|socket| socket.shown);
            self.judge_told(life, visitor, shown, status, None);
            if let Some(socket) = self.sockets.get_mut(socket) {
                socket.shows(status);
            }
            self.socket_sends(socket, status.clone());
            if last {
                self.lobby_closes(socket);
            }
        }
    }

    /// A lobby closes a socket; its page hears of that a little later.
    pub(super) fn lobby_closes(&mut self, socket: Id) {
        self.take_socket(socket);
        let by_visitor = false;
        self.after(50, Event::SocketGone { socket, by_visitor });
    }

    fn frame_is_shown(&mut self, life: Life, is_old: bool, lane: LaneId, bytes: &[u8]) {
        self.played.frames += 1;
        if is_old || !self.checks {
            return;
        }
        for (visitor, socket) in self.sockets_at(life.lobby, None) {
            if !self.lobbies[life.lobby].shows(life.id, lane, visitor) {
                continue;
            }
            let person = &self.people[visitor];
            // Sockets keep the order: a page that shows a ticket of another lane hears of its own lane before it gets this frame.
            let is_of_it = person.seen.number.is_none_or(|shown| shown.lane() == lane);
            if person.socket == Some(socket) && is_of_it {
                let lawful = self.oracle.frame(&person.seen, bytes, &self.judge.shadow);
                self.holds(lawful);
            }
        }
    }

    /// Closes the sockets that have gone silent. Returns the visitor once for each socket.
    /// Closes the sockets that the lobby takes for silent. A page that holds its socket pings, so none of those may be among them where the lobby
    /// stays in memory.
    fn silent_are_closed(&mut self, lobby: usize, ear: Ear) -> Vec<usize> {
        let mut silent = self.sockets_at(lobby, None);
        let mut pinging = 0;
        silent.retain(|(visitor, socket)| {
            let heard_at = self.sockets.get(*socket).map_or(0, |known| known.heard_at);
            let pings = self.people[*visitor].socket == Some(*socket);
            let pinged_at = self.time - self.time.saturating_sub(heard_at) % PINGS_EVERY_MS;
            let last = if pings { pinged_at } else { heard_at };
            let is_silent = ear.is_silent(self.lobbies[lobby].read_at(last));
            pinging += u32::from(is_silent && pings);
            is_silent
        });
        if pinging > 0 && self.stay == Stay::Stays {
            let seen = format!("{pinging} sockets of lobby {lobby}");
            self.flaw("no socket that pings is closed as silent", seen);
        }
        for (_, socket) in &silent {
            self.lobby_closes(*socket);
        }
        silent.into_iter().map(|(visitor, _)| visitor).collect()
    }
}
