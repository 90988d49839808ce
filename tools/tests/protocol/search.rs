//! Searches for a schedule that breaks a property, breadth first or at random, and shortens the schedule that it found.

use std::collections::{BTreeSet, VecDeque};

use super::acts::Act;
use super::world::World;

/// A schedule that breaks a property.
pub struct Found {
    pub acts: Vec<Act>,
    pub what: String,
}

/// How much a search has gone through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Covered {
    pub walks: u64,
    pub steps: u64,
    pub settled: u64,
    pub states: usize,
    pub depth: usize,
}

/// Random numbers from a seed (xorshift).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            dice.below(2);
        }
        dice
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % end.max(1) as u64) as usize
    }
}

/// Returns what is broken in a world, or what does not settle from it.
pub fn verdict(world: &World) -> Option<String> {
    world.broken.clone().or_else(|| world.settles().err())
}

/// Visits every state that at most `steps_max` acts reach from `start`, and settles each. Stops when `go_on` returns false.
pub fn breadth_first(start: &World, steps_max: usize, go_on: impl Fn() -> bool) -> (Covered, Option<Found>) {
    let mut covered = Covered::default();
    let mut seen = BTreeSet::from([start.fingerprint()]);
    let mut queue = VecDeque::from([(start.clone(), Vec::new())]);
    while let Some((world, path)) = queue.pop_front() {
        if !go_on() {
            break;
        }
        covered.depth = covered.depth.max(path.len());
        if path.len() == steps_max {
            continue;
        }
        for act in world.acts() {
            let mut next = world.clone();
            next.act(&act);
            covered.steps += 1;
            if !seen.insert(next.fingerprint()) && next.broken.is_none() {
                continue;
            }
            covered.settled += 1;
            let path: Vec<Act> = path.iter().cloned().chain([act]).collect();
            if let Some(what) = verdict(&next) {
                covered.states = seen.len();
                return (covered, Some(Found { acts: path, what }));
            }
            queue.push_back((next, path));
        }
    }
    covered.states = seen.len();
    (covered, None)
}

/// Walks once at random and settles now and then, and after the last of `steps` acts. Returns the schedule if it breaks something.
pub fn walk(start: &World, seed: u64, steps: usize, covered: &mut Covered) -> Option<Found> {
    let mut dice = Dice::new(seed);
    let mut world = start.clone();
    let mut path = Vec::new();
    let trouble_one_in = [2, 4, 9][dice.below(3)];
    covered.walks += 1;
    for step in 1..=steps {
        let (rare, common): (Vec<Act>, Vec<Act>) = world.acts().into_iter().partition(|act| act.rare().is_some());
        let of = match dice.below(trouble_one_in) {
            0 if !rare.is_empty() => rare,
            _ if common.is_empty() => rare,
            _ => common,
        };
        if of.is_empty() {
            break;
        }
        let act = of[dice.below(of.len())].clone();
        world.act(&act);
        path.push(act);
        covered.steps += 1;
        let settle = step == steps || dice.below(12) == 0;
        covered.settled += u64::from(settle);
        let what = if settle { verdict(&world) } else { world.broken.clone() };
        if let Some(what) = what {
            return Some(Found { acts: path, what });
        }
    }
    None
}

/// Lets the acts of a schedule happen, except those that cannot. Returns what happened, and what broke.
fn replay(start: &World, acts: &[Act]) -> (Vec<Act>, Option<String>) {
    let mut world = start.clone();
    let mut done = Vec::new();
    for act in acts {
        if world.acts().contains(act) {
            world.act(act);
            done.push(act.clone());
        }
        if world.broken.is_some() {
            break;
        }
    }
    (done, verdict(&world))
}

/// Returns the kind of a finding: its words up to "told", without digits.
fn kind(what: &str) -> String {
    what.split("told")
        .next()
        .unwrap_or(what)
        .chars()
        .filter(|letter| !letter.is_ascii_digit())
        .collect()
}

/// Takes acts away from a schedule as long as it still breaks the same kind of thing.
pub fn shrink(start: &World, found: Found) -> Found {
    let mut best = found;
    let mut size = best.acts.len() / 2;
    loop {
        let (mut at, mut shorter) = (0, false);
        while at < best.acts.len() {
            let mut fewer = best.acts.clone();
            fewer.drain(at..(at + size.max(1)).min(best.acts.len()));
            let (done, what) = replay(start, &fewer);
            match what {
                Some(what) if kind(&what) == kind(&best.what) && done.len() < best.acts.len() => {
                    best = Found { acts: done, what };
                    shorter = true;
                }
                _ => at += size.max(1),
            }
        }
        if size <= 1 && !shorter {
            return best;
        }
        size /= 2;
    }
}

/// Writes each act of a schedule as its index in the list of what could happen then, which is short enough for a command line.
pub fn to_numbers(start: &World, acts: &[Act]) -> String {
    let mut world = start.clone();
    let mut numbers = Vec::new();
    for act in acts {
        let at = world.acts().iter().position(|other| other == act);
        numbers.push(at.map_or("?".to_string(), |at| at.to_string()));
        world.act(act);
    }
    numbers.join(".")
}

/// Returns the schedule that [`to_numbers`] wrote. Stops at a number that names no act.
pub fn from_numbers(start: &World, numbers: &str) -> Vec<Act> {
    let mut world = start.clone();
    let mut acts = Vec::new();
    for number in numbers.split('.').filter_map(|number| number.parse::<usize>().ok()) {
        let Some(act) = world.acts().get(number).cloned() else {
            break;
        };
        world.act(&act);
        acts.push(act);
    }
    acts
}
