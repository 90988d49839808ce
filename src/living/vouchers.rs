//! Sheets of vouchers, which the operator makes and withdraws.

use super::{LivingRoom, Turned};
use facts::voucher::{SheetId, Terms};
use journal::Store;
use room::vouchers::{NewSheet, SheetProblem};

impl<S: Store> LivingRoom<S> {
    /// Makes a sheet for the operator. Returns the sheet's id, or what is wrong with the sheet.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn make_sheet(&mut self, wall_ms: u64, terms: Terms, new: NewSheet, by: &str) -> Turned<Result<SheetId, SheetProblem>> {
        self.turn(wall_ms, |living, _, row| {
            let (sheet, made) = living.room.vouchers().decide_sheet(terms, new, wall_ms, by)?;
            living.room.commit([made], row);
            Ok(sheet)
        })
    }

    /// Withdraws a sheet for the operator. Returns whether there was one.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn withdraw_sheet(&mut self, wall_ms: u64, sheet: SheetId, by: &str) -> Turned<bool> {
        self.turn(wall_ms, |living, _, row| {
            let withdrawn = living.room.vouchers().decide_withdrawal(sheet, by);
            let was_there = withdrawn.is_some();
            living.room.commit(withdrawn, row);
            was_there
        })
    }
}
