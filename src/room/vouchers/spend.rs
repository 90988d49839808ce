//! What follows when somebody joins with a voucher: the room finds it, decides whether it gives a place, and notes that it was spent.

use super::Vouchers;
use facts::event::Event;
use facts::lane_name::LaneName;
use facts::planted::{self, Bug};
use facts::units::Number;
use facts::voucher::{SheetId, Slip, Spend, Spent, Terms, Unspent, Voucher};

/// A voucher that may be spent now.
pub(crate) struct Found {
    sheet: SheetId,
    slip: Slip,
}

impl Vouchers {
    /// Finds a voucher that gives a place now, or says why it gives none. O(sheets · log codes).
    pub(crate) fn find(&self, spend: &Spend) -> Result<Found, Unspent> {
        let (id, slip) = self.place_of(&spend.voucher).ok_or(Unspent::Unknown)?;
        let sheet = self.sheets.get(&id).ok_or(Unspent::Unknown)?;
        let has_left = sheet.has_left(slip).ok_or(Unspent::Unknown)?;
        let Terms { from_at_ms, ends_at_ms, .. } = sheet.terms;
        if spend.at_ms < from_at_ms {
            return Err(Unspent::Early { from_at_ms });
        }
        if spend.at_ms >= ends_at_ms {
            return Err(Unspent::Late);
        }
        if !has_left && !planted::is(Bug::VoucherGoodTwice) {
            return Err(Unspent::Used);
        }
        Ok(Found { sheet: id, slip })
    }

    /// Returns the sheet and the slip of a voucher, or `None` if no sheet has its code.
    fn place_of(&self, voucher: &Voucher) -> Option<(SheetId, Slip)> {
        match voucher {
            Voucher::Invitation { sheet, index } => Some((*sheet, Slip::Index(*index))),
            Voucher::Code(hashes) => hashes.iter().find_map(|hash| {
                let slip = Slip::Code(*hash);
                let mut sheets = self.sheets.iter();
                let found = sheets.find(|(_, sheet)| sheet.has_left(slip).is_some());
                found.map(|(id, _)| (*id, slip))
            }),
        }
    }

    /// Returns the fact that a voucher is spent on this number.
    pub(crate) fn spends(&self, found: Found, number: Number) -> Event {
        let Found { sheet, slip } = found;
        Event::Spent(Spent {
            number,
            sheet,
            used: self.sheet(sheet).map_or(0, |sheet| sheet.used) + 1,
            slip: Some(slip),
        })
    }

    /// Returns the lane that a voucher names, or `None` if it names none or is unknown. O(sheets · log codes).
    pub(crate) fn lane_of(&self, voucher: &Voucher) -> Option<LaneName> {
        let (sheet, _) = self.place_of(voucher)?;
        LaneName::parse(self.sheet(sheet)?.terms.lane.as_deref()?)
    }
}
