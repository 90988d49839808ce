//! The quantities everything else is made of, each with a type of its own, so that a number
//! in line can never be passed where a fence is meant.

use core::fmt;
use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

quantity!(
    /// A place in a room's line, unique within an [`Edition`]. Bits 0 to 47 count up by one from 1 within a lane, bit 48 marks an
    /// entry of the hall, bits 49 to 51 are the [`LaneId`]. A browser holds it exactly.
    Number(u64)
);
quantity!(
    /// Grows with every call, durably. A holder who shows an old fence is told it is over.
    Fence(u64)
);
quantity!(
    /// Which lobby of a room, counted from 0.
    LobbyId(u16)
);
quantity!(
    /// Which of a room's lanes, by the slot that the room keeps for it: below [`LANES_MAX`]. A room without lanes has 0 alone.
    LaneId(u8)
);
quantity!(
    /// People in front of a ticket who have neither gone in nor dropped out.
    Ahead(u64)
);
quantity!(
    /// How many turns the room has journaled. The higher of two statements about one ticket wins.
    Version(u64)
);
quantity!(
    /// A point on the *room's* clock, in milliseconds. It starts near Unix time, never runs back
    /// and never leaps past what the room slept for, so it is no wall clock: only differences
    /// leave the room.
    Instant(u64)
);

/// How many times a room was begun: 1, and one more with each reset. A [`Number`] is unique within one edition, a
/// [`Fence`] and a [`Version`] for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Edition(pub u32);

impl Edition {
    /// Before any reset.
    pub const FIRST: Self = Self(1);

    /// The edition after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl Default for Edition {
    fn default() -> Self {
        Self::FIRST
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Most lanes of one room: three bits of a number.
pub const LANES_MAX: usize = 8;
/// Marks an entry of the hall. No lane's line comes so far.
const ENTRY: u64 = 1 << 48;
/// Where the lane begins.
const LANE_SHIFT: u32 = 49;

impl LaneId {
    /// The lane of a room without lanes.
    pub const FIRST: Self = Self(0);

    /// Every lane that a room can have.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..LANES_MAX as u8).map(Self)
    }

    /// The first number of the lane's line.
    #[must_use]
    pub const fn first_number(self) -> Number {
        self.number(1)
    }

    /// The lane's `within`-th number.
    #[must_use]
    pub const fn number(self, within: u64) -> Number {
        Number(((self.0 as u64) << LANE_SHIFT).saturating_add(within))
    }

    /// The `entry`-th entry of the lane's hall. Entries have a counter of their own and are told apart by a bit, so that
    /// everything which keeps, carries and ends places does so for entries.
    #[must_use]
    pub const fn entry(self, entry: u64) -> Number {
        self.number(ENTRY.saturating_add(entry))
    }
}

impl Number {
    /// The lane.
    #[must_use]
    pub const fn lane(self) -> LaneId {
        LaneId((self.0 >> LANE_SHIFT) as u8 & (LANES_MAX as u8 - 1))
    }

    /// The number within its lane, or which entry of its hall it is: what people are shown.
    #[must_use]
    pub const fn within(self) -> u64 {
        self.0 & (ENTRY - 1)
    }

    /// Which entry of its lane's hall this is, counted from 1; `None`: it is a place in the line.
    #[must_use]
    pub const fn entry(self) -> Option<u64> {
        if self.0 & ENTRY != 0 && self.within() > 0 {
            Some(self.within())
        } else {
            None
        }
    }

    /// Whether this is an entry of the hall.
    #[must_use]
    pub const fn is_entry(self) -> bool {
        self.entry().is_some()
    }

    /// The `entry`-th entry of the hall of a room without lanes.
    #[must_use]
    pub const fn of_entry(entry: u64) -> Self {
        LaneId::FIRST.entry(entry)
    }

    /// The number `count` places further back.
    #[must_use]
    pub const fn plus(self, count: u64) -> Self {
        Self(self.0.saturating_add(count))
    }
}

impl Fence {
    /// The fence after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl Instant {
    /// The end of the room's time: what nothing reaches.
    pub const NEVER: Self = Self(u64::MAX);

    /// `ms` milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to here, 0 if `earlier` is later.
    #[must_use]
    pub const fn since_ms(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Who a visitor is to Baton: 16 bytes from the visitor cookie. The first eight are an [`AddressTag`] where the address is
/// known, so that all who were named at one address begin in one lobby and can be counted there; the others are random.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct VisitorId(pub [u8; 16]);

/// A keyed hash of the address at which a visitor was named: equal for equal addresses, and worth nothing without the
/// secret. Its lowest bit says whether that was IPv4. Where the address is not known all of it is random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressTag(pub [u8; 8]);

impl AddressTag {
    /// Whether many may stand behind the address.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        let [.., last] = self.0;
        last & 1 == 1
    }
}

impl VisitorId {
    /// Somebody new at an address. `random` makes the name unique there.
    #[must_use]
    pub const fn at(tag: AddressTag, random: [u8; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = tag.0;
        let [i, j, k, l, m, n, o, p] = random;
        Self([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
    }

    /// Where the visitor was named.
    #[must_use]
    pub const fn tag(self) -> AddressTag {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        AddressTag([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for VisitorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Which of a shop's customers somebody is: the first half of a hash of an issuer and its `sub` (`token/account.rs`). A room never
/// hears it: a lobby makes a key of it with the room's salt.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct AccountId(pub [u8; 16]);
