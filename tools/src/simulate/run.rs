//! Plays one seed from its first step to its last: a storm, and then a calm, in which every visitor who stays gets in twice.

use super::acts::calm::SETTLED_AFTER_MS;
use super::faults::{Counts, Name};
use super::greetings::Greeted;
pub use super::oracle::Figures;
pub use super::plan::{Climate, LOBBIES, Plan, VISITORS};
pub use super::played::Played;
use super::world::World;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which law was broken, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The law's name.
    pub law: String,
    /// What was seen.
    pub seen: String,
    /// The step at which it was seen.
    pub step: u64,
}

/// What happened in a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How much was played.
    pub played: Played,
    /// How often each kind of fault happened.
    pub faults: Counts,
    /// What happened to visitors.
    pub figures: Figures,
    /// What came of lobbies' Hellos.
    pub greeted: Greeted,
    /// The first law that was broken.
    pub failure: Option<Failure>,
    /// The names of the faults and acts that happened; empty if they are not kept.
    pub log: Vec<Name>,
    /// What happened, line by line; empty if it is not kept.
    pub diary: Vec<String>,
}

/// The number of steps of a storm with this many visitors.
const fn storm_steps(visitors: usize) -> u64 {
    2_000 + 200 * visitors as u64
}

/// Within this time after the faults stop, in ms, everybody who stays is in. The leases that are out then end within a minute and a half. After that
/// a tenth of the visitors can be inside at once, each with a permit for less than ten seconds.
#[must_use]
pub const fn served_within_ms(visitors: usize) -> u64 {
    900_000 + 10_000 * visitors as u64
}

/// Plays a plan. A panic is a failure like any other, unless checks are off.
#[must_use]
pub fn play(plan: &Plan) -> Outcome {
    let mut world = World::new(plan);
    let storm = plan.storm_steps.unwrap_or(storm_steps(world.people.len()));
    let played = catch_unwind(AssertUnwindSafe(|| storm_and_calm(&mut world, storm, plan.calms)));
    if let Err(panic) = played {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        world.flaw("nothing panics", text.unwrap_or_default());
    }
    let diary = world.diary.take().unwrap_or_default();
    let greeted = world.judge.greeted();
    let faults = world.faults.borrow();
    Outcome {
        diary,
        greeted,
        played: Played {
            recounts: world.judge.recounts,
            ..world.played
        },
        faults: faults.counts,
        figures: world.oracle.figures,
        failure: world.broken.as_ref().map(|violation| Failure {
            law: violation.law.to_owned(),
            seen: violation.seen.clone(),
            step: world.played.steps,
        }),
        log: faults.log.clone().unwrap_or_default(),
    }
}

fn storm_and_calm(world: &mut World, storm: u64, calms: bool) {
    while world.played.steps < storm {
        if !world.step(u64::MAX) {
            break;
        }
    }
    if world.broken.is_some() || !calms {
        return;
    }
    world.calm();
    let settled_at = world.time + SETTLED_AFTER_MS;
    world.oracle.settled_at = Some(settled_at);
    serve(world);
    goes_on_until(world, settled_at);
    // Once more, with everything put right and nobody in a hurry: everybody waits on an open socket until the doors open.
    if world.broken.is_none() {
        let opens_at = world.calm_again();
        goes_on_until(world, opens_at);
        world.doors_open();
        serve(world);
    }
}

fn goes_on_until(world: &mut World, time: u64) {
    while world.time < time && world.step(time) {}
}

/// Plays until every visitor who stays was in, which must happen within the bound.
fn serve(world: &mut World) {
    let until = world.time + served_within_ms(world.people.len());
    while !world.all_are_served() {
        if !world.step(until) {
            break;
        }
    }
    if world.broken.is_none() && !world.all_are_served() {
        let seen = world.who_waits();
        world.flaw("whoever stays gets in (liveness)", seen);
    }
}
