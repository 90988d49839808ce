//! Requests that need no pass: to paths of no room, and to a room's exceptions. A pass that such a request shows counts all the same: on an exception
//! it goes on with its fence, and the shop may give the permit back or ask for more time; on a path of no room the shop may give it back. Nobody waits
//! here, whatever becomes of the pass.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::Draft;
use super::returned::{Answer, Returned};
use super::verdict::{Cookie, Entry};
use super::{Front, memory, straight};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::overheard::Overheard;
use facts::units::LobbyId;
use gate::{ErrorCode, Gated, Intent, Outcome, Pledge, Room, Unheeded, path_shape};
use settings::RoomSettings;
use token::Pass;

impl Front {
    /// Forwards a request for one of a room's exceptions: with the lease of a pass that it shows, if that counts, else like a stranger's.
    pub(super) async fn answer_exception(self: &Rc<Self>, gated: Gated<'_>) -> Result<Response, JsValue> {
        // In a rehearsal an exception is what it is for everybody: more than a look is not refused.
        let gated = self.gated_on_stage(gated).await.unwrap_or(gated);
        match self.lease_at_exception(&gated).await {
            Some(entry) => self.enter(&gated, entry, Vec::new()).await,
            None => self.forward_exception(&gated).await,
        }
    }

    /// Returns the lease with which a request for an exception goes on, with at most one question.
    async fn lease_at_exception(self: &Rc<Self>, gated: &Gated<'_>) -> Option<Entry> {
        if !gated.intent.counts_its_pass() || !straight::may_be(&self.incoming) {
            return None;
        }
        let now_ms = dice::now_ms();
        if !gated.strict
            && let Some(pass) = self.pass_at_once(gated, now_ms)
        {
            return Some(Entry::Lease(pass, Cookie::Shown));
        }
        let identity = self.identity(&gated.room.settings, now_ms);
        identity.lease()?;
        let verdict = self.visit(gated, true, identity, now_ms).await.ok()?;
        match verdict.outcome {
            Outcome::In(pass, held) => {
                let cookie = self.cookie(&gated.room.settings, pass, held);
                Some(Entry::Lease(pass, cookie))
            }
            _ => None,
        }
    }

    async fn forward_exception(self: &Rc<Self>, gated: &Gated<'_>) -> Result<Response, JsValue> {
        let room = &gated.room.settings;
        let onward = self.onward(Some(room));
        let is_free = self.mode(room, dice::now_ms()).passes();
        let pledge = is_free.then(|| Pledge::of_room(room.name_in_file()));
        let returned = onward.send(&self.env, pledge.as_ref()).await?;
        self.note_answer_to_others(room, &returned);
        let Returned::Answer(answer) = returned else {
            return self.not_answered(&returned).await;
        };
        if answer.release().is_some() || answer.is_extension() {
            let why = match self.rooms_shown().is_empty() {
                true => Unheeded::NoPass,
                false if !gated.intent.counts_its_pass() => Unheeded::Unasked,
                false => Unheeded::NoLease,
            };
            self.note_unheeded(Some(room), why);
        }
        onward.plain(answer)
    }

    /// Forwards a request to a path of no room.
    pub(super) async fn forward(self: &Rc<Self>) -> Result<Response, JsValue> {
        let onward = self.onward(None);
        let returned = onward.send(&self.env, None).await?;
        let Returned::Answer(answer) = returned else {
            return self.not_answered(&returned).await;
        };
        match self.lease_released(&answer) {
            Ok(Some((room, pass))) => {
                let entry = Entry::Lease(pass, Cookie::Shown);
                let gives_nothing_back = self.intent_at_no_room().gives_nothing_back();
                let returned = Returned::Answer(answer);
                self.came_back(room, gives_nothing_back, entry, Vec::new(), returned).await
            }
            Ok(None) => onward.plain(answer),
            Err(why) => {
                self.note_unheeded(None, why);
                onward.plain(answer)
            }
        }
    }

    /// Returns the lease that the answer on a path of no room gives back. Nothing was verified before.
    ///
    /// # Errors
    /// Why Baton does not do what the answer asks.
    fn lease_released(&self, answer: &Answer) -> Result<Option<(&RoomSettings, Pass)>, Unheeded> {
        let Some(said) = answer.release() else {
            return match answer.is_extension() && !self.rooms_shown().is_empty() {
                true => Err(Unheeded::Extends),
                false => Ok(None),
            };
        };
        let (gate, shown) = (&self.deployment.gate, self.rooms_shown());
        let request = self.incoming.described();
        let room = gate.meant_by(&request, &said, answer.is_cached(), &shown)?;
        let room = &room.settings;
        // A farewell, or a pass past its end, has nothing to give back.
        let lease = self.identity(room, dice::now_ms()).lease();
        Ok(lease.map(|pass| (room, pass)))
    }

    /// What a request to a path of no room wants.
    fn intent_at_no_room(&self) -> Intent {
        let request = self.incoming.described();
        request.intent(request.speaks_credentials())
    }

    /// The rooms whose passes the request shows.
    fn rooms_shown(&self) -> Vec<&Room> {
        let credentials = self.incoming.credentials();
        let text = match credentials {
            Some(shown) => Some(shown.to_owned()),
            None => self.incoming.header("cookie"),
        };
        self.deployment
            .gate
            .rooms_shown(&self.host, self.incoming.scheme(), credentials.is_some(), &text.unwrap_or_default())
    }

    async fn not_answered(&self, returned: &Returned) -> Result<Response, JsValue> {
        self.finish(match returned {
            Returned::Refused => Draft::error(ErrorCode::BadRequest),
            Returned::Nothing { .. } | Returned::Answer(_) => self.origin_down().await,
        })
    }

    /// Notes that the shop's answer asks what Baton does not do: logs it once for each path, and counts it for the room, or for each whose pass is shown
    /// on a path of no room.
    pub(super) fn note_unheeded(self: &Rc<Self>, room: Option<&RoomSettings>, why: Unheeded) {
        if why.keeps_a_permit() {
            let concerned = match room {
                Some(room) => vec![room],
                None => self.rooms_shown().iter().map(|room| &room.settings).collect(),
            };
            for room in concerned {
                let heard = Overheard {
                    unheeded: 1,
                    ..Overheard::default()
                };
                self.overhear(room, LobbyId(0), heard);
            }
        }
        let path = path_shape(self.incoming.path_and_query());
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
}
