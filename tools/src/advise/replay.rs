//! An exported journal played again ([`super::rerun`]), line by line.

use super::course::Course;
use super::rerun::{Pace, Rerun};
use crate::audit::export::Chain;
use crate::audit::{Scope, Stop};

/// A journal that is read line by line.
#[derive(Debug)]
pub struct Replay {
    chain: Chain,
    line: u64,
    rerun: Rerun,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Played {
    /// The room's name.
    pub room: String,
    /// What came of it.
    pub course: Course,
}

impl Replay {
    /// Before the first line.
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
    /// When it is not sound, or cannot be read.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.line += 1;
        if let Some(row) = self.chain.read(self.line, text)? {
            self.rerun.row(row.moment, row.events);
        }
        Ok(())
    }

    /// What came of it all.
    ///
    /// # Errors
    /// When there was no row.
    pub fn finish(self) -> Result<Played, Stop> {
        self.chain.finish(self.line)?;
        Ok(Played {
            room: self.chain.room().to_owned(),
            course: self.rerun.finish(),
        })
    }
}
