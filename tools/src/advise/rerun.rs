//! Plays a journal again, row by row: what would the desk have forecast every few minutes, and what came? It uses what an export tells, which names
//! nobody. It makes up who held which ticket; no forecast looks at that.

use super::course::{Asked, Course, LOOK_MS};
use crate::audit::Moment;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Holder, Key, Tag};
use baton::facts::units::{Instant, Version};
use baton::room::Room;
use baton::room::ramp::Ramps;
use baton::settings::{LiveValues, put};

/// When forecasts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time between two forecasts, ms.
    pub every_ms: u64,
    /// The most forecasts of one edition. In a longer sale every second one is dropped, as often as needed.
    pub most: usize,
}

/// A journal that is being played again.
#[derive(Debug)]
pub struct Rerun {
    room: Room,
    /// The live values in force.
    live: LiveValues,
    pace: Pace,
    began: Option<Instant>,
    /// The time of the previous row on the room's clock and on the wall clock.
    last: Option<(Instant, u64)>,
    edition: Timing,
    was_empty: bool,
    people: u64,
    course: Course,
}

/// When forecasts are made in the current edition.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// When the first person waited.
    began_ms: Option<u64>,
    every_ms: u64,
    next_ms: u64,
    /// The index of the edition's first moment.
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
    /// Begins a rerun, before the first row.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self {
            room: Room::new(),
            live: LiveValues::new(),
            pace,
            began: None,
            last: None,
            edition: Timing::new(pace, 0),
            was_empty: true,
            people: 0,
            course: Course::default(),
        }
    }

    /// Ends the journal and returns what happened.
    #[must_use]
    pub fn finish(mut self) -> Course {
        if let (Some(began), Some((last, _))) = (self.began, self.last) {
            self.course.watched_ms = last.since_ms(began);
        }
        self.course
    }

    /// Takes the next row, with its facts as an export tells them.
    pub(crate) fn row(&mut self, moment: Moment, mut events: Vec<Event>) {
        let at = Instant(moment.at_ms);
        // The sale begins when the first person waits, and so does each edition.
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
        // The caller has checked that versions follow each other.
        let _ = self.room.replay(&row);
        self.note(&row);
        self.last = Some((at, moment.wall_ms));
    }

    /// Lets time pass until the next row: looks and forecasts in between see the room as it stood.
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

    /// Drops every second moment of the edition while there are too many.
    fn thin_out(&mut self, after_ms: u64) {
        let timing = &mut self.edition;
        let began_ms = timing.began_ms.unwrap_or(0);
        while self.course.asked.len() - timing.from > self.pace.most {
            timing.every_ms *= 2;
            let stays = |asked: &Asked| asked.after_ms < began_ms || (asked.after_ms - began_ms).is_multiple_of(timing.every_ms);
            self.course.asked.retain(stays);
            let gone = (after_ms - began_ms) / timing.every_ms;
            timing.next_ms = began_ms + (gone + 1) * timing.every_ms;
        }
    }

    /// The number of people who wait and are present, in all lanes.
    fn present(&self) -> u64 {
        self.room.lanes().present()
    }

    fn ramps(&self) -> Ramps {
        Ramps::of(self.live.values())
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
                put(&mut self.live, values);
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
        if row.events.iter().any(|event| matches!(event, Event::Reset { .. })) {
            self.edition = Timing::new(self.pace, self.course.asked.len());
        }
        let is_empty = self.present() == 0;
        if is_empty && !self.was_empty {
            self.course.empty_ms.push(after_ms);
        }
        self.was_empty = is_empty;
    }

    /// Returns true if a row changes what the room does in a way that nobody could know before. A ramp's step could be known.
    fn changes(&self, events: &[Event]) -> bool {
        let has = |which: fn(&Event) -> bool| events.iter().any(which);
        let is_step = self.ramps() != Ramps::default();
        has(|event| {
            matches!(
                event,
                Event::Adjusted { .. } | Event::LineEnded { .. } | Event::Reset { .. } | Event::Doors(_) | Event::Drawn { .. }
            )
        }) || (!is_step && has(|event| matches!(event, Event::Configured(_))))
    }
}

const fn begins(event: &Event) -> bool {
    matches!(event, Event::Joined { .. } | Event::Drawn { .. })
}
