//! The frame: what is encoded is read back, nothing else is, and what a page works out from it is
//! never better than the truth.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

use baton::room::Room;
use baton::room::command::Command;
use baton::room::config::{Mode, RoomConfig};
use baton::room::frame::{FORMAT, Frame};
use baton::units::{Ahead, Instant, LobbyId, Number};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NOW: Instant = Instant(1_000_000);

fn room(mode: Mode) -> Room {
    let mut room = Room::new();
    let mut row = room.open_row(NOW);
    room.configure(
        &RoomConfig {
            permits: 0,
            mode,
            ..RoomConfig::default()
        },
        &mut row,
    );
    room
}

fn perform(room: &mut Room, command: Command) {
    let mut row = room.open_row(NOW);
    room.perform(NOW, &command, LobbyId(0), &mut row);
}

/// A room of `count` tickets of which `holes` in ten have gone.
fn crowd(count: u64, holes: u8, rng: &mut fastrand::Rng) -> Room {
    let mut room = room(Mode::Open);
    for _ in 0..count / 10_000 {
        perform(&mut room, Command::Join { count: 10_000 });
    }
    if !count.is_multiple_of(10_000) {
        perform(
            &mut room,
            Command::Join {
                count: (count % 10_000) as u32,
            },
        );
    }
    for number in 1..=count {
        if rng.u8(0..10) < holes {
            perform(&mut room, Command::Leave(Number(number)));
        }
    }
    room
}

#[test]
fn what_is_encoded_is_read_back() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..500 {
        let mut at = (Number(0), Ahead(0));
        let points = (0..rng.usize(0..400)).map(|_| {
            at = (
                at.0.plus(rng.u64(1..5_000)),
                Ahead(at.1.0 + rng.u64(1..300)),
            );
            at
        });
        let frame = Frame {
            points: points.collect(),
            mode: *rng
                .choice(&[Mode::Open, Mode::Paused, Mode::Bypass])
                .expect("one"),
            version: rng.u64(0..1 << 53),
            waiting: rng.u64(0..10_000_000),
            call_us_low: rng.u64(0..1 << 40),
            call_us_high: rng.u64(0..1 << 40),
        };
        assert_eq!(Frame::decode(&frame.encode()), Some(frame));
    }
    assert_eq!(
        Frame::decode(&Frame::default().encode()),
        Some(Frame::default())
    );
}

/// No bytes make it panic, and none but a whole frame are taken for one.
#[test]
fn other_bytes_are_refused() {
    let mut rng = fastrand::Rng::with_seed(2);
    let whole = Frame::of(&crowd(300, 2, &mut rng), NOW).encode();
    for cut in 0..whole.len() {
        assert_eq!(Frame::decode(&whole[..cut]), None, "cut at {cut}");
    }
    let longer = [whole.as_slice(), &[0]].concat();
    assert_eq!(Frame::decode(&longer), None);
    for (at, value) in [(0, FORMAT + 1), (0, 0), (1, 3), (1, 255)] {
        let mut other = whole.clone();
        other[at] = value;
        assert_eq!(Frame::decode(&other), None, "byte {at} is {value}");
    }
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..rng.usize(0..80)).map(|_| rng.u8(..)).collect();
        if rng.bool() && bytes.len() > 1 {
            (bytes[0], bytes[1]) = (FORMAT, rng.u8(0..3));
        }
        if let Some(frame) = Frame::decode(&bytes) {
            let _ = frame.ahead(Number(rng.u64(..)));
            let _ = frame.encode();
        }
    }
    // More points than any line needs, and sums that run over.
    let endless = [&[FORMAT, 0, 0, 0, 0, 0], [0xff; 40].as_slice()].concat();
    assert_eq!(Frame::decode(&endless), None);
    let count = [&[FORMAT, 0, 0, 0, 0, 0, 0x81, 0x08], [0; 4_000].as_slice()].concat();
    assert_eq!(Frame::decode(&count), None);
    // Three hundred steps of 2^56 - 1 are past the last number there is.
    let step = [[0xff; 7].as_slice(), &[0x7f, 0]].concat();
    let far = [
        &[FORMAT, 0, 0, 0, 0, 0, 0xac, 0x02],
        step.repeat(300).as_slice(),
    ]
    .concat();
    assert_eq!(Frame::decode(&far), None);
}

/// An upper bound for everybody, the truth for the first hundred, and close behind them.
#[test]
fn the_bound_is_never_below_the_truth() {
    let mut rng = fastrand::Rng::with_seed(3);
    for (count, holes) in [
        (0, 0),
        (1, 0),
        (99, 3),
        (100, 0),
        (101, 0),
        (102, 5),
        (5_000, 0),
        (5_000, 3),
        (60_000, 7),
    ] {
        let room = crowd(count, holes, &mut rng);
        let frame = Frame::decode(&Frame::of(&room, NOW).encode()).expect("a frame");
        assert_eq!(frame.waiting, room.line().alive());
        for (number, _) in room.line().living() {
            let (truth, bound) = (room.ahead(number).0, frame.ahead(number).0);
            assert!(bound >= truth, "number {number}: {bound} < {truth}");
            assert!(
                truth >= 100 || bound == truth,
                "number {number}: {bound} for {truth}"
            );
            assert!(
                bound <= truth + truth / 32 + 1,
                "number {number}: {bound} for {truth}"
            );
            assert!(
                holes > 0 || bound == truth,
                "number {number}: {bound} for {truth}"
            );
        }
    }
}

/// What a page works out from newer and newer frames: as others go, its bound may shrink, and
/// the least it has seen never goes below the truth.
#[test]
fn the_least_seen_stays_true_as_others_go() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut room = crowd(20_000, 1, &mut rng);
    let mine = room.line().nth(15_000).expect("somebody");
    let mut least = u64::MAX;
    for _ in 0..60 {
        for _ in 0..200 {
            let number = Number(rng.u64(1..mine.0));
            perform(&mut room, Command::Leave(number));
        }
        least = least.min(Frame::of(&room, NOW).ahead(mine).0);
        let truth = room.ahead(mine).0;
        assert!(least >= truth, "{least} < {truth}");
        assert!(least <= truth + truth / 32 + 1, "{least} for {truth}");
    }
}

#[test]
fn a_million_in_line_fit_into_about_a_kilobyte() {
    let mut rng = fastrand::Rng::with_seed(5);
    for holes in [0, 3] {
        let room = crowd(1_000_000, holes, &mut rng);
        let frame = Frame::of(&room, NOW);
        let bytes = frame.encode().len();
        println!(
            "{bytes} bytes, {} points, {holes} holes in ten",
            frame.points.len()
        );
        assert!(bytes <= 1_300, "{bytes}");
        assert_eq!(
            frame.points.first(),
            room.line().nth(0).map(|n| (n, Ahead(0))).as_ref()
        );
    }
}

#[test]
fn pictures_differ_by_everything_but_the_version() {
    let mut rng = fastrand::Rng::with_seed(6);
    let frame = Frame::of(&crowd(150, 2, &mut rng), NOW);
    let later = Frame {
        version: frame.version + 9,
        ..frame.clone()
    };
    assert!(frame.shows_the_same(&later));
    let others = [
        Frame {
            mode: Mode::Paused,
            ..frame.clone()
        },
        Frame {
            waiting: 1,
            ..frame.clone()
        },
        Frame {
            call_us_low: 1,
            ..frame.clone()
        },
        Frame {
            call_us_high: 1,
            ..frame.clone()
        },
        Frame {
            points: vec![],
            ..frame.clone()
        },
    ];
    assert!(others.iter().all(|other| !frame.shows_the_same(other)));
    assert_eq!(Frame::of(&room(Mode::Bypass), NOW).mode, Mode::Bypass);
}
