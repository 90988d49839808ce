//! While the origin fails nobody is called; afterwards few at first, then twice as many each time.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::origin::OriginAnswers;
use baton::facts::overheard::Overheard;
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::frame::Frame;
use baton::room::health::{Condition, Health};
use baton::room::laws;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WINDOW_MS: u64 = 10_000;
const LOBBY: LobbyId = LobbyId(0);

fn config(permits: u32) -> RoomConfig {
    RoomConfig {
        permits,
        origin_errors_max_percent: 50,
        origin_errors_window_ms: WINDOW_MS,
        ..RoomConfig::default()
    }
}

/// A room under way, every row of it kept.
struct Story {
    room: Room,
    rows: Vec<Row>,
    people: People,
}

/// Somebody else with each answer.
#[derive(Default)]
struct People(u64);

impl People {
    /// So many good answers and errors, each under another lease than any before.
    fn answers(&mut self, good: u32, bad: u32) -> OriginAnswers {
        let mut answers = OriginAnswers::default();
        for nth in 0..good + bad {
            self.0 += 1;
            let is_bad = u32::from(nth >= good);
            answers.count(Fence(self.0), 1 - is_bad, is_bad);
        }
        answers
    }

    fn seen(&mut self, health: &mut Health, at_ms: u64, (good, bad): (u32, u32), c: &RoomConfig) {
        health.seen(Instant(at_ms), &self.answers(good, bad), c);
    }
}

/// Answers under these leases: the fence, good ones, errors.
fn told(origin: OriginAnswers) -> Command {
    wishes::overheard(Overheard {
        origin,
        ..Overheard::default()
    })
}

fn under(leases: &[(u64, u32, u32)]) -> OriginAnswers {
    let mut answers = OriginAnswers::default();
    for (fence, good, bad) in leases {
        answers.count(Fence(*fence), *good, *bad);
    }
    answers
}

impl Story {
    fn new(config: &RoomConfig) -> Self {
        let mut story = Self {
            room: Room::new(),
            rows: vec![],
            people: People::default(),
        };
        story.row(0, |room, _, row| room.configure(config, row));
        story
    }

    fn row<T>(&mut self, at_ms: u64, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let now = Instant(at_ms);
        let mut row = self.room.open_row(now);
        let result = act(&mut self.room, now, &mut row);
        laws::no_permit_forgotten(&self.room, now).expect("law 4");
        if !row.events.is_empty() {
            self.rows.push(row);
        }
        result
    }

    fn say(&mut self, at_ms: u64, command: impl FnOnce(&Room) -> Command) -> Reply {
        let command = command(&self.room);
        self.row(at_ms, |room, now, row| wishes::say(room, now, &command, LOBBY, row))
    }

    fn origin(&mut self, at_ms: u64, good: u32, bad: u32) {
        let answers = self.people.answers(good, bad);
        let reply = self.say(at_ms, |_| told(answers));
        assert_eq!(reply, Reply::Done);
    }

    /// How many the usher calls now.
    fn turn(&mut self, at_ms: u64) -> usize {
        self.row(at_ms, |room, now, row| {
            room.take_turn(now, row);
            let again = room.case(now).decide_turn();
            assert_eq!(again, [], "a second turn at the same time changes nothing");
            let called = |event: &&Event| matches!(event, Event::Called { .. });
            row.events.iter().filter(called).count()
        })
    }

    fn due_ms(&self, at_ms: u64) -> Option<u64> {
        self.room.case(Instant(at_ms)).due_at().map(|at| at.0)
    }
}

#[test]
fn too_many_errors_stop_the_usher_and_the_line_comes_back_doubling() {
    let mut story = Story::new(&config(100));
    story.say(0, |room| wishes::join(room, 90));
    story.origin(500, 4, 6);
    assert_eq!(story.turn(1_000), 0, "six of ten are errors");
    assert_eq!(story.due_ms(1_000), Some(10_500), "the usher looks when calling begins again");
    assert_eq!(story.turn(10_499), 0);
    let mut called = vec![];
    for window in 0..7 {
        let at_ms = 10_500 + window * WINDOW_MS;
        called.push(story.turn(at_ms));
        assert_eq!(story.turn(at_ms + WINDOW_MS - 1), 0, "no more within this window");
    }
    // Calls that nobody answered have made places away, and their permits are free again.
    assert_eq!(called[..6], [1, 2, 4, 8, 16, 32]);
    assert_eq!(called[6], 90 - 63, "all who are left");
    let report = story.room.report(Instant(10_500 + 7 * WINDOW_MS));
    assert_eq!(report.origin, Condition::Well, "128 would be more than there are permits");
    assert_eq!(report.totals.origin_errors, 6);
}

#[test]
fn while_it_goes_on_failing_nobody_is_called_and_an_error_during_recovery_starts_over() {
    let mut story = Story::new(&config(100));
    story.origin(0, 0, 10);
    story.say(0, |room| wishes::join(room, 90));
    for second in 1..30 {
        story.origin(second * 1_000, 0, 2);
        assert_eq!(story.turn(second * 1_000 + 500), 0, "second {second}");
    }
    assert_eq!(story.turn(39_000), 1, "a window after the last");
    assert_eq!(story.turn(49_000), 2);
    story.origin(50_000, 4, 6);
    assert_eq!(story.turn(59_999), 0);
    assert_eq!(story.turn(60_000), 1, "from the beginning");
}

#[test]
fn the_window_slides_and_a_few_answers_say_nothing() {
    let config = config(100);
    let (mut health, mut people) = (Health::default(), People::default());
    let state = |health: &Health, at_ms| health.condition(Instant(at_ms), &config);
    people.seen(&mut health, 0, (0, 9), &config);
    assert_eq!(state(&health, 0), Condition::Well, "nine answers");
    people.seen(&mut health, 9_999, (1, 0), &config);
    assert_eq!(state(&health, 9_999), Condition::Failing, "nine of ten in one window");
    let (mut health, mut people) = (Health::default(), People::default());
    people.seen(&mut health, 0, (0, 9), &config);
    people.seen(&mut health, 10_000, (1, 0), &config);
    assert_eq!(state(&health, 10_000), Condition::Well, "they are forgotten");
    let (mut health, mut people) = (Health::default(), People::default());
    people.seen(&mut health, 0, (10, 10), &config);
    assert_eq!(state(&health, 0), Condition::Well, "half is what may be");
    people.seen(&mut health, 1, (0, 1), &config);
    assert_eq!(state(&health, 1), Condition::Failing, "one more is not");
    assert_eq!(state(&health, 10_001), Condition::Recovering);
}

/// Whatever it asks for and how often: its own errors are one share of many.
#[test]
fn one_person_inside_stops_nobody_else() {
    let config = config(20);
    let mut health = Health::default();
    for ms in (0..30_000).step_by(1_000) {
        health.seen(Instant(ms), &under(&[(1, 0, 60)]), &config);
        assert_eq!(health.condition(Instant(ms), &config), Condition::Well);
    }
    // Beside others who are well, or who are not there at all.
    for others in [&[(2, 1, 0), (3, 1, 0), (4, 1, 0)][..], &[(2, 0, 30)]] {
        health.seen(Instant(30_000), &under(others), &config);
        assert_eq!(health.condition(Instant(30_000), &config), Condition::Well);
    }
}

#[test]
fn three_leases_that_fail_stop_calling_and_in_a_smaller_room_all_there_are() {
    for (permits, least) in [(1, 1), (2, 2), (3, 3), (4, 3), (10_000, 3)] {
        let config = config(permits);
        let leases: Vec<_> = (1..=least).map(|fence| (fence, 0, 10)).collect();
        let after = |leases: &[(u64, u32, u32)]| {
            let mut health = Health::default();
            health.seen(Instant(0), &under(leases), &config);
            health.condition(Instant(0), &config)
        };
        assert_eq!(after(&leases[1..]), Condition::Well, "{permits} permits");
        assert_eq!(after(&leases), Condition::Failing, "{permits} permits");
    }
}

/// A picture that always fails is one of many answers to everybody, and nobody's page.
#[test]
fn each_lease_weighs_by_the_share_of_its_own_answers() {
    let config = config(100);
    let after = |of: &dyn Fn(u64) -> (u64, u32, u32)| {
        let mut health = Health::default();
        let leases: Vec<_> = (1..=20).map(of).collect();
        health.seen(Instant(0), &under(&leases), &config);
        health.condition(Instant(0), &config)
    };
    assert_eq!(after(&|fence| (fence, 5, 5)), Condition::Well, "half of each");
    assert_eq!(after(&|fence| (fence, 5, 6)), Condition::Failing);
    let ten_fail = |fence| (fence, if fence > 10 { 900 } else { 0 }, if fence > 10 { 0 } else { 9 });
    assert_eq!(after(&ten_fail), Condition::Well, "half of the people");
    let eleven = |fence| (fence, if fence > 11 { 900 } else { 0 }, if fence > 11 { 0 } else { 1 });
    assert_eq!(after(&eleven), Condition::Failing, "whose good answers are many");
}

/// Not more than a sample: a hundred leases in each tenth of a window.
#[test]
fn as_many_leases_count_as_may_be() {
    let mut story = Story::new(&config(1_000));
    let crowd: Vec<_> = (1..=100).map(|fence| (fence, 1, 0)).collect();
    story.say(0, |_| told(under(&crowd)));
    let late: Vec<_> = (101..=200).map(|fence| (fence, 0, 9)).collect();
    story.say(1, |_| told(under(&late)));
    let origin = |story: &Story, ms| story.room.report(Instant(ms)).origin;
    assert_eq!(origin(&story, 1), Condition::Well, "they came too late to count");
    story.say(1_000, |_| told(under(&late)));
    assert_eq!(origin(&story, 1_000), Condition::Well, "a hundred of two hundred");
    story.say(2_000, |_| told(under(&[(201, 0, 1)])));
    assert_eq!(origin(&story, 2_000), Condition::Failing);
}

/// Not again and again within a window whose calls were made, and not later than the next.
#[test]
fn while_the_line_comes_back_the_usher_looks_as_each_window_begins() {
    let mut story = Story::new(&config(100));
    story.say(0, |room| wishes::join(room, 90));
    story.origin(500, 4, 6);
    for window in 0..2 {
        let at_ms = 10_500 + window * WINDOW_MS;
        let next_ms = at_ms + WINDOW_MS;
        assert_eq!(story.due_ms(at_ms), Some(at_ms));
        story.turn(at_ms);
        for look_ms in [at_ms, at_ms + 3_000, next_ms - 1] {
            assert_eq!(story.due_ms(look_ms), Some(next_ms), "at {look_ms}");
        }
    }
}

#[test]
fn the_origin_is_well_again_once_a_window_has_as_many_calls_as_there_are_permits() {
    for (permits, well_ms) in [(4, 30_000), (5, 40_000)] {
        let config = config(permits);
        let (mut health, mut people) = (Health::default(), People::default());
        people.seen(&mut health, 0, (0, 10), &config);
        let last = Instant(well_ms - 1);
        assert_eq!(health.condition(last, &config), Condition::Recovering);
        assert!(health.allows(last, &config) < permits.into());
        let well = Instant(well_ms);
        assert_eq!(health.condition(well, &config), Condition::Well);
        assert_eq!(health.allows(well, &config), u64::MAX);
    }
}

/// The window slides by tenths: what came in an older one goes first, and alone.
#[test]
fn answers_are_forgotten_with_the_tenth_of_the_window_in_which_they_came() {
    let config = config(100);
    let (mut health, mut people) = (Health::default(), People::default());
    let state = |health: &Health, at_ms| health.condition(Instant(at_ms), &config);
    people.seen(&mut health, 0, (10, 0), &config);
    people.seen(&mut health, 9_000, (0, 10), &config);
    assert_eq!(state(&health, 9_000), Condition::Well, "half is what may be");
    people.seen(&mut health, 10_000, (0, 1), &config);
    assert_eq!(
        state(&health, 10_000),
        Condition::Failing,
        "the good ones are older than a window, the bad ones are not"
    );
}

#[test]
fn what_was_seen_goes_with_the_settings_under_which_it_was_seen_and_with_no_others() {
    let mut story = Story::new(&config(100));
    story.origin(0, 0, 10);
    let origin = |story: &Story| story.room.report(Instant(1_000)).origin;
    story.row(1_000, |room, _, row| room.configure(&config(50), row));
    assert_eq!(origin(&story), Condition::Failing, "permits say nothing of it");
    let longer = RoomConfig {
        origin_errors_window_ms: 2 * WINDOW_MS,
        ..config(50)
    };
    story.row(1_000, |room, _, row| room.configure(&longer, row));
    assert_eq!(origin(&story), Condition::Well, "another window");
}

#[test]
fn baton_and_walk_in_are_held_up_too() {
    let mut story = Story::new(&config(2));
    let Reply::Stands(..) = story.say(0, wishes::walk_in) else {
        panic!("the first walks in");
    };
    story.origin(1_000, 0, 10);
    assert_eq!(story.say(1_100, wishes::walk_in), Reply::None(NoTicket::NoWalkIn));
    assert!(!story.room.gist(Instant(1_100)).walk_in, "fronts hear of it");
    story.say(1_200, |room| wishes::join(room, 1));
    story.say(1_300, |room| wishes::leave(room, Number(1)));
    let handed = |row: &Row| row.events.iter().any(|e| matches!(e, Event::Handed { .. }));
    assert!(!story.rows.iter().any(handed), "the permit lies on the tray");
    assert_eq!(story.room.permits().tray(), 1);
    assert_eq!(story.due_ms(1_300), Some(11_000));
    assert_eq!(story.turn(11_000), 1);
}

#[test]
fn off_by_default_nothing_is_counted_or_written() {
    let mut story = Story::new(&RoomConfig::default());
    let rows = story.rows.len();
    story.origin(0, 0, 90);
    assert_eq!(story.rows.len(), rows);
    assert!(!story.room.gist(Instant(0)).wants_health);
    story.say(0, |room| wishes::join(room, 3));
    assert_eq!(story.turn(0), 3);
    let (now, off) = (Instant(0), RoomConfig::default());
    let mut health = Health::default();
    health.seen(now, &People::default().answers(0, 90), &off);
    assert_eq!(health, Health::default());
    assert_eq!(health.condition(now, &off), Condition::Well);
}

#[test]
fn a_change_of_the_settings_begins_anew_and_every_row_replays() {
    let mut story = Story::new(&config(100));
    story.say(0, |room| wishes::join(room, 9));
    story.origin(0, 0, 10);
    assert_eq!(story.turn(1_000), 0);
    let off = RoomConfig {
        origin_errors_max_percent: 0,
        ..config(100)
    };
    story.row(2_000, |room, _, row| room.configure(&off, row));
    assert_eq!(story.turn(2_000), 9);
    let mut again = Room::new();
    for row in &story.rows {
        again.replay(row).expect("the next row");
    }
    assert_eq!(again, story.room);
}

#[test]
fn good_answers_alone_are_a_fact_and_no_answers_are_none() {
    let mut story = Story::new(&config(3));
    for (good, bad, facts) in [(0, 0, 0), (1, 0, 1), (0, 1, 1)] {
        let rows = story.rows.len();
        story.origin(0, good, bad);
        assert_eq!(story.rows.len() - rows, facts, "{good} and {bad}");
    }
}

/// The pace of calls says nothing while nobody can come in; it is told again when people are called again.
#[test]
fn no_wait_is_told_while_nobody_can_come_in() {
    let open = config(100);
    let mut story = Story::new(&open);
    for second in 0..8 {
        story.say(second * 1_000, |room| wishes::join(room, 1));
        assert_eq!(story.turn(second * 1_000 + 500), 1);
    }
    let frame = |story: &Story, ms| Frame::of(&story.room, Instant(ms)).call_us_high;
    let told = |story: &Story, ms| {
        let call_time = story.room.gist(Instant(ms)).call_time;
        assert_eq!(call_time.high_us, frame(story, ms), "both say the same");
        call_time.eta_s(0)
    };
    assert!(told(&story, 8_000).is_some());
    let shut = [
        RoomConfig { permits: 0, ..open.clone() },
        RoomConfig {
            mode: Mode::Paused,
            ..open.clone()
        },
        RoomConfig {
            mode: Mode::Closed,
            ..open.clone()
        },
    ];
    for config in &shut {
        story.row(8_000, |room, _, row| room.configure(config, row));
        assert_eq!(told(&story, 8_000), None, "{config:?}");
        story.row(8_000, |room, _, row| room.configure(&open, row));
        assert!(told(&story, 8_000).is_some());
    }
    story.origin(9_000, 0, 10);
    assert_eq!(told(&story, 9_000), None, "the origin fails");
    assert!(told(&story, 9_000 + WINDOW_MS).is_some(), "a few are called again");
}
