//! What visitors do, as a file says it: `at_ms,event,visitor`.

use super::table::{Row, Table};
use super::{Flaw, nearest};

const EVENTS: [&str; 3] = ["arrive", "release", "tick"];

/// What a visitor, or the usher, does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A visitor comes.
    Arrive(String),
    /// A visitor gives back what it has.
    Release(String),
    /// The usher takes a turn.
    Tick,
}

/// One row of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When, in milliseconds from wherever the trace counts.
    pub at_ms: u64,
    /// What.
    pub act: Act,
}

/// Reads a whole trace. O(length).
///
/// # Errors
/// The first line that cannot be played.
pub fn parse(file: &str, text: &str) -> Result<Vec<Step>, Flaw> {
    let table = Table::read(file, text, ["at_ms", "event", "visitor"])?;
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

fn step(table: &Table<'_, 3>, row: &Row<3>) -> Result<Step, Flaw> {
    let [at_ms, event, visitor] = &row.fields;
    let at_ms = table.moment(row, at_ms)?;
    let named = |act: fn(String) -> Act| {
        if visitor.is_empty() {
            let cure = format!("name who, as in `{at_ms},{event},ann`");
            return Err(table.flaw(row, format!("`{event}` without a visitor"), &cure));
        }
        Ok(act(visitor.clone()))
    };
    let act = match event.as_str() {
        "arrive" => named(Act::Arrive)?,
        "release" => named(Act::Release)?,
        "tick" if visitor.is_empty() => Act::Tick,
        "tick" => {
            return Err(table.flaw(
                row,
                format!("`tick` with a visitor, `{visitor}`"),
                &format!("the usher's turn is nobody's: `{at_ms},tick,`"),
            ));
        }
        other => {
            let meant = nearest(other, EVENTS.into_iter())
                .map_or(String::new(), |word| format!("did you mean `{word}`? "));
            let cure = format!("{meant}events are `arrive`, `release` and `tick`");
            return Err(table.flaw(row, format!("unknown event `{other}`"), &cure));
        }
    };
    Ok(Step { at_ms, act })
}
