//! Entry tokens at the gate: one in an address, and what follows from one for a visit. Verifies nothing itself.
//!
//! A token in an address is there once. The visit that brings it is answered with a cookie and sent on to the same address without
//! it, so it is in no log of the origin's and no `Referer`. That visit takes no place: scanners and previews open links too.

use crate::facts::entry::EntryRefusal;
use crate::facts::lane_name::LaneName;
use crate::facts::units::AccountId;
use crate::facts::voucher::{Unspent, Voucher};
use crate::settings::EntryPolicy;
use crate::token::{Bearer, ENTRY_BYTES_MAX, Entrant, EntryKeys};

/// What the token is called in a query.
pub const ENTRY_PARAMETER: &str = "baton_entry";
/// The header in which an app shows one.
pub const ENTRY_HEADER: &str = "Baton-Entry";

/// An entry token in an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLink {
    /// As it stands there. It may be anything.
    pub token: String,
    /// The address's path and query without it.
    pub path_and_query: String,
}

impl EntryLink {
    /// The token of an address; none: there is none. The first of several counts, and all are taken out. The rest is as it was,
    /// byte for byte. O(length).
    #[must_use]
    pub fn of(path_and_query: &str) -> Option<Self> {
        let (path, query) = path_and_query.split_once('?')?;
        let value = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name == ENTRY_PARAMETER).then(|| value.to_owned())
        };
        let token = query.split('&').find_map(value)?;
        let rest: Vec<&str> = query
            .split('&')
            .filter(|pair| value(pair).is_none())
            .collect();
        let path_and_query = if rest.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", rest.join("&"))
        };
        Some(Self {
            token,
            path_and_query,
        })
    }

    /// Whether a browser that is sent there stays on this host: `//host` leads to another, and `\` is read as `/`.
    #[must_use]
    pub fn stays_here(&self) -> bool {
        let mut bytes = self.path_and_query.bytes();
        bytes.next() == Some(b'/')
            && !matches!(bytes.next(), Some(b'/' | b'\\'))
            && self.path_and_query.bytes().all(|b| b > b' ')
    }
}

/// Whether this could be a token at all. Any other text is not worth a key.
#[must_use]
pub fn is_entry_text(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (1..=ENTRY_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// What a visitor's entry token means for a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryVerdict {
    /// The shop says who it is.
    Account(AccountId),
    /// The visitor has a voucher, which the room has not looked at yet.
    Voucher(Voucher),
    /// Nobody says so, and nobody need.
    Nobody,
    /// Without a token that counts there is no number and no way in.
    Barred(Barred),
}

/// Why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barred {
    /// Why.
    pub why: EntryRefusal,
    /// When it is worth coming again, Unix ms, for who came early.
    pub from_at_ms: Option<u64>,
}

impl Barred {
    /// The token names a lane that the room has not.
    pub const NO_LANE: Self = Self {
        why: EntryRefusal::Lane,
        from_at_ms: None,
    };

    /// The same reason in few words, for the page: where there is nothing better to say it is empty.
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

/// What is remembered of a voucher that gave no place: why, so that the page can say it and the room is not asked again. One that comes
/// early stays what it is.
#[must_use]
pub fn entrant_unspent(known: &Entrant, why: Unspent) -> Entrant {
    match why {
        Unspent::Early { from_at_ms } => Entrant {
            from_at_ms,
            // What it is worth then nobody knows yet.
            tried: false,
            ..*known
        },
        Unspent::Used => Entrant::refused(EntryRefusal::Used),
        Unspent::Unknown => Entrant::refused(EntryRefusal::Unknown),
        Unspent::Late => Entrant::refused(EntryRefusal::Late),
    }
}

/// What follows from what a visitor showed, by the room's policy. O(1).
#[must_use]
pub fn judge_entry(
    policy: EntryPolicy,
    shown: Option<&Entrant>,
    keys: &EntryKeys,
    now_ms: u64,
) -> EntryVerdict {
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
                from_at_ms: early
                    .map(|entrant| entrant.from_at_ms.saturating_sub(entrant.skew_ms())),
            })
        }
    }
}

/// The lane of a visit: the one that its token names, if the token counts. None: everybody's. Whatever else is to put somebody into a
/// lane says so here. Into which lane a voucher leads the room knows.
#[must_use]
pub fn lane_of(verdict: EntryVerdict, shown: Option<&Entrant>) -> Option<LaneName> {
    match verdict {
        EntryVerdict::Account(_) => shown?.lane,
        EntryVerdict::Voucher(_) | EntryVerdict::Nobody | EntryVerdict::Barred(_) => None,
    }
}

/// What is remembered of a newly judged token beside what was remembered already: a link that is not good takes no good one away.
#[must_use]
pub fn better_entrant(
    new: Entrant,
    known: Option<Entrant>,
    keys: &EntryKeys,
    now_ms: u64,
) -> Option<Entrant> {
    let counts = |entrant: &Entrant| entrant.refusal(keys, now_ms).is_none();
    (counts(&new) || !known.is_some_and(|known| counts(&known))).then_some(new)
}

/// Whether a link could give the place of who opened it to another's account: where a token is only welcome the place may be nobody's
/// yet, and a page of another site may have opened the link with a token of its own. `site`: the request's `Sec-Fetch-Site`.
#[must_use]
pub fn gives_place_away(policy: EntryPolicy, site: Option<&str>, holds_place: bool) -> bool {
    policy == EntryPolicy::Optional && holds_place && site == Some("cross-site")
}
