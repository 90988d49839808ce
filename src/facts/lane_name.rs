//! The name of a lane in settings, tokens and metrics.

use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Maximum bytes of a lane's name.
pub const LANE_NAME_BYTES_MAX: usize = 16;

/// The name of a lane: `[a-z0-9-]{1,16}`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneName([u8; LANE_NAME_BYTES_MAX]);

impl LaneName {
    /// Reads a name. Returns `None` if the text is not a lane's name. O(length).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if text.is_empty() || !text.bytes().all(plain) {
            return None;
        }
        let mut bytes = [0; LANE_NAME_BYTES_MAX];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self(bytes))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|byte| *byte == 0);
        let text = self.0.get(..end.unwrap_or(LANE_NAME_BYTES_MAX));
        text.and_then(|text| core::str::from_utf8(text).ok()).unwrap_or_default()
    }

    /// The text padded with zeros, for layouts of a fixed length.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; LANE_NAME_BYTES_MAX] {
        self.0
    }

    /// Reads a name from these bytes. Returns `None` if they are not a lane's name.
    #[must_use]
    pub fn of_bytes(bytes: [u8; LANE_NAME_BYTES_MAX]) -> Option<Self> {
        let text = core::str::from_utf8(&bytes).ok()?;
        Self::parse(text.trim_end_matches('\0'))
    }
}

impl fmt::Display for LaneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for LaneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for LaneName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for LaneName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("no lane's name"))
    }
}
