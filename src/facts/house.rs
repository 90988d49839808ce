//! The facts that the house stores: which rooms it keeps, and what each is. State is the fold of these.
//!
//! **The stored form is for ever**, as that of a room's facts ([`event`](super::event)): append new variants at the end, never change
//! the fields of one that was released. The names are for ever too: they are the export's.

use serde::{Deserialize, Serialize};

/// One fact. A row begins with [`Changed`](Self::Changed), and what changed stands behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HouseEvent {
    /// An operator changed something.
    Changed {
        /// Who. Private.
        by: String,
    },
    /// A room is this from now on.
    Defined {
        /// Its name.
        room: String,
        /// Its table, as JSON: the keys that a room has in the file.
        table: String,
        /// How many rooms of this name there have been, with this one.
        generation: u32,
    },
    /// A room is over. Its paths stay shut.
    Archived {
        /// Its name.
        room: String,
    },
    /// The paths of a room that is over are nobody's from now on.
    Freed {
        /// Its name.
        room: String,
    },
    /// The page of a room, of the house or of the file, shows this from now on.
    Branded {
        /// Its name.
        room: String,
        /// The keys of its page, as JSON; none: what its table has.
        brand: Option<String>,
    },
    /// Somebody may operate, and this is what they may do.
    OperatorSet {
        /// Who. Private.
        name: String,
        /// Role, rooms and ways in, as JSON: the keys that an operator has in the file. Private.
        table: String,
    },
    /// Somebody may not operate any more.
    OperatorRemoved {
        /// Who. Private.
        name: String,
    },
}
