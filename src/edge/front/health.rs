//! Tells a room how the origin answers people inside, if the room wants to know; how the shop's check judged proofs; and how many seats are
//! left. These reports ride along with whatever is asked anyway. If nothing is asked, the front tells errors, refused proofs and seats within
//! about a second, and good proofs now and then.

use core::time::Duration;
use std::rc::Rc;

use worker::Delay;

use super::returned::{Glance, Returned};
use super::{Front, lobby, memory};
use crate::edge::dice;
use crate::edge::log::{self, Code, Remark};
use crate::facts::units::LobbyId;
use crate::settings::RoomSettings;
use crate::token::{Pass, ProofError};

impl Front {
    /// Notes what came back for the holder of a lease.
    pub fn note_answer(self: &Rc<Self>, room: &RoomSettings, pass: &Pass, returned: &Returned) {
        self.note_proof(room, pass.lobby, returned);
        if let Some(times) = returned.times() {
            memory::count_times(&room.name, &times);
        }
        let now_ms = dice::now_ms();
        let failed = returned.is_error();
        let must_tell = failed.is_some_and(|failed| note_error(room, pass, failed, now_ms))
            | self.note_stock(room, returned);
        if must_tell && memory::may_tell_origin(&room.name, now_ms) {
            self.tell(room, pass.lobby, 0);
        }
    }

    /// Notes an answer to the holder of a lease that is no error and says nothing to Baton. Nothing of it must be told at once.
    pub fn note_plain(room: &RoomSettings, pass: &Pass, glance: &Glance, now_ms: u64) {
        memory::count_times(&room.name, &glance.times());
        note_error(room, pass, false, now_ms);
    }

    /// Notes what came back for somebody without a lease, on a path of this room.
    pub fn note_answer_to_others(self: &Rc<Self>, room: &RoomSettings, returned: &Returned) {
        self.note_proof(room, LobbyId(0), returned);
    }

    /// Tells the room by way of a lobby, after `in_ms`.
    pub(super) fn tell(self: &Rc<Self>, room: &RoomSettings, lobby: LobbyId, in_ms: u64) {
        let (front, room) = (Rc::clone(self), room.clone());
        self.spawn("front.origin", async move {
            if in_ms > 0 {
                // One ms more: a clock that rounds down must not find it too early.
                Delay::from(Duration::from_millis(in_ms + 1)).await;
            }
            lobby::tell_origin(&front.env, &room, lobby).await;
        });
    }

    /// Notes how the shop judged the proof, if the answer says so. One answer in a while sets out to tell the room, and waits until it is
    /// time: on a quiet day no other request would.
    fn note_proof(self: &Rc<Self>, room: &RoomSettings, lobby: LobbyId, returned: &Returned) {
        let Returned::Answer(answer) = returned else {
            return;
        };
        let checks = answer.checked();
        let told_in_ms =
            checks.and_then(|checks| memory::count_proof(&room.name, &checks, dice::now_ms()));
        if let Some(in_ms) = told_in_ms {
            self.tell(room, lobby, in_ms);
        }
    }

    /// Notes how many seats are left, if the shop says so. Returns true if that is news. The report must be signed with the secret: otherwise a page
    /// of the shop that echoes what it was sent could make one up.
    fn note_stock(&self, room: &RoomSettings, returned: &Returned) -> bool {
        let Returned::Answer(answer) = returned else {
            return false;
        };
        let Some(header) = answer.stock().filter(|_| room.core.stock_line) else {
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
                if memory::begin_saying_refused(&room.name, now_ms) {
                    let remark = Remark::front(Code::StockRefused).in_room(&room.name);
                    log::say(&remark.because(format_args!("{error:?}")));
                }
                false
            }
        }
    }
}

/// Counts an answer, if the room wants to know. Returns true if the room must hear of it.
fn note_error(room: &RoomSettings, pass: &Pass, failed: bool, now_ms: u64) -> bool {
    let is_on = room.core.origin_errors_max_percent > 0;
    if !memory::wants_health(&room.name).unwrap_or(is_on) {
        return false;
    }
    memory::count_answer(&room.name, pass.fence, failed, now_ms);
    failed
}
