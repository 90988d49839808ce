//! Reads and writes bytes: big-endian fields, length-prefixed MAC input, canonical base64url. Never panics.

use base64::{
    Engine as _,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Unpadded base64url that refuses padding, whitespace, and trailing bits that are not zero, so that a token has exactly one spelling.
const CANONICAL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(false),
);

/// Writes bytes as canonical base64url.
pub fn to_text(bytes: &[u8]) -> String {
    CANONICAL.encode(bytes)
}

/// Reads canonical base64url of exactly `len` bytes; `None` for anything else. It checks the length first, so a huge cookie costs nothing.
pub fn from_text(text: &str, len: usize) -> Option<Vec<u8>> {
    // 4 characters carry 3 bytes; a rest of 1 or 2 bytes takes 2 or 3 characters.
    let text_len = len.checked_mul(4)?.div_ceil(3);
    if text.len() != text_len {
        return None;
    }
    let bytes = CANONICAL.decode(text).ok()?;
    (bytes.len() == len).then_some(bytes)
}

/// Reads canonical base64url of at least one byte; `None` for anything else. The caller has checked the length.
pub fn from_any_text(text: &str) -> Option<Vec<u8>> {
    let bytes = CANONICAL.decode(text).ok()?;
    (!bytes.is_empty()).then_some(bytes)
}

/// Feeds one field to a MAC: its length as u32, then its bytes. So fields cannot run into each other.
pub fn with_length(mut feed: impl FnMut(&[u8]), field: &[u8]) {
    // No field is too long for u32: the platform caps headers far below. Saturating keeps this function total, without a panic.
    let len = u32::try_from(field.len()).unwrap_or(u32::MAX);
    feed(&len.to_be_bytes());
    feed(field);
}

/// Reads big-endian fields off the front of a payload.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// Takes the next `N` bytes; `None` if fewer are left.
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
}
