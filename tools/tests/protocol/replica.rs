//! A lobby's replica of its part of the book, in the model. Only this file changes a replica.

use super::rules::{Rule, Rules};
use super::words::*;

/// What is missing of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Missing {
    Nothing,
    /// The page that begins at this number.
    Page(Number),
    /// The changes since the first page.
    Changes,
}

/// A lobby's part of the book as it was at `version`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Replica {
    pub life: Life,
    pub edition: u8,
    /// The row that the replica is as new as. While a list is coming, this is the version of its first page.
    pub version: Row,
    /// Living tickets, by number.
    pub tickets: Vec<Entry>,
    missing: Missing,
    newest_page: Row,
}

/// What the replica did with a message of the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    Taken,
    Ignored,
    /// The message counts from a later row than the replica's version.
    Gap,
}

impl Replica {
    /// Makes a replica from the first page of a list.
    pub fn from_list(life: Life, edition: u8, page: Page) -> Replica {
        let missing = page.next.map_or(Missing::Nothing, Missing::Page);
        Replica {
            life,
            edition,
            version: page.version,
            tickets: page.entries,
            missing,
            newest_page: page.version,
        }
    }

    /// Returns whether the lobby may tell, answer and level presence by this replica.
    pub fn whole(&self, rules: Rules) -> bool {
        self.missing == Missing::Nothing || !rules.has(Rule::WholeLists)
    }

    /// Returns where the next missing page begins.
    pub fn next_page(&self) -> Option<Number> {
        match self.missing {
            Missing::Page(from) => Some(from),
            Missing::Nothing | Missing::Changes => None,
        }
    }

    /// Returns whether only the changes since the first page are missing.
    pub fn lacks_changes(&self) -> bool {
        self.missing == Missing::Changes
    }

    /// Returns the ticket of a key.
    pub fn of_key(&self, key: Key) -> Option<Entry> {
        self.tickets.iter().find(|entry| entry.key == key).copied()
    }

    /// Takes in a page of the list. Returns false and ignores it if it is not the one that is missing.
    pub fn take_page(&mut self, rules: Rules, from: Number, page: Page) -> bool {
        let of_this_list = page.version >= self.version || !rules.has(Rule::PageOfItsList);
        if self.missing != Missing::Page(from) || !of_this_list {
            return false;
        }
        page.entries.into_iter().for_each(|entry| self.put(entry));
        self.newest_page = self.newest_page.max(page.version);
        self.missing = page.next.map_or(Missing::Changes, Missing::Page);
        true
    }

    /// Takes in changes of tickets, unless they are too old, leave a gap, or pages are missing.
    pub fn take_changes(&mut self, rules: Rules, changes: Changes) -> Merged {
        if changes.since > self.version {
            return Merged::Gap;
        }
        let older = changes.version < self.version && rules.has(Rule::IgnoreOlder);
        let too_old_for_pages = changes.version < self.newest_page && rules.has(Rule::PagesCaughtUp);
        if older || matches!(self.missing, Missing::Page(_)) || too_old_for_pages {
            return Merged::Ignored;
        }
        self.missing = Missing::Nothing;
        self.version = changes.version;
        changes.entries.into_iter().for_each(|entry| self.put(entry));
        Merged::Taken
    }

    fn put(&mut self, entry: Entry) {
        self.tickets.retain(|old| old.number != entry.number);
        if entry.standing != Standing::Over {
            self.tickets.push(entry);
            self.tickets.sort_unstable();
        }
    }
}
