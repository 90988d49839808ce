//! What a room answers to one command, and where a ticket stands.

use super::units::{Ahead, Fence, LobbyId, Number};
use super::voucher::Unspent;
use serde::{Deserialize, Serialize};

/// The answer to one command. The numbers that a join gave are among the message's changes; a reply says only what these do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// Done, or there was nothing to do.
    Done,
    /// To a join: who has no living ticket in this lobby, or not the account's, by position in the command.
    Joined(Vec<(u32, NoTicket)>),
    /// To a walk-in, claim, renewal, extension or carry: the ticket, and where it stands when the turn ends.
    Stands(Number, Standing),
    /// To a walk-in, a carry or a place that was shown: there is no such ticket in this lobby, for this reason.
    None(NoTicket),
}

/// Why somebody has no living ticket in this lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoTicket {
    /// The ticket is in that lobby.
    At(LobbyId),
    /// The line is as long as it may be, by Baton's limits or by the operator's.
    Full,
    /// The room's mode issues no tickets.
    Shut,
    /// No permit is free, somebody present waits, or the room lets nobody walk in now.
    NoWalkIn,
    /// The link is void, or the place is over.
    Void,
    /// To a join for an account: another device holds its place, which has come this far. It moves only by a pressed button.
    Elsewhere(Reached),
    /// To a join for an account: this device holds the place of another account.
    Another,
    /// To a join with a voucher: the voucher gives no place.
    Unspent(Unspent),
    /// The place was given, and the room's data has lost it: a backup was restored.
    Lost,
}

/// How far a place has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reached {
    /// In the hall.
    Hall,
    /// In the line.
    Waiting,
    /// Called, with a permit to come for.
    Called,
    /// Inside.
    Admitted,
}

/// Where a ticket stands. Times are *remaining* milliseconds as of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// In the line, or in the hall.
    Waiting {
        /// The number of people in front.
        ahead: Ahead,
        /// Whether the room considers the holder away.
        away: bool,
        /// Whether a first call was missed.
        missed: bool,
    },
    /// Called, with a permit to come for.
    Called {
        /// The call's fence.
        fence: Fence,
        /// Time left to come, in ms.
        claim_in_ms: u64,
    },
    /// Inside.
    Admitted {
        /// The lease's fence.
        fence: Fence,
        /// Time to the idle end, in ms.
        idle_in_ms: u64,
        /// Time to the hard end, in ms.
        hard_in_ms: u64,
        /// By how much the origin has moved the hard end, in ms.
        extended_ms: u64,
        /// Whether this is a walk-in whose cookie has not come back yet.
        provisional: bool,
    },
    /// Not living: never issued, gone, or a lease that has ended.
    Over,
}
