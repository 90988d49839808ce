//! The front answers visitors, forwards to the origin and keeps nothing. This file holds the control flow from the request to
//! the answer; the other files hold the steps.
//!
//! A [`Front`] is two values: what was [`Received`], from which everything is read that needs no question, and the [`Platform`], by which objects are asked
//! and work goes on beside the answer. Each step takes what it needs of them: a function without a `Platform` leaves nothing to be done later, one without
//! the bindings asks nobody. Operators' calls are of a value of their own, [`Operation`](operator::Operation), which holds the operator.
//!
//! | file | what |
//! |---|---|
//! | `incoming`, `received`, `identity` | what a request says; with the host and the deployment that judges it; who asks |
//! | `platform` | the bindings, and work beside the answer |
//! | `lobby`, `lease` | asking a lobby; passes made, renewed and given back |
//! | `verdict`, `way_in` | drives the gate's visits and calls; whether a request goes in or waits; what entitles it to go in |
//! | `through` | a request that goes in: sent on, and what the origin's answer asks for is done |
//! | `onward`, `returned` | the way to the origin and back; what came back |
//! | `ungated` | requests that need no pass; what a pass that they show is good for |
//! | `straight` | the way of a request with a fresh pass, without a future |
//! | `taken_over` | what the origin answers to a request whose instance died meanwhile |
//! | `waiting`, `answers`, `statics` | what Baton answers by itself |
//! | `pace` | how long pages without a number wait when many come at once |
//! | `down` | what people see when the origin does not answer; answers while the configuration is bad |
//! | `refused` | what people see when Baton refuses a request |
//! | `calls`, `errand`, `enter` | the visitor's own calls; an errand, and what it came to; who calls in the one call that does everything |
//! | `socket` | the visitor's socket |
//! | `apps`, `preflight` | what the pages of apps need in a browser; preflights that the shop answers |
//! | `beside` | staff and monitors, who go in beside the line |
//! | `vouchers` | invitations and codes, as visitors bring them |
//! | `entry` | entry tokens signed by the shop |
//! | `challenge`, `turnstile` | the question whether a visitor is a machine, on the page; the answer to it |
//! | `opening` | a room that fails open |
//! | `health` | how the origin answers and judges proofs, for the room |
//! | `carry` | a place that goes to another device |
//! | `crawl` | search engines' crawlers |
//! | `left` | leaving, and the page that says so |
//! | `limits` | names for new visitors; limits on asking for numbers |
//! | `house` | rooms that need no deploy, as a front knows them |
//! | `images` | the pictures of pages |
//! | `objects` | asking a room, or another object, in words of its own |
//! | `operator/` | what operators may see and do, and how they sign in; its own table |
//! | `looking` | one request asks for all that want to know the same |
//! | `openly`, `draw` | what a room tells everybody: its draws and its chain; the page of a draw |
//! | `rehearsal` | whether a request is part of a rehearsal, while the room is closed |
//! | `mode` | the room's mode |
//! | `memory` | what one request leaves behind for the next in this isolate |
//! | `js` | the platform's raw edges |
//!
//! A visitor with a fresh pass costs no call to an object. The front must never let two requests wait for one promise, never read a body that it
//! forwards, and never answer 500 because something behind it is away.

mod answers;
mod apps;
mod beside;
mod calls;
mod carry;
mod challenge;
mod crawl;
mod down;
mod draw;
mod enter;
mod entry;
mod errand;
mod health;
mod house;
mod identity;
mod images;
mod incoming;
pub(super) mod js;
mod lease;
mod left;
mod limits;
mod lobby;
mod looking;
mod memory;
mod mode;
mod objects;
mod onward;
mod opening;
mod openly;
mod operator;
mod pace;
mod platform;
mod preflight;
mod received;
mod refused;
mod rehearsal;
mod returned;
mod socket;
mod statics;
mod straight;
mod taken_over;
mod through;
mod turnstile;
mod ungated;
mod verdict;
mod vouchers;
mod waiting;
mod way_in;

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use worker::web_sys::{Request, Response};
use worker::{Context, Env, worker_sys};

use self::answers::Draft;
use self::incoming::Incoming;
use self::platform::Platform;
use self::received::Received;
use self::verdict::Answered;
use self::waiting::Waiting;
use self::way_in::{Cookie, Entry};
use super::config::{self, Deployment};
use super::dice;
use super::driven;
use super::log::{self, Code, Remark};
use super::watchdog::{self, Who};
use gate::{Answer, ErrorCode, Gated, Host, Openly, OwnCall, Plan, Reader, RoomCall};
use settings::RoomSettings;

/// Answers every request to Baton. Returns a text if JavaScript is to send the request on ([`straight`]), otherwise what [`driven::begin`] returns.
///
/// # Errors
/// When the platform refuses even an error's answer.
#[wasm_bindgen]
pub fn answer_front(request: Request, env: Env, context: worker_sys::Context, now_ms: f64) -> Result<JsValue, JsValue> {
    #[cfg(feature = "fault-injection")]
    if let Some(ordered) = watchdog::order_by_request(&Clone::clone(&request).into()) {
        return Ok(Response::from(ordered?).into());
    }
    let who = Who::raw(&request);
    let incoming = Rc::new(Incoming::new(request));
    if straight::may_be(&incoming) {
        let front = Front::at_hand(&incoming, &env, context.as_ref(), &who, now_ms as u64);
        if let Some(sent) = front.and_then(|front| front.go_straight(now_ms as u64)) {
            return Ok(sent.into());
        }
    }
    let work = answer(incoming, env, Context::new(context), who.clone());
    driven::begin(watchdog::guard(who, "front.fetch", work))
}

async fn answer(incoming: Rc<Incoming>, env: Env, context: Context, who: Who) -> worker::Result<Response> {
    let answered = match (incoming.host(), config::load(&env)) {
        (None, _) => answers::finish(Draft::error(ErrorCode::BadRequest), &incoming),
        (Some(host), Ok(file)) => {
            let (front, is_cold) = Front::of(Platform { env, context, who }, &incoming, host, file).await;
            if is_cold { front.answer_cold().await } else { front.answer().await }
        }
        (Some(host), Err(_)) => down::answer_unconfigured(&env, &incoming, &host).await,
    };
    or_error(answered, &incoming)
}

/// Returns the answer; turns an error into a logged 500.
fn or_error(answered: Result<Response, JsValue>, incoming: &Incoming) -> worker::Result<Response> {
    answered.or_else(|error| {
        // The address stays out of the log: it may say more about the visitor than Baton may keep.
        log::say(&Remark::front(Code::RequestFailed).because(js::describe(&error)));
        Ok(answers::finish(Draft::error(ErrorCode::Internal), incoming)?)
    })
}

/// A request and everything needed to answer it.
struct Front {
    platform: Platform,
    received: Received,
}

impl Front {
    /// Takes a request in. Returns also whether this isolate does not know the rooms of the house, so that it goes by the `file` alone.
    async fn of(platform: Platform, incoming: &Rc<Incoming>, host: Host, file: Rc<Deployment>) -> (Self, bool) {
        let known = house::deployment(&platform, &file, incoming, &host).await;
        let is_cold = known.is_err();
        let received = Received {
            incoming: Rc::clone(incoming),
            host,
            deployment: known.unwrap_or(file),
        };
        (Self { platform, received }, is_cold)
    }

    async fn answer(&self) -> Result<Response, JsValue> {
        match self.received.plan() {
            Plan::NotGated => self.forward().await,
            Plan::Entry(room, link) => entry::answer_link(&self.received, &room.settings, &link).await,
            Plan::StrayEntry(link) => entry::answer_stray_link(&self.received, link),
            Plan::Preflight { .. } if matches!(self.received.incoming.reader(), Some(Reader::App(_))) => apps::preflight_to_gated(&self.received),
            Plan::Preflight { room, is_to_gated } => self.answer_preflight(&room.settings, is_to_gated).await,
            Plan::Bypass(gated) => self.answer_exception(gated).await,
            Plan::Gated(gated) => match rehearsal::gated_on_stage(&self.platform.env, &self.received, gated).await {
                Ok(gated) => self.answer_gated(&gated).await,
                Err(refused) => self.received.finish(refused),
            },
            Plan::Own(call) => self.answer_own(call).await,
            Plan::Refused(refusal) => {
                let draft = refused::refuse(&self.platform.env, &self.received, &refusal).await;
                self.received.finish(draft)
            }
        }
    }

    /// Answers while this isolate does not know the rooms of the house: requests to rooms of the file wait, Baton's own calls are answered as far
    /// as the file goes, and nobody goes through.
    async fn answer_cold(&self) -> Result<Response, JsValue> {
        match self.received.deployment.gate.decide(&self.received.incoming.described()) {
            Plan::Gated(gated) => {
                let waiting = Waiting::unreachable(&gated.room.settings, None, None, Vec::new());
                self.wait(&gated, waiting).await
            }
            Plan::Entry(room, link) => entry::answer_link(&self.received, &room.settings, &link).await,
            Plan::Own(OwnCall::Operators) => operator::answer(&self.platform.env, &self.received, ErrorCode::RoomUnavailable).await,
            Plan::Own(call) => self.answer_own(call).await,
            // The path may be of a room of the house, so a token in it stays.
            Plan::NotGated | Plan::StrayEntry(_) | Plan::Bypass(_) | Plan::Preflight { .. } => {
                let draft = down::down(&self.platform.env, &self.received, ErrorCode::RoomUnavailable).await;
                self.received.finish(draft)
            }
            Plan::Refused(refusal) if refusal.code == ErrorCode::UnknownRoom => self.received.finish(Draft::error(ErrorCode::RoomUnavailable)),
            Plan::Refused(refusal) => self.received.finish(Draft::refusal(&refusal)),
        }
    }

    /// Sends the waiting answer, after which not everybody asks for a number at once.
    async fn wait(&self, gated: &Gated<'_>, mut waiting: Waiting) -> Result<Response, JsValue> {
        if gated.intent.answer == Answer::Page && waiting.comes_first() {
            waiting.spread(pace::spread_s(&self.platform, &gated.room.settings));
        }
        waiting::answer(&self.platform.env, &self.received, gated, waiting).await
    }

    async fn answer_own(&self, call: OwnCall) -> Result<Response, JsValue> {
        let Self { platform, received } = self;
        match call {
            OwnCall::Room { room, call } => match rehearsal::settings_on_stage(&platform.env, received, &room).await {
                Ok(room) => self.answer_in_room(room, call).await,
                Err(refused) => received.finish(refused),
            },
            OwnCall::Preflight { methods, .. } => apps::preflight(received, &methods),
            OwnCall::Static { file } => statics::file(&platform.env, &received.incoming, &file).await,
            OwnCall::Image { name } => images::answer(&platform.env, received, &name).await,
            OwnCall::Health => received.finish(Draft::json(200, r#"{"status":"ok"}"#.to_owned())),
            OwnCall::Operators => operator::answer(&platform.env, received, ErrorCode::UnknownRoom).await,
        }
    }

    /// Answers a call to this room, or to its rehearsal's.
    async fn answer_in_room(&self, room: &RoomSettings, call: RoomCall) -> Result<Response, JsValue> {
        let (env, received) = (&self.platform.env, &self.received);
        match call {
            RoomCall::Visitor(call) => self.visitor_call(room, call).await,
            RoomCall::Carry { code, call } => self.carry_call(room, &code, call).await,
            RoomCall::Speak(language) => calls::speak(received, room, language),
            RoomCall::Left => left::page(env, received, room).await,
            RoomCall::Draw => draw::answer(env, received, room).await,
            RoomCall::Chain => received.finish(openly::said(env, room, Openly::Chain).await),
        }
    }

    async fn answer_gated(&self, gated: &Gated<'_>) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let room = &gated.room.settings;
        let intent = gated.intent;
        if !gated.strict
            && !intent.is_foreign
            && let Some(pass) = self.received.pass_at_once(gated, now_ms)
        {
            let entry = Entry::Lease(pass, Cookie::Shown);
            return self.enter(gated, entry, Vec::new()).await;
        }
        if let Some(entry) = beside::way_in(&self.received, room, now_ms) {
            return self.enter(gated, entry, Vec::new()).await;
        }
        let is_crawl = crawl::is_crawl(&self.received.incoming, gated);
        if is_crawl && let Some(answer) = self.crawl(gated, now_ms).await {
            return answer;
        }
        let identity = self.received.identity(room, now_ms);
        if identity.is_ahead_of_us {
            identity::note_unknown_key(now_ms);
        }
        let verdict = self.visit(gated, false, identity, now_ms).await?;
        match self.answered(room, verdict) {
            Answered::In(entry, cookies) => self.enter(gated, entry, cookies).await,
            Answered::Wait(waiting) if is_crawl => crawl::tell_crawler(&self.platform.env, &self.received, room, waiting.status).await,
            Answered::Wait(waiting) => self.wait(gated, *waiting).await,
        }
    }
}
