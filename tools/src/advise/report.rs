//! Writes what was forecast in a sale and what came, as a table for people.

use super::FUTURES;
use super::replay::Played;
use super::score::{Pair, TARGETS, Table, pairs};
use core::fmt::Write;

const MINUTE_MS: f64 = 60_000.0;

/// Returns the report as text. O(forecasts).
#[must_use]
pub fn text(played: &Played) -> String {
    let Played { room, course, .. } = played;
    let mut text = format!("Room {room}: what was forecast, and what came.\n\n");
    let mut all: Vec<Pair> = Vec::new();
    for asked in &course.asked {
        let (said, pairs) = pairs(course, asked, FUTURES);
        let minute = asked.after_ms as f64 / MINUTE_MS;
        let _ = match said.silence {
            Some(silence) => writeln!(text, "minute {minute:.0}: nothing is said ({silence:?})"),
            None => writeln!(text, "minute {minute:.0}: {} wait", asked.outlook.present),
        };
        for pair in &pairs {
            let _ = writeln!(text, "  {}", line(pair));
        }
        all.extend(pairs);
    }
    if all.is_empty() {
        text += "No forecast can be held against what came: nobody waited for long enough.\n";
    } else {
        let within = all.iter().filter(|pair| pair.is_within()).count();
        let _ = writeln!(
            text,
            "\n{within} of {} came to lie in their bands; four of five are meant to.\n",
            all.len()
        );
        let _ = write!(text, "{}", Table(&all));
    }
    text
}

fn line(pair: &Pair) -> String {
    let is_time = pair.target < 2;
    let shown = |value: Option<u64>| match value {
        None => "later".to_owned(),
        Some(ms) if is_time => format!("{:.1} min", ms as f64 / MINUTE_MS),
        Some(count) => count.to_string(),
    };
    let name = TARGETS.get(pair.target).copied().unwrap_or_default();
    let judged = if pair.is_within() { "in the band" } else { "outside" };
    format!(
        "{name}: {} to {}, came {} ({judged})",
        shown(pair.band.p10),
        shown(pair.band.p90),
        shown(pair.came),
    )
}
