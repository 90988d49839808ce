//! The book: which living ticket a key has, and an account; it has at most one. Beside it stands what became of tickets lately, for their lobbies.
//!
//! Who holds a ticket stands with the ticket itself ([`Tickets`]), which the book borrows for each call.

use super::accounts::Accounts;
use super::changes::{Changed, Changes};
use super::index::Index;
use super::line::Line;
use super::tickets::{Called, Moved, Tickets};
use super::unindexed::Unindexed;
use facts::command::Command;
use facts::holder::{Holder, Key};
use facts::limits::sizes;
use facts::message::{Change, Ended};
use facts::planted::{self, Bug};
use facts::reply::Standing;
use facts::units::{Instant, LobbyId, Number, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The last time that a place was carried to another holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The row in which it was carried. A link made before that is void.
    row: Version,
    /// The new holder, whatever a page says.
    to: Holder,
}

/// The book. Every living ticket is in its indexes, or among the numbers that are left to enter; whatever else it has of a ticket goes when the ticket is
/// over. Each change of a ticket is noted for its lobby in the row in which it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    changes: Changes,
    /// The living tickets that have been carried.
    carried: BTreeMap<Number, Carried>,
    accounts: Accounts,
    #[serde(skip)]
    index: Index,
    #[serde(skip)]
    unindexed: Unindexed,
}

// What it knows.
impl Book {
    /// What became of each lobby's tickets lately.
    pub(crate) const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The lobbies that have ever had a ticket.
    pub fn lobbies(&self) -> impl Iterator<Item = LobbyId> + '_ {
        self.changes.lobbies()
    }

    /// What it has of accounts.
    #[must_use]
    pub const fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// Whether the indexes have every living ticket.
    #[must_use]
    pub const fn is_indexed(&self) -> bool {
        self.unindexed.is_empty()
    }

    /// Returns the living ticket of a key. O(log permits) on average.
    pub(crate) fn living_of(&self, tickets: &Tickets, key: Key) -> Option<Number> {
        let found = self.index.find(key, |number| tickets.holds(key, number));
        found.or_else(|| self.unindexed.key(tickets.lanes(), key))
    }

    /// Returns the living ticket of a key, like [`living_of`](Self::living_of). Looks at one number first, and finds it there at once.
    pub(crate) fn living_near(&self, tickets: &Tickets, key: Key, guess: Number) -> Option<Number> {
        if tickets.holds(key, guess) {
            return Some(guess);
        }
        self.living_of(tickets, key)
    }

    /// Returns the living ticket of each of these keys, in order. O(keys · log permits) on average.
    pub(crate) fn living_of_each(&self, tickets: &Tickets, keys: impl Iterator<Item = Key> + Clone) -> Vec<Option<Number>> {
        self.index.approach(keys.clone());
        keys.map(|key| self.living_of(tickets, key)).collect()
    }

    /// Returns the living ticket of an account. O(log permits) on average.
    pub(crate) fn living_of_account(&self, tickets: &Tickets, account: Key) -> Option<Number> {
        let found = self.accounts.find(tickets, account);
        found.or_else(|| self.unindexed.account(tickets.lanes(), account))
    }

    /// Returns the row in which a living ticket was last carried; 0 if it never was.
    pub(crate) fn carried_in(&self, number: Number) -> Version {
        let carried = self.carried.get(&number);
        carried.map_or(Version(0), |carried| carried.row)
    }

    /// Returns what has become of the lobby's tickets that changed after a row, each once, sorted by number. Returns `None` if that is more than the
    /// room remembers or than one message holds. O(changes · log n).
    #[must_use]
    pub fn changes_since(&self, tickets: &Tickets, now: Instant, lobby: LobbyId, row: Version) -> Option<Vec<Change>> {
        let mut told = Vec::new();
        let mut before = None;
        let tell = |(number, ended): (Number, Option<Ended>)| {
            let listed = tickets.listed(now, number, before);
            let listed = listed.filter(|_| tickets.lobby_of(number) == Some(lobby));
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

    /// Returns the last row in which one of the lobby's tickets changed. O(log lobbies).
    #[must_use]
    pub fn newest_change(&self, lobby: LobbyId) -> Version {
        self.changes.newest(lobby)
    }

    /// Returns whether the room has forgotten which of the lobby's tickets changed after this row. O(log lobbies).
    #[must_use]
    pub fn forgets(&self, lobby: LobbyId, row: Version) -> bool {
        self.changes.since(lobby, row).is_none()
    }

    /// The number of bytes that holders and accounts take, with their indexes. O(chunks + buckets).
    #[must_use]
    pub fn bytes(&self, tickets: &Tickets) -> usize {
        let lines = tickets.lanes().lines().map(Line::holder_bytes).sum::<usize>();
        lines + self.index.bytes() + self.accounts.bytes()
    }
}

// How it is built after a restart.
impl Book {
    /// Completes what snapshot and pages leave open: reads the holders that no page has, sets those of carried places and begins the indexes: permits are
    /// entered at once, lines by [`index_slice`](Self::index_slice). Returns `None` if the snapshot is not whole. O(tail + permits + buckets + pages of
    /// carried places and late accounts).
    pub(crate) fn open(&mut self, tickets: &mut Tickets) -> Option<()> {
        for line in tickets.lanes_mut().lines_mut() {
            line.put_tail()?;
        }
        for (number, carried) in &self.carried {
            let line = tickets.lanes_mut().line_of_mut(*number);
            // A page may be older than the carrying; what is behind the pages is not.
            if *number >= line.tail_from() && line.holder(*number).is_some_and(|told| told != carried.to) {
                return None;
            }
            if !planted::is(Bug::PageOutlivesCarry) {
                line.set_holder(*number, carried.to);
            }
        }
        self.index = Index::for_about(usize::try_from(tickets.living()).unwrap_or(0));
        for (_, grant) in tickets.permits().out() {
            self.index.enter(grant.holder.key, grant.number);
        }
        self.unindexed = Unindexed::all(tickets.lanes());
        self.accounts.open(tickets);
        Some(())
    }

    /// Enters the next numbers that are left in the indexes; see [`Unindexed::enter_slice`].
    pub(crate) fn index_slice(&mut self, tickets: &mut Tickets) {
        self.unindexed.enter_slice(tickets, &mut self.index, &mut self.accounts);
    }

    /// Enters whom these commands ask for, as far as they are left; see [`Unindexed::look_for`].
    pub(crate) fn look_for<'a>(&mut self, tickets: &mut Tickets, commands: impl Iterator<Item = &'a Command>) {
        self.unindexed.look_for(commands, tickets, &mut self.index, &mut self.accounts);
    }
}

// What facts do to it.
impl Book {
    /// Enters tickets that one lobby got in this row, with consecutive numbers from `first` on. O(holders) amortised.
    pub(crate) fn issued(&mut self, row: Version, tickets: &Tickets, lobby: LobbyId, first: Number, holders: &[Holder]) {
        self.enter(tickets, first, holders);
        let count = u32::try_from(holders.len()).unwrap_or(u32::MAX);
        self.changes.note(lobby, Changed::of(row, first, count));
    }

    /// Enters the holders of consecutive numbers in the index.
    fn enter(&mut self, tickets: &Tickets, first: Number, holders: &[Holder]) {
        let key_of = |number: Number| tickets.holder(number).map(|holder| holder.key);
        let (living, lives) = (tickets.living(), |number: Number| tickets.lives(number));
        for (offset, holder) in (0..).zip(holders) {
            self.index.insert(holder.key, first.plus(offset), living, lives, key_of);
        }
    }

    /// Notes a change of one ticket, of which its lobby must hear.
    pub(crate) fn changed(&mut self, row: Version, lobby: LobbyId, number: Number) {
        self.changes.note(lobby, Changed::of(row, number, 1));
    }

    /// Enters a ticket that is called: soon only its permit knows the holder and the account, and nobody looks there.
    pub(crate) fn called(&mut self, row: Version, tickets: &Tickets, number: Number, called: &Called) {
        if !self.is_indexed() && !planted::is(Bug::CalledNotIndexed) {
            self.index.enter(called.holder.key, number);
            if let Some(account) = called.account {
                self.accounts.enter(number, account, tickets);
            }
        }
        self.changed(row, called.lobby, number);
    }

    /// Notes that a ticket is over, and why.
    pub(crate) fn ended(&mut self, row: Version, lobby: LobbyId, number: Number, why: Ended) {
        self.forget(number);
        let ended = Some(why);
        self.changes.note(
            lobby,
            Changed {
                ended,
                ..Changed::of(row, number, 1)
            },
        );
    }

    /// Notes that the operator ended a ticket in this row: its lobby hears that, and not that the visitor left.
    pub(crate) fn dismissed(&mut self, row: Version, number: Number) {
        self.changes.note_dismissal(row, number);
    }

    /// Forgets a ticket that is over, and of which no lobby is told by its number.
    pub(crate) fn forget(&mut self, number: Number) {
        self.carried.remove(&number);
        self.accounts.ends(number);
    }

    /// Forgets every ticket that is over, and all changes up to this row: each lobby gets a list. O(carried tickets + late accounts + lobbies).
    pub(crate) fn forget_over(&mut self, row: Version, tickets: &Tickets) {
        self.forget_changes(row);
        self.carried.retain(|number, _| tickets.lives(*number));
        self.accounts.retain(|number| tickets.lives(number));
    }

    /// Forgets all changes up to this row: each lobby gets a list. O(lobbies).
    pub(crate) fn forget_changes(&mut self, row: Version) {
        self.changes.forget(row);
    }

    /// Enters the new holder of a place that was carried in this row.
    pub(crate) fn carried(&mut self, row: Version, tickets: &Tickets, lobby: LobbyId, number: Number, to: Holder) {
        self.enter(tickets, number, &[to]);
        self.carried.insert(number, Carried { row, to });
        self.changed(row, lobby, number);
    }

    /// Enters a ticket that moved to another lane in this row. It is carried as it was, and its account's as it was.
    pub(crate) fn moved(&mut self, row: Version, tickets: &mut Tickets, moved: Moved) {
        let carried = self.carried.remove(&moved.from);
        self.ended(row, moved.lobby, moved.from, Ended::Moved);
        self.enter(tickets, moved.to, &[moved.holder]);
        self.carried.extend(carried.map(|carried| (moved.to, carried)));
        if let Some(account) = moved.account.filter(|_| !planted::is(Bug::MoveForgetsTheAccount)) {
            self.accounts.own(row, tickets, moved.to, account);
        }
        self.changed(row, moved.lobby, moved.to);
    }

    /// Enters an entry of a hall that got its number by a draw.
    pub(crate) fn drawn(&mut self, tickets: &Tickets, moved: Moved) {
        self.carried.remove(&moved.from);
        self.enter(tickets, moved.to, &[moved.holder]);
        if let Some(account) = moved.account {
            self.accounts.enter(moved.to, account, tickets);
        }
    }

    /// Takes every page of holders as due again, under another name: after a draw they belong to the old life.
    pub(crate) fn repage_all(&mut self) {
        self.accounts.repage_all();
    }

    /// Gives living tickets to accounts. A ticket that does not live gets none.
    pub(crate) fn owned(&mut self, row: Version, tickets: &mut Tickets, numbers: &[Number], accounts: &[Key]) {
        for (number, account) in numbers.iter().zip(accounts) {
            if tickets.lobby_of(*number).is_some() {
                self.accounts.own(row, tickets, *number, *account);
            }
        }
    }

    /// Begins an edition: nobody has a ticket, and each lobby that had some hears of the edition alone. O(n).
    pub(crate) fn begin(&mut self, row: Version) {
        self.changes.forget(row);
        *self = Self {
            changes: core::mem::take(&mut self.changes),
            ..Self::default()
        };
    }
}
