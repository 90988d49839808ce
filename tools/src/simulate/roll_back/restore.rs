//! The backup comes back, and then everybody does.

use super::{Flight, World, wake};
use crate::simulate::disk::Disk;
use crate::simulate::people::who;
use baton::facts::holder::Shown;
use baton::facts::units::{Edition, Number};
use baton::facts::wire::Wish;
use baton::journal::Store;
use baton::lobby::keys;
use std::collections::BTreeMap;

/// How many steps everybody has at the end to come back and to be answered.
const SETTLES_STEPS: u64 = 20_000;
/// Within so many steps every lobby has heard what the room has to say.
const TOLD_WITHIN_STEPS: u64 = 400;
/// So many rows must have been lost for a lobby to live on. It is poked at once; if its Hello came after the room had written as many rows anew, it
/// would resume from what it knew.
const LIVES_ON_ROWS: u64 = 20;
/// How many answers everybody has in the end.
const ROUNDS: u64 = 3;
/// How often somebody who gets no answer asks again, in steps.
const ASKS_EVERY: u64 = 60;

impl World {
    /// Returns whether the room has this place of this person.
    pub(super) fn has(&self, person: usize, place: Shown) -> bool {
        let room = self.room.room();
        let salt = self.disk.salt(room.edition()).ok().flatten();
        let key = salt.map(|salt| keys::holder(salt, who(person)).key);
        let holder = room.tickets().holder(place.number).map(|holder| holder.key);
        room.edition() == place.edition && holder.is_some() && holder == key
    }

    /// Returns whether the room has any place of this person.
    fn has_any(&self, person: usize) -> bool {
        let room = self.room.room();
        let salt = self.disk.salt(room.edition()).ok().flatten();
        salt.is_some_and(|salt| {
            let key = keys::holder(salt, who(person)).key;
            room.living_of(key).is_some()
        })
    }

    /// Which place each person has and knows of.
    fn places(&self) -> Vec<Option<Shown>> {
        let people = self.people.iter().enumerate();
        let known = people.map(|(person, known)| {
            let is_living = |shown: &Shown| self.has(person, *shown) && !known.has_left(shown);
            known.shown.filter(is_living)
        });
        known.collect()
    }

    /// The backup takes the place of the data. The room's memory goes; each lobby's may stay.
    pub(super) fn restore_backup(&mut self, backup: &Disk) -> Result<(), String> {
        let before = self.places();
        let version = self.disk.version();
        self.disk = backup.copy();
        self.room = wake(&self.disk, &self.options, self.stay, &mut self.rng, self.now_ms)?;
        self.room_timer = None;
        self.is_seen = false;
        self.seen.roll_backs += 1;
        for (person, place) in before.into_iter().enumerate() {
            let kept = place.filter(|place| self.has(person, *place));
            let known = &mut self.people[person];
            known.kept = kept;
            known.lost = place.filter(|_| kept.is_none());
            known.answers = 0;
            self.seen.lost += u64::from(known.lost.is_some());
            self.seen.kept += u64::from(known.kept.is_some());
        }
        let under_way = std::mem::take(&mut self.flying);
        for index in 0..self.desks.len() {
            let is_far = version >= self.disk.version() + LIVES_ON_ROWS;
            if self.rng.chance(500) || !is_far {
                self.desks[index] = self.desk(index);
                continue;
            }
            let unanswered = under_way.iter().filter_map(|flight| match flight {
                Flight::Call(of, call, _) | Flight::Answer(of, call, _) if *of == index => Some(Flight::Answer(index, *call, None)),
                _ => None,
            });
            self.flying.extend(unanswered);
        }
        Ok(())
    }

    /// Everybody comes back with the ticket at hand, twice, and then nobody shares a number.
    pub(super) fn all_come_back(&mut self) -> Result<(), String> {
        // A number that was given again, and has ended again, proves nothing.
        let (edition, next) = (self.room.room().edition(), self.room.room().line().next());
        // Nor does the ticket of somebody who had an earlier place: the data has it still, and they are told of it.
        let mut lost = self.people.iter().enumerate();
        let proves = lost.any(|(person, known)| {
            let is_new = |place: Shown| (place.edition, place.number) >= (edition, next);
            known.lost.is_some_and(is_new) && !self.has_any(person)
        });
        let until = self.step + SETTLES_STEPS;
        let mut is_anew = true;
        while core::mem::take(&mut is_anew) {
            self.all_ask(until)?;
            // What the room has learnt of them reaches every lobby.
            let told_at = self.told_anew_at;
            for _ in 0..TOLD_WITHIN_STEPS {
                self.passes()?;
            }
            self.all_ask(until)?;
            is_anew = self.told_anew_at > told_at;
        }
        self.nobody_shares(proves)
    }

    /// Everybody asks until the answers are there.
    fn all_ask(&mut self, until: u64) -> Result<(), String> {
        for known in &mut self.people {
            known.answers = 0;
            known.asked_at = None;
        }
        while self.people.iter().any(|known| known.answers < ROUNDS) {
            if self.step > until {
                return Err(format!("who comes back is answered: {:?}", self.people));
            }
            self.passes()?;
            let person = self.rng.below(self.people.len() as u64) as usize;
            let known = &self.people[person];
            let waits = known.asked_at.is_some_and(|at| self.step < at + ASKS_EVERY);
            if known.answers < ROUNDS && !waits {
                let wish = match known.shown {
                    Some(_) => Wish::Attend,
                    None => Wish::Join,
                };
                self.asks(person, wish)?;
            }
        }
        Ok(())
    }

    fn nobody_shares(&self, proves: bool) -> Result<(), String> {
        let mut taken: BTreeMap<(Edition, Number), usize> = BTreeMap::new();
        for (person, known) in self.people.iter().enumerate() {
            let Some(shown) = known.shown else { continue };
            if let Some(other) = taken.insert((shown.edition, shown.number), person) {
                return Err(format!("nobody shares a number: {other} and {person} have {shown:?}"));
            }
            if !self.has(person, shown) && !known.has_left(&shown) {
                return Err(format!("what is told is so: {person} is told {shown:?}"));
            }
        }
        // A number that was given twice says nothing new in a lane whose numbers have moved before.
        if proves && !self.is_seen && self.room.room().rolled_back() == 0 {
            return Err("a roll-back is seen".into());
        }
        Ok(())
    }
}
