//! The command line of `rehearse`: settings of a room as flags.

use crate::flags::{self, Wish};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::limits::PERMITS_MAX;
use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, Args, Command, CommandFactory, Parser, Subcommand};

/// A trace to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The trace; `-` for standard input.
    pub trace: String,
    /// The file to compare the outcome with.
    pub expected: Option<String>,
    /// The room's settings.
    pub config: RoomConfig,
}

/// rehearse plays a trace of visitors against Baton's room and prints who is admitted.
#[derive(Parser)]
#[command(name = "rehearse", disable_help_subcommand = true, override_usage = USAGE, after_help = FILES)]
struct Line {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Play a trace
    #[command(args_override_self = true, override_usage = USAGE, after_help = FILES)]
    Replay(Box<Flags>),
}

const USAGE: &str = "rehearse replay TRACE.csv [--permits N] [--no-walk-in] [--check EXPECTED.csv] …";

const FILES: &str = "\
TRACE.csv (`-`: standard input) has the columns at_ms,event,visitor. Events: `arrive`, `release`
(of who is in: gives the permit back; of who waits: leaves the line) and `tick` (the usher's turn,
no visitor). A fourth column, stay_ms, may say with `arrive` how long after going in the visitor
gives the permit back. Visitors are present the whole time and come the moment they are called. Without a
single `tick` the usher turns by the room's own alarm, also after the last row.

Out come at_ms,event,subject,by: `admit` with the visitor, by `usher`, `baton` or `walk_in`;
`tray` with how many permits the usher moved from the tray into the hand.

Every other setting of a room is taken too, without effect on who is admitted.

Exit codes: 0 done; 1 the outcome differs from EXPECTED.csv; 2 bad input; 3 a bug in Baton.";

const WEEK_MS: u64 = 7 * 86_400_000;

#[derive(Args)]
struct Flags {
    /// What to play; `-` is standard input
    #[arg(value_name = "TRACE.csv")]
    trace: String,
    /// How many may be in at once (200)
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = permits)]
    permits: Option<u32>,
    /// What the room does with arrivals: open, paused, bypass, … (open)
    #[arg(long, value_name = "WORD", allow_hyphen_values = true, value_parser = mode)]
    mode: Option<Mode>,
    /// Go straight through while a permit is free and nobody waits (on)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    #[arg(overrides_with = "no_walk_in", value_parser = switch)]
    walk_in: Option<bool>,
    /// Everybody takes a number
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    #[arg(overrides_with = "walk_in", value_parser = switch)]
    no_walk_in: Option<bool>,
    /// Least time between two turns of the usher (1000)
    #[arg(long, value_name = "MS", allow_hyphen_values = true, value_parser = tick)]
    tick_ms: Option<u64>,
    /// Time a called visitor has to come (30)
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = seconds::<1, 3_600_000>)]
    claim_within_s: Option<u64>,
    /// How long a waiter may be away (3600)
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = seconds::<0, WEEK_MS>)]
    grace_s: Option<u64>,
    /// How long a holder may be idle (300)
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = seconds::<1, WEEK_MS>)]
    lease_idle_s: Option<u64>,
    /// How long a holder may be in at all (1800)
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = seconds::<1, WEEK_MS>)]
    lease_max_s: Option<u64>,
    /// How far that may be moved (1800)
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = seconds::<0, WEEK_MS>)]
    lease_extend_max_s: Option<u64>,
    /// The most calls a second, up to three decimals; 0: no cap (0)
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    admissions_per_s: Option<u64>,
    /// Compare the admissions with FILE's, to the millisecond
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, value_parser = NonEmptyStringValueParser::new())]
    check: Option<String>,
}

/// Settings that are taken without effect: those of the gate, the lobbies or the page, and those of the room that need an origin or a shop. They do
/// not change who is admitted when.
const ELSEWHERE: &[&str] = &[
    "origin-errors-max-percent",
    "origin-errors-window-s",
    "stock-line",
    "linger-s",
    "pass-ttl-s",
    "paths",
    "hosts",
    "cookie-domain",
    "bypass-paths",
    "crowd",
    "waiting-status",
    "location",
    "generation",
    "jurisdiction",
    "journal-keep-days",
    "carry-within-s",
    "tickets-per-ip-max",
    "walk-ins-per-ip-max",
    "joins-per-ip-per-minute",
    "joins-per-visitor-per-minute",
    "ipv4-share",
    "fail",
    "fail-open-s",
    "fail-open-per-s",
    "strict",
];
/// Settings of the same kind that take no value.
const ELSEWHERE_SWITCHES: &[&str] = &["turnstile", "no-turnstile", "no-strict"];

fn command() -> Command {
    let taken = |name: &'static str| Arg::new(name).long(name).hide(true);
    let settings = ELSEWHERE.iter().map(move |name| taken(name).allow_hyphen_values(true));
    let switches = ELSEWHERE_SWITCHES
        .iter()
        .map(move |name| taken(name).num_args(0..=1).require_equals(true));
    Line::command().mut_subcommand("replay", |replay| replay.args(settings).args(switches))
}

/// Reads the command line, without the program's name.
///
/// # Errors
/// Returns what is wrong with it, and the cure.
pub fn parse(arguments: &[String]) -> Result<Wish<Replay>, String> {
    Ok(match flags::read::<Line>(command(), arguments)? {
        Wish::Help(text) => Wish::Help(text),
        Wish::Do(Line { task: Task::Replay(flags) }) => Wish::Do((*flags).into()),
    })
}

impl From<Flags> for Replay {
    fn from(flags: Flags) -> Self {
        let usual = RoomConfig::default();
        let shut = flags.no_walk_in.map(|no| !no);
        Self {
            trace: flags.trace,
            expected: flags.check,
            config: RoomConfig {
                permits: flags.permits.unwrap_or(usual.permits),
                mode: flags.mode.unwrap_or(usual.mode),
                walk_in: flags.walk_in.or(shut).unwrap_or(usual.walk_in),
                tick_ms: flags.tick_ms.unwrap_or(usual.tick_ms),
                claim_within_ms: flags.claim_within_s.unwrap_or(usual.claim_within_ms),
                grace_ms: flags.grace_s.unwrap_or(usual.grace_ms),
                lease_idle_ms: flags.lease_idle_s.unwrap_or(usual.lease_idle_ms),
                lease_max_ms: flags.lease_max_s.unwrap_or(usual.lease_max_ms),
                lease_extend_max_ms: flags.lease_extend_max_s.unwrap_or(usual.lease_extend_max_ms),
                admissions_milli_per_s: flags.admissions_per_s.unwrap_or(usual.admissions_milli_per_s),
                ..usual
            },
        }
    }
}

fn permits(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| *count <= PERMITS_MAX);
    count.ok_or_else(|| format!("a whole number from 0 to {PERMITS_MAX}"))
}

fn mode(text: &str) -> Result<Mode, String> {
    Mode::named(text).ok_or_else(|| format!("one of {}", Mode::NAMES.join(", ")))
}

fn switch(text: &str) -> Result<bool, &'static str> {
    text.parse().map_err(|_| "--walk-in or --no-walk-in, without a value")
}

fn tick(text: &str) -> Result<u64, &'static str> {
    let ms = text.parse().ok().filter(|ms| (1..=60_000).contains(ms));
    ms.ok_or("whole milliseconds from 1 to 60000")
}

/// Reads seconds as milliseconds within this range, both ends included.
fn seconds<const FROM_MS: u64, const TO_MS: u64>(text: &str) -> Result<u64, String> {
    let ms = thousandths(text).filter(|ms| (FROM_MS..=TO_MS).contains(ms));
    let not_0 = if FROM_MS > 0 { ", not 0" } else { "" };
    ms.ok_or_else(|| format!("seconds, up to {}, with at most three decimals{not_0}", TO_MS / 1_000))
}

fn rate(text: &str) -> Result<u64, &'static str> {
    let rate = thousandths(text).filter(|rate| *rate <= 100_000_000);
    rate.ok_or("a number a second, up to 100000, with at most three decimals")
}

/// Reads a decimal number and returns it times 1,000, exactly. Returns `None` if the text is no such number.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let dotted = text.contains('.');
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 3 || dotted == part.is_empty() {
        return None;
    }
    let part: u64 = format!("{part:0<3}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton::facts::notice::Notice;

    fn parsed(line: &str) -> Result<Wish<Replay>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn decimals_are_exact() {
        let cases = [
            ("1800", Some(1_800_000)),
            ("0.1", Some(100)),
            ("0.007", Some(7)),
            ("2.50", Some(2_500)),
            ("0", Some(0)),
            ("1.2345", None),
            ("1.", None),
            (".5", None),
            ("-1", None),
            ("1e3", None),
            ("", None),
            ("99999999999999999999", None),
            ("18446744073709551615", None),
        ];
        for (text, expected) in cases {
            assert_eq!(thousandths(text), expected, "{text}");
        }
    }

    #[test]
    fn every_setting_of_a_room_is_a_flag() {
        let line = "replay t.csv --permits 2 --mode=paused --no-walk-in --tick-ms 20 --claim-within-s 1 \
            --linger-s 10 --grace-s 0 --carry-within-s 9 --lease-idle-s 1.5 --lease-max-s 60 --lease-extend-max-s 0 \
            --pass-ttl-s 60 --strict all --admissions-per-s 0.25 --waiting-status 200 --location apac \
            --tickets-per-ip-max 9 --walk-ins-per-ip-max 9 --joins-per-ip-per-minute 9 \
            --joins-per-visitor-per-minute 9 --ipv4-share 9 --no-turnstile --fail open --fail-open-s 9 --fail-open-per-s 9 --journal-keep-days 30 --crowd 100 --paths /buy --hosts a --cookie-domain a.b --bypass-paths /x --check e.csv";
        let expected = RoomConfig {
            permits: 2,
            mode: Mode::Paused,
            walk_in: false,
            tick_ms: 20,
            claim_within_ms: 1_000,
            grace_ms: 0,
            lease_idle_ms: 1_500,
            lease_max_ms: 60_000,
            lease_extend_max_ms: 0,
            admissions_milli_per_s: 250,
            origin_errors_max_percent: 0,
            origin_errors_window_ms: 30_000,
            stock_line: false,
            message: Notice::default(),
            ..RoomConfig::default()
        };
        assert_eq!(
            parsed(line),
            Ok(Wish::Do(Replay {
                trace: "t.csv".to_owned(),
                expected: Some("e.csv".to_owned()),
                config: expected,
            }))
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_cure() {
        let cases = [
            ("replay t --permit 2", "did you mean --permits?"),
            ("replay t --lease_max_s 2", "did you mean --lease-max-s?"),
            ("replay t --walkin", "did you mean --walk-in?"),
            ("replay t --frobnicate", "--help lists them all"),
            ("replay t --permits", "--permits without a value"),
            ("replay t --permits two", "a whole number from 0 to 100000"),
            ("replay t --permits -1", "a whole number"),
            ("replay t --lease-max-s 0", "not 0"),
            ("replay t --mode shut", "one of open, paused, bypass, closed"),
            ("replay t --walk-in=maybe", "without a value"),
            ("replay", "no TRACE.csv"),
            ("replay a b", "`b` is one word too many"),
            ("play a", "unknown command `play`"),
            ("", "nothing to do"),
        ];
        for (line, cure) in cases {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(cure), "{line}: {error}");
        }
        for line in ["--help", "replay t --help", "help"] {
            assert!(matches!(parsed(line), Ok(Wish::Help(_))), "{line}");
        }
    }
}
