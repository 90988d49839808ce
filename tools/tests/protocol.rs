//! Searches a small model of the protocol between a room and its lobbies for schedules that break it. The model states the design and knows
//! nothing of the code that ships: two visitors, one permit, two lobbies, a network that loses, repeats and reorders, a room and lobbies that
//! forget, two lives of one lobby, carrying, leaving, joining again, a draw, a reset, lists in pages.
//!
//! After every state (breadth first), or now and then (random walks), the faults stop and everything must settle: what people were told is what
//! the book says, nobody waits beside a free permit, and the line runs dry. `judge.rs` and `calm.rs` hold the properties, `rules.rs` the rules.
//! Each rule can be taken away.
//!
//! The model leaves out durations, `ahead`, walk-ins, polls, strict holds, sold out, the front's state, and more than two visitors. A search that
//! finds nothing proves nothing beyond the states that it visited; it prints how many.
//!
//! `PROTOCOL_SECONDS=600 cargo test --release -p baton-tools --test protocol` searches longer. A failure prints its schedule and the command
//! that replays it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on stops, and a long run is bounded by the clock"
)]

#[path = "protocol/acts.rs"]
mod acts;
#[path = "protocol/asks.rs"]
mod asks;
#[path = "protocol/book.rs"]
mod book;
#[path = "protocol/calm.rs"]
mod calm;
#[path = "protocol/happen.rs"]
mod happen;
#[path = "protocol/heard.rs"]
mod heard;
#[path = "protocol/judge.rs"]
mod judge;
#[path = "protocol/level.rs"]
mod level;
#[path = "protocol/lobby.rs"]
mod lobby;
#[path = "protocol/people.rs"]
mod people;
#[path = "protocol/replica.rs"]
mod replica;
#[path = "protocol/room.rs"]
mod room;
#[path = "protocol/rules.rs"]
mod rules;
#[path = "protocol/search.rs"]
mod search;
#[path = "protocol/starts.rs"]
mod starts;
#[path = "protocol/ticket.rs"]
mod ticket;
#[path = "protocol/words.rs"]
mod words;
#[path = "protocol/world.rs"]
mod world;

use rules::{Rule, Rules};
use search::{Covered, Found, breadth_first, from_numbers, shrink, to_numbers, verdict, walk};
use starts::Start;
use std::time::{Duration, Instant};

/// The number of acts in a random walk.
const WALK_STEPS: usize = 100;

/// Returns when a longer run ends, or `None` if `PROTOCOL_SECONDS` asks for none.
fn longer() -> Option<Instant> {
    let seconds = std::env::var("PROTOCOL_SECONDS").ok()?;
    let seconds = seconds.parse().expect("PROTOCOL_SECONDS is a whole number");
    Some(Instant::now() + Duration::from_secs(seconds))
}

/// Writes down a schedule, what follows when the faults stop, and the command that replays it.
fn told(start: &Start, without: Option<Rule>, found: &Found) -> String {
    let rules = without.map_or(Rules::all(), |rule| Rules::all().without(rule));
    let mut world = start.world(rules);
    let mut text = format!("{}\nfrom {:?}:\n", found.what, start.name);
    for act in &found.acts {
        text += &format!("  {act:?}\n");
        world.act(act);
    }
    if world.broken.is_none() {
        let mut log = Vec::new();
        let end = world.settle(&mut log);
        text += "  -- faults stop\n";
        log.iter().take(60).for_each(|act| text += &format!("  {act:?}\n"));
        text += &format!("  {end:?}\n");
    }
    let numbers = to_numbers(&start.world(rules), &found.acts);
    let removed = without.map_or(String::new(), |rule| format!("PROTOCOL_WITHOUT={rule:?} "));
    text + &format!(
        "again: {removed}PROTOCOL_REPLAY={}:{numbers} cargo test -p baton-tools --test protocol a_schedule_replays -- --nocapture",
        start.name
    )
}

/// Shortens a schedule that breaks the model, and panics with it.
fn fail(start: &Start, found: Found) -> ! {
    let found = shrink(&start.world(Rules::all()), found);
    panic!("{}", told(start, None, &found))
}

/// Every state within three acts of a scene settles, whatever faults lead there. A longer run goes deeper.
#[test]
fn every_state_near_a_scene_settles() {
    let until = longer();
    let go_on = || until.is_none_or(|until| Instant::now() < until);
    for steps in 3.. {
        for start in starts::scenes() {
            let (covered, found) = breadth_first(&start.world(Rules::all()), steps, go_on);
            if let Some(found) = found {
                fail(&start, found);
            }
            if go_on() {
                println!("{}: every state within {steps} acts: {covered:?}", start.name);
            } else {
                println!("{}: some states within {steps} acts: {covered:?}", start.name);
            }
        }
        if until.map_or(steps == 3, |until| Instant::now() >= until) {
            break;
        }
    }
}

/// Random walks settle: from empty rooms with every fault, and from corners with few kinds of faults.
#[test]
fn random_walks_settle() {
    let until = longer();
    let first: u64 = std::env::var("BATON_SEED").map_or(1, |seed| seed.parse().expect("BATON_SEED is a number"));
    let starts: Vec<Start> = starts::empty_rooms().into_iter().chain(starts::corners()).collect();
    let worlds: Vec<_> = starts.iter().map(|start| start.world(Rules::all())).collect();
    let mut covered = Covered::default();
    for seed in first.. {
        if until.map_or(seed - first == 4_000, |until| Instant::now() >= until) {
            break;
        }
        let at = (seed % starts.len() as u64) as usize;
        if let Some(found) = walk(&worlds[at], seed, WALK_STEPS, &mut covered) {
            fail(&starts[at], found);
        }
    }
    println!("random walks: {covered:?}");
}

/// How the model breaks without a rule.
struct Needed {
    rule: Rule,
    start: &'static str,
    /// The seed of the first walk to try. It was found by trying from 1.
    seed: u64,
    /// Words from the message of the property that breaks.
    breaks: &'static str,
}

/// The most walks to try without a rule. The first one breaks the model, until a change of the model makes the dice fall differently.
const WALKS_MAX: u64 = 6_000;

/// Rules without which nothing is known to break. They make things quicker, or serve what the model leaves out.
const NOT_KNOWN_TO_BE_NEEDED: [Rule; 1] = [Rule::RepeatPresence];

#[rustfmt::skip]
const NEEDED: [Needed; 25] = {
    use Rule::*;
    const fn needed(rule: Rule, start: &'static str, seed: u64, breaks: &'static str) -> Needed {
        Needed { rule, start, seed, breaks }
    }
    [
        needed(AcknowledgedSince, "moves", 213, "was told"),
        needed(IgnoreOlder, "apart-2", 1, "is not the book"),
        needed(RefuseOldLives, "twins", 111, "nobody asked for"),
        needed(RefuseLate, "late", 32, "nobody asked for"),
        needed(Greeting, "late", 1386, "nobody asked for"),
        needed(HelloNumbers, "apart-3", 1057, "was told"),
        needed(HelloOnGap, "apart-2", 5, "never comes to rest"),
        needed(NumberAndKey, "moves", 4, "another's"),
        needed(VoidLinks, "same-3", 608, "a void link carries"),
        needed(OwnPlaceLeft, "moves", 1, "two living tickets"),
        needed(NewFence, "moves", 1, "another's lease"),
        needed(At, "apart-2", 1, "two living tickets"),
        needed(WholeLists, "apart-2", 1, "told over of a living ticket"),
        needed(PageOfItsList, "twins", 4050, "is not the book"),
        needed(PagesCaughtUp, "lists", 241, "never so at that row"),
        needed(RowShown, "twins", 524, "told over of a living ticket"),
        needed(AnswerOfItsAsk, "same-1", 1, "not of that ask"),
        needed(TurnEnd, "same-2", 26, "not of that ask"),
        needed(JoinWhileAsked, "same-1", 4, "nobody asked for"),
        needed(RoomAnswersJoins, "moves", 5, "did not have since it asked"),
        needed(QuietAlarm, "lists", 319, "holds it away"),
        needed(PokeAfterRestart, "apart-2", 48, "was told"),
        needed(MissedCallException, "late", 3, "called again"),
        needed(HereKnowsOfTheMiss, "presence", 27, "called again"),
        needed(ToldAgain, "lists", 16, "holds it away"),
    ]
};

/// Without each of these rules a walk breaks the model, and with the rule the same walk does not. `PROTOCOL_WITHOUT=<rule>` prints the
/// shortened schedule.
#[test]
fn each_rule_is_needed() {
    let shown = std::env::var("PROTOCOL_WITHOUT").ok();
    for rule in Rule::ALL {
        let listed = NEEDED.iter().any(|needed| needed.rule == rule);
        assert!(
            listed != NOT_KNOWN_TO_BE_NEEDED.contains(&rule),
            "{rule:?} stands in one of the two tables"
        );
    }
    for Needed { rule, start, seed, breaks } in NEEDED {
        let start = Start::named(start).expect("a start has that name");
        let world = start.world(Rules::all().without(rule));
        let mut covered = Covered::default();
        let found = (seed..seed + WALKS_MAX).find_map(|seed| {
            let found = walk(&world, seed, WALK_STEPS, &mut covered)?;
            Some((seed, found))
        });
        let Some((seed, found)) = found else {
            panic!("without {rule:?} nothing broke in {covered:?}")
        };
        println!(
            "without {rule:?}: {} (start {}, seed {seed}, {} walks)",
            found.what, start.name, covered.walks
        );
        assert!(found.what.contains(breaks), "without {rule:?} something else broke: {}", found.what);
        if let Some(found) = walk(&start.world(Rules::all()), seed, WALK_STEPS, &mut covered) {
            fail(&start, found);
        }
        if shown.as_deref() == Some(&format!("{rule:?}")) {
            println!("{}", told(&start, Some(rule), &shrink(&world, found)));
        }
    }
}

/// A rule without which something breaks belongs in the other table.
#[test]
fn nothing_is_known_to_break_without_the_others() {
    let until = longer();
    for rule in NOT_KNOWN_TO_BE_NEEDED {
        let rules = Rules::all().without(rule);
        let mut covered = Covered::default();
        for seed in 1.. {
            if until.map_or(seed > 800, |until| Instant::now() >= until) {
                break;
            }
            for start in [Start::named("presence"), Start::named("apart-2")].into_iter().flatten() {
                if let Some(found) = walk(&start.world(rules), seed, WALK_STEPS, &mut covered) {
                    panic!("{rule:?} is needed: {}", told(&start, Some(rule), &found));
                }
            }
        }
        println!("without {rule:?} nothing broke: {covered:?}");
    }
}

/// A schedule written as numbers replays the same acts and breaks the same property. With `PROTOCOL_REPLAY`, this prints that schedule instead.
#[test]
fn a_schedule_replays() {
    if let Ok(replay) = std::env::var("PROTOCOL_REPLAY") {
        let (name, numbers) = replay.split_once(':').expect("PROTOCOL_REPLAY=<start>:<numbers>");
        let start = Start::named(name).expect("PROTOCOL_REPLAY begins with the name of a start");
        let without = std::env::var("PROTOCOL_WITHOUT").ok();
        let rule = without.map(|name| Rule::named(&name).expect("PROTOCOL_WITHOUT names a rule"));
        let rules = rule.map_or(Rules::all(), |rule| Rules::all().without(rule));
        let acts = from_numbers(&start.world(rules), numbers);
        println!(
            "{}",
            told(
                &start,
                rule,
                &Found {
                    acts,
                    what: "replayed".to_string()
                }
            )
        );
        return;
    }
    let start = Start::named("apart-2").expect("a start has that name");
    let world = start.world(Rules::all().without(Rule::At));
    let found = walk(&world, 1, WALK_STEPS, &mut Covered::default()).expect("without At the model breaks");
    let found = shrink(&world, found);
    let again = from_numbers(&world, &to_numbers(&world, &found.acts));
    assert_eq!(again, found.acts);
    let mut world = world;
    again.iter().for_each(|act| world.act(act));
    assert_eq!(verdict(&world), Some(found.what));
}
