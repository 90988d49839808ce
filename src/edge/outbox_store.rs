//! What the outbox keeps in its SQLite: each message as a row with its body, and a cursor for each journal. It stores all changes of a step or none.

use super::object::error;
use super::watchdog;
use outbox::{Change, Mark, Stored};
use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{SqlStorage, SqlStorageValue as Value, State, Storage};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, about BLOB NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cursor (source TEXT PRIMARY KEY, mark BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS since (one INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL);";

/// The form of what is stored. Every released form must stay readable: append to enums and structs, and read the older form too.
const FORMAT: u8 = 1;

/// The tables of the outbox.
pub struct OutboxStore {
    sql: SqlStorage,
    storage: Storage,
}

impl OutboxStore {
    /// Opens the tables, and makes them the first time.
    pub fn open(state: &State) -> worker::Result<Self> {
        let storage = state.storage();
        let sql = storage.sql();
        sql.exec(SCHEMA, None)?;
        Ok(Self { sql, storage })
    }

    /// Returns everything that is stored except the bodies.
    pub fn read(&self) -> worker::Result<Stored> {
        let mut stored = Stored::default();
        for row in self.rows("SELECT about FROM message ORDER BY seq", vec![])? {
            stored.messages.push(opened(row.first())?);
        }
        for row in self.rows("SELECT mark, source FROM cursor", vec![])? {
            let mark: Mark = opened(row.first())?;
            let source = text(row.get(1))?;
            stored.cursors.insert(source.to_owned(), mark);
        }
        let since = self.rows("SELECT wall_ms FROM since", vec![])?;
        stored.since_ms = since.into_iter().flatten().next().and_then(number);
        Ok(stored)
    }

    /// Returns the body of this message, or `None` if it is gone.
    pub fn body(&self, seq: u64) -> worker::Result<Option<String>> {
        let found = self.rows("SELECT body FROM message WHERE seq = ?", vec![integer(seq)?])?;
        let found = found.into_iter().flatten().next();
        found.as_ref().map(|body| text(Some(body)).map(str::to_owned)).transpose()
    }

    /// Stores what a step has changed.
    ///
    /// # Errors
    /// If the storage refuses. The state in memory must then be dropped.
    pub fn commit(&self, changes: &[Change]) -> worker::Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        watchdog::fault_point("outbox.write");
        watchdog::atomically(&self.storage, &mut || changes.iter().try_for_each(|change| self.write(change)))
    }

    fn write(&self, change: &Change) -> worker::Result<()> {
        let (query, bindings) = match change {
            Change::Put(message, Some(body)) => (
                "INSERT OR REPLACE INTO message (seq, about, body) VALUES (?, ?, ?)",
                vec![integer(message.seq)?, sealed(message)?, body.as_str().into()],
            ),
            Change::Put(message, None) => (
                "UPDATE message SET about = ? WHERE seq = ?",
                vec![sealed(message)?, integer(message.seq)?],
            ),
            Change::Gone(seq) => ("DELETE FROM message WHERE seq = ?", vec![integer(*seq)?]),
            Change::Cursor(source, Some(mark)) => (
                "INSERT OR REPLACE INTO cursor (source, mark) VALUES (?, ?)",
                vec![source.as_str().into(), sealed(mark)?],
            ),
            Change::Cursor(source, None) => ("DELETE FROM cursor WHERE source = ?", vec![source.as_str().into()]),
            Change::Since(wall_ms) => ("INSERT OR REPLACE INTO since (one, wall_ms) VALUES (1, ?)", vec![integer(*wall_ms)?]),
        };
        self.sql.exec(query, bindings).map(drop)
    }

    fn rows(&self, query: &str, bindings: Vec<Value>) -> worker::Result<Vec<Vec<Value>>> {
        self.sql.exec(query, bindings)?.raw().collect()
    }
}

fn text(value: Option<&Value>) -> worker::Result<&str> {
    match value {
        Some(Value::String(text)) => Ok(text),
        _ => Err(error("what the outbox stored has an unexpected form")),
    }
}

/// Writes a value as the format and then `postcard`.
fn sealed(value: &impl Serialize) -> worker::Result<Value> {
    let bytes = postcard::to_extend(value, vec![FORMAT]);
    let bytes = bytes.map_err(|why| error(&why.to_string()))?;
    Ok(bytes.into())
}

fn opened<T: DeserializeOwned>(value: Option<&Value>) -> worker::Result<T> {
    let opened = match value {
        Some(Value::Blob(bytes)) => match bytes.split_first() {
            Some((&FORMAT, rest)) => postcard::from_bytes(rest).ok(),
            _ => None,
        },
        _ => None,
    };
    opened.ok_or_else(|| error("what the outbox stored has an unexpected form"))
}

fn integer(value: u64) -> worker::Result<Value> {
    let value = i64::try_from(value).map_err(|_| error("number too large"))?;
    Value::try_from_i64(value)
}

fn number(value: Value) -> Option<u64> {
    match value {
        Value::Integer(value) => u64::try_from(value).ok(),
        Value::Float(value) => Some(value as u64),
        _ => None,
    }
}
