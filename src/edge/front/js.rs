//! The few things of the platform that workers-rs does not hand through as they are: requests and answers are passed
//! on untouched, with their streams, their sockets and every method there is (workers-rs knows ten).

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Headers, Request, RequestInit, Response, ResponseInit};
use worker::worker_sys::Fetcher;

/// As the platform names what was not in time.
const LATE: &str = "TimeoutError";

#[wasm_bindgen(module = "/src/edge/front/headers.js")]
extern "C" {
    type AtOnce;
    #[wasm_bindgen(thread_local_v2, js_name = headers)]
    static AT_ONCE: AtOnce;

    #[wasm_bindgen(method)]
    fn read(this: &AtOnce, request: &Request) -> String;
    #[wasm_bindgen(method)]
    fn names(this: &AtOnce, answer: &Response) -> String;
    #[wasm_bindgen(method, catch)]
    fn outward(
        this: &AtOnce,
        request: &Request,
        url: &str,
        found_by: Option<&str>,
    ) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn send(
        this: &AtOnce,
        to: Option<&Fetcher>,
        request: &Request,
        timeout_ms: Option<f64>,
        ends_then: bool,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn text(this: &AtOnce, request: &Request) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn bytes(this: &AtOnce, request: &Request) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn change(this: &AtOnce, request: &Request, lines: &str) -> Result<(), JsValue>;
}

/// Method, address, then name and value of every header, each a line.
pub fn read_request(request: &Request) -> String {
    AT_ONCE.with(|headers| headers.read(request))
}

/// Those of an answer's headers that could be Baton's in some spelling, hold an address or are `set-cookie`: lower-case names,
/// each once.
/// Most answers have none, so nothing crosses.
pub fn telling_names(answer: &Response) -> Vec<String> {
    let names = AT_ONCE.with(|headers| headers.names(answer));
    let mut names: Vec<String> = names.lines().map(str::to_owned).collect();
    names.dedup();
    names
}

/// A request's whole body.
///
/// # Errors
/// When it cannot be read.
pub async fn text_of(request: &Request) -> Result<String, JsValue> {
    let text = JsFuture::from(AT_ONCE.with(|headers| headers.text(request))?).await?;
    Ok(text.as_string().unwrap_or_default())
}

/// The same as bytes.
///
/// # Errors
/// When it cannot be read.
pub async fn bytes_of(request: &Request) -> Result<Vec<u8>, JsValue> {
    let bytes = JsFuture::from(AT_ONCE.with(|headers| headers.bytes(request))?).await?;
    Ok(js_sys::Uint8Array::new(&bytes).to_vec())
}

/// Sets headers of a request. An empty value takes the header away.
///
/// # Errors
/// When the platform does not take one.
pub fn change_headers(request: &Request, changes: &[(&str, &str)]) -> Result<(), JsValue> {
    let mut lines = String::new();
    for (name, value) in changes {
        for part in [name, value] {
            lines.push_str(part);
            lines.push('\n');
        }
    }
    AT_ONCE.with(|headers| headers.change(request, &lines))
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(extends = js_sys::Object)]
    type Lists;
    #[wasm_bindgen(method, js_name = getSetCookie)]
    fn get_set_cookie(this: &Lists) -> Vec<String>;

    #[wasm_bindgen(extends = js_sys::Object)]
    type Failure;
    #[wasm_bindgen(method, getter)]
    fn overloaded(this: &Failure) -> JsValue;
}

/// How long an answer is waited for. Its body may take as long as it likes.
#[derive(Debug, Clone, Copy)]
pub enum Patience {
    /// To its end.
    Endless,
    /// It must begin within so many ms, or is not read.
    Begun(u64),
    /// Likewise, and then the request ends too, also while it is being sent.
    BegunOrEnded(u64),
}

/// Sends a request to a binding, or outside. Fails if the answer has not begun in time.
pub async fn fetch(
    to: Option<&Fetcher>,
    request: &Request,
    patience: Patience,
) -> Result<Response, JsValue> {
    let (timeout_ms, ends_then) = match patience {
        Patience::Endless => (None, false),
        Patience::Begun(ms) => (Some(ms as f64), false),
        Patience::BegunOrEnded(ms) => (Some(ms as f64), true),
    };
    let sent = AT_ONCE.with(|headers| headers.send(to, request, timeout_ms, ends_then))?;
    JsFuture::from(sent).await?.dyn_into()
}

/// A binding that takes requests: assets, or a service.
pub fn fetcher(env: &worker::Env, name: &str) -> Option<Fetcher> {
    let value = js_sys::Reflect::get(env, &JsValue::from(name)).ok()?;
    value.is_object().then(|| value.unchecked_into())
}

/// The same request for an address outside, without what the platform knows of the visitor. With `found_by` the machine is
/// that of another host name, as far as the platform lets it be.
///
/// # Errors
/// When the platform does not take it.
pub fn outward(request: &Request, url: &str, found_by: Option<&str>) -> Result<Request, JsValue> {
    AT_ONCE.with(|headers| headers.outward(request, url, found_by))
}

/// The same request for a binding: method, headers, body (as the stream it is), redirects not followed.
pub fn readdressed(request: &Request, url: &str) -> Result<Request, JsValue> {
    Request::new_with_str_and_init(url, request.unchecked_ref::<RequestInit>())
}

/// The same answer with headers that can be changed: status, body stream and socket are its own.
pub fn changeable(answer: &Response) -> Result<Response, JsValue> {
    Response::new_with_opt_readable_stream_and_init(
        answer.body().as_ref(),
        answer.unchecked_ref::<ResponseInit>(),
    )
}

/// An answer of our own. No `body`, no stream.
pub fn answer(status: u16, headers: &Headers, body: Option<&str>) -> Result<Response, JsValue> {
    let init = ResponseInit::new();
    init.set_status(status);
    init.set_headers(headers.as_ref());
    Response::new_with_opt_str_and_init(body, &init)
}

/// The header's value; several of one name joined by `, `.
pub fn header(headers: &Headers, name: &str) -> Option<String> {
    headers.get(name).ok().flatten()
}

/// Every `Set-Cookie`, each by itself.
pub fn set_cookies(headers: &Headers) -> Vec<String> {
    headers.unchecked_ref::<Lists>().get_set_cookie()
}

/// Whether an answer to an upgrade brought a socket.
pub fn is_open_socket(answer: &Response) -> bool {
    js_sys::Reflect::get(answer, &JsValue::from("webSocket")).is_ok_and(|socket| socket.is_object())
}

/// Whether a stub says that its object has more to do than it can. Asking again makes it worse.
pub fn is_overloaded(error: &JsValue) -> bool {
    error.is_object() && error.unchecked_ref::<Failure>().overloaded().is_truthy()
}

/// Whether somebody had its time and did not answer.
pub fn is_late(error: &JsValue) -> bool {
    error
        .dyn_ref::<js_sys::Error>()
        .is_some_and(|error| error.name() == LATE)
}

/// What was thrown, for the log.
pub fn describe(error: &JsValue) -> String {
    let said = error
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()));
    said.unwrap_or_else(|| format!("{error:?}"))
}
