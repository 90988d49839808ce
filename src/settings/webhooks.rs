//! Reads `[[vars.WEBHOOKS]]`: who else is told what happens, and where.

use serde_json::{Map, Value};

use super::problem::unknown;
use super::schema::{PATTERNS_MAX, is_room_name};
use super::tables::Tables;
use super::{Grounds, Origins, Problem, RoomSettings, Settings};
use outbox::{Address, KINDS, Kind, Secrets, Webhook};
use spelling::HostPattern;

/// The most webhooks of one deployment. Each has 16 MB of messages at most.
pub const WEBHOOKS_MAX: usize = 8;

/// The keys of a webhook's table.
const OWN: [&str; 5] = ["kinds", "name", "operators", "rooms", "url"];
const WEBHOOKS: Tables = Tables {
    key: "WEBHOOKS",
    max: WEBHOOKS_MAX,
    cure: "Write [[vars.WEBHOOKS]] with name and url, such as url = \"https://hooks.example.net/baton\"",
    cure_of_many: "Let one receiver pass on to others",
};

/// The rest of the file that decides whether a webhook is valid.
pub(super) struct Beside<'a> {
    pub(super) rooms: &'a [RoomSettings],
    pub(super) grounds: Option<&'a Grounds>,
    pub(super) origins: &'a Origins,
}

impl Beside<'_> {
    /// Returns whether this host is one that Baton stands before or behind: a room, the grounds or an origin names it.
    fn owns(&self, host: &str) -> bool {
        let is_it = |pattern: &HostPattern| pattern.name() == host;
        let of_room = |room: &RoomSettings| {
            let hosts = room.hosts.iter();
            hosts.filter_map(|host| HostPattern::parse(host)).any(|own| is_it(&own))
        };
        self.rooms.iter().any(of_room) || self.grounds.is_some_and(|grounds| grounds.hosts().iter().any(is_it)) || self.origins.name(host)
    }
}

/// Reads `WEBHOOKS`, in the order of the file.
pub(super) fn parse_webhooks(value: Option<&Value>, beside: &Beside<'_>, problems: &mut Vec<Problem>) -> Vec<Webhook> {
    let mut webhooks: Vec<Webhook> = Vec::new();
    WEBHOOKS.read(value, problems, |at, table, problems| {
        let Some(webhook) = parse_one(at, table, beside, problems) else {
            return;
        };
        if webhooks.iter().any(|other| other.name == webhook.name) {
            let what = "is that of another webhook as well";
            let cure = "Give each a name of its own";
            let key = format!("{at}.name");
            problems.push(Problem::new(key, table.get("name"), what, cure));
        }
        webhooks.push(webhook);
    });
    webhooks
}

fn parse_one(at: &str, table: &Map<String, Value>, beside: &Beside<'_>, problems: &mut Vec<Problem>) -> Option<Webhook> {
    for key in table.keys().filter(|key| !OWN.contains(&key.as_str())) {
        // An unknown key's value is not shown: it may be a secret.
        problems.push(unknown(at, key, &Value::Null, &OWN));
    }
    let mut wrong = |key: &str, what: &str, cure: &str| {
        let value = table.get(key);
        let what = if value.is_some() { what } else { "is missing" };
        problems.push(Problem::new(format!("{at}.{key}"), value, what, cure));
    };
    let name = table.get("name").and_then(Value::as_str);
    let name = name.filter(|name| is_room_name(name));
    if name.is_none() {
        let cure = "Use 1 to 32 of a-z, 0-9 and -, such as name = \"crm\"";
        wrong("name", "is no name of a webhook", cure);
    }
    let url = table.get("url").and_then(Value::as_str).unwrap_or_default();
    let address = match Address::parse(url) {
        Ok(address) if beside.owns(address.host()) => {
            let what = "is a host of this site: Baton would call itself";
            let cure = "Name a host that no room, no ORIGIN and no GROUNDS name";
            wrong("url", what, cure);
            None
        }
        Ok(address) => Some(address),
        Err(why) => {
            wrong("url", &why.to_string(), WEBHOOKS.cure);
            None
        }
    };
    let rooms = texts(table, "rooms").filter(|rooms| rooms.iter().all(|room| beside.may_be(room)));
    if rooms.is_none() {
        let cure = "Write rooms = [\"onsale\"], or leave it out for all rooms and the house";
        wrong("rooms", "is not a list of this deployment's rooms", cure);
    }
    let kinds = kinds_of(table);
    if kinds.is_none() {
        let names: Vec<_> = KINDS.iter().map(|(_, name, _)| *name).collect();
        let cure = format!("Choose among {}, or leave it out for all", names.join(", "));
        wrong("kinds", "is not a list of kinds", &cure);
    }
    let operators = table.get("operators").map_or(Some(false), Value::as_bool);
    if operators.is_none() {
        let cure = "Write operators = true to be told who did something, or leave it out";
        wrong("operators", "is neither true nor false", cure);
    }
    Some(Webhook {
        name: name?.to_owned(),
        address: address?,
        rooms: rooms?,
        kinds: kinds?,
        operators: operators?,
    })
}

impl Beside<'_> {
    /// Returns whether there may be a room of this name. With a house, any name that a room may have will do.
    fn may_be(&self, name: &str) -> bool {
        let is_house = self.grounds.is_some() && is_room_name(name);
        is_house || self.rooms.iter().any(|room| room.name == name)
    }
}

/// Returns the kinds that the webhook is told; `None` if the list names anything else.
fn kinds_of(table: &Map<String, Value>) -> Option<Vec<Kind>> {
    let names = texts(table, "kinds")?;
    names.iter().map(|name| Kind::named(name)).collect()
}

fn texts(table: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
    let Some(value) = table.get(key) else {
        return Some(Vec::new());
    };
    let list = value.as_array().filter(|list| list.len() <= PATTERNS_MAX)?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    list.iter().map(text).collect()
}

/// Reads the secrets of a webhook: its own, else the one for all webhooks. `secret` returns a secret by its name.
///
/// # Errors
/// Returns what is wrong with the secret, as a warning. Rooms work all the same; the webhook is not sent until the secret is put right.
pub fn webhook_secrets(webhook: &Webhook, secret: impl Fn(&str) -> Option<String>) -> Result<Secrets, Problem> {
    let own = webhook.secret_name();
    let cure = format!("Run `npx wrangler secret put {own}` with whsec_ and the output of `openssl rand -base64 32`");
    let found = [own.as_str(), "WEBHOOK_SECRET"]
        .into_iter()
        .find_map(|name| Some((name.to_owned(), secret(name).filter(|text| !text.is_empty())?)));
    let Some((name, text)) = found else {
        let what = format!("is not set, and the webhook {} is not sent", webhook.name);
        return Err(Problem::new(format!("secrets.{own}"), None, what, cure).warning());
    };
    Secrets::parse(&text).map_err(|why| {
        let what = format!("{why}, and the webhook {} is not sent", webhook.name);
        Problem::new(format!("secrets.{name}"), None, what, cure).warning()
    })
}

/// Returns a problem if there are webhooks but no object to send them.
#[must_use]
pub fn check_outbox(settings: &Settings, is_bound: bool) -> Option<Problem> {
    let cure = "Write [[durable_objects.bindings]] with name = \"OUTBOX\" and class_name = \"OutboxObject\", and name the class in the migrations; or leave [[vars.WEBHOOKS]] out";
    let lacks = !settings.webhooks.is_empty() && !is_bound;
    lacks.then(|| Problem::new("WEBHOOKS", None, "are there, but no outbox", cure))
}
