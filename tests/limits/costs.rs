//! What attacks on permits and places cost where nothing is set, in a room of 200 permits. The table in docs/security.md has what is measured here.

use super::networks::{named, of_slash48, tag};
use super::{JOIN, Site};
use baton::facts::units::{AddressTag, VisitorId};
use baton::facts::wire::{Share, Wish};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PAGE: &str = include_str!("../../docs/security.md");
const PERMITS: u32 = 200;
/// After so many refusals one after the other the attacker stops.
const REFUSALS_MAX: u32 = 30;
const MINUTE_MS: u64 = 60_000;
/// Letters and digits.
const CHARACTERS: u64 = 36;

/// What an attack has taken, and what it took.
#[derive(Default)]
struct Cost {
    taken: u64,
    requests: u64,
    addresses: BTreeSet<AddressTag>,
    ms: u64,
}

impl Cost {
    /// Returns the row of the table, of an attack that takes `what`, from addresses of some `kind`.
    fn row(&self, attack: &str, what: &str, kind: &str) -> String {
        format!(
            "| {attack} | {} {what} | {} | {} {kind} | {} |",
            grouped(self.taken),
            grouped(self.requests),
            self.addresses.len(),
            grouped(self.ms.div_ceil(MINUTE_MS)),
        )
    }
}

/// Thousands apart, as people write them.
fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

fn is_told(row: &str) {
    assert!(PAGE.contains(row), "docs/security.md lacks\n{row}");
}

/// Walks in from these addresses until that works no more. A walk-in is kept by a second request, which brings the cookie back.
fn walks_in(from: impl Fn(u32) -> AddressTag) -> Cost {
    let mut site = Site::at_defaults(PERMITS);
    let (mut cost, mut refused, since) = (Cost::default(), 0, site.now);
    for nth in 0.. {
        if refused == REFUSALS_MAX {
            break;
        }
        let who = named(from(nth), nth);
        if site.lease_walked_in(who) {
            refused = 0;
            site.ask(who, Wish::Status { wait_ms: 0 });
            cost.taken += 1;
            cost.requests += 2;
            cost.addresses.insert(who.tag());
            cost.ms = site.now.since_ms(since);
        } else {
            refused += 1;
        }
    }
    cost
}

/// Takes places from an address with these visitors' cookies, each got by one request, and waits when told to.
fn joins(site: &mut Site, from: AddressTag, who: impl Fn(u32) -> VisitorId) -> Cost {
    let (mut cost, since) = (Cost::default(), site.now);
    cost.addresses.insert(from);
    for nth in 0.. {
        let visitor = who(nth);
        cost.requests += 2;
        let mut told = site.ask_from(visitor, from, JOIN);
        while let Some(limited) = told.limited {
            if limited.by == Share::Tickets {
                cost.requests -= 2;
                return cost;
            }
            site.wait(limited.retry_after_s * 1_000);
            cost.requests += 1;
            told = site.ask_from(visitor, from, JOIN);
        }
        // Its page stays.
        let moment = site.moment();
        site.lobby.handle_socket_opened(moment, visitor, None);
        cost.taken += 1;
        cost.addresses.insert(visitor.tag());
        cost.ms = site.now.since_ms(since);
    }
    cost
}

#[test]
fn c190_what_walking_in_costs_one_address_and_one_slash48() {
    let carrier = tag("203.0.113.7");
    let row = walks_in(|_| carrier).row("one IPv4 address walks in", "permits", "address");
    is_told(&row);
    let of_one = |nth: u32| of_slash48(nth as u16);
    is_told(&walks_in(of_one).row("one IPv6 /48 walks in", "permits", "/64s"));
}

#[test]
fn c192_what_cookies_of_many_addresses_that_join_from_one_cost() {
    let mut site = Site::at_defaults(0);
    let far = |nth: u32| named(tag(&format!("198.51.100.{}", nth % 60)), nth);
    let cost = joins(&mut site, tag("203.0.113.7"), far);
    let attack = "cookies of 60 addresses join from one IPv4 address";
    is_told(&cost.row(attack, "places", "addresses"));
}

/// Each place is asked for once, and left alone. A neighbour comes every ten seconds.
#[test]
fn c193_what_places_that_are_left_alone_cost() {
    let mut site = Site::at_defaults(0);
    let home = tag("2001:db8:7:1200::1");
    let (mut cost, since) = (Cost::default(), site.now);
    cost.addresses.insert(home);
    for nth in 0..10 {
        let who = named(home, nth);
        while site.ask(who, JOIN).limited.is_some() {
            cost.requests += 1;
            site.wait(10_000);
            site.lobby.handle_timeout(site.moment());
            site.carried_out();
        }
        site.ask(who, Wish::Status { wait_ms: 0 });
        cost.taken += 1;
        cost.requests += 2;
    }
    let neighbour = named(home, 99);
    while site.ask(neighbour, JOIN).limited.is_some() {
        site.wait(10_000);
        site.lobby.handle_timeout(site.moment());
        site.carried_out();
    }
    cost.ms = site.now.since_ms(since);
    let attack = "ten places of one /64 are left alone, and keep a neighbour out";
    is_told(&cost.row(attack, "places", "/64"));
}

/// A room has 20,000 codes of eight random characters. An attacker with many names at one IPv4 address guesses for ten minutes.
#[test]
fn c158_what_a_guessed_code_costs() {
    let mut site = Site::at_defaults(0);
    let carrier = tag("203.0.113.7");
    let (mut looked_at, since) = (0, site.now);
    for nth in 0.. {
        if site.now.since_ms(since) > 10 * MINUTE_MS {
            break;
        }
        let told = site.guess(named(carrier, nth), nth.into());
        match told.limited {
            Some(limited) => site.wait(limited.retry_after_s * 1_000),
            None => looked_at += 1,
        }
    }
    let per_code = CHARACTERS.pow(8) / 20_000;
    let cost = Cost {
        taken: 1,
        requests: per_code / 1_000_000 * 1_000_000,
        addresses: BTreeSet::from([carrier]),
        ms: per_code / (looked_at / 10) / 10_000 * 10_000 * MINUTE_MS,
    };
    let attack = "codes of eight random characters are guessed, where 20,000 are good";
    is_told(&cost.row(attack, "place", "IPv4 address"));
}
