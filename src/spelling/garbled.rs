//! A path with malformed escapes, as the worst decoder reads it: one that does sums with whatever stands behind a `%`, as old C programs do. It makes
//! any one character of an escape, with the next two characters or without.

use super::reading::{Decodings, Piece, pieces};
use super::without_query;

/// The longest path that is looked at, in bytes. Each costs a step for each character of a pattern's text: 1 MB of steps for a text as long as a
/// pattern may be.
const BYTES_MAX: usize = 2_048;

/// What one piece of a path may be.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// This character.
    Is(char),
    /// This character, unless an escape took it in.
    May(char),
    /// Any one character, or none.
    Any,
}

/// A path as the worst decoder reads it.
#[derive(Debug, Clone)]
pub struct Garbled(Vec<Unit>);

impl Garbled {
    /// Reads a path, with or without its query. Returns `None` if nobody can say what it may mean: it is too long, or has too many layers of escapes.
    #[must_use]
    pub fn new(path_and_query: &str) -> Option<Self> {
        let path = without_query(path_and_query);
        let decodings = Decodings::of(path);
        if path.len() > BYTES_MAX || decodings.is_too_deep {
            return None;
        }
        let mut taken_in = 0_u8;
        let units = pieces(&decodings.bytes).into_iter().map(|piece| {
            let c = match piece {
                Piece::Char(c) => c,
                Piece::Separator => '/',
                Piece::Semicolon => ';',
                Piece::Cut => '?',
                Piece::Noise | Piece::Control | Piece::Foreign => {
                    taken_in = 2;
                    return Unit::Any;
                }
            };
            if taken_in == 0 {
                return Unit::Is(c);
            }
            taken_in -= 1;
            Unit::May(c)
        });
        Some(Self(units.collect()))
    }

    /// Returns whether this text, in the form of a pattern's segments, may stand anywhere in the path. O(length of both, multiplied).
    #[must_use]
    pub fn may_spell(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        // Whether so many characters of the text may end here.
        let mut ends = vec![false; text.len() + 1];
        for unit in &self.0 {
            let before = [&[true], ends.get(1..).unwrap_or_default()].concat();
            let goes_on = |at: usize| before.get(at).is_some_and(|ends| *ends);
            let fits = |at: usize, c: char| text.get(at) == Some(&c) && goes_on(at);
            let may_end = |end: usize| {
                let Some(at) = end.checked_sub(1) else {
                    return true;
                };
                match *unit {
                    Unit::Is(c) => fits(at, c),
                    Unit::May(c) => goes_on(end) || fits(at, c),
                    Unit::Any => goes_on(end) || goes_on(at),
                }
            };
            ends = (0..=text.len()).map(may_end).collect();
            if ends.last() == Some(&true) {
                return true;
            }
        }
        false
    }
}
