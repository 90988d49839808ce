//! A room in memory, where it is, and what its operator's wishes come to: judged against the file's table and the
//! values in force, before anything of the room changes.

use super::{broken, error};
use crate::edge::actions_page::actions_page;
use crate::edge::definition::Known;
use crate::edge::journal_page::journal_page;
use crate::edge::log::{self, Code, Remark};
use crate::edge::orders::{ChainTold, LiveChange, Told, Undo};
use crate::edge::peers::Address;
use crate::edge::store::{Name, SqlStore};
use crate::edge::{config, dice};
use crate::facts::event::{Change, Event};
use crate::facts::units::Instant;
use crate::living::{Chance, LivingRoom, RoomOptions, StepJudge};
use crate::log::Part;
use crate::room::Room;
use crate::room::hall::Lots;
use crate::room::lanes::LaneReport;
use crate::room::ramp::Ramps;
use crate::room::report::Report;
use crate::settings::{
    Problem, RoomSettings, Sheet, Wanted, dropped, in_force, name_in_file, parse_live, put, ramps,
    values_of, why_kept,
};
use serde_json::{Map, Value};
use std::rc::Rc;
use worker::{Env, Response, Result, State};

const DAY_MS: u64 = 86_400_000;

/// A room in memory, and where it is.
pub(super) struct Living {
    pub(super) name: String,
    pub(super) address: Address,
    /// What its table and its live values lead to.
    desk: Rc<Desk>,
    /// The row of the house that made it what it is; none: it stands in the file.
    pub(super) defined: Option<u64>,
    /// The house, if the room is one of its.
    pub(super) house: Option<Address>,
    /// The outbox and what it knows this object as, if there are webhooks and this is no rehearsal.
    pub(super) outbox: Option<(Address, String)>,
    pub(super) core: LivingRoom<SqlStore>,
}

impl Living {
    /// A page of the journal: the rows after `after`.
    pub(super) fn journal(&self, after: u64) -> Result<Response> {
        journal_page::<Event>(self.core.journal().store(), &self.name, after)
    }

    /// A page of who did what.
    pub(super) fn actions(&self, order: &[u8]) -> Result<Response> {
        let order = core::str::from_utf8(order).unwrap_or_default();
        actions_page::<Event>(self.core.journal().store(), order)
    }

    /// How its chain stands.
    pub(super) fn chain(&self) -> ChainTold {
        let journal = self.core.journal();
        ChainTold {
            room: name_in_file(&self.name).to_owned(),
            at_ms: dice::now_ms(),
            row: journal.version(),
            hash: journal.hash().to_string(),
        }
    }

    /// The room as the operator sees it.
    pub(super) fn told(&self, report: Report) -> Told {
        let live = self.core.room().live();
        let values = values_of(live);
        let (now, tick_ms) = (self.core.clock().now(), self.core.room().config().tick_ms);
        let mut undone = values.clone();
        for (key, value) in &live.before {
            put(&mut undone, key, value.as_deref());
        }
        let mut undo = in_force(&self.desk.sheet.table, &undone, now, tick_ms);
        undo.retain(|key, _| live.before.contains_key(key));
        Told {
            report,
            revision: live.revision,
            settings: in_force(&self.desk.sheet.table, &values, now, tick_ms),
            changed: live.values.clone(),
            undo,
        }
    }

    /// What the operator's change comes to, or status and reason why it is refused.
    pub(super) fn judge(&self, wanted: &LiveChange) -> Judged {
        let room = self.core.room();
        self.is_unchanged_since(wanted.expected)?;
        let (live, now) = (room.live(), self.core.clock().now());
        let sheet = &self.desk.sheet;
        let judged = sheet.wanted(live, room.config(), now, &wanted.by, &wanted.values);
        self.desk.judged(room, now, judged)
    }

    /// What taking the last change back comes to.
    pub(super) fn judge_undo(&self, wanted: &Undo) -> Judged {
        self.is_unchanged_since(Some(wanted.expected))?;
        let (room, now) = (self.core.room(), self.core.clock().now());
        let undone = self.desk.sheet.undone(room.live(), &wanted.by);
        self.desk.judged(room, now, undone)
    }

    /// Whether the room is as the operator saw it last, if it was said; otherwise status and reason.
    pub(super) fn is_unchanged_since(
        &self,
        seen: Option<u64>,
    ) -> std::result::Result<(), (u16, String)> {
        let now = self.core.room().live().revision;
        match seen {
            Some(seen) if seen != now => {
                let why = format!("the room was changed meanwhile: revision {now}");
                Err((412, why))
            }
            _ => Ok(()),
        }
    }

    /// Brings a room into memory, with the live values in force that the file still has room for.
    pub(super) fn restore(
        state: &State,
        env: &Env,
        name: &str,
        alarm_ms: Option<u64>,
    ) -> Result<Self> {
        let stored = Name::open(state)?;
        let name = match stored.get("room")? {
            Some(stored) => stored,
            None if name.is_empty() => return Err(error("a room without a name was woken")),
            None => {
                stored.set("room", name)?;
                name.to_owned()
            }
        };
        let deployment = config::load(env).map_err(|_| error("the configuration is not valid"))?;
        let Known { settings, table } = Known::of(env, &stored, &name)?;
        let address = Address::of_room(&settings);
        let house = deployment.settings.grounds.as_ref().map(Address::of_house);
        let said = |code| Remark::of(Part::Room, code).in_room(&name);
        let lots = Lots::new(deployment.keyring.draw_keys(&name));
        let options = |settings: &RoomSettings, ramps| options(settings, ramps, lots.clone());
        let from_file = options(&settings, Ramps::default());
        let store = SqlStore::open(state, "room.write")?;
        let chance = Chance(dice::random_bytes()?);
        let core = LivingRoom::restore(store, from_file, chance, dice::now_ms(), alarm_ms);
        let mut core = core.map_err(broken)?;
        match with_live_values(&core, &settings, &table, &name) {
            Ok((in_force, ramps)) => core.set_options(options(&in_force, ramps)),
            // A deploy may leave no room for a live value that was good: the file's are in force, and it is said.
            Err(problems) => {
                for problem in &problems {
                    log::say(&said(Code::LiveValueUnusable).because(problem));
                }
            }
        }
        let desk = Rc::new(Desk {
            sheet: Sheet {
                name: name.clone(),
                table,
                is_over: settings.is_over,
            },
            lots,
        });
        core.set_judge(desk.clone());
        let rows = core.room().version().0;
        log::say(&said(Code::RoomWoke).counting(rows));
        let webhooks = &deployment.settings.webhooks;
        let is_told = !webhooks.is_empty() && !settings.is_rehearsal();
        let outbox = is_told.then(|| (Address::of_outbox(), address.object().1));
        Ok(Self {
            name,
            address,
            desk,
            house: house.filter(|_| settings.defined.is_some() && !settings.is_rehearsal()),
            defined: settings.defined,
            outbox,
            core,
        })
    }
}

/// The settings with the room's live values laid over them. No live value opens a room that is over.
fn with_live_values(
    core: &LivingRoom<SqlStore>,
    settings: &RoomSettings,
    table: &Value,
    name: &str,
) -> std::result::Result<(RoomSettings, Ramps), Vec<Problem>> {
    let values = match settings.is_over {
        true => Map::new(),
        false => values_of(core.room().live()),
    };
    let ramps = ramps(&values);
    let settings = parse_live(name_in_file(name), table, &Value::Object(values))?;
    Ok((settings, ramps))
}

/// What changes and what follows, or status and reason why nothing does.
pub(super) type Judged = std::result::Result<(Vec<Change>, RoomOptions), (u16, String)>;

/// What changes of values lead to: for operators, and for the schedule.
#[derive(Debug)]
struct Desk {
    sheet: Sheet,
    /// What the draws of the room's halls follow from.
    lots: Lots,
}

impl Desk {
    fn options(&self, wanted: &Wanted) -> RoomOptions {
        options(&wanted.settings, wanted.ramps, self.lots.clone())
    }

    fn judged(
        &self,
        room: &Room,
        now: Instant,
        wanted: core::result::Result<Wanted, String>,
    ) -> Judged {
        let wanted = wanted.map_err(|why| (400, why))?;
        keeps_lanes(room, now, &wanted).map_err(|why| (409, why))?;
        let options = self.options(&wanted);
        Ok((wanted.changes, options))
    }
}

impl StepJudge for Desk {
    fn judge(
        &self,
        room: &Room,
        _: &RoomOptions,
        now: Instant,
        set: &[Change],
    ) -> core::result::Result<(Vec<Change>, RoomOptions), String> {
        let wanted = self.sheet.step(room.live(), room.config(), now, set)?;
        keeps_lanes(room, now, &wanted)?;
        let options = self.options(&wanted);
        Ok((wanted.changes, options))
    }
}

/// Whether no lane goes in which somebody has a place; else why not.
fn keeps_lanes(room: &Room, now: Instant, wanted: &Wanted) -> core::result::Result<(), String> {
    let lanes = room.lane_reports(now);
    let listed = lanes.iter().filter(|lane| lane.is_listed);
    let have: Vec<(&str, u64)> = listed.map(LaneReport::living).collect();
    dropped(&have, &wanted.settings.core.lanes).map_or(Ok(()), |lane| Err(why_kept(lane)))
}

fn options(settings: &RoomSettings, ramps: Ramps, lots: Lots) -> RoomOptions {
    RoomOptions {
        config: settings.core.clone(),
        ramps,
        journal_keep_ms: u64::from(settings.journal_keep_days) * DAY_MS,
        lots,
    }
}
