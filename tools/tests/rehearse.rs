//! Tests the rehearsal: recorded runs come out as they were recorded, and bad input gets a helpful answer. The traces in `tools/tests/traces` were
//! worked out by hand from the order in which the usher works, except `burst`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[cfg(not(target_arch = "wasm32"))]
mod programs;

use baton::facts::config::RoomConfig;
use baton_tools::flags::Wish;
use baton_tools::rehearse::flags;
use baton_tools::rehearse::player::{self, HEADER};
use baton_tools::rehearse::{Flaw, expected, trace};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

macro_rules! recorded {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("traces/", $name, ".input.csv")),
            include_str!(concat!("traces/", $name, ".expected.csv")),
        )
    };
}

fn config(flags: &str) -> RoomConfig {
    let line = format!("replay t.csv {flags}");
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match flags::parse(&words) {
        Ok(Wish::Do(replay)) => replay.config,
        other => panic!("{flags}: {other:?}"),
    }
}

/// Plays a trace and returns the rows that come out, without the header.
fn played(flags: &str, text: &str) -> Vec<String> {
    let steps = trace::parse("t.csv", text).unwrap_or_else(|flaw| panic!("{flaw}"));
    let seen = player::play(&config(flags), &steps).unwrap_or_else(|bug| panic!("{bug}"));
    seen.iter().map(ToString::to_string).collect()
}

fn flaw(text: &str) -> Flaw {
    trace::parse("t.csv", text).expect_err(text)
}

#[test]
fn recorded_runs_come_out_as_recorded() {
    let runs = [
        (recorded!("tray"), "--permits 2 --no-walk-in"),
        (recorded!("walk_in"), "--permits 2"),
        (recorded!("expiry"), "--permits 1 --no-walk-in --lease-max-s 1 --lease-idle-s 0.3"),
        (recorded!("alarm"), "--permits 1 --no-walk-in --lease-max-s 2 --lease-idle-s 0.4"),
        (recorded!("pace"), "--permits 5 --no-walk-in --admissions-per-s 2"),
    ];
    for ((name, input, expected), flags) in runs {
        let seen = played(flags, input);
        let wanted: Vec<&str> = expected.lines().skip(1).collect();
        assert_eq!(seen, wanted, "{name}");
        assert_eq!(expected.lines().next(), Some(HEADER), "{name}");
    }
}

/// Another program recorded this run. Its clock could advance by a millisecond within a turn.
#[test]
fn the_burst_agrees_within_a_millisecond() {
    let (_, input, recorded) = recorded!("burst");
    let steps = trace::parse("burst", input).expect("a trace");
    let seen = player::play(&config("--permits 2 --no-walk-in"), &steps).expect("lawful");
    let recorded = expected::parse("burst", recorded).expect("an expectation");
    assert_eq!(expected::difference(&recorded, &seen), None);
    assert_eq!(seen.len(), 20);
}

#[test]
fn several_things_in_one_millisecond_happen_in_the_order_of_their_rows() {
    let rows = "at_ms,event,visitor\n0,arrive,a\n0,tick,\n0,tick,\n0,release,a\n0,arrive,a\n0,tick,\n\
        0,release,a\n0,tick,\n0,arrive,b\n0,arrive,c\n0,tick,\n0,release,b\n0,release,b\n0,arrive,b\n\
        0,release,c\n";
    let expected = [
        "0,admit,a,usher",
        // The permit came back while nobody waited, and the hand is empty.
        "0,tray,1,usher",
        "0,admit,a,usher",
        "0,tray,1,usher",
        "0,admit,b,usher",
        "0,admit,c,baton",
        "0,admit,b,baton",
    ];
    assert_eq!(played("--permits 1 --no-walk-in", rows), expected);
}

/// There are two permits. A visitor with a stay of 300 ms gives the permit back after that, to whoever is next. One without a stay keeps it until a
/// release or the hard end.
#[test]
fn who_says_how_long_goes_then() {
    let rows = "at_ms,event,visitor,stay_ms\n0,arrive,a,300\n0,arrive,b,\n10,arrive,c,200\n20,arrive,d,0\n\
        500,arrive,e,50\n500,arrive,f,50\n2000,release,b\n";
    let expected = [
        "0,admit,a,walk_in",
        "0,admit,b,walk_in",
        "300,admit,c,baton",
        // c leaves before e comes. So does d, who stays no time at all, within the same millisecond.
        "500,admit,d,baton",
        "500,admit,e,walk_in",
        "550,admit,f,baton",
    ];
    assert_eq!(played("--permits 2", rows), expected);
    // In a trace that has the usher's turns, a stay ends without one.
    let ticks = "at_ms,event,visitor,stay_ms\n0,arrive,a,300\n0,arrive,b,\n1,tick,\n2,tick,\n";
    assert_eq!(played("--permits 1 --no-walk-in", ticks), ["1,admit,a,usher", "301,admit,b,baton"]);
}

/// The stay of a first visit does not end the second visit of somebody who left earlier and came back.
#[test]
fn a_stay_is_of_one_visit() {
    let rows = "at_ms,event,visitor,stay_ms\n0,arrive,a,1000\n100,release,a\n200,arrive,a,5000\n300,arrive,b,10\n";
    assert_eq!(
        played("--permits 1", rows),
        ["0,admit,a,walk_in", "200,admit,a,walk_in", "5200,admit,b,baton"]
    );
    // Without a stay the second time, only the hard end takes the permit.
    let unsaid = "at_ms,event,visitor,stay_ms\n0,arrive,a,1000\n100,release,a\n200,arrive,a,\n300,arrive,b,10\n";
    let seen = played("--permits 1 --lease-max-s 10 --lease-idle-s 5", unsaid);
    assert_eq!(seen.last().map(String::as_str), Some("10200,admit,b,usher"));
}

/// If a stay is as long as the lease, the permit passes on before the usher takes it back.
#[test]
fn who_goes_in_the_millisecond_of_the_hard_end_gives_the_permit_back() {
    let rows = "at_ms,event,visitor,stay_ms\n0,arrive,a,2000\n5,arrive,b,10\n";
    assert_eq!(
        played("--permits 1 --lease-max-s 2 --lease-idle-s 1", rows),
        ["0,admit,a,walk_in", "2000,admit,b,baton"]
    );
}

/// In each of `crowds/` everybody gets in, in the order in which they came, and never more are inside than there are permits.
#[test]
fn every_crowd_gets_in_in_order() {
    let crowds = [
        ("opening_rush", include_str!("../../crowds/opening_rush.csv")),
        ("draw", include_str!("../../crowds/draw.csv")),
        ("slow_burn", include_str!("../../crowds/slow_burn.csv")),
        ("bot_wave", include_str!("../../crowds/bot_wave.csv")),
        ("bank_outage", include_str!("../../crowds/bank_outage.csv")),
        ("phone_network", include_str!("../../crowds/phone_network.csv")),
    ];
    for (name, text) in crowds {
        let steps = trace::parse(name, text).unwrap_or_else(|flaw| panic!("{flaw}"));
        let seen = player::play(&config("--permits 20 --lease-max-s 600"), &steps).unwrap_or_else(|bug| panic!("{name}: {bug}"));
        let came: Vec<(&str, u64)> = steps
            .iter()
            .map(|step| match &step.act {
                trace::Act::Arrive { visitor, stay_ms } => (visitor.as_str(), stay_ms.expect("a stay")),
                other => panic!("{name}: {other:?}"),
            })
            .collect();
        let admitted: Vec<(&str, u64)> = seen
            .iter()
            .filter_map(|seen| match &seen.what {
                player::What::Admit { visitor, .. } => Some((visitor.as_str(), seen.at_ms)),
                player::What::Tray { .. } => None,
            })
            .collect();
        let names = |all: &[(&str, u64)]| -> Vec<String> { all.iter().map(|(visitor, _)| (*visitor).to_owned()).collect() };
        assert_eq!(names(&admitted), names(&came), "{name}");
        let ends: Vec<u64> = admitted.iter().zip(&came).map(|((_, at_ms), (_, stay_ms))| at_ms + stay_ms).collect();
        for (nth, (_, at_ms)) in admitted.iter().enumerate() {
            let inside = ends[..nth].iter().filter(|end| *end > at_ms).count();
            assert!(inside < 20, "{name}: {inside} were inside at {at_ms}");
        }
    }
}

#[test]
fn files_may_look_as_spreadsheets_write_them() {
    let plain = "at_ms,event,visitor\n0,arrive,a\n1,tick,\n2,arrive,b\n2,tick,\n2,release,a\n3,tick,\n";
    let expected = ["1,admit,a,usher", "2,admit,b,baton"];
    let messy = [
        plain.to_owned(),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}\n\n  \n"),
        plain.replace(',', " , ").replace('\n', " \n"),
        plain.replace(",\n", "\n"),
        plain.replace("at_ms,event,visitor", "AT_MS,Event,Visitor"),
        plain.replace("arrive,a", "arrive,\"a\"").replace("release,a", "\"release\",\"a\""),
        plain.trim_end().to_owned(),
        "note,visitor,event,at_ms\n,a,arrive,0\nx,,tick,1\n,b,arrive,2\n,,tick,2\n,a,release,2\n,,tick,3\n".to_owned(),
    ];
    for text in messy {
        assert_eq!(played("--permits 1 --no-walk-in", &text), expected, "{text:?}");
    }
    let words = "at_ms,event,visitor\n1800000000000,arrive,\"Doe, J.\"\n1800000000000,tick,\n";
    assert_eq!(played("--no-walk-in", words), ["1800000000000,admit,\"Doe, J.\",usher"]);
    assert!(played("", "at_ms,event,visitor\n").is_empty());
}

#[test]
fn modes_say_who_is_admitted_at_all() {
    let rows = "at_ms,event,visitor\n0,arrive,a\n1,tick,\n2,arrive,b\n3,release,a\n4,tick,\n";
    for mode in ["paused", "bypass"] {
        let flags = format!("--mode {mode}");
        assert_eq!(played(&flags, rows), [] as [&str; 0], "{mode}");
    }
    assert_eq!(played("--permits 0", rows), [] as [&str; 0]);
    assert_eq!(played("--permits 1", rows), ["0,admit,a,walk_in", "3,admit,b,baton"]);
}

/// Nobody gives a permit back, so each comes back by its hard end. Everybody who waited gets in, in order.
#[test]
fn without_a_tick_the_alarm_goes_on_until_nothing_is_pending() {
    let mut rows = "at_ms,event,visitor\n".to_owned();
    (1..=40).for_each(|i| rows.push_str(&format!("{i},arrive,v{i}\n")));
    let flags = "--permits 3 --no-walk-in --lease-max-s 10 --lease-idle-s 1 --tick-ms 500";
    let seen = played(flags, &rows);
    let order: Vec<&str> = seen.iter().filter_map(|row| row.split(',').nth(2)).collect();
    let wanted: Vec<String> = (1..=40).map(|i| format!("v{i}")).collect();
    assert_eq!(order, wanted);
    // 3 visitors get in every 10 s, and the usher has a turn at most twice a second.
    let last: u64 = seen[39].split(',').next().unwrap().parse().unwrap();
    assert!((130_000..140_000).contains(&last), "{last}");
}

#[test]
fn a_stay_that_is_none_is_named() {
    for (row, what) in [
        ("0,arrive,a,soon", "stay_ms is `soon`"),
        ("0,arrive,a,-1", "stay_ms is `-1`"),
        ("0,release,a,5", "stay_ms with `release`"),
        ("0,tick,,5", "stay_ms with `tick`"),
    ] {
        let flaw = flaw(&format!("at_ms,event,visitor,stay_ms\n{row}\n"));
        assert_eq!(flaw.line, Some(2), "{row}");
        assert!(flaw.what.contains(what), "{row}: {}", flaw.what);
    }
}

#[test]
fn a_flaw_is_named_with_its_line_and_its_cure() {
    const HEAD: &str = "at_ms,event,visitor\n";
    let cases = [
        ("", None, "nothing in it", "at_ms,event,visitor"),
        ("\n\n", None, "nothing in it", "header line"),
        ("0,arrive,a\n", Some(1), "no column `at_ms`", "header line"),
        ("at_ms,event\n", Some(1), "no column `visitor`", "header"),
        ("0,arive,a", Some(2), "unknown event `arive`", "`arrive`?"),
        ("0,join,a", Some(2), "unknown event `join`", "and `tick`"),
        ("0,,a", Some(2), "unknown event ``", "and `tick`"),
        ("x,arrive,a", Some(2), "at_ms is `x`", "whole milliseconds"),
        ("-1,arrive,a", Some(2), "at_ms is `-1`", "from 0 to"),
        ("1.5,arrive,a", Some(2), "at_ms is `1.5`", "whole"),
        (",arrive,a", Some(2), "at_ms is ``", "whole"),
        ("99999999999999999999,tick,", Some(2), "at_ms is", "from 0"),
        ("0,arrive,", Some(2), "without a visitor", "name who"),
        ("0,release", Some(2), "without a visitor", "name who"),
        ("0,tick,a", Some(2), "with a visitor", "`0,tick,`"),
        ("0,arrive,a,b", Some(2), "more fields", "double quotes"),
        ("0,arrive,\"a", Some(2), "open quote", "close the quote"),
        ("5,tick,\n\n4,tick,", Some(4), "backwards, from 5 to 4", "sort"),
    ];
    for (text, line, what, cure) in cases {
        let whole = if line == Some(1) || line.is_none() {
            text.to_owned()
        } else {
            format!("{HEAD}{text}\n")
        };
        let flaw = flaw(&whole);
        assert_eq!(flaw.line, line, "{flaw}");
        assert!(flaw.what.contains(what), "{flaw}");
        assert!(flaw.cure.contains(cure), "{flaw}");
    }
    let shown = flaw("at_ms,event,visitor\n7,ticks,\n").to_string();
    assert!(shown.starts_with("t.csv:2: unknown event `ticks`"), "{shown}");
}

#[test]
fn a_check_names_the_first_difference() {
    let rows = "at_ms,event,subject,by\n10,admit,a,usher\n20,tray,1,usher\n30,admit,b,baton\n";
    let seen = expected::parse("e", rows).expect("an expectation");
    let cases = [
        (rows.to_owned(), None),
        (rows.replace("10,", "11,"), None),
        (rows.replace("10,", "12,"), Some("admission 1")),
        (rows.replace(",a,", ",b,"), Some("admission 1")),
        (rows.replace("baton", "usher"), Some("admission 2")),
        (rows.replace("30,admit,b,baton\n", ""), Some("expected `nothing more`")),
        (format!("{rows}31,admit,c,usher\n"), Some("seen `nothing more`")),
        (rows.replace("tray,1", "tray,2"), Some("tray 1")),
        // A check without rows for the tray expects nothing of it.
        (rows.replace("20,tray,1,usher\n", ""), None),
    ];
    for (text, difference) in cases {
        let wanted = expected::parse("e", &text).expect("an expectation");
        let found = expected::difference(&wanted, &seen);
        match difference {
            None => assert_eq!(found, None, "{text}"),
            Some(part) => assert!(found.as_ref().is_some_and(|f| f.contains(part)), "{found:?}"),
        }
    }
    for bad in ["1,admit,a,gate", "1,admits,a,usher", "1,tray,x,usher", "x,admit,a,usher"] {
        assert!(expected::parse("e", &format!("{HEADER}\n{bad}\n")).is_err(), "{bad}");
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod command {
    fn run(arguments: &str, input: &str) -> (i32, String, String) {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        super::programs::run(env!("CARGO_BIN_EXE_rehearse"), &words, input.as_bytes())
    }

    #[test]
    fn exit_codes_and_streams() {
        const BURST: &str = "replay burst.input.csv --permits 2 --no-walk-in";
        let cases = [
            (BURST.to_owned(), 0, "at_ms,event,subject,by\n391,admit,7,usher\n", ""),
            (format!("{BURST} --check burst.expected.csv"), 0, "at_ms", ""),
            (
                format!("{BURST} --check tray.expected.csv"),
                1,
                "at_ms",
                "admission 1: expected `100,admit,ann,usher`",
            ),
            (format!("{BURST} --check gone.csv"), 2, "", "gone.csv"),
            ("replay burst.expected.csv".to_owned(), 2, "", "burst.expected.csv:1: no column `visitor`"),
            ("replay gone.csv".to_owned(), 2, "", "gone.csv"),
            ("replay .".to_owned(), 2, "", "cure"),
            ("replay burst.input.csv --permit 2".to_owned(), 2, "", "did you mean --permits?"),
            (String::new(), 2, "", "nothing to do"),
            ("--help".to_owned(), 0, "rehearse plays", ""),
        ];
        for (arguments, code, out, err) in cases {
            let (status, stdout, stderr) = run(&arguments, "");
            assert_eq!(status, code, "{arguments}: {stderr}");
            assert!(stdout.starts_with(out), "{arguments}: {stdout}");
            assert!(stderr.contains(err), "{arguments}: {stderr}");
            assert_eq!(stderr.is_empty(), err.is_empty(), "{arguments}: {stderr}");
            assert_eq!(stdout.is_empty(), out.is_empty(), "{arguments}: {stdout}");
        }
    }

    #[test]
    fn a_trace_may_come_by_pipe() {
        let (_, stdout, _) = run("replay -", "at_ms,event,visitor\n0,arrive,ann\n");
        assert_eq!(stdout, "at_ms,event,subject,by\n0,admit,ann,walk_in\n");
    }
}
