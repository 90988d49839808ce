//! A journal played again, row by row: what the desk would have forecast each few minutes, and what came. From what an export
//! tells, which names nobody: who held which ticket is made up, and no forecast looks at it.

use super::course::{Asked, Course, LOOK_MS};
use crate::audit::Moment;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Holder, Key, Tag};
use baton::facts::units::{Instant, Version};
use baton::room::Room;
use baton::room::ramp::Ramps;
use baton::settings::ramps;
use serde_json::{Map, Value};

/// When forecasts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// So far apart, ms.
    pub every_ms: u64,
    /// At most so many of one edition: of a longer sale every second is left out, as often as need be.
    pub most: usize,
}

/// A journal that is played again.
#[derive(Debug)]
pub struct Rerun {
    room: Room,
    /// The live values as they stand.
    live: Map<String, Value>,
    pace: Pace,
    began: Option<Instant>,
    /// The row before, and the wall clock then.
    last: Option<(Instant, u64)>,
    edition: Timing,
    was_empty: bool,
    people: u64,
    course: Course,
}

/// When forecasts are made in the edition under way.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// When somebody waited first.
    began_ms: Option<u64>,
    every_ms: u64,
    next_ms: u64,
    /// The first of its moments.
    from: usize,
}

impl Timing {
    const fn new(pace: Pace, from: usize) -> Self {
        Self {
            began_ms: None,
            every_ms: pace.every_ms,
            next_ms: u64::MAX,
            from,
        }
    }
}

impl Rerun {
    /// Before the first row.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self {
            room: Room::new(),
            live: Map::new(),
            pace,
            began: None,
            last: None,
            edition: Timing::new(pace, 0),
            was_empty: true,
            people: 0,
            course: Course::default(),
        }
    }

    /// What came of it all.
    #[must_use]
    pub fn finish(mut self) -> Course {
        if let (Some(began), Some((last, _))) = (self.began, self.last) {
            self.course.watched_ms = last.since_ms(began);
        }
        self.course
    }

    /// Takes the next row: its facts, as an export tells them.
    pub(crate) fn row(&mut self, moment: Moment, mut events: Vec<Event>) {
        let at = Instant(moment.at_ms);
        // The sale begins with the first who waits, and so does each edition.
        if events.iter().any(begins) {
            let began = *self.began.get_or_insert(at);
            let (edition, after_ms) = (&mut self.edition, at.since_ms(began));
            if edition.began_ms.is_none() {
                edition.began_ms = Some(after_ms);
                edition.next_ms = after_ms + edition.every_ms;
            }
        }
        self.pass_to(at, moment.wall_ms);
        for event in &mut events {
            self.name(event);
        }
        let row = Row {
            version: Version(moment.row),
            at,
            events,
        };
        // Whoever hands rows in has counted them.
        let _ = self.room.replay(&row);
        self.note(&row);
        self.last = Some((at, moment.wall_ms));
    }

    /// Time passes until the next row: looks and forecasts in between see the room as it stood.
    fn pass_to(&mut self, at: Instant, wall_ms: u64) {
        let Some(began) = self.began else {
            return;
        };
        let after_ms = at.since_ms(began);
        while self.course.waiting.len() as u64 * LOOK_MS < after_ms {
            self.course.waiting.push(self.present());
        }
        while self.edition.next_ms < after_ms {
            let next_ms = self.edition.next_ms;
            self.edition.next_ms += self.edition.every_ms;
            if self.present() > 0 {
                self.ask(began.plus_ms(next_ms), next_ms, wall_ms);
            }
        }
    }

    fn ask(&mut self, now: Instant, after_ms: u64, until_wall_ms: u64) {
        let since = |(at, wall_ms): (Instant, u64)| wall_ms + now.since_ms(at);
        let lanes = self.room.lanes();
        self.course.asked.push(Asked {
            after_ms,
            wall_ms: self.last.map_or(until_wall_ms, since).min(until_wall_ms),
            edition: self.room.edition().0,
            outlook: self.room.outlook(now, &self.ramps()),
            next: lanes.lane(lanes.everybody()).line().next(),
        });
        self.thin_out(after_ms);
    }

    /// Leaves every second moment of the edition out while there are too many.
    fn thin_out(&mut self, after_ms: u64) {
        let timing = &mut self.edition;
        let began_ms = timing.began_ms.unwrap_or(0);
        while self.course.asked.len() - timing.from > self.pace.most {
            timing.every_ms *= 2;
            let stays = |asked: &Asked| {
                asked.after_ms < began_ms
                    || (asked.after_ms - began_ms).is_multiple_of(timing.every_ms)
            };
            self.course.asked.retain(stays);
            let gone = (after_ms - began_ms) / timing.every_ms;
            timing.next_ms = began_ms + (gone + 1) * timing.every_ms;
        }
    }

    /// Who waits and is there, in all lanes.
    fn present(&self) -> u64 {
        self.room.lanes().present()
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
        let Some(began) = self.began else {
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
        if row
            .events
            .iter()
            .any(|event| matches!(event, Event::Reset { .. }))
        {
            self.edition = Timing::new(self.pace, self.course.asked.len());
        }
        let is_empty = self.present() == 0;
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
