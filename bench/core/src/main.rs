//! Runs the work natively and prints one JSON object a line: `{"what", "waiting", "ns"}`, nanoseconds an operation, the median of the rounds.
//! `bench/core.mjs` runs it. With `judge` it measures how long a front takes to find a request's room.

mod judge;

use baton_bench_core::Bench;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 9;
const BATCHES: u64 = 60;

fn main() {
    for text in std::env::args().skip(1) {
        match text.parse() {
            Ok(waiting) => measure(waiting),
            Err(_) if text == "judge" => judge::measure(),
            Err(_) => {
                eprintln!("usage: baton-bench-core WAITING… | judge   ({text:?} is neither)");
                std::process::exit(2);
            }
        }
    }
}

fn measure(waiting: u64) {
    let mut bench = Bench::new(waiting, 30);
    let mut rounds: [Vec<f64>; 3] = [const { Vec::new() }; 3];
    // Each round mixes all kinds of work, so that none has the caches to itself.
    for _ in 0..ROUNDS {
        let [ahead, cycles, join] = &mut rounds;
        ahead.push(time(200_000, || black_box(bench.ahead(200_000))));
        let count = 20_000.min(waiting / 2);
        cycles.push(time(count, || black_box(bench.cycles(count))));
        // A batch is a thousand where the line is long. A short line must not grow to many times its length.
        let size = (count / 5).min(1_000);
        join.push(time(count, || all_in(count, bench.join(count / size, size as u32))));
    }
    let [ahead, cycles, join] = rounds;
    for (what, times) in [("ahead", ahead), ("cycle", cycles), ("join", join)] {
        print(what, waiting, median(times));
    }
    let book = bench.book_bytes();
    println!("{{\"what\":\"book bytes\",\"waiting\":{},\"bytes\":{book}}}", bench.waiting());
    let lists = (0..ROUNDS).map(|_| time(1, || black_box(bench.list()))).collect();
    print("list of a lobby", waiting, median(lists));
    // No turn may be long, whatever grows in it, so this is the longest of many.
    let turns = (0..200).map(|_| time(1, || all_in(1_000, bench.join(1, 1_000))));
    print("longest turn of 1,000 joins", waiting, turns.fold(0.0, f64::max));
    // Those joins made the line longer than `waiting`, so begin again.
    bench = Bench::new(waiting, 30);
    let pages = bench.pages();
    let each = time(pages, || all_in(pages, bench.pages_anew()));
    print("page of holders", waiting, each);
    print("longest turn of a snapshot", waiting, longest_of_snapshots(&mut bench));
    let bytes = bench.snapshot();
    let (mut restores, mut joins, mut slices) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..3 {
        restores.push(time(1, || assert!(bench.restore() > 0)));
        joins.push(time(1, || all_in(1, bench.join(1, 1))));
        let mut left = 1;
        while left > 0 {
            slices.push(time(1, || left = bench.index_slice()));
        }
    }
    print("restart", waiting, median(restores));
    print("join after a restart", waiting, median(joins));
    print("longest slice of the index", waiting, slices.into_iter().fold(0.0, f64::max));
    println!("{{\"what\":\"snapshot bytes\",\"waiting\":{waiting},\"bytes\":{bytes}}}");
    let turns = (0..3).map(|_| {
        let mut bench = Bench::new(waiting, 30);
        bench.prepare_turn(waiting * 3 / 10, waiting / 10, 100);
        time(1, || black_box(bench.turn()))
    });
    print("turn", waiting, median(turns.collect()));
    drop(bench);
    measure_batches(waiting);
    measure_accounts(waiting);
}

/// Measures batches of 1,000 joins as the room object hears them, from their bytes to the row and to the bytes of the answer.
fn measure_batches(waiting: u64) {
    let mut bench = Bench::new(0, 0);
    assert_eq!(bench.object(waiting, BATCHES, 1_000), 1, "the room refused");
    let batches = (0..BATCHES).map(|_| time(1_000, || assert!(black_box(bench.hear(1)) > 0, "the room refused")));
    print("batch", waiting, median(batches.collect()));
}

/// Measures a room in which everybody has an account.
fn measure_accounts(waiting: u64) {
    let mut bench = Bench::with_accounts(waiting, 30);
    let book = bench.book_bytes();
    println!(
        "{{\"what\":\"book bytes with accounts\",\"waiting\":{},\"bytes\":{book}}}",
        bench.waiting()
    );
    let turns = (0..200).map(|_| time(1, || all_in(1_000, bench.join(1, 1_000))));
    print("longest turn of 1,000 joins for accounts", waiting, turns.fold(0.0, f64::max));
    bench.pages();
    bench.snapshot();
    let restores = (0..3).map(|_| time(1, || assert!(bench.restore() > 0))).collect();
    print("restart with accounts", waiting, median(restores));
}

/// Returns the longest turn of a snapshot for which every page has changed: of each of its turns the median of several snapshots.
fn longest_of_snapshots(bench: &mut Bench) -> f64 {
    bench.snapshot();
    let mut turns: Vec<Vec<f64>> = Vec::new();
    for _ in 0..ROUNDS {
        bench.stir();
        for at in 0.. {
            let mut is_whole = 0;
            let ns = time(1, || is_whole = bench.snapshot_turn());
            turns.resize_with(turns.len().max(at + 1), Vec::new);
            turns[at].push(ns);
            if is_whole > 0 {
                break;
            }
        }
    }
    turns.into_iter().map(median).fold(0.0, f64::max)
}

/// Panics if the room refused part of the work, which would look fast.
fn all_in(expected: u64, joined: u64) -> u64 {
    assert_eq!(joined, expected, "not all of it was done");
    joined
}

/// Returns nanoseconds an operation.
fn time<T>(operations: u64, work: impl FnOnce() -> T) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_nanos() as f64 / operations.max(1) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn print(what: &str, waiting: u64, ns: f64) {
    println!("{{\"what\":\"{what}\",\"waiting\":{waiting},\"ns\":{ns:.1}}}");
}
