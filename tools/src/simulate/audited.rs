//! The audit looks on: each row that the room wrote must be lawful for whoever has nothing but the facts.

use super::judge::broken;
use crate::audit::{Ledger, check_facts};
use baton::facts::event::Row;
use baton::room::laws::Check;

/// The audit's books of the world's room.
#[derive(Debug, Default)]
pub struct Audited(Ledger);

impl Audited {
    /// A turn is durable.
    ///
    /// # Errors
    /// What the audit says of its row.
    pub fn turned(&mut self, row: &Row, wall_ms: u64) -> Check {
        if row.events.is_empty() {
            return Ok(());
        }
        check_facts(&mut self.0, row, wall_ms)
            .or_else(|wrong| broken("the audit finds every row lawful", || wrong))
    }
}
