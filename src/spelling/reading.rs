//! A request's path in the ways in which an origin might read it: as it is spelt, with doubtful characters as separators, without doubtful
//! characters, and with its first segment taken for a host. `readings.rs` has the list of ways, `path.rs` says what each means for a pattern.

use super::host::HostPattern;
use super::letters::{Text, folded, is_mark, is_unseen};

/// How many rounds of decoding a path may take before it counts as malformed. Browsers encode once, proxies once or twice more.
pub const DECODE_ROUNDS_MAX: usize = 8;

/// Returns the path of `path?query` or `path#fragment`.
#[must_use]
pub fn without_query(path_and_query: &str) -> &str {
    path_and_query.split(['?', '#']).next().unwrap_or_default()
}

/// A request's path, in every way in which an origin might read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathReading {
    /// The segments as they are spelt, without empty and `.` ones.
    pub(super) spelt: Vec<Segment>,
    /// The tokens, with noise as separators.
    pub(super) cut: Vec<PathToken>,
    /// The tokens with noise left out. `None` if there is no noise.
    pub(super) joined: Option<Vec<PathToken>>,
    /// The tokens with each byte that is no UTF-8 as a character of another set, and other noise left out. `None` if no segment is
    /// [vague](PathToken::may_be).
    pub(super) vague: Option<Vec<PathToken>>,
    /// Whether an origin may read the path without some of its tokens, because of `..` or because nobody knows where a host ends.
    pub(super) loses_tokens: bool,
    pub(super) has_semicolon: bool,
    malformed: bool,
    /// Whether origins differ in nothing but what stands behind a `;` that follows a whole segment, as in `/buy;jsessionid=1`.
    differs_by_parameters: bool,
    /// Whether every origin finds the same segments in the path.
    one_reading: bool,
    /// The path as origins read it that take its beginning for a host. Empty if the path does not begin with several slashes.
    behind_host: Vec<Self>,
}

/// One token of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathToken {
    pub(super) text: String,
    /// Whether an origin may have stopped reading between the previous token and this one.
    pub(super) after_cut: bool,
    /// Whether some origin finds dots, blanks or a stream's name behind the text.
    pub(super) is_trimmed: bool,
}

impl PathToken {
    /// Returns whether some origin may read this token as a text that looks otherwise to us: bytes in another character set, or letters and marks in one
    /// character that are several here.
    pub(super) fn may_be(&self, text: &Text, is_beginning: bool) -> bool {
        let found = self.text.as_str();
        (found.contains(char::REPLACEMENT_CHARACTER) && text.may_be_foreign(found, is_beginning))
            || (found.contains(is_mark) && text.has_outline_of(found, is_beginning))
    }
}

/// The text between two slashes, decoded once and with its case folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// The text up to the first character that origins read in different ways.
    pub(super) text: String,
    /// Whether there is no such character, so that every origin reads this segment alike that joins no letters and marks.
    pub(super) is_whole: bool,
    has_marks: bool,
}

impl PathReading {
    /// Reads a path, with or without its query.
    #[must_use]
    pub fn new(path_and_query: &str) -> Self {
        let path = without_query(path_and_query);
        let decodings = Decodings::of(path);
        let segments = path.split('/').filter(|text| !matches!(*text, "" | "."));
        let spelt: Vec<Segment> = segments.clone().map(Segment::new).collect();
        let has_gap = has_gap(path);
        let has_one = |segment: &Segment| segment.is_whole && !segment.has_marks;
        let one_reading = !has_gap && spelt.iter().all(has_one);
        let is_before_parameters = |segment: &str| {
            let before = segment.split(';').next().unwrap_or_default();
            !before.is_empty() && Segment::new(before).is_whole
        };
        let differs_by_parameters = !has_gap && path.contains(';') && segments.clone().all(is_before_parameters);
        let pieces = pieces(&decodings.bytes);
        let has_noise = pieces.iter().any(|piece| matches!(piece, Piece::Noise | Piece::Control | Piece::Foreign));
        let (cut, dots_cut) = tokens(&pieces, Noise::Separates);
        let joined = has_noise.then(|| tokens(&pieces, Noise::Vanishes));
        let dots_joined = joined.as_ref().is_some_and(|(_, dots)| *dots);
        let is_vague = |piece: &Piece| match piece {
            Piece::Foreign => true,
            Piece::Char(c) => is_mark(*c),
            _ => false,
        };
        let vague = (pieces.iter().any(is_vague)).then(|| tokens(&pieces, Noise::Stands).0);
        let mut reading = Self {
            spelt,
            cut,
            joined: joined.map(|(tokens, _)| tokens),
            vague,
            loses_tokens: dots_cut || dots_joined,
            has_semicolon: pieces.contains(&Piece::Semicolon),
            malformed: decodings.is_malformed || decodings.is_too_deep,
            differs_by_parameters,
            one_reading,
            behind_host: Vec::new(),
        };
        if begins_with_slashes(&pieces) {
            reading.behind_host.push(reading.without_host());
            reading.behind_host.extend(behind_short_host(path).map(|rest| Self::new(&rest)));
        }
        reading
    }

    fn without_host(&self) -> Self {
        let behind = |tokens: &Vec<PathToken>| tokens.iter().skip(1).cloned().collect();
        let is_clear = self.spelt.first().is_none_or(|host| host.is_whole);
        Self {
            spelt: self.spelt.iter().skip(1).cloned().collect(),
            cut: behind(&self.cut),
            joined: self.joined.as_ref().map(behind),
            vague: self.vague.as_ref().map(behind),
            loses_tokens: self.loses_tokens || !is_clear,
            one_reading: false,
            ..self.clone()
        }
    }

    /// Returns the path as origins read it that take its beginning for a host: Node's `new URL(target, base)` and PHP's `parse_url` the first segment,
    /// for example, because RFC 3986 (section 4.2) calls what begins with two slashes a network-path reference; `new URL` does so after any number of
    /// slashes. Node's `url.parse` takes only what may stand in a host. Empty if the path does not begin with several slashes.
    #[must_use]
    pub fn behind_host(&self) -> &[Self] {
        &self.behind_host
    }

    /// Returns whether some origin that takes the path's beginning for a host may take it for this one. Of a beginning that is plain ASCII only what it
    /// has counts, with or without a user and a port; what else may become of another, or is an address, nobody knows. O(length).
    #[must_use]
    pub fn may_name(&self, host: &HostPattern) -> bool {
        let Some(first) = self.cut.first().filter(|_| !self.behind_host.is_empty()) else {
            return false;
        };
        let is_plain = first.text.is_ascii() && self.spelt.first().is_none_or(|segment| segment.is_whole);
        !is_plain || host.is_address() || first.text.contains(host.name())
    }

    /// Returns whether some segment may be texts that [`texts`](Self::texts) does not tell.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.vague.is_some()
    }

    /// Returns every segment that some origin may find in the path, unless it [is vague](Self::is_vague). Some come twice.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let behind = self.behind_host.iter().flat_map(Self::own_texts);
        self.own_texts().chain(behind)
    }

    fn own_texts(&self) -> impl Iterator<Item = &str> {
        let doubtful = (!self.one_reading).then_some(&self.cut);
        let doubtful = doubtful.into_iter().chain(&self.joined).flatten();
        let doubtful = doubtful.map(|token| token.text.as_str());
        let spelt = self.spelt.iter().map(|segment| segment.text.as_str());
        spelt.chain(doubtful)
    }

    /// Returns whether every origin finds the same segments in the path. If so, whatever might match does match.
    #[must_use]
    pub fn has_one_reading(&self) -> bool {
        self.one_reading
    }

    /// Returns whether origins differ in nothing but what stands behind a `;` that follows a whole segment: some cut it off, others keep it.
    #[must_use]
    pub fn differs_by_parameters(&self) -> bool {
        self.differs_by_parameters
    }

    /// Returns whether a percent escape was malformed as sent, or there were too many layers of escapes.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }
}

impl Segment {
    fn new(segment: &str) -> Self {
        let decoded = decode_once(segment.as_bytes());
        let valid = match core::str::from_utf8(&decoded.bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = decoded.bytes.get(..error.valid_up_to());
                core::str::from_utf8(valid.unwrap_or_default()).unwrap_or_default()
            }
        };
        let text: String = valid.chars().map_while(clear).flatten().collect();
        let text = text.replace("i\u{307}", "i");
        let is_clear = valid.len() == decoded.bytes.len() && !decoded.malformed && valid.chars().all(|c| clear(c).is_some());
        let is_whole = is_clear && matches!(tidy(&text), Tidy::Token(tidied) if tidied == text);
        Self {
            text,
            is_whole,
            has_marks: valid.chars().any(is_mark),
        }
    }

    /// Returns whether every origin finds this beginning: also those that drop dots and blanks from the segment's end.
    pub(super) fn begins_with(&self, beginning: &str) -> bool {
        let kept = match tidy(&self.text) {
            Tidy::Token(text) if !self.is_whole => text,
            _ => &self.text,
        };
        kept.starts_with(beginning)
    }
}

/// A path with its escapes decoded until nothing changes.
pub(super) struct Decodings {
    pub(super) bytes: Vec<u8>,
    /// Whether an escape was malformed as sent.
    is_malformed: bool,
    /// Whether it took more than [`DECODE_ROUNDS_MAX`] rounds.
    pub(super) is_too_deep: bool,
}

impl Decodings {
    pub(super) fn of(path: &str) -> Self {
        let mut all = Self {
            bytes: path.as_bytes().to_vec(),
            is_malformed: false,
            is_too_deep: false,
        };
        for round in 0..=DECODE_ROUNDS_MAX {
            let decoded = decode_once(&all.bytes);
            all.is_malformed |= round == 0 && decoded.malformed;
            if !decoded.changed {
                break;
            }
            all.is_too_deep |= round == DECODE_ROUNDS_MAX;
            all.bytes = decoded.bytes;
        }
        all
    }
}

/// Returns whether a path has empty or `.` segments inside, which some origins keep.
pub(super) fn has_gap(path: &str) -> bool {
    path.contains("//") || path.contains("/./")
}

/// Returns a character that every origin reads as itself, but for case, with its case folded. Returns `None` for any other character, such as a full-width form.
pub(super) fn clear(c: char) -> Option<impl Iterator<Item = char>> {
    (classify(c) == Piece::Char(c)).then(|| folded(c))
}

/// Returns what is left of `//user@host%62uy` where the host ends at the first `%` behind the user, as for Node's `url.parse`: what follows is the path,
/// and the gate knows no other character that ends a host in the midst of a segment and is nothing at the beginning of the next.
fn behind_short_host(path: &str) -> Option<String> {
    let behind = path.strip_prefix("//")?;
    let segment = behind.split('/').next().unwrap_or_default();
    let user = segment.rfind('@').map_or(0, |at| at + 1);
    let host = segment.get(user..)?.find('%')?;
    Some(format!("/{}", behind.get(user + host..)?))
}

/// Returns whether some origin finds several slashes, and at most `.` segments or noise between them, at the beginning of a path.
pub(super) fn begins_with_slashes(pieces: &[Piece]) -> bool {
    let mut leading = pieces.iter().take_while(|piece| !matches!(piece, Piece::Char(c) if *c != '.'));
    let mut next_slash = || leading.any(|piece| *piece == Piece::Separator);
    next_slash() && next_slash()
}

/// What a character means for matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Char(char),
    Separator,
    Semicolon,
    /// A decoded `?` or `#`.
    Cut,
    /// A character that some origins drop and others keep.
    Noise,
    /// A byte that is no UTF-8: some origins drop it, and others read it in another character set.
    Foreign,
    /// A character that some origins drop, and at which others stop reading.
    Control,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Noise {
    Separates,
    Vanishes,
    /// Bytes of another character set are characters; other noise vanishes.
    Stands,
}

fn tokens(pieces: &[Piece], noise: Noise) -> (Vec<PathToken>, bool) {
    let mut tokens = Vec::new();
    let mut has_dots = false;
    let mut text = String::new();
    let mut after_cut = false;
    for piece in pieces.iter().chain([&Piece::Separator]) {
        let is_noise = matches!(piece, Piece::Noise | Piece::Control | Piece::Foreign);
        match piece {
            Piece::Char(c) => {
                text.push(*c);
                continue;
            }
            Piece::Foreign if noise == Noise::Stands => {
                text.push(char::REPLACEMENT_CHARACTER);
                continue;
            }
            _ if is_noise && noise != Noise::Separates => continue,
            _ => {}
        }
        match tidy(&text) {
            Tidy::Token(tidied) => {
                tokens.push(PathToken {
                    text: tidied.to_owned(),
                    after_cut,
                    is_trimmed: tidied.len() < text.len(),
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

pub(super) enum Tidy<'a> {
    Token(&'a str),
    Dots,
    Nothing,
}

pub(super) fn tidy(token: &str) -> Tidy<'_> {
    let token = token.trim();
    // On NTFS, a name with `::` opens a stream of the file before it.
    let token = token.split("::").next().unwrap_or_default();
    if token.chars().filter(|c| *c == '.').count() >= 2 && token.chars().all(|c| c == '.' || c.is_whitespace()) {
        return Tidy::Dots;
    }
    match token.trim_end_matches(|c: char| c == '.' || c.is_whitespace()) {
        "" => Tidy::Nothing,
        text => Tidy::Token(text),
    }
}

pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) changed: bool,
    pub(super) malformed: bool,
}

/// Decodes percent escapes once. Malformed escapes stay as they are.
pub(super) fn decode_once(bytes: &[u8]) -> Decoded {
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
                out.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                out.changed = true;
                rest = after;
            }
            None => out.bytes.push(b'%'),
        }
    }
    out
}

/// Reads a number of `digits` hex digits from the front, and returns what follows it.
fn hex(bytes: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_at_checked(digits)?;
    let mut value = 0;
    for byte in head {
        value = value * 16 + char::from(*byte).to_digit(16)?;
    }
    Some((value, rest))
}

/// Reads bytes as UTF-8, leniently, classifies each character, and folds letters.
pub(super) fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let Some((code, after)) = sequence(*first, after) else {
            out.push(Piece::Foreign);
            rest = after;
            continue;
        };
        rest = after;
        match char::from_u32(code).map_or(Piece::Noise, classify) {
            Piece::Char(c) if c.is_ascii() => out.push(Piece::Char(c.to_ascii_lowercase())),
            Piece::Char(c) => out.extend(folded(c).map(Piece::Char)),
            other => out.push(other),
        }
        if out.ends_with(&DOTTED) {
            out.pop();
        }
    }
    out
}

/// What `İ` is in lower case to some origins, and `i` alone to others.
const DOTTED: [Piece; 2] = [Piece::Char('i'), Piece::Char('\u{307}')];

/// Reads one UTF-8 sequence, overlong ones included.
pub(super) fn sequence(first: u8, after: &[u8]) -> Option<(u32, &[u8])> {
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

/// Says what a character is to the origins. The case of letters stays as it is.
pub(super) fn classify(c: char) -> Piece {
    // Some origins map full-width forms to ASCII by "best fit".
    let c = match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        c => c,
    };
    match c {
        '/' | '\\' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{29F8}' | '\u{29F9}' => Piece::Separator,
        ';' | '\u{37E}' => Piece::Semicolon,
        '?' | '#' => Piece::Cut,
        '%' => Piece::Noise,
        c if is_unseen(c) => Piece::Noise,
        c if c.is_control() => Piece::Control,
        c => Piece::Char(c),
    }
}
