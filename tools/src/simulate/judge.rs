//! Judges every turn of the room: each fact on a state of its own, the state the facts lead to, the
//! laws, and the model.
//!
//! The laws of `room::laws` are written for any two states and cost O(n · facts). Here the same is known
//! step by step: the state before is kept (the *shadow*) and each fact is checked on it and applied to it;
//! what a recount would find is found by comparing every place, count and rank with the [`Model`], which
//! counts by scanning a list. [`Depth::Both`] runs both forms and fails when only one of them objects.

use super::model::{Model, Place as Plain, Ticket};
use super::schedule::Due;
use super::vouchers::Act;
use super::watch::Watch;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::Holder;
use baton::facts::message::{Batch, FromRoom, LobbyLife, ToRoom};
use baton::facts::units::{Instant, LANES_MAX, LobbyId, Number, Version};
use baton::lobby::Replica;
use baton::room::Room;
use baton::room::courier::Push;
use baton::room::laws::{self, Check, Violation};
use baton::room::line::Place;
use baton::room::permits::Stage;

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

    /// Everybody's place, everybody's rank, every permit and every count, as the model sees them.
    fn picture(&mut self, room: &Room, now: Instant) -> Check {
        self.places_end(room, now)?;
        let (lanes, permits, model) = (room.lanes(), room.permits(), &self.model);
        self.hall_agrees(room)?;
        let count = |plain: fn(&Plain) -> bool| {
            model.tickets.iter().filter(|t| plain(&t.place)).count() as u64
        };
        let seen = [lanes.waiting(), lanes.present(), lanes.away()];
        let counted = [
            model.tickets.len() as u64,
            count(|place| *place == Plain::Present),
            count(|place| matches!(place, Plain::Away(_))),
        ];
        if seen != counted {
            return broken("counts agree (2)", || {
                format!("alive, present, away: {seen:?}, counted {counted:?}")
            });
        }
        let mut ranks = [0_u64; LANES_MAX];
        for ticket in &model.tickets {
            let rank = &mut ranks[usize::from(ticket.number.lane().0)];
            let ahead_of = *rank;
            *rank += 1;
            let line = room.line_of(ticket.number);
            let place = line.place(ticket.number);
            let same = match ticket.place {
                Plain::Present => place == Place::Present,
                Plain::Away(_) => matches!(place, Place::Away(_)),
                Plain::Called => place == Place::Called,
            };
            if !same || line.missed(ticket.number) != ticket.missed {
                return broken("one state each (2)", || format!("{ticket:?} is {place:?}"));
            }
            self.book_agrees(room, ticket.number, ticket.holder)?;
            let ahead = room.ahead(ticket.number).0;
            if ahead != ahead_of {
                return broken("ahead is a count that never rises (5)", || {
                    format!(
                        "{} has {ahead_of} in front, the room says {ahead}",
                        ticket.number
                    )
                });
            }
        }
        let books = [
            permits.hand(),
            permits.tray(),
            permits.debt(),
            permits.called(),
            permits.leased(),
        ];
        let called = model.permits.iter().filter(|p| p.called).count() as u32;
        let own = [
            model.hand,
            model.tray,
            model.debt,
            called,
            model.permits.len() as u32 - called,
        ];
        if books != own {
            return broken("the books agree (1)", || {
                format!("hand, tray, debt, called, leased: {books:?}, not {own:?}")
            });
        }
        for (permit, (fence, grant)) in model.permits.iter().zip(permits.out()) {
            let same = match grant.stage {
                Stage::Called { claim_by, .. } => permit.called && claim_by == permit.idle_end,
                Stage::Leased(lease) => {
                    !permit.called
                        && (lease.idle_end, lease.hard_end) == (permit.idle_end, permit.hard_end)
                }
            };
            if !same || (permit.fence, permit.number) != (fence, grant.number) {
                return broken("a permit is whose the model says (2, 7)", || {
                    format!("{permit:?}\n{fence} {grant:?}")
                });
            }
            self.book_agrees(room, permit.number, permit.holder)?;
        }
        Ok(())
    }

    /// Whose a living ticket is, and that it is found by the key.
    fn book_agrees(&self, room: &Room, number: Number, holder: Holder) -> Check {
        let (found, living) = (room.holder(number), room.living_of(holder.key));
        let account = self.model.account_of(number);
        let place = account.and_then(|account| room.living_of_account(account));
        if account != room.account_of(number) || place.is_some_and(|place| place != number) {
            return broken("one living place an account (2)", || {
                format!("{number} is {account:?}'s, which is found at {place:?}")
            });
        }
        if found == Some(holder) && living == Some(number) {
            return Ok(());
        }
        broken("one living place a key (2)", || {
            format!("{number} is {holder:?}'s, the room says {found:?}, and finds {living:?}")
        })
    }

    /// Everybody in the hall, as the model sees them.
    fn hall_agrees(&self, room: &Room) -> Check {
        for ticket in &self.model.hall {
            self.book_agrees(room, ticket.number, ticket.holder)?;
        }
        let agrees = |(ticket, (number, place)): (&Ticket, (Number, Place))| {
            let same = match ticket.place {
                Plain::Present => place == Place::Present,
                Plain::Away(_) => matches!(place, Place::Away(_)),
                Plain::Called => false,
            };
            same && ticket.number == number
        };
        for (lane, of) in room.lanes().all() {
            let model: Vec<&Ticket> = self
                .model
                .hall
                .iter()
                .filter(|t| t.number.lane() == lane)
                .collect();
            let hall = of.hall().line();
            let all = hall.alive() == model.len() as u64;
            if !(all && model.iter().copied().zip(hall.living()).all(agrees)) {
                return broken("everybody in the hall is there (2)", || {
                    format!(
                        "{model:?}\nthe room {:?}",
                        hall.living().collect::<Vec<_>>()
                    )
                });
            }
        }
        Ok(())
    }

    /// Places whose grace is over: each was away for all of it, and none is kept for much longer.
    fn places_end(&mut self, room: &Room, now: Instant) -> Check {
        let alive = room.lanes().alive();
        let known = self.model.tickets.len() + self.model.hall.len();
        let ended = alive < known as u64;
        if !ended {
            return Ok(());
        }
        let mut gone: Vec<Number> = vec![];
        for ticket in self.model.tickets.iter().chain(&self.model.hall) {
            if let Plain::Away(since) = ticket.place
                && room.line_of(ticket.number).place(ticket.number) == Place::Gone
            {
                if now.since_ms(since) < self.grace_ms {
                    return broken("a place is kept for the grace", || {
                        format!("{} away since {since}, over at {now}", ticket.number)
                    });
                }
                gone.push(ticket.number);
            }
        }
        self.model.end_places(&gone);
        Ok(())
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
