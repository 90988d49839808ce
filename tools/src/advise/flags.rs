//! The command line of `advice`.

use clap::{Args, Parser, Subcommand};

/// advice: how good the desk's forecasts are
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "advice", args_override_self = true, disable_help_subcommand = true)]
#[command(override_usage = "\
advice check [--sales N] [--seed N]
       advice replay EXPORT [--every-min N]")]
#[command(after_help = "\
EXPORT is a file of JSON lines as Baton exports them, or - for standard input.
exit: 0 good; 1 a band holds fewer than 70 or more than 90 of a hundred; 2 usage, or not readable
docs: docs/advice.md")]
pub struct Task {
    /// What to find out.
    #[command(subcommand)]
    pub question: Question,
}

/// What to find out.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Question {
    /// Do four of five simulated sales end where the band says?
    #[command(override_usage = "advice check [--sales N] [--seed N]")]
    Check(Check),
    /// What would have been forecast of a sale that was, and what came?
    #[command(override_usage = "advice replay EXPORT [--every-min N]")]
    Replay(Replay),
}

/// Do four of five simulated sales end where the band says?
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Check {
    /// So many sales
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub sales: u64,
    /// The first sale's seed; the others follow. From 1000000 on nobody tuned anything by them
    #[arg(long, value_name = "N", default_value_t = super::HELD_OUT)]
    pub seed: u64,
}

/// What would have been forecast of a sale that was, and what came?
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Replay {
    /// A file of JSON lines, or - for standard input
    pub export: String,
    /// A forecast each so many minutes
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_440))]
    pub every_min: u64,
}
