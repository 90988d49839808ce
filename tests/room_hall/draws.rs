//! What a draw is bound to and what is told of it, and that nobody walks in before it.

use super::{OPENS_MS, Story, config};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::hall::Draw;
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::units::Version;
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
