//! The book: who holds which ticket. This file alone says which living ticket a key has; it has at most one.
//!
//! The line keeps the holder of each ticket in it, and a permit keeps the holder of the ticket that has it. The room compares keys
//! and cannot read them.

use super::Room;
use super::changes::Changed;
use super::line::{Line, Place, Places};
use super::permits::{Grant, Stage};
use facts::holder::{Held, Holder, Key};
use facts::limits::sizes;
use facts::message::{Change, Ended, Gist, Listed};
use facts::ordered;
use facts::planted::{self, Bug};
use facts::reply::Standing;
use facts::units::{Ahead, Fence, Instant, LobbyId, Number, Version};
use journal::LatePage;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The last time that a place was carried to another holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The row in which it was carried. A link made before that is void.
    row: Version,
    /// The new holder, whatever a page says.
    to: Holder,
}

impl Room {
    /// Returns the holder of a living ticket. O(log permits).
    #[must_use]
    pub fn holder(&self, number: Number) -> Option<Holder> {
        let waits = self.line_of(number).holder(number);
        waits.or_else(|| Some(self.permits.of_number(number)?.1.holder))
    }

    /// Returns the living ticket of a key. O(log permits) on average.
    #[must_use]
    pub fn living_of(&self, key: Key) -> Option<Number> {
        let found = self.index.find(key, |number| self.holds(key, number));
        found.or_else(|| self.unindexed_of(key))
    }

    /// Returns the living ticket of a key, like [`living_of`](Self::living_of). Looks at one number first, and finds it there at once.
    pub(super) fn living_near(&self, key: Key, guess: Number) -> Option<Number> {
        if self.holds(key, guess) {
            return Some(guess);
        }
        self.living_of(key)
    }

    /// Returns the living ticket of each of these keys, in order. O(keys · log permits) on average.
    pub(super) fn living_of_each(&self, keys: impl Iterator<Item = Key> + Clone) -> Vec<Option<Number>> {
        self.index.approach(keys.clone());
        keys.map(|key| self.living_of(key)).collect()
    }

    pub(super) fn holds(&self, key: Key, number: Number) -> bool {
        self.holder(number).is_some_and(|holder| holder.key == key)
    }

    /// Returns the lobby of a living ticket. O(log permits).
    #[must_use]
    pub fn lobby_of(&self, number: Number) -> Option<LobbyId> {
        if let Some((_, grant)) = self.permits.of_number(number) {
            return Some(grant.lobby);
        }
        let line = self.line_of(number);
        (line.place(number) != Place::Gone).then(|| line.lobby(number))
    }

    /// Returns whether a ticket lives, belongs to this lobby and is held by that key. A lobby's word on another lobby's tickets does not count.
    pub(super) fn is_held(&self, held: Held, lobby: LobbyId) -> bool {
        self.lobby_of(held.number) == Some(lobby) && (planted::is(Bug::KeyIgnored) || self.holds(held.key, held.number))
    }

    /// Returns whether a ticket's lease is over, although nobody has taken it back yet.
    pub(super) fn has_run_out(&self, now: Instant, number: Number) -> bool {
        let grant = self.permits.of_number(number);
        grant.is_some_and(|(_, grant)| matches!(grant.stage, Stage::Leased(lease) if lease.end() <= now))
    }

    /// Enters the holder of a number in the index.
    pub(super) fn enter_in_book(&mut self, number: Number, holder: Holder) {
        self.enter_run(number, &[holder]);
    }

    /// Enters the holders of consecutive numbers in the index, from `first` on. O(holders) amortised.
    pub(super) fn enter_run(&mut self, first: Number, holders: &[Holder]) {
        let (lanes, permits) = (&self.lanes, &self.permits);
        let lives = |number: Number| lanes.line_of(number).lives(number) || permits.of_number(number).is_some();
        let key_of = |number: Number| {
            let waits = lanes.line_of(number).holder(number);
            let holder = waits.or_else(|| Some(permits.of_number(number)?.1.holder));
            holder.map(|holder| holder.key)
        };
        let living = lanes.alive() + u64::from(permits.leased());
        for (offset, holder) in (0..).zip(holders) {
            self.index.insert(holder.key, first.plus(offset), living, lives, key_of);
        }
    }

    /// The pages of holders that are full and not entirely over: their first numbers, in order. A line's first page begins one number before the
    /// line's first number, so a page's second number says which line it belongs to.
    pub fn holder_pages(&self) -> impl Iterator<Item = Number> + '_ {
        self.lanes.lines().flat_map(Line::pages)
    }

    /// Returns whether a page beginning with this number is one of [`holder_pages`](Self::holder_pages). O(log n).
    #[must_use]
    pub fn has_holder_page(&self, first: Number) -> bool {
        self.line_of(first.plus(1)).has_page(first)
    }

    /// Returns the page that begins with this number, as bytes. O(page).
    #[must_use]
    pub fn holder_page(&self, first: Number) -> Vec<u8> {
        self.line_of(first.plus(1)).page(first)
    }

    /// Takes back a page that is read when somebody first asks, after all pages of places and all pages before it. O(1).
    pub fn put_holder_page(&mut self, page: &Arc<LatePage>) {
        self.line_of_mut(Number(page.first() + 1)).put_late(page);
    }

    /// The pages of places that are full and in which somebody may live: the first number of each, in order, and whether any of its places changed
    /// since [`freeze_places`](Self::freeze_places). Their names say which line they belong to as those of pages of holders do. O(chunks).
    #[must_use]
    pub fn places_pages(&self) -> Vec<(Number, bool)> {
        self.lanes.lines().flat_map(Line::places_pages).collect()
    }

    /// Returns the page of places that begins with this number, as it is now. O(chunks of the page).
    #[must_use]
    pub fn places(&self, first: Number) -> Places {
        self.line_of(first.plus(1)).places(first)
    }

    /// Returns the same, and counts changes from now on. O(chunks of the page).
    pub fn freeze_places(&mut self, first: Number) -> Places {
        self.line_of_mut(first.plus(1)).freeze_places(first)
    }

    /// Reads a page of places back in, before any page of holders. Returns `None` if the bytes are not such a page. O(page).
    pub fn put_places(&mut self, first: Number, bytes: &[u8]) -> Option<()> {
        self.line_of_mut(first.plus(1)).put_places(first, bytes)
    }

    /// Counts everybody by chunks, after all pages of places were read. O(chunks).
    pub fn sum_places(&mut self) {
        self.lanes.lines_mut().for_each(Line::sum_places);
    }

    /// Completes what snapshot and pages leave open: reads the holders that no page has, sets those of carried places and begins the indexes. Returns
    /// `None` if the snapshot is not whole. O(tail + pages of carried places and late accounts).
    pub fn open_book(&mut self) -> Option<()> {
        for line in self.lanes.lines_mut() {
            line.put_tail()?;
        }
        let carried = core::mem::take(&mut self.carried);
        for (number, carried) in &carried {
            let line = self.line_of_mut(*number);
            // A page may be older than the carrying; what is behind the pages is not.
            if *number >= line.tail_from() && line.holder(*number).is_some_and(|told| told != carried.to) {
                return None;
            }
            if !planted::is(Bug::PageOutlivesCarry) {
                line.set_holder(*number, carried.to);
            }
        }
        self.carried = carried;
        self.open_index();
        self.open_accounts();
        Some(())
    }

    /// Remembers that a place was carried to another holder in this row.
    pub(super) fn note_carried(&mut self, number: Number, to: Holder) {
        let row = self.version;
        self.carried.insert(number, Carried { row, to });
    }

    /// Notes a change of one ticket, of which its lobby must hear.
    pub(super) fn note(&mut self, lobby: LobbyId, number: Number) {
        self.note_run(lobby, number, 1);
    }

    /// Notes a change of consecutive tickets, of which their lobby must hear.
    pub(super) fn note_run(&mut self, lobby: LobbyId, first: Number, count: u32) {
        let changed = Changed {
            row: self.version,
            first,
            count,
            ended: None,
        };
        self.changes.note(lobby, changed);
    }

    /// Notes that a ticket is over, and why.
    pub(super) fn note_end(&mut self, lobby: LobbyId, number: Number, why: Ended) {
        self.carried.remove(&number);
        self.accounts.ends(number);
        let changed = Changed {
            row: self.version,
            first: number,
            count: 1,
            ended: Some(why),
        };
        self.changes.note(lobby, changed);
    }

    /// Returns the last row in which one of the lobby's tickets changed. O(log lobbies).
    #[must_use]
    pub fn newest_change(&self, lobby: LobbyId) -> Version {
        self.changes.newest(lobby)
    }

    /// Returns what has become of the lobby's tickets that changed after a row, each once, sorted by number. Returns `None` if that is more than the
    /// room remembers or than one message holds. O(changes · log n).
    #[must_use]
    pub fn changes_since(&self, now: Instant, lobby: LobbyId, row: Version) -> Option<Vec<Change>> {
        let mut told = Vec::new();
        let mut before = None;
        let tell = |(number, ended): (Number, Option<Ended>)| {
            let listed = self.listed(now, number, before);
            let listed = listed.filter(|_| self.lobby_of(number) == Some(lobby));
            before = listed.as_ref().and_then(|listed| match listed.standing {
                Standing::Waiting { ahead, .. } => Some((number, ahead)),
                _ => None,
            });
            // If the end of the line ended the ticket, the gist says so.
            let lives = listed.map(Change::Lives);
            told.extend(lives.or_else(|| Some(Change::Over(number, ended?))));
        };
        let most = sizes().changes_told_max;
        let changed = self.changes.since(lobby, row)?;
        let each = |changed: &Changed| {
            let (first, ended) = (changed.first, changed.ended);
            (0..u64::from(changed.count)).map(move |offset| (first.plus(offset), ended))
        };
        if changed.clone().is_sorted_by(|a, b| a.end() <= b.first) {
            // So it is where people only join: a batch of a thousand is one change.
            let count = changed.clone().map(|changed| changed.count as usize);
            if count.sum::<usize>() > most {
                return None;
            }
            changed.flat_map(each).for_each(tell);
            return Some(told);
        }
        let mut last: BTreeMap<Number, Option<Ended>> = BTreeMap::new();
        for changed in changed {
            if last.len() + changed.count as usize > most {
                return None;
            }
            last.extend(each(changed));
        }
        last.into_iter().for_each(tell);
        Some(told)
    }

    /// Returns a living ticket as lobbies are told of it. `before`: see [`standing_behind`](Self::standing_behind). O(log n).
    fn listed(&self, now: Instant, number: Number, before: Option<(Number, Ahead)>) -> Option<Listed> {
        let holder = self.holder(number)?;
        let standing = self.standing_behind(now, number, before);
        (standing != Standing::Over).then_some(Listed { number, holder, standing })
    }

    /// Returns a page of a lobby's living tickets from a number on, and where the next page begins. Sorted by number: for each lane its line, with
    /// the tickets that only permits hold, then the entries of its hall. O(chunks + permits + those).
    #[must_use]
    pub fn list(&self, now: Instant, lobby: LobbyId, from: Number) -> (Vec<Listed>, Option<Number>) {
        let most = sizes().page_tickets_max;
        let mut tickets: Vec<Listed> = Vec::new();
        let forgets_calls = planted::is(Bug::ListWithoutTheCalled);
        for line in self.lanes.lines() {
            line.of_lobby(lobby, from, |number, ahead| {
                let place = line.place(number);
                if let Some(holder) = line.holder(number)
                    && place != Place::Called
                {
                    tickets.push(Listed {
                        number,
                        holder,
                        standing: Standing::Waiting {
                            ahead,
                            away: matches!(place, Place::Away(_)),
                            missed: line.missed(number),
                        },
                    });
                }
                tickets.len() <= most
            });
        }
        let permits = self.permits.out().filter(|(_, grant)| grant.lobby == lobby && grant.number >= from);
        let permits = permits.filter(|(_, grant)| !(forgets_calls && matches!(grant.stage, Stage::Called { .. })));
        tickets.extend(permits.filter_map(|(fence, grant)| self.listed_permit(now, fence, grant)));
        tickets.sort_unstable_by_key(|listed| listed.number);
        let next = tickets.get(most).map(|listed| listed.number);
        tickets.truncate(most);
        (tickets, next)
    }

    /// Returns which of a lobby's waiting tickets the room takes to be away, sorted by number. O(chunks + tickets of the lobby).
    #[must_use]
    pub fn away_of(&self, lobby: LobbyId) -> Vec<Number> {
        let mut away = Vec::new();
        for line in self.lanes.lines() {
            line.of_lobby(lobby, Number(0), |number, _| {
                if matches!(line.place(number), Place::Away(_)) {
                    away.push(number);
                }
                true
            });
        }
        away
    }

    fn listed_permit(&self, now: Instant, fence: Fence, grant: &Grant) -> Option<Listed> {
        let standing = self.standing_of(now, fence, grant);
        (standing != Standing::Over).then_some(Listed {
            number: grant.number,
            holder: grant.holder,
            standing,
        })
    }

    /// Returns the row in which a living ticket was last carried; 0 if it never was.
    pub(super) fn carried_in(&self, number: Number) -> Version {
        let carried = self.carried.get(&number);
        carried.map_or(Version(0), |carried| carried.row)
    }

    /// Returns whether the room has forgotten which of the lobby's tickets changed after this row. O(log lobbies).
    #[must_use]
    pub fn forgets(&self, lobby: LobbyId, row: Version) -> bool {
        self.changes.since(lobby, row).is_none()
    }

    /// Returns whether any of the lobby's tickets lives. O(chunks + permits).
    #[must_use]
    pub fn has_living(&self, lobby: LobbyId) -> bool {
        let mut lives = self.permits.out().any(|(_, grant)| grant.lobby == lobby);
        for line in self.lanes.lines() {
            if !lives {
                line.of_lobby(lobby, Number(0), |_, _| {
                    lives = true;
                    false
                });
            }
        }
        lives
    }

    /// Returns whether any of the lobby's tickets is called. Such a lobby must be told before others. O(permits).
    #[must_use]
    pub fn has_called(&self, lobby: LobbyId) -> bool {
        self.permits.called() > 0
            && self
                .permits
                .out()
                .any(|(_, grant)| grant.lobby == lobby && matches!(grant.stage, Stage::Called { .. }))
    }

    /// The lobbies that have called tickets. O(permits · log lobbies), or O(1) if nobody is called.
    #[must_use]
    pub fn lobbies_called(&self) -> BTreeSet<LobbyId> {
        if self.permits.called() == 0 {
            return BTreeSet::new();
        }
        let out = self.permits.out().map(|(_, grant)| grant);
        let called = out.filter(|grant| matches!(grant.stage, Stage::Called { .. }));
        ordered::filled(called.map(|grant| grant.lobby))
    }

    /// The number of bytes that holders and accounts take, with their indexes. O(chunks + buckets).
    #[must_use]
    pub fn book_bytes(&self) -> usize {
        let lines = self.lanes.lines().map(Line::holder_bytes).sum::<usize>();
        lines + self.index.bytes() + self.accounts.bytes()
    }

    /// Returns the state of the room at large, worked out once for all lobbies.
    #[must_use]
    pub fn gist(&self, now: Instant) -> Gist {
        let id = self.lanes.everybody();
        let everybody = self.lanes.lane(id);
        Gist {
            mode: self.mode(),
            permits: self.config.permits,
            waiting: everybody.line.alive(),
            walk_in: self.lets_walk_in(now, id),
            call_time: self.call_time_of(now, id),
            walk_ins: self.config.walk_in,
            tick_ms: self.config.tick_ms,
            lease_idle_ms: self.config.lease_idle_ms,
            ended: self.ended,
            wants_health: self.config.origin_errors_max_percent > 0,
            seats_to: self.seats_to(),
            in_hall: everybody.hall.line.alive(),
            draw: everybody.draw(&self.config),
            opens_at_ms: self.opens_at_ms(),
            edition: self.edition,
            full: self.places_left(id) == Some(0),
        }
    }
}
