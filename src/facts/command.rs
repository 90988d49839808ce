//! What lobbies ask of a room. A command names what it means: a number *and* its key, or a fence. So it may come twice, late or for
//! somebody else's ticket without harm.

use super::enter::{Enter, Enters, Person, Who};
use super::holder::{Held, Holder, Key, Shown};
use super::lane_name::LaneName;
use super::overheard::Overheard;
use super::units::{Fence, Version};
use serde::{Deserialize, Serialize};

/// One command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// People come in.
    Enter(Enter),
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
    /// A visitor shows a place of which the lobby knows nothing, or that is newer than what it knows. Asks whether the room's data has lost it.
    Shows {
        /// The visitor.
        key: Key,
        /// The place, as a token of Baton's names it.
        shown: Shown,
    },
}

impl Command {
    /// These join.
    #[must_use]
    pub fn join(who: impl Into<Who>) -> Self {
        Self::Enter(Enter {
            how: Enters::Join,
            lane: None,
            who: who.into(),
        })
    }

    /// This one walks in.
    #[must_use]
    pub fn walk_in(who: impl Into<Person>) -> Self {
        Self::Enter(Enter {
            how: Enters::WalkIn,
            lane: None,
            who: who.into().into(),
        })
    }

    /// Returns the same, into this lane, if people come in.
    #[must_use]
    pub fn into_lane(mut self, lane: LaneName) -> Self {
        if let Self::Enter(enter) = &mut self {
            enter.lane = Some(lane);
        }
        self
    }

    /// Returns whether somebody waits for the command's effect on a permit, or for its answer about a place. Joins, presence and
    /// counts let such a command go first.
    #[must_use]
    pub const fn is_urgent(&self) -> bool {
        match self {
            Self::Enter(enter) => matches!(enter.how, Enters::WalkIn),
            Self::Presence { .. } | Self::Overheard(_) => false,
            Self::Claim { .. }
            | Self::Renew(_)
            | Self::Extend { .. }
            | Self::Release(_)
            | Self::Leave(_)
            | Self::Carry { .. }
            | Self::Shows { .. } => true,
        }
    }
}
