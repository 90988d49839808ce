//! What a draw is bound to and what is told of it, and that nobody walks in before it.

use super::{OPENS_MS, Story, config, order};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::hall::Draw;
#[cfg(not(target_arch = "wasm32"))]
use baton::facts::limits::HALL_MAX;
use baton::facts::limits::JOIN_COUNT_MAX;
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::units::{LaneId, Version};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A hall may begin before a deploy and be drawn after it. With Python: `hmac.new(bytes([7] * 32), bytes([0] * 7 + [2]), "sha256")`.
#[test]
fn the_seed_of_a_hall_is_the_same_for_ever() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 2);
    let lot = story.room.hall().lot().expect("a commitment");
    assert_eq!(lot.nonce, Version(2), "the row in which the hall began");
    story.hours(OPENS_MS);
    let seed = story.room.hall().drawn().expect("a draw").seed;
    let wanted = "b74d323021c36bb6e1eaac2e439f1934f0695aac7c97dc24b775ef3db4eaef9d";
    assert_eq!(seed.to_string(), wanted);
}

/// Whoever does the draw again must know who took part.
#[test]
fn who_left_the_hall_is_not_among_the_entries_that_are_told() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 7);
    for nth in [2, 6, 7] {
        let leave = Command::Leave(story.held(nth));
        story.say(50_001, &leave);
    }
    story.hours(OPENS_MS);
    let drawn = story.room.hall().drawn().expect("a draw");
    assert_eq!((drawn.count, &drawn.runs[..]), (4, &[(1, 1), (3, 5)][..]));
}

/// Permits are free and nobody waits, but the room is not open yet.
#[test]
fn nobody_walks_in_before_the_opening() {
    let mut story = Story::new(&config(Draw::Shuffle));
    for at_ms in [30_000, 50_000, OPENS_MS - 1] {
        story.hours(at_ms);
        let rows = story.rows.len();
        let walk_in = wishes::walk_in(&story.room);
        let refused = Reply::None(NoTicket::NoWalkIn);
        assert_eq!(story.say(at_ms, &walk_in), refused, "at {at_ms}");
        assert_eq!(story.rows.len(), rows);
    }
    story.hours(OPENS_MS);
    let walk_in = wishes::walk_in(&story.room);
    let inside = story.say(OPENS_MS, &walk_in);
    assert!(matches!(inside, Reply::Stands(..)), "{inside:?}");
}

/// Slips are sorted box by box, by the beginnings of their lots.
#[test]
fn thousands_are_drawn_in_the_order_of_their_whole_lots() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, JOIN_COUNT_MAX);
    story.hours(OPENS_MS);
    let seed = story.room.hall().drawn().expect("a draw").seed;
    let entries: Vec<u64> = (1..=JOIN_COUNT_MAX.into()).collect();
    for (within, entry) in (1..).zip(order(&seed, &entries)) {
        let number = LaneId::FIRST.number(within);
        let holder = story.person(entry);
        assert_eq!(story.room.tickets().holder(number), Some(holder), "number {within}");
    }
}

/// A draw holds the hall and the line that it makes, so a hall takes only as many as the memory of an object is enough for.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn a_full_hall_takes_nobody_else_and_all_of_it_is_drawn() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    for _ in 0..HALL_MAX / u64::from(JOIN_COUNT_MAX) {
        story.join(50_000, JOIN_COUNT_MAX);
    }
    assert_eq!(story.room.hall().line().alive(), HALL_MAX);
    let full = Reply::Joined(vec![(0, NoTicket::Full)]);
    assert_eq!(story.join(50_001, 1), full);
    let leave = Command::Leave(story.held(7));
    story.say(50_002, &leave);
    assert_eq!(story.join(50_003, 1), Reply::Joined(vec![]));
    assert_eq!(story.join(50_003, 1), full);
    story.hours(OPENS_MS);
    assert_eq!(story.room.line().alive(), HALL_MAX);
    assert_eq!(story.room.hall().line().alive(), 0);
    // The line takes more than the hall did.
    assert_eq!(story.join(OPENS_MS, 1), Reply::Joined(vec![]));
}
