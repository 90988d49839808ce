//! Lines to draw: who is left of so many that joined.

use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::units::{Instant, LobbyId, Number};
use baton::room::Room;

pub const NOW: Instant = Instant(1_000_000);

/// Nobody yet, and no permit for anybody.
pub fn room(mode: Mode) -> Room {
    let mut room = Room::new();
    let mut row = room.open_row(NOW);
    let config = RoomConfig {
        permits: 0,
        mode,
        ..RoomConfig::default()
    };
    room.configure(&config, &mut row);
    room
}

/// One command in a row of its own.
pub fn perform(room: &mut Room, command: impl FnOnce(&Room) -> Command) {
    let command = command(room);
    let mut row = room.open_row(NOW);
    room.perform(NOW, &command, LobbyId(0), &mut row);
}

/// A room in which `count` tickets have joined, of which those are left that `stays` says.
pub fn crowd(count: u64, mut stays: impl FnMut(u64) -> bool) -> Room {
    let mut room = room(Mode::Open);
    let mut row = room.open_row(NOW);
    for before in (0..count).step_by(10_000) {
        let here = (count - before).min(10_000);
        let join = wishes::join(&room, here as u32);
        room.perform(NOW, &join, LobbyId(0), &mut row);
        for number in (before + 1..=before + here).filter(|number| !stays(*number)) {
            row.events.clear();
            let leave = wishes::leave(&room, Number(number));
            room.perform(NOW, &leave, LobbyId(0), &mut row);
        }
    }
    room
}

/// A crowd of which each one has gone with a chance of `holes` in a hundred.
pub fn with_holes(count: u64, holes: u8, rng: &mut fastrand::Rng) -> Room {
    crowd(count, |_| rng.u8(0..100) >= holes)
}
