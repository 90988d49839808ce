//! The token of staff: somebody of the shop's who goes in without a place, for some hours. The link carries it, and the cookie keeps it. It opens the
//! room's gated paths and nothing else.

use super::TokenError;
use super::codec::Reader;
use super::kinds::{Kind, Token, not_over};
use super::layout::{Field, layout};

/// How long a staff link may count, in ms: a day.
pub const STAFF_LIFE_MS_MAX: u64 = 86_400_000;
/// The most bytes of a name.
pub const STAFF_NAME_BYTES_MAX: usize = 16;

/// The name that the origin is told: 1 to 16 of `a-z0-9-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaffName {
    bytes: [u8; STAFF_NAME_BYTES_MAX],
    length: u8,
}

impl StaffName {
    /// Reads a name; `None` if the text is no such name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let mut bytes = [0; STAFF_NAME_BYTES_MAX];
        let fits = bytes.get_mut(..text.len()).filter(|place| !place.is_empty())?;
        fits.copy_from_slice(text.as_bytes());
        let length = u8::try_from(text.len()).ok()?;
        text.bytes().all(plain).then_some(Self { bytes, length })
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length));
        bytes.and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

/// The name padded with zeros, which no name has.
impl Field for StaffName {
    const BYTES: usize = STAFF_NAME_BYTES_MAX;
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes);
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let bytes: [u8; STAFF_NAME_BYTES_MAX] = reader.take()?;
        let text = bytes.split(|b| *b == 0).next()?;
        let name = Self::parse(core::str::from_utf8(text).ok()?)?;
        (name.bytes == bytes).then_some(name)
    }
}

/// Which of the staff may go in, to which room and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staff {
    /// The [`room_mark`](super::room_mark) of the room.
    pub room: [u8; 8],
    /// The staff member's name.
    pub name: StaffName,
    /// The room's `staff_epoch` when the link was made. Another epoch ends every link.
    pub epoch: u32,
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Staff {
    room: [u8; 8],
    name: StaffName,
    epoch: u32,
    ends_at_ms: u64,
});

impl Token for Staff {
    const KIND: Kind = Kind::Staff;
    const BOUND_TO_ROOM: bool = false;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}
