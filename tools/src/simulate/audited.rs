//! Runs the audit beside the room: each row that the room wrote must be lawful to a reader who has only the facts.

use super::law::broken;
use crate::audit::{Ledger, check_facts};
use baton::facts::event::Row;
use baton::room::laws::Check;

/// The audit's books of this world's room.
#[derive(Debug, Default)]
pub struct Audited(Ledger);

impl Audited {
    /// Checks the row of a turn that is durable.
    ///
    /// # Errors
    /// Returns what the audit finds wrong with the row.
    pub fn turned(&mut self, row: &Row, wall_ms: u64) -> Check {
        if row.events.is_empty() {
            return Ok(());
        }
        check_facts(&mut self.0, row, wall_ms).or_else(|wrong| broken("the audit finds every row lawful", || wrong))
    }
}
