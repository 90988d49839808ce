//! A room carries out its schedule: each step once, in order, when it is due, through crashes; what could not be done is said.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "recovery/disk.rs"]
mod disk;

use baton::facts::config::{LiveKey, Mode, RoomConfig};
use baton::facts::event::{Change, Event};
use baton::facts::limits::{STEPS_MAX, WHY_BYTES_MAX};
use baton::facts::schedule::{Step, StepEnd};
use baton::facts::units::Instant;
use baton::living::{Chance, LivingRoom, RoomOptions, StepJudge};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use baton::room::schedule;
use baton::settings::{LiveTable, Wanted, parse_room};
use disk::Disk;
use serde_json::{Value, json};
use std::rc::Rc;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// 2026-12-01T09:00:00Z.
const NINE_MS: u64 = 1_796_115_600_000;
const HOUR_MS: u64 = 3_600_000;
const TEN_MS: u64 = NINE_MS + HOUR_MS;

#[derive(Debug)]
struct File(LiveTable);

fn options(wanted: &Wanted) -> RoomOptions {
    RoomOptions {
        config: wanted.settings.core.clone(),
        ramps: wanted.ramps,
        journal_keep_ms: 30 * 24 * HOUR_MS,
        lots: Lots::default(),
    }
}

impl StepJudge for File {
    fn judge(&self, room: &Room, _: &RoomOptions, now: Instant, set: &[Change]) -> Result<(Vec<Change>, RoomOptions), String> {
        let wanted = self.0.step(room.live(), room.config(), now, set)?;
        let options = options(&wanted);
        Ok((wanted.changes, options))
    }
}

fn file(more: Value) -> Value {
    let mut table = json!({ "paths": ["/buy"], "permits": 10, "mode": "paused" });
    let more = more.as_object().cloned().unwrap();
    table.as_object_mut().unwrap().extend(more);
    table
}

/// A room of this file, over a disk that outlives it.
struct Scene<'d> {
    disk: &'d Disk,
    file: Rc<File>,
    living: LivingRoom<&'d Disk>,
}

impl<'d> Scene<'d> {
    /// Comes into memory as the shell brings it there.
    fn wakes(disk: &'d Disk, table: &Value, wall_ms: u64) -> Self {
        let parsed = parse_room("onsale", table).unwrap();
        let file = Rc::new(File(LiveTable::new(parsed, table.clone())));
        let mut room = Room::new();
        let begin = |room: &Room| {
            let (values, problems) = file.0.usable(room.live());
            assert_eq!(problems, []);
            options(&Wanted {
                changes: vec![],
                settings: file.0.laid(&values).unwrap(),
                ramps: Ramps::of(values.values()),
            })
        };
        let chance = Chance([1; 32]);
        let living = LivingRoom::restore(disk, begin(&room), chance, wall_ms, None);
        let mut living = living.unwrap();
        room.clone_from(living.room());
        living.set_options(begin(&room));
        let judge: Rc<dyn StepJudge> = file.clone();
        living.set_judge(judge);
        Self { disk, file, living }
    }

    /// The process ends, and another begins with this file.
    fn restarts(self, table: &Value, wall_ms: u64) -> Self {
        Self::wakes(self.disk, table, wall_ms)
    }

    /// Sleeps till the alarm, or till then if there is none before.
    fn sleeps_to(&mut self, wall_ms: u64) -> u64 {
        let clock = *self.living.clock();
        let armed = self.living.armed().map(|at| clock.to_wall_ms(at));
        let at_ms = armed.map_or(wall_ms, |at_ms| at_ms.min(wall_ms));
        self.living.ring(at_ms).unwrap();
        at_ms
    }

    fn sets(&mut self, wall_ms: u64, values: &Value) -> Result<(), String> {
        let values = values.as_object().unwrap();
        let file = Rc::clone(&self.file);
        let turned = self.living.change(wall_ms, "mia", |living, now| {
            let room = living.room();
            let wanted = file.0.wanted(room.live(), room.config(), now, "mia", values)?;
            let options = options(&wanted);
            Ok((wanted.changes, options))
        });
        let (changed, _) = turned.map_err(|fault| fault.to_string())?;
        changed.map(drop)
    }

    fn mode(&self) -> Mode {
        self.living.room().config().mode
    }

    fn permits(&self) -> u32 {
        self.living.room().config().permits
    }

    fn told(&self) -> Vec<(u64, String)> {
        let told = self.living.room().schedule().told(self.living.room().config()).into_iter();
        told.map(|step| ((step.at_ms - NINE_MS) / 60_000, step.state)).collect()
    }

    fn steps_of_the_last_row(&self) -> Vec<(u64, StepEnd)> {
        let events = self.living.last_row().events.iter();
        let step = |event: &Event| match event {
            Event::Scheduled { at_ms, end } => Some((*at_ms, end.clone())),
            _ => None,
        };
        events.filter_map(step).collect()
    }
}

fn step(at: &str, set: Value) -> Value {
    json!({ "at": format!("2026-12-01T{at}:00Z"), "set": set })
}

#[test]
fn the_room_opens_by_its_own_alarm_at_that_very_moment_and_only_once() {
    let steps = json!([
        step("10:00", json!({ "mode": "open", "permits": 200 })),
        step("12:00", json!({ "mode": "sold_out" })),
    ]);
    let table = file(json!({ "schedule": steps }));
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, &table, NINE_MS);
    scene.living.look(NINE_MS).unwrap();
    assert_eq!(scene.mode(), Mode::Paused);
    assert_eq!(scene.sleeps_to(NINE_MS + 2 * HOUR_MS), TEN_MS, "the alarm is armed for the step");
    assert_eq!((scene.mode(), scene.permits()), (Mode::Open, 200));
    let mode = scene.living.room().live().values.get(&LiveKey::Mode);
    assert_eq!(mode.map(|live| live.by.as_str()), Some("schedule"));
    assert_eq!(scene.steps_of_the_last_row(), [(TEN_MS, StepEnd::Done)]);

    // The operator has the last word till the next step, also after a restart.
    scene.sets(TEN_MS + 1, &json!({ "permits": 150 })).unwrap();
    let mut scene = scene.restarts(&table, TEN_MS + 2);
    scene.living.look(TEN_MS + 2).unwrap();
    assert_eq!((scene.mode(), scene.permits()), (Mode::Open, 150));
    let told = |first: &str, second: &str| vec![(60, first.to_owned()), (180, second.to_owned())];
    assert_eq!(scene.told(), told("done", "due"));
    assert_eq!(scene.sleeps_to(u64::MAX), NINE_MS + 3 * HOUR_MS);
    assert_eq!(scene.mode(), Mode::SoldOut);
    assert_eq!(scene.told(), told("done", "done"));
    // Taken back: nothing does it again.
    let file = Rc::clone(&scene.file);
    let turned = scene.living.change(NINE_MS + 4 * HOUR_MS, "mia", |living, _| {
        let wanted = file.0.undone(living.room().live(), "mia")?;
        let undone = options(&wanted);
        Ok::<_, String>((wanted.changes, undone))
    });
    turned.unwrap().0.unwrap();
    scene.living.look(NINE_MS + 5 * HOUR_MS).unwrap();
    assert_eq!(scene.mode(), Mode::Open);
}

#[test]
fn a_room_that_slept_since_the_deploy_does_late_what_was_due_in_its_order() {
    let steps = json!([
        step("11:00", json!({ "permits": 30 })),
        step("09:30", json!({ "mode": "open", "permits": 20 })),
    ]);
    let table = file(json!({ "schedule": steps }));
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, &table, NINE_MS + 3 * HOUR_MS);
    scene.living.look(NINE_MS + 3 * HOUR_MS).unwrap();
    let half_past_ms = NINE_MS + HOUR_MS / 2;
    let both = [(half_past_ms, StepEnd::Done), (TEN_MS + HOUR_MS, StepEnd::Done)];
    assert_eq!(scene.steps_of_the_last_row(), both);
    assert_eq!((scene.mode(), scene.permits()), (Mode::Open, 30));
}

#[test]
fn what_is_over_when_it_is_set_is_passed_over_and_a_change_repeats_nothing() {
    let disk = Disk::default();
    let table = file(json!({}));
    let mut scene = Scene::wakes(&disk, &table, NINE_MS);
    scene.living.look(NINE_MS).unwrap();
    let early = step("09:10", json!({ "permits": 1 }));
    let next = step("10:00", json!({ "mode": "open" }));
    let half_past_ms = NINE_MS + HOUR_MS / 2;
    scene.sets(half_past_ms, &json!({ "schedule": [early, next] })).unwrap();
    let ten_past_ms = NINE_MS + HOUR_MS / 6;
    assert_eq!(scene.steps_of_the_last_row(), [(ten_past_ms, StepEnd::Passed)]);
    assert_eq!(scene.permits(), 10, "nothing reaches into the past");
    scene.sleeps_to(u64::MAX);
    assert_eq!(scene.mode(), Mode::Open);
    scene.sets(TEN_MS + 1, &json!({ "mode": "paused" })).unwrap();
    // The same steps, and one more between them, which is over as well.
    let between = step("09:50", json!({ "permits": 2 }));
    let later = step("11:00", json!({ "permits": 3 }));
    let all = json!({ "schedule": [early, between, next, later] });
    scene.sets(TEN_MS + 2, &all).unwrap();
    let told: Vec<String> = scene.told().into_iter().map(|(_, state)| state).collect();
    assert_eq!(told, ["passed", "passed", "done", "due"]);
    assert_eq!((scene.mode(), scene.permits()), (Mode::Paused, 10));
}

#[test]
fn a_step_that_cannot_be_set_then_is_refused_and_the_next_one_comes() {
    let steps = json!([step("10:00", json!({ "lease_max_s": 60 })), step("10:30", json!({ "permits": 7 })),]);
    let table = file(json!({ "schedule": steps, "lease_idle_s": 30 }));
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, &table, NINE_MS);
    // Good by itself, and impossible beside what is set meanwhile.
    scene.sets(NINE_MS, &json!({ "lease_idle_s": 600 })).unwrap();
    scene.sleeps_to(u64::MAX);
    let told = scene.living.room().schedule().told(scene.living.room().config());
    assert_eq!(told[0].state, "refused");
    let why = told[0].why.clone().unwrap();
    assert!(why.contains("lease_idle_s"), "{why}");
    assert_eq!(scene.living.room().config().lease_max_ms, 1_800_000);
    scene.sleeps_to(u64::MAX);
    assert_eq!(scene.permits(), 7);
    let metrics = baton::control::metrics::text(&[("onsale", Some(&scene.living.room().report(Instant(TEN_MS))))]);
    for (state, steps) in [("due", 0), ("done", 1), ("refused", 1), ("passed", 0)] {
        let line = format!("baton_schedule_steps{{room=\"onsale\",state=\"{state}\"}} {steps}\n");
        assert!(metrics.contains(&line), "{line}in {metrics}");
    }
}

/// A room by itself, with this many steps a minute apart, and the moments of them.
fn stepped(count: u64) -> (Room, Vec<u64>) {
    let mut room = Room::new();
    let moments: Vec<u64> = (0..count).map(|step| NINE_MS + step * 60_000).collect();
    let step = |at_ms: &u64| Step {
        at_ms: *at_ms,
        offset_s: 0,
        set: vec![],
    };
    let config = RoomConfig {
        schedule: moments.iter().map(step).collect(),
        ..RoomConfig::default()
    };
    let mut row = room.open_row(Instant(1));
    room.configure(&config, &mut row);
    (room, moments)
}

#[test]
fn the_longest_schedule_is_told_step_by_step_to_its_end() {
    let (mut room, moments) = stepped(STEPS_MAX as u64);
    for at_ms in moments {
        assert_eq!(room.schedule().due_ms(room.config()), Some(at_ms));
        let mut row = room.open_row(Instant(1));
        room.commit([schedule::ended(at_ms, StepEnd::Done)], &mut row);
    }
    assert_eq!(room.schedule().due_ms(room.config()), None);
    let told = room.schedule().told(room.config());
    assert_eq!(told.len(), STEPS_MAX);
    assert!(told.iter().all(|step| step.state == "done"), "{told:?}");
}

/// The reasons stand in the journal and in each snapshot, so they are bounded.
#[test]
fn of_a_long_reason_as_much_is_kept_as_fits_in_whole_letters() {
    let (mut room, moments) = stepped(2);
    let reasons = ["ä".repeat(WHY_BYTES_MAX / 2), format!("x{}", "ä".repeat(200))];
    for (at_ms, why) in moments.iter().zip(&reasons) {
        let mut row = room.open_row(Instant(1));
        room.commit([schedule::ended(*at_ms, StepEnd::Refused(why.clone()))], &mut row);
    }
    let told = room.schedule().told(room.config()).into_iter();
    let kept: Vec<String> = told.filter_map(|step| step.why).collect();
    assert_eq!(kept[0], reasons[0], "as long as can be");
    assert_eq!(kept[1], reasons[1][..WHY_BYTES_MAX - 1]);
}

#[test]
fn a_ramp_begins_with_its_step_from_what_is_in_force() {
    let ramp = step("10:00", json!({ "permits": { "to": 110, "over_s": 100 } }));
    let table = file(json!({ "schedule": [ramp] }));
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, &table, NINE_MS);
    scene.living.look(NINE_MS).unwrap();
    assert_eq!(scene.sleeps_to(u64::MAX), TEN_MS);
    assert_eq!(scene.permits(), 10);
    let mut scene = scene.restarts(&table, TEN_MS + 50_000);
    scene.living.look(TEN_MS + 50_000).unwrap();
    assert_eq!(scene.permits(), 60);
    scene.living.look(TEN_MS + 100_000).unwrap();
    assert_eq!(scene.permits(), 110);
}

/// Long because it is one table, a row for each mistake.
#[test]
fn what_is_wrong_with_a_schedule_is_said_with_its_place() {
    let said = |schedule: Value| {
        let table = file(json!({ "schedule": schedule }));
        let problems = baton::settings::parse_room("onsale", &table).unwrap_err();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let good = json!({ "mode": "open" });
    for (schedule, expected) in [
        (json!("soon"), "ROOMS.onsale.schedule = \"soon\": is not a list of steps."),
        (
            json!([step("10:00", json!({ "permit": 3 }))]),
            "schedule[0].set.permit = 3: is not a known key. Did you mean permits?",
        ),
        (
            json!([step("10:00", json!({ "crowd": 3 }))]),
            "schedule[0].set.crowd = 3: cannot be changed while the room runs.",
        ),
        (
            json!([step("10:00", json!({ "permits": -3 }))]),
            "schedule[0].set.permits = -3: is not a whole number",
        ),
        (
            json!([step("10:00", json!({ "permits": { "to": 3 } }))]),
            "schedule[0].set.permits.over_s: is missing.",
        ),
        (
            json!([step("10:00", json!({ "permits": { "from": -1, "to": 3, "over_s": 3 } }))]),
            "schedule[0].set.permits.from = -1: is not a whole number",
        ),
        (
            json!([step("10:00", json!({ "opens_at": "noon" }))]),
            "schedule[0].set.opens_at = \"noon\": contains \"noon\", which is no date.",
        ),
        (
            json!([step("10:00", json!({ "schedule": [] }))]),
            "schedule[0].set.schedule: would change the schedule itself.",
        ),
        (json!([step("10:00", json!({}))]), "schedule[0].set = {}: sets nothing."),
        (
            json!([{ "at": "2026-12-01T10:00:00", "set": good }]),
            "schedule[0].at = \"2026-12-01T10:00:00\": is no date.",
        ),
        (json!([{ "set": good, "when": 3 }]), "schedule[0].at: is missing."),
        (json!([{ "set": good, "when": 3 }]), "schedule[0].when = 3: is not a known key."),
        (
            json!([step("10:00", good.clone()), { "at": "2026-12-01T11:00:00+01:00", "set": good }]),
            "has two steps at 2026-12-01T10:00:00Z.",
        ),
    ] {
        let said = said(schedule);
        assert!(said.contains(expected), "{said}\nnot {expected}");
    }
    let many: Vec<Value> = (0..65).map(|_| step("10:00", good.clone())).collect();
    assert!(said(json!(many)).contains("has 65 steps, more than 64"));
}
