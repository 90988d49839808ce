//! Requests that need no pass: to paths of no room, and to a room's exceptions. A pass that such a request shows counts all the same: on an exception
//! it goes on with its fence, and the shop may give the permit back or ask for more time; on a path of no room the shop may give it back. Nobody waits
//! here, whatever becomes of the pass.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::incoming::Incoming;
use super::platform::Platform;
use super::received::Received;
use super::returned::{Answer, Returned};
use super::way_in::{Cookie, Entry};
use super::{Front, down, health, memory, mode, rehearsal, straight, verdict};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::overheard::Overheard;
use facts::units::LobbyId;
use gate::{ErrorCode, Gated, Intent, Outcome, Pledge, Room, Unheeded, path_shape};
use settings::RoomSettings;
use token::Pass;

impl Front {
    /// Forwards a request for one of a room's exceptions: with the lease of a pass that it shows, if that counts, else like a stranger's.
    pub(super) async fn answer_exception(&self, gated: Gated<'_>) -> Result<Response, JsValue> {
        // In a rehearsal an exception is what it is for everybody: more than a look is not refused.
        let gated = rehearsal::gated_on_stage(&self.platform.env, &self.received, gated)
            .await
            .unwrap_or(gated);
        match self.lease_at_exception(&gated).await {
            Some(entry) => self.enter(&gated, entry, Vec::new()).await,
            None => self.forward_exception(&gated).await,
        }
    }

    /// Returns the lease with which a request for an exception goes on, with at most one question.
    async fn lease_at_exception(&self, gated: &Gated<'_>) -> Option<Entry> {
        if !gated.intent.counts_its_pass() || !straight::may_be(&self.received.incoming) {
            return None;
        }
        let now_ms = dice::now_ms();
        if !gated.strict
            && let Some(pass) = self.received.pass_at_once(gated, now_ms)
        {
            return Some(Entry::Lease(pass, Cookie::Shown));
        }
        let identity = self.received.identity(&gated.room.settings, now_ms);
        identity.lease()?;
        let verdict = self.visit(gated, true, identity, now_ms).await.ok()?;
        match verdict.outcome {
            Outcome::In(pass, held) => {
                let cookie = verdict::cookie(&self.platform, &gated.room.settings, pass, held);
                Some(Entry::Lease(pass, cookie))
            }
            _ => None,
        }
    }

    async fn forward_exception(&self, gated: &Gated<'_>) -> Result<Response, JsValue> {
        let room = &gated.room.settings;
        let onward = self.received.onward(Some(room));
        let is_free = mode::to_pass_by(&self.platform.env, room).await.passes();
        if is_free {
            mode::keep_up(&self.platform, room);
        }
        let pledge = is_free.then(|| Pledge::of_room(room.name_in_file()));
        let returned = onward.send(&self.platform.env, pledge.as_ref()).await?;
        health::note_answer_to_others(&self.platform, room, &returned);
        let Returned::Answer(answer) = returned else {
            return not_answered(&self.platform.env, &self.received, &returned).await;
        };
        if answer.release().is_some() || answer.is_extension() {
            let why = match rooms_shown(&self.received).is_empty() {
                true => Unheeded::NoPass,
                false if !gated.intent.counts_its_pass() => Unheeded::Unasked,
                false => Unheeded::NoLease,
            };
            note_unheeded(&self.platform, &self.received, Some(room), why);
        }
        onward.plain(answer)
    }

    /// Forwards a request to a path of no room.
    pub(super) async fn forward(&self) -> Result<Response, JsValue> {
        let onward = self.received.onward(None);
        let returned = onward.send(&self.platform.env, None).await?;
        let Returned::Answer(answer) = returned else {
            return not_answered(&self.platform.env, &self.received, &returned).await;
        };
        match lease_released(&self.received, &answer) {
            Ok(Some((room, pass))) => {
                let entry = Entry::Lease(pass, Cookie::Shown);
                let gives_nothing_back = intent_at_no_room(&self.received.incoming).gives_nothing_back();
                let returned = Returned::Answer(answer);
                self.came_back(room, gives_nothing_back, entry, Vec::new(), returned).await
            }
            Ok(None) => onward.plain(answer),
            Err(why) => {
                note_unheeded(&self.platform, &self.received, None, why);
                onward.plain(answer)
            }
        }
    }
}

/// Returns the lease that the answer on a path of no room gives back. Nothing was verified before.
///
/// # Errors
/// Why Baton does not do what the answer asks.
fn lease_released<'r>(received: &'r Received, answer: &Answer) -> Result<Option<(&'r RoomSettings, Pass)>, Unheeded> {
    let Some(said) = answer.release() else {
        return match answer.is_extension() && !rooms_shown(received).is_empty() {
            true => Err(Unheeded::Extends),
            false => Ok(None),
        };
    };
    let (gate, shown) = (&received.deployment.gate, rooms_shown(received));
    let request = received.incoming.described();
    let room = gate.meant_by(&request, &said, answer.is_cached(), &shown)?;
    let room = &room.settings;
    // A farewell, or a pass past its end, has nothing to give back.
    let lease = received.identity(room, dice::now_ms()).lease();
    Ok(lease.map(|pass| (room, pass)))
}

/// What a request to a path of no room wants.
fn intent_at_no_room(incoming: &Incoming) -> Intent {
    let request = incoming.described();
    request.intent(request.speaks_credentials())
}

/// The rooms whose passes the request shows.
fn rooms_shown(received: &Received) -> Vec<&Room> {
    let credentials = received.incoming.credentials();
    let text = match credentials {
        Some(shown) => Some(shown.to_owned()),
        None => received.incoming.header("cookie"),
    };
    received.deployment.gate.rooms_shown(
        &received.host,
        received.incoming.scheme(),
        credentials.is_some(),
        &text.unwrap_or_default(),
    )
}

async fn not_answered(env: &Env, received: &Received, returned: &Returned) -> Result<Response, JsValue> {
    received.finish(match returned {
        Returned::Refused => Draft::error(ErrorCode::BadRequest),
        Returned::Nothing { .. } | Returned::Answer(_) => down::origin_down(env, received).await,
    })
}

/// Notes that the shop's answer asks what Baton does not do: logs it once for each path, and counts it for the room, or for each whose pass is shown
/// on a path of no room.
pub(super) fn note_unheeded(platform: &Platform, received: &Received, room: Option<&RoomSettings>, why: Unheeded) {
    if why.keeps_a_permit() {
        let concerned = match room {
            Some(room) => vec![room],
            None => rooms_shown(received).iter().map(|room| &room.settings).collect(),
        };
        for room in concerned {
            let heard = Overheard {
                unheeded: 1,
                ..Overheard::default()
            };
            health::overhear(platform, room, LobbyId(0), heard);
        }
    }
    let path = path_shape(received.incoming.path_and_query());
    let said = format!("{}: {path}", why.as_str());
    if memory::begin_saying_unheeded(&said) {
        let remark = Remark::front(Code::ReleaseIgnored);
        let remark = match room {
            Some(room) => remark.in_room(&room.name),
            None => remark,
        };
        log::say(&remark.because(said));
    }
}
