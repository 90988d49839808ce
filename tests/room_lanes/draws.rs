//! Presale: lanes with hours, halls and draws of their own.

use crate::named;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::hall::Draw;
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::Lane;
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::rhythm::CallTime;
use baton::facts::units::{Instant, LobbyId};
use baton::room::hall::Lots;
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn lane(name: &str, opens_at_ms: Option<u64>) -> Lane {
    let period = |opens_at_ms| Period {
        opens_at_ms,
        closes_at_ms: u64::MAX,
    };
    Lane {
        periods: opens_at_ms.map(|at| vec![period(at)]),
        hall_ms: Some(10_000),
        draw: Some(Draw::Shuffle),
        ..crate::wishes::lane(name, 1)
    }
}

/// Members draw at 20 s, everybody at 30 s; both halls begin in the same row.
fn presale() -> RoomConfig {
    RoomConfig {
        permits: 3,
        walk_in: false,
        lanes: vec![lane("members", Some(20_000)), lane("all", Some(30_000))],
        ..RoomConfig::default()
    }
}

struct Story {
    room: Room,
    rows: Vec<Row>,
}

impl Story {
    fn at(&mut self, ms: u64, act: impl FnOnce(&mut Room, &mut Row)) -> Vec<Event> {
        let before = self.room.clone();
        let mut row = self.room.open_row(Instant(ms));
        let lots = Lots::new(vec![[7; 32]]);
        self.room.keep_hours(ms, &lots, &mut row);
        act(&mut self.room, &mut row);
        self.room.keep_hours(ms, &lots, &mut row);
        laws::check_row(&before, &self.room, &row).unwrap();
        laws::check_state(&self.room, Instant(ms)).unwrap();
        let events = row.events.clone();
        if !row.events.is_empty() {
            self.rows.push(row);
        }
        events
    }

    fn join(&mut self, ms: u64, name: &str, people: core::ops::Range<u64>) -> Reply {
        let holders: Vec<_> = people.map(crate::wishes::holder).collect();
        let mut command = Command::join(holders);
        if let Some(lane) = LaneName::parse(name) {
            command = command.into_lane(lane);
        }
        self.at(ms, |room, row| {
            room.perform(Instant(ms), &command, LobbyId(0), row);
        });
        let mut replies = self.room.case(Instant(ms)).answers(LobbyId(0), &[command]);
        replies.remove(0)
    }
}

#[test]
pub fn each_lane_has_its_hall_and_its_draw() {
    let mut story = Story {
        room: Room::new(),
        rows: vec![],
    };
    story.at(1_000, |room, row| room.configure(&presale(), row));
    let shut = Reply::Joined(vec![(0, NoTicket::Shut)]);
    assert_eq!(story.join(2_000, "members", 0..1), shut);
    assert_eq!(story.room.lanes().hours_due_ms(story.room.config()), Some(10_000));
    story.join(20_000 - 1, "members", 0..4);
    let (members, all) = {
        let lanes = story.room.lanes();
        (named(lanes, "members"), lanes.everybody())
    };
    // Everybody's hall begins as members are drawn.
    let begun = story.at(20_000, |_, _| {});
    assert!(
        begun
            .iter()
            .any(|event| matches!(event, Event::Drawn { first, count: 4, .. } if first.lane() == members)),
        "{begun:?}"
    );
    story.join(20_001, "all", 10..15);
    let drawn = story.room.lanes().lane(members).hall().drawn().cloned().unwrap();
    assert_eq!((drawn.count, drawn.runs), (4, vec![(1, 4)]));
    assert_eq!(story.room.lanes().in_hall(), 5);
    // Members are called while everybody still waits for the opening.
    assert!(story.room.lanes().calls(story.room.config().mode));
    let called = story.at(21_000, |room, row| room.take_turn(Instant(21_000), row));
    assert!(
        called
            .iter()
            .any(|event| matches!(event, Event::Called { number, .. } if number.lane() == members))
    );
    let drawn_late = story.at(30_000, |_, _| {});
    assert!(
        drawn_late
            .iter()
            .any(|event| matches!(event, Event::Drawn { first, count: 5, .. } if first.lane() == all)),
        "{drawn_late:?}"
    );
    let mut again = Room::new();
    for row in &story.rows {
        again.replay(row).unwrap();
    }
    assert!(again == story.room, "a replay leads elsewhere");
}

/// Where two halls begin in one row their seeds differ: the first draw must not tell the second.
#[test]
fn halls_of_one_row_have_seeds_of_their_own() {
    let mut config = presale();
    let at_thirty = config.lanes[1].periods.clone();
    config.lanes[0].periods = at_thirty;
    let mut story = Story {
        room: Room::new(),
        rows: vec![],
    };
    let events = story.at(25_000, |room, row| room.configure(&config, row));
    let told: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Committed(lot) | Event::LaneCommitted { lot, .. } => Some(*lot),
            _ => None,
        })
        .collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].nonce, told[1].nonce);
    assert_ne!(told[0].commitment, told[1].commitment);
}

/// From a hall into the line of a better lane, and into its hall while that is shut.
#[test]
fn who_is_in_a_hall_moves_with_a_better_token() {
    let mut story = Story {
        room: Room::new(),
        rows: vec![],
    };
    story.at(1_000, |room, row| room.configure(&presale(), row));
    story.join(20_001, "all", 10..12);
    let holder = crate::wishes::holder(10);
    let was = story.room.living_of(holder.key).unwrap();
    assert!(was.is_entry());
    story.join(20_002, "members", 10..11);
    let is = story.room.living_of(holder.key).unwrap();
    assert_eq!(is, named(story.room.lanes(), "members").first_number());
    assert_eq!(story.room.lanes().in_hall(), 1);
}

/// Whoever came to a hall is drawn and called, and the operator is told so, also when the lane has left the list.
#[test]
fn a_lane_that_leaves_the_list_still_draws_its_hall() {
    let mut story = Story {
        room: Room::new(),
        rows: vec![],
    };
    story.at(1_000, |room, row| room.configure(&presale(), row));
    story.join(20_001, "all", 10..15);
    let others = RoomConfig {
        lanes: vec![lane("public", Some(90_000))],
        ..presale()
    };
    story.at(22_000, |room, row| room.configure(&others, row));
    let living = |story: &Story| {
        let reports = story.room.lanes().reports(story.room.now(), story.room.config().mode).into_iter();
        let all = reports.filter(|lane| lane.name == "all");
        all.map(|lane| (lane.is_listed, lane.in_hall, lane.living().1)).collect::<Vec<_>>()
    };
    assert_eq!(living(&story), [(false, 5, 5)]);
    let drawn = story.at(30_000, |_, _| {});
    let is_draw = |event: &Event| matches!(event, Event::Drawn { count: 5, .. });
    assert!(drawn.iter().any(is_draw), "{drawn:?}");
    assert_eq!(living(&story), [(false, 0, 5)]);
    assert_eq!(story.room.measured().totals.joined, 5);
}

/// Calls of an earlier sale say nothing of those who are drawn now.
#[test]
fn a_draw_into_an_empty_line_begins_its_pace_anew() {
    let mut story = Story {
        room: Room::new(),
        rows: vec![],
    };
    let open = RoomConfig {
        permits: 1,
        lanes: vec![lane("members", None), lane("all", None)],
        ..presale()
    };
    story.at(1_000, |room, row| room.configure(&open, row));
    let members = named(story.room.lanes(), "members");
    story.join(1_000, "members", 0..6);
    story.at(1_000, |room, row| room.take_turn(Instant(1_000), row));
    for second in 2..8 {
        let now = Instant(second * 1_000);
        story.at(now.0, |room, row| {
            let leave = crate::wishes::leave(room, members.number(second - 1));
            room.perform(now, &leave, LobbyId(0), row);
        });
    }
    let pace = |story: &Story| story.room.case(story.room.now()).pace_of(members).call_time();
    assert!(pace(&story).high_us > 0);
    story.at(9_000, |room, row| room.configure(&presale(), row));
    story.join(11_000, "members", 10..12);
    assert_eq!(pace(&story), CallTime::default(), "nobody comes out of a hall");
    story.at(20_000, |_, _| {});
    assert_eq!(story.room.lanes().lane(members).line().alive(), 2);
    assert_eq!(pace(&story), CallTime::default());
}

/// Whoever comes into a lane must not be shown a draw of other people's.
#[test]
fn a_lane_that_takes_the_slot_of_another_has_not_drawn() {
    let mut story = Story {
        room: Room::new(),
        rows: vec![],
    };
    story.at(1_000, |room, row| room.configure(&presale(), row));
    story.join(15_000, "members", 0..1);
    story.at(20_000, |_, _| {});
    let slot = named(story.room.lanes(), "members");
    let drawn = |story: &Story| story.room.lanes().lane(slot).hall().drawn().is_some();
    assert!(drawn(&story));
    let leave = crate::wishes::leave(&story.room, slot.first_number());
    story.at(20_001, |room, row| {
        room.perform(Instant(20_001), &leave, LobbyId(0), row);
    });
    let mut config = presale();
    config.lanes[0] = lane("press", Some(60_000));
    story.at(20_002, |room, row| room.configure(&config, row));
    assert_eq!(named(story.room.lanes(), "press"), slot);
    assert!(!drawn(&story));
}
