//! An ask that is not answered yet: what it waits for, what is asked of the room for it, and how far it got.

use crate::facts::holder::Held;
use crate::facts::reply::NoTicket;
use crate::facts::units::{Fence, Instant, LobbyId, Version};
use crate::facts::voucher::Unspent;
use crate::wire::{AccountTold, Ask, LeaseTold};

/// An ask that is not answered yet.
#[derive(Clone, Debug)]
pub struct Asking {
    pub ask: Ask,
    pub stage: Stage,
    pub progress: Progress,
    /// The last batch that had gone out when it came.
    pub since_batch: u64,
    /// What was asked of the room for it last.
    pub want: Option<Want>,
}

impl Asking {
    /// What is being asked of the room for it.
    pub fn wants(&self) -> Option<Want> {
        self.want
            .filter(|_| matches!(self.stage, Stage::Wants(_) | Stage::Sent(_)))
    }
}

/// What an ask waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The room's word in this life, or a newer one than there is.
    News,
    /// The room's answer to this wish: it goes out with the next batch.
    Wants(Want),
    /// The answer to the batch of this number, in which its wish went out.
    Sent(u64),
    /// The room's word of whether a lease lives.
    Check,
    /// Something that matters, or the end of a long poll.
    Held,
}

/// What is asked of the room for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Join,
    WalkIn,
    Claim(Held, Fence),
    Renew(Fence),
    Extend { fence: Fence, total_ms: u64 },
    Release(Fence),
    Leave(Held),
    Carry { place: Held, row: Version },
}

/// What was done for an ask so far: each question goes to the room once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// The room was heard after the ask came.
    pub heard: bool,
    pub walked: bool,
    /// It was counted as one that takes a number.
    pub shared: bool,
    /// It was counted as one that guesses a code.
    pub guessed: bool,
    pub joined: bool,
    pub asked: bool,
    pub checked: bool,
    /// The room's own word, in answer to this ask.
    pub lease: Option<LeaseTold>,
    /// When that was asked for: remaining times count from here.
    pub lease_at: Instant,
    pub issued: bool,
    pub carried: bool,
    pub refused: Option<NoTicket>,
    pub at: Option<LobbyId>,
    /// Why the account's place is not here.
    pub account: Option<AccountTold>,
    /// Why the voucher gave no place.
    pub unspent: Option<Unspent>,
}
