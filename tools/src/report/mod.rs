//! The report after a sale, made from an exported journal alone: people, waits, permits, what the operator did, and the audit's verdict.
//!
//! Text in, one value out. Lines are handed in one by one; memory is taken for living tickets and permits, as the audit does, and for
//! a bounded number of stretches of time. Every row passes the audit before it is counted. No files and no clock: the program
//! `report` reads files, and the desk runs the same code in the browser (`web/report/`).
//!
//! | file | what is in it |
//! |---|---|
//! | `fold` | what each fact means |
//! | `counts`, `lanes` | what is counted of one edition, and of each lane |
//! | `acts` | what was done to the room, and when |
//! | `standing` | how the room stood, and for how long |
//! | `spans`, `durations` | stretches and histograms in bounded memory |
//! | `forecasts` | how good the outlook was: the form alone |
//! | `value` | the report as a value: the form that is printed |
//! | `flags` | what people type |

mod acts;
mod counts;
mod durations;
#[cfg(feature = "programs")]
pub mod flags;
mod fold;
pub mod forecasts;
mod lanes;
mod spans;
mod standing;
mod value;

use crate::audit::{Audit, Fault, Ledger, Moment, Stop, Watch};
use baton::facts::event::Event;
use fold::Fold;
pub use value::{FORM, PUBLIC_MIN, Report, Verdict};

/// Which part of the journal is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which edition; `None`: the last in which anybody came.
    pub edition: Option<u32>,
    /// From then on: wall clock, Unix ms.
    pub from_ms: u64,
    /// Until just before then.
    pub to_ms: u64,
    /// Groups of fewer than ten people are merged, and no ticket is named.
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
    /// Before the first line.
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

    /// Takes the next line in. Costs what [`Audit::line`] costs. What comes after the first unlawful row is passed over.
    ///
    /// # Errors
    /// When the line cannot be read. Nothing may be handed in after that.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.line_with(text, None).map(drop)
    }

    /// The same for somebody who wants the row's facts as well: they are put into `facts`. `None`: it was no lawful row.
    pub(crate) fn line_with(
        &mut self,
        text: &str,
        facts: Option<&mut Vec<Event>>,
    ) -> Result<Option<Moment>, Stop> {
        self.lines += 1;
        if self.fault.is_some() {
            return Ok(None);
        }
        let mut seen = Seen {
            fold: &mut self.fold,
            facts,
        };
        match self.audit.watched_line(text, &mut seen) {
            Err(Stop::Fault(fault)) => self.fault = Some(fault),
            Err(unreadable) => return Err(unreadable),
            Ok(()) => {
                let last = self.audit.last();
                if last.row > self.rows {
                    self.rows = last.row;
                    let (ledger, head) = (self.audit.ledger(), self.audit.head());
                    self.fold.end_row(ledger, head, last);
                    return Ok(Some(last));
                }
            }
        }
        Ok(None)
    }

    /// The export has ended.
    ///
    /// # Errors
    /// When there is nothing to report: no row, no such edition, or nothing at that time.
    pub fn finish(self) -> Result<Report, Stop> {
        let Self {
            asked,
            audit,
            mut fold,
            rows,
            lines,
            fault,
        } = self;
        let room = audit.room().to_owned();
        let verdict = Verdict {
            is_sound: fault.is_none(),
            rows,
            fingerprint: audit.head(),
            fault: fault.as_ref().map(Into::into),
        };
        let edition = audit.ledger().edition();
        let nothing = |what: String, cure| Stop::Unreadable {
            line: lines,
            what,
            cure,
        };
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
        let ledger = audit.ledger();
        Ok(Report::new(&asked, &room, ledger, counts, verdict))
    }
}

/// Counts each fact, and keeps it for who asked for it.
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

    fn after(&mut self) {
        self.fold.after();
    }
}
