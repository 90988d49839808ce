//! Invitations and codes, in one world of two: sheets of them, and what the operator does to a sheet.

use super::faults::{Faults, Kind};
use super::model::{Model, OPERATOR};
use baton::facts::event::Event;
use baton::facts::voucher::{CodeHash, SheetId, Slips, Terms};

/// The mean time between two acts of the operator on sheets, ms.
const SHEETS_EVERY_MS: u32 = 25_000;

/// A sheet as its operator remembers it, withdrawn or not.
#[derive(Clone, Debug)]
pub struct Remembered {
    pub(super) id: SheetId,
    pub(super) count: u32,
    pub(super) has_codes: bool,
    pub(super) withdrawn: bool,
}

/// What the operator does to a sheet, as the judge is told of it.
#[derive(Clone, Debug)]
pub enum Act {
    /// Makes a sheet.
    Make {
        terms: Terms,
        slips: Slips,
        codes: Vec<(CodeHash, u32)>,
    },
    /// Takes a sheet back.
    Withdraw(SheetId),
}

impl Act {
    /// Returns what follows from it, as the model decides.
    #[must_use]
    pub fn decided(&self, model: &Model) -> Vec<Event> {
        match self {
            Self::Make {
                terms,
                slips,
                codes,
            } => model.decide_sheet(terms, *slips, codes, OPERATOR),
            Self::Withdraw(sheet) => model.decide_withdrawal(*sheet, OPERATOR),
        }
    }
}

/// Picks whether there are vouchers in this world.
pub fn pick_vouchers(faults: &mut Faults) {
    let comes = faults.chance_of(Kind::Sheets).below(2) == 0;
    faults.set(Kind::Sheets, if comes { SHEETS_EVERY_MS } else { 0 });
}
