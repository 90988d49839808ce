//! Invitations and codes, in one world of two: sheets of them, and what the operator does to a sheet.

use baton::facts::voucher::SheetId;

/// A sheet as its operator remembers it, withdrawn or not.
#[derive(Clone, Debug)]
pub struct Remembered {
    pub(super) id: SheetId,
    pub(super) count: u32,
    pub(super) has_codes: bool,
    pub(super) withdrawn: bool,
}
