//! One life of a lobby of the model, in memory: an endpoint without I/O around one replica. It stores nothing. A lobby may have two lives at once
//! for a while; the older one gets no new events.

use super::asks::{Ask, Effect, Shown};
use super::replica::Replica;
use super::rules::{Rule, Rules};
use super::words::*;

/// How far the lobby has come with the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The life was deposed. It waits for an event or a quiet time.
    Silent,
    /// The lobby has said Hello and has no answer yet.
    Greeted,
    /// The room knows this life.
    Bound(Bond),
}

/// A batch that has left and is not answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flight {
    pub number: u8,
    pub commands: Vec<Command>,
}

/// One life of a lobby.
#[derive(Clone, Debug, Hash)]
pub struct Lobby {
    pub(super) rules: Rules,
    pub id: LobbyId,
    pub nonce: Nonce,
    hellos: u8,
    pub(super) batches: u8,
    pub(super) stage: Stage,
    pub replica: Option<Replica>,
    pub(super) flight: Option<Flight>,
    /// What each visitor asks for, and the number of the batch that the ask went out in last.
    pub(super) asks: [Option<(Ask, u8)>; VISITORS],
    pub sockets: [Option<Shown>; VISITORS],
    /// Whether each visitor without a socket was there not long ago.
    pub linger: [bool; VISITORS],
    /// Whether each visitor has spoken since this lobby heard that the ticket missed a call.
    pub(super) spoken: [bool; VISITORS],
    pub(super) releases: Vec<Command>,
    /// The tickets whose presence was said in a batch that nobody answered.
    pub(super) unsure: Vec<Number>,
    /// Whether a batch is due even if it is empty.
    pub(super) look: bool,
}

impl Lobby {
    /// Brings a lobby into memory with the sockets that outlasted its last life. It says Hello.
    pub fn wake(rules: Rules, id: LobbyId, nonce: Nonce, sockets: [Option<Shown>; VISITORS], out: &mut Vec<Effect>) -> Lobby {
        let mut lobby = Lobby {
            rules,
            id,
            nonce,
            hellos: 0,
            batches: 0,
            stage: Stage::Silent,
            replica: None,
            flight: None,
            asks: [None; VISITORS],
            sockets,
            linger: [false; VISITORS],
            spoken: [false; VISITORS],
            releases: Vec::new(),
            unsure: Vec::new(),
            look: false,
        };
        lobby.say_hello(out);
        lobby
    }

    /// Begins a new life in the same memory because an event reached a lobby that was deposed.
    pub fn revive(&mut self, nonce: Nonce, out: &mut Vec<Effect>) {
        (self.nonce, self.hellos, self.batches) = (nonce, 0, 0);
        self.say_hello(out);
    }

    pub fn silent(&self) -> bool {
        self.stage == Stage::Silent
    }

    pub fn bond(&self) -> Option<Bond> {
        match self.stage {
            Stage::Bound(bond) => Some(bond),
            Stage::Silent | Stage::Greeted => None,
        }
    }

    /// Returns the number of the Hello that is unanswered.
    pub fn awaits_welcome(&self) -> Option<u8> {
        (self.stage == Stage::Greeted).then_some(self.hellos)
    }

    /// Returns the number of the batch that is unanswered.
    pub fn awaits_answer(&self) -> Option<u8> {
        self.flight.as_ref().map(|flight| flight.number)
    }

    /// Returns where the page begins that the lobby waits for.
    pub fn awaits_page(&self) -> Option<Number> {
        self.bond().and(self.replica.as_ref()?.next_page())
    }

    pub fn asks(&self, key: Key) -> bool {
        self.asks[key].is_some()
    }

    pub fn has_sockets(&self) -> bool {
        self.sockets.iter().any(Option::is_some)
    }

    /// Returns the replica, if it is whole and the room knows this life.
    pub fn whole(&self) -> Option<&Replica> {
        self.bond().and(self.replica.as_ref().filter(|replica| replica.whole(self.rules)))
    }

    // What happens to it.

    pub fn connected(&mut self, key: Key, shown: Shown, out: &mut Vec<Effect>) {
        self.sockets[key] = Some(shown);
        (self.spoken[key], self.linger[key]) = (true, false);
        self.go_on(false, out);
    }

    pub fn lost_socket(&mut self, key: Key, out: &mut Vec<Effect>) {
        self.sockets[key] = None;
        self.linger[key] = true;
        self.go_on(false, out);
    }

    pub fn linger_is_over(&mut self, key: Key, out: &mut Vec<Effect>) {
        self.linger[key] = false;
        self.go_on(false, out);
    }

    pub fn spoke(&mut self, key: Key, out: &mut Vec<Effect>) {
        self.spoken[key] = true;
        self.go_on(false, out);
    }

    pub fn asked(&mut self, key: Key, ask: Ask, out: &mut Vec<Effect>) {
        self.asks[key] = Some((ask, 0));
        (self.spoken[key], self.linger[key]) = (true, self.sockets[key].is_none());
        self.go_on(false, out);
    }

    pub fn asker_left(&mut self, key: Key) {
        if self.rules.has(Rule::JoinWhileAsked) {
            self.asks[key] = None;
        }
    }

    pub fn released(&mut self, key: Key, fence: Fence, out: &mut Vec<Effect>) {
        self.releases.push(Command::Release { fence, by: key });
        self.go_on(false, out);
    }

    /// Handles the end of a quiet time. The world revives a silent lobby instead.
    pub fn quiet(&mut self, out: &mut Vec<Effect>) {
        self.look = self.has_sockets();
        self.go_on(false, out);
    }

    /// Says Hello again because no answer came.
    pub fn hello_timed_out(&mut self, out: &mut Vec<Effect>) {
        self.say_hello(out);
    }

    /// Gives up the batch because no answer came.
    pub fn batch_timed_out(&mut self, out: &mut Vec<Effect>) {
        self.give_up_flight();
        self.go_on(false, out);
    }

    /// Asks for the page again because it did not come.
    pub fn page_timed_out(&mut self, out: &mut Vec<Effect>) {
        self.ask_for_page(out);
    }

    /// Handles the room's message.
    pub fn handle(&mut self, message: ToLobby, out: &mut Vec<Effect>) {
        match message {
            ToLobby::Welcome {
                bond,
                number,
                edition,
                start,
            } => {
                let last = number == self.hellos || !self.rules.has(Rule::HelloNumbers);
                if self.stage == Stage::Greeted && bond.nonce == self.nonce && last {
                    self.welcomed(bond, edition, start, out);
                }
            }
            ToLobby::Answered {
                bond,
                number,
                changes,
                answers,
            } => self.answered(bond, number, changes, answers, out),
            ToLobby::Page { bond, from, page } => {
                if self.stage == Stage::Bound(bond) && self.learn(|rules, replica| replica.take_page(rules, from, page)) == Some(true) {
                    self.linger_for_the_listed();
                    self.ask_for_page(out);
                    self.go_on(true, out);
                }
            }
            ToLobby::Refused { nonce, call, why } => {
                let awaited =
                    self.flight.as_ref().map(|flight| Call::Batch(flight.number)) == Some(call) || self.awaits_page().map(Call::Page) == Some(call);
                match why {
                    _ if nonce != self.nonce || !awaited => {}
                    Refusal::NewRoom => self.say_hello(out),
                    Refusal::Old => self.drop_everything(out),
                }
            }
            ToLobby::Push { bond, changes } => self.pushed(bond, changes, out),
            ToLobby::Poke => {
                if self.bond().is_some() {
                    self.say_hello(out);
                }
            }
        }
    }

    // Hello, list and resume.

    pub(super) fn say_hello(&mut self, out: &mut Vec<Effect>) {
        self.give_up_flight();
        self.stage = Stage::Greeted;
        self.hellos += 1;
        let whole = self
            .replica
            .as_ref()
            .filter(|replica| replica.next_page().is_none() && !replica.lacks_changes());
        let known = whole.map(|replica| (replica.life, replica.version));
        out.push(Effect::Send(ToRoom::Hello {
            nonce: self.nonce,
            number: self.hellos,
            known,
        }));
    }

    fn welcomed(&mut self, bond: Bond, edition: u8, start: Start, out: &mut Vec<Effect>) {
        self.stage = Stage::Bound(bond);
        match (start, &mut self.replica) {
            (Start::List(page), _) => {
                self.replica = Some(Replica::from_list(bond.life, edition, page));
                self.spoken = [false; VISITORS];
                self.linger_for_the_listed();
                self.ask_for_page(out);
                self.go_on(true, out);
            }
            (Start::Resume(changes), Some(_)) => {
                self.take_changes(changes);
                self.go_on(false, out);
            }
            (Start::Resume(_), None) => self.say_hello(out),
        }
    }

    /// Gives everybody whom the list calls present a linger to come back.
    fn linger_for_the_listed(&mut self) {
        let listed = self.replica.iter().flat_map(|replica| replica.tickets.iter());
        for entry in listed.filter(|entry| matches!(entry.standing, Standing::Waiting { here: true, .. })) {
            self.linger[entry.key] = self.sockets[entry.key].is_none();
        }
    }

    fn ask_for_page(&mut self, out: &mut Vec<Effect>) {
        if let (Some(bond), Some(from)) = (self.bond(), self.awaits_page()) {
            out.push(Effect::Send(ToRoom::More { bond, from }));
        }
    }

    fn drop_everything(&mut self, out: &mut Vec<Effect>) {
        let asking = self.asks.iter().enumerate().filter(|(_, ask)| ask.is_some());
        out.extend(asking.map(|(key, _)| Effect::Fail { key }));
        self.asks = [None; VISITORS];
        (self.linger, self.spoken) = ([false; VISITORS], [false; VISITORS]);
        (self.stage, self.replica, self.flight, self.look) = (Stage::Silent, None, None, false);
        self.releases.clear();
        self.unsure.clear();
    }

    fn give_up_flight(&mut self) {
        for command in self.flight.take().into_iter().flat_map(|flight| flight.commands) {
            if let Command::Here { number, .. } | Command::Away { number, .. } = command
                && !self.unsure.contains(&number)
            {
                self.unsure.push(number);
            }
        }
    }
}
