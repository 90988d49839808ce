//! The book of the model: who has which ticket. It is durable: no fault loses any of it. A turn applies commands, hands free permits to the first
//! who are present, and writes one row if anything changed.

use super::rules::{Rule, Rules};
use super::ticket::{Ticket, Turn};
use super::words::*;

/// All tickets ever issued, and the next number and fence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Book {
    pub edition: u8,
    pub row: Row,
    pub tickets: Vec<Ticket>,
    permits: usize,
    next_number: Number,
    next_fence: Fence,
}

impl Book {
    pub fn new(permits: usize) -> Book {
        Book {
            edition: 1,
            row: 0,
            tickets: Vec::new(),
            permits,
            next_number: 1,
            next_fence: 1,
        }
    }

    /// Returns the living ticket of a key.
    pub fn place(&self, key: Key) -> Option<&Ticket> {
        self.tickets.iter().find(|ticket| ticket.key == key && ticket.living())
    }

    /// Returns the living tickets of a lobby from a number on.
    pub fn of_lobby(&self, lobby: LobbyId, from: Number) -> impl Iterator<Item = &Ticket> {
        let mine = move |ticket: &&Ticket| ticket.lobby == lobby && ticket.living() && ticket.number >= from;
        self.tickets.iter().filter(mine)
    }

    /// Returns how a lobby's tickets changed after a row.
    pub fn changes(&self, lobby: LobbyId, since: Row) -> Changes {
        let changed = self.tickets.iter().filter(|ticket| ticket.lobby == lobby && ticket.changed > since);
        Changes {
            since,
            version: self.row,
            entries: changed.map(Ticket::entry).collect(),
        }
    }

    /// Applies a lobby's commands in one turn. `since` is the row that the lobby knew when it sent them.
    pub fn take(&mut self, rules: Rules, lobby: LobbyId, since: Row, commands: &[Command]) -> Turn {
        let mut turn = Turn::default();
        let mut early = Vec::new();
        self.turn(&mut turn, |book, turn| {
            for command in commands {
                book.apply(rules, lobby, since, *command, turn);
                early.extend(book.answer(*command));
            }
        });
        turn.answers = match rules.has(Rule::TurnEnd) {
            true => commands.iter().filter_map(|command| self.answer(*command)).collect(),
            false => early,
        };
        turn
    }

    /// Runs `change`, hands out free permits, and writes a row if anything changed.
    fn turn(&mut self, turn: &mut Turn, change: impl FnOnce(&mut Book, &mut Turn)) {
        let before = self.tickets.clone();
        change(self, turn);
        while self.tickets.iter().filter(|ticket| ticket.permit()).count() < self.permits {
            let present = |ticket: &&mut Ticket| matches!(ticket.standing, Standing::Waiting { here: true, .. });
            let Some(first) = self.tickets.iter_mut().filter(present).min_by_key(|ticket| ticket.number) else {
                break;
            };
            first.standing = Standing::Called(self.next_fence);
            self.next_fence += 1;
            let own_miss = first.missed_in.filter(|row| first.held_since <= *row);
            turn.called_again.extend(own_miss.map(|row| (first.key, row)));
        }
        let row = self.row + 1;
        let mut changed = false;
        for (at, ticket) in self.tickets.iter_mut().enumerate() {
            if before.get(at) != Some(ticket) {
                ticket.changed = row;
                changed = true;
            }
        }
        if changed {
            self.row = row;
        }
    }

    fn find(&mut self, rules: Rules, number: Number, key: Key) -> Option<&mut Ticket> {
        let fits = |ticket: &&mut Ticket| ticket.living() && ticket.number == number && (ticket.key == key || !rules.has(Rule::NumberAndKey));
        self.tickets.iter_mut().find(fits)
    }

    /// Applies one command.
    ///
    /// Long because it has an arm for each command.
    fn apply(&mut self, rules: Rules, lobby: LobbyId, since: Row, command: Command, turn: &mut Turn) {
        let now = self.row + 1;
        match command {
            Command::Join { key } => {
                let has_place = |ticket: &Ticket| ticket.key == key && ticket.living() && (ticket.lobby == lobby || rules.has(Rule::At));
                if !self.tickets.iter().any(has_place) {
                    self.issue(key, lobby);
                    turn.issued.push(key);
                }
            }
            Command::Here { number, key } => {
                if let Some(ticket) = self.find(rules, number, key)
                    && ticket.lobby == lobby
                    && let Standing::Waiting { here, missed } = &mut ticket.standing
                    && (!*missed || !rules.has(Rule::HereKnowsOfTheMiss) || ticket.missed_in <= Some(since))
                {
                    (*here, *missed) = (true, false);
                }
            }
            Command::Away { number, key } => {
                if let Some(ticket) = self.find(rules, number, key)
                    && ticket.lobby == lobby
                    && let Standing::Waiting { here, .. } = &mut ticket.standing
                {
                    *here = false;
                }
            }
            Command::Leave { number, key } => {
                if let Some(ticket) = self.find(rules, number, key) {
                    turn.judge(ticket.key == key, "a leave ends another's ticket");
                    ticket.standing = Standing::Over;
                }
            }
            Command::Claim { number, key } => {
                if let Some(ticket) = self.find(rules, number, key)
                    && let Standing::Called(fence) = ticket.standing
                {
                    turn.judge(ticket.key == key, "a claim takes another's call");
                    ticket.standing = Standing::Leased(fence);
                }
            }
            Command::Release { fence, by } => {
                let leased = Standing::Leased(fence);
                if let Some(ticket) = self.tickets.iter_mut().find(|ticket| ticket.standing == leased) {
                    turn.judge(ticket.key == by, "a release ends another's lease");
                    ticket.standing = Standing::Over;
                }
            }
            Command::Carry { number, key, new_key, row } => self.carry(rules, now, (number, key, new_key, row), turn),
        }
    }

    fn issue(&mut self, key: Key, lobby: LobbyId) {
        let (number, now) = (self.next_number, self.row + 1);
        self.next_number += 1;
        self.tickets.push(Ticket {
            edition: self.edition,
            number,
            first_number: number,
            key,
            lobby,
            standing: Standing::Waiting { here: true, missed: false },
            changed: now,
            held_since: now,
            missed_in: None,
        });
    }

    fn carry(&mut self, rules: Rules, now: Row, link: (Number, Key, Key, Row), turn: &mut Turn) {
        let (number, key, new_key, row) = link;
        let fence = self.next_fence;
        let already = |ticket: &Ticket| ticket.living() && ticket.number == number && ticket.key == new_key;
        if self.tickets.iter().any(already) {
            return;
        }
        let Some(ticket) = self.find(rules, number, key) else {
            return;
        };
        let void = ticket.held_since > row;
        if void && rules.has(Rule::VoidLinks) {
            return;
        }
        turn.judge(!void, "a void link carries");
        turn.judge(ticket.key == key, "a link carries another's place");
        ticket.key = new_key;
        ticket.held_since = now;
        if rules.has(Rule::NewFence)
            && let Standing::Called(old) | Standing::Leased(old) = &mut ticket.standing
        {
            *old = fence;
            self.next_fence += 1;
        }
        if rules.has(Rule::OwnPlaceLeft) {
            let own = |ticket: &&mut Ticket| ticket.living() && ticket.key == new_key && ticket.number != number;
            if let Some(own) = self.tickets.iter_mut().find(own) {
                own.standing = Standing::Over;
            }
        }
    }

    /// Returns the answer to a command from the book as it is now, or `None` for a command that nobody waits for.
    fn answer(&self, command: Command) -> Option<Answer> {
        let place = |key: Key| match self.place(key) {
            Some(ticket) => What::Place {
                lobby: ticket.lobby,
                number: ticket.number,
            },
            None => What::Nothing,
        };
        match command {
            Command::Join { key } => Some(Answer {
                key,
                kind: Kind::Join,
                what: place(key),
            }),
            Command::Leave { key, .. } => Some(Answer {
                key,
                kind: Kind::Leave,
                what: What::Nothing,
            }),
            Command::Claim { number, key } => {
                let what = match self.place(key).map(|ticket| (ticket.number, ticket.standing)) {
                    Some((its, Standing::Leased(fence))) if its == number => What::Pass { number, fence },
                    _ => What::Nothing,
                };
                Some(Answer {
                    key,
                    kind: Kind::Claim,
                    what,
                })
            }
            Command::Carry { number, new_key: key, .. } => {
                let what = match place(key) {
                    What::Place { number: its, .. } if its != number => What::Nothing,
                    what => what,
                };
                Some(Answer {
                    key,
                    kind: Kind::Carry,
                    what,
                })
            }
            Command::Here { .. } | Command::Away { .. } | Command::Release { .. } => None,
        }
    }

    /// Takes the permit back from a called ticket that was not claimed in time. Its second miss ends it.
    pub fn miss_call(&mut self, at: usize) -> Turn {
        let now = self.row + 1;
        self.change(at, |ticket| match ticket.missed_in.replace(now) {
            None => ticket.standing = Standing::Waiting { here: false, missed: true },
            Some(_) => ticket.standing = Standing::Over,
        })
    }

    /// Ends a ticket whose lease ran out, or whose holder was away for too long.
    pub fn end(&mut self, at: usize) -> Turn {
        self.change(at, |ticket| ticket.standing = Standing::Over)
    }

    fn change(&mut self, at: usize, change: impl FnOnce(&mut Ticket)) -> Turn {
        let mut turn = Turn::default();
        self.turn(&mut turn, |book, _| change(&mut book.tickets[at]));
        turn
    }

    /// Gives everybody who waits a new number, in reverse order here, in place of a real draw. Old numbers never come back.
    pub fn draw(&mut self) -> Turn {
        let mut turn = Turn::default();
        self.turn(&mut turn, |book, _| {
            for ticket in book.tickets.iter_mut().rev() {
                if matches!(ticket.standing, Standing::Waiting { .. }) {
                    ticket.number = book.next_number;
                    book.next_number += 1;
                }
            }
        });
        turn
    }

    /// Ends every ticket and begins a new edition.
    pub fn reset(&mut self) -> Turn {
        let mut turn = Turn::default();
        self.turn(&mut turn, |book, _| {
            for ticket in book.tickets.iter_mut() {
                ticket.standing = Standing::Over;
            }
            book.edition += 1;
            book.next_number = 1;
        });
        turn
    }
}
