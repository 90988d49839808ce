//! What lies in the assets: page templates for Baton itself, and the static files where no layer in front of the worker serves them.

use std::rc::Rc;

use wasm_bindgen_futures::JsFuture;
use worker::Env;
use worker::web_sys::{Request, Response};

use super::answers::{Draft, finish};
use super::incoming::Incoming;
use super::js;
use super::memory::{self, PlainPage};
use super::received::Received;
use crate::log::{self, Code, Remark};
use gate::{ErrorCode, Language, Template};

/// The host in requests to the assets, which look at the path only.
const ASSETS_HOST: &str = "https://assets.invalid";

/// Returns the waiting page in this language, read once in an isolate, or `None` while the assets cannot be read.
pub async fn template(env: &Env, language: Language) -> Option<Rc<Template>> {
    if let Some(template) = memory::template(language) {
        return Some(template);
    }
    let text = read(env, &format!("page.{}.html", language.tag())).await?;
    match Template::parse(&text) {
        Ok(template) => {
            let template = Rc::new(template);
            memory::keep_template(language, &template);
            Some(template)
        }
        Err(error) => {
            let why = format!("page.{}.html is no template: {error:?}", language.tag());
            log::say(&Remark::front(Code::AssetsFailed).because(why));
            None
        }
    }
}

/// Returns a plain page in the visitor's language, read once in an isolate, or `None` while the assets cannot be read.
pub(super) async fn plain_page(env: &Env, received: &Received, page: PlainPage) -> Option<Rc<str>> {
    let language = received.language();
    if let Some(html) = memory::plain_page(page, language) {
        return Some(html);
    }
    let file = format!("{}.{}.html", page.name(), language.tag());
    let html = Rc::from(read(env, &file).await?);
    memory::keep_plain_page(page, language, &html);
    Some(html)
}

pub async fn read(env: &Env, file: &str) -> Option<String> {
    let assets = js::fetcher(env, "ASSETS")?;
    let request = Request::new_with_str(&format!("{ASSETS_HOST}/__baton/static/{file}")).ok()?;
    let response = match js::fetch(Some(&assets), &request, js::Patience::Endless).await {
        Ok(response) => response,
        Err(error) => {
            log::say(&Remark::front(Code::AssetsFailed).because(js::describe(&error)));
            return None;
        }
    };
    if response.status() != 200 {
        let why = format!("{file}: {}", response.status());
        log::say(&Remark::front(Code::AssetsFailed).because(why));
        return None;
    }
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// Answers with a static file. The assets know its type and caching; only the 404 is Baton's own.
pub async fn file(env: &Env, incoming: &Incoming, file: &str) -> Result<Response, wasm_bindgen::JsValue> {
    let missing = || finish(Draft::error(ErrorCode::NotFound), incoming);
    let Some(assets) = js::fetcher(env, "ASSETS") else {
        return missing();
    };
    let url = format!("{ASSETS_HOST}/__baton/static/{file}");
    let request = js::readdressed(incoming.raw(), &url)?;
    match js::fetch(Some(&assets), &request, js::Patience::Endless).await {
        Ok(response) if matches!(response.status(), 200 | 304) => Ok(response),
        Ok(_) => missing(),
        Err(error) => {
            log::say(&Remark::front(Code::AssetsFailed).because(js::describe(&error)));
            finish(Draft::error(ErrorCode::Internal), incoming)
        }
    }
}
