//! A room in memory and its address, and what operators' changes of it come to: each is judged against the room's table and
//! the values in force, before anything of the room changes.

use super::{broken, error, summon};
use crate::actions_page::actions_page;
use crate::definition::Known;
use crate::journal_page::journal_page;
use crate::log::{self, Code, Remark};
use crate::orders::{ChainTold, ChangedTold, LiveChange, RoomTold, Undo};
use crate::peers::Address;
use crate::store::{Name, SqlStore};
use crate::{config, dice};
use facts::event::{Change, Event};
use facts::log::Part;
use facts::ordered::filled;
use facts::units::{Fence, Instant};
use futures_channel::oneshot;
use gate::ErrorCode;
use living::{Chance, LivingRoom, RoomOptions, StepJudge};
use room::Room;
use room::absent::Absent;
use room::hall::Lots;
use room::lanes::LaneReport;
use room::live::LiveValue;
use room::ramp::Ramps;
use room::report::Report;
use settings::{LiveTable, RoomSettings, Wanted, dropped, in_force, name_in_file, put, why_kept};
use std::rc::Rc;
use worker::{Env, Response, Result, State};

const DAY_MS: u64 = 86_400_000;

/// A room in memory, and its address.
pub(super) struct Living {
    pub(super) name: String,
    pub(super) address: Address,
    paths: Vec<String>,
    hosts: Vec<String>,
    lobbies: u16,
    /// Says what changes of the room's values lead to.
    judge: Rc<ValueJudge>,
    /// The row of the house that made the room what it is; `None` if the room stands in the file.
    pub(super) defined: Option<u64>,
    /// The house, if it defined the room and this is no rehearsal.
    pub(super) house: Option<Address>,
    /// The outbox, and the name by which it knows this object; `None` if there are no webhooks or this is a rehearsal.
    pub(super) outbox: Option<(Address, String)>,
    pub(super) core: LivingRoom<SqlStore>,
    /// Whose turn comes while they are away; `None` if no webhook asks for it.
    pub(super) absent: Option<Absent>,
    /// The timer that is set. Dropping this cancels it.
    pub(super) timer: Option<oneshot::Sender<()>>,
}

impl Living {
    /// Answers with a page of the journal: the rows after `after`.
    pub(super) fn journal(&self, after: u64) -> Result<Response> {
        journal_page::<Event>(self.core.journal().store(), &self.name, after)
    }

    /// Answers with a page of who did what.
    pub(super) fn actions(&self, order: &[u8]) -> Result<Response> {
        let order = core::str::from_utf8(order).unwrap_or_default();
        actions_page::<Event>(self.core.journal().store(), order)
    }

    /// Returns the end of the room's hash chain.
    pub(super) fn chain(&self) -> ChainTold {
        let journal = self.core.journal();
        ChainTold {
            room: name_in_file(&self.name).to_owned(),
            at_ms: dice::now_ms(),
            row: journal.version(),
            hash: journal.hash().to_string(),
        }
    }

    /// Returns the room as the operator sees it.
    pub(super) fn told(&self, report: Report) -> RoomTold {
        let live = self.core.room().live();
        let values = self.judge.table.usable(live).0;
        let (now, tick_ms) = (self.core.clock().now(), self.core.room().config().tick_ms);
        let mut undone = values.clone();
        put(&mut undone, &live.before);
        let mut undo = in_force(&self.judge.table.table, &undone, now, tick_ms);
        undo.retain(|name, _| live.before.iter().any(|change| change.key().name() == name));
        let of = |value: &LiveValue| ChangedTold {
            by: value.by.clone(),
            at_ms: value.at,
        };
        let changed = live.values.iter();
        RoomTold {
            room: name_in_file(&self.name).to_owned(),
            paths: self.paths.clone(),
            hosts: self.hosts.clone(),
            of_house: self.defined.is_some(),
            lobbies: self.lobbies,
            report,
            revision: live.revision,
            settings: in_force(&self.judge.table.table, &values, now, tick_ms),
            changed: filled(changed.map(|(key, value)| (key.name().to_owned(), of(value)))),
            undo,
        }
    }

    /// Who says what changes of the room's values lead to.
    pub(super) fn judge(&self) -> Rc<ValueJudge> {
        Rc::clone(&self.judge)
    }

    /// Brings a room into memory, with those of its live values in force that its table still allows.
    pub(super) fn restore(state: &State, env: &Env, name: &str, alarm_ms: Option<u64>) -> Result<Self> {
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
        // Rows of a room made anew count from 1 again, and seeds follow from rows: whoever saw one told must not know the next room's.
        let lots = Lots::new(deployment.keyring.draw_keys(&settings.home.bound(&name)));
        let options = |settings: &RoomSettings, ramps| options(settings, ramps, lots.clone());
        let from_file = options(&settings, Ramps::default());
        let store = SqlStore::open(state, "room.write")?;
        let chance = Chance(dice::random_bytes()?);
        let core = LivingRoom::restore(store, from_file, chance, dice::now_ms(), alarm_ms);
        let mut core = core.map_err(broken)?;
        let table = LiveTable::new(settings.clone(), table);
        let (values, problems) = table.usable(core.room().live());
        if let Ok(in_force) = table.laid(&values) {
            core.set_options(options(&in_force, Ramps::of(values.values())));
        }
        for problem in &problems {
            log::say(&said(Code::LiveValueUnusable).because(problem));
        }
        let judge = Rc::new(ValueJudge { table, lots });
        core.set_judge(judge.clone());
        core.set_stay(config::stay(env));
        core.follow(Fence(dice::now_ms()), settings.home.first_edition());
        log::say(&said(Code::RoomWoke).counting(core.room().version().0));
        let webhooks = &deployment.settings.webhooks;
        let is_told = !webhooks.is_empty() && !settings.is_rehearsal();
        let outbox = is_told.then(|| (Address::of_outbox(), address.object().1));
        Ok(Self {
            name,
            address,
            paths: settings.paths.clone(),
            hosts: settings.hosts.clone(),
            lobbies: settings.lobbies(),
            judge,
            house: house.filter(|_| settings.defined.is_some() && !settings.is_rehearsal()),
            defined: settings.defined,
            outbox,
            absent: summon::following(state, webhooks, &settings, core.room())?,
            core,
            timer: None,
        })
    }
}

/// What changes and the options that follow, or code and reason of a refusal.
pub(super) type Judged = std::result::Result<(Vec<Change>, RoomOptions), (ErrorCode, String)>;

/// Says what changes of values lead to, for operators and for the schedule.
#[derive(Debug)]
pub(super) struct ValueJudge {
    table: LiveTable,
    /// The keys from which the room's draws follow.
    lots: Lots,
}

/// Checks that a room is as the operator last saw it, if the order says so. The error is code and reason.
pub(super) fn unchanged(room: &Room, seen: Option<u64>) -> core::result::Result<(), (ErrorCode, String)> {
    let now = room.live().revision;
    match seen {
        Some(seen) if seen != now => {
            let why = format!("the room was changed meanwhile: revision {now}");
            Err((ErrorCode::PreconditionFailed, why))
        }
        _ => Ok(()),
    }
}

impl ValueJudge {
    /// Says what an operator's change leads to, or the code and reason of a refusal.
    pub(super) fn change(&self, room: &Room, now: Instant, wanted: &LiveChange) -> Judged {
        unchanged(room, wanted.expected)?;
        let (live, config) = (room.live(), room.config());
        let judged = (self.table).wanted(live, config, now, &wanted.by, &wanted.body);
        self.judged(room, now, judged)
    }

    /// Says what taking the last change back leads to.
    pub(super) fn undo(&self, room: &Room, now: Instant, wanted: &Undo) -> Judged {
        unchanged(room, Some(wanted.expected))?;
        self.judged(room, now, self.table.undone(room.live(), &wanted.by))
    }

    fn options(&self, wanted: &Wanted) -> RoomOptions {
        options(&wanted.settings, wanted.ramps, self.lots.clone())
    }

    fn judged(&self, room: &Room, now: Instant, wanted: core::result::Result<Wanted, String>) -> Judged {
        let wanted = wanted.map_err(|why| (ErrorCode::BadRequest, why))?;
        keeps_lanes(room, now, &wanted).map_err(|why| (ErrorCode::RoomInUse, why))?;
        let options = self.options(&wanted);
        Ok((wanted.changes, options))
    }
}

impl StepJudge for ValueJudge {
    fn judge(&self, room: &Room, _: &RoomOptions, now: Instant, set: &[Change]) -> core::result::Result<(Vec<Change>, RoomOptions), String> {
        let wanted = self.table.step(room.live(), room.config(), now, set)?;
        keeps_lanes(room, now, &wanted)?;
        let options = self.options(&wanted);
        Ok((wanted.changes, options))
    }
}

/// Refuses a change that removes a lane in which somebody has a place.
fn keeps_lanes(room: &Room, now: Instant, wanted: &Wanted) -> core::result::Result<(), String> {
    let lanes = room.lanes().reports(now, room.config().mode);
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
