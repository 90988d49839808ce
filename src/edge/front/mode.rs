//! The mode of a room, which an operator may have changed since the file was written.

use super::platform::Platform;
use super::{lobby, memory};
use crate::dice;
use facts::config::Mode;
use facts::units::VisitorId;
use facts::wire::{Ask, Wish};
use gate::{Question, home_lobby};
use settings::RoomSettings;

/// The room's mode as last heard, else the file's.
pub fn heard(room: &RoomSettings) -> Mode {
    memory::heard_mode(&room.name).unwrap_or(room.core.mode)
}

/// Asks the room how it stands, beside the answer, if nobody has heard of it for a second. For a request that has asked nothing: where all do so, an
/// operator's change would reach nobody.
pub fn keep_up(platform: &Platform, room: &RoomSettings) {
    if !memory::is_mode_old(&room.name, dice::now_ms()) {
        return;
    }
    let (env, room) = (platform.env.clone(), room.clone());
    platform.spawn("front.mode", async move {
        let Ok(bytes) = dice::random_bytes() else {
            return;
        };
        let visitor = VisitorId(bytes);
        let ask = Ask::plain(visitor, None, Wish::Status { wait_ms: 0 });
        // The answer is remembered on the way.
        let home = home_lobby(ask.address(), room.lobbies());
        let _ = lobby::ask(&env, &room, Question::new(home, ask)).await;
    });
}

/// Whether nobody comes to the shop without a pass.
pub fn needs_pass(room: &RoomSettings) -> bool {
    !heard(room).passes()
}
