//! Serves an object's journal as pages of who did what, newest first. A page is bounded in rows and bytes, so that no call holds the object up for
//! long. The caller asks for the next page where this one ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{Response, Result};

use super::object::error;
use super::store::SqlStore;
use journal::Damage;
use journal::actions::Acts;

/// The most rows that one page looks at.
const ROWS_MAX: i32 = 2_000;
/// A page ends with the row that brings the bytes looked at above this.
const BYTES: usize = 1_000_000;

/// Which page the operator's front asks for.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionsOrder {
    /// The page begins just before this row; `None` begins at the newest row.
    pub before: Option<u64>,
    /// The page ends before rows older than this, Unix ms.
    pub since_ms: u64,
}

/// One action, and the row that records it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Done {
    /// The row that records it.
    pub row: u64,
    /// The wall clock when that row was written, Unix ms.
    pub at_ms: u64,
    /// Who did it.
    pub by: String,
    /// The kind of action.
    pub does: String,
    /// The details of the action.
    pub what: Value,
}

/// A page of actions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ActionsTold {
    /// The actions, newest first.
    pub actions: Vec<Done>,
    /// The row before which the next page begins; `None` if there are no more rows, kept and new enough.
    pub before: Option<u64>,
}

/// Returns the actions recorded in the rows before the one that the order names.
///
/// # Errors
/// If a row cannot be read or is damaged.
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
            return Response::from_json(&ActionsTold { before: None, ..told });
        }
        let previous = match rows.peek() {
            Some(previous) => Some(previous.hash),
            None => store.hash_of(row.version.saturating_sub(1))?,
        };
        // Opening a row takes the hash of the row before, so the oldest kept row cannot be opened when earlier rows are gone.
        let Some(previous) = previous else { break };
        let events = journal::open::<E>(&previous, &row, None);
        let events = events.map_err(|damage: Damage| error(&damage.to_string()))?;
        told.before = Some(row.version).filter(|version| *version > 1);
        told.actions.extend(E::actions(&events).into_iter().map(|action| Done {
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
