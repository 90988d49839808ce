//! A page of what a room's journal says of one ticket. A page is bounded in rows and bytes, so that no look-up holds
//! the room up for long. The caller goes on where it ended.

use crate::orders::Story;
use crate::store::SqlStore;
use facts::event::Event;
use facts::units::Number;
use living::LivingRoom;
use room::tale::{Mark, Tale};
use worker::Result;

/// The most rows in one page.
const ROWS_MAX: i32 = 2_000;
/// A page ends with the row that brings the bytes looked at above this.
const BYTES: usize = 1_000_000;

/// Returns what the rows after `from` say of a ticket. The caller fills in where the ticket stands now. If the journal was cleared, the first kept
/// row is not opened: only its hash is used, to open the next.
///
/// # Errors
/// If a row cannot be read or is damaged.
pub(super) fn page(core: &LivingRoom<SqlStore>, number: Number, from: Mark) -> Result<Story> {
    let store = core.journal().store();
    let rows = store.page_after(from.after, ROWS_MAX)?;
    let first = rows.first().map_or(from.after, |row| row.version);
    let mut previous = store.hash_of(from.after)?;
    let cleared = previous.is_none();
    let mut tale = Tale::new(number, from).in_lanes(core.room().lanes().titles());
    let (mut last, mut bytes) = (from.after, 0);
    for row in rows {
        if let Some(previous) = previous {
            let events = journal::open::<Event>(&previous, &row, None);
            let events = events.map_err(|damage| worker::Error::RustError(damage.to_string()))?;
            tale.row(row.version, row.wall_ms, &events);
        }
        previous = Some(row.hash);
        last = row.version;
        bytes += row.bytes.len();
        if bytes > BYTES {
            break;
        }
    }
    let rows = core.room().version().0;
    let (events, mut mark) = tale.finish();
    mark.after = last;
    let next = (last < rows).then(|| mark.to_string());
    Ok(Story {
        number,
        state: "none",
        ahead: None,
        first_row: first + u64::from(cleared),
        last_row: last,
        rows,
        cleared,
        next,
        events,
    })
}
