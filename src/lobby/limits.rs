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

use super::asking::{Asks, Want, is_guess};
use super::guests::Guests;
use super::replica::Replica;
use super::ticket::Ticket;
use facts::holder::{Held, Tag};
use facts::units::{AccountId, AddressTag, Instant, Network, VisitorId};
use facts::wire::{Ask, Limited, Share};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

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
/// What a newcomer is told whose network holds as many tickets as it may: somebody else must give a place up first.
pub(super) const NO_ROOM: Limited = Limited {
    by: Share::Tickets,
    retry_after_s: 60,
};

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

    /// Returns how many numbers a visitor, or an account, may take in a minute, or `None` if there is no limit.
    fn of_payer(self) -> Option<u64> {
        let most = self.joins_per_visitor_per_minute;
        (most > 0).then_some(u64::from(most))
    }

    /// Returns how many numbers may be taken in a minute at the payer's address, and in its networks; an account pays without them.
    fn at_address(self, payer: Payer) -> impl Iterator<Item = (Counted, u64)> {
        let at = self.of_address(self.joins_per_ip_per_minute, payer.address);
        at.filter(move |_| payer.account.is_none())
    }

    /// Returns how many guesses an address has in a minute: the one from which the code is shown, and the one at which the visitor was named. So
    /// places that were taken at many addresses guess no more at one.
    fn guesses_at(self, payer: Payer) -> impl Iterator<Item = (Counted, u64)> {
        let named_at = Some(payer.visitor.tag()).filter(|tag| *tag != payer.address);
        let addresses = core::iter::once(payer.address).chain(named_at);
        addresses.flat_map(move |tag| self.of_address(GUESSES_PER_MINUTE, tag))
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

/// What each visitor, address and account took lately, and how much each may. An account pays for a number instead of visitor and address.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    limits: Limits,
    visitors: Rate<VisitorId>,
    addresses: Rate<Counted>,
    accounts: Rate<AccountId>,
    guessers: Rate<VisitorId>,
    guessed_at: Rate<Counted>,
}

impl Rates {
    /// Nobody has taken anything.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Returns whose share of numbers is used up for now, or `None`. O(log n).
    pub fn refuse(&self, now: Instant, payer: Payer) -> Option<Limited> {
        let own_ms = self.limits.of_payer().map_or(0, |most| match payer.account {
            Some(account) => self.accounts.wait_ms(now, account, most),
            None => self.visitors.wait_ms(now, payer.visitor, most),
        });
        let shared = self.limits.at_address(payer);
        limited(own_ms, || self.addresses.wait_for_all_ms(now, shared))
    }

    /// Charges one number to the payer. O(log n).
    pub fn spend(&mut self, now: Instant, payer: Payer) {
        if let Some(most) = self.limits.of_payer() {
            match payer.account {
                Some(account) => self.accounts.spend(now, account, most),
                None => self.visitors.spend(now, payer.visitor, most),
            }
        }
        for (counted, most) in self.limits.at_address(payer) {
            self.addresses.spend(now, counted, most);
        }
    }

    /// Gives a number back, because none was issued for it. O(log n).
    pub fn refund(&mut self, payer: Payer) {
        if let Some(most) = self.limits.of_payer() {
            match payer.account {
                Some(account) => self.accounts.refund(account, most),
                None => self.visitors.refund(payer.visitor, most),
            }
        }
        for (counted, most) in self.limits.at_address(payer) {
            self.addresses.refund(counted, most);
        }
    }

    /// Counts a code as a guess until it is known to be none. Returns `None`, or whose share of guesses is used up. O(log n).
    pub fn guess(&mut self, now: Instant, payer: Payer) -> Option<Limited> {
        if !payer.guesses {
            return None;
        }
        let own = u64::from(GUESSES_PER_MINUTE);
        let own_ms = self.guessers.wait_ms(now, payer.visitor, own);
        let shared = self.limits.guesses_at(payer);
        let limited = limited(own_ms, || self.guessed_at.wait_for_all_ms(now, shared));
        if limited.is_none() {
            self.guessers.spend(now, payer.visitor, own);
            for (counted, most) in self.limits.guesses_at(payer) {
                self.guessed_at.spend(now, counted, most);
            }
        }
        limited
    }

    /// Takes back the guess: the code gave a place, or the room did not look at it. O(log n).
    pub fn refund_guess(&mut self, payer: Payer) {
        let own = u64::from(GUESSES_PER_MINUTE);
        self.guessers.refund(payer.visitor, own);
        for (counted, most) in self.limits.guesses_at(payer) {
            self.guessed_at.refund(counted, most);
        }
    }

    /// Returns the smallest network of the payer's address that holds as many tickets as it may, those on their way counted, or `None`. `tag`: of the
    /// address. Whoever gives way in it makes room in the greater ones too. O(addresses in the network), plus the asks.
    pub fn full_network(&self, payer: Payer, tag: Tag, replica: &Replica, asks: &Asks) -> Option<Network> {
        let mut shares = self.limits.of_address(self.limits.tickets_per_ip_max, payer.address);
        let joins = |want| matches!(want, Want::Join | Want::WalkIn);
        let full = shares.find(|(counted, most)| {
            let held = replica.held_at(tag, counted.0);
            u64::from(held.tickets) + asks.coming(payer.visitor, *counted, joins) >= *most
        });
        full.map(|((network, _), _)| network)
    }

    /// Whether the address and its networks may have one more walk-in: one whose cookie has not come back, and one more lease. A lease counts however
    /// it was got, by walking in or by a call, so that the count needs no more than the list. Whoever may not walk in takes a number like
    /// everybody, is passed over by nobody, and no permit waits. `tag`: of the address. O(addresses in the network), plus the asks.
    pub fn may_walk_in(&self, ask: &Ask, tag: Tag, permits: u32, replica: &Replica, asks: &Asks) -> bool {
        let address = ask.address();
        let coming = |counted| asks.coming(ask.visitor, counted, |want| want == Want::WalkIn);
        let mut unproven = self.limits.of_address(self.limits.walk_ins_per_ip_max, address);
        let proves = unproven.all(|(counted, most)| {
            let held = replica.held_at(tag, counted.0);
            u64::from(held.unproven) + coming(counted) < most
        });
        let mut networks = address.networks().iter();
        proves
            && networks.all(|network| {
                let held = replica.held_at(tag, *network);
                let coming = coming((*network, address.within(*network)));
                let most = self.limits.of_permits(permits, *network);
                most.is_none_or(|most| u64::from(held.leases) + coming < most)
            })
    }
}

/// Returns whose share is used up: the own, for so long, or else the address's.
fn limited(own_ms: u64, shared_ms: impl FnOnce() -> u64) -> Option<Limited> {
    let (by, wait_ms) = match own_ms {
        0 => (Share::Address, shared_ms()),
        _ => (Share::Visitor, own_ms),
    };
    (wait_ms > 0).then_some(Limited {
        by,
        retry_after_s: wait_ms.div_ceil(1_000),
    })
}

/// Returns the ticket of these neighbours that makes room for a newcomer: one that waits, is no account's, and is not `given_up` for somebody else. Those
/// go first whose holders never came back after joining, once the linger is over; then those whose holders have not been there for
/// [`GIVES_WAY_AFTER_MS`]; the longest away first. So somebody who takes tickets and leaves them shuts out no
/// neighbour. Returns `None` if there is none. O(tickets).
pub(super) fn who_gives_way(
    now: Instant,
    neighbours: &RangeInclusive<Tag>,
    guests: &Guests,
    replica: &Replica,
    given_up: impl Fn(&Held) -> bool,
) -> Option<Held> {
    let linger_ms = guests.linger_ms();
    let gives_way = |ticket: &&Ticket, since: Instant| {
        let away_ms = now.since_ms(since);
        if ticket.returned {
            let is_there = guests.is_there(ticket.holder.key);
            away_ms > linger_ms.max(GIVES_WAY_AFTER_MS) && !is_there
        } else {
            away_ms > linger_ms
        }
    };
    let waits = replica.tickets().filter(|ticket| {
        neighbours.contains(&ticket.holder.tag)
            && ticket.account.is_none()
            && !ticket.waits_not()
            && ticket.unseen_since.is_some_and(|since| gives_way(ticket, since))
            && !given_up(&ticket.held())
    });
    let longest = waits.min_by_key(|ticket| (ticket.returned, ticket.unseen_since));
    longest.map(Ticket::held)
}

/// Who pays for a number, and for a code that gives no place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payer {
    visitor: VisitorId,
    /// The address from which the visitor asks.
    pub address: AddressTag,
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
