//! Reads who may operate: `[[vars.OPERATORS]]` of the file, and the operators of the house, whose tables have the same keys. Each has a role, rooms
//! (all, if none are named), and a way in: the hash of a token, or an address that somebody else vouches for.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Problem, RoomSettings, Settings, is_room_name, problem::unknown, tables::Tables};
use facts::hours::Date;
use facts::limits::BY_BYTES_MAX;
use facts::ordered::filled;
use token::{Operator, RESERVED_NAMES, Role};

/// The most operators in the file, beside the holder of the secret. Baton tries a cookie of the desk with each of them.
pub const OPERATORS_MAX: usize = 20;
/// The most rooms that one operator may name.
pub const ROOMS_OF_OPERATOR_MAX: usize = 50;
/// The most bytes of an address, as mail has it.
const EMAIL_BYTES_MAX: usize = 254;

const OPERATORS: Tables = Tables {
    key: "OPERATORS",
    max: OPERATORS_MAX,
    cure: "Write [[vars.OPERATORS]] with name, role and sha256; `npm run operator-token` prints one",
    cure_of_many: "Remove those who need none any more",
};

/// The keys of an operator's table.
const KEYS: [&str; 6] = ["name", "role", "rooms", "sha256", "email", "ends_at"];

/// The rest of the deployment that decides whether an operator's table is valid.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    /// The rooms of the file.
    pub rooms: &'a [RoomSettings],
    /// Whether there may be rooms that the file does not name.
    pub has_house: bool,
    /// Whether anybody vouches for addresses.
    pub has_providers: bool,
}

impl<'a> Beside<'a> {
    /// Returns what the tables of the house's operators are judged beside.
    fn of(file: &'a Settings) -> Self {
        Self {
            rooms: &file.rooms,
            has_house: true,
            has_providers: file.access.is_some() || file.oidc.is_some(),
        }
    }
}

/// Reads `OPERATORS`, in the order of the file.
pub(super) fn parse_operators(value: Option<&Value>, beside: Beside<'_>, problems: &mut Vec<Problem>) -> Vec<Operator> {
    let mut operators: Vec<Operator> = Vec::new();
    OPERATORS.read(value, problems, |at, table, problems| {
        if let Some(operator) = parse_one(at, table, beside, problems) {
            check_twins(at, &operator, &operators, problems);
            operators.push(operator);
        }
    });
    operators
}

/// Returns the operators of the house that are valid beside this file, and the problems of the others. A deploy may have taken an operator's name;
/// that must shut out nobody else. `holder` is whoever shows `BATON_ADMIN_TOKEN`, whose token no other operator may have. O(operators²).
#[must_use]
pub fn house_operators(file: &Settings, holder: Option<&Operator>, tables: &BTreeMap<String, Value>) -> (Vec<Operator>, Vec<Problem>) {
    let mut all: Vec<Operator> = holder.into_iter().chain(&file.operators).cloned().collect();
    let (others, mut problems) = (all.len(), Vec::new());
    for (name, table) in tables {
        match parse_house_operator(file, name, table) {
            Ok(operator) => {
                let mut twins = Vec::new();
                check_twins(&format!("operators.{name}"), &operator, &all, &mut twins);
                if twins.is_empty() {
                    all.push(operator);
                }
                problems.extend(twins);
            }
            Err(more) => problems.extend(more),
        }
    }
    (all.split_off(others), problems)
}

fn parse_house_operator(file: &Settings, name: &str, table: &Value) -> Result<Operator, Vec<Problem>> {
    let mut problems = Vec::new();
    let at = format!("operators.{name}");
    let own = table.as_object().cloned().unwrap_or_default();
    if own.contains_key("name") {
        let cure = "Leave it out: the address of the call names the operator";
        problems.push(Problem::new(format!("{at}.name"), None, "is given twice", cure));
    }
    let name = [("name".to_owned(), Value::from(name))];
    let table: Map<String, Value> = filled(own.into_iter().chain(name));
    let operator = parse_one(&at, &table, Beside::of(file), &mut problems);
    match operator {
        Some(operator) if problems.is_empty() => Ok(operator),
        _ => Err(problems),
    }
}

fn parse_one(at: &str, table: &Map<String, Value>, beside: Beside<'_>, problems: &mut Vec<Problem>) -> Option<Operator> {
    let before = problems.len();
    for key in table.keys() {
        if key == "token" {
            let cure = "Write its hash as sha256, never the token; `npm run operator-token` makes both. Make a new one: this has been written down";
            let at = format!("{at}.token");
            problems.push(Problem::new(at, None, "stands in the file", cure));
        } else if !KEYS.contains(&key.as_str()) {
            // An unknown key's value is not shown: it may be a secret.
            problems.push(unknown(at, key, &Value::Null, &KEYS));
        }
    }
    let mut reader = Reader { at, table, problems };
    let name = reader.name();
    let role = reader.role();
    let rooms = reader.rooms(role, beside);
    let ends_at_ms = reader.ends_at(role);
    let (digest, email) = reader.ways_in(role, beside);
    let is_good = problems.len() == before;
    let mut operator = Operator::named(name?.to_owned(), role?).within(rooms);
    if let Some(digest) = digest {
        operator = operator.by_token(digest);
    }
    if let Some(email) = email {
        operator = operator.by_email(email);
    }
    if let Some(ends_at_ms) = ends_at_ms {
        operator = operator.until(ends_at_ms);
    }
    is_good.then_some(operator)
}

/// Reads one operator's table.
struct Reader<'a, 'p> {
    at: &'a str,
    table: &'a Map<String, Value>,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Reader<'a, '_> {
    fn text(&self, key: &str) -> Option<&'a str> {
        self.table.get(key).and_then(Value::as_str)
    }

    fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn wrong(&mut self, key: &str, what: &str, cure: impl Into<String>) {
        let what = if self.has(key) { what } else { "is missing" };
        let shown = self.table.get(key).filter(|_| key != "sha256");
        let at = format!("{}.{key}", self.at);
        self.problems.push(Problem::new(at, shown, what, cure));
    }

    fn name(&mut self) -> Option<&'a str> {
        let name = self.text("name").filter(|name| is_operator_name(name));
        if name.is_none() {
            let reserved = RESERVED_NAMES.join(", ");
            let what = format!("is not a name, or one that the journal uses itself ({reserved})");
            let cure = format!("Use 1 to {BY_BYTES_MAX} of letters, digits and .-_@, such as name = \"mika\"");
            self.wrong("name", &what, cure);
        }
        name
    }

    fn role(&mut self) -> Option<Role> {
        let role = self.text("role").and_then(Role::named);
        if role.is_none() {
            let names = Role::ALL.map(|role| format!("{:?}", role.name()));
            let what = format!("is none of {}", names.join(", "));
            let cure = "Write role = \"view\", \"operate\", \"own\" or \"release\"";
            self.wrong("role", &what, cure);
        }
        role
    }

    /// Reads the rooms in which the operator may act. A machine (the role `release`) must name them.
    fn rooms(&mut self, role: Option<Role>, beside: Beside<'_>) -> Vec<String> {
        let cure = "Write the names of rooms, such as rooms = [\"onsale\"]";
        let Some(value) = self.table.get("rooms") else {
            if role == Some(Role::Release) {
                self.wrong("rooms", "", cure);
            }
            return Vec::new();
        };
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let known = |name: &&str| {
            let is_of_file = beside.rooms.iter().any(|room| room.name == **name);
            is_of_file || (beside.has_house && is_room_name(name))
        };
        let rooms: Vec<String> = (list.iter()).filter_map(|name| name.as_str().filter(known).map(str::to_owned)).collect();
        // An empty list could mean nowhere as well as everywhere.
        if rooms.is_empty() || rooms.len() < list.len() {
            let what = "is not a list of this file's rooms";
            self.wrong("rooms", what, format!("{cure}; leave it out for all rooms"));
        } else if rooms.len() > ROOMS_OF_OPERATOR_MAX {
            let what = format!("names {}, at most {ROOMS_OF_OPERATOR_MAX} are allowed", rooms.len());
            self.wrong("rooms", &what, "Name fewer, or leave it out for all rooms");
        }
        rooms
    }

    /// Reads until when the operator may act. A machine (the role `release`) must have an end.
    fn ends_at(&mut self, role: Option<Role>) -> Option<u64> {
        let ends_at_ms = self.text("ends_at").and_then(Date::parse).map(|date| date.at_ms);
        let must = role == Some(Role::Release) || self.has("ends_at");
        if must && ends_at_ms.is_none() {
            let cure = "Write it in quotes, such as ends_at = \"2027-01-31T00:00:00+09:00\"";
            self.wrong("ends_at", "is not a date with its offset", cure);
        }
        ends_at_ms
    }

    /// Reads the ways in: a token, an address, or both.
    fn ways_in(&mut self, role: Option<Role>, beside: Beside<'_>) -> (Option<[u8; 32]>, Option<&'a str>) {
        let digest = self.text("sha256").and_then(digest);
        if digest.is_none() && (self.has("sha256") || !self.has("email")) {
            let what = "is not the SHA-256 of a token, 64 hexadecimal digits";
            let cure = if beside.has_providers {
                "`npm run operator-token` makes a token and its hash; or give an email"
            } else {
                "`npm run operator-token` makes a token and its hash"
            };
            self.wrong("sha256", what, cure);
        }
        let email = self.text("email").filter(|email| is_email(email));
        if self.has("email") {
            if role == Some(Role::Release) {
                let cure = "Remove it, and give sha256: a machine shows a token";
                self.wrong("email", "is for people", cure);
            } else if email.is_none() {
                let cure = "Write it as the identity provider has it, such as email = \"mika@example.com\"";
                self.wrong("email", "is no address", cure);
            } else if !beside.has_providers {
                let cure = "Write [vars.ACCESS] or [vars.OIDC] as well, or give sha256 instead";
                self.wrong("email", "needs an identity provider that verifies it", cure);
            }
        }
        (digest, email)
    }
}

/// Notes a problem if an operator has the name, or one like it, the token or the address of an earlier one. The journal could not tell two of one name apart, and
/// nothing could tell two of one token or address apart.
fn check_twins(at: &str, operator: &Operator, before: &[Operator], problems: &mut Vec<Problem>) {
    for other in before {
        let (key, cure) = if are_alike(&other.name, &operator.name) {
            ("name", "Give each a name of their own, by more than case or by 0 for O, or 1 or I for l")
        } else if other.shares_token_with(operator) {
            ("sha256", "Give each a token of their own; `npm run operator-token` makes one")
        } else if other.shares_email_with(operator) {
            ("email", "Give each an address of their own")
        } else {
            continue;
        };
        let what = format!("is that of {} as well", other.name);
        problems.push(Problem::new(format!("{at}.{key}"), None, what, cure));
    }
}

/// Returns whether an operator may have this name.
#[must_use]
pub fn is_operator_name(name: &str) -> bool {
    (1..=BY_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_@".contains(&b))
        && !RESERVED_NAMES.iter().any(|own| are_alike(own, name))
}

/// Returns whether whoever reads the journal may take one name for the other: they differ by case alone, or by characters that look alike in many fonts.
fn are_alike(one: &str, other: &str) -> bool {
    let looks = |name: &str| -> String {
        let look = |c: char| match c {
            '0' | 'O' => 'o',
            '1' | 'I' => 'l',
            c => c.to_ascii_lowercase(),
        };
        name.chars().map(look).collect()
    };
    one.eq_ignore_ascii_case(other) || looks(one) == looks(other)
}

fn is_email(text: &str) -> bool {
    let parts = text.split_once('@');
    let whole = |part: &str| !part.is_empty() && !part.contains('@');
    text.len() <= EMAIL_BYTES_MAX && text.bytes().all(|b| b.is_ascii_graphic()) && parts.is_some_and(|(name, host)| whole(name) && whole(host))
}

/// Reads 32 bytes from 64 hexadecimal digits of either case.
fn digest(text: &str) -> Option<[u8; 32]> {
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(bytes.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(digest)
}
