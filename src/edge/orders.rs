//! What the operator's front and a room say to each other: orders to the room, and what it tells of itself. JSON, as the
//! values are the operator's own words. One home for both ends, so that neither can say what the other does not read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::facts::hall::{Draw, Seed};
use crate::facts::units::{AccountId, Fence, Number};
use crate::room::Room;
use crate::room::live::LiveValue;
use crate::room::report::Report;
use crate::room::tale;
use crate::room::times::hour::Sample;

/// The room as the operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// In numbers.
    pub report: Report,
    /// Counts up with each change of live values.
    pub revision: u64,
    /// Every key with the value in force and where that comes from.
    pub settings: Map<String, Value>,
    /// Who set which live value, and when.
    pub changed: BTreeMap<String, LiveValue>,
    /// What an undo would bring back: of the keys of the last change what was in force before it.
    pub undo: Map<String, Value>,
}

/// What a room's draws are bound to, for everybody.
#[derive(Debug, Serialize, Deserialize)]
pub struct DrawTold {
    /// The room's name, as it stands in the file.
    pub room: String,
    /// What the next draw is bound to, once a hall has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextDraw>,
    /// The last draw, with all that is needed to do it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastDraw>,
}

/// See [`DrawTold`].
#[derive(Debug, Serialize, Deserialize)]
pub struct NextDraw {
    /// How.
    pub draw: Draw,
    /// SHA-256 of the seed.
    pub commitment: Seed,
    /// When it will be, Unix ms, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens_at_ms: Option<u64>,
    /// Entries that live.
    pub entries: u64,
}

/// See [`DrawTold`].
#[derive(Debug, Serialize, Deserialize)]
pub struct LastDraw {
    /// How.
    pub draw: Draw,
    /// SHA-256 of the seed, as it was told before.
    pub commitment: Seed,
    /// The seed.
    pub seed: Seed,
    /// The number of who went first.
    pub first_number: Number,
    /// How many there are.
    pub count: u64,
    /// The entries that took part, as first and last of each run, counted from 1.
    pub entries: Vec<(u64, u64)>,
}

impl DrawTold {
    /// What a room says. O(entries of the last draw).
    #[must_use]
    pub fn of(name: &str, room: &Room) -> Self {
        let hall = room.hall();
        let next = hall.lot().map(|lot| NextDraw {
            draw: room.config().draw,
            commitment: lot.commitment,
            opens_at_ms: room.opens_at_ms(),
            entries: hall.line().alive(),
        });
        let last = hall.drawn().map(|drawn| LastDraw {
            draw: drawn.draw,
            commitment: drawn.commitment,
            seed: drawn.seed,
            first_number: drawn.first,
            count: drawn.count,
            entries: drawn.runs.clone(),
        });
        Self {
            room: name.to_owned(),
            next,
            last,
        }
    }
}

/// A change of live values: all of them or none.
#[derive(Debug, Serialize, Deserialize)]
pub struct LiveChange {
    /// Who wants it.
    pub by: String,
    /// The revision that the operator saw; `None`: any.
    pub expected: Option<u64>,
    /// `null`: the file's again.
    pub values: Map<String, Value>,
}

/// The last change of live values is to be taken back.
#[derive(Debug, Serialize, Deserialize)]
pub struct Undo {
    /// Who wants it.
    pub by: String,
    /// The revision that the operator saw.
    pub expected: u64,
}

/// A ticket to be ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Dismissal {
    /// Who wants it.
    pub by: String,
    /// Which ticket.
    pub number: Number,
}

/// An account whose ticket is to be ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct AccountEnd {
    /// Who wants it.
    pub by: String,
    /// Whose ticket.
    pub account: AccountId,
}

/// A lease to be given back.
#[derive(Debug, Serialize, Deserialize)]
pub struct LeaseEnd {
    /// Who wants it.
    pub by: String,
    /// Which lease.
    pub fence: Fence,
}

/// A page of a ticket's story.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoryPage {
    /// Which ticket.
    pub number: Number,
    /// Where reading begins, as a [`Mark`](tale::Mark) says it.
    pub from: String,
}

/// What the journal says of a ticket, and where it stands now.
#[derive(Debug, Serialize)]
pub struct Story {
    /// Which ticket.
    pub number: Number,
    /// Where it stands now: `none` (not issued), `waiting`, `away`, `called`, `admitted`, `over`.
    pub state: &'static str,
    /// People in front, of one that waits.
    pub ahead: Option<u64>,
    /// The first row that was looked at, and the last.
    pub first_row: u64,
    /// See there.
    pub last_row: u64,
    /// Rows in the journal.
    pub rows: u64,
    /// Whether rows before `first_row` are no longer kept: the beginning may be missing.
    pub cleared: bool,
    /// Where to go on; `None`: that was all.
    pub next: Option<String>,
    /// What happened, in order.
    pub events: Vec<tale::Told>,
}

/// The last hour of a room.
#[derive(Debug, Serialize)]
pub struct HourTold {
    /// The room's clock now, in the same milliseconds as the samples'.
    pub now_ms: u64,
    /// A sample a minute, the oldest first.
    pub samples: Vec<Sample>,
}

/// The room is to be begun anew.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reset {
    /// Who wants it.
    pub by: String,
    /// The revision that the operator saw. The next one is another: no two resets by one look.
    pub expected: u64,
}
