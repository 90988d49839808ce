//! A porter object as its platform keeps it. `acts/porter` drives it.

use super::queue::Life;
use baton::lobby::CallId;
use baton::lobby::porter::{Porter, Sender};
use std::collections::BTreeMap;

/// A porter object.
#[derive(Default)]
pub struct PorterSide {
    pub(super) core: Porter,
    pub(super) senders: BTreeMap<Sender, (Life, CallId)>,
    pub(super) came: u64,
    pub(super) process: u64,
}
