//! Why the house refuses a wish, in words for the operator.

use facts::limits::{HOUSE_BYTES_MAX, HOUSE_NAMES_MAX, HOUSE_OPERATORS_MAX, HOUSE_ROOMS_MAX, OPERATOR_BYTES_MAX, TABLE_BYTES_MAX};
use std::fmt;

/// Why the house refuses a wish. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such room.
    Unknown(String),
    /// The room is over, and its paths are still shut.
    IsOver(String),
    /// The room is not over.
    IsOpen(String),
    /// There are as many rooms or brands as allowed, or together they are as long as allowed.
    Full,
    /// The name is new, and the house remembers as many as allowed.
    FullOfNames,
    /// The room's table or brand is too long.
    Long(String),
    /// There is no change yet to undo.
    NothingToUndo,
    /// There is no such operator.
    UnknownOperator(String),
    /// There are as many operators as allowed.
    FullOfOperators,
    /// The operator's table is too long.
    LongOperator(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(room) => write!(f, "The house has no room {room}."),
            Self::IsOver(room) => write!(
                f,
                "The room {room} is archived and its paths are still shut. Undo that, or release its paths first."
            ),
            Self::IsOpen(room) => write!(f, "The room {room} is not archived. Delete it before its paths are released."),
            Self::Full => write!(
                f,
                "The house keeps {HOUSE_ROOMS_MAX} rooms, and definitions and brands of {HOUSE_BYTES_MAX} bytes together, and no more. Delete one that is over and release its paths."
            ),
            Self::FullOfNames => write!(
                f,
                "The house remembers {HOUSE_NAMES_MAX} names and no more. Use one again whose paths are released."
            ),
            Self::Long(room) => write!(
                f,
                "The definition or the brand of {room} is longer than {TABLE_BYTES_MAX} bytes. Shorten it."
            ),
            Self::NothingToUndo => write!(f, "Nothing was changed yet that could be undone."),
            Self::UnknownOperator(name) => write!(f, "The house has no operator {name}."),
            Self::FullOfOperators => write!(
                f,
                "The house keeps {HOUSE_OPERATORS_MAX} operators and no more. Remove one who needs it no longer."
            ),
            Self::LongOperator(name) => write!(f, "The operator {name} is longer than {OPERATOR_BYTES_MAX} bytes. Name fewer rooms."),
        }
    }
}
