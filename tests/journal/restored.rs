//! What is stored comes back, whatever was lost behind it.

use super::shelf::{Broken, Shelf, walk, wall_ms};
use baton::journal::{self, Damage};
use baton::room::Room;
use std::cell::RefCell;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn c46_a_restored_room_is_the_room_byte_for_byte() {
    for seed in 0..40 {
        let shelf = Shelf::salted();
        let states = walk(seed, 120, &shelf, None);
        let restored = journal::restore::<Room, _>(&shelf).unwrap();
        let room = states.last().unwrap();
        assert_eq!(restored.state, *room, "seed {seed}");
        let bytes = |room: &Room| postcard::to_allocvec(room).unwrap();
        assert_eq!(bytes(&restored.state), bytes(room));
        assert_eq!(restored.version, room.version().0);
        assert_eq!(restored.clock, Some((room.now(), wall_ms(room.now()))));
        assert_eq!(restored.replayed, states.len() as u64 - 1);
    }
}

#[test]
fn snapshot_and_rows_are_all_rows() {
    for seed in 0..40 {
        let (with, without) = (Shelf::salted(), Shelf::salted());
        let states = walk(seed, 120, &with, Some(seed % 17 + 1));
        walk(seed, 120, &without, None);
        let after = journal::restore::<Room, _>(&with).unwrap();
        assert!(after.replayed < seed % 17 + 1, "{} rows were folded", after.replayed);
        assert_eq!(after.state, *states.last().unwrap(), "seed {seed}");
    }
}

/// A crash after any row: what comes back is the state that was there.
#[test]
fn every_prefix_of_the_rows_is_a_state_that_was() {
    let shelf = Shelf::salted();
    let states = walk(3, 60, &shelf, None);
    let all = shelf.rows.borrow().clone();
    for (count, state) in states.iter().enumerate() {
        let part = Shelf {
            rows: RefCell::new(all[..count].to_vec()),
            ..Shelf::default()
        };
        assert_eq!(journal::restore::<Room, _>(&part).unwrap().state, *state, "{count} rows");
    }
}

#[test]
fn an_empty_store_is_a_new_room() {
    let restored = journal::restore::<Room, _>(&Shelf::default()).unwrap();
    assert_eq!((restored.state, restored.version, restored.clock), (Room::new(), 0, None));
}

#[test]
fn a_store_that_fails_says_so() {
    let damage = journal::restore::<Room, _>(&Broken).unwrap_err();
    assert_eq!(damage, Damage::Store("unreadable".into()));
    assert_eq!(damage.to_string(), "the store failed: unreadable");
}
