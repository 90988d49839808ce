//! An ask that is not answered yet: what it waits for, what it wants of the room, and how far it got.

use facts::holder::{Held, Shown};
use facts::units::{Fence, Instant, LobbyId, Version};
use facts::voucher::Unspent;
use facts::wire::{AccountTold, Ask, LeaseTold};

/// An ask that is not answered yet.
#[derive(Clone, Debug)]
pub struct Asking {
    pub ask: Ask,
    pub waits_for: WaitsFor,
    pub progress: Progress,
    /// The last batch that had gone out when the ask came.
    pub since_batch: u64,
    /// What was last asked of the room for it.
    pub want: Option<Want>,
}

impl Asking {
    /// What is now being asked of the room for it, or `None` if nothing is.
    pub fn wants(&self) -> Option<Want> {
        self.want.filter(|_| matches!(self.waits_for, WaitsFor::Wants(_) | WaitsFor::Sent(_)))
    }
}

/// What an ask waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The first message of the room in this life, or a newer one than the lobby has.
    News,
    /// The room's answer to this wish, which goes out with the next batch.
    Wants(Want),
    /// The answer to the batch of this number, with which its wish went out.
    Sent(u64),
    /// The room's word on whether a lease lives.
    Check,
    /// Something that matters to the visitor, or the end of a long poll.
    Held,
}

/// What the lobby asks of the room for a visitor.
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
    Shows(Shown),
}

/// What was done for an ask so far. Each question goes to the room once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Whether the room was heard after the ask came.
    pub heard: bool,
    pub walked: bool,
    /// Whether the ask was counted as one that takes a number.
    pub shared: bool,
    /// Whether the ask was counted as a guess at a code.
    pub guessed: bool,
    pub joined: bool,
    /// Whether the room was asked about the place that is shown.
    pub showed: bool,
    /// Whether the room answered that it has lost that place.
    pub lost: bool,
    pub asked: bool,
    pub checked: bool,
    /// The lease as the room told it in answer to this ask.
    pub lease: Option<LeaseTold>,
    /// When the lobby asked for it. The lease's remaining times count from here.
    pub lease_at: Instant,
    pub issued: bool,
    pub carried: bool,
    /// Whether this lobby holds as many tickets as it may.
    pub lobby_full: bool,
    /// Whether the room answered that its line is as long as it may be.
    pub line_full: bool,
    pub at: Option<LobbyId>,
    /// Why the account's place is not here.
    pub account: Option<AccountTold>,
    /// Why the voucher gave no place.
    pub unspent: Option<Unspent>,
}
