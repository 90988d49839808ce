//! Tests the planner with lanes: the rule in force decides who gets in, the same people come with lanes and without, a lane that starves is
//! visible, and a mistake is named with its place and the cure.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]
#![cfg(not(target_arch = "wasm32"))]

mod planned;

use baton_tools::plan::by_lane::LaneRun;
use baton_tools::plan::crowd::people;
use baton_tools::plan::event::Event;
use baton_tools::plan::forecast::Forecast;
use baton_tools::plan::said::Said;
use planned::{PLAIN, event, played, tried};

/// 600 people come at once, and ten a minute get in.
const AT_ONCE: &str = "--people 600 --over 1s --permits 10 --stay 60s --stay-spread 0 --tick-ms 20";
/// A sale with everything that people really do.
const LIFE: &str = "--people 1000 --over 2m --before-opening 0.4 --early-over 5m --permits 20 --stay 15s --gives-up 0.3 --patience 2m --returns 0.5 --returns-after 20s --sleeps 0.1 --claim-within-s 5 --linger-s 5";
/// How far apart times may be that should be equal, ms.
const NEAR_MS: f64 = 1_500.0;

fn said(line: &str) -> Said {
    planned::wanted(line).said
}

fn in_file(text: &str) -> Result<Event, String> {
    Said::by_file("e.toml", text).map_err(planned::all).and_then(|said| tried(&said))
}

/// Returns the first and second lane of each run.
fn lanes(seen: &Forecast) -> Vec<[LaneRun; 2]> {
    let runs = seen.lanes[0].runs.iter().zip(&seen.lanes[1].runs);
    runs.map(|(vip, other)| [*vip, *other]).collect()
}

/// Plays the same sale with and without the VIP lane. Both forecasts tell the same two groups of people apart.
fn with_and_without(line: &str, vip: &str, seeds: usize) -> (Forecast, Forecast) {
    let mut with = event(&format!("{line} {vip}"));
    let mut without = event(&format!("{line} {vip} --vip 0"));
    with.tell_apart(&mut without);
    (played(&with, seeds), played(&without, seeds))
}

#[test]
fn under_strict_the_last_vip_waits_for_vips_alone() {
    let seen = played(&event(&format!("{PLAIN} {AT_ONCE} --vip 0.15")), 4);
    for [vip, other] in lanes(&seen) {
        // Ten of the others may be in before the first VIP comes; from then on VIPs go in by tens.
        let rounds = ((vip.came + 10) as f64 / 10.0).ceil();
        assert!(vip.wait_p99_ms <= rounds * 60_000.0 + NEAR_MS, "{vip:?}: {rounds} rounds");
        assert_eq!((vip.came, other.came), (vip.entered, other.entered));
        assert_eq!(vip.came + other.came, 600);
        // As long as VIPs wait, nobody else is called.
        assert!(other.pause_ms >= vip.wait_p99_ms - 60_000.0 - NEAR_MS, "{other:?}");
    }
}

#[test]
fn vips_never_wait_longer_for_their_lane_and_the_others_never_less() {
    let (with, without) = with_and_without(&format!("{PLAIN} {AT_ONCE}"), "--vip 0.15", 4);
    for ([vip, other], [vip_before, other_before]) in lanes(&with).iter().zip(lanes(&without)) {
        assert_eq!((vip.came, other.came), (vip_before.came, other_before.came));
        for (less, more) in [
            (vip.wait_p50_ms, vip_before.wait_p50_ms),
            (vip.wait_p90_ms, vip_before.wait_p90_ms),
            (vip.wait_p99_ms, vip_before.wait_p99_ms),
            (other_before.wait_p50_ms, other.wait_p50_ms),
        ] {
            assert!(less <= more + NEAR_MS, "{less} and {more}: {vip:?}");
        }
        assert!(vip.wait_p50_ms < vip_before.wait_p50_ms / 3.0, "{vip:?}");
    }
    // The lane changes neither how many get in nor when the last one does.
    for (run, before) in with.runs.iter().zip(&without.runs) {
        assert_eq!(run.entered, before.entered);
        assert!((run.last_in_ms - before.last_in_ms).abs() <= NEAR_MS);
    }
}

#[test]
fn shares_are_kept_while_both_wait() {
    for (calls, of_calls) in [(1, 0.5), (3, 0.75), (9, 0.9)] {
        let line = format!("{PLAIN} {AT_ONCE} --vip 0.5 --vip-share {calls}");
        for [vip, other] in lanes(&played(&event(&line), 4)) {
            // VIPs get their share of ten calls a minute until none waits.
            let expected = vip.came as f64 / of_calls / 10.0 * 60_000.0;
            assert!(
                (vip.wait_p99_ms - expected).abs() <= 0.06 * expected,
                "{calls}: {vip:?}, expected {expected}"
            );
            assert!(other.pause_ms < 2.0 * 60_000.0, "{calls}: {other:?}");
        }
    }
}

#[test]
fn one_lane_is_as_none() {
    let line = format!("{PLAIN} --people 500 --over 2m --permits 12 --stay 20s --before-opening 0.3");
    let none = event(&line);
    let one = said(&format!("{line} --lanes [{{name=\"everybody\"}}]"));
    let (none, one) = (played(&none, 3), played(&tried(&one).unwrap(), 3));
    assert_eq!(none.runs, one.runs);
    assert_eq!(none.lanes, vec![]);
    assert_eq!(one.lanes[0].runs[0].entered, one.runs[0].entered);
}

#[test]
fn lanes_change_nothing_else_of_anybody() {
    let (with, without) = (people(&event(&format!("{LIFE} --vip 0.3")), 7), people(&event(LIFE), 7));
    let vips = with.iter().filter(|person| person.lane == 0).count();
    assert!((240..=360).contains(&vips), "{vips}");
    for (mut person, before) in with.into_iter().zip(without) {
        person.lane = before.lane;
        assert_eq!(person, before);
    }
    // A larger share keeps every VIP of the smaller one.
    let few = people(&event(&format!("{LIFE} --vip 0.1")), 7);
    let more = people(&event(&format!("{LIFE} --vip 0.2")), 7);
    assert!(few.iter().zip(more).all(|(few, more)| few.lane == 1 || more.lane == 0));
}

#[test]
fn nobody_is_lost_between_lanes() {
    for rule in ["--vip 0.2", "--vip 0.2 --vip-share 2"] {
        for seats in ["", "--seats 150"] {
            let seen = played(&event(&format!("{LIFE} {rule} {seats}")), 4);
            for (run, [vip, other]) in seen.runs.iter().zip(lanes(&seen)) {
                let both = |of: fn(&LaneRun) -> u64| of(&vip) + of(&other);
                assert_eq!(both(|lane| lane.came), 1000, "{rule} {seats}");
                assert_eq!(both(|lane| lane.entered), run.entered, "{rule} {seats}");
                assert_eq!(both(|lane| lane.bought), run.outcomes.bought, "{rule} {seats}");
                assert_eq!(both(|lane| lane.gave_up), run.outcomes.gave_up, "{rule} {seats}");
                assert_eq!(both(|lane| lane.in_vain), run.outcomes.in_vain, "{rule} {seats}");
                assert_eq!(run.outcomes.unseen, 0, "{rule} {seats}: {run:?}");
            }
            for (at, whole) in seen.curve.iter().enumerate() {
                let each = seen.lanes.iter().map(|lane| lane.curve[at]);
                assert!(each.clone().all(|moment| moment.at_ms == whole.at_ms));
                let sum: f64 = each.map(|moment| moment.entered.mean).sum();
                assert!((sum - whole.entered.mean).abs() < 1e-6, "{rule} {seats}: {sum} at {whole:?}");
            }
        }
    }
}

/// More VIPs wait at the opening than there are seats.
#[test]
fn a_lane_that_starves_is_seen() {
    let line = format!("{PLAIN} --people 2000 --before-opening 0.9 --early-over 10m --over 60s --seats 200 --permits 20 --stay 10s");
    let strict = played(&event(&format!("{line} --vip 0.5")), 3);
    for (run, [vip, other]) in strict.runs.iter().zip(lanes(&strict)) {
        assert_eq!((vip.entered, other.entered), (run.entered, 0));
        assert!(other.in_vain > 900, "{other:?}");
        // Nobody else is called from the opening until the seats end.
        assert!(other.pause_ms >= run.seats_end_ms.unwrap() && vip.pause_ms < 60_000.0, "{other:?}");
    }
    assert_eq!(strict.lanes[1].waits, None);
    assert!(strict.notes.iter().any(|note| note.contains("stock line")));
    let shares = played(&event(&format!("{line} --vip 0.5 --vip-share 3")), 3);
    for [vip, other] in lanes(&shares) {
        let part = vip.entered as f64 / (vip.entered + other.entered) as f64;
        assert!((0.7..=0.8).contains(&part), "{part}");
    }
}

#[test]
fn each_lane_draws_in_its_own_hall() {
    // The VIPs' hall opens early and goes by arrival; everybody's is drawn.
    let text = "people = 2000\nbefore_opening = 1\nearly_over = \"20m\"\nstay = \"10s\"\ngives_up = 0\nsleeps = 0\n[room]\npermits = 20\ndraw = \"shuffle\"\nlanes = [{ name = \"vip\", people = 0.5, draw = \"arrival\", hall_s = 1200 }, { name = \"everybody\", hall_s = 60 }]\n";
    let event = in_file(text).unwrap();
    assert_eq!(event.room.core.lanes.len(), 2);
    let seen = played(&event, 3);
    for [vip, other] in lanes(&seen) {
        assert_eq!((vip.entered, other.entered), (vip.came, other.came));
        assert!(vip.wait_p99_ms < other.wait_p50_ms, "{vip:?} {other:?}");
    }
    let two_halls = text.replace(", draw = \"arrival\"", "");
    let by_lot = played(&in_file(&two_halls).unwrap(), 3);
    let early = |seen: &Forecast| {
        let spans = seen.spans.iter().filter_map(|span| span.waits);
        spans.map(|waits| waits.p50_ms.mid).next().unwrap()
    };
    assert!(early(&seen) < early(&by_lot), "{}", early(&seen));
}

#[test]
fn lanes_of_a_file_are_those_of_the_flags() {
    let file = "people = 600\nover = \"1m\"\nstay = \"20s\"\n[room]\npermits = 10\nlanes_rule = \"shares\"\nlanes = [\n  { name = \"vip\", people = 0.15, share = 3 },\n  { name = \"everybody\", people = 0.85 },\n]\n";
    let flags = "--people 600 --over 1m --stay 20s --permits 10 --vip 0.15 --vip-share 3";
    assert_eq!(played(&in_file(file).unwrap(), 2), played(&event(flags), 2));
    // `vip = 0` takes away the file's lanes.
    let said = Said::by_file("e.toml", file).unwrap();
    let none = tried(&said.then(Said::by_words("vip=0").unwrap())).unwrap();
    assert!(none.room.core.lanes.is_empty() && none.groups.is_empty());
    let three = "people = 10\n[room]\npermits = 5\n[[room.lanes]]\nname = \"a\"\npeople = 0.1\n[[room.lanes]]\nname = \"b\"\npeople = 0.2\n[[room.lanes]]\nname = \"c\"\n";
    let event = in_file(three).unwrap();
    let people: Vec<f64> = event.groups.iter().map(|group| group.people).collect();
    assert!((people[2] - 0.7).abs() < 1e-9, "{people:?}");
}

/// Long because it has two tables, one of flags and one of files, with a row for each mistake.
#[test]
fn what_is_wrong_with_lanes_is_named_with_its_cure() {
    let flags = [
        ("--vip 15", "--vip 15: is out of range\n  cure: a share of all"),
        ("--vip lots", "--vip lots: is no number"),
        ("--vip-share 3", "--vip-share 3: nobody has the VIP lane"),
        ("--vip 0.1 --vip-share 0", "a whole number from 1 to 100"),
        ("--vip 0.1 --lanes-rule shares", "--lanes-rule shares: vip says the rule"),
        ("--vip 0.1 --lanes [{name=\"a\"}]", "--vip 0.1: lanes says already"),
        ("--lanes vip", "--lanes …: is no list of lanes"),
    ];
    for (line, cure) in flags {
        let line = format!("--people 10 --permits 5 {line}");
        let error = tried(&said(&line)).expect_err(&line);
        assert!(error.contains(cure) && error.contains("cure: "), "{line}: {error}");
    }
    let lists = [
        (
            "[{ name = \"a\" }, { name = \"b\" }]",
            "e.toml:4: lanes = …: a: nobody is said to have it",
        ),
        ("[{ name = \"a\", people = 15 }, { name = \"b\" }]", "a: people = 15 is no share"),
        ("[{ name = \"a\", people = 0.9 }, { name = \"b\", people = 0.2 }]", "people make 1.1\n"),
        ("[{ name = \"a\", people = 0.1 }, { name = \"b\", people = 0.2 }]", "people make 0.3\n"),
        ("[{ name = \"a\", people = 0.1 }, { name = \"a\" }]", "two lanes with the name a"),
        (
            "[{ name = \"a\", people = 0.1, share = 0 }, { name = \"b\" }]",
            "e.toml:4: lanes = …: a.share is not a whole number",
        ),
        ("[{ name = \"a\", peple = 0.1 }, { name = \"b\" }]", "a.peple"),
        (
            "[{ name = \"a\", people = 0.1, opens_at = \"2026-12-01T10:00:00+09:00\" }, { name = \"b\" }]",
            "a: opens_at is a date",
        ),
        ("[{ name = \"A\", people = 0.1 }, { name = \"b\" }]", "is no lane's name"),
        ("[1, 2]", "is not a lane"),
        ("\"vip\"", "is no list of lanes"),
    ];
    for (list, cure) in lists {
        let text = format!("people = 10\n[room]\npermits = 5\nlanes = {list}\n");
        let error = in_file(&text).expect_err(list);
        assert!(error.contains(cure) && error.contains("cure: "), "{list}: {error}");
    }
    let error = in_file("people = 10\nlanes = []\n[room]\npermits = 5\n").unwrap_err();
    assert!(error.contains("put it below a line [room]"), "{error}");
}
