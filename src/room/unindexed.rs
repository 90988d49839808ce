//! What the index of keys does not have yet, after a room came into memory.
//!
//! A room of a million answers before it has entered a million keys, and before it has read them. It enters the keys of permits at once and leaves the
//! line's to later turns, a slice in each, for which it reads a page. Numbers that are issued meanwhile are entered as always. A key that the index
//! does not have is looked for among the numbers that are left: for all keys of a turn together, once, and whatever is found is entered. Accounts have
//! an index of their own, for which all this holds too. So an answer never depends on how much is built.

use super::Room;
use super::index::Index;
use super::lanes::Lanes;
use facts::command::Command;
use facts::holder::{Holder, Key};
use facts::limits::sizes;
use facts::planted::{self, Bug};
use facts::units::Number;

/// The numbers that are not in the index.
#[derive(Clone, Debug, Default)]
pub struct Unindexed {
    /// The first of them and the one behind the last, for each line that has any.
    left: Vec<(Number, Number)>,
    /// Keys that were looked for among them, sorted. The index has those that were there.
    looked_for: Vec<Key>,
    /// The same of accounts.
    accounts_looked_for: Vec<Key>,
}

/// Any two are equal: what is left to enter says nothing about the room.
impl PartialEq for Unindexed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Unindexed {}

impl Unindexed {
    /// Returns the ticket of an account if it is one that the index does not have. O(accounts that are left), or O(log accounts) for one that was looked
    /// for.
    pub(super) fn account(&self, lanes: &Lanes, account: Key) -> Option<Number> {
        let is_known = self.left.is_empty() || self.accounts_looked_for.binary_search(&account).is_ok();
        if is_known || planted::is(Bug::AccountsHalfBuilt) {
            return None;
        }
        let all = self.left.iter().flat_map(|(from, to)| lanes.line_of(*from).accounts(*from, *to));
        all.filter(|(_, other)| *other == account).map(|(number, _)| number).last()
    }
}

impl Room {
    /// Whether the indexes have every living ticket.
    #[must_use]
    pub const fn is_indexed(&self) -> bool {
        self.unindexed.left.is_empty()
    }

    /// Begins the index, after a restart: enters the permits and leaves the lines for [`index_slice`](Self::index_slice). O(permits + buckets).
    pub(super) fn open_index(&mut self) {
        let about = self.lanes.alive() + u64::from(self.permits.leased());
        self.index = Index::for_about(usize::try_from(about).unwrap_or(0));
        for (_, grant) in self.permits.out() {
            self.index.enter(grant.holder.key, grant.number);
        }
        let lines = self.lanes.lines();
        let left = lines.filter_map(|line| Some((line.first_living()?, line.next())));
        self.unindexed = Unindexed {
            left: left.collect(),
            ..Unindexed::default()
        };
    }

    /// Enters the keys of the next [`INDEX_SLICE`](facts::limits::INDEX_SLICE) numbers, if any are left. O(those).
    pub fn index_slice(&mut self) {
        let Some((from, to)) = self.unindexed.left.pop() else {
            return;
        };
        // A page ends where a slice does, so that a slice reads one page.
        let size = sizes().index_slice;
        let until = to.min(Number((from.0 / size + 1) * size));
        self.lanes.line_of_mut(from).read((from, until));
        for (number, holder) in self.lanes.line_of(from).holders(from, until) {
            self.index.enter(holder.key, number);
        }
        for (number, account) in self.lanes.line_of(from).accounts(from, until) {
            self.accounts.enter(number, account, &self.lanes, &self.permits);
        }
        if until < to {
            self.unindexed.left.push((until, to));
        }
    }

    /// Enters a ticket that is called: soon only its permit knows the holder and the account, and nobody looks there.
    pub(super) fn index_called(&mut self, number: Number, holder: Holder, account: Option<Key>) {
        if !self.is_indexed() && !planted::is(Bug::CalledNotIndexed) {
            self.index.enter(holder.key, number);
            if let Some(account) = account {
                self.accounts.enter(number, account, &self.lanes, &self.permits);
            }
        }
    }

    /// Looks for every key and every account of these commands among the numbers that the indexes do not have, and enters those that it finds. Does
    /// nothing once the indexes are whole. O(keys that are left).
    pub fn look_for<'a>(&mut self, commands: impl Iterator<Item = &'a Command>) {
        if self.is_indexed() {
            return;
        }
        let (mut keys, mut accounts) = (Sought::default(), Sought::default());
        commands.for_each(|command| keys_of(command, &mut |key| keys.add(key), &mut |account| accounts.add(account)));
        if keys.sorted.is_empty() {
            return;
        }
        let (keys, accounts) = (keys.whole(), accounts.whole());
        let mut found = Vec::new();
        let mut found_accounts = Vec::new();
        for range in &self.unindexed.left {
            self.lanes.line_of_mut(range.0).read(*range);
            let line = self.lanes.line_of(range.0);
            line.keys_that(*range, |key| keys.has(key), |key, number| found.push((key, number)));
            if !accounts.sorted.is_empty() {
                let theirs = line.accounts(range.0, range.1).filter(|(_, account)| accounts.has(*account));
                found_accounts.extend(theirs);
            }
        }
        found.into_iter().for_each(|(key, number)| self.index.enter(key, number));
        for (number, account) in found_accounts {
            self.accounts.enter(number, account, &self.lanes, &self.permits);
        }
        self.unindexed.looked_for = keys.sorted;
        self.unindexed.accounts_looked_for = accounts.sorted;
    }

    /// Returns the ticket of a key if it is one that the index does not have. O(keys that are left), or O(log keys) for one that was looked for.
    pub(super) fn unindexed_of(&self, key: Key) -> Option<Number> {
        let left = &self.unindexed;
        let is_known = self.is_indexed() || left.looked_for.binary_search(&key).is_ok();
        if is_known || planted::is(Bug::IndexHalfBuilt) {
            return None;
        }
        let mut found = None;
        for range in &left.left {
            let line = self.lanes.line_of(range.0);
            line.keys_that(*range, |other| other == key, |_, number| found = Some(number));
        }
        found
    }
}

/// Keys that are looked for among many.
#[derive(Default)]
struct Sought {
    sorted: Vec<Key>,
    /// A bit for each of sixteen times as many lowest bits of keys: of those that are not looked for at most one in sixteen is searched for.
    bits: Vec<bool>,
}

impl Sought {
    fn add(&mut self, key: Key) {
        self.sorted.push(key);
    }

    /// Makes it ready to be asked, once all are added.
    fn whole(mut self) -> Self {
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.bits = vec![false; (16 * self.sorted.len()).next_power_of_two()];
        for key in &self.sorted {
            let at = self.place(*key);
            if let Some(bit) = self.bits.get_mut(at) {
                *bit = true;
            }
        }
        self
    }

    const fn place(&self, key: Key) -> usize {
        key.0 as usize & (self.bits.len() - 1)
    }

    fn has(&self, key: Key) -> bool {
        self.bits.get(self.place(key)) == Some(&true) && self.sorted.binary_search(&key).is_ok()
    }
}

/// Calls `each` for every key of which a command asks what it holds, and `account` for every account.
fn keys_of(command: &Command, each: &mut impl FnMut(Key), account: &mut impl FnMut(Key)) {
    match command {
        Command::Enter(enter) => enter.who.iter().for_each(|person| {
            each(person.holder.key);
            person.account.iter().for_each(|of| account(of.key));
        }),
        Command::Carry { to, .. } => each(to.key),
        Command::Shows { key, .. } => each(*key),
        Command::Claim { .. }
        | Command::Renew(_)
        | Command::Extend { .. }
        | Command::Release(_)
        | Command::Leave(_)
        | Command::Presence { .. }
        | Command::Overheard(_) => {}
    }
}
