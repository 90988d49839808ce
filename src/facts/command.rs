//! What lobbies ask of a room. A command names what it means: a number *and* its key, or a fence. So it may come twice, late or for
//! somebody else's ticket without harm.

use super::holder::{Held, Holder, Key, Member, Shown};
use super::lane_name::LaneName;
use super::overheard::Overheard;
use super::units::{Fence, Version};
use super::voucher::Spend;
use serde::{Deserialize, Serialize};

/// One command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Gives each of these a number, in order, unless they have one. At most [`JOIN_COUNT_MAX`](super::limits::JOIN_COUNT_MAX).
    Join(Vec<Holder>),
    /// Lets the visitor go straight through if a permit is free and nobody present waits.
    WalkIn(Holder),
    /// A called visitor has come.
    Claim {
        /// The visitor's place.
        place: Held,
        /// The call that the visitor answers.
        fence: Fence,
    },
    /// The holder of a lease is active.
    Renew(Fence),
    /// The origin asks for more time for a lease.
    Extend {
        /// The lease.
        fence: Fence,
        /// By how much the lease's hard end is to have moved in all, in ms.
        total_ms: u64,
    },
    /// The holder is done.
    Release(Fence),
    /// The visitor gives up the place or the permit.
    Leave(Held),
    /// Reports who is there and who is not, where the lobby assumes that the room thinks otherwise.
    Presence {
        /// The row that the lobby knew. This brings nobody back who missed a call after it.
        as_of: Version,
        /// Visitors who are there.
        here: Vec<Held>,
        /// Visitors not seen for the linger time.
        away: Vec<Held>,
    },
    /// Gives the place to another device, which came with a link.
    Carry {
        /// The place, with its holder when the link was made.
        place: Held,
        /// The row in which the link was made. The link is void if the place was carried after it.
        row: Version,
        /// The new holder.
        to: Holder,
    },
    /// Counts what fronts overheard since the last such report. A lost count is not repeated.
    Overheard(Box<Overheard>),
    /// Like `Join`, for accounts, each of which has one place: the one that it has, if that may move here; else this device's own, if it is no
    /// account's; else a number. At most [`JOIN_COUNT_MAX`](super::limits::JOIN_COUNT_MAX).
    JoinAs(Vec<Member>),
    /// Like `WalkIn`, for an account that has no place.
    WalkInAs {
        /// The device.
        holder: Holder,
        /// The account.
        account: Key,
    },
    /// Gives a number to somebody who has none and spends a voucher on it. A visitor who has a number keeps it and spends nothing, unless the
    /// voucher leads to a better lane than the one in which the visitor waits: then the ticket moves to its end.
    JoinWith {
        /// The visitor.
        holder: Holder,
        /// The voucher and when it is shown.
        spend: Spend,
    },
    /// Like `WalkIn`, with a voucher as in `JoinWith`.
    WalkInWith {
        /// The visitor.
        holder: Holder,
        /// The voucher and when it is shown.
        spend: Spend,
    },
    /// Brings somebody into this lane; the commands above bring them into everybody's. A visitor who waits in a lane behind it moves to its end.
    Into(LaneName, Entering),
    /// A visitor shows a place of which the lobby knows nothing, or that is newer than what it knows. Asks whether the room's data has lost it.
    Shows {
        /// The visitor.
        key: Key,
        /// The place, as a token of Baton's names it.
        shown: Shown,
    },
}

impl Command {
    /// Returns whether somebody waits for the command's effect on a permit, or for its answer about a place. Joins, presence and
    /// counts let such a command go first.
    #[must_use]
    pub const fn is_urgent(&self) -> bool {
        match self {
            Self::Join(_)
            | Self::JoinAs(_)
            | Self::JoinWith { .. }
            | Self::Into(_, Entering::Join(_) | Entering::JoinAs(_))
            | Self::Presence { .. }
            | Self::Overheard(_) => false,
            Self::WalkIn(_)
            | Self::WalkInAs { .. }
            | Self::WalkInWith { .. }
            | Self::Into(_, Entering::WalkIn(_) | Entering::WalkInAs { .. })
            | Self::Claim { .. }
            | Self::Renew(_)
            | Self::Extend { .. }
            | Self::Release(_)
            | Self::Leave(_)
            | Self::Carry { .. }
            | Self::Shows { .. } => true,
        }
    }
}

/// How somebody comes into a lane. Each variant works like the command of its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entering {
    /// See [`Command::Join`].
    Join(Vec<Holder>),
    /// See [`Command::WalkIn`].
    WalkIn(Holder),
    /// See [`Command::JoinAs`].
    JoinAs(Vec<Member>),
    /// See [`Command::WalkInAs`].
    WalkInAs {
        /// The device.
        holder: Holder,
        /// The account.
        account: Key,
    },
}

impl Entering {
    /// Returns the command that brings somebody into this lane; `None` means everybody's.
    #[must_use]
    pub fn into_lane(self, lane: Option<LaneName>) -> Command {
        match (lane, self) {
            (Some(lane), entering) => Command::Into(lane, entering),
            (None, Self::Join(holders)) => Command::Join(holders),
            (None, Self::WalkIn(holder)) => Command::WalkIn(holder),
            (None, Self::JoinAs(members)) => Command::JoinAs(members),
            (None, Self::WalkInAs { holder, account }) => Command::WalkInAs { holder, account },
        }
    }
}
