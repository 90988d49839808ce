//! What a page works out from a frame, against the truth: never below it, exact at the head, within
//! 1 % and one for the first five thousand, and behind them wherever the holes are random.

use super::crowds::{NOW, crowd, perform, with_holes};
use crate::wishes;
use baton::facts::units::{Ahead, Number};
use baton::room::Room;
use baton::room::frame::{CLOSE, EXACT, Frame, Point};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Clone, Copy, PartialEq)]
enum Holes {
    Random,
    Any,
}

/// Looks at everybody in line.
fn check(what: &str, room: &Room, holes: Holes) {
    let what = format!("again: cargo test --test frame bounds\n{what}");
    let frame = Frame::decode(&Frame::of(room, NOW).encode()).expect("a frame");
    assert_eq!(frame.waiting, room.line().alive(), "{what}");
    let mut points = frame.points.iter().peekable();
    let living = room.line().living().map(|(number, _)| number);
    for (number, truth) in living.zip(0..) {
        let bound = frame.ahead(number).0;
        let of = format!("{what}: number {number} has {truth} ahead, and is shown {bound}");
        assert!(bound >= truth, "{of}");
        let at_point = points.next_if(|p| p.number == number).is_some();
        assert!(bound == truth || !(at_point || truth < EXACT), "{of}");
        let close = truth < CLOSE || holes == Holes::Random;
        assert!(!close || bound <= truth + truth / 100 + 1, "{of}");
        let next = points.peek().map_or(frame.waiting, |p| p.ahead.0);
        assert!(bound < next, "{of}, the next point {next}");
    }
    assert!(points.next().is_none(), "{what}: a point on nobody");
    let last = frame.points.last().map_or(0, |p| p.ahead.0 + 1);
    assert_eq!(last, frame.waiting, "{what}: the last in line is a point");
}

/// As many lines as one likes, from 10 to 90 holes in a hundred.
fn check_random(seeds: impl Iterator<Item = u64>, count_max: u64) {
    for seed in seeds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (count, holes) = (rng.u64(0..=count_max), rng.u8(10..=90));
        let what = format!("seed {seed}, {count} joined, {holes} % holes");
        check(&what, &with_holes(count, holes, &mut rng), Holes::Random);
    }
}

#[test]
fn random_holes() {
    check_random(0..60, 300);
    check_random(60..90, 12_000);
    check_random(90..96, 150_000);
}

#[test]
#[ignore = "minutes: BATON_SEED=n cargo test --release --test frame many_random -- --ignored"]
fn many_random_holes() {
    let from: u64 = option_env!("BATON_SEED").map_or(1_000, |seed| seed.parse().expect("a seed"));
    check_random(from..from + 300, 300_000);
}

#[test]
fn the_shortest_lines_and_those_at_each_edge() {
    for count in [0, 1, 2, 99, 100, 101, 102, 103, 104, 105, 4_999, 5_000, 5_001, 5_313] {
        let room = crowd(count, |_| true);
        check(&format!("{count} without holes"), &room, Holes::Random);
        let frame = Frame::of(&room, NOW);
        for number in 1..=count {
            assert_eq!(frame.ahead(Number(number)), Ahead(number - 1), "of {count}");
        }
        assert_eq!(frame.ahead(Number(0)), Ahead(0));
        assert_eq!(frame.ahead(Number(u64::MAX)), Ahead(count));
    }
}

/// What it is called, and who stays.
type Shape = (&'static str, fn(u64) -> bool);

/// Every shape in which a line may lie badly between two points.
#[test]
fn adversarial_lines() {
    let count = 60_000;
    let shapes: [Shape; 14] = [
        ("all but the last have gone", |n| n == 60_000),
        ("all but the first have gone", |n| n == 1),
        ("one in a thousand is left", |n| n % 1_000 == 7),
        ("every second has gone", |n| n % 2 == 0),
        ("a word in, a word out", |n| n / 64 % 2 == 0),
        ("blocks of a thousand", |n| n / 1_000 % 2 == 0),
        ("blocks of four thousand", |n| n / 4_096 % 3 == 1),
        ("the middle has gone", |n| !(10_000..50_000).contains(&n)),
        ("the head has gone", |n| n > 40_000),
        ("only the ends of words", |n| n % 64 == 63 || n % 64 == 0),
        ("dense, then thin", |n| n < 20_000 || n % 97 == 0),
        ("thin, then dense", |n| n > 30_000 || n % 31 == 0),
        ("thinner and thinner", |n| n.isqrt().pow(2) == n || n < 9_000),
        ("one hole", |n| n != 30_001),
    ];
    for (what, stays) in shapes {
        check(what, &crowd(count, stays), Holes::Any);
    }
    for seed in 0..30 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut left, mut stays) = (0, false);
        let room = crowd(rng.u64(1..80_000), |_| {
            if left == 0 {
                (left, stays) = (1 << rng.u32(0..14), rng.bool());
            }
            left -= 1;
            stays || rng.u8(0..40) == 0
        });
        check(&format!("seed {seed}, random blocks"), &room, Holes::Any);
    }
}

/// A segment with a slack, reckoned one by one.
fn least_slack(line: &[u64], from: &Point, to: &Point) -> u64 {
    let (people, span) = (to.ahead.0 - from.ahead.0, to.number.0 - from.number.0);
    let straight = |number| (number - from.number.0) * people / span;
    let between = &line[from.ahead.0 as usize..to.ahead.0 as usize];
    let rises = between.iter().zip(0..);
    let need = rises.map(|(number, since)| u64::saturating_sub(since, straight(*number)));
    let need = need.max().unwrap_or(0);
    let enough = |slack: &u64| (slack * people).div_ceil(255) >= need;
    (0..=255).find(enough).expect("255 is always enough")
}

#[test]
fn no_slack_is_larger_than_it_must_be() {
    let shapes: [fn(u64) -> bool; 6] = [
        |n| fastrand::Rng::with_seed(n).u8(0..10) < 7,
        |n| fastrand::Rng::with_seed(n).u8(0..10) == 0,
        |n| n / 500 % 2 == 0,
        |n| n < 30_000 || n % 97 == 0,
        |n| n > 60_000 || n % 8 == 0,
        // From rank 5,683 on four fifths of 355 stand close together. The last of them stands whole people above the straight way.
        |n| n <= 5_968 || n % 6 == 4,
    ];
    let mut slacks = 0;
    for (shape, stays) in shapes.into_iter().enumerate() {
        let room = crowd(120_000, stays);
        let line: Vec<u64> = room.line().living().map(|(n, _)| n.0).collect();
        for pair in Frame::of(&room, NOW).points.windows(2) {
            let slack = u64::from(pair[1].slack);
            if pair[0].ahead.0 < CLOSE {
                assert_eq!(slack, 255);
            } else {
                let least = least_slack(&line, &pair[0], &pair[1]);
                assert_eq!(slack, least, "shape {shape}, {pair:?}");
                slacks += 1;
            }
        }
    }
    assert!(slacks > 100, "only {slacks}");
}

/// What pages work out from newer and newer frames, while others leave, in the front and at
/// random, and more come: the least each has seen stays true and close.
#[test]
fn the_least_seen_stays_true_as_others_go() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut room = with_holes(40_000, 10, &mut rng);
    let place = |rank| room.line().nth(rank).expect("somebody");
    let mut pages: Vec<(Number, u64)> = [20, 90, 400, 3_000, 9_000, 15_000, 35_000].map(|rank| (place(rank), u64::MAX)).into();
    let mine: Vec<Number> = pages.iter().map(|(number, _)| *number).collect();
    for turn in 0..80 {
        for _ in 0..200 {
            let first = room.line().nth(0).expect("somebody");
            let random = Number(rng.u64(1..40_000));
            for gone in [first, random] {
                if !mine.contains(&gone) {
                    perform(&mut room, |room| wishes::leave(room, gone));
                }
            }
        }
        perform(&mut room, |room| wishes::join(room, 50));
        let frame = Frame::decode(&Frame::of(&room, NOW).encode()).expect("a frame");
        for (number, least) in &mut pages {
            *least = frame.ahead(*number).0.min(*least);
            let truth = room.lanes().ahead(*number).0;
            let of = format!("turn {turn}: number {number} has {truth} ahead, and is shown {least}");
            assert!(*least >= truth, "{of}");
            assert!(truth >= EXACT || *least == truth, "{of}");
            assert!(*least <= truth + truth / 100 + 1, "{of}");
        }
    }
}

/// And ten million: as many as a line can have.
#[test]
fn a_million_in_line_fit_into_a_kilobyte() {
    let crowds = [(1_000_000, 0), (1_428_600, 30), (2_000_000, 50), (14_285_000, 30)];
    let native = if cfg!(target_arch = "wasm32") { 2 } else { 4 };
    for (joined, holes) in crowds.into_iter().take(native) {
        let mut rng = fastrand::Rng::with_seed(5);
        let room = with_holes(joined, holes, &mut rng);
        let (waiting, bytes) = (room.line().alive(), Frame::of(&room, NOW).encode().len());
        println!("{waiting} waiting, {holes} % holes: {bytes} bytes");
        assert!(bytes <= 1_024, "{bytes}");
    }
}

/// `cargo test --release --test frame how_long -- --ignored --nocapture`
#[test]
#[cfg(not(target_arch = "wasm32"))]
#[ignore = "prints times and sizes"]
#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn how_long_it_takes() {
    for (waiting, holes) in [(1_000_000, 0), (1_000_000, 30), (1_000_000, 90), (9_900_000, 30)] {
        let mut rng = fastrand::Rng::with_seed(5);
        let room = with_holes(waiting * 100 / (100 - u64::from(holes)), holes, &mut rng);
        let times = (0..50).map(|_| {
            let began = std::time::Instant::now();
            let bytes = std::hint::black_box(Frame::of(&room, NOW)).encode().len();
            (began.elapsed(), bytes)
        });
        let mut times: Vec<_> = times.collect();
        times.sort();
        let (waiting, (best, bytes), (median, _)) = (room.line().alive(), times[0], times[25]);
        println!("{waiting} waiting, {holes} % holes: {bytes} bytes, {best:?}, median {median:?}");
    }
}
