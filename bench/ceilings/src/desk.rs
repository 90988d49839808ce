//! An object that counts, or inserts one row for each request. Stores the rows; answers how many.

use std::cell::{Cell, OnceCell};
use worker::{DurableObject, Env, Request, Response, Result, SqlStorage, State, durable_object};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL)";
/// As long as the room's row for one join.
const ROW_BYTES: usize = 48;

#[durable_object]
pub struct Desk {
    state: State,
    sql: OnceCell<SqlStorage>,
    count: Cell<u32>,
}

impl DurableObject for Desk {
    fn new(state: State, _: Env) -> Self {
        Self {
            state,
            sql: OnceCell::new(),
            count: Cell::new(0),
        }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        self.count.set(self.count.get() + 1);
        if request.inner().url().ends_with("/insert") {
            self.insert()?;
        }
        Response::ok(self.count.get().to_string())
    }
}

impl Desk {
    fn insert(&self) -> Result<()> {
        if self.sql.get().is_none() {
            let sql = self.state.storage().sql();
            sql.exec(SCHEMA, None)?;
            let _ = self.sql.set(sql);
        }
        if let Some(sql) = self.sql.get() {
            let row = vec![0_u8; ROW_BYTES];
            sql.exec("INSERT INTO rows (bytes) VALUES (?)", vec![row.into()])?;
        }
        Ok(())
    }
}
