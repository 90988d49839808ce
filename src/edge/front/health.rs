//! Tells a room that wants to know how the origin answers people inside. Nothing is asked for that while all is well:
//! the counts ride along with what is asked anyway, and only errors are told when nothing is.

use std::rc::Rc;

use super::onward::Returned;
use super::{Front, lobby, memory};
use crate::edge::dice;
use crate::settings::RoomSettings;
use crate::token::Pass;

impl Front {
    /// Counts what came back for the holder of a lease.
    pub fn note_answer(self: &Rc<Self>, room: &RoomSettings, pass: &Pass, returned: &Returned) {
        let is_on = room.origin_errors_max_percent > 0;
        if !memory::wants_health(&room.name).unwrap_or(is_on) {
            return;
        }
        let is_error = match returned {
            Returned::Answer(answer) => answer.is_error(),
            Returned::Nothing(_) => true,
        };
        let now_ms = dice::now_ms();
        memory::count_answer(&room.name, is_error, now_ms);
        if is_error && memory::may_tell_answers(&room.name, now_ms) {
            let (front, room, lobby) = (Rc::clone(self), room.clone(), pass.lobby);
            self.spawn("front.origin", async move {
                lobby::tell_origin(&front.env, &room, lobby).await;
            });
        }
    }
}
