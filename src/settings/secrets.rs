//! Checks the secrets by their lengths, and whether those that rooms need are set. No secret is ever shown.

use serde_json::{Map, Value};

use super::problem::unknown;
use super::{Problem, Settings};
use token::{EntryKeyError, EntryKeys, KeyError, SECRET_BYTES_MIN};

const KNOWN: [&str; 9] = [
    "BATON_SECRET",
    "BATON_SECRET_PREVIOUS",
    "BATON_SECRET_NEXT",
    "ORIGIN_SECRET",
    "BATON_ADMIN_TOKEN",
    "TURNSTILE_SECRET",
    "ENTRY_KEYS",
    "OIDC_CLIENT_SECRET",
    "BYPASS_SECRET",
];

/// Checks secrets by their lengths in bytes; 0 means not set. It looks at nothing else about them.
#[must_use]
pub fn check_secrets(secrets: &Map<String, Value>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lengths = lengths_of(secrets, &mut problems);
    // Turnstile and the identity provider make their own secrets, and the length of `ENTRY_KEYS` says nothing of the keys in it.
    let [secret, previous, next, origin, admin, _, _, _, bypass] = lengths;
    problems.extend(wrong_key(secret, previous, next));
    for (name, length) in [("ORIGIN_SECRET", origin), ("BATON_ADMIN_TOKEN", admin), ("BYPASS_SECRET", bypass)] {
        if (1..SECRET_BYTES_MIN).contains(&length) {
            let what = format!("has only {length} bytes and could be guessed");
            let cure = format!("Use {SECRET_BYTES_MIN} or more, as from `openssl rand -base64 48`");
            let problem = Problem::new(format!("secrets.{name}"), None, what, cure);
            // Anybody may try to guess the others, but only somebody who knows the origin's address can try the origin's.
            let is_tried_by_all = name != "ORIGIN_SECRET";
            problems.push(if is_tried_by_all { problem } else { problem.warning() });
        }
    }
    problems
}

/// Returns the length of each known secret, in the order of [`KNOWN`].
fn lengths_of(secrets: &Map<String, Value>, problems: &mut Vec<Problem>) -> [usize; KNOWN.len()] {
    let mut lengths = [0_usize; KNOWN.len()];
    for (name, value) in secrets {
        let Some(slot) = KNOWN.iter().zip(&mut lengths).find(|(known, _)| *known == name) else {
            problems.push(unknown("secrets", name, &Value::Null, &KNOWN));
            continue;
        };
        match value.as_u64().and_then(|length| usize::try_from(length).ok()) {
            Some(length) => *slot.1 = length,
            None => problems.push(Problem::new(
                format!("secrets.{name}"),
                None,
                "is not a length in bytes",
                "Give the secret's length, never the secret",
            )),
        }
    }
    lengths
}

/// Returns a problem for the first of Baton's own keys that is missing or too short.
fn wrong_key(secret: usize, previous: usize, next: usize) -> Option<Problem> {
    let (name, error) = match (secret, previous) {
        (0, _) => ("BATON_SECRET", KeyError::Missing),
        (1..SECRET_BYTES_MIN, _) => ("BATON_SECRET", KeyError::Short { bytes: secret }),
        (_, 1..SECRET_BYTES_MIN) => ("BATON_SECRET_PREVIOUS", KeyError::PreviousShort { bytes: previous }),
        _ if (1..SECRET_BYTES_MIN).contains(&next) => ("BATON_SECRET_NEXT", KeyError::NextShort { bytes: next }),
        _ => return None,
    };
    let text = error.to_string();
    let (what, cure) = text.split_once("; ").unwrap_or((&text, ""));
    let what = what.strip_prefix(name).unwrap_or(what).trim_start();
    let at = format!("secrets.{name}");
    Some(Problem::new(at, None, what, capitalised(cure)))
}

/// Returns a problem if a room uses Turnstile and there is no secret to ask Turnstile with.
#[must_use]
pub fn check_turnstile(settings: &Settings, secret_bytes: usize) -> Option<Problem> {
    let room = settings.rooms.iter().find(|room| room.turnstile)?;
    let what = format!("is not set, and the room {} uses Turnstile", room.name);
    let cure = "Run `npx wrangler secret put TURNSTILE_SECRET`, or write turnstile = false";
    (secret_bytes == 0).then(|| Problem::new("secrets.TURNSTILE_SECRET", None, what, cure).beside(&room.name))
}

/// Returns a problem if a room draws the stock line and there is no secret by which to believe the shop.
#[must_use]
pub fn check_stock_line(settings: &Settings, secret_bytes: usize) -> Option<Problem> {
    let room = settings.rooms.iter().find(|room| room.core.stock_line)?;
    let what = format!("is not set, and the room {} draws the stock line", room.name);
    let cure = "Run `npx wrangler secret put ORIGIN_SECRET`, or write stock_line = false";
    (secret_bytes == 0).then(|| Problem::new("secrets.ORIGIN_SECRET", None, what, cure).beside(&room.name))
}

/// Reads the shop's keys as the secret `ENTRY_KEYS` lists them. No key is ever shown.
///
/// # Errors
/// Returns every problem there is, in the order of the list.
pub fn check_entry_keys(text: &str) -> Result<EntryKeys, Vec<Problem>> {
    let told = |error: EntryKeyError| {
        let at = format!("secrets.ENTRY_KEYS{}", error.at);
        Problem::new(at, None, error.what, error.cure)
    };
    EntryKeys::parse(text).map_err(|errors| errors.into_iter().map(told).collect())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(chars).collect()
}
