//! Serves an object's journal to operators, page by page.

use super::object::{error, refuse};
use super::store::SqlStore;
use gate::ErrorCode;
use journal::{Damage, Hides, export};
use worker::{Response, Result};

/// The most rows in one page.
const PAGE_ROWS_MAX: i32 = 2_000;
/// A page ends with the row that brings its text above this many bytes.
const PAGE_BYTES: usize = 1_000_000;

/// Answers with the rows after `after` as JSON lines. `of` says whose journal it is; `E` is the type of its facts.
pub fn journal_page<E: Hides>(store: &SqlStore, of: &str, after: u64) -> Result<Response> {
    let Some(mut previous) = store.hash_of(after)? else {
        return refuse(ErrorCode::BadRequest, &format!("row {after} is not kept"));
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
