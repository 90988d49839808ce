//! The people of the model, what they hold, and how much trouble a world allows.

use super::asks::{Ask, Shown};
use super::words::*;

/// A kind of fault or event that a world allows only so many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rare {
    Lose,
    Repeat,
    TimeOut,
    RoomRestart,
    LobbyDeath,
    Twin,
    Forget,
    Break,
    Close,
    GiveUp,
    LoseCookie,
    Leave,
    Rejoin,
    Carry,
    Timer,
    Reset,
    Draw,
}

/// The number of kinds of rare things.
pub const KINDS: usize = 17;

/// How often each rare thing may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget(pub [u8; KINDS]);

impl Budget {
    pub fn of(parts: &[(Rare, u8)]) -> Budget {
        let mut left = [0; KINDS];
        parts.iter().for_each(|(rare, times)| left[*rare as usize] = *times);
        Budget(left)
    }

    pub fn has(&self, rare: Rare) -> bool {
        self.0[rare as usize] > 0
    }

    pub fn spend(&mut self, rare: Rare) {
        self.0[rare as usize] = self.0[rare as usize].saturating_sub(1);
    }
}

/// What a visitor was told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Told {
    pub edition: u8,
    pub number: Number,
    pub standing: Standing,
}

/// An ask whose answer a visitor waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asking {
    /// The life of the lobby that was asked.
    pub nonce: Nonce,
    pub ask: Ask,
    /// The book's row when the visitor asked.
    pub row: Row,
}

/// A pass into the shop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pass {
    pub edition: u8,
    pub number: Number,
    pub fence: Fence,
}

/// A link that carries a place to another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub lobby: LobbyId,
    pub from: Key,
    pub place: Shown,
}

/// One visitor: a browser with one page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Visitor {
    pub open: bool,
    /// The lobby that the cookie names, or that the front would choose for a visitor without one.
    pub home: LobbyId,
    /// The ticket in the cookie.
    pub shown: Option<Shown>,
    pub told: Option<Told>,
    /// Whether the page has answered what it was told.
    pub answered: bool,
    pub asking: Option<Asking>,
    pub pass: Option<Pass>,
    pub link: Option<Link>,
    /// Whether the visitor was in the shop and gave the permit back.
    pub done: bool,
    /// For the judge: the batches that sent a join while its asker waited, and that have led to no ticket yet.
    pub joins: Vec<(Nonce, u8)>,
    /// For the judge: the book's row when the visitor last did something.
    pub spoke_at: Row,
}

impl Visitor {
    /// Returns a visitor who has not come yet.
    pub fn new(home: LobbyId) -> Visitor {
        Visitor {
            open: false,
            home,
            shown: None,
            told: None,
            answered: false,
            asking: None,
            pass: None,
            link: None,
            done: false,
            joins: Vec::new(),
            spoke_at: 0,
        }
    }

    pub fn told_over(&self) -> bool {
        self.told.is_some_and(|told| told.standing == Standing::Over)
    }
}
