//! A million in line, with holes, a snapshot, and a tail of rows after it.

use crate::disk::Disk;
use crate::scripted::Scribe;
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::units::{Fence, LobbyId, Number};
use baton::journal::{self, Damage, PageId, PageKind};
use baton::room::{Room, laws};
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant as Stopwatch;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WAITING: u64 = 1_000_000;
/// Rows that the last snapshot does not hold.
const TAIL: u64 = 40;

fn numbers(rng: &mut fastrand::Rng, room: &Room, count: usize) -> Vec<Number> {
    let next = room.line().next().0;
    (0..count).map(|_| Number(rng.u64(1..next))).collect()
}

/// One turn of a busy room: joins of some lobby, some who leave, go away, come back, claim. Each lobby speaks of its own.
fn busy(s: &mut Scribe<'_>, rng: &mut fastrand::Rng) {
    let lobby = rng.u16(0..256);
    s.batch(lobby, vec![wishes::join(&s.room, rng.u32(5_000..10_000))]);
    for number in numbers(rng, &s.room, 8) {
        let Some(of) = s.room.tickets().lobby_of(number) else {
            continue;
        };
        let near: Vec<Number> = (0..30).map(|more| number.plus(more)).collect();
        let mut commands: Vec<Command> = (0..35).map(|more| wishes::leave(&s.room, number.plus(30 + more))).collect();
        commands.push(wishes::away(&s.room, &near));
        commands.push(wishes::back(&s.room, near[3]));
        s.batch(of.0, commands);
    }
    let called = s.room.permits().out().map(|(fence, grant)| (fence, grant.number, grant.lobby));
    for (fence, number, of) in called.take(40).collect::<Vec<(Fence, Number, LobbyId)>>() {
        let mut commands = vec![wishes::claim(&s.room, number)];
        commands.extend(rng.bool().then_some(Command::Release(fence)));
        s.batch(of.0, commands);
    }
    s.usher_after(rng.u64(500..9_000));
}

/// A million waiting after seeded turns, `TAIL` rows past a snapshot.
fn crowd(disk: &Disk) -> Room {
    let mut rng = fastrand::Rng::with_seed(20_261_121);
    let mut s = Scribe::new(disk, u64::MAX, u64::MAX);
    s.configure(RoomConfig {
        permits: 300,
        grace_ms: 200_000,
        ..RoomConfig::default()
    });
    while s.room.line().alive() < WAITING {
        busy(&mut s, &mut rng);
    }
    s.rows_per_snapshot(0);
    s.batch(0, vec![wishes::join(&s.room, 1)]);
    s.rows_per_snapshot(u64::MAX);
    let end = s.room.version().0 + TAIL;
    while s.room.version().0 < end {
        let some = numbers(&mut rng, &s.room, 1);
        let of = s.room.tickets().lobby_of(some[0]).unwrap_or_default();
        let word = wishes::away(&s.room, &some);
        s.batch(of.0, vec![wishes::join(&s.room, 50), word]);
    }
    s.room
}

/// The same further turns of two rooms: the same answers and the same facts. Who has a place is found by the key in both.
fn goes_on_alike(one: &mut Room, other: &mut Room) {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 1..20 {
        let now = one.now().plus_ms(700);
        let mut commands = vec![wishes::join(one, 9), wishes::walk_in(one)];
        for number in numbers(&mut rng, one, 30) {
            commands.push(wishes::leave(one, number));
            commands.push(wishes::back(one, number.plus(1)));
            let holder = one.tickets().holder(number.plus(2));
            commands.extend(holder.map(|holder| Command::join(vec![holder])));
        }
        let lobby = LobbyId(rng.u16(0..256));
        let turn = |room: &mut Room| {
            room.look_for(commands.iter());
            let mut row = room.open_row(now);
            room.take(now, lobby, &commands, 0, &mut row);
            room.take_turn(now, &mut row);
            room.index_slice();
            (row, room.case(now).answers(lobby, &commands))
        };
        assert_eq!(turn(one), turn(other));
    }
}

#[test]
fn a_million_come_back_as_they_were() {
    let disk = Disk::default();
    let mut room = crowd(&disk);
    #[cfg(not(target_arch = "wasm32"))]
    let began = Stopwatch::now();
    let restored = journal::restore::<Room, _>(&&disk).unwrap();
    #[cfg(not(target_arch = "wasm32"))]
    println!(
        "{} waiting of {} numbers, {} away: snapshot {} bytes in {} parts, {} rows after it of {} \
         bytes; restored in {:.1} ms",
        room.line().alive(),
        room.line().next().0 - 1,
        room.line().away(),
        parts(&disk),
        disk.snapshot.borrow().as_ref().unwrap().parts.len(),
        restored.replayed,
        disk.rows.borrow().iter().map(|row| row.bytes.len()).sum::<usize>(),
        began.elapsed().as_secs_f64() * 1_000.0,
    );
    assert_eq!(restored.replayed, TAIL);
    assert!(restored.state == room, "another room came back");
    let bytes = |room: &Room| postcard::to_allocvec(room).unwrap();
    assert!(bytes(&restored.state) == bytes(&room), "other bytes");
    let mut back = restored.state;
    assert!(!back.book().is_indexed(), "the index is built while the room goes on");
    goes_on_alike(&mut room, &mut back);
    while !back.book().is_indexed() {
        back.index_slice();
    }
    laws::check_state(&back, back.now()).unwrap();
    a_part_of_many_is_named(&disk);
}

fn parts(disk: &Disk) -> usize {
    let snapshot = disk.snapshot.borrow();
    snapshot.iter().flat_map(|s| &s.parts).map(Vec::len).sum()
}

/// Of the parts of a snapshot and its pages the damaged or missing one is named.
fn a_part_of_many_is_named(disk: &Disk) {
    let refused = |change: &dyn Fn(&Disk)| {
        let disk = disk.clone();
        change(&disk);
        journal::restore::<Room, _>(&&disk).map(|restored| restored.version)
    };
    let ids: Vec<PageId> = disk.pages.borrow().keys().copied().collect();
    let places = ids.iter().filter(|id| id.kind == PageKind::Places);
    assert_eq!(places.count(), 16, "a million in pages of 65,536");
    let mut rng = fastrand::Rng::with_seed(5);
    for id in ids.into_iter().step_by(5) {
        for bit in 0..4 {
            let hit = |disk: &Disk| {
                let mut pages = disk.pages.borrow_mut();
                let bytes = &mut pages.get_mut(&id).unwrap().bytes;
                let at = fastrand::Rng::with_seed(rng.clone().u64(..)).usize(1..bytes.len());
                bytes[at] ^= 0x10 << bit;
            };
            assert_eq!(refused(&hit), Err(Damage::Page(id)));
            rng.u64(..);
        }
        let missing = |disk: &Disk| drop(disk.pages.borrow_mut().remove(&id));
        assert_eq!(refused(&missing), Err(Damage::Page(id)));
    }
    let empty = |disk: &Disk| disk.snapshot.borrow_mut().as_mut().unwrap().parts[0].clear();
    assert_eq!(refused(&empty), Err(Damage::Part(0)));
}
