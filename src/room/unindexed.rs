//! What the index of keys does not have yet, after a room came into memory.
//!
//! A room of a million answers before it has entered a million keys, and before it has read them. It enters the keys of permits at once and leaves the
//! line's to later turns, a slice in each, for which it reads a page. Numbers that are issued meanwhile are entered as always. A key that the index
//! does not have is looked for among the numbers that are left: for all keys of a turn together, once, and whatever is found is entered. Accounts have
//! an index of their own, for which all this holds too. So an answer never depends on how much is built.

use super::accounts::Accounts;
use super::index::Index;
use super::lanes::Lanes;
use super::tickets::Tickets;
use facts::command::Command;
use facts::holder::Key;
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

    /// Returns the ticket of a key if it is one that the index does not have. O(keys that are left), or O(log keys) for one that was looked for.
    pub(super) fn key(&self, lanes: &Lanes, key: Key) -> Option<Number> {
        let is_known = self.left.is_empty() || self.looked_for.binary_search(&key).is_ok();
        if is_known || planted::is(Bug::IndexHalfBuilt) {
            return None;
        }
        let mut found = None;
        for range in &self.left {
            let line = lanes.line_of(range.0);
            line.keys_that(*range, |other| other == key, |_, number| found = Some(number));
        }
        found
    }

    /// Whether every living ticket is in the indexes.
    pub(super) const fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Leaves every line to be entered, after a restart. O(lanes · log n).
    pub(super) fn all(lanes: &Lanes) -> Self {
        let left = lanes.lines().filter_map(|line| Some((line.nth(0)?, line.next())));
        Self {
            left: left.collect(),
            ..Self::default()
        }
    }

    /// Enters the keys of the next [`INDEX_SLICE`](facts::limits::INDEX_SLICE) numbers, if any are left. O(those).
    pub(super) fn enter_slice(&mut self, tickets: &mut Tickets, index: &mut Index, accounts: &mut Accounts) {
        let Some((from, to)) = self.left.pop() else {
            return;
        };
        // A page ends where a slice does, so that a slice reads one page.
        let size = sizes().index_slice;
        let until = to.min(Number((from.0 / size + 1) * size));
        tickets.lanes_mut().line_of_mut(from).read((from, until));
        let line = tickets.line_of(from);
        for (number, holder) in line.holders(from, until) {
            index.enter(holder.key, number);
        }
        for (number, account) in line.accounts(from, until) {
            accounts.enter(number, account, tickets);
        }
        if until < to {
            self.left.push((until, to));
        }
    }

    /// Looks for every key and every account of these commands among the numbers that are left, and enters those that it finds. Does nothing once none is
    /// left. O(keys that are left).
    pub(super) fn look_for<'a>(
        &mut self,
        commands: impl Iterator<Item = &'a Command>,
        tickets: &mut Tickets,
        index: &mut Index,
        accounts: &mut Accounts,
    ) {
        if self.is_empty() {
            return;
        }
        let (mut keys, mut sought) = (Sought::default(), Sought::default());
        commands.for_each(|command| keys_of(command, &mut |key| keys.add(key), &mut |account| sought.add(account)));
        if keys.sorted.is_empty() {
            return;
        }
        let (keys, sought) = (keys.whole(), sought.whole());
        let mut found = Vec::new();
        for range in &self.left {
            tickets.lanes_mut().line_of_mut(range.0).read(*range);
            let line = tickets.line_of(range.0);
            line.keys_that(*range, |key| keys.has(key), |key, number| index.enter(key, number));
            if !sought.sorted.is_empty() {
                found.extend(line.accounts(range.0, range.1).filter(|(_, account)| sought.has(*account)));
            }
        }
        for (number, account) in found {
            accounts.enter(number, account, tickets);
        }
        (self.looked_for, self.accounts_looked_for) = (keys.sorted, sought.sorted);
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
