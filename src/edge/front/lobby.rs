//! Asks a lobby on behalf of a visitor. Every call has a timeout of Baton's own. A call that threw is repeated once on a new stub, if asking twice is
//! as good as asking once, unless it was late or its object is overloaded.

use std::time::Duration;

use futures_util::future::{Either, select};
use wasm_bindgen::JsValue;
use worker::web_sys::Response;
use worker::{Delay, Env};

use super::platform::Platform;
use super::{js, memory};
use crate::dice;
use crate::log::{self, Code, Remark};
use crate::peers::{ASK_HEADER, Address, Answer, Delivery, LOAD_HEADER, OVERHEARD_HEADER, PAGES_HEADER, TOLD_HEADER};
use facts::envelope;
use facts::units::LobbyId;
use facts::wire::{Ask, Told, Wish};
use gate::{ASK_AGAIN_MS, ASK_PATIENCE_MS, Asked, Load, Question, Report, Silence, ask_patience_ms};
use settings::RoomSettings;

/// Pauses before each try of a delivery beside an answer, ms. After the last try the lease runs out by itself.
const DELIVERY_PAUSES_MS: [u32; 5] = [0, 200, 500, 2_000, 5_000];
/// Why an answer counts as none: another build wrote it, perhaps.
const UNREADABLE: &str = "its answer cannot be read";
/// The most bytes of a lobby's answer; it writes less than 1 KB.
const TOLD_BYTES_MAX: usize = 64 * 1_024;

/// Asks the lobbies. Goes on to the next lobby while one is full, and to the lobby that has the place.
pub async fn ask(env: &Env, room: &RoomSettings, mut question: Question) -> Result<Asked, Silence> {
    let (wish, patience_ms) = (question.wish(), ask_patience_ms(question.wish()));
    loop {
        let lobby = question.lobby();
        let body = written(&question)?;
        let asked_at_ms = dice::now_ms();
        let request = || post(env, room, lobby, "ask", &body, patience_ms);
        let answer = call(wish, request).await;
        let told = answer.and_then(|answer| read(&answer));
        let told = heard(room, lobby, asked_at_ms, told)?;
        if let Some(asked) = question.hear(told, asked_at_ms)? {
            memory::hear(&room.name, asked_at_ms, dice::now_ms(), &asked.told);
            return Ok(asked);
        }
    }
}

/// Hands a visitor's upgrade on. The answer is the lobby's own, with the socket in it if there is one.
pub async fn connect(env: &Env, room: &RoomSettings, mut question: Question) -> Result<(Response, Asked), Silence> {
    let wish = question.wish();
    loop {
        let lobby = question.lobby();
        let text = written(&question)?;
        let asked_at_ms = dice::now_ms();
        let answer = call(wish, || upgrade(env, room, lobby, &text)).await;
        let told = answer.and_then(|response| Ok((told_beside(&response)?, response)));
        let (told, response) = heard(room, lobby, asked_at_ms, told)?;
        if let Some(asked) = question.hear(told, asked_at_ms)? {
            memory::hear(&room.name, asked_at_ms, dice::now_ms(), &asked.told);
            return Ok((response, asked));
        }
    }
}

fn written(question: &Question) -> Result<String, Silence> {
    envelope::text(&question.ask()).map_err(|_| Silence::Unreachable)
}

/// An answer that may say that nothing was done and another try is worth it. An object that is dying says so, and so does one of another build.
trait MayRepeat {
    fn is_worth_another(&self) -> bool;
}

impl MayRepeat for Answer {
    fn is_worth_another(&self) -> bool {
        self.again
    }
}

impl MayRepeat for Response {
    fn is_worth_another(&self) -> bool {
        self.status() == 503 && js::header(&self.headers(), "retry-after").is_some()
    }
}

/// Returns true if the ask may be sent twice. An extension says how much it adds, and a lobby that gave no answer may have added it.
const fn may_repeat(wish: Wish) -> bool {
    !matches!(wish, Wish::Extend { .. })
}

/// Sends one request to one lobby. Repeats it once if the answer says that another try is worth it, or if the call threw, unless
/// the wish may not be repeated, the call was late or the object is overloaded. Returns the answer, or what was thrown.
async fn call<T: MayRepeat, F: Future<Output = Result<T, JsValue>>>(wish: Wish, request: impl Fn() -> F) -> Result<T, String> {
    let answered = match request().await {
        once if !may_repeat(wish) => once,
        Err(error) if !js::is_overloaded(&error) && !js::is_late(&error) => request().await,
        Ok(answer) if answer.is_worth_another() => {
            Delay::from(Duration::from_millis(ASK_AGAIN_MS)).await;
            request().await
        }
        other => other,
    };
    answered.map_err(|error| js::describe(&error))
}

/// Remembers whether the lobby answered (`memory`), and says in the log when that changes: not for each question, since many are asked.
fn heard<T>(room: &RoomSettings, lobby: LobbyId, asked_at_ms: u64, answer: Result<T, String>) -> Result<T, Silence> {
    let now_ms = dice::now_ms();
    let line = |code| Remark::front(code).in_room(&room.name);
    let why = match answer {
        Ok(told) => {
            if let Some(silent_ms) = memory::answers(&room.name, lobby, now_ms) {
                log::say(&line(Code::RoomBack).counting(silent_ms / 1_000));
            }
            return Ok(told);
        }
        Err(why) => why,
    };
    let news = memory::gives_no_answer(&room.name, lobby, asked_at_ms, now_ms);
    if news.lobby_is_away {
        log::say(&line(Code::LobbyUnreachable).at_lobby(lobby).because(&why));
    }
    if news.room_is_away {
        log::say(&line(Code::RoomAway).because(why));
    }
    Err(Silence::Unreachable)
}

/// Asks a lobby beside the answer, until it has heard: for what must not get lost with this instance. The promise resolves when the lobby
/// has heard, or when all tries have failed.
pub fn deliver(platform: &Platform, room: &RoomSettings, lobby: LobbyId, ask: &Ask) -> Result<js_sys::Promise, JsValue> {
    let delivery = Delivery {
        text: &envelope::text(ask).map_err(|error| JsValue::from(error.to_string()))?,
        pauses_ms: &DELIVERY_PAUSES_MS,
        timeout_ms: ASK_PATIENCE_MS,
        lost: &lost(room, lobby).to_json(),
    };
    Address::of_lobby(room, lobby).deliver(&platform.env, &platform.context, "ask", &delivery)
}

/// The log line for what must not get lost and is lost all the same.
pub fn lost(room: &RoomSettings, lobby: LobbyId) -> Remark {
    Remark::front(Code::NotDelivered).in_room(&room.name).at_lobby(lobby)
}

/// What this isolate overheard since it last told anybody, which rides along with whatever is asked. What gets lost on the way is not told again.
struct Heard(Option<String>);

impl Heard {
    fn take(room: &str) -> Self {
        let heard = memory::take_overheard(room, dice::now_ms());
        Self(heard.and_then(|heard| envelope::text(&heard).ok()))
    }

    fn header(&self) -> Option<(&'static str, &str)> {
        Some((OVERHEARD_HEADER, self.0.as_deref()?))
    }
}

/// The number of pages without a number, which rides along too. `hear` takes in the lobby's answer to it.
struct Pages(Option<(Report, String)>);

impl Pages {
    fn take(room: &str) -> Self {
        let report = memory::take_report(room, dice::now_ms());
        Self(report.map(|report| (report, report.pages.to_string())))
    }

    fn header(&self) -> Option<(&'static str, &str)> {
        let (_, pages) = self.0.as_ref()?;
        Some((PAGES_HEADER, pages))
    }

    fn hear(&self, room: &RoomSettings, answered: Result<Option<Load>, &JsValue>) {
        let Some((report, _)) = self.0 else { return };
        let load = match answered {
            Ok(Some(load)) => Some(load),
            Err(error) if js::is_overloaded(error) => None,
            _ => return,
        };
        memory::hear_load(&room.name, report, load, room.lobbies());
    }
}

/// Tells a lobby what was heard from the origin, or how many pages came, when nothing else is asked of it. Tries once: what gets lost is lost.
pub async fn tell_origin(env: &Env, room: &RoomSettings, lobby: LobbyId) {
    let told = post(env, room, lobby, "origin", "", ASK_PATIENCE_MS).await;
    if told.is_err() {
        let remark = Remark::front(Code::OriginUntold).in_room(&room.name);
        log::say(&remark.at_lobby(lobby));
    }
}

async fn post(env: &Env, room: &RoomSettings, lobby: LobbyId, path: &str, body: &str, patience_ms: u64) -> Result<Answer, JsValue> {
    let (heard, report) = (Heard::take(&room.name), Pages::take(&room.name));
    let beside: Vec<_> = heard.header().into_iter().chain(report.header()).collect();
    let answered = Address::of_lobby(room, lobby)
        .post(env, path, &beside, body.as_bytes(), patience_ms)
        .await;
    report.hear(room, answered.as_ref().map(|answer| answer.load));
    answered
}

/// Passes an upgrade on unchanged, and returns its answer unchanged.
async fn upgrade(env: &Env, room: &RoomSettings, lobby: LobbyId, ask: &str) -> Result<Response, JsValue> {
    let (heard, report) = (Heard::take(&room.name), Pages::take(&room.name));
    let said = heard.header().into_iter().chain(report.header());
    let beside: Vec<_> = said.chain([(ASK_HEADER, ask)]).collect();
    let answered = Address::of_lobby(room, lobby).upgrade(env, "socket", &beside, ASK_PATIENCE_MS).await;
    let load = |response: &Response| js::header(&response.headers(), LOAD_HEADER);
    let load = |response| load(response).and_then(|load| Load::of_text(&load));
    report.hear(room, answered.as_ref().map(load));
    answered
}

/// Returns what a lobby told, or why there is nothing to read.
fn read(answer: &Answer) -> Result<Told, String> {
    if answer.status != 200 {
        return Err(it_answered(answer.status));
    }
    let told = core::str::from_utf8(&answer.body).ok();
    let told = told.filter(|told| told.len() <= TOLD_BYTES_MAX);
    let told = told.and_then(|told| envelope::of_text(told).ok());
    told.ok_or_else(|| UNREADABLE.to_owned())
}

/// Returns what a lobby told beside its answer to an upgrade. Without that it told nothing.
fn told_beside(response: &Response) -> Result<Told, String> {
    let told = js::header(&response.headers(), TOLD_HEADER);
    let told = told.ok_or_else(|| it_answered(response.status()))?;
    envelope::of_text(&told).map_err(|_| UNREADABLE.to_owned())
}

fn it_answered(status: u16) -> String {
    format!("it answered {status}")
}

/// Returns what the work yields, or `None` if it takes too long.
pub async fn within<T>(timeout_ms: u64, work: impl Future<Output = T>) -> Option<T> {
    let timeout = Delay::from(Duration::from_millis(timeout_ms));
    match select(Box::pin(work), timeout).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}
