//! Tells a room what this front overheard of its origin and its visitors. It rides along with whatever is asked anyway. If nothing is asked, the
//! front sends a request for it as soon as it hurries (`facts/overheard.rs`).

use core::time::Duration;

use worker::Delay;

use super::platform::Platform;
use super::received::Received;
use super::returned::{Glance, Returned};
use super::{lobby, memory};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::origin::OriginAnswers;
use facts::overheard::{Overheard, StockReport};
use facts::proofs::ProofChecks;
use facts::units::LobbyId;
use settings::RoomSettings;
use token::{Pass, ProofError};

/// Notes what came back for the holder of a lease.
pub fn note_answer(platform: &Platform, received: &Received, room: &RoomSettings, pass: &Pass, returned: &Returned) {
    let failed = returned.is_error();
    let origin = failed.map(|failed| origin_answer(room, pass, failed));
    let heard = Overheard {
        origin: origin.unwrap_or_default(),
        stock: stock_in(received, room, returned),
        proofs: checked_in(returned),
        times: returned.times().unwrap_or_default(),
        ..Overheard::default()
    };
    overhear(platform, room, pass.lobby, heard);
}

/// Notes an answer to the holder of a lease that is no error and says nothing to Baton. Nothing of it must be told at once.
pub fn note_plain(room: &RoomSettings, pass: &Pass, glance: &Glance, now_ms: u64) {
    let heard = Overheard {
        origin: origin_answer(room, pass, false),
        times: glance.times(),
        ..Overheard::default()
    };
    memory::overhear(&room.name, heard, now_ms);
}

/// Notes what came back for somebody without a lease, on a path of this room.
pub fn note_answer_to_others(platform: &Platform, room: &RoomSettings, returned: &Returned) {
    let heard = Overheard {
        proofs: checked_in(returned),
        ..Overheard::default()
    };
    overhear(platform, room, LobbyId(0), heard);
}

/// Notes what was overheard. One request in a while sets out to tell the room by way of this lobby, and waits until it is time: on a quiet day no
/// other request would.
pub(super) fn overhear(platform: &Platform, room: &RoomSettings, lobby: LobbyId, heard: Overheard) {
    if heard.is_none() {
        return;
    }
    let now_ms = dice::now_ms();
    memory::overhear(&room.name, heard, now_ms);
    let Some(at_ms) = memory::begin_telling(&room.name, now_ms) else {
        return;
    };
    let (env, room) = (platform.env.clone(), room.clone());
    platform.spawn("front.origin", async move {
        if at_ms > now_ms {
            Delay::from(Duration::from_millis(at_ms - now_ms)).await;
        }
        if memory::admit_teller(&room.name, at_ms) {
            lobby::tell_origin(&env, &room, lobby).await;
        }
    });
}

/// Returns how many seats are left, if the shop says so. The report must be signed with the secret: otherwise a page of the shop that echoes what
/// it was sent could make one up.
fn stock_in(received: &Received, room: &RoomSettings, returned: &Returned) -> Option<StockReport> {
    let Returned::Answer(answer) = returned else {
        return None;
    };
    let header = answer.stock().filter(|_| room.core.stock_line)?;
    let now_ms = dice::now_ms();
    let key = received.deployment.origin_key.as_ref();
    let checked = key.map_or(Err(ProofError::NoSecret), |key| key.check_stock(&header, now_ms, &room.name));
    if let Err(error) = &checked
        && memory::begin_saying_refused(&room.name, now_ms)
    {
        let remark = Remark::front(Code::StockRefused).in_room(&room.name);
        log::say(&remark.because(format_args!("{error:?}")));
    }
    checked.ok()
}

/// Returns how the shop judged the proof, if the answer says so.
fn checked_in(returned: &Returned) -> ProofChecks {
    let checks = match returned {
        Returned::Answer(answer) => answer.checked(),
        _ => None,
    };
    checks.unwrap_or_default()
}

/// Returns one answer of the origin's under a lease, if the room wants to know.
fn origin_answer(room: &RoomSettings, pass: &Pass, failed: bool) -> OriginAnswers {
    let mut answers = OriginAnswers::default();
    let is_on = room.core.origin_errors_max_percent > 0;
    if memory::wants_health(&room.name).unwrap_or(is_on) {
        let bad = u32::from(failed);
        answers.count(pass.fence, 1 - bad, bad);
    }
    answers
}
