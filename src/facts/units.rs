//! The quantities that everything else is made of. Each has a type of its own, so that nobody can pass a number where a fence is meant.

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
    /// A place in a room's line, unique within an [`Edition`]. Bits 0 to 47 count up by one from 1 within a lane, bit 48 marks an entry of the
    /// hall, and bits 49 to 51 hold the [`LaneId`]. A JavaScript number represents it exactly.
    Number(u64)
);
quantity!(
    /// Identifies a call and the lease that follows from it. It durably grows with every call; a holder who shows an
    /// old fence is told that it is over.
    Fence(u64)
);
quantity!(
    /// A lobby of a room, counted from 0.
    LobbyId(u16)
);
quantity!(
    /// A lane of a room, by the slot that the room keeps for it: below [`LANES_MAX`]. A room without lanes has only 0.
    LaneId(u8)
);
quantity!(
    /// The number of people in front of a ticket who have neither gone in nor dropped out.
    Ahead(u64)
);
quantity!(
    /// The number of turns that the room has journaled. Of two statements about one ticket, the one with the higher version wins.
    Version(u64)
);
quantity!(
    /// A point on the *room's* clock, in milliseconds. The clock starts near Unix time, never runs back and never leaps past what the room slept
    /// for. It is no wall clock, so only differences leave the room.
    Instant(u64)
);

/// The number of times the room was begun: 1 at first, one more with each reset. A [`Number`] is unique within one edition; a [`Fence`] and
/// a [`Version`] are unique for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Edition(pub u32);

impl Edition {
    /// The edition before any reset.
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

/// Maximum lanes of a room: three bits of a number.
pub const LANES_MAX: usize = 8;
/// The bit that marks an entry of the hall. No lane's line gets this long.
const ENTRY: u64 = 1 << 48;
/// The position of the lane's lowest bit.
const LANE_SHIFT: u32 = 49;

impl LaneId {
    /// The lane of a room without lanes.
    pub const FIRST: Self = Self(0);

    /// Yields every lane that a room can have.
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

    /// The `entry`-th entry of the lane's hall. Entries have a counter of their own and are marked by a bit, so that whatever keeps, carries and
    /// ends places does the same for entries.
    #[must_use]
    pub const fn entry(self, entry: u64) -> Number {
        self.number(ENTRY.saturating_add(entry))
    }
}

impl Number {
    /// The lane that the number belongs to.
    #[must_use]
    pub const fn lane(self) -> LaneId {
        LaneId((self.0 >> LANE_SHIFT) as u8 & (LANES_MAX as u8 - 1))
    }

    /// The number within its lane, or the count of an entry within its hall. This is what people are shown.
    #[must_use]
    pub const fn within(self) -> u64 {
        self.0 & (ENTRY - 1)
    }

    /// The count of this entry within its lane's hall, from 1. Returns `None` for a place in the line.
    #[must_use]
    pub const fn entry(self) -> Option<u64> {
        if self.0 & ENTRY != 0 && self.within() > 0 {
            Some(self.within())
        } else {
            None
        }
    }

    /// Returns whether this is an entry of the hall.
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
    /// The end of the room's time, which nothing reaches.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `ms` milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// The milliseconds from `earlier` to this instant; 0 if `earlier` is later.
    #[must_use]
    pub const fn since_ms(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Identifies a visitor to Baton: 16 bytes from the visitor cookie. The first eight are an [`AddressTag`] if the address is known, so that all
/// visitors named at one address begin in one lobby, which can count them there. The other eight are random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VisitorId(pub [u8; 16]);

/// A keyed hash of the address at which a visitor was named. Equal addresses have equal tags; without the secret a tag is worth nothing. The lowest
/// bit says whether many may share the address, as they do an IPv4 address. Of other IPv6 the first four bytes are a hash of the /48, the next two of the /56, and the last two of the /64: so
/// the tags of one network begin alike. If the address is unknown, the whole tag is random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddressTag(pub [u8; 8]);

/// What a limit counts together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// One address: of IPv6, a /64. A household or a phone has one.
    #[default]
    Address,
    /// A /56 of IPv6, which many providers give to a household.
    Slash56,
    /// A /48 of IPv6. A campus or a part of a carrier has one; anybody can get one for nothing.
    Slash48,
}

impl AddressTag {
    /// Returns whether many visitors may share the address.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        let [.., last] = self.0;
        last & 1 == 1
    }

    /// Returns the networks that the address is part of, the smallest first.
    #[must_use]
    pub const fn networks(self) -> &'static [Network] {
        if self.is_shared() {
            &[Network::Address]
        } else {
            &[Network::Address, Network::Slash56, Network::Slash48]
        }
    }

    /// Returns what all tags of this network have in common.
    #[must_use]
    pub const fn within(self, network: Network) -> Self {
        let [a, b, c, d, e, f, ..] = self.0;
        match network {
            Network::Address => self,
            Network::Slash56 => Self([a, b, c, d, e, f, 0, 0]),
            Network::Slash48 => Self([a, b, c, d, 0, 0, 0, 0]),
        }
    }
}

impl VisitorId {
    /// Names a new visitor at an address. `random` makes the name unique there.
    #[must_use]
    pub const fn at(tag: AddressTag, random: [u8; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = tag.0;
        let [i, j, k, l, m, n, o, p] = random;
        Self([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
    }

    /// The tag of the address at which the visitor was named.
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

/// Identifies one of a shop's customers: the first half of a hash of an issuer and its `sub` (`token/account.rs`). A room never sees it: a lobby
/// makes a key of it with the room's salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub [u8; 16]);
