//! Plays an exported journal again, line by line, through [`super::rerun`].

use super::course::Course;
use super::rerun::{Pace, Rerun};
use crate::audit::export::Chain;
use crate::audit::{Scope, Stop};

/// A journal that is being read.
#[derive(Debug)]
pub struct Replay {
    chain: Chain,
    line: u64,
    rerun: Rerun,
}

/// What the journal says.
#[derive(Clone, Debug)]
pub struct Played {
    /// The room's name.
    pub room: String,
    /// What happened in the sale.
    pub course: Course,
}

impl Replay {
    /// Begins a replay, before the first line.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self {
            chain: Chain::new(Scope::Everything),
            line: 0,
            rerun: Rerun::new(pace),
        }
    }

    /// Takes one line of the export.
    ///
    /// # Errors
    /// Returns [`Stop`] if the line breaks the chain or cannot be read.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.line += 1;
        if let Some(row) = self.chain.read(self.line, text)? {
            self.rerun.row(row.moment, row.events);
        }
        Ok(())
    }

    /// Ends the export and returns what happened.
    ///
    /// # Errors
    /// Returns [`Stop`] if there was no row.
    pub fn finish(self) -> Result<Played, Stop> {
        self.chain.finish(self.line)?;
        Ok(Played {
            room: self.chain.room().to_owned(),
            course: self.rerun.finish(),
        })
    }
}
