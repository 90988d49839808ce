//! Who holds a ticket, as far as a room can tell: keyed hashes that it compares and cannot read.

use super::units::{Edition, Network, Number, Version};
use core::fmt;
use core::ops::RangeInclusive;
use serde::{Deserialize, Serialize};

/// A visitor's name hashed with the room's [`Salt`]: equal for equal visitors, and worth nothing without the salt. A key has eight bytes, so two of
/// ten million visitors share one with a chance of three in a million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; 8]", into = "[u8; 8]")]
pub struct Key(pub u64);

impl From<[u8; 8]> for Key {
    fn from(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }
}

impl From<Key> for [u8; 8] {
    fn from(key: Key) -> Self {
        key.0.to_be_bytes()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The address at which a visitor was named, hashed with the same salt. It has four bytes: only limits of addresses
/// count by it; it decides nothing else. The highest bit says whether many share the address. Of others the next 20 bits are of the /48, then 6 of
/// the /56 and 5 of the /64. Few bits are enough for those two: two /64s that share a tag share a share, and their /56 has no more than four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; 4]", into = "[u8; 4]")]
pub struct Tag(pub u32);

impl Tag {
    const SLASH56_BITS: u32 = 6;
    const SLASH64_BITS: u32 = 5;
    const SLASH48_SHIFT: u32 = Self::SLASH56_BITS + Self::SLASH64_BITS;
    const SHARED: u32 = 1 << 31;

    /// Makes the tag of an address that many share of a hash of it.
    #[must_use]
    pub const fn shared(hash: u32) -> Self {
        Self(hash | Self::SHARED)
    }

    /// Makes the tag of an IPv6 address of hashes of its networks.
    #[must_use]
    pub const fn of_ipv6(slash48: u32, slash56: u32, slash64: u32) -> Self {
        let high = (slash48 << Self::SLASH48_SHIFT) & !Self::SHARED;
        let middle = (slash56 % (1 << Self::SLASH56_BITS)) << Self::SLASH64_BITS;
        let low = slash64 % (1 << Self::SLASH64_BITS);
        Self(high | middle | low)
    }

    /// Returns the tag of the largest network that one holder may have: an address that many share is its own, any other is of a /48.
    #[must_use]
    pub const fn of_holder(self) -> Self {
        let others = if self.0 & Self::SHARED == 0 { (1 << Self::SLASH48_SHIFT) - 1 } else { 0 };
        Self(self.0 & !others)
    }

    /// Returns the tags of the addresses in this network, as far as four bytes tell them apart.
    #[must_use]
    pub const fn within(self, network: Network) -> RangeInclusive<Self> {
        let others = match network {
            Network::Address => 0,
            Network::Slash56 => (1 << Self::SLASH64_BITS) - 1,
            Network::Slash48 => (1 << Self::SLASH48_SHIFT) - 1,
        };
        Self(self.0 & !others)..=Self(self.0 | others)
    }
}

impl From<[u8; 4]> for Tag {
    fn from(bytes: [u8; 4]) -> Self {
        Self(u32::from_be_bytes(bytes))
    }
}

impl From<Tag> for [u8; 4] {
    fn from(tag: Tag) -> Self {
        tag.0.to_be_bytes()
    }
}

/// The holder of a ticket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// The key of the holder's name.
    pub key: Key,
    /// The tag of the address.
    pub tag: Tag,
}

/// Somebody who joins for an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The device that holds the place.
    pub holder: Holder,
    /// The account that the place belongs to, hashed with the room's [`Salt`].
    pub account: Key,
    /// How the device comes, which decides what it may take over.
    pub comes: Comes,
}

/// How a device comes to join for an account. It decides what the device may take over of a place that the account has on another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Comes {
    /// By itself, with a place that it was told of before: it takes nothing over unless it still holds a place. So a page that sleeps while its
    /// place moves on does not take the place back when it wakes.
    Back,
    /// Without a place: it takes over a place that waits.
    Anew,
    /// By a pressed button: it also takes over a place that is called or inside.
    ByButton,
}

/// A ticket and its expected holder. A command that names it does nothing once somebody else holds the ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Held {
    /// The ticket.
    pub number: Number,
    /// Its holder.
    pub key: Key,
}

/// What keys are made with. The room mints a salt for each edition, keeps it outside its journal and hands it to its lobbies. Once the salt is
/// deleted, nobody can tell whose the keys were.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Salt(pub [u8; 16]);

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

/// A place as a token or a socket remembers it, with the row that Baton had reached when it told of it. Baton
/// never says anything older of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The edition.
    pub edition: Edition,
    /// The number within the edition.
    pub number: Number,
    /// The row that Baton had reached when it told of the place.
    pub row: Version,
}
