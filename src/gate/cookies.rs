//! Cookies: Baton's own by name, read, set, cleared, and kept from the origin, with everybody else's left
//! byte for byte as it was.
//!
//! A header is split at `;` and at nothing else, and only space and tab count as blanks: so browsers write it, and so they keep
//! names apart. A looser reader would find our names in other cookies' values, or behind blanks that a sibling host put
//! there.
//!
//! Case: browsers keep cookie names apart by case, so Baton *reads* only its exact names. It *removes*
//! whatever any origin or browser might take for one of them, in any case: nobody else has a use for
//! `__host-BATON-…`, and prefixes like `__Host-` are matched without case by newer browsers.

use std::fmt;

use super::{CookieDomain, Host, Scheme};
use crate::settings::RoomSettings;

/// How long a visitor cookie lives, in seconds: a week outlives every line.
pub const VISITOR_AGE_S: u64 = 7 * 24 * 3_600;
/// How long a ticket cookie lives, in seconds. The room ends tickets; the cookie merely must not end first.
pub const TICKET_AGE_S: u64 = VISITOR_AGE_S;
/// How long a chosen language is remembered, in seconds: a year.
pub const LANGUAGE_AGE_S: u64 = 365 * 24 * 3_600;
/// Same-named cookies looked at. Each costs an HMAC; a browser sends one, rarely two.
pub const COOKIE_TRIES_MAX: usize = 8;

const SEPARATOR: char = ';';
/// What may stand around a name or a value without belonging to it.
const BLANKS: [char; 2] = [' ', '\t'];
/// What the platform shows in place of bytes that are no UTF-8.
const LOST: char = '\u{FFFD}';

/// In lower case; whichever a request's own cookies have, both are ours.
const SECURE_PREFIXES: [&str; 2] = ["__host-baton-", "__secure-baton-"];
const LOCAL_PREFIX: &str = "baton-";

/// Which of Baton's cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieName<'a> {
    /// Who somebody is, in all rooms.
    Visitor,
    /// A room's ticket.
    Ticket(&'a str),
    /// A room's pass.
    Pass(&'a str),
    /// What the shop said of somebody to a room.
    Entry(&'a str),
    /// That somebody is one of a room's staff.
    Staff(&'a str),
    /// That somebody was found to be no machine, in all rooms.
    Human,
    /// The operator's session.
    Admin,
    /// That an operator was sent to the identity provider from here.
    Login,
    /// The language that somebody chose, in all rooms.
    Language,
}

/// How cookies are spelt for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieKind {
    /// `__Host-`, `Secure`: everywhere but on this machine.
    Secure,
    /// `__Secure-`, `Secure`, `Domain`: of a room whose hosts share a domain. Every other host of the domain gets such
    /// cookies too and can plant some; see docs/security.md.
    Shared,
    /// Plain-http localhost: no prefix, no `Secure`, `SameSite=Lax`.
    Local,
    /// No cookies: pairs of the header `Baton-Credentials` (`credentials.rs`), bound to what the cookies would be.
    Credentials,
}

/// Names and attributes of Baton's cookies for one scheme and host, and of one room where its hosts share them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cookies<'d> {
    kind: CookieKind,
    domain: Option<&'d CookieDomain>,
}

impl<'d> Cookies<'d> {
    /// A room's, for a request that came in by this scheme to this host: shared at its hosts if it has a
    /// `cookie_domain`, else the host's own.
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

    /// The host's own, for a request that came in by this scheme to this host.
    #[must_use]
    pub fn new(scheme: Scheme, host: &Host) -> Self {
        let local = scheme == Scheme::Http && host.is_local();
        Self {
            kind: if local {
                CookieKind::Local
            } else {
                CookieKind::Secure
            },
            domain: None,
        }
    }

    /// The same names and tokens as pairs of credentials.
    #[must_use]
    pub const fn as_credentials(self) -> Self {
        Self {
            kind: CookieKind::Credentials,
            domain: self.domain,
        }
    }

    /// What tokens in these cookies are bound to: the host, or the domain.
    #[must_use]
    pub fn binding<'a>(&self, host: &'a Host) -> &'a str
    where
        'd: 'a,
    {
        self.domain.map_or(host.as_str(), CookieDomain::binding)
    }

    /// Which of the two.
    #[must_use]
    pub const fn kind(self) -> CookieKind {
        self.kind
    }

    /// The cookie's full name.
    #[must_use]
    pub fn name(self, name: CookieName<'_>) -> String {
        let prefix = match self.kind {
            CookieKind::Secure => "__Host-baton-",
            CookieKind::Shared => "__Secure-baton-",
            CookieKind::Local => LOCAL_PREFIX,
            CookieKind::Credentials => "",
        };
        match name {
            CookieName::Visitor => format!("{prefix}visitor"),
            CookieName::Ticket(room) => format!("{prefix}{room}-ticket"),
            CookieName::Pass(room) => format!("{prefix}{room}-pass"),
            CookieName::Entry(room) => format!("{prefix}{room}-entry"),
            CookieName::Staff(room) => format!("{prefix}{room}-staff"),
            CookieName::Human => format!("{prefix}human"),
            CookieName::Admin => format!("{prefix}admin"),
            CookieName::Login => format!("{prefix}login"),
            CookieName::Language => format!("{prefix}language"),
        }
    }

    /// The values of all cookies of this name, in their order, at most [`COOKIE_TRIES_MAX`]. A subdomain or a shorter path
    /// may have planted another in front, so whoever asks verifies each, and believes none of two that contradict each
    /// other. O(length).
    #[must_use]
    pub fn values<'h>(self, header: Option<&'h str>, name: CookieName<'_>) -> Vec<&'h str> {
        let name = self.name(name);
        header
            .unwrap_or_default()
            .split(SEPARATOR)
            .filter_map(|pair| pair.split_once('='))
            .filter(|(found, _)| found.trim_matches(BLANKS) == name)
            .map(|(_, value)| value.trim_matches(BLANKS))
            .take(COOKIE_TRIES_MAX)
            .collect()
    }

    /// A `Set-Cookie` value, or a pair of credentials. `age_s` is how long the cookie lives; for a pass, to the lease's hard end.
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

    /// A `Set-Cookie` value that removes the cookie.
    #[must_use]
    pub fn clear(self, name: CookieName<'_>) -> String {
        self.set(name, "", 0)
    }

    /// Seconds from `now_ms` to `ends_at_ms`, rounded up, for [`Cookies::set`]; capped at 400 days, as
    /// browsers do.
    #[must_use]
    pub fn age_s(now_ms: u64, ends_at_ms: u64) -> u64 {
        const AGE_S_MAX: u64 = 400 * 24 * 3_600;
        ends_at_ms
            .saturating_sub(now_ms)
            .div_ceil(1_000)
            .min(AGE_S_MAX)
    }

    /// The `Cookie` header for the origin: without Baton's, the others byte for byte. None: send none.
    ///
    /// The platform shows headers as text, and bytes that are no UTF-8 as U+FFFD: they cannot be written back. As long as
    /// nothing is taken out the header goes on untouched, bytes and all. Else a cookie with such bytes is left out, for
    /// an altered one is worse than none.
    #[must_use]
    pub fn without_own(self, header: &str) -> Option<String> {
        let is_own = |pair: &str| self.is_own_pair(pair);
        if !header.split(SEPARATOR).any(is_own) {
            return Some(header.to_owned());
        }
        let mut kept = String::with_capacity(header.len());
        let mut is_first = true;
        for pair in header.split(SEPARATOR) {
            if !is_own(pair) && !pair.contains(LOST) {
                // Each pair with the separator in front of it, as it was sent; the first without.
                if !kept.is_empty() {
                    kept.push(SEPARATOR);
                }
                let follows = kept.is_empty() && !is_first;
                kept.push_str(if follows {
                    pair.trim_start_matches(BLANKS)
                } else {
                    pair
                });
            }
            is_first = false;
        }
        (!kept.trim_matches(BLANKS).is_empty()).then_some(kept)
    }

    /// Whether a `Set-Cookie` of the origin sets one of Baton's cookies and must be dropped. A nameless
    /// cookie (`=name=value`) counts by what a browser would send back for it.
    #[must_use]
    pub fn sets_own(self, set_cookie: &str) -> bool {
        set_cookie
            .split(';')
            .next()
            .is_some_and(|pair| self.is_own_pair(pair))
    }

    fn is_own_pair(self, pair: &str) -> bool {
        let pair =
            pair.trim_start_matches(|c: char| c == '=' || c.is_whitespace() || c.is_control());
        let name = pair
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        if SECURE_PREFIXES.iter().any(|ours| name.starts_with(ours)) {
            return true;
        }
        // Without the prefix the namespace is the site's too: only the very names are ours.
        self.kind == CookieKind::Local
            && name.strip_prefix(LOCAL_PREFIX).is_some_and(|rest| {
                rest == "visitor"
                    || rest == "human"
                    || rest == "admin"
                    || rest == "login"
                    || rest == "language"
                    || rest.ends_with("-ticket")
                    || rest.ends_with("-pass")
                    || rest.ends_with("-entry")
            })
    }
}

struct SetCookie<'a> {
    cookies: Cookies<'a>,
    name: CookieName<'a>,
    value: &'a str,
    age_s: u64,
}

impl fmt::Display for SetCookie<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cookies,
            name,
            value,
            age_s,
        } = self;
        if cookies.kind == CookieKind::Credentials {
            return write!(f, "{}={value}", cookies.name(*name));
        }
        write!(
            f,
            "{}={value}; Path=/; Max-Age={age_s}; HttpOnly",
            cookies.name(*name)
        )?;
        let same_site = match (cookies.kind, name) {
            (_, CookieName::Admin) => "Strict",
            // A bank's cross-site POST must come back to its buyer.
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
