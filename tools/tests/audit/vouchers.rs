//! Tests the audit of histories with vouchers: what the room wrote is sound, and what it cannot have written about a sheet is found. An export shows
//! a voucher's sheet, but not which voucher it was.

use crate::sale::{Sale, export, holder};
use baton::facts::command::Command;
use baton::facts::enter::Person;
use baton::facts::event::Event;
use baton::facts::units::{LobbyId, Number};
use baton::facts::voucher::{CodeHash, SheetId, Slip, Slips, Spend, Spent, Terms, Voucher};
use baton::room::vouchers::NewSheet;

/// The wall clock of these exports, to within a second, and 80 days later, Unix ms.
const WALL_MS: u64 = 1_732_158_000_000;
const ENDS_AT_MS: u64 = WALL_MS + 80 * 86_400_000;

fn terms() -> Terms {
    Terms {
        lane: None,
        from_at_ms: 0,
        ends_at_ms: ENDS_AT_MS,
    }
}

/// Returns a room with a sheet of two invitations, one of them spent, and a sheet of one code that is good twice.
fn written() -> Sale {
    let mut sale = Sale::without_permits();
    for new in [NewSheet::Invitations(2), NewSheet::Codes(vec![(CodeHash(7), 2)])] {
        sale.write(|room, _, row| {
            let (_, made) = room.vouchers().decide_sheet(terms(), new, WALL_MS, "Ermintrude").expect("a sheet");
            room.commit([made], row);
        });
    }
    let spend = Spend {
        voucher: Voucher::Invitation { sheet: SheetId(1), index: 1 },
        at_ms: WALL_MS,
    };
    let holder = holder(1);
    let join = [Command::join(vec![Person::from(holder).with(spend)])];
    sale.write(|room, now, row| room.take(now, LobbyId(0), &join, 0, row));
    sale
}

fn joined(number: u64, count: u32) -> Event {
    Event::Joined {
        lobby: LobbyId(0),
        first: Number(number),
        count,
        holders: (0..u64::from(count)).map(|at| holder(50 + at)).collect(),
    }
}

fn spent(number: u64, sheet: u32, used: u64) -> Event {
    Event::Spent(Spent {
        number: Number(number),
        sheet: SheetId(sheet),
        used,
        slip: Some(Slip::Index(0)),
    })
}

fn made(sheet: u32, slips: Slips) -> Event {
    Event::SheetMade {
        sheet: SheetId(sheet),
        terms: terms(),
        slips,
        codes: vec![],
        by: String::new(),
    }
}

#[test]
fn a_voucher_is_spent_on_the_ticket_before_it_and_counted() {
    let withdrawn = |sheet| Event::SheetWithdrawn {
        sheet: SheetId(sheet),
        by: String::new(),
    };
    assert_eq!(written().judged(vec![joined(2, 1), spent(2, 1, 2)]), Ok(()));
    assert_eq!(written().judged(vec![withdrawn(1)]), Ok(()));
    let found = |events| {
        let found = written().judged(events).expect_err("not the room's");
        assert!(found.contains("[a voucher is spent"), "{found}");
    };
    found(vec![spent(1, 1, 2)]);
    found(vec![joined(2, 1), spent(1, 1, 2)]);
    found(vec![joined(2, 2), spent(2, 1, 2)]);
    found(vec![joined(2, 1), spent(2, 1, 1)]);
    found(vec![joined(2, 1), spent(2, 1, 3)]);
    found(vec![joined(2, 1), spent(2, 3, 1)]);
    found(vec![joined(2, 1), spent(2, 1, 2), spent(2, 2, 1)]);
    let beyond = [2, 3].map(|number| [joined(number, 1), spent(number, 1, number)]);
    found(beyond.concat());
}

#[test]
fn sheets_are_counted_up_and_have_their_limits() {
    let invitations = |count| Slips::Invitations { count };
    assert_eq!(written().judged(vec![made(3, invitations(100_000))]), Ok(()));
    let long = Event::SheetMade {
        sheet: SheetId(3),
        terms: Terms {
            ends_at_ms: u64::MAX,
            ..terms()
        },
        slips: invitations(1),
        codes: vec![],
        by: String::new(),
    };
    let unknown = Event::SheetWithdrawn {
        sheet: SheetId(3),
        by: String::new(),
    };
    let many = Slips::Codes { count: 20_000, uses: 20_000 };
    let bad = [
        made(2, invitations(1)),
        made(4, invitations(1)),
        made(3, invitations(0)),
        made(3, invitations(100_001)),
        made(3, many),
        long,
        unknown,
    ];
    for event in bad {
        let found = written().judged(vec![event.clone()]).expect_err("not the room's");
        assert!(found.contains("[sheets are counted up"), "{event:?}: {found}");
    }
}

#[test]
fn an_export_shows_neither_which_voucher_nor_who_made_it() {
    let lines = export(&written().rows).join("\n");
    for (public, private) in [
        (r#""slip":null"#, r#""index":1"#),
        (r#""codes":[]"#, "[0,0,0,0,0,0,0,7]"),
        (r#""by":"""#, "Ermintrude"),
    ] {
        assert!(lines.contains(public) && !lines.contains(private), "{lines}");
    }
}
