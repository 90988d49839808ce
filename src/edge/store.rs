//! What objects keep in their SQLite: the name of a room or lobby, and the journal and salts of a room or the house.
//!
//! A change gathers what it puts and writes it at its end: several things in one transaction, a row alone as one statement. The many changes that put
//! nothing do not ask the database at all. The output gate holds replies until everything is on disk.

use super::error::error;
use super::watchdog;
use facts::holder::Salt;
use facts::units::{Edition, Instant};
use futures_util::FutureExt;
use journal::{Hash, Page, PageId, PageKind, Sealed, Shelf, Snapshot, Store};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use wasm_bindgen::prelude::*;
use worker::{SqlStorage, SqlStorageValue as Value, State, Storage};

#[wasm_bindgen(module = "/store.js")]
extern "C" {
    type Rows;
    #[wasm_bindgen(thread_local_v2, js_name = store)]
    static STORE: Rows;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method, catch)]
    fn put(this: &Rows, sql: &JsValue, query: &str, version: f64, at_ms: f64, wall_ms: f64, hash: &[u8], bytes: &[u8]) -> Result<(), JsValue>;
}

const NAME: &str = "CREATE TABLE IF NOT EXISTS name (part TEXT PRIMARY KEY, value TEXT NOT NULL);";
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS journal (
    version INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
    hash BLOB NOT NULL, bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS snapshot (
    part INTEGER PRIMARY KEY, version INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL, hash BLOB NOT NULL, bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS page (
    kind INTEGER NOT NULL, since INTEGER NOT NULL, first INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (kind, since, first)
);
CREATE TABLE IF NOT EXISTS salt (edition INTEGER PRIMARY KEY, bytes BLOB NOT NULL);";

/// Later than any clock: the largest integer that crosses into JavaScript exactly.
const WALL_MS_MAX: u64 = (1 << 53) - 1;

/// An object's name: its room, its home, for a lobby its number, and in a room of the house the definition. An alarm or a socket that wakes the object
/// brings no request to read them from. Beside them is the pause of an alarm that fails. A lobby stores nothing else.
pub struct Name {
    sql: SqlStorage,
}

impl Name {
    /// Opens the table, and makes it the first time.
    pub fn open(state: &State) -> worker::Result<Self> {
        let sql = state.storage().sql();
        sql.exec(NAME, None)?;
        Ok(Self { sql })
    }

    /// Returns a part of the name, or `None` if it is not known yet.
    pub fn get(&self, part: &str) -> worker::Result<Option<String>> {
        let found = rows(&self.sql, "SELECT value FROM name WHERE part = ?", vec![part.into()])?;
        Ok(found.into_iter().flatten().find_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        }))
    }

    /// Stores a part of the name.
    pub fn set(&self, part: &str, value: &str) -> worker::Result<()> {
        let bindings = vec![part.into(), value.into()];
        let query = "INSERT OR REPLACE INTO name (part, value) VALUES (?, ?)";
        self.sql.exec(query, bindings)?;
        Ok(())
    }

    /// Forgets a part of the name.
    pub fn remove(&self, part: &str) -> worker::Result<()> {
        let query = "DELETE FROM name WHERE part = ?";
        self.sql.exec(query, vec![part.into()])?;
        Ok(())
    }
}

/// Sets an object's alarm to ring in `in_ms` milliseconds.
pub fn set_alarm(storage: &Storage, in_ms: u64) -> worker::Result<()> {
    let in_ms = i64::try_from(in_ms).unwrap_or(i64::MAX);
    // The call itself happens when the future is first polled. Its end says only what the output gate guards anyway.
    match storage.set_alarm(in_ms).now_or_never() {
        Some(Err(error)) => Err(error),
        _ => Ok(()),
    }
}

fn rows(sql: &SqlStorage, query: &str, bindings: Vec<Value>) -> worker::Result<Vec<Vec<Value>>> {
    sql.exec(query, bindings)?.raw().collect()
}

/// The tables of one object, and its alarm.
pub struct SqlStore {
    sql: SqlStorage,
    storage: Storage,
    /// The fault point of the writes.
    place: &'static str,
    /// What the change under way has put so far.
    put: RefCell<Vec<Put>>,
}

enum Put {
    Row(Sealed),
    Snapshot(Snapshot, u64),
    Page(Page),
    KeepPages(BTreeSet<PageId>),
    Salt(Edition, Salt),
    NoSalts,
    Alarm(u64),
}

impl SqlStore {
    /// Opens the tables, and makes them the first time. `place` names the writes to fault injection.
    pub fn open(state: &State, place: &'static str) -> worker::Result<Self> {
        let storage = state.storage();
        let sql = storage.sql();
        sql.exec(SCHEMA, None)?;
        Ok(Self {
            sql,
            storage,
            place,
            put: RefCell::default(),
        })
    }

    /// Ends a change: writes everything that it has put, or nothing.
    ///
    /// # Errors
    /// If the storage refuses. The state in memory must then be dropped, and this store with it.
    pub fn commit(&self) -> worker::Result<()> {
        let mut put = self.put.take();
        if put.len() > 1 {
            return watchdog::atomically(&self.storage, &mut || put.drain(..).try_for_each(|put| self.write(put)));
        }
        put.pop().map_or(Ok(()), |put| self.write(put))
    }

    fn write(&self, put: Put) -> worker::Result<()> {
        match put {
            Put::Row(row) => self.write_row(row),
            Put::Snapshot(snapshot, keep_from_ms) => self.write_snapshot(snapshot, keep_from_ms),
            Put::Page(page) => self.write_page(page),
            Put::KeepPages(kept) => self.keep(&kept),
            Put::Salt(edition, salt) => self.write_salt(edition, salt),
            Put::NoSalts => self.sql.exec("DELETE FROM salt", None).map(drop),
            Put::Alarm(in_ms) => set_alarm(&self.storage, in_ms),
        }
    }

    fn rows(&self, query: &str, bindings: Vec<Value>) -> worker::Result<Vec<Vec<Value>>> {
        rows(&self.sql, query, bindings)
    }

    /// Returns the rows after `version` in order, at most `rows_max`.
    pub fn page_after(&self, version: u64, rows_max: i32) -> worker::Result<Vec<Sealed>> {
        let query = "SELECT version, at_ms, wall_ms, hash, bytes FROM journal WHERE version > ? \
                     ORDER BY version LIMIT ?";
        let rows = self.rows(query, vec![integer(version)?, rows_max.into()])?;
        rows.into_iter().map(sealed).collect()
    }

    /// Returns the newest row that was ever written, or 0 if there was none. It may have been deleted since.
    pub fn newest(&self) -> worker::Result<u64> {
        let query = "SELECT max(version) FROM (SELECT version FROM snapshot UNION ALL \
                     SELECT version FROM (SELECT version FROM journal ORDER BY version DESC LIMIT 1))";
        let found = self.rows(query, vec![])?;
        let newest = found.into_iter().flatten().next();
        Ok(number(newest).unwrap_or_default())
    }

    /// Returns the last row that was written before this moment, Unix ms, or 0 if none is kept. O(rows since).
    pub fn newest_before(&self, wall_ms: u64) -> worker::Result<u64> {
        let query = "SELECT version FROM journal WHERE wall_ms < ? ORDER BY version DESC LIMIT 1";
        let found = self.rows(query, vec![integer(wall_ms)?])?;
        let found = found.into_iter().flatten().next();
        Ok(number(found).unwrap_or_default())
    }

    /// Returns the rows before `version` (`None`: from the last on), the newest first, at most `rows_max`.
    pub fn page_before(&self, version: Option<u64>, rows_max: i32) -> worker::Result<Vec<Sealed>> {
        let query = "SELECT version, at_ms, wall_ms, hash, bytes FROM journal WHERE version < ? \
                     ORDER BY version DESC LIMIT ?";
        // Versions stay below the largest integer that crosses into JavaScript, as wall clocks do.
        let version = version.unwrap_or(WALL_MS_MAX).min(WALL_MS_MAX);
        let rows = self.rows(query, vec![integer(version)?, rows_max.into()])?;
        rows.into_iter().map(sealed).collect()
    }

    /// Returns the hash of a row: zeros before the first row, `None` if the row is not kept. The snapshot knows the hash of its last row, so an
    /// export can go on behind that row when all rows up to it are deleted.
    pub fn hash_of(&self, version: u64) -> worker::Result<Option<Hash>> {
        if version == 0 {
            return Ok(Some(Hash::default()));
        }
        let row = self.page_after(version - 1, 1)?.into_iter().next();
        if let Some(row) = row.filter(|row| row.version == version) {
            return Ok(Some(row.hash));
        }
        let query = "SELECT hash FROM snapshot WHERE version = ? LIMIT 1";
        let found = self.rows(query, vec![integer(version)?])?;
        match found.into_iter().flatten().next() {
            Some(Value::Blob(hash)) => Ok(hash.try_into().ok().map(Hash)),
            _ => Ok(None),
        }
    }

    /// Deletes rows up to `version` that are older than `keep_from_ms`. A deleted row is billed like a written one, a dropped table is not; so if no
    /// row is to be kept, the whole table goes. The look for a row to keep ends at the first one.
    fn forget(&self, version: u64, keep_from_ms: u64) -> worker::Result<()> {
        let keep_from_ms = keep_from_ms.min(WALL_MS_MAX);
        let bounds = || -> worker::Result<Vec<Value>> { Ok(vec![integer(version)?, integer(keep_from_ms)?]) };
        let query = "SELECT 1 FROM journal WHERE version > ? OR wall_ms >= ? LIMIT 1";
        if self.rows(query, bounds()?)?.is_empty() {
            self.sql.exec("DROP TABLE journal", None)?;
            self.sql.exec(SCHEMA, None)?;
        } else {
            let query = "DELETE FROM journal WHERE version <= ? AND wall_ms < ?";
            self.sql.exec(query, bounds()?)?;
        }
        Ok(())
    }

    fn write_row(&self, row: Sealed) -> worker::Result<()> {
        watchdog::fault_point(self.place);
        let query = "INSERT INTO journal (version, at_ms, wall_ms, hash, bytes) \
                     VALUES (?, ?, ?, ?, ?)";
        let (version, at_ms) = (double(row.version)?, double(row.at.0)?);
        let wall_ms = double(row.wall_ms)?;
        STORE.with(|store| {
            let sql = self.sql.as_ref();
            store.put(sql, query, version, at_ms, wall_ms, &row.hash.0, &row.bytes)
        })?;
        Ok(())
    }

    fn write_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> worker::Result<()> {
        self.sql.exec("DELETE FROM snapshot", None)?;
        for (part, bytes) in (0_i32..).zip(snapshot.parts) {
            let bindings = vec![
                part.into(),
                integer(snapshot.version)?,
                integer(snapshot.at.0)?,
                integer(snapshot.wall_ms)?,
                snapshot.hash.0.to_vec().into(),
                bytes.into(),
            ];
            let query = "INSERT INTO snapshot (part, version, at_ms, wall_ms, hash, bytes) \
                         VALUES (?, ?, ?, ?, ?, ?)";
            self.sql.exec(query, bindings)?;
        }
        self.forget(snapshot.version, keep_from_ms)
    }

    fn write_page(&self, page: Page) -> worker::Result<()> {
        let [kind, since, first] = name_of(page.id)?;
        let bindings = vec![kind, since, first, page.bytes.into()];
        let query = "INSERT OR REPLACE INTO page (kind, since, first, bytes) VALUES (?, ?, ?, ?)";
        self.sql.exec(query, bindings)?;
        Ok(())
    }

    fn keep(&self, kept: &BTreeSet<PageId>) -> worker::Result<()> {
        for id in self.page_ids()? {
            if !kept.contains(&id) {
                let query = "DELETE FROM page WHERE kind = ? AND since = ? AND first = ?";
                self.sql.exec(query, name_of(id)?.to_vec())?;
            }
        }
        Ok(())
    }

    /// Stores a salt, and deletes those of editions before the previous one: then nobody can tell whose the tickets of those were.
    fn write_salt(&self, edition: Edition, salt: Salt) -> worker::Result<()> {
        let edition = edition.0;
        let bindings = vec![integer(edition.into())?, salt.0.to_vec().into()];
        let query = "INSERT OR REPLACE INTO salt (edition, bytes) VALUES (?, ?)";
        self.sql.exec(query, bindings)?;
        let bindings = vec![integer(edition.into())?];
        // Editions may be left out.
        let query = "DELETE FROM salt WHERE edition < (SELECT max(edition) FROM salt WHERE edition < ?)";
        self.sql.exec(query, bindings)?;
        Ok(())
    }
}

/// The pages of one object.
#[derive(Debug)]
struct SqlShelf(SqlStorage);

impl Shelf for SqlShelf {
    fn read(&self, id: PageId) -> Result<Option<Vec<u8>>, String> {
        let query = "SELECT bytes FROM page WHERE kind = ? AND since = ? AND first = ?";
        let name = name_of(id).map_err(|error| error.to_string())?;
        let found = rows(&self.0, query, name.to_vec()).map_err(|error| error.to_string())?;
        Ok(found.into_iter().flatten().find_map(|value| match value {
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }))
    }
}

impl Store for SqlStore {
    type Error = worker::Error;

    fn put_row(&self, row: Sealed) -> worker::Result<()> {
        self.put.borrow_mut().push(Put::Row(row));
        Ok(())
    }

    fn rows_after(&self, version: u64) -> worker::Result<Vec<Sealed>> {
        self.page_after(version, i32::MAX)
    }

    fn put_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> worker::Result<()> {
        let put = Put::Snapshot(snapshot, keep_from_ms);
        self.put.borrow_mut().push(put);
        Ok(())
    }

    fn snapshot(&self) -> worker::Result<Option<Snapshot>> {
        let query = "SELECT version, at_ms, wall_ms, hash, bytes FROM snapshot ORDER BY part";
        let mut whole: Option<Snapshot> = None;
        for row in self.rows(query, vec![])? {
            let Sealed {
                version,
                at,
                wall_ms,
                hash,
                bytes,
            } = sealed(row)?;
            let snapshot = whole.get_or_insert_with(|| Snapshot {
                version,
                at,
                wall_ms,
                hash,
                parts: vec![],
            });
            snapshot.parts.push(bytes);
        }
        Ok(whole)
    }

    fn put_page(&self, page: Page) -> worker::Result<()> {
        self.put.borrow_mut().push(Put::Page(page));
        Ok(())
    }

    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> worker::Result<()> {
        self.put.borrow_mut().push(Put::KeepPages(kept.clone()));
        Ok(())
    }

    fn page_ids(&self) -> worker::Result<BTreeSet<PageId>> {
        let rows = self.rows("SELECT kind, since, first FROM page", vec![])?;
        rows.into_iter().map(page_id).collect()
    }

    fn shelf(&self) -> worker::Result<Arc<dyn Shelf>> {
        Ok(Arc::new(SqlShelf(self.sql.clone())))
    }

    fn put_salt(&self, edition: Edition, salt: Salt) -> worker::Result<()> {
        self.put.borrow_mut().push(Put::Salt(edition, salt));
        Ok(())
    }

    fn salt(&self, edition: Edition) -> worker::Result<Option<Salt>> {
        let query = "SELECT bytes FROM salt WHERE edition = ?";
        let found = self.rows(query, vec![integer(edition.0.into())?])?;
        let Some(value) = found.into_iter().flatten().next() else {
            return Ok(None);
        };
        let Value::Blob(bytes) = value else {
            return Err(error("a stored salt has an unexpected form"));
        };
        let bytes = bytes.try_into();
        let bytes = bytes.map_err(|_| error("a stored salt has an unexpected length"))?;
        Ok(Some(Salt(bytes)))
    }

    fn first_row(&self) -> worker::Result<Option<u64>> {
        let query = "SELECT version FROM journal ORDER BY version LIMIT 1";
        let found = self.rows(query, vec![])?;
        Ok(found.into_iter().flatten().next().and_then(|value| number(Some(value))))
    }

    fn drop_salts(&self) -> worker::Result<()> {
        self.put.borrow_mut().push(Put::NoSalts);
        Ok(())
    }

    fn put_alarm(&self, in_ms: u64) -> worker::Result<()> {
        self.put.borrow_mut().push(Put::Alarm(in_ms));
        Ok(())
    }
}

fn sealed(row: Vec<Value>) -> worker::Result<Sealed> {
    let unexpected = || error("a stored row has an unexpected form");
    let mut row = row.into_iter();
    let mut next = || row.next();
    let [version, at, wall_ms] = [next(), next(), next()].map(number);
    let (Some(version), Some(at), Some(wall_ms)) = (version, at, wall_ms) else {
        return Err(unexpected());
    };
    let (Some(Value::Blob(hash)), Some(Value::Blob(bytes))) = (next(), next()) else {
        return Err(unexpected());
    };
    Ok(Sealed {
        version,
        at: Instant(at),
        wall_ms,
        hash: Hash(hash.try_into().map_err(|_| unexpected())?),
        bytes,
    })
}

fn page_id(row: Vec<Value>) -> worker::Result<PageId> {
    let mut row = row.into_iter();
    let mut next = || number(row.next());
    let unexpected = || error("a stored page has an unexpected name");
    let kind = match next() {
        Some(0) => PageKind::Places,
        Some(1) => PageKind::Holders,
        _ => return Err(unexpected()),
    };
    match (next(), next()) {
        (Some(since), Some(first)) => Ok(PageId { kind, since, first }),
        _ => Err(unexpected()),
    }
}

/// The columns that [`page_id`] reads.
fn name_of(PageId { kind, since, first }: PageId) -> worker::Result<[Value; 3]> {
    let kind: i32 = match kind {
        PageKind::Places => 0,
        PageKind::Holders => 1,
    };
    Ok([kind.into(), integer(since)?, integer(first)?])
}

/// Converts an integer that is bound as a value. It crosses into JavaScript as a double, which is exact up to
/// 2^53; versions and milliseconds do not reach that.
fn integer(value: u64) -> worker::Result<Value> {
    let value = i64::try_from(value).map_err(|_| error("number too large"))?;
    Value::try_from_i64(value)
}

/// Converts an integer that crosses by itself.
fn double(value: u64) -> worker::Result<f64> {
    if value > WALL_MS_MAX {
        return Err(error("number too large"));
    }
    Ok(value as f64)
}

fn number(value: Option<Value>) -> Option<u64> {
    match value? {
        Value::Integer(value) => u64::try_from(value).ok(),
        Value::Float(value) if value >= 0.0 && value.fract() == 0.0 => Some(value as u64),
        _ => None,
    }
}
