//! Checks a configuration before anything is started or deployed, and says which room a request belongs to. `scripts/settings.mjs` calls this, and so
//! does the checker of a release, which has no Rust.
//!
//! A configuration is `{"ORIGIN": …, "ROOMS": {…}, "secrets": {"BATON_SECRET": <length in bytes>, …}, "bindings": ["ROOM", …]}`. The check never sees
//! a secret, only its length; but for `entry_keys`, the text of the shop's keys, of which it shows nothing.

use ::settings::{self, Grounds, Problem, RoomSettings, Settings, Severity};
use facts::config::RoomConfig;
use facts::lanes::{Lane, LanesRule};
use gate::{Gate, Site};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spelling::Pattern;

mod explain;

pub use explain::explain;

/// A question: which room does this request belong to?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// The method, such as `GET`.
    pub method: String,
    /// The path, from its first slash on.
    pub path: String,
    /// The host; without one, the first host that a room names.
    pub host: Option<String>,
}

/// A configuration to check, and a question about it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Asked {
    /// The configuration, as in the file.
    pub configuration: Value,
    /// The question to answer in place of a summary.
    pub question: Option<Question>,
}

/// The result: an exit status and two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The exit status: 0 for a good configuration, 1 for one with problems, 2 for wrong use.
    pub status: u8,
    /// The text for standard output.
    pub stdout: String,
    /// The text for standard error.
    pub stderr: String,
}

impl Told {
    fn fine(stdout: String) -> Self {
        Self { stdout, ..Self::default() }
    }

    fn wrong_use(why: &str) -> Self {
        Self {
            status: 2,
            stderr: format!("check-config: {why}\n"),
            ..Self::default()
        }
    }
}

/// Returns every problem with its cure, a line each. Without an error it adds a summary, or the answer to the question.
#[must_use]
pub fn check(asked: Asked) -> Told {
    let (settings, problems) = judge(asked.configuration);
    let mut told = Told {
        stdout: problems.iter().map(|each| format!("{each}\n")).collect(),
        ..Told::default()
    };
    let is_fine = problems.iter().all(|each| each.severity == Severity::Warning);
    let Some(settings) = settings.filter(|_| is_fine) else {
        told.status = 1;
        return told;
    };
    match asked.question {
        None => told.stdout += &summary(&settings),
        Some(question) => {
            let answer = answer(&settings, &question);
            told.status = answer.status;
            told.stdout += &answer.stdout;
            told.stderr = answer.stderr;
        }
    }
    told
}

/// Returns the tables of all settings, a room's and the house's, as docs/configuration.md has them.
#[must_use]
pub fn reference() -> String {
    let rooms = settings::reference_markdown();
    let house = settings::grounds_markdown();
    format!("{rooms}\n## The house\n\n{house}")
}

/// Says which room a request belongs to.
fn answer(settings: &Settings, question: &Question) -> Told {
    let named = settings.rooms.iter().find_map(|room| room.hosts.first());
    let host = question.host.as_deref();
    let host = host.or(named.map(String::as_str)).unwrap_or("localhost");
    let told = match Gate::new(settings) {
        Ok(gate) => explain(&gate, &question.method, host, &question.path),
        Err(error) => Err(format!("{error:?}")),
    };
    match told {
        Ok(text) => Told::fine(text),
        Err(why) => Told::wrong_use(&why),
    }
}

fn judge(mut value: Value) -> (Option<Settings>, Vec<Problem>) {
    let mut take = |name: &str| value.as_object_mut().and_then(|vars| vars.remove(name));
    let (secrets, bindings, entry_keys) = (take("secrets"), take("bindings"), take("entry_keys"));
    let secrets = secrets.as_ref().and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    let (settings, mut problems) = match settings::parse(&value) {
        Ok(settings) => (Some(settings), Vec::new()),
        Err(problems) => (None, problems),
    };
    problems.extend(settings::check_secrets(&secrets));
    let entry_keys = entry_keys.as_ref().and_then(Value::as_str);
    problems.extend(entry_keys.and_then(|text| settings::check_entry_keys(text).err()).unwrap_or_default());
    let bytes_of = |secret: &str| {
        let bytes = secrets.get(secret).and_then(Value::as_u64);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0)
    };
    let judged = settings.as_ref();
    // A caller that does not list its bindings is not judged by them.
    let bindings = bindings.as_ref().and_then(Value::as_array);
    let is_bound = bindings.is_none_or(|names| names.iter().any(|name| name == "HOUSE"));
    problems.extend(judged.and_then(|settings| settings::check_binding(settings, is_bound)));
    problems.extend(judged.and_then(|settings| settings::check_turnstile(settings, bytes_of("TURNSTILE_SECRET"))));
    problems.extend(judged.and_then(|settings| settings::check_stock_line(settings, bytes_of("ORIGIN_SECRET"))));
    problems.extend(judged.map(settings::check_machines).unwrap_or_default());
    problems.extend(judged.map(settings::check_logos).unwrap_or_default());
    (settings, problems)
}

fn summary(settings: &Settings) -> String {
    let rooms: Vec<String> = settings
        .rooms
        .iter()
        .map(|room| format!("{} ({} permits, {}{})", room.name, room.core.permits, objects(room), lanes(&room.core)))
        .collect();
    let sites: Vec<String> = settings.origins.sites().map(Site::base).collect();
    let origin = if sites.is_empty() {
        "the zone's own or a binding".to_owned()
    } else {
        sites.join(", ")
    };
    let house = settings.grounds.as_ref().map(house).unwrap_or_default();
    let headers = match settings.origins.headers.names() {
        [] => String::new(),
        names => format!("; headers passed on: {}", names.join(", ")),
    };
    format!("configuration fine: {}; origin: {origin}{headers}{house}\n", rooms.join(", "))
}

/// Describes what a room's `crowd` leads to: its lobbies, how many people each is for, and its porters.
fn objects(room: &RoomSettings) -> String {
    let people = room.crowd.div_ceil(u32::from(room.lobbies().max(1)));
    let lobbies = match room.lobbies() {
        1 => format!("1 lobby for {people} people"),
        lobbies => format!("{lobbies} lobbies for {people} people each"),
    };
    match room.porters() {
        0 => format!("{lobbies}, no porters"),
        1 => format!("{lobbies}, 1 porter"),
        porters => format!("{lobbies}, {porters} porters"),
    }
}

/// Describes a room's lanes: in the order in which they are called, or with their shares.
fn lanes(room: &RoomConfig) -> String {
    if room.lanes.is_empty() {
        return String::new();
    }
    let lane = |lane: &Lane| match room.lanes_rule {
        LanesRule::Strict => lane.name.to_string(),
        LanesRule::Shares => format!("{} {}", lane.name, lane.share),
    };
    let lanes: Vec<String> = room.lanes.iter().map(lane).collect();
    let rule = match room.lanes_rule {
        LanesRule::Strict => " before ",
        LanesRule::Shares => " : ",
    };
    format!(", lanes {}", lanes.join(rule))
}

/// Describes where rooms may be without a deploy.
fn house(grounds: &Grounds) -> String {
    let paths: Vec<&str> = grounds.paths().iter().map(Pattern::as_str).collect();
    let hosts: Vec<String> = grounds.hosts().iter().map(ToString::to_string).collect();
    let hosts = match hosts.is_empty() {
        true => "every host".to_owned(),
        false => hosts.join(", "),
    };
    format!("; the house may gate {} at {hosts}", paths.join(", "))
}

/// Returns the API's document, as docs/openapi.json has it.
#[must_use]
pub fn openapi() -> String {
    let document = control::openapi::document();
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[cfg(target_arch = "wasm32")]
mod door {
    use wasm_bindgen::prelude::wasm_bindgen;

    /// [`super::check`] for JavaScript: takes [`super::Asked`] as JSON, returns [`super::Told`] as JSON.
    #[wasm_bindgen]
    #[must_use]
    pub fn check(asked: &str) -> String {
        let told = match serde_json::from_str(asked) {
            Ok(asked) => super::check(asked),
            Err(error) => super::Told::wrong_use(&format!("what is asked is not JSON: {error}")),
        };
        serde_json::to_string(&told).unwrap_or_default()
    }

    /// [`super::openapi`] for JavaScript.
    #[wasm_bindgen]
    #[must_use]
    pub fn openapi() -> String {
        super::openapi()
    }

    /// [`super::reference`] for JavaScript.
    #[wasm_bindgen]
    #[must_use]
    pub fn reference() -> String {
        super::reference()
    }
}
