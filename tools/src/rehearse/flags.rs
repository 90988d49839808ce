//! The command line of `rehearse`: the settings of a room as flags, by the settings' own table.

use crate::flags::{self, Wish};
use crate::report::field_of;
use baton::facts::config::{KEYS, RoomConfig};
use baton::settings::{self, Key, Kind};
use clap::builder::NonEmptyStringValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

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

fn command() -> Command {
    let trace = Arg::new("trace").value_name("TRACE.csv").required(true);
    let check = Arg::new("check").long("check").value_name("FILE").allow_hyphen_values(true);
    let replay = Command::new("replay")
        .about("Play a trace")
        .args_override_self(true)
        .override_usage(USAGE)
        .after_help(FILES)
        .arg(trace.help("What to play; `-` is standard input"))
        .arg(
            check
                .value_parser(NonEmptyStringValueParser::new())
                .help("Compare the admissions with FILE's, to the millisecond"),
        )
        .args(settings::KEYS.iter().flat_map(args));
    Command::new("rehearse")
        .about("rehearse plays a trace of visitors against Baton's room and prints who is admitted.")
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .override_usage(USAGE)
        .after_help(FILES)
        .subcommand(replay)
}

/// Returns true if a setting is the room's own and has a plain value. The others are taken without effect.
fn plays(key: &Key) -> bool {
    use Kind::{Count, Millis, Rate, Seconds, Switch, Word};
    let is_plain = matches!(key.kind, Count { .. } | Seconds { .. } | Millis { .. } | Rate { .. } | Switch | Word(_));
    is_plain && KEYS.iter().any(|own| own.name == key.name)
}

/// Returns the flags of a setting.
fn args(key: &'static Key) -> Vec<Arg> {
    let (plays, is_switch) = (plays(key), key.kind == Kind::Switch);
    let read = move |arg: Arg| {
        if plays {
            arg.value_parser(move |text: &str| value(key, text))
        } else {
            arg
        }
    };
    let bare = |arg: Arg| arg.num_args(0..=1).require_equals(true).default_missing_value("true");
    let (flag, no) = (key.name.replace('_', "-"), format!("no_{}", key.name));
    // Only the permits have no default, and are 200 in a file that sets nothing.
    let help = format!("{} ({})", key.doc, key.default.unwrap_or("200"));
    let arg = Arg::new(key.name).long(flag.clone()).hide(!plays).help(help);
    let arg = if is_switch {
        bare(arg).overrides_with(no.clone())
    } else {
        arg.value_name("VALUE").allow_hyphen_values(true)
    };
    if !is_switch && key.kind != Kind::Strict {
        return vec![read(arg)];
    }
    let off = Arg::new(no).long(format!("no-{flag}")).hide(!plays).help(format!("Not --{flag}"));
    vec![read(arg), read(bare(off)).overrides_with(key.name)]
}

/// Reads the value of a setting, in the core's unit.
fn value(key: &Key, text: &str) -> Result<Value, String> {
    let whole = |range: core::ops::RangeInclusive<u64>| text.parse().ok().filter(|number| range.contains(number));
    let parts = |least: u64, most: u64| thousandths(text).filter(|parts| (least..=most * 1_000).contains(parts));
    match key.kind {
        Kind::Count { min, max } => whole(min..=max)
            .map(|number| json!(number))
            .ok_or_else(|| format!("a whole number from {min} to {max}")),
        Kind::Millis { min, max } => whole(min..=max)
            .map(|ms| json!(ms))
            .ok_or_else(|| format!("whole milliseconds from {min} to {max}")),
        Kind::Seconds { min, max } => parts(min.min(1), max).map(|ms| json!(ms)).ok_or_else(|| {
            let not_0 = if min > 0 { ", not 0" } else { "" };
            format!("seconds, up to {max}, with at most three decimals{not_0}")
        }),
        Kind::Rate { max } => parts(0, max)
            .map(|rate| json!(rate))
            .ok_or_else(|| format!("a number a second, up to {max}, with at most three decimals")),
        Kind::Word(words) if words.contains(&text) => Ok(json!(text)),
        Kind::Word(words) => Err(format!("one of {}", words.join(", "))),
        _ => text
            .parse::<bool>()
            .map(|is_on| json!(is_on))
            .map_err(|_| "the flag without a value".to_owned()),
    }
}

/// Reads the command line, without the program's name.
///
/// # Errors
/// Returns what is wrong with it, and the cure.
pub fn parse(arguments: &[String]) -> Result<Wish<Replay>, String> {
    flags::read_with(command(), arguments, replay)
}

/// Makes of the flags what they ask for.
fn replay(matches: &ArgMatches) -> Result<Replay, clap::Error> {
    let Some((_, matches)) = matches.subcommand() else {
        return Err(clap::Error::new(ErrorKind::MissingSubcommand));
    };
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let mut config = json!(RoomConfig::default());
    for key in settings::KEYS.iter().filter(|key| plays(key)) {
        let said = matches.get_one::<Value>(key.name).cloned();
        let off = matches.try_get_one::<Value>(&format!("no_{}", key.name)).ok().flatten();
        if let Some(value) = said.or_else(|| Some(json!(!off?.as_bool()?)))
            && let Some(field) = config.get_mut(field_of(key.name))
        {
            *field = value;
        }
    }
    Ok(Replay {
        trace: text("trace").unwrap_or_default(),
        expected: text("check"),
        config: serde_json::from_value(config).map_err(|error| clap::Error::raw(ErrorKind::InvalidValue, error))?,
    })
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
    use baton::facts::config::Mode;

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
    fn every_plain_setting_of_the_room_sets_its_field() {
        let config = json!(RoomConfig::default());
        for key in settings::KEYS.iter().filter(|key| plays(key)) {
            assert!(config.get(field_of(key.name)).is_some(), "{}", key.name);
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
