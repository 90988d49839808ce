//! What a room's journal says of one ticket, against what happened to it, and page by page as in one piece.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row, WhyEnded};
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::Lane;
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number};
use baton::journal::ticket::{Chapter, Ticket};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::tale::{Mark, Tale, Telling};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LOBBY: LobbyId = LobbyId(3);

/// A room whose rows are kept.
struct Kept {
    room: Room,
    config: RoomConfig,
    rows: Vec<Row>,
    now: u64,
}

impl Kept {
    fn new() -> Self {
        let config = RoomConfig {
            permits: 1,
            claim_within_ms: 5_000,
            ..RoomConfig::default()
        };
        Self {
            room: Room::new(),
            config,
            rows: vec![],
            now: 1_000,
        }
    }

    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        self.now += 1_000;
        let now = Instant(self.now);
        let mut row = self.room.open_row(now);
        self.room.configure(&self.config, &mut row);
        act(&mut self.room, now, &mut row);
        if !row.events.is_empty() {
            self.rows.push(row);
        }
    }

    fn does(&mut self, command: &Command) {
        self.turn(|room, now, row| {
            room.perform(now, command, LOBBY, row);
        });
    }

    fn sleeps(&mut self, ms: u64) {
        self.now += ms;
        self.turn(Room::take_turn);
    }

    /// What the rows say of a number, `page` of them at a time, each page begun from what was written down.
    fn told(&self, number: u64, page: usize) -> Vec<Telling> {
        let mut mark = Mark::default();
        let mut told = Vec::new();
        for rows in self.rows.chunks(page) {
            let mut tale = Tale::new(Number(number), mark).in_lanes(self.room.lanes().titles());
            for row in rows {
                tale.row(row.version.0, row.at.0, &row.events);
            }
            let (more, next) = tale.finish();
            assert_eq!(next.after, rows.last().unwrap().version.0);
            mark = next.to_string().parse().expect("a mark");
            assert_eq!(mark, next);
            told.extend(more);
        }
        told
    }

    fn says(&self, number: u64) -> Vec<String> {
        let whole: Vec<String> = self.told(number, 1_000).into_iter().map(|told| told.says).collect();
        // A run of activity is one entry a page.
        let mut pages: Vec<String> = self.told(number, 1).into_iter().map(|told| told.says).collect();
        pages.dedup();
        assert_eq!(whole, pages);
        whole
    }
}

fn holder(who: u64) -> Holder {
    Holder { key: Key(who), tag: Tag(1) }
}

/// Visitors with keys from `from` on.
fn join(from: u64, count: u64) -> Command {
    Command::join((from..from + count).map(holder).collect::<Vec<_>>())
}

impl Kept {
    fn held(&self, number: u64) -> Held {
        let number = Number(number);
        let key = self.room.tickets().holder(number).unwrap_or_default().key;
        Held { number, key }
    }

    fn claims(&mut self, number: u64, fence: u64) {
        let (place, fence) = (self.held(number), Fence(fence));
        self.does(&Command::Claim { place, fence });
    }

    fn leaves(&mut self, number: u64) {
        let place = self.held(number);
        self.does(&Command::Leave(place));
    }
}

fn a_sale() -> Kept {
    let mut kept = Kept::new();
    kept.does(&Command::walk_in(holder(1)));
    kept.does(&Command::Renew(Fence(1)));
    kept.does(&Command::Renew(Fence(1)));
    kept.does(&join(2, 4));
    kept.does(&Command::Extend {
        fence: Fence(1),
        total_ms: 60_000,
    });
    kept.does(&Command::Carry {
        place: kept.held(1),
        row: kept.room.version(),
        to: holder(9),
    });
    kept.does(&Command::Release(Fence(2)));
    // 2 misses its call and 3 gets the permit; 2 is back and waits for the next.
    kept.sleeps(5_000);
    kept.claims(3, 4);
    kept.does(&Command::Presence {
        as_of: kept.room.version(),
        here: vec![kept.held(2)],
        away: vec![],
    });
    kept.leaves(4);
    kept.does(&Command::Release(Fence(4)));
    kept.config.mode = Mode::SoldOut;
    kept.sleeps(0);
    kept
}

#[test]
fn a_story_names_everything_that_happened_to_its_ticket_and_nothing_else() {
    let kept = a_sale();
    assert_eq!(
        kept.says(1),
        [
            "walked in without waiting, through lobby 3 (fence 1)",
            "was active: the lease goes on",
            "was given 60 s more by the site",
            "was carried to another device (fence 1 → 2)",
            "released the permit; the permit was handed to number 2",
        ]
    );
    assert_eq!(
        kept.says(2),
        [
            "got its number, through lobby 3",
            "was called with the baton of fence 2 (fence 3)",
            "did not come when called; it keeps its place once, as away; the permit went back to the usher's hand",
            "came back",
            "was called with the baton of fence 4 (fence 5)",
            "was told that all is sold; the wait ended",
        ]
    );
    assert_eq!(
        kept.says(3),
        [
            "got its number, through lobby 3",
            "was called by the usher (fence 4)",
            "came after the call and is inside",
            "released the permit; the permit was handed to number 2",
        ]
    );
    assert_eq!(kept.says(4), ["got its number, through lobby 3", "gave its place up"]);
    assert_eq!(
        kept.says(5),
        ["got its number, through lobby 3", "was told that all is sold; the wait ended"]
    );
    assert_eq!(kept.says(6), [""; 0]);
}

#[test]
fn a_ticket_that_an_operator_ended_says_who_did_and_one_that_is_away_keeps_its_place() {
    let mut kept = Kept::new();
    kept.config.permits = 0;
    kept.does(&join(1, 2));
    kept.does(&Command::Presence {
        as_of: kept.room.version(),
        here: vec![],
        away: vec![kept.held(1)],
    });
    kept.turn(|room, now, row| assert!(room.dismiss(now, Number(2), "mika", row)));
    let joined = "got its number, through lobby 3";
    assert_eq!(kept.says(1), [joined, "went away; the place is kept"]);
    assert_eq!(kept.says(2), [joined, "gave its place up", "was ended by the operator (mika)"]);
}

#[test]
fn whoever_missed_a_call_still_waits() {
    let mut kept = Kept::new();
    kept.does(&join(1, 2));
    kept.sleeps(0);
    kept.sleeps(6_000);
    kept.config.mode = Mode::SoldOut;
    kept.sleeps(0);
    let says = kept.says(1);
    let [.., missed, sold_out] = &says[..] else {
        panic!("{says:?}");
    };
    assert!(missed.starts_with("did not come when called"), "{missed}");
    assert_eq!(sold_out, "was told that all is sold; the wait ended");
}

#[test]
fn whoever_carries_a_call_to_another_device_is_called_there() {
    let mut kept = Kept::new();
    kept.does(&join(1, 1));
    kept.sleeps(0);
    kept.does(&Command::Carry {
        place: kept.held(1),
        row: kept.room.version(),
        to: holder(9),
    });
    kept.config.mode = Mode::SoldOut;
    kept.sleeps(0);
    assert_eq!(
        kept.says(1)[2..],
        ["was carried to another device (fence 1 → 2)", "was told that all is sold; the wait ended"]
    );
}

#[test]
fn a_number_is_another_ticket_in_each_edition() {
    let mut kept = a_sale();
    let resets = |room: &mut Room, _, row: &mut Row| {
        room.reset("desk", row);
    };
    kept.turn(resets);
    kept.config.mode = Mode::Open;
    kept.does(&join(1, 3));
    kept.leaves(3);
    kept.turn(resets);
    kept.does(&join(1, 1));
    let anew = "was begun by desk: from here the number is another ticket";
    // The line of the first edition ended, so nobody of it lived when the second began.
    let of_1 = kept.says(1);
    assert_eq!(of_1[5], format!("edition 2 {anew}"));
    assert_eq!(of_1[6], "got its number, through lobby 3");
    let end = of_1.len() - 2;
    assert_eq!(of_1[end], format!("ended when edition 3 {anew}"));
    assert_eq!(of_1[end + 1], "got its number, through lobby 3");
    let of_3 = kept.says(3);
    assert_eq!(of_3.last(), Some(&format!("edition 3 {anew}")));
    // Issued in the first alone.
    assert_eq!(kept.says(5).last(), Some(&format!("edition 2 {anew}")), "the third says nothing of it");
    assert_eq!(kept.says(6), [""; 0]);
}

#[test]
fn activity_in_a_row_is_one_entry_with_its_end() {
    let kept = a_sale();
    let told = kept.told(1, 1_000);
    let active = &told[1];
    assert_eq!((active.times, active.at_ms, active.until_ms), (2, 3_000, 4_000));
}

#[test]
fn where_a_ticket_stands_is_one_word() {
    let kept = a_sale();
    let now = Instant(kept.now);
    let stands = |number| kept.room.tickets().look_up(now, Number(number));
    assert_eq!(stands(0), ("none", None));
    assert_eq!(stands(1), ("over", None));
    assert_eq!(stands(6), ("none", None));
    let mut kept = Kept::new();
    kept.does(&join(1, 4));
    kept.does(&Command::Presence {
        as_of: kept.room.version(),
        here: vec![],
        away: vec![kept.held(4)],
    });
    kept.sleeps(0);
    let now = Instant(kept.now);
    let stands = |number| kept.room.tickets().look_up(now, Number(number));
    assert_eq!(stands(1), ("called", None));
    assert_eq!(stands(3), ("waiting", Some(2)));
    assert_eq!(stands(4), ("away", Some(3)));
}

#[test]
fn a_ticket_that_no_fact_ends_hears_no_more_of_its_line() {
    let mut ticket = Ticket::new(Number(1), Chapter::Waits);
    ticket.end();
    let line_ended = Event::LineEnded {
        why: WhyEnded::SoldOut,
        count: 3,
    };
    assert_eq!((ticket.happens(&line_ended), ticket.chapter()), (None, Chapter::Over));
}

#[test]
fn a_mark_that_is_none_is_refused() {
    for text in [
        "",
        "x",
        "-1",
        "7-",
        "7-asleep",
        "7-called",
        "7-called-",
        "7-called-x",
        "7-over-1",
        "99999999999999999999",
    ] {
        assert_eq!(text.parse::<Mark>(), Err(()), "{text}");
    }
}

#[test]
fn a_number_from_the_hall_was_drawn_and_is_over_with_the_line() {
    let mut kept = Kept::new();
    kept.config.hall_ms = 10_000;
    kept.config.periods = vec![Period {
        opens_at_ms: 10_000,
        closes_at_ms: u64::MAX,
    }];
    let hours = |room: &mut Room, now: Instant, row: &mut Row| {
        room.keep_hours(now.0, &Lots::default(), row);
    };
    kept.turn(hours);
    kept.does(&join(1, 3));
    kept.now = 10_000;
    kept.turn(hours);
    kept.sleeps(0);
    kept.config.mode = Mode::SoldOut;
    kept.turn(|_, _, _| {});
    let drawn = "got its number when the hall was drawn";
    let told = "was told that all is sold; the wait ended";
    assert_eq!(kept.says(2), [drawn, told]);
    let [first, called, _] = &kept.says(1)[..] else {
        panic!("{:?}", kept.says(1));
    };
    assert_eq!(first, drawn);
    assert!(called.starts_with("was called by the usher"), "{called}");
    assert_eq!(kept.says(4), [""; 0]);
}

fn lane(name: &str, title: &str) -> Lane {
    Lane {
        name: LaneName::parse(name).unwrap(),
        title: title.to_owned(),
        share: 1,
        periods: None,
        hall_ms: None,
        draw: None,
    }
}

/// Numbers are told as people see them, and a move ends one story and begins another.
#[test]
fn a_story_names_the_lane_and_tells_of_a_move() {
    let mut kept = Kept::new();
    kept.config.permits = 0;
    kept.config.lanes = vec![lane("members", "Members"), lane("everybody", "")];
    let members = |command: Command| command.into_lane(LaneName::parse("members").unwrap());
    kept.does(&members(join(1, 1)));
    kept.does(&join(11, 2));
    kept.does(&members(join(12, 1)));
    kept.config.permits = 1;
    kept.sleeps(1_000);
    kept.does(&Command::Release(Fence(1)));
    let member = |within| LaneId(1).number(within).0;
    assert_eq!(
        kept.says(2),
        [
            "got its number, through lobby 3",
            "went to the end of a better lane and is number 2 (Members) from here on"
        ]
    );
    assert_eq!(
        kept.says(member(2)),
        [
            "came from another lane, where it was number 2 (everybody)",
            "was called with the baton of fence 1 (fence 2)"
        ]
    );
    assert_eq!(
        kept.says(member(1)),
        [
            "got its number, through lobby 3",
            "was called by the usher (fence 1)",
            "gave the place up when called; the permit was handed to number 2 (Members)"
        ]
    );
}

/// An entry is told as one, with its lane: it is no number of a line.
#[test]
fn a_move_from_hall_to_hall_names_the_entries() {
    let mut kept = Kept::new();
    kept.config.lanes = vec![lane("members", ""), lane("everybody", "")];
    kept.config.hall_ms = 100_000;
    kept.config.periods = vec![Period {
        opens_at_ms: 100_000,
        closes_at_ms: u64::MAX,
    }];
    kept.turn(|room, now, row| room.keep_hours(now.0, &Lots::default(), row));
    kept.does(&join(1, 1));
    let name = LaneName::parse("members").unwrap();
    kept.does(&Command::join(vec![holder(1)]).into_lane(name));
    assert_eq!(
        kept.says(LaneId::FIRST.entry(1).0),
        ["went to the end of a better lane and is entry 1 (members) from here on"]
    );
    assert_eq!(
        kept.says(LaneId(1).entry(1).0),
        ["came from another lane, where it was entry 1 (everybody)"]
    );
}
