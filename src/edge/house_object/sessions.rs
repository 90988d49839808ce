//! The sessions of the desk that were signed out, until their cookies would have ended anyway. They lie in an object of their own of the house's
//! namespace, which has no journal: a session is eight random bytes, which say nothing of who had it.
//!
//! A front asks at each call that shows the desk's cookie, so a session that is signed out is worthless at once and everywhere. Operators' calls are
//! few: an open desk makes some ten a minute.

use super::Shell;
use crate::dice;
use crate::orders::Sessions;
use worker::{Response, Result, SqlStorage, SqlStorageValue as Value};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS ended (session TEXT PRIMARY KEY, ends_at_ms INTEGER NOT NULL)";
/// The most sessions that are remembered, about a megabyte. Only who signs in can end one: ten thousand in half a day are one every four seconds. Of
/// more, those are forgotten whose cookies end first.
const ENDED_MAX: i64 = 10_000;

impl Shell {
    /// Remembers that these sessions were signed out, and forgets those whose cookies have ended by themselves.
    pub(super) fn end_sessions(&self, body: &str) -> Result<Response> {
        let Ok(Sessions(sessions)) = serde_json::from_str(body) else {
            return Response::error("the sessions are not readable", 400);
        };
        let sql = self.ended()?;
        let over = vec![whole(dice::now_ms())];
        sql.exec("DELETE FROM ended WHERE ends_at_ms <= ?", over)?;
        for (session, ends_at_ms) in sessions {
            let values = vec![session.into(), whole(ends_at_ms)];
            sql.exec("INSERT OR IGNORE INTO ended VALUES (?, ?)", values)?;
        }
        let query = "DELETE FROM ended WHERE session IN (SELECT session FROM ended ORDER BY ends_at_ms DESC LIMIT -1 OFFSET ?)";
        sql.exec(query, vec![ENDED_MAX.into()])?;
        Response::empty()
    }

    /// Answers 200 if one of these sessions has not been signed out, 410 if all were.
    pub(super) fn ask_sessions(&self, body: &str) -> Result<Response> {
        let Ok(Sessions(sessions)) = serde_json::from_str(body) else {
            return Response::error("the sessions are not readable", 400);
        };
        let sql = self.ended()?;
        for (session, _) in sessions {
            let query = "SELECT 1 FROM ended WHERE session = ?";
            let mut rows = sql.exec(query, vec![session.into()])?.raw();
            if rows.next().is_none() {
                return Response::empty();
            }
        }
        Response::error("signed out", 410)
    }

    fn ended(&self) -> Result<SqlStorage> {
        let sql = self.state.storage().sql();
        sql.exec(SCHEMA, None)?;
        Ok(sql)
    }
}

fn whole(number: u64) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}
