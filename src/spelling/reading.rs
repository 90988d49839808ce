//! A request's path in the ways in which an origin might read it: as it is spelt, with doubtful characters as separators, without doubtful
//! characters, and with its first segment taken for a host. `readings.rs` has the list of ways, `path.rs` says what each means for a pattern.

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
    /// Whether an origin may read the path without some of its tokens, because of `..` or because nobody knows where a host ends.
    pub(super) loses_tokens: bool,
    pub(super) has_semicolon: bool,
    malformed: bool,
    /// Whether origins differ in nothing but what stands behind a `;` that follows a whole segment, as in `/buy;jsessionid=1`.
    differs_by_parameters: bool,
    /// Whether every origin finds the same segments in the path.
    one_reading: bool,
    /// The path as an origin reads it that takes the first segment for a host. `None` if the path does not begin with several slashes.
    behind_host: Option<Box<Self>>,
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

/// The text between two slashes, decoded once and in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// The text up to the first character that origins read in different ways.
    pub(super) text: String,
    /// Whether there is no such character, so that every origin reads this segment alike.
    pub(super) is_whole: bool,
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
        let one_reading = !has_gap && spelt.iter().all(|segment| segment.is_whole);
        let is_before_parameters = |segment: &str| {
            let before = segment.split(';').next().unwrap_or_default();
            !before.is_empty() && Segment::new(before).is_whole
        };
        let differs_by_parameters =
            !one_reading && !has_gap && segments.clone().all(is_before_parameters);
        let pieces = pieces(&decodings.bytes);
        let has_noise = pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Noise | Piece::Control));
        let (cut, dots_cut) = tokens(&pieces, Noise::Separates);
        let joined = has_noise.then(|| tokens(&pieces, Noise::Vanishes));
        let dots_joined = joined.as_ref().is_some_and(|(_, dots)| *dots);
        let mut reading = Self {
            spelt,
            cut,
            joined: joined.map(|(tokens, _)| tokens),
            loses_tokens: dots_cut || dots_joined,
            has_semicolon: pieces.contains(&Piece::Semicolon),
            malformed: decodings.is_malformed || decodings.is_too_deep,
            differs_by_parameters,
            one_reading,
            behind_host: None,
        };
        if begins_with_slashes(&pieces) {
            reading.behind_host = Some(Box::new(reading.without_host()));
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
            loses_tokens: self.loses_tokens || !is_clear,
            one_reading: false,
            ..self.clone()
        }
    }

    /// Returns the path as an origin reads it that takes the first segment for a host: Node's `new URL(target, base)` and PHP's `parse_url`, for
    /// example, because RFC 3986 (section 4.2) calls what begins with two slashes a network-path reference. `new URL` does so after any number of
    /// slashes. Returns `None` if the path does not begin with several.
    #[must_use]
    pub fn behind_host(&self) -> Option<&Self> {
        self.behind_host.as_deref()
    }

    /// Returns every segment that some origin may find in the path. Some come twice.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
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
        let text: String = valid.chars().map_while(clear).collect();
        let is_whole = text.len() == decoded.bytes.len()
            && !decoded.malformed
            && matches!(tidy(&text), Tidy::Token(tidied) if tidied == text);
        Self { text, is_whole }
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

/// Returns the lower case of a character that every origin reads as itself. Returns `None` for any other character.
pub(super) fn clear(c: char) -> Option<char> {
    let Piece::Char(folded) = classify(c) else {
        return None;
    };
    let mut lower = c.to_lowercase();
    // This excludes full-width forms, and letters that only some origins would fold.
    let is_clear = lower.next() == Some(folded) && lower.next().is_none();
    (is_clear && folded.len_utf8() == c.len_utf8()).then_some(folded)
}

/// Returns whether some origin finds several slashes, and at most `.` segments or noise between them, at the beginning of a path.
pub(super) fn begins_with_slashes(pieces: &[Piece]) -> bool {
    let mut leading = pieces
        .iter()
        .take_while(|piece| !matches!(piece, Piece::Char(c) if *c != '.'));
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
    /// A character that some origins drop, and at which others stop reading.
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

/// Reads a number of `digits` hex digits from the front, and returns what follows it.
fn hex(bytes: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_at_checked(digits)?;
    let mut value = 0;
    for byte in head {
        value = value * 16 + char::from(*byte).to_digit(16)?;
    }
    Some((value, rest))
}

/// Reads bytes as UTF-8, leniently, and classifies each character.
pub(super) fn pieces(bytes: &[u8]) -> Vec<Piece> {
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

pub(super) fn classify(c: char) -> Piece {
    // Some origins map full-width forms to ASCII by "best fit".
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

/// Folds case by way of upper case, so that `ſ`, `ı` and the Kelvin sign become the letters that they look like.
fn folded(c: char) -> char {
    let upper = c.to_uppercase().next().unwrap_or(c);
    upper.to_lowercase().next().unwrap_or(upper)
}
