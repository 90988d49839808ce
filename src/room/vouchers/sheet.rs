//! One sheet: its terms, its vouchers, and which of these are spent.

use facts::voucher::{CodeHash, Slip, Slips, Terms};
use serde::{Deserialize, Serialize};

/// A sheet that is not withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// The terms of its vouchers.
    pub terms: Terms,
    /// How many vouchers it has, and of which kind.
    pub slips: Slips,
    /// How many places it has given since the edition began.
    pub used: u64,
    marks: Marks,
}

/// Which vouchers are spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Marks {
    /// One bit for each invitation.
    Bits(Vec<u64>),
    /// The codes, in order.
    Codes(Vec<Code>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Code {
    hash: CodeHash,
    uses: u32,
    used: u32,
}

impl Sheet {
    pub(super) fn new(terms: Terms, slips: Slips, codes: &[(CodeHash, u32)]) -> Self {
        let marks = match slips {
            Slips::Invitations { count } => Marks::Bits(vec![0; count.div_ceil(64) as usize]),
            Slips::Codes { .. } => Marks::Codes(codes.iter().map(Code::unused).collect()),
        };
        Self {
            terms,
            slips,
            used: 0,
            marks,
        }
    }

    /// Returns whether a voucher has a place left, or `None` if it is not one of this sheet. O(log codes).
    pub(super) fn has_left(&self, slip: Slip) -> Option<bool> {
        match (&self.marks, self.slips, slip) {
            (Marks::Bits(bits), Slips::Invitations { count }, Slip::Index(index)) => {
                let word = bits.get(index as usize / 64).filter(|_| index < count)?;
                Some(word & bit(index) == 0)
            }
            (Marks::Codes(codes), _, Slip::Code(hash)) => {
                let at = codes.binary_search_by_key(&hash, |code| code.hash);
                let code = codes.get(at.ok()?)?;
                Some(code.used < code.uses)
            }
            _ => None,
        }
    }

    pub(super) fn mark(&mut self, slip: Slip) {
        match (&mut self.marks, slip) {
            (Marks::Bits(bits), Slip::Index(index)) => {
                if let Some(word) = bits.get_mut(index as usize / 64) {
                    *word |= bit(index);
                }
            }
            (Marks::Codes(codes), Slip::Code(hash)) => {
                let at = codes.binary_search_by_key(&hash, |code| code.hash);
                if let Some(code) = at.ok().and_then(|at| codes.get_mut(at)) {
                    code.used = code.used.saturating_add(1);
                }
            }
            _ => {}
        }
    }

    pub(super) fn begin(&mut self) {
        self.used = 0;
        match &mut self.marks {
            Marks::Bits(bits) => bits.fill(0),
            Marks::Codes(codes) => codes.iter_mut().for_each(|code| code.used = 0),
        }
    }

    /// The number of codes on it.
    pub(super) fn code_count(&self) -> usize {
        self.codes().len()
    }

    fn codes(&self) -> &[Code] {
        match &self.marks {
            Marks::Bits(_) => &[],
            Marks::Codes(codes) => codes,
        }
    }

    /// Returns true if the marks agree with the count, and no voucher gave more places than it may. O(vouchers).
    #[must_use]
    pub fn agrees(&self) -> bool {
        let marked = match &self.marks {
            Marks::Bits(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
            Marks::Codes(codes) => codes.iter().map(|code| u64::from(code.used)).sum::<u64>(),
        };
        let within = self.codes().iter().all(|code| code.used <= code.uses);
        within && marked == self.used && self.used <= self.slips.uses()
    }
}

impl Code {
    const fn unused((hash, uses): &(CodeHash, u32)) -> Self {
        Self {
            hash: *hash,
            uses: *uses,
            used: 0,
        }
    }
}

const fn bit(index: u32) -> u64 {
    1 << (index % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks, count and limits must all agree.
    #[test]
    fn a_sheet_agrees_only_when_everything_does() {
        let (one, two) = (CodeHash(1), CodeHash(2));
        let slips = Slips::Codes { count: 2, uses: 3 };
        let sheet = |used: u64, of_one: u32, of_two: u32| {
            let terms = Terms {
                lane: None,
                from_at_ms: 0,
                ends_at_ms: 1,
            };
            let mut sheet = Sheet::new(terms, slips, &[(one, 1), (two, 2)]);
            (0..of_one).for_each(|_| sheet.mark(Slip::Code(one)));
            (0..of_two).for_each(|_| sheet.mark(Slip::Code(two)));
            sheet.used = used;
            sheet
        };
        assert!(sheet(0, 0, 0).agrees() && sheet(2, 1, 1).agrees() && sheet(3, 1, 2).agrees());
        // Counted, and not marked; marked, and not counted.
        assert!(!sheet(1, 0, 0).agrees() && !sheet(0, 1, 0).agrees());
        // A code that gave more than it may, though the sheet did not.
        assert!(!sheet(2, 2, 0).agrees());
        // A sheet that gave more than it has.
        assert!(!sheet(4, 1, 3).agrees());
    }
}
