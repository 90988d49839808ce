//! Entry tokens at the gate: finds one in an address, and decides what it means for a visit. This module verifies no signature.
//!
//! A token stands in an address only once. The front answers the visit that brings it with a cookie, and sends the visitor on
//! to the same address without it. So the token is in no log of the origin and in no `Referer`. That visit takes no place,
//! because scanners and previews open links too.

use super::Whence;
use facts::entry::EntryRefusal;
use facts::lane_name::LaneName;
use facts::units::AccountId;
use facts::voucher::{Unspent, Voucher};
use settings::EntryPolicy;
use token::{Bearer, ENTRY_BYTES_MAX, Entrant, EntryKeys};

/// The name of the query parameter that holds an entry token.
pub const ENTRY_PARAMETER: &str = "baton_entry";
/// The header in which an app shows an entry token.
pub const ENTRY_HEADER: &str = "Baton-Entry";

/// An entry token in an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLink {
    /// The token as it stands in the address. It may be anything.
    pub token: String,
    /// The path and query of the address without the token.
    pub path_and_query: String,
}

impl EntryLink {
    /// Returns the entry token of an address. Returns `None` if there is none. Of several tokens the first counts, and all are taken out.
    /// Everything else stays byte for byte as it was. O(length).
    #[must_use]
    pub fn of(path_and_query: &str) -> Option<Self> {
        let (path, query) = path_and_query.split_once('?')?;
        let value = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            is_entry_name(name).then(|| value.to_owned())
        };
        let token = query.split('&').find_map(value)?;
        let rest: Vec<&str> = query.split('&').filter(|pair| value(pair).is_none()).collect();
        let path_and_query = if rest.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", rest.join("&"))
        };
        Some(Self { token, path_and_query })
    }

    /// Returns whether a browser that follows the address stays on this host: `//host` leads to another host, and browsers read `\` as `/`.
    #[must_use]
    pub fn stays_here(&self) -> bool {
        let mut bytes = self.path_and_query.bytes();
        bytes.next() == Some(b'/') && !matches!(bytes.next(), Some(b'/' | b'\\')) && self.path_and_query.bytes().all(|b| b > b' ')
    }
}

/// Returns whether this is the parameter's name, as it is or with some of it percent-encoded: mail programs encode `_`, and a shop decodes every name.
fn is_entry_name(name: &str) -> bool {
    let mut left = name.as_bytes();
    let mut known = ENTRY_PARAMETER.bytes();
    loop {
        let byte = match left {
            [b'%', high, low, rest @ ..] => {
                left = rest;
                let digit = |b: &u8| char::from(*b).to_digit(16);
                digit(high).zip(digit(low)).map(|(high, low)| high * 16 + low)
            }
            [byte, rest @ ..] => {
                left = rest;
                Some(u32::from(*byte))
            }
            [] => return known.next().is_none(),
        };
        if byte != known.next().map(u32::from) || byte.is_none() {
            return false;
        }
    }
}

/// Returns whether this text could be a token at all. No key is tried on any other text.
#[must_use]
pub fn is_entry_text(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (1..=ENTRY_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// What a visitor's entry token means for this visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryVerdict {
    /// The shop says which account the visitor is.
    Account(AccountId),
    /// The visitor has a voucher, which the room has not examined yet.
    Voucher(Voucher),
    /// Nobody says who the visitor is, and the room does not require it.
    Nobody,
    /// The visitor gets no number and no way in without a token that counts.
    Barred(Barred),
}

/// Why a visitor is barred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barred {
    /// The reason.
    pub why: EntryRefusal,
    /// For a visitor who came early: when it is worth coming back, Unix ms.
    pub from_at_ms: Option<u64>,
}

impl Barred {
    /// Nobody vouches for the visitor.
    pub const MISSING: Self = Self {
        why: EntryRefusal::Missing,
        from_at_ms: None,
    };
    /// The token names a lane that the room does not have.
    pub const NO_LANE: Self = Self {
        why: EntryRefusal::Lane,
        from_at_ms: None,
    };

    /// Returns why a voucher bars its bearer.
    #[must_use]
    pub const fn by(why: Unspent) -> Self {
        let (why, from_at_ms) = match why {
            Unspent::Used => (EntryRefusal::Used, None),
            Unspent::Unknown => (EntryRefusal::Unknown, None),
            Unspent::Late => (EntryRefusal::Late, None),
            Unspent::Early { from_at_ms } => (EntryRefusal::Early, Some(from_at_ms)),
        };
        Self { why, from_at_ms }
    }

    /// Returns the reason as the page's template knows it. Empty if the page has nothing better to say about it.
    #[must_use]
    pub const fn reason_on_page(&self) -> &'static str {
        match self.why {
            EntryRefusal::Missing => "missing",
            EntryRefusal::Early => "early",
            EntryRefusal::Late => "late",
            EntryRefusal::Audience => "audience",
            EntryRefusal::Used => "used",
            EntryRefusal::Unknown => "unknown",
            EntryRefusal::Malformed
            | EntryRefusal::Key
            | EntryRefusal::Signature
            | EntryRefusal::Issuer
            | EntryRefusal::Claims
            | EntryRefusal::Life
            | EntryRefusal::Lane => "",
        }
    }
}

/// Returns what to remember of a voucher that gave no place: the reason, so that the page can show it and the room is not asked again. A
/// voucher that came early stays a voucher.
#[must_use]
pub fn entrant_unspent(known: &Entrant, why: Unspent) -> Entrant {
    match why {
        Unspent::Early { from_at_ms } => Entrant {
            from_at_ms,
            // Nobody knows yet what the voucher will be worth then.
            tried: false,
            ..*known
        },
        Unspent::Used => Entrant::refused(EntryRefusal::Used),
        Unspent::Unknown => Entrant::refused(EntryRefusal::Unknown),
        Unspent::Late => Entrant::refused(EntryRefusal::Late),
    }
}

/// Decides what follows from what a visitor showed, by the room's policy. O(1).
#[must_use]
pub fn judge_entry(policy: EntryPolicy, shown: Option<&Entrant>, keys: &EntryKeys, now_ms: u64) -> EntryVerdict {
    let why = match shown {
        None => Some(EntryRefusal::Missing),
        Some(entrant) => entrant.refusal(keys, now_ms),
    };
    match (policy, shown, why) {
        (EntryPolicy::Off, _, _) => EntryVerdict::Nobody,
        (_, Some(entrant), None) => match entrant.bearer {
            Bearer::Account { id, .. } => EntryVerdict::Account(id),
            Bearer::Voucher(voucher) => EntryVerdict::Voucher(voucher),
        },
        (EntryPolicy::Optional, _, _) | (_, None, None) => EntryVerdict::Nobody,
        (EntryPolicy::Required, _, Some(why)) => {
            let early = shown.filter(|_| why == EntryRefusal::Early);
            EntryVerdict::Barred(Barred {
                why,
                from_at_ms: early.map(|entrant| entrant.from_at_ms.saturating_sub(entrant.skew_ms())),
            })
        }
    }
}

/// Returns the lane of a visit: the one that the visitor's token names, if the token counts. Returns `None` for everybody's lane. Any other
/// rule that puts a visitor into a lane belongs here; only the room knows into which lane a voucher leads.
#[must_use]
pub fn lane_of(verdict: EntryVerdict, shown: Option<&Entrant>) -> Option<LaneName> {
    match verdict {
        EntryVerdict::Account(_) => shown?.lane,
        EntryVerdict::Voucher(_) | EntryVerdict::Nobody | EntryVerdict::Barred(_) => None,
    }
}

/// Returns what to remember of a token that was just judged. Returns `None` if the known entrant stays: a link that does not
/// count must not displace a token that does.
#[must_use]
pub fn better_entrant(new: Entrant, known: Option<Entrant>, keys: &EntryKeys, now_ms: u64) -> Option<Entrant> {
    let counts = |entrant: &Entrant| entrant.refusal(keys, now_ms).is_none();
    (counts(&new) || !known.is_some_and(|known| counts(&known))).then_some(new)
}

/// Returns whether a link could give the visitor's place to somebody else's account. Where tokens are optional, the place may belong to no
/// account yet, and a page of another site may have opened the link with a token of its own.
#[must_use]
pub fn gives_place_away(policy: EntryPolicy, site: Whence, holds_place: bool) -> bool {
    policy == EntryPolicy::Optional && holds_place && site == Whence::Other
}
