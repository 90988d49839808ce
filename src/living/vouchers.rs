//! Sheets of vouchers, made and taken back by the operator.

use super::{LivingRoom, Turned};
use crate::facts::voucher::{SheetId, Terms};
use crate::journal::Store;
use crate::room::vouchers::{NewSheet, SheetProblem};

impl<S: Store> LivingRoom<S> {
    /// The operator makes a sheet. Yields which it is, or what is wrong with it.
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn make_sheet(
        &mut self,
        wall_ms: u64,
        terms: Terms,
        new: NewSheet,
        by: &str,
    ) -> Turned<Result<SheetId, SheetProblem>> {
        self.turn(wall_ms, |living, _, row| {
            living.room.make_sheet(terms, new, wall_ms, by, row)
        })
    }

    /// The operator takes a sheet back. Says whether there was one.
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn withdraw_sheet(&mut self, wall_ms: u64, sheet: SheetId, by: &str) -> Turned<bool> {
        self.turn(wall_ms, |living, _, row| {
            living.room.withdraw_sheet(sheet, by, row)
        })
    }
}
