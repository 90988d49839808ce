//! The audit of a sale: whether a journal, as exported, is a lawful history of a room, and what it
//! tells of one ticket. An export shows no keys and no names, so the audit never sees any.
//!
//! It works *from the export alone* and by code of its own. It shares with the core nothing but
//! the form of the facts ([`Event`]), what they say of one ticket (`journal/ticket.rs`, for stories only) and the form of the
//! settings in them: whoever doubts the room need not trust the room's code. So nothing here may use `Room`, `Line`, `Permits`, `laws` or what
//! restores a journal, and where the two say the same twice that is the point.
//!
//! Text in, findings out: lines are handed in one by one, so an export of any length takes memory
//! only for the tickets that live. No files, no clock, no exit codes; those are the binary's.
//!
//! | file | what it holds to account |
//! |---|---|
//! | `export` | lines, hashes, versions, time: the chain |
//! | `turn` | a row as a whole: a turn of the usher or an act of the operator, nothing forgotten, nothing added |
//! | `batch` | a row that a lobby's commands led to |
//! | `ledger`, `facts`, `permits` | where every permit is, and what each fact may and does change |
//! | `line`, `pace`, `health` | who waits, who is away until when; how fast permits may go out; how many while the origin fails |
//! | `schedule` | the steps of a schedule: each once, in order, not early, and no more than it says |
//! | `carried` | how many people were inside, and how long the origin took |
//! | `story`, `report`, `flags` | what people read and type |

mod batch;
pub mod carried;
pub(crate) mod export;
mod facts;
pub mod flags;
mod hall;
mod health;
mod ledger;
mod line;
mod pace;
mod permits;
pub mod report;
mod schedule;
pub mod story;
mod turn;

use baton::facts::event::Event;
use core::fmt;
use export::{Chain, Row};
use ledger::Ledger;
pub use ledger::Totals;

/// A law that a fact, a row or the chain breaks, before it is known where that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Broken {
    law: &'static str,
    what: String,
}

/// Held, or how it was broken.
type Check = Result<(), Broken>;

/// `what` is only worked out when the law does not hold.
fn require(law: &'static str, holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds {
        Ok(())
    } else {
        Err(Broken { law, what: what() })
    }
}

/// The first thing that is wrong with an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The row's version, or the one that was expected here.
    pub row: u64,
    /// The line of the export, from 1.
    pub line: u64,
    /// Which fact of the row, from 1; `None`: the row as a whole.
    pub fact: Option<usize>,
    /// The law it breaks.
    pub law: &'static str,
    /// What was seen.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            row,
            line,
            law,
            what,
            ..
        } = self;
        match self.fact {
            Some(fact) => write!(f, "row {row} (line {line}), fact {fact}: {what} [{law}]"),
            None => write!(f, "row {row} (line {line}): {what} [{law}]"),
        }
    }
}

/// Why an audit ends before the export does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The export is not sound.
    Fault(Fault),
    /// This cannot be read as an export, or not be audited.
    Unreadable {
        /// The line, from 1.
        line: u64,
        /// What is the matter.
        what: String,
        /// What to do about it.
        cure: &'static str,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::Unreadable { line, what, cure } => {
                write!(f, "line {line}: {what}\n  cure: {cure}")
            }
        }
    }
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The chain and every law.
    #[default]
    Everything,
    /// The chain only: for an export that does not begin with the first row.
    Chain,
}

/// 32 bytes that stand for a whole history: the hash of its last row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// From 64 hex digits, in either case; `None` when it is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect();
        let digits: [u8; 64] = digits?.try_into().ok()?;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            *byte = high << 4 | low;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// When a fact became true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub row: u64,
    pub at_ms: u64,
    pub wall_ms: u64,
}

/// Looks over the audit's shoulder.
trait Watch {
    /// A fact is about to be entered.
    fn before(&mut self, ledger: &Ledger, moment: Moment, event: &Event);
    /// It was lawful, and is entered.
    fn after(&mut self);
}

/// Nobody looks.
struct Unwatched;

impl Watch for Unwatched {
    fn before(&mut self, _: &Ledger, _: Moment, _: &Event) {}
    fn after(&mut self) {}
}

/// An audit under way. Memory: a few dozen bytes for each *living* ticket and permit.
#[derive(Clone, Debug)]
pub struct Audit {
    scope: Scope,
    chain: Chain,
    ledger: Ledger,
    lines: u64,
    /// A published fingerprint, and the row whose hash it turned out to be.
    sought: Option<(Fingerprint, Option<u64>)>,
}

impl Audit {
    /// Before the first line. `published`: a fingerprint that some row must have.
    #[must_use]
    pub fn new(scope: Scope, published: Option<Fingerprint>) -> Self {
        Self {
            scope,
            chain: Chain::new(scope),
            ledger: Ledger::default(),
            lines: 0,
            sought: published.map(|fingerprint| (fingerprint, None)),
        }
    }

    /// Takes the next line in, with or without its line end.
    /// O(bytes + facts · log living tickets).
    ///
    /// # Errors
    /// The first thing that is wrong. Nothing may be handed in after it.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.watched_line(text, &mut Unwatched)
    }

    fn watched_line(&mut self, text: &str, watch: &mut impl Watch) -> Result<(), Stop> {
        self.lines += 1;
        let line = self.lines;
        let Some(row) = self.chain.read(line, text)? else {
            return Ok(());
        };
        if let Some((fingerprint, found)) = &mut self.sought
            && *fingerprint == row.hash
        {
            *found = Some(row.moment.row);
        }
        match self.scope {
            Scope::Chain => Ok(()),
            Scope::Everything => self.hold_to_account(line, &row, watch),
        }
    }

    fn hold_to_account(
        &mut self,
        line: u64,
        row: &Row,
        watch: &mut impl Watch,
    ) -> Result<(), Stop> {
        turn::check(&mut self.ledger, row, watch).map_err(|(fact, Broken { law, what })| {
            Stop::Fault(Fault {
                row: row.moment.row,
                line,
                fact,
                law,
                what,
            })
        })
    }

    /// The export has ended.
    ///
    /// # Errors
    /// When it ended before it began, or the published fingerprint is of none of its rows.
    pub fn finish(self) -> Result<report::Report, Stop> {
        self.chain.finish(self.lines)?;
        let published = match self.sought {
            Some((fingerprint, None)) => {
                return Err(Stop::Fault(Fault {
                    row: self.chain.version(),
                    line: self.lines,
                    fact: None,
                    law: "the published fingerprint",
                    what: format!(
                        "no row has the hash {fingerprint}: this is not the history that was \
                         published, or it ends before that"
                    ),
                }));
            }
            Some((_, found)) => found,
            None => None,
        };
        Ok(report::Report::new(
            &self.chain,
            &self.ledger,
            self.scope,
            published,
        ))
    }
}
