//! What an object's journal says to other software: the notes of a page of rows, for the outbox.
//!
//! It reads the stored rows and nothing else. The object need not come into memory for it, and a turn waits only the few ms that a page takes.

use super::object::error;
use super::store::SqlStore;
use facts::envelope;
use facts::event::Event;
use facts::house::HouseEvent;
use journal::{Damage, Hash, Hides, Sealed};
use outbox::{Mark, Page, ROWS_MAX, Reader, notes_of_house};
use worker::{Response, Result};

/// Returns the notes of the room's rows behind a mark.
///
/// # Errors
/// If a row cannot be read or is damaged.
pub fn notes_of_room(store: &SqlStore, mark: Mark, now_ms: u64) -> Result<Page> {
    let mut reader = Reader::new(mark);
    let newest = store.newest()?;
    if newest < mark.row {
        reader.begins_anew();
        return Ok(reader.finish(true));
    }
    let rows = store.page_after(mark.row, ROWS_MAX.into())?;
    let more = rows.len() == usize::from(ROWS_MAX);
    if rows.is_empty() && newest > mark.row {
        let hash = store.hash_of(newest)?.map(|hash| hash.0);
        reader.missed(newest, hash, now_ms);
    }
    for row in rows {
        let before = row.version - 1;
        let known = reader.mark().hash.filter(|_| reader.mark().row == before);
        let previous = match known {
            Some(hash) => Some(Hash(hash)),
            None => store.hash_of(before)?,
        };
        let Some(previous) = previous else {
            reader.missed(row.version, Some(row.hash.0), row.wall_ms);
            continue;
        };
        if reader.mark().row < before {
            reader.missed(before, Some(previous.0), row.wall_ms);
        }
        let events: Vec<Event> = opened(&previous, &row)?;
        reader.row(row.version, row.wall_ms, row.hash.0, &events);
    }
    Ok(reader.finish(more))
}

/// Returns the notes of the house's rows behind a mark. The house keeps all its rows.
///
/// # Errors
/// If a row cannot be read or is damaged.
pub fn notes_of_house_journal(store: &SqlStore, mark: Mark) -> Result<Page> {
    let mut mark = mark;
    if store.newest()? < mark.row {
        mark = Mark::default();
    }
    let mut previous = store.hash_of(mark.row)?.unwrap_or_default();
    let rows = store.page_after(mark.row, ROWS_MAX.into())?;
    let more = rows.len() == usize::from(ROWS_MAX);
    let mut notes = Vec::new();
    for row in rows {
        let events: Vec<HouseEvent> = opened(&previous, &row)?;
        notes.push(notes_of_house(row.version, row.wall_ms, &events));
        (mark.row, previous) = (row.version, row.hash);
    }
    Ok(Page { mark, more, notes })
}

/// Answers with a page, in the form that the outbox reads.
///
/// # Errors
/// If it cannot be written, which is a bug.
pub fn said(page: &Page) -> Result<Response> {
    let bytes = envelope::bytes(page).map_err(|why| error(&why.to_string()))?;
    Response::from_bytes(bytes)
}

fn opened<E: Hides>(previous: &Hash, row: &Sealed) -> Result<Vec<E>> {
    journal::open(previous, row, None).map_err(|damage: Damage| error(&damage.to_string()))
}
