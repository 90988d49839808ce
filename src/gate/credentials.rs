//! Credentials: the tokens that cookies hold, in one header, for clients that keep no cookies. `name=token` pairs with `; `
//! between them, as in a `Cookie` header; names are the cookies' own without their prefix, such as `visitor` and
//! `onsale-ticket`, so one header serves several rooms. A client keeps the text whole and sends it back.
//!
//! Nothing is believed here: whoever reads a token verifies it. It writes back only what it can spell.

/// The header, both ways.
pub const CREDENTIALS_HEADER: &str = "Baton-Credentials";
/// Pairs that are kept: a visitor, a proof of being no machine, an entry, a ticket and a pass of fifteen rooms.
const PAIRS_MAX: usize = 47;
/// Bytes of one token; they have at most 135.
const TOKEN_BYTES_MAX: usize = 200;
/// Bytes of one name: a room's and what it is of.
const NAME_BYTES_MAX: usize = 48;

/// What a client should keep from now on: what it showed, with these changes (`name=token`; an empty token takes the pair
/// away). It leaves out every pair that is none of Baton's. O(length).
#[must_use]
pub fn changed_credentials(shown: &str, changes: &[String]) -> String {
    let changes: Vec<_> = changes.iter().filter_map(|pair| read(pair)).collect();
    let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
    let kept = shown
        .split(';')
        .filter_map(read)
        .filter(|(name, _)| !is_changed(name));
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

/// A JSON object with the credentials as its first field. Anything else is left as it is. They need no escapes.
#[must_use]
pub fn with_credentials(json: &str, credentials: &str) -> String {
    match json.strip_prefix('{') {
        Some("}") => format!("{{\"credentials\":\"{credentials}\"}}"),
        Some(rest) => format!("{{\"credentials\":\"{credentials}\",{rest}"),
        None => json.to_owned(),
    }
}

/// A pair's name and token, if both are spelt as Baton spells them.
fn read(pair: &str) -> Option<(&str, &str)> {
    let (name, token) = pair.trim_matches([' ', '\t']).split_once('=')?;
    let is_name = matches!(name, "visitor" | "human")
        || name
            .strip_suffix("-ticket")
            .or_else(|| name.strip_suffix("-pass"))
            .or_else(|| name.strip_suffix("-entry"))
            .is_some_and(crate::settings::is_room_name);
    let is_token = token.len() <= TOKEN_BYTES_MAX
        && token
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    (is_name && name.len() <= NAME_BYTES_MAX && is_token).then_some((name, token))
}
