//! The front answers visitors, forwards to the origin and keeps nothing. This file holds the control flow from the request to
//! the answer; the other files hold the steps.
//!
//! | file | what |
//! |---|---|
//! | `incoming`, `identity` | what a request says and proves |
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
mod onward;
mod opening;
mod openly;
mod operator;
mod pace;
mod preflight;
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
use self::onward::{Attached, Onward};
use self::returned::Returned;
use self::verdict::{Answered, Cookie, Entry};
use super::config::{self, Deployment};
use super::dice;
use super::driven;
use super::log::{self, Code, Remark};
use super::watchdog::{self, Who};
use gate::{Cookies, ErrorCode, Gated, Host, Openly, OwnCall, Plan, Reader, Release, Router, Unheeded};
use settings::RoomSettings;
use token::Scope;

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
            let within = (&env, &context, &who);
            let known = house::deployment(within, &file, &incoming, &host).await;
            let is_cold = known.is_err();
            let front = Rc::new(Front {
                env,
                context,
                who,
                incoming: Rc::clone(&incoming),
                host,
                deployment: known.unwrap_or(file),
            });
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

/// A request and everything needed to answer it. Work that goes on beside the answer shares it.
struct Front {
    env: Env,
    context: Context,
    who: Who,
    incoming: Rc<Incoming>,
    host: Host,
    deployment: Rc<Deployment>,
}

impl Front {
    async fn answer(self: Rc<Self>) -> Result<Response, JsValue> {
        let deployment = Rc::clone(&self.deployment);
        match self.plan(&deployment) {
            Plan::NotGated => self.forward().await,
            Plan::Entry(room, link) => self.entry_link(&room.settings, &link).await,
            Plan::StrayEntry(link) => self.stray_entry_link(link),
            Plan::Preflight(_) if matches!(self.incoming.reader(), Some(Reader::App(_))) => self.preflight_to_gated(),
            Plan::Preflight(room) => self.ask_shop(&room.settings).await,
            Plan::Bypass(gated) => self.answer_exception(gated).await,
            Plan::Gated(gated) => match self.gated_on_stage(gated).await {
                Ok(gated) => self.answer_gated(&gated).await,
                Err(refused) => self.finish(refused),
            },
            Plan::Own(call) => self.answer_own(call).await,
            Plan::Refused(refusal) => {
                // A client that is no operator gets the same answer here as on any other operator's path, so that a refusal reveals nothing.
                let hidden = if self.is_for_operators() { self.operator().await.err() } else { None };
                self.finish(match hidden {
                    Some(hidden) => hidden,
                    None => self.refuse(&refusal).await,
                })
            }
        }
    }

    /// Decides what to do with the request, and which pages of other origins may read Baton's answer.
    fn plan<'d>(&self, deployment: &'d Deployment) -> Plan<'d> {
        let request = self.incoming.described();
        let plan = deployment.gate.decide(&request);
        if let Some(reader) = deployment.gate.reader_of(&request, &plan) {
            self.incoming.let_read(reader);
        }
        plan
    }

    async fn answer_own(self: &Rc<Self>, call: OwnCall) -> Result<Response, JsValue> {
        match call {
            OwnCall::Visitor { room, call } => match self.settings_on_stage(&room).await {
                Ok(room) => self.visitor_call(room, call).await,
                Err(refused) => self.finish(refused),
            },
            OwnCall::Carry { room, code, call } => match self.settings_on_stage(&room).await {
                Ok(room) => self.carry_call(room, &code, call).await,
                Err(refused) => self.finish(refused),
            },
            OwnCall::Left { room } => match self.settings_on_stage(&room).await {
                Ok(room) => self.left_page(room).await,
                Err(refused) => self.finish(refused),
            },
            OwnCall::Draw { room } => match self.settings_on_stage(&room).await {
                Ok(room) => self.draw_call(room).await,
                Err(refused) => self.finish(refused),
            },
            OwnCall::Chain { room } => match self.settings_on_stage(&room).await {
                Ok(room) => {
                    let told = self.said_openly(room, Openly::Chain).await;
                    self.finish(told)
                }
                Err(refused) => self.finish(refused),
            },
            OwnCall::Speak { room, language } => match self.settings_on_stage(&room).await {
                Ok(room) => self.speak(room, language),
                Err(refused) => self.finish(refused),
            },
            OwnCall::Preflight { methods, .. } => self.preflight(&methods),
            OwnCall::Static { file } => statics::file(&self.env, &self.incoming, &file).await,
            OwnCall::Image { name } => self.image(&name).await,
            OwnCall::Health => self.finish(Draft::json(200, r#"{"status":"ok"}"#.to_owned())),
            OwnCall::Admin(call) => self.answer_operator(call).await,
        }
    }

    async fn answer_gated(self: &Rc<Self>, gated: &Gated<'_>) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let room = &gated.room.settings;
        let intent = gated.intent;
        if !gated.strict
            && !intent.is_foreign
            && let Some(pass) = self.pass_at_once(gated, now_ms)
        {
            let entry = Entry::Lease(pass, Cookie::Shown);
            return self.enter(gated, entry, Vec::new()).await;
        }
        if let Some(entry) = self.beside_the_line(room, now_ms) {
            return self.enter(gated, entry, Vec::new()).await;
        }
        let is_crawl = self.is_crawl(gated);
        if is_crawl && let Some(answer) = self.crawl(gated, now_ms).await {
            return answer;
        }
        let identity = self.identity(room, now_ms);
        if identity.is_ahead_of_us {
            self.note_unknown_key(now_ms);
        }
        let verdict = self.visit(gated, false, identity, now_ms).await?;
        match self.answered(room, verdict) {
            Answered::In(entry, cookies) => self.enter(gated, entry, cookies).await,
            Answered::Wait(waiting) if is_crawl => self.tell_crawler(room, waiting.status).await,
            Answered::Wait(waiting) => self.wait(gated, *waiting).await,
        }
    }

    /// Forwards a request that goes in, and does what the origin's answer asks for.
    async fn enter(self: &Rc<Self>, gated: &Gated<'_>, entry: Entry, cookies: Vec<String>) -> Result<Response, JsValue> {
        let room = &gated.room.settings;
        let is_speculative = gated.intent.is_speculative;
        let onward = self.onward(Some(room));
        let pledge = entry.pledge(room);
        let sent = onward.send(&self.env, Some(&pledge));
        let returned = match &entry {
            Entry::Lease(pass, _) if onward.is_slow(room) && !is_speculative => self.busy(room, *pass, sent).await?,
            _ => sent.await?,
        };
        let gives_nothing_back = gated.intent.gives_nothing_back();
        self.came_back(room, gives_nothing_back, entry, cookies, returned).await
    }

    /// Does what the origin's answer asks for: gives the permit back, extends the lease, or sets the pass cookie. Does nothing of it for a request
    /// that looks ahead: such an answer goes no further, so that the click asks again.
    async fn came_back(
        self: &Rc<Self>,
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
            let router = Router::of(&self.incoming.described());
            let draft = Draft::error(ErrorCode::Speculative);
            return self.finish(self.lead_router(room, router, draft));
        }
        let mut attached = Attached {
            must: cookies,
            may: Vec::new(),
        };
        match &entry {
            Entry::Lease(pass, _) => self.note_answer(room, pass, &returned),
            Entry::Farewell(_) | Entry::Staff(_) | Entry::Free => self.note_answer_to_others(room, &returned),
        }
        let answer = match returned {
            Returned::Answer(answer) => answer,
            Returned::Nothing { .. } => {
                self.attach_pass(room, entry, &mut attached);
                let draft = self.origin_down().await;
                return self.finish(draft.cookies(attached.must).cookies(attached.may));
            }
            Returned::Refused => return self.finish(Draft::error(ErrorCode::BadRequest)),
        };
        let commands = answer.commands(room);
        if commands.release == Release::Keep && answer.release().is_some() && matches!(entry, Entry::Lease(..)) {
            self.note_unheeded(Some(room), Unheeded::OtherRoom);
        }
        match (commands.release, commands.extend_ms, &entry) {
            (Release::Now, _, Entry::Lease(pass, _)) => {
                self.release(room, *pass).await;
                attached.must.push(self.issuer(room).farewell(pass));
            }
            (Release::Keep, Some(by_ms), Entry::Lease(pass, _)) => match self.extend(room, *pass, by_ms).await {
                Some(extended) => attached.must.push(self.issuer(room).pass(&extended)),
                None => self.attach_pass(room, entry, &mut attached),
            },
            _ => self.attach_pass(room, entry, &mut attached),
        }
        let needs_pass = Self::needs_pass(room);
        self.onward(Some(room)).gated(answer, &attached, needs_pass)
    }

    /// Attaches the pass unless the client has it already.
    fn attach_pass(&self, room: &RoomSettings, entry: Entry, attached: &mut Attached) {
        let Entry::Lease(pass, cookie) = entry else {
            return;
        };
        match cookie {
            Cookie::Shown => {}
            Cookie::Renewed => attached.may.push(self.issuer(room).pass(&pass)),
            Cookie::New => attached.must.push(self.issuer(room).pass(&pass)),
            Cookie::Coming(mut coming) => {
                if let Ok(Some(renewed)) = coming.try_recv() {
                    attached.may.push(self.issuer(room).pass(&renewed));
                }
            }
        }
    }
}

// What the steps above share.
impl Front {
    fn onward<'a>(&'a self, room: Option<&'a RoomSettings>) -> Onward<'a> {
        Onward {
            incoming: &self.incoming,
            host: &self.host,
            origin: self.deployment.destinations.of(&self.host),
            timeout_ms: self.deployment.destinations.timeout_ms(),
            site_data: self.deployment.destinations.site_data(),
            passed: self.deployment.destinations.headers(),
            key: self.deployment.origin_key.as_ref(),
            gate: &self.deployment.gate,
            room: room.map(RoomSettings::name_in_file),
            is_preflight: false,
        }
    }

    /// The cookies of the host, the same in every room. Credentials never hold any of them.
    fn cookies(&self) -> Cookies<'static> {
        Cookies::new(self.incoming.scheme(), &self.host)
    }

    fn cookies_of<'r>(&self, room: &'r RoomSettings) -> Cookies<'r> {
        let cookies = Cookies::of_room(self.incoming.scheme(), &self.host, room);
        match self.incoming.credentials() {
            Some(_) => cookies.as_credentials(),
            None => cookies,
        }
    }

    fn scope<'a>(&'a self, room: &'a RoomSettings) -> Scope<'a> {
        Scope {
            room: &room.bound_as,
            host: self.cookies_of(room).binding(&self.host),
        }
    }

    fn finish(&self, draft: Draft) -> Result<Response, JsValue> {
        answers::finish(draft, &self.incoming)
    }

    /// Runs work that outlives the answer.
    fn spawn(&self, place: &'static str, work: impl Future<Output = ()> + 'static) {
        self.context.wait_until(watchdog::guard(self.who.clone(), place, work));
    }

    fn is_for_operators(&self) -> bool {
        let path = self.incoming.path_and_query();
        ["/__baton/admin/", "/__baton/metrics"].iter().any(|prefix| path.starts_with(prefix))
    }
}
