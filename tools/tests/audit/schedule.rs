//! Tests the audit of a schedule: the room carries out each step once, in order and not before its time, and changes no more than the step says.

use super::audit;
use super::sale::{Keeps, Sale, export, wall_ms};
use baton::facts::config::{Change, Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::live::Ramped;
use baton::facts::schedule::{BY_SCHEDULE, Step, StepEnd};
use baton::facts::units::Instant;
use baton::room::hall::Lots;
use baton::room::live;
use baton::room::schedule;

const OPEN: Change = Change::Mode(Some(Mode::Open));
/// A step that sets this is refused.
const MANY: Change = Change::Permits(Some(Ramped::At(u32::MAX)));

/// Returns a ramp of permits over a minute, as a step says it, or as it began.
const fn ramp(to: u32, began: Option<(u32, Instant)>) -> Change {
    let (from, since) = match began {
        Some((from, since)) => (Some(from), Some(since)),
        None => (None, None),
    };
    Change::Permits(Some(Ramped::Ramp {
        from,
        to,
        over_ms: 60_000,
        since,
    }))
}

const fn step(at_ms: u64, set: Vec<Change>) -> Step {
    Step { at_ms, offset_s: 0, set }
}

/// Returns the rows of a room with two steps: one with a ramp is carried out, the other is refused.
fn history() -> Vec<Row> {
    let mut sale = Sale::new(1, Keeps::default());
    let now = sale.now;
    let steps = vec![step(now.0 + 1_000, vec![OPEN, ramp(9, None)]), step(now.0 + 2_000, vec![MANY])];
    let planned = RoomConfig {
        schedule: steps.clone(),
        permits: 4,
        ..RoomConfig::default()
    };
    let hours = |room: &mut baton::room::Room, row: &mut Row| {
        room.keep_hours(wall_ms(row), &Lots::default(), row);
    };
    sale.write(|room, _, row| {
        room.configure(&planned, row);
        hours(room, row);
    });
    sale.now = now.plus_ms(1_000);
    let opened = RoomConfig { permits: 5, ..planned };
    sale.write(|room, _, row| {
        room.configure(&opened, row);
        let values = vec![OPEN, ramp(9, Some((4, now)))];
        room.commit([live::adjusted(BY_SCHEDULE, values)], row);
        room.commit([schedule::ended(steps[0].at_ms, StepEnd::Done)], row);
        hours(room, row);
    });
    sale.now = now.plus_ms(2_500);
    sale.write(|room, _, row| {
        let why = "no number".to_owned();
        room.commit([schedule::ended(steps[1].at_ms, StepEnd::Refused(why))], row);
        hours(room, row);
    });
    sale.rows
}

#[test]
fn a_schedule_that_was_kept_is_sound() {
    let report = audit(&export(&history()), None).unwrap();
    assert_eq!((report.totals.steps, report.totals.adjusted), (2, 1));
}

/// Returns what the audit says of the history after a change.
fn broken(change: impl FnOnce(&mut Vec<Row>)) -> String {
    let mut rows = history();
    change(&mut rows);
    audit(&export(&rows), None).unwrap_err().to_string()
}

fn events(rows: &mut [Row], from_the_end: usize) -> &mut Vec<Event> {
    let row = rows.len() - from_the_end;
    &mut rows[row].events
}

#[test]
fn a_schedule_that_was_not_kept_is_found() {
    let is_step = |event: &Event| matches!(event, Event::Scheduled { .. });
    let forgotten = broken(|rows| events(rows, 2).retain(|e| !is_step(e) && !matches!(e, Event::Adjusted { .. })));
    assert!(forgotten.contains("was due at"), "{forgotten}");
    let twice = broken(|rows| {
        let step = events(rows, 1)[0].clone();
        events(rows, 1).insert(0, step);
    });
    assert!(twice.contains("was dealt with, None is next"), "{twice}");
    let early = broken(|rows| {
        let step = events(rows, 1)[0].clone();
        let step = match step {
            Event::Scheduled { at_ms, .. } => Event::Scheduled { at_ms, end: StepEnd::Done },
            other => other,
        };
        events(rows, 2).push(step);
        rows.pop();
    });
    assert!(early.contains("before its time"), "{early}");
    let other = |values: Vec<Change>| {
        broken(|rows| {
            for event in events(rows, 2) {
                if let Event::Adjusted { values: was, .. } = event {
                    was.clone_from(&values);
                }
            }
        })
    };
    let more = other(vec![OPEN, Change::GraceMs(Some(3_000))]);
    assert!(more.contains("which it does not say"), "{more}");
    let elsewhere = other(vec![OPEN, ramp(8, Some((4, Instant(1))))]);
    assert!(elsewhere.contains("which it does not say"), "{elsewhere}");
    let less = other(vec![OPEN]);
    assert!(less.contains("is not in force"), "{less}");
    let anyway = broken(|rows| {
        let values = vec![MANY];
        let by = String::new();
        events(rows, 1).insert(0, Event::Adjusted { by, values });
    });
    assert!(anyway.contains("was not carried out changes something"), "{anyway}");
}
