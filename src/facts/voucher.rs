//! Vouchers. A voucher lets its holder join and is spent by that. An invitation is a signed link for one place; a code is a word that gives as many
//! places as its operator said. Vouchers made together form a sheet.

use super::units::Number;
use core::fmt;
use serde::{Deserialize, Serialize};

/// A sheet of a room, counted from 1. The room never uses an id again, not even in another edition, because links name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SheetId(pub u32);

impl SheetId {
    /// The sheet that is made after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for SheetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A code hashed with a key of the deployment and cut short: the room compares codes and cannot read them. Among 20,000 codes, two share a
/// hash with a chance of one in 10¹¹.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; 8]", into = "[u8; 8]")]
pub struct CodeHash(pub u64);

impl From<[u8; 8]> for CodeHash {
    fn from(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }
}

impl From<CodeHash> for [u8; 8] {
    fn from(hash: CodeHash) -> Self {
        hash.0.to_be_bytes()
    }
}

/// The number of keys that a code may have been hashed with: the deployment's secret, the one before and the coming one.
pub const CODE_KEYS: usize = 3;

/// What a visitor shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voucher {
    /// A signed link.
    Invitation {
        /// The sheet.
        sheet: SheetId,
        /// The invitation's position on the sheet, from 0.
        index: u32,
    },
    /// A code, hashed with each key that it may have been stored with, the newest first.
    Code([CodeHash; CODE_KEYS]),
}

/// A voucher with which somebody joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// The voucher.
    pub voucher: Voucher,
    /// When, in Unix ms of the front's clock: a sheet's hours go by the wall clock.
    pub at_ms: u64,
}

/// One voucher of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slip {
    /// An invitation, by its index.
    Index(u32),
    /// A code.
    Code(CodeHash),
}

/// The vouchers of a sheet, as everybody may know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slips {
    /// Invitations, each good once.
    Invitations {
        /// How many, at least one.
        count: u32,
    },
    /// Codes.
    Codes {
        /// How many, at least one.
        count: u32,
        /// The number of places that they give in all.
        uses: u64,
    },
}

impl Slips {
    /// The number of places that the vouchers give in all.
    #[must_use]
    pub const fn uses(self) -> u64 {
        match self {
            Self::Invitations { count } => count as u64,
            Self::Codes { uses, .. } => uses,
        }
    }
}

/// The terms of a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The lane that its vouchers name; `None` for everybody's.
    pub lane: Option<String>,
    /// When its vouchers become valid, in Unix ms; 0 for at once.
    pub from_at_ms: u64,
    /// When they stop being valid, in Unix ms.
    pub ends_at_ms: u64,
}

/// A voucher was spent on a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The ticket.
    pub number: Number,
    /// The sheet.
    pub sheet: SheetId,
    /// The number of places that the sheet has given since the edition began, this one included.
    pub used: u64,
    /// The voucher that was spent. Private: an export has none.
    pub slip: Option<Slip>,
}

/// Why a voucher gives no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unspent {
    /// It has given all its places to others.
    Used,
    /// It is on no sheet: its operator took the sheet back, or nobody ever made it.
    Unknown,
    /// Its time has not come.
    Early {
        /// When it becomes valid, in Unix ms.
        from_at_ms: u64,
    },
    /// Its time is over.
    Late,
}

/// Returns whether this may name a lane: 1 to 16 of `a-z0-9-`.
#[must_use]
pub fn is_lane_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=16).contains(&text.len()) && text.bytes().all(plain)
}
