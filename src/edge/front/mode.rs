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

/// The same. While nobody walks in, or nobody is asked, strangers ask the room nothing: so now and then a request asks beside its answer whether that is
/// still so.
pub fn now(platform: &Platform, room: &RoomSettings, now_ms: u64) -> Mode {
    or_ask(platform, room, now_ms, |mode| !matches!(mode, Mode::Open | Mode::Observe))
}

/// The same for a crawler, which asks the room nothing, whatever the mode is.
pub fn for_crawler(platform: &Platform, room: &RoomSettings, now_ms: u64) -> Mode {
    or_ask(platform, room, now_ms, |_| true)
}

fn or_ask(platform: &Platform, room: &RoomSettings, now_ms: u64, asks_in: impl FnOnce(Mode) -> bool) -> Mode {
    let (heard, is_old) = memory::mode(&room.name, now_ms);
    let mode = heard.unwrap_or(room.core.mode);
    if asks_in(mode) && is_old {
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
    mode
}

/// Whether nobody comes to the shop without a pass.
pub fn needs_pass(room: &RoomSettings) -> bool {
    !heard(room).passes()
}
