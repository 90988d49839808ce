//! Breadth first over the states of a small world. A state is kept as its number, the state it
//! was first reached from and the step that led there; to go on from it the path is walked again.

use crate::recover::Journal;
use crate::step::Step;
use crate::world::{Outcome, Rules, World};
use crate::{promises, served, standstill};
use baton::room::laws::{Check, Violation, check_row};
use core::fmt;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// When a search stops, if it does not come to its end.
#[derive(Clone, Copy)]
pub enum Budget {
    /// After so many edges.
    Edges(u64),
    /// After so long.
    Seconds(u64),
}

/// A state: how it was first reached.
struct Node {
    key: u128,
    from: u32,
    step: Step,
}

/// What a search saw.
pub struct Found {
    pub rules: String,
    /// Every sequence up to this length was seen.
    pub depth_whole: u32,
    /// There is no state beyond those seen.
    pub closed: bool,
    pub states: usize,
    pub expanded: usize,
    pub edges: u64,
    pub took: Duration,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rules,
            depth_whole,
            states,
            expanded,
            edges,
            ..
        } = self;
        let seconds = self.took.as_secs_f64();
        let end = if self.closed { "closed: no other state exists" } else { "not closed" };
        write!(
            f,
            "{rules}: depth {depth_whole} whole, {end}; {states} states, of {expanded} every edge: \
             {edges} edges; {seconds:.1} s, {:.0} states/s, {:.0} edges/s",
            *expanded as f64 / seconds,
            *edges as f64 / seconds,
        )
    }
}

struct Search<'a> {
    rules: &'a Rules,
    seen: HashSet<u128>,
    nodes: Vec<Node>,
    edges: u64,
}

/// Searches a world until it is closed or the budget is used up.
pub fn explore(rules: &Rules, budget: Budget) -> Found {
    let began = Instant::now();
    let mut search = Search {
        rules,
        seen: HashSet::new(),
        nodes: Vec::new(),
        edges: 0,
    };
    let (first, _) = World::new(rules);
    search.see(first.key(rules), 0, Step::Later);
    let (mut at, mut level_end, mut depth_whole) = (0, 1, 0);
    while at < search.nodes.len() {
        let used_up = match budget {
            Budget::Edges(edges) => search.edges >= edges,
            Budget::Seconds(seconds) => began.elapsed().as_secs() >= seconds,
        };
        if used_up {
            break;
        }
        search.expand(at);
        at += 1;
        if at == level_end {
            depth_whole += 1;
            level_end = search.nodes.len();
        }
    }
    Found {
        rules: rules.text.clone(),
        depth_whole,
        closed: at == search.nodes.len(),
        states: search.nodes.len(),
        expanded: at,
        edges: search.edges,
        took: began.elapsed(),
    }
}

impl Search<'_> {
    fn see(&mut self, key: u128, from: usize, step: Step) -> bool {
        let new = self.seen.insert(key);
        if new {
            let from = u32::try_from(from).expect("fewer than 2³² states");
            self.nodes.push(Node { key, from, step });
        }
        new
    }

    fn path(&self, mut at: usize) -> Vec<Step> {
        let mut path = Vec::new();
        while at != 0 {
            path.push(self.nodes[at].step);
            at = self.nodes[at].from as usize;
        }
        path.reverse();
        path
    }

    /// Checks one state and every edge that leaves it.
    fn expand(&mut self, at: usize) {
        let path = self.path(at);
        let (mut world, journal) = walk(self.rules, &path);
        let key = world.key(self.rules);
        assert!(
            key == self.nodes[at].key,
            "a path walked in one life leads to another state than with crashes between:\n{}",
            shown(self.rules, &path)
        );
        look(&mut world, &journal).unwrap_or_else(|broken| self.report(&broken, &path, None));
        for step in world.steps(self.rules) {
            self.edges += 1;
            if stands_still(self.rules, &world, step).unwrap_or_else(|broken| self.report(&broken, &path, Some(step))) {
                continue;
            }
            let mut after = world.clone();
            let outcome = after.act(self.rules, step);
            judge(self.rules, &world, &after, step, &outcome).unwrap_or_else(|broken| self.report(&broken, &path, Some(step)));
            self.see(after.key(self.rules), at, step);
        }
    }

    fn report(&self, broken: &Violation, path: &[Step], last: Option<Step>) -> ! {
        let path: Vec<Step> = path.iter().copied().chain(last).collect();
        panic!(
            "{broken}\nfound at depth {} after {} states and {} edges, by the shortest sequence; \
             put this into tests/exhaustive.rs:\n\n{}\n",
            path.len(),
            self.nodes.len(),
            self.edges,
            shown(self.rules, &path)
        )
    }
}

/// A sequence as a test.
fn shown(rules: &Rules, path: &[Step]) -> String {
    let steps: Vec<String> = path.iter().map(ToString::to_string).collect();
    format!(
        "#[test]\nfn a_sequence_that_was_found() {{\n    replay(\"{}\", \"{}\");\n}}",
        rules.text,
        steps.join(", ")
    )
}

/// Walks a path in one life, without a check.
fn walk(rules: &Rules, path: &[Step]) -> (World, Journal) {
    let (mut world, first) = World::new(rules);
    let mut journal = Journal::default();
    journal.put(&first, &baton::room::Room::new());
    for step in path {
        let before = world.room.clone();
        let outcome = world.act(rules, *step);
        journal.put(&outcome.row, &before);
    }
    (world, journal)
}

/// Every check of a state. Afterwards the world has crashed and come back.
fn look(world: &mut World, journal: &Journal) -> Check {
    standstill::check(world)?;
    journal.crash(world)?;
    served::check(world)
}

/// Every check of an edge.
fn judge(rules: &Rules, before: &World, after: &World, step: Step, outcome: &Outcome) -> Check {
    if !outcome.row.events.is_empty() {
        check_row(&before.room, &after.room, &outcome.row)?;
    } else {
        promises::require("no fact, no change (9)", before.room == after.room, || {
            "the room is another and no row was written".to_owned()
        })?;
    }
    promises::check(rules, before, after, step, outcome)
}

/// A visitor's step that decides nothing leads back here: only what it is answered is checked.
fn stands_still(rules: &Rules, world: &World, step: Step) -> Result<bool, Violation> {
    let Step::Does(deed, person) = step else {
        return Ok(false);
    };
    let lobby = world.lobby_of(rules, deed, person);
    let command = world.command(rules, deed, person);
    if !world.leads_to(lobby, &command).is_empty() {
        return Ok(false);
    }
    let outcome = Outcome {
        row: world.room.open_row(world.now),
        reply: Some(world.answer(lobby, &command)),
    };
    promises::check(rules, world, world, step, &outcome)?;
    Ok(true)
}

/// Plays a sequence with every check, crashing after each step.
pub fn replay(rules: &str, steps: &str) {
    let rules = Rules::of(rules);
    let mut path: Vec<Step> = Vec::new();
    let fail = |broken: Violation| panic!("{broken}\n  after: {steps}");
    let (mut world, journal) = walk(&rules, &path);
    look(&mut world, &journal).unwrap_or_else(fail);
    for text in steps.split(',').map(str::trim) {
        let step = Step::parse(text);
        assert!(world.steps(&rules).contains(&step), "{text} cannot be done here");
        let mut after = world.clone();
        let outcome = after.act(&rules, step);
        judge(&rules, &world, &after, step, &outcome).unwrap_or_else(fail);
        path.push(step);
        let (walked, journal) = walk(&rules, &path);
        assert!(walked.room == after.room, "another room after {text}");
        world = after;
        look(&mut world, &journal).unwrap_or_else(fail);
    }
}
