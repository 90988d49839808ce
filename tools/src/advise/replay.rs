//! The journal of a sale that was, played again: what the desk would have forecast each few minutes, and what came. From the
//! export alone, which names nobody: who held which ticket is made up, and no forecast looks at it.

use super::course::{Asked, Course, LOOK_MS};
use crate::audit::export::{Chain, Row as Exported};
use crate::audit::{Scope, Stop};
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Holder, Key, Tag};
use baton::facts::units::{Instant, Version};
use baton::room::Room;
use baton::room::ramp::Ramps;
use baton::settings::ramps;
use serde_json::{Map, Value};

/// A journal that is read line by line.
pub struct Replay {
    chain: Chain,
    line: u64,
    room: Room,
    /// The live values as they stand.
    live: Map<String, Value>,
    every_ms: u64,
    began: Option<(Instant, u64)>,
    next_ask_ms: u64,
    was_empty: bool,
    people: u64,
    course: Course,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Played {
    /// The room's name.
    pub room: String,
    /// The wall clock as it began, Unix ms.
    pub began_wall_ms: u64,
    /// What came of it.
    pub course: Course,
}

impl Replay {
    /// A forecast each `every_ms`.
    #[must_use]
    pub fn new(every_ms: u64) -> Self {
        Self {
            chain: Chain::new(Scope::Everything),
            line: 0,
            room: Room::new(),
            live: Map::new(),
            every_ms,
            began: None,
            next_ask_ms: every_ms,
            was_empty: true,
            people: 0,
            course: Course::default(),
        }
    }

    /// Takes one line of the export.
    ///
    /// # Errors
    /// When it is not sound, or cannot be read.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.line += 1;
        if let Some(row) = self.chain.read(self.line, text)? {
            self.row(row);
        }
        Ok(())
    }

    /// What came of it all.
    ///
    /// # Errors
    /// When there was no row.
    pub fn finish(self) -> Result<Played, Stop> {
        self.chain.finish(self.line)?;
        Ok(Played {
            room: self.chain.room().to_owned(),
            began_wall_ms: self.began.map_or(0, |(_, wall_ms)| wall_ms),
            course: self.course,
        })
    }

    fn row(&mut self, exported: Exported) {
        let moment = exported.moment;
        let at = Instant(moment.at_ms);
        // The sale begins with the first who waits.
        if self.began.is_none() && exported.events.iter().any(begins) {
            self.began = Some((at, moment.wall_ms));
        }
        self.pass_to(at);
        let mut events = exported.events;
        for event in &mut events {
            self.name(event);
        }
        let row = Row {
            version: Version(moment.row),
            at,
            events,
        };
        // The chain has counted the rows.
        let _ = self.room.replay(&row);
        self.note(&row);
    }

    /// Time passes until the next row: looks and forecasts in between see the room as it stood.
    fn pass_to(&mut self, at: Instant) {
        let Some((began, _)) = self.began else {
            return;
        };
        let after_ms = at.since_ms(began);
        while self.course.waiting.len() as u64 * LOOK_MS < after_ms {
            self.course.waiting.push(self.room.line().present());
        }
        while self.next_ask_ms < after_ms {
            let now = began.plus_ms(self.next_ask_ms);
            if self.room.line().present() > 0 {
                self.course.asked.push(Asked {
                    after_ms: self.next_ask_ms,
                    outlook: self.room.outlook(now, &self.ramps()),
                    next: self.room.line().next(),
                });
            }
            self.next_ask_ms += self.every_ms;
        }
    }

    fn ramps(&self) -> Ramps {
        ramps(&self.live)
    }

    /// Makes up who held a ticket.
    fn name(&mut self, event: &mut Event) {
        match event {
            Event::Joined { holders, count, .. } | Event::Entered { holders, count, .. } => {
                *holders = (0..*count).map(|_| self.person()).collect();
            }
            Event::WalkedIn { holder, .. } => *holder = Some(self.person()),
            Event::Carried { to, .. } => *to = Some(self.person()),
            _ => {}
        }
    }

    fn person(&mut self) -> Holder {
        self.people += 1;
        Holder {
            key: Key(self.people),
            tag: Tag(0),
        }
    }

    fn note(&mut self, row: &Row) {
        let changes = self.changes(&row.events);
        for event in &row.events {
            if let Event::Adjusted { values, .. } = event {
                for (key, value) in values {
                    let value = value
                        .as_ref()
                        .and_then(|json| serde_json::from_str(json).ok());
                    match value {
                        Some(value) => drop(self.live.insert(key.clone(), value)),
                        None => drop(self.live.remove(key)),
                    }
                }
            }
        }
        let Some((began, _)) = self.began else {
            return;
        };
        let after_ms = row.at.since_ms(began);
        for event in &row.events {
            if let Event::Called { number, .. } | Event::Handed { number, .. } = event {
                self.course.calls.push((*number, after_ms));
            }
        }
        if changes {
            self.course.changed_ms.push(after_ms);
        }
        let is_empty = self.room.line().present() == 0;
        if is_empty && !self.was_empty {
            self.course.empty_ms.push(after_ms);
        }
        self.was_empty = is_empty;
    }

    /// Whether a row changes what the room does, in a way that could not be known before. A ramp's step could.
    fn changes(&self, events: &[Event]) -> bool {
        let has = |which: fn(&Event) -> bool| events.iter().any(which);
        let is_step = self.ramps() != Ramps::default();
        has(|event| {
            matches!(
                event,
                Event::Adjusted { .. }
                    | Event::LineEnded { .. }
                    | Event::Reset { .. }
                    | Event::Doors(_)
                    | Event::Drawn { .. }
            )
        }) || (!is_step && has(|event| matches!(event, Event::Configured(_))))
    }
}

const fn begins(event: &Event) -> bool {
    matches!(event, Event::Joined { .. } | Event::Drawn { .. })
}
