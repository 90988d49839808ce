//! The least that a prediction needs, and what a room that is begun anew still knows.

use super::measured;
use baton::facts::units::Instant;
use baton::room::stock::Stock;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn eight_visits_are_a_batch_and_thirty_seats_are_enough() {
    let batches = |visits: u64| {
        let mut stock = Stock::default();
        for batch in 0..=8 {
            let left = 9_000 - 10 * batch as u32;
            stock.seen(Instant(batch * 10_000), left, batch + 1, batch * visits);
        }
        stock.reach()
    };
    assert!(batches(8).is_some());
    assert_eq!(batches(7), None, "two by two they are four batches");
    assert!(batches(65_535).is_some());
    assert_eq!(batches(65_536), None, "the shop said nothing for too long");
    assert!(measured(&[4, 4, 4, 4, 4, 4, 3, 3], 1_000).reach().is_some());
    let fewer = measured(&[4, 4, 4, 4, 4, 3, 3, 3], 1_000);
    assert_eq!(fewer.reach(), None, "29 seats");
}

/// Whoever was in before is no sample of those who come. What the shop said last is true all the same.
#[test]
fn a_room_begun_anew_knows_what_is_left_and_nothing_of_visits() {
    assert_eq!(Stock::default().left(), None, "the shop never said");
    let mut stock = measured(&[20; 8], 1_000);
    stock.begin();
    assert_eq!((stock.left(), stock.reach()), (Some(1_000), None));
    assert!(!stock.is_news(90_000) && stock.is_news(90_001));
}
