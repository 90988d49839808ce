//! The courier: one push at a time to each lobby, repeated until it arrived, and a picture of the
//! line once a tick at most and only when it changed.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

use baton::room::Room;
use baton::room::command::{Batch, Command};
use baton::room::config::{Mode, RoomConfig};
use baton::room::courier::{Courier, Push, RETRY_MS};
use baton::room::event::Row;
use baton::room::frame::Frame;
use baton::units::{Edition, Fence, Instant, LobbyId, Number, Version};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TICK_MS: u64 = 1_000;

/// A room with its courier, as the room object has them.
struct Office {
    room: Room,
    courier: Courier,
    now: Instant,
    sequences: BTreeMap<LobbyId, u64>,
}

impl Office {
    fn new(permits: u32) -> Self {
        let mut office = Self {
            room: Room::new(),
            courier: Courier::default(),
            now: Instant(1_000_000),
            sequences: BTreeMap::new(),
        };
        let config = RoomConfig {
            permits,
            walk_in: false,
            tick_ms: TICK_MS,
            ..RoomConfig::default()
        };
        office.turn(|room, _, row| room.configure(&config, row));
        office
    }

    /// One row. What is pushed is asked for separately.
    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
    }

    /// A lobby's batch and its answer.
    fn batch(&mut self, lobby: u16, acknowledged: Version, commands: Vec<Command>) {
        let lobby = LobbyId(lobby);
        let sequence = self.sequences.entry(lobby).or_default();
        *sequence += 1;
        let batch = Batch {
            lobby,
            epoch: 1,
            sequence: *sequence,
            attempts: 0,
            edition: Edition::FIRST,
            acknowledged,
            roster: vec![],
            commands,
        };
        let mut row = self.room.open_row(self.now);
        let message = self
            .room
            .receive(self.now, &batch, &mut row)
            .expect("taken");
        let announced = self.room.announced();
        self.courier.heard_from(lobby, message.noticed, announced);
    }

    fn join(&mut self, lobby: u16, count: u32) {
        self.batch(lobby, Version(0), vec![Command::Join { count }]);
    }

    fn usher(&mut self) {
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    fn wait(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    fn pushes(&mut self) -> Vec<Push> {
        self.courier.pushes(&self.room, self.now)
    }

    fn arrived(&mut self, pushes: &[Push]) {
        for push in pushes {
            self.courier.finished(self.now, push, Some(1));
        }
    }

    fn lost(&mut self, pushes: &[Push]) {
        for push in pushes {
            self.courier.finished(self.now, push, None);
        }
    }

    /// Sends whatever there is, so that only what comes after is seen.
    fn settle(&mut self) {
        let pushes = self.pushes();
        self.arrived(&pushes);
    }
}

fn lobbies(pushes: &[Push]) -> Vec<u16> {
    pushes.iter().map(|push| push.lobby.0).collect()
}

fn noticed(push: &Push) -> Vec<u64> {
    push.message
        .notices
        .iter()
        .map(|(number, _, _)| number.0)
        .collect()
}

#[test]
fn nothing_to_say_is_not_said() {
    let mut office = Office::new(1);
    assert_eq!(office.pushes(), []);
    assert_eq!(office.courier.due_at(&office.room), None);
    office.join(0, 3);
    office.settle();
    for _ in 0..5 {
        office.wait(TICK_MS);
        assert_eq!(office.pushes(), []);
    }
    assert_eq!(office.courier.due_at(&office.room), None);
}

#[test]
fn a_call_goes_at_once_and_only_to_its_lobby() {
    let mut office = Office::new(1);
    office.join(0, 1);
    office.join(1, 1);
    office.settle();
    office.wait(10);
    office.usher();
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0]);
    assert_eq!(noticed(&pushes[0]), [1]);
    // The picture waits for its tick.
    assert_eq!(pushes[0].message.frame, None);
}

#[test]
fn c48_one_push_at_a_time_to_a_lobby() {
    let mut office = Office::new(3);
    office.join(0, 3);
    office.join(1, 3);
    office.settle();
    office.usher();
    let first = office.pushes();
    assert_eq!(lobbies(&first), [0]);
    for number in 1..=3 {
        office.wait(400);
        office.turn(|room, now, row| {
            room.perform(now, &Command::Leave(Number(number)), LobbyId(0), row);
        });
        assert!(
            !lobbies(&office.pushes()).contains(&0),
            "a second push in flight"
        );
    }
    // What happened meanwhile goes when it came back; the other lobby never waited.
    let newest = office.room.newest_notice(LobbyId(0));
    assert_eq!(newest, Some(office.room.version()));
    office.wait(TICK_MS);
    office.courier.finished(office.now, &first[0], Some(3));
    assert_eq!(lobbies(&office.pushes()), [0]);
}

#[test]
fn c48_a_lost_push_is_repeated_with_growing_pauses_and_says_everything_again() {
    let mut office = Office::new(2);
    office.join(0, 4);
    office.settle();
    office.usher();
    let mut pushes = office.pushes();
    assert_eq!(noticed(&pushes[0]), [1, 2]);
    for failures in 0..8_u32 {
        office.lost(&pushes);
        let pause_ms = RETRY_MS << failures.min(5);
        let due = office.courier.due_at(&office.room);
        assert_eq!(
            due,
            Some(office.now.plus_ms(pause_ms)),
            "after {failures} failures"
        );
        office.wait(pause_ms - 1);
        assert_eq!(office.pushes(), [], "too early after {failures} failures");
        assert_eq!(office.courier.unreached(), 1);
        office.wait(1);
        pushes = office.pushes();
        assert_eq!(lobbies(&pushes), [0], "after {failures} failures");
        assert_eq!(noticed(&pushes[0]), [1, 2], "everything, not the change");
    }
    office.arrived(&pushes);
    assert_eq!(office.courier.unreached(), 0);
    assert_eq!(office.pushes(), []);
    // One that arrived clears the pauses.
    office.turn(|room, now, row| {
        room.perform(now, &Command::Leave(Number(1)), LobbyId(0), row);
    });
    let pushes = office.pushes();
    office.lost(&pushes);
    office.wait(RETRY_MS);
    assert_eq!(lobbies(&office.pushes()), [0]);
}

/// A push that arrived is not repeated, yet the notices stay in later messages until the lobby
/// says in a batch that it has written them down.
#[test]
fn notices_stay_in_every_message_until_acknowledged() {
    let mut office = Office::new(2);
    office.join(0, 3);
    office.settle();
    office.usher();
    let pushes = office.pushes();
    assert_eq!(noticed(&pushes[0]), [1, 2]);
    let heard = pushes[0].message.noticed;
    office.arrived(&pushes);
    assert_eq!(office.pushes(), []);
    office.turn(|room, now, row| {
        room.perform(now, &Command::Release(Fence(1)), LobbyId(0), row);
    });
    let pushes = office.pushes();
    assert_eq!(
        noticed(&pushes[0]),
        [2, 1, 3],
        "2 is not acknowledged, nor is that 1 was given back"
    );
    office.arrived(&pushes);
    office.batch(0, heard, vec![Command::Leave(Number(2))]);
    office.settle();
    let left = office.room.newest_notice(LobbyId(0));
    assert_eq!(left, Some(office.room.version()));
    office.batch(0, pushes[0].message.noticed, vec![]);
    assert_eq!(office.room.newest_notice(LobbyId(0)), left);
    office.batch(0, left.unwrap(), vec![]);
    assert_eq!(office.room.newest_notice(LobbyId(0)), None);
}

/// The answer to a batch says all that a push would: no push repeats it.
#[test]
fn an_answer_saves_the_push() {
    let mut office = Office::new(1);
    office.join(0, 2);
    office.settle();
    office.wait(10);
    office.usher();
    office.batch(0, Version(0), vec![]);
    assert_eq!(office.pushes(), []);
}

#[test]
fn a_new_courier_states_everything_again() {
    let mut office = Office::new(2);
    office.join(0, 2);
    office.settle();
    office.usher();
    office.settle();
    office.courier = Courier::default();
    assert_eq!(
        office.pushes().iter().map(noticed).collect::<Vec<_>>(),
        [[1, 2]]
    );
}

/// A poll that is held there would wait in vain, and nothing else may ever wake the room.
#[test]
fn a_reset_is_told_to_every_lobby_also_where_nobody_watches_and_again_after_a_crash() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.join(1, 1);
    for push in office.pushes() {
        office.courier.finished(office.now, &push, Some(0));
    }
    assert_eq!(lobbies(&office.pushes()), [0; 0]);
    office.turn(|room, _, row| {
        room.reset("desk", row);
    });
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1]);
    assert!(
        pushes
            .iter()
            .all(|push| push.message.gist.edition == Edition(2))
    );
    let due_at = office.courier.due_at(&office.room);
    assert!(
        due_at.is_some_and(|at| at > office.now),
        "woken, should it crash now"
    );
    // One is told, the other push is cut off with the room's memory; whoever is behind is told again.
    office.courier.finished(office.now, &pushes[0], Some(0));
    office.courier = Courier::default();
    assert_eq!(lobbies(&office.pushes()), [0, 1]);
    let news = office.pushes();
    assert_eq!(lobbies(&news), [0; 0], "on their way");
}

/// A lobby may hold sockets and have nothing to ask for as long as it lives: the room's new life does not wait for its word.
#[test]
fn a_new_courier_shows_and_announces_to_every_lobby_until_one_says_that_nobody_watches() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.join(1, 1);
    office.settle();
    office.courier = Courier::default();
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1]);
    assert!(pushes.iter().all(|push| push.message.frame.is_some()));
    office.courier.finished(office.now, &pushes[0], Some(3));
    office.courier.finished(office.now, &pushes[1], Some(0));
    let config = RoomConfig {
        mode: Mode::SoldOut,
        ..office.room.config().clone()
    };
    office.turn(|room, _, row| room.configure(&config, row));
    assert_eq!(lobbies(&office.pushes()), [0]);
}

#[test]
fn a_frame_at_most_once_a_tick_and_only_when_the_line_changed() {
    let mut office = Office::new(0);
    office.join(0, 1);
    let start = office.now;
    let pushes = office.pushes();
    assert!(pushes[0].message.frame.is_some(), "the first at once");
    office.arrived(&pushes);
    let mut framed_at = vec![];
    for step in 0..50 {
        office.wait(100);
        if step < 30 {
            office.join(0, 1);
        }
        let pushes = office.pushes();
        if pushes.iter().any(|push| push.message.frame.is_some()) {
            framed_at.push(office.now.since_ms(start));
        }
        office.arrived(&pushes);
    }
    assert_eq!(framed_at, [1_000, 2_000, 3_000]);
}

/// A turn that changes nothing to see (an acknowledgement) draws no new picture.
#[test]
fn the_same_picture_is_not_sent_again() {
    let mut office = Office::new(0);
    office.join(0, 5);
    office.settle();
    for _ in 0..5 {
        office.wait(TICK_MS);
        let version = office.room.version();
        office.batch(0, version, vec![]);
        assert!(office.room.version() > version);
        assert_eq!(office.pushes(), []);
        assert_eq!(office.courier.due_at(&office.room), None);
    }
    office.join(0, 1);
    assert_eq!(lobbies(&office.pushes()), [0]);
}

#[test]
fn every_watching_lobby_gets_the_same_frame() {
    let mut office = Office::new(0);
    for lobby in 0..4 {
        office.join(lobby, 3);
    }
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1, 2, 3]);
    let frames: Vec<_> = pushes
        .iter()
        .map(|push| push.message.frame.clone())
        .collect();
    assert!(frames.iter().all(|frame| frame == &frames[0]));
    let frame = Frame::decode(frames[0].as_ref().expect("a frame")).expect("decodes");
    assert_eq!(
        (frame.waiting, frame.version),
        (12, office.room.version().0)
    );
    // Lobby 2 has nobody left: it is spared until it speaks again.
    for push in &pushes {
        office
            .courier
            .finished(office.now, push, Some(u64::from(push.lobby.0 != 2)));
    }
    office.wait(TICK_MS);
    office.join(0, 1);
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1, 3]);
    office.arrived(&pushes);
    office.batch(2, Version(0), vec![]);
    assert_eq!(lobbies(&office.pushes()), [2]);
}

/// A picture that was lost is sent again, after the pause.
#[test]
fn a_lost_frame_is_sent_again() {
    let mut office = Office::new(0);
    office.join(0, 2);
    let pushes = office.pushes();
    office.lost(&pushes);
    office.wait(RETRY_MS);
    let again = office.pushes();
    assert_eq!(again[0].message.frame, pushes[0].message.frame);
}

/// The courier asks to be woken exactly for what it holds back.
#[test]
fn it_asks_to_be_woken_for_what_it_holds_back() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.settle();
    let drawn_at = office.now;
    office.wait(300);
    office.join(0, 1);
    assert_eq!(office.pushes(), []);
    let due = office
        .courier
        .due_at(&office.room)
        .expect("a picture waits");
    assert_eq!(due, drawn_at.plus_ms(TICK_MS));
    office.now = due;
    assert_eq!(lobbies(&office.pushes()), [0]);
    // In flight: nothing to do until it comes back.
    assert_eq!(office.courier.due_at(&office.room), None);
}

/// Random weather: whatever is lost, everything arrives in the end, and never two at once.
#[test]
fn everything_arrives_in_the_end() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut office = Office::new(4);
        let mut flying: BTreeMap<LobbyId, Push> = BTreeMap::new();
        let mut told: BTreeMap<LobbyId, Version> = BTreeMap::new();
        for step in 0..700 {
            office.wait(rng.u64(0..500));
            match rng.u8(0..4) {
                _ if step > 300 => {}
                0 => office.join(rng.u16(0..3), 1),
                1 => office.usher(),
                _ => {
                    let fence = Fence(rng.u64(0..=office.room.permits().last_fence().0));
                    office.turn(|room, now, row| {
                        room.perform(now, &Command::Release(fence), LobbyId(0), row);
                    });
                }
            }
            for push in office.pushes() {
                let before = flying.insert(push.lobby, push);
                assert!(before.is_none(), "seed {seed}: two pushes in flight");
            }
            let landing: Vec<LobbyId> = flying.keys().copied().filter(|_| rng.bool()).collect();
            for lobby in landing {
                let push = flying.remove(&lobby).expect("in flight");
                let fails = step < 300 && rng.u8(0..3) == 0;
                if !fails {
                    told.insert(lobby, push.message.noticed);
                }
                office
                    .courier
                    .finished(office.now, &push, (!fails).then_some(1));
            }
        }
        for lobby in office.room.lobbies() {
            let newest = office.room.newest_notice(lobby);
            let heard = told.get(&lobby).copied().unwrap_or_default();
            assert!(
                newest.is_none_or(|version| version <= heard),
                "seed {seed}: {lobby} misses {newest:?}"
            );
        }
    }
}
