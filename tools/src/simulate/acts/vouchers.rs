//! The operator makes sheets of vouchers and takes some back. Several visitors show the same voucher, and some show one that nobody made. All of it is
//! picked from streams of its own, as with accounts.

use crate::simulate::acts::OPERATOR;
use crate::simulate::judge::Cause;
use crate::simulate::lanes::lane_name;
use crate::simulate::vouchers::Remembered;
use crate::simulate::world::World;
use baton::facts::voucher::{CodeHash, SheetId, Spend, Terms, Voucher};
use baton::facts::wire::Wish;
use baton::room::vouchers::NewSheet;
use baton_advice::chance::Chance;

/// The streams of chance of those who show vouchers, which have a visitor's number above the low 32 bits.
const DEVICE: u64 = 0x70c4_0000;
/// The most sheets at once.
const SHEETS_MOST: usize = 3;
/// How long after it is made a sheet begins at most, ms.
const BEGINS_MAX_MS: u64 = 20_000;
/// How long it lasts at most after [`BEGINS_MAX_MS`], ms.
const ENDS_MAX_MS: u64 = 200_000;
/// How many of a thousand asks come with a voucher, where there is one.
const SHOWN: u32 = 600;
/// How many of a thousand vouchers that are shown were never made.
const INVENTED: u32 = 60;
/// The most vouchers of one sheet: fewer than visitors, so that several show the same.
const SLIPS_MOST: u64 = 12;
const USES_MOST: u64 = 3;

fn code(sheet: u32, index: u32) -> CodeHash {
    CodeHash((u64::from(sheet) << 32) + u64::from(index) + 1)
}

impl World {
    /// Lets the operator make a sheet, or take one back.
    ///
    /// Long because it picks each term of a sheet.
    pub fn operator_turns_to_sheets(&mut self, which: u64, size: u64) {
        self.wake_room();
        let Some(room) = self.room.living.as_ref().map(|living| living.room()) else {
            return;
        };
        let there: Vec<SheetId> = room.vouchers().sheets().map(|(id, _)| id).collect();
        if there.len() >= SHEETS_MOST || (which.is_multiple_of(4) && !there.is_empty()) {
            let at = (size % there.len() as u64) as usize;
            return self.withdraws(there[at]);
        }
        let last = room.vouchers().last().0;
        let terms = Terms {
            lane: (which % 9).checked_sub(4).map(|at| lane_name(at).to_owned()),
            from_at_ms: self.time + which / 4 % BEGINS_MAX_MS,
            ends_at_ms: self.time + BEGINS_MAX_MS + size % ENDS_MAX_MS,
        };
        let count = 1 + (size % SLIPS_MOST) as u32;
        let has_codes = which.is_multiple_of(2);
        let codes: Vec<(CodeHash, u32)> = (0..count).map(|at| (code(last + 1, at), 1 + ((size >> 8) % USES_MOST) as u32)).collect();
        let new = if has_codes {
            NewSheet::Codes(codes)
        } else {
            NewSheet::Invitations(count)
        };
        // If the host's clock was set forward, a sheet may be late before it is made. Then none is made.
        let made = self.turn(|_, _| Cause::Other, |living, wall_ms| living.make_sheet(wall_ms, terms, new, OPERATOR));
        if !matches!(made, Ok(Ok(_))) {
            return;
        }
        self.sheets.push(Remembered {
            id: SheetId(last + 1),
            count,
            has_codes,
            withdrawn: false,
        });
    }

    fn withdraws(&mut self, id: SheetId) {
        let _ = self.turn(|_, _| Cause::Other, |living, wall_ms| living.withdraw_sheet(wall_ms, id, OPERATOR));
        for sheet in &mut self.sheets {
            sheet.withdrawn |= sheet.id == id;
        }
    }

    /// Picks the voucher with which a device asks now. Returns `None` if the wish leads to no place, there is no sheet, or the world is in the
    /// calm, in which everybody comes without one.
    pub fn voucher_for(&mut self, visitor: usize, wish: &Wish) -> Option<Spend> {
        let takes = matches!(wish, Wish::Arrive { .. } | Wish::Join | Wish::Attend);
        if !takes || !self.moody || self.sheets.is_empty() {
            return None;
        }
        let person = &mut self.people[visitor];
        person.asked_with += 1;
        let mut rng = Chance::of(self.seed ^ DEVICE, (visitor as u64) << 32 | person.asked_with);
        if !rng.chance(SHOWN) {
            return None;
        }
        let invented = rng.chance(INVENTED);
        // Visitors show the newest sheets more often, and now and then one that was taken back.
        let back = rng.below(3).min(rng.below(self.sheets.len() as u64)) as usize;
        let sheet = self.sheets.iter().rev().nth(back)?;
        let index = rng.below(u64::from(sheet.count)) as u32;
        let index = if invented { index + sheet.count } else { index };
        let voucher = if sheet.has_codes {
            let hash = code(sheet.id.0, index);
            let other = CodeHash(u64::MAX - hash.0);
            Voucher::Code(if rng.chance(300) { [other, hash, other] } else { [hash; 3] })
        } else {
            Voucher::Invitation { sheet: sheet.id, index }
        };
        Some(Spend { voucher, at_ms: self.time })
    }
}
