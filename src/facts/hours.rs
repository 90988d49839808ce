//! The operator's dates, on the wall clock.

use serde::{Deserialize, Serialize};

/// A period that begins at this moment has no beginning; one that ends at [`NEVER_MS`] has no end.
pub const EVER_MS: u64 = 0;
/// See [`EVER_MS`].
pub const NEVER_MS: u64 = u64::MAX;

/// One period in which the room is open, in Unix milliseconds. The wall clock rules, not the room's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Period {
    /// The moment at which the room opens.
    pub opens_at_ms: u64,
    /// The moment at which the room closes: it is open until just before.
    pub closes_at_ms: u64,
}

/// A date as the operator writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Date {
    /// The moment, in Unix ms, from 1970 to 9999.
    pub at_ms: u64,
    /// The offset from UTC in which the operator wrote it, in seconds, so that it is told back as it was written.
    pub offset_s: i32,
}

impl Date {
    /// Reads a date with its offset, as RFC 3339 has it, in whole ms. Returns `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let date = chrono::DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self {
            at_ms: u64::try_from(date.timestamp_millis()).ok()?,
            offset_s: date.offset().local_minus_utc(),
        })
    }

    /// Writes the date as RFC 3339 has it, such as `2026-12-01T10:00:00+09:00`.
    #[must_use]
    pub fn text(&self) -> String {
        let ms = i64::try_from(self.at_ms).unwrap_or(i64::MAX);
        let date = chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default();
        match chrono::FixedOffset::east_opt(self.offset_s) {
            Some(offset) if self.offset_s != 0 => format!("{:?}", date.with_timezone(&offset)),
            _ => format!("{date:?}"),
        }
    }
}
