//! What must hold of vouchers: each function says what is wrong, if anything is. The laws' names are in `room/laws/`.

use super::Vouchers;
use crate::facts::limits::{CODES_MAX, SHEETS_MAX};
use crate::facts::voucher::{SheetId, Spent};

impl Vouchers {
    /// How what is marked as spent differs from what was counted, or is more than there may be. O(vouchers).
    pub(in crate::room) fn disagreement(&self) -> Option<String> {
        let many = self.sheets().count() > SHEETS_MAX || self.codes() > CODES_MAX;
        let wrong = self.sheets().find(|(_, sheet)| !sheet.agrees());
        match wrong {
            Some(wrong) => Some(format!("{wrong:?}")),
            None => many.then(|| "more sheets or codes than there may be".to_owned()),
        }
    }

    /// Why a voucher cannot be spent so; `lives`: whether the ticket does.
    pub(in crate::room) fn misspent(&self, spent: &Spent, lives: bool) -> Option<String> {
        let has_left = spent.slip.and_then(|slip| self.has_left(spent.sheet, slip));
        let used = self.sheet(spent.sheet).map(|sheet| sheet.used);
        let counts = used.map(|used| used + 1) == Some(spent.used);
        let lawful = lives && counts && has_left == Some(true);
        (!lawful).then(|| format!("{spent:?}, of which {used:?} were spent"))
    }

    /// Why a sheet cannot have this name.
    pub(in crate::room) fn misnamed(&self, sheet: SheetId) -> Option<String> {
        let next = self.last().next();
        (sheet != next).then(|| format!("{sheet} was made, {next} is next"))
    }
}
