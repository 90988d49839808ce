//! Tests how forecasts are compared with what came: simulated sales repeat, a journal can be played again, and a journal that is not sound is
//! refused. The step `advice` of `npm test`, compiled for speed, checks whether four forecasts of five lie in their bands.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use baton::facts::units::{LaneId, Number};
use baton_advice::Band;
use baton_tools::advise::course::{Asked, Course};
use baton_tools::advise::flags::{Question, Task};
use baton_tools::advise::replay::{Played, Replay};
use baton_tools::advise::rerun::Pace;
use baton_tools::advise::sale::{Habits, play};
use baton_tools::advise::score::{Pair, Score, pairs};
use baton_tools::advise::{HELD_OUT, report};
use baton_tools::audit::Stop;
use baton_tools::flags::{Wish, read};

const SMALL: &str = include_str!("audit/small_sale.jsonl");
const MOMENTS_MS: [u64; 2] = [60_000, 120_000];

fn replayed(text: &str, every_ms: u64) -> Result<Played, Stop> {
    paced(text, every_ms, usize::MAX)
}

fn paced(text: &str, every_ms: u64, most: usize) -> Result<Played, Stop> {
    let mut replay = Replay::new(Pace { every_ms, most });
    for line in text.lines() {
        replay.line(line)?;
    }
    replay.finish()
}

/// Returns a sale that is small enough for a test, with people waiting at both moments.
fn small() -> Habits {
    (0..)
        .map(Habits::of)
        .find(|habits| habits.people < 400 && play(habits, &MOMENTS_MS).asked.len() == 2)
        .expect("a seed")
}

#[test]
fn a_sale_repeats_and_says_what_came_of_it() {
    let course = play(&small(), &MOMENTS_MS);
    let again = play(&small(), &MOMENTS_MS);
    assert_eq!(course.calls, again.calls);
    assert_eq!(course.asked.len(), 2);
    for asked in &course.asked {
        let ends_ms = course.line_ends_ms(asked).expect("it ends");
        let newcomer_ms = course.newcomer_ms(asked).expect("somebody is called");
        assert!(newcomer_ms <= ends_ms, "{newcomer_ms} {ends_ms}");
        let waiting = course.waiting_ms(asked, 0).expect("they wait");
        assert!(waiting > 0 && asked.outlook.present > 0);
    }
    let (first, second) = (&course.asked[0], &course.asked[1]);
    let end = |asked: &Asked| asked.after_ms + course.line_ends_ms(asked).expect("it ends");
    assert!(end(first) <= end(second), "who asks later hears of no earlier end");
}

#[test]
fn what_an_operator_changes_ends_a_forecast() {
    let mut course = play(&small(), &MOMENTS_MS);
    let asked = course.asked.remove(0);
    let ends_ms = course.line_ends_ms(&asked).expect("it ends");
    course.changed_ms = vec![asked.after_ms + ends_ms + 1];
    assert_eq!(course.line_ends_ms(&asked), Some(ends_ms), "after it all");
    course.changed_ms = vec![asked.after_ms + ends_ms / 2];
    assert_eq!(course.line_ends_ms(&asked), None);
    assert_eq!(course.waiting_ms(&asked, ends_ms * 3 / 4), None);
}

#[test]
fn what_came_is_looked_up_from_the_moment_on() {
    let mut course = play(&small(), &MOMENTS_MS);
    let asked = course.asked.remove(0);
    let (before, at) = (asked.after_ms - 1, asked.after_ms);
    course.empty_ms = vec![before, at + 500, at + 900];
    course.calls = vec![
        (Number(asked.next.0 + 9), before),
        (Number(1), at + 1),
        // A number of another lane does not count as a later one, though it is higher.
        (LaneId(1).number(1), at + 2),
        (asked.next, at + 300),
    ];
    assert_eq!(course.line_ends_ms(&asked), Some(500));
    assert_eq!(course.newcomer_ms(&asked), Some(300));
    course.calls.clear();
    assert_eq!(course.newcomer_ms(&asked), Some(500), "with nobody waiting one walks in");
    course.empty_ms.clear();
    assert_eq!(course.newcomer_ms(&asked), None);
    assert_eq!(Course::default().line_ends_ms(&asked), None);
}

#[test]
fn a_band_is_right_up_to_its_ends_and_open_where_it_says_nothing() {
    let pair = |p10, p90, came| Pair {
        target: 0,
        band: Band { p10, p50: p10, p90 },
        came,
    };
    let cases = [
        (pair(Some(10), Some(20), Some(10)), true),
        (pair(Some(10), Some(20), Some(20)), true),
        (pair(Some(10), Some(20), Some(9)), false),
        (pair(Some(10), Some(20), Some(21)), false),
        (pair(Some(10), Some(20), None), false),
        (pair(Some(10), None, None), true),
        (pair(Some(10), None, Some(5)), false),
        (pair(None, None, None), true),
        (pair(None, None, Some(5)), false),
    ];
    for (pair, is_within) in cases {
        assert_eq!(pair.is_within(), is_within, "{pair:?}");
    }
    let pairs: Vec<Pair> = cases.iter().map(|(pair, _)| *pair).collect();
    let score = Score::of(&pairs, 0);
    assert_eq!((score.count, score.within, score.below), (9, 4, 3));
    assert_eq!(Score::of(&pairs, 1).count, 0);
}

#[test]
fn a_journal_is_played_again_and_one_that_is_not_sound_is_refused() {
    let played = replayed(SMALL, 1_000).expect("sound");
    let text = report::text(&played);
    assert!(text.starts_with(&format!("Room {}: what was forecast", played.room)), "{text}");
    assert!(!played.course.calls.is_empty() || played.course.asked.is_empty());
    let bent = SMALL.replacen("\"count\":", "\"count\":1", 1);
    assert!(matches!(replayed(&bent, 1_000), Err(Stop::Fault(_))));
    let part: String = SMALL.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert!(matches!(replayed(&part, 1_000), Err(Stop::Unreadable { .. })));
    assert!(matches!(replayed("", 1_000), Err(Stop::Unreadable { .. })));
}

#[test]
fn a_long_sale_has_no_more_forecasts_than_wanted_and_they_are_evenly_spaced() {
    let all = replayed(SMALL, 1_000).expect("sound").course.asked;
    let few = paced(SMALL, 1_000, 10).expect("sound").course.asked;
    assert!(all.len() > 40 && (5..=10).contains(&few.len()), "{}", few.len());
    // A forecast every 16 s, as long as somebody waits.
    let off = few.iter().filter(|asked| asked.after_ms % 16_000 != 0);
    assert_eq!(off.count(), 0, "{few:?}");
    // The forecasts that are left have the outlooks of the full run.
    for asked in &few {
        let same = all.iter().find(|one| one.after_ms == asked.after_ms);
        assert_eq!(same.map(|one| &one.outlook), Some(&asked.outlook));
    }
}

#[test]
fn what_a_journal_ends_before_is_not_held_against_a_forecast() {
    let mut course = play(&small(), &MOMENTS_MS);
    let asked = course.asked.remove(0);
    course.empty_ms.clear();
    course.calls.clear();
    let counts = |course: &Course| pairs(course, &asked, 20).1.len();
    assert!(counts(&course) >= 2, "it never ended, and was watched for ever");
    course.watched_ms = asked.after_ms;
    assert!(pairs(&course, &asked, 20).1.iter().all(|pair| pair.came.is_some()));
}

#[test]
fn the_command_line_says_what_is_wrong() {
    let parse = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read::<Task>(&words)
    };
    let Ok(Wish::Do(task)) = parse("check") else {
        panic!("check is understood");
    };
    let Question::Check(check) = task.question else {
        panic!("a check");
    };
    assert_eq!((check.sales, check.seed), (200, HELD_OUT));
    for (line, said) in [
        ("", "nothing to do"),
        ("chek", "unknown command `chek`"),
        ("check --sales 0", "--sales is `0`"),
        ("replay", "no EXPORT"),
        ("replay a.jsonl --every-min 0", "--every-min is `0`"),
        ("check --sale 3", "unknown flag --sale"),
    ] {
        let why = parse(line).expect_err(line);
        assert!(why.contains(said) && why.contains("cure: "), "{line}: {why}");
    }
}
