//! Compares a rehearsal with its expected outcome.

use super::player::{Seen, Through, What};
use super::table::Table;
use super::{Flaw, nearest};

/// The tolerance: clocks of other programs round, or call the second visitor of a turn a moment after the first.
const TOLERANCE_MS: u64 = 1;

/// Reads an expected outcome, in the form of the rehearsal's own output. O(length).
///
/// # Errors
/// Returns a [`Flaw`] for the first line that cannot be compared.
pub fn parse(file: &str, text: &str) -> Result<Vec<Seen>, Flaw> {
    let table = Table::read(file, text, ["at_ms", "event", "subject", "by"], &[])?;
    let mut all = Vec::new();
    for row in &table.rows {
        let [at_ms, event, subject, by] = &row.fields;
        let at_ms = table.millis(row, "at_ms", at_ms)?;
        let what = match event.as_str() {
            "admit" => What::Admit {
                visitor: subject.clone(),
                by: through(by).ok_or_else(|| {
                    let cure = "`usher`, `baton` or `walk_in`";
                    table.flaw(row, format!("admitted by `{by}`"), cure)
                })?,
            },
            "tray" => What::Tray {
                permits: subject.parse().map_err(|_| {
                    let cure = "how many permits the usher moved, a whole number";
                    table.flaw(row, format!("tray of `{subject}`"), cure)
                })?,
            },
            other => {
                let meant = nearest(other, ["admit", "tray"].into_iter()).map_or(String::new(), |word| format!("did you mean `{word}`? "));
                let cure = format!("{meant}events are `admit` and `tray`");
                return Err(table.flaw(row, format!("unknown event `{other}`"), &cure));
            }
        };
        all.push(Seen { at_ms, what });
    }
    Ok(all)
}

fn through(name: &str) -> Option<Through> {
    Through::ALL.into_iter().find(|by| by.name() == name)
}

/// Returns the first difference: who was admitted, by whom and in which order, within a millisecond. The tray is compared in the same way if the
/// expected outcome names it at all. O(rows).
#[must_use]
pub fn difference(expected: &[Seen], seen: &[Seen]) -> Option<String> {
    let admits = |seen: &&Seen| matches!(seen.what, What::Admit { .. });
    let trays = |seen: &&Seen| matches!(seen.what, What::Tray { .. });
    let admission = first_difference("admission", expected.iter().filter(admits), seen.iter().filter(admits));
    if admission.is_some() || !expected.iter().any(|seen| trays(&seen)) {
        return admission;
    }
    first_difference("tray", expected.iter().filter(trays), seen.iter().filter(trays))
}

fn first_difference<'a>(name: &str, mut expected: impl Iterator<Item = &'a Seen>, mut seen: impl Iterator<Item = &'a Seen>) -> Option<String> {
    let text = |seen: Option<&Seen>| seen.map_or("nothing more".to_owned(), Seen::to_string);
    for nth in 1.. {
        let (wanted, got) = (expected.next(), seen.next());
        let agrees = match (wanted, got) {
            (None, None) => return None,
            (Some(wanted), Some(got)) => wanted.what == got.what && wanted.at_ms.abs_diff(got.at_ms) <= TOLERANCE_MS,
            _ => false,
        };
        if !agrees {
            let (wanted, got) = (text(wanted), text(got));
            return Some(format!("{name} {nth}: expected `{wanted}`, seen `{got}`"));
        }
    }
    None
}
