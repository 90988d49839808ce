//! Forecasts of lines whose end is known on paper, and what a forecast must never do.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use baton_advice::{Forecast, Question, Silence, forecast};
use facts::config::Mode;
use room::health::Condition;
use room::outlook::{FORMAT, Minute, Outlook, Point, Stays};

const NOW: u64 = 1_700_000_000_000;
const MINUTE: u64 = 60_000;

/// A line of `present` people who came in the last ten minutes and stay. Visits last a minute, and `permits` people are inside at once.
///
/// Long because it names each field of an outlook.
fn line(present: u64, permits: u32) -> Outlook {
    let minute = |ago: u64| Minute {
        at_ms: NOW - ago * MINUTE,
        waiting: present + ago * u64::from(permits),
        inside: permits,
        admitted: (60 - ago) * u64::from(permits),
    };
    let admitted = 59 * u64::from(permits);
    Outlook {
        format: FORMAT,
        now_ms: NOW,
        mode: Mode::Open,
        permits,
        permits_ramp: None,
        admissions_milli_per_s: 0,
        admissions_ramp: None,
        claim_within_ms: 30_000,
        lease_idle_ms: 300_000,
        tick_ms: 1_000,
        walk_in: true,
        present,
        away: 0,
        called: 0,
        inside: permits,
        in_hall: 0,
        opens_at_ms: None,
        claimed: admitted,
        missed: 0,
        walked_in: 0,
        waited: (admitted, admitted * 5 * MINUTE),
        passed_over: 0,
        stays: vec![
            Stays {
                to_ms: MINUTE / 2,
                ended: 0,
                ended_lately: 0,
                inside: u64::from(permits),
            },
            Stays {
                to_ms: MINUTE,
                ended: 50 * u64::from(permits),
                ended_lately: 9 * u64::from(permits),
                inside: 0,
            },
        ],
        claims: vec![(16, 100)],
        line: vec![
            Point {
                at_ms: NOW - 10 * MINUTE,
                number: admitted + 1,
                present: 0,
            },
            Point {
                at_ms: NOW,
                number: admitted + 1 + present,
                present,
            },
        ],
        hour: (1..60).rev().map(minute).collect(),
        stock: None,
        origin: Condition::Well,
    }
}

/// The same without arrivals: everybody came at one moment, long ago.
fn closed(present: u64, permits: u32) -> Outlook {
    let mut outlook = line(present, permits);
    for point in &mut outlook.line {
        point.at_ms = NOW - 70 * MINUTE;
    }
    let last = outlook.line.last().copied().expect("a point");
    outlook.line.push(Point { at_ms: NOW, ..last });
    outlook.hour.clear();
    outlook
}

fn asked(outlook: Outlook, permits: Option<u32>) -> Forecast {
    forecast(&Question {
        outlook,
        permits,
        futures: None,
    })
}

#[test]
fn a_line_of_known_length_ends_when_arithmetic_says() {
    for (present, permits) in [(200, 20), (2_000, 100), (100_000, 2_000), (1_000_000, 20_000)] {
        let said = asked(closed(present, permits), None);
        assert_eq!(said.silence, None);
        // Visits last 53 to 60 s, one after the other.
        let exact = present as f64 / f64::from(permits) * 56_700.0;
        let (low, high) = (said.line_ends.p10.expect("ends"), said.line_ends.p90.expect("ends"));
        assert!(
            (low as f64) < exact * 1.02 && exact * 0.98 < high as f64,
            "{present}: {low} {exact} {high}"
        );
        let middle = said.line_ends.p50.expect("ends") as f64;
        assert!((middle / exact - 1.0).abs() < 0.08, "{present}: {middle} for {exact}");
        assert!(
            high as f64 <= low as f64 * 1.6,
            "a line without surprises has a narrow band: {low} {high}"
        );
    }
}

#[test]
fn a_newcomer_waits_as_long_as_the_line_is_and_bands_are_in_order() {
    let said = asked(closed(2_000, 100), None);
    let (newcomer, ends) = (said.newcomer.p50.expect("called"), said.line_ends.p50.expect("ends"));
    assert!(newcomer.abs_diff(ends) * 10 < ends, "{newcomer} {ends}");
    for later in &said.waiting {
        let band = later.waiting;
        assert!(band.p10 <= band.p50 && band.p50 <= band.p90, "{later:?}");
    }
    let first = said.waiting.first().expect("a point").waiting.p50;
    assert!(first.is_some_and(|count| count.abs_diff(2_000) < 60), "{first:?}");
    assert!(said.waiting.windows(2).all(|pair| pair[0].after_ms < pair[1].after_ms));
}

#[test]
fn who_comes_makes_it_longer_and_a_rise_never_goes_on() {
    let alone = asked(closed(2_000, 100), None).line_ends.p50.expect("ends");
    let with = asked(line(2_000, 100), None);
    assert!(with.arrivals_per_h > 5_000, "{}", with.arrivals_per_h);
    // Twice as many people come as are let in.
    assert!(with.line_ends.p50.is_none_or(|ends| ends > alone), "{with:?}");
}

#[test]
fn more_permits_never_make_it_later_and_the_same_question_has_the_same_answer() {
    let mut outlook = closed(3_000, 100);
    outlook.hour = line(3_000, 100).hour.split_off(57);
    outlook.hour[0].inside = 40;
    outlook.line[0].at_ms = NOW - 90 * MINUTE;
    let mut last = u64::MAX;
    for permits in [50, 70, 90, 110] {
        let said = asked(outlook.clone(), Some(permits));
        assert_eq!(said.silence, None, "{permits}: {:?}", said.measured);
        let ends = said.line_ends.p50.expect("ends");
        assert!(ends < last, "{permits}: {ends} after {last}");
        last = ends;
        assert_eq!(said, asked(outlook.clone(), Some(permits)));
    }
}

#[test]
fn what_was_not_tried_is_not_measured() {
    let outlook = line(2_000, 100);
    let measured = asked(outlook.clone(), None).measured;
    assert_eq!((measured.least, measured.most, measured.from, measured.to), (100, 100, 100, 110));
    for permits in [99, 111, 0, u32::MAX] {
        let said = asked(outlook.clone(), Some(permits));
        assert_eq!(said.silence, Some(Silence::NotMeasured), "{permits}");
        assert!(said.waiting.is_empty() && said.line_ends.p50.is_none());
    }
}

#[test]
fn a_shop_that_slows_is_said_to_and_nothing_is_promised_above() {
    let mut outlook = line(2_000, 100);
    let mut admitted = 0;
    for (at, minute) in outlook.hour.iter_mut().enumerate() {
        // Above 60 inside, visits are twice as long.
        let (inside, rate) = if at < 30 { (60, 60) } else { (100, 50) };
        admitted += rate;
        (minute.inside, minute.admitted) = (inside, admitted);
    }
    let measured = asked(outlook.clone(), None).measured;
    assert_eq!((measured.slows_above, measured.to), (Some(60), 100));
    outlook.hour = line(2_000, 100).hour;
    assert_eq!(asked(outlook, None).measured.slows_above, None);
}

#[test]
fn where_nothing_can_be_known_nothing_is_said() {
    let with = |change: fn(&mut Outlook)| {
        let mut outlook = line(500, 50);
        change(&mut outlook);
        asked(outlook, None).silence
    };
    assert_eq!(with(|_| ()), None);
    assert_eq!(with(|o| o.format = 2), Some(Silence::Format));
    assert_eq!(with(|o| o.mode = Mode::Paused), Some(Silence::Mode));
    assert_eq!(with(|o| o.mode = Mode::SoldOut), Some(Silence::Mode));
    assert_eq!(with(|o| o.present = 0), Some(Silence::Nobody));
    assert_eq!(with(|o| o.stays.clear()), Some(Silence::Little));
}

#[test]
fn a_ramp_and_a_pace_are_in_the_forecast() {
    let slow = |change: fn(&mut Outlook)| {
        let mut outlook = closed(1_000, 100);
        change(&mut outlook);
        asked(outlook, None).line_ends.p50.expect("ends")
    };
    let plain = slow(|_| ());
    // A tenth of the pace, ten times as long.
    let paced = slow(|o| o.admissions_milli_per_s = 500);
    assert!(paced.abs_diff(2_000_000) < 200_000, "{paced}");
    let ramped = slow(|o| {
        o.permits = 10;
        o.inside = 10;
        o.permits_ramp = Some(room::ramp::Ramp {
            from: 10,
            to: 100,
            since: facts::units::Instant(NOW),
            over_ms: 20 * MINUTE,
        });
    });
    assert!(plain < ramped && ramped < 10 * plain, "{plain} {ramped}");
}

#[test]
fn whatever_the_numbers_are_it_answers() {
    let extremes = [0, 1, u64::from(u32::MAX), 1 << 53];
    for number in extremes {
        let mut outlook = line(100, 10);
        outlook.present = number;
        outlook.waited = (number, number);
        outlook.claimed = number;
        outlook.passed_over = number;
        outlook.now_ms = number.max(1);
        outlook.stays.push(Stays {
            to_ms: number,
            ended: number,
            ended_lately: number,
            inside: number,
        });
        outlook.inside = u32::try_from(number).unwrap_or(u32::MAX).min(100_000);
        let question = Question {
            outlook,
            permits: None,
            futures: Some(3),
        };
        let said = forecast(&question);
        assert!(serde_json::to_string(&said).is_ok());
    }
}
