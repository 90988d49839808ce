//! Many small worlds from seeds: journals that grow, receivers that fail, and an outbox that dies at any moment, between sending and
//! storing too.
//!
//! **Law 1.** In the end each receiver has had each message that it wants, or it lies dead.
//! **Law 2.** Of one journal a receiver hears each message for the first time in the journal's order.
//! **Law 3.** The same fact comes under the same id, however often.

use super::queue::{NOW_MS, OTHER, ROOM, hook, journals, note};
use baton::outbox::{Change, KEEP_TRYING_MS, Kind, Mark, Outbox, Page, Stored};
use std::collections::{BTreeMap, BTreeSet};

const HOOKS: [&str; 2] = ["crm", "log"];

/// A disk that outlives the outbox.
#[derive(Default)]
struct Disk {
    stored: Stored,
    bodies: BTreeMap<u64, String>,
}

impl Disk {
    fn commit(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Put(message, body) => {
                    self.stored.messages.retain(|own| own.seq != message.seq);
                    self.bodies.extend(body.map(|body| (message.seq, body)));
                    self.stored.messages.push(message);
                }
                Change::Gone(seq) => {
                    self.stored.messages.retain(|own| own.seq != seq);
                    self.bodies.remove(&seq);
                }
                Change::Cursor(source, Some(mark)) => {
                    self.stored.cursors.insert(source, mark);
                }
                Change::Cursor(source, None) => {
                    self.stored.cursors.remove(&source);
                }
                Change::Since(since_ms) => self.stored.since_ms = Some(since_ms),
            }
        }
    }
}

struct World {
    dice: fastrand::Rng,
    now_ms: u64,
    disk: Disk,
    outbox: Outbox,
    /// By journal: how many rows it has. Each is notable.
    rows: BTreeMap<&'static str, u64>,
    /// By webhook: ids as they came.
    came: BTreeMap<&'static str, Vec<String>>,
    /// One in so many tries fails; the last receiver may be away for good.
    fails_one_in: u32,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = fastrand::Rng::with_seed(seed);
        let hooks = HOOKS.map(hook);
        let mut world = Self {
            now_ms: NOW_MS,
            outbox: Outbox::restore(Stored::default(), &hooks, seed),
            disk: Disk::default(),
            rows: BTreeMap::from([(ROOM, 0), (OTHER, 0)]),
            came: BTreeMap::new(),
            fails_one_in: dice.u32(1..6),
            dice,
        };
        world.outbox.minds(world.now_ms, &journals());
        world.save();
        world
    }

    fn save(&mut self) {
        let changes = self.outbox.take_changes();
        self.disk.commit(changes);
    }

    /// Memory is gone; what was not saved is too.
    fn dies(&mut self) {
        let stored = self.disk.stored.clone();
        self.outbox = Outbox::restore(stored, &HOOKS.map(hook), self.dice.u64(..));
        self.outbox.minds(self.now_ms, &journals());
        self.save();
    }

    fn looks(&mut self) {
        while let Some(look) = self.outbox.poll_look(self.now_ms) {
            let source = [ROOM, OTHER].into_iter().find(|name| *name == look.source).unwrap();
            let from = look.mark.map_or(0, |mark| mark.row);
            let to = self.rows[source].min(from + 3);
            if self.dice.u8(..) < 40 {
                self.outbox.unread(source);
            } else {
                let mark = Mark {
                    row: to,
                    hash: None,
                    edition: 1,
                    mode: None,
                };
                let notes = (from + 1..=to).map(|row| note(row, Kind::RoomReset, self.now_ms)).collect();
                let more = to < self.rows[source];
                self.outbox.read(self.now_ms, source, &Page { mark, more, notes });
            }
            if self.dice.u8(..) < 20 {
                return self.dies();
            }
            self.save();
        }
    }

    fn sends(&mut self, name: &'static str) {
        while let Some(job) = self.outbox.poll_job(self.now_ms, name) {
            self.save();
            assert!(self.disk.bodies.contains_key(&job.seq), "what is sent is stored");
            let fails = self.dice.u32(..self.fails_one_in) == 0;
            // A receiver may have taken what it seems to refuse.
            if !fails || self.dice.bool() {
                self.came.entry(name).or_default().push(job.id.clone());
            }
            if self.dice.u8(..) < 30 {
                return self.dies();
            }
            self.outbox.sent(self.now_ms, name, job.seq, fails.then(|| "answered 500".to_owned()));
            if self.dice.u8(..) < 30 {
                return self.dies();
            }
            self.save();
        }
    }

    fn steps(&mut self, grows: bool) {
        if grows {
            let source = if self.dice.bool() { ROOM } else { OTHER };
            *self.rows.get_mut(source).unwrap() += self.dice.u64(0..4);
            if self.dice.bool() {
                self.outbox.nudged(self.now_ms, source);
            }
        }
        self.looks();
        for name in HOOKS {
            self.sends(name);
        }
        let due_ms = self.outbox.due_at_ms().unwrap();
        self.now_ms = (self.now_ms + self.dice.u64(1..30_000)).max(due_ms.min(self.now_ms + 600_000));
    }

    fn check(&self, seed: u64) {
        let none = Vec::new();
        for name in HOOKS {
            let came = self.came.get(name).unwrap_or(&none);
            let told = self.outbox.told();
            let told = told.iter().find(|told| told.name == name).unwrap();
            let dead: BTreeSet<&str> = told.dead.iter().map(|message| message.id.as_str()).collect();
            assert_eq!(told.pending, 0, "seed {seed}: nothing waits for ever");
            for (source, rows) in &self.rows {
                let plain = source.replace(['@', '.'], "-");
                let id = |row: u64| format!("{plain}_1_{row}_room-reset");
                for row in 1..=*rows {
                    let had = came.contains(&id(row)) || dead.contains(id(row).as_str());
                    assert!(had, "seed {seed}: {name} never had {}", id(row));
                }
                let mut seen = BTreeSet::new();
                let firsts = came.iter().filter(|id| id.starts_with(&plain) && seen.insert((*id).clone()));
                let firsts: Vec<u64> = firsts.map(|id| id.split('_').nth(2).unwrap().parse().unwrap()).collect();
                assert!(firsts.is_sorted(), "seed {seed}: {name} had {source} as {firsts:?}");
                assert!(firsts.iter().all(|row| (1..=*rows).contains(row)), "seed {seed}: rows that are none");
            }
        }
    }
}

#[test]
fn whatever_dies_every_message_is_had_in_order_or_lies_dead() {
    for seed in 0..40 {
        let mut world = World::new(seed);
        for _ in 0..40 {
            world.steps(true);
        }
        let until_ms = world.now_ms + 2 * KEEP_TRYING_MS;
        while world.now_ms < until_ms {
            world.steps(false);
        }
        world.check(seed);
    }
}
