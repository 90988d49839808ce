//! Credentials: the tokens that cookies hold, in one header, for clients that keep no cookies. The header holds `name=token` pairs with
//! `; ` between them, like a `Cookie` header. Names are the cookies' names without their prefix, such as `visitor` and `onsale-ticket`, so
//! one header serves several rooms. A client keeps the whole text and sends it back.
//!
//! This module believes nothing: whoever reads a token verifies it. It writes back only pairs that Baton could have written.

/// The header, in requests and in answers.
pub const CREDENTIALS_HEADER: &str = "Baton-Credentials";
/// The most pairs that are kept: a visitor, a proof of being no machine, and an entry, a ticket and a pass for each of fifteen rooms.
const PAIRS_MAX: usize = 47;
/// The most bytes of a token; Baton's tokens have at most 135.
const TOKEN_BYTES_MAX: usize = 200;
/// The most bytes of a name: a room's name and a suffix such as `-ticket`.
const NAME_BYTES_MAX: usize = 48;

/// Returns what a client should keep from now on: the pairs that it showed, with these changes (`name=token`; an empty token removes the
/// pair). Pairs that are not Baton's are left out. O(length).
#[must_use]
pub fn changed_credentials(shown: &str, changes: &[String]) -> String {
    let changes: Vec<_> = changes.iter().filter_map(|pair| read(pair)).collect();
    let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
    let kept = shown.split(';').filter_map(read).filter(|(name, _)| !is_changed(name));
    let new = changes.iter().enumerate().filter(|(at, (name, _))| {
        let later = changes.iter().skip(at + 1);
        !later.clone().any(|(other, _)| other == name)
    });
    let all = kept.chain(new.map(|(_, pair)| *pair));
    let spelt = all
        .filter(|(_, token)| !token.is_empty())
        .take(PAIRS_MAX)
        .map(|(name, token)| format!("{name}={token}"));
    spelt.collect::<Vec<_>>().join("; ")
}

/// Puts the credentials into a JSON object as its first field. Returns any other text unchanged. Credentials need no escaping in JSON.
#[must_use]
pub fn with_credentials(json: &str, credentials: &str) -> String {
    match json.strip_prefix('{') {
        Some("}") => format!("{{\"credentials\":\"{credentials}\"}}"),
        Some(rest) => format!("{{\"credentials\":\"{credentials}\",{rest}"),
        None => json.to_owned(),
    }
}

/// Returns a pair's name and token. Returns `None` if Baton would not write the pair so.
fn read(pair: &str) -> Option<(&str, &str)> {
    let (name, token) = pair.trim_matches([' ', '\t']).split_once('=')?;
    let is_name = matches!(name, "visitor" | "human")
        || name
            .strip_suffix("-ticket")
            .or_else(|| name.strip_suffix("-pass"))
            .or_else(|| name.strip_suffix("-entry"))
            .is_some_and(|room| settings::is_room_name(settings::name_in_file(room)));
    let is_token = token.len() <= TOKEN_BYTES_MAX && token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    (is_name && name.len() <= NAME_BYTES_MAX && is_token).then_some((name, token))
}
