//! The rooms of the house, as a front knows them: a copy of the house's table and the deployment built from it; and what operators ask of the house.
//!
//! [`crate::house::fresh`] bounds the age of the copy. Outside the grounds nobody asks the house. While the house is away the last copy holds; an
//! isolate that never had one makes visitors wait and lets nobody through.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Promise};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::Response;
use worker::{Context, Env};

use super::answers::Draft;
use super::incoming::Incoming;
use super::operator::etag;
use super::waiting::Waiting;
use super::{Front, js};
use crate::edge::config::{self, Deployment};
use crate::edge::dice;
use crate::edge::house_object::LAST_OWNER;
use crate::edge::log::{self, Code, Remark};
use crate::edge::orders::{HouseOrder, Summary, Undo};
use crate::edge::peers::{Address, Answer};
use crate::edge::watchdog::{self, Who};
use crate::facts::limits::{HOUSE_BYTES_MAX, TABLE_BYTES_MAX};
use crate::gate::{ErrorCode, Host, HouseCall, PathReading, Plan};
use crate::house::Wish;
use crate::house::fresh::{CACHED_S, Copy, Due, WAIT_MS};
use crate::house::table::Table;
use crate::settings::{Grounds, narrow_house};
use crate::token::{Need, Operator, Role};

#[wasm_bindgen(module = "/src/edge/front/house.js")]
extern "C" {
    pub(super) type House;
    #[wasm_bindgen(thread_local_v2, js_name = house)]
    pub(super) static HOUSE: House;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn table(
        this: &House,
        env: &JsValue,
        name: &str,
        place: &str,
        known: f64,
        least: f64,
        cached_s: u32,
        timeout_ms: u32,
    ) -> Promise;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    pub(super) fn picture(
        this: &House,
        env: &JsValue,
        name: &str,
        place: &str,
        picture: &str,
        may_ask: bool,
        timeout_ms: u32,
    ) -> Promise;

    #[wasm_bindgen(method, js_name = ownPicture)]
    pub(super) fn own_picture(
        this: &House,
        env: &JsValue,
        name: &str,
        place: &str,
        order: &str,
        timeout_ms: u32,
    ) -> Promise;
}

/// How long the house may take to answer an operator, ms. It may have to ask rooms.
const PATIENCE_MS: u64 = 15_000;

thread_local! {
    /// What this isolate knows of the house.
    static COPY: RefCell<Copy<Rc<Deployment>>> = RefCell::default();
}

/// This isolate has no copy of the house's table, and the house does not answer.
pub struct Cold;

/// Returns the deployment that judges a request, if nobody has to ask the house first or beside the answer. `None`: call [`deployment`].
pub fn at_hand(
    file: &Rc<Deployment>,
    incoming: &Incoming,
    host: &Host,
    now_ms: impl FnOnce() -> u64,
) -> Option<Rc<Deployment>> {
    let Some(grounds) = &file.settings.grounds else {
        return Some(Rc::clone(file));
    };
    if !may_be_for(grounds, incoming, host) {
        return Some(copy().unwrap_or_else(|| Rc::clone(file)));
    }
    let now_ms = now_ms();
    let due = COPY.with_borrow(|copy| copy.due(now_ms));
    (due == Due::Nothing).then(copy).flatten()
}

/// Returns the deployment that judges a request: with the rooms of the house, if there are grounds. `file` is the deployment of the file.
///
/// # Errors
/// [`Cold`].
pub async fn deployment(
    (env, context, who): (&Env, &Context, &Who),
    file: &Rc<Deployment>,
    incoming: &Incoming,
    host: &Host,
) -> Result<Rc<Deployment>, Cold> {
    if let Some(known) = at_hand(file, incoming, host, dice::now_ms) {
        return Ok(known);
    }
    let Some(grounds) = &file.settings.grounds else {
        return Ok(Rc::clone(file));
    };
    let now_ms = dice::now_ms();
    match COPY.with_borrow(|copy| copy.due(now_ms)) {
        Due::Nothing => {}
        Due::Beside => {
            COPY.with_borrow_mut(|copy| copy.asked(now_ms));
            let (env, grounds) = (env.clone(), grounds.clone());
            let work = async move { refresh(&env, &grounds).await };
            context.wait_until(watchdog::guard(who.clone(), "front.house", work));
        }
        Due::First => refresh(env, grounds).await,
    }
    copy().ok_or(Cold)
}

/// Whether the copy may still say who operates. While the house is away its operators stay valid for a while, but not for ever.
pub fn vouches_for_operators(now_ms: u64) -> bool {
    COPY.with_borrow(|copy| copy.vouches(now_ms))
}

fn copy() -> Option<Rc<Deployment>> {
    COPY.with_borrow(|copy| copy.made().cloned())
}

/// Whether a request may concern a room of the house.
fn may_be_for(grounds: &Grounds, incoming: &Incoming, host: &Host) -> bool {
    let path = incoming.path_and_query();
    if path.starts_with("/__baton/") {
        return !path.starts_with("/__baton/static/") && !path.starts_with("/__baton/health");
    }
    if !grounds.have(host) {
        return false;
    }
    if grounds.are_everywhere() {
        return true;
    }
    let path = PathReading::new(path);
    grounds.paths().iter().any(|own| own.may_match(&path))
}

/// Asks the house, and builds a new deployment if there is news.
async fn refresh(env: &Env, grounds: &Grounds) {
    let house = Address::of_house(grounds);
    let (_, name) = house.object();
    let (known, least) = COPY.with_borrow(|copy| {
        let known = copy.known().map(|version| version as f64);
        (known.unwrap_or(-1.0), copy.least() as f64)
    });
    let cached_s = u32::try_from(CACHED_S).unwrap_or(1);
    let wait_ms = u32::try_from(WAIT_MS).unwrap_or(u32::MAX);
    let place = house.place();
    let asked =
        HOUSE.with(|house| house.table(env, &name, &place, known, least, cached_s, wait_ms));
    match JsFuture::from(asked).await {
        Ok(news) => {
            let news: Array = news.unchecked_into();
            if let Some(text) = news.get(1).as_string() {
                learn(env, &text);
            }
            let as_of_ms = news.get(0).as_f64().unwrap_or_default() as u64;
            COPY.with_borrow_mut(|copy| copy.came(as_of_ms));
        }
        Err(error) => {
            COPY.with_borrow_mut(|copy| copy.failed(dice::now_ms()));
            let remark = Remark::front(Code::HouseUnreachable);
            log::say(&remark.because(js::describe(&error)));
        }
    }
}

/// Takes in a table. Ignores one whose version is not higher than the known one.
fn learn(env: &Env, text: &str) {
    let Ok(table) = serde_json::from_str::<Table>(text) else {
        return;
    };
    if !COPY.with_borrow(|copy| copy.is_news(table.version)) {
        return;
    }
    if let Some(deployment) = config::with_house(env, &table) {
        COPY.with_borrow_mut(|copy| copy.learn(table.version, deployment));
    }
}

impl Front {
    /// Answers while this isolate does not know the rooms of the house: requests to rooms of the file wait, Baton's own calls are answered as far
    /// as the file goes, and nobody goes through.
    pub(super) async fn answer_cold(self: Rc<Self>) -> Result<Response, JsValue> {
        let deployment = Rc::clone(&self.deployment);
        match deployment.gate.decide(&self.incoming.described()) {
            Plan::Gated(gated) => {
                let waiting = Waiting::unreachable(&gated.room.settings, None, None, Vec::new());
                self.wait(&gated, waiting).await
            }
            Plan::Entry(room, link) => self.entry_link(&room.settings, &link).await,
            Plan::Own(call) => self.answer_own(call).await,
            // The path may be of a room of the house, so a token in it stays.
            Plan::NotGated | Plan::StrayEntry(_) | Plan::Bypass(_) | Plan::Preflight(_) => {
                let draft = self.down(ErrorCode::RoomUnavailable).await;
                self.finish(draft)
            }
            Plan::Refused(refusal) if refusal.code == ErrorCode::UnknownRoom => {
                self.finish(Draft::error(ErrorCode::RoomUnavailable))
            }
            Plan::Refused(refusal) => self.finish(Draft::refusal(&refusal)),
        }
    }

    /// Answers an operator's call to the house.
    pub(super) async fn house_call(
        &self,
        call: HouseCall,
        operator: &Operator,
    ) -> Result<Draft, JsValue> {
        let Some(grounds) = self.deployment.settings.grounds.clone() else {
            let why = "There is no house: wrangler.toml has no [vars.GROUNDS].";
            return Ok(Draft::error_saying(ErrorCode::NotFound, why));
        };
        let is_of_operator = matches!(
            call,
            HouseCall::ChangeOperator { .. } | HouseCall::RemoveOperator { .. }
        );
        let (path, body) = match self.order_of(call, operator).await {
            Ok(order) => order,
            Err(Stop::Refused(refusal)) => return Ok(refusal),
            Err(Stop::Failed(failure)) => return Err(failure),
        };
        let house = Address::of_house(&grounds);
        let answer = house
            .post(&self.env, path, &[], body.as_bytes(), PATIENCE_MS)
            .await;
        let (status, text) = match answer {
            Ok(answer) => (
                answer.status,
                String::from_utf8(answer.body).unwrap_or_default(),
            ),
            Err(error) => {
                let remark = Remark::front(Code::HouseUnreachable);
                log::say(&remark.because(js::describe(&error)));
                (503, String::new())
            }
        };
        let missing = if is_of_operator {
            ErrorCode::UnknownOperator
        } else {
            ErrorCode::UnknownRoom
        };
        Ok(match (path, status) {
            ("journal", 200) => Draft::new(200)
                .with("Content-Type", "application/x-ndjson; charset=utf-8")
                .body(text),
            ("journal", 404) => Draft::error_saying(ErrorCode::BadRequest, &text),
            (_, 200) => self.house_told(path, &text, operator),
            (_, 400) => Draft::error_saying(ErrorCode::BadRequest, &text),
            (_, 403) => Draft::error_saying(ErrorCode::Forbidden, &text),
            (_, 404) => Draft::error_saying(missing, &text),
            (_, 409) => Draft::error_saying(ErrorCode::RoomInUse, &text),
            (_, 412) => Draft::error_saying(ErrorCode::PreconditionFailed, &text),
            (_, LAST_OWNER) => Draft::error_saying(ErrorCode::LastOwner, &text),
            _ => Draft::error_saying(ErrorCode::RoomUnavailable, "The house does not answer."),
        })
    }

    /// Answers with what the house told, as far as it concerns this operator. Owners also see the operators of the file.
    /// The house's revision becomes the `ETag`.
    fn house_told(&self, path: &str, text: &str, operator: &Operator) -> Draft {
        let mut told: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
        let revision = told.get("revision").and_then(Value::as_u64);
        let revision = revision.unwrap_or_default();
        if matches!(path, "change" | "undo") {
            let now_ms = dice::now_ms();
            COPY.with_borrow_mut(|copy| copy.expect(now_ms, revision));
        }
        if let Some(told) = told.as_object_mut() {
            narrow_house(told, operator);
            if told.contains_key("operators") {
                told.insert("operators_of_file".to_owned(), self.operators_of_file());
            }
        }
        Draft::json(200, told.to_string()).with("ETag", etag(revision))
    }

    /// Returns what each room of the house last said of itself to the house. A room in which nothing happened lately has no summary.
    pub(super) async fn summaries(&self) -> BTreeMap<String, Summary> {
        let Some(grounds) = &self.deployment.settings.grounds else {
            return BTreeMap::new();
        };
        let house = Address::of_house(grounds);
        let answer = house
            .post(&self.env, "summaries", &[], &[], PATIENCE_MS)
            .await;
        let text = answer.ok().and_then(Answer::text).unwrap_or_default();
        let mut lines = text.lines();
        let mut summaries = BTreeMap::new();
        while let (Some(name), Some(said)) = (lines.next(), lines.next()) {
            if let Ok(summary) = serde_json::from_str(said) {
                summaries.insert(name.to_owned(), summary);
            }
        }
        summaries
    }

    /// Returns where an operator's call goes and with which body, or why it goes nowhere.
    ///
    /// Long because it has an arm for each call.
    async fn order_of(
        &self,
        call: HouseCall,
        operator: &Operator,
    ) -> Result<(&'static str, String), Stop> {
        let by = operator.name.clone();
        let (path, expected, wishes) = match call {
            HouseCall::Look => return Ok(("look", String::new())),
            HouseCall::Journal { after } => return Ok(("journal", after.to_string())),
            HouseCall::Undo => {
                let expected = self.seen()?;
                return Ok(("undo", text_of(&Undo { by, expected })?));
            }
            HouseCall::Plan => ("plan", None, self.definitions(operator, Role::View).await?),
            HouseCall::Apply => {
                let seen = self.seen()?;
                let wishes = self.definitions(operator, Role::Own).await?;
                ("change", Some(seen), wishes)
            }
            HouseCall::Define { room } => {
                let cure = "Send the room's table as a JSON object, such as {\"paths\": [\"/spring/*\"], \"permits\": 200}";
                let table = self.table_in_body(cure).await?;
                let wish = define(room, table);
                ("change", self.expected()?, vec![wish])
            }
            HouseCall::Archive { room } => {
                ("change", self.expected()?, vec![Wish::Archive { room }])
            }
            HouseCall::Release { room } => ("change", self.expected()?, vec![Wish::Free { room }]),
            HouseCall::Brand { room } => {
                let cure = "Send the keys of the page as a JSON object, such as {\"page_title\": \"Spring sale\"}";
                let brand = Some(self.table_in_body(cure).await?);
                let wish = Wish::Brand { room, brand };
                ("change", self.expected()?, vec![wish])
            }
            HouseCall::Unbrand { room } => {
                let wish = Wish::Brand { room, brand: None };
                ("change", self.expected()?, vec![wish])
            }
            HouseCall::SetOperator { name } => {
                let cure = "Send the operator's table as a JSON object, such as {\"role\": \"view\", \"sha256\": \"…\"}";
                let table = self.table_in_body(cure).await?;
                let wish = Wish::SetOperator { name, table };
                ("change", self.expected()?, vec![wish])
            }
            HouseCall::ChangeOperator { name } => {
                let cure = "Send the keys that shall be another as a JSON object, such as {\"role\": \"operate\"}; null takes one away";
                let keys = self.table_in_body(cure).await?;
                let wish = Wish::ChangeOperator { name, keys };
                ("change", self.expected()?, vec![wish])
            }
            HouseCall::RemoveOperator { name } => {
                let wish = Wish::RemoveOperator { name };
                ("change", self.expected()?, vec![wish])
            }
        };
        let order = HouseOrder {
            by,
            within: operator.rooms.clone(),
            expected,
            wishes,
        };
        Ok((path, text_of(&order)?))
    }

    async fn body(&self, bytes_max: usize) -> Result<String, Stop> {
        let body = self.incoming.text(bytes_max).await?;
        Ok(body.ok_or_else(|| Draft::error(ErrorCode::PayloadTooLarge))?)
    }

    async fn table_in_body(&self, cure: &str) -> Result<Map<String, Value>, Stop> {
        let body = self.body(2 * TABLE_BYTES_MAX).await?;
        let table = serde_json::from_str(&body);
        Ok(table.map_err(|_| Draft::error_saying(ErrorCode::BadRequest, cure))?)
    }

    /// Reads `{"rooms": {name: table}, "brands": {name: keys}}` as wishes. `null` archives a room, or takes a page back to its room's table. The
    /// operator must have this role in each of the rooms.
    async fn definitions(&self, operator: &Operator, role: Role) -> Result<Vec<Wish>, Stop> {
        let body = self.body(2 * HOUSE_BYTES_MAX).await?;
        let cure = "Send {\"rooms\": {\"spring\": {…}, \"old\": null}}: each room's table, and null for one that is to be deleted; beside it, if you like, {\"brands\": {\"spring\": {\"page_title\": \"…\"}}}";
        let wishes = wishes_in(&body);
        let wishes = wishes.ok_or_else(|| Draft::error_saying(ErrorCode::BadRequest, cure))?;
        for room in wishes.iter().filter_map(Wish::room) {
            let may = operator.may(Need::in_room(role, room));
            may.map_err(|denied| Draft::denied(&denied))?;
        }
        Ok(wishes)
    }
}

/// Reads a file's wishes, rooms first, for a brand may be of a room that is new. Returns `None` if it is no such file.
fn wishes_in(body: &str) -> Option<Vec<Wish>> {
    let mut file: Map<String, Value> = serde_json::from_str(body).ok()?;
    if !file.contains_key("rooms") && !file.contains_key("brands") {
        return None;
    }
    let mut part = |name: &str| match file.remove(name) {
        Some(Value::Object(part)) => Some(part),
        Some(_) => None,
        None => Some(Map::new()),
    };
    let (rooms, brands) = (part("rooms")?, part("brands")?);
    if !file.is_empty() {
        return None;
    }
    let rooms = rooms.into_iter().map(|(room, value)| match value {
        Value::Null => Some(Wish::Archive { room }),
        Value::Object(table) => Some(define(room, table)),
        _ => None,
    });
    let brands = brands.into_iter().map(|(room, value)| match value {
        Value::Null => Some(Wish::Brand { room, brand: None }),
        Value::Object(brand) => Some(Wish::Brand {
            room,
            brand: Some(brand),
        }),
        _ => None,
    });
    rooms.chain(brands).collect()
}

/// The wish for a room with this table. The house fills in over which rooms of the file it is put.
const fn define(room: String, table: Map<String, Value>) -> Wish {
    let over = Vec::new();
    Wish::Define { room, table, over }
}

/// Why a call goes nowhere.
enum Stop {
    /// The operator is told why.
    Refused(Draft),
    /// The platform failed.
    Failed(JsValue),
}

impl From<Draft> for Stop {
    fn from(refusal: Draft) -> Self {
        Self::Refused(refusal)
    }
}

impl From<JsValue> for Stop {
    fn from(failure: JsValue) -> Self {
        Self::Failed(failure)
    }
}

fn text_of(order: &impl serde::Serialize) -> Result<String, Draft> {
    serde_json::to_string(order).map_err(|_| Draft::error(ErrorCode::Internal))
}
