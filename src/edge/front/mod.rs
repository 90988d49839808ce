//! The front: answers visitors, forwards to the origin, keeps nothing. Control flow is here, from the request to the
//! answer; the leaves are in the other files.
//!
//! | file | what |
//! |---|---|
//! | `incoming`, `identity` | what a request says and proves |
//! | `lobby`, `lease` | asking a lobby; passes made, renewed, given back |
//! | `onward` | the way to the origin and back |
//! | `waiting`, `answers`, `statics` | what Baton answers by itself |
//! | `calls` | the visitor's own calls |
//! | `memory` | what one request leaves behind for the next in this isolate |
//! | `js` | the platform's raw edges |
//!
//! A visitor with a fresh pass costs no call to an object. It must never tell two requests to wait for one promise,
//! never read a body it does not forward, and never answer 500 because something behind it is away.

mod answers;
mod calls;
mod identity;
mod incoming;
mod js;
mod lease;
mod lobby;
mod memory;
mod onward;
mod statics;
mod waiting;

use std::rc::Rc;

use futures_channel::oneshot;
use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use self::answers::Draft;
use self::identity::{Identity, home_lobby};
use self::incoming::Incoming;
use self::lease::pass_of;
use self::lobby::Asked;
use self::onward::{Attached, Onward, Returned};
use self::waiting::Waiting;
use super::config::{self, Deployment};
use super::dice;
use super::watchdog::{self, Who};
use crate::gate::{
    Answer, CookieName, Cookies, ErrorCode, Gated, Host, MonitorCall, OwnCall, Plan, Pledge,
    Release, Visit,
};
use crate::settings::{Mode, RoomSettings};
use crate::token::{Farewell, Pass, Scope, Standing};
use crate::units::VisitorId;
use crate::wire::{Ask, Reason, State, Wish};

/// Every request to Baton.
#[worker::event(fetch)]
async fn fetch(
    request: worker::Request,
    env: Env,
    context: worker::Context,
) -> worker::Result<Response> {
    #[cfg(feature = "fault-injection")]
    if let Some(ordered) = watchdog::order_by_request(&request) {
        return ordered.map(Into::into);
    }
    let who = Who::request(&request);
    let work = answer(Incoming::new(&request), env, context, who.clone());
    watchdog::guard(who, "front.fetch", work).await
}

async fn answer(
    incoming: Incoming,
    env: Env,
    context: worker::Context,
    who: Who,
) -> worker::Result<Response> {
    let incoming = Rc::new(incoming);
    let answered = match (incoming.host(), config::load(&env)) {
        (None, _) => Draft::error(ErrorCode::BadRequest).finish(&incoming),
        (Some(host), Ok(deployment)) => {
            let incoming = Rc::clone(&incoming);
            Rc::new(Front {
                env,
                context,
                who,
                incoming,
                host,
                deployment,
            })
            .answer()
            .await
        }
        (Some(host), Err(_)) => answer_unconfigured(&env, &incoming, &host).await,
    };
    answered.or_else(|error| {
        worker::console_error!(
            "front: {} {}: {}",
            incoming.method(),
            incoming.url(),
            js::describe(&error)
        );
        Ok(Draft::error(ErrorCode::Internal).finish(&incoming)?)
    })
}

/// With a bad configuration gated paths are shut, and so is what only a good one could answer.
async fn answer_unconfigured(
    env: &Env,
    incoming: &Incoming,
    host: &Host,
) -> Result<Response, JsValue> {
    let salvage = config::salvage(env);
    let plan = salvage
        .gate
        .as_ref()
        .map(|gate| gate.decide(&incoming.described()));
    match (plan, &salvage.origin) {
        (Some(Plan::NotGated), Some(origin)) => {
            let onward = Onward {
                env,
                incoming,
                host,
                origin,
                key: None,
            };
            match onward.send(None).await? {
                Returned::Answer(response) => onward.plain(response),
                Returned::Nothing(draft) => draft.finish(incoming),
            }
        }
        (Some(Plan::Own(OwnCall::Static { file })), _) => statics::file(env, incoming, &file).await,
        _ => Draft::error(ErrorCode::BadConfig).finish(incoming),
    }
}

/// A request and what it takes to answer it. Shared with work that goes on beside the answer.
struct Front {
    env: Env,
    context: worker::Context,
    who: Who,
    incoming: Rc<Incoming>,
    host: Host,
    deployment: Rc<Deployment>,
}

/// What becomes of a request to a gated path.
enum Verdict {
    /// In, with these cookies on the origin's answer in any case.
    In(Entry, Vec<String>),
    /// The waiting answer.
    Wait(Box<Waiting>),
}

/// What entitles a request to go in.
enum Entry {
    /// A lease.
    Lease(Pass, Cookie),
    /// The lease was given back; the thank-you page still loads.
    Farewell(Farewell),
    /// Everybody may.
    Free,
}

/// Whether the client has the pass that lets it in.
enum Cookie {
    /// It showed it.
    Shown,
    /// It showed an older one.
    Renewed,
    /// It showed it, and a newer one may come in time.
    Coming(oneshot::Receiver<Pass>),
    /// It has none yet.
    New,
}

impl Front {
    async fn answer(self: Rc<Self>) -> Result<Response, JsValue> {
        let deployment = Rc::clone(&self.deployment);
        match deployment.gate.decide(&self.incoming.described()) {
            Plan::NotGated | Plan::Bypass(_) | Plan::Preflight(_) => self.forward().await,
            Plan::Gated(gated) => self.answer_gated(&gated).await,
            Plan::Own(call) => self.answer_own(call).await,
            Plan::Refused(_) if self.is_for_operators() => {
                self.finish(Draft::error(ErrorCode::NotFound))
            }
            Plan::Refused(refusal) => self.finish(Draft::refusal(&refusal)),
        }
    }

    async fn answer_own(self: &Rc<Self>, call: OwnCall) -> Result<Response, JsValue> {
        match call {
            OwnCall::Visitor { room, call } => match self.deployment.settings.room(&room) {
                Some(room) => self.visitor_call(room, call).await,
                None => self.finish(Draft::error(ErrorCode::UnknownRoom)),
            },
            OwnCall::Static { file } => statics::file(&self.env, &self.incoming, &file).await,
            OwnCall::Monitor(MonitorCall::Health) => {
                self.finish(Draft::json(200, r#"{"status":"ok"}"#.to_owned()))
            }
            // They do not exist without BATON_ADMIN_TOKEN, and are not built yet with it.
            OwnCall::Monitor(MonitorCall::Metrics) | OwnCall::Admin(_) => {
                self.finish(Draft::error(ErrorCode::NotFound))
            }
        }
    }

    async fn answer_gated(self: &Rc<Self>, gated: &Gated<'_>) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let identity = self.identity(&gated.room.settings.name, now_ms);
        let verdict = match self.judge_by_pass(gated, &identity, now_ms).await {
            Some(verdict) => verdict,
            None if gated.visit == Visit::Navigation => {
                self.judge_arrival(gated, &identity, now_ms).await?
            }
            None => self.judge_other(gated, &identity, now_ms).await,
        };
        match verdict {
            Verdict::In(entry, cookies) => self.enter(&gated.room.settings, entry, cookies).await,
            Verdict::Wait(waiting) => self.wait(gated, *waiting).await,
        }
    }

    /// What the pass cookie alone, or one question about it, decides. None: it decides nothing.
    async fn judge_by_pass(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Option<Verdict> {
        let room = &gated.room.settings;
        let enter = |pass, cookie| Some(Verdict::In(Entry::Lease(pass, cookie), Vec::new()));
        if let Some(farewell) = identity.farewell() {
            let reads = gated.visit != Visit::Submission;
            return reads.then(|| Verdict::In(Entry::Farewell(farewell), Vec::new()));
        }
        let pass = identity.lease()?;
        let standing = pass.standing(now_ms, room.pass_ttl_ms);
        if standing == Standing::Fresh {
            return enter(pass, Cookie::Shown);
        }
        if let Some(renewed) = memory::renewed(&room.name, pass.fence, now_ms, room.pass_ttl_ms) {
            return enter(renewed, Cookie::Renewed);
        }
        if standing == Standing::RenewSoon {
            let coming = self.renew_beside(room, pass);
            return enter(pass, coming.map_or(Cookie::Shown, Cookie::Coming));
        }
        if self.mode(room, now_ms) == Mode::Bypass {
            return None;
        }
        match self.renew(room, &pass).await {
            Ok(Ok(renewed)) => enter(renewed, Cookie::Renewed),
            Ok(Err(asked)) => self.judge_ended(gated, identity, pass.visitor, *asked),
            Err(_) if standing == Standing::Ended => enter(pass, Cookie::Shown),
            Err(_) => Some(Verdict::Wait(Box::new(Waiting::unreachable(
                room,
                identity.visitor,
                Vec::new(),
            )))),
        }
    }

    /// The pass's lease is over. Who comes to a page may arrive anew, unless there is something to be told first.
    fn judge_ended(
        &self,
        gated: &Gated<'_>,
        identity: &Identity,
        visitor: VisitorId,
        asked: Asked,
    ) -> Option<Verdict> {
        let status = &asked.told.status;
        let must_tell = matches!(
            status.reason,
            Some(Reason::Missed | Reason::Away | Reason::Expired)
        );
        let tells = status.state == State::Over && must_tell;
        if status.mode == Mode::Bypass {
            return Some(Verdict::In(Entry::Free, Vec::new()));
        }
        if gated.visit == Visit::Navigation && !tells {
            return None;
        }
        Some(self.told_to_wait(&gated.room.settings, identity, visitor, asked))
    }

    /// Somebody without a pass comes to a page: claims, resumes, walks in or joins, whatever can be had.
    async fn judge_arrival(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Result<Verdict, JsValue> {
        let room = &gated.room.settings;
        let mode = self.mode(room, now_ms);
        if mode == Mode::Bypass {
            return Ok(Verdict::In(Entry::Free, Vec::new()));
        }
        let walk_in = room.walk_in && mode == Mode::Open;
        // Without the cookie nobody is enrolled: a walk-in is all there is to ask for, and may be known to be vain.
        let stranger = identity.visitor.is_none();
        let visitor = match identity.visitor {
            Some(visitor) => visitor,
            None => VisitorId(dice::random_bytes()?),
        };
        if stranger && (!walk_in || memory::is_lately_full(&room.name, now_ms, room.tick_ms)) {
            let cookies = self.cookies_of_stranger(room, identity, visitor);
            return Ok(Verdict::Wait(Box::new(Waiting::arriving(room, cookies))));
        }
        let join = !stranger && self.incoming.method() == "GET";
        let Ok(asked) = self
            .ask(room, identity, visitor, Wish::Arrive { walk_in, join })
            .await
        else {
            let cookies = if stranger {
                self.cookies_of_stranger(room, identity, visitor)
            } else {
                Vec::new()
            };
            return Ok(Verdict::Wait(Box::new(Waiting::unreachable(
                room,
                Some(visitor),
                cookies,
            ))));
        };
        if let Some(lease) = asked.told.lease {
            let pass = pass_of(&asked, &lease, visitor, room.pass_ttl_ms);
            let cookies = self.cookies_after(room, identity, visitor, &asked);
            return Ok(Verdict::In(Entry::Lease(pass, Cookie::New), cookies));
        }
        if asked.told.status.mode == Mode::Bypass {
            return Ok(Verdict::In(Entry::Free, Vec::new()));
        }
        Ok(self.told_to_wait(room, identity, visitor, asked))
    }

    /// Whatever is no navigation gets nothing without a pass. A page for somebody in line shows the place.
    async fn judge_other(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Verdict {
        let room = &gated.room.settings;
        if self.mode(room, now_ms) == Mode::Bypass {
            return Verdict::In(Entry::Free, Vec::new());
        }
        let shows_place = gated.answer == Answer::Page && gated.visit != Visit::Prefetch;
        if let (true, Some(ticket)) = (shows_place, identity.ticket)
            && let Ok(asked) = self
                .ask(room, identity, ticket.visitor, Wish::Status { wait_ms: 0 })
                .await
        {
            return self.told_to_wait(room, identity, ticket.visitor, asked);
        }
        let cookies = self.dead_cookies(room, identity);
        Verdict::Wait(Box::new(Waiting::arriving(room, cookies)))
    }

    fn told_to_wait(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        asked: Asked,
    ) -> Verdict {
        let mut cookies = self.cookies_after(room, identity, visitor, &asked);
        if identity.pass_cookie {
            cookies.push(self.cookies().clear(CookieName::Pass(&room.name)));
        }
        Verdict::Wait(Box::new(Waiting::told(room, asked.told.status, cookies)))
    }

    /// Forwards with a lease, a farewell or nothing, and does what the origin's answer asks for.
    async fn enter(
        self: &Rc<Self>,
        room: &RoomSettings,
        entry: Entry,
        cookies: Vec<String>,
    ) -> Result<Response, JsValue> {
        let mut attached = Attached {
            must: cookies,
            may: Vec::new(),
        };
        let onward = self.onward();
        let response = match onward.send(entry.pledge(room).as_ref()).await? {
            Returned::Answer(response) => response,
            Returned::Nothing(draft) => {
                self.attach_pass(room, entry, &mut attached);
                return self.finish(draft.cookies(attached.must).cookies(attached.may));
            }
        };
        let commands = onward::commands(&response);
        match (commands.release, commands.extend_ms, &entry) {
            (Release::Now, _, Entry::Lease(pass, _)) => {
                self.release_beside(room, *pass);
                attached.must.push(self.farewell_cookie(room, pass));
            }
            (Release::Keep, Some(by_ms), Entry::Lease(pass, _)) => {
                match self.extend(room, *pass, by_ms).await {
                    Some(extended) => attached.must.push(self.pass_cookie(room, &extended)),
                    None => self.attach_pass(room, entry, &mut attached),
                }
            }
            _ => self.attach_pass(room, entry, &mut attached),
        }
        onward.gated(response, &attached)
    }

    /// The pass that the client has not got yet.
    fn attach_pass(&self, room: &RoomSettings, entry: Entry, attached: &mut Attached) {
        let Entry::Lease(pass, cookie) = entry else {
            return;
        };
        match cookie {
            Cookie::Shown => {}
            Cookie::Renewed => attached.may.push(self.pass_cookie(room, &pass)),
            Cookie::New => attached.must.push(self.pass_cookie(room, &pass)),
            Cookie::Coming(mut coming) => {
                if let Ok(Some(renewed)) = coming.try_recv() {
                    attached.may.push(self.pass_cookie(room, &renewed));
                }
            }
        }
    }

    /// Forwards what needs no pass.
    async fn forward(&self) -> Result<Response, JsValue> {
        let onward = self.onward();
        match onward.send(None).await? {
            Returned::Answer(response) => onward.plain(response),
            Returned::Nothing(draft) => self.finish(draft),
        }
    }
}

// What the steps above share.
impl Front {
    fn onward(&self) -> Onward<'_> {
        Onward {
            env: &self.env,
            incoming: &self.incoming,
            host: &self.host,
            origin: &self.deployment.origin,
            key: self.deployment.origin_key.as_ref(),
        }
    }

    fn identity(&self, room: &str, now_ms: u64) -> Identity {
        Identity::read(
            &self.incoming,
            &self.deployment.keyring,
            &self.host,
            room,
            now_ms,
        )
    }

    fn cookies(&self) -> Cookies {
        Cookies::new(self.incoming.scheme(), &self.host)
    }

    fn scope<'a>(&'a self, room: &'a RoomSettings) -> Scope<'a> {
        Scope {
            room: &room.name,
            host: self.host.as_str(),
        }
    }

    fn finish(&self, draft: Draft) -> Result<Response, JsValue> {
        draft.finish(&self.incoming)
    }

    /// Work that outlives the answer.
    fn spawn(&self, place: &'static str, work: impl Future<Output = ()> + 'static) {
        self.context
            .wait_until(watchdog::guard(self.who.clone(), place, work));
    }

    /// The room's mode as last heard, else the file's. While that is `bypass` nobody asks the room anything, so now
    /// and then somebody asks beside the answer whether it still is.
    fn mode(self: &Rc<Self>, room: &RoomSettings, now_ms: u64) -> Mode {
        let (heard, is_old) = memory::mode(&room.name, now_ms);
        let mode = heard.unwrap_or(room.mode);
        if mode == Mode::Bypass && is_old {
            let (front, room) = (Rc::clone(self), room.clone());
            self.spawn("front.mode", async move {
                let Ok(bytes) = dice::random_bytes() else {
                    return;
                };
                let visitor = VisitorId(bytes);
                let ask = Ask {
                    visitor,
                    number: None,
                    wish: Wish::Status { wait_ms: 0 },
                };
                // What it says is remembered on the way.
                let _ =
                    lobby::ask(&front.env, &room, home_lobby(visitor, room.lobbies()), &ask).await;
            });
        }
        mode
    }

    /// A name for who has none, and an end to cookies that prove nothing.
    fn cookies_of_stranger(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
    ) -> Vec<String> {
        let mut cookies = self.dead_cookies(room, identity);
        cookies.push(self.visitor_cookie(visitor));
        cookies
    }

    /// Clears what was shown and is worth nothing.
    fn dead_cookies(&self, room: &RoomSettings, identity: &Identity) -> Vec<String> {
        let pass = identity.pass_cookie && identity.pass.is_none();
        let dead = [
            (pass, CookieName::Pass(&room.name)),
            (identity.bad_ticket, CookieName::Ticket(&room.name)),
        ];
        let dead = dead.into_iter().filter(|(is_dead, _)| *is_dead);
        dead.map(|(_, name)| self.cookies().clear(name)).collect()
    }

    fn is_for_operators(&self) -> bool {
        let path = self.incoming.path_and_query();
        ["/__baton/admin/", "/__baton/metrics"]
            .iter()
            .any(|prefix| path.starts_with(prefix))
    }
}

impl Entry {
    fn pledge<'r>(&self, room: &'r RoomSettings) -> Option<Pledge<'r>> {
        let (number, fence, ends_at_ms) = match self {
            Self::Lease(pass, _) => (pass.number, Some(pass.fence), pass.lease_ends_at_ms),
            Self::Farewell(farewell) => (farewell.number, None, farewell.ends_at_ms),
            Self::Free => return None,
        };
        Some(Pledge {
            room: &room.name,
            number,
            fence,
            ends_at_ms,
        })
    }
}
