//! Frames and what they say, committed for readers in other languages: `tests/fixtures/frames.json`,
//! which `tests/page/frame.test.mjs` reads. And the examples of `docs/client.md`.

use super::crowds::{NOW, crowd, room};
use baton::facts::config::Mode;
use baton::facts::units::{Ahead, Number};
use baton::room::Room;
use baton::room::frame::{Frame, Point, SLACK_MAX};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const COMMITTED: &str = include_str!("../fixtures/frames.json");
const PROTOCOL: &str = include_str!("../../docs/client.md");
const WRITE: &str = "cargo test --test frame write_golden -- --ignored";

/// Whether a number is one of `part` in a hundred, the same everywhere and for ever.
fn is_of(number: u64, part: u64) -> bool {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) % 100 < part
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The example of the protocol: paused, five people, 1.5 to 2 s a call.
fn five() -> Frame {
    let line = [7, 8, 10, 13, 14].into_iter().zip(0..);
    Frame {
        mode: Mode::Paused,
        behind: false,
        spread_s: 0,
        version: 300,
        waiting: 5,
        call_us_low: 1_500_000,
        call_us_high: 2_000_000,
        points: line.map(|(number, ahead)| point(number, ahead)).collect(),
        seats_to: None,
    }
}

fn point(number: u64, ahead: u64) -> Point {
    Point {
        number: Number(number),
        ahead: Ahead(ahead),
        slack: SLACK_MAX,
    }
}

/// Numbers as large as they can be.
fn last_numbers() -> Frame {
    let last = (1 << 53) - 1;
    Frame {
        mode: Mode::Bypass,
        behind: false,
        spread_s: 0,
        version: last,
        waiting: 2,
        call_us_low: last,
        call_us_high: last,
        points: vec![point(last - 9, 0), point(last, 1)],
        seats_to: Some(Number(last)),
    }
}

fn twenty_thousand() -> Room {
    crowd(20_000, |n| is_of(n, 70))
}

// Long because it has an entry for each frame.
fn frames() -> Vec<(&'static str, Frame)> {
    let of = |room: Room| Frame::of(&room, NOW);
    vec![
        ("nobody", of(room(Mode::Open))),
        ("the example of docs/client.md", five()),
        (
            "five, and seats up to 18,200",
            Frame {
                seats_to: Some(Number(18_200)),
                ..five()
            },
        ),
        (
            "five behind a strict lane",
            Frame {
                behind: true,
                call_us_low: 0,
                call_us_high: 0,
                ..five()
            },
        ),
        ("five, whose pages spread a return over 25 s", Frame { spread_s: 25, ..five() }),
        (
            "nobody, and perhaps no seats",
            Frame {
                seats_to: Some(Number(0)),
                ..of(room(Mode::Open))
            },
        ),
        ("numbers as large as they can be", last_numbers()),
        ("one hundred and one", of(crowd(101, |_| true))),
        ("three hundred, half have gone", of(crowd(600, |n| is_of(n, 50)))),
        ("seven thousand without holes", of(crowd(7_000, |_| true))),
        ("twenty thousand, three in ten have gone", of(twenty_thousand())),
        ("nine in ten have gone", of(crowd(200_000, |n| is_of(n, 10)))),
        ("blocks", of(crowd(60_000, |n| n / 777 % 3 != 1))),
        ("dense, then thin", of(crowd(90_000, |n| n < 9_000 || n % 60 == 0))),
        ("thin, then dense", of(crowd(90_000, |n| n > 60_000 || n % 8 == 0))),
        ("a million joined, a third have gone", of(crowd(1_000_000, |n| is_of(n, 67)))),
    ]
}

/// Numbers on, beside and between the points, and past both ends.
fn numbers(frame: &Frame) -> Vec<u64> {
    let some = frame.points.len().div_ceil(40).max(1);
    let pairs = frame.points.windows(2).rev().step_by(some);
    let between = pairs.flat_map(|pair| {
        let [from, to] = [0, 1].map(|i| pair[i].number.0);
        [from, from + 1, (from + to) / 2, to - 1]
    });
    let last = frame.points.last().map_or(0, |p| p.number.0);
    let mut numbers: Vec<u64> = between.chain([0, 1, last, last + 1]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.retain(|number| *number < 1 << 53);
    numbers
}

fn golden() -> String {
    let one = |(name, frame): (&str, Frame)| {
        let ahead = numbers(&frame).into_iter();
        let ahead: Vec<Value> = ahead.map(|number| json!([number, frame.ahead(Number(number)).0])).collect();
        let mode = format!("{:?}", frame.mode).to_lowercase();
        let call_us = [frame.call_us_low, frame.call_us_high];
        let (version, waiting, bytes) = (frame.version, frame.waiting, hex(&frame.encode()));
        json!({ "name": name, "mode": mode, "behind": frame.behind, "version": version, "waiting": waiting,
            "call_us": call_us, "spread_s": frame.spread_s, "points": frame.points.len(), "seats_to": frame.seats_to.map(|n| n.0), "bytes": bytes, "ahead": ahead })
    };
    let lines: Vec<String> = frames().into_iter().map(|f| one(f).to_string()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn frames_are_what_they_were() {
    let (now, then) = (golden(), COMMITTED);
    let differs = now.lines().zip(then.lines()).find(|(now, then)| now != then);
    assert!(now == then, "frames changed. If they should: {WRITE}\n{differs:?}");
}

#[test]
#[cfg(not(target_arch = "wasm32"))]
#[ignore = "writes tests/fixtures/frames.json"]
fn write_golden() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/frames.json");
    std::fs::write(path, golden()).expect("written");
}

#[test]
fn the_examples_of_the_protocol_are_true() {
    let bytes = five().encode();
    let spaced: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let shown = format!("\n{}\n", spaced.join(" "));
    assert!(PROTOCOL.contains(&shown), "not there: {shown}");

    let frame = Frame::of(&twenty_thousand(), NOW);
    let at = frame.points.partition_point(|point| point.ahead.0 < 9_000);
    let (from, to) = (frame.points[at], frame.points[at + 1]);
    let (n, a, m) = (from.number.0, from.ahead.0, (from.number.0 + to.number.0) / 2);
    let (n2, a2, slack) = (to.number.0, to.ahead.0, to.slack);
    let bound = frame.ahead(Number(m)).0;
    let shown = format!("(*n*, *a*) = ({n}, {a}), (*n′*, *a′*) = ({n2}, {a2}), slack {slack}, *m* = {m}: the bound is {bound}");
    let one_line = PROTOCOL.replace('\n', " ");
    assert!(one_line.contains(&shown), "not there: {shown}");
}
