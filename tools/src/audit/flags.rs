//! The command line of `audit`.

use super::{Fingerprint, Scope};
use baton::facts::lane_name::LaneName;
use clap::{Args, Parser, Subcommand};

/// audit: holds the journal of a sale to the laws of a waiting room, from its export alone
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "audit", args_override_self = true, disable_help_subcommand = true)]
#[command(override_usage = "\
audit verify EXPORT [--fingerprint HEX] [--chain-only] [--json]
       audit story EXPORT NUMBER [--lane NAME] [--edition N] [--json]
       audit carried EXPORT [--span-s N]")]
#[command(after_help = "\
EXPORT is a file of JSON lines, or - for standard input.
exit: 0 sound; 1 not sound, the first thing that is wrong is printed; 2 usage, or not readable
docs: docs/audit.md")]
pub struct Task {
    /// What to find out.
    #[command(subcommand)]
    pub question: Question,
    /// One JSON object on standard output
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to find out of an export.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Question {
    /// Is the export sound?
    #[command(override_usage = "audit verify EXPORT [--fingerprint HEX] [--chain-only] [--json]")]
    Verify(Verify),
    /// What became of a ticket?
    #[command(override_usage = "audit story EXPORT NUMBER [--lane NAME] [--edition N] [--json]")]
    Story(Story),
    /// How many people were inside, and how long did the origin take? A JSON object a window of time
    #[command(override_usage = "audit carried EXPORT [--span-s N]")]
    Carried(Crowd),
}

/// Is the export sound?
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Verify {
    /// A file of JSON lines, or - for standard input
    pub export: String,
    /// Some row must have this hash: the history up to it is the one that was published
    #[arg(long, value_name = "HEX", allow_hyphen_values = true, value_parser = fingerprint)]
    pub fingerprint: Option<Fingerprint>,
    /// Check the hashes only, also of an export that does not begin with the first row
    #[arg(long)]
    pub chain_only: bool,
}

/// What became of a ticket?
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Story {
    /// A file of JSON lines, or - for standard input
    pub export: String,
    /// The ticket's number
    #[arg(value_parser = number)]
    pub number: u64,
    /// The number counts within this lane, by the name that tokens have for it (else it is the whole number, as in the export)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = lane)]
    pub lane: Option<LaneName>,
    /// The ticket of that edition: each reset of the room begins another, with numbers from 1 (else the last that issued
    /// the number)
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = edition)]
    pub edition: Option<u32>,
}

/// How many people were inside, and how long did the origin take?
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Crowd {
    /// A file of JSON lines, or - for standard input
    pub export: String,
    /// How long a window is, in seconds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub span_s: u64,
}

impl Verify {
    /// How much to check.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        if self.chain_only { Scope::Chain } else { Scope::Everything }
    }
}

fn fingerprint(text: &str) -> Result<Fingerprint, String> {
    Fingerprint::parse(text).ok_or_else(|| "64 hex digits".to_owned())
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a ticket's number".to_owned())
}

fn lane(text: &str) -> Result<LaneName, String> {
    LaneName::parse(text).ok_or_else(|| "a lane's name".to_owned())
}

fn edition(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "a number from 1".to_owned())
}
