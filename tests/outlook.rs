//! What a room tells for a forecast: what it measured, in at most 16 KB.

#![allow(clippy::expect_used, clippy::panic)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::outlook::{Minute, Outlook, Point, Stays};
use baton::room::permits::Stage;
use baton::room::ramp::{Ramp, Ramps};
use baton::room::times::histogram::{Histogram, WINDOW_MS};

const LOBBY: LobbyId = LobbyId(0);
const BEGIN: Instant = Instant(1_700_000_000_000);
const BYTES_MAX: usize = 16_384;

struct Sale {
    room: Room,
    now: Instant,
}

impl Sale {
    fn new(permits: u32) -> Self {
        let (room, now) = (Room::new(), BEGIN);
        let mut sale = Self { room, now };
        let config = RoomConfig {
            permits,
            ..RoomConfig::default()
        };
        sale.turn(|room, _, row| room.configure(&config, row));
        sale
    }

    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) -> Vec<Event> {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        row.events
    }

    fn say(&mut self, command: &Command) -> Vec<Event> {
        self.turn(|room, now, row| room.perform(now, command, LOBBY, row))
    }

    fn join(&mut self, keys: core::ops::Range<u64>) {
        let holders: Vec<_> = keys.map(holder).collect();
        self.say(&Command::join(holders));
    }

    /// Lets in whom the usher calls now.
    fn admit(&mut self) -> Vec<Fence> {
        self.turn(Room::take_turn);
        self.come()
    }

    /// Everybody who is called comes.
    fn come(&mut self) -> Vec<Fence> {
        let out = self.room.permits().out();
        let called = out.filter(|(_, grant)| matches!(grant.stage, Stage::Called { .. }));
        let calls: Vec<(Number, Fence)> = called.map(|(fence, grant)| (grant.number, fence)).collect();
        for (number, fence) in &calls {
            let place = self.held(*number);
            self.say(&Command::Claim { place, fence: *fence });
        }
        calls.into_iter().map(|(_, fence)| fence).collect()
    }

    fn held(&self, number: Number) -> Held {
        let key = self.room.tickets().holder(number).expect("a holder").key;
        Held { number, key }
    }

    fn outlook(&self) -> Outlook {
        self.room.outlook(self.now, &Ramps::default())
    }
}

const fn holder(key: u64) -> Holder {
    Holder { key: Key(key), tag: Tag(0) }
}

/// Long because it is one small sale and everything that is told of it.
#[test]
fn it_tells_who_waits_since_when_and_how_long_people_stay() {
    let mut sale = Sale::new(2);
    sale.join(1..101);
    let inside = sale.admit();
    sale.now = sale.now.plus_ms(60_000);
    sale.join(101..151);
    sale.say(&Command::Release(inside[0]));
    let away = vec![sale.held(Number(50)), sale.held(Number(120))];
    let as_of = sale.room.version();
    sale.say(&Command::Presence { as_of, here: vec![], away });
    sale.now = sale.now.plus_ms(30_000);
    let told = sale.outlook();
    // Two were called, a third by baton.
    assert_eq!((told.present, told.away, told.called, told.inside), (145, 2, 1, 1));
    assert_eq!((told.claimed, told.missed, told.walked_in), (2, 0, 0));
    let sum = |count: fn(&Stays) -> u64| told.stays.iter().map(count).sum::<u64>();
    assert_eq!((sum(|s| s.ended), sum(|s| s.ended_lately), sum(|s| s.inside)), (1, 1, 1));
    let ended = told.stays.iter().find(|stays| stays.ended == 1).expect("a stay");
    assert!((60_000..67_500).contains(&ended.to_ms), "{ended:?}");
    let goes_on = told.stays.iter().find(|stays| stays.inside == 1).expect("a stay");
    assert!((90_000..101_250).contains(&goes_on.to_ms), "{goes_on:?}");
    assert_eq!(told.waited.0, 3);
    let (first, last) = (told.line.first().expect("a point"), told.line.last().expect("a point"));
    // Of 145 present two are left out at the head.
    assert_eq!((first.number, first.present, first.at_ms), (6, 2, BEGIN.0));
    assert_eq!((last.number, last.present, last.at_ms), (151, 145, sale.now.0));
    assert!(
        told.line
            .windows(2)
            .all(|pair| pair[0].number < pair[1].number && pair[0].present <= pair[1].present && pair[0].at_ms <= pair[1].at_ms)
    );
    let later = told.line.iter().find(|point| point.number > 100).expect("a point");
    assert_eq!(later.at_ms, BEGIN.0 + 60_000);
    // The called one, and the two left out.
    assert_eq!(told.passed_over, 3);
}

/// Fewer than fifty are too few: then all calls since the room began speak.
#[test]
fn fifty_calls_that_were_answered_lately_speak_for_themselves() {
    let mut sale = Sale::new(60);
    sale.join(1..11);
    sale.turn(Room::take_turn);
    sale.now = sale.now.plus_ms(20_000);
    sale.come();
    // How many, and how many of them came only after twenty seconds.
    let claims = |sale: &Sale| {
        let told = sale.outlook().claims.into_iter();
        told.fold((0, 0), |(all, slow), (to_ms, count)| {
            let is_slow = u64::from(to_ms >= 20_000);
            (all + count, slow + is_slow * count)
        })
    };
    assert_eq!(claims(&sale), (10, 10));
    sale.now = sale.now.plus_ms(2 * WINDOW_MS);
    sale.join(11..60);
    sale.admit();
    assert_eq!(claims(&sale), (59, 10), "forty-nine are too few");
    sale.join(60..61);
    sale.admit();
    assert_eq!(claims(&sale), (50, 0));
}

#[test]
fn it_tells_the_last_hour_as_each_minute_ended() {
    let mut sale = Sale::new(3);
    sale.say(&Command::walk_in(holder(900)));
    sale.join(1..6);
    sale.admit();
    // A minute of the room's clock ended 40 s after the sale began.
    let first = Minute {
        at_ms: BEGIN.0 + 40_000,
        waiting: 3,
        inside: 3,
        admitted: 3,
    };
    sale.now = BEGIN.plus_ms(39_999);
    assert_eq!(sale.outlook().hour, []);
    sale.now = BEGIN.plus_ms(50_000);
    assert_eq!(sale.outlook().hour, [first]);
    sale.join(6..8);
    sale.now = BEGIN.plus_ms(100_000);
    let second = Minute {
        at_ms: BEGIN.0 + 100_000,
        waiting: 5,
        ..first
    };
    assert_eq!(sale.outlook().hour, [first, second]);
}

#[test]
fn a_ramp_is_told_while_it_runs_and_an_empty_room_tells_little() {
    let sale = Sale::new(2);
    let ramp = Ramp {
        from: 2,
        to: 20,
        since: BEGIN,
        over_ms: 60_000,
    };
    let ramps = Ramps {
        permits: Some(ramp),
        admissions_milli_per_s: None,
    };
    assert_eq!(sale.room.outlook(BEGIN, &ramps).permits_ramp, Some(ramp));
    let over = BEGIN.plus_ms(61_000);
    assert_eq!(sale.room.outlook(over, &ramps).permits_ramp, None);
    let told = sale.outlook();
    assert!(told.line.is_empty() && told.stays.is_empty() && told.claims.is_empty());
    let text = serde_json::to_string(&told).expect("JSON");
    assert_eq!(serde_json::from_str::<Outlook>(&text).expect("an outlook"), told);
}

#[test]
fn however_much_there_is_to_tell_it_stays_below_sixteen_kilobytes() {
    let mut full = Histogram::default();
    // Every bucket is met: each is wider than a hundredth of what is in it.
    let sizes = (0..).map(|part| 1.01_f64.powi(part) as u64);
    for ms in sizes.take_while(|ms| *ms <= 1 << 27) {
        full.add_ms(ms);
    }
    let buckets: Vec<(u64, u64)> = full.buckets_ms().collect();
    assert!(buckets.len() > 140, "{}", buckets.len());
    let most = 9_999_999;
    let mut told = Sale::new(2).outlook();
    told.stays = buckets
        .iter()
        .map(|(to_ms, _)| Stays {
            to_ms: *to_ms,
            ended: most,
            ended_lately: most,
            inside: 100_000,
        })
        .collect();
    told.claims = buckets.iter().map(|(to_ms, _)| (*to_ms, most)).collect();
    let point = Point {
        at_ms: BEGIN.0,
        number: (1 << 31) - 1,
        present: 3_000_000,
    };
    told.line = vec![point; 33];
    let minute = Minute {
        at_ms: BEGIN.0,
        waiting: 3_000_000,
        inside: 100_000,
        admitted: 1 << 40,
    };
    told.hour = vec![minute; 60];
    told.waited = (1 << 40, 1 << 60);
    let bytes = serde_json::to_string(&told).expect("JSON").len();
    assert!(bytes <= BYTES_MAX, "{bytes}");
}
