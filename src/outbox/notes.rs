//! Makes notes from the rows of a journal: what other software may be told, without anything about a person. A mark keeps where reading stands.
//!
//! A mark and the rows after it alone decide the notes, so whoever reads a row twice gets the same notes with the same ids.

use super::Kind;
use facts::config::Change;
use facts::config::Mode;
use facts::event::{Event, WhyEnded};
use facts::hall::Door;
use facts::house::HouseEvent;
use facts::schedule::StepEnd;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Maximum rows that one page looks at. An object reads them in a few ms.
pub const ROWS_MAX: u16 = 500;
/// Maximum bytes of live values that a note repeats. For longer ones it names only the keys.
const VALUES_BYTES_MAX: usize = 4_096;

/// What the outbox asks an object for: the notes after a mark, or those since a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Where to go on reading.
    pub mark: Option<Mark>,
    /// The moment from which to read if there is no mark, Unix ms.
    pub since_ms: u64,
}

/// Where reading of one journal stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The last row that was read.
    pub row: u64,
    /// Its hash, if known. With it the next row can be opened although this one is gone.
    pub hash: Option<[u8; 32]>,
    /// The edition after that row; 0 if there is none, as in the house.
    pub edition: u32,
    /// The mode after that row; `None` if it is not known.
    pub mode: Option<Mode>,
}

/// One thing to tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The row that it was made from.
    pub row: u64,
    /// When, Unix ms.
    pub wall_ms: u64,
    /// The edition; 0 if there is none.
    pub edition: u32,
    /// What it is about.
    pub kind: Kind,
    /// Its position among the notes of this kind in the row, from 1.
    pub nth: u32,
    /// The operator who did it, if one did.
    pub by: Option<String>,
    /// The rest as it is sent: the fields of a JSON object, without its braces.
    pub data: String,
}

/// What an object says of the rows after a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Where reading stands after this page.
    pub mark: Mark,
    /// Whether there are more rows already.
    pub more: bool,
    /// The notes, in the order of the rows.
    pub notes: Vec<Note>,
}

/// Returns whether a fact may become a note. A room asks this of each fact that it writes, so it is cheap.
#[must_use]
pub const fn is_notable(event: &Event) -> bool {
    matches!(
        event,
        Event::Configured(_)
            | Event::Adjusted { .. }
            | Event::Doors(_)
            | Event::Drawn { .. }
            | Event::LineEnded { .. }
            | Event::Reset { .. }
            | Event::Scheduled {
                end: StepEnd::Refused(_),
                ..
            }
    )
}

/// Reads rows in their order and makes notes from them.
#[derive(Clone, Debug)]
pub struct Reader {
    mark: Mark,
    notes: Vec<Note>,
}

impl Reader {
    /// Goes on reading after a mark.
    #[must_use]
    pub const fn new(mark: Mark) -> Self {
        let notes = Vec::new();
        Self { mark, notes }
    }

    /// Where reading stands.
    #[must_use]
    pub const fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Records that the rows up to this one are gone. `hash` is that of the last one, if known. What the rows said
    /// of the mode is not known any more.
    pub fn missed(&mut self, up_to: u64, hash: Option<[u8; 32]>, wall_ms: u64) {
        let from = self.mark.row + 1;
        let data = json!({ "first_row": from, "last_row": up_to });
        self.note(up_to, wall_ms, Kind::RoomRowsMissed, None, data);
        (self.mark.row, self.mark.hash, self.mark.mode) = (up_to, hash, None);
    }

    /// Begins at the first row of another journal.
    pub fn begins_anew(&mut self) {
        self.mark = Mark {
            edition: 1,
            ..Mark::default()
        };
    }

    /// Reads the next row. O(facts).
    pub fn row(&mut self, row: u64, wall_ms: u64, hash: [u8; 32], events: &[Event]) {
        for event in events {
            self.event(row, wall_ms, event);
        }
        (self.mark.row, self.mark.hash) = (row, Some(hash));
    }

    /// Returns what was found.
    #[must_use]
    pub fn finish(self, more: bool) -> Page {
        let Self { mark, notes } = self;
        Page { mark, more, notes }
    }

    fn note(&mut self, row: u64, wall_ms: u64, kind: Kind, by: Option<&str>, data: Value) {
        let same = |note: &&Note| note.row == row && note.kind == kind;
        let before = self.notes.iter().rev().filter(same).count();
        self.notes.push(Note {
            row,
            wall_ms,
            edition: self.mark.edition,
            kind,
            nth: u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1),
            by: by.map(str::to_owned),
            data: fields(&data),
        });
    }

    fn event(&mut self, row: u64, wall_ms: u64, event: &Event) {
        match event {
            Event::Configured(config) => self.mode(row, wall_ms, config.mode),
            Event::Adjusted { by, values } => {
                let data = changed(values);
                self.note(row, wall_ms, Kind::RoomSettingsChanged, Some(by), data);
            }
            Event::Doors(door) => {
                let (kind, data) = moved(*door);
                self.note(row, wall_ms, kind, None, data);
            }
            Event::Drawn { draw, first, count, .. } => {
                let data = json!({ "draw": draw.name(), "first_number": first, "count": count });
                self.note(row, wall_ms, Kind::RoomDrawn, None, data);
            }
            Event::LineEnded { why, count } => {
                let why = match why {
                    WhyEnded::SoldOut => "sold_out",
                };
                let data = json!({ "why": why, "places": count });
                self.note(row, wall_ms, Kind::RoomLineEnded, None, data);
            }
            Event::Reset {
                edition,
                by,
                waiting,
                inside,
            } => {
                self.mark.edition = edition.0;
                let data = json!({ "waiting": waiting, "inside": inside });
                self.note(row, wall_ms, Kind::RoomReset, Some(by), data);
            }
            Event::Scheduled {
                at_ms,
                end: StepEnd::Refused(why),
            } => {
                let data = json!({ "at_ms": at_ms, "why": why });
                self.note(row, wall_ms, Kind::RoomStepRefused, None, data);
            }
            _ => {}
        }
    }

    fn mode(&mut self, row: u64, wall_ms: u64, mode: Mode) {
        let before = self.mark.mode.replace(mode);
        if let Some(before) = before.filter(|before| *before != mode) {
            let data = json!({ "from": before.name(), "to": mode.name() });
            self.note(row, wall_ms, Kind::RoomModeChanged, None, data);
        }
    }
}

/// Returns an object's fields as JSON, without the braces.
fn fields(object: &Value) -> String {
    let text = object.to_string();
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.unwrap_or_default().to_owned()
}

/// Returns keys and new values, `null` for a key that goes back to the file's value; only the keys if the values are long.
fn changed(values: &[Change]) -> Value {
    let keys: Vec<&str> = values.iter().map(|change| change.key().name()).collect();
    let mut told = Map::new();
    for change in values {
        told.insert(change.key().name().to_owned(), change.written());
    }
    let told = Value::Object(told);
    if told.to_string().len() > VALUES_BYTES_MAX {
        return json!({ "keys": keys });
    }
    json!({ "keys": keys, "values": told })
}

fn moved(door: Door) -> (Kind, Value) {
    match door {
        Door::Open { closes_at_ms } => (Kind::RoomOpened, json!({ "closes_at_ms": closes_at_ms })),
        Door::Shut { opens_at_ms } => (Kind::RoomClosed, json!({ "opens_at_ms": opens_at_ms })),
        Door::Hall { opens_at_ms } => (Kind::RoomHallOpened, json!({ "opens_at_ms": opens_at_ms })),
    }
}

/// Makes the note from a row of the house.
#[must_use]
pub fn notes_of_house(row: u64, wall_ms: u64, events: &[HouseEvent]) -> Note {
    let mut by = None;
    let mut rooms = Vec::new();
    let mut operators = 0_u32;
    for event in events {
        let (room, does) = match event {
            HouseEvent::Changed { by: who } => {
                by = Some(who.clone());
                continue;
            }
            HouseEvent::Defined { room, .. } => (room, "defined"),
            HouseEvent::Archived { room } => (room, "archived"),
            HouseEvent::Freed { room } => (room, "released"),
            HouseEvent::Branded { room, .. } => (room, "branded"),
            // The operator's name is in the row's private half, so the note only counts.
            HouseEvent::OperatorSet { .. } | HouseEvent::OperatorRemoved { .. } => {
                operators += 1;
                continue;
            }
        };
        rooms.push(json!({ "room": room, "does": does }));
    }
    let mut data = fields(&json!({ "rooms": rooms }));
    if operators > 0 {
        data.push(',');
        data.push_str(&fields(&json!({ "operators": operators })));
    }
    Note {
        row,
        wall_ms,
        edition: 0,
        kind: Kind::HouseChanged,
        nth: 1,
        by,
        data,
    }
}
