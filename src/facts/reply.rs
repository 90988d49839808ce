//! What a room answers to one command, and where a ticket stands.

use super::units::{Ahead, Fence, LobbyId, Number};
use super::voucher::Unspent;
use serde::{Deserialize, Serialize};

/// The answer to one command. The numbers that a join gave are among the message's changes; a reply says what is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// Done, or there was nothing to do.
    Done,
    /// To a join: who has no living ticket in this lobby, or not the account's, by place in the command.
    Joined(Vec<(u32, NoTicket)>),
    /// To a walk-in, claim, renewal, extension or carry: the ticket and where it stands when the turn ends.
    Stands(Number, Standing),
    /// To a walk-in or a carry: there is no such ticket in this lobby.
    None(NoTicket),
}

/// Why somebody has no living ticket in this lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoTicket {
    /// There is one, in that lobby.
    At(LobbyId),
    /// The line is as long as it may be.
    Full,
    /// The room's mode issues none.
    Shut,
    /// No permit is free, or somebody present waits, or the room does not let walk in now.
    NoWalkIn,
    /// The link is void, or the place over.
    Void,
    /// To a join for an account: its place is another device's and has come so far. It moves only by a pressed button.
    Elsewhere(Reached),
    /// To a join for an account: this device holds the place of another account.
    Another,
    /// To a join with a voucher: it gives no place.
    Unspent(Unspent),
}

/// How far a place has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reached {
    /// In the hall.
    Hall,
    /// In the line.
    Waiting,
    /// Has a permit to come for.
    Called,
    /// Inside.
    Admitted,
}

/// Where a ticket stands. Times are *remaining* milliseconds as of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// In the line, or in the hall.
    Waiting {
        /// People in front.
        ahead: Ahead,
        /// The room takes its holder for away.
        away: bool,
        /// A first call was missed.
        missed: bool,
    },
    /// Has a permit to come for.
    Called {
        /// The call's fence.
        fence: Fence,
        /// Time left to come.
        claim_in_ms: u64,
    },
    /// Inside.
    Admitted {
        /// The lease's fence.
        fence: Fence,
        /// Time to the idle end.
        idle_in_ms: u64,
        /// Time to the hard end.
        hard_in_ms: u64,
        /// By how much the origin has moved the hard end.
        extended_ms: u64,
        /// A walk-in whose cookie has not come back yet.
        provisional: bool,
    },
    /// Not living: never issued, gone, or a lease that has ended.
    Over,
}
