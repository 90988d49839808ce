//! `plan`: plays a sale many times before it is held. It reads flags and `event.toml` and prints JSON, of which `scripts/plan.mjs` makes text and a
//! report. Only files, streams and exit codes are here; the planner itself is `baton_tools::plan`.

use baton_tools::plan::crowd;
use baton_tools::plan::event::Event;
use baton_tools::plan::flags::{self, Wanted};
use baton_tools::plan::forecast::{self, Forecast};
use baton_tools::plan::said::{Said, Wrong};
use baton_tools::plan::world::Bug;
use baton_tools::program::{self, Failure};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::process::ExitCode;

const BUG: u8 = 3;
/// The number of people in all runs together, if nobody says how many runs.
const PEOPLE_IN_ALL: u64 = 2_000_000;

fn main() -> ExitCode {
    program::run("plan", flags::parse, |wanted| program::print(&run(&wanted)?))
}

fn run(wanted: &Wanted) -> Result<String, Failure> {
    let said = match &wanted.file {
        Some(file) => in_file(file)?.then(wanted.said.clone()),
        None => wanted.said.clone(),
    };
    let mut event = event(&said)?;
    let mut other = match (&wanted.against, &wanted.versus) {
        (Some(file), _) => Some(self::event(&in_file(file)?)?),
        (None, Some(words)) => {
            let versus = Said::by_words(words).map_err(|wrong| flawed(&[wrong]))?;
            Some(self::event(&said.clone().then(versus))?)
        }
        (None, None) => None,
    };
    if let Some(other) = &mut other {
        event.tell_apart(other);
    }
    if wanted.crowd {
        return Ok(people(&event, wanted.seed));
    }
    let quick = (PEOPLE_IN_ALL / event.people()).clamp(5, 100) as usize;
    let seeds = wanted.seeds.unwrap_or(quick);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = wanted.threads.unwrap_or(cores);
    let play = |event: &Event| -> Result<Value, Failure> {
        let forecast = forecast::forecast(event, wanted.seed, seeds, threads).map_err(bug)?;
        Ok(told(event, &forecast))
    };
    let found = match wanted.wait_max_ms {
        Some(wait_max_ms) => {
            let found = forecast::find_permits(&event, wait_max_ms, wanted.wait_share, (wanted.seed, seeds), threads);
            let found = found.map_err(bug)?;
            Some(json!({ "sentence": found.sentence(), "found": found }))
        }
        None => None,
    };
    let text = json!({
        "plan": play(&event)?,
        "other": other.as_ref().map(play).transpose()?,
        "found": found,
        "seeds": seeds,
        "supposed": said.supposed(),
    });
    Ok(format!("{text}\n"))
}

/// Returns the forecast, and what the costs need of the event.
fn told(event: &Event, forecast: &Forecast) -> Value {
    json!({
        "forecast": forecast,
        "tick_ms": event.room.core.tick_ms,
        "draw": event.room.core.draw.name(),
        "lanes_rule": (!event.room.core.lanes.is_empty()).then(|| event.room.core.lanes_rule.name()),
    })
}

/// Returns everybody of a run: when they come, and what they do.
fn people(event: &Event, seed: u64) -> String {
    let all = crowd::people(event, seed);
    let each = all.iter().map(|person| {
        let never = |ms: u32| (ms != crowd::NEVER).then_some(ms);
        json!({
            "comes_ms": person.comes_ms, "stay_ms": person.stay_ms, "leaves_ms": never(person.leaves_ms), "returns_ms": never(person.returns_ms),
            "lane": event.groups.get(usize::from(person.lane)).map(|group| &group.name),
            "seats": person.seats, "sleeps": person.sleeps, "walks_off": f64::from(person.walks_off) / 255.0,
        })
    });
    format!("{}\n", Value::from(each.collect::<Vec<_>>()))
}

fn event(said: &Said) -> Result<Event, Failure> {
    let read = |file: &str| std::fs::read_to_string(file).map_err(|error| why_unread(&error));
    Event::new(said, &read).map_err(|wrong| flawed(&wrong))
}

fn in_file(file: &str) -> Result<Said, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        let what = format!("{file}: {}", why_unread(&error));
        flawed(&[Wrong::plain(&what, "name a readable event.toml; docs/plan.md has an example")])
    })?;
    Said::by_file(file, &text).map_err(|wrong| flawed(&wrong))
}

fn why_unread(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

fn flawed(wrong: &[Wrong]) -> Failure {
    let all: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    all.join("\n").into()
}

fn bug(Bug(what): Bug) -> Failure {
    Failure(BUG, format!("this is a bug in Baton; please report it: {what}"))
}
