//! The world of the model: a room, its lobbies, the people, and a network between them that loses, repeats and reorders.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::asks::{Ask, Effect, Shown};
use super::judge::{self, History};
use super::lobby::Lobby;
use super::people::{Asking, Budget, Pass, Told, Visitor};
use super::room::Room;
use super::rules::Rules;
use super::words::*;

/// The state of everything.
#[derive(Clone)]
pub struct World {
    pub rules: Rules,
    pub room: Room,
    /// The lobbies' lives in memory. At most one life of each lobby is current; the others are old twins.
    pub lobbies: Vec<Lobby>,
    pub twins: Vec<Nonce>,
    /// The sockets of each lobby that is not in memory.
    pub asleep: [[Option<Shown>; VISITORS]; LOBBIES],
    pub visitors: [Visitor; VISITORS],
    /// The messages that are on their way: a sorted set.
    pub network: Vec<Message>,
    pub budget: Budget,
    next_nonce: Nonce,
    /// For the judge. The fingerprint leaves out this and `broken`.
    pub history: History,
    pub broken: Option<String>,
}

impl World {
    /// Returns a world with an empty room of one permit. `homes` are the lobbies that the front chooses for new visitors.
    pub fn new(rules: Rules, homes: [LobbyId; VISITORS], budget: Budget) -> World {
        World {
            rules,
            room: Room::new(1),
            lobbies: Vec::new(),
            twins: Vec::new(),
            asleep: [[None; VISITORS]; LOBBIES],
            visitors: homes.map(Visitor::new),
            network: Vec::new(),
            budget,
            next_nonce: 1,
            history: History::default(),
            broken: None,
        }
    }

    /// Returns a hash of the state. The search takes two states with the same hash for one.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let World {
            room,
            lobbies,
            twins,
            asleep,
            visitors,
            network,
            budget,
            next_nonce,
            ..
        } = self;
        (room, lobbies, twins, asleep, visitors, network, budget, next_nonce).hash(&mut hasher);
        hasher.finish()
    }

    pub fn breaks(&mut self, what: impl Into<String>) {
        self.broken.get_or_insert(what.into());
    }

    pub fn send(&mut self, message: Message) {
        if let Err(at) = self.network.binary_search(&message) {
            self.network.insert(at, message);
        }
    }

    pub fn new_nonce(&mut self) -> Nonce {
        self.next_nonce += 1;
        self.next_nonce - 1
    }

    // Lives of lobbies.

    fn is_current(&self, at: usize) -> bool {
        !self.twins.contains(&self.lobbies[at].nonce)
    }

    /// Returns where in `lobbies` the current life of a lobby is, or `None` if it is not in memory.
    pub fn current(&self, id: LobbyId) -> Option<usize> {
        (0..self.lobbies.len()).find(|at| self.lobbies[*at].id == id && self.is_current(*at))
    }

    pub fn with_nonce(&self, nonce: Nonce) -> Option<usize> {
        self.lobbies.iter().position(|lobby| lobby.nonce == nonce)
    }

    /// Returns the life that has a visitor's socket, as an index into `lobbies`.
    pub fn socket_of(&self, key: Key) -> Option<usize> {
        self.lobbies.iter().position(|lobby| lobby.sockets[key].is_some())
    }

    /// Returns the lobby that has the visitor's socket and is not in memory.
    pub fn sleeps_at(&self, key: Key) -> Option<LobbyId> {
        (0..LOBBIES).find(|id| self.asleep[*id][key].is_some())
    }

    pub fn connected(&self, key: Key) -> bool {
        self.socket_of(key).is_some() || self.sleeps_at(key).is_some()
    }

    /// Lets an event reach a lobby: the lobby comes into memory, or begins a new life if it was deposed. Returns its index in `lobbies`.
    pub fn wake(&mut self, id: LobbyId) -> usize {
        let at = self.current(id).unwrap_or_else(|| {
            let (nonce, sockets) = (self.new_nonce(), std::mem::take(&mut self.asleep[id]));
            let mut out = Vec::new();
            self.lobbies.push(Lobby::wake(self.rules, id, nonce, sockets, &mut out));
            self.carry_out(id, out);
            self.lobbies.len() - 1
        });
        self.revive(at);
        at
    }

    pub fn revive(&mut self, at: usize) {
        if self.lobbies[at].silent() && self.is_current(at) {
            let nonce = self.new_nonce();
            self.lobby(at, |lobby, out| lobby.revive(nonce, out));
        }
    }

    /// Lets something happen to a lobby, and carries out the effects.
    pub fn lobby(&mut self, at: usize, happens: impl FnOnce(&mut Lobby, &mut Vec<Effect>)) {
        let mut out = Vec::new();
        let lobby = &mut self.lobbies[at];
        happens(lobby, &mut out);
        let id = lobby.id;
        self.carry_out(id, out);
        judge::replicas(self);
    }

    fn carry_out(&mut self, id: LobbyId, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(message) => {
                    judge::sending(self, &message);
                    self.send(Message::ToRoom(id, message));
                }
                Effect::Tell {
                    key,
                    shown,
                    standing,
                    row,
                    fresh,
                } => self.tell(key, shown, standing, row, fresh),
                Effect::Reply { key, what, edition, row } => self.reply(key, what, edition, row),
                Effect::Fail { key } => self.visitors[key].asking = None,
            }
        }
    }

    fn tell(&mut self, key: Key, shown: Shown, standing: Standing, row: Row, fresh: bool) {
        judge::telling(self, key, shown, standing, row);
        let visitor = &mut self.visitors[key];
        let told = Told {
            edition: shown.edition,
            number: shown.number,
            standing,
        };
        if visitor.told != Some(told) || (fresh && self.rules.has(super::rules::Rule::ToldAgain)) {
            visitor.answered = false;
        }
        (visitor.told, visitor.shown) = (Some(told), Some(shown));
        let over = |pass: &Pass| standing == Standing::Over && pass.number == shown.number;
        visitor.pass = visitor.pass.filter(|pass| !over(pass));
    }

    fn reply(&mut self, key: Key, what: What, edition: u8, row: Row) {
        let Some(asking) = self.visitors[key].asking.take() else {
            return;
        };
        judge::reply(self, key, &asking, what, edition);
        match what {
            What::Place { lobby, number } => {
                let visitor = &mut self.visitors[key];
                visitor.home = lobby;
                visitor.shown = Some(Shown { edition, number, row });
                (visitor.told, visitor.pass, visitor.done) = (None, None, false);
                self.drop_socket(key);
            }
            What::Pass { number, fence } => self.visitors[key].pass = Some(Pass { edition, number, fence }),
            What::Nothing => {}
        }
        if asking.ask.kind() == Kind::Carry {
            self.visitors[key].link = None;
        }
    }

    // What the people do to lobbies.

    pub fn ask(&mut self, key: Key, id: LobbyId, ask: Ask) {
        let at = self.wake(id);
        let (nonce, row) = (self.lobbies[at].nonce, self.room.book.row);
        let visitor = &mut self.visitors[key];
        visitor.asking = Some(Asking { nonce, ask, row });
        visitor.spoke_at = row;
        self.lobby(at, |lobby, out| lobby.asked(key, ask, out));
    }

    /// Ends a visitor's ask because it failed or because the page has stopped waiting.
    pub fn stop_asking(&mut self, key: Key) {
        self.visitors[key].asking = None;
        self.lobbies.iter_mut().for_each(|lobby| lobby.asker_left(key));
    }

    /// Breaks the visitor's socket, if there is one.
    pub fn drop_socket(&mut self, key: Key) {
        self.asleep.iter_mut().for_each(|sockets| sockets[key] = None);
        if let Some(at) = self.socket_of(key) {
            self.lobby(at, |lobby, out| lobby.lost_socket(key, out));
        }
    }

    /// Ends a life. The sockets of the current life outlast it; those of an old twin break.
    pub fn kill(&mut self, at: usize) {
        let current = self.is_current(at);
        let lobby = self.lobbies.remove(at);
        self.twins.retain(|nonce| *nonce != lobby.nonce);
        if current {
            self.asleep[lobby.id] = lobby.sockets;
        }
        for visitor in self.visitors.iter_mut() {
            visitor.asking = visitor.asking.filter(|asking| asking.nonce != lobby.nonce);
        }
        self.network.retain(|message| message.answers_nonce() != Some(lobby.nonce));
    }

    // Messages.

    /// Hands a message to its receiver.
    pub fn deliver(&mut self, message: Message) {
        match message {
            Message::ToRoom(id, message) => {
                let batch = match &message {
                    ToRoom::Batch { bond, number, .. } => Some((bond.nonce, *number)),
                    _ => None,
                };
                let handled = self.room.handle(self.rules, id, message);
                if let Some(turn) = handled.turn {
                    judge::turn(self, batch, turn);
                }
                if let Some(reply) = handled.reply {
                    self.send(Message::ToLobby(id, reply));
                }
            }
            Message::ToLobby(id, ref inner) => {
                let at = match message.answers_nonce() {
                    Some(nonce) => self.with_nonce(nonce),
                    None => Some(self.wake(id)),
                };
                if let Some(at) = at {
                    let inner = inner.clone();
                    self.lobby(at, |lobby, out| lobby.handle(inner, out));
                }
            }
        }
    }
}
