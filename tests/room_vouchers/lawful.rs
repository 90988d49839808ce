//! What the laws say of vouchers: each finds what it is for.

use super::{HERE, Shop, WALL_MS, code, holder, invitation};
use baton::facts::command::Command;
use baton::facts::event::Event;
use baton::facts::limits::{CODES_MAX, SHEETS_MAX};
use baton::facts::units::{Instant, Number};
use baton::facts::voucher::{CodeHash, SheetId, Slip, Slips, Spent, Terms};
use baton::room::laws;
use baton::room::vouchers::NewSheet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

impl Shop {
    fn is_lawful(&self, event: &Event) -> bool {
        laws::fact_is_lawful(&self.room, self.now, event).is_ok()
    }

    /// Whether the sheets agree after facts that nobody judged.
    fn agrees_after(&self, events: Vec<Event>) -> bool {
        let mut room = self.room.clone();
        let mut row = room.open_row(self.now);
        row.events = events;
        room.replay(&row).expect("the next row");
        laws::vouchers_agree(&room, self.now).is_ok()
    }
}

fn made(sheet: u32, codes: Vec<(CodeHash, u32)>) -> Event {
    Event::SheetMade {
        sheet: SheetId(sheet),
        terms: Terms {
            lane: None,
            from_at_ms: 0,
            ends_at_ms: WALL_MS,
        },
        slips: Slips::Codes {
            count: codes.len() as u32,
            uses: codes.len() as u64,
        },
        codes,
        by: "mika".to_owned(),
    }
}

/// A shop of one sheet of three. The first is spent on number 1; the second may be spent on number 2.
fn shop() -> (Shop, Spent) {
    let mut shop = Shop::new(0);
    let sheet = shop.make(NewSheet::Invitations(3)).expect("made");
    shop.join(1, invitation(sheet, 0));
    shop.say(HERE, Command::join(vec![holder(2)]));
    let next = Spent {
        number: Number(2),
        sheet,
        used: 2,
        slip: Some(Slip::Index(1)),
    };
    (shop, next)
}

#[test]
fn a_voucher_that_is_spent_is_held_to_the_law() {
    let (shop, next) = shop();
    assert!(shop.is_lawful(&Event::Spent(next)));
    let slip = |index| Some(Slip::Index(index));
    let unlawful = [
        ("nobody's place", Spent { number: Number(3), ..next }),
        ("counted as the one before", Spent { used: 1, ..next }),
        ("one is not counted", Spent { used: 3, ..next }),
        ("spent already", Spent { slip: slip(0), ..next }),
        ("not of the sheet", Spent { slip: slip(3), ..next }),
        ("no voucher", Spent { slip: None, ..next }),
        (
            "no sheet",
            Spent {
                sheet: next.sheet.next(),
                ..next
            },
        ),
    ];
    for (why, spent) in unlawful {
        assert!(!shop.is_lawful(&Event::Spent(spent)), "{why}");
    }
    let of_next = |sheet| shop.is_lawful(&made(sheet, vec![]));
    assert_eq!([1, 2, 3].map(of_next), [false, true, false]);
}

#[test]
fn more_sheets_and_codes_than_there_may_be_are_found_and_so_is_a_wrong_count() {
    let (shop, next) = shop();
    assert!(shop.agrees_after(vec![Event::Spent(next)]));
    let miscounted = Spent { used: 3, ..next };
    assert!(!shop.agrees_after(vec![Event::Spent(miscounted)]));
    // One sheet is there already.
    let sheets = |count: usize| (2..=count as u32).map(|of| made(of, vec![])).collect();
    assert!(shop.agrees_after(sheets(SHEETS_MAX)));
    assert!(!shop.agrees_after(sheets(SHEETS_MAX + 1)));
    let all = |count: usize| (0..count as u64).map(|of| (CodeHash(of), 1)).collect();
    assert!(shop.agrees_after(vec![made(2, all(CODES_MAX))]));
    assert!(!shop.agrees_after(vec![made(2, all(CODES_MAX + 1))]));
}

/// Nobody gets anything for a bad voucher, so a lease that has run out is left to the usher, or to whoever asks for it.
#[test]
fn a_voucher_that_gives_nothing_takes_nothing_back() {
    let mut shop = Shop::new(1);
    let sheet = shop.make(NewSheet::Invitations(1)).expect("made");
    shop.say(HERE, Command::walk_in(holder(1)));
    shop.now = Instant(shop.now.0 + 100_000);
    let takes_back = |shop: &Shop| {
        let last = shop.rows.last().expect("a row");
        last.events.iter().any(|event| matches!(event, Event::Ended { .. }))
    };
    shop.join(1, code(7));
    assert!(!takes_back(&shop));
    assert_eq!(shop.join(1, invitation(sheet, 0)), None);
    assert!(takes_back(&shop));
}
