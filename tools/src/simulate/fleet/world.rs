//! What happens when, and what must hold: while the house answers, a front lets nobody through to what has been gated for longer than the bound; a
//! front never goes back to an older table; the front that made a change goes by it at once; of two operators who saw the same version, one is
//! refused; a change is made as a whole or not at all; an isolate that never had a table lets nobody through.

use super::fronts::{Cache, Front, News};
use super::house::{Answer, Dies, HOST, Object, Opens, Shown, path_of};
use super::{Flaw, Told};
use baton::house::Wish;
use baton::house::fresh::{ASKED_MS, BOUND_MS, Due, WAIT_MS};
use baton::settings::parse;
use baton_advice::agenda::{self, Agenda, Scenario};
use baton_advice::chance::Chance;
use serde_json::{Map, Value, json};

/// How long a world lasts, ms of simulated time.
const LASTS_MS: u64 = 90_000;
/// For this long after a silence of the house nothing is promised, ms: the last question in it waited, and after that nobody asked for a while.
const RECOVERS_MS: u64 = WAIT_MS + ASKED_MS;
const ROOMS: u64 = 4;

/// Something that will happen.
#[derive(Clone)]
pub enum Happens {
    /// A visitor asks a front for a path.
    Request { front: usize },
    /// The house answers a front. `waits` is the request that waits for the answer.
    Answer {
        front: usize,
        life: u64,
        news: News,
        waits: Option<Asked>,
    },
    /// A front gives up waiting for the house.
    Silence { front: usize, life: u64, waits: Option<Asked> },
    /// An operator changes something through a front.
    Change { operator: usize },
    /// The house dies and comes back.
    Death,
    /// An isolate ends, and another begins.
    Birth { front: usize },
}

/// A request that is being judged.
#[derive(Clone, Copy)]
pub struct Asked {
    path: usize,
    at_ms: u64,
    /// The version that this front had been told of by then.
    heard: u64,
}

/// A version of the house, and since when it holds.
struct Held {
    from_ms: u64,
    shown: Shown,
}

pub struct World {
    rng: Chance,
    flaw: Option<Flaw>,
    now_ms: u64,
    agenda: Agenda<Happens>,
    object: Object,
    history: Vec<Held>,
    fronts: Vec<Front>,
    /// For each front, the newest version that a change made through it has told it of.
    heard: Vec<u64>,
    /// For each front, the version by which it last judged.
    judged: Vec<u64>,
    caches: Vec<Cache>,
    /// For each operator, the version that the operator has seen.
    seen: Vec<u64>,
    /// When the house does not answer: from and to, ms.
    silences: Vec<(u64, u64)>,
    /// The longest time between two requests, ms.
    pause_ms: u64,
    told: Told,
}

impl Scenario for World {
    type What = Happens;
    type Stop = String;

    fn agenda(&mut self) -> &mut Agenda<Happens> {
        &mut self.agenda
    }

    fn passes(&mut self, at_ms: u64) {
        self.now_ms = at_ms;
    }

    fn happens(&mut self, happens: Happens) -> Result<(), String> {
        match happens {
            Happens::Request { front } => {
                self.soon(self.pause_ms, Happens::Request { front });
                let asked = Asked {
                    path: self.path(),
                    at_ms: self.now_ms,
                    heard: self.heard[front],
                };
                self.request(front, asked)
            }
            Happens::Answer { front, life, news, waits } => {
                let (now_ms, flaw) = (self.now_ms, self.flaw);
                let centre = self.fronts[front].centre;
                self.caches[centre].keep(now_ms, news);
                if self.fronts[front].life != life {
                    return Ok(());
                }
                self.fronts[front].take(now_ms, &news, flaw);
                waits.map_or(Ok(()), |asked| self.judge(front, asked))
            }
            Happens::Silence { front, life, waits } => {
                if self.fronts[front].life != life {
                    return Ok(());
                }
                self.fronts[front].copy.failed(self.now_ms);
                waits.map_or(Ok(()), |asked| self.judge(front, asked))
            }
            Happens::Change { operator } => {
                self.soon(15_000, Happens::Change { operator });
                self.change(operator)
            }
            Happens::Death => {
                self.soon(40_000, Happens::Death);
                self.told.deaths += 1;
                self.object.restart()
            }
            Happens::Birth { front } => {
                self.soon(60_000, Happens::Birth { front });
                let old = &self.fronts[front];
                self.fronts[front] = Front {
                    centre: old.centre,
                    life: old.life + 1,
                    ..Front::default()
                };
                (self.heard[front], self.judged[front]) = (0, 0);
                Ok(())
            }
        }
    }
}

impl World {
    pub fn new(seed: u64, flaw: Option<Flaw>) -> Result<Self, String> {
        let mut rng = Chance::of(seed, 77);
        let file = json!({ "GROUNDS": { "paths": ["/events/*"], "hosts": [HOST] }, "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1 } } });
        let file = parse(&file).map_err(|problems| format!("{problems:?}"))?;
        let object = Object::new(file)?;
        let held = Held {
            from_ms: 0,
            shown: object.shown,
        };
        let centres = rng.within(1, 2);
        let fronts = rng.within(1, 5);
        let silences = (0..rng.below(3)).map(|_| {
            let from_ms = rng.within(20_000, LASTS_MS);
            (from_ms, from_ms + rng.within(100, 20_000))
        });
        let silences = silences.collect();
        let front = |at: u64| Front {
            centre: (at % centres) as usize,
            ..Front::default()
        };
        let mut world = Self {
            flaw,
            now_ms: 10_000,
            agenda: Agenda::default(),
            object,
            history: vec![held],
            fronts: (0..fronts).map(front).collect(),
            heard: vec![0; fronts as usize],
            judged: vec![0; fronts as usize],
            caches: vec![Cache::default(); centres as usize],
            seen: vec![0; 2],
            silences,
            pause_ms: [20, 400, 1_500, 6_000][rng.below(4) as usize],
            told: Told::default(),
            rng,
        };
        for front in 0..world.fronts.len() {
            world.soon(world.pause_ms, Happens::Request { front });
            world.soon(60_000, Happens::Birth { front });
        }
        for operator in 0..world.seen.len() {
            world.soon(10_000, Happens::Change { operator });
        }
        world.soon(40_000, Happens::Death);
        Ok(world)
    }

    pub fn play(mut self) -> Result<Told, String> {
        agenda::play(&mut self, LASTS_MS).map_err(|what| format!("at {} ms: {what}", self.now_ms))?;
        self.object.restart()?;
        Ok(self.told)
    }

    fn at(&mut self, at_ms: u64, happens: Happens) {
        self.agenda.push(at_ms, happens);
    }

    /// Plans something within at most `most_ms`.
    fn soon(&mut self, most_ms: u64, happens: Happens) {
        let at_ms = self.now_ms + self.rng.within(1, most_ms);
        self.at(at_ms, happens);
    }

    fn path(&mut self) -> usize {
        self.rng.below(Opens::default().len() as u64) as usize
    }

    fn is_silent(&self, from_ms: u64, to_ms: u64) -> bool {
        let meets = |&(from, to): &(u64, u64)| from <= to_ms && from_ms < to;
        self.silences.iter().any(meets)
    }

    /// Does what a front of the shell does before it judges.
    fn request(&mut self, front: usize, asked: Asked) -> Result<(), String> {
        let now_ms = self.now_ms;
        match self.fronts[front].copy.due(now_ms) {
            Due::Nothing => self.judge(front, asked),
            Due::Beside => {
                self.fronts[front].copy.asked(now_ms);
                self.ask(front, None)?;
                self.judge(front, asked)
            }
            Due::First => {
                self.told.waited += 1;
                self.ask(front, Some(asked))
            }
        }
    }

    /// Asks the data centre's cache, then the house.
    fn ask(&mut self, front: usize, waits: Option<Asked>) -> Result<(), String> {
        let (now_ms, flaw) = (self.now_ms, self.flaw);
        let Front { centre, life, .. } = self.fronts[front];
        let least = self.fronts[front].copy.least();
        if let Some(news) = self.caches[centre].find(now_ms, least, flaw) {
            self.fronts[front].take(now_ms, &news, flaw);
            return waits.map_or(Ok(()), |asked| self.judge(front, asked));
        }
        let back_ms = now_ms + self.rng.below(WAIT_MS);
        if self.is_silent(now_ms, back_ms) {
            self.at(now_ms + WAIT_MS, Happens::Silence { front, life, waits });
            return Ok(());
        }
        // The runtime may cut off a question beside an answer when its request ends.
        if waits.is_none() && self.rng.chance(200) {
            return Ok(());
        }
        let news = News {
            shown: self.object.shown,
            as_of_ms: now_ms,
        };
        self.at(back_ms, Happens::Answer { front, life, news, waits });
        Ok(())
    }

    fn judge(&mut self, front: usize, asked: Asked) -> Result<(), String> {
        self.told.requests += 1;
        let (now_ms, path) = (self.now_ms, asked.path);
        let copy = &self.fronts[front].copy;
        let quiet_from_ms = asked.at_ms.saturating_sub(BOUND_MS + RECOVERS_MS);
        let answers = !self.is_silent(quiet_from_ms, now_ms);
        let Some(opens) = copy.made() else {
            if answers {
                return Err(format!("front {front} has no table, and the house answers"));
            }
            // The shell answers such a request with the waiting page.
            if self.flaw == Some(Flaw::ColdOpens) && self.history[0].shown.opens[path] {
                return Err(format!("front {front} lets somebody through without a table"));
            }
            return Ok(());
        };
        let version = copy.known().unwrap_or_default();
        if version < self.judged[front] {
            return Err(format!("front {front} judges by version {version}, after {}", self.judged[front]));
        }
        self.judged[front] = version;
        if answers && version < asked.heard {
            return Err(format!("front {front} judges by version {version} and has heard of {}", asked.heard));
        }
        if !opens[path] {
            return Ok(());
        }
        self.told.opened += 1;
        let since_ms = asked.at_ms.saturating_sub(BOUND_MS);
        let is_over = |next: Option<&Held>| next.is_some_and(|next| next.from_ms <= since_ms);
        let held = self.history.iter().enumerate();
        let mut held = held.filter(|(at, held)| held.from_ms <= now_ms && !is_over(self.history.get(at + 1)));
        if answers && !held.any(|(_, held)| held.shown.opens[path]) {
            return Err(format!(
                "front {front} lets somebody through to {} by version {version}: it has been gated for longer than {BOUND_MS} ms",
                path_of(path)
            ));
        }
        Ok(())
    }

    fn change(&mut self, operator: usize) -> Result<(), String> {
        if self.is_silent(self.now_ms, self.now_ms) {
            return Ok(());
        }
        let (now_ms, flaw) = (self.now_ms, self.flaw);
        let (seen, before) = (self.seen[operator], self.object.shown.version);
        // Half of the time an operator acts on what was seen at the operator's own last change.
        let seen = if self.rng.chance(500) { before } else { seen };
        let wishes: Vec<Wish> = (0..self.rng.within(1, 3)).map(|_| self.wish()).collect();
        let dies = match self.rng.below(12) {
            0 => Some(Dies::BeforeTheDisk),
            1 => Some(Dies::AfterTheDisk),
            _ => None,
        };
        let is_undo = self.rng.chance(100);
        let answer = if is_undo {
            self.object.undo(now_ms, flaw)?
        } else {
            self.object.change(now_ms, &wishes, seen, dies, flaw)?
        };
        let after = self.object.shown.version;
        if after != before {
            self.history.push(Held {
                from_ms: now_ms,
                shown: self.object.shown,
            });
        }
        match answer {
            Answer::Done(version) => {
                self.told.changes += 1;
                if version != before + 1 || after != version {
                    return Err(format!("a change of version {before} became {version}, and {after} is shown"));
                }
                if seen != before && !is_undo {
                    return Err(format!("operator {operator} has seen {seen} and changed {before}"));
                }
                let front = self.rng.below(self.fronts.len() as u64) as usize;
                self.fronts[front].copy.expect(now_ms, version);
                self.heard[front] = self.heard[front].max(version);
            }
            Answer::Refused => {
                self.told.refused += 1;
                if after != before {
                    return Err(format!("a change was refused, and version {after} is shown"));
                }
            }
            Answer::Silence => self.told.deaths += 1,
        }
        self.seen[operator] = after;
        Ok(())
    }

    fn wish(&mut self) -> Wish {
        let room = format!("r{}", self.rng.below(ROOMS));
        match self.rng.below(6) {
            0 => Wish::Archive { room },
            1 => Wish::Free { room },
            _ => {
                let paths: Vec<String> = (0..self.rng.within(1, 2)).map(|_| path_of(self.path())).collect();
                let table = json!({ "paths": paths, "hosts": [HOST], "permits": self.rng.within(1, 9) });
                let table: Map<String, Value> = table.as_object().cloned().unwrap_or_default();
                Wish::Define {
                    room,
                    table,
                    over: Vec::new(),
                }
            }
        }
    }
}
