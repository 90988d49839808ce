//! Audits a sale: decides whether an exported journal is a lawful history of a room, and what it tells of one ticket. An export shows no keys and no
//! names, so the audit never sees any.
//!
//! The audit works *from the export alone*, with code of its own. It shares with the core only the form of the facts ([`Event`]), what they say
//! of one ticket (`journal/ticket.rs`, for stories only) and the form of the settings in them: whoever doubts the room need not trust the
//! room's code. So nothing here may use `Room`, `Line`, `Permits`, `laws` or the code that restores a journal. Where audit and core say the
//! same twice, that is the point.
//!
//! Text in, findings out. The caller passes lines one by one, so an export of any length takes memory only for the tickets that live. There are no
//! files, no clock and no exit codes here; those belong to the program.
//!
//! | file | what it checks |
//! |---|---|
//! | `export` | the chain: lines, hashes, versions, time |
//! | `turn` | a row as a whole, as a turn of the usher or an act of the operator: nothing forgotten, nothing added |
//! | `batch` | a row that lobbies' commands led to |
//! | `ledger`, `facts`, `permits` | where every permit is; what each fact may change, and what it changes |
//! | `lanes`, `rule`, `moves` | which slot a lane has; which lane is called next; who moves to a better one |
//! | `line`, `pace`, `health` | who waits, and who is away until when; how fast permits may go out; how many may go out while the origin fails |
//! | `house` | the journal of the house: which rooms there are, and which generation of each |
//! | `hall`, `opening` | who waits for an opening; doors that stand as the dates say, and each draw |
//! | `schedule`, `steps` | the steps of a schedule: each once and in order; not early, and changing only what it says |
//! | `owned`, `vouchers` | which tickets belong to accounts; which tickets vouchers gave |
//! | `carried` | how many people were inside, and how long the origin took |
//! | `story`, `report`, `flags` | what people read and type |

mod batch;
pub mod carried;
pub(crate) mod export;
mod facts;
#[cfg(feature = "programs")]
pub mod flags;
mod hall;
mod health;
pub mod house;
mod lanes;
mod ledger;
mod line;
mod moves;
mod opening;
mod owned;
mod pace;
mod permits;
pub mod report;
mod rule;
mod schedule;
mod steps;
pub mod story;
mod turn;
mod vouchers;

use baton::facts::event::Event;
use baton::journal::export::HOUSE;
use core::fmt;
use export::{Chain, Row};
#[cfg(feature = "programs")]
pub(crate) use ledger::Grant;
pub use ledger::Totals;
pub(crate) use ledger::{Ledger, Stage};
#[cfg(feature = "programs")]
pub(crate) use line::Place;

/// A law that a fact, a row or the chain breaks, before the audit adds where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    law: &'static str,
    what: String,
}

/// The result of one check: the law holds, or how it is broken.
type Check = Result<(), Broken>;

/// Returns an error if the law does not hold. `what` runs only then.
fn require(law: &'static str, holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Broken { law, what: what() }) }
}

/// The first thing that is wrong with an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The row's version, or the version that was expected here.
    pub row: u64,
    /// The line of the export, from 1.
    pub line: u64,
    /// The number of the fact in the row, from 1; `None` if the fault is the row's as a whole.
    pub fact: Option<usize>,
    /// The law that it breaks.
    pub law: &'static str,
    /// What was seen.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, line, law, what, .. } = self;
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
    /// The text cannot be read as an export, or cannot be audited.
    Unreadable {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
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

/// How much the audit checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The chain and every law.
    #[default]
    Everything,
    /// The chain only: for an export that does not begin with the first row.
    Chain,
}

/// The hash of a row: 32 bytes that stand for the whole history up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// Reads 64 hex digits, in either case. Returns `None` if the text is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    pub row: u64,
    pub at_ms: u64,
    pub wall_ms: u64,
}

/// Watches the audit at work.
pub(crate) trait Watch {
    /// Called before a fact is entered.
    fn before(&mut self, ledger: &Ledger, moment: Moment, event: &Event);
    /// Called after it was found lawful and entered.
    fn after(&mut self) {}
}

/// A watch that does nothing.
struct Unwatched;

impl Watch for Unwatched {
    fn before(&mut self, _: &Ledger, _: Moment, _: &Event) {}
}

/// An audit under way. Memory: a few dozen bytes for each *living* ticket and permit.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    scope: Scope,
    pub(crate) chain: Chain,
    pub(crate) ledger: Ledger,
    house: house::Books,
    /// Whether the caller asks about tickets, of which the house has none.
    wants_room: bool,
    lines: u64,
    /// A published fingerprint, and the row that has it, once found.
    sought: Option<(Fingerprint, Option<u64>)>,
}

impl Audit {
    /// Begins an audit, before the first line. `published` is a fingerprint that some row must have.
    #[must_use]
    pub fn new(scope: Scope, published: Option<Fingerprint>) -> Self {
        Self {
            scope,
            chain: Chain::new(scope),
            sought: published.map(|fingerprint| (fingerprint, None)),
            ..Self::default()
        }
    }

    /// Begins an audit that accepts the journal of a room only.
    pub(crate) fn of_room() -> Self {
        Self {
            wants_room: true,
            ..Self::new(Scope::Everything, None)
        }
    }

    /// Takes the next line, with or without its line end. O(bytes + facts · log living tickets).
    ///
    /// # Errors
    /// Returns the first thing that is wrong. The caller must not pass another line after that.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.watched_line(text, &mut Unwatched)
    }

    /// As [`Audit::line`], with a watch.
    pub(crate) fn watched_line(&mut self, text: &str, watch: &mut impl Watch) -> Result<(), Stop> {
        self.lines += 1;
        let line = self.lines;
        if self.chain.room() == HOUSE {
            return self.line_of_house(line, text);
        }
        let Some(row) = self.chain.read::<Event>(line, text)? else {
            return self.check_kind(line);
        };
        self.seek(&row);
        match self.scope {
            Scope::Chain => Ok(()),
            Scope::Everything => turn::check(&mut self.ledger, &row, watch).map_err(|wrong| fault(row.moment.row, line, wrong)),
        }
    }

    fn line_of_house(&mut self, line: u64, text: &str) -> Result<(), Stop> {
        let Some(row) = self.chain.read(line, text)? else {
            return Ok(());
        };
        self.seek(&row);
        match self.scope {
            Scope::Chain => Ok(()),
            Scope::Everything => (self.house.enter(row.moment.row, &row.events)).map_err(|wrong| fault(row.moment.row, line, wrong)),
        }
    }

    /// Returns an error if this is the journal of the house and the caller asks about tickets.
    fn check_kind(&self, line: u64) -> Result<(), Stop> {
        if self.wants_room && self.chain.room() == HOUSE {
            return Err(Stop::Unreadable {
                line,
                what: "this is the journal of the house, which has no tickets".to_owned(),
                cure: "give the export of a room; of the house there is `audit verify`",
            });
        }
        Ok(())
    }

    /// Notes the row that has the published fingerprint.
    fn seek<E>(&mut self, row: &Row<E>) {
        if let Some((fingerprint, found)) = &mut self.sought
            && *fingerprint == row.hash
        {
            *found = Some(row.moment.row);
        }
    }

    /// Ends the export and returns its figures.
    ///
    /// # Errors
    /// Returns [`Stop`] if the export holds no row, or if no row has the published fingerprint.
    pub fn finish(self) -> Result<report::Report, Stop> {
        self.chain.finish(self.lines)?;
        let published = match self.sought {
            Some((fingerprint, None)) => {
                let what = format!("no row has the hash {fingerprint}: this is not the history that was published, or it ends before that");
                return Err(fault_of_row(self.chain.version(), self.lines, "the published fingerprint", what));
            }
            Some((_, found)) => found,
            None => None,
        };
        let mut report = report::Report::new(&self.chain, &self.ledger, self.scope, published);
        if self.chain.room() == HOUSE && self.scope == Scope::Everything {
            report.house = Some(self.house.standing());
            report.editions.clear();
        }
        Ok(report)
    }
}

/// Checks the facts of a row, without its hash, and enters them; `watch` sees each before it is entered.
///
/// # Errors
/// Returns the law that is broken, and what was seen.
#[cfg(feature = "programs")]
pub(crate) fn check_facts(ledger: &mut Ledger, row: &baton::facts::event::Row, wall_ms: u64, watch: &mut impl Watch) -> Result<(), String> {
    let (moment, events) = (
        Moment {
            row: row.version.0,
            at_ms: row.at.0,
            wall_ms,
        },
        row.events.clone(),
    );
    let hash = Fingerprint::default();
    let row = Row { moment, events, hash };
    turn::check(ledger, &row, watch).map_err(|wrong| fault(moment.row, 0, wrong).to_string())
}

fn fault(row: u64, line: u64, (fact, Broken { law, what }): turn::Wrong) -> Stop {
    Stop::Fault(Fault { row, line, fact, law, what })
}

/// Says that a row as a whole breaks a law.
fn fault_of_row(row: u64, line: u64, law: &'static str, what: String) -> Stop {
    fault(row, line, (None, Broken { law, what }))
}
