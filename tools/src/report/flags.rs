//! The command line of `report`.

use super::Asked;
use clap::Parser;

/// report: what happened in a sale, from its exported journal alone, as one JSON object
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "report", args_override_self = true)]
#[command(override_usage = "report EXPORT [--edition N] [--from-ms N] [--to-ms N] [--public]")]
#[command(after_help = "\
EXPORT is a file of JSON lines as Baton exports them, or - for standard input.
exit: 0 the journal is sound; 1 it is not, and the report says where; 2 usage, or not readable
docs: docs/report.md")]
pub struct Task {
    /// A file of JSON lines, or - for standard input
    pub export: String,
    /// Of that edition: each reset of the room begins another (else the last in which anybody came)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub edition: Option<u32>,
    /// Count what happened from then on, Unix milliseconds
    #[arg(long, value_name = "N")]
    pub from_ms: Option<u64>,
    /// Count what happened before then, Unix milliseconds
    #[arg(long, value_name = "N")]
    pub to_ms: Option<u64>,
    /// Merge groups of fewer than ten people, and name no ticket
    #[arg(long)]
    pub public: bool,
}

impl Task {
    /// Returns the part of the journal to count.
    #[must_use]
    pub fn asked(&self) -> Asked {
        let all = Asked::default();
        Asked {
            edition: self.edition,
            from_ms: self.from_ms.unwrap_or(all.from_ms),
            to_ms: self.to_ms.unwrap_or(all.to_ms),
            is_public: self.public,
        }
    }
}
