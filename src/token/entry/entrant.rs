//! What Baton remembers of an entry token or a voucher that a visitor showed: a token of Baton's own, in a cookie or among credentials.

use super::super::Invitation;
use super::super::TokenError;
use super::super::codec::Reader;
use super::super::kinds::{Kind, Token, plausible};
use super::super::layout::{Field, layout};
use super::keys::EntryKeys;
use facts::entry::EntryRefusal;
use facts::lane_name::{LANE_NAME_BYTES_MAX, LaneName};
use facts::limits::SHEET_LIFE_MS_MAX;
use facts::units::AccountId;
use facts::voucher::{CODE_KEYS, CodeHash, SheetId, Voucher};

/// How far the shop's clock may be from Baton's, in ms.
pub const CLOCK_SKEW_MS: u64 = 60_000;

/// What lets a visitor come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearer {
    /// An entry token of the shop.
    Account {
        /// The account: [`account_id`](crate::account_id) of the token's issuer and subject.
        id: AccountId,
        /// The fingerprint of the key that signed it.
        signed_by: [u8; 4],
    },
    /// An invitation or a code. The room has not looked at it yet.
    Voucher(Voucher),
}

/// What lets a visitor come, or why Baton does not take what the visitor showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entrant {
    /// What lets the visitor come.
    pub bearer: Bearer,
    /// From when on it counts, Unix ms; 0 means at once.
    pub from_at_ms: u64,
    /// Until when it counts, Unix ms.
    pub ends_at_ms: u64,
    /// The lane that it names; `None` means everybody's.
    pub lane: Option<LaneName>,
    /// Why Baton did not take the token; `None` if it did.
    pub refused: Option<EntryRefusal>,
    /// Whether the visitor has joined with it: what a voucher is worth is known from then on.
    pub tried: bool,
}

impl Entrant {
    /// Returns the entrant for a token that Baton does not take: nobody may come with it.
    #[must_use]
    pub const fn refused(why: EntryRefusal) -> Self {
        Self {
            bearer: Bearer::Account {
                id: AccountId([0; 16]),
                signed_by: [0; 4],
            },
            from_at_ms: 0,
            ends_at_ms: 0,
            lane: None,
            refused: Some(why),
            tried: false,
        }
    }

    /// Returns the entrant for a visitor who shows an invitation.
    #[must_use]
    pub const fn invited(invitation: &Invitation) -> Self {
        let Invitation { sheet, index, .. } = *invitation;
        Self {
            bearer: Bearer::Voucher(Voucher::Invitation { sheet, index }),
            from_at_ms: invitation.from_at_ms,
            ends_at_ms: invitation.ends_at_ms,
            lane: None,
            refused: None,
            tried: false,
        }
    }

    /// Returns the entrant for a visitor who writes a code. Only the room knows when the code counts.
    #[must_use]
    pub const fn with_code(hashes: [CodeHash; CODE_KEYS], now_ms: u64) -> Self {
        Self {
            bearer: Bearer::Voucher(Voucher::Code(hashes)),
            from_at_ms: 0,
            ends_at_ms: now_ms.saturating_add(SHEET_LIFE_MS_MAX),
            lane: None,
            refused: None,
            tried: false,
        }
    }

    /// Returns why the entrant does not count at this moment, or `None` if it does. Once the operator takes a key away,
    /// nothing that it signed counts.
    #[must_use]
    pub fn refusal(&self, keys: &EntryKeys, now_ms: u64) -> Option<EntryRefusal> {
        if self.refused.is_some() {
            return self.refused;
        }
        let skew_ms = self.skew_ms();
        if let Bearer::Account { signed_by, .. } = self.bearer
            && !keys.has(signed_by)
        {
            return Some(EntryRefusal::Key);
        }
        if now_ms.saturating_add(skew_ms) < self.from_at_ms {
            return Some(EntryRefusal::Early);
        }
        let is_late = now_ms >= self.ends_at_ms.saturating_add(skew_ms);
        is_late.then_some(EntryRefusal::Late)
    }

    /// Returns how much earlier and later than its times the entrant counts: the shop's clock may differ from Baton's, Baton's own does not.
    #[must_use]
    pub const fn skew_ms(&self) -> u64 {
        match self.bearer {
            Bearer::Account { .. } => CLOCK_SKEW_MS,
            Bearer::Voucher(_) => 0,
        }
    }
}

/// One byte for the variant, then its fields, filled up with zeros.
impl Field for Bearer {
    const BYTES: usize = 1 + 8 * CODE_KEYS;
    fn write(self, out: &mut Vec<u8>) {
        let end = out.len() + Self::BYTES;
        match self {
            Self::Account { id, signed_by } => {
                out.push(0);
                id.write(out);
                signed_by.write(out);
            }
            Self::Voucher(Voucher::Invitation { sheet, index }) => {
                out.push(1);
                sheet.write(out);
                index.write(out);
            }
            Self::Voucher(Voucher::Code(hashes)) => {
                out.push(2);
                hashes.iter().for_each(|hash| hash.write(out));
            }
        }
        out.resize(end, 0);
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let bytes: [u8; Self::BYTES] = reader.take()?;
        let (which, rest) = bytes.split_first()?;
        let mut rest = Reader(rest);
        let bearer = match which {
            0 => Self::Account {
                id: AccountId::read(&mut rest)?,
                signed_by: <[u8; 4]>::read(&mut rest)?,
            },
            1 => Self::Voucher(Voucher::Invitation {
                sheet: SheetId::read(&mut rest)?,
                index: u32::read(&mut rest)?,
            }),
            2 => {
                let mut hashes = [CodeHash::default(); CODE_KEYS];
                for hash in &mut hashes {
                    *hash = CodeHash::read(&mut rest)?;
                }
                Self::Voucher(Voucher::Code(hashes))
            }
            _ => return None,
        };
        let mut again = Vec::with_capacity(Self::BYTES);
        bearer.write(&mut again);
        (again == bytes).then_some(bearer)
    }
}

/// Its place in [`EntryRefusal::ALL`], counted from 1; 0 means `None`.
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

/// 1 for true, 0 for false.
impl Field for bool {
    const BYTES: usize = 1;
    fn write(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        match reader.take()? {
            [0] => Some(false),
            [1] => Some(true),
            [_] => None,
        }
    }
}

/// The name's bytes; all zeros mean `None`.
impl Field for Option<LaneName> {
    const BYTES: usize = LANE_NAME_BYTES_MAX;
    fn write(self, out: &mut Vec<u8>) {
        let bytes = self.map_or([0; LANE_NAME_BYTES_MAX], LaneName::to_bytes);
        out.extend_from_slice(&bytes);
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let bytes = reader.take()?;
        let is_none = bytes == [0; LANE_NAME_BYTES_MAX];
        if is_none { Some(None) } else { LaneName::of_bytes(bytes).map(Some) }
    }
}

layout!(Entrant {
    bearer: Bearer,
    from_at_ms: u64,
    ends_at_ms: u64,
    lane: Option<LaneName>,
    refused: Option<EntryRefusal>,
    tried: bool,
});

impl Token for Entrant {
    const KIND: Kind = Kind::Entrant;
    const BOUND_TO_ROOM: bool = true;
    /// The token has no end of its own: a visitor who comes too late is told so.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.from_at_ms, self.ends_at_ms])
    }
}
