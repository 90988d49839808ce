//! Tests the planner: lines whose waits have a closed form come out right, seeds repeat, more permits never mean longer waits, and a mistake is
//! named with its place and the cure.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]
#![cfg(not(target_arch = "wasm32"))]

mod planned;

use baton_tools::plan::flags;
use baton_tools::plan::forecast::{Forecast, find_permits};
use baton_tools::plan::keys::{span_ms, span_text};
use baton_tools::plan::said::Said;
use baton_tools::plan::world::play;
use planned::{PLAIN, event, tried, wanted};

fn played(line: &str, seeds: usize) -> Forecast {
    planned::played(&event(line), seeds)
}

fn is_near(found: f64, expected: f64, share: f64, what: &str) {
    assert!((found - expected).abs() <= share * expected, "{what}: {found}, expected {expected}");
}

/// Everybody comes at once and stays 60 s, so 10 permits let in 10 people a minute, and the last of 600 after 59 minutes.
#[test]
fn a_full_room_lets_in_as_many_as_its_permits_over_the_stay() {
    let seen = played(
        &format!("{PLAIN} --people 600 --over 1s --permits 10 --stay 60s --stay-spread 0 --tick-ms 20"),
        3,
    );
    for run in &seen.runs {
        assert_eq!(run.entered, 600);
        is_near(run.last_in_ms, 59.0 * 60_000.0, 0.001, "the last one");
        is_near(run.wait_p50_ms, 29.5 * 60_000.0, 0.02, "half");
        assert!(run.dead_share < 0.001, "{}", run.dead_share);
    }
}

/// Returns the average wait, s, by Erlang's C: `per_s` people a second come at random to `servers`, each of which serves for `stay_s` on average.
fn waits_by_erlang(servers: u32, per_s: f64, stay_s: f64) -> f64 {
    let load = per_s * stay_s;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..servers {
        term *= load / f64::from(k);
        sum += term;
    }
    let all_busy = term * load / f64::from(servers) / (1.0 - load / f64::from(servers));
    all_busy / (sum + all_busy) / (f64::from(servers) / stay_s - per_s)
}

/// With arrivals at random and exponential visits the room is the queue M/M/c.
#[test]
fn waits_are_those_of_erlang() {
    let line = format!("{PLAIN} --people 60000 --over 60000s --shape even --stay 8s --stay-shape exponential --permits 10 --tick-ms 20");
    let event = event(&line);
    let runs = 6;
    let mean = |seed| {
        let seen = play(&event, seed).unwrap();
        let all: f64 = seen.waits.iter().map(|(_, wait)| f64::from(*wait)).sum();
        all / seen.waits.len() as f64 / 1_000.0
    };
    let found = (1..=runs).map(mean).sum::<f64>() / runs as f64;
    is_near(found, waits_by_erlang(10, 1.0, 8.0), 0.05, "the average wait");
}

#[test]
fn a_seed_plays_the_same_and_another_does_not() {
    let line = "--people 400 --over 60s --permits 12 --stay 10s --seats 100 --before-opening 0.3 --early-over 60s";
    let (once, again) = (played(line, 4), played(line, 4));
    assert_eq!(once, again);
    assert_ne!(once.runs[0].wait_p50_ms, once.runs[1].wait_p50_ms);
}

#[test]
fn more_permits_never_wait_longer() {
    let wait = |permits: u32| {
        let line = format!("{PLAIN} --people 500 --over 2m --permits {permits} --stay 20s");
        played(&line, 5).waits.unwrap().p50_ms.mid
    };
    let waits: Vec<f64> = [5, 10, 20, 40, 80, 500].map(wait).to_vec();
    assert!(waits.windows(2).all(|pair| pair[0] >= pair[1]), "{waits:?}");
    assert!(waits[5] < 1_000.0 && waits[0] > 60_000.0, "{waits:?}");
}

#[test]
fn nobody_is_lost_and_no_seat_is_sold_twice() {
    let line = "--people 1000 --over 2m --permits 20 --stay 15s --seats 150 --gives-up 0.4 --patience 40s --returns 0.5 --returns-after 20s --sleeps 0.2 --walks-off 0.1 --claim-within-s 5 --linger-s 5 --grace-s 60 --lease-idle-s 20";
    for run in played(line, 6).runs {
        let ended = run.outcomes;
        let ends = run.entered + ended.gave_up + ended.missed + ended.in_vain + ended.turned_away + ended.unseen;
        assert_eq!(ends, 1000, "{run:?}");
        assert_eq!(ended.unseen, 0, "{run:?}");
        assert_eq!(run.sold, 150, "{run:?}");
        assert!(run.missed_calls > 0 && run.dead_share > 0.0, "{run:?}");
        assert!(ended.in_vain > 0 && run.told_share.is_some(), "{run:?}");
        assert!(run.seats_end_ms.unwrap() <= run.over_ms, "{run:?}");
    }
}

#[test]
fn an_empty_room_waits_for_nobody() {
    let seen = played("--people 1 --permits 5 --stay 10s --over 10s", 5);
    assert!(
        seen.runs.iter().all(|run| run.entered == 1 && run.wait_p50_ms < 1_000.0),
        "{:?}",
        seen.runs
    );
    assert_eq!(seen.runs[0].told_before_ms, None);
    let text = serde_json::to_string(&seen).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn half_the_speed_is_twice_the_wait() {
    let line = |slow: &str| format!("{PLAIN} --people 400 --over 1s --permits 10 --stay 20s {slow}");
    let (usual, slow) = (played(&line(""), 4), played(&line("--slow 0.5@0s"), 4));
    is_near(slow.waits.unwrap().p50_ms.mid, 2.0 * usual.waits.unwrap().p50_ms.mid, 0.03, "half");
}

#[test]
fn who_waited_longest_in_the_hall_is_first_unless_lots_are_drawn() {
    let early_wait = |draw: &str| {
        let line = format!("{PLAIN} --people 1000 --before-opening 0.9 --early-over 10m --over 60s --permits 20 --stay 10s --draw {draw}");
        let spans = played(&line, 4).spans;
        let last = spans.iter().rfind(|span| span.to_ms <= 0).unwrap();
        last.waits.unwrap().p50_ms.mid - spans[0].waits.unwrap().p50_ms.mid
    };
    assert!(early_wait("arrival") > 60_000.0, "{}", early_wait("arrival"));
    assert!(early_wait("shuffle").abs() < early_wait("arrival") / 3.0, "{}", early_wait("shuffle"));
}

#[test]
fn the_least_permits_for_a_wait_are_found() {
    let event = event(&format!(
        "{PLAIN} --people 300 --over 1s --permits 1 --stay 10s --stay-spread 0 --tick-ms 20"
    ));
    let found = find_permits(&event, 60_000, 0.99, (1, 3), 2).unwrap();
    // The last of 300 people waits (300 / permits - 1) rounds of 10 s.
    let permits = found.permits.unwrap();
    assert!((42..=44).contains(&permits), "{found:?}");
    assert!(found.sentence().contains("find-permits"));
}

#[test]
fn a_page_that_is_closed_pings_nobody() {
    // Everybody closes the page in the hall, comes back after two hours and walks in.
    let line = "--people 20 --before-opening 1 --early-over 10m --permits 100 --stay 1s --gives-up 1 --patience 30s --returns 1 --returns-after 2h --walks-off 0 --sleeps 0";
    for run in played(line, 3).runs {
        assert!(run.entered >= 15, "{} got in", run.entered);
        let open_at_most = 20 * 10 * 60 / 25;
        assert!(run.counts.pings <= open_at_most, "{} pings", run.counts.pings);
    }
}

#[test]
fn a_trace_says_who_comes_and_how_long_they_stay() {
    let seen = played(
        &format!("{PLAIN} --trace two.csv --permits 1 --stay 30s --no-such").replace(" --no-such", ""),
        2,
    );
    assert_eq!(seen.people, 2);
    // Ann stays a second, so Bob, who comes half a second after her, waits the other half for her permit.
    assert_eq!(seen.runs[0].wait_p99_ms.round(), 495.0);
}

#[test]
fn flags_count_more_than_the_file() {
    let file = Said::by_file("e.toml", "people = 100\nstay = \"1m\"\n[room]\npermits = 5\n").unwrap();
    let event = tried(&file.then(wanted("--permits 7").said)).unwrap();
    assert_eq!((event.people(), event.stay_ms, event.room.core.permits), (100, 60_000, 7));
}

#[test]
fn what_nobody_said_and_matters_is_supposed() {
    let supposed = |line: &str| -> Vec<&str> { wanted(line).said.supposed().into_iter().map(|(name, _)| name).collect() };
    let plain = supposed("--people 100 --permits 5 --stay 1m --buy 1");
    assert_eq!(plain.first(), Some(&"before_opening"));
    for (name, is_there) in [
        ("over", true),
        ("page", true),
        ("stay", false),
        ("buy", false),
        ("early_over", false),
        ("seats_each", false),
        ("vip", false),
    ] {
        assert_eq!(plain.contains(&name), is_there, "{name}");
    }
    let traced = supposed("--trace two.csv --permits 5 --seats 10");
    for (name, is_there) in [("opens_after", true), ("seats_each", true), ("shape", false), ("over", false)] {
        assert_eq!(traced.contains(&name), is_there, "{name}");
    }
}

/// Long because it is one table with a row for each mistake.
#[test]
fn what_is_wrong_with_flags_is_named_with_its_cure() {
    let cases = [
        ("--permits 5", "nobody is said to come"),
        ("--people 0 --permits 5", "--people 0: nobody comes"),
        ("--people 10 --permits 0", "--permits 0: nobody ever gets in"),
        ("--people 10", "permits: is missing"),
        ("--people 10 --permits 5 --stay 0", "--stay 0: a visit that lasts no time"),
        ("--people 10 --permits 5 --stay soon", "--stay soon: is no time"),
        ("--people 10 --permits 5 --seats 0", "nothing to sell"),
        ("--people 10 --permits 5 --seats 99999999", "a whole number from 1 to 10000000"),
        ("--people 10 --permits 5 --before-opening 60", "a share of all, from 0 to 1"),
        ("--people 10 --permits 5 --early-over 5m", "nobody comes before the opening"),
        ("--people 10 --permits 5 --opens-after 5m", "is for a trace"),
        ("--people 10 --permits 5 --shape wave", "one of rush, even"),
        ("--people 10 --permits 5 --slow half", "speed@when"),
        ("--people 10 --permits 5 --slow 0.5@9m,1@5m", "time runs backwards"),
        ("--people 10 --permits 5 --mode paused", "a room that opens"),
        ("--people 10 --permits 5 --draw dice", "shuffle"),
        ("--people 10 --permits many", "--permits many"),
        ("--trace two.csv --people 10 --permits 5", "the trace says already"),
        ("--trace none.csv --permits 5", "there is no such file"),
        ("--trace broken.csv --permits 5", "broken.csv:2: unknown event `arive`"),
        ("--trace ticks.csv --permits 5", "keep the rows with `arrive` only"),
    ];
    for (line, cure) in cases {
        let error = tried(&wanted(line).said).expect_err(line);
        assert!(error.contains(cure) && error.contains("cure: "), "{line}: {error}");
    }
}

#[test]
fn what_is_wrong_with_the_command_line_is_named_with_its_cure() {
    let cases = [
        ("--peple 10", "did you mean --people?"),
        ("--people 10 --out=", "write --out <FOLDER>"),
        ("--find permits", "belong together"),
        ("--wait-max 5m", "belong together"),
        ("--find permits --wait-max soon", "a time such as"),
        ("--find permits --wait-max 5m --wait-share 0.8", "0.5, 0.9 or 0.99"),
        ("--seeds 0", "a whole number from 1"),
        ("--versus a=1 --against b.toml", "leave one out"),
        ("a.toml b.toml", "one word too many"),
    ];
    for (line, cure) in cases {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let error = flags::parse(&words).expect_err(line);
        assert!(error.contains(cure), "{line}: {error}");
    }
    assert!(Said::by_words("permits").unwrap_err().to_string().contains("has no `=`"));
    assert!(Said::by_words("permit=4").unwrap_err().to_string().contains("did you mean `permits`?"));
}

#[test]
fn what_is_wrong_with_a_file_is_named_with_its_line() {
    let cases = [
        ("people = 10\npeople = 11\n", "e.toml:2: not TOML"),
        ("people 10\n", "e.toml:1: not TOML"),
        ("people = 10\npermits = 5\n", "e.toml:2: permits = 5: is a setting of the room"),
        (
            "people = 10\n[room]\npermits = 5\nstay = \"1m\"\n",
            "e.toml:4: stay = 1m: is of the event",
        ),
        (
            "people = 10\n[room]\npermitz = 5\n",
            "e.toml:3: permitz = 5: is no key\n  cure: did you mean `permits`?",
        ),
        (
            "people = 10\n\n[room]\npermits = 5\nopens_at = \"2026-12-01T10:00:00+09:00\"\n",
            "e.toml:5: opens_at",
        ),
        ("people = [1, 2]\n", "e.toml:1: people = …: is no single value"),
        ("people = 10\n[room]\npaths = [\"/\"]\n", "changes nothing in a plan"),
        ("people = 10\nstay = \"0s\"\n[room]\npermits = 5\n", "e.toml:2: stay = 0s"),
        ("people = 10\n[room]\npermits = 0\n", "e.toml:3: permits = 0: nobody ever gets in"),
        ("people = 10\n[room]\npermits = 5\nclaim_within_s = 0\n", "e.toml:4: claim_within_s = 0"),
    ];
    for (text, cure) in cases {
        let said = Said::by_file("e.toml", text).map_err(planned::all);
        let error = said.and_then(|said| tried(&said)).expect_err(text);
        assert!(error.contains(cure) && error.contains("cure: "), "{text}: {error}");
    }
}

#[test]
fn what_is_possible_and_odd_is_noted() {
    let cases = [
        ("--people 10 --permits 5 --seats 5000", "they never end"),
        ("--people 10 --permits 5 --stay 1h", "lease_max_s"),
        ("--people 10 --permits 5 --stay 25m --pages 1", "lease_idle_s"),
        ("--people 10 --permits 5 --page 20s", "claim_within_s"),
        ("--people 10 --permits 5 --before-opening 0.5 --early-over 2h", "waits for it"),
        ("--people 10 --permits 5 --seats 5 --stock-line false", "told early"),
    ];
    for (line, note) in cases {
        let notes = event(line).notes.join("\n");
        assert!(notes.contains(note), "{line}: {notes}");
    }
    assert_eq!(event("--people 1000 --permits 5").notes, Vec::<String>::new());
}

#[test]
fn times_are_read_as_people_write_them() {
    let cases = [
        ("90s", Some(90_000)),
        ("1h30m", Some(5_400_000)),
        ("250ms", Some(250)),
        ("1.5m", Some(90_000)),
        ("45", Some(45_000)),
        ("", None),
        ("m", None),
        ("5x", None),
        ("-5s", None),
        ("1e40", None),
    ];
    for (text, ms) in cases {
        assert_eq!(span_ms(text), ms, "{text}");
    }
    for ms in [0, 250, 90_000, 5_400_000, 90_061_001] {
        assert_eq!(span_ms(&span_text(ms)), Some(ms));
    }
}
