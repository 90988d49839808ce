//! The headers on the way to the origin and back. Hop-by-hop headers (`Connection`, `Transfer-Encoding`, …) are left to the platform:
//! `fetch` sets and strips them itself.

use facts::proofs::ProofChecks;
use facts::units::{Edition, Fence, Number};
use settings::PassedHeaders;
use spelling::{HeaderKind, header_kind, is_baton_header, is_for_baton_to_say, is_replaced};
use token::{OriginKey, ProofError, ProofRequest};

/// Headers by which some origins read another method. Clients that can only GET and POST send them with a POST. With a `GET` they would
/// turn a request that was let through as a look into a change.
pub const METHOD_OVERRIDES: [&str; 3] = ["x-http-method-override", "x-http-method", "x-method-override"];
/// The header in which a monitor shows the operator's bypass secret. Like every header of Baton's, it never goes on to the origin.
pub const BYPASS_HEADER: &str = "baton-bypass";

/// What becomes of a client's header on the way to the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It goes on, or the front replaces it by its own.
    Goes,
    /// It never goes on, because only Baton may say this to an origin.
    Ours,
    /// It does not go on, because of what it would be to an origin that believes it.
    Stays(HeaderKind),
}

/// Decides by its name what becomes of a client's header: `name` is in lower case, `passed` are the names that the operator lets through. The front drops
/// [`Fate::Ours`] always, and [`Fate::Stays`] unless every room only observes. O(length), and for a name that is not ordinary + log names.
#[must_use]
pub fn fate_of(name: &str, method: &str, passed: &PassedHeaders) -> Fate {
    match header_kind(name) {
        _ if is_replaced(name) => Fate::Goes,
        _ if is_baton_header(name) => Fate::Ours,
        HeaderKind::Ordinary => Fate::Goes,
        HeaderKind::Platform if passed.are_behind_cloudflare() => Fate::Goes,
        // In another spelling than the front's own.
        HeaderKind::Odd if is_for_baton_to_say(name) => Fate::Ours,
        HeaderKind::Moves if method == "POST" && METHOD_OVERRIDES.contains(&name) => Fate::Goes,
        _ if passed.have(name) => Fate::Goes,
        kind => Fate::Stays(kind),
    }
}

/// Returns whether a header may go to the origin with a preflight: only what a browser's own preflight has. No cookie, no credentials and nothing by
/// which a page would do something goes with it, whatever a client sends. `name` is in lower case.
#[must_use]
pub fn goes_with_preflight(name: &str) -> bool {
    const PLAIN: [&str; 6] = ["host", "origin", "user-agent", "accept", "accept-encoding", "accept-language"];
    PLAIN.contains(&name) || name.starts_with("access-control-request-") || name.starts_with("sec-fetch-")
}

/// The header that tells the origin of a request that it is a preflight, which shows no pass and should do nothing.
pub const PREFLIGHT_HEADER: &str = "Baton-Preflight";

/// Returns whether a header of the origin's answer to a preflight comes back. `name` is in lower case.
#[must_use]
pub fn comes_back_to_preflight(name: &str) -> bool {
    name == "vary" || name.starts_with("access-control-")
}

/// How much is added to a rehearsal's edition before the origin is told of it, so that no ticket of a rehearsal looks like one of a sale. A
/// signed 32-bit number holds the sum.
const REHEARSAL_EDITIONS_FROM: u32 = 1_000_000_000;

/// What Baton tells the origin about an admitted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pledge<'a> {
    /// The room's name.
    pub room: &'a str,
    /// Whether the request is part of a rehearsal. The origin is told so, and gets an edition that no sale has.
    pub is_rehearsal: bool,
    /// The visitor's number. `None` for the staff, and for whoever the room lets through without a lease.
    pub number: Option<Number>,
    /// The edition of the number, which is unique only within it.
    pub edition: Edition,
    /// The lease's fence. `None` on a farewell, whose permit belongs to somebody else by now.
    pub fence: Option<Fence>,
    /// When the lease (or the farewell) ends, Unix ms.
    pub ends_at_ms: u64,
    /// The name of one of the staff, who has neither number nor lease.
    pub staff: Option<&'a str>,
}

impl<'a> Pledge<'a> {
    /// Makes the pledge for one of the staff.
    #[must_use]
    pub const fn of_staff(room: &'a str, name: &'a str) -> Self {
        Self {
            staff: Some(name),
            ..Self::of_room(room)
        }
    }

    /// Makes the pledge for whoever the room lets through without a lease: the shop learns of the room, and must ask for none.
    #[must_use]
    pub const fn of_room(room: &'a str) -> Self {
        Self {
            room,
            is_rehearsal: false,
            number: None,
            edition: Edition::FIRST,
            fence: None,
            ends_at_ms: 0,
            staff: None,
        }
    }
}

/// Returns the headers to add to a request. `pledge` is `None` where no pass is needed (an exception, a preflight, no room); then only the proof
/// and its target are added, if there is a key. The pledge's fence and room replace those of `request`; without a pledge they are 0 and
/// empty. `now_ms` is Unix ms; `nonce` must differ for each request.
///
/// # Errors
/// [`ProofError::LineBreak`] if a field of the request has a line break; the caller answers 400.
pub fn origin_headers(
    pledge: Option<&Pledge<'_>>,
    key: Option<&OriginKey>,
    now_ms: u64,
    nonce: u64,
    request: &ProofRequest<'_>,
) -> Result<Vec<(&'static str, String)>, ProofError> {
    let fence = pledge.and_then(|pledge| pledge.fence);
    let mut headers = Vec::with_capacity(8);
    if let Some(pledge) = pledge {
        headers.push(("Baton-Room", pledge.room.to_owned()));
    }
    if let Some(name) = pledge.and_then(|pledge| pledge.staff) {
        headers.push(("Baton-Staff", name.to_owned()));
    } else if let Some(pledge) = pledge
        && let Some(number) = pledge.number
    {
        headers.push(("Baton-Ticket", number.0.to_string()));
        let edition = if pledge.is_rehearsal {
            headers.push(("Baton-Rehearsal", "1".to_owned()));
            pledge.edition.0.saturating_add(REHEARSAL_EDITIONS_FROM)
        } else {
            pledge.edition.0
        };
        headers.push(("Baton-Edition", edition.to_string()));
        if let Some(fence) = fence {
            headers.push(("Baton-Fence", fence.0.to_string()));
        }
        headers.push(("Baton-Ends-At-Ms", pledge.ends_at_ms.to_string()));
    }
    if let Some(key) = key {
        let request = ProofRequest {
            fence: fence.unwrap_or(Fence(0)),
            room: pledge.map_or("", |pledge| pledge.room),
            ..*request
        };
        headers.push(("Baton-Proof", key.prove(now_ms, nonce, &request)?));
        // Frameworks show an origin a decoded path, but the proof covers these bytes.
        headers.push(("Baton-Target", request.path_and_query.to_owned()));
    }
    Ok(headers)
}

/// Returns the value of a header of the origin's to Baton. Several headers of one name come joined by commas; equal ones count once, as when a kit and
/// a proxy both set it. Returns `None` if they differ, because nobody knows which is meant.
#[must_use]
pub fn said_once(value: &str) -> Option<&str> {
    let mut values = value.split(',').map(str::trim);
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}

/// Reads `Baton-Checked`: `ok`, or `no;` and a reason of the closed list. Returns `None` for anything else.
#[must_use]
pub fn read_checked(value: &str) -> Option<ProofChecks> {
    match value.trim() {
        "ok" => ProofChecks::one("ok"),
        refused => refused.strip_prefix("no;").filter(|reason| *reason != "ok").and_then(ProofChecks::one),
    }
}

/// Whether the origin is done with a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The origin said nothing.
    Keep,
    /// `Baton-Release: 1`, or the room's name in place of the 1.
    Now,
}

/// What the origin's answer asks Baton to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginCommands {
    /// Whether the lease ends.
    pub release: Release,
    /// How far to move the lease's hard end, in ms; the room caps it.
    pub extend_ms: Option<u64>,
}

/// Reads `Baton-Release` and `Baton-Extend` in an answer on a path of this room. Ignores anything but `1`, the room's name and whole seconds: an origin's slip must not cost a visitor the lease.
#[must_use]
pub fn read_origin_commands(room: &str, release: Option<&str>, extend: Option<&str>) -> OriginCommands {
    let release = if release.is_some_and(|said| ["1", room].contains(&said.trim())) {
        Release::Now
    } else {
        Release::Keep
    };
    let seconds = extend.map(str::trim).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let extend_ms = seconds.and_then(|text| text.parse::<u64>().ok()?.checked_mul(1_000));
    OriginCommands {
        release,
        extend_ms: extend_ms.filter(|ms| *ms > 0),
    }
}
