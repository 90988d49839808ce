//! What Baton remembers of a token that it has judged: a token of its own, in a cookie or among credentials.

use super::super::TokenError;
use super::super::codec::Reader;
use super::super::kinds::{Kind, Token, plausible};
use super::super::layout::{Field, layout};
use super::keys::EntryKeys;
use crate::facts::entry::EntryRefusal;
use crate::facts::units::AccountId;

/// How far the shop's clock may be from Baton's, ms.
pub const CLOCK_SKEW_MS: u64 = 60_000;

/// Who the shop says may come, or why what was shown is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entrant {
    /// Whose token it was: [`account_id`](crate::token::account_id) of its issuer and subject.
    pub account: AccountId,
    /// The fingerprint of the key that signed it.
    pub signed_by: [u8; 4],
    /// From when on it counts, Unix ms; 0: at once.
    pub from_at_ms: u64,
    /// Until when it counts, Unix ms.
    pub ends_at_ms: u64,
    /// Why the token was not taken; none: it was.
    pub refused: Option<EntryRefusal>,
}

impl Entrant {
    /// Nobody: a token was shown, and not taken.
    #[must_use]
    pub const fn refused(why: EntryRefusal) -> Self {
        Self {
            account: AccountId([0; 16]),
            signed_by: [0; 4],
            from_at_ms: 0,
            ends_at_ms: 0,
            refused: Some(why),
        }
    }

    /// Why it does not count at this moment; none: it does. A key that the operator took away takes along what it signed.
    #[must_use]
    pub fn refusal(&self, keys: &EntryKeys, now_ms: u64) -> Option<EntryRefusal> {
        if self.refused.is_some() {
            return self.refused;
        }
        if !keys.has(self.signed_by) {
            return Some(EntryRefusal::Key);
        }
        if now_ms.saturating_add(CLOCK_SKEW_MS) < self.from_at_ms {
            return Some(EntryRefusal::Early);
        }
        let is_late = now_ms >= self.ends_at_ms.saturating_add(CLOCK_SKEW_MS);
        is_late.then_some(EntryRefusal::Late)
    }
}

/// By its place in the list, counted from 1; 0: none.
impl Field for Option<EntryRefusal> {
    const BYTES: usize = 1;
    fn write(self, out: &mut Vec<u8>) {
        let place = |why| EntryRefusal::ALL.iter().position(|known| *known == why);
        let reason = self.and_then(place).map_or(0, |at| at + 1);
        out.push(u8::try_from(reason).unwrap_or(u8::MAX));
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let [reason] = reader.take()?;
        match usize::from(reason).checked_sub(1) {
            None => Some(None),
            Some(at) => EntryRefusal::ALL.get(at).copied().map(Some),
        }
    }
}

layout!(Entrant {
    account: AccountId,
    signed_by: [u8; 4],
    from_at_ms: u64,
    ends_at_ms: u64,
    refused: Option<EntryRefusal>,
});

impl Token for Entrant {
    const KIND: Kind = Kind::Entrant;
    const BOUND_TO_ROOM: bool = true;
    /// Has no end of its own: who comes too late is told so.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.from_at_ms, self.ends_at_ms])
    }
}
