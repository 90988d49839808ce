//! The command line of `plan`: every key of an event and every setting of its room is a flag, by their tables.

use super::keys::{self, KEYS};
use super::said::Said;
use crate::flags::Wish;
use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The event's file.
    pub file: Option<String>,
    /// What the flags say about the event.
    pub said: Said,
    /// Another event's file, to be planned beside this one.
    pub against: Option<String>,
    /// The differences of another plan, as `key=value key=value`.
    pub versus: Option<String>,
    /// The longest wait for which the planner looks for permits, ms.
    pub wait_max_ms: Option<u64>,
    /// The share of people for whom that wait counts.
    pub wait_share: f64,
    /// The number of runs; `None` for as many as are quick.
    pub seeds: Option<usize>,
    /// The first seed.
    pub seed: u64,
    /// The number of runs at once; `None` for one a core.
    pub threads: Option<usize>,
    /// Whether to print the people of this seed instead.
    pub crowd: bool,
}

const USAGE: &str = "npm run plan -- --people 20000 --permits 200 --stay 3m [more]\n       npm run plan -- event.toml [more]";

const FILES: &str = "\
event.toml has the same keys with `_` for `-`: those of the event at the top, those of the room
below a line [room]. A flag counts more than the file. docs/plan.md has an example.
--versus says what a second plan has that is different: --versus \"permits=240 draw=arrival\".

--vip 0.15 gives fifteen of a hundred people the VIP lane: they are called first. --vip-share 3: three
calls to VIPs, then one to the others. More lanes go into the file: docs/plan.md.

Waits are of those who get in: from coming, or from the opening for who comes before it. Bands hold
nine runs of ten.

Exit codes: 0 done; 2 bad input; 3 a bug in Baton.";

fn command() -> Command {
    let takes = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .help(help)
            .allow_hyphen_values(true)
            .value_parser(NonEmptyStringValueParser::new())
            .action(ArgAction::Set)
    };
    let keyed = |name: &'static str, default: Option<&str>, doc: &str| {
        let help = match default {
            Some(default) => format!("{doc} ({default})"),
            None => doc.to_owned(),
        };
        takes(name, "VALUE", "").long(name.replace('_', "-")).help(help)
    };
    let events = KEYS.iter().map(|key| keyed(key.name, key.default, key.doc));
    let is_new = |key: &&baton::settings::Key| keys::find(key.name).is_none();
    let rooms = keys::room_keys()
        .filter(is_new)
        .map(|key| keyed(key.name, key.default, key.doc).help_heading("The room"));
    Command::new("plan")
        .about("plan plays a sale many times before it is held, with the room that ships, and says what to expect.")
        .override_usage(USAGE)
        .after_help(FILES)
        .disable_help_subcommand(true)
        .args_override_self(true)
        .arg(Arg::new("file").value_name("event.toml").help("What the event is, in a file"))
        .args(events)
        .next_help_heading("Questions")
        .arg(takes("find", "permits", "Find the least permits for --wait-max").value_parser(["permits"]))
        .arg(takes("wait-max", "TIME", "The longest wait that is asked for, such as 20m"))
        .arg(takes(
            "wait-share",
            "SHARE",
            "For which share of those who get in: 0.5, 0.9 or 0.99 (0.9)",
        ))
        .arg(takes("versus", "KEYS", "A second plan beside it: what it has that is different"))
        .arg(takes("against", "other.toml", "A second plan beside it, in a file of its own"))
        .next_help_heading("How")
        .arg(takes("seeds", "N", "How many runs (as many as are quick, 5 to 100)"))
        .arg(takes("seed", "N", "The first run's seed (1)"))
        .arg(takes("threads", "N", "How many runs at once (one a core)"))
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print figures for programs"),
        )
        .arg(takes("out", "FOLDER", "Where the report goes (.baton/plan/)"))
        .arg(
            Arg::new("print-people")
                .long("print-people")
                .action(ArgAction::SetTrue)
                .hide(true)
                .help("Print the people of --seed"),
        )
        .args(rooms)
}

/// Reads the command line, without the program's name.
///
/// # Errors
/// Returns what is wrong with it, and the cure.
pub fn parse(arguments: &[String]) -> Result<Wish<Wanted>, String> {
    crate::flags::read_with(command(), arguments, wanted)
}

/// Makes of the flags what they ask for.
fn wanted(matches: &ArgMatches) -> Result<Wanted, clap::Error> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let number = |name: &str, least: u64, most: u64| -> Result<Option<u64>, clap::Error> {
        let Some(text) = text(name) else {
            return Ok(None);
        };
        let found = text.parse().ok().filter(|number| (least..=most).contains(number));
        found
            .map(Some)
            .ok_or_else(|| wrong(name, &text, &format!("a whole number from {least} to {most}")))
    };
    let names = KEYS.iter().map(|key| key.name);
    let names = names.chain(keys::room_keys().map(|key| key.name));
    let said: Vec<(&str, String)> = names.filter_map(|name| Some((name, text(name)?))).collect();
    let wait_max = match text("wait-max") {
        Some(text) => {
            let ms = keys::span_ms(&text).filter(|ms| *ms > 0);
            Some(ms.ok_or_else(|| wrong("wait-max", &text, "a time such as 90s, 20m or 1h"))?)
        }
        None => None,
    };
    if text("find").is_some() != wait_max.is_some() {
        return Err(plain("--find permits and --wait-max 20m belong together"));
    }
    if text("versus").is_some() && text("against").is_some() {
        return Err(plain("--versus and --against are both a second plan: leave one out"));
    }
    let wait_share = match text("wait-share").as_deref() {
        None | Some("0.9") => 0.9,
        Some("0.5") => 0.5,
        Some("0.99") => 0.99,
        Some(other) => return Err(wrong("wait-share", other, "0.5, 0.9 or 0.99")),
    };
    Ok(Wanted {
        file: text("file"),
        said: Said::by_flags(said.iter().map(|(name, text)| (*name, text.as_str()))),
        against: text("against"),
        versus: text("versus"),
        wait_max_ms: wait_max,
        wait_share,
        seeds: number("seeds", 1, 10_000)?.map(|seeds| seeds as usize),
        seed: number("seed", 0, u64::from(u32::MAX))?.unwrap_or(1),
        threads: number("threads", 1, 256)?.map(|threads| threads as usize),
        crowd: matches.get_flag("print-people"),
    })
}

fn wrong(name: &str, text: &str, cure: &str) -> clap::Error {
    plain(&format!("--{name} is `{text}`\n  cure: {cure}"))
}

fn plain(text: &str) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::ValueValidation, text)
}
