//! Vouchers: what lets its holder join and is spent by that. An invitation is a signed link for one place; a code is a word that
//! gives as many places as its operator said. Vouchers that were made together are a sheet.

use super::units::Number;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Which sheet of a room, counted from 1. Never used again, not even in another edition: links name it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SheetId(pub u32);

impl SheetId {
    /// The one that is made after this.
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

/// A code under a key of the deployment's, cut: the room compares codes and cannot read them. Of 20,000 codes two share one with a
/// chance of one in 10¹¹.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
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

/// How many keys a code may have been hashed with: the deployment's secret, the one before and the coming one.
pub const CODE_KEYS: usize = 3;

/// What somebody shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voucher {
    /// A link.
    Invitation {
        /// The sheet.
        sheet: SheetId,
        /// Which of it, from 0.
        index: u32,
    },
    /// A code, under each key that it may have been stored with, the newest first.
    Code([CodeHash; CODE_KEYS]),
}

/// Somebody joins with this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// With what.
    pub voucher: Voucher,
    /// When, by the front's clock, Unix ms: a sheet's hours are the wall clock's.
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

/// What a sheet has, as everybody may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slips {
    /// So many invitations, each good once.
    Invitations {
        /// At least one.
        count: u32,
    },
    /// Codes.
    Codes {
        /// At least one.
        count: u32,
        /// How many places they give in all.
        uses: u64,
    },
}

impl Slips {
    /// How many places they give in all.
    #[must_use]
    pub const fn uses(self) -> u64 {
        match self {
            Self::Invitations { count } => count as u64,
            Self::Codes { uses, .. } => uses,
        }
    }
}

/// What holds for a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The lane that its vouchers name; none: everybody's.
    pub lane: Option<String>,
    /// From when on they count, Unix ms; 0: at once.
    pub from_at_ms: u64,
    /// Until when, Unix ms.
    pub ends_at_ms: u64,
}

/// A voucher was spent on a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// On which.
    pub number: Number,
    /// The sheet.
    pub sheet: SheetId,
    /// How many places the sheet has given since the edition began, this one included.
    pub used: u64,
    /// Which it was. Private: an export has none.
    pub slip: Option<Slip>,
}

/// Why a voucher gives no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unspent {
    /// It has given all that it may, to others.
    Used,
    /// No sheet has it: its operator took the sheet back, or nobody ever made it.
    Unknown,
    /// Its time has not come.
    Early {
        /// From when on it counts, Unix ms.
        from_at_ms: u64,
    },
    /// Its time is over.
    Late,
}

/// Whether this may name a lane: 1 to 16 of `a-z0-9-`.
#[must_use]
pub fn is_lane_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=16).contains(&text.len()) && text.bytes().all(plain)
}
