//! How long a visitor without a number waits before asking for one, when many come at once. [`gate::Pace`] decides; this file counts.

use super::platform::Platform;
use super::{lobby, memory};
use crate::dice;
use facts::units::VisitorId;
use gate::home_lobby;
use settings::RoomSettings;

/// Returns in how many seconds a visitor without a number should ask for one, 0 for at once, and counts the visitor.
pub(super) fn spread_s(platform: &Platform, room: &RoomSettings) -> u64 {
    let now_ms = dice::now_ms();
    let [a, b, c, d, e, f, g, h] = dice::random_bytes().unwrap_or_default();
    let die = u64::from(u32::from_be_bytes([a, b, c, d]));
    let dice = [u16::from_be_bytes([e, f]), u16::from_be_bytes([g, h])];
    let wait_ms = memory::wait_ms(&room.name, now_ms, room.lobbies(), die);
    if memory::is_untold(&room.name, now_ms) {
        tell_pages(platform, room);
    }
    gate::spread_s(wait_ms, dice)
}

/// Tells any lobby how many pages came, beside the answer. The count rides along with the call.
fn tell_pages(platform: &Platform, room: &RoomSettings) {
    let any = VisitorId(dice::random_bytes().unwrap_or_default());
    let any = home_lobby(any.tag(), room.lobbies());
    let (env, room) = (platform.env.clone(), room.clone());
    platform.spawn("front.pages", async move {
        lobby::tell_origin(&env, &room, any).await;
    });
}
