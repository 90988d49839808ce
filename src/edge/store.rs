//! An object's journal in its SQLite.
//!
//! All statements are synchronous: what one turn writes commits as one, and the output gate holds
//! replies until it is on disk.

use crate::journal::{Sealed, Snapshot, Store};
use crate::units::Instant;
use worker::{SqlStorage, SqlStorageValue as Value, State};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS name (part TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS journal (
    version INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL, bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS snapshot (
    part INTEGER PRIMARY KEY, version INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL, bytes BLOB NOT NULL
);";

/// The tables of one object.
#[derive(Clone)]
pub struct SqlStore(SqlStorage);

impl SqlStore {
    /// Opens the tables, making them the first time.
    pub fn open(state: &State) -> worker::Result<Self> {
        let sql = state.storage().sql();
        sql.exec(SCHEMA, None)?;
        Ok(Self(sql))
    }

    fn rows(&self, query: &str, bindings: Vec<Value>) -> worker::Result<Vec<Vec<Value>>> {
        self.0.exec(query, bindings)?.raw().collect()
    }

    /// What this object is called: its room, and for a lobby its index. An alarm or a socket that
    /// wakes the object brings no request to read it from.
    pub fn name(&self, part: &str) -> worker::Result<Option<String>> {
        let rows = self.rows("SELECT value FROM name WHERE part = ?", vec![part.into()])?;
        Ok(rows.into_iter().flatten().find_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        }))
    }

    /// Remembers what this object is called.
    pub fn set_name(&self, part: &str, value: &str) -> worker::Result<()> {
        let bindings = vec![part.into(), value.into()];
        self.0.exec(
            "INSERT OR REPLACE INTO name (part, value) VALUES (?, ?)",
            bindings,
        )?;
        Ok(())
    }
}

impl Store for SqlStore {
    type Error = worker::Error;

    fn put_row(&self, row: &Sealed) -> worker::Result<()> {
        let bindings = vec![
            integer(row.version)?,
            integer(row.at.0)?,
            integer(row.wall_ms)?,
            row.bytes.clone().into(),
        ];
        let query = "INSERT INTO journal (version, at_ms, wall_ms, bytes) VALUES (?, ?, ?, ?)";
        self.0.exec(query, bindings)?;
        Ok(())
    }

    fn rows_after(&self, version: u64) -> worker::Result<Vec<Sealed>> {
        let query = "SELECT version, at_ms, wall_ms, bytes FROM journal WHERE version > ? \
                     ORDER BY version";
        let rows = self.rows(query, vec![integer(version)?])?;
        rows.into_iter().map(sealed).collect()
    }

    fn put_snapshot(&self, snapshot: &Snapshot, keep_from_ms: u64) -> worker::Result<()> {
        self.0.exec("DELETE FROM snapshot", None)?;
        for (part, bytes) in (0_i32..).zip(&snapshot.parts) {
            let bindings = vec![
                part.into(),
                integer(snapshot.version)?,
                integer(snapshot.at.0)?,
                integer(snapshot.wall_ms)?,
                bytes.clone().into(),
            ];
            let query = "INSERT INTO snapshot (part, version, at_ms, wall_ms, bytes) \
                         VALUES (?, ?, ?, ?, ?)";
            self.0.exec(query, bindings)?;
        }
        let bindings = vec![integer(snapshot.version)?, integer(keep_from_ms)?];
        self.0.exec(
            "DELETE FROM journal WHERE version <= ? AND wall_ms < ?",
            bindings,
        )?;
        Ok(())
    }

    fn snapshot(&self) -> worker::Result<Option<Snapshot>> {
        let query = "SELECT version, at_ms, wall_ms, bytes FROM snapshot ORDER BY part";
        let mut whole: Option<Snapshot> = None;
        for row in self.rows(query, vec![])? {
            let Sealed {
                version,
                at,
                wall_ms,
                bytes,
            } = sealed(row)?;
            let snapshot = whole.get_or_insert_with(|| Snapshot {
                version,
                at,
                wall_ms,
                parts: vec![],
            });
            snapshot.parts.push(bytes);
        }
        Ok(whole)
    }
}

fn sealed(row: Vec<Value>) -> worker::Result<Sealed> {
    let mut row = row.into_iter();
    let (version, at, wall_ms) = (row.next(), row.next(), row.next());
    match (number(version), number(at), number(wall_ms), row.next()) {
        (Some(version), Some(at), Some(wall_ms), Some(Value::Blob(bytes))) => Ok(Sealed {
            version,
            at: Instant(at),
            wall_ms,
            bytes,
        }),
        _ => Err(worker::Error::RustError(
            "a stored row has an unexpected form".into(),
        )),
    }
}

/// Integers cross into JavaScript as doubles: exact up to 2^53, which versions and milliseconds
/// do not reach.
fn integer(value: u64) -> worker::Result<Value> {
    let value =
        i64::try_from(value).map_err(|_| worker::Error::RustError("number too large".into()))?;
    Value::try_from_i64(value)
}

fn number(value: Option<Value>) -> Option<u64> {
    match value? {
        Value::Integer(value) => u64::try_from(value).ok(),
        Value::Float(value) if value >= 0.0 && value.fract() == 0.0 => Some(value as u64),
        _ => None,
    }
}
