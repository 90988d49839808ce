//! Baton's cookies: their names, and how they are read, set, cleared and kept from the origin. Everybody
//! else's cookies stay byte for byte as they are.
//!
//! A header is split at `;` and at nothing else, and only space and tab count as blanks. Browsers write cookies this way, and tell names
//! apart this way. A looser reader would find our names inside other cookies' values, or behind blanks that a sibling host put there. No browser sends a
//! second `Cookie` line, so none is *read*; but Baton's cookies are *removed* from one too.
//!
//! Case: browsers tell cookie names apart by case, so Baton *reads* only its exact names. It *removes* in any case whatever an origin or a browser
//! might take for one of them: nobody else has a use for `__host-BATON-…`, and newer browsers match prefixes like `__Host-` without case.

use std::borrow::Cow;
use std::fmt;

use super::{CookieDomain, Host, Scheme};
use settings::RoomSettings;

/// How long a visitor cookie lives, in seconds. A week outlives every line.
pub const VISITOR_AGE_S: u64 = 7 * 24 * 3_600;
/// How long a ticket cookie lives, in seconds. The room ends tickets; the cookie must not end before its ticket.
pub const TICKET_AGE_S: u64 = VISITOR_AGE_S;
/// How long the browser remembers a chosen language, in seconds: a year.
pub const LANGUAGE_AGE_S: u64 = 365 * 24 * 3_600;
/// The most cookies of one name that are looked at. Each costs an HMAC; a browser sends one, rarely two.
pub const COOKIE_TRIES_MAX: usize = 8;

pub(super) const SEPARATOR: char = ';';
/// What the platform writes between the `Cookie` lines of a request that has several.
const NEXT_LINE: &str = ", ";
/// The characters that may surround a name or a value without being part of it.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];
/// The character that the platform shows in place of bytes that are not UTF-8.
pub(super) const LOST: char = '\u{FFFD}';

/// In lower case. Both prefixes are ours, whichever of them this request's own cookies have.
const SECURE_PREFIXES: [&str; 2] = ["__host-baton-", "__secure-baton-"];
const LOCAL_PREFIX: &str = "baton-";

/// One of Baton's cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieName<'a> {
    /// The visitor, in all rooms.
    Visitor,
    /// A room's ticket.
    Ticket(&'a str),
    /// A room's pass.
    Pass(&'a str),
    /// What the shop told a room of the visitor, by an entry token.
    Entry(&'a str),
    /// Proof that the visitor is one of a room's staff.
    Staff(&'a str),
    /// Proof that the visitor is no machine, in all rooms.
    Human,
    /// Proof that an operator has signed in.
    Admin,
    /// Proof that this browser sent an operator to the identity provider.
    Login,
    /// The language that the visitor chose, in all rooms.
    Language,
}

impl<'a> CookieName<'a> {
    /// One of each, for a room without a name.
    const ALL: [Self; 9] = [
        Self::Visitor,
        Self::Ticket(""),
        Self::Pass(""),
        Self::Entry(""),
        Self::Staff(""),
        Self::Human,
        Self::Admin,
        Self::Login,
        Self::Language,
    ];

    /// Returns the room, if the cookie is a room's, and the word that the name ends with.
    const fn parts(self) -> (Option<&'a str>, &'static str) {
        match self {
            Self::Visitor => (None, "visitor"),
            Self::Ticket(room) => (Some(room), "ticket"),
            Self::Pass(room) => (Some(room), "pass"),
            Self::Entry(room) => (Some(room), "entry"),
            Self::Staff(room) => (Some(room), "staff"),
            Self::Human => (None, "human"),
            Self::Admin => (None, "admin"),
            Self::Login => (None, "login"),
            Self::Language => (None, "language"),
        }
    }
}

/// How Baton's cookies are written for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieKind {
    /// `__Host-`, `Secure`: everywhere but on this machine.
    Secure,
    /// `__Secure-`, `Secure`, `Domain`: for a room whose hosts share a domain. Every other host of the domain receives these cookies too,
    /// and can plant some; see docs/security.md.
    Shared,
    /// For plain-http localhost: no prefix, no `Secure`, `SameSite=Lax`.
    Local,
    /// No cookies, but pairs of the header `Baton-Credentials` (`credentials.rs`). Their tokens are bound to what the cookies' would be.
    Credentials,
}

/// The names and attributes of Baton's cookies for one scheme and host, or for one room if the room's hosts share cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cookies<'d> {
    kind: CookieKind,
    domain: Option<&'d CookieDomain>,
}

impl<'d> Cookies<'d> {
    /// Returns the cookies of a room, for a request by this scheme to this host. The room's hosts share them if the room has a
    /// `cookie_domain`; else they are the host's own.
    #[must_use]
    pub fn of_room(scheme: Scheme, host: &Host, room: &'d RoomSettings) -> Self {
        match room.shared_at(host) {
            Some(domain) => Self {
                kind: CookieKind::Shared,
                domain: Some(domain),
            },
            None => Self::new(scheme, host),
        }
    }

    /// Returns the host's own cookies, for a request by this scheme to this host.
    #[must_use]
    pub fn new(scheme: Scheme, host: &Host) -> Self {
        let local = scheme == Scheme::Http && host.is_local();
        Self {
            kind: if local { CookieKind::Local } else { CookieKind::Secure },
            domain: None,
        }
    }

    /// Returns the same names and bindings, written as pairs of credentials.
    #[must_use]
    pub const fn as_credentials(self) -> Self {
        Self {
            kind: CookieKind::Credentials,
            domain: self.domain,
        }
    }

    /// Returns what the tokens in these cookies are bound to: the host, or the domain.
    #[must_use]
    pub fn binding<'a>(&self, host: &'a Host) -> &'a str
    where
        'd: 'a,
    {
        self.domain.map_or(host.as_str(), CookieDomain::binding)
    }

    /// How these cookies are written.
    #[must_use]
    pub const fn kind(self) -> CookieKind {
        self.kind
    }

    /// Returns the full name of a cookie.
    #[must_use]
    pub fn name(self, name: CookieName<'_>) -> String {
        let prefix = match self.kind {
            CookieKind::Secure => "__Host-baton-",
            CookieKind::Shared => "__Secure-baton-",
            CookieKind::Local => LOCAL_PREFIX,
            CookieKind::Credentials => "",
        };
        match name.parts() {
            (Some(room), word) => format!("{prefix}{room}-{word}"),
            (None, word) => format!("{prefix}{word}"),
        }
    }

    /// Returns the room of which a cookie or a pair of credentials of this name is the pass, if it is one.
    #[must_use]
    pub fn room_of_pass(name: &str) -> Option<&str> {
        let room = name.strip_suffix(CookieName::Pass("").parts().1)?;
        let room = room.strip_suffix('-')?;
        let prefixes = ["__Host-baton-", "__Secure-baton-", LOCAL_PREFIX];
        let bare = prefixes.iter().find_map(|prefix| room.strip_prefix(prefix));
        Some(bare.unwrap_or(room))
    }

    /// Returns the values of all cookies of this name, in their order, at most [`COOKIE_TRIES_MAX`]. A subdomain or a shorter path may have planted
    /// another cookie in front. So the caller must verify each value, and must believe neither of two that contradict each other. O(length).
    #[must_use]
    pub fn values<'h>(self, header: Option<&'h str>, name: CookieName<'_>) -> Vec<&'h str> {
        let name = self.name(name);
        header
            .unwrap_or_default()
            .split(SEPARATOR)
            .filter_map(|pair| pair.split_once('='))
            .filter(|(found, _)| found.trim_matches(BLANKS) == name)
            .map(|(_, value)| without_quotes(value.trim_matches(BLANKS)))
            .take(COOKIE_TRIES_MAX)
            .collect()
    }

    /// Returns a `Set-Cookie` value, or a pair of credentials. `age_s` is how long the cookie lives; a pass lives to its lease's hard end.
    #[must_use]
    pub fn set(self, name: CookieName<'_>, value: &str, age_s: u64) -> String {
        SetCookie {
            cookies: self,
            name,
            value,
            age_s,
        }
        .to_string()
    }

    /// Returns a `Set-Cookie` value that removes the cookie.
    #[must_use]
    pub fn clear(self, name: CookieName<'_>) -> String {
        self.set(name, "", 0)
    }

    /// Returns the seconds from `now_ms` to `ends_at_ms`, rounded up, for [`Cookies::set`]. Capped at 400 days, as in browsers.
    #[must_use]
    pub fn age_s(now_ms: u64, ends_at_ms: u64) -> u64 {
        const AGE_S_MAX: u64 = 400 * 24 * 3_600;
        ends_at_ms.saturating_sub(now_ms).div_ceil(1_000).min(AGE_S_MAX)
    }

    /// Returns the `Cookie` header for the origin: without Baton's cookies, the others byte for byte. Returns `None` if no cookie is left to send.
    /// The attributes that a client of RFC 2965 writes behind a cookie (`$Path="/"`) go with the cookie.
    ///
    /// The platform shows headers as text, with U+FFFD in place of bytes that are not UTF-8; such bytes cannot be written back.
    /// As long as nothing is taken out, the header goes on untouched, bytes and all. Otherwise a cookie with such bytes is left
    /// out: an altered cookie is worse than none.
    #[must_use]
    pub fn without_own(self, header: &str) -> Option<String> {
        let is_own = |pair: &str| pair.split(NEXT_LINE).any(|part| self.is_own_pair(part));
        if !header.split(SEPARATOR).any(is_own) {
            return Some(header.to_owned());
        }
        let mut kept = String::with_capacity(header.len());
        let mut is_first = true;
        let mut is_dropped = false;
        for pair in header.split(SEPARATOR) {
            let pair = &*self.others_of(pair);
            is_dropped = if is_attribute(pair) {
                is_dropped
            } else {
                is_own(pair) || pair.contains(LOST)
            };
            if !is_dropped {
                // Each pair keeps the separator in front of it, as it was sent; the first has none.
                if !kept.is_empty() {
                    kept.push(SEPARATOR);
                }
                let follows = kept.is_empty() && !is_first;
                kept.push_str(if follows { pair.trim_start_matches(BLANKS) } else { pair });
            }
            is_first = false;
        }
        (!kept.trim_matches(BLANKS).is_empty()).then_some(kept)
    }

    /// Returns a pair without Baton's cookies that stand in it behind the end of another `Cookie` line. A pair that is Baton's alone stays as it is.
    fn others_of<'p>(self, pair: &'p str) -> Cow<'p, str> {
        if !pair.contains(NEXT_LINE) {
            return Cow::Borrowed(pair);
        }
        let others = pair.split(NEXT_LINE).filter(|part| !self.is_own_pair(part));
        let others = others.collect::<Vec<_>>().join(NEXT_LINE);
        if others.is_empty() { Cow::Borrowed(pair) } else { Cow::Owned(others) }
    }

    /// Returns whether a `Set-Cookie` of the origin sets one of Baton's cookies; the caller must drop it. A nameless cookie (`=name=value`)
    /// is judged by what a browser would send back for it.
    #[must_use]
    pub fn sets_own(self, set_cookie: &str) -> bool {
        set_cookie.split(';').next().is_some_and(|pair| self.is_own_pair(pair))
    }

    /// Returns whether a pair of the header is a ticket or a pass of Baton's, of any room.
    pub(super) fn is_place(self, pair: &str) -> bool {
        let (name, value) = pair.split_once('=').unwrap_or_default();
        let words = [CookieName::Ticket(""), CookieName::Pass("")].map(|name| name.parts().1);
        let is_word = |word: &&str| name.trim_matches(BLANKS).ends_with(*word);
        !value.is_empty() && self.is_own_pair(pair) && words.iter().any(is_word)
    }

    pub(super) fn is_own_pair(self, pair: &str) -> bool {
        let pair = pair.trim_start_matches(|c: char| c == '=' || c.is_whitespace() || c.is_control());
        let name = pair.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        if SECURE_PREFIXES.iter().any(|ours| name.starts_with(ours)) {
            return true;
        }
        // Without the prefix the site shares this namespace: only the exact names are ours.
        self.kind == CookieKind::Local
            && name.strip_prefix(LOCAL_PREFIX).is_some_and(|rest| {
                let words = CookieName::ALL.map(CookieName::parts);
                words.into_iter().any(|(room, word)| match room {
                    Some(_) => rest.strip_suffix(word).is_some_and(|rest| rest.ends_with('-')),
                    None => rest == word,
                })
            })
    }
}

/// Returns a cookie's value without the quotes around it. RFC 6265 lets a client write them, and Java's does; no token has one of its own.
fn without_quotes(value: &str) -> &str {
    let inner = value.strip_prefix('"');
    inner.and_then(|inner| inner.strip_suffix('"')).unwrap_or(value)
}

/// Returns whether a part of the header says something about the cookie in front of it (RFC 2965, 3.3.4) and is no cookie itself.
fn is_attribute(pair: &str) -> bool {
    const ATTRIBUTES: [&str; 3] = ["$path", "$domain", "$port"];
    let name = pair.split('=').next().unwrap_or_default();
    let name = name.trim_matches(BLANKS);
    ATTRIBUTES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

struct SetCookie<'a> {
    cookies: Cookies<'a>,
    name: CookieName<'a>,
    value: &'a str,
    age_s: u64,
}

impl fmt::Display for SetCookie<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cookies, name, value, age_s } = self;
        if cookies.kind == CookieKind::Credentials {
            return write!(f, "{}={value}", cookies.name(*name));
        }
        write!(f, "{}={value}; Path=/; Max-Age={age_s}; HttpOnly", cookies.name(*name))?;
        let same_site = match (cookies.kind, name) {
            (_, CookieName::Admin) => "Strict",
            // A bank's cross-site POST must bring its buyer back with the pass.
            (CookieKind::Secure | CookieKind::Shared, CookieName::Pass(_)) => "None",
            _ => "Lax",
        };
        if let Some(domain) = cookies.domain {
            write!(f, "; Domain={}", domain.name())?;
        }
        if cookies.kind != CookieKind::Local {
            f.write_str("; Secure")?;
        }
        write!(f, "; SameSite={same_site}")
    }
}
