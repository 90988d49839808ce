//! Baton's tokens: what it signs, and how it knows its own signature again.
//!
//! A token is `base64url(version ‖ kind ‖ key id ‖ payload ‖ mac)`, unpadded, of one exact length for each kind. Nothing in here reads a
//! clock or rolls dice: key, time and random bytes are arguments. Nothing asserts on what a visitor sent, and no payload is believed
//! before its MAC was found right.
//!
//! | part | bytes | what |
//! |---|---|---|
//! | version | 1 | [`VERSION`] |
//! | kind | 1 | [`Kind`] |
//! | key id | 4 | names the key without revealing anything about it |
//! | payload | by kind | integers, big-endian, fixed layout |
//! | mac | 32 | HMAC-SHA256, never cut |
//!
//! Each kind has a subkey of its own for the MAC. The MAC also covers room and host, though the token does not carry them. Every field goes in with
//! its length in front, so no byte can be read as another field's. A token of another kind, room or host is therefore simply not signed.

#![warn(unused_crate_dependencies)]

mod account;
mod bypass;
mod codec;
mod entry;
mod invitation;
mod keys;
mod kinds;
mod knock;
mod layout;
mod operator;
mod pass;
mod proof;
mod staff;
mod vouched;

pub use account::account_id;
pub use bypass::{BYPASS_BYTES_MIN, BypassSecret};
pub use entry::{
    Audience, Bearer, CLOCK_SKEW_MS, ENTRY_BYTES_MAX, ENTRY_KEYS_MAX, Entrant, EntryKeyError, EntryKeys, LIFE_S_MAX, Opened, Question,
    SUBJECT_BYTES_MAX, Signed,
};
pub use invitation::{ANYWHERE, Invitation, room_mark};
pub use keys::{KeyError, KeySlot, Keyring, SECRET_BYTES_MIN, Scope, UNKNOWN_KEY_MS_MAX, Verified};
pub use kinds::{AT_MS_MAX, Carry, Desk, Human, Kind, Rehearsal, Ticket, Token, Visitor};
pub use knock::Knock;
pub use operator::{Denied, Need, Operator, Operators, RESERVED_NAMES, Role, SECRET_HOLDER, TOKEN_CHARS_MIN, Within};
pub use pass::{Farewell, Freshness, Pass, PassCookie, Provisional};
pub use proof::{OriginKey, PROOF_SKEW_MS_MAX, ProofError, ProofRequest, StockReport};
pub use staff::{STAFF_LIFE_MS_MAX, STAFF_NAME_BYTES_MAX, Staff, StaffName};
pub use vouched::{
    ASSERTION_BYTES_MAX, Algorithm, Asked, Assertion, Doubt, Email, Expected, FAILED_MS, KEYS_BYTES_MAX, KEYS_MAX, KEYS_MS, Keyset, Login, Lookup,
    PROVIDER_BYTES_MAX, Provider, PublicKey, Returned, UNKNOWN_MS, is_secure_address,
};

/// The layout that this code signs, and the only one that it accepts.
pub const VERSION: u8 = 1;

/// Why a token was refused. To the visitor all reasons mean the same (wait in line); counters and logs tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenError {
    /// Not canonical unpadded base64url, or not of this kind's exact length.
    Malformed,
    /// A version that this code does not know.
    UnknownVersion,
    /// A token, but of another kind.
    WrongKind,
    /// Signed with a key that is not known here, or pretending to be.
    UnknownKey,
    /// The MAC is not ours: altered, forged, or made for another room or host.
    BadMac,
    /// Signed by us, but with a value that cannot be meant (an instant beyond [`AT_MS_MAX`], …).
    OutOfRange,
    /// Ours and sound, but its time is over.
    Expired,
}

impl std::fmt::Display for TokenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Malformed => "malformed",
            Self::UnknownVersion => "unknown_version",
            Self::WrongKind => "wrong_kind",
            Self::UnknownKey => "unknown_key",
            Self::BadMac => "bad_mac",
            Self::OutOfRange => "out_of_range",
            Self::Expired => "expired",
        })
    }
}

impl std::error::Error for TokenError {}
