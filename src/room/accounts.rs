//! The accounts beside the book: which account each ticket belongs to.
//!
//! A ticket has a holder, the device, and may belong to an account. This file alone says which living ticket an account has; it has at most one. A
//! ticket's account is kept beside its holder, in the line and with its permit, and moves with it. The room compares accounts and cannot read them.
//!
//! # What is stored
//! A page has the accounts of its numbers as of when it was written. The snapshot has the accounts that came *later*. Once more than
//! [`LATE_ACCOUNTS_MAX`](facts::limits::LATE_ACCOUNTS_MAX) have come to one page, that page is due again, under another name.

use super::Room;
use super::index::Index;
use super::lanes::Lanes;
use super::line::Place;
use super::permits::Permits;
use facts::holder::Key;
use facts::limits::sizes;
use facts::planted::{self, Bug};
use facts::units::{Number, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the room knows of accounts beyond the account of each ticket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// The accounts of living tickets that got one after their page was full.
    late: BTreeMap<Number, Key>,
    /// The row in which a page became due again, by the page's first number.
    repaged: BTreeMap<Number, Version>,
    #[serde(skip)]
    index: Index,
}

impl Accounts {
    /// Forgets everything, when an edition begins.
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Enters the account of a living ticket in the index. O(1) amortised.
    pub(super) fn enter(&mut self, number: Number, account: Key, lanes: &Lanes, permits: &Permits) {
        let account_of = |number: Number| {
            let waits = lanes.line_of(number).account(number);
            waits.or_else(|| permits.of_number(number)?.1.account)
        };
        let living = lanes.alive() + u64::from(permits.leased());
        let has_one = |number: Number| account_of(number).is_some();
        self.index.insert(account, number, living, has_one, account_of);
    }

    /// Forgets a ticket that is over.
    pub(super) fn ends(&mut self, number: Number) {
        self.late.remove(&number);
    }

    /// Forgets the tickets for which `lives` is false.
    pub(super) fn retain(&mut self, lives: impl Fn(Number) -> bool) {
        self.late.retain(|number, _| lives(*number));
    }

    /// Forgets what pages lack: after a draw every page is due under another name.
    pub(super) fn repage_all(&mut self) {
        (self.late, self.repaged) = <_>::default();
    }

    /// The number of bytes that the index takes. O(buckets).
    pub(super) fn bytes(&self) -> usize {
        self.index.bytes()
    }
}

impl Room {
    /// Returns the account of a living ticket, or `None` if it has none. O(log permits).
    #[must_use]
    pub fn account_of(&self, number: Number) -> Option<Key> {
        let waits = self.line_of(number).account(number);
        waits.or_else(|| self.permits.of_number(number)?.1.account)
    }

    /// Returns the living ticket of an account. O(log permits) on average.
    #[must_use]
    pub fn living_of_account(&self, account: Key) -> Option<Number> {
        let index = &self.accounts.index;
        let found = index.find(account, |number| self.account_of(number) == Some(account));
        found.or_else(|| self.unindexed.account(&self.lanes, account))
    }

    /// Brings near what the index knows of these accounts. O(accounts).
    pub(super) fn approach_accounts(&self, accounts: impl Iterator<Item = Key> + Clone) {
        self.accounts.index.approach(accounts);
    }

    /// The accounts that came after their page was full, by ticket.
    pub fn late_accounts(&self) -> impl Iterator<Item = (Number, Key)> + '_ {
        let late = self.accounts.late.iter();
        late.map(|(number, account)| (*number, *account))
    }

    /// Returns the row since which the page beginning with this number is valid: an older one holds other tickets or lacks accounts.
    #[must_use]
    pub fn page_since(&self, first: Number) -> Version {
        let repaged = self.accounts.repaged.get(&first).copied();
        repaged.unwrap_or_default().max(self.told_from)
    }

    /// Gives living tickets to accounts. A ticket that does not live gets none.
    pub(super) fn apply_owned(&mut self, tickets: &[Number], accounts: &[Key]) {
        for (number, account) in tickets.iter().zip(accounts) {
            if self.lobby_of(*number).is_some() {
                self.own(*number, *account);
            }
        }
    }

    /// Gives a living ticket to an account.
    pub(super) fn own(&mut self, number: Number, account: Key) {
        self.own_unpaged(number, account);
        let line = self.line_of(number);
        if number < line.tail_from() && line.place(number) != Place::Gone {
            self.comes_late(number, account);
        }
    }

    /// Gives a living ticket to an account where every page is due anyway.
    pub(super) fn own_unpaged(&mut self, number: Number, account: Key) {
        self.permits.set_account(number, account);
        self.line_of_mut(number).set_account(number, account);
        self.accounts.enter(number, account, &self.lanes, &self.permits);
    }

    /// Notes an account that came too late for the page of its ticket. A page with too many of these is due again. O(late accounts of the page).
    fn comes_late(&mut self, number: Number, account: Key) {
        let size = sizes().holders_page;
        let first = Number(number.0 / size * size);
        self.accounts.late.insert(number, account);
        let of_page = first..first.plus(size);
        let late = self.accounts.late.range(of_page.clone());
        if late.count() <= sizes().late_accounts_max {
            return;
        }
        self.accounts.retain(|number| !of_page.contains(&number));
        let lanes = &self.lanes;
        let repaged = &mut self.accounts.repaged;
        repaged.retain(|first, _| lanes.line_of(first.plus(1)).has_page(*first));
        repaged.insert(first, self.version);
    }

    /// Completes what the pages leave open: sets the accounts that came later and begins the index, as that of keys is begun (`unindexed.rs`).
    /// O(permits + pages of late accounts).
    pub(super) fn open_accounts(&mut self) {
        let late = core::mem::take(&mut self.accounts.late);
        for (number, account) in &late {
            if !planted::is(Bug::LateAccountForgotten) {
                self.line_of_mut(*number).set_account(*number, *account);
            }
        }
        self.accounts.late = late;
        for (_, grant) in self.permits.out() {
            if let Some(account) = grant.account {
                self.accounts.enter(grant.number, account, &self.lanes, &self.permits);
            }
        }
    }
}
