//! Shrinks a failure to a short script: fewer visitors and lobbies, then fewer acts and faults, as long as the same law breaks (delta
//! debugging: Zeller and Hildebrandt, *Simplifying and isolating failure-inducing input*, 2002). Every act and every kind of fault has its own
//! chance, so leaving one out changes little else.

use super::faults::Name;
use super::run::{Failure, Outcome, Plan, play};
use baton::facts::planted::{self, Bug};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many steps shrinking may take: some minutes at most.
const STEPS_MAX: u64 = 150_000_000;
/// How many lines of the story a script shows.
const STORY_LINES: usize = 40;

/// The smallest run that was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The plan that plays it again.
    pub plan: Plan,
    /// What happened in it, with the names of all faults and acts.
    pub outcome: Outcome,
    /// How many runs it took to find.
    pub tries: u32,
}

struct Shrinker {
    law: String,
    tries: u32,
    steps: u64,
    best: (Plan, Outcome),
}

/// Shrinks a failing plan. It stops leaving things out after `STEPS_MAX` steps.
#[must_use]
pub fn shrink(plan: &Plan, failure: &Failure) -> Shrunk {
    let mut whole = Plan {
        keeps_log: true,
        ..plan.clone()
    };
    // Leaves out the calm, unless the failure shows only there.
    let in_storm = {
        play(&Plan {
            calms: false,
            ..whole.clone()
        })
    };
    whole.calms = in_storm.failure.is_none();
    if !whole.calms {
        whole.storm_steps = Some(failure.step);
    }
    let outcome = play(&whole);
    let mut shrinker = Shrinker {
        law: failure.law.clone(),
        tries: 2,
        steps: 0,
        best: (whole, outcome),
    };
    shrinker.smaller_world();
    // Whole kinds of faults and whole visitors go first, because single acts are many thousands.
    shrinker.fewer(|name| name.nth(0));
    shrinker.fewer(|name| name);
    let (plan, outcome) = shrinker.best;
    Shrunk {
        plan,
        outcome,
        tries: shrinker.tries,
    }
}

impl Shrinker {
    fn fails(&mut self, plan: Plan) -> bool {
        self.tries += 1;
        let outcome = play(&plan);
        self.steps += outcome.played.steps;
        let same = outcome.failure.as_ref().is_some_and(|failure| failure.law == self.law);
        if same {
            let storm_steps = plan.storm_steps.map(|steps| steps.max(1));
            self.best = (Plan { storm_steps, ..plan }, outcome);
        }
        same
    }

    fn smaller_world(&mut self) {
        for lobbies in 1..=2 {
            let plan = Plan {
                lobbies: (lobbies, lobbies),
                ..self.best.0.clone()
            };
            if plan.lobbies.1 < self.best.0.lobbies.1 && self.fails(plan) {
                break;
            }
        }
        for visitors in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128] {
            let plan = Plan {
                visitors: (visitors, visitors),
                ..self.best.0.clone()
            };
            if visitors < self.best.0.visitors.1 && self.fails(plan) {
                break;
            }
        }
    }

    fn is_tired(&self) -> bool {
        self.steps >= STEPS_MAX
    }

    /// Leaves out as many acts and faults as it can. Those with the same key go together.
    fn fewer(&mut self, key: fn(Name) -> Name) {
        let mut parts = 2;
        loop {
            let names: BTreeSet<Name> = self.best.1.log.iter().copied().collect();
            let keys: BTreeSet<Name> = names.iter().copied().map(key).collect();
            let keys: Vec<Name> = keys.into_iter().collect();
            if keys.is_empty() || self.is_tired() {
                return;
            }
            let size = keys.len().div_ceil(parts);
            let smaller = keys.chunks(size).any(|part| {
                let part: BTreeSet<Name> = part.iter().copied().collect();
                let rest = names.iter().filter(|name| !part.contains(&key(**name)));
                let plan = Plan {
                    only: Some(Rc::new(rest.copied().collect())),
                    ..self.best.0.clone()
                };
                !self.is_tired() && self.fails(plan)
            });
            if smaller {
                parts = (parts - 1).max(2);
            } else if size <= 1 {
                return;
            } else {
                parts = (parts * 2).min(keys.len());
            }
        }
    }
}

/// Returns whether a line tells who asks, what is decided, who is told or what goes wrong, and not how messages travel.
fn is_story(line: &str) -> bool {
    let what = line.split_whitespace().nth(1).unwrap_or_default();
    matches!(what, "visitor" | "row" | "FAULT")
}

impl Shrunk {
    /// Returns the command that plays it again.
    #[must_use]
    pub fn command(&self) -> String {
        let Plan {
            seed,
            visitors,
            lobbies,
            storm_steps,
            only,
            ..
        } = &self.plan;
        let bug = planted::planted().map(Bug::name);
        let features = if bug.is_some() { " --features planted-bugs" } else { "" };
        let mut text = format!(
            "cargo run --release -p baton-tools{features} --bin simulate -- --seed {seed} --visitors {}..{} --lobbies {}..{}",
            visitors.0, visitors.1, lobbies.0, lobbies.1
        );
        if let Some(bug) = bug {
            text += &format!(" --plant {bug}");
        }
        if let Some(steps) = storm_steps {
            text += &format!(" --steps {steps}");
        }
        if only.is_some() {
            let names: BTreeSet<Name> = self.outcome.log.iter().copied().collect();
            text += &format!(" --only {}", if names.is_empty() { "v0.99999".to_owned() } else { Name::list(&names) });
        }
        text
    }

    /// Returns the script: the end of the story, how many acts and faults are left, and the command that plays it again.
    #[must_use]
    pub fn script(&self) -> String {
        let mut text = String::new();
        let story: Vec<&String> = self.outcome.diary.iter().filter(|line| is_story(line)).collect();
        let told = story.len().saturating_sub(STORY_LINES);
        if told > 0 {
            text += &format!("  … {told} lines before; --diary prints all\n");
        }
        for line in &story[told..] {
            let short: String = line.chars().take(400).collect();
            text += &format!("  {short}\n");
        }
        let names: BTreeSet<&Name> = self.outcome.log.iter().collect();
        text += &format!(
            "{} acts and faults are left of it, found in {} runs:\n  {}\n",
            names.len(),
            self.tries,
            self.command()
        );
        text
    }
}
