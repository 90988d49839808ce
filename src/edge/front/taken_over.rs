//! A request that was at the origin when its instance died. The origin may have done what it asks, so nobody sends it again: `entry.js` waits for the
//! origin's answer, and the next instance hands that on and does what it asks for. The request itself says again whose it is; a pass that the dead
//! instance had just made for it is lost, and the visitor gets it with the next request.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use worker::web_sys::{Request, Response};
use worker::{Context, Env, worker_sys};

use super::answers::{self, Draft};
use super::incoming::Incoming;
use super::onward::Attached;
use super::platform::Platform;
use super::returned::{Answer, Returned};
use super::way_in::{Cookie, Entry};
use super::{Front, mode, or_error, rehearsal};
use crate::watchdog::{self, Who};
use crate::{config, dice, driven};
use gate::{ErrorCode, Gated, Plan};

/// Answers a request with what came from the origin, to which an earlier instance had sent it at `sent_at_ms`.
///
/// # Errors
/// When the platform refuses even an error's answer.
#[wasm_bindgen]
pub fn take_over(request: Request, env: Env, context: worker_sys::Context, came: Response, sent_at_ms: f64) -> Result<JsValue, JsValue> {
    let who = Who::raw(&request);
    let work = answer(
        Rc::new(Incoming::new(request)),
        env,
        Context::new(context),
        who.clone(),
        came,
        sent_at_ms as u64,
    );
    driven::begin(watchdog::guard(who, "front.taken_over", work))
}

async fn answer(incoming: Rc<Incoming>, env: Env, context: Context, who: Who, came: Response, sent_at_ms: u64) -> worker::Result<Response> {
    let (Some(host), Ok(file)) = (incoming.host(), config::load(&env)) else {
        return Ok(answers::finish(Draft::error(ErrorCode::RoomUnavailable), &incoming)?);
    };
    let (front, _) = Front::of(Platform { env, context, who }, &incoming, host, file).await;
    or_error(front.take_over(came, sent_at_ms).await, &incoming)
}

impl Front {
    async fn take_over(&self, came: Response, sent_at_ms: u64) -> Result<Response, JsValue> {
        let Returned::Answer(answer) = Returned::of(None, sent_at_ms, false, Ok(came)) else {
            return self.received.finish(Draft::error(ErrorCode::OriginUnreachable));
        };
        match self.received.plan() {
            Plan::NotGated => self.received.onward(None).plain(answer),
            Plan::Gated(gated) | Plan::Bypass(gated) => {
                let gated = rehearsal::gated_on_stage(&self.platform.env, &self.received, gated)
                    .await
                    .unwrap_or(gated);
                self.take_over_gated(&gated, answer).await
            }
            // Only the code that sent a preflight knows what of its answer may go on.
            _ => self.received.finish(Draft::error(ErrorCode::RoomUnavailable)),
        }
    }

    async fn take_over_gated(&self, gated: &Gated<'_>, answer: Answer) -> Result<Response, JsValue> {
        let room = &gated.room.settings;
        match self.received.lease_shown(room, dice::now_ms()) {
            Some(pass) => {
                let entry = Entry::Lease(pass, Cookie::Shown);
                let gives_nothing_back = gated.intent.gives_nothing_back();
                self.came_back(room, gives_nothing_back, entry, Vec::new(), Returned::Answer(answer))
                    .await
            }
            None => self
                .received
                .onward(Some(room))
                .gated(answer, &Attached::default(), mode::needs_pass(room)),
        }
    }
}
