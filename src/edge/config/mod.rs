//! The deployment: everything that the operator set, read from the environment once per isolate.
//!
//! The environment cannot change while an isolate lives, so the result is kept, good or bad. Baton never guesses around a bad configuration: it shuts
//! gated paths, and forwards only what no room was meant to gate.
//!
//! | file | what |
//! |---|---|
//! | `mod` | reads the deployment, keeps it and looks things up in it |
//! | `house` | adds the rooms and operators of the house to the file's |
//! | `salvage` | finds what a bad configuration still says |
//! | `secrets` | the secrets, and which of them are needed and not set |
//! | `bindings` | what the platform hands over, read raw |

mod bindings;
mod house;
mod salvage;
mod secrets;

pub use bindings::{secret, stay, webhook_stand_in};
pub use salvage::salvage;
pub use secrets::lacking;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value};
use worker::Env;

use self::house::{add_rooms, operators_of};
use self::secrets::Secrets;
use super::log::{self, Code, Remark};
use ::house::table::Table;
use facts::ordered::filled;
use gate::{Gate, Host, Room, Site};
use settings::{
    self, OriginHost, Origins, PassedHeaders, Problem, RoomSettings, Settings, SiteData, name_in_file, settings_of_rehearsal, table_of_rehearsal,
};
use token::{BypassSecret, EntryKeys, Keyring, Operator, Operators, OriginKey};

/// Turnstile's `siteverify`. In tests the variable `TURNSTILE_VERIFY_URL` replaces it.
const VERIFY_URL: &str = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

/// Where requests to one host are forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// To this scheme and host, asked under the name that [`OriginHost`] chooses.
    Url(&'a Site, OriginHost),
    /// To the service binding.
    Service,
    /// To where they were going anyway: the zone's own origin.
    Zone,
}

/// Where requests are forwarded, by host.
#[derive(Debug)]
pub struct Destinations {
    origins: Origins,
    /// Whether the origin is bound as a service.
    is_service: bool,
}

impl Destinations {
    fn new(env: &Env, origins: Origins) -> Self {
        let is_service = bindings::has_origin_service(env);
        Self { origins, is_service }
    }

    /// How long an origin may take to begin its answer to a GET or HEAD, ms.
    pub fn timeout_ms(&self) -> u64 {
        self.origins.timeout_ms
    }

    /// What becomes of the origin's `Clear-Site-Data`.
    pub fn site_data(&self) -> SiteData {
        self.origins.site_data
    }

    /// Which headers go on although their names would keep them back.
    pub fn headers(&self) -> &PassedHeaders {
        &self.origins.headers
    }

    /// Returns where requests to this host are forwarded.
    pub fn of(&self, host: &Host) -> Origin<'_> {
        match self.origins.of(host) {
            Some(site) => Origin::Url(site, self.origins.host),
            None if self.is_service => Origin::Service,
            None => Origin::Zone,
        }
    }
}

/// A valid configuration.
#[derive(Debug)]
pub struct Deployment {
    /// The settings of the file, with the rooms of the house if they were added.
    pub settings: Settings,
    /// Each room's table as the file or the house has it, over which live values are laid.
    pub tables: Map<String, Value>,
    /// The rooms, ready for matching.
    pub gate: Gate,
    /// The rehearsal of each room of the gate, in the gate's order. Each is made when it is first asked for.
    rehearsals: Vec<OnceCell<Option<Room>>>,
    /// The keys of Baton's own tokens.
    pub keyring: Keyring,
    /// The shop's keys, which sign entry tokens.
    pub entry_keys: EntryKeys,
    /// The secret with which monitors pass every room.
    pub bypass: Option<BypassSecret>,
    /// The key of the proof that tells the origin who came through.
    pub origin_key: Option<OriginKey>,
    /// Everybody who may operate.
    pub operators: Operators,
    /// The names of those operators who stand in the house, not in the file.
    pub of_house: BTreeSet<String>,
    /// The secret with which Baton identifies itself to the identity provider; `None` if the client id is enough.
    pub oidc_secret: Option<String>,
    /// How to ask Turnstile; `None` if its site key or its secret is not set.
    pub turnstile: Option<Turnstile>,
    /// Where requests are forwarded.
    pub destinations: Destinations,
}

impl Deployment {
    /// Returns the rehearsal of the room of this name; `None` if there is no such room, or its table allows no rehearsal. O(rooms).
    pub fn rehearsal(&self, name: &str) -> Option<&Room> {
        let mut rooms = self.gate.rooms().iter().zip(&self.rehearsals);
        let (room, rehearsal) = rooms.find(|(room, _)| room.settings.name == name)?;
        let rehearsal = rehearsal.get_or_init(|| rehearsal_for(room, self.tables.get(name)?));
        rehearsal.as_ref()
    }

    /// Returns the settings of the room that an object of this name serves: a room of the file, or a
    /// rehearsal. Addresses lead to rooms of the file only.
    pub fn room_of_object(&self, name: &str) -> Option<&RoomSettings> {
        let room = name_in_file(name);
        if room == name {
            return self.settings.room(room);
        }
        self.rehearsal(room).map(|rehearsal| &rehearsal.settings)
    }

    /// Returns the table over which the live values of that object's room are laid.
    pub fn table_of_object(&self, name: &str) -> Value {
        let room = name_in_file(name);
        let table = self.tables.get(room).cloned().unwrap_or_default();
        if room == name { table } else { table_of_rehearsal(&table) }
    }
}

/// Makes the rehearsal of a room with this table, at the same paths.
fn rehearsal_for(room: &Room, table: &Value) -> Option<Room> {
    let mut rehearsal = room.clone();
    rehearsal.settings = settings_of_rehearsal(&room.settings, table)?;
    Some(rehearsal)
}

/// How to ask Turnstile. Its `Debug` shows no secret.
pub struct Turnstile {
    /// The site key of the widget.
    pub site_key: String,
    /// The secret by which `siteverify` knows us.
    pub secret: String,
    /// The address of `siteverify`, or of its replacement in tests.
    pub verify_url: String,
}

impl std::fmt::Debug for Turnstile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turnstile").field("site_key", &self.site_key).finish_non_exhaustive()
    }
}

type Loaded = Result<Rc<Deployment>, Rc<Vec<Problem>>>;

thread_local! {
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
}

/// Returns the deployment, or everything that is wrong with it. Logs each problem once per isolate, when it is found.
///
/// # Errors
/// Every problem that [`settings::parse`] finds, and every problem of the secrets and bindings.
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

/// Returns the deployment with the rooms of the house beside those of the file, or `None` if the file is bad. O(rooms).
pub fn with_house(env: &Env, table: &Table) -> Option<Rc<Deployment>> {
    read(env, Some(table)).ok().map(Rc::new)
}

fn read(env: &Env, house: Option<&Table>) -> Result<Deployment, Vec<Problem>> {
    let secrets = Secrets::read(env);
    let mut problems = secrets.problems();
    let mut vars = Value::Object(bindings::read_vars(env));
    let parsed = settings::parse(&vars).map_err(|more| problems.extend(more));
    if let Ok(settings) = &parsed {
        problems.extend(unmet(env, settings, &secrets));
    }
    let entry_keys = secrets.entry_keys().unwrap_or_else(|more| {
        problems.extend(more);
        EntryKeys::default()
    });
    let mut tables = match vars.get_mut("ROOMS").map(Value::take) {
        Some(Value::Object(tables)) => tables,
        _ => Map::new(),
    };
    let mut of_house = Vec::new();
    let holder = secrets.admin.as_deref().and_then(Operator::of_secret);
    let parsed = parsed.map(|mut settings| {
        if let Some(house) = house {
            of_house = operators_of(&settings, holder.as_ref(), house);
            add_rooms(&mut settings, &mut tables, house);
        }
        settings
    });
    let gate = parsed.as_ref().ok().and_then(|settings| Gate::new(settings).ok());
    let keyring = secrets.keyring();
    match (parsed, gate, keyring) {
        (Ok(settings), Some(gate), Ok(keyring)) if problems.is_empty() => Ok(Deployment {
            destinations: Destinations::new(env, settings.origins.clone()),
            turnstile: turnstile_of(env, &settings, &secrets),
            oidc_secret: secrets.oidc.clone().filter(|secret| !secret.is_empty()),
            operators: Operators::new(secrets.admin.as_deref(), &[&settings.operators[..], &of_house].concat()),
            of_house: filled(of_house.into_iter().map(|operator| operator.name)),
            settings,
            rehearsals: vec![OnceCell::new(); gate.rooms().len()],
            tables,
            gate,
            keyring,
            entry_keys,
            bypass: secrets.bypass.as_deref().and_then(BypassSecret::new),
            origin_key: secrets.origin.as_deref().and_then(|secret| OriginKey::new(secret).ok()),
        }),
        _ => Err(problems),
    }
}

/// Returns what a good file needs and this deployment lacks: secrets and bindings.
fn unmet(env: &Env, settings: &Settings, secrets: &Secrets) -> Vec<Problem> {
    let has_house = bindings::is_bound(env, "HOUSE");
    let has_outbox = bindings::is_bound(env, "OUTBOX");
    let lacking = secrets.lacking(settings);
    lacking
        .chain(settings::check_binding(settings, has_house))
        .chain(settings::check_outbox(settings, has_outbox))
        .collect()
}

fn turnstile_of(env: &Env, settings: &Settings, secrets: &Secrets) -> Option<Turnstile> {
    let stand_in = bindings::text(env, "TURNSTILE_VERIFY_URL");
    Some(Turnstile {
        site_key: settings.turnstile_site_key.clone()?,
        secret: secrets.turnstile.clone()?,
        verify_url: stand_in.unwrap_or_else(|| VERIFY_URL.to_owned()),
    })
}
