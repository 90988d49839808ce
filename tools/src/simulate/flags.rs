//! The command line of `simulate`.

use super::faults::Name;
use super::judge::Depth;
use clap::Parser;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most visitors of one world: a visitor's name has two bytes, and the time that a world takes grows with the square of its visitors.
const VISITORS_MAX: u64 = 2_000;
/// The most lobbies of one world. The time that a world takes grows with them too.
const LOBBIES_MAX: u64 = 128;

/// simulate plays whole worlds: a room, its lobbies, their visitors, and everything that can go wrong. After every
/// step every law is checked. One seed is one world, and plays the same each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Parser)]
#[command(name = "simulate", args_override_self = true)]
#[command(override_usage = "\
simulate --seeds 1000 [--from M] [--visitors A..B] [--minutes M]
       simulate --seed N")]
#[command(after_help = "Exit codes: 0 every law held; 1 a law was broken; 2 bad input.")]
pub struct Task {
    /// Play this one
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = number)]
    seed: Option<u64>,
    /// Play so many (1000)
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = number)]
    seeds: Option<u64>,
    /// The first of them (0)
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = number)]
    from: Option<u64>,
    /// Go on for so long
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = number)]
    pub minutes: Option<u64>,
    /// Visitors of a world (3..300)
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, value_parser = range::<VISITORS_MAX>)]
    pub visitors: Option<(u64, u64)>,
    /// Lobbies of a world (1..5)
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, value_parser = range::<LOBBIES_MAX>)]
    pub lobbies: Option<(u64, u64)>,
    /// Steps before the faults stop (by the world's size)
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = number)]
    pub steps: Option<u64>,
    /// Which laws are checked: on, both (every law in two forms) or off (on)
    #[arg(long, value_name = "WORD", allow_hyphen_values = true, value_parser = depth)]
    pub laws: Option<Depth>,
    /// Only these acts and faults happen, as a shrunk script prints them
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true, value_parser = Name::parse_list)]
    pub only: Option<BTreeSet<Name>>,
    /// Plant a bug; needs --features planted-bugs
    #[arg(long, value_name = "BUG")]
    pub plant: Option<String>,
    /// Play worlds of the house and its fronts instead
    #[arg(long, conflicts_with_all = ["visitors", "lobbies", "steps", "laws", "only", "plant", "diary"])]
    pub house: bool,
    /// Play worlds in which a backup of the room's data is restored instead
    #[arg(long, conflicts_with_all = ["visitors", "lobbies", "steps", "laws", "only", "diary", "house"])]
    pub roll_backs: bool,
    /// Print all that happens
    #[arg(long)]
    pub diary: bool,
    /// Leave a failure as it is
    #[arg(long)]
    pub no_shrink: bool,
}

impl Task {
    /// The seeds to play; with `minutes`, as many as fit unless a number is given.
    #[must_use]
    pub fn all_seeds(&self) -> Range<u64> {
        let from = self.seed.or(self.from).unwrap_or(0);
        let most = self.minutes.map_or(1_000, |_| u64::MAX);
        let count = self.seed.map_or(self.seeds.unwrap_or(most), |_| 1);
        from..from.saturating_add(count)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number".to_owned())
}

fn range<const MOST: u64>(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let to = to.strip_prefix('=').unwrap_or(to);
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 1 <= from && from <= to && to <= MOST => Ok((from, to)),
        _ => Err(format!("a number or A..B, from 1 to {MOST}, both included")),
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
    use crate::flags::{Wish, read};

    fn parsed(line: &str) -> Result<Wish<Task>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read(&words)
    }

    #[test]
    fn every_flag_sets_something() {
        let line = "--from 7 --seeds=3 --visitors 4..9 --lobbies 2 --steps 500 --laws both --only lost.3-5,v2.17 --diary --no-shrink";
        let only = ["lost.3", "lost.4", "lost.5", "v2.17"].map(|name| name.parse().unwrap());
        let expected = Task {
            from: Some(7),
            seeds: Some(3),
            visitors: Some((4, 9)),
            lobbies: Some((2, 2)),
            steps: Some(500),
            laws: Some(Depth::Both),
            only: Some(BTreeSet::from(only)),
            diary: true,
            no_shrink: true,
            ..Task::default()
        };
        assert_eq!(parsed(line), Ok(Wish::Do(expected)));
        for line in ["--seeds 2 --help", "help", "-h"] {
            assert!(matches!(parsed(line), Ok(Wish::Help(_))), "{line}");
        }
        let seeds = |line| match parsed(line) {
            Ok(Wish::Do(task)) => (task.all_seeds(), task.minutes),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(seeds(""), (0..1_000, None));
        assert_eq!(seeds("--seed 7"), (7..8, None));
        assert_eq!(seeds("--minutes 2 --from 9"), (9..u64::MAX, Some(2)));
        assert_eq!(seeds("--seeds 3 --seeds 4"), (0..4, None));
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
            ("--only nowhere.3", "names look like lost.3"),
            ("--only lost.3-x", "ranges look like lost.3-9"),
            ("--diary=yes", "without a value"),
            ("play", "simulate --seeds 1000"),
        ];
        for (line, cure) in cases {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(cure), "{line}: {error}");
        }
    }
}
