//! A room that fails open: the front lets a few visitors in while the room cannot be reached, says so in the log each time, and tells the room
//! how many when it is back, for its metrics.

use super::memory;
use super::platform::Platform;
use crate::dice;
use crate::log::{self, Code, Remark};
use crate::peers::Address;
use gate::Failed;
use settings::RoomSettings;

/// How long the room may take, ms: it was away and may be slow.
const TELL_TIMEOUT_MS: u64 = 5_000;

/// Whether this request is let in although the room cannot be reached. Never unless the operator wants it.
pub fn fails_open(room: &RoomSettings, failed: Failed) -> bool {
    let opens = |policy| memory::opens(&room.name, dice::now_ms(), policy, failed);
    let opens = room.fail_open.as_ref().is_some_and(opens);
    if opens {
        log::say(&Remark::front(Code::FailOpen).in_room(&room.name));
    }
    opens
}

/// Tells a room that is back how many visitors were let in meanwhile. Nearly always there is nothing to do.
pub fn tell_opened(platform: &Platform, room: &RoomSettings) {
    if room.fail_open.is_none() {
        return;
    }
    let Some(count) = memory::take_opened(&room.name) else {
        return;
    };
    let (env, room) = (platform.env.clone(), room.clone());
    platform.spawn("front.opened", async move {
        let body = count.to_string();
        let told = Address::of_room(&room).post(&env, "opened", &[], body.as_bytes(), TELL_TIMEOUT_MS).await;
        if !told.is_ok_and(|answer| answer.status == 200) {
            memory::put_back_opened(&room.name, count);
        }
    });
}
