//! The target for entry tokens: Baton takes one only if a key of the shop signed it, for this room and host, and for at most a day.

use super::worlds::{NOW_MS, SCOPE};
use super::{Read, text};
use baton::gate::{EntryLink, is_entry_text};
use baton::token::{Audience, ENTRY_BYTES_MAX, EntryKeys, LIFE_S_MAX, Opened, Signed};

/// Two shops' keys: those of one list all name an issuer, or none does.
const KEYS: [&str; 2] = [
    r#"[{"kid":"a","alg":"HS256","key":"a key that the shop shares with Baton"}]"#,
    r#"[{"kid":"e","alg":"EdDSA","key":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","iss":"club"}]"#,
];

/// Finds an entry token in an address, checks its signature, and judges its claims for this host and for others.
pub fn entry(bytes: &[u8]) -> Read {
    let shown = text(bytes);
    let link = EntryLink::of(&format!("/buy?x=1&baton_entry={shown}"));
    let link = link.expect("an address has one");
    assert!(EntryLink::of(&link.path_and_query).is_none(), "one is left");
    if let Err(errors) = EntryKeys::parse(&shown) {
        assert!(!errors.is_empty(), "refused for nothing");
    }
    let keys = KEYS.map(|keys| EntryKeys::parse(keys).expect("good keys"));
    let Some(opened) = keys.iter().find_map(|keys| keys.open(&shown).ok()) else {
        return Read::No;
    };
    assert!(is_entry_text(&shown) && shown.len() <= ENTRY_BYTES_MAX);
    match opened {
        Opened::Signed(signed) => judge(&signed).into(),
        Opened::Asked(question) => {
            let signed = question.answered(true).expect("said to be good");
            judge(&signed);
            // Only the shop can say whether it is good, and the shop was not asked.
            Read::No
        }
    }
}

fn judge(signed: &Signed<'_>) -> bool {
    let at = |room, host| signed.judge(Audience { room, host }, NOW_MS);
    let Ok(entrant) = at(SCOPE.room, SCOPE.host) else {
        return false;
    };
    let begins_at_ms = entrant.from_at_ms.max(NOW_MS - LIFE_S_MAX * 1_000);
    let life_ms = entrant.ends_at_ms.saturating_sub(begins_at_ms);
    assert!(life_ms <= 2 * LIFE_S_MAX * 1_000, "{entrant:?}");
    assert!(entrant.refused.is_none());
    for host in ["", "tickets.example:8443", "example"] {
        assert!(at(SCOPE.room, host).is_err() || host == SCOPE.host, "{host}");
    }
    true
}
