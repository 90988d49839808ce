//! `simulate`: plays whole worlds from seeds and checks every law after every step. Only time, output and exit codes are here; the simulation itself
//! is `baton_tools::simulate`.

#![allow(clippy::disallowed_methods, reason = "a tool measures how fast it is")]

use baton::facts::planted;
use baton_tools::flags::read;
use baton_tools::program::{Failure, run};
use baton_tools::simulate::flags::Task;
use baton_tools::simulate::fleet;
use baton_tools::simulate::judge::Depth;
use baton_tools::simulate::roll_back;
use baton_tools::simulate::run::{LOBBIES, Plan, VISITORS, play};
use baton_tools::simulate::shrink::shrink;
use baton_tools::simulate::tally::Tally;
use baton_tools::sums::Sums;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

const BROKEN: u8 = 1;
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// How long the rate without laws is measured, on the first seeds.
const RAW_FOR: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    run("simulate", read, |task: Task| {
        if let Some(name) = &task.plant {
            planted::plant_by_name(name).map_err(|error| format!("--plant is `{name}`\n  cure: {error}"))?;
        }
        // A panic in a world is a finding and is reported as one.
        std::panic::set_hook(Box::new(|_| {}));
        if task.house {
            run_houses(&task)
        } else if task.roll_backs {
            run_roll_backs(&task)
        } else {
            run_worlds(&task)
        }
    })
}

/// Plays a world for each seed, for as long as was asked. `play` adds what came of one to the sum, or says what is broken; `line` says what came of
/// all so far, in so many seconds.
fn each_seed<T>(task: &Task, mut sum: T, play: impl Fn(&mut T, u64) -> Result<(), String>, line: impl Fn(&T, f64) -> String) -> Result<T, Failure> {
    let (began, mut shown) = (Instant::now(), Instant::now());
    let end = task.minutes.map(|minutes| Duration::from_secs(60 * minutes));
    for seed in task.all_seeds() {
        if end.is_some_and(|end| began.elapsed() >= end) {
            break;
        }
        if let Err(broken) = play(&mut sum, seed) {
            println!("\n{broken}");
            return Err(Failure(BROKEN, String::new()));
        }
        if shown.elapsed() >= PROGRESS_EVERY {
            shown = Instant::now();
            println!("{}", line(&sum, began.elapsed().as_secs_f64()));
        }
    }
    Ok(sum)
}

/// Plays worlds of another kind. `line` says what came of those so far.
fn run_others<T: Sums>(task: &Task, flag: &str, play: impl Fn(u64) -> Result<T, String>, line: impl Fn(&T) -> String) -> Result<(), Failure> {
    let play = |(seeds, told): &mut (u64, T), seed| {
        let again = || format!("again: cargo run --release -p baton-tools --bin simulate -- {flag} --seed {seed}");
        let more = play(seed).map_err(|broken| format!("seed {seed}: {broken}\n{}", again()))?;
        *seeds += 1;
        told.take(&more);
        Ok(())
    };
    let line = |(seeds, told): &(u64, T), _| format!("{seeds} seeds: {}", line(told));
    let sum = each_seed(task, (0, T::default()), play, line)?;
    println!("{}", line(&sum, 0.0));
    Ok(())
}

fn run_houses(task: &Task) -> Result<(), Failure> {
    let line = |told: &fleet::Told| {
        format!(
            "{} requests judged, {} let through, {} waited for a table; {} changes of the house, {} refused, {} deaths",
            told.requests, told.opened, told.waited, told.changes, told.refused, told.deaths
        )
    };
    let play = |seed| fleet::play(seed, None);
    run_others(task, "--house", play, line)
}

fn run_roll_backs(task: &Task) -> Result<(), Failure> {
    let line = |seen: &roll_back::Seen| {
        format!(
            "{} steps, {} backups restored; {} places lost, {} kept, {} proofs",
            seen.steps, seen.roll_backs, seen.lost, seen.kept, seen.proofs
        )
    };
    run_others(task, "--roll-backs", roll_back::play, line)
}

fn plan(task: &Task, seed: u64) -> Plan {
    Plan {
        visitors: task.visitors.unwrap_or(VISITORS),
        lobbies: task.lobbies.unwrap_or(LOBBIES),
        depth: task.laws.unwrap_or_default(),
        only: task.only.clone().map(Rc::new),
        keeps_log: task.diary,
        storm_steps: task.steps,
        ..Plan::of(seed)
    }
}

fn run_worlds(task: &Task) -> Result<(), Failure> {
    let began = Instant::now();
    let play = |tally: &mut Tally, seed| {
        let plan = plan(task, seed);
        let outcome = play(&plan);
        tally.add(&outcome);
        outcome.diary.iter().for_each(|line| println!("{line}"));
        let Some(failure) = &outcome.failure else {
            return Ok(());
        };
        let features = task.plant.as_ref().map_or("", |_| " --features planted-bugs");
        let flags = flags_of(task);
        let again = format!("again: cargo run --release -p baton-tools{features} --bin simulate -- --seed {seed}{flags}");
        let found = format!(
            "seed {seed}, step {}: law broken: {}\n{}\n{again}",
            failure.step, failure.law, failure.seen
        );
        if task.no_shrink {
            return Err(found);
        }
        println!("\n{found}\n\nshrinking …");
        Err(shrink(&plan, failure).script())
    };
    let tally = each_seed(task, Tally::default(), play, Tally::line)?;
    let seconds = began.elapsed().as_secs_f64();
    print!("{}", tally.report());
    let is_lawless = task.laws == Some(Depth::Off);
    let laws = if is_lawless { "without laws" } else { "every law checked after each" };
    println!("{:.0} steps/s, {laws} ({seconds:.1} s)", tally.played.steps as f64 / seconds.max(1e-9));
    if !is_lawless {
        println!("{:.0} steps/s, without laws", raw_rate(task, tally.seeds));
    }
    Ok(())
}

/// Returns the flags without which the seed would mean another world.
fn flags_of(task: &Task) -> String {
    let mut text = String::new();
    for (flag, range, usual) in [("visitors", task.visitors, VISITORS), ("lobbies", task.lobbies, LOBBIES)] {
        if let Some((from, to)) = range.filter(|range| *range != usual) {
            text += &format!(" --{flag} {from}..{to}");
        }
    }
    if let Some(steps) = task.steps {
        text += &format!(" --steps {steps}");
    }
    if let Some(only) = &task.only {
        let names: Vec<String> = only.iter().map(ToString::to_string).collect();
        text += &format!(" --only {}", names.join(","));
    }
    if let Some(bug) = &task.plant {
        text += &format!(" --plant {bug}");
    }
    text
}

fn raw_rate(task: &Task, seeds: u64) -> f64 {
    let began = Instant::now();
    let mut steps = 0;
    for seed in task.all_seeds().take(seeds as usize).take_while(|_| began.elapsed() < RAW_FOR) {
        steps += play(&Plan {
            depth: Depth::Off,
            ..plan(task, seed)
        })
        .played
        .steps;
    }
    steps as f64 / began.elapsed().as_secs_f64().max(1e-9)
}
