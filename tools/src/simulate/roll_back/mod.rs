//! Backups that are restored. People get places, a backup of the room's data is made, more people get places, and the backup is restored: the room's
//! memory is gone, its data is older than what people were told, and its lobbies live on or begin anew. Then people come back in any order, with the
//! tickets that they have. The code that ships decides: [`LivingRoom`], its journal, and [`LivingLobby`]. What travels between them arrives in any
//! order, or not at all while the backup is restored.
//!
//! What must hold:
//!
//! | law | |
//! |---|---|
//! | a fence is minted once | in the whole history, over every roll-back |
//! | nobody is told that a lost place is over | neither carried nor left nor missed; a reset of which the room has learnt may be told, and `over` without a reason before any proof |
//! | a place that the backup has stays | its holder keeps the number, unless a later edition was proved |
//! | nobody shares a number | once everybody has come back |
//! | a roll-back is seen, and nothing else is taken for one | it counts proofs only after a roll-back |
//!
//! | file | what |
//! |---|---|
//! | `mod` | a seed, and what came of it; time, the room's turns, what is under way |
//! | `people` | lobbies, and who asks them and is told what |
//! | `restore` | the backup comes back, and then everybody |

mod people;
mod restore;

use super::disk::Disk;
use super::faults::Faults;
use crate::sums::counts;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::Shown;
use baton::facts::message::{FromRoom, ToRoom};
use baton::facts::units::{Edition, Fence};
use baton::facts::wire::State;
use baton::living::{LivingLobby, LivingRoom, RoomOptions, Stay, Turned};
use baton::lobby::{Asker, CallId};
use baton::room::courier::Push;
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use baton_advice::chance::Chance;
use std::collections::{BTreeMap, BTreeSet};
const BEGINS_AT_MS: u64 = 1_700_000_000_000;
/// The longest time between two steps, ms.
const STEP_MS_MAX: u64 = 400;

counts! {
/// What happened in a world.
Seen {
    /// Steps played.
    steps,
    /// Backups that were restored.
    roll_backs,
    /// Places that were told and that the restored data did not have.
    lost,
    /// Places that it had.
    kept,
    /// Proofs that the room counted.
    proofs,
}
}

/// A visitor, with what the front keeps in the cookies.
#[derive(Clone, Debug, Default)]
struct Person {
    shown: Option<Shown>,
    state: State,
    /// The place that the restored data does not have, until its holder is told so.
    lost: Option<Shown>,
    /// The place that it has.
    kept: Option<Shown>,
    /// The place that the person has asked to leave.
    leaves: Option<Shown>,
    /// When the person asked what was not answered yet, in steps.
    asked_at: Option<u64>,
    /// How many answers came since the data was restored, or since everybody began to come back.
    answers: u64,
}

impl Person {
    fn has_left(&self, place: &Shown) -> bool {
        let left = self.leaves.map(|left| (left.edition, left.number));
        left == Some((place.edition, place.number))
    }
}

/// A lobby's memory.
struct Desk {
    core: LivingLobby,
    timer: Option<u64>,
    askers: BTreeMap<Asker, usize>,
}

/// What is under way.
enum Flight {
    Call(usize, CallId, Box<ToRoom>),
    Answer(usize, CallId, Option<FromRoom>),
    Push(Box<Push>),
}

struct World {
    rng: Chance,
    now_ms: u64,
    step: u64,
    disk: Disk,
    room: LivingRoom<Disk>,
    room_timer: Option<u64>,
    options: RoomOptions,
    stay: Stay,
    desks: Vec<Desk>,
    flying: Vec<Flight>,
    people: Vec<Person>,
    asked: u64,
    fences: BTreeSet<Fence>,
    /// Whether the room has noted a proof since the last backup was restored.
    is_seen: bool,
    /// When something happened last of which every lobby must be told anew, in steps.
    told_anew_at: u64,
    seen: Seen,
}

/// Plays a world. The same seed always plays the same.
///
/// # Errors
/// Returns the law that does not hold, and when.
pub fn play(seed: u64) -> Result<Seen, String> {
    let mut world = World::new(seed)?;
    let played = world.play();
    played.map_err(|law| format!("step {}: {law}", world.step))?;
    Ok(world.seen)
}

fn options(rng: &mut Chance) -> RoomOptions {
    let minutes = 60_000;
    RoomOptions {
        config: RoomConfig {
            permits: rng.below(4) as u32,
            walk_in: false,
            // Nothing ends by itself while a world lasts.
            claim_within_ms: 30 * minutes,
            grace_ms: 600 * minutes,
            lease_idle_ms: 300 * minutes,
            lease_max_ms: 600 * minutes,
            ..RoomConfig::default()
        },
        ramps: Ramps::default(),
        journal_keep_ms: 600 * minutes,
        lots: Lots::default(),
    }
}

fn wake(disk: &Disk, options: &RoomOptions, stay: Stay, rng: &mut Chance, wall_ms: u64) -> Result<LivingRoom<Disk>, String> {
    let mut bytes = [0; 32];
    bytes.fill_with(|| rng.below(256) as u8);
    disk.begin(wall_ms);
    let room = LivingRoom::restore(disk.clone(), options.clone(), baton::living::Chance(bytes), wall_ms, disk.alarm());
    let mut room = room.map_err(|fault| format!("what is stored can be read: {fault}"))?;
    room.set_stay(stay);
    room.follow(Fence(wall_ms), Edition::FIRST);
    disk.commit();
    Ok(room)
}

impl World {
    fn new(seed: u64) -> Result<Self, String> {
        let mut rng = Chance::of(seed, 78);
        let faults = Faults::new(seed, None, false);
        let disk = Disk::new(&std::rc::Rc::new(std::cell::RefCell::new(faults)));
        let options = options(&mut rng);
        let stay = if rng.chance(500) { Stay::Stays } else { Stay::Sleeps };
        let room = wake(&disk, &options, stay, &mut rng, BEGINS_AT_MS)?;
        let lobbies = rng.within(1, 3) as usize;
        let people = rng.within(2, 14) as usize;
        let mut world = Self {
            rng,
            now_ms: BEGINS_AT_MS,
            step: 0,
            disk,
            room,
            room_timer: None,
            options,
            stay,
            desks: Vec::new(),
            flying: Vec::new(),
            people: vec![Person::default(); people],
            asked: 0,
            fences: BTreeSet::new(),
            is_seen: false,
            told_anew_at: 0,
            seen: Seen::default(),
        };
        for index in 0..lobbies {
            let desk = world.desk(index);
            world.desks.push(desk);
        }
        Ok(world)
    }

    fn play(&mut self) -> Result<(), String> {
        for _ in 0..self.rng.within(1, 2) {
            let (before, after) = (self.rng.within(50, 600), self.rng.within(50, 600));
            self.goes_on(before)?;
            let backup = self.disk.copy();
            self.goes_on(after)?;
            self.restore_backup(&backup)?;
        }
        let after = self.rng.within(1, 600);
        self.goes_on(after)?;
        self.all_come_back()
    }

    /// People come, wait, go in and leave.
    fn goes_on(&mut self, steps: u64) -> Result<(), String> {
        for _ in 0..steps {
            self.passes()?;
            if self.rng.chance(150) {
                let person = self.rng.below(self.people.len() as u64) as usize;
                self.somebody_asks(person)?;
            }
            if self.rng.chance(1) {
                let reset = |room: &mut LivingRoom<Disk>, wall_ms| room.reset(wall_ms, "desk");
                self.turn(reset)?;
            }
        }
        Ok(())
    }

    /// Time passes: something that is under way arrives, or a timer goes off.
    fn passes(&mut self) -> Result<(), String> {
        self.step += 1;
        self.seen.steps += 1;
        self.now_ms += self.rng.within(1, STEP_MS_MAX);
        for index in 0..self.desks.len() {
            if self.desks[index].timer.is_some_and(|at| at <= self.now_ms) {
                self.desks[index].timer = None;
                let m = self.desks[index].core.timer_rang(self.now_ms);
                self.desks[index].core.lobby.handle_timeout(m);
                self.follow_lobby(index)?;
            }
        }
        if self.room_timer.is_some_and(|at| at <= self.now_ms) {
            self.room_timer = None;
            self.turn(LivingRoom::timer_rang)?;
        }
        if self.disk.alarm().is_some_and(|at| at <= self.now_ms) {
            self.disk.set_alarm(None);
            self.turn(LivingRoom::ring)?;
        }
        if !self.flying.is_empty() && self.rng.chance(600) {
            let which = self.rng.below(self.flying.len() as u64) as usize;
            let flight = self.flying.swap_remove(which);
            self.arrives(flight)?;
        }
        Ok(())
    }

    fn arrives(&mut self, flight: Flight) -> Result<(), String> {
        match flight {
            Flight::Call(index, call, said) => {
                let answer = self.turn(|room, wall_ms| room.hear(wall_ms, &said))?;
                self.flying.push(Flight::Answer(index, call, Some(answer)));
            }
            Flight::Answer(index, call, answer) => {
                let desk = &mut self.desks[index];
                let m = desk.core.moment(self.now_ms);
                desk.core.lobby.handle_answer(m, call, answer);
                self.follow_lobby(index)?;
            }
            Flight::Push(push) => {
                let index = usize::from(push.lobby.0);
                let desk = &mut self.desks[index];
                let m = desk.core.moment(self.now_ms);
                let heard = desk.core.lobby.handle_push(m, &push.said);
                self.follow_lobby(index)?;
                self.turn(|room, wall_ms| room.pushed(wall_ms, &push, Some(heard)))?;
            }
        }
        Ok(())
    }

    /// One turn of the room, which is judged. What it pushes goes on its way.
    fn turn<T>(&mut self, act: impl FnOnce(&mut LivingRoom<Disk>, u64) -> Turned<T>) -> Result<T, String> {
        self.disk.begin(self.now_ms);
        let (result, pushes) = act(&mut self.room, self.now_ms).map_err(|fault| format!("the room goes on: {fault}"))?;
        self.disk.commit();
        if let Some(in_ms) = self.room.timer_in_ms() {
            self.room_timer = Some(self.now_ms + in_ms);
        }
        let row = self.room.last_row().clone();
        self.fences_are_new(&row)?;
        let is_proof = |event: &Event| matches!(event, Event::RolledBack { .. });
        let proofs = row.events.iter().filter(|event| is_proof(event)).count();
        self.is_seen |= proofs > 0;
        let is_news = |event: &Event| is_proof(event) || matches!(event, Event::Reset { .. });
        if row.events.iter().any(is_news) {
            self.told_anew_at = self.step;
        }
        if proofs > 0 && self.seen.roll_backs == 0 {
            return Err(format!("nothing else is taken for a roll-back: {:?}", row.events));
        }
        self.seen.proofs += proofs as u64;
        let pushes = pushes.into_iter().map(|push| Flight::Push(Box::new(push)));
        self.flying.extend(pushes);
        Ok(result)
    }

    fn fences_are_new(&mut self, row: &Row) -> Result<(), String> {
        for event in &row.events {
            let fence = match event {
                Event::Called { fence, .. } | Event::Handed { fence, .. } | Event::WalkedIn { fence, .. } => *fence,
                Event::Carried {
                    fences: Some((_, fence)), ..
                } => *fence,
                _ => continue,
            };
            if !self.fences.insert(fence) {
                return Err(format!("a fence is minted once: {fence}"));
            }
        }
        Ok(())
    }
}
