//! Whose places are: the accounts beside the book.
//!
//! A ticket has a holder, the device, and may be an account's. One living place an account is decided here and nowhere else. Which
//! account a ticket is of lies beside its holder, in the line and with its permit, and goes with it. The room compares accounts and
//! cannot read them.
//!
//! # What is stored
//! Pages have the accounts of their numbers as of when they were written. The snapshot has the accounts that came *later*; a
//! page to which more than [`LATE_ACCOUNTS_MAX`](crate::facts::limits::LATE_ACCOUNTS_MAX) came is due anew, under another
//! name.

use super::Room;
use super::index::Index;
use super::line::Place;
use crate::facts::holder::{Held, Key};
use crate::facts::limits::sizes;
use crate::facts::units::{LobbyId, Number, Version};
use crate::planted::{self, Bug};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the room knows of accounts, besides which a ticket is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// The living tickets that became an account's after their page was full.
    late: BTreeMap<Number, Key>,
    /// The pages that were due anew, by first number: since which row.
    repaged: BTreeMap<Number, Version>,
    #[serde(skip)]
    index: Index,
}

impl Accounts {
    /// Nobody holds a number that had one until now.
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// A ticket is over.
    pub(super) fn ends(&mut self, number: Number) {
        self.late.remove(&number);
    }

    /// Tickets are over, all but these.
    pub(super) fn retain(&mut self, lives: impl Fn(Number) -> bool) {
        self.late.retain(|number, _| lives(*number));
    }

    /// Every page is due under another name.
    pub(super) fn repage_all(&mut self) {
        (self.late, self.repaged) = <_>::default();
    }

    /// The bytes that the index takes. O(buckets).
    pub(super) fn bytes(&self) -> usize {
        self.index.bytes()
    }
}

impl Room {
    /// Which account's a living ticket is, if it is one's. O(log permits).
    #[must_use]
    pub fn account_of(&self, number: Number) -> Option<Key> {
        let waits = self.line_of(number).account(number);
        waits.or_else(|| self.permits.of_number(number)?.1.account)
    }

    /// The living ticket of an account. O(log permits) on average.
    #[must_use]
    pub fn living_of_account(&self, account: Key) -> Option<Number> {
        let index = &self.accounts.index;
        index.find(account, |number| self.account_of(number) == Some(account))
    }

    /// The accounts that pages do not have, by ticket.
    pub fn late_accounts(&self) -> impl Iterator<Item = (Number, Key)> + '_ {
        let late = self.accounts.late.iter();
        late.map(|(number, account)| (*number, *account))
    }

    /// Since when the page of holders that begins with this number is what it is: numbers and accounts of it were other ones before.
    #[must_use]
    pub fn page_since(&self, first: Number) -> Version {
        let repaged = self.accounts.repaged.get(&first).copied();
        repaged.unwrap_or_default().max(self.told_from)
    }

    /// Living tickets are accounts' from now on. One that does not live stays nobody's.
    pub(super) fn apply_owned(&mut self, tickets: &[Number], accounts: &[Key]) {
        for (number, account) in tickets.iter().zip(accounts) {
            if self.holder(*number).is_some() {
                self.own(*number, *account);
            }
        }
    }

    /// A living ticket is this account's.
    pub(super) fn own(&mut self, number: Number, account: Key) {
        self.own_unpaged(number, account);
        let line = self.line_of(number);
        if number < line.tail_from() && line.place(number) != Place::Gone {
            self.comes_late(number, account);
        }
    }

    /// The same, where every page is due anyway.
    pub(super) fn own_unpaged(&mut self, number: Number, account: Key) {
        self.permits.set_account(number, account);
        self.line_of_mut(number).set_account(number, account);
        let (lanes, permits) = (&self.lanes, &self.permits);
        let account_of = |number: Number| {
            let waits = lanes.line_of(number).account(number);
            waits.or_else(|| permits.of_number(number)?.1.account)
        };
        let living = lanes.alive() + u64::from(permits.leased());
        self.accounts
            .index
            .insert(account, number, living, account_of);
    }

    /// The page of this number is written, or will be, without what is now known of it. O(late ones of the page).
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

    /// What pages leave open: the accounts that came later, and the index. O(n).
    pub(super) fn open_accounts(&mut self) {
        let late = core::mem::take(&mut self.accounts.late);
        for (number, account) in &late {
            if !planted::is(Bug::LateAccountForgotten) {
                self.line_of_mut(*number).set_account(*number, *account);
            }
        }
        self.accounts.late = late;
        let (lanes, permits) = (&self.lanes, &self.permits);
        let all = |each: &mut dyn FnMut(Key, Number)| {
            for line in lanes.lines() {
                let accounts = line.accounts(Number(0), line.next());
                accounts.for_each(|(number, account)| each(account, number));
            }
            for (_, grant) in permits.out() {
                if let Some(account) = grant.account {
                    each(account, grant.number);
                }
            }
        };
        let mut count = 0;
        all(&mut |_, _| count += 1);
        self.accounts.index = Index::of(count, all);
    }

    /// The living place of a device, and of which lobby it is.
    pub(super) fn own_place(&self, key: Key) -> Option<(Held, LobbyId)> {
        let number = self.living_of(key)?;
        Some((Held { number, key }, self.lobby_of(number)?))
    }
}
