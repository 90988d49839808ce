//! What follows when somebody joins with a voucher: the room finds it, decides whether it gives a place, and notes that it was spent.

use super::Vouchers;
use crate::Room;
use facts::event::{Event, Row};
use facts::holder::Holder;
use facts::lane_name::LaneName;
use facts::planted::{self, Bug};
use facts::units::{Instant, LaneId, LobbyId, Number};
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
}

impl Room {
    /// Adds the fact that this voucher was spent on the number issued, if one was.
    pub(crate) fn note_spent(&self, events: &mut Vec<Event>, found: Option<Found>, issued: Option<Number>) {
        let for_nothing = || planted::is(Bug::SpentForNothing).then_some(Number(0));
        let number = issued.filter(|_| !planted::is(Bug::NumberWithoutSpending)).or_else(for_nothing);
        let (Some(Found { sheet, slip }), Some(number)) = (found, number) else {
            return;
        };
        let used = self.vouchers.sheet(sheet).map_or(0, |sheet| sheet.used) + 1;
        events.push(Event::Spent(Spent {
            number,
            sheet,
            used,
            slip: Some(slip),
        }));
    }

    /// Moves the waiting ticket that the holder has in this lobby to the end of the voucher's lane, if that lane is better. The new number spends the
    /// voucher. O(sheets · log codes + log n).
    pub(crate) fn raise_with(&mut self, now: Instant, (holder, spend): (Holder, &Spend), lobby: LobbyId, row: &mut Row) {
        let found = self.vouchers.find(spend);
        let lane = self.lane_by(spend);
        let moves = self.better_place(now, lane, holder.key, lobby);
        let (Ok(found), Some((from, to))) = (found, moves) else {
            return;
        };
        let mut events = vec![Event::Moved { from, to }];
        self.note_spent(&mut events, Some(found), Some(to));
        self.commit(events, row);
    }

    /// Returns true if another voucher than this could move a ticket: it waits behind this voucher's lane or, if this voucher is unknown, behind any
    /// lane.
    pub(crate) fn could_be_better(&self, lane: LaneId, own: Option<Number>, unspent: Unspent) -> bool {
        let own = own.filter(|own| self.waits(*own));
        own.is_some_and(|own| match unspent {
            Unspent::Unknown => self.lanes.is_behind_any(own.lane()),
            _ => self.lanes.is_better(lane, own.lane()),
        })
    }

    /// Returns the lane of a voucher: the one that it names, if the list has it, else everybody's. O(sheets · log codes).
    pub(crate) fn lane_by(&self, spend: &Spend) -> LaneId {
        let place = self.vouchers.place_of(&spend.voucher);
        let sheet = place.and_then(|(sheet, _)| self.vouchers.sheet(sheet));
        let name = sheet.and_then(|sheet| LaneName::parse(sheet.terms.lane.as_deref()?));
        self.lanes.named(name)
    }
}
