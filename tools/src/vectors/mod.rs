//! Makes the kits' shared table of test vectors, `kits/vectors.json`: requests as they arrive at a shop, with what a kit must say of each. Baton's
//! own code signs them, so a kit that agrees with the table agrees with Baton.
//!
//! `cases.rs` holds the requests; this file signs them and writes the table.

mod cases;

use std::collections::BTreeMap;

use baton::facts::units::{Edition, Fence, Number};
use baton::gate::{Pledge, Reading, origin_headers};
use baton::token::{OriginKey, ProofError, ProofRequest, StockReport};
use serde::Serialize;

pub use cases::{Case, Says, all};

/// `ORIGIN_SECRET` of the table. It is nobody's secret.
pub const SECRET: &str = "shared with the shop";
/// The clock of the table, Unix ms.
pub const NOW_MS: u64 = 1_800_000_000_000;
/// The public hosts that the shop's settings name.
pub const HOSTS: [&str; 2] = ["tickets.example.com", "tickets.example.com:8443"];
/// What a signed lease of the table says besides its fence.
const NUMBER: u64 = 1_234;
const EDITION: u32 = 3;
const ENDS_AT_MS: u64 = NOW_MS + 300_000;

/// One request of the table, as it is written.
#[derive(Debug, Serialize)]
pub struct Vector {
    /// What it shows.
    pub name: &'static str,
    /// The method, as it arrives.
    pub method: &'static str,
    /// Path and query of the request line, as it arrives.
    pub url: &'static str,
    /// The headers, by lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The rooms that the shop expects, by the beginning of the path; left out if it expects any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rooms: BTreeMap<&'static str, Vec<&'static str>>,
    /// Whether the shop answers preflights before its pages run; left out if not.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub answers_preflights: bool,
    /// What a kit with its own replay store says to the request, and to the same request again.
    pub says: [Says; 2],
    /// What the shop may know of the visitor afterwards; left out if the request is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visit: Option<Visit>,
}

/// What a verified request says of its visitor.
#[derive(Debug, Serialize)]
pub struct Visit {
    /// The visitor's host, in lower case.
    pub host: String,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The room; null if none gates the path.
    pub room: Option<&'static str>,
    /// The room's edition; 0 without a room.
    pub edition: u32,
    /// The visitor's number; null without a room.
    pub ticket: Option<u64>,
    /// The lease's fence; null without a lease.
    pub fence: Option<u64>,
}

/// One way to read a path, with the pieces that show it, and `/buy/seat` spelt with each.
#[derive(Serialize)]
struct Spelt {
    name: &'static str,
    what: &'static str,
    readers: Vec<&'static str>,
    heads: &'static [&'static str],
    blanks: &'static [&'static str],
    ups: &'static [&'static str],
    joints: &'static [&'static str],
    ends: &'static [&'static str],
    letters: &'static [&'static str],
    spellings: Vec<String>,
}

impl Spelt {
    fn of(reading: Reading) -> Self {
        let pieces = reading.pieces();
        Self {
            name: reading.name(),
            what: reading.what(),
            readers: reading.readers(),
            heads: pieces.heads,
            blanks: pieces.blanks,
            ups: pieces.ups,
            joints: pieces.joints,
            ends: pieces.ends,
            letters: pieces.letters,
            spellings: reading.spellings("buy", "seat"),
        }
    }
}

#[derive(Serialize)]
struct Stock {
    room: &'static str,
    left: u32,
    at_ms: u64,
    header: String,
}

/// Returns the key of [`SECRET`].
///
/// # Errors
/// Never, because the secret is not empty.
pub fn key() -> Result<OriginKey, ProofError> {
    OriginKey::new(SECRET)
}

/// Signs a case, and lays over it what somebody changed on the way.
///
/// # Errors
/// Returns [`ProofError`] if the case cannot be signed.
pub fn vector(case: &Case) -> Result<Vector, ProofError> {
    let key = OriginKey::new(case.secret)?;
    let request = ProofRequest {
        method: case.method,
        host: case.host,
        path_and_query: case.target,
        room: "",
        fence: Fence(0),
    };
    let pledge = case.room.map(|room| Pledge {
        room,
        is_rehearsal: false,
        number: Some(Number(NUMBER)),
        edition: Edition(EDITION),
        fence: case.fence.map(Fence),
        ends_at_ms: ENDS_AT_MS,
        staff: None,
    });
    let added = origin_headers(pledge.as_ref(), Some(&key), case.at_ms, case.nonce, &request)?;
    let mut headers = BTreeMap::from([
        ("host".to_owned(), "shop.internal:8000".to_owned()),
        ("x-forwarded-host".to_owned(), case.host.to_owned()),
        ("x-forwarded-proto".to_owned(), "https".to_owned()),
        ("baton-target".to_owned(), case.target.to_owned()),
    ]);
    headers.extend(added.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)));
    for (name, value) in &case.changed {
        match value {
            Some(value) => headers.insert((*name).to_owned(), (*value).to_owned()),
            None => headers.remove(*name),
        };
    }
    Ok(Vector {
        name: case.name,
        method: case.arrives_by.unwrap_or(case.method),
        url: case.arrives_at.unwrap_or(case.target),
        headers,
        rooms: case.rooms.iter().cloned().collect(),
        answers_preflights: case.answers_preflights,
        says: [case.says, case.says.again()],
        visit: (case.says == Says::Ok).then(|| Visit {
            host: case.host.to_ascii_lowercase(),
            scheme: "https",
            room: case.room,
            edition: case.room.map_or(0, |_| EDITION),
            ticket: case.room.map(|_| NUMBER),
            fence: case.fence,
        }),
    })
}

/// Returns the table as JSON text, one case a line.
///
/// # Errors
/// Returns a sentence that names the case that could not be written.
pub fn table() -> Result<String, String> {
    let key = key().map_err(|error| format!("the key: {error:?}"))?;
    let mut requests = Vec::new();
    for case in all() {
        let signed = vector(&case).map_err(|error| format!("{}: {error:?}", case.name))?;
        requests.push(line(&signed)?);
    }
    let mut stocks = Vec::new();
    for (room, left, at_ms) in [("onsale", 1_200, NOW_MS), ("hall-2", 0, NOW_MS + 1)] {
        let header = key.report_stock(room, StockReport { left, at_ms });
        stocks.push(line(&Stock { room, left, at_ms, header })?);
    }
    let readings = Reading::ALL.map(|reading| line(&Spelt::of(reading)));
    let readings = readings.into_iter().collect::<Result<Vec<_>, _>>()?;
    let about = "Requests as they arrive at a shop, and what a kit says of them; and how origins read paths. Written by `cargo run -p baton-tools --bin kit-vectors`; do not edit by hand.";
    Ok(format!(
        "{{\n  \"about\": {},\n  \"secret\": {},\n  \"hosts\": {},\n  \"now_ms\": {NOW_MS},\n  \"requests\": [\n    {}\n  ],\n  \"stock\": [\n    {}\n  ],\n  \"readings\": [\n    {}\n  ]\n}}\n",
        line(&about)?,
        line(&SECRET)?,
        line(&HOSTS)?,
        requests.join(",\n    "),
        stocks.join(",\n    "),
        readings.join(",\n    "),
    ))
}

fn line(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}
