//! The room of the model: a durable book, and in memory the lobbies that it knows. A restart forgets those lobbies and nothing else.

use super::book::Book;
use super::rules::{Rule, Rules};
use super::ticket::Turn;
use super::words::*;

/// A lobby's life that the room knows. In memory only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Peer {
    nonce: Nonce,
    greeting: Greeting,
    /// The number of its last Hello.
    hello: u8,
    /// The number of its last batch.
    batch: u8,
    /// The version of the list that the room sent it, or the row from which it resumed. An acknowledgement below it changes nothing.
    listed: Row,
    /// The row that it acknowledged last. `None` until it has acknowledged its list.
    acknowledged: Option<Row>,
}

/// The room.
#[derive(Clone, Debug, Hash)]
pub struct Room {
    pub book: Book,
    /// Durable. A reset and a draw begin a new life.
    life: Life,
    /// Durable: the first row since which the room can say how a lobby's tickets changed.
    window_from: [Row; LOBBIES],
    /// Durable: whether the lobby ever had a ticket.
    had_ticket: [bool; LOBBIES],
    known: [Option<Peer>; LOBBIES],
    /// In memory: whether the room pokes this lobby until it says Hello.
    poke: [bool; LOBBIES],
    /// Stands for a random nonce: no greeting is used twice.
    next_greeting: Greeting,
}

/// What the room did with a message.
#[derive(Default)]
pub struct Handled {
    pub reply: Option<ToLobby>,
    pub turn: Option<Turn>,
}

impl Room {
    pub fn new(permits: usize) -> Room {
        Room {
            book: Book::new(permits),
            life: 1,
            window_from: [0; LOBBIES],
            had_ticket: [false; LOBBIES],
            known: [None; LOBBIES],
            poke: [false; LOBBIES],
            next_greeting: 1,
        }
    }

    /// Handles a lobby's message.
    pub fn handle(&mut self, rules: Rules, lobby: LobbyId, message: ToRoom) -> Handled {
        let mut handled = Handled::default();
        match message {
            ToRoom::Hello { nonce, number, known } => handled.reply = self.hello(rules, lobby, nonce, number, known),
            ToRoom::Batch {
                bond,
                number,
                since,
                commands,
            } => {
                match self.judge_call(rules, lobby, bond, since) {
                    Err(why) => handled.reply = Some(refused(bond, Call::Batch(number), why)),
                    Ok(()) => handled = self.batch(rules, lobby, bond, number, since, &commands),
                };
            }
            ToRoom::More { bond, from } => {
                handled.reply = Some(match self.judge_call(rules, lobby, bond, Row::MAX) {
                    Err(why) => refused(bond, Call::Page(from), why),
                    Ok(()) => ToLobby::Page {
                        bond,
                        from,
                        page: self.page(lobby, from),
                    },
                });
            }
            ToRoom::Heard { bond, since } => {
                if self.judge_call(rules, lobby, bond, Row::MAX).is_ok() {
                    self.acknowledge(lobby, since);
                }
            }
        }
        handled
    }

    /// Refuses a call unless it comes from the lobby's life that the room knows and the room can say what has changed since `since`.
    fn judge_call(&self, rules: Rules, lobby: LobbyId, bond: Bond, since: Row) -> Result<(), Refusal> {
        let Some(peer) = self.known[lobby] else {
            return Err(Refusal::NewRoom);
        };
        if bond.nonce != peer.nonce && rules.has(Rule::RefuseOldLives) {
            return Err(Refusal::Old);
        }
        let same_greeting = bond.greeting == peer.greeting || bond.nonce != peer.nonce;
        match bond.life == self.life && same_greeting && since >= self.window_from[lobby] {
            true => Ok(()),
            false => Err(Refusal::NewRoom),
        }
    }

    /// Answers a Hello, or returns `None` if a later one has come already.
    ///
    /// Long because one match has every case of a greeting, so that none is missed.
    fn hello(&mut self, rules: Rules, lobby: LobbyId, nonce: Nonce, number: u8, known: Option<(Life, Row)>) -> Option<ToLobby> {
        let since = known
            .filter(|(life, row)| *life == self.life && *row >= self.window_from[lobby])
            .map(|(_, row)| row);
        let row = self.book.row;
        match &mut self.known[lobby] {
            Some(peer) if peer.nonce == nonce && number < peer.hello && rules.has(Rule::HelloNumbers) => {
                return None;
            }
            // The network repeated this Hello: it changes nothing.
            Some(peer) if peer.nonce == nonce && number == peer.hello => {}
            Some(peer) if peer.nonce == nonce => {
                (peer.hello, peer.listed, peer.acknowledged) = (number, since.unwrap_or(row), since);
            }
            other => {
                let greeting = if rules.has(Rule::Greeting) { self.next_greeting } else { 0 };
                self.next_greeting += 1;
                let listed = since.unwrap_or(row);
                *other = Some(Peer {
                    nonce,
                    greeting,
                    hello: number,
                    batch: 0,
                    listed,
                    acknowledged: since,
                });
            }
        }
        self.poke[lobby] = false;
        let greeting = self.known[lobby].map_or(0, |peer| peer.greeting);
        let start = match since {
            Some(since) => Start::Resume(self.book.changes(lobby, since)),
            None => Start::List(self.page(lobby, 0)),
        };
        self.sent(rules, lobby);
        let bond = Bond {
            nonce,
            greeting,
            life: self.life,
        };
        Some(ToLobby::Welcome {
            bond,
            number,
            edition: self.book.edition,
            start,
        })
    }

    fn batch(&mut self, rules: Rules, lobby: LobbyId, bond: Bond, number: u8, since: Row, commands: &[Command]) -> Handled {
        let Some(peer) = &mut self.known[lobby] else {
            return Handled::default();
        };
        if number <= peer.batch && rules.has(Rule::RefuseLate) {
            return Handled::default();
        }
        peer.batch = peer.batch.max(number);
        self.acknowledge(lobby, since);
        let mut turn = self.book.take(rules, lobby, since, commands);
        self.had_ticket[lobby] |= !turn.issued.is_empty();
        let answers = std::mem::take(&mut turn.answers);
        let since = match rules.has(Rule::AcknowledgedSince) {
            true => since,
            false => self.known[lobby].and_then(|peer| peer.acknowledged).unwrap_or(since),
        };
        let changes = self.book.changes(lobby, since);
        self.sent(rules, lobby);
        Handled {
            reply: Some(ToLobby::Answered {
                bond,
                number,
                changes,
                answers,
            }),
            turn: Some(turn),
        }
    }

    fn page(&self, lobby: LobbyId, from: Number) -> Page {
        let mut living: Vec<Entry> = self.book.of_lobby(lobby, from).map(|ticket| ticket.entry()).collect();
        living.sort_unstable();
        let next = living.get(PAGE_TICKETS).map(|entry| entry.number);
        living.truncate(PAGE_TICKETS);
        Page {
            version: self.book.row,
            entries: living,
            next,
        }
    }

    fn acknowledge(&mut self, lobby: LobbyId, since: Row) {
        if let Some(peer) = &mut self.known[lobby]
            && since >= peer.listed
        {
            peer.acknowledged = peer.acknowledged.max(Some(since));
        }
    }

    /// Without the rule `AcknowledgedSince`, takes what was sent for acknowledged.
    fn sent(&mut self, rules: Rules, lobby: LobbyId) {
        if let Some(peer) = &mut self.known[lobby]
            && !rules.has(Rule::AcknowledgedSince)
        {
            peer.acknowledged = Some(self.book.row);
        }
    }

    /// Returns whether the lobby must be sent a push or a poke.
    pub fn untold(&self, lobby: LobbyId) -> bool {
        match self.known[lobby] {
            None => self.poke[lobby],
            Some(Peer { acknowledged: None, .. }) => true,
            Some(Peer { acknowledged: Some(row), .. }) => self.book.tickets.iter().any(|ticket| ticket.lobby == lobby && ticket.changed > row),
        }
    }

    /// Returns the push that the lobby must be sent now, or a poke if the room does not know its life.
    pub fn push(&self, lobby: LobbyId) -> ToLobby {
        let Some(peer) = self.known[lobby] else {
            return ToLobby::Poke;
        };
        let since = peer.acknowledged.unwrap_or(peer.listed).max(self.window_from[lobby]);
        let bond = Bond {
            nonce: peer.nonce,
            greeting: peer.greeting,
            life: self.life,
        };
        ToLobby::Push {
            bond,
            changes: self.book.changes(lobby, since),
        }
    }

    /// Records that the push has left.
    pub fn pushed(&mut self, rules: Rules, lobby: LobbyId) {
        self.sent(rules, lobby);
    }

    /// Loses the room's memory.
    pub fn restart(&mut self, rules: Rules) {
        self.known = [None; LOBBIES];
        self.poke = if rules.has(Rule::PokeAfterRestart) {
            self.had_ticket
        } else {
            [false; LOBBIES]
        };
    }

    fn begin_life(&mut self) {
        self.life += 1;
        self.window_from = [self.book.row; LOBBIES];
        self.known = [None; LOBBIES];
        self.poke = self.had_ticket;
    }

    pub fn draw(&mut self) -> Turn {
        let turn = self.book.draw();
        self.begin_life();
        turn
    }

    pub fn reset(&mut self) -> Turn {
        let turn = self.book.reset();
        self.begin_life();
        turn
    }

    /// Returns the row of the last change of a lobby's tickets, or `None` if the window has none.
    fn last_change(&self, lobby: LobbyId) -> Option<Row> {
        let rows = self
            .book
            .tickets
            .iter()
            .filter(|ticket| ticket.lobby == lobby)
            .map(|ticket| ticket.changed);
        rows.max().filter(|row| *row > self.window_from[lobby])
    }

    /// Returns whether the window of a lobby has a change to forget.
    pub fn can_forget(&self, lobby: LobbyId) -> bool {
        self.last_change(lobby).is_some()
    }

    /// Forgets all changes of a lobby's tickets, as if the window had been too small for them.
    pub fn forget(&mut self, lobby: LobbyId) {
        self.window_from[lobby] = self.last_change(lobby).unwrap_or(self.window_from[lobby]);
    }
}

fn refused(bond: Bond, call: Call, why: Refusal) -> ToLobby {
    ToLobby::Refused {
        nonce: bond.nonce,
        call,
        why,
    }
}
