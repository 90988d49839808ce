//! Remembers recent changes to each lobby's tickets, so that the room can tell a lobby what it has missed.
//!
//! The windows are part of the room's state: they are folded from the facts and stored in the snapshot, so a room that comes back into memory goes on
//! where it stopped. A window holds a bounded number of changes. A lobby that has missed more than its window holds gets a list.

mod stored;

use facts::limits::sizes;
use facts::message::Ended;
use facts::units::{LobbyId, Number, Version};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A change to `count` consecutive tickets, from `first` on, in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub row: Version,
    pub first: Number,
    pub count: u32,
    /// How the tickets ended; `None` if this change did not end them.
    pub ended: Option<Ended>,
}

impl Changed {
    /// Returns a change that ends nobody.
    pub const fn of(row: Version, first: Number, count: u32) -> Self {
        Self {
            row,
            first,
            count,
            ended: None,
        }
    }

    /// The number behind the last of these tickets.
    pub const fn end(&self) -> Number {
        self.first.plus(self.count as u64)
    }

    /// Returns true if the ticket is one of these.
    pub const fn covers(&self, number: Number) -> bool {
        self.first.0 <= number.0 && number.0 - self.first.0 < self.count as u64
    }
}

/// What the room remembers of one lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Window {
    /// The window holds every change after this row.
    from: Version,
    #[serde(serialize_with = "stored::put", deserialize_with = "stored::take")]
    changed: VecDeque<Changed>,
}

impl Window {
    fn note(&mut self, changed: Changed) {
        // Consecutive tickets that change alike in one row share an entry, so that a thousand places which end at once do not push out the rest.
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

/// The windows of all lobbies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changes {
    /// One window for each lobby that ever had a ticket, in the order of lobbies.
    windows: Vec<(LobbyId, Window)>,
}

impl Changes {
    /// Returns every lobby that ever had a ticket.
    pub fn lobbies(&self) -> impl Iterator<Item = LobbyId> + '_ {
        self.windows.iter().map(|(lobby, _)| *lobby)
    }

    /// Returns where the lobby's window is, or where it would be. A room's lobbies count up from 0, so as a rule each is where its name says.
    fn place(&self, lobby: LobbyId) -> Result<usize, usize> {
        let guess = usize::from(lobby.0);
        match self.windows.get(guess) {
            Some((of, _)) if *of == lobby => Ok(guess),
            _ => self.windows.binary_search_by_key(&lobby, |(of, _)| *of),
        }
    }

    fn window(&self, lobby: LobbyId) -> Option<&Window> {
        let at = self.place(lobby).ok()?;
        self.windows.get(at).map(|(_, window)| window)
    }

    /// Records a change to this lobby's tickets. O(1) where lobbies have consecutive names, else O(log lobbies), and O(lobbies) for a lobby's first.
    pub fn note(&mut self, lobby: LobbyId, changed: Changed) {
        let at = self.place(lobby).unwrap_or_else(|at| {
            self.windows.insert(at, (lobby, Window::default()));
            at
        });
        if let Some((_, window)) = self.windows.get_mut(at) {
            window.note(changed);
        }
    }

    /// Records that the operator ended this ticket in this row, so its lobby must not hear that the visitor left. O(lobbies + changes in the row).
    pub fn note_dismissal(&mut self, row: Version, number: Number) {
        for (_, window) in &mut self.windows {
            let of_row = window.changed.iter_mut().rev();
            let of_row = of_row.take_while(|changed| changed.row == row);
            let ends = of_row.filter(|changed| changed.ended.is_some() && changed.covers(number));
            ends.for_each(|changed| changed.ended = Some(Ended::Released));
        }
    }

    /// Forgets every change up to this row. A lobby that knows only an older row then gets a list. O(lobbies).
    pub fn forget(&mut self, row: Version) {
        for (_, window) in &mut self.windows {
            window.from = row;
            window.changed.clear();
        }
    }

    /// Returns the last row in which one of the lobby's tickets changed. O(log lobbies).
    pub fn newest(&self, lobby: LobbyId) -> Version {
        let window = self.window(lobby);
        window.map_or(Version(0), |window| window.changed.back().map_or(window.from, |changed| changed.row))
    }

    /// Returns all changes after a row, or `None` if the room no longer remembers them. O(log changes).
    pub fn since(&self, lobby: LobbyId, row: Version) -> Option<impl Iterator<Item = &Changed> + Clone> {
        static NONE: VecDeque<Changed> = VecDeque::new();
        let window = self.window(lobby);
        if window.is_some_and(|window| row < window.from) {
            return None;
        }
        let changed = window.map_or(&NONE, |window| &window.changed);
        let told = changed.partition_point(|changed| changed.row <= row);
        Some(changed.range(told..))
    }
}
