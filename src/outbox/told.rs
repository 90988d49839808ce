//! How the webhooks are doing, as the desk reads it.

use super::queue::Hook;
use super::{Died, Kind, Message};
use serde::Serialize;

/// How one webhook is doing, for the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Its name.
    pub name: String,
    /// Where its messages go.
    pub url: String,
    /// The rooms that it is told of; empty for all rooms and the house.
    pub rooms: Vec<String>,
    /// The kinds that it is told of; empty for all but the personal ones.
    pub kinds: Vec<Kind>,
    /// The number of messages that wait.
    pub pending: usize,
    /// When the oldest of them was read, Unix ms.
    pub oldest_ms: Option<u64>,
    /// When the oldest message that failed and is still tried by itself was read, Unix ms. This survives when the outbox leaves memory.
    pub failing_since_ms: Option<u64>,
    /// When it last took a message, Unix ms, since the outbox came into memory.
    pub taken_at_ms: Option<u64>,
    /// Its last failure since the outbox came into memory.
    pub failed: Option<Died>,
    /// The messages that nobody took, the oldest first.
    pub dead: Vec<Lying>,
}

/// A message that nobody took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lying {
    /// The id by which the receiver would know it.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// The room; `None` for the house, or for an operator's test.
    pub room: Option<String>,
    /// When it was read, Unix ms.
    pub born_ms: u64,
    /// The number of failed tries.
    pub failures: u32,
    /// When and why it died.
    pub died: Option<Died>,
}

impl Told {
    /// Tells how a webhook is doing. O(messages).
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

/// The room that a message is about. An object is called by its room and where it lives, `onsale@apac.1`; only the
/// house's object tells of the house.
fn room_of(message: &Message) -> Option<&str> {
    let (room, _) = message.source.split_once('@')?;
    (message.kind != Kind::HouseChanged).then_some(room)
}
