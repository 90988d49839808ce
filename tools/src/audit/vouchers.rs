//! Checks sheets of vouchers. Which voucher was spent is private: an export says only of which sheet it was, and how many of that sheet were.

use super::{Check, require};
use baton::facts::event::Event;
use baton::facts::units::Number;
use baton::facts::voucher::{SheetId, Slips, Spent, Terms};
use std::collections::BTreeMap;

const SHEETS: &str = "sheets are counted up, and have their limits";
const SPENT: &str = "a voucher is spent on the ticket before it, and counted";
/// The most sheets at once, codes of a room and invitations of a sheet; the longest life of a sheet, ms.
const SHEETS_MAX: usize = 32;
const CODES_MAX: u64 = 20_000;
const INVITATIONS_MAX: u64 = 100_000;
const LIFE_MS_MAX: u64 = 90 * 24 * 3_600_000;

/// The sheets of one room.
#[derive(Clone, Debug, Default)]
pub struct Sheets {
    made: u32,
    /// For each sheet: how many places it gives, how many it has given, and how many codes it has.
    there: BTreeMap<SheetId, (u64, u64, u64)>,
}

impl Sheets {
    /// Makes a sheet.
    pub(super) fn make(&mut self, id: SheetId, slips: Slips) -> Check {
        let codes = match slips {
            Slips::Invitations { .. } => 0,
            Slips::Codes { count, .. } => u64::from(count),
        };
        let all: u64 = self.there.values().map(|(_, _, codes)| codes).sum();
        let uses = slips.uses();
        let few = uses > 0 && (codes > 0 || uses <= INVITATIONS_MAX) && uses >= codes;
        let fits = self.there.len() < SHEETS_MAX && all + codes <= CODES_MAX;
        require(SHEETS, id.0 == self.made + 1 && few && fits, || {
            format!("sheet {id} with {slips:?} after {}", self.made)
        })?;
        self.made = id.0;
        self.there.insert(id, (uses, 0, codes));
        Ok(())
    }

    /// Withdraws a sheet.
    pub(super) fn withdraw(&mut self, id: SheetId) -> Check {
        require(SHEETS, self.there.remove(&id).is_some(), || {
            format!("sheet {id} was taken back, and is not there")
        })
    }

    /// Spends one of its vouchers.
    pub(super) fn spend(&mut self, spent: &Spent) -> Check {
        let sheet = self.there.get_mut(&spent.sheet);
        let counts = matches!(sheet, Some((uses, used, _)) if *used + 1 == spent.used && spent.used <= *uses);
        require(SPENT, counts, || format!("{spent:?}, of {sheet:?}"))?;
        if let Some((_, used, _)) = self.there.get_mut(&spent.sheet) {
            *used += 1;
        }
        Ok(())
    }

    /// Begins an edition: nothing is spent.
    pub(super) fn begin(&mut self) {
        self.there.values_mut().for_each(|(_, used, _)| *used = 0);
    }
}

/// Checks that a sheet made at this moment of the wall clock lives no longer than a sheet may.
pub(super) fn lives(terms: &Terms, wall_ms: u64) -> Check {
    let lasts_ms = terms.ends_at_ms.saturating_sub(wall_ms);
    let lawful = (1..=LIFE_MS_MAX).contains(&lasts_ms) && terms.ends_at_ms > terms.from_at_ms;
    require(SHEETS, lawful, || format!("{terms:?} at {wall_ms}"))
}

/// Returns the ticket that a fact issued, if it issued one alone.
fn issued(event: Option<&Event>) -> Option<Number> {
    match event? {
        Event::Joined { first, count: 1, .. } | Event::Entered { first, count: 1, .. } => Some(*first),
        Event::WalkedIn { number, .. } => Some(*number),
        Event::Moved { to, .. } => Some(*to),
        _ => None,
    }
}

/// Checks that a voucher is spent on the very ticket before it.
pub(super) fn follows_its_ticket(event: &Event, before: Option<&Event>) -> Check {
    let Event::Spent(spent) = event else {
        return Ok(());
    };
    require(SPENT, issued(before) == Some(spent.number), || format!("{spent:?} after {before:?}"))
}
