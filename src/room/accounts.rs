//! The accounts beside the book: which account each ticket belongs to.
//!
//! A ticket has a holder, the device, and may belong to an account. This file alone says which living ticket an account has; it has at most one. A
//! ticket's account is kept beside its holder, in the line and with its permit, and moves with it. The room compares accounts and cannot read them.
//!
//! # What is stored
//! A page has the accounts of its numbers as of when it was written. The snapshot has the accounts that came *later*. Once more than
//! [`LATE_ACCOUNTS_MAX`](facts::limits::LATE_ACCOUNTS_MAX) have come to one page, that page is due again, under another name.

use super::index::Index;
use super::line::Place;
use super::tickets::Tickets;
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
    /// Enters the account of a living ticket in the index. O(1) amortised.
    pub(super) fn enter(&mut self, number: Number, account: Key, tickets: &Tickets) {
        let account_of = |number: Number| tickets.account_of(number);
        let has_one = |number: Number| account_of(number).is_some();
        self.index.insert(account, number, tickets.living(), has_one, account_of);
    }

    /// Returns the living ticket of an account, if the index has it. O(log permits) on average.
    pub(super) fn find(&self, tickets: &Tickets, account: Key) -> Option<Number> {
        self.index.find(account, |number| tickets.account_of(number) == Some(account))
    }

    /// Brings near what the index knows of these accounts. O(accounts).
    pub(super) fn approach(&self, accounts: impl Iterator<Item = Key>) {
        self.index.approach(accounts);
    }

    /// The accounts that came after their page was full, by ticket.
    pub fn late(&self) -> impl Iterator<Item = (Number, Key)> + '_ {
        self.late.iter().map(|(number, account)| (*number, *account))
    }

    /// Returns the row in which the page beginning with this number became due again: an older one lacks accounts. 0 if it never did.
    pub(super) fn repaged(&self, first: Number) -> Version {
        self.repaged.get(&first).copied().unwrap_or_default()
    }

    /// Gives a living ticket to an account in this row.
    pub(super) fn own(&mut self, row: Version, tickets: &mut Tickets, number: Number, account: Key) {
        tickets.set_account(number, account);
        self.enter(number, account, tickets);
        let line = tickets.line_of(number);
        if number < line.tail_from() && line.place(number) != Place::Gone {
            self.comes_late(row, tickets, number, account);
        }
    }

    /// Notes an account that came too late for the page of its ticket. A page with too many of these is due again. O(late accounts of the page).
    fn comes_late(&mut self, row: Version, tickets: &Tickets, number: Number, account: Key) {
        let size = sizes().holders_page;
        let first = Number(number.0 / size * size);
        self.late.insert(number, account);
        let of_page = first..first.plus(size);
        let late = self.late.range(of_page.clone());
        if late.count() <= sizes().late_accounts_max {
            return;
        }
        self.retain(|number| !of_page.contains(&number));
        self.repaged.retain(|first, _| tickets.line_of(first.plus(1)).has_page(*first));
        self.repaged.insert(first, row);
    }

    /// Completes what the pages leave open: sets the accounts that came later and begins the index, as that of keys is begun (`unindexed.rs`).
    /// O(permits + pages of late accounts).
    pub(super) fn open(&mut self, tickets: &mut Tickets) {
        for (number, account) in &self.late {
            if !planted::is(Bug::LateAccountForgotten) {
                tickets.lanes_mut().line_of_mut(*number).set_account(*number, *account);
            }
        }
        for (_, grant) in tickets.permits().out() {
            if let Some(account) = grant.account {
                self.enter(grant.number, account, tickets);
            }
        }
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
