//! How long a visitor without a number waits before asking for one, when many come at once. [`gate::Pace`] decides; this file counts.

use std::rc::Rc;

use super::{Front, lobby, memory};
use crate::dice;
use facts::units::VisitorId;
use gate::{home_lobby, spread_s};
use settings::RoomSettings;

impl Front {
    /// Returns in how many seconds a visitor without a number should ask for one, 0 for at once, and counts the visitor.
    pub(super) fn spread_s(self: &Rc<Self>, room: &RoomSettings) -> u64 {
        let now_ms = dice::now_ms();
        let [a, b, c, d, e, f, g, h] = dice::random_bytes().unwrap_or_default();
        let die = u64::from(u32::from_be_bytes([a, b, c, d]));
        let dice = [u16::from_be_bytes([e, f]), u16::from_be_bytes([g, h])];
        let wait_ms = memory::wait_ms(&room.name, now_ms, room.lobbies(), die);
        if memory::is_untold(&room.name, now_ms) {
            self.tell_pages(room);
        }
        spread_s(wait_ms, dice)
    }

    /// Tells any lobby how many pages came, beside the answer. The count rides along with the call.
    fn tell_pages(self: &Rc<Self>, room: &RoomSettings) {
        let any = VisitorId(dice::random_bytes().unwrap_or_default());
        let any = home_lobby(any.tag(), room.lobbies());
        let (front, room) = (Rc::clone(self), room.clone());
        self.spawn("front.pages", async move {
            lobby::tell_origin(&front.env, &room, any).await;
        });
    }
}
