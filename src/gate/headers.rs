//! Headers on the way to the origin and back. Hop-by-hop headers (`Connection`, `Transfer-Encoding`, …) are
//! the platform's business: `fetch` sets and strips them itself.

use crate::facts::proofs::ProofChecks;
use crate::facts::units::{Edition, Fence, Number};
use crate::token::{OriginKey, ProofError, ProofRequest};

/// Headers by which some origin reads another path, host, scheme or place of itself than the request has. The gate judges
/// the request, so none of them goes on from a client. The one list: whatever such a header is called, it belongs here.
const OVERRIDES: [&str; 28] = [
    // The whole address, in one standard header.
    "forwarded",
    // Another path, or a prefix to it.
    "x-original-url",
    "x-original-uri",
    "x-original-path",
    "x-rewrite-url",
    "x-forwarded-uri",
    "x-forwarded-url",
    "x-forwarded-path",
    "x-forwarded-prefix",
    "x-script-name",
    "x-envoy-original-path",
    "x-waws-unencoded-url",
    "x-accel-mapping",
    "x-sendfile-type",
    // Another method, as proxies tell it.
    "x-original-method",
    "x-forwarded-method",
    // Another host or port.
    "x-original-host",
    "x-forwarded-server",
    "x-forwarded-port",
    "x-host",
    "x-http-host-override",
    "x-envoy-original-host",
    // Another scheme.
    "x-forwarded-scheme",
    "x-forwarded-protocol",
    "x-forwarded-ssl",
    "x-url-scheme",
    "front-end-https",
    // An address for the origin's own requests, where CGI makes `HTTP_PROXY` of it.
    "proxy",
];
/// Headers by which some origins read another method. Clients that can only GET and POST send them with a POST; on a
/// `GET` they would make a change of what was let through as a look.
pub const METHOD_OVERRIDES: [&str; 3] = [
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
];
/// What the front sets itself, whatever a client says.
const FORWARDED: [&str; 3] = ["x-forwarded-host", "x-forwarded-proto", "x-forwarded-for"];

/// In which a monitor shows the operator's bypass secret. It never goes on to the origin, as no header of Baton's does.
pub const BYPASS_HEADER: &str = "baton-bypass";

/// Whether a header is Baton's: on a request it is removed before ours are added, on the origin's answer it
/// is consumed. Every sign that is no letter and no digit counts as `-`: CGI and what is like it show an origin
/// `Baton-Fence`, `Baton_Fence` and, some of them, `Baton.Fence` under one name.
#[must_use]
pub fn is_baton_header(name: &str) -> bool {
    const PREFIX: &[u8] = b"baton-";
    name.trim()
        .as_bytes()
        .get(..PREFIX.len())
        .is_some_and(|head| head.iter().zip(PREFIX).all(|(a, b)| plain(*a) == *b))
}

/// Whether a request's header must not go on to the origin: Baton's own, and those by which an origin would read
/// another path, another method or another host than the gate did. O(length).
#[must_use]
pub fn is_unwelcome(name: &str, method: &str) -> bool {
    let is_one_of = |names: &[&str]| names.iter().any(|known| is_spelling_of(name, known));
    is_baton_header(name)
        || is_one_of(&OVERRIDES)
        || (method != "POST" && is_one_of(&METHOD_OVERRIDES))
        // By its right name the front replaces it.
        || (is_one_of(&FORWARDED) && !FORWARDED.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

fn is_spelling_of(name: &str, known: &str) -> bool {
    name.len() == known.len() && name.bytes().zip(known.bytes()).all(|(a, b)| plain(a) == b)
}

/// A byte of a header's name as CGI reads it, but for case and `-`.
const fn plain(byte: u8) -> u8 {
    if byte.is_ascii_alphanumeric() {
        byte.to_ascii_lowercase()
    } else {
        b'-'
    }
}

/// Editions of rehearsals are told to the origin as so much more, so that no number of a rehearsal is one of a sale. A signed 32-bit
/// number holds it.
const REHEARSAL_EDITIONS_FROM: u32 = 1_000_000_000;

/// What the origin is told about an admitted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pledge<'a> {
    /// The room's name.
    pub room: &'a str,
    /// Whether it is of a rehearsal: the origin is told so, and gets another edition than any of a sale.
    pub is_rehearsal: bool,
    /// The visitor's number.
    pub number: Number,
    /// The edition of the number, within which it is unique.
    pub edition: Edition,
    /// The lease's fence; none on a farewell, whose permit is another's by now.
    pub fence: Option<Fence>,
    /// Unix ms at which the lease (or the farewell) ends.
    pub ends_at_ms: u64,
    /// Which of the staff it is, who has neither number nor lease.
    pub staff: Option<&'a str>,
}

impl<'a> Pledge<'a> {
    /// One of the staff.
    #[must_use]
    pub const fn of_staff(room: &'a str, name: &'a str) -> Self {
        Self {
            room,
            is_rehearsal: false,
            number: Number(0),
            edition: Edition::FIRST,
            fence: None,
            ends_at_ms: 0,
            staff: Some(name),
        }
    }
}

/// The headers to add to a request. `pledge` is none where no pass was needed (bypass, preflight, no room):
/// then there are the proof and its target alone, if there is a key. `request.fence` and `request.room` are overwritten by the pledge's, 0
/// and empty without. `now_ms` is Unix ms, `nonce` another for each request.
///
/// # Errors
/// [`ProofError::LineBreak`] if a field of the request has one; answer 400.
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
    } else if let Some(pledge) = pledge {
        headers.push(("Baton-Ticket", pledge.number.0.to_string()));
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
        // Frameworks show an origin a decoded path; the proof covers these bytes.
        headers.push(("Baton-Target", request.path_and_query.to_owned()));
    }
    Ok(headers)
}

/// Reads `Baton-Checked`: `ok`, or `no;` and a reason of the closed list. Anything else says nothing.
#[must_use]
pub fn read_checked(value: &str) -> Option<ProofChecks> {
    match value.trim() {
        "ok" => ProofChecks::one("ok"),
        refused => refused
            .strip_prefix("no;")
            .filter(|reason| *reason != "ok")
            .and_then(ProofChecks::one),
    }
}

/// Whether the origin is done with a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// It said nothing.
    Keep,
    /// `Baton-Release: 1`.
    Now,
}

/// What the origin's answer asks of Baton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginCommands {
    /// Whether the lease ends.
    pub release: Release,
    /// How far its hard end moves, in ms; the room caps it.
    pub extend_ms: Option<u64>,
}

/// Reads `Baton-Release` and `Baton-Extend`. Anything but `1`, and anything but whole seconds, is ignored:
/// an origin's slip must not cost a visitor the lease.
#[must_use]
pub fn read_origin_commands(release: Option<&str>, extend: Option<&str>) -> OriginCommands {
    let release = if release.map(str::trim) == Some("1") {
        Release::Now
    } else {
        Release::Keep
    };
    let seconds = extend
        .map(str::trim)
        .filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let extend_ms = seconds.and_then(|text| text.parse::<u64>().ok()?.checked_mul(1_000));
    OriginCommands {
        release,
        extend_ms: extend_ms.filter(|ms| *ms > 0),
    }
}
