//! What has changed of each lobby's tickets lately, so that a lobby can be told what it has missed.
//!
//! The window is a part of the state: it is folded from the facts and stands in the snapshot, so a room that comes back can go on
//! telling where it stopped. It is bounded by a count a lobby; of what it no longer holds a lobby is told by a list.

mod stored;

use crate::facts::limits::sizes;
use crate::facts::message::Ended;
use crate::facts::units::{LobbyId, Number, Version};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Something happened to `count` tickets from `first` on, in this row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub row: Version,
    pub first: Number,
    pub count: u32,
    /// They ended.
    pub ended: Option<Ended>,
}

impl Changed {
    /// Whether the ticket is one of these.
    pub const fn covers(&self, number: Number) -> bool {
        self.first.0 <= number.0 && number.0 - self.first.0 < self.count as u64
    }
}

/// What is remembered of one lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Window {
    /// Every change after this row is here.
    from: Version,
    #[serde(serialize_with = "stored::put", deserialize_with = "stored::take")]
    changed: VecDeque<Changed>,
}

impl Window {
    fn note(&mut self, changed: Changed) {
        // A run of one row is one entry: a thousand places that end at once do not push out the rest.
        if let Some(last) = self.changed.back_mut()
            && (last.row, last.ended) == (changed.row, changed.ended)
            && last.first.plus(last.count.into()) == changed.first
        {
            last.count = last.count.saturating_add(changed.count);
            return;
        }
        if self.changed.len() >= sizes().changes_max
            && let Some(oldest) = self.changed.pop_front()
        {
            self.from = oldest.row;
        }
        self.changed.push_back(changed);
    }
}

/// See the file's documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changes {
    /// One entry for every lobby that ever had a ticket.
    windows: BTreeMap<LobbyId, Window>,
}

impl Changes {
    /// Every lobby that ever had a ticket.
    pub fn lobbies(&self) -> impl Iterator<Item = LobbyId> + '_ {
        self.windows.keys().copied()
    }

    /// Something happened to tickets of this lobby. O(log lobbies).
    pub fn note(&mut self, lobby: LobbyId, changed: Changed) {
        self.windows.entry(lobby).or_default().note(changed);
    }

    /// The operator has ended this ticket in this row: its visitor did not leave. O(lobbies + what changed in the row).
    pub fn was_dismissed(&mut self, row: Version, number: Number) {
        for window in self.windows.values_mut() {
            let of_row = window.changed.iter_mut().rev();
            let of_row = of_row.take_while(|changed| changed.row == row);
            let ends = of_row.filter(|changed| changed.ended.is_some() && changed.covers(number));
            ends.for_each(|changed| changed.ended = Some(Ended::Released));
        }
    }

    /// Nothing before this row can be told any more. O(lobbies).
    pub fn forget(&mut self, row: Version) {
        for window in self.windows.values_mut() {
            window.from = row;
            window.changed.clear();
        }
    }

    /// The last row in which something of the lobby's changed. O(log lobbies).
    pub fn newest(&self, lobby: LobbyId) -> Version {
        let window = self.windows.get(&lobby);
        window.map_or(Version(0), |window| {
            window
                .changed
                .back()
                .map_or(window.from, |changed| changed.row)
        })
    }

    /// All that changed after a row; `None`: that is not remembered. O(log changes).
    pub fn since(&self, lobby: LobbyId, row: Version) -> Option<impl Iterator<Item = &Changed>> {
        static NONE: VecDeque<Changed> = VecDeque::new();
        let window = self.windows.get(&lobby);
        if window.is_some_and(|window| row < window.from) {
            return None;
        }
        let changed = window.map_or(&NONE, |window| &window.changed);
        let told = changed.partition_point(|changed| changed.row <= row);
        Some(changed.range(told..))
    }
}
