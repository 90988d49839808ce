//! Hours, the hall before an opening, and the draw that makes numbers of its entries.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "room_hall/draws.rs"]
mod draws;
#[path = "room_hall/pages.rs"]
mod pages;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::hall::{Door, Draw, Seed};
use baton::facts::holder::{Held, Holder};
use baton::facts::hours::Period;
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Ahead, Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::laws;
use sha2::{Digest, Sha256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LOBBY: LobbyId = LobbyId(0);
const HALL_MS: u64 = 60_000;
const OPENS_MS: u64 = 100_000;
const CLOSES_MS: u64 = 200_000;
const AGAIN_MS: u64 = 400_000;

/// Two days, with a hall of a minute before each.
fn config(draw: Draw) -> RoomConfig {
    RoomConfig {
        permits: 3,
        hall_ms: HALL_MS,
        draw,
        periods: vec![
            Period {
                opens_at_ms: OPENS_MS,
                closes_at_ms: CLOSES_MS,
            },
            Period {
                opens_at_ms: AGAIN_MS,
                closes_at_ms: u64::MAX,
            },
        ],
        ..RoomConfig::default()
    }
}

const fn entry(at: u64) -> Number {
    Number::of_entry(at)
}

/// A room whose wall clock and own clock agree, every row of it kept.
struct Story {
    room: Room,
    rows: Vec<Row>,
    lots: Lots,
    /// Everybody who ever asked for a place, in order: the first is `1`.
    people: Vec<Holder>,
}

impl Story {
    fn new(config: &RoomConfig) -> Self {
        let mut story = Self {
            room: Room::new(),
            rows: vec![],
            lots: Lots::new(vec![[7; 32]]),
            people: vec![],
        };
        story.configure(0, config);
        story
    }

    fn row<T>(&mut self, at_ms: u64, act: impl FnOnce(&mut Room, &mut Row) -> T) -> T {
        let mut row = self.room.open_row(Instant(at_ms));
        let result = act(&mut self.room, &mut row);
        laws::no_permit_forgotten(&self.room, Instant(at_ms)).expect("law 4");
        if !row.events.is_empty() {
            self.rows.push(row);
        }
        result
    }

    fn configure(&mut self, at_ms: u64, config: &RoomConfig) {
        let lots = self.lots.clone();
        self.row(at_ms, |room, row| {
            room.configure(config, row);
            room.keep_hours(at_ms, &lots, row);
        });
    }

    /// What the hours change now.
    fn hours(&mut self, at_ms: u64) -> Vec<Event> {
        let lots = self.lots.clone();
        let events = self.row(at_ms, |room, row| {
            room.keep_hours(at_ms, &lots, row);
            row.events.clone()
        });
        self.row(at_ms, |room, row| {
            room.keep_hours(at_ms, &lots, row);
            assert_eq!(row.events, [], "kept already");
        });
        events
    }

    fn say(&mut self, at_ms: u64, command: &Command) -> Reply {
        self.row(at_ms, |room, row| wishes::say(room, Instant(at_ms), command, LOBBY, row))
    }

    /// So many newcomers ask for places: those who came first and have none are listed with the reason.
    fn join(&mut self, at_ms: u64, count: u32) -> Reply {
        let newcomers = wishes::newcomers(&self.room, count);
        self.people.extend(&newcomers);
        self.say(at_ms, &Command::join(newcomers))
    }

    fn person(&self, nth: u64) -> Holder {
        self.people[nth as usize - 1]
    }

    /// The place that somebody has, if there is one.
    fn place_of(&self, nth: u64) -> Option<Number> {
        self.room.living_of(self.person(nth).key)
    }

    /// That place under its holder's key, or the entry of that name when it has none.
    fn held(&self, nth: u64) -> Held {
        Held {
            number: self.place_of(nth).unwrap_or(entry(nth)),
            key: self.person(nth).key,
        }
    }

    /// Whom the usher calls now.
    fn turn(&mut self, at_ms: u64) -> Vec<u64> {
        self.row(at_ms, |room, row| {
            room.take_turn(Instant(at_ms), row);
            let called = |event: &Event| match event {
                Event::Called { number, .. } => Some(number.0),
                _ => None,
            };
            row.events.iter().filter_map(called).collect()
        })
    }

    fn replayed(&self) -> Room {
        let mut room = Room::new();
        for row in &self.rows {
            room.replay(row).expect("what was written");
        }
        room
    }
}

/// The lots by the words of the documentation, without the room's code.
fn order(seed: &Seed, entries: &[u64]) -> Vec<u64> {
    let mut lots: Vec<(Vec<u8>, u64)> = entries
        .iter()
        .map(|entry| {
            let lot = [&seed.0[..], &entry.to_be_bytes()[..]].concat();
            (Sha256::digest(lot).to_vec(), *entry)
        })
        .collect();
    lots.sort();
    lots.into_iter().map(|(_, entry)| entry).collect()
}

#[test]
fn a_hall_begins_is_drawn_and_who_comes_later_queues_behind() {
    let mut story = Story::new(&config(Draw::Shuffle));
    assert_eq!(story.room.lanes().mode(story.room.config().mode), Mode::Closed);
    assert_eq!(story.join(0, 1), Reply::Joined(vec![(0, NoTicket::Shut)]), "the hall has not begun");
    story.people.clear();
    assert_eq!(story.room.lanes().hours_due_ms(story.room.config()), Some(OPENS_MS - HALL_MS));

    let begun = story.hours(OPENS_MS - HALL_MS);
    let [Event::Committed(lot), Event::Doors(Door::Hall { .. })] = begun[..] else {
        panic!("{begun:?}");
    };
    assert_eq!(story.join(50_000, 40), Reply::Joined(vec![]));
    let places: Vec<_> = (1..=40).map(|nth| story.place_of(nth)).collect();
    let entries: Vec<_> = (1..=40).map(|nth| Some(entry(nth))).collect();
    assert_eq!(places, entries);
    let leave = Command::Leave(story.held(7));
    assert_eq!(story.say(50_001, &leave), Reply::Done);
    let claim = wishes::claim(&story.room, entry(8));
    assert_eq!(story.say(50_002, &claim), Reply::Stands(entry(8), waits(6)));
    let away = wishes::away(&story.room, &[entry(9)]);
    assert_eq!(story.say(50_003, &away), Reply::Done);
    assert_eq!(story.turn(60_000), [0; 0], "nobody is called from a hall");
    assert_eq!(story.room.line().next(), Number(1), "an entry is no number");

    let drawn = story.hours(OPENS_MS);
    let [Event::Doors(Door::Open { .. }), Event::Drawn { seed, first, count, .. }] = drawn[..] else {
        panic!("{drawn:?}");
    };
    assert_eq!((first, count), (Number(1), 39));
    assert_eq!(seed.commitment(), lot.commitment, "it was fixed before");
    let there: Vec<u64> = (1..=40).filter(|at| *at != 7).collect();
    let wanted = order(&seed, &there);
    assert_ne!(wanted, there, "a shuffle shuffles");
    for (number, at) in (1..).zip(&wanted) {
        assert_eq!(story.place_of(*at), Some(Number(number)), "entry {at}");
    }
    assert_eq!(story.place_of(7), None, "who left has no number");
    let again = Command::join(vec![story.person(wanted[4])]);
    assert_eq!(story.say(OPENS_MS, &again), Reply::Joined(vec![]));
    assert_eq!(story.place_of(wanted[4]), Some(Number(5)), "a place once");

    assert_eq!(story.join(OPENS_MS, 1), Reply::Joined(vec![]));
    assert_eq!(story.place_of(41), Some(Number(40)));
    assert_eq!(story.room.lanes().ahead(Number(40)), Ahead(39));
    // Who is away keeps the place and holds nobody up.
    let away = wanted.iter().position(|at| *at == 9).expect("took part") as u64 + 1;
    let heads: Vec<u64> = (1..).filter(|number| *number != away).take(3).collect();
    assert_eq!(story.turn(OPENS_MS + 1_000), heads);
    assert_eq!(story.replayed(), story.room);
}

const fn waits(ahead: u64) -> Standing {
    Standing::Waiting {
        ahead: Ahead(ahead),
        away: false,
        missed: false,
    }
}

/// Whoever holds an entry has the number that it became under the same key. The entry itself is nobody's any more.
#[test]
fn after_the_draw_a_place_is_found_by_its_key() {
    let mut story = Story::new(&config(Draw::Arrival));
    story.hours(50_000);
    story.join(50_000, 5);
    let away = wishes::away(&story.room, &[entry(4)]);
    story.say(50_001, &away);
    let of_before: Vec<Command> = (1..=5).map(|nth| Command::Leave(story.held(nth))).collect();
    story.hours(OPENS_MS);
    for command in &of_before {
        story.say(OPENS_MS, command);
    }
    assert_eq!(story.room.line().alive(), 5, "an entry that is over");
    assert_eq!(story.turn(OPENS_MS), [1, 2, 3]);
    let claim = wishes::claim(&story.room, Number(2));
    let claimed = story.say(OPENS_MS + 1, &claim);
    let Reply::Stands(Number(2), Standing::Admitted { .. }) = claimed else {
        panic!("{claimed:?}");
    };
    let four = Standing::Waiting {
        ahead: Ahead(2),
        away: true,
        missed: false,
    };
    assert_eq!(story.room.tickets().standing(Instant(OPENS_MS), Number(4)), four);
    let leave = Command::Leave(story.held(4));
    assert_eq!(story.say(OPENS_MS + 2, &leave), Reply::Done);
    let back = Command::Presence {
        as_of: story.room.version(),
        here: vec![story.held(4), story.held(5)],
        away: vec![],
    };
    assert_eq!(story.say(OPENS_MS + 3, &back), Reply::Done);
    let over = story.room.tickets().standing(Instant(OPENS_MS), Number(4));
    assert_eq!(over, Standing::Over, "a word of presence revives nobody");
    assert_eq!(story.room.tickets().standing(Instant(OPENS_MS), Number(5)), waits(2));
    assert_eq!(story.replayed(), story.room);
}

#[test]
fn a_paused_opening_draws_and_calls_nobody_yet() {
    let mut story = Story::new(&config(Draw::Arrival));
    story.hours(50_000);
    story.join(50_000, 2);
    let paused = RoomConfig {
        mode: Mode::Paused,
        ..config(Draw::Arrival)
    };
    story.configure(60_000, &paused);
    story.hours(OPENS_MS);
    assert_eq!(story.room.line().alive(), 2);
    assert_eq!(story.turn(OPENS_MS + 1_000), [0; 0]);
    story.configure(OPENS_MS + 2_000, &config(Draw::Arrival));
    assert_eq!(story.turn(OPENS_MS + 2_000), [1, 2]);
}

#[test]
fn an_opening_put_off_keeps_the_hall_and_one_put_forward_draws_at_once() {
    let later = RoomConfig {
        periods: vec![Period {
            opens_at_ms: OPENS_MS + 10 * HALL_MS,
            closes_at_ms: u64::MAX,
        }],
        ..config(Draw::Shuffle)
    };
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 3);
    let lot = story.room.hall().lot();
    story.configure(60_000, &later);
    let opens_at_ms = OPENS_MS + 10 * HALL_MS;
    assert_eq!(story.room.hall().door(), Door::Hall { opens_at_ms });
    assert_eq!(story.room.hall().lot(), lot, "one commitment for one draw");
    let always = RoomConfig {
        periods: vec![],
        ..config(Draw::Shuffle)
    };
    story.configure(70_000, &always);
    assert_eq!(story.room.line().alive(), 3);
    assert_eq!(story.turn(70_000).len(), 3);
}

#[test]
fn each_day_has_a_draw_of_its_own_behind_who_waited_over_night() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 3);
    let first = story.room.hall().lot().expect("a commitment");
    story.hours(OPENS_MS);
    assert_eq!(story.turn(OPENS_MS), [1, 2, 3]);
    story.join(OPENS_MS, 2);
    story.hours(CLOSES_MS);
    assert_eq!(story.room.lanes().mode(story.room.config().mode), Mode::Closed);
    let shut = Reply::Joined(vec![(0, NoTicket::Shut)]);
    assert_eq!(story.join(CLOSES_MS, 1), shut);
    story.people.pop();
    assert_eq!(story.turn(CLOSES_MS + 1), [0; 0], "nobody is called out of hours");

    story.hours(AGAIN_MS - HALL_MS);
    let second = story.room.hall().lot().expect("a commitment");
    assert_ne!(first.commitment, second.commitment);
    assert_eq!(story.join(AGAIN_MS - 1_000, 4), Reply::Joined(vec![]));
    assert_eq!(story.place_of(6), Some(entry(4)), "entries go on counting");
    let waits_over_night = story.place_of(4);
    story.hours(AGAIN_MS);
    let drawn = story.room.hall().drawn().expect("a draw");
    assert_eq!(drawn.first, Number(6), "behind who waited over night");
    assert_eq!(drawn.runs, [(4, 7)]);
    assert_eq!(story.place_of(4), waits_over_night);
    assert_eq!(waits_over_night, Some(Number(4)));
    assert_eq!(story.replayed(), story.room);
}

#[test]
fn sold_out_ends_the_hall_and_nothing_is_drawn() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 5);
    let sold_out = RoomConfig {
        mode: Mode::SoldOut,
        ..config(Draw::Shuffle)
    };
    story.configure(60_000, &sold_out);
    assert_eq!(story.room.hall().line().alive(), 0);
    let opened = story.hours(OPENS_MS);
    assert!(matches!(opened[..], [Event::Doors(Door::Open { .. })]), "{opened:?}");
}

/// Hours close a lane that would let people in or call them. Over every other mode they have no say.
#[test]
fn outside_its_hours_a_room_is_closed_unless_its_mode_says_more() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(CLOSES_MS);
    let modes = [
        (Mode::Open, Mode::Closed),
        (Mode::Paused, Mode::Closed),
        (Mode::Drain, Mode::Closed),
        (Mode::Closed, Mode::Closed),
        (Mode::SoldOut, Mode::SoldOut),
        (Mode::Bypass, Mode::Bypass),
    ];
    for (of_room, in_force) in modes {
        let lanes = story.room.lanes();
        assert_eq!(lanes.lane(lanes.everybody()).mode(of_room), in_force);
    }
}

/// A rehearsal may stop in the hall, or after the draw: either way nothing of it takes part in the next one.
#[test]
fn a_room_begun_anew_knows_no_entry_of_before_and_keeps_what_it_is_bound_to() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 5);
    let lot = story.room.hall().lot().expect("a commitment");
    let reset = |room: &mut Room, row: &mut Row| {
        room.reset("desk", row);
        row.events.clone()
    };
    let facts = story.row(60_000, reset);
    let ended = matches!(facts[..], [Event::Reset { waiting: 5, inside: 0, .. }]);
    assert!(ended, "{facts:?}");
    laws::begins_clean(&story.room).expect("laws 1 and 2");
    assert_eq!(story.room.hall().lot(), Some(lot), "told, and still to be kept");
    assert!(matches!(story.room.hall().door(), Door::Hall { .. }));
    story.people.clear();
    assert_eq!(story.join(70_000, 2), Reply::Joined(vec![]));
    assert_eq!(story.place_of(1), Some(entry(1)), "counted anew");
    story.hours(OPENS_MS);
    let drawn = story.room.hall().drawn().expect("a draw");
    assert_eq!((drawn.count, drawn.first), (2, Number(1)));
    assert_eq!(drawn.seed.commitment(), lot.commitment);

    story.row(OPENS_MS + 1, reset);
    laws::begins_clean(&story.room).expect("laws 1 and 2");
    assert_eq!(story.place_of(1), None, "drawn before");
    story.people.clear();
    assert_eq!(story.join(OPENS_MS + 2, 1), Reply::Joined(vec![]));
    assert_eq!(story.place_of(1), Some(Number(1)));
    assert_eq!(story.replayed(), story.room);
}

#[test]
fn a_secret_that_was_changed_in_between_still_opens_its_commitment() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 5);
    let lot = story.room.hall().lot().expect("a commitment");
    story.lots = Lots::new(vec![[8; 32], [7; 32]]);
    story.hours(OPENS_MS);
    let seed = story.room.hall().drawn().expect("a draw").seed;
    assert_eq!(seed.commitment(), lot.commitment);
}

/// Over many halls everybody is first about equally often: Pearson's statistic of where the first entry went, for
/// 8 places and 4,000 draws, stays under the 99.99 % quantile of its distribution (7 degrees of freedom: 29.9).
#[test]
fn the_first_to_come_gets_every_place_equally_often() {
    const PLACES: u64 = 8;
    const DRAWS: u64 = 4_000;
    let entries: Vec<u64> = (1..=PLACES).collect();
    let mut seen = [0_u64; PLACES as usize];
    for seed in 0..DRAWS {
        let seed = Seed(Sha256::digest(seed.to_be_bytes()).into());
        let at = order(&seed, &entries).iter().position(|entry| *entry == 1);
        seen[at.expect("took part")] += 1;
    }
    let mean = DRAWS / PLACES;
    let squares: u64 = seen.iter().map(|n| n.abs_diff(mean).pow(2)).sum();
    assert!(squares * 10 < 299 * mean, "{seen:?}");
}

/// The law itself.
#[test]
fn a_draw_that_leaves_somebody_out_is_unlawful() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    story.join(50_000, 5);
    let before = story.room.clone();
    story.hours(OPENS_MS);
    let mut row = story.rows.last().expect("a draw").clone();
    laws::check_row(&before, &story.room, &row).expect("all five");
    for event in &mut row.events {
        if let Event::Drawn { count, .. } = event {
            *count = 4;
        }
    }
    let broken = laws::check_row(&before, &story.room, &row).expect_err("four of five");
    assert!(format!("{broken:?}").contains("a draw numbers all"), "{broken:?}");
}
