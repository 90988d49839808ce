//! A ticket of the model, and what a turn of the book did to tickets.

use super::words::*;

/// One ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    pub edition: u8,
    pub number: Number,
    /// The number that it had before any draw. For the judge alone.
    pub first_number: Number,
    pub key: Key,
    /// The lobby that the ticket belongs to for life.
    pub lobby: LobbyId,
    pub standing: Standing,
    /// The row that last changed it.
    pub changed: Row,
    /// The row in which its holder got it, by a join or a carry.
    pub held_since: Row,
    /// The row in which it missed its first call. A second miss ends it.
    pub missed_in: Option<Row>,
}

impl Ticket {
    /// Returns whether it is not over.
    pub fn living(&self) -> bool {
        self.standing != Standing::Over
    }

    /// Returns whether it has a permit.
    pub fn permit(&self) -> bool {
        matches!(self.standing, Standing::Called(_) | Standing::Leased(_))
    }

    /// Returns what the room says of it to its lobby.
    pub fn entry(&self) -> Entry {
        Entry {
            number: self.number,
            key: self.key,
            standing: self.standing,
        }
    }
}

/// What a turn did, for the judge.
#[derive(Default)]
pub struct Turn {
    pub answers: Vec<Answer>,
    /// The keys that got a new ticket.
    pub issued: Vec<Key>,
    /// The keys that were called again after they missed a call themselves, and the row of the miss.
    pub called_again: Vec<(Key, Row)>,
    /// The first thing that the turn must not have done.
    pub broken: Option<String>,
}

impl Turn {
    /// Records `otherwise` as what went wrong, unless `holds`.
    pub fn judge(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.broken.get_or_insert(otherwise.to_string());
        }
    }
}
