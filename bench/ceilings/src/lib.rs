//! The ceilings: what this runtime can do on this machine when a worker does hardly anything. The first part of the path picks the worker, so
//! that one build holds all of them:
//!
//! | path | what |
//! |---|---|
//! | `/empty` | an answer |
//! | `/page/BYTES` | an answer of BYTES bytes, with the headers of a waiting page |
//! | `/forward/…` | forwards the request to the origin |
//! | `/marked/…` | does the same, with the headers that Baton adds (`marked.js`) |
//! | `/count`, `/insert` | worker → an object that counts; one that also inserts a row |
//! | `/relay/NAME/…` | worker → object → another client's socket (`relay.rs`) |
//! | `/hop/NAME/…` | the same through one more object, which inserts a row |
//! | `/hop2/NAME/…` | the same as `/hop/`, and the relay inserts a row of its own first |
//! | `/ported/NAME/…` | the same through three more objects, as through a porter |
//! | `/onward/NAME/…` | `/hop/` beside an answer of the origin |
//! | `/feed/…`, `/look/…`, `/held/…`, `/mint/…` | no ceilings: they drive the real objects (`feed.rs`) |
//!
//! The ceilings check nothing and tell nothing apart unless they must. Baton has to do everything that they leave out, and the ratio shows its cost.

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
        "held" => feed::held(&env, rest).await.or_else(|error| said(&error)),
        "mint" => feed::mint(&env, rest),
        _ => Ok(not_found()?),
    }
}

/// Returns what follows `http://host/`.
fn path_of(url: &str) -> &str {
    let host_at = url.find("://").map_or(0, |at| at + 3);
    let after = url.get(host_at..).unwrap_or_default();
    after.split_once('/').map_or("", |(_, path)| path)
}

fn name_in(rest: &str) -> &str {
    rest.split('/').next().unwrap_or_default()
}

/// Answers with a page that is made once for each length.
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
    Ok(Response::new_with_opt_str_and_init(Some(&error.to_string()), &init)?)
}

async fn forward(request: &Request, env: &Env, path: &str) -> Result<Response> {
    let origin = env.var("ORIGIN")?.to_string();
    let url = format!("{origin}/{path}");
    let onward = Request::new_with_str_and_init(&url, request.unchecked_ref::<RequestInit>())?;
    Ok(JsFuture::from(fetch_outside(&onward)?).await?.dyn_into()?)
}

/// Passes a request on to an object unchanged.
async fn object(env: &Env, binding: &str, name: &str, request: &Request) -> Result<Response> {
    let stub = env.durable_object(binding)?.get_by_name(name)?;
    let answer = stub.into_rpc::<Fetcher>().fetch(request)?;
    Ok(JsFuture::from(answer).await?.dyn_into()?)
}
