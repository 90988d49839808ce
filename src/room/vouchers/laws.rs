//! What must hold of vouchers: each function returns what is wrong, or `None`. The laws' names are in `room/laws/`.

use super::Vouchers;
use facts::limits::{CODES_MAX, SHEETS_MAX};
use facts::voucher::{SheetId, Spent};

impl Vouchers {
    /// Returns how the marks differ from the counts, or that there are too many sheets or codes; `None` if all is well. O(vouchers).
    pub(crate) fn disagreement(&self) -> Option<String> {
        let many = self.sheets().count() > SHEETS_MAX || self.codes() > CODES_MAX;
        let wrong = self.sheets().find(|(_, sheet)| !sheet.agrees());
        match wrong {
            Some(wrong) => Some(format!("{wrong:?}")),
            None => many.then(|| "more sheets or codes than there may be".to_owned()),
        }
    }

    /// Returns why a voucher cannot be spent like this, or `None` if it can. `lives` says whether its ticket lives.
    pub(crate) fn misspent(&self, spent: &Spent, lives: bool) -> Option<String> {
        let has_left = spent.slip.and_then(|slip| self.has_left(spent.sheet, slip));
        let used = self.sheet(spent.sheet).map(|sheet| sheet.used);
        let counts = used.map(|used| used + 1) == Some(spent.used);
        let lawful = lives && counts && has_left == Some(true);
        (!lawful).then(|| format!("{spent:?}, of which {used:?} were spent"))
    }

    /// Returns why a new sheet cannot have this number, or `None` if it can.
    pub(crate) fn misnamed(&self, sheet: SheetId) -> Option<String> {
        let next = self.last().next();
        (sheet != next).then(|| format!("{sheet} was made, {next} is next"))
    }
}
