//! Whom the configuration names as operators: `[[vars.OPERATORS]]`, each with a name, a role and the hash of a token. A machine
//! that may only release also has its room and its end.

use serde_json::{Map, Value};

use super::{Problem, RoomSettings, problem::unknown, steps::unix_ms};
use crate::facts::limits::BY_BYTES_MAX;
use crate::token::{Bounds, Operator, Role, SECRET_HOLDER};

/// Operators beside the holder of the secret. A cookie of the desk is tried with each.
pub const OPERATORS_MAX: usize = 20;

/// What one of them has.
const KEYS: [&str; 5] = ["name", "role", "sha256", "room", "ends_at"];

/// Reads `OPERATORS`, in the order of the file.
pub(super) fn parse_operators(
    value: Option<&Value>,
    rooms: &[RoomSettings],
    problems: &mut Vec<Problem>,
) -> Vec<Operator> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Vec::new();
    };
    let cure =
        "Write [[vars.OPERATORS]] with name, role and sha256; `npm run operator-token` prints one";
    let Some(list) = value.as_array() else {
        let what = "is not a list of tables";
        problems.push(Problem::new("OPERATORS", Some(value), what, cure));
        return Vec::new();
    };
    if list.len() > OPERATORS_MAX {
        let what = format!("names {}, at most {OPERATORS_MAX} are allowed", list.len());
        let cure = "Remove those who need none any more";
        problems.push(Problem::new("OPERATORS", None, what, cure));
    }
    let mut operators: Vec<Operator> = Vec::new();
    for (at, value) in list.iter().take(OPERATORS_MAX).enumerate() {
        let at = format!("OPERATORS[{at}]");
        let Some(table) = value.as_object() else {
            problems.push(Problem::new(at, Some(value), "is not a table", cure));
            continue;
        };
        if let Some(operator) = parse_one(&at, table, rooms, problems) {
            check_twins(&at, &operator, &operators, problems);
            operators.push(operator);
        }
    }
    operators
}

fn parse_one(
    at: &str,
    table: &Map<String, Value>,
    rooms: &[RoomSettings],
    problems: &mut Vec<Problem>,
) -> Option<Operator> {
    for key in table.keys() {
        if key == "token" {
            let cure = "Write its hash as sha256, never the token; `npm run operator-token` makes both. Make a new one: this has been written down";
            problems.push(Problem::new(
                format!("{at}.token"),
                None,
                "stands in the file",
                cure,
            ));
        } else if !KEYS.contains(&key.as_str()) {
            // Of what is unknown no value is shown: it may be a secret.
            problems.push(unknown(at, key, &Value::Null, &KEYS));
        }
    }
    let text = |key: &str| table.get(key).and_then(Value::as_str);
    let mut wrong = |key: &str, what: &str, cure: String| {
        let what = if table.contains_key(key) {
            what
        } else {
            "is missing"
        };
        let shown = table.get(key).filter(|_| key != "sha256");
        problems.push(Problem::new(format!("{at}.{key}"), shown, what, cure));
    };
    let name = text("name").filter(|name| is_name(name));
    if name.is_none() {
        let what = format!(
            "is not a name, or {SECRET_HOLDER:?}, which is the holder of BATON_ADMIN_TOKEN"
        );
        let cure =
            format!("Use 1 to {BY_BYTES_MAX} of letters, digits and .-_@, such as name = \"mika\"");
        wrong("name", &what, cure);
    }
    let role = text("role").and_then(Role::named);
    if role.is_none() {
        let names = Role::ALL
            .map(|role| format!("{:?}", role.name()))
            .join(", ");
        wrong(
            "role",
            &format!("is none of {names}"),
            "Write role = \"view\", \"operate\" or \"release\"".to_owned(),
        );
    }
    let digest = text("sha256").and_then(digest);
    if digest.is_none() {
        let what = "is not the SHA-256 of a token, 64 hexadecimal digits";
        wrong(
            "sha256",
            what,
            "`npm run operator-token` makes a token and its hash".to_owned(),
        );
    }
    let bounds = parse_bounds(at, table, role?, rooms, problems);
    let operator = Operator::of_digest(name?.to_owned(), role?, digest?);
    match bounds {
        Ok(Some(bounds)) => Some(operator.within(bounds)),
        Ok(None) => Some(operator),
        Err(()) => None,
    }
}

/// Room and end of a machine that releases; nobody else has them. An error is among the problems already.
fn parse_bounds(
    at: &str,
    table: &Map<String, Value>,
    role: Role,
    rooms: &[RoomSettings],
    problems: &mut Vec<Problem>,
) -> Result<Option<Bounds>, ()> {
    let mut wrong = |key: &str, what: &str, cure: &str| {
        let what = if table.contains_key(key) {
            what
        } else {
            "is missing"
        };
        problems.push(Problem::new(
            format!("{at}.{key}"),
            table.get(key),
            what,
            cure,
        ));
    };
    if role != Role::Release {
        let spare = ["room", "ends_at"]
            .into_iter()
            .find(|key| table.contains_key(*key));
        return spare.map_or(Ok(None), |key| {
            wrong(
                key,
                "is for the role release alone",
                "Remove it, or write role = \"release\"",
            );
            Err(())
        });
    }
    let text = |key: &str| table.get(key).and_then(Value::as_str);
    let room = text("room").filter(|name| rooms.iter().any(|room| room.name == *name));
    if room.is_none() {
        wrong(
            "room",
            "is no room of this file",
            "Write the name of the room, such as room = \"onsale\"",
        );
    }
    let ends_at_ms = text("ends_at").and_then(unix_ms);
    if ends_at_ms.is_none() {
        wrong(
            "ends_at",
            "is not a date with its offset",
            "Write it in quotes, such as ends_at = \"2027-01-31T00:00:00+09:00\"",
        );
    }
    let room = room.ok_or(())?.to_owned();
    let ends_at_ms = ends_at_ms.ok_or(())?;
    Ok(Some(Bounds { room, ends_at_ms }))
}

/// Two of one name could not be told apart in the journal, two of one token not at all.
fn check_twins(at: &str, operator: &Operator, before: &[Operator], problems: &mut Vec<Problem>) {
    for other in before {
        let (key, cure) = if other.name == operator.name {
            ("name", "Give each a name of their own")
        } else if other.shares_token_with(operator) {
            (
                "sha256",
                "Give each a token of their own; `npm run operator-token` makes one",
            )
        } else {
            continue;
        };
        let what = format!("is that of {} as well", other.name);
        problems.push(Problem::new(format!("{at}.{key}"), None, what, cure));
    }
}

fn is_name(name: &str) -> bool {
    (1..=BY_BYTES_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".-_@".contains(&b))
        && name != SECRET_HOLDER
}

/// 32 bytes from 64 hexadecimal digits of either case.
fn digest(text: &str) -> Option<[u8; 32]> {
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(bytes.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(digest)
}
