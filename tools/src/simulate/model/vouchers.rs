//! Vouchers once more: for each sheet a list of what every voucher has left.

use super::Model;
use baton::facts::holder::Holder;
use baton::facts::lane_name::LaneName;
use baton::facts::units::LaneId;
use baton::facts::voucher::{CodeHash, Slip, Slips, Spend, Spent, Terms, Unspent, Voucher};
use std::collections::BTreeMap;

/// A sheet.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    terms: Terms,
    has_codes: bool,
    /// For each voucher, by index or by code: how many places it gives, and how many of them are left.
    left: BTreeMap<u64, (u32, u32)>,
}

impl Sheet {
    pub fn new(terms: &Terms, slips: Slips, codes: &[(CodeHash, u32)]) -> Self {
        let (has_codes, each): (bool, Vec<(u64, u32)>) = match slips {
            Slips::Invitations { count } => (false, (0..u64::from(count)).map(|i| (i, 1)).collect()),
            Slips::Codes { .. } => (true, codes.iter().map(|(hash, uses)| (hash.0, *uses)).collect()),
        };
        Self {
            terms: terms.clone(),
            has_codes,
            left: each.into_iter().map(|(id, uses)| (id, (uses, uses))).collect(),
        }
    }

    pub fn spend(&mut self, spent: &Spent) {
        let id = match spent.slip {
            Some(Slip::Index(index)) => u64::from(index),
            Some(Slip::Code(hash)) => hash.0,
            None => return,
        };
        if let Some((_, left)) = self.left.get_mut(&id) {
            *left -= 1;
        }
    }

    /// Begins an edition: nothing is spent.
    pub fn begin(&mut self) {
        self.left.values_mut().for_each(|(uses, left)| *left = *uses);
    }
}

impl Model {
    /// Returns the sheet of a voucher, and which of its vouchers it is.
    fn sheet_of(&self, voucher: &Voucher) -> Option<(&Sheet, u64)> {
        let sheets = &self.beside.sheets;
        match *voucher {
            Voucher::Invitation { sheet, index } => {
                let sheet = sheets.get(&sheet).filter(|sheet| !sheet.has_codes)?;
                Some((sheet, u64::from(index)))
            }
            Voucher::Code(hashes) => hashes.into_iter().find_map(|hash| {
                let mut all = sheets.values().filter(|sheet| sheet.has_codes);
                Some((all.find(|sheet| sheet.left.contains_key(&hash.0))?, hash.0))
            }),
        }
    }

    /// Returns why a voucher may not be spent now.
    pub(super) fn unspent(&self, spend: &Spend) -> Option<Unspent> {
        let Some((sheet, which)) = self.sheet_of(&spend.voucher) else {
            return Some(Unspent::Unknown);
        };
        let (from_at_ms, ends_at_ms) = (sheet.terms.from_at_ms, sheet.terms.ends_at_ms);
        match sheet.left.get(&which) {
            None => Some(Unspent::Unknown),
            Some(_) if spend.at_ms < from_at_ms => Some(Unspent::Early { from_at_ms }),
            Some(_) if spend.at_ms >= ends_at_ms => Some(Unspent::Late),
            Some((_, 0)) => Some(Unspent::Used),
            Some(_) => None,
        }
    }

    /// Returns the lane into which a voucher leads, whether the voucher is good or not.
    pub(super) fn lane_by(&self, spend: &Spend) -> LaneId {
        let sheet = match spend.voucher {
            Voucher::Invitation { sheet, .. } => self.beside.sheets.get(&sheet),
            Voucher::Code(_) => self.sheet_of(&spend.voucher).map(|(sheet, _)| sheet),
        };
        let name = sheet.and_then(|sheet| LaneName::parse(sheet.terms.lane.as_deref()?));
        self.lane_named(name)
    }

    /// Returns whether another voucher than this could bring the holder into a better lane.
    pub(super) fn another_would_be_better(&self, holder: Holder, lane: LaneId, spend: &Spend) -> bool {
        let own = self.number_of(holder.key).filter(|own| self.ledger.waits(*own));
        let own = own.and_then(|own| self.rank(own.lane()));
        let best = match self.unspent(spend) {
            Some(Unspent::Unknown) => Some(0),
            _ => self.rank(lane),
        };
        own.zip(best).is_some_and(|(own, best)| best < own)
    }
}
