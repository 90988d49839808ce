//! Tells a room that wants to know how the origin answers people inside, and how many seats it has left. Nothing is asked
//! for that while all is well: it rides along with what is asked anyway, and only errors and seats are told when nothing is.

use std::rc::Rc;

use super::onward::Returned;
use super::{Front, lobby, memory};
use crate::edge::dice;
use crate::edge::log::{self, Code, Remark};
use crate::settings::RoomSettings;
use crate::token::{Pass, ProofError};

impl Front {
    /// Notes what came back for the holder of a lease.
    pub fn note_answer(self: &Rc<Self>, room: &RoomSettings, pass: &Pass, returned: &Returned) {
        let must_tell = self.note_errors(room, returned) | self.note_stock(room, returned);
        if must_tell && memory::may_tell_origin(&room.name, dice::now_ms()) {
            let (front, room, lobby) = (Rc::clone(self), room.clone(), pass.lobby);
            self.spawn("front.origin", async move {
                lobby::tell_origin(&front.env, &room, lobby).await;
            });
        }
    }

    /// Whether it was an error, and the room wants to know.
    fn note_errors(&self, room: &RoomSettings, returned: &Returned) -> bool {
        let is_on = room.origin_errors_max_percent > 0;
        if !memory::wants_health(&room.name).unwrap_or(is_on) {
            return false;
        }
        let is_error = match returned {
            Returned::Answer(answer) => answer.is_error(),
            Returned::Nothing => true,
            Returned::Refused => return false,
        };
        memory::count_answer(&room.name, is_error, dice::now_ms());
        is_error
    }

    /// Whether the shop has said how many seats are left: with the secret, lest a page that sends on what it was sent
    /// tell everybody something.
    fn note_stock(&self, room: &RoomSettings, returned: &Returned) -> bool {
        let Returned::Answer(answer) = returned else {
            return false;
        };
        let Some(header) = answer.stock().filter(|_| room.stock_line) else {
            return false;
        };
        let now_ms = dice::now_ms();
        let key = self.deployment.origin_key.as_ref();
        let checked = key.map_or(Err(ProofError::NoSecret), |key| {
            key.check_stock(&header, now_ms, &room.name)
        });
        match checked {
            Ok(report) => memory::note_stock(&room.name, report),
            Err(error) => {
                if memory::may_say_refused(&room.name, now_ms) {
                    let remark = Remark::front(Code::StockRefused).in_room(&room.name);
                    log::say(&remark.because(format_args!("{error:?}")));
                }
                false
            }
        }
    }
}
