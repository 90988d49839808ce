//! Tests `audit carried`: its figures are what the room counted, for people inside over time and for how long the origin took.

use crate::sale::{Keeps, Sale, export, wall_ms};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::event::Event;
use baton::room::Room;
use baton_tools::audit::carried::Carried;
use serde_json::Value;

const SPAN_MS: u64 = 5_000;

fn windows(lines: &[String], span_ms: u64) -> Vec<Value> {
    let mut carried = Carried::new(span_ms);
    for line in lines {
        carried.line(line).expect("a lawful history");
    }
    carried.finish().expect("it has rows")
}

fn sum(windows: &[Value], key: &str) -> u64 {
    windows.iter().filter_map(|window| window[key].as_u64()).sum()
}

#[test]
fn people_inside_and_answers_are_those_that_the_room_counted_whatever_the_windows() {
    let mut answers = 0;
    for seed in 0..6 {
        let sale = Sale::of(seed, 300, Keeps::default());
        let (mut room, mut until_ms, mut inside_ms) = (Room::new(), None, 0);
        let mut told = AnswerTimes::default();
        for row in &sale.rows {
            let wall = wall_ms(row);
            let from = until_ms.unwrap_or(wall);
            inside_ms += u64::from(room.permits().leased()) * wall.saturating_sub(from);
            until_ms = Some(wall.max(from));
            for event in &row.events {
                if let Event::Overheard(heard) = event {
                    told = told.plus(&heard.times);
                }
            }
            room.replay(row).expect("the next row");
        }
        answers += told.count();
        for span_ms in [SPAN_MS, 1_000_000_000] {
            let windows = windows(&export(&sale.rows), span_ms);
            assert_eq!(sum(&windows, "answers"), told.count(), "seed {seed}");
            assert_eq!(sum(&windows, "sum_ms"), told.sum_ms, "seed {seed}");
            let seen: f64 = windows
                .iter()
                .filter_map(|window| Some(window["inside"].as_f64()? * window["span_ms"].as_f64()?))
                .sum();
            let wrong = (seen - inside_ms as f64).abs();
            assert!(wrong < 1.0, "seed {seed}: {seen}, the room {inside_ms}");
            for window in &windows {
                assert!(window["span_ms"].as_u64() <= Some(span_ms), "{window}");
                let octaves = window["octaves"].as_array().map(Vec::len);
                assert_eq!(octaves, Some(AnswerTimes::default().octaves().count()));
            }
        }
    }
    assert!(answers > 50, "{answers} answers in all");
}

#[test]
fn an_export_that_is_not_sound_carries_nothing() {
    let sale = Sale::of(3, 60, Keeps::default());
    let mut lines = export(&sale.rows);
    lines.remove(lines.len() / 2);
    let mut carried = Carried::new(SPAN_MS);
    let heard = lines.iter().try_for_each(|line| carried.line(line));
    assert!(heard.is_err());
    assert!(Carried::new(SPAN_MS).finish().is_err(), "no row at all");
}
