//! A room that comes into memory: which lobbies it must tell, by how long ago its last row was written.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "recovery/disk.rs"]
mod disk;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::holder::Held;
use baton::facts::message::{Batch, FromRoom, Hello, LobbyLife, ToLobby, ToRoom};
use baton::facts::units::{LobbyId, Number};
use baton::living::{Chance, LivingRoom, RoomOptions};
use baton::lobby::{QUIET_MS, QUIET_SPREAD_MS};
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use disk::Disk;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const BEGUN_MS: u64 = 1_800_000_000_000;
/// Within this time every lobby with sockets looks at the room by itself.
const LOOKED_MS: u64 = QUIET_MS + QUIET_SPREAD_MS;

fn woken(disk: &Disk, wall_ms: u64) -> LivingRoom<&Disk> {
    let options = RoomOptions {
        config: RoomConfig {
            permits: 0,
            ..RoomConfig::default()
        },
        ramps: Ramps::default(),
        journal_keep_ms: 86_400_000,
        lots: Lots::default(),
    };
    LivingRoom::restore(disk, options, Chance([1; 32]), wall_ms, None).unwrap()
}

/// The lobby begins this life and says this.
fn says(living: &mut LivingRoom<&Disk>, lobby: u16, life: u64, command: Command) {
    let hello = Hello {
        lobby: LobbyId(lobby),
        life: LobbyLife(life),
        number: 1,
        knows: None,
    };
    let (answer, _) = living.hear(BEGUN_MS, &ToRoom::Hello(hello)).unwrap();
    let FromRoom::Welcome(welcome) = answer else { panic!("{answer:?}") };
    let batch = Batch {
        lobby: LobbyId(lobby),
        life: LobbyLife(life),
        room: welcome.message.life,
        memory: welcome.memory,
        number: 1,
        since: welcome.message.version,
        attempts: 0,
        commands: vec![command],
    };
    let (answer, _) = living.hear(BEGUN_MS, &ToRoom::Batch(batch)).unwrap();
    assert!(matches!(answer, FromRoom::Answer(_)), "{answer:?}");
}

/// Whom a room pokes that comes into memory so long after its last row.
fn poked_after(disk: &Disk, ms: u64) -> Vec<u16> {
    let wall_ms = BEGUN_MS + ms;
    let (_, pushes) = woken(disk, wall_ms).look(wall_ms).unwrap();
    assert!(pushes.iter().all(|push| push.said == ToLobby::Poke));
    pushes.iter().map(|push| push.lobby.0).collect()
}

#[test]
fn a_room_pokes_whoever_may_not_have_heard_of_its_last_rows() {
    let disk = Disk::default();
    let mut living = woken(&disk, BEGUN_MS);
    for lobby in 0..3 {
        let join = wishes::join(living.room(), 1);
        says(&mut living, lobby, 1, join);
    }
    let of_two = Number(3);
    let key = living.room().tickets().holder(of_two).expect("in line").key;
    let leave = Command::Leave(Held { number: of_two, key });
    says(&mut living, 2, 2, leave);
    drop(living);
    for (ms, poked) in [(0, vec![0, 1, 2]), (LOOKED_MS - 1, vec![0, 1, 2]), (LOOKED_MS, vec![0, 1])] {
        assert_eq!(poked_after(&disk, ms), poked, "after {ms} ms");
    }
}
