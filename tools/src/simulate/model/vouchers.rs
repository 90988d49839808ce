//! Vouchers once more: for each sheet a list of what every voucher has left.

use super::Model;
use baton::facts::event::Event;
use baton::facts::holder::Holder;
use baton::facts::lane_name::LaneName;
use baton::facts::units::LaneId;
use baton::facts::voucher::{CodeHash, SheetId, Slip, Slips, Spend, Terms, Unspent, Voucher};
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
    fn new(terms: &Terms, slips: Slips, codes: &[(CodeHash, u32)]) -> Self {
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
}

impl Model {
    pub(super) fn apply_voucher(&mut self, fact: &Event) {
        match fact {
            Event::SheetMade {
                sheet, terms, slips, codes, ..
            } => {
                self.sheets.insert(*sheet, Sheet::new(terms, *slips, codes));
            }
            Event::SheetWithdrawn { sheet, .. } => {
                self.sheets.remove(sheet);
            }
            Event::Spent(spent) => {
                if let Some(sheet) = self.sheets.get_mut(&spent.sheet) {
                    let id = match spent.slip {
                        Some(Slip::Index(index)) => u64::from(index),
                        Some(Slip::Code(hash)) => hash.0,
                        None => return,
                    };
                    if let Some((_, left)) = sheet.left.get_mut(&id) {
                        *left -= 1;
                    }
                }
            }
            _ => {}
        }
    }

    /// Begins an edition: nothing is spent.
    pub(super) fn vouchers_begin(&mut self) {
        for sheet in self.sheets.values_mut() {
            sheet.left.values_mut().for_each(|(uses, left)| *left = *uses);
        }
    }

    /// Returns the slip that may be spent now, or why none may be.
    pub(super) fn voucher(&self, spend: &Spend) -> Result<(SheetId, Slip), Unspent> {
        let found = match spend.voucher {
            Voucher::Invitation { sheet, index } => self
                .sheets
                .get_key_value(&sheet)
                .filter(|(_, sheet)| !sheet.has_codes)
                .map(|(id, sheet)| (id, sheet, u64::from(index), Slip::Index(index))),
            Voucher::Code(hashes) => hashes.into_iter().find_map(|hash| {
                let mut all = self.sheets.iter().filter(|(_, sheet)| sheet.has_codes);
                let (id, sheet) = all.find(|(_, sheet)| sheet.left.contains_key(&hash.0))?;
                Some((id, sheet, hash.0, Slip::Code(hash)))
            }),
        };
        let (id, sheet, which, slip) = found.ok_or(Unspent::Unknown)?;
        let (_, left) = sheet.left.get(&which).ok_or(Unspent::Unknown)?;
        let (from_at_ms, ends_at_ms) = (sheet.terms.from_at_ms, sheet.terms.ends_at_ms);
        match *left {
            _ if spend.at_ms < from_at_ms => Err(Unspent::Early { from_at_ms }),
            _ if spend.at_ms >= ends_at_ms => Err(Unspent::Late),
            0 => Err(Unspent::Used),
            _ => Ok((*id, slip)),
        }
    }

    /// Returns the lane into which a voucher leads, whether the voucher is good or not.
    pub(super) fn lane_by(&self, spend: &Spend) -> LaneId {
        let sheet = match spend.voucher {
            Voucher::Invitation { sheet, .. } => self.sheets.get(&sheet),
            Voucher::Code(hashes) => hashes.into_iter().find_map(|hash| {
                let mut all = self.sheets.values().filter(|sheet| sheet.has_codes);
                all.find(|sheet| sheet.left.contains_key(&hash.0))
            }),
        };
        let name = sheet.and_then(|sheet| LaneName::parse(sheet.terms.lane.as_deref()?));
        self.lane_named(name)
    }

    /// Returns whether another voucher than this could bring the holder into a better lane.
    pub(super) fn another_would_be_better(&self, holder: Holder, lane: LaneId, spend: &Spend) -> bool {
        let is_known = !matches!(self.voucher(spend), Err(Unspent::Unknown));
        let own = self.number_of(holder.key).filter(|own| self.waits(*own));
        let own = own.and_then(|own| self.rank(own.lane()));
        let best = if is_known { self.rank(lane) } else { Some(0) };
        own.zip(best).is_some_and(|(own, best)| best < own)
    }
}
