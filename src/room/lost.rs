//! What is remembered of proofs that the room's data is older than what people were told; what follows from one is in `rollback.rs`.

use facts::holder::Shown;
use facts::units::{Edition, LaneId, Number, Version};
use serde::{Deserialize, Serialize};

/// How many editions are left out by the reset that follows a proof: nobody may have shown the last one that was lost.
const EDITIONS_LEFT_OUT: u32 = 8;
/// The most gaps that are remembered, 16 bytes each. Beyond that the oldest is forgotten, and a lost place in it counts as over.
const GAPS_MAX: usize = 64;

/// What the room knows of roll-backs. A gap is of one lane, and no number in it is ever given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lost {
    /// Numbers that were left out: from the first up to the second, which was given.
    gaps: Vec<(Number, Number)>,
    /// The newest row that anybody has proved.
    row: Version,
    /// The newest edition that anybody has proved, if it is later than the room's.
    edition: Option<Edition>,
    proofs: u64,
}

impl Lost {
    /// Begins an edition. Of the proofs only that of a later edition stays, to which the new one is the answer.
    pub fn begin(&mut self) {
        *self = Self {
            row: self.row,
            proofs: u64::from(self.edition.is_some()),
            ..Self::default()
        };
    }

    /// The newest row that anybody has proved.
    pub(super) const fn row(&self) -> Version {
        self.row
    }

    /// The newest edition that anybody has proved, if it is later than the room's.
    pub(super) const fn edition(&self) -> Option<Edition> {
        self.edition
    }

    /// How many proofs there were.
    pub(super) const fn proofs(&self) -> u64 {
        self.proofs
    }

    /// The edition that a reset begins. After a proof, also one of this edition, later ones may have been lost.
    pub(super) fn edition_after(&self, edition: Edition) -> Edition {
        if self.proofs == 0 {
            return edition.next();
        }
        let last = edition.max(self.edition.unwrap_or(edition));
        Edition(last.0.saturating_add(EDITIONS_LEFT_OUT)).next()
    }

    /// Takes in a proof, after which the numbers of a gap were left out.
    pub(super) fn proved(&mut self, shown: Shown, (from, next): (Number, Number), edition: Edition) {
        if from < next {
            self.gaps.push((from, next));
        }
        if self.gaps.len() > GAPS_MAX {
            self.gaps.remove(0);
        }
        self.row = self.row.max(shown.row);
        self.proofs += 1;
        if shown.edition > edition {
            self.edition = self.edition.max(Some(shown.edition));
        }
    }

    /// Whether a number was left out.
    pub(super) fn has(&self, number: Number) -> bool {
        let mut gaps = self.gaps.iter();
        gaps.any(|(from, to)| *from <= number && number < *to)
    }

    /// Whether numbers of a lane were left out.
    pub(super) fn has_lane(&self, lane: LaneId) -> bool {
        self.gaps.iter().any(|(from, _)| from.lane() == lane)
    }
}
