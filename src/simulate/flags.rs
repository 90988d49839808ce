//! The command line of `simulate`.

use super::faults::Name;
use super::judge::Depth;
use super::run::{LOBBIES, VISITORS};
use crate::rehearse::nearest;
use std::collections::BTreeSet;

/// Most visitors of one world: a visitor's name is two bytes, and steps grow with the square.
const VISITORS_MAX: u64 = 2_000;
/// Most lobbies of one world.
const LOBBIES_MAX: u64 = 16;

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The help text.
    Help,
    /// To simulate.
    Play(Task),
}

/// What to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The first seed.
    pub from: u64,
    /// How many; with `minutes` as many as fit.
    pub seeds: u64,
    /// Stop after so long.
    pub minutes: Option<u64>,
    /// Visitors of a world.
    pub visitors: (u64, u64),
    /// Lobbies of a world.
    pub lobbies: (u64, u64),
    /// How much is checked.
    pub depth: Depth,
    /// Steps of the storm.
    pub steps: Option<u64>,
    /// Only these happen.
    pub only: Option<BTreeSet<Name>>,
    /// Print what happens.
    pub diary: bool,
    /// Shrink a failure.
    pub shrinks: bool,
    /// A bug to plant, by name.
    pub plant: Option<String>,
}

impl Default for Task {
    fn default() -> Self {
        Self {
            from: 0,
            seeds: 1_000,
            minutes: None,
            visitors: VISITORS,
            lobbies: LOBBIES,
            depth: Depth::Every,
            steps: None,
            only: None,
            diary: false,
            shrinks: true,
            plant: None,
        }
    }
}

type Put = fn(&mut Task, &str) -> Result<(), String>;

#[rustfmt::skip]
const FLAGS: &[(&str, bool, Put, &str)] = &[
    ("seed", true, |t, v| { (t.from, t.seeds) = (number(v)?, 1); Ok(()) }, "N        play this one"),
    ("seeds", true, |t, v| { t.seeds = number(v)?; Ok(()) }, "N        play so many (1000)"),
    ("from", true, |t, v| { t.from = number(v)?; Ok(()) }, "M        the first of them (0)"),
    ("minutes", true, |t, v| { (t.minutes, t.seeds) = (Some(number(v)?), u64::MAX); Ok(()) }, "M        go on for so long"),
    ("visitors", true, |t, v| { t.visitors = range(v, VISITORS_MAX)?; Ok(()) }, "A..B     visitors of a world (3..300)"),
    ("lobbies", true, |t, v| { t.lobbies = range(v, LOBBIES_MAX)?; Ok(()) }, "A..B     lobbies of a world (1..5)"),
    ("steps", true, |t, v| { t.steps = Some(number(v)?); Ok(()) }, "N        steps before the faults stop (by the world's size)"),
    ("laws", true, |t, v| { t.depth = depth(v)?; Ok(()) }, "WORD     on, both (every law in two forms) or off (on)"),
    ("only", true, |t, v| { t.only = Some(Name::parse_list(v)?); Ok(()) }, "NAMES    only these acts and faults happen, as a shrunk script prints them"),
    ("plant", true, |t, v| { t.plant = Some(v.to_owned()); Ok(()) }, "BUG      plant a bug; needs --features planted-bugs"),
    ("diary", false, |t, _| { t.diary = true; Ok(()) }, "         print all that happens"),
    ("no-shrink", false, |t, _| { t.shrinks = false; Ok(()) }, "         leave a failure as it is"),
];

/// What `--help` says.
#[must_use]
pub fn help() -> String {
    let mut text = "\
simulate plays whole worlds: a room, its lobbies, their visitors, and everything that can go wrong. After every
step every law is checked. One seed is one world, and plays the same each time.

  simulate --seeds 1000 [--from M] [--visitors A..B] [--minutes M]
  simulate --seed N

"
    .to_owned();
    for (name, _, _, doc) in FLAGS {
        text.push_str(&format!("  --{name:<11}{doc}\n"));
    }
    text.push_str("\nExit codes: 0 every law held; 1 a law was broken; 2 bad input.\n");
    text
}

/// Reads the command line, the program's name left out.
///
/// # Errors
/// What is wrong with it, and the cure.
pub fn parse(arguments: &[String]) -> Result<Wish, String> {
    let mut task = Task::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if matches!(argument.as_str(), "-h" | "--help" | "help") {
            return Ok(Wish::Help);
        }
        let Some(flag) = argument.strip_prefix("--") else {
            return Err(format!(
                "`{argument}` is no flag\n  cure: simulate --seeds 1000, or simulate --help"
            ));
        };
        let (name, mut value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let Some((_, takes, put, _)) = FLAGS.iter().find(|(known, ..)| *known == name) else {
            return Err(
                match nearest(name, FLAGS.iter().map(|(known, ..)| *known)) {
                    Some(meant) => {
                        format!("unknown flag --{name}\n  cure: did you mean --{meant}?")
                    }
                    None => format!("unknown flag --{name}\n  cure: --help lists them all"),
                },
            );
        };
        if *takes && value.is_none() {
            value = rest.next().map(String::as_str);
        }
        match value {
            None if *takes => {
                return Err(format!(
                    "--{name} without a value\n  cure: --help says which"
                ));
            }
            Some(value) if !takes => {
                return Err(format!(
                    "--{name} is `{value}`\n  cure: --{name} without a value"
                ));
            }
            _ => {}
        }
        let value = value.unwrap_or_default();
        put(&mut task, value).map_err(|cure| format!("--{name} is `{value}`\n  cure: {cure}"))?;
    }
    Ok(Wish::Play(task))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number".to_owned())
}

fn range(text: &str, most: u64) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let to = to.strip_prefix('=').unwrap_or(to);
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 1 <= from && from <= to && to <= most => Ok((from, to)),
        _ => Err(format!("a number or A..B, from 1 to {most}, both included")),
    }
}

fn depth(text: &str) -> Result<Depth, String> {
    match text {
        "on" => Ok(Depth::Every),
        "both" => Ok(Depth::Both),
        "off" => Ok(Depth::Off),
        _ => Err("on, both or off".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Wish, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn every_flag_sets_something() {
        let line = "--from 7 --seeds=3 --visitors 4..9 --lobbies 2 --steps 500 --laws both --only lost.3-5,v2.17 --diary --no-shrink";
        let only = ["lost.3", "lost.4", "lost.5", "v2.17"].map(|name| name.parse().unwrap());
        let expected = Task {
            from: 7,
            seeds: 3,
            visitors: (4, 9),
            lobbies: (2, 2),
            steps: Some(500),
            depth: Depth::Both,
            only: Some(BTreeSet::from(only)),
            diary: true,
            shrinks: false,
            ..Task::default()
        };
        assert_eq!(parsed(line), Ok(Wish::Play(expected)));
        assert_eq!(parsed("--seeds 2 --help"), Ok(Wish::Help));
        let written = "lost.3-5,alarm-late.0,v2.7,v2.9-10,v3.0";
        let names = Name::parse_list(written).unwrap();
        assert_eq!(names.len(), 8);
        assert_eq!(Name::parse_list(&Name::list(&names)), Ok(names));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_cure() {
        let cases = [
            ("--sed 2", "did you mean --seed?"),
            ("--frobnicate", "--help lists them all"),
            ("--seeds", "--seeds without a value"),
            ("--seeds many", "a whole number"),
            ("--visitors 9..4", "a number or A..B, from 1 to 2000"),
            ("--visitors 0..4", "from 1 to 2000"),
            ("--laws some", "on, both or off"),
            ("--only lost", "names look like lost.3"),
            ("--only gone.3", "names look like lost.3"),
            ("--only lost.3-x", "ranges look like lost.3-9"),
            ("--diary=yes", "without a value"),
            ("play", "`play` is no flag"),
        ];
        for (line, cure) in cases {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(cure), "{line}: {error}");
        }
    }
}
