//! Reads what visitors do: `at_ms,event,visitor`, and `stay_ms` if they leave on their own.

use super::table::{Row, Table};
use super::{Flaw, nearest};

const EVENTS: [&str; 3] = ["arrive", "release", "tick"];

/// What a visitor or the usher does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A visitor comes.
    Arrive {
        /// Who.
        visitor: String,
        /// How long after going in the visitor gives the permit back; `None` if only a row or the lease ends the visit.
        stay_ms: Option<u64>,
    },
    /// A visitor gives back the permit, or leaves the line.
    Release(String),
    /// The usher takes a turn.
    Tick,
}

/// One row of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time, ms from wherever the trace counts.
    pub at_ms: u64,
    /// What.
    pub act: Act,
}

/// Reads a whole trace. O(length).
///
/// # Errors
/// Returns a [`Flaw`] for the first line that cannot be played.
pub fn parse(file: &str, text: &str) -> Result<Vec<Step>, Flaw> {
    let table = Table::read(file, text, ["at_ms", "event", "visitor", "stay_ms"], &["stay_ms"])?;
    let mut steps: Vec<Step> = Vec::new();
    for row in &table.rows {
        let step = step(&table, row)?;
        if let Some(last) = steps.last()
            && step.at_ms < last.at_ms
        {
            return Err(table.flaw(
                row,
                format!("time runs backwards, from {} to {}", last.at_ms, step.at_ms),
                "sort the rows by at_ms; rows of one moment stay in the order they happened",
            ));
        }
        steps.push(step);
    }
    Ok(steps)
}

fn step(table: &Table<'_, 4>, row: &Row<4>) -> Result<Step, Flaw> {
    let [at_ms, event, visitor, stay] = &row.fields;
    let at_ms = table.millis(row, "at_ms", at_ms)?;
    let named = || {
        if visitor.is_empty() {
            let cure = format!("name who, as in `{at_ms},{event},ann`");
            return Err(table.flaw(row, format!("`{event}` without a visitor"), &cure));
        }
        Ok(visitor.clone())
    };
    if !stay.is_empty() && event != "arrive" {
        let cure = "say it where the visitor arrives";
        return Err(table.flaw(row, format!("stay_ms with `{event}`"), cure));
    }
    let act = match event.as_str() {
        "arrive" => Act::Arrive {
            visitor: named()?,
            stay_ms: match stay.as_str() {
                "" => None,
                text => Some(table.millis(row, "stay_ms", text)?),
            },
        },
        "release" => Act::Release(named()?),
        "tick" if visitor.is_empty() => Act::Tick,
        "tick" => {
            return Err(table.flaw(
                row,
                format!("`tick` with a visitor, `{visitor}`"),
                &format!("the usher's turn is nobody's: `{at_ms},tick,`"),
            ));
        }
        other => {
            let meant = nearest(other, EVENTS.into_iter()).map_or(String::new(), |word| format!("did you mean `{word}`? "));
            let cure = format!("{meant}events are `arrive`, `release` and `tick`");
            return Err(table.flaw(row, format!("unknown event `{other}`"), &cure));
        }
    };
    Ok(Step { at_ms, act })
}
