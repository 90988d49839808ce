//! The command line: every setting of a room as a flag, in one table.

use super::nearest;
use crate::room::config::{Mode, PERMITS_MAX, RoomConfig};

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The help text.
    Help,
    /// To play a trace.
    Replay(Replay),
}

/// To play a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The trace; `-` is standard input.
    pub trace: String,
    /// What to compare the outcome with.
    pub expected: Option<String>,
    /// The room.
    pub config: RoomConfig,
}

/// How a flag's value becomes a setting.
#[derive(Clone, Copy)]
enum Setting {
    Count(fn(&mut RoomConfig, u32)),
    Millis(Range, fn(&mut RoomConfig, u64)),
    Seconds(Range, fn(&mut RoomConfig, u64)),
    Rate(fn(&mut RoomConfig, u64)),
    Mode,
    WalkIn(bool),
    /// A setting of the gate, the lobbies or the page. Who is admitted when does not hang on it.
    Elsewhere,
    ElsewhereSwitch,
    Check,
    Help,
}

/// From and to, both included, in milliseconds.
type Range = (u64, u64);

const WEEK_MS: u64 = 7 * 86_400_000;

#[rustfmt::skip]
const FLAGS: &[(&str, Setting, &str)] = &[
    ("permits", Setting::Count(|c, v| c.permits = v), "N      how many may be in at once (200)"),
    ("mode", Setting::Mode, "WORD      open, paused or bypass (open)"),
    ("walk-in", Setting::WalkIn(true), "          go straight through while a permit is free and nobody waits (on)"),
    ("no-walk-in", Setting::WalkIn(false), "          everybody takes a number"),
    ("tick-ms", Setting::Millis((1, 60_000), |c, v| c.tick_ms = v), "MS        least time between two turns of the usher (1000)"),
    ("claim-within-s", Setting::Seconds((1, 3_600_000), |c, v| c.claim_within_ms = v), "S         time a called visitor has to come (30)"),
    ("grace-s", Setting::Seconds((0, WEEK_MS), |c, v| c.grace_ms = v), "S         how long a waiter may be away (3600)"),
    ("lease-idle-s", Setting::Seconds((1, WEEK_MS), |c, v| c.lease_idle_ms = v), "S         how long a holder may be idle (300)"),
    ("lease-max-s", Setting::Seconds((1, WEEK_MS), |c, v| c.lease_max_ms = v), "S         how long a holder may be in at all (1800)"),
    ("lease-extend-max-s", Setting::Seconds((0, WEEK_MS), |c, v| c.lease_extend_max_ms = v), "S         how far that may be moved (1800)"),
    ("admissions-per-s", Setting::Rate(|c, v| c.admissions_milli_per_s = v), "RATE      the most calls a second, up to three decimals; 0: no cap (0)"),
    ("origin-errors-max-percent", Setting::Elsewhere, ""),
    ("origin-errors-window-s", Setting::Elsewhere, ""),
    ("stock-line", Setting::Elsewhere, ""),
    ("linger-s", Setting::Elsewhere, ""),
    ("pass-ttl-s", Setting::Elsewhere, ""),
    ("paths", Setting::Elsewhere, ""),
    ("hosts", Setting::Elsewhere, ""),
    ("cookie-domain", Setting::Elsewhere, ""),
    ("bypass-paths", Setting::Elsewhere, ""),
    ("crowd", Setting::Elsewhere, ""),
    ("waiting-status", Setting::Elsewhere, ""),
    ("location", Setting::Elsewhere, ""),
    ("journal-keep-days", Setting::Elsewhere, ""),
    ("carry-within-s", Setting::Elsewhere, ""),
    ("tickets-per-ip-max", Setting::Elsewhere, ""),
    ("walk-ins-per-ip-max", Setting::Elsewhere, ""),
    ("joins-per-ip-per-minute", Setting::Elsewhere, ""),
    ("joins-per-visitor-per-minute", Setting::Elsewhere, ""),
    ("ipv4-share", Setting::Elsewhere, ""),
    ("turnstile", Setting::ElsewhereSwitch, ""),
    ("no-turnstile", Setting::ElsewhereSwitch, ""),
    ("fail", Setting::Elsewhere, ""),
    ("fail-open-s", Setting::Elsewhere, ""),
    ("fail-open-per-s", Setting::Elsewhere, ""),
    ("strict", Setting::Elsewhere, ""),
    ("no-strict", Setting::ElsewhereSwitch, ""),
    ("check", Setting::Check, "FILE      compare the admissions with FILE's, to the millisecond"),
    ("help", Setting::Help, "          this"),
];

/// What `--help` says.
#[must_use]
pub fn help() -> String {
    let mut text = "\
rehearse plays a trace of visitors against Baton's room and prints who is admitted.

  rehearse replay TRACE.csv [--permits N] [--no-walk-in] [--check EXPECTED.csv] …

TRACE.csv (`-`: standard input) has the columns at_ms,event,visitor. Events: `arrive`, `release`
(of who is in: gives the permit back; of who waits: leaves the line) and `tick` (the usher's turn,
no visitor). Visitors are present the whole time and come the moment they are called. Without a
single `tick` the usher turns by the room's own alarm, also after the last row.

Out come at_ms,event,subject,by: `admit` with the visitor, by `usher`, `baton` or `walk_in`;
`tray` with how many permits the usher moved from the tray into the hand.

"
    .to_owned();
    for (name, _, doc) in FLAGS.iter().filter(|(_, _, doc)| !doc.is_empty()) {
        text.push_str(&format!("  --{name:<19}{doc}\n"));
    }
    text.push_str("\nAlso taken, without effect on who is admitted:");
    for (name, _, _) in FLAGS.iter().filter(|(_, _, doc)| doc.is_empty()) {
        text.push_str(&format!(" --{name}"));
    }
    text.push_str("\n\nExit codes: 0 done; 1 the outcome differs from EXPECTED.csv; 2 bad input; 3 a bug in Baton.\n");
    text
}

/// Reads the command line, the program's name left out.
///
/// # Errors
/// What is wrong with it, and the cure.
pub fn parse(arguments: &[String]) -> Result<Wish, String> {
    let mut replay = Replay {
        trace: String::new(),
        expected: None,
        config: RoomConfig::default(),
    };
    let mut words = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(flag) = argument.strip_prefix("--") else {
            words.push(if argument == "-h" {
                "help"
            } else {
                argument.as_str()
            });
            continue;
        };
        let (name, mut value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let Some((_, setting, _)) = FLAGS.iter().find(|(known, _, _)| *known == name) else {
            return Err(unknown(name));
        };
        if matches!(setting, Setting::Help) {
            return Ok(Wish::Help);
        }
        if value.is_none() && !matches!(setting, Setting::WalkIn(_) | Setting::ElsewhereSwitch) {
            value = rest.next().map(String::as_str);
        }
        set(&mut replay, *setting, value).map_err(|cure| match value {
            Some(value) => format!("--{name} is `{value}`\n  cure: {cure}"),
            None => format!("--{name} without a value\n  cure: {cure}"),
        })?;
    }
    match words[..] {
        ["help", ..] => Ok(Wish::Help),
        ["replay", trace] => {
            replay.trace = trace.to_owned();
            Ok(Wish::Replay(replay))
        }
        ["replay"] => Err("no trace\n  cure: rehearse replay TRACE.csv".to_owned()),
        ["replay", _, more, ..] => Err(format!(
            "`{more}` after the trace\n  cure: one trace at a time; settings begin with `--`"
        )),
        [] => {
            Err("nothing to do\n  cure: rehearse replay TRACE.csv, or rehearse --help".to_owned())
        }
        [command, ..] => Err(format!(
            "unknown command `{command}`\n  cure: rehearse replay TRACE.csv"
        )),
    }
}

fn unknown(name: &str) -> String {
    // What a setting is called in the configuration file finds its flag too.
    let spelt = name.replace('_', "-");
    match nearest(&spelt, FLAGS.iter().map(|(known, _, _)| *known)) {
        Some(meant) => format!("unknown flag --{name}\n  cure: did you mean --{meant}?"),
        None => format!("unknown flag --{name}\n  cure: --help lists them all"),
    }
}

/// Puts one value in its place; else says which values there are.
fn set(replay: &mut Replay, setting: Setting, value: Option<&str>) -> Result<(), String> {
    let config = &mut replay.config;
    let text = value.unwrap_or_default();
    match setting {
        Setting::Count(put) => {
            let count = text.parse().ok().filter(|count| *count <= PERMITS_MAX);
            put(
                config,
                count.ok_or_else(|| format!("a whole number from 0 to {PERMITS_MAX}"))?,
            );
        }
        Setting::Millis((from, to), put) => {
            let ms = text.parse().ok().filter(|ms| (from..=to).contains(ms));
            put(
                config,
                ms.ok_or_else(|| format!("whole milliseconds from {from} to {to}"))?,
            );
        }
        Setting::Seconds((from, to), put) => {
            let ms = thousandths(text).filter(|ms| (from..=to).contains(ms));
            put(
                config,
                ms.ok_or_else(|| {
                    format!(
                        "seconds, up to {}, with at most three decimals{}",
                        to / 1_000,
                        if from > 0 { ", not 0" } else { "" }
                    )
                })?,
            );
        }
        Setting::Rate(put) => {
            let rate = thousandths(text).filter(|rate| *rate <= 100_000_000);
            let cure = "a number a second, up to 100000, with at most three decimals";
            put(config, rate.ok_or(cure)?);
        }
        Setting::Mode => {
            let names = || Mode::ALL.map(Mode::name).join(", ");
            config.mode = Mode::named(text).ok_or_else(|| format!("one of {}", names()))?;
        }
        Setting::WalkIn(on) => match value {
            None | Some("true") => config.walk_in = on,
            Some("false") => config.walk_in = !on,
            Some(_) => return Err("--walk-in or --no-walk-in, without a value".to_owned()),
        },
        Setting::Check => {
            let file = value.filter(|file| !file.is_empty());
            replay.expected = Some(file.ok_or("the file to compare with")?.to_owned());
        }
        Setting::Elsewhere => {
            value.ok_or("any value will do: it has no effect here")?;
        }
        Setting::ElsewhereSwitch | Setting::Help => {}
    }
    Ok(())
}

/// A decimal number times 1,000, exactly. `None` when it is no such number.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let dotted = text.contains('.');
    if whole.is_empty()
        || !digits(whole)
        || !digits(part)
        || part.len() > 3
        || dotted == part.is_empty()
    {
        return None;
    }
    let part: u64 = format!("{part:0<3}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Wish, String> {
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
            message: String::new(),
            ..RoomConfig::default()
        };
        assert_eq!(
            parsed(line),
            Ok(Wish::Replay(Replay {
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
            (
                "replay t --mode shut",
                "one of open, paused, bypass, closed",
            ),
            ("replay t --walk-in=maybe", "without a value"),
            ("replay", "no trace"),
            ("replay a b", "one trace at a time"),
            ("play a", "unknown command `play`"),
            ("", "nothing to do"),
        ];
        for (line, cure) in cases {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(cure), "{line}: {error}");
        }
        assert_eq!(parsed("--help"), Ok(Wish::Help));
        assert_eq!(parsed("replay t --help"), Ok(Wish::Help));
    }
}
