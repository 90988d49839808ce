//! Judges every turn of the room: each fact on a state of its own, the state the facts lead to, the
//! laws, and the model.
//!
//! The laws of `room::laws` are written for any two states and cost O(n · facts). Here the same is known
//! step by step: the state before is kept (the *shadow*) and each fact is checked on it and applied to it;
//! what a recount would find is found by comparing every place, count and rank with the [`Model`], which
//! counts by scanning a list. [`Depth::Both`] runs both forms and fails when only one of them objects.

mod picture;

use super::model::{Model, Place as Plain};
use super::schedule::Due;
use super::vouchers::Act;
use super::watch::Watch;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::message::{Batch, FromRoom, LobbyLife, ToRoom};
use baton::facts::units::{Instant, LobbyId, Number, Version};
use baton::lobby::Replica;
use baton::room::Room;
use baton::room::courier::Push;
use baton::room::laws::{self, Check, Violation};

/// How much is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// Nothing: to measure what checking costs.
    Off,
    /// Every law after every step, in the form that costs least; every 64th written turn in full too.
    #[default]
    Every,
    /// Every law after every step, in both forms.
    Both,
}

/// What a turn was made for.
#[derive(Clone, Debug)]
pub enum Cause<'a> {
    /// Lobbies' batches, those that were taken, in order.
    Batches(Vec<&'a Batch>),
    /// The usher's turn.
    Ring,
    /// The operator begins the room anew.
    Reset,
    /// The operator ends a ticket.
    Dismiss(Number),
    /// The operator makes a sheet, or takes one back.
    Sheet(&'a Act),
    /// Nothing that decides: a Hello, a check, a look, the end of a push.
    Other,
}

/// What the operator wants in force in a turn: first, and after each step of the schedule that is due.
pub struct Settings {
    pub base: RoomConfig,
    pub steps: Vec<Due>,
}

/// The room's judge.
#[derive(Debug, Default)]
pub struct Judge {
    /// The room as it is stored.
    pub shadow: Room,
    /// The room as it should be.
    pub model: Model,
    /// What its lobbies are told.
    watch: Watch,
    now: Instant,
    depth: Depth,
    /// When the usher may have ended places too early or too late.
    grace_ms: u64,
    /// Written turns.
    pub rows: u64,
    /// Turns after which every law was checked in full.
    pub recounts: u64,
}

/// Who does what an operator does.
pub const OPERATOR: &str = "operator";
/// So often everything is counted anew in the full form too.
const RECOUNT_EVERY: u64 = 64;

pub fn broken(law: &'static str, seen: impl FnOnce() -> String) -> Check {
    Err(Violation { law, seen: seen() })
}

impl Judge {
    /// A judge of a room that nobody has seen yet.
    #[must_use]
    pub fn new(depth: Depth, grace_ms: u64) -> Self {
        Self {
            depth,
            grace_ms,
            ..Self::default()
        }
    }

    /// A room came back from its store.
    ///
    /// # Errors
    /// When it is not the one that was stored.
    pub fn restored(&self, room: &Room) -> Check {
        if self.depth == Depth::Off || self.shadow == *room {
            return Ok(());
        }
        broken("what is stored comes back (9)", || {
            format!("{room:?}\nnot {:?}", self.shadow)
        })
    }

    /// A turn is durable.
    ///
    /// # Errors
    /// The first law that is broken.
    pub fn turned(
        &mut self,
        room: &Room,
        row: &Row,
        now: Instant,
        cause: Cause<'_>,
        settings: &Settings,
    ) -> Check {
        if self.depth == Depth::Off {
            return Ok(());
        }
        self.now = now;
        let writes = !row.events.is_empty();
        let full = self.depth == Depth::Both || (writes && self.rows.is_multiple_of(RECOUNT_EVERY));
        let in_full = if full {
            self.in_full(room, row, now)
        } else {
            Ok(())
        };
        let first = self.fast(room, row, now, cause, settings);
        self.watch.turned(row);
        self.rows += u64::from(writes);
        self.recounts += u64::from(full);
        match (&in_full, &first) {
            (Err(law), Ok(())) => broken("both forms of the laws agree", || {
                format!("only the full form says: {law}")
            }),
            (_, Err(_)) => first,
            (Ok(()), Ok(())) => Ok(()),
        }
    }

    fn in_full(&self, room: &Room, row: &Row, now: Instant) -> Check {
        laws::check_row(&self.shadow, room, row)?;
        laws::check_state(room, now)?;
        laws::turn_is_idempotent(room, now)
    }

    fn fast(
        &mut self,
        room: &Room,
        row: &Row,
        now: Instant,
        cause: Cause<'_>,
        settings: &Settings,
    ) -> Check {
        let wanted = self.wanted(now, cause, settings, row);
        if row.events.is_empty() {
            if room.version() != self.shadow.version() {
                return broken("a turn that writes nothing changes nothing (9)", || {
                    format!("{}", room.version())
                });
            }
            if !wanted.is_empty() {
                return broken("the model decides the same", || {
                    format!("{wanted:?}, the room nothing")
                });
            }
        } else {
            self.fold(room, row)?;
            if wanted != row.events {
                return broken("the model decides the same", || {
                    format!("{wanted:?}\nthe room {:?}", row.events)
                });
            }
            self.picture(room, now)?;
        }
        laws::conserved(room, now)?;
        laws::leases_bounded(room, now)?;
        laws::debt_means_nothing_free(room, now)?;
        laws::no_permit_forgotten(room, now)?;
        laws::bounded(room, now)?;
        laws::vouchers_agree(room, now)?;
        self.next_turn(room, now)
    }

    /// Each fact on the state before it, then the state they lead to; numbers and fences grow.
    fn fold(&mut self, room: &Room, row: &Row) -> Check {
        let next = (self.shadow.edition(), self.shadow.line().next());
        let fence = self.shadow.permits().last_fence();
        if row.version.0 != self.shadow.version().0 + 1 {
            return broken("rows follow each other (9)", || {
                format!("{} after {}", row.version, self.shadow.version())
            });
        }
        for event in &row.events {
            laws::fact_is_lawful(&self.shadow, row.at, event)?;
            self.shadow.apply(row.version, row.at, event);
            if matches!(event, Event::Reset { .. }) {
                laws::begins_clean(&self.shadow)?;
            }
        }
        if self.shadow != *room {
            return broken("state is the fold of the facts (9)", || {
                format!("{room:?}\nnot {:?}", self.shadow)
            });
        }
        if next > (room.edition(), room.line().next()) || fence > room.permits().last_fence() {
            return broken("numbers and fences grow (2)", || {
                "a counter ran back".to_owned()
            });
        }
        Ok(())
    }

    /// What the model decides, and it becomes true for it.
    ///
    /// Long because it has an arm for each cause of a turn.
    fn wanted(
        &mut self,
        now: Instant,
        cause: Cause<'_>,
        settings: &Settings,
        row: &Row,
    ) -> Vec<Event> {
        let version = row.version;
        let model = &mut self.model;
        model.is_told(row);
        let mut wanted = model.decide_config(&settings.base);
        wanted
            .iter()
            .for_each(|fact| model.apply(version, now, fact));
        for step in &settings.steps {
            let facts = model.decide_config(&step.config);
            let facts = facts.into_iter().chain(step.facts.iter().cloned());
            for fact in facts {
                model.apply(version, now, &fact);
                wanted.push(fact);
            }
        }
        // When the hours change something, and with which seed, is the room's to say; what follows is not.
        let by_hours = |event: &&Event| {
            matches!(
                event,
                Event::Committed(_)
                    | Event::Doors(_)
                    | Event::LaneCommitted { .. }
                    | Event::LaneDoors { .. }
                    | Event::Drawn { .. }
            )
        };
        let rest = row.events.iter().skip(wanted.len());
        let hours: Vec<Event> = rest.take_while(by_hours).cloned().collect();
        hours
            .iter()
            .for_each(|fact| model.apply(version, now, fact));
        wanted.extend(hours);
        let facts = match cause {
            Cause::Other => vec![],
            Cause::Reset => model.decide_reset(OPERATOR),
            Cause::Sheet(act) => act.decided(model),
            Cause::Ring => {
                let ended = row.events.iter().find_map(|event| match event {
                    Event::GraceEnded { count } => Some(*count),
                    _ => None,
                });
                model.decide_turn(now, ended.unwrap_or(0))
            }
            // These become true one by one.
            Cause::Batches(batches) => {
                for batch in batches {
                    wanted.extend(model.take(version, now, batch));
                }
                vec![]
            }
            Cause::Dismiss(number) => {
                wanted.extend(model.dismiss(version, now, number, OPERATOR));
                vec![]
            }
        };
        facts
            .iter()
            .for_each(|fact| model.apply(version, now, fact));
        wanted.extend(facts);
        wanted
    }

    /// Who would be called next and what a second turn would do.
    fn next_turn(&self, room: &Room, now: Instant) -> Check {
        let next = room.decide_turn(now);
        let graces = match next.first() {
            Some(Event::GraceEnded { count }) => *count,
            _ => 0,
        };
        let wanted = self.model.decide_turn(now, graces);
        if next != wanted {
            return broken("the model calls the same (3, 4)", || {
                format!("{wanted:?}\nthe room {next:?}")
            });
        }
        if next.is_empty() {
            Ok(())
        } else {
            laws::turn_is_idempotent(room, now)
        }
    }

    /// The room came into memory: it knows no lobby's life.
    pub fn forgets_lobbies(&mut self) {
        self.watch.forgets_lobbies();
    }

    /// Nobody was in the room for long, and it has forgotten who came.
    pub fn room_forgot(&mut self) {
        self.watch.forgets_life();
    }

    /// Somebody's word reaches the room, and brings these batches.
    pub fn hears(&mut self, batches: &[Batch]) {
        self.watch.hears(batches, self.model.told_from());
    }

    /// A lobby's life says what it knows, and has told.
    pub fn acknowledged(&mut self, life: LobbyLife, version: Version) {
        self.watch.acknowledged(life, version);
    }

    /// What the room answers a lobby.
    ///
    /// # Errors
    /// When it is not what the book says, or should not have been answered so.
    pub fn says(&mut self, said: &ToRoom, answer: &FromRoom) -> Check {
        if self.depth == Depth::Off {
            return Ok(());
        }
        self.watch.says(&self.model, self.now, said, answer)
    }

    /// What the room says unasked.
    ///
    /// # Errors
    /// When it is not what the book says.
    pub fn pushes(&mut self, push: &Push) -> Check {
        if self.depth == Depth::Off {
            return Ok(());
        }
        self.watch.pushes(&self.model, self.now, push)
    }

    /// A replica that says to be as new as the book says what the book says.
    ///
    /// # Errors
    /// When it does not.
    pub fn replica_agrees(&self, lobby: LobbyId, is_whole: bool, replica: &Replica) -> Check {
        let current =
            replica.have() == self.shadow.version() && self.watch.is_current(replica.life());
        if self.depth == Depth::Off || !is_whole || !current {
            return Ok(());
        }
        self.watch
            .replica_agrees(&self.model, self.now, lobby, replica)
    }
}
