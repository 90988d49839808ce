//! Path matching that no spelling slips by. What is matched is the very path that is sent ([`crate::gate::as_sent`]).
//!
//! An origin may decode once or twice, read `%2f` or `%5c` as a separator, cut at `;`, NUL or an encoded `?`, resolve
//! `..` after decoding, drop what it cannot read. Baton cannot know which. So each pattern is asked twice:
//!
//! - **Does it match for sure?** ([`Pattern::surely_matches`]) Segments are decoded once and compared as they are.
//! - **Might it match?** ([`Pattern::may_match`]) In some reading of some origin. This errs on the side of yes.
//!
//! Whatever an origin reads lies between the two. If both name the same room it is that room's; if they differ, the path
//! could be two rooms' (or a room's and none's), and [`crate::gate::Gate::room_of`] says so: such a request is a 400. Part of what
//! a pattern *means*, and no doubt at all: case does not matter, empty segments and a slash at the end do not either, and
//! neither does an escape of an ordinary character.
//!
//! What might match, in order:
//!
//! 1. The path ends at the first literal `?` or `#`.
//! 2. Percent escapes (`%uXXXX` too) are decoded until nothing changes, at most [`DECODE_ROUNDS_MAX`](super::DECODE_ROUNDS_MAX) times.
//!    More rounds than that, or a malformed escape as sent, make it [`PathReading::is_malformed`].
//! 3. Bytes are read as UTF-8, overlong forms as the characters they hide. Full-width forms count as ASCII,
//!    upper case as lower.
//! 4. `/`, `\` and their look-alikes separate tokens; so do `;` and a decoded `?` or `#`. Controls, invalid
//!    bytes, invisible characters and a left-over `%` are tried both as separators and as absent.
//! 5. A token loses spaces around it, trailing dots, and what follows `::`. Empty and `.` tokens vanish.
//! 6. No `..` and no `;` anywhere: the pattern's tokens must stand at the beginning. Otherwise it is enough
//!    that they occur *in this order* anywhere, since whatever `..` takes away, what is left over is a
//!    subsequence.
//! 7. An exact pattern also matches a path that continues behind a cut (`;`, a decoded `?` or `#`, a
//!    control): an origin may stop reading there.
//!
//! Not covered, because it is the origin's naming and not its spelling: `/buy.html` for `/buy` (write
//! `/buy*`), 8.3 names, Unicode normalisation forms of accents.
//!
//! All of it is O(length) for each decoding round, and allocates a few copies of the path.

use std::fmt;

use super::reading::{PathReading, PathToken, Piece, Tidy, classify, decode_once, tidy};

/// What follows a pattern's literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tail {
    /// `/buy`
    Exact,
    /// `/buy/*`: it and everything below.
    Below,
    /// `/buy*`
    Begins,
}

/// A path pattern of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    tokens: Vec<String>,
    tail: Tail,
    /// The literal as it must stand in a request to match strictly: percent-encoded, no `*`.
    literal: String,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// It does not begin with `/`.
    NoSlash,
    /// A `*` elsewhere than at the end.
    InnerStar,
    /// It has more than one spelling: empty, `.` or `..` segments, trailing dots, `;`, `?`, `#`, `\`, or an
    /// escape that hides an ASCII character.
    NotPlain,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSlash => "does not begin with \"/\"",
            Self::InnerStar => "has a \"*\" that is not its last character",
            Self::NotPlain => {
                "is not a plain path (no empty or dot segments, no \"?\", \"#\", \";\", \"\\\", no escaped ASCII)"
            }
        })
    }
}

impl Pattern {
    /// Reads a pattern: a plain path, `*` only as its last character.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if !text.starts_with('/') {
            return Err(PatternError::NoSlash);
        }
        let (literal, tail) = match text.strip_suffix('*') {
            None => (text, Tail::Exact),
            Some(literal) if literal.ends_with('/') => (literal, Tail::Below),
            Some(literal) => (literal, Tail::Begins),
        };
        if literal.contains('*') {
            return Err(PatternError::InnerStar);
        }
        let literal = encode(literal);
        // A literal that more follows need not be plain at its own end: `/v1.*` is fine.
        let whole = if tail == Tail::Begins {
            format!("{literal}x")
        } else {
            literal.clone()
        };
        if !is_plain(&whole) {
            return Err(PatternError::NotPlain);
        }
        let reading = PathReading::new(&literal);
        Ok(Self {
            tokens: reading.cut.into_iter().map(|token| token.text).collect(),
            tail,
            literal,
        })
    }

    /// Length of the literal part: the measure of "longest literal prefix". In bytes of its encoded form.
    #[must_use]
    pub fn literal_len(&self) -> usize {
        self.literal.len()
    }

    /// Whether two patterns gate the same paths, spelling aside.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        self.tail == other.tail && self.tokens == other.tokens
    }

    /// Whether every origin reads this path as one of the pattern's. Errs on the side of no.
    #[must_use]
    pub fn surely_matches(&self, path: &PathReading) -> bool {
        let last = self.tokens.len().saturating_sub(1);
        let mut rest = path.spelt.iter();
        let begins_so = self.tokens.iter().enumerate().all(|(at, token)| {
            rest.next().is_some_and(|found| {
                let begins = at == last && self.tail == Tail::Begins;
                (begins && found.text.starts_with(token))
                    || (found.is_whole && found.text == *token)
            })
        });
        begins_so && !path.has_dots && (self.tail != Tail::Exact || rest.next().is_none())
    }

    /// Whether some origin might read this path as one of the pattern's. Errs on the side of yes.
    #[must_use]
    pub fn may_match(&self, path: &PathReading) -> bool {
        self.surely_matches(path)
            || self.matches_tokens(&path.cut, path)
            || path
                .joined
                .as_ref()
                .is_some_and(|joined| self.matches_tokens(joined, path))
    }

    fn matches_tokens(&self, tokens: &[PathToken], path: &PathReading) -> bool {
        let last = self.tokens.len().saturating_sub(1);
        let fits = |at: usize, token: &str, found: &PathToken| {
            self.token_fits(token, &found.text, at == last)
        };
        if path.has_dots || (path.has_semicolon && !self.tokens.is_empty()) {
            let mut rest = tokens.iter();
            let mut own = self.tokens.iter().enumerate();
            return own.all(|(at, token)| rest.any(|found| fits(at, token, found)));
        }
        let mut rest = tokens.iter();
        let mut own = self.tokens.iter().enumerate();
        let begins_so =
            own.all(|(at, token)| rest.next().is_some_and(|found| fits(at, token, found)));
        begins_so && (self.tail != Tail::Exact || rest.next().is_none_or(|more| more.after_cut))
    }

    fn token_fits(&self, token: &str, found: &str, is_last: bool) -> bool {
        if is_last && self.tail == Tail::Begins {
            found.starts_with(token)
        } else {
            found == token
        }
    }

    /// Whether a path as sent is meant beyond doubt: plain, in this very spelling, case included. For
    /// exceptions, which a fuzzy spelling must never gain. Errs on the side of no. `path` without query.
    #[must_use]
    pub fn matches_strictly(&self, path: &str) -> bool {
        if !is_plain(path) {
            return false;
        }
        let path = upper_escapes(path);
        match self.tail {
            Tail::Exact => path == self.literal,
            Tail::Begins => path.starts_with(&self.literal),
            Tail::Below => {
                path.starts_with(&self.literal)
                    || Some(path.as_str()) == self.literal.strip_suffix('/')
            }
        }
    }
}

/// Whether a path (without query) has only one reading.
fn is_plain(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    let segments = rest.split('/').count();
    rest.split('/').enumerate().all(|(at, segment)| {
        // The last may be empty: a trailing slash.
        (segment.is_empty() && at + 1 == segments) || is_plain_segment(segment)
    })
}

fn is_plain_segment(segment: &str) -> bool {
    let ordinary = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,=:@%".contains(&b);
    let decoded = decode_once(segment.as_bytes());
    let hides_ascii = segment
        .as_bytes()
        .windows(3)
        .any(|window| matches!(window, [b'%', a, b] if *a < b'8' && !(*a == b'2' && *b == b'0')));
    let Ok(text) = String::from_utf8(decoded.bytes) else {
        return false;
    };
    segment.bytes().all(ordinary)
        && !decoded.malformed
        && !hides_ascii
        && matches!(tidy(&text), Tidy::Token(tidied) if tidied == text)
        && text.chars().all(|c| {
            matches!(classify(c), Piece::Char(_)) && !('\u{FF01}'..='\u{FF5E}').contains(&c)
        })
}

/// Non-ASCII and spaces as escapes, escapes in upper case.
fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte == b' ' || byte >= 0x80 {
            out.push_str(&format!("%{byte:02X}"));
        } else {
            out.push(char::from(byte));
        }
    }
    upper_escapes(&out)
}

fn upper_escapes(path: &str) -> String {
    let mut after_percent = 0_u8;
    path.chars()
        .map(|c| {
            if c == '%' {
                after_percent = 2;
                return c;
            }
            let in_escape = after_percent > 0;
            after_percent = after_percent.saturating_sub(1);
            if in_escape { c.to_ascii_uppercase() } else { c }
        })
        .collect()
}
