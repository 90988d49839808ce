//! An object that counts its requests, or also inserts one row for each. It stores the rows and answers with the count.

use std::cell::{Cell, OnceCell};
use worker::{DurableObject, Env, Request, Response, Result, SqlStorage, State, durable_object};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL)";
/// The length of the room's row for one join.
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
            insert(self.sql.get_or_init(|| self.state.storage().sql()))?;
        }
        Response::ok(self.count.get().to_string())
    }
}

/// Inserts one row. The first call creates the table.
pub fn insert(sql: &SqlStorage) -> Result<()> {
    let row = vec![0_u8; ROW_BYTES];
    let put = |row: &[u8]| sql.exec("INSERT INTO rows (bytes) VALUES (?)", vec![row.to_vec().into()]);
    if put(&row).is_err() {
        sql.exec(SCHEMA, None)?;
        put(&row)?;
    }
    Ok(())
}
