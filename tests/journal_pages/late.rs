//! Accounts at the ends of pages, and of those that came after their page was full.

use super::disk::Disk;
use super::{Sale, held, join_as};
use baton::facts::command::Command;
use baton::facts::limits::HOLDERS_PAGE;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A person's number is one more than its name here.
const LAST_OF_PAGE: u64 = HOLDERS_PAGE - 2;
const FIRST_OF_NEXT: u64 = HOLDERS_PAGE - 1;

#[test]
fn accounts_on_both_sides_of_the_end_of_a_page_come_back() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    for some in 0..4 {
        sale.say(join_as(10_000 * some..10_000 * (some + 1)));
    }
    sale.until_snapshot();
    assert_eq!(sale.ids().len(), 2);
    sale.comes_back();
    let again = Sale::on(&disk);
    for first in [HOLDERS_PAGE, 2 * HOLDERS_PAGE] {
        for number in first - 1..=first + 1 {
            assert_eq!(again.place(number - 1), Some(number));
        }
    }
}

/// An account came late if its number's page was full. It is kept beside the page as long as the place is its own.
#[test]
fn an_account_is_late_on_a_full_page_and_until_its_place_is_over() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.join(0, 10_000);
    sale.join(10_000, 10_000);
    let late = |sale: &Sale| sale.room.book().accounts().late().count();
    sale.say(join_as(FIRST_OF_NEXT..FIRST_OF_NEXT + 1));
    assert_eq!(late(&sale), 0);
    sale.say(join_as(LAST_OF_PAGE..LAST_OF_PAGE + 1));
    assert_eq!(late(&sale), 1);
    sale.say(join_as(7..8));
    assert_eq!(late(&sale), 2);
    sale.say(Command::Leave(held(8, 7)));
    assert_eq!(late(&sale), 1);
    sale.row(|room, _, row| {
        room.reset("somebody", row);
    });
    assert_eq!((late(&sale), sale.place(LAST_OF_PAGE)), (0, None));
}
