//! `check-config --explain GET /events/7/checkout`: says which room a request belongs to, and why no other. The gate decides; this file only
//! puts its decision into words.

use std::fmt::Write as _;

use gate::{Claim, Gate, Host, Method, Particular, PathReading, Plan, Reading, Request, Scheme, as_sent};

/// Returns what becomes of a request, as text that ends with a newline. `host` is written as in the `Host` header.
///
/// # Errors
/// Returns what is wrong with the question, and the cure.
pub fn explain(gate: &Gate, method: &str, host: &str, path: &str) -> Result<String, String> {
    if !path.starts_with('/') {
        return Err(format!(
            "{path:?} is not a path. Write it from its first slash, such as /events/7/checkout"
        ));
    }
    let Some(parsed) = Host::parse(Scheme::Https, host) else {
        return Err(format!("--host {host:?} is not a host. Write the bare name, such as tickets.example.com"));
    };
    let nothing = |_: &str| None;
    let plan = gate.decide(&Request {
        method,
        scheme: Scheme::Https,
        host,
        path_and_query: path,
        has_body: false,
        headers: &nothing,
    });
    let sent = as_sent(path);
    let reading = PathReading::new(&sent);
    let claims = gate.claims_to(&parsed, Method::of(method), &reading);
    let mut text = format!("{method} https://{host}{sent}: {}\n", outcome(&plan));
    let is_doubtful = matches!(plan, Plan::Refused(_));
    for (at, claim) in claims.iter().enumerate() {
        let why = match claims.first() {
            _ if is_doubtful => "some origins may read the path so".to_owned(),
            Some(winner) if at > 0 => why_less(claim, winner),
            _ => "the most particular".to_owned(),
        };
        let (room, pattern) = (&claim.room.settings.name, claim.pattern.as_str());
        let _ = writeln!(text, "  {room}: {pattern}: {why}");
    }
    if !claims.is_empty() || is_doubtful {
        text.push_str(&readings_in(&sent));
    }
    Ok(text)
}

/// Returns what origins do in different ways with a path, a line for each.
fn readings_in(path: &str) -> String {
    let mut text = String::new();
    for reading in Reading::all_in(path) {
        if reading.is_everybodys() {
            continue;
        }
        let _ = write!(text, "  an origin may read it so: it {}", reading.what());
        let readers = reading.readers().join(", ");
        let _ = match readers.as_str() {
            "" => writeln!(text),
            readers => writeln!(text, " ({readers})"),
        };
    }
    text
}

fn outcome(plan: &Plan<'_>) -> String {
    match plan {
        Plan::Gated(gated) => format!("room {}", gated.room.settings.name),
        Plan::Bypass(gated) => format!("forwarded without a pass, by bypass_paths of the room {}", gated.room.settings.name),
        Plan::Preflight { room, .. } => format!("a preflight to the room {}, forwarded without a pass", room.settings.name),
        Plan::Entry(room, link) => format!(
            "an entry token for the room {}; the visitor is sent on to {}",
            room.settings.name, link.path_and_query
        ),
        Plan::StrayEntry(link) => format!("an entry token for no room, taken out; the visitor is sent on to {}", link.path_and_query),
        Plan::NotGated => "no room, forwarded without a pass".to_owned(),
        Plan::Own(_) => "Baton's own".to_owned(),
        Plan::Refused(refusal) => {
            let (status, code) = (refusal.code.status(), refusal.code.as_str());
            format!("{status} {code}. {}", refusal.code.message())
        }
    }
}

/// Returns why a claim loses against the winner.
fn why_less(claim: &Claim<'_>, winner: &Claim<'_>) -> String {
    let is_named = |claim: &Claim<'_>| !claim.room.settings.hosts.is_empty();
    if is_named(winner) && !is_named(claim) {
        return format!("the room {} names the host", winner.room.settings.name);
    }
    let ((own, has_method), (winners, winner_has_method)) = (claim.pattern.rank(), winner.pattern.rank());
    let differs = own.iter().zip(winners).position(|(a, b)| a != b);
    if let Some(at) = differs
        && let (Some(own), Some(winners)) = (own.get(at), winners.get(at))
    {
        let segment = at + 1;
        return format!("at segment {segment} {} is less particular than {}", words(*own), words(*winners));
    }
    if winner_has_method && !has_method {
        return "it names no method".to_owned();
    }
    format!("as particular, and the name {} comes first", winner.room.settings.name)
}

fn words(particular: Particular) -> String {
    match particular {
        Particular::Everything => "\"everything below\"".to_owned(),
        Particular::Ends => "the end".to_owned(),
        Particular::AnySegment => "\"any segment\"".to_owned(),
        Particular::Begins(bytes) => format!("a beginning of {bytes} bytes"),
        Particular::Literal => "a segment that is written out".to_owned(),
    }
}
