//! Builds side by side. A deploy reaches isolates and objects one by one, so for a while a front, a lobby, a porter or the room gets messages that
//! another build has written.

/// A way that a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A call to the room.
    ToRoom,
    /// The room's answer.
    FromRoom,
    /// A push to a lobby.
    Push,
    /// The lobby's answer to it.
    Heard,
    /// A front's ask.
    ToLobby,
    /// The lobby's answer.
    FromLobby,
    /// A batch to a porter.
    ToPorter,
    /// The porter's answer.
    FromPorter,
}

pub(super) const WAYS: [Way; 8] = [
    Way::ToRoom,
    Way::FromRoom,
    Way::Push,
    Way::Heard,
    Way::ToLobby,
    Way::FromLobby,
    Way::ToPorter,
    Way::FromPorter,
];

/// The ways on which an object gets, or sends, what cannot be read, and until when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skew {
    pub until: u64,
    ways: u8,
}

impl Skew {
    pub(super) fn of(ways: &[Way], until: u64) -> Self {
        let ways = ways.iter().fold(0, |bits, way| bits | 1 << *way as u8);
        Self { until, ways }
    }

    pub(super) const fn has(self, time: u64, way: Way) -> bool {
        time < self.until && self.ways >> way as u8 & 1 == 1
    }
}
