//! What the operator's front and a room say to each other: orders to the room, and what it tells of itself. JSON, as the
//! values are the operator's own words. One home for both ends, so that neither can say what the other does not read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::room::live::LiveValue;
use crate::room::report::Report;
use crate::units::Number;

/// The room as the operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// In numbers.
    pub report: Report,
    /// Counts up with each change of live values.
    pub revision: u64,
    /// Every key with the value in force and where that comes from.
    pub settings: Map<String, Value>,
    /// Who set which live value, and when.
    pub changed: BTreeMap<String, LiveValue>,
}

/// A change of live values: all of them or none.
#[derive(Debug, Serialize, Deserialize)]
pub struct LiveChange {
    /// Who wants it.
    pub by: String,
    /// The revision that the operator saw; `None`: any.
    pub expected: Option<u64>,
    /// `null`: the file's again.
    pub values: Map<String, Value>,
}

/// A ticket to be ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Dismissal {
    /// Who wants it.
    pub by: String,
    /// Which ticket.
    pub number: Number,
}
