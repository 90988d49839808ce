//! How a webhook is doing, as the desk reads it.

use super::queue::Hook;
use super::{Died, Kind, Message};
use serde::Serialize;

/// How a webhook is doing, for the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Its name.
    pub name: String,
    /// Where it goes.
    pub url: String,
    /// The rooms of which it is told; empty: all, and the house.
    pub rooms: Vec<String>,
    /// The kinds of which it is told; empty: all.
    pub kinds: Vec<Kind>,
    /// Messages that wait.
    pub pending: usize,
    /// When the oldest of these was read, Unix ms.
    pub oldest_ms: Option<u64>,
    /// When the oldest was read of those that were tried, were not taken, and are tried again by themselves, Unix ms. It outlives this
    /// memory.
    pub failing_since_ms: Option<u64>,
    /// When one was last taken, Unix ms, since this memory began.
    pub taken_at_ms: Option<u64>,
    /// The last failure since this memory began.
    pub failed: Option<Died>,
    /// What nobody took, the oldest first.
    pub dead: Vec<Lying>,
}

/// A message that nobody took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lying {
    /// What the receiver would know it by.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// The room; none: the house, or an operator's test.
    pub room: Option<String>,
    /// When it was read, Unix ms.
    pub born_ms: u64,
    /// Tries that failed.
    pub failures: u32,
    /// Its end.
    pub died: Option<Died>,
}

impl Told {
    /// O(messages).
    pub(super) fn of(hook: &Hook) -> Self {
        let pending = || hook.pending.values();
        let failing = pending().filter(|message| message.failures > 0 && !message.by_hand);
        Self {
            name: hook.wants.name.clone(),
            url: hook.wants.address.as_str().to_owned(),
            rooms: hook.wants.rooms.clone(),
            kinds: hook.wants.kinds.clone(),
            pending: hook.pending.len(),
            oldest_ms: pending().map(|message| message.born_ms).min(),
            failing_since_ms: failing.map(|message| message.born_ms).min(),
            taken_at_ms: hook.taken_at_ms,
            failed: hook.failed.clone(),
            dead: hook.dead.values().map(Lying::of).collect(),
        }
    }
}

impl Lying {
    fn of(message: &Message) -> Self {
        Self {
            id: message.id.clone(),
            kind: message.kind,
            room: room_of(message).map(str::to_owned),
            born_ms: message.born_ms,
            failures: message.failures,
            died: message.died.clone(),
        }
    }
}

/// An object is called by its room and where it lives, `onsale@apac.1`. The house's alone tells of the house.
fn room_of(message: &Message) -> Option<&str> {
    let (room, _) = message.source.split_once('@')?;
    (message.kind != Kind::HouseChanged).then_some(room)
}
