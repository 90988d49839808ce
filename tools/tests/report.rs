//! Tests the report: small sales worked out by hand, random sales compared with what the room counted, and the program.
//!
//! A failure prints the seed that replays it: `BATON_SEED=<seed> cargo test -p baton-tools --test report`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "report/forecasts.rs"]
mod forecasts;
#[path = "report/lanes.rs"]
mod lanes;
mod programs;
#[path = "audit/sale.rs"]
#[allow(dead_code, reason = "the audit's tests use the rest")]
mod sale;

use baton::facts::event::{Event, Row};
use baton::facts::hall::Door;
use baton::room::Room;
use baton_tools::audit::{Audit, Scope};
use baton_tools::report::{Asked, Report, Reporter};
use sale::{Keeps, Sale, seeds};
use serde_json::{Value, json};

const SMALL: &str = include_str!("audit/small_sale.jsonl");
/// The wall clock at the first row of the small sale.
const BEGIN_MS: u64 = sale::OPENS_MS + 7;

fn report(lines: &[String], asked: Asked) -> Report {
    let report = report_of_any(lines, asked);
    assert!(report.verdict.is_sound, "{:?}", report.verdict);
    report
}

fn report_of_any(lines: &[String], asked: Asked) -> Report {
    let mut reporter = Reporter::new(asked);
    for line in lines {
        reporter.line(line).unwrap_or_else(|stop| panic!("{stop}"));
    }
    reporter.finish().unwrap_or_else(|stop| panic!("{stop}"))
}

fn small() -> Vec<String> {
    SMALL.lines().map(str::to_owned).collect()
}

fn value(report: &Report) -> Value {
    serde_json::to_value(report).unwrap()
}

/// Returns the sum of a count over the course.
fn over_course(report: &Value, key: &str) -> u64 {
    let course = report["course"].as_array().unwrap();
    course.iter().filter_map(|part| part[key].as_u64()).sum()
}

#[test]
fn a_small_sale_is_told_as_it_was() {
    let told = value(&report(&small(), Asked::default()));
    // docs/audit.md tells the stories: 1 walked in; 2, 3 and 4 waited; 2 missed a call and came later; 4 stayed away.
    assert_eq!(
        told["people"],
        json!({
            "before": 0, "entered": 0, "joined": 3, "walked_in": 1, "got_in": 3, "gave_up": 0, "lost": 1, "missed_out": 0,
            "sold_out": 0, "dismissed": 0, "reset": 0, "wait": 0
        })
    );
    let inside = json!({"before": 0, "released": 2, "expired": 1, "dismissed": 0, "reset": 0, "are": 0});
    assert_eq!(told["inside"], inside);
    let counted = json!({
        "attempts": 10, "calls": 3, "missed": 1, "went_away": 1, "came_back": 1, "carried": 0, "unproven": 0, "extended": 1
    });
    assert_eq!(told["counted"], counted);
    // The permit was in use from 0 to 5 s, 45.5 to 125 s and 126 to 426 s; somebody was called with it from 5 to 45.5 s and from 125 to 126 s.
    let time = json!({"fewest": 1, "most": 1, "used_ms": 384_500, "called_ms": 41_500, "idle_ms": 0});
    assert_eq!(told["permits"], time);
    // 2 was first called after 4 s, 3 after 34 s.
    assert_eq!(told["waits"]["count"], 2);
    assert_eq!(told["waits"]["mean_ms"], 19_000);
    assert_eq!(told["waits"]["longest_ms"], 34_000);
    let half_ms = told["waits"]["half_ms"].as_u64().unwrap();
    assert!((4_000..4_063).contains(&half_ms), "{half_ms}");
    // 3 came 10.5 s after its call, 2 came 1 s after its second call.
    assert_eq!(told["claims"]["mean_ms"], 5_750);
    // 1 stayed for 5 s, 3 from 45.5 to 125 s.
    assert_eq!(told["stays"]["mean_ms"], 42_250);
    assert_eq!(told["longest_line"], json!({"count": 3, "at_ms": BEGIN_MS + 1_000}));
    assert_eq!(told["from_ms"], BEGIN_MS);
    assert_eq!(told["to_ms"], BEGIN_MS + 3_900_000);
    let numbers: Vec<[u64; 2]> = told["numbers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            [
                group["first"].as_u64().unwrap(),
                group["from_ms"].as_u64().unwrap_or(0).saturating_sub(BEGIN_MS),
            ]
        })
        .collect();
    assert_eq!(numbers, [[1, 0], [2, 5_000], [3, 35_000], [4, 0]]);
    assert_eq!(told["heads"].as_array().unwrap().len(), 5);
    assert_eq!(told["heads"][4]["hash"], told["verdict"]["fingerprint"]);
}

#[test]
fn figures_are_the_rooms_own() {
    for seed in seeds(0..60) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test report");
        let sale = Sale::of(seed, 300, Keeps::default());
        let mut room = Room::new();
        let mut begun = [0; 2];
        let times = |room: &Room| [room.measured().times.used_ms, room.measured().times.dead_ms];
        for row in &sale.rows {
            room.replay(row).unwrap();
            if row.events.iter().any(|event| matches!(event, Event::Reset { .. })) {
                // The reset is the row's last fact, and no time passes within a row.
                begun = times(&room);
            }
        }
        let lines = sale.export();
        let all = report(&lines, Asked::default());
        let told = value(&all);
        let totals = room.measured().totals;
        let came = |key: &str| told["people"][key].as_u64().unwrap();
        if all.edition == all.editions {
            assert_eq!(came("joined") + drawn(&told), totals.joined, "seed {seed}");
            assert_eq!(came("walked_in"), totals.walked_in);
            assert_eq!(came("got_in"), totals.claimed + totals.walked_in);
            assert_eq!(came("lost"), totals.grace_ended);
            assert_eq!(told["inside"]["expired"].as_u64(), Some(totals.expired));
            assert_eq!(told["counted"]["missed"].as_u64(), Some(totals.missed));
            assert_eq!(told["counted"]["calls"].as_u64(), Some(totals.called + totals.handed));
            assert_eq!(told["counted"]["unproven"].as_u64(), Some(totals.unproven));
            let [used, dead] = times(&room);
            let time = &told["permits"];
            let ms = |key: &str| time[key].as_u64().unwrap();
            assert_eq!(ms("used_ms"), used - begun[0], "seed {seed}");
            // The room counts permits that are free while a hall fills as dead. The report does not, because nobody could be called with them.
            let (told_dead, has_hall) = (ms("called_ms") + ms("idle_ms"), sale.rows.iter().any(is_hall));
            let is_right = told_dead == dead - begun[1] || (has_hall && told_dead < dead - begun[1]);
            assert!(is_right, "seed {seed}: {told_dead}, the room {}", dead - begun[1]);
            assert_eq!(came("wait"), room.line().alive() + room.hall().line().alive());
        }
        balances(&told, seed);
    }
}

fn is_hall(row: &Row) -> bool {
    let is_hall = |event: &Event| matches!(event, Event::Doors(Door::Hall { .. }));
    row.events.iter().any(is_hall)
}

fn drawn(told: &Value) -> u64 {
    let draws = told["draws"].as_array().unwrap();
    draws.iter().filter_map(|draw| draw["drawn"]["count"].as_u64()).sum()
}

/// Asserts that everybody who came is counted once in what became of them, and that the course adds up to the whole.
///
/// Long because it is one list of sums that must be equal.
fn balances(told: &Value, seed: u64) {
    let sum = |of: &str, keys: &[&str]| -> u64 { keys.iter().map(|key| told[of][*key].as_u64().unwrap()).sum() };
    let came = sum("people", &["before", "entered", "joined", "walked_in"]);
    let became = ["got_in", "gave_up", "lost", "missed_out", "sold_out", "dismissed", "reset", "wait"];
    assert_eq!(came, sum("people", &became), "seed {seed}: {}", told["people"]);
    let were_in = sum("inside", &["before"]) + sum("people", &["got_in"]);
    let left = sum("inside", &["released", "expired", "dismissed", "reset", "are"]);
    assert_eq!(were_in, left, "seed {seed}: {}", told["inside"]);
    for key in ["entered", "joined", "walked_in", "got_in"] {
        assert_eq!(over_course(told, key), sum("people", &[key]), "seed {seed}: {key}");
    }
    assert_eq!(over_course(told, "missed"), sum("counted", &["missed"]));
    let arrivals = told["arrivals"].as_array().unwrap();
    let of_arrivals = |key: &str| -> u64 { arrivals.iter().filter_map(|group| group[key].as_u64()).sum() };
    assert_eq!(of_arrivals("joined"), sum("people", &["joined"]), "seed {seed}");
    if told["is_public"] == true {
        return;
    }
    let waited: u64 = arrivals.iter().filter_map(|group| group["waits"]["count"].as_u64()).sum();
    let drawn = told["drawn_waits"]["count"].as_u64().unwrap();
    assert_eq!(Some(waited + drawn), told["waits"]["count"].as_u64(), "seed {seed}");
}

#[test]
fn verdict_and_fingerprint_are_the_audits() {
    let lines = Sale::of(3, 200, Keeps::default()).export();
    let mut audit = Audit::new(Scope::Everything, None);
    lines.iter().for_each(|line| audit.line(line).unwrap());
    let sound = report(&lines, Asked::default());
    assert!(sound.verdict.is_sound);
    assert_eq!(sound.verdict.fingerprint.to_string(), audit.finish().unwrap().fingerprint);
    assert_eq!(sound.verdict.rows, 200);

    let mut forged = lines.clone();
    forged.remove(100);
    let told = report_of_any(&forged, Asked::default()).verdict;
    assert!(!told.is_sound);
    assert_eq!(told.rows, 99);
    assert_eq!(told.fault.map(|fault| fault.row), Some(100));
}

#[test]
fn a_window_counts_who_was_there_before_and_nobody_twice() {
    for seed in seeds(100..130) {
        let sale = Sale::of(seed, 300, Keeps::default());
        let lines = sale.export();
        let whole = report(&lines, Asked::default());
        let (from_ms, to_ms) = (whole.from_ms, whole.to_ms);
        if to_ms == from_ms {
            continue;
        }
        let middle_ms = from_ms + (to_ms - from_ms) / 2;
        let of = |from_ms, to_ms| {
            let asked = Asked {
                edition: Some(whole.edition),
                from_ms,
                to_ms,
                ..Asked::default()
            };
            value(&report(&lines, asked))
        };
        let (first, second) = (of(0, middle_ms), of(middle_ms, u64::MAX));
        balances(&first, seed);
        let whole = value(&whole);
        for (of, key) in [
            ("people", "joined"),
            ("people", "got_in"),
            ("people", "gave_up"),
            ("counted", "calls"),
            ("permits", "used_ms"),
            ("permits", "idle_ms"),
        ] {
            let parts = first[of][key].as_u64().unwrap() + second[of][key].as_u64().unwrap();
            assert_eq!(Some(parts), whole[of][key].as_u64(), "seed {seed}: {key}");
        }
        assert_eq!(first["people"]["wait"], second["people"]["before"], "seed {seed}");
        assert_eq!(first["inside"]["are"], second["inside"]["before"], "seed {seed}");
    }
}

#[test]
fn a_reset_ends_an_edition_and_an_empty_one_is_not_the_sale() {
    let mut sale = Sale::of(1, 40, Keeps::default());
    sale.write(|room, _, row| {
        room.reset("desk", row);
    });
    let lines = sale.export();
    let told = report(&lines, Asked::default());
    assert_eq!((told.edition + 1, told.editions), (told.editions, sale.room.edition().0));
    let acts = value(&told)["acts"].clone();
    assert_eq!(acts.as_array().unwrap().last().unwrap()["what"], "reset");
    balances(&value(&told), 1);
    let none = Asked {
        edition: Some(99),
        ..Asked::default()
    };
    let mut reporter = Reporter::new(none);
    lines.iter().for_each(|line| reporter.line(line).unwrap());
    let why = reporter.finish().unwrap_err().to_string();
    assert!(why.contains("there is no edition 99"), "{why}");
}

#[test]
fn in_public_no_group_is_small_and_no_ticket_is_named() {
    for seed in seeds(0..30) {
        let keeps = Keeps {
            permits: 2..30,
            ..Keeps::default()
        };
        let sale = Sale::of(seed, 400, keeps);
        let lines = sale.export();
        let asked = Asked {
            is_public: true,
            ..Asked::default()
        };
        let told = value(&report(&lines, asked));
        let people = told["people"]["joined"].as_u64().unwrap() + told["people"]["walked_in"].as_u64().unwrap();
        for group in told["arrivals"].as_array().unwrap() {
            let came = group["joined"].as_u64().unwrap() + group["walked_in"].as_u64().unwrap();
            assert!(came >= 10 || group["waits"]["half_ms"].is_null(), "seed {seed}: {group}");
            assert!(came >= 10 || people < 10, "seed {seed}: {group}");
        }
        for group in told["numbers"].as_array().unwrap() {
            let issued = group["issued"].as_u64().unwrap();
            assert!(issued >= 10 || group["from_ms"].is_null(), "seed {seed}: {group}");
        }
        for act in told["acts"].as_array().unwrap() {
            assert!(act.get("number").is_none(), "seed {seed}: {act}");
        }
        balances(&told, seed);
    }
}

/// Runs the program and returns its exit code, standard output and standard error.
fn run(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    programs::run(env!("CARGO_BIN_EXE_report"), arguments, input)
}

#[test]
fn the_program_says_sound_not_sound_or_what_is_wrong() {
    let (code, out, _) = run(&["-"], SMALL.as_bytes());
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["room"]), (0, &json!("onsale")));

    let forged = SMALL.replacen("\"at_ms\":1732158005000", "\"at_ms\":1732158005001", 1);
    assert_ne!(forged, SMALL);
    let (code, out, _) = run(&["-"], forged.as_bytes());
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["verdict"]["fault"]["row"]), (1, &json!(5)));

    for (arguments, input, said) in [
        (&["-", "--edition", "0"][..], SMALL, "--edition is `0`"),
        (&["-", "--edition", "2"], SMALL, "there is no edition 2: the last is 1"),
        (&["-", "--from-ms", "9999999999999"], SMALL, "no row lies in the time"),
        (&["-"], "{}\n", "not the header of an export"),
        (&["/nowhere"], "", "/nowhere: "),
        (&[], "", "no EXPORT"),
        (&["-", "--pubic"], SMALL, "unknown flag --pubic"),
    ] {
        let (code, out, err) = run(arguments, input.as_bytes());
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.contains(said) && err.contains("cure:"), "{arguments:?}: {err}");
    }
    assert!(run(&["--help"], b"").1.contains("--public"));
}
