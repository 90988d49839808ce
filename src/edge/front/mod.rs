//! The front answers visitors, forwards to the origin and keeps nothing. This file holds the control flow from the request to
//! the answer; the other files hold the steps.
//!
//! A [`Front`] is two values: what was [`Received`], from which everything is read that needs no question, and the [`Platform`], by which objects are asked
//! and work goes on beside the answer. Each step takes what it needs of them: a function without a `Platform` leaves nothing to be done later, one without
//! the bindings asks nobody. Operators' calls are of a value of their own, [`Operation`](operation::Operation), which holds the operator.
//!
//! | file | what |
//! |---|---|
//! | `incoming`, `received`, `identity` | what a request says; with the host and the deployment that judges it; who asks |
//! | `platform` | the bindings, and work beside the answer |
//! | `lobby`, `lease` | asking a lobby; passes made, renewed and given back |
//! | `verdict` | drives the gate's visits and calls; whether a request goes in or waits |
//! | `onward`, `returned` | the way to the origin and back; what came back |
//! | `ungated` | requests that need no pass; what a pass that they show is good for |
//! | `straight` | the way of a request with a fresh pass, without a future |
//! | `waiting`, `answers`, `statics` | what Baton answers by itself |
//! | `pace` | how long pages without a number wait when many come at once |
//! | `down` | what people see when the origin does not answer; answers while the configuration is bad |
//! | `refused` | what people see when Baton refuses a request |
//! | `calls`, `enter` | how the visitor's own calls are answered; who calls in the one call that does everything |
//! | `socket`, `way_back` | the visitor's socket; where a form leads back to |
//! | `apps`, `preflight` | what the pages of apps need in a browser; preflights that the shop answers |
//! | `beside` | staff and monitors, who go in beside the line |
//! | `vouchers` | invitations and codes, as visitors bring them |
//! | `entry` | entry tokens signed by the shop |
//! | `turnstile` | the question whether a visitor is a machine |
//! | `opening` | a room that fails open |
//! | `health` | how the origin answers and judges proofs, for the room |
//! | `carry` | a place that goes to another device |
//! | `crawl` | search engines' crawlers |
//! | `left` | leaving, and the page that says so |
//! | `limits` | names for new visitors; limits on asking for numbers |
//! | `house` | rooms that need no deploy: how a front knows them, what operators do with them |
//! | `images` | the pictures of pages |
//! | `objects` | asking a room, or another object, in words of its own |
//! | `operation` | an operator's call, by an operator who may make it |
//! | `who` | which operator asks, and whether that operator may |
//! | `actions` | who did what and when, from all journals |
//! | `vouch` | who vouches for operators: Access, an OpenID provider |
//! | `operator`, `desk` | what operators may see and do; the desk's page and signing in |
//! | `looking` | one request asks for all that want to know the same |
//! | `openly`, `draw` | what a room tells everybody: its draws and its chain; the page of a draw |
//! | `sheets` | sheets of vouchers and their links; links for staff |
//! | `rehearsal` | an operator rehearses with a crowd while the room is closed |
//! | `memory` | what one request leaves behind for the next in this isolate |
//! | `js` | the platform's raw edges |
//!
//! A visitor with a fresh pass costs no call to an object. The front must never let two requests wait for one promise, never read a body that it
//! forwards, and never answer 500 because something behind it is away.

mod actions;
mod answers;
mod apps;
mod beside;
mod calls;
mod carry;
mod crawl;
mod desk;
mod down;
mod draw;
mod enter;
mod entry;
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
mod objects;
mod onward;
mod opening;
mod openly;
mod operation;
mod operator;
mod pace;
mod platform;
mod preflight;
mod received;
mod refused;
mod rehearsal;
mod returned;
mod sheets;
mod socket;
mod statics;
mod straight;
mod turnstile;
mod ungated;
mod verdict;
mod vouch;
mod vouchers;
mod waiting;
mod way_back;
mod who;

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use worker::web_sys::{Request, Response};
use worker::{Context, Env, worker_sys};

use self::answers::Draft;
use self::incoming::Incoming;
use self::onward::Attached;
use self::platform::Platform;
use self::received::Received;
use self::returned::Returned;
use self::verdict::{Answered, Cookie, Entry};
use self::who::Door;
use super::config;
use super::dice;
use super::driven;
use super::log::{self, Code, Remark};
use super::watchdog::{self, Who};
use gate::{ErrorCode, Gated, Openly, OwnCall, Plan, Reader, Release, Router, Unheeded};
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
            let platform = Platform { env, context, who };
            let known = house::deployment(&platform, &file, &incoming, &host).await;
            let is_cold = known.is_err();
            let received = Received {
                incoming: Rc::clone(&incoming),
                host,
                deployment: known.unwrap_or(file),
            };
            let front = Front { platform, received };
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
    async fn answer(&self) -> Result<Response, JsValue> {
        let deployment = Rc::clone(&self.received.deployment);
        match self.received.plan(&deployment) {
            Plan::NotGated => self.forward().await,
            Plan::Entry(room, link) => entry::entry_link(&self.received, &room.settings, &link).await,
            Plan::StrayEntry(link) => entry::stray_entry_link(&self.received, link),
            Plan::Preflight(_) if matches!(self.received.incoming.reader(), Some(Reader::App(_))) => apps::preflight_to_gated(&self.received),
            Plan::Preflight(room) => self.ask_shop(&room.settings).await,
            Plan::Bypass(gated) => self.answer_exception(gated).await,
            Plan::Gated(gated) => match rehearsal::gated_on_stage(&self.platform.env, &self.received, gated).await {
                Ok(gated) => self.answer_gated(&gated).await,
                Err(refused) => self.received.finish(refused),
            },
            Plan::Own(call) => self.answer_own(call).await,
            Plan::Refused(refusal) => {
                // A client that is no operator gets the same answer here as on any other operator's path, so that a refusal reveals nothing.
                let hidden = if self.received.incoming.is_for_operators() {
                    let (env, received) = (&self.platform.env, &self.received);
                    (Door { env, received }).operator().await.err()
                } else {
                    None
                };
                self.received.finish(match hidden {
                    Some(hidden) => hidden,
                    None => refused::refuse(&self.platform.env, &self.received, &refusal).await,
                })
            }
        }
    }

    async fn answer_own(&self, call: OwnCall) -> Result<Response, JsValue> {
        match call {
            OwnCall::Visitor { room, call } => match rehearsal::settings_on_stage(&self.platform.env, &self.received, &room).await {
                Ok(room) => self.visitor_call(room, call).await,
                Err(refused) => self.received.finish(refused),
            },
            OwnCall::Carry { room, code, call } => match rehearsal::settings_on_stage(&self.platform.env, &self.received, &room).await {
                Ok(room) => self.carry_call(room, &code, call).await,
                Err(refused) => self.received.finish(refused),
            },
            OwnCall::Left { room } => match rehearsal::settings_on_stage(&self.platform.env, &self.received, &room).await {
                Ok(room) => left::left_page(&self.platform.env, &self.received, room).await,
                Err(refused) => self.received.finish(refused),
            },
            OwnCall::Draw { room } => match rehearsal::settings_on_stage(&self.platform.env, &self.received, &room).await {
                Ok(room) => draw::draw_call(&self.platform.env, &self.received, room).await,
                Err(refused) => self.received.finish(refused),
            },
            OwnCall::Chain { room } => match rehearsal::settings_on_stage(&self.platform.env, &self.received, &room).await {
                Ok(room) => {
                    let told = openly::said_openly(&self.platform.env, room, Openly::Chain).await;
                    self.received.finish(told)
                }
                Err(refused) => self.received.finish(refused),
            },
            OwnCall::Speak { room, language } => match rehearsal::settings_on_stage(&self.platform.env, &self.received, &room).await {
                Ok(room) => calls::speak(&self.received, room, language),
                Err(refused) => self.received.finish(refused),
            },
            OwnCall::Preflight { methods, .. } => apps::preflight(&self.received, &methods),
            OwnCall::Static { file } => statics::file(&self.platform.env, &self.received.incoming, &file).await,
            OwnCall::Image { name } => images::image(&self.platform.env, &self.received, &name).await,
            OwnCall::Health => self.received.finish(Draft::json(200, r#"{"status":"ok"}"#.to_owned())),
            OwnCall::Admin(call) => operator::answer_operator(&self.platform.env, &self.received, call).await,
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
        if let Some(entry) = beside::beside_the_line(&self.received, room, now_ms) {
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

    /// Forwards a request that goes in, and does what the origin's answer asks for.
    async fn enter(&self, gated: &Gated<'_>, entry: Entry, cookies: Vec<String>) -> Result<Response, JsValue> {
        let room = &gated.room.settings;
        let is_speculative = gated.intent.is_speculative;
        let onward = self.received.onward(Some(room));
        let pledge = entry.pledge(room);
        let sent = onward.send(&self.platform.env, Some(&pledge));
        let returned = match &entry {
            Entry::Lease(pass, _) if onward.is_slow(room) && !is_speculative => lease::busy(&self.platform, room, *pass, sent).await?,
            _ => sent.await?,
        };
        let gives_nothing_back = gated.intent.gives_nothing_back();
        self.came_back(room, gives_nothing_back, entry, cookies, returned).await
    }

    /// Does what the origin's answer asks for: gives the permit back, extends the lease, or sets the pass cookie. Does nothing of it for a request
    /// that looks ahead: such an answer goes no further, so that the click asks again.
    async fn came_back(
        &self,
        room: &RoomSettings,
        gives_nothing_back: bool,
        entry: Entry,
        cookies: Vec<String>,
        returned: Returned,
    ) -> Result<Response, JsValue> {
        if let (true, Returned::Answer(answer)) = (gives_nothing_back, &returned)
            && answer.says_anything(room)
        {
            let _ = answer.response.body().map(|body| body.cancel());
            let router = Router::of(&self.received.incoming.described());
            let draft = Draft::error(ErrorCode::Speculative);
            return self.received.finish(waiting::lead_router(&self.received, room, router, draft));
        }
        let mut attached = Attached {
            must: cookies,
            may: Vec::new(),
        };
        match &entry {
            Entry::Lease(pass, _) => health::note_answer(&self.platform, &self.received, room, pass, &returned),
            Entry::Farewell(_) | Entry::Staff(_) | Entry::Free => health::note_answer_to_others(&self.platform, room, &returned),
        }
        let answer = match returned {
            Returned::Answer(answer) => answer,
            Returned::Nothing { .. } => {
                attach_pass(&self.received, room, entry, &mut attached);
                let draft = down::origin_down(&self.platform.env, &self.received).await;
                return self.received.finish(draft.cookies(attached.must).cookies(attached.may));
            }
            Returned::Refused => return self.received.finish(Draft::error(ErrorCode::BadRequest)),
        };
        let commands = answer.commands(room);
        if commands.release == Release::Keep && answer.release().is_some() && matches!(entry, Entry::Lease(..)) {
            ungated::note_unheeded(&self.platform, &self.received, Some(room), Unheeded::OtherRoom);
        }
        match (commands.release, commands.extend_ms, &entry) {
            (Release::Now, _, Entry::Lease(pass, _)) => {
                lease::release(&self.platform, room, *pass).await;
                attached.must.push(self.received.issuer(room).farewell(pass));
            }
            (Release::Keep, Some(by_ms), Entry::Lease(pass, _)) => match lease::extend(&self.platform, room, *pass, by_ms).await {
                Some(extended) => attached.must.push(self.received.issuer(room).pass(&extended)),
                None => attach_pass(&self.received, room, entry, &mut attached),
            },
            _ => attach_pass(&self.received, room, entry, &mut attached),
        }
        let needs_pass = verdict::needs_pass(room);
        self.received.onward(Some(room)).gated(answer, &attached, needs_pass)
    }
}

/// Attaches the pass unless the client has it already.
fn attach_pass(received: &Received, room: &RoomSettings, entry: Entry, attached: &mut Attached) {
    let Entry::Lease(pass, cookie) = entry else {
        return;
    };
    match cookie {
        Cookie::Shown => {}
        Cookie::Renewed => attached.may.push(received.issuer(room).pass(&pass)),
        Cookie::New => attached.must.push(received.issuer(room).pass(&pass)),
        Cookie::Coming(mut coming) => {
            if let Ok(Some(renewed)) = coming.try_recv() {
                attached.may.push(received.issuer(room).pass(&renewed));
            }
        }
    }
}
