//! The facts that the house stores: which rooms it keeps, what each room is, and who may operate. The house's state is the fold of these facts.
//!
//! **The stored form is for ever**, like that of a room's facts ([`event`](super::event)): append new variants at the end, never change the fields
//! of one that was released. The names are for ever too, because the export uses them.

use serde::{Deserialize, Serialize};

/// One fact. A row begins with [`Changed`](Self::Changed); what changed follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HouseEvent {
    /// An operator changed something.
    Changed {
        /// The operator. Private.
        by: String,
    },
    /// A room is defined like this from now on.
    Defined {
        /// Its name.
        room: String,
        /// Its table as JSON: the keys that a room has in the file.
        table: String,
        /// The number of rooms of this name so far, including this one.
        generation: u32,
        /// The rooms of the file over which an owner of all rooms put it. It loses to every other room of the file.
        over: Vec<String>,
    },
    /// A room is over. Its paths stay shut.
    Archived {
        /// Its name.
        room: String,
    },
    /// The paths of a room that is over belong to nobody from now on.
    Freed {
        /// Its name.
        room: String,
    },
    /// The page of a room, one of the house or of the file, shows this brand from now on.
    Branded {
        /// Its name.
        room: String,
        /// The keys of its page as JSON; `None` for those of its table.
        brand: Option<String>,
    },
    /// Somebody may operate from now on, as this table says.
    OperatorSet {
        /// The operator. Private.
        name: String,
        /// Role, rooms and ways in as JSON: the keys that an operator has in the file. Private.
        table: String,
    },
    /// Somebody may not operate any more.
    OperatorRemoved {
        /// The operator. Private.
        name: String,
    },
}
