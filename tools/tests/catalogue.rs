//! Tests the rows of `docs/security.md` that need whole worlds or take too long on a runtime: storms of a few kinds of faults, with every law
//! checked after every step, and a line in which half walk away.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on stops")]
#![cfg(not(target_arch = "wasm32"))]

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::reply::Standing;
use baton::facts::units::{Instant, LobbyId, Number};
use baton::room::Room;
use baton_tools::simulate::faults::{Kind, Name};
use baton_tools::simulate::run::{Outcome, Plan, play};
use baton_tools::simulate::tally::Tally;
use std::rc::Rc;

const VISITORS: (u64, u64) = (3, 24);
/// More than the faults of any one kind, and the acts of any one visitor, in a world.
const NAMES_MAX: u32 = 400;
/// Seeds of a storm. The rate of each kind follows from the seed, and in some worlds it is zero.
const SEEDS: u64 = 24;

/// Plays worlds in which only these kinds of faults happen. Every law is checked after every step, and everybody who stays gets in.
fn storm(kinds: &[Kind]) {
    let acts = (0..VISITORS.1 as u16).flat_map(|visitor| (1..NAMES_MAX).map(move |nth| Name::Act(visitor, nth)));
    let faults = kinds.iter().flat_map(|kind| (1..NAMES_MAX).map(move |nth| Name::Fault(*kind, nth)));
    let only = Rc::new(acts.chain(faults).collect());
    let mut tally = Tally::default();
    for seed in 0..SEEDS {
        let plan = Plan {
            visitors: VISITORS,
            only: Some(Rc::clone(&only)),
            ..Plan::of(seed)
        };
        let Outcome { failure, .. } = &note(&mut tally, play(&plan));
        assert_eq!(*failure, None, "seed {seed} with {kinds:?} only");
    }
    // Each of these kinds happened at least once, and no other fault did.
    for kind in Kind::ALL.iter().filter(|kind| **kind <= Kind::ClockBack) {
        let happened = tally.fault(*kind) > 0;
        assert_eq!(happened, kinds.contains(kind), "{}", kind.name());
    }
}

fn note(tally: &mut Tally, outcome: Outcome) -> Outcome {
    tally.add(&outcome);
    outcome
}

#[test]
fn c42_power_is_cut_at_writes_before_and_after_they_are_durable() {
    storm(&[Kind::PowerBefore, Kind::PowerAfter]);
}

#[test]
fn c43_writes_fail_or_say_so_and_are_there() {
    storm(&[Kind::WriteFails, Kind::WriteUnsure]);
}

#[test]
fn c44_answers_are_lost_and_the_lobby_dies_in_between() {
    storm(&[Kind::Lost, Kind::LobbyRestart]);
}

#[test]
fn c45_alarms_are_late_or_ring_twice_or_never() {
    storm(&[Kind::AlarmLate, Kind::AlarmTwice, Kind::AlarmLost]);
}

#[test]
fn c46_objects_are_evicted() {
    storm(&[Kind::RoomRestart, Kind::LobbySleeps]);
}

#[test]
fn c48_messages_come_late_or_twice_or_from_an_old_life() {
    storm(&[Kind::Slow, Kind::Twice, Kind::TwoLives]);
}

#[test]
fn c53_clocks_are_set_forward_and_back() {
    storm(&[Kind::ClockForward, Kind::ClockBack]);
}

/// A room and its clock, which takes one command at a time.
struct Lobby {
    room: Room,
    now: Instant,
}

impl Lobby {
    fn new(config: &RoomConfig) -> Self {
        let mut lobby = Self {
            room: Room::new(),
            now: Instant(1_000_000_000),
        };
        let mut row = lobby.room.open_row(lobby.now);
        lobby.room.configure(config, &mut row);
        lobby
    }

    fn perform(&mut self, command: &Command) {
        let mut row = self.room.open_row(self.now);
        self.room.perform(self.now, command, LobbyId(0), &mut row);
    }

    fn usher(&mut self) {
        let mut row = self.room.open_row(self.now);
        self.room.take_turn(self.now, &mut row);
    }
}

/// Somebody in line.
#[derive(Clone, Copy)]
struct Person {
    number: Number,
    /// The second at which the person walks away without a word. The lobby notices after the linger.
    walks_away_at_s: Option<u64>,
    /// The second at which the visit ends. `None` until the person is in.
    done_at_s: Option<u64>,
}

fn holder(number: u64) -> Holder {
    Holder {
        key: Key(number),
        tag: Tag(0),
    }
}

/// Returns the ticket of this number with the key that joined for it.
fn held(number: Number) -> Held {
    Held {
        number,
        key: holder(number.0).key,
    }
}

/// Long because it is one world, played second by second.
#[test]
fn c56_half_of_all_walk_away_and_the_permits_are_in_use_all_the_same() {
    const PEOPLE: u32 = 1_000;
    const PERMITS: u32 = 50;
    const LINGER_S: u64 = 10;
    const HOLD_S: u64 = 120;
    let mut lobby = Lobby::new(&RoomConfig {
        permits: PERMITS,
        walk_in: false,
        tick_ms: 1_000,
        ..RoomConfig::default()
    });
    lobby.perform(&Command::join((1..=PEOPLE).map(|n| holder(n.into())).collect::<Vec<_>>()));
    // Every second person walks away, at moments spread over the first 15 minutes.
    let mut people: Vec<Person> = (1..=u64::from(PEOPLE))
        .map(|number| Person {
            number: Number(number),
            walks_away_at_s: (number % 2 == 1).then_some(number * 7 % 900),
            done_at_s: None,
        })
        .collect();
    let (mut in_use_s, mut offered_s) = (0_u64, 0_u64);
    for second in 0..7_200 {
        lobby.usher();
        let mut waiting = false;
        for person in &mut people {
            let gone = person.walks_away_at_s.is_some_and(|at_s| second >= at_s);
            if person.walks_away_at_s.is_some_and(|at_s| second == at_s + LINGER_S) {
                let as_of = lobby.room.version();
                let away = vec![held(person.number)];
                lobby.perform(&Command::Presence { as_of, here: vec![], away });
            }
            match lobby.room.tickets().standing(lobby.now, person.number) {
                Standing::Called { fence, .. } if !gone => {
                    let place = held(person.number);
                    lobby.perform(&Command::Claim { place, fence });
                    person.done_at_s = Some(second + HOLD_S);
                }
                Standing::Admitted { .. } if person.done_at_s == Some(second) => {
                    lobby.perform(&Command::Leave(held(person.number)));
                }
                Standing::Waiting { .. } if !gone => waiting = true,
                _ => {}
            }
        }
        // Once nobody waits, a free permit is no waste.
        if !waiting {
            break;
        }
        in_use_s += u64::from(lobby.room.permits().leased());
        offered_s += u64::from(PERMITS);
        lobby.now = lobby.now.plus_ms(1_000);
    }
    assert!(offered_s > 10_000, "the line was gone after {offered_s} permit-seconds");
    assert!(in_use_s * 100 >= offered_s * 95, "{in_use_s} of {offered_s} permit-seconds");
    let served = people.iter().filter(|person| person.done_at_s.is_some()).count();
    assert!(served >= PEOPLE as usize / 2, "{served} were served");
}
