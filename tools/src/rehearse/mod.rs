//! The rehearsal: plays a recorded or invented run of visitors through the *real* room core, and says who is admitted when, and by whom.
//!
//! Text in, text out; there are no files, no clock and no exit codes here, because those belong to the program. The whole trace is checked
//! ([`trace`]) before its first row is played ([`player`]).

pub mod expected;
pub mod flags;
pub mod player;
mod table;
pub mod trace;

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
        .map(|word| (edits(meant, word), word))
        .filter(|(edits, word)| *edits <= word.len().div_ceil(3))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, word)| word)
}

/// Returns how many letters to insert, remove or replace to make one word of the other (Levenshtein), ignoring case.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.to_lowercase().chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (b, above) in to.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(a != *b);
            left = replaced.min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
