//! What lobbies ask of a room. A command names what it means, a number *and* its key, or a fence; so each may come twice, late or
//! for somebody else's ticket without harm.

use super::answer_times::AnswerTimes;
use super::entry::EntryRefusals;
use super::holder::{Held, Holder, Key, Member};
use super::lane_name::LaneName;
use super::proofs::ProofChecks;
use super::units::{Fence, Version};
use super::voucher::Spend;
use serde::{Deserialize, Serialize};

/// One wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// A number for each of these, in order, unless they have one. At most
    /// [`JOIN_COUNT_MAX`](super::limits::JOIN_COUNT_MAX).
    Join(Vec<Holder>),
    /// Straight through, if a permit is free and nobody present waits.
    WalkIn(Holder),
    /// A called visitor has come.
    Claim {
        /// Whose.
        place: Held,
        /// The call that is answered.
        fence: Fence,
    },
    /// The holder of a lease is active.
    Renew(Fence),
    /// The origin asks for more time for a lease.
    Extend {
        /// The lease.
        fence: Fence,
        /// By how much its hard end is to have moved in all.
        total_ms: u64,
    },
    /// The holder is done.
    Release(Fence),
    /// The visitor gives up the place or the permit.
    Leave(Held),
    /// Who is there and who is not, of those of whom the lobby takes the room to think otherwise.
    Presence {
        /// What the lobby knew: a call missed after that is not answered by this.
        as_of: Version,
        /// There.
        here: Vec<Held>,
        /// Not seen for the linger time.
        away: Vec<Held>,
    },
    /// The place is another's from now on, who has come with a link.
    Carry {
        /// Whose it was when the link was made.
        place: Held,
        /// As of which row the link was made: void if the place was carried after it.
        row: Version,
        /// Whose it is to be.
        to: Holder,
    },
    /// The origin answered people inside so often since this was last said. A lost count is not said again.
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
        /// When, by the shop's clock, Unix ms. A report that is not newer than the last is no news.
        reported_at_ms: u64,
    },
    /// The shop's check judged so many proofs since this was last said. A lost count is not said again.
    Proofs(ProofChecks),
    /// The origin took so long to answer people inside since this was last said. A lost count is not said again.
    AnswerTimes(AnswerTimes),
    /// As `Join`, for accounts, each of which has one place: the one that it has, if that may move here, else one of this device's that
    /// is no account's, else a number. At most [`JOIN_COUNT_MAX`](super::limits::JOIN_COUNT_MAX).
    JoinAs(Vec<Member>),
    /// As `WalkIn`, for an account that has no place.
    WalkInAs {
        /// Who.
        holder: Holder,
        /// For which account.
        account: Key,
    },
    /// So many visits had no entry since this was last said. A lost count is not said again.
    EntryRefused(EntryRefusals),
    /// A number for somebody who has none, by a voucher, which is spent by that. A visitor who has a number keeps it, and spends nothing.
    JoinWith {
        /// Who.
        holder: Holder,
        /// With what.
        spend: Spend,
    },
    /// As `WalkIn`, likewise.
    WalkInWith {
        /// Who.
        holder: Holder,
        /// With what.
        spend: Spend,
    },
    /// One comes into this lane; by the wishes above into everybody's. A visitor who waits in a lane behind it moves to its end.
    Into(LaneName, Entering),
}

impl Command {
    /// Whether somebody waits for what this does to a permit, or for an answer about a place. Who comes to wait in line, and what is
    /// only counted, lets it go first.
    #[must_use]
    pub const fn is_urgent(&self) -> bool {
        match self {
            Self::Join(_)
            | Self::JoinAs(_)
            | Self::JoinWith { .. }
            | Self::Into(_, Entering::Join(_) | Entering::JoinAs(_))
            | Self::Presence { .. }
            | Self::Origin { .. }
            | Self::Stock { .. }
            | Self::Proofs(_)
            | Self::AnswerTimes(_)
            | Self::EntryRefused(_) => false,
            Self::WalkIn(_)
            | Self::WalkInAs { .. }
            | Self::WalkInWith { .. }
            | Self::Into(_, Entering::WalkIn(_) | Entering::WalkInAs { .. })
            | Self::Claim { .. }
            | Self::Renew(_)
            | Self::Extend { .. }
            | Self::Release(_)
            | Self::Leave(_)
            | Self::Carry { .. } => true,
        }
    }
}

/// How somebody comes into a lane: as the wishes of these names.
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
        /// Who.
        holder: Holder,
        /// For which account.
        account: Key,
    },
}

impl Entering {
    /// The command by which one so comes into a lane; `None`: into everybody's.
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
