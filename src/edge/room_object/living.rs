//! A room in memory, where it is, and what its operator's wishes come to: judged against the file's table and the
//! values in force, before anything of the room changes.

use super::{broken, error};
use crate::edge::definition::Known;
use crate::edge::log::{self, Code, Remark};
use crate::edge::object::journal_page;
use crate::edge::orders::{ChainTold, LiveChange, Told, Undo};
use crate::edge::peers::Address;
use crate::edge::store::{Name, SqlStore};
use crate::edge::{config, dice};
use crate::facts::event::{Change, Event};
use crate::living::{Chance, LivingRoom, RoomOptions};
use crate::log::Part;
use crate::ordered::filled;
use crate::room::hall::Lots;
use crate::room::live::{Live, LiveValue};
use crate::room::ramp::Ramps;
use crate::room::report::Report;
use crate::settings::{
    RAMP_KEYS, RoomSettings, begun, in_force, name_in_file, parse_live, per_s, ramps,
};
use serde_json::{Map, Value};
use worker::{Env, Response, Result, State};

const DAY_MS: u64 = 86_400_000;

/// A room in memory, and where it is.
pub(super) struct Living {
    pub(super) name: String,
    pub(super) address: Address,
    /// Its table in the file or the house, over which live values are laid.
    table: Value,
    /// The row of the house that made it what it is; none: it stands in the file.
    pub(super) defined: Option<u64>,
    /// See [`RoomSettings::is_over`].
    is_over: bool,
    /// The house, if the room is one of its.
    pub(super) house: Option<Address>,
    pub(super) core: LivingRoom<SqlStore>,
    /// What the draws of its halls follow from.
    lots: Lots,
}

impl Living {
    /// A page of the journal: the rows after `after`.
    pub(super) fn journal(&self, after: u64) -> Result<Response> {
        journal_page::<Event>(self.core.journal().store(), &self.name, after)
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
        let mut undo = in_force(&self.table, &undone, now, tick_ms);
        undo.retain(|key, _| live.before.contains_key(key));
        Told {
            report,
            revision: live.revision,
            settings: in_force(&self.table, &values, now, tick_ms),
            changed: live.values.clone(),
            undo,
        }
    }

    /// What the operator's change comes to, or status and reason why it is refused.
    pub(super) fn judge(&self, wanted: &LiveChange) -> Judged {
        let live = self.core.room().live();
        self.is_unchanged_since(wanted.expected)?;
        let mut values = values_of(live);
        let mut changes = Vec::new();
        for (key, value) in &wanted.values {
            let value = self.begun(key, value).map_err(|why| (400, why))?;
            let text = (!value.is_null()).then(|| value.to_string());
            let known = live.values.get(key).map(|value| value.json.as_str());
            if known != text.as_deref() {
                changes.push((key.clone(), text));
            }
            values.insert(key.clone(), value);
        }
        self.judge_changes(&wanted.by, changes, values)
    }

    /// What taking the last change back comes to.
    pub(super) fn judge_undo(&self, wanted: &Undo) -> Judged {
        self.is_unchanged_since(Some(wanted.expected))?;
        let before = &self.core.room().live().before;
        if before.is_empty() {
            return Err((
                400,
                "nothing was changed yet that could be undone".to_owned(),
            ));
        }
        let mut values = values_of(self.core.room().live());
        for (key, value) in before {
            put(&mut values, key, value.as_deref());
        }
        let changes = before.clone().into_iter().collect();
        self.judge_changes(&wanted.by, changes, values)
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

    /// A ramp begins now, from what is in force unless it says otherwise.
    fn begun(&self, key: &str, value: &Value) -> std::result::Result<Value, String> {
        if !RAMP_KEYS.contains(&key) {
            return Ok(value.clone());
        }
        let config = self.core.room().config();
        let in_force = match key {
            "permits" => Value::from(config.permits),
            _ => per_s(config.admissions_milli_per_s),
        };
        let now = self.core.clock().now();
        begun(&self.name, key, value, &in_force, now).map_err(|problem| problem.to_string())
    }

    /// What these changes come to, which make `values` the live ones.
    fn judge_changes(&self, by: &str, changes: Vec<Change>, values: Map<String, Value>) -> Judged {
        if self.is_over {
            let why = "the room is archived: it stays closed, and nothing of it changes";
            return Err((400, why.to_owned()));
        }
        if let Some(why) = self.core.room().live().refuses(by, &changes) {
            return Err((400, why.to_owned()));
        }
        let ramps = ramps(&values);
        match parse_live(
            name_in_file(&self.name),
            &self.table,
            &Value::Object(values),
        ) {
            Ok(settings) => Ok((changes, options(&settings, ramps, self.lots.clone()))),
            Err(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                Err((400, lines.join("\n")))
            }
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
        // No live value opens a room that is over.
        let values = match settings.is_over {
            true => Map::new(),
            false => values_of(core.room().live()),
        };
        let ramps = ramps(&values);
        match parse_live(name_in_file(&name), &table, &Value::Object(values)) {
            Ok(in_force) => core.set_options(options(&in_force, ramps)),
            // A deploy may leave no room for a live value that was good: the file's are in force, and it is said.
            Err(problems) => {
                for problem in &problems {
                    log::say(&said(Code::LiveValueUnusable).because(problem));
                }
            }
        }
        let rows = core.room().version().0;
        log::say(&said(Code::RoomWoke).counting(rows));
        Ok(Self {
            name,
            address,
            table,
            house: house.filter(|_| settings.defined.is_some() && !settings.is_rehearsal()),
            defined: settings.defined,
            is_over: settings.is_over,
            core,
            lots,
        })
    }
}

/// What changes and what follows, or status and reason why nothing does.
pub(super) type Judged = std::result::Result<(Vec<Change>, RoomOptions), (u16, String)>;

/// Lays one live value over others; `None`: the file's.
fn put(values: &mut Map<String, Value>, key: &str, json: Option<&str>) {
    match json.and_then(|json| serde_json::from_str(json).ok()) {
        Some(value) => drop(values.insert(key.to_owned(), value)),
        None => drop(values.remove(key)),
    }
}

fn values_of(live: &Live) -> Map<String, Value> {
    let parsed = |(key, value): (&String, &LiveValue)| {
        Some((key.clone(), serde_json::from_str(&value.json).ok()?))
    };
    filled(live.values.iter().filter_map(parsed))
}

fn options(settings: &RoomSettings, ramps: Ramps, lots: Lots) -> RoomOptions {
    RoomOptions {
        config: settings.core.clone(),
        ramps,
        journal_keep_ms: u64::from(settings.journal_keep_days) * DAY_MS,
        lots,
    }
}
