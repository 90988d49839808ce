//! What the operator's front and a room or the house say to each other: orders, and what they tell of themselves. JSON, as the
//! values are the operator's own words. One home for both ends, so that neither can say what the other does not read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::facts::hall::{Draw, Seed};
use crate::facts::units::{AccountId, Fence, LaneId, Number};
use crate::facts::voucher::{SheetId, Slips, Terms};
use crate::house::table::{Definition, brands_of};
use crate::house::{House, Stands, Wish};
use crate::ordered::filled;
use crate::room::Room;
use crate::room::lanes::Lane;
use crate::room::live::LiveValue;
use crate::room::report::Report;
use crate::room::tale;
use crate::room::times::hour::Sample;
use crate::room::vouchers::{NewSheet, Sheet};
use crate::settings::{HouseChange, OperatorChange, Problem, operator_told};

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

/// What a busy room of the house last said of itself, for lists: so that no list wakes a room in which nothing happens.
#[derive(Debug, Serialize, Deserialize)]
pub struct Summary {
    /// When it said so, Unix ms.
    pub at_ms: u64,
    /// In numbers.
    pub report: Report,
    /// Counts up with each change of live values.
    pub revision: u64,
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
    /// The same of each lane: those that left the list, then those of the list, the best first. Empty: the room has none. Above stands
    /// everybody's, the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<LaneDraws>,
}

/// See [`DrawTold`].
#[derive(Debug, Serialize, Deserialize)]
pub struct LaneDraws {
    /// What tokens call the lane.
    pub name: String,
    /// What people are shown.
    pub title: String,
    /// As of a room without lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextDraw>,
    /// The same; numbers count within the lane.
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
    /// The number of who went first, within its lane.
    pub first_number: u64,
    /// How many there are.
    pub count: u64,
    /// The entries that took part, as first and last of each run, counted from 1.
    pub entries: Vec<(u64, u64)>,
}

impl DrawTold {
    /// What a room says. O(lanes + runs of entries of their last draws).
    #[must_use]
    pub fn of(name: &str, room: &Room) -> Self {
        let everybody = room.lanes().lane(room.lanes().everybody());
        let (next, last) = draws(room, everybody);
        let mut lanes: Vec<(LaneId, &Lane)> = room.lanes().order().collect();
        lanes.sort_by_key(|(_, lane)| lane.is_listed());
        let told = |(_, lane): (LaneId, &Lane)| {
            let config = lane.config()?;
            let (next, last) = draws(room, lane);
            let (name, title) = (config.name.to_string(), config.title.clone());
            Some(LaneDraws {
                name,
                title,
                next,
                last,
            })
        };
        Self {
            room: name.to_owned(),
            next,
            last,
            lanes: lanes.into_iter().filter_map(told).collect(),
        }
    }
}

/// What the next draw of a lane is bound to, and its last.
fn draws(room: &Room, lane: &Lane) -> (Option<NextDraw>, Option<LastDraw>) {
    let hall = lane.hall();
    let next = hall.lot().map(|lot| NextDraw {
        draw: lane.draw(room.config()),
        commitment: lot.commitment,
        opens_at_ms: lane.opens_at_ms(),
        entries: hall.line().alive(),
    });
    let last = hall.drawn().map(|drawn| LastDraw {
        draw: drawn.draw,
        commitment: drawn.commitment,
        seed: drawn.seed,
        first_number: drawn.first.within(),
        count: drawn.count,
        entries: drawn.runs.clone(),
    });
    (next, last)
}

/// How a room's chain stands, for everybody: whoever notes this can see later that nothing before it was changed.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChainTold {
    /// The room's name, as it stands in the file.
    pub room: String,
    /// When the room said so, Unix ms.
    pub at_ms: u64,
    /// The last row then; 0: none yet.
    pub row: u64,
    /// Its hash, 64 hexadecimal digits.
    pub hash: String,
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

/// A change of the house: all of it or nothing.
#[derive(Debug, Serialize, Deserialize)]
pub struct HouseOrder {
    /// Who wants it.
    pub by: String,
    /// The revision that the operator saw; `None`: any.
    pub expected: Option<u64>,
    /// What.
    pub wishes: Vec<Wish>,
}

/// The house as the operator sees it.
#[derive(Debug, Serialize)]
pub struct HouseTold {
    /// Counts up with each change.
    pub revision: u64,
    /// By name: what each room is.
    pub rooms: Map<String, Value>,
    /// Rooms that are over and whose paths are nobody's: their names, with how many of each there have been.
    pub released: BTreeMap<String, u32>,
    /// By room, of the house or of the file: what is laid over the keys of its page.
    pub brands: BTreeMap<String, Value>,
    /// What an undo would come to, room by room, then operator by operator.
    pub undo: Vec<Value>,
    /// By name: who may operate, without what is made of tokens. Told to whoever may change it.
    pub operators: Map<String, Value>,
}

impl HouseTold {
    /// What the house says.
    #[must_use]
    pub fn of(house: &House, undo: &[HouseChange], persons: &[OperatorChange]) -> Self {
        let gated = house.gated().map(|(name, kept)| {
            let definition = Definition::of(kept);
            let room = json!({
                "definition": definition.table,
                "state": kept.stands,
                "generation": kept.generation,
                "since": kept.since,
            });
            (name.clone(), room)
        });
        let operators = house.operators().iter();
        let operators = operators.map(|(name, table)| (name.clone(), operator_told(table)));
        let rooms = house.rooms().iter();
        let freed = rooms.filter(|(_, kept)| kept.stands == Stands::Freed);
        Self {
            revision: house.version(),
            rooms: filled(gated),
            released: filled(freed.map(|(name, kept)| (name.clone(), kept.generation))),
            brands: brands_of(house),
            undo: changes_told(undo, persons),
            operators: filled(operators),
        }
    }
}

/// What becomes of rooms and operators, for the operator.
fn changes_told(rooms: &[HouseChange], persons: &[OperatorChange]) -> Vec<Value> {
    let rooms = rooms.iter().map(HouseChange::told);
    rooms
        .chain(persons.iter().map(OperatorChange::told))
        .collect()
}

/// What a change of the house would come to.
#[derive(Debug, Serialize)]
pub struct HouseSteps {
    /// The revision that it would change.
    pub revision: u64,
    /// Room by room.
    pub changes: Vec<Value>,
    /// Why it would be refused, a line each; none: it would be done, if nobody has a place where none may.
    pub problems: Vec<String>,
}

impl HouseSteps {
    /// It would be done.
    #[must_use]
    pub fn good(revision: u64, changes: &[HouseChange]) -> Self {
        Self {
            revision,
            changes: changes.iter().map(HouseChange::told).collect(),
            problems: Vec::new(),
        }
    }

    /// It would be refused.
    #[must_use]
    pub fn bad(revision: u64, problems: &[Problem]) -> Self {
        Self {
            revision,
            changes: Vec::new(),
            problems: problems.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Dead letters of a webhook are to be sent again.
#[derive(Debug, Serialize, Deserialize)]
pub struct Resend {
    /// The webhook's name.
    pub webhook: String,
    /// Which; none: all.
    pub id: Option<String>,
}

/// A webhook is to be tried.
#[derive(Debug, Serialize, Deserialize)]
pub struct WebhookTest {
    /// Which.
    pub webhook: String,
}

/// The room is to be begun anew.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reset {
    /// Who wants it.
    pub by: String,
    /// The revision that the operator saw. The next one is another: no two resets by one look.
    pub expected: u64,
}

/// A sheet of vouchers to be made. Its codes are hashes already.
#[derive(Debug, Serialize, Deserialize)]
pub struct SheetOrder {
    /// Who wants it.
    pub by: String,
    /// What holds for its vouchers.
    pub terms: Terms,
    /// What it has.
    pub new: NewSheet,
}

/// A sheet to be taken back.
#[derive(Debug, Serialize, Deserialize)]
pub struct SheetEnd {
    /// Who wants it.
    pub by: String,
    /// Which.
    pub sheet: SheetId,
}

/// A sheet as the operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct SheetTold {
    /// Which.
    pub sheet: SheetId,
    /// What holds for its vouchers.
    #[serde(flatten)]
    pub terms: Terms,
    /// What it has.
    #[serde(flatten)]
    pub slips: Slips,
    /// How many places it gives.
    pub uses: u64,
    /// How many it has given since the room was last begun.
    pub used: u64,
}

impl SheetTold {
    /// What the room knows of it.
    #[must_use]
    pub fn of(id: SheetId, sheet: &Sheet) -> Self {
        Self {
            sheet: id,
            terms: sheet.terms.clone(),
            slips: sheet.slips,
            uses: sheet.slips.uses(),
            used: sheet.used,
        }
    }
}
