//! The pictures of the house, in a table of their own beside the journal. The house looks at a picture before it keeps it, and names it after its
//! bytes. Each is one row: the largest picture is a tenth of what a row takes. Beside them stands who uploaded which.

use serde::Serialize;
use worker::{SqlStorage, SqlStorageValue as Value, State};

use super::object::error;
use brand::image::{IMAGES_AT, NoImage, look_at, name_of};
use settings::has_place;

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS picture (
    name TEXT PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL, at_ms INTEGER NOT NULL, bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS uploader (name TEXT NOT NULL, operator TEXT NOT NULL, PRIMARY KEY (name, operator));";

/// The table of pictures.
pub struct Pictures {
    sql: SqlStorage,
}

/// What an operator is told of a picture.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// Its name.
    pub name: String,
    /// Where it is served, which is what `page_logo` must be for a page that shows it.
    pub address: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Its length in bytes.
    pub bytes: u32,
    /// When the house first kept it, Unix ms.
    pub at_ms: u64,
    /// The rooms whose pages show it.
    pub rooms: Vec<String>,
}

impl Picture {
    /// Returns this picture with the rooms whose pages show it.
    pub fn shown_by(self, rooms: Vec<String>) -> Self {
        Self { rooms, ..self }
    }
}

/// Why a picture is not kept.
pub enum NotKept {
    /// It is no picture that the house takes.
    Bad(NoImage),
    /// The house has as many pictures as it may.
    Full,
}

impl Pictures {
    /// Opens the table, and makes it the first time.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn open(state: &State) -> worker::Result<Self> {
        let sql = state.storage().sql();
        sql.exec(SCHEMA, None)?;
        Ok(Self { sql })
    }

    /// Keeps a picture for the operator who uploads it, and returns its name. A picture that is kept already stays as it is, and is this operator's
    /// as well. An operator who may act in some rooms only, `is_bound`, has a share of the house's places.
    ///
    /// # Errors
    /// If the storage fails. The inner error says why the picture is not kept.
    pub fn put(&self, now_ms: u64, by: &str, is_bound: bool, bytes: &[u8]) -> worker::Result<Result<String, NotKept>> {
        let image = match look_at(bytes) {
            Ok(image) => image,
            Err(why) => return Ok(Err(NotKept::Bad(why))),
        };
        let name = name_of(bytes, image.kind);
        let kept = self.list()?;
        if kept.iter().any(|picture| picture.name == name) {
            self.note_uploader(&name, by)?;
            return Ok(Ok(name));
        }
        let own = is_bound.then(|| self.count_of(by)).transpose()?;
        if !has_place(kept.len(), own) {
            return Ok(Err(NotKept::Full));
        }
        let now_ms = i64::try_from(now_ms).unwrap_or_default();
        let values: Vec<Value> = vec![
            name.as_str().into(),
            i64::from(image.width).into(),
            i64::from(image.height).into(),
            now_ms.into(),
            bytes.to_vec().into(),
        ];
        let query = "INSERT INTO picture (name, width, height, at_ms, bytes) VALUES (?, ?, ?, ?, ?)";
        self.sql.exec(query, values)?;
        self.note_uploader(&name, by)?;
        Ok(Ok(name))
    }

    /// Returns how many pictures an operator uploaded.
    fn count_of(&self, by: &str) -> worker::Result<usize> {
        let query = "SELECT name FROM uploader WHERE operator = ?";
        Ok(self.sql.exec(query, vec![by.into()])?.raw().count())
    }

    fn note_uploader(&self, name: &str, by: &str) -> worker::Result<()> {
        let query = "INSERT OR IGNORE INTO uploader (name, operator) VALUES (?, ?)";
        let values = vec![name.into(), by.into()];
        self.sql.exec(query, values).map(drop)
    }

    /// Returns the names of the operators who uploaded a picture.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn uploaders(&self, name: &str) -> worker::Result<Vec<String>> {
        let query = "SELECT operator FROM uploader WHERE name = ?";
        let rows = self.sql.exec(query, vec![name.into()])?.raw();
        let operator = |row: worker::Result<Vec<Value>>| match row?.into_iter().next() {
            Some(Value::String(operator)) => Ok(operator),
            _ => Err(error("an uploader has no name")),
        };
        rows.map(operator).collect()
    }

    /// Takes a picture from one of several operators who uploaded it.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn take_from(&self, name: &str, by: &str) -> worker::Result<()> {
        let query = "DELETE FROM uploader WHERE name = ? AND operator = ?";
        let values = vec![name.into(), by.into()];
        self.sql.exec(query, values).map(drop)
    }

    /// Forgets what an operator uploaded, who is one no more: whoever gets the name next has none of it. The pictures stay for those of all rooms.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn forget_uploader(&self, operator: &str) -> worker::Result<()> {
        let query = "DELETE FROM uploader WHERE operator = ?";
        self.sql.exec(query, vec![operator.into()]).map(drop)
    }

    /// Returns the bytes of a picture, or `None` if there is no such picture.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn bytes(&self, name: &str) -> worker::Result<Option<Vec<u8>>> {
        let query = "SELECT bytes FROM picture WHERE name = ?";
        let mut rows = self.sql.exec(query, vec![name.into()])?.raw();
        let Some(row) = rows.next() else {
            return Ok(None);
        };
        match row?.into_iter().next() {
            Some(Value::Blob(bytes)) => Ok(Some(bytes)),
            _ => Err(error("a stored picture has an unexpected form")),
        }
    }

    /// Whether there is such a picture.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn has(&self, name: &str) -> worker::Result<bool> {
        let query = "SELECT 1 FROM picture WHERE name = ?";
        Ok(self.sql.exec(query, vec![name.into()])?.raw().next().is_some())
    }

    /// Forgets a picture.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn forget(&self, name: &str) -> worker::Result<()> {
        for query in ["DELETE FROM picture WHERE name = ?", "DELETE FROM uploader WHERE name = ?"] {
            self.sql.exec(query, vec![name.into()])?;
        }
        Ok(())
    }

    /// Returns every picture, the newest first.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn list(&self) -> worker::Result<Vec<Picture>> {
        let query = "SELECT name, width, height, length(bytes), at_ms FROM picture ORDER BY at_ms DESC, name";
        let rows = self.sql.exec(query, None)?.raw();
        let rows: Vec<Vec<Value>> = rows.collect::<worker::Result<_>>()?;
        rows.into_iter().map(picture).collect()
    }
}

fn picture(row: Vec<Value>) -> worker::Result<Picture> {
    let mut row = row.into_iter();
    let name = match row.next() {
        Some(Value::String(name)) => name,
        _ => return Err(error("a stored picture has no name")),
    };
    let mut number = || match row.next() {
        Some(Value::Integer(number)) => u64::try_from(number).unwrap_or_default(),
        Some(Value::Float(number)) => number as u64,
        _ => 0,
    };
    let [width, height, bytes, at_ms] = [number(), number(), number(), number()];
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(Picture {
        address: format!("{IMAGES_AT}{name}"),
        name,
        width: small(width),
        height: small(height),
        bytes: small(bytes),
        at_ms,
        rooms: Vec::new(),
    })
}
