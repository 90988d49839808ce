//! What travels between browser, front, lobby and room.

use super::Read;
use super::worlds::{self, NOW, NOW_MS};
use baton::lobby::{Answer, Lobby, Progress};
use baton::room::Room;
use baton::room::command::{Batch, Message, Refusal};
use baton::room::config::{BATCH_COMMANDS_MAX, LOBBIES_MAX};
use baton::room::event::Row;
use baton::room::frame::Frame;
use baton::room::laws;
use baton::units::{Ahead, Instant, LobbyId, Number};
use baton::wire::{Ask, Status, Told};
use core::fmt::Debug;
use serde::{Serialize, de::DeserializeOwned};

/// Reads `postcard`, and looks that what is written again is read the same.
pub fn of_postcard<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let read: T = postcard::from_bytes(bytes).ok()?;
    let again = postcard::to_allocvec(&read).expect("can be written");
    assert_eq!(postcard::from_bytes::<T>(&again).as_ref(), Ok(&read));
    Some(read)
}

/// Reads JSON, and looks that what is written again is read the same.
fn of_json<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let read: T = serde_json::from_slice(bytes).ok()?;
    let again = serde_json::to_string(&read).expect("can be written");
    let back: T = serde_json::from_str(&again).expect("reads what it wrote");
    assert_eq!(back, read, "{again}");
    Some(read)
}

/// Every law, but for those that go through a line of thousands one by one.
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

/// A batch as a room gets it: taken whole and once, or refused and nothing written.
pub fn batch(bytes: &[u8]) -> Read {
    let Some(batch) = of_postcard::<Batch>(bytes) else {
        return Read::No;
    };
    let mut room = worlds::room();
    for now in [NOW, NOW.plus_ms(400_000)] {
        let before = room.clone();
        let mut row = room.open_row(now);
        match room.receive(now, &batch, &mut row) {
            Ok(message) => {
                // A batch under the number of the last is a repeat, whatever is in it.
                let taken = !row.events.is_empty();
                assert!(!taken || message.replies.len() == batch.commands.len());
                assert!(batch.commands.len() <= BATCH_COMMANDS_MAX);
                assert!(batch.lobby.0 < LOBBIES_MAX);
                let mut nothing = room.open_row(now);
                let again = room.receive(now, &batch, &mut nothing);
                assert_eq!(again.map(|m| m.replies), Ok(message.replies));
                assert!(nothing.events.is_empty(), "a repeat wrote {nothing:?}");
                if taken {
                    lawful(&before, &room, &row, now);
                }
            }
            Err(refusal) => {
                assert!(row.events.is_empty(), "refused, and wrote {row:?}");
                assert!(room == before, "refused, and changed");
                let large =
                    batch.commands.len() > BATCH_COMMANDS_MAX || batch.lobby.0 >= LOBBIES_MAX;
                assert_eq!(refusal == Refusal::Malformed, large);
            }
        }
    }
    Read::Yes
}

/// What a lobby stores is what it is: the facts it hands out lead to its book.
fn stores_what_it_is(lobby: &mut Lobby, book: &mut baton::lobby::Book) {
    for event in lobby.take_unsaved() {
        book.apply(&event);
    }
    assert!(lobby.book() == book, "the facts lead to another book");
}

/// A lobby as it wakes, and its stored book.
fn woken() -> (Lobby, baton::lobby::Book) {
    let (mut lobby, mut book) = (worlds::lobby(), worlds::book());
    stores_what_it_is(&mut lobby, &mut book);
    (lobby, book)
}

/// What everybody would be told can be said, and says no more than is so.
fn tells(lobby: &mut Lobby, now: Instant) {
    for byte in 0..25 {
        let status = lobby.status(now, NOW_MS, worlds::visitor(byte));
        let text = serde_json::to_string(&status).expect("can be written");
        assert_eq!(serde_json::from_str::<Status>(&text).ok(), Some(status));
    }
}

/// A room's message, pushed and as the answer to a batch.
pub fn message(bytes: &[u8]) -> Read {
    let Some(message) = of_postcard::<Message>(bytes) else {
        return Read::No;
    };
    let (mut lobby, mut book) = woken();
    lobby.pushed(NOW, &message);
    stores_what_it_is(&mut lobby, &mut book);
    tells(&mut lobby, NOW);
    // A visitor asks, so a batch goes out, and this is what comes back.
    let ask = Ask {
        visitor: worlds::visitor(3),
        shown: Some(baton::wire::Shown {
            edition: baton::units::Edition::FIRST,
            number: Number(3),
        }),
        wish: baton::wire::Wish::Claim,
    };
    lobby.ask(NOW, NOW_MS, &ask, &Progress::default());
    if lobby.next_batch(NOW).is_some() {
        stores_what_it_is(&mut lobby, &mut book);
        lobby.delivered(NOW.plus_ms(1), &message);
        stores_what_it_is(&mut lobby, &mut book);
    }
    tells(&mut lobby, NOW.plus_ms(900_000));
    Read::Yes
}

/// A front's ask, answered by a lobby with the help of a room, as often as it takes.
pub fn ask(bytes: &[u8]) -> Read {
    let Some(ask) = of_json::<Ask>(bytes) else {
        return Read::No;
    };
    let (mut lobby, mut book) = woken();
    let mut room = worlds::room();
    let mut progress = Progress::default();
    let mut now = NOW;
    for turn in 0..8 {
        now = now.plus_ms(3);
        let waiter = match lobby.ask(now, NOW_MS, &ask, &progress) {
            Answer::Now(told) => {
                let text = serde_json::to_string(&told).expect("can be written");
                assert_eq!(serde_json::from_str::<Told>(&text).ok(), Some(*told));
                stores_what_it_is(&mut lobby, &mut book);
                tells(&mut lobby, now);
                return Read::Yes;
            }
            Answer::Later(waiter) => waiter,
        };
        let batch = lobby
            .next_batch(now)
            .expect("somebody waits, so something goes out");
        stores_what_it_is(&mut lobby, &mut book);
        let before = room.clone();
        let mut row = room.open_row(now);
        let message = room
            .receive(now, &batch, &mut row)
            .expect("a lobby's batch is taken");
        lawful(&before, &room, &row, now);
        let delivered = lobby.delivered(now, &message);
        stores_what_it_is(&mut lobby, &mut book);
        let mine = delivered
            .outcomes
            .into_iter()
            .filter(|(to, _)| *to == waiter);
        mine.for_each(|(_, outcome)| progress.note(outcome));
        assert!(
            turn < 7,
            "asked the room {turn} times and still does not know"
        );
    }
    Read::Yes
}

/// What a lobby tells the front.
pub fn told(bytes: &[u8]) -> Read {
    (of_json::<Told>(bytes).is_some() || of_json::<Status>(bytes).is_some()).into()
}

/// A frame as a page gets it.
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
    // And as part of what a room pushes to a lobby.
    let mut lobby = worlds::lobby();
    lobby.pushed(
        NOW,
        &Message {
            frame: Some(bytes.to_vec()),
            ..worlds::room().message(NOW, LobbyId(0))
        },
    );
    lobby.frame_to_send(NOW.plus_ms(60_000));
    Read::Yes
}
