//! What the operator's front and a room, the house or the outbox say to each other: orders, and what the objects tell of themselves. It is JSON,
//! since the values are the operator's own words. Both ends share these types, so that neither can say what the other cannot read.

use facts::few::FewMap;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use facts::hall::{Draw, Seed};
use facts::ordered::{filled, sort_few};
use facts::units::{AccountId, Fence, Instant, LaneId, Number};
use facts::voucher::{SheetId, Slips, Terms};
use house::table::{Definition, brands_of};
use house::{House, Stands};
use outbox::Kind;
use room::Room;
use room::lanes::Lane;
use room::report::Report;
use room::tale;
use room::times::hour::Sample;
use room::vouchers::{NewSheet, Sheet};
use settings::{HouseChange, OperatorChange, Problem, operator_shown, operator_told};
use token::{Operator, Operators};

/// The room as the operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct RoomTold {
    /// Its name as it stands in the file.
    pub room: String,
    /// Its paths, as they are written.
    pub paths: Vec<String>,
    /// Its hosts; empty means every host.
    pub hosts: Vec<String>,
    /// Whether it is a room of the house.
    pub of_house: bool,
    /// How many lobbies it has.
    pub lobbies: u16,
    /// The room in numbers.
    pub report: Report,
    /// Goes up with each change of live values and with each reset.
    pub revision: u64,
    /// Every key with the value in force and where that value comes from.
    pub settings: Map<String, Value>,
    /// Who set each live value, and when.
    pub changed: FewMap<String, ChangedTold>,
    /// What an undo would bring back: the keys of the last change, with the values that were in force before it.
    pub undo: Map<String, Value>,
}

/// Who set a live value, and when.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangedTold {
    /// The operator.
    pub by: String,
    /// The instant, by the room's clock.
    pub at_ms: Instant,
}

/// What a busy room of the house last said of itself. Lists show it, so that no list wakes a room in which nothing happens.
#[derive(Debug, Serialize, Deserialize)]
pub struct Summary {
    /// When the room said so, Unix ms.
    pub at_ms: u64,
    /// The room in numbers.
    pub report: Report,
    /// Goes up with each change of live values and with each reset.
    pub revision: u64,
}

/// What a room tells everybody of its draws: what the next one is bound to, and how the last one went.
#[derive(Debug, Serialize, Deserialize)]
pub struct DrawTold {
    /// The room's name as it stands in the file.
    pub room: String,
    /// What the next draw is bound to; `None` until a hall has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextDraw>,
    /// The last draw, with everything that is needed to repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastDraw>,
    /// The same for each lane: first those that left the list, then those of the list, the best first. Empty if the room has no lanes. The fields
    /// above are those of everybody's lane, the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<LaneDraws>,
}

/// See [`DrawTold`].
#[derive(Debug, Serialize, Deserialize)]
pub struct LaneDraws {
    /// The lane's name, as tokens say it.
    pub name: String,
    /// The lane's title, as people see it.
    pub title: String,
    /// As in [`DrawTold`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextDraw>,
    /// As in [`DrawTold`]; numbers count within the lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastDraw>,
}

/// See [`DrawTold`].
#[derive(Debug, Serialize, Deserialize)]
pub struct NextDraw {
    /// How the entries are drawn.
    pub draw: Draw,
    /// SHA-256 of the seed.
    pub commitment: Seed,
    /// When the draw will be, Unix ms; `None` if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens_at_ms: Option<u64>,
    /// The number of living entries.
    pub entries: u64,
}

/// See [`DrawTold`].
#[derive(Debug, Serialize, Deserialize)]
pub struct LastDraw {
    /// How the entries were drawn.
    pub draw: Draw,
    /// SHA-256 of the seed, as it was told before the draw.
    pub commitment: Seed,
    /// The seed.
    pub seed: Seed,
    /// The first number that the draw gave out, within its lane.
    pub first_number: u64,
    /// How many numbers the draw gave out.
    pub count: u64,
    /// The entries that took part: the first and the last of each run, counted from 1.
    pub entries: Vec<(u64, u64)>,
}

impl DrawTold {
    /// Collects what a room tells. O(lanes + runs of entries of their last draws).
    #[must_use]
    pub fn of(name: &str, room: &Room) -> Self {
        let everybody = room.lanes().lane(room.lanes().everybody());
        let (next, last) = draws(room, everybody);
        let mut lanes: Vec<(LaneId, &Lane)> = room.lanes().order().collect();
        sort_few(&mut lanes, |(_, a), (_, b)| a.is_listed().cmp(&b.is_listed()));
        let told = |(_, lane): (LaneId, &Lane)| {
            let config = lane.config()?;
            let (next, last) = draws(room, lane);
            let (name, title) = (config.name.to_string(), config.title.clone());
            Some(LaneDraws { name, title, next, last })
        };
        Self {
            room: name.to_owned(),
            next,
            last,
            lanes: lanes.into_iter().filter_map(told).collect(),
        }
    }
}

/// Returns what the next draw of a lane is bound to, and the lane's last draw.
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

/// The end of a room's hash chain, for everybody. Whoever notes it can check later that nothing before it was changed.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChainTold {
    /// The room's name as it stands in the file.
    pub room: String,
    /// When the room said so, Unix ms.
    pub at_ms: u64,
    /// The last row then; 0 if there was none.
    pub row: u64,
    /// The hash of that row, 64 hexadecimal digits.
    pub hash: String,
}

/// The order to change live values: all of them or none.
#[derive(Debug, Serialize, Deserialize)]
pub struct LiveChange {
    /// Who gives the order.
    pub by: String,
    /// The revision that the operator saw; `None` accepts any.
    pub expected: Option<u64>,
    /// The new values by key; `null` restores the file's value.
    pub body: Map<String, Value>,
}

/// The order to take back the last change, of live values or of the house.
#[derive(Debug, Serialize, Deserialize)]
pub struct Undo {
    /// Who gives the order.
    pub by: String,
    /// The revision that the operator saw.
    pub expected: u64,
}

/// The order to end a ticket.
#[derive(Debug, Serialize, Deserialize)]
pub struct Dismissal {
    /// Who gives the order.
    pub by: String,
    /// The ticket.
    pub number: Number,
}

/// The order to end an account's ticket.
#[derive(Debug, Serialize, Deserialize)]
pub struct AccountEnd {
    /// Who gives the order.
    pub by: String,
    /// The account.
    pub account: AccountId,
}

/// The order to give a lease back.
#[derive(Debug, Serialize, Deserialize)]
pub struct LeaseEnd {
    /// Who gives the order.
    pub by: String,
    /// The fence of the lease.
    pub fence: Fence,
}

/// The question for one page of a ticket's story.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoryPage {
    /// The ticket.
    pub number: Number,
    /// Where reading begins: a [`Mark`](tale::Mark) as text.
    pub from: String,
}

/// What the journal says of a ticket, and where the ticket stands now.
#[derive(Debug, Serialize)]
pub struct Story {
    /// The ticket.
    pub number: Number,
    /// Where it stands now: `none` (not issued), `waiting`, `away`, `called`, `admitted`, `over`.
    pub state: &'static str,
    /// The number of people ahead, if the ticket waits.
    pub ahead: Option<u64>,
    /// The first row that was looked at.
    pub first_row: u64,
    /// The last row that was looked at.
    pub last_row: u64,
    /// The number of rows that the journal has ever had.
    pub rows: u64,
    /// Whether rows before `first_row` are no longer kept, so that the beginning may be missing.
    pub cleared: bool,
    /// Where the next page begins; `None` if this is the last.
    pub next: Option<String>,
    /// What happened, in order.
    pub events: Vec<tale::Telling>,
}

/// The last hour of a room.
#[derive(Debug, Serialize)]
pub struct HourTold {
    /// The room's clock now, in the same milliseconds as the samples.
    pub now_ms: u64,
    /// One sample a minute, the oldest first.
    pub samples: Vec<Sample>,
}

/// The question for a page of a journal.
#[derive(Debug, Deserialize)]
pub struct JournalPage {
    /// Only rows after this one; 0 means from the first row.
    pub after: u64,
}

/// Sessions of the desk: each one's name, and when its cookie ends by itself, Unix ms.
#[derive(Debug, Deserialize, Serialize)]
pub struct Sessions(pub Vec<(String, u64)>);

/// What an operator wants with a picture, or with all.
#[derive(Debug, Deserialize, Serialize)]
pub struct PictureOrder {
    /// Who gives the order.
    pub by: String,
    /// The rooms in which whoever gives the order may act; empty means all.
    pub within: Vec<String>,
    /// The picture's name; empty for all pictures.
    #[serde(default)]
    pub image: String,
}

/// The house as the operator sees it.
#[derive(Debug, Serialize)]
pub struct HouseTold {
    /// Goes up with each change.
    pub revision: u64,
    /// What each room is, by name.
    pub rooms: Map<String, Value>,
    /// Rooms that are over and whose paths are released, by name, with the number of their generations.
    pub released: BTreeMap<String, u32>,
    /// What is laid over the keys of a room's page, by room of the house or of the file.
    pub brands: BTreeMap<String, Value>,
    /// What an undo would do, room by room, then operator by operator.
    pub undo: Vec<Value>,
    /// Who may operate, by name, without anything made of tokens. The front passes it on to owners only.
    pub operators: Map<String, Value>,
    /// The same of those whom the file names, and of the holder of the secret if it is set. Only a deploy changes them.
    pub operators_of_file: Map<String, Value>,
}

impl HouseTold {
    /// Collects what the house tells.
    #[must_use]
    pub fn of(house: &House, undo: &[HouseChange], persons: &[OperatorChange], of_file: &Operators) -> Self {
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
        let shown = |operator: &Operator| (operator.name.clone(), operator_shown(operator));
        let rooms = house.rooms().iter();
        let freed = rooms.filter(|(_, kept)| kept.stands == Stands::Freed);
        Self {
            revision: house.version(),
            rooms: filled(gated),
            released: filled(freed.map(|(name, kept)| (name.clone(), kept.generation))),
            brands: brands_of(house),
            undo: changes_told(undo, persons),
            operators: filled(operators),
            operators_of_file: filled(of_file.iter().map(shown)),
        }
    }
}

/// Returns what becomes of rooms and operators, in the form that operators read.
fn changes_told(rooms: &[HouseChange], persons: &[OperatorChange]) -> Vec<Value> {
    let rooms = rooms.iter().map(HouseChange::told);
    rooms.chain(persons.iter().map(OperatorChange::told)).collect()
}

/// What a change of the house would do.
#[derive(Debug, Serialize)]
pub struct HouseSteps {
    /// The revision that it would change.
    pub revision: u64,
    /// What it would do, room by room.
    pub changes: Vec<Value>,
    /// Why the house would refuse it, one line each. If empty, the house would make it, unless somebody has a place where none may be.
    pub problems: Vec<String>,
}

impl HouseSteps {
    /// Says that the change would be made.
    #[must_use]
    pub fn good(revision: u64, changes: &[HouseChange]) -> Self {
        Self {
            revision,
            changes: changes.iter().map(HouseChange::told).collect(),
            problems: Vec::new(),
        }
    }

    /// Says that the change would be refused.
    #[must_use]
    pub fn bad(revision: u64, problems: &[Problem]) -> Self {
        Self {
            revision,
            changes: Vec::new(),
            problems: problems.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The order to send dead letters of a webhook again.
#[derive(Debug, Serialize, Deserialize)]
pub struct Resend {
    /// The webhook's name.
    pub webhook: String,
    /// The id of the letter; `None` means all of them.
    pub id: Option<String>,
}

/// What a room has the outbox tell receivers that asked for this kind: whose turn comes while they are away.
#[derive(Debug, Serialize, Deserialize)]
pub struct Summons {
    /// The room's name.
    pub room: String,
    /// The kind.
    pub kind: Kind,
    /// The message's id.
    pub id: String,
    /// The message's body.
    pub body: String,
}

/// The order to try a webhook.
#[derive(Debug, Serialize, Deserialize)]
pub struct WebhookTest {
    /// The webhook's name.
    pub webhook: String,
}

/// The order to begin a new edition of a room.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reset {
    /// Who gives the order.
    pub by: String,
    /// The revision that the operator saw. A reset raises it, so one look cannot lead to two resets.
    pub expected: u64,
    /// Every ticket is over and nothing brings it back, so the operator names the room once more.
    pub body: Confirmation,
}

/// See [`Reset`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The room's name.
    pub room: String,
}

/// The order to make a sheet of vouchers. Its codes are hashed already.
#[derive(Debug, Serialize, Deserialize)]
pub struct SheetOrder {
    /// Who gives the order.
    pub by: String,
    /// The lane and the times for which its vouchers are good.
    pub terms: Terms,
    /// Its invitations or codes.
    pub new: NewSheet,
}

/// The order to withdraw a sheet.
#[derive(Debug, Serialize, Deserialize)]
pub struct SheetEnd {
    /// Who gives the order.
    pub by: String,
    /// The sheet.
    pub sheet: SheetId,
}

/// A sheet as the operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct SheetTold {
    /// The sheet.
    pub sheet: SheetId,
    /// The lane and the times for which its vouchers are good.
    #[serde(flatten)]
    pub terms: Terms,
    /// How many invitations or codes it has.
    #[serde(flatten)]
    pub slips: Slips,
    /// The number of places that it gives in all.
    pub uses: u64,
    /// The number of places that it has given in this edition.
    pub used: u64,
}

impl SheetTold {
    /// Collects what the room knows of a sheet.
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
