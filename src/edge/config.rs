//! The deployment: everything that the operator set, read from the environment once in each isolate.
//!
//! The environment does not change while an isolate lives, so what was read is kept, good or bad. A bad
//! configuration is never guessed around: gated paths are shut, and only what nobody asked to gate goes on.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use worker::Env;

use super::log::{self, Code, Remark};
use crate::gate::{Gate, Host, Room, Site};
use crate::house::table::Table;
use crate::ordered::filled;
use crate::settings::{
    self, OriginHost, Origins, Problem, RoomSettings, Settings, Severity, name_in_file,
    settings_of_rehearsal, table_of_rehearsal,
};
use crate::token::{BypassSecret, EntryKeys, Keyring, Operator, Operators, OriginKey};

/// The name of the origin, as a plain variable or as a service binding.
const ORIGIN: &str = "ORIGIN";
/// Where `entry.js` leaves what was bundled with the code.
const SETTINGS: &str = "__baton_settings";
/// The platform's `siteverify`. The variable `TURNSTILE_VERIFY_URL` stands in for it in tests.
const VERIFY_URL: &str = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

/// Where requests to one host go on to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// To this scheme and host, under that name.
    Url(&'a Site, OriginHost),
    /// To the service binding.
    Service,
    /// To where they were going: the zone's own origin.
    Zone,
}

/// Where requests go on to.
#[derive(Debug)]
pub struct Destinations {
    origins: Origins,
    /// Whether there is a service binding.
    is_service: bool,
}

impl Destinations {
    fn new(env: &Env, origins: Origins) -> Self {
        let is_service = binding(env, ORIGIN).is_some_and(|value| is_fetcher(&value));
        Self {
            origins,
            is_service,
        }
    }

    /// How long an origin may take to begin its answer to a GET or HEAD.
    pub fn timeout_ms(&self) -> u64 {
        self.origins.timeout_ms
    }

    /// Where requests to this host go on to.
    pub fn of(&self, host: &Host) -> Origin<'_> {
        match self.origins.of(host) {
            Some(site) => Origin::Url(site, self.origins.host),
            None if self.is_service => Origin::Service,
            None => Origin::Zone,
        }
    }
}

/// A good configuration.
#[derive(Debug)]
pub struct Deployment {
    /// What the file says.
    pub settings: Settings,
    /// The rooms' tables as they stand in the file, for live values to be laid over.
    pub tables: Map<String, Value>,
    /// The rooms, ready for matching.
    pub gate: Gate,
    /// For each room of the gate, in its order, the one in which one rehearses for it: made when it is first asked for.
    rehearsals: Vec<OnceCell<Option<Room>>>,
    /// The keys of Baton's tokens.
    pub keyring: Keyring,
    /// The shop's keys, by which it signs who may come.
    pub entry_keys: EntryKeys,
    /// By which monitors pass every room.
    pub bypass: Option<BypassSecret>,
    /// The key that proves to the origin who came through.
    pub origin_key: Option<OriginKey>,
    /// Who may operate.
    pub operators: Operators,
    /// Those of them whom only the house knows, by name.
    pub of_house: BTreeSet<String>,
    /// By which the identity provider knows Baton, if it wants more than the name.
    pub oidc_secret: Option<String>,
    /// How Turnstile is asked, where a room uses it.
    pub turnstile: Option<Turnstile>,
    /// Where requests go on to.
    pub destinations: Destinations,
}

impl Deployment {
    /// The room in which one rehearses for the room of this name. O(rooms).
    pub fn rehearsal(&self, name: &str) -> Option<&Room> {
        let mut rooms = self.gate.rooms().iter().zip(&self.rehearsals);
        let (room, rehearsal) = rooms.find(|(room, _)| room.settings.name == name)?;
        let rehearsal = rehearsal.get_or_init(|| rehearsal_for(room, self.tables.get(name)?));
        rehearsal.as_ref()
    }

    /// The room that an object is: of the file, or one in which one rehearses. Addresses lead to rooms of the file only.
    pub fn room_of_object(&self, name: &str) -> Option<&RoomSettings> {
        let room = name_in_file(name);
        if room == name {
            return self.settings.room(room);
        }
        self.rehearsal(room).map(|rehearsal| &rehearsal.settings)
    }

    /// The table over which the live values of that room are laid.
    pub fn table_of_object(&self, name: &str) -> Value {
        let room = name_in_file(name);
        let table = self.tables.get(room).cloned().unwrap_or_default();
        if room == name {
            table
        } else {
            table_of_rehearsal(&table)
        }
    }
}

/// The room in which one rehearses for a room with this table, at the same paths.
fn rehearsal_for(room: &Room, table: &Value) -> Option<Room> {
    let mut rehearsal = room.clone();
    rehearsal.settings = settings_of_rehearsal(&room.settings, table)?;
    Some(rehearsal)
}

/// How Turnstile is asked. `Debug` shows no secret.
pub struct Turnstile {
    /// The widget's key.
    pub site_key: String,
    /// What `siteverify` knows us by.
    pub secret: String,
    /// `siteverify`, or what stands in for it in tests.
    pub verify_url: String,
}

impl std::fmt::Debug for Turnstile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turnstile")
            .field("site_key", &self.site_key)
            .finish_non_exhaustive()
    }
}

/// What can still be said of a bad configuration.
#[derive(Debug)]
pub struct Salvage {
    /// The rooms, for shutting them; of their settings only paths and hosts mean anything. None: everything is shut.
    pub gate: Option<Gate>,
    /// Where ungated requests go on to; none if that is what is wrong.
    pub destinations: Option<Destinations>,
}

type Loaded = Result<Rc<Deployment>, Rc<Vec<Problem>>>;

thread_local! {
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
    static SALVAGED: RefCell<Option<Rc<Salvage>>> = const { RefCell::new(None) };
}

/// The deployment, or everything that is wrong with it. Problems are logged when they are found, once an isolate.
///
/// # Errors
/// Every problem that [`settings::parse`] and the secrets' lengths show.
pub fn load(env: &Env) -> Loaded {
    if let Some(loaded) = LOADED.with_borrow(Clone::clone) {
        return loaded;
    }
    let loaded = read(env, None).map(Rc::new).map_err(|problems| {
        for problem in &problems {
            log::say(&Remark::front(Code::ConfigBad).because(problem));
        }
        Rc::new(problems)
    });
    LOADED.set(Some(loaded.clone()));
    loaded
}

/// The deployment with the rooms of the house beside those of the file; none: the file is bad. O(rooms).
pub fn with_house(env: &Env, table: &Table) -> Option<Rc<Deployment>> {
    read(env, Some(table)).ok().map(Rc::new)
}

/// Adds the rooms of the house. One that cannot be a room beside this file, because a deploy has taken its name or its ground, is shut:
/// a room of a name that no object has.
fn add_house(settings: &mut Settings, tables: &mut Map<String, Value>, house: &Table) {
    let Some(grounds) = settings.grounds.clone() else {
        return;
    };
    let file = settings.rooms.clone();
    for (at, (name, definition)) in house.rooms.iter().enumerate() {
        match settings::parse_definition(&file, &grounds, name, definition) {
            Ok(room) => {
                tables.insert(name.clone(), definition.in_force());
                settings.rooms.push(room);
            }
            Err(problems) => {
                for problem in &problems {
                    let remark = Remark::front(Code::HouseRoomBad).in_room(name);
                    log::say(&remark.because(problem));
                }
                let shut = salvage_room(at, &definition.table);
                settings.rooms.extend(shut.map(|room| RoomSettings {
                    name: format!("{name}!"),
                    ..room
                }));
            }
        }
    }
    let rooms = &mut settings.rooms;
    rooms.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    for room in rooms {
        // One that was good when it was made and is none of this version leaves the page as the table has it.
        let brand = house.brands.get(&room.name);
        if let Some(Ok(brand)) = brand.map(|brand| settings::parse_brand(&room.name, brand)) {
            brand.lay_over(&mut room.page);
        }
    }
}

/// The operators of the house. One who cannot be beside this file, because a deploy has taken the name, is none.
fn operators_of(file: &Settings, house: &Table) -> Vec<Operator> {
    let (operators, problems) = settings::house_operators(file, &house.operators);
    for problem in &problems {
        log::say(&Remark::front(Code::HouseOperatorBad).because(problem));
    }
    operators
}

/// What is left of a bad configuration. A room of which no path can be read counts as gating everything: what it
/// was to protect is not known. Without rooms nothing is gated.
pub fn salvage(env: &Env) -> Rc<Salvage> {
    if let Some(salvaged) = SALVAGED.with_borrow(Clone::clone) {
        return salvaged;
    }
    let vars = read_vars(env);
    let rooms = vars.get("ROOMS").and_then(Value::as_object);
    let rooms = rooms.into_iter().flat_map(Map::values).enumerate();
    let mut rooms: Vec<_> = rooms
        .filter_map(|(at, room)| salvage_room(at, room))
        .collect();
    rooms.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let salvaged = Rc::new(Salvage {
        gate: Gate::new(&Settings {
            origins: Origins::default(),
            turnstile_site_key: None,
            operators: Vec::new(),
            access: None,
            oidc: None,
            grounds: None,
            webhooks: Vec::new(),
            rooms,
        })
        .ok(),
        destinations: settings::parse_origins(&vars)
            .ok()
            .map(|origins| Destinations::new(env, origins)),
    });
    SALVAGED.set(Some(Rc::clone(&salvaged)));
    salvaged
}

fn read(env: &Env, house: Option<&Table>) -> Result<Deployment, Vec<Problem>> {
    let secrets = Secrets::read(env);
    let mut problems = settings::check_secrets(&secrets.lengths());
    for warning in problems
        .iter()
        .filter(|problem| problem.severity == Severity::Warning)
    {
        log::say(&Remark::front(Code::ConfigDoubtful).because(warning));
    }
    problems.retain(|problem| problem.severity == Severity::Error);
    let mut vars = Value::Object(read_vars(env));
    let parsed = settings::parse(&vars).map_err(|more| problems.extend(more));
    if let Ok(settings) = &parsed {
        problems.extend(secrets.lacking(settings));
        problems.extend(settings::check_binding(
            settings,
            binding(env, "HOUSE").is_some(),
        ));
        let is_bound = binding(env, "OUTBOX").is_some();
        problems.extend(settings::check_outbox(settings, is_bound));
    }
    let entry_keys = settings::check_entry_keys(secrets.entry.as_deref().unwrap_or_default());
    let entry_keys = entry_keys.unwrap_or_else(|more| {
        problems.extend(more);
        EntryKeys::default()
    });
    let mut tables = match vars.get_mut("ROOMS").map(Value::take) {
        Some(Value::Object(tables)) => tables,
        _ => Map::new(),
    };
    let mut of_house = Vec::new();
    let parsed = parsed.map(|mut settings| {
        if let Some(house) = house {
            of_house = operators_of(&settings, house);
            add_house(&mut settings, &mut tables, house);
        }
        settings
    });
    let gate = parsed
        .as_ref()
        .ok()
        .and_then(|settings| Gate::new(settings).ok());
    let keyring = Keyring::from_secrets(secrets.current.as_deref(), secrets.previous.as_deref())
        .and_then(|keyring| keyring.with_next(secrets.next.as_deref()));
    match (parsed, gate, keyring) {
        (Ok(settings), Some(gate), Ok(keyring)) if problems.is_empty() => Ok(Deployment {
            destinations: Destinations::new(env, settings.origins.clone()),
            turnstile: turnstile_of(env, &settings, &secrets),
            oidc_secret: secrets.oidc.clone().filter(|secret| !secret.is_empty()),
            operators: Operators::new(
                secrets.admin.as_deref(),
                &[&settings.operators[..], &of_house].concat(),
            ),
            of_house: filled(of_house.into_iter().map(|operator| operator.name)),
            settings,
            rehearsals: vec![OnceCell::new(); gate.rooms().len()],
            tables,
            gate,
            keyring,
            entry_keys,
            bypass: secrets.bypass.as_deref().and_then(BypassSecret::new),
            origin_key: secrets
                .origin
                .as_deref()
                .and_then(|secret| OriginKey::new(secret).ok()),
        }),
        _ => Err(problems),
    }
}

/// Whether `BATON_ADMIN_TOKEN` is set: then somebody is left who may do everything.
pub fn has_admin_token(env: &Env) -> bool {
    let secret = binding(env, "BATON_ADMIN_TOKEN").and_then(|value| value.as_string());
    secret.is_some_and(|secret| !secret.is_empty())
}

/// What rooms of the house need of this deployment and is not set.
pub fn lacking(env: &Env, file: &Settings, rooms: Vec<RoomSettings>) -> Vec<Problem> {
    let settings = Settings {
        rooms,
        ..file.clone()
    };
    Secrets::read(env).lacking(&settings).collect()
}

/// The secrets. Nothing ever prints them.
struct Secrets {
    current: Option<String>,
    previous: Option<String>,
    next: Option<String>,
    origin: Option<String>,
    admin: Option<String>,
    turnstile: Option<String>,
    entry: Option<String>,
    oidc: Option<String>,
    bypass: Option<String>,
}

impl Secrets {
    fn read(env: &Env) -> Self {
        let text = |name| binding(env, name).and_then(|value| value.as_string());
        Self {
            current: text("BATON_SECRET"),
            previous: text("BATON_SECRET_PREVIOUS"),
            next: text("BATON_SECRET_NEXT"),
            origin: text("ORIGIN_SECRET"),
            admin: text("BATON_ADMIN_TOKEN"),
            turnstile: text("TURNSTILE_SECRET"),
            entry: text("ENTRY_KEYS"),
            oidc: text("OIDC_CLIENT_SECRET"),
            bypass: text("BYPASS_SECRET"),
        }
    }

    /// What these rooms need and is not set.
    fn lacking(&self, settings: &Settings) -> impl Iterator<Item = Problem> {
        let bytes = |secret: &Option<String>| secret.as_ref().map_or(0, String::len);
        let turnstile = settings::check_turnstile(settings, bytes(&self.turnstile));
        let stock_line = settings::check_stock_line(settings, bytes(&self.origin));
        turnstile.into_iter().chain(stock_line)
    }

    fn lengths(&self) -> Map<String, Value> {
        let length = |secret: &Option<String>| Value::from(secret.as_ref().map_or(0, String::len));
        let secrets = [
            ("BATON_SECRET", &self.current),
            ("BATON_SECRET_PREVIOUS", &self.previous),
            ("BATON_SECRET_NEXT", &self.next),
            ("ORIGIN_SECRET", &self.origin),
            ("BATON_ADMIN_TOKEN", &self.admin),
            ("TURNSTILE_SECRET", &self.turnstile),
            ("ENTRY_KEYS", &self.entry),
            ("OIDC_CLIENT_SECRET", &self.oidc),
            ("BYPASS_SECRET", &self.bypass),
        ];
        filled(secrets.map(|(name, secret)| (name.to_owned(), length(secret))))
    }
}

fn turnstile_of(env: &Env, settings: &Settings, secrets: &Secrets) -> Option<Turnstile> {
    let stand_in = binding(env, "TURNSTILE_VERIFY_URL").and_then(|url| url.as_string());
    Some(Turnstile {
        site_key: settings.turnstile_site_key.clone()?,
        secret: secrets.turnstile.clone()?,
        verify_url: stand_in.unwrap_or_else(|| VERIFY_URL.to_owned()),
    })
}

/// The variables that the schema knows. `ORIGIN` is one as text or as a table, and none as a service binding.
fn read_vars(env: &Env) -> Map<String, Value> {
    let mut vars = Map::new();
    let origin = binding(env, ORIGIN).filter(|value| !is_fetcher(value));
    if let Some(origin) = origin.and_then(|value| to_json(&value)) {
        vars.insert(ORIGIN.to_owned(), origin);
    }
    if let Some(key) = binding(env, "TURNSTILE_SITE_KEY").and_then(|value| value.as_string()) {
        vars.insert("TURNSTILE_SITE_KEY".to_owned(), Value::from(key));
    }
    for name in [
        "ACCESS",
        "GROUNDS",
        "OIDC",
        "OPERATORS",
        "ORIGIN_HOST",
        "ORIGIN_TIMEOUT_S",
        "ROOMS",
        "WEBHOOKS",
    ] {
        let table = binding(env, name).or_else(|| bundled(name));
        if let Some(table) = table.and_then(|value| to_json(&value)) {
            vars.insert(name.to_owned(), table);
        }
    }
    vars
}

fn binding(env: &Env, name: &str) -> Option<JsValue> {
    let value = js_sys::Reflect::get(env, &JsValue::from(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// What a deploy put beside the code, because a variable takes 5 KB and no more; `entry.js` hands it over.
fn bundled(name: &str) -> Option<JsValue> {
    let settings = js_sys::Reflect::get(&js_sys::global(), &JsValue::from(SETTINGS)).ok()?;
    let value = js_sys::Reflect::get(&settings, &JsValue::from(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

fn to_json(value: &JsValue) -> Option<Value> {
    let text = String::from(js_sys::JSON::stringify(value).ok()?);
    serde_json::from_str(&text).ok()
}

/// A secret of this name, if it is set. Nothing ever prints it.
pub fn secret(env: &Env, name: &str) -> Option<String> {
    binding(env, name).and_then(|value| value.as_string())
}

/// The variable `WEBHOOK_STAND_IN` stands in for every webhook's host in tests, on this machine alone: where a message to this address
/// goes then.
pub fn webhook_stand_in(env: &Env, url: &str) -> Option<String> {
    let base = binding(env, "WEBHOOK_STAND_IN")?.as_string()?;
    let path = url.strip_prefix("https://")?;
    base.starts_with("http://127.0.0.1:")
        .then(|| format!("{base}/{path}"))
}

/// A binding that takes requests, and no table of the settings.
fn is_fetcher(value: &JsValue) -> bool {
    let fetch = js_sys::Reflect::get(value, &JsValue::from("fetch"));
    value.is_object() && fetch.is_ok_and(|fetch| fetch.is_function())
}

/// A room with its paths and hosts, and nothing else of it. What cannot be read is read wider, never narrower.
fn salvage_room(at: usize, room: &Value) -> Option<settings::RoomSettings> {
    let name = format!("salvaged-{at}");
    let parse = |paths: &[String], hosts: &[String]| {
        let table = json!({ "permits": 0, "paths": paths, "hosts": hosts });
        settings::parse_room(&name, &table).ok()
    };
    let texts = |key: &str| -> Option<Vec<String>> {
        let list = room.get(key)?.as_array()?;
        list.iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect()
    };
    let everything = || vec!["/*".to_owned()];
    let widest_readable = |path: String| {
        let literal = path.split('*').next().unwrap_or_default();
        let wider = [path.clone(), format!("{literal}*")];
        wider
            .into_iter()
            .find(|path| parse(std::slice::from_ref(path), &[]).is_some())
    };
    let paths = texts("paths").and_then(|paths| paths.into_iter().map(widest_readable).collect());
    let mut paths: Vec<String> = paths
        .filter(|paths: &Vec<_>| !paths.is_empty())
        .unwrap_or_else(everything);
    paths.sort_unstable();
    paths.dedup();
    let hosts = texts("hosts").unwrap_or_default();
    parse(&paths, &hosts)
        .or_else(|| parse(&paths, &[]))
        .or_else(|| parse(&everything(), &[]))
}
