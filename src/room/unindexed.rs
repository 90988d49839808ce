//! What the index of keys does not have yet, after a room came into memory.
//!
//! A room of a million answers before it has entered a million keys. It enters the keys of permits at once and leaves the line's to later turns, a slice
//! in each. Numbers that are issued meanwhile are entered as always. A key that the index does not have is looked for among the numbers that are left:
//! for all keys of a turn together, once, and whatever is found is entered. So an answer never depends on how much of the index is built.

use super::Room;
use super::index::Index;
use crate::facts::command::Command;
use crate::facts::holder::{Holder, Key};
use crate::facts::limits::sizes;
use crate::facts::units::Number;
use crate::planted::{self, Bug};

/// The numbers that are not in the index.
#[derive(Clone, Debug, Default)]
pub struct Unindexed {
    /// The first of them and the one behind the last, for each line that has any.
    left: Vec<(Number, Number)>,
    /// Keys that were looked for among them, sorted. The index has those that were there.
    looked_for: Vec<Key>,
}

/// Any two are equal: what is left to enter says nothing about the room.
impl PartialEq for Unindexed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Unindexed {}

impl Room {
    /// Whether the index has every living ticket.
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
            looked_for: Vec::new(),
        };
    }

    /// Enters the keys of the next [`INDEX_SLICE`](crate::facts::limits::INDEX_SLICE) numbers, if any are left. O(those).
    pub fn index_slice(&mut self) {
        let Some((from, to)) = self.unindexed.left.pop() else {
            return;
        };
        let until = to.min(from.plus(sizes().index_slice));
        for (number, holder) in self.lanes.line_of(from).holders(from, until) {
            self.index.enter(holder.key, number);
        }
        if until < to {
            self.unindexed.left.push((until, to));
        }
    }

    /// Enters a ticket that is called: soon only its permit knows the holder, and nobody looks there.
    pub(super) fn index_called(&mut self, number: Number, holder: Holder) {
        if !self.is_indexed() && !planted::is(Bug::CalledNotIndexed) {
            self.index.enter(holder.key, number);
        }
    }

    /// Looks for every key of these commands among the numbers that the index does not have, and enters those that it finds. Does nothing once the
    /// index is whole. O(keys that are left).
    pub fn look_for<'a>(&mut self, commands: impl Iterator<Item = &'a Command>) {
        if self.is_indexed() {
            return;
        }
        let mut keys = Vec::new();
        commands.for_each(|command| keys_of(command, &mut |key| keys.push(key)));
        if keys.is_empty() {
            return;
        }
        keys.sort_unstable();
        keys.dedup();
        // A bit for each of sixteen times as many lowest bits of keys: of those that are not looked for at most one in sixteen is searched for.
        let mut bits = vec![false; (16 * keys.len()).next_power_of_two()];
        let place = |key: Key, of: usize| key.0 as usize & (of - 1);
        let of = bits.len();
        for key in &keys {
            if let Some(bit) = bits.get_mut(place(*key, of)) {
                *bit = true;
            }
        }
        let is = |key: Key| bits.get(place(key, of)) == Some(&true) && keys.binary_search(&key).is_ok();
        let mut found = Vec::new();
        for range in &self.unindexed.left {
            let line = self.lanes.line_of(range.0);
            line.keys_that(*range, is, |key, number| found.push((key, number)));
        }
        for (key, number) in found {
            self.index.enter(key, number);
        }
        self.unindexed.looked_for = keys;
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

/// Calls `each` for every key of which a command asks what it holds.
fn keys_of(command: &Command, each: &mut impl FnMut(Key)) {
    match command {
        Command::Enter(enter) => enter.who.iter().for_each(|person| each(person.holder.key)),
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
