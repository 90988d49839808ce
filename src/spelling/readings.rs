//! Every way in which some origin reads a path otherwise than it is spelt: the one list of them, with the servers that do so. `reading.rs` looks for each,
//! `path.rs` decides by them, and `check-config --explain` names them. From their pieces come the attack, the spellings of `tests/spellings/` and the
//! kits' vectors; `npm run check-world -- origins` asks servers for each and writes down which read so (`readers.rs`).

use super::letters::{folded, is_mark};
use super::readers::READERS;
use super::reading::{Decodings, Piece, Tidy, begins_with_slashes, classify, clear, decode_once, has_gap, pieces, sequence, tidy, without_query};

/// One way to read a path otherwise than it is spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// Upper case is lower case.
    Case,
    /// An escape is the character that it stands for.
    Escape,
    /// Empty and `.` segments are nothing.
    Gap,
    /// The first segment after several slashes is a host, or what it begins with.
    Host,
    /// Escapes are decoded more than once.
    Layer,
    /// `%u0062` is an escape.
    Long,
    /// A `%` that begins no escape is dropped, or garbles what follows.
    Garbled,
    /// A character in more bytes than UTF-8 takes for it is that character.
    Overlong,
    /// Bytes that are no UTF-8 are dropped, or read in another character set.
    Invalid,
    /// A character that looks like another is that other; a letter with its mark is one character, however it is sent.
    Alike,
    /// An encoded slash, a backslash or a sign like them separates segments.
    Separator,
    /// A segment ends at `;`.
    Parameter,
    /// The path ends at an encoded `?` or `#`.
    Cut,
    /// A control character is dropped, or the path ends there.
    Control,
    /// A character that nobody sees is dropped.
    Invisible,
    /// Dots and blanks around a segment are dropped.
    Blank,
    /// `::` ends a segment.
    Stream,
    /// A segment of dots leads up that is not `..` as sent.
    Up,
}

/// The pieces with which a path is spelt so that a reading matters. In a letter, `{hex}` is its code, `{upper}` itself in upper case, `{tail}` the last
/// byte of its overlong and `{wide}` that of its full-width form.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pieces {
    /// What begins a path, up to its first segment.
    pub heads: &'static [&'static str],
    /// Segments that are nothing.
    pub blanks: &'static [&'static str],
    /// Segments that lead up.
    pub ups: &'static [&'static str],
    /// What stands between two segments.
    pub joints: &'static [&'static str],
    /// What stands at the end of a segment.
    pub ends: &'static [&'static str],
    /// Ways to write a letter.
    pub letters: &'static [&'static str],
}

const NONE: Pieces = Pieces {
    heads: &[],
    blanks: &[],
    ups: &[],
    joints: &[],
    ends: &[],
    letters: &[],
};

impl Reading {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 18] = [
        Self::Case,
        Self::Escape,
        Self::Gap,
        Self::Host,
        Self::Layer,
        Self::Long,
        Self::Garbled,
        Self::Overlong,
        Self::Invalid,
        Self::Alike,
        Self::Separator,
        Self::Parameter,
        Self::Cut,
        Self::Control,
        Self::Invisible,
        Self::Blank,
        Self::Stream,
        Self::Up,
    ];

    /// Returns a word for the reading, as a table's head.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Escape => "escape",
            Self::Gap => "gap",
            Self::Host => "host",
            Self::Layer => "layers",
            Self::Long => "long escape",
            Self::Garbled => "garbled",
            Self::Overlong => "overlong",
            Self::Invalid => "invalid",
            Self::Alike => "alike",
            Self::Separator => "separator",
            Self::Parameter => "parameter",
            Self::Cut => "cut",
            Self::Control => "control",
            Self::Invisible => "invisible",
            Self::Blank => "blank",
            Self::Stream => "stream",
            Self::Up => "up",
        }
    }

    /// Returns what an origin does that reads so.
    #[must_use]
    pub const fn what(self) -> &'static str {
        match self {
            Self::Case => "takes upper case for lower case",
            Self::Escape => "decodes an escape",
            Self::Gap => "drops empty and \".\" segments",
            Self::Host => "takes the first segment after several slashes, or its beginning, for a host",
            Self::Layer => "decodes escapes more than once",
            Self::Long => "decodes \"%u\" and four digits",
            Self::Garbled => "drops a \"%\" that begins no escape",
            Self::Overlong => "decodes more bytes than UTF-8 takes for a character",
            Self::Invalid => "drops bytes that are no UTF-8, or reads them in another character set",
            Self::Alike => "takes a character for another that looks like it",
            Self::Separator => "takes an encoded slash, or a sign like it, for a slash",
            Self::Parameter => "ends a segment at \";\"",
            Self::Cut => "ends the path at an encoded \"?\" or \"#\"",
            Self::Control => "drops a control character, or ends the path there",
            Self::Invisible => "drops a character that nobody sees",
            Self::Blank => "drops dots and blanks around a segment",
            Self::Stream => "ends a segment at \"::\"",
            Self::Up => "goes up at a segment of dots that is not \"..\" as sent",
        }
    }

    /// Returns whether the gate takes it for every origin's reading, and so has no doubt.
    #[must_use]
    pub const fn is_everybodys(self) -> bool {
        matches!(self, Self::Case | Self::Escape)
    }

    /// Returns the pieces with which a path is spelt so that this reading matters. Long because it is the list.
    #[must_use]
    pub const fn pieces(self) -> Pieces {
        match self {
            Self::Case => Pieces {
                letters: &["{upper}"],
                ..NONE
            },
            Self::Escape => Pieces {
                ups: &["%2e%2e", ".%2e", "%2E."],
                letters: &["%{hex}"],
                ..NONE
            },
            Self::Gap => Pieces {
                blanks: &["", ".", "%2e"],
                joints: &["//", "///", "/./", "/%2e/"],
                ..NONE
            },
            Self::Host => Pieces {
                heads: &["//x/", "///x/", "/\\x/", "//u@x:80/"],
                letters: &["/x%{hex}", "/u@x%{hex}", "/u%40u@x:80%{hex}"],
                ..NONE
            },
            Self::Layer => Pieces {
                blanks: &["%252e"],
                ups: &["%252e%252e"],
                joints: &["%252f", "%255c"],
                letters: &["%25{hex}"],
                ..NONE
            },
            Self::Long => Pieces {
                joints: &["%u002f"],
                ends: &["%u002f"],
                letters: &["%u00{hex}"],
                ..NONE
            },
            Self::Garbled => Pieces { ends: &["%", "%zz"], ..NONE },
            Self::Overlong => Pieces {
                ups: &["%c0%ae%c0%ae"],
                joints: &["%c0%af"],
                letters: &["%c1%{tail}"],
                ..NONE
            },
            Self::Invalid => Pieces {
                ups: &["..%ff"],
                ends: &["%ff"],
                ..NONE
            },
            Self::Alike => Pieces {
                letters: &["%EF%BD%{wide}"],
                ..NONE
            },
            Self::Separator => Pieces {
                heads: &["/%2f"],
                joints: &["%2f", "%2F", "%5c", "%EF%BC%8F", "%E2%88%95", "\\", "\\/"],
                ..NONE
            },
            Self::Parameter => Pieces {
                blanks: &[";", ";v=1", ".;"],
                ups: &["..;", "..;x=1", "%2e%2e;"],
                joints: &[";/", "/;/", "%3b/"],
                ends: &[";v=1", ";jsessionid=A1"],
                ..NONE
            },
            Self::Cut => Pieces {
                ends: &["%3f", "%3fx=1", "%23"],
                ..NONE
            },
            Self::Control => Pieces {
                ups: &["..%00"],
                joints: &["%00/"],
                ends: &["%00", "%00.css", "%0a"],
                ..NONE
            },
            Self::Invisible => Pieces {
                ends: &["%E2%80%8B", "%C2%AD", "%CD%8F", "%E1%A0%8E", "%F3%A0%80%A0"],
                ..NONE
            },
            Self::Blank => Pieces {
                blanks: &["%20"],
                ends: &["%20", "."],
                ..NONE
            },
            Self::Stream => Pieces { ends: &["::$DATA"], ..NONE },
            Self::Up => Pieces {
                ups: &["...", "..%20", "..::$DATA"],
                ..NONE
            },
        }
    }

    /// Returns each server that is known to read so, with its version.
    #[must_use]
    pub fn readers(self) -> Vec<&'static str> {
        let reads_so = |row: &&(&str, &[&str])| row.1.contains(&self.name());
        READERS.iter().filter(reads_so).map(|(server, _)| *server).collect()
    }

    /// Returns the path `/first/rest` in each spelling that this reading reads as that path. The first segment begins with an ASCII letter.
    #[must_use]
    pub fn spellings(self, first: &str, rest: &str) -> Vec<String> {
        let Pieces {
            heads,
            blanks,
            ups,
            joints,
            ends,
            letters,
        } = self.pieces();
        let mut out = Vec::new();
        out.extend(heads.iter().map(|head| format!("{head}{first}/{rest}")));
        out.extend((blanks.iter()).map(|blank| format!("/{blank}/{first}/{rest}")));
        out.extend(ups.iter().map(|up| format!("/x/{up}/{first}/{rest}")));
        out.extend(joints.iter().map(|joint| format!("/{first}{joint}{rest}")));
        out.extend(ends.iter().map(|end| format!("/{first}{end}/{rest}")));
        let (letter, others) = first.split_at_checked(1).unwrap_or_default();
        let code = letter.bytes().next().unwrap_or_default();
        let written = |letter_as: &&str| {
            let hex = |byte: u8| format!("{byte:02x}");
            let as_letter = letter_as
                .replace("{hex}", &hex(code))
                .replace("{upper}", &letter.to_ascii_uppercase())
                .replace("{tail}", &hex(0x80 | (code & 0x3F)))
                .replace("{wide}", &hex(code.wrapping_add(0x20)));
            format!("/{as_letter}{others}/{rest}")
        };
        out.extend(letters.iter().map(written));
        out
    }

    /// Returns the readings that matter to a path: all by which some origin finds other segments in it than it is spelt with. With none but
    /// [everybody's](Self::is_everybodys) it [has one reading](super::PathReading::has_one_reading). O(length) for each decoding round.
    #[must_use]
    pub fn all_in(path_and_query: &str) -> Vec<Self> {
        let path = without_query(path_and_query);
        let mut found: Vec<Self> = path.split('/').flat_map(in_segment).collect();
        found.extend(has_gap(path).then_some(Self::Gap));
        let is_hosts = begins_with_slashes(&pieces(&Decodings::of(path).bytes));
        found.extend(is_hosts.then_some(Self::Host));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the reading by which a piece of a segment is more than a character.
    const fn of_piece(piece: Piece) -> Option<Self> {
        match piece {
            Piece::Char(_) => None,
            Piece::Separator => Some(Self::Separator),
            Piece::Semicolon => Some(Self::Parameter),
            Piece::Cut => Some(Self::Cut),
            Piece::Noise => Some(Self::Invisible),
            Piece::Foreign => Some(Self::Invalid),
            Piece::Control => Some(Self::Control),
        }
    }
}

/// Returns the readings that matter to one segment, as it is spelt.
fn in_segment(segment: &str) -> Vec<Reading> {
    let mut found = Vec::new();
    let once = decode_once(segment.as_bytes());
    let whole = Decodings::of(segment);
    if once.changed {
        found.push(Reading::Escape);
    }
    if once.malformed {
        let is_long = segment.to_ascii_lowercase().contains("%u");
        found.push(if is_long { Reading::Long } else { Reading::Garbled });
    }
    if whole.bytes != once.bytes || whole.is_too_deep {
        found.push(Reading::Layer);
    }
    let mut text = String::new();
    let mut rest = whole.bytes.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let Some((code, behind)) = sequence(*first, after) else {
            found.push(Reading::Invalid);
            rest = after;
            continue;
        };
        let bytes = rest.len() - behind.len();
        rest = behind;
        match char::from_u32(code) {
            Some(c) if c.len_utf8() < bytes => found.push(Reading::Overlong),
            Some('%') => found.push(Reading::Garbled),
            Some(c) => {
                found.extend(of_char(c));
                text.push(c);
            }
            None => found.push(Reading::Invalid),
        }
    }
    if segment != "." {
        found.extend(of_text(&text));
    }
    found
}

fn of_char(c: char) -> Option<Reading> {
    let piece = classify(c);
    let has_one_form = clear(c).is_some() && !is_mark(c);
    match Reading::of_piece(piece) {
        Some(reading) => Some(reading),
        None if !has_one_form => Some(Reading::Alike),
        None => (!folded(c).eq([c])).then_some(Reading::Case),
    }
}

/// Returns the readings by which a segment's text is less than it.
fn of_text(text: &str) -> Vec<Reading> {
    let (name, is_stream) = match text.split_once("::") {
        Some((name, _)) => (name, true),
        None => (text, false),
    };
    if text == "." {
        return vec![Reading::Gap];
    }
    let is_other = match tidy(name) {
        Tidy::Token(tidied) => tidied != name,
        Tidy::Nothing => !name.is_empty(),
        Tidy::Dots => return vec![Reading::Up],
    };
    let stream = is_stream.then_some(Reading::Stream);
    stream.into_iter().chain(is_other.then_some(Reading::Blank)).collect()
}
