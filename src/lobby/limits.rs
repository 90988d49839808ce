//! What one address and one visitor may take, so that neither a hoarder nor a flood of ghosts fills the line.
//!
//! A visitor's name begins with a keyed hash of the address at which it was given ([`AddressTag`]), and the beginning of this hash also picks
//! the lobby. So **all visitors named at one address, or in one IPv6 /48, begin in one lobby**, and what this lobby counts is the whole truth
//! for the room: nothing is divided, and lobbies that wake or sleep change nothing. Whoever asks for a place from another address than the one where
//! its cookie was given is counted there, and the front sends the ask to that address's lobby ([`Ask::from`]).
//!
//! A /64 of IPv6 is one address. Its /56 and its /48 have shares of their own, since whoever has one has every /64 in it for nothing.
//!
//! A join for an account is limited by the account and not by the address, since the shop vouches for it. The account's devices may begin in
//! several lobbies, and each lobby counts for itself. That gains nothing, since the account has one place.
//!
//! Tickets are counted as they stand in the replica. The rates are kept in memory only and start afresh with it.

use super::asking::{Want, is_guess};
use super::{Lobby, Ticket};
use facts::holder::Tag;
use facts::units::{AccountId, AddressTag, Instant, Network, VisitorId};
use facts::wire::{Ask, Limited, Share};
use std::collections::BTreeMap;

/// The most keys that one rate counts at once. 40 bytes each: 3 MB of the object's 128. A key that comes while so many are counted goes uncounted;
/// that takes a thousand new names a second, for a lobby that holds 16,000 tickets.
const COUNTED_MAX: usize = 65_536;
const MINUTE_MS: u64 = 60_000;
/// How many codes that give no place one visitor, or one address, may show in a minute: five at once and one every twelve seconds, so never more
/// than ten in a minute. An IPv4 address may show [`Limits::ipv4_share`] times as many, a network as its share says.
const GUESSES_PER_MINUTE: u32 = 5;
/// How many leases an address may hold and still walk in, whatever [`Limits::walk_ins_per_ip_max_percent`] comes to: a family's tabs, and a small room
/// of as many permits or fewer has no such limit.
pub const WALK_INS_PER_IP_MIN: u64 = 5;
/// How many times as much as one address an IPv6 /56 may take: a household with guests and phones, or four on a carrier's.
const SLASH56_TIMES: u32 = 4;
/// How many times as much as an IPv4 address an IPv6 /48 may take. Both may have a campus or a part of a carrier behind them, but a /48 costs
/// nothing; so it has 400 tickets and a tenth of the permits where nothing is set.
const SLASH48_TIMES: u32 = 2;
/// How long the holder of a place has not been there when a neighbour may take the place's share, ms. A phone is in a pocket for shorter, and
/// nobody shuts out neighbours for longer with places that are left alone.
pub const GIVES_WAY_AFTER_MS: u64 = 300_000;
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

/// A network of an address, as rates count it.
type Counted = (Network, AddressTag);

impl Limits {
    /// Returns a limit as it holds for each network of this address; nothing if there is no limit.
    fn of_address(self, limit: u32, tag: AddressTag) -> impl Iterator<Item = (Counted, u64)> {
        let shared = self.ipv4_share.max(1);
        let times = move |network| match network {
            Network::Address if tag.is_shared() => shared,
            Network::Address => 1,
            Network::Slash56 => SLASH56_TIMES,
            Network::Slash48 => SLASH56_TIMES.max(shared.saturating_mul(SLASH48_TIMES)),
        };
        let networks = tag.networks().iter().filter(move |_| limit > 0);
        networks.map(move |network| {
            let most = u64::from(limit).saturating_mul(u64::from(times(*network)));
            ((*network, tag.within(*network)), most)
        })
    }

    /// Returns how many leases this network may hold by walking in, or `None` if there is no limit.
    fn of_permits(self, permits: u32, network: Network) -> Option<u64> {
        let percent = u64::from(self.walk_ins_per_ip_max_percent);
        let share = (u64::from(permits) * percent / 100).max(WALK_INS_PER_IP_MIN);
        let times = match network {
            Network::Address | Network::Slash56 => 1,
            Network::Slash48 => u64::from(SLASH48_TIMES),
        };
        (percent > 0).then_some(share * times)
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

    /// How long until each of these keys may take one of its rate, in ms; 0 if they may now. O(keys · log keys).
    fn wait_for_all_ms(&self, now: Instant, rates: impl Iterator<Item = (K, u64)>) -> u64 {
        let waits = rates.map(|(key, per_minute)| self.wait_ms(now, key, per_minute));
        waits.max().unwrap_or(0)
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
    addresses: Rate<Counted>,
    accounts: Rate<AccountId>,
    guessers: Rate<VisitorId>,
    guessed_at: Rate<Counted>,
}

impl Lobby {
    /// Charges one number to what the visitor and its address, or the account, may take in a minute. Returns `None`, or which share is used up.
    /// O(log n), plus the asks under way if the address's tickets are limited.
    pub(super) fn takes_share(&mut self, now: Instant, payer: Payer) -> Option<Limited> {
        if let Some(account) = payer.account {
            return self.takes_share_of_account(now, account);
        }
        let limited = self.limited(now, payer);
        let limited = limited.or_else(|| self.takes_guess(now, payer));
        if limited.is_none() {
            if let Some(most) = self.rate_of_visitor() {
                self.rates.visitors.spend(now, payer.visitor, most);
            }
            for (counted, most) in self.rates_at(payer.address) {
                self.rates.addresses.spend(now, counted, most);
            }
        }
        limited
    }

    /// Counts a code as a guess until it is known to be none. Returns `None`, or whose share of guesses is used up.
    pub(super) fn takes_guess(&mut self, now: Instant, payer: Payer) -> Option<Limited> {
        if !payer.guesses {
            return None;
        }
        let own = u64::from(GUESSES_PER_MINUTE);
        let own_ms = self.rates.guessers.wait_ms(now, payer.visitor, own);
        let shared = self.guesses_at(payer);
        let shared_ms = self.rates.guessed_at.wait_for_all_ms(now, shared);
        let (by, wait_ms) = if own_ms > 0 {
            (Share::Visitor, own_ms)
        } else {
            (Share::Address, shared_ms)
        };
        if wait_ms == 0 {
            self.rates.guessers.spend(now, payer.visitor, own);
            for (counted, most) in self.guesses_at(payer) {
                self.rates.guessed_at.spend(now, counted, most);
            }
        }
        (wait_ms > 0).then_some(Limited {
            by,
            retry_after_s: wait_ms.div_ceil(1_000),
        })
    }

    /// Takes back the guess: the code gave a place, or the room did not look at it.
    pub(super) fn refund_guess(&mut self, payer: Payer) {
        let own = u64::from(GUESSES_PER_MINUTE);
        self.rates.guessers.refund(payer.visitor, own);
        for (counted, most) in self.guesses_at(payer) {
            self.rates.guessed_at.refund(counted, most);
        }
    }

    /// Returns how many guesses an address has in a minute: the one from which the code is shown, and the one at which the visitor was named. So
    /// places that were taken at many addresses guess no more at one.
    fn guesses_at(&self, payer: Payer) -> impl Iterator<Item = (Counted, u64)> + use<> {
        let limits = self.config.limits;
        let named_at = Some(payer.visitor.tag()).filter(|tag| *tag != payer.address);
        let addresses = core::iter::once(payer.address).chain(named_at);
        addresses.flat_map(move |tag| limits.of_address(GUESSES_PER_MINUTE, tag))
    }

    fn takes_share_of_account(&mut self, now: Instant, account: AccountId) -> Option<Limited> {
        let most = self.rate_of_visitor()?;
        let wait_ms = self.rates.accounts.wait_ms(now, account, most);
        if wait_ms == 0 {
            self.rates.accounts.spend(now, account, most);
        }
        (wait_ms > 0).then_some(Limited {
            by: Share::Visitor,
            retry_after_s: wait_ms.div_ceil(1_000),
        })
    }

    /// Gives a share back, because no number was issued for it.
    pub(super) fn gives_share_back(&mut self, payer: Payer) {
        let visitor = payer.visitor;
        if let Some(account) = payer.account {
            if let Some(most) = self.rate_of_visitor() {
                self.rates.accounts.refund(account, most);
            }
            return;
        }
        if let Some(most) = self.rate_of_visitor() {
            self.rates.visitors.refund(visitor, most);
        }
        for (counted, most) in self.rates_at(payer.address) {
            self.rates.addresses.refund(counted, most);
        }
    }

    fn limited(&mut self, now: Instant, payer: Payer) -> Option<Limited> {
        let Payer { visitor, address, .. } = payer;
        let refuse = |by, retry_after_s| Some(Limited { by, retry_after_s });
        let own = self.rate_of_visitor();
        let own_ms = own.map_or(0, |most| self.rates.visitors.wait_ms(now, visitor, most));
        if own_ms > 0 {
            return refuse(Share::Visitor, own_ms.div_ceil(1_000));
        }
        let shared = self.rates_at(address);
        let shared_ms = self.rates.addresses.wait_for_all_ms(now, shared);
        if shared_ms > 0 {
            return refuse(Share::Address, shared_ms.div_ceil(1_000));
        }
        let limits = self.config.limits;
        let shares = limits.of_address(limits.tickets_per_ip_max, address);
        let tag = self.guests.tag_of(address);
        let joins = |want| matches!(want, Want::Join | Want::WalkIn);
        let is_full = |(counted, most): &(Counted, u64)| {
            let held = self.replica.held_at(tag, counted.0);
            u64::from(held.tickets) + self.asks.coming(visitor, *counted, joins) >= *most
        };
        // Who gives way in the smallest network that is full makes room in the greater ones too.
        let ((network, _), _) = { shares }.find(is_full)?;
        let has_its_share = !self.makes_room(now, tag, network);
        has_its_share.then_some(Limited {
            by: Share::Tickets,
            retry_after_s: TICKETS_RETRY_S,
        })
    }

    /// Gives up a ticket of this network to make room: one that waits, is no account's, and is not given up for somebody else. Those go
    /// first whose holders never came back after joining, once the linger is over; then those whose holders have not been there for
    /// [`GIVES_WAY_AFTER_MS`]; the longest away first. So somebody who takes tickets and leaves them shuts out no
    /// neighbour. Returns `false` if there is none. O(tickets).
    fn makes_room(&mut self, now: Instant, tag: Tag, network: Network) -> bool {
        let neighbours = tag.within(network);
        let linger_ms = self.guests.linger_ms();
        let gives_way = |ticket: &&Ticket, since: Instant| {
            let away_ms = now.since_ms(since);
            if ticket.returned {
                let is_there = self.guests.is_there(ticket.holder.key);
                away_ms > linger_ms.max(GIVES_WAY_AFTER_MS) && !is_there
            } else {
                away_ms > linger_ms
            }
        };
        let waits = self.replica.tickets().filter(|ticket| {
            neighbours.contains(&ticket.holder.tag)
                && ticket.account.is_none()
                && !ticket.waits_not()
                && ticket.unseen_since.is_some_and(|since| gives_way(ticket, since))
                && !self.is_given_up(&ticket.held())
        });
        let longest = waits.min_by_key(|ticket| (ticket.returned, ticket.unseen_since));
        let place = longest.map(Ticket::held);
        place.is_some_and(|place| self.given_up.insert(place))
    }

    /// Whether the address and its networks may have one more walk-in: one whose cookie has not come back, and one more lease. A lease counts however
    /// it was got, by walking in or by a call, so that the count needs no more than the list. Whoever may not walk in takes a number like
    /// everybody, is passed over by nobody, and no permit waits. O(addresses in the network), plus the asks under way.
    pub(super) fn may_walk_in(&self, ask: &Ask) -> bool {
        let limits = self.config.limits;
        let (tag, address) = (self.guests.holder_by(ask).tag, ask.address());
        let coming = |counted| self.asks.coming(ask.visitor, counted, |want| want == Want::WalkIn);
        let mut unproven = limits.of_address(limits.walk_ins_per_ip_max, address);
        let proves = unproven.all(|(counted, most)| {
            let held = self.replica.held_at(tag, counted.0);
            u64::from(held.unproven) + coming(counted) < most
        });
        let mut networks = address.networks().iter();
        proves
            && networks.all(|network| {
                let held = self.replica.held_at(tag, *network);
                let coming = coming((*network, address.within(*network)));
                let most = limits.of_permits(self.picture.lanes().gist().permits, *network);
                most.is_none_or(|most| u64::from(held.leases) + coming < most)
            })
    }

    fn rate_of_visitor(&self) -> Option<u64> {
        let most = self.config.limits.joins_per_visitor_per_minute;
        (most > 0).then_some(u64::from(most))
    }

    /// Returns how many numbers may be taken in a minute at an address, and in its networks.
    fn rates_at(&self, address: AddressTag) -> impl Iterator<Item = (Counted, u64)> + use<> {
        let limits = self.config.limits;
        limits.of_address(limits.joins_per_ip_per_minute, address)
    }
}

/// Who pays for a number, and for a code that gives no place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payer {
    visitor: VisitorId,
    /// The address from which the visitor asks.
    address: AddressTag,
    /// The account, which pays instead of both.
    pub account: Option<AccountId>,
    /// Whether the visitor shows a code. An invitation is signed and cannot be guessed.
    guesses: bool,
}

impl Payer {
    pub fn of(ask: &Ask) -> Self {
        Self {
            visitor: ask.visitor,
            address: ask.address(),
            account: ask.account.map(|asked| asked.id),
            guesses: is_guess(ask),
        }
    }
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
