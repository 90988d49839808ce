//! The bytes: what is encoded is read back, and nothing else is.

use super::crowds::{NOW, crowd, room};
use baton::facts::config::Mode;
use baton::facts::units::{Ahead, Number};
use baton::room::frame::{FORMAT, Frame, Point, SLACK_MAX};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The ranks that `docs/client.md` says, and whether a slack leads to each.
pub fn ranks(waiting: u64) -> Vec<(u64, bool)> {
    let mut ranks = vec![];
    let (mut rank, mut slacked) = (0, false);
    while rank < waiting {
        ranks.push((rank, slacked));
        slacked = rank >= 5_000;
        let step = match rank {
            0..100 => 1,
            100..5_000 => 3 + rank / 100,
            _ => rank / 16,
        };
        let last = waiting - 1;
        rank = if rank == last { waiting } else { last.min(rank + step) };
    }
    ranks
}

/// A frame that could be, whatever line it is of.
fn any_frame(rng: &mut fastrand::Rng) -> Frame {
    let waiting = rng.u64(0..10_000_000) >> rng.u32(0..24);
    let mut before = (0, 0);
    let mut points = vec![];
    for (ahead, slacked) in ranks(waiting) {
        let people = if ahead == 0 { 1 } else { ahead - before.1 };
        let number = before.0 + people + (rng.u64(0..1 << 30) >> rng.u32(0..30));
        points.push(Point {
            number: Number(number),
            ahead: Ahead(ahead),
            slack: if slacked { rng.u8(..) } else { SLACK_MAX },
        });
        before = (number, ahead);
    }
    let call_us_low = rng.u64(0..1 << 40);
    Frame {
        mode: *rng.choice(&Mode::ALL).expect("one"),
        behind: rng.bool(),
        spread_s: rng.u8(..),
        version: rng.u64(0..1 << 53),
        waiting,
        call_us_low,
        call_us_high: call_us_low + rng.u64(0..1 << 40),
        points,
        seats_to: rng.bool().then(|| Number(rng.u64(0..1 << 53))),
    }
}

#[test]
fn what_is_encoded_is_read_back() {
    for seed in 0..400 {
        let frame = any_frame(&mut fastrand::Rng::with_seed(seed));
        let back = Frame::decode(&frame.encode());
        assert!(back.as_ref() == Some(&frame), "seed {seed}: {frame:?}");
    }
    let nobody = Frame::default();
    assert_eq!(Frame::decode(&nobody.encode()), Some(nobody));
}

#[test]
fn integers_reach_two_to_the_53_less_one() {
    let most = [[0xff; 7].as_slice(), &[0x0f]].concat();
    let past = [[0x80; 7].as_slice(), &[0x10]].concat();
    let one = |version: &[u8], number: &[u8]| Frame::decode(&[&[FORMAT, 0, 0], version, &[1, 0, 0], number].concat());
    let frame = one(&most, &most).expect("a frame");
    assert_eq!(frame.version, (1 << 53) - 1);
    assert_eq!(frame.points[0].number, Number((1 << 53) - 1));
    assert_eq!(one(&past, &[1]), None);
    assert_eq!(one(&[1], &past), None);
    assert_eq!(one(&[1], &[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]), one(&[1], &[1]));
    assert_eq!(one(&[1], &[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]), None);
    // Two numbers, each as large as can be: their sum is not.
    let both = [&[FORMAT, 0, 0, 0, 2, 0, 0], most.as_slice(), &most].concat();
    assert_eq!(Frame::decode(&both), None);
}

/// No bytes make it panic, and none but a whole frame are taken for one.
#[test]
fn other_bytes_are_refused() {
    let room = crowd(8_000, |n| n % 7 != 0);
    let whole = Frame::of(&room, NOW).encode();
    for cut in 0..whole.len() {
        assert_eq!(Frame::decode(&whole[..cut]), None, "cut at {cut}");
    }
    for more in [&[0x80][..], &[0, 0], &[0x80, 0x80]] {
        let longer = [whole.as_slice(), more].concat();
        assert_eq!(Frame::decode(&longer), None, "{more:?} too many");
    }
    for (at, value) in [(0, FORMAT + 1), (0, 0), (1, 7), (1, 255)] {
        let mut other = whole.clone();
        other[at] = value;
        assert_eq!(Frame::decode(&other), None, "byte {at} is {value}");
    }
    let refused: [(&str, &[u8]); 5] = [
        ("a first number of 0", &[FORMAT, 0, 0, 0, 1, 0, 0, 0]),
        ("a number that does not rise", &[FORMAT, 0, 0, 0, 2, 0, 0, 7, 0]),
        ("a range that runs backwards", &[FORMAT, 0, 0, 0, 0, 2, 1]),
        ("a point too few", &[FORMAT, 0, 0, 0, 3, 0, 0, 7, 1]),
        ("a point too many", &[FORMAT, 0, 0, 0, 1, 0, 0, 7, 1, 1]),
    ];
    for (what, bytes) in refused {
        assert_eq!(Frame::decode(bytes), None, "{what}");
    }
    // Of 104 in line the last is three people behind the hundred-and-first: two numbers are too few.
    let mut crowded = [&[FORMAT, 0, 0, 0, 104, 0, 0], [1; 101].as_slice(), &[3]].concat();
    assert!(Frame::decode(&crowded).is_some());
    *crowded.last_mut().expect("a byte") = 2;
    assert_eq!(Frame::decode(&crowded), None);
}

#[test]
fn random_bytes_are_read_or_refused() {
    let whole = Frame::of(&crowd(9_000, |n| n % 5 != 0), NOW).encode();
    for seed in 0..20_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bytes: Vec<u8> = match seed % 2 {
            0 => (0..rng.usize(0..80)).map(|_| rng.u8(..)).collect(),
            _ => whole.clone(),
        };
        for _ in 0..rng.usize(0..4) {
            if !bytes.is_empty() {
                let at = rng.usize(0..bytes.len());
                bytes[at] = rng.u8(..);
            }
        }
        if let Some(frame) = Frame::decode(&bytes) {
            for number in [rng.u64(..), rng.u64(0..20_000)].map(Number) {
                assert!(frame.ahead(number).0 <= frame.waiting, "seed {seed}");
            }
            assert!(frame.encode().len() <= bytes.len(), "seed {seed}");
        }
    }
}

/// What claims a line of 2⁵³ − 1 is read to its end and no further.
#[test]
fn a_claim_costs_no_more_than_its_bytes() {
    let most = [[0xff; 7].as_slice(), &[0x0f]].concat();
    let claim = |tail: usize| [&[FORMAT, 0, 0, 0], most.as_slice(), &[0, 0], &vec![1; tail]].concat();
    for tail in [0, 1, 99, 3_000] {
        assert_eq!(Frame::decode(&claim(tail)), None, "{tail} bytes behind it");
    }
    assert!(ranks((1 << 53) - 1).len() < 900);
}

#[test]
fn pictures_differ_by_everything_but_the_version() {
    let frame = Frame::of(&crowd(6_000, |n| n % 9 != 0), NOW);
    let later = Frame {
        version: frame.version + 9,
        ..frame.clone()
    };
    assert!(frame.shows_the_same(&later));
    let mut others = vec![frame.clone(); 8];
    others[0].mode = Mode::Paused;
    others[1].waiting += 1;
    others[2].call_us_low += 1;
    others[3].call_us_high += 1;
    others[4].points.last_mut().expect("a point").slack ^= 1;
    others[5].points[0].number = Number(0);
    others[6].behind = true;
    others[7].seats_to = Some(Number(0));
    assert!(others.iter().all(|other| !frame.shows_the_same(other)));
    assert_eq!(Frame::of(&room(Mode::Bypass), NOW).mode, Mode::Bypass);
}
