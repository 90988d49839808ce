//! What lobbies ask of a room and what they are answered.

use super::config::Mode;
use super::event::WhyEnded;
use super::hall::Draw;
use super::rhythm::CallTime;
use crate::units::{Ahead, Edition, Fence, LobbyId, Number, Version};
use serde::{Deserialize, Serialize};

/// One wish. Every one of them may be sent twice without harm; only `Join`, `WalkIn`,
/// `Carry` and `Origin` rely on the batch's sequence for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// So many numbers, please.
    Join {
        /// 1 to [`JOIN_COUNT_MAX`](super::config::JOIN_COUNT_MAX).
        count: u32,
    },
    /// Straight through, if a permit is free and nobody present waits.
    WalkIn,
    /// A called visitor has come.
    Claim(Number),
    /// The holder of a lease is active.
    Renew(Fence),
    /// The origin asks for more time for a lease.
    Extend {
        /// Of which lease.
        fence: Fence,
        /// By how much.
        by_ms: u64,
    },
    /// The holder is done.
    Release(Fence),
    /// The visitor gives up whatever it has under this number.
    Leave(Number),
    /// These visitors were not seen for the linger time.
    Away(Vec<Number>),
    /// The visitor is there (again): where does the ticket stand?
    Back(Number),
    /// The ticket is somebody else's device's from now on, who is there: what was handed out under
    /// the lease's old fence is worth nothing any more. Each time anew, so it is not to be repeated
    /// but by the batch.
    Carry(Number),
    /// The origin answered people inside so often since this was last said. Counted again if it comes
    /// again, but for the batch's sequence.
    Origin {
        /// Answers that are no errors.
        good: u32,
        /// Errors of the origin's own (5xx), or no answer at all.
        bad: u32,
    },
    /// The shop has said how many seats are left.
    Stock {
        /// So many.
        left: u32,
        /// When, by the shop's clock, Unix ms. What is not newer than the last is no news.
        reported_at_ms: u64,
    },
    /// Which numbers did these entries of the hall get? At most
    /// [`ENTRIES_ASKED_MAX`](super::config::ENTRIES_ASKED_MAX).
    Numbers(Vec<Number>),
}

/// The answer to one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Numbers `first`, `first + 1`, …
    Joined {
        /// The first number.
        first: Number,
        /// Its people in front; one more for each number after it.
        ahead: Ahead,
    },
    /// No numbers: the line is as long as it may be.
    Full,
    /// A permit is not free, or somebody present waits, or the room does not let walk in now.
    NoWalkIn,
    /// Where the ticket stands now.
    Stands(Standing),
    /// Done; there is nothing to say.
    Done,
    /// No number: the room's mode issues none.
    Shut,
    /// For each entry its number, the people in front of it and the row of its draw; itself while it was not drawn, 0
    /// when it is over.
    Numbers(Vec<(Number, Ahead, Version)>),
}

/// Where a ticket stands. Times are *remaining* milliseconds as of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// In the line.
    Waiting {
        /// People in front.
        ahead: Ahead,
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
        /// The ticket.
        number: Number,
        /// The lease's fence.
        fence: Fence,
        /// Time to the idle end.
        idle_in_ms: u64,
        /// Time to the hard end.
        hard_in_ms: u64,
        /// A walk-in whose cookie has not come back yet.
        provisional: bool,
    },
    /// Not living: never issued, gone, or a lease that has ended.
    Over,
}

/// What a lobby must be told until it has written it down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// The ticket is called. Time left as of the message.
    Called {
        /// The call's fence.
        fence: Fence,
        /// Time left to come.
        claim_in_ms: u64,
    },
    /// The ticket missed its first call: away, place kept.
    Missed,
    /// The ticket missed its second call and is over.
    MissedAgain,
    /// The ticket's lease reached its end.
    Expired,
    /// The operator ended the ticket.
    Dismissed,
    /// The ticket's lease was given back. Its lobby asked for it, and may have been lost before the answer.
    Released,
    /// The place was given up, likewise.
    Left,
}

/// A batch of commands from a lobby. The same bytes are sent again until they are answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Whose.
    pub lobby: LobbyId,
    /// Counts up with each life of the lobby.
    pub epoch: u64,
    /// Counts up by one from 1 within an epoch.
    pub sequence: u64,
    /// Join attempts since the last batch, repeats included.
    pub attempts: u32,
    /// Which edition's the numbers in it are. In another one they mean nobody.
    pub edition: Edition,
    /// Everything of the room's up to this version is durable in the lobby.
    pub acknowledged: Version,
    /// In the first batch of an epoch: the tickets that have a live socket.
    pub roster: Vec<Number>,
    /// In order.
    pub commands: Vec<Command>,
}

/// What every message of a room carries: one computes, all share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gist {
    /// The mode.
    pub mode: Mode,
    /// People in the line.
    pub waiting: u64,
    /// Whether a walk-in would succeed now.
    pub walk_in: bool,
    /// Measured time between calls.
    pub call_time: CallTime,
    /// Whether walk-ins are allowed at all.
    pub walk_ins: bool,
    /// The least time between two turns of the usher.
    pub tick_ms: u64,
    /// A lease ends after this long without activity.
    pub lease_idle_ms: u64,
    /// Everybody who waited under a number below this is over, and why.
    pub ended: Option<LineEnd>,
    /// The room wants to know how the origin answers.
    pub wants_health: bool,
    /// Up to which number a seat can be expected; 0: perhaps none for anybody who waits.
    pub seats_to: Option<Number>,
    /// People in the hall.
    pub in_hall: u64,
    /// While the room is not open: when it opens, Unix ms, if that is known.
    pub opens_at_ms: Option<u64>,
    /// The last draw.
    pub drawn: Option<DrawGist>,
    /// How the next draw will be.
    pub draw: Draw,
    /// Which edition the room is in: every ticket of an earlier one is over.
    pub edition: Edition,
    /// The row in which it began. What was said before that is of an earlier edition.
    pub began: Version,
}

/// What a lobby must know of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawGist {
    /// Every entry below this has a number, or is over.
    pub below: Number,
    /// In which row.
    pub version: Version,
}

/// Everybody who waited is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEnd {
    /// Who had a number below this and no lease.
    pub below: Number,
    /// Who had an entry of the hall below this.
    pub entries_below: Number,
    /// In which row.
    pub version: Version,
    /// Why.
    pub why: WhyEnded,
}

impl LineEnd {
    /// Whether who waited under this number, or entry, is over.
    #[must_use]
    pub const fn covers(&self, number: Number) -> bool {
        let below = if number.is_entry() {
            self.entries_below
        } else {
            self.below
        };
        number.0 < below.0
    }
}

/// What a room says to a lobby: an answer to a batch, or a push.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The room's version when this was said.
    pub version: Version,
    /// All notices up to this version are in `notices` or were acknowledged before.
    pub noticed: Version,
    /// Everything unacknowledged, not the change.
    pub notices: Vec<(Number, Version, Notice)>,
    /// The state of the room at large.
    pub gist: Gist,
    /// What the operator tells everybody.
    pub message: String,
    /// One for each command of the batch; empty in a push.
    pub replies: Vec<Reply>,
    /// The version in which the batch was taken: a repeated answer is as old as its first.
    pub answered: Version,
    /// The moving picture of the line, when it changed; see `docs/protocol.md`.
    pub frame: Option<Vec<u8>>,
}

/// Why a batch was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// A newer life of this lobby has spoken. Start again.
    OldEpoch,
    /// A batch is missing in between. Start again.
    Gap,
    /// More lobbies, commands or numbers than the limits allow, or bytes that are no batch.
    Malformed,
}
