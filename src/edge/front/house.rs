//! The rooms of the house, as a front knows them: a copy of the house's table and the deployment built from it.
//!
//! [`house::fresh`] bounds the age of the copy. Outside the grounds nobody asks the house. While the house is away the last copy holds; an
//! isolate that never had one makes visitors wait and lets nobody through.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::Env;

use super::answers::Draft;
use super::incoming::Incoming;
use super::js;
use super::platform::Platform;
use super::received::Received;
use crate::config::{self, Deployment};
use crate::dice;
use crate::log::{self, Code, Remark};
use crate::peers::Address;
use gate::{ErrorCode, Host, PathReading};
use house::fresh::{CACHED_S, Copy, Due, WAIT_MS};
use house::table::Table;
use settings::Grounds;

#[wasm_bindgen(module = "/front/house.js")]
extern "C" {
    pub(super) type House;
    #[wasm_bindgen(thread_local_v2, js_name = house)]
    pub(super) static HOUSE: House;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn table(this: &House, env: &JsValue, name: &str, place: &str, known: f64, least: f64, cached_s: u32, timeout_ms: u32) -> Promise;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    pub(super) fn picture(this: &House, env: &JsValue, name: &str, place: &str, picture: &str, may_ask: bool, timeout_ms: u32) -> Promise;

    #[wasm_bindgen(method, js_name = ownPicture)]
    pub(super) fn own_picture(this: &House, env: &JsValue, name: &str, place: &str, order: &str, timeout_ms: u32) -> Promise;
}

thread_local! {
    /// What this isolate knows of the house.
    static COPY: RefCell<Copy<Rc<Deployment>>> = RefCell::default();
}

/// This isolate has no copy of the house's table, and the house does not answer.
pub struct Cold;

/// Returns the deployment that judges a request, if nobody has to ask the house first or beside the answer. `None`: call [`deployment`].
pub fn at_hand(file: &Rc<Deployment>, incoming: &Incoming, host: &Host, now_ms: impl FnOnce() -> u64) -> Option<Rc<Deployment>> {
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
pub async fn deployment(platform: &Platform, file: &Rc<Deployment>, incoming: &Incoming, host: &Host) -> Result<Rc<Deployment>, Cold> {
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
            let (env, grounds) = (platform.env.clone(), grounds.clone());
            platform.spawn("front.house", async move { refresh(&env, &grounds).await });
        }
        Due::First => refresh(&platform.env, grounds).await,
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
    let asked = HOUSE.with(|house| house.table(env, &name, &place, known, least, cached_s, wait_ms));
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

/// Notes that the house's table has this revision now: whoever looks here next sees at least that.
pub fn expect(revision: u64) {
    COPY.with_borrow_mut(|copy| copy.expect(dice::now_ms(), revision));
}

/// Returns the address of the house.
///
/// # Errors
/// A refusal, where there is none.
pub fn address(received: &Received) -> Result<Address, Draft> {
    let grounds = received.deployment.settings.grounds.as_ref();
    let house = grounds.map(Address::of_house);
    house.ok_or_else(|| {
        let why = "There is no house, which keeps rooms, operators and pictures of the desk: wrangler.toml has no [vars.GROUNDS]. A path of the site in page_logo needs none.";
        Draft::error_saying(ErrorCode::NotFound, why)
    })
}
