//! The sheets of vouchers that the operator made, and which vouchers are spent.
//!
//! The fact that spends a voucher stands right behind the fact that gives its ticket, in the same row. A voucher is never spent earlier, and never
//! without a ticket. A visitor who has a living place spends nothing by joining with a voucher, so a join that comes twice spends once.
//!
//! | the voucher | then |
//! |---|---|
//! | has a place left, and its time has come | the visitor gets a number, which spends it |
//! | gave all its places | nothing: it is used |
//! | is of a sheet that was withdrawn, or of none | nothing: it is unknown |
//!
//! A reset ends every place, so it gives every voucher back. Sheets stay.

mod laws;
mod sheet;
mod spend;

use facts::event::Event;
use facts::few::FewMap;
use facts::limits::{CODE_USES_MAX, CODES_MAX, INVITATIONS_MAX, SHEET_LIFE_MS_MAX, SHEETS_MAX};
use facts::planted::{self, Bug};
use facts::voucher::{CodeHash, SheetId, Slip, Slips, Spent, Terms, is_lane_name};
use serde::{Deserialize, Serialize};
pub use sheet::Sheet;
pub(super) use spend::Found;

/// The sheets of one room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vouchers {
    last: SheetId,
    sheets: FewMap<SheetId, Sheet>,
}

/// A sheet that the operator wants to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NewSheet {
    /// This many invitations.
    Invitations(u32),
    /// These codes, in any order, and how many places each gives.
    Codes(Vec<(CodeHash, u32)>),
}

/// Why the room does not make a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetProblem {
    /// The lane's name is not valid.
    Lane,
    /// It ends before it begins, or is over.
    Over,
    /// Its end is further away than a sheet's may be.
    Long,
    /// It has no voucher, or more than a sheet may have.
    Count,
    /// A code gives no place, or too many.
    Uses,
    /// A code is on it twice, or on another sheet too.
    Twice,
    /// The room would have more codes than it may.
    Codes,
    /// The room has as many sheets as it may.
    Sheets,
}

impl SheetProblem {
    /// Says what is wrong, and what to do.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Lane => "lane is no name of a lane. Write 1 to 16 of a-z, 0-9 and -",
            Self::Over => "it ends before it begins, or is over. Write a later end",
            Self::Long => "it counts for longer than 90 days. Write a nearer end",
            Self::Count => "it has no voucher or too many. Make 1 to 100,000 invitations, or 1 to 20,000 codes",
            Self::Uses => "a code gives no place or too many. Let each give 1 to 1,000,000",
            Self::Twice => "a code is there twice, or on another sheet. Write each once",
            Self::Codes => "the room would have more than 20,000 codes. Withdraw a sheet first",
            Self::Sheets => "the room has 32 sheets. Withdraw one that is over",
        }
    }
}

impl Vouchers {
    /// Returns the sheet, or `None` if it was withdrawn or never made.
    #[must_use]
    pub fn sheet(&self, id: SheetId) -> Option<&Sheet> {
        self.sheets.get(&id)
    }

    /// Returns every sheet that is not withdrawn, in order.
    pub fn sheets(&self) -> impl Iterator<Item = (SheetId, &Sheet)> {
        self.sheets.iter().map(|(id, sheet)| (*id, sheet))
    }

    /// The last sheet that was ever made; 0 if there was none.
    #[must_use]
    pub const fn last(&self) -> SheetId {
        self.last
    }

    /// The number of codes on all sheets. O(sheets).
    #[must_use]
    pub fn codes(&self) -> usize {
        self.sheets.values().map(|sheet| sheet.code_count()).sum()
    }

    /// Returns whether a voucher of a sheet has a place left, or `None` if there is no such voucher.
    pub(super) fn has_left(&self, sheet: SheetId, slip: Slip) -> Option<bool> {
        self.sheets.get(&sheet)?.has_left(slip)
    }

    pub(super) fn make(&mut self, id: SheetId, terms: &Terms, slips: Slips, codes: &[(CodeHash, u32)]) {
        self.last = self.last.max(id);
        let sheet = Sheet::new(terms.clone(), slips, codes);
        self.sheets.insert(id, sheet);
    }

    pub(super) fn withdraw(&mut self, id: SheetId) {
        self.sheets.remove(&id);
    }

    pub(super) fn spend(&mut self, spent: &Spent) {
        let Some(sheet) = self.sheets.get_mut(&spent.sheet) else {
            return;
        };
        sheet.used = spent.used;
        if let Some(slip) = spent.slip.filter(|_| !planted::is(Bug::VoucherNotMarked)) {
            sheet.mark(slip);
        }
    }

    /// Begins an edition: nothing is spent.
    pub(super) fn begin(&mut self) {
        self.sheets.values_mut().for_each(Sheet::begin);
    }

    /// Returns what is wrong with a new sheet, or `None` if it may be made. Its codes must be sorted. O(codes · sheets · log codes).
    fn judge(&self, terms: &Terms, slips: Slips, codes: &[(CodeHash, u32)], now_ms: u64) -> Option<SheetProblem> {
        let begins_ms = terms.from_at_ms.max(now_ms);
        let (count, most) = match slips {
            Slips::Invitations { count } => (count as usize, INVITATIONS_MAX as usize),
            Slips::Codes { .. } => (codes.len(), CODES_MAX),
        };
        let is_twice = |pair: &[(CodeHash, u32)]| matches!(pair, [(a, _), (b, _)] if a == b);
        let is_known = |(hash, _): &(CodeHash, u32)| {
            let slip = Slip::Code(*hash);
            self.sheets.values().any(|sheet| sheet.has_left(slip).is_some())
        };
        let problems = [
            (terms.lane.as_deref().is_some_and(|lane| !is_lane_name(lane)), SheetProblem::Lane),
            (terms.ends_at_ms <= begins_ms, SheetProblem::Over),
            (terms.ends_at_ms.saturating_sub(now_ms) > SHEET_LIFE_MS_MAX, SheetProblem::Long),
            (!(1..=most).contains(&count), SheetProblem::Count),
            (codes.iter().any(|(_, uses)| !(1..=CODE_USES_MAX).contains(uses)), SheetProblem::Uses),
            (self.sheets.len() >= SHEETS_MAX, SheetProblem::Sheets),
            (self.codes() + codes.len() > CODES_MAX, SheetProblem::Codes),
            (codes.windows(2).any(is_twice) || codes.iter().any(is_known), SheetProblem::Twice),
        ];
        let mut problems = problems.into_iter();
        problems.find_map(|(is_so, problem)| is_so.then_some(problem))
    }
}

// What the operator does.
impl Vouchers {
    /// Returns the fact that a sheet is made, and the sheet; `now_ms` is the wall clock, Unix ms. O(codes · sheets · log codes).
    ///
    /// # Errors
    /// Returns what is wrong with the sheet.
    pub fn decide_sheet(&self, terms: Terms, new: NewSheet, now_ms: u64, by: &str) -> Result<(SheetId, Event), SheetProblem> {
        let (slips, codes) = match new {
            NewSheet::Invitations(count) => (Slips::Invitations { count }, Vec::new()),
            NewSheet::Codes(mut codes) => {
                codes.sort_unstable();
                let uses = codes.iter().map(|(_, uses)| u64::from(*uses)).sum();
                let count = u32::try_from(codes.len()).unwrap_or(u32::MAX);
                (Slips::Codes { count, uses }, codes)
            }
        };
        if let Some(problem) = self.judge(&terms, slips, &codes, now_ms) {
            return Err(problem);
        }
        let (sheet, by) = (self.last.next(), by.to_owned());
        let made = Event::SheetMade {
            sheet,
            terms,
            slips,
            codes,
            by,
        };
        Ok((sheet, made))
    }

    /// Returns the fact that a sheet is withdrawn, if there is one. O(log sheets).
    #[must_use]
    pub fn decide_withdrawal(&self, sheet: SheetId, by: &str) -> Option<Event> {
        let by = by.to_owned();
        self.sheet(sheet).map(|_| Event::SheetWithdrawn { sheet, by })
    }
}
