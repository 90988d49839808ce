//! What one address and one visitor may take, so that neither a hoarder nor a flood of ghosts fills the line.
//!
//! A visitor's name begins with a keyed hash of the address at which it was given ([`AddressTag`]), and this hash also picks the
//! lobby. So **all visitors named at one address begin in one lobby**, and what this lobby counts is the whole truth for the room:
//! nothing is divided, and lobbies that wake or sleep change nothing.
//!
//! A join for an account is limited by the account and not by the address, since the shop vouches for it. The account's devices may begin in
//! several lobbies, and each lobby counts for itself. That gains nothing, since the account has one place.
//!
//! Tickets are counted as they stand in the replica. The rates are kept in memory only and start afresh with it.

use super::asking::{Asking, Want};
use super::{Lobby, Phase, Ticket};
use crate::facts::units::{AccountId, AddressTag, Instant, VisitorId};
use crate::facts::voucher::{Spend, Voucher};
use crate::wire::{Ask, Limited, Share};
use std::collections::BTreeMap;

/// The most keys that one rate counts at once. 40 bytes each: 3 MB of the object's 128. A key that comes while so many are counted goes uncounted;
/// that takes a thousand new names a second, for a lobby that holds 16,000 tickets.
const COUNTED_MAX: usize = 65_536;
const MINUTE_MS: u64 = 60_000;
/// How many codes that give no place one visitor, or one address, may show in a minute: five at once and one every twelve seconds, so never more
/// than ten in a minute. An IPv4 address may show [`Limits::ipv4_share`] times as many.
const GUESSES_PER_MINUTE: u32 = 5;
/// How many leases an address may hold and still walk in, whatever [`Limits::walk_ins_per_ip_max_percent`] comes to: a family's tabs, and a small room
/// of as many permits or fewer has no such limit.
pub const WALK_INS_PER_IP_MIN: u64 = 5;
/// When it is worth asking again for a place that somebody else must give up first, in seconds.
const TICKETS_RETRY_S: u64 = 60;

/// The limits of a room; 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Living tickets of one address at once.
    pub tickets_per_ip_max: u32,
    /// Walk-ins of one address whose cookie has not come back. Any more go through the page.
    pub walk_ins_per_ip_max: u32,
    /// The share of the room's permits, in percent, up to which one address walks in; at least [`WALK_INS_PER_IP_MIN`]. An IPv4 address
    /// has no multiple of it: then one would have the whole room.
    pub walk_ins_per_ip_max_percent: u32,
    /// Numbers taken at one address in a minute.
    pub joins_per_ip_per_minute: u32,
    /// Numbers taken by one visitor in a minute.
    pub joins_per_visitor_per_minute: u32,
    /// How many times as much an IPv4 address may take, since many people may be behind it; 0 counts as 1.
    pub ipv4_share: u32,
}

impl Limits {
    /// Returns a limit as it holds for this address, or `None` if there is no limit.
    fn of_address(&self, limit: u32, tag: AddressTag) -> Option<u64> {
        let times = if tag.is_shared() {
            self.ipv4_share.max(1)
        } else {
            1
        };
        (limit > 0).then(|| u64::from(limit).saturating_mul(u64::from(times)))
    }

    /// Returns how many leases an address may hold by walking in, or `None` if there is no limit.
    fn of_permits(&self, permits: u32) -> Option<u64> {
        let percent = u64::from(self.walk_ins_per_ip_max_percent);
        let share = u64::from(permits) * percent / 100;
        (percent > 0).then(|| share.max(WALK_INS_PER_IP_MIN))
    }
}

/// Numbers taken per key. Each costs its share of a minute: the generic cell rate algorithm (ITU-T I.371), which needs one instant a key.
/// [`at_once_ms`] bounds how many can be taken at once: enough for a family at the opening, not a minute's worth.
#[derive(Clone, Debug, Default)]
struct Rate<K>(BTreeMap<K, Instant>);

impl<K: Ord + Copy> Rate<K> {
    /// How long until `key` may take one of `per_minute`, in ms; 0 if it may now. O(log keys).
    fn wait_ms(&self, now: Instant, key: K, per_minute: u64) -> u64 {
        let paid_until = self.0.get(&key).map_or(now, |at| (*at).max(now));
        let next = paid_until.plus_ms(cost_ms(per_minute));
        next.since_ms(now).saturating_sub(at_once_ms(per_minute))
    }

    fn spend(&mut self, now: Instant, key: K, per_minute: u64) {
        if self.0.len() >= COUNTED_MAX {
            self.0.retain(|_, paid_until| *paid_until > now);
        }
        if self.0.len() < COUNTED_MAX || self.0.contains_key(&key) {
            let paid_until = self.0.entry(key).or_insert(now);
            *paid_until = (*paid_until).max(now).plus_ms(cost_ms(per_minute));
        }
    }

    fn refund(&mut self, key: K, per_minute: u64) {
        if let Some(paid_until) = self.0.get_mut(&key) {
            *paid_until = Instant(paid_until.0.saturating_sub(cost_ms(per_minute)));
        }
    }
}

const fn cost_ms(per_minute: u64) -> u64 {
    match MINUTE_MS.checked_div(per_minute) {
        Some(ms) => ms,
        None => 0,
    }
}

/// How far ahead a key may take, in ms: five numbers, or a tenth of a minute's worth if that is more, and never more than a minute's
/// worth. A client that asks a thousand times at once gets no more.
const fn at_once_ms(per_minute: u64) -> u64 {
    const AT_ONCE: u64 = 5;
    let some = AT_ONCE * cost_ms(per_minute);
    let tenth = MINUTE_MS / 10;
    let most = if some > tenth { some } else { tenth };
    if most < MINUTE_MS { most } else { MINUTE_MS }
}

/// The rates of one lobby, in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    visitors: Rate<VisitorId>,
    addresses: Rate<AddressTag>,
    accounts: Rate<AccountId>,
    guessers: Rate<VisitorId>,
    guessed_at: Rate<AddressTag>,
}

impl Lobby {
    /// Charges one number to what the visitor and its address, or the account, may take in a minute. Returns `None`, or which share is used up.
    /// O(log n), plus the asks under way if the address's tickets are limited.
    pub(super) fn takes_share(
        &mut self,
        now: Instant,
        visitor: VisitorId,
        account: Option<AccountId>,
        spend: Option<&Spend>,
    ) -> Option<Limited> {
        if let Some(account) = account {
            return self.takes_share_of_account(now, account);
        }
        let limited = self.limited(now, visitor);
        let limited = limited.or_else(|| self.takes_guess(now, visitor, spend?));
        if limited.is_none() {
            let (of_visitor, of_address) = self.rates_of(visitor);
            if let Some(most) = of_visitor {
                self.rates.visitors.spend(now, visitor, most);
            }
            if let Some(most) = of_address {
                self.rates.addresses.spend(now, visitor.tag(), most);
            }
        }
        limited
    }

    /// Counts a code as a guess until it is known to be none; an invitation is signed and cannot be guessed.
    /// Returns `None`, or whose share of guesses is used up.
    pub(super) fn takes_guess(
        &mut self,
        now: Instant,
        visitor: VisitorId,
        spend: &Spend,
    ) -> Option<Limited> {
        let (own, shared) = self.guesses_of(visitor, spend)?;
        let rates = &mut self.rates;
        let own_ms = rates.guessers.wait_ms(now, visitor, own);
        let shared_ms = rates.guessed_at.wait_ms(now, visitor.tag(), shared);
        let (by, wait_ms) = if own_ms > 0 {
            (Share::Visitor, own_ms)
        } else {
            (Share::Address, shared_ms)
        };
        if wait_ms == 0 {
            rates.guessers.spend(now, visitor, own);
            rates.guessed_at.spend(now, visitor.tag(), shared);
        }
        (wait_ms > 0).then_some(Limited {
            by,
            retry_after_s: wait_ms.div_ceil(1_000),
        })
    }

    /// Takes back the guess: the code gave a place, or the room did not look at it.
    pub(super) fn was_no_guess(&mut self, visitor: VisitorId, spend: &Spend) {
        if let Some((own, shared)) = self.guesses_of(visitor, spend) {
            self.rates.guessers.refund(visitor, own);
            self.rates.guessed_at.refund(visitor.tag(), shared);
        }
    }

    /// Returns how many guesses the visitor and its address have in a minute, or `None` if this is no code.
    fn guesses_of(&self, visitor: VisitorId, spend: &Spend) -> Option<(u64, u64)> {
        let is_code = matches!(spend.voucher, Voucher::Code(_));
        let limits = &self.config.limits;
        let shared = limits.of_address(GUESSES_PER_MINUTE, visitor.tag())?;
        is_code.then_some((u64::from(GUESSES_PER_MINUTE), shared))
    }

    fn takes_share_of_account(&mut self, now: Instant, account: AccountId) -> Option<Limited> {
        let most = self.rate_of_account()?;
        let wait_ms = self.rates.accounts.wait_ms(now, account, most);
        if wait_ms == 0 {
            self.rates.accounts.spend(now, account, most);
        }
        (wait_ms > 0).then_some(Limited {
            by: Share::Visitor,
            retry_after_s: wait_ms.div_ceil(1_000),
        })
    }

    /// Returns how many numbers an account may take in a minute: as many as a visitor.
    fn rate_of_account(&self) -> Option<u64> {
        let most = self.config.limits.joins_per_visitor_per_minute;
        (most > 0).then_some(u64::from(most))
    }

    /// Gives a share back, because no number was issued for it.
    pub(super) fn gives_share_back(&mut self, visitor: VisitorId, account: Option<AccountId>) {
        if let Some(account) = account {
            if let Some(most) = self.rate_of_account() {
                self.rates.accounts.refund(account, most);
            }
            return;
        }
        let (of_visitor, of_address) = self.rates_of(visitor);
        if let Some(most) = of_visitor {
            self.rates.visitors.refund(visitor, most);
        }
        if let Some(most) = of_address {
            self.rates.addresses.refund(visitor.tag(), most);
        }
    }

    fn limited(&mut self, now: Instant, visitor: VisitorId) -> Option<Limited> {
        let (of_visitor, of_address) = self.rates_of(visitor);
        let refuse = |by, retry_after_s| Some(Limited { by, retry_after_s });
        let tag = visitor.tag();
        let own_ms = of_visitor.map_or(0, |most| self.rates.visitors.wait_ms(now, visitor, most));
        if own_ms > 0 {
            return refuse(Share::Visitor, own_ms.div_ceil(1_000));
        }
        let shared_ms = of_address.map_or(0, |most| self.rates.addresses.wait_ms(now, tag, most));
        if shared_ms > 0 {
            return refuse(Share::Address, shared_ms.div_ceil(1_000));
        }
        let limits = &self.config.limits;
        let most = limits.of_address(limits.tickets_per_ip_max, tag)?;
        let held = self.replica.held_at(self.holder_of(visitor).tag).tickets;
        let coming = self.coming(visitor, |want| matches!(want, Want::Join | Want::WalkIn));
        let has_its_share = u64::from(held) + coming >= most && !self.makes_room(now, visitor);
        has_its_share.then_some(Limited {
            by: Share::Tickets,
            retry_after_s: TICKETS_RETRY_S,
        })
    }

    /// Gives up a ticket of the visitor's address to make room: the oldest one that is no account's, whose holder was never seen
    /// again after joining, and that is not given up for somebody else. So somebody who takes tickets and leaves them shuts out no
    /// neighbour at the same address. Returns `false` if there is none. O(tickets).
    fn makes_room(&mut self, now: Instant, visitor: VisitorId) -> bool {
        let tag = self.holder_of(visitor).tag;
        let unseen = self.replica.tickets().filter(|ticket| {
            let since = ticket.unseen_since;
            ticket.holder.tag == tag
                && ticket.account.is_none()
                && ticket.phase == Phase::Waiting { missed: false }
                && since.is_some_and(|at| now.since_ms(at) > self.config.linger_ms)
        });
        let mut places = unseen.map(Ticket::held);
        let place = places.find(|place| !self.is_given_up(place));
        place.is_some_and(|place| self.given_up.insert(place))
    }

    /// Whether the address may have one more walk-in: one whose cookie has not come back, and one more lease. A lease counts however it was got, by
    /// walking in or by a call, so that the count needs no more than the list. Whoever may not walk in takes a number like everybody, is
    /// passed over by nobody, and no permit waits. O(log addresses), plus the asks under way.
    pub(super) fn may_walk_in(&self, visitor: VisitorId) -> bool {
        let limits = &self.config.limits;
        let held = self.replica.held_at(self.holder_of(visitor).tag);
        let coming = self.coming(visitor, |want| want == Want::WalkIn);
        let fits =
            |held: u32, most: Option<u64>| most.is_none_or(|most| u64::from(held) + coming < most);
        let unproven_max = limits.of_address(limits.walk_ins_per_ip_max, visitor.tag());
        let leases_max = limits.of_permits(self.gist.permits);
        fits(held.unproven, unproven_max) && fits(held.leases, leases_max)
    }

    fn rates_of(&self, visitor: VisitorId) -> (Option<u64>, Option<u64>) {
        let limits = &self.config.limits;
        let own = limits.joins_per_visitor_per_minute;
        let shared = limits.of_address(limits.joins_per_ip_per_minute, visitor.tag());
        ((own > 0).then_some(u64::from(own)), shared)
    }

    /// Whether the visitor already waits for a number that was counted: all its tabs get the same one. Each code counts by
    /// itself, or many at once would be one guess. O(asks under way).
    pub(super) fn has_share(&self, ask: &Ask) -> bool {
        let is_same = |asking: &Asking| {
            asking.ask.visitor == ask.visitor && asking.progress.shared && asking.wants().is_some()
        };
        !is_guess(ask) && self.asks.values().any(is_same)
    }

    /// Counts the asks of other visitors of this address whose wish to the room satisfies `means`. O(asks under way).
    fn coming(&self, visitor: VisitorId, means: impl Fn(Want) -> bool) -> u64 {
        let here = self.asks.values().filter(|asking| {
            let who = asking.ask.visitor;
            who != visitor && who.tag() == visitor.tag() && asking.wants().is_some_and(&means)
        });
        here.count() as u64
    }
}

/// Whether the ask shows a code.
pub(super) fn is_guess(ask: &Ask) -> bool {
    let voucher = ask.spend.map(|spend| spend.voucher);
    ask.account.is_none() && matches!(voucher, Some(Voucher::Code(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key that has paid makes room in that very moment, or a newcomer would not be counted.
    #[test]
    fn who_has_paid_is_forgotten_when_there_is_no_room() {
        const PER_MINUTE: u64 = 60;
        let mut rate = Rate::default();
        for key in 0..COUNTED_MAX {
            rate.spend(Instant(0), key, PER_MINUTE);
        }
        rate.spend(Instant(0), COUNTED_MAX, PER_MINUTE);
        assert_eq!(rate.0.len(), COUNTED_MAX);
        rate.spend(Instant(cost_ms(PER_MINUTE)), COUNTED_MAX, PER_MINUTE);
        assert_eq!(rate.0.len(), 1);
    }
}
