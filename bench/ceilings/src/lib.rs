//! The ceilings: what this runtime on this machine can do when a worker does hardly anything. The first part of the
//! path picks the worker, so that one build gives all of them:
//!
//! | path | what |
//! |---|---|
//! | `/empty` | an answer |
//! | `/page/BYTES` | an answer of so many bytes, with the headers of a waiting page |
//! | `/forward/…` | hands the request on to the origin |
//! | `/marked/…` | the same, with the headers that Baton adds (`marked.js`) |
//! | `/count`, `/insert` | worker → object that counts; that inserts one row |
//! | `/relay/NAME/…` | worker → object → another client's socket (`relay.rs`) |
//! | `/hop/NAME/…` | the same with one object and one inserted row in between |
//! | `/hop2/NAME/…` | the same with a row of its own before: what Baton has to write |
//! | `/ported/NAME/…` | the same through three objects, as through a porter |
//! | `/onward/NAME/…` | `/hop/` beside an answer of the origin |
//! | `/feed/…`, `/look/…`, `/mint/…` | no ceilings: they drive the real objects (`feed.rs`) |
//!
//! Nothing is checked and nothing is told apart that need not be: each thing left out here is one that Baton has to
//! do and that shows in the ratio.

mod desk;
mod feed;
mod relay;

use js_sys::Promise;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Request, RequestInit, Response};
use worker::worker_sys::Fetcher;
use worker::{Context, Env, Result, event};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = fetch)]
    fn fetch_outside(request: &Request) -> std::result::Result<Promise, JsValue>;
}

#[wasm_bindgen(module = "/src/marked.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = forwardMarked)]
    fn forward_marked(request: &Request, url: &str) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(catch, js_name = constantPage)]
    fn constant_page(bytes: &[u8]) -> std::result::Result<Response, JsValue>;
}

thread_local! {
    static PAGE: RefCell<Vec<u8>> = RefCell::default();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    let url = request.url();
    let path = path_of(&url);
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    match first {
        "empty" => Ok(Response::new_with_opt_str(Some("ok"))?),
        "page" => page(rest),
        "forward" => forward(&request, &env, rest).await,
        "marked" => {
            let origin = env.var("ORIGIN")?.to_string();
            let answer = forward_marked(&request, &format!("{origin}/{rest}"))?;
            Ok(JsFuture::from(answer).await?.dyn_into()?)
        }
        "count" | "insert" => object(&env, "DESK", "the one", &request).await,
        "relay" | "hop" | "hop2" => object(&env, "RELAY", name_in(rest), &request).await,
        "ported" => object(&env, "RELAY", "lobby", &request).await,
        "onward" => {
            let answer = forward(&request, &env, "page").await?;
            let name = name_in(rest).to_owned();
            context.wait_until(async move {
                let told = Request::new_with_str(&format!("https://ceiling/hop/{name}/send"));
                if let Ok(told) = told {
                    let _ = object(&env, "RELAY", &name, &told).await;
                }
            });
            Ok(answer)
        }
        "feed" => feed::batch(&env, rest).await.or_else(|error| said(&error)),
        "look" => feed::look(&env, rest).await.or_else(|error| said(&error)),
        "mint" => feed::mint(&env, rest),
        _ => Ok(not_found()?),
    }
}

/// What follows `http://host/`.
fn path_of(url: &str) -> &str {
    let host_at = url.find("://").map_or(0, |at| at + 3);
    let after = url.get(host_at..).unwrap_or_default();
    after.split_once('/').map_or("", |(_, path)| path)
}

fn name_in(rest: &str) -> &str {
    rest.split('/').next().unwrap_or_default()
}

/// A page that was made once.
fn page(bytes: &str) -> Result<Response> {
    let length = bytes.parse().unwrap_or(1);
    PAGE.with_borrow_mut(|page| {
        if page.len() != length {
            *page = vec![b'-'; length];
        }
        Ok(constant_page(page)?)
    })
}

fn not_found() -> std::result::Result<Response, JsValue> {
    let init = worker::web_sys::ResponseInit::new();
    init.set_status(404);
    Response::new_with_opt_str_and_init(Some("there is no such ceiling"), &init)
}

/// Answers 500 with the error's text, which the benchmark prints.
fn said(error: &worker::Error) -> Result<Response> {
    let init = worker::web_sys::ResponseInit::new();
    init.set_status(500);
    Ok(Response::new_with_opt_str_and_init(
        Some(&error.to_string()),
        &init,
    )?)
}

async fn forward(request: &Request, env: &Env, path: &str) -> Result<Response> {
    let origin = env.var("ORIGIN")?.to_string();
    let url = format!("{origin}/{path}");
    let onward = Request::new_with_str_and_init(&url, request.unchecked_ref::<RequestInit>())?;
    Ok(JsFuture::from(fetch_outside(&onward)?).await?.dyn_into()?)
}

/// Hands a request to an object as it is.
async fn object(env: &Env, binding: &str, name: &str, request: &Request) -> Result<Response> {
    let stub = env.durable_object(binding)?.get_by_name(name)?;
    let answer = stub.into_rpc::<Fetcher>().fetch(request)?;
    Ok(JsFuture::from(answer).await?.dyn_into()?)
}
