//! Whose life is known: Hello, resume and list, and what is taken from whom.

use crate::office::{Office, SALT, lobbies, message, said, words};
use crate::wishes;
use baton::facts::limits::{BATCH_BESIDE_MAX, BATCH_COMMANDS_MAX, CHANGES_MAX, LOBBIES_MAX, PAGE_TICKETS_MAX};
use baton::facts::message::{Batch, FromRoom, Heard, Hello, Known, LobbyLife, More, Refusal, RoomLife, RoomMemory, ToLobby};
use baton::facts::units::{Edition, LobbyId, Number, Version};
use baton::room::courier::{LIST_EVERY_MS, PUSH_TIMEOUT_MS, RETRY_MS, Slept};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn hello(lobby: u16, life: u64, number: u32, knows: Option<Known>) -> Hello {
    Hello {
        lobby: LobbyId(lobby),
        life: LobbyLife(life),
        number,
        knows,
    }
}

#[test]
fn a_lobby_that_knows_something_is_told_what_changed_and_one_that_knows_nothing_gets_a_list() {
    let mut office = Office::new(1);
    office.join(0, 2);
    let knew = office.room.version();
    office.usher();
    let resumed = office.hello(0, 1, Some(knew));
    assert_eq!(resumed.list, None);
    assert_eq!(words(&resumed.message.changes), ["1 called"]);
    assert_eq!(resumed.message.since, knew);
    assert_eq!(resumed.salt, SALT);
    let listed = office.hello(0, 2, None);
    let list = listed.list.expect("a list");
    assert_eq!((list.tickets.len(), list.next), (2, None));
    assert_eq!(listed.message.version, list.version);
    let other_life = Known {
        life: RoomLife(99),
        version: knew,
    };
    let answer = office.says(&hello(0, 3, 1, Some(other_life)));
    let FromRoom::Welcome(welcome) = answer else {
        panic!("{answer:?}");
    };
    assert!(welcome.list.is_some(), "of another life nothing is resumed");
}

/// A lobby may answer an earlier push after it was given a list. That answer says nothing of the list: the room pokes the lobby until it knows
/// that the list arrived.
#[test]
fn an_answer_from_before_a_list_does_not_acknowledge_it() {
    let mut office = Office::new(1);
    office.join(0, 2);
    office.settle();
    office.usher();
    let early = office.pushes();
    office.leaves(2);
    assert!(office.hello(0, 1, None).list.is_some());
    let heard = Heard {
        life: LobbyLife(1),
        acknowledged: Some(message(&early[0]).version),
        is_watched: true,
        lanes: u8::MAX,
    };
    office.courier.finished(office.now, &early[0], Some(heard));
    assert_eq!(said(&office.pushes()[0]), ["poke"]);
}

/// Changes do not tell presence. So the room names the away to a lobby that goes on; a list says it of each ticket.
#[test]
fn a_lobby_that_goes_on_is_told_who_of_its_own_is_away() {
    let mut office = Office::new(0);
    office.join(0, 4);
    office.join(1, 1);
    for (lobby, number) in [(0, 3), (0, 1), (1, 5)] {
        let away = wishes::away(&office.room, &[Number(number)]);
        office.batch(lobby, vec![away]);
    }
    let knows = Some(office.room.version());
    let resumed = office.hello(0, 1, knows);
    assert_eq!(resumed.list, None);
    assert_eq!(resumed.away, [1, 3].map(Number));
    assert_eq!(office.hello(1, 1, knows).away, [Number(5)]);
    let back = wishes::back(&office.room, Number(5));
    office.batch(1, vec![back]);
    assert_eq!(office.hello(1, 1, knows).away, []);
    let listed = office.hello(0, 2, None);
    assert!(listed.list.is_some() && listed.away.is_empty());
}

/// Both sides ignore any Hello but the last. One that comes twice moves nothing: what was acknowledged stays so.
#[test]
fn a_repeated_hello_moves_nothing_and_an_older_one_is_late() {
    let mut office = Office::new(1);
    office.join(0, 2);
    let knew = office.room.version();
    office.hello(0, 1, Some(knew));
    office.batch(0, vec![]);
    office.usher();
    let again = Known {
        life: office.life(),
        version: Version(knew.0),
    };
    let answer = office.says(&hello(0, 1, 2, Some(again)));
    assert!(matches!(answer, FromRoom::Welcome(_)), "{answer:?}");
    let late = office.says(&hello(0, 1, 1, Some(again)));
    assert_eq!(late, FromRoom::Refused(Refusal::Late));
    office.wait(PUSH_TIMEOUT_MS);
    let pushes = office.pushes();
    assert_eq!(said(&pushes[0]), ["1 called"], "from what it acknowledged");
}

#[test]
fn a_batch_is_taken_only_of_the_life_the_memory_and_the_number_that_it_should_have() {
    let mut office = Office::new(1);
    let unknown = Batch {
        lobby: LobbyId(0),
        life: LobbyLife(1),
        room: office.life(),
        memory: RoomMemory(1),
        number: 1,
        since: Version(0),
        attempts: 0,
        commands: vec![],
    };
    assert_eq!(office.send(&unknown), Err(Refusal::Unknown), "no Hello");
    office.join(0, 1);
    office.batch(0, vec![]);
    let good = office.next(0, vec![wishes::join(&office.room, 1)]);
    let refused = |office: &mut Office, change: &dyn Fn(&mut Batch)| {
        let mut batch = good.clone();
        change(&mut batch);
        let before = office.room.clone();
        let refused = office.send(&batch).expect_err("not to be taken");
        assert_eq!(office.room, before, "nothing was done");
        refused
    };
    let deposed = refused(&mut office, &|batch| batch.life = LobbyLife(9));
    assert_eq!(deposed, Refusal::Deposed);
    let of_before = refused(&mut office, &|batch| batch.room = RoomLife(9));
    assert_eq!(of_before, Refusal::Unknown);
    let forgotten = refused(&mut office, &|batch| batch.memory = RoomMemory(9));
    assert_eq!(forgotten, Refusal::Unknown);
    let late = refused(&mut office, &|batch| batch.number = 2);
    assert_eq!(late, Refusal::Late);
    let foreign = refused(&mut office, &|batch| batch.lobby = LobbyId(LOBBIES_MAX));
    assert_eq!(foreign, Refusal::Malformed);
    let flood = refused(&mut office, &|batch| {
        let walk_in = wishes::walk_in(&baton::room::Room::new());
        batch.commands = vec![walk_in; BATCH_COMMANDS_MAX + BATCH_BESIDE_MAX + 1];
    });
    assert_eq!(flood, Refusal::Malformed);
    // A gap is fine: whatever was lost in between is lost.
    let mut later = good.clone();
    later.number += 5;
    office.send(&later).expect("taken");
    assert_eq!(office.send(&good), Err(Refusal::Late));
    assert_eq!(office.room.line().alive(), 2);
}

/// Another life takes over; the one before is told so with the next thing that it says.
#[test]
fn a_life_that_another_has_followed_is_deposed() {
    let mut office = Office::new(1);
    office.join(0, 1);
    let old = office.next(0, vec![]);
    let more = More {
        lobby: LobbyId(0),
        life: old.life,
        hello: 1,
        from: Number(1),
    };
    office.hello(0, 2, None);
    assert_eq!(office.send(&old), Err(Refusal::Deposed));
    let page = office.courier.more(&office.room, office.now, &more);
    assert_eq!(page, FromRoom::Refused(Refusal::Deposed));
    office.batch(0, vec![]);
}

/// So what was sent before the next Hello is not done after it, and a copy of a Hello ends nothing.
#[test]
fn with_each_hello_begins_a_memory_of_its_own_and_a_copy_of_it_begins_none() {
    let mut office = Office::new(0);
    office.join(0, 1);
    let copy = office.says(&hello(0, 1, 1, None));
    assert!(matches!(copy, FromRoom::Welcome(_)), "{copy:?}");
    office.batch(0, vec![]);
    let before = office.next(0, vec![]);
    let knew = office.lobbies[&0].since;
    office.hello(0, 1, Some(knew));
    assert_eq!(office.send(&before), Err(Refusal::Unknown));
    office.batch(0, vec![]);
}

/// The numbers of its batches begin anew there, so only the memory tells an old one.
#[test]
fn a_batch_from_before_the_rooms_memory_is_not_taken_after_the_next_hello_either() {
    let mut office = Office::new(0);
    office.join(0, 1);
    let before = office.next(0, vec![]);
    let knew = office.lobbies[&0].since;
    office.wakes();
    office.hello(0, 1, Some(knew));
    assert_eq!(office.send(&before), Err(Refusal::Unknown));
    office.batch(0, vec![]);
}

/// A lobby may go on from what it knew before the room slept: the life is the same.
#[test]
fn a_room_that_comes_into_memory_is_in_the_life_of_its_last_reset() {
    let mut office = Office::new(0);
    office.turn(|room, _, row| assert_eq!(room.reset("desk", row), Edition(2)));
    office.join(0, 1);
    let knew = office.lobbies[&0].since;
    office.wakes();
    let welcome = office.hello(0, 1, Some(knew));
    assert_eq!((welcome.list, welcome.message.life), (None, office.life()));
}

/// A list says of each ticket whether its holder is away.
#[test]
fn who_is_away_is_told_apart_only_where_there_is_no_list() {
    let mut office = Office::new(0);
    office.join(0, 3);
    let away = wishes::away(&office.room, &[Number(2)]);
    office.batch(0, vec![away]);
    let knew = office.lobbies[&0].since;
    let resumed = office.hello(0, 1, Some(knew));
    assert_eq!((resumed.list, resumed.away), (None, vec![Number(2)]));
    let listed = office.hello(0, 2, None);
    assert_eq!((listed.list.map(|list| list.tickets.len()), listed.away), (Some(3), vec![]));
}

/// Beside its wishes a batch says who is there and what was counted.
#[test]
fn a_batch_may_have_a_few_commands_more_than_wishes() {
    let mut office = Office::new(0);
    office.join(0, 1);
    let nothing = wishes::origin(1, 0);
    let full = office.next(0, vec![nothing; BATCH_COMMANDS_MAX + BATCH_BESIDE_MAX]);
    assert!(office.send(&full).is_ok());
}

/// Nothing of lives is stored: whoever has people is poked until it says Hello, and what it knew is still good.
#[test]
fn a_room_that_comes_into_memory_pokes_whoever_has_people() {
    let mut office = Office::new(1);
    office.join(0, 2);
    office.join(1, 1);
    office.join(2, 1);
    office.settle();
    office.leaves(4);
    office.usher();
    let before = office.next(0, vec![]);
    office.slept = Slept::Long;
    office.wakes();
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1], "2 has nobody left");
    assert!(pushes.iter().all(|push| said(push) == ["poke"]));
    assert_eq!(office.courier.untold(&office.room), 2);
    assert_eq!(office.send(&before), Err(Refusal::Unknown));
    let due = office.courier.due_at(&office.room);
    assert!(due.is_some(), "an alarm until they have");
    office.lost(&pushes[..1]);
    office.arrived(&pushes[1..]);
    office.wait(RETRY_MS);
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0], "1 was reached and says Hello by itself");
    office.arrived(&pushes);
    let knew = office.lobbies[&0].since;
    let welcome = office.hello(0, 1, Some(knew));
    assert_eq!(welcome.list, None, "the window came back with the room");
    assert_eq!(words(&welcome.message.changes), ["1 called"]);
    office.batch(0, vec![]);
    assert_eq!(office.courier.untold(&office.room), 1);
    office.wait(PUSH_TIMEOUT_MS);
    let mut pushes = office.pushes();
    pushes.retain(|push| said(push) == ["poke"]);
    assert_eq!(lobbies(&pushes), [1], "again, for it did not");
}

/// Pages of a lobby in which everybody's place has ended hear of it at once, also if the room was lost before it could say so.
#[test]
fn a_room_that_slept_briefly_pokes_whoever_had_people() {
    let mut office = Office::new(1);
    office.join(0, 1);
    office.join(2, 1);
    office.settle();
    office.leaves(2);
    office.wakes();
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 2]);
    office.arrived(&pushes);
    let knew = office.lobbies[&2].since;
    let welcome = office.hello(2, 1, Some(knew));
    assert_eq!(words(&welcome.message.changes), ["2 over"]);
    office.turn(|room, _, row| {
        room.reset("mika", row);
    });
    office.wakes();
    assert_eq!(lobbies(&office.pushes()), [0, 2], "after a reset too");
}

/// What was acknowledged is gone from memory with the window: such a lobby says Hello and gets a list.
#[test]
fn more_changes_than_the_room_remembers_lead_to_a_list() {
    let mut office = Office::new(0);
    office.join(0, 2);
    office.settle();
    let knew = office.lobbies[&0].since;
    let behind = office.next(0, vec![]);
    for _ in 0..=CHANGES_MAX {
        let join = wishes::join(&office.room, 1);
        office.turn(|room, now, row| room.perform(now, &join, LobbyId(0), row));
    }
    assert_eq!(office.send(&behind), Err(Refusal::Unknown));
    let pushes = office.pushes();
    assert_eq!(said(&pushes[0]), ["poke"]);
    office.arrived(&pushes);
    let welcome = office.hello(0, 1, Some(knew));
    let list = welcome.list.expect("a list");
    assert_eq!(list.tickets.len(), CHANGES_MAX + 3);
}

/// The pages of a list: in order, each ticket once, and none but the lobby's.
#[test]
fn a_list_comes_in_pages() {
    let mut office = Office::new(0);
    for lobby in [0, 1, 0, 1, 0] {
        let join = wishes::join(&office.room, 3_000);
        office.turn(|room, now, row| room.perform(now, &join, LobbyId(lobby), row));
    }
    let welcome = office.hello(0, 1, None);
    let mut page = welcome.list.expect("a list");
    let mut numbers: Vec<u64> = vec![];
    let mut pages = 1;
    loop {
        assert!(page.tickets.len() <= PAGE_TICKETS_MAX);
        numbers.extend(page.tickets.iter().map(|listed| listed.number.0));
        let Some(from) = page.next else { break };
        let more = More {
            lobby: LobbyId(0),
            life: LobbyLife(1),
            hello: 1,
            from,
        };
        page = match office.courier.more(&office.room, office.now, &more) {
            FromRoom::Page(page) => page,
            other => panic!("{other:?}"),
        };
        pages += 1;
    }
    let own = (1..=3_000).chain(6_001..=9_000).chain(12_001..=15_000);
    assert_eq!(numbers, own.collect::<Vec<u64>>());
    assert_eq!(pages, 9_000_usize.div_ceil(PAGE_TICKETS_MAX));
    let stale = More {
        lobby: LobbyId(0),
        life: LobbyLife(1),
        hello: 0,
        from: Number(1),
    };
    let late = office.courier.more(&office.room, office.now, &stale);
    assert_eq!(late, FromRoom::Refused(Refusal::Late));
}

/// A few long lists a second; each lobby keeps the turn that it was given. Short ones, and those with somebody called, come at once.
#[test]
fn long_lists_are_given_a_few_a_second_and_calls_come_first() {
    let mut office = Office::new(1);
    for lobby in 0..5 {
        let join = wishes::join(&office.room, 1_000);
        office.turn(|room, now, row| room.perform(now, &join, LobbyId(lobby), row));
    }
    let join = wishes::join(&office.room, 1);
    office.turn(|room, now, row| room.perform(now, &join, LobbyId(5), row));
    let wait = |office: &mut Office, lobby| match office.says(&hello(lobby, 1, 1, None)) {
        FromRoom::Welcome(_) => 0,
        FromRoom::Later(wait_ms) => wait_ms,
        other => panic!("{other:?}"),
    };
    let waits: Vec<u64> = (1..5).map(|lobby| wait(&mut office, lobby)).collect();
    let turns: Vec<u64> = (0..4).map(|turn| turn * LIST_EVERY_MS).collect();
    assert_eq!(waits, turns);
    assert_eq!(wait(&mut office, 5), 0, "a short one");
    assert_eq!(wait(&mut office, 4), 3 * LIST_EVERY_MS, "its turn is kept");
    office.usher();
    assert_eq!(wait(&mut office, 0), 0, "number 1 is called there");
    office.wait(3 * LIST_EVERY_MS);
    assert_eq!(wait(&mut office, 4), 0);
}

/// A lobby that waits for its list is poked as soon as somebody there is called, and gets the list at once. No other lobby is.
#[test]
fn a_lobby_that_waits_for_its_list_is_poked_when_somebody_there_is_called() {
    let mut office = Office::new(1);
    for lobby in 0..16 {
        let join = wishes::join(&office.room, 1_000);
        office.turn(|room, now, row| room.perform(now, &join, LobbyId(lobby), row));
    }
    office.wakes();
    let pokes = office.pushes();
    assert_eq!(pokes.len(), 16);
    office.arrived(&pokes);
    let waits = |office: &mut Office, lobby| match office.says(&hello(lobby, 1, 1, None)) {
        FromRoom::Later(_) => true,
        FromRoom::Welcome(_) => false,
        other => panic!("{other:?}"),
    };
    assert!(!waits(&mut office, 15));
    assert!((0..15).rev().all(|lobby| waits(&mut office, lobby)));
    office.wait(1);
    assert_eq!(office.pushes(), []);
    office.usher();
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0], "number 1 is called there");
    assert_eq!(pushes[0].said, ToLobby::Poke);
    assert_eq!(office.pushes(), [], "once");
    office.lost(&pushes);
    office.wait(RETRY_MS);
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0], "again, because the poke was lost");
    assert!(!waits(&mut office, 0));
    assert!(waits(&mut office, 1), "nobody is called there");
}
