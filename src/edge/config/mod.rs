//! The deployment: everything that the operator set, read from the environment once in each isolate.
//!
//! The environment does not change while an isolate lives, so what was read is kept, good or bad. A bad
//! configuration is never guessed around: gated paths are shut, and only what nobody asked to gate goes on.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the deployment: read, kept, looked at |
//! | `house` | the rooms and operators of the house, beside the file's |
//! | `salvage` | what can still be said of a bad configuration |
//! | `secrets` | the secrets, and what is not set of them |
//! | `bindings` | what the platform hands over, read raw |

mod bindings;
mod house;
mod salvage;
mod secrets;

pub use bindings::{secret, webhook_stand_in};
pub use salvage::salvage;
pub use secrets::{has_admin_token, lacking};

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value};
use worker::Env;

use self::house::{add_rooms, operators_of};
use self::secrets::Secrets;
use super::log::{self, Code, Remark};
use crate::gate::{Gate, Host, Room, Site};
use crate::house::table::Table;
use crate::ordered::filled;
use crate::settings::{
    self, OriginHost, Origins, Problem, RoomSettings, Settings, name_in_file,
    settings_of_rehearsal, table_of_rehearsal,
};
use crate::token::{BypassSecret, EntryKeys, Keyring, Operators, OriginKey};

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
        let is_service = bindings::has_origin_service(env);
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

type Loaded = Result<Rc<Deployment>, Rc<Vec<Problem>>>;

thread_local! {
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
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
    let parsed = parsed.map(|mut settings| {
        if let Some(house) = house {
            of_house = operators_of(&settings, house);
            add_rooms(&mut settings, &mut tables, house);
        }
        settings
    });
    let gate = parsed
        .as_ref()
        .ok()
        .and_then(|settings| Gate::new(settings).ok());
    let keyring = secrets.keyring();
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

/// What a good file needs of this deployment and is not there.
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
