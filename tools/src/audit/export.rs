//! Reads the chain: the lines of an export, one after the other, whole and unbroken.
//!
//! The first line is a header; then comes one line a row. A header in the middle begins another page and must go on where the chain stands. The hash
//! of a row is SHA-256 over these: the hash before it (32 bytes); version, room's time and wall clock (8 bytes each, little-endian); the SHA-256 of
//! the facts as stored; and what stands for their private half (32 bytes, zeros if there is none). An export does not hold the private half itself.

use super::{Fingerprint, Moment, Scope, Stop, fault_of_row};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use baton::facts::event::Event;
use baton::facts::house::HouseEvent;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// The form of export that this code reads.
const FORMAT: u64 = 1;
const LAW: &str = "the chain is whole";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    baton_journal: u64,
    room: String,
    after: u64,
    previous: String,
}

/// A row's line. `E` is the type of its readable facts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a, E> {
    version: u64,
    at_ms: u64,
    wall_ms: u64,
    events: E,
    #[serde(borrow)]
    facts: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    private: Option<Cow<'a, str>>,
    #[serde(borrow)]
    hash: Cow<'a, str>,
}

/// A fact that an export may hold.
pub trait Exported: Serialize + DeserializeOwned {
    /// Returns true if the fact shows a key or a name, which an export must not.
    fn names_somebody(&self) -> bool;
}

/// A row that follows the one before.
pub struct Row<E = Event> {
    pub moment: Moment,
    pub events: Vec<E>,
    pub hash: Fingerprint,
}

/// The chain as far as it was read.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    scope: Scope,
    room: Option<String>,
    /// The number of rows before the first page; 0 unless the export is a part of a journal.
    after: u64,
    version: u64,
    hash: Fingerprint,
    first_wall_ms: u64,
    last: Moment,
}

impl Chain {
    pub fn new(scope: Scope) -> Self {
        Self { scope, ..Self::default() }
    }

    /// The room's name; empty before the first line.
    pub fn room(&self) -> &str {
        self.room.as_deref().unwrap_or_default()
    }

    pub const fn version(&self) -> u64 {
        self.version
    }

    pub const fn rows(&self) -> u64 {
        self.version - self.after
    }

    /// The hash of the last row.
    pub const fn hash(&self) -> Fingerprint {
        self.hash
    }

    /// When the last row was written.
    pub const fn last(&self) -> Moment {
        self.last
    }

    /// The wall clock at the first row and at the last.
    pub const fn wall_ms(&self) -> (u64, u64) {
        (self.first_wall_ms, self.last.wall_ms)
    }

    /// Reads one line. Returns `None` for a header. O(bytes).
    ///
    /// Long because the checks of a row follow each other in the order in which faults are named.
    pub fn read<E: Exported>(&mut self, line: u64, text: &str) -> Result<Option<Row<E>>, Stop> {
        let text = text.trim_end_matches(['\n', '\r']);
        if self.room.is_none() || text.contains("\"baton_journal\"") {
            return self.read_header(line, text).map(|()| None);
        }
        let unreadable = |what: String, cure| Stop::Unreadable { line, what, cure };
        let read: Line<IgnoredAny> = serde_json::from_str(text).map_err(|error| {
            unreadable(
                format!("not a row of an export: {error}"),
                "fetch the export again: this line is cut off, or not what Baton wrote",
            )
        })?;
        let version = self.version.saturating_add(1);
        let broken = |what: String| fault_of_row(version, line, LAW, what);
        if read.version != version {
            let seen = read.version;
            return Err(broken(format!("row {version} comes next, here is row {seen}")));
        }
        let facts = STANDARD
            .decode(read.facts.as_bytes())
            .map_err(|error| broken(format!("`facts` is not base64: {error}")))?;
        let moment = Moment {
            row: version,
            at_ms: read.at_ms,
            wall_ms: read.wall_ms,
        };
        let private = read.private.as_deref().map(Fingerprint::parse);
        let private = private.unwrap_or_else(|| Some(Fingerprint::default()));
        let private = private.ok_or_else(|| broken("`private` is not 64 hex digits".to_owned()))?;
        let hash = self.hash_after(moment, &facts, private);
        if Fingerprint::parse(&read.hash) != Some(hash) {
            let said = &read.hash;
            return Err(broken(format!(
                "its hash should be {hash}, the export says {said}: this row or one before it \
                 was changed"
            )));
        }
        if read.at_ms < self.last.at_ms {
            let (was, is) = (self.last.at_ms, read.at_ms);
            return Err(broken(format!("the room's time ran back from {was} to {is}")));
        }
        let events: Vec<E> = decode(&facts).ok_or_else(|| {
            unreadable(
                format!("row {version} holds facts that this audit cannot read"),
                "use the audit of the Baton that wrote the export; if it is the same, the row is \
                 forged or damaged",
            )
        })?;
        if !reads_as(text, read, &events) {
            return Err(broken("`events` does not say what `facts` says".to_owned()));
        }
        if let Some(event) = events.iter().find(|event| event.names_somebody()) {
            let what = format!("`{}` says who", name(event));
            return Err(fault_of_row(version, line, "an export names nobody", what));
        }
        if self.version == self.after {
            self.first_wall_ms = moment.wall_ms;
        }
        (self.version, self.hash, self.last) = (version, hash, moment);
        Ok(Some(Row { moment, events, hash }))
    }

    fn hash_after(&self, moment: Moment, facts: &[u8], private: Fingerprint) -> Fingerprint {
        let mut hasher = Sha256::new();
        hasher.update(self.hash.0);
        for value in [moment.row, moment.at_ms, moment.wall_ms] {
            hasher.update(value.to_le_bytes());
        }
        hasher.update(Sha256::digest(facts));
        hasher.update(private.0);
        Fingerprint(hasher.finalize().into())
    }

    fn read_header(&mut self, line: u64, text: &str) -> Result<(), Stop> {
        let unreadable = |what: String, cure| Stop::Unreadable { line, what, cure };
        let header: Header = serde_json::from_str(text).map_err(|error| {
            unreadable(
                format!("not the header of an export: {error}"),
                "an export begins with a line {\"baton_journal\":1,…}",
            )
        })?;
        if header.baton_journal != FORMAT {
            return Err(unreadable(
                format!("format {}, this audit reads {FORMAT}", header.baton_journal),
                "use the audit of the Baton that wrote the export",
            ));
        }
        let previous =
            Fingerprint::parse(&header.previous).ok_or_else(|| unreadable("`previous` is not 64 hex digits".to_owned(), "fetch the export again"))?;
        if self.room.is_none() {
            if header.after > 0 && self.scope == Scope::Everything {
                return Err(unreadable(
                    format!("the export begins after row {}", header.after),
                    "the laws can only be checked from the first row on: put the pages from \
                     after=0 in front; --chain-only checks the hashes of a part",
                ));
            }
            (self.version, self.after) = (header.after, header.after);
            if header.after > 0 {
                self.hash = previous;
            }
            self.room = Some(header.room.clone());
        }
        let goes_on = self.room() == header.room && header.after == self.version && previous == self.hash;
        if goes_on {
            return Ok(());
        }
        let (room, after, own) = (header.room, header.after, self.room());
        let what = format!(
            "a page of room {room:?} after row {after} with the hash {previous} does not go on from room {own:?}, row {}, {}",
            self.version, self.hash
        );
        Err(fault_of_row(self.version.saturating_add(1), line, LAW, what))
    }

    /// Returns an error if the export held no row.
    pub fn finish(&self, lines: u64) -> Result<(), Stop> {
        if self.rows() > 0 {
            return Ok(());
        }
        Err(Stop::Unreadable {
            line: lines,
            what: "the export holds no row".to_owned(),
            cure: "fetch it again; a room that was never used has no history",
        })
    }
}

/// Returns true if a line's readable facts say exactly this. Most lines are byte for byte what the exporter writes; another spelling of
/// the same JSON is as good.
fn reads_as<E: Exported>(text: &str, read: Line<IgnoredAny>, events: &[E]) -> bool {
    let usual = Line {
        version: read.version,
        at_ms: read.at_ms,
        wall_ms: read.wall_ms,
        events,
        facts: read.facts,
        private: read.private,
        hash: read.hash,
    };
    if serde_json::to_string(&usual).is_ok_and(|usual| usual == text) {
        return true;
    }
    let spelled = serde_json::from_str::<Line<Value>>(text);
    let meant = serde_json::to_value(events);
    matches!((spelled, meant), (Ok(spelled), Ok(meant)) if spelled.events == meant)
}

impl Exported for Event {
    fn names_somebody(&self) -> bool {
        match self {
            Self::Joined { holders, .. } | Self::Entered { holders, .. } => !holders.is_empty(),
            Self::Owned { accounts, .. } => !accounts.is_empty(),
            Self::WalkedIn { holder, .. } | Self::Carried { to: holder, .. } => holder.is_some(),
            Self::SheetMade { codes, by, .. } => !(codes.is_empty() && by.is_empty()),
            Self::SheetWithdrawn { by, .. } => !by.is_empty(),
            Self::Spent(spent) => spent.slip.is_some(),
            Self::Adjusted { by, .. } | Self::Dismissed { by, .. } | Self::Reset { by, .. } => !by.is_empty(),
            _ => false,
        }
    }
}

impl Exported for HouseEvent {
    fn names_somebody(&self) -> bool {
        matches!(self, Self::Changed { by } if !by.is_empty())
    }
}

/// Returns the facts if these bytes are exactly their stored form.
fn decode<E: Exported>(bytes: &[u8]) -> Option<Vec<E>> {
    let events: Vec<E> = postcard::from_bytes(bytes).ok()?;
    let stored = postcard::to_allocvec(&events).ok()?;
    (stored == bytes).then_some(events)
}

/// Returns a fact's name in the export, which shows a fact as this name, or as an object with this name as its key.
pub fn name(fact: &impl Exported) -> String {
    match serde_json::to_value(fact) {
        Ok(Value::Object(named)) => named.into_iter().map(|(name, _)| name).collect(),
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}
