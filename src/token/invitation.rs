//! The token in an invitation's link: which voucher it is, and when it counts. Baton signs it with its own key, so the shop needs none. It names its
//! room, so that an invitation to another room can be told from a forged one. It names no host: a room may have several.

use sha2::{Digest, Sha256};

use super::TokenError;
use super::keys::Scope;
use super::kinds::{Kind, Token, plausible};
use super::layout::layout;
use facts::voucher::SheetId;

/// The scope of tokens that travel in links and name their room themselves: no room and no host.
pub const ANYWHERE: Scope<'static> = Scope { room: "", host: "" };

/// Returns the mark by which a link names a room: the first 8 bytes of the SHA-256 of what the room's tokens are bound to.
#[must_use]
pub fn room_mark(bound_as: &str) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::digest(bound_as.as_bytes()).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    [a, b, c, d, e, f, g, h]
}

/// An invitation. The room knows whether it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    /// The [`room_mark`] of its room.
    pub room: [u8; 8],
    /// The sheet.
    pub sheet: SheetId,
    /// Which slip of the sheet it is, from 0.
    pub index: u32,
    /// From when on it counts, Unix ms; 0 means at once.
    pub from_at_ms: u64,
    /// Until when it counts, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Invitation {
    room: [u8; 8],
    sheet: SheetId,
    index: u32,
    from_at_ms: u64,
    ends_at_ms: u64,
});

impl Token for Invitation {
    const KIND: Kind = Kind::Invitation;
    const BOUND_TO_ROOM: bool = false;
    /// The time is not judged here: a visitor who comes too early or too late is told so, and not that the link is bad.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.from_at_ms, self.ends_at_ms])
    }
}
