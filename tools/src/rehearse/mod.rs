//! The rehearsal: plays a recorded or invented run of visitors through the *real* room core, and says who is admitted when, and by whom.
//!
//! Text in, text out; there are no files, no clock and no exit codes here, because those belong to the program. The whole trace is checked
//! ([`trace`]) before its first row is played ([`player`]).

pub mod expected;
pub mod flags;
pub mod player;
mod table;
pub mod trace;

use baton::settings::distance;
use core::fmt;

/// A flaw of a file: what cannot be played, where, and the cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The file as it was named on the command line.
    pub file: String,
    /// The line, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub cure: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, what, cure, .. } = self;
        match self.line {
            Some(line) => write!(f, "{file}:{line}: {what}\n  cure: {cure}"),
            None => write!(f, "{file}: {what}\n  cure: {cure}"),
        }
    }
}

/// Returns the word that was probably meant: the nearest within a third of its length.
pub(crate) fn nearest<'a>(meant: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|word| (distance(meant, word), word))
        .filter(|(distance, word)| *distance <= word.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}
