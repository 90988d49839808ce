//! A page of who did what, out of an object's journal, the newest first. Bounded: so many rows or bytes a call, and the caller goes on
//! where it ended, so that a look never holds the object up for long.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{Response, Result};

use super::object::error;
use super::store::SqlStore;
use crate::journal::actions::Acts;
use crate::journal::{self, Damage};

/// Most rows that are looked at for one page.
const ROWS_MAX: i32 = 2_000;
/// A page ends with the row that makes it this long.
const BYTES: usize = 1_000_000;

/// Which page.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionsOrder {
    /// Only rows before this one; none: from the last on.
    pub before: Option<u64>,
    /// Nothing older, Unix ms.
    pub since_ms: u64,
}

/// What somebody did, and in which row.
#[derive(Debug, Serialize, Deserialize)]
pub struct Done {
    /// The row.
    pub row: u64,
    /// The wall clock, Unix ms.
    pub at_ms: u64,
    /// Who.
    pub by: String,
    /// What kind of thing.
    pub does: String,
    /// What exactly.
    pub what: Value,
}

/// A page.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ActionsTold {
    /// The newest first.
    pub actions: Vec<Done>,
    /// Where to go on; none: that was all that is kept and asked for.
    pub before: Option<u64>,
}

/// What was done in the rows before the one that the order names.
///
/// # Errors
/// When a row cannot be read, or is damaged.
pub fn actions_page<E: Acts>(store: &SqlStore, order: &str) -> Result<Response> {
    let Ok(order) = serde_json::from_str::<ActionsOrder>(order) else {
        return Response::error("the order is not readable", 400);
    };
    let rows = store.page_before(order.before, ROWS_MAX)?;
    let mut told = ActionsTold::default();
    let mut bytes = 0;
    let mut rows = rows.into_iter().peekable();
    while let Some(row) = rows.next() {
        if row.wall_ms < order.since_ms {
            return Response::from_json(&ActionsTold {
                before: None,
                ..told
            });
        }
        let previous = match rows.peek() {
            Some(previous) => Some(previous.hash),
            None => store.hash_of(row.version.saturating_sub(1))?,
        };
        // The first row that is kept cannot be opened, where those before it are not.
        let Some(previous) = previous else { break };
        let events = journal::open::<E>(&previous, &row, None);
        let events = events.map_err(|damage: Damage| error(&damage.to_string()))?;
        told.before = Some(row.version).filter(|version| *version > 1);
        told.actions
            .extend(E::actions(&events).into_iter().map(|action| Done {
                row: row.version,
                at_ms: row.wall_ms,
                by: action.by,
                does: action.does.to_owned(),
                what: action.what,
            }));
        bytes += row.bytes.len();
        if bytes > BYTES {
            break;
        }
    }
    Response::from_json(&told)
}
