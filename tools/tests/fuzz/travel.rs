//! The targets for what travels between browser, front, lobby and room.

use super::Read;
use super::worlds::{self, ASKER, LIFE, MOMENT, World};
use baton::facts::event::{Event, Row};
use baton::facts::limits::{BATCH_COMMANDS_MAX, LOBBIES_MAX};
use baton::facts::message::{Answer, Batch, FromRoom, Hello, LobbyLife, Message, Refusal, ToLobby, ToRoom};
use baton::facts::units::{Ahead, Instant, LaneId, Number};
use baton::facts::wire::{Ask, Status, Told, Wish};
use baton::lobby::{CallId, Effect, Lobby, Moment};
use baton::room::Room;
use baton::room::frame::Frame;
use baton::room::laws;
use core::fmt::Debug;
use serde::{Serialize, de::DeserializeOwned};

/// Reads `postcard`, and asserts that the value reads the same when it is written again.
pub fn of_postcard<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let read: T = postcard::from_bytes(bytes).ok()?;
    let again = postcard::to_allocvec(&read).expect("can be written");
    assert_eq!(postcard::from_bytes::<T>(&again).as_ref(), Ok(&read));
    Some(read)
}

/// Reads JSON, and asserts that the value reads the same when it is written again.
fn of_json<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let read: T = serde_json::from_slice(bytes).ok()?;
    let again = serde_json::to_string(&read).expect("can be written");
    let back: T = serde_json::from_str(&again).expect("reads what it wrote");
    assert_eq!(back, read, "{again}");
    Some(read)
}

/// Asserts every law, but in a line of thousands only those that do not go through it one by one.
fn lawful(before: &Room, after: &Room, row: &Row, now: Instant) {
    let cheap = laws::conserved(after, now).and_then(|()| laws::leases_bounded(after, now));
    let all = if after.line().next().0 > 5_000 {
        cheap
    } else {
        cheap
            .and_then(|()| laws::check_row(before, after, row))
            .and_then(|()| laws::check_state(after, now))
            .and_then(|()| laws::turn_is_idempotent(after, now))
    };
    all.unwrap_or_else(|broken| panic!("{broken}\n{row:?}"));
}

/// Reads what somebody says to a room: the room does it whole and once, or refuses it and writes nothing.
pub fn to_room(bytes: &[u8]) -> Read {
    let Some(said) = of_postcard::<ToRoom>(bytes) else {
        return Read::No;
    };
    hears(&said);
    // The same again, from lives that the room knows.
    match said {
        ToRoom::Batch(batch) => {
            let of = worlds::world().batch(batch.lobby.0 % 2, batch.commands);
            hears(&ToRoom::Batch(of));
        }
        ToRoom::Hello(hello) => hears(&ToRoom::Hello(Hello { life: LIFE, ..hello })),
        ToRoom::Bundle(batches) => {
            let world = worlds::world();
            let of = |batch: Batch| world.batch(batch.lobby.0 % 2, batch.commands);
            hears(&ToRoom::Bundle(batches.into_iter().map(of).collect()));
        }
        ToRoom::More(_) | ToRoom::Check(_) => {}
    }
    Read::Yes
}

fn hears(said: &ToRoom) {
    let mut world = worlds::world();
    let before = world.room.room().clone();
    let answer = world.hears(said);
    let (after, row) = (world.room.room(), world.room.last_row());
    let taken = match (&answer, said) {
        (FromRoom::Answer(answer), ToRoom::Batch(batch)) => fits(batch, answer),
        (FromRoom::Bundle(taken), ToRoom::Bundle(batches)) => {
            assert_eq!(taken.len(), batches.len());
            let mut answers = batches.iter().zip(taken);
            answers.any(|(batch, taken)| taken.as_ref().is_ok_and(|answer| fits(batch, answer)))
        }
        (FromRoom::Answer(_) | FromRoom::Bundle(_), _) => panic!("{answer:?} to {said:?}"),
        _ => false,
    };
    if taken {
        lawful(&before, after, row, worlds::NOW);
        let lists_anew = lists_anew(row);
        match world.hears(said) {
            FromRoom::Bundle(late) => assert!(late.iter().all(Result::is_err), "taken twice"),
            // A room that has begun anew, or learnt that its data was rolled back, gives each lobby a list first, also that of the message which said so.
            FromRoom::Refused(Refusal::Unknown) if lists_anew => {}
            late => assert_eq!(late, FromRoom::Refused(Refusal::Late), "taken twice"),
        }
    } else if answer == FromRoom::Refused(Refusal::Unknown) && !row.events.is_empty() {
        // It was taken, and changed more than one message can tell.
        lawful(&before, after, row, worlds::NOW);
    } else {
        assert!(row.events.is_empty(), "{answer:?}, and wrote {row:?}");
        assert!(before == *after, "{answer:?}, and changed");
    }
}

/// Asserts that the batch is within its bounds and that the answer has a reply to each command. Always returns true.
fn fits(batch: &Batch, answer: &Answer) -> bool {
    assert_eq!(answer.replies.len(), batch.commands.len());
    assert!(batch.commands.len() <= BATCH_COMMANDS_MAX + 8);
    assert!(batch.lobby.0 < LOBBIES_MAX);
    true
}

/// Asserts that the status of everybody reads the same when it is written as JSON.
fn tells(lobby: &mut Lobby) {
    for byte in 0..25 {
        let status = lobby.first_words(MOMENT, worlds::visitor(byte)).status;
        let text = serde_json::to_string(&status).expect("can be written");
        assert_eq!(serde_json::from_str::<Status>(&text).ok(), Some(status));
    }
}

/// Asserts that whatever the lobby does next is bounded: after each timer it runs out of effects and waits.
fn goes_on(lobby: &mut Lobby) {
    let mut m = MOMENT;
    for _ in 0..200 {
        let mut effects = 0;
        while lobby.poll_effect().is_some() {
            effects += 1;
            assert!(effects < 1_000, "never waits");
        }
        let Some(at) = lobby.poll_timeout() else {
            break;
        };
        m.wall_ms += at.since_ms(m.now);
        m.now = m.now.max(at);
        lobby.handle_timeout(m);
    }
    tells(lobby);
}

/// Returns the next call that a lobby makes, and what it says.
fn calls(lobby: &mut Lobby) -> Option<(CallId, ToRoom)> {
    while let Some(effect) = lobby.poll_effect() {
        if let Effect::Call(call, said, _) = effect {
            return Some((call, *said));
        }
    }
    None
}

fn asks(lobby: &mut Lobby, visitor: u8, wish: Wish) {
    let visitor = worlds::visitor(visitor);
    let ask = Ask::plain(visitor, None, wish);
    lobby.handle_ask(MOMENT, ASKER, ask);
}

/// Returns the lobby's life and the number of the Hello that an answer must name.
fn answered(said: &ToRoom) -> (LobbyLife, u32) {
    match said {
        ToRoom::Hello(hello) => (hello.life, hello.number),
        ToRoom::More(more) => (more.life, more.hello),
        ToRoom::Batch(batch) => (batch.life, 0),
        ToRoom::Check(_) | ToRoom::Bundle(_) => (LobbyLife::default(), 0),
    }
}

/// Changes an answer so that it fits this call.
fn meant_for(said: &ToRoom, world: &World, answer: FromRoom) -> FromRoom {
    let (life, number) = answered(said);
    let to = |message: &mut Message| {
        (message.to, message.life) = (life, world.life);
    };
    match answer {
        FromRoom::Welcome(mut welcome) => {
            (welcome.number, welcome.memory) = (number, world.memories[0]);
            to(&mut welcome.message);
            if let Some(page) = &mut welcome.list {
                page.hello = number;
            }
            FromRoom::Welcome(welcome)
        }
        FromRoom::Page(mut page) => {
            page.hello = number;
            FromRoom::Page(page)
        }
        FromRoom::Answer(mut answer) => {
            to(&mut answer.message);
            FromRoom::Answer(answer)
        }
        other => other,
    }
}

/// Reads a room's answer and gives it to a lobby that knows nothing and to one that has a batch out.
pub fn from_room(bytes: &[u8]) -> Read {
    let Some(answer) = of_postcard::<FromRoom>(bytes) else {
        return Read::No;
    };
    let (whole, world) = worlds::lobby();
    for (lobby, visitor) in [(worlds::new_lobby(), 40), (whole, 41)] {
        for is_meant in [false, true] {
            let mut lobby = lobby.clone();
            asks(&mut lobby, visitor, Wish::Join);
            let (call, said) = calls(&mut lobby).expect("it asks the room");
            let answer = match is_meant {
                false => answer.clone(),
                true => meant_for(&said, &world, answer.clone()),
            };
            lobby.handle_answer(MOMENT, call, Some(answer));
            tells(&mut lobby);
            goes_on(&mut lobby);
        }
    }
    Read::Yes
}

/// Lets the room push a message to a lobby: it is of the room's life, to the lobby's.
fn pushed(mut lobby: Lobby, world: &World, message: Message) {
    let to = lobby.handle_push(MOMENT, &ToLobby::Poke).life;
    let life = world.life;
    lobby.handle_push(MOMENT, &ToLobby::Push(Box::new(Message { to, life, ..message })));
    goes_on(&mut lobby);
}

/// Reads what a room says unasked.
pub fn to_lobby(bytes: &[u8]) -> Read {
    let Some(said) = of_postcard::<ToLobby>(bytes) else {
        return Read::No;
    };
    let (whole, world) = worlds::lobby();
    for lobby in [worlds::new_lobby(), whole] {
        let mut strange = lobby.clone();
        strange.handle_push(MOMENT, &said);
        goes_on(&mut strange);
        if let ToLobby::Push(message) = &said {
            pushed(lobby, &world, Message::clone(message));
        }
    }
    Read::Yes
}

/// Reads a front's ask, and lets a lobby answer it with as many calls to the room as that takes.
pub fn ask(bytes: &[u8]) -> Read {
    let Some(mut ask) = of_json::<Ask>(bytes) else {
        return Read::No;
    };
    if let Wish::Status { wait_ms } = &mut ask.wish {
        *wait_ms = 0;
    }
    let (mut lobby, mut world) = worlds::lobby();
    let m = Moment {
        now: MOMENT.now.plus_ms(3),
        wall_ms: MOMENT.wall_ms + 3,
    };
    lobby.handle_ask(m, ASKER, ask);
    let mut told = None;
    for asked in 0.. {
        assert!(asked < 50, "asked the room again and again");
        match lobby.poll_effect() {
            Some(Effect::Call(call, said, _)) => {
                let before = world.room.room().clone();
                let answer = world.hears(&said);
                let row = world.room.last_row();
                if !row.events.is_empty() {
                    lawful(&before, world.room.room(), row, world.room.clock().now());
                }
                lobby.handle_answer(m, call, Some(answer));
            }
            Some(Effect::Answer(ASKER, answer)) => told = answer,
            Some(_) => {}
            None => break,
        }
    }
    let told = *told.expect("whoever asks is answered");
    let text = serde_json::to_string(&told).expect("can be written");
    assert_eq!(serde_json::from_str::<Told>(&text).ok(), Some(told));
    goes_on(&mut lobby);
    Read::Yes
}

/// Reads what a lobby tells the front.
pub fn told(bytes: &[u8]) -> Read {
    (of_json::<Told>(bytes).is_some() || of_json::<Status>(bytes).is_some()).into()
}

/// Reads a frame as a page gets it.
pub fn frame(bytes: &[u8]) -> Read {
    let Some(frame) = Frame::decode(bytes) else {
        return Read::No;
    };
    let again = frame.encode();
    assert_eq!(Frame::decode(&again).as_ref(), Some(&frame));
    assert!(again.len() <= bytes.len(), "the shortest form is longer");
    let rising = frame.points.is_sorted_by(|a, b| {
        let people = b.ahead.0.saturating_sub(a.ahead.0);
        people > 0 && b.number >= a.number.plus(people)
    });
    assert!(rising, "{frame:?}");
    let last = frame.points.last().map_or(0, |point| point.ahead.0 + 1);
    assert_eq!(last, frame.waiting);
    let mut before = (Number(0), Ahead(0));
    for point in &frame.points {
        assert_eq!(frame.ahead(point.number), point.ahead, "{frame:?}");
        for number in (point.number.0 - 1..).take(3).map(Number) {
            let ahead = frame.ahead(number);
            assert!(number < before.0 || ahead >= before.1, "{frame:?}");
            assert!(ahead.0 <= frame.waiting, "{number}: {frame:?}");
            before = before.max((number, ahead));
        }
    }
    // The same bytes as a frame that a room pushes to a lobby.
    let (lobby, world) = worlds::lobby();
    let message = Message {
        version: world.room.room().version(),
        frames: vec![(LaneId::FIRST, bytes.to_vec())],
        ..Message::default()
    };
    pushed(lobby, &world, message);
    Read::Yes
}

fn lists_anew(row: &Row) -> bool {
    let mut events = row.events.iter();
    events.any(|event| matches!(event, Event::Reset { .. } | Event::RolledBack { .. }))
}
