//! The axes of the table: what the lobby knows of a ticket, what a message says of it, and how old the message is.

use baton::facts::holder::Holder;
use baton::facts::message::{Change, Ended, Listed};
use baton::facts::reply::Standing;
use baton::facts::units::{Ahead, Fence, Instant, LaneId, Number, Version};

use crate::play::START;

/// An axis of the table: an enum that knows all that it can be, so that no cell is left out.
macro_rules! axis {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn named(name: &str) -> Self {
                let found = Self::ALL.iter().find(|one| format!("{one:?}") == name);
                *found.unwrap_or_else(|| panic!("no {name}"))
            }
        }
    };
}

axis!(
    /// What the lobby knows of the ticket, which is Ann's.
    Knows {
        Nothing,
        /// It was over, and why is remembered.
        Over,
        InHall,
        Waiting,
        /// It waits, and a word that Ann is here is on its way to the room.
        SaidHere,
        /// It waits again after a missed call, and Ann has spoken since.
        Missed,
        Called,
        WalkedIn,
        Inside,
    }
);

axis!(
    /// What a message says of the ticket.
    Says {
        Nothing,
        Waits,
        WaitsFartherBack,
        WaitsAway,
        WaitsMissed,
        /// By the fence that is known, with less time left than that.
        CalledSooner,
        /// By the fence that is known, with more time left than that.
        CalledLater,
        CalledAnew,
        WalkedIn,
        Inside,
        InsideAnew,
        InsideExtended,
        IsOver,
        Left,
        MissedTwice,
        AwayForLong,
        Released,
        Expired,
        Moved,
        /// Nothing of this ticket, but that everybody who waited is over.
        LineEnded,
    }
);

axis!(
    /// Whose ticket the message says it is.
    Whose { Anns, Bobs, }
);

axis!(
    /// How old the message is, beside what the lobby knows.
    Age {
        Older,
        Same,
        Newer,
        /// Newer, and it tells some of what is known again.
        Overlapping,
        /// Something between is missing.
        Gap,
        OfAnotherRoomLife,
        ToAnotherLobbyLife,
    }
);

/// What a lobby does with a message, by its age alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Ignored,
    Taken,
    /// The lobby says Hello.
    Asked,
}

/// The row that the lobby knows.
pub const HAVE: Version = Version(100);
/// When the message comes; the list came at [`START`].
pub const NOW: Instant = START.plus_ms(5_000);
pub const FENCE: Fence = Fence(7);
pub const CLAIM_MS: u64 = 20_000;
pub const IDLE_MS: u64 = 40_000;
pub const HARD_MS: u64 = 90_000;

impl Knows {
    /// What the list said; `None` if it named no such ticket.
    pub fn listed(self) -> Option<Standing> {
        Some(match self {
            Self::Nothing => return None,
            Self::Over | Self::InHall | Self::Waiting => waiting(5, false, false),
            Self::SaidHere => waiting(5, true, false),
            Self::Missed => waiting(5, true, true),
            Self::Called => called(FENCE, CLAIM_MS),
            Self::WalkedIn => inside(FENCE, 0, true),
            Self::Inside => inside(FENCE, 0, false),
        })
    }

    pub const fn number(self) -> Number {
        match self {
            Self::InHall => LaneId::FIRST.entry(9),
            _ => Number(9),
        }
    }
}

impl Says {
    /// Where it says the ticket stands, if it says that the ticket lives.
    pub fn standing(self) -> Option<Standing> {
        Some(match self {
            Self::Waits => waiting(3, false, false),
            Self::WaitsFartherBack => waiting(8, false, false),
            Self::WaitsAway => waiting(3, true, false),
            Self::WaitsMissed => waiting(0, true, true),
            Self::CalledSooner => called(FENCE, 10_000),
            Self::CalledLater => called(FENCE, CLAIM_MS),
            Self::CalledAnew => called(Fence(8), CLAIM_MS),
            Self::WalkedIn => inside(FENCE, 0, true),
            Self::Inside => inside(FENCE, 0, false),
            Self::InsideAnew => inside(Fence(8), 0, false),
            Self::InsideExtended => inside(FENCE, 60_000, false),
            Self::IsOver => Standing::Over,
            _ => return None,
        })
    }

    /// Why it says the ticket is over, if it says that.
    pub const fn ended(self) -> Option<Ended> {
        Some(match self {
            Self::Left => Ended::Left,
            Self::MissedTwice => Ended::Missed,
            Self::AwayForLong => Ended::Away,
            Self::Released => Ended::Released,
            Self::Expired => Ended::Expired,
            Self::Moved => Ended::Moved,
            _ => return None,
        })
    }

    pub fn change(self, number: Number, holder: Holder) -> Option<Change> {
        let lives = self.standing().map(|standing| Change::Lives(Listed { number, holder, standing }));
        lives.or(self.ended().map(|why| Change::Over(number, why)))
    }
}

impl Age {
    pub const fn fate(self) -> Fate {
        match self {
            Self::Older => Fate::Ignored,
            Self::Same | Self::Newer | Self::Overlapping => Fate::Taken,
            Self::Gap | Self::OfAnotherRoomLife | Self::ToAnotherLobbyLife => Fate::Asked,
        }
    }

    /// The row that the message is of, and the one from which on it tells.
    pub const fn rows(self) -> (Version, Version) {
        match self {
            Self::Older => (Version(99), Version(98)),
            Self::Same => (HAVE, HAVE),
            Self::Newer | Self::OfAnotherRoomLife | Self::ToAnotherLobbyLife => (Version(101), HAVE),
            Self::Overlapping => (Version(101), Version(60)),
            Self::Gap => (Version(103), Version(102)),
        }
    }
}

fn waiting(ahead: u64, away: bool, missed: bool) -> Standing {
    Standing::Waiting {
        ahead: Ahead(ahead),
        away,
        missed,
    }
}

fn called(fence: Fence, claim_in_ms: u64) -> Standing {
    Standing::Called { fence, claim_in_ms }
}

fn inside(fence: Fence, extended_ms: u64, provisional: bool) -> Standing {
    Standing::Admitted {
        fence,
        idle_in_ms: IDLE_MS,
        hard_in_ms: HARD_MS + extended_ms,
        extended_ms,
        provisional,
    }
}
