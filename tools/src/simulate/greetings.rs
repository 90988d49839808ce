//! Judges in which order the room gives out long lists when many lobbies say Hello at once: one every [`LIST_EVERY_MS`], to each lobby at the time
//! that it was told, and at once to a lobby with somebody who is called. Measures how long lobbies wait for their lists after the room has ended.

use super::law::require;
use super::model::Model;
use baton::facts::limits::sizes;
use baton::facts::units::{Instant, LobbyId};
use baton::room::courier::LIST_EVERY_MS;
use baton::room::laws::Check;
use std::collections::{BTreeMap, BTreeSet};

/// Counts of what came of Hellos.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Greeted {
    /// Lobbies that had people when the room came into memory, and then got all their tickets.
    pub lobbies: u64,
    /// Lobbies that were told to come later.
    pub later: u64,
    /// The longest time from the room's end until such a lobby had its tickets, ms. A lobby that was still without them when the room ended again,
    /// or the world, counts with the time up to then.
    pub slowest_ms: u64,
    /// The longest time for which somebody at such a lobby was called, from the room's end on, before the lobby had its tickets, ms.
    pub slowest_called_ms: u64,
}

impl Greeted {
    /// Adds what came of other Hellos.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            lobbies: self.lobbies + other.lobbies,
            later: self.later + other.later,
            slowest_ms: self.slowest_ms.max(other.slowest_ms),
            slowest_called_ms: self.slowest_called_ms.max(other.slowest_called_ms),
        }
    }
}

/// What was said about lists in this stretch of the room's memory.
#[derive(Debug, Default)]
pub struct Greetings {
    /// When the room's process ended; `None` once the lobbies that are owed their tickets are known.
    ended_at: Option<Instant>,
    since: Instant,
    owed: BTreeSet<LobbyId>,
    /// When each lobby that was told to come later may have its list.
    told: BTreeMap<LobbyId, Instant>,
    /// When the next lobby may have its list.
    free_at: Instant,
    /// What came of the Hellos so far.
    pub greeted: Greeted,
}

impl Greetings {
    /// Notes that the room's process ends. Whoever is owed a list goes on being owed it.
    pub fn room_ends(&mut self, at: Instant) {
        self.ended_at.get_or_insert(at);
    }

    /// Notes that the room has come into memory.
    pub fn room_forgets(&mut self) {
        self.told.clear();
        self.free_at = Instant(0);
    }

    /// Notes that a life of the room begins. Everybody who was told to come later may come with the others.
    pub fn life_begins(&mut self) {
        self.told.clear();
    }

    /// Looks which lobbies are owed their tickets since the room has ended.
    pub fn looks(&mut self, model: &Model, now: Instant) {
        if let Some(ended_at) = self.ended_at.take() {
            self.remain(model, ended_at);
            self.since = ended_at.min(now);
            self.owed = model.lobbies();
        }
    }

    /// Notes how long the lobbies have waited that still lack their tickets.
    pub fn remain(&mut self, model: &Model, now: Instant) {
        for lobby in core::mem::take(&mut self.owed) {
            if !model.all_listed(now, lobby).is_empty() {
                self.waited(model, now, lobby);
            }
        }
    }

    /// Notes that a lobby has been given all that it lacked.
    pub fn note_whole(&mut self, model: &Model, now: Instant, lobby: LobbyId) {
        if self.owed.remove(&lobby) {
            self.greeted.lobbies += 1;
            self.waited(model, now, lobby);
        }
    }

    fn waited(&mut self, model: &Model, now: Instant, lobby: LobbyId) {
        let ms = now.since_ms(self.since);
        let called_ms = model.called_for_ms(now, lobby).unwrap_or(0).min(ms);
        let greeted = &mut self.greeted;
        greeted.slowest_ms = greeted.slowest_ms.max(ms);
        greeted.slowest_called_ms = greeted.slowest_called_ms.max(called_ms);
    }

    /// Judges the answer to a Hello that needs a list: the list at once, or that the lobby waits for so long.
    ///
    /// # Errors
    /// Returns the broken law if another lobby was to have its list at that time, or if this lobby need not have waited.
    pub fn answered(&mut self, model: &Model, now: Instant, lobby: LobbyId, waits_ms: u64) -> Check {
        let tickets = model.all_listed(now, lobby).len();
        let page = tickets.min(sizes().page_tickets_max);
        let may_wait = page > sizes().list_long && model.called_for_ms(now, lobby).is_none();
        let at = if may_wait {
            self.comes_at(now, lobby)
        } else {
            self.note_unneeded(lobby);
            now
        };
        let wanted_ms = at.since_ms(now);
        self.greeted.later += u64::from(waits_ms > 0);
        require("long lists are given one by one, calls first", waits_ms == wanted_ms, || {
            format!("{lobby} with {tickets} waits {waits_ms} ms, not {wanted_ms}")
        })
    }

    /// Notes that a lobby no longer waits for a list.
    pub fn note_unneeded(&mut self, lobby: LobbyId) {
        self.told.remove(&lobby);
    }

    /// Returns when a lobby comes for its long list: when it was told to, or else after all who were told so.
    fn comes_at(&mut self, now: Instant, lobby: LobbyId) -> Instant {
        let at = self.told.remove(&lobby).unwrap_or_else(|| {
            let at = self.free_at.max(now);
            self.free_at = at.plus_ms(LIST_EVERY_MS);
            at
        });
        if at > now {
            self.told.insert(lobby, at);
        }
        at.max(now)
    }
}
