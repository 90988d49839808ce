//! Path matching that no spelling slips by. Only for matching: the origin gets the path as it was sent.
//!
//! An origin may decode once or twice, fold case, read `\` as `/`, cut at `;`, NUL or an encoded `?`, resolve
//! `..` before or after decoding, drop what it cannot read. Baton cannot know which. So a path is read in a
//! way that covers every such reading at once, and a pattern (plain by construction) matches if it might
//! match in any of them. **When in doubt a path is gated.** In order:
//!
//! 1. The path ends at the first literal `?` or `#`.
//! 2. Percent escapes (`%uXXXX` too) are decoded until nothing changes, at most [`DECODE_ROUNDS_MAX`] times.
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

/// Decoding rounds before a path is called malformed. Browsers send one, proxies add one or two.
pub const DECODE_ROUNDS_MAX: usize = 8;

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

    /// Whether a path might be meant, in any spelling. Errs on the side of yes.
    #[must_use]
    pub fn may_match(&self, path: &PathReading) -> bool {
        self.matches_tokens(&path.cut, path)
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

/// A request's path, read in all the ways an origin might.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathReading {
    /// Tokens, noise as separators.
    cut: Vec<PathToken>,
    /// Tokens, noise left out; only if there was any.
    joined: Option<Vec<PathToken>>,
    has_dots: bool,
    has_semicolon: bool,
    malformed: bool,
}

/// One token of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PathToken {
    text: String,
    /// Whether an origin may have stopped reading between the token before and this one.
    after_cut: bool,
}

impl PathReading {
    /// Reads a path, with or without its query.
    #[must_use]
    pub fn new(path_and_query: &str) -> Self {
        let path = without_query(path_and_query);
        let mut bytes = path.as_bytes().to_vec();
        let mut malformed = false;
        for round in 0..=DECODE_ROUNDS_MAX {
            let decoded = decode_once(&bytes);
            malformed |= round == 0 && decoded.malformed;
            if !decoded.changed {
                break;
            }
            malformed |= round == DECODE_ROUNDS_MAX;
            bytes = decoded.bytes;
        }
        Self::from_pieces(&pieces(&bytes), malformed)
    }

    fn from_pieces(pieces: &[Piece], malformed: bool) -> Self {
        let has_noise = pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Noise | Piece::Control));
        let (cut, dots_cut) = tokens(pieces, Noise::Separates);
        let joined = has_noise.then(|| tokens(pieces, Noise::Vanishes));
        let dots_joined = joined.as_ref().is_some_and(|(_, dots)| *dots);
        Self {
            cut,
            joined: joined.map(|(tokens, _)| tokens),
            has_dots: dots_cut || dots_joined,
            has_semicolon: pieces.contains(&Piece::Semicolon),
            malformed,
        }
    }

    /// Whether a percent escape was malformed as sent, or there were too many layers of them.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }
}

/// The path of `path?query` or `path#fragment`.
#[must_use]
pub fn without_query(path_and_query: &str) -> &str {
    path_and_query.split(['?', '#']).next().unwrap_or_default()
}

/// A character as matching sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Char(char),
    Separator,
    Semicolon,
    /// A decoded `?` or `#`.
    Cut,
    /// What some origins drop and others read as something of their own.
    Noise,
    /// What some origins drop and others stop at.
    Control,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Noise {
    Separates,
    Vanishes,
}

fn tokens(pieces: &[Piece], noise: Noise) -> (Vec<PathToken>, bool) {
    let mut tokens = Vec::new();
    let mut has_dots = false;
    let mut text = String::new();
    let mut after_cut = false;
    for piece in pieces.iter().chain([&Piece::Separator]) {
        let is_noise = matches!(piece, Piece::Noise | Piece::Control);
        match piece {
            Piece::Char(c) => {
                text.push(*c);
                continue;
            }
            _ if is_noise && noise == Noise::Vanishes => continue,
            _ => {}
        }
        match tidy(&text) {
            Tidy::Token(text) => {
                tokens.push(PathToken {
                    text: text.to_owned(),
                    after_cut,
                });
                after_cut = false;
            }
            Tidy::Dots => has_dots = true,
            Tidy::Nothing => {}
        }
        text.clear();
        after_cut |= matches!(piece, Piece::Semicolon | Piece::Cut | Piece::Control);
    }
    (tokens, has_dots)
}

enum Tidy<'a> {
    Token(&'a str),
    Dots,
    Nothing,
}

fn tidy(token: &str) -> Tidy<'_> {
    let token = token.trim();
    // A stream of a file on NTFS is the file.
    let token = token.split("::").next().unwrap_or_default();
    if token.chars().filter(|c| *c == '.').count() >= 2
        && token.chars().all(|c| c == '.' || c.is_whitespace())
    {
        return Tidy::Dots;
    }
    match token.trim_end_matches(|c: char| c == '.' || c.is_whitespace()) {
        "" => Tidy::Nothing,
        text => Tidy::Token(text),
    }
}

struct Decoded {
    bytes: Vec<u8>,
    changed: bool,
    malformed: bool,
}

/// One round of percent-decoding. What is malformed stays.
fn decode_once(bytes: &[u8]) -> Decoded {
    let mut out = Decoded {
        bytes: Vec::with_capacity(bytes.len()),
        changed: false,
        malformed: false,
    };
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            out.bytes.push(*first);
            continue;
        }
        if let Some((byte, after)) = hex(after, 2) {
            out.bytes.extend(u8::try_from(byte));
            out.changed = true;
            rest = after;
            continue;
        }
        out.malformed = true;
        let long = match after.split_first() {
            Some((b'u' | b'U', digits)) => hex(digits, 4),
            _ => None,
        };
        match long.and_then(|(code, after)| Some((char::from_u32(code)?, after))) {
            Some((c, after)) => {
                out.bytes
                    .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                out.changed = true;
                rest = after;
            }
            None => out.bytes.push(b'%'),
        }
    }
    out
}

/// `digits` hex digits off the front.
fn hex(bytes: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_at_checked(digits)?;
    let mut value = 0;
    for byte in head {
        value = value * 16 + char::from(*byte).to_digit(16)?;
    }
    Some((value, rest))
}

/// Bytes as pieces: UTF-8, read leniently.
fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        match sequence(*first, after) {
            Some((code, after)) => {
                out.push(char::from_u32(code).map_or(Piece::Noise, classify));
                rest = after;
            }
            None => {
                out.push(Piece::Noise);
                rest = after;
            }
        }
    }
    out
}

/// One UTF-8 sequence, overlong ones included.
fn sequence(first: u8, after: &[u8]) -> Option<(u32, &[u8])> {
    let (more, mut code) = match first {
        0x00..=0x7F => return Some((u32::from(first), after)),
        0xC0..=0xDF => (1, u32::from(first & 0x1F)),
        0xE0..=0xEF => (2, u32::from(first & 0x0F)),
        0xF0..=0xF7 => (3, u32::from(first & 0x07)),
        _ => return None,
    };
    let (tail, rest) = after.split_at_checked(more)?;
    for byte in tail {
        if byte & 0xC0 != 0x80 {
            return None;
        }
        code = code << 6 | u32::from(byte & 0x3F);
    }
    Some((code, rest))
}

fn classify(c: char) -> Piece {
    // Full-width forms, which some origins map to ASCII by "best fit".
    let c = match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        c => c,
    };
    match c {
        '/' | '\\' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{29F8}' | '\u{29F9}' => {
            Piece::Separator
        }
        ';' | '\u{37E}' => Piece::Semicolon,
        '?' | '#' => Piece::Cut,
        '%'
        | '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' => Piece::Noise,
        c if c.is_control() => Piece::Control,
        c => Piece::Char(folded(c)),
    }
}

/// Case away, by way of upper case, so that `ſ`, `ı` and the Kelvin sign are what they look like.
fn folded(c: char) -> char {
    let upper = c.to_uppercase().next().unwrap_or(c);
    upper.to_lowercase().next().unwrap_or(upper)
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
