//! The report after a sale, made from an exported journal alone: people, waits, permits, what the operator did, and the audit's verdict.
//!
//! Text in, one value out. The caller passes lines one by one. Memory is taken for living tickets and permits, as in the audit, and for a bounded
//! number of stretches of time. Every row passes the audit before it is counted. There are no files and no clock here: the program `report` reads
//! files, and the desk runs the same code in the browser (`web/report/`).
//!
//! | file | what is in it |
//! |---|---|
//! | `fold`, `in_lanes` | what each fact means, and what it means for single lanes |
//! | `counts`, `lanes` | what is counted in one edition, and in each lane |
//! | `acts` | what was done to the room, and when |
//! | `standing` | how the room stood, and for how long |
//! | `spans`, `durations` | stretches and histograms in bounded memory |
//! | `forecasts` | how good the outlook was: the form only |
//! | `value` | the report as a value: the form that is printed |
//! | `flags` | what people type |

mod acts;
mod counts;
mod durations;
#[cfg(feature = "programs")]
pub mod flags;
mod fold;
pub mod forecasts;
mod in_lanes;
mod lanes;
mod spans;
mod standing;
mod value;

use crate::audit::{Audit, Fault, Ledger, Moment, Stop, Watch};
#[cfg(feature = "programs")]
pub(crate) use acts::field_of;
use baton::facts::event::Event;
use fold::Fold;
pub use value::{FORM, PUBLIC_MIN, Report, Verdict};

/// The part of the journal to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The edition; `None` for the last in which anybody came.
    pub edition: Option<u32>,
    /// The beginning: wall clock, Unix ms.
    pub from_ms: u64,
    /// The end, not included: wall clock, Unix ms.
    pub to_ms: u64,
    /// Whether groups of fewer than ten people are merged and no ticket is named.
    pub is_public: bool,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            edition: None,
            from_ms: 0,
            to_ms: u64::MAX,
            is_public: false,
        }
    }
}

/// A report under way.
#[derive(Debug)]
pub struct Reporter {
    asked: Asked,
    audit: Audit,
    fold: Fold,
    rows: u64,
    lines: u64,
    fault: Option<Fault>,
}

impl Reporter {
    /// Begins a report, before the first line.
    #[must_use]
    pub fn new(asked: Asked) -> Self {
        Self {
            asked,
            audit: Audit::of_room(),
            fold: Fold::new(asked),
            rows: 0,
            lines: 0,
            fault: None,
        }
    }

    /// Takes the next line. Costs what [`Audit::line`] costs. Lines after the first unlawful row are skipped.
    ///
    /// # Errors
    /// Returns [`Stop`] if the line cannot be read. The caller must not pass another line after that.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.line_with(text, None).map(drop)
    }

    /// As [`line`](Self::line), and puts the row's facts into `facts`. Returns `None` if the line was no lawful row.
    pub(crate) fn line_with(&mut self, text: &str, facts: Option<&mut Vec<Event>>) -> Result<Option<Moment>, Stop> {
        self.lines += 1;
        if self.fault.is_some() {
            return Ok(None);
        }
        let mut seen = Seen { fold: &mut self.fold, facts };
        match self.audit.watched_line(text, &mut seen) {
            Err(Stop::Fault(fault)) => self.fault = Some(fault),
            Err(unreadable) => return Err(unreadable),
            Ok(()) => {
                let last = self.audit.chain.last();
                if last.row > self.rows {
                    self.rows = last.row;
                    let (ledger, head) = (&self.audit.ledger, self.audit.chain.hash());
                    self.fold.end_row(ledger, head, last);
                    return Ok(Some(last));
                }
            }
        }
        Ok(None)
    }

    /// Ends the export and returns the report.
    ///
    /// # Errors
    /// Returns [`Stop`] if there is nothing to report: no row, no such edition, or nothing in that time.
    pub fn finish(self) -> Result<Report, Stop> {
        let Self {
            asked,
            audit,
            mut fold,
            rows,
            lines,
            fault,
        } = self;
        let room = audit.chain.room().to_owned();
        let verdict = Verdict {
            is_sound: fault.is_none(),
            rows,
            fingerprint: audit.chain.hash(),
            fault: fault.as_ref().map(Into::into),
        };
        let edition = audit.ledger.edition();
        let nothing = |what: String, cure| Stop::Unreadable { line: lines, what, cure };
        for draw in core::mem::take(&mut fold.draws).into_values() {
            fold.counts.acts.draw(draw);
        }
        let counts = match (fold.past, asked.edition) {
            (_, Some(wanted)) if wanted == fold.counts.edition => Some(fold.counts),
            (past, Some(_)) => past,
            (Some(past), None) if fold.counts.came() == 0 => Some(past),
            (_, None) => Some(fold.counts),
        };
        let counts = counts.filter(|counts| counts.wall_ms.is_some());
        let counts = counts.ok_or_else(|| match (rows, asked.edition) {
            (0, _) => nothing(
                match &fault {
                    Some(fault) => fault.to_string(),
                    None => "the export holds no row".to_owned(),
                },
                "a report needs the journal from row 1 on. Rows are kept journal_keep_days: fetch them in time with \
                 `npm run export`, and give that file",
            ),
            (_, Some(wanted)) if wanted > edition => nothing(
                format!("there is no edition {wanted}: the last is {edition}"),
                "give the edition of a sale that this journal holds",
            ),
            _ => nothing(
                "no row lies in the time that was asked for".to_owned(),
                "give another --from or --to; the audit prints from when to when a journal goes",
            ),
        })?;
        Ok(Report::new(&asked, &room, &audit.ledger, counts, verdict))
    }
}

/// Counts each fact, and keeps it for a caller who asked for it.
struct Seen<'a> {
    fold: &'a mut Fold,
    facts: Option<&'a mut Vec<Event>>,
}

impl Watch for Seen<'_> {
    fn before(&mut self, ledger: &Ledger, moment: Moment, event: &Event) {
        self.fold.before(ledger, moment, event);
        if let Some(facts) = &mut self.facts {
            facts.push(event.clone());
        }
    }
}
