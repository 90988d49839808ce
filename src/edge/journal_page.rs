//! A page of an object's journal, as an operator reads it.

use super::object::error;
use super::store::SqlStore;
use crate::journal::{Damage, Hides, export};
use worker::{Response, Result};

/// Most rows in one page of a journal.
const PAGE_ROWS_MAX: i32 = 2_000;
/// A page of a journal ends with the row that makes it this long.
const PAGE_BYTES: usize = 1_000_000;

/// A page of a journal as JSON lines: the rows after `after`. `of`: whose it is; `E`: the facts in it.
pub fn journal_page<E: Hides>(store: &SqlStore, of: &str, after: u64) -> Result<Response> {
    let Some(mut previous) = store.hash_of(after)? else {
        return Response::error(format!("row {after} is not kept"), 404);
    };
    let failed = |damage: Damage| error(&damage.to_string());
    let mut page = export::header(of, after, &previous).map_err(failed)?;
    for row in store.page_after(after, PAGE_ROWS_MAX)? {
        page += &export::line::<E>(&previous, &row).map_err(failed)?;
        previous = row.hash;
        if page.len() > PAGE_BYTES {
            break;
        }
    }
    Response::ok(page)
}
