//! Invitations and codes, in one world of two: sheets of them, and what the operator does to a sheet.

use super::faults::{Faults, Kind};
use baton::facts::voucher::SheetId;

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

/// Picks whether there are vouchers in this world.
pub fn pick_vouchers(faults: &mut Faults) {
    let comes = faults.chance_of(Kind::Sheets).below(2) == 0;
    faults.set(Kind::Sheets, if comes { SHEETS_EVERY_MS } else { 0 });
}
