//! The few things of the platform that workers-rs does not pass through unchanged: requests and answers with their streams, their sockets and
//! every method there is (workers-rs knows ten).

use std::borrow::Cow;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Headers, Request, RequestInit, Response, ResponseInit};
use worker::worker_sys::Fetcher;

use crate::peers::js_ms;

/// The name of the error when a call took too long, as the platform and peers.js give it.
const LATE: &str = "TimeoutError";

#[wasm_bindgen(module = "/front/headers.js")]
extern "C" {
    type AtOnce;
    #[wasm_bindgen(thread_local_v2, js_name = headers)]
    static AT_ONCE: AtOnce;

    #[wasm_bindgen(method)]
    fn read(this: &AtOnce, request: &Request) -> String;
    #[wasm_bindgen(method)]
    fn seen(this: &AtOnce, answer: &Response) -> String;
    #[wasm_bindgen(method, catch, js_name = goOn)]
    fn go_on(
        this: &AtOnce,
        request: &Request,
        url: &str,
        is_within: bool,
        found_by: Option<&str>,
        lines: &str,
        to: Option<&Fetcher>,
        timeout_ms: Option<u32>,
        ends_then: bool,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn answer(this: &AtOnce, status: u16, lines: &str, body: Option<&[u8]>) -> Result<Response, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn send(this: &AtOnce, to: Option<&Fetcher>, request: &Request, timeout_ms: Option<u32>, ends_then: bool) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method)]
    fn text(this: &AtOnce, message: &JsValue, bytes_max: u32) -> Promise;
    #[wasm_bindgen(method)]
    fn bytes(this: &AtOnce, message: &JsValue, bytes_max: u32) -> Promise;
    #[wasm_bindgen(method)]
    fn only(this: &AtOnce, answer: &Response) -> String;
    #[wasm_bindgen(method, js_name = toCaches)]
    fn to_caches(this: &AtOnce, headers: &Headers) -> String;
    #[wasm_bindgen(method, js_name = makePrivate)]
    fn make_private(this: &AtOnce, headers: &Headers, cache_control: &str);
}

/// Returns method, address, then name and value of every header, one a line.
pub fn read_request(request: &Request) -> String {
    AT_ONCE.with(|headers| headers.read(request))
}

/// What a glance at an answer shows.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The status.
    pub status: u16,
    /// When the answer came, Unix ms.
    pub at_ms: u64,
    /// Whether a socket came with it.
    pub is_open_socket: bool,
    /// Its `Cache-Control`.
    pub cache_control: Option<String>,
    /// Lower-case names of the headers that could be Baton's in some spelling, hold an address, set or
    /// clear cookies, or speak to shared caches alone; each once. Most answers have none.
    pub names: Vec<String>,
}

impl Seen {
    /// Glances at an answer.
    pub fn of(answer: &Response) -> Self {
        Self::read(&AT_ONCE.with(|headers| headers.seen(answer)))
    }

    /// Reads what JavaScript saw, in the form of headers.js.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let (status, at_ms, socket, cache_control) = (next(), next(), next(), next());
        let mut names: Vec<String> = lines.map(str::to_owned).collect();
        names.dedup();
        Self {
            status: status.parse().unwrap_or_default(),
            at_ms: at_ms.parse().unwrap_or_default(),
            is_open_socket: !socket.is_empty(),
            cache_control: (!cache_control.is_empty()).then(|| cache_control.to_owned()),
            names,
        }
    }
}

/// Reads the body of a request or an answer as text. Returns `None` if it has more than `bytes_max` bytes; the rest is not read then.
///
/// # Errors
/// When it cannot be read.
pub async fn text_of(message: &impl AsRef<JsValue>, bytes_max: usize) -> Result<Option<String>, JsValue> {
    let read = AT_ONCE.with(|headers| headers.text(message.as_ref(), js_bytes(bytes_max)));
    Ok(JsFuture::from(read).await?.as_string())
}

/// Reads the body as bytes, likewise.
///
/// # Errors
/// When it cannot be read.
pub async fn bytes_of(message: &impl AsRef<JsValue>, bytes_max: usize) -> Result<Option<Vec<u8>>, JsValue> {
    let read = AT_ONCE.with(|headers| headers.bytes(message.as_ref(), js_bytes(bytes_max)));
    let bytes = JsFuture::from(read).await?.dyn_into::<js_sys::Uint8Array>();
    Ok(bytes.ok().map(|bytes| bytes.to_vec()))
}

fn js_bytes(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Returns the lower-case name and the value of every header of an answer of which nothing else is wanted.
pub fn headers_alone(answer: &Response) -> Vec<(String, String)> {
    pairs_of(&AT_ONCE.with(|headers| headers.only(answer)))
}

/// Returns the lower-case name and the value of every header that speaks to shared caches alone.
pub fn headers_to_caches(headers: &Headers) -> Vec<(String, String)> {
    pairs_of(&AT_ONCE.with(|all| all.to_caches(headers)))
}

/// Lets no shared cache keep the answer with these headers, by this `Cache-Control`.
pub fn make_private(headers: &Headers, cache_control: &str) {
    AT_ONCE.with(|all| all.make_private(headers, cache_control));
}

fn pairs_of(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.as_chunks::<2>().0.iter();
    pairs.map(|[name, value]| ((*name).to_owned(), (*value).to_owned())).collect()
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

/// How long to wait for an answer. Its body may take as long as it likes.
#[derive(Debug, Clone, Copy)]
pub enum Patience {
    /// Without a limit.
    Endless,
    /// The answer must begin within this many ms, otherwise it is not read.
    Begun(u64),
    /// The answer must begin within this many ms, otherwise the request ends too, even while it is still being sent.
    BegunOrEnded(u64),
}

impl Patience {
    /// The limit in ms, if there is one, and whether the request ends with it.
    pub const fn parts(self) -> (Option<u64>, bool) {
        match self {
            Self::Endless => (None, false),
            Self::Begun(ms) => (Some(ms), false),
            Self::BegunOrEnded(ms) => (Some(ms), true),
        }
    }
}

/// Where a request goes on to, and how.
#[derive(Debug)]
pub struct Way<'a> {
    /// The address.
    pub url: Cow<'a, str>,
    /// Whether it goes to a binding or to the zone's own origin. What the platform knows of the visitor then goes along.
    pub is_within: bool,
    /// Another host name by whose machine the address is reached, as far as the platform allows it.
    pub found_by: Option<&'a str>,
    /// How long to wait for the answer.
    pub patience: Patience,
}

/// What became of a request to be sent on.
pub enum Gone {
    /// It is on its way.
    Sent(JsFuture),
    /// It was not sent: the platform turns the address into this one.
    Readdressed(String),
}

/// Writes headers as lines, name and value in turn, so that they cross into JavaScript in one piece.
///
/// # Errors
/// When a value holds a line break, which no header may.
pub fn lines_of<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<String, JsValue> {
    let mut lines = String::new();
    for (name, value) in headers {
        if value.contains('\n') {
            return Err(JsValue::from_str(&format!("a line break in {name}")));
        }
        for part in [name, value] {
            lines.push_str(part);
            lines.push('\n');
        }
    }
    Ok(lines)
}

/// Sends the same request somewhere else in one call, with headers changed as [`lines_of`] writes them; an empty value removes a
/// header. `to` is a binding, `None` the outside.
///
/// # Errors
/// When the platform does not take it.
pub fn go_on(request: &Request, way: &Way<'_>, lines: &str, to: Option<&Fetcher>) -> Result<Gone, JsValue> {
    let (timeout_ms, ends_then) = way.patience.parts();
    let gone = AT_ONCE.with(|headers| {
        headers.go_on(
            request,
            &way.url,
            way.is_within,
            way.found_by,
            lines,
            to,
            timeout_ms.map(js_ms),
            ends_then,
        )
    })?;
    Ok(match gone.as_string() {
        Some(url) => Gone::Readdressed(url),
        None => Gone::Sent(JsFuture::from(gone.unchecked_into::<Promise>())),
    })
}

/// Sends a request to a binding, or outside. Fails if the answer does not begin in time.
pub async fn fetch(to: Option<&Fetcher>, request: &Request, patience: Patience) -> Result<Response, JsValue> {
    let (timeout_ms, ends_then) = patience.parts();
    let timeout_ms = timeout_ms.map(js_ms);
    let sent = AT_ONCE.with(|headers| headers.send(to, request, timeout_ms, ends_then))?;
    JsFuture::from(sent).await?.dyn_into()
}

/// Returns a binding that takes requests: assets, or a service.
pub fn fetcher(env: &worker::Env, name: &str) -> Option<Fetcher> {
    let value = js_sys::Reflect::get(env, &JsValue::from(name)).ok()?;
    value.is_object().then(|| value.unchecked_into())
}

/// Returns the same request for a binding: method, headers, body (as the stream it is), redirects not followed.
pub fn readdressed(request: &Request, url: &str) -> Result<Request, JsValue> {
    Request::new_with_str_and_init(url, request.unchecked_ref::<RequestInit>())
}

/// Returns the same answer with headers that can be changed. Status, body stream and socket stay its own.
pub fn changeable(answer: &Response) -> Result<Response, JsValue> {
    Response::new_with_opt_readable_stream_and_init(answer.body().as_ref(), answer.unchecked_ref::<ResponseInit>())
}

/// Makes an answer of Baton's own in one call. Without `body` there is no stream. The body crosses as bytes: as text it would be
/// decoded here and encoded again on its way out.
///
/// # Errors
/// When the platform refuses a header or the status, or [`lines_of`] a header.
pub fn answer(status: u16, headers: &[(&str, String)], body: Option<&str>) -> Result<Response, JsValue> {
    let lines = lines_of(headers.iter().map(|(name, value)| (*name, value.as_str())))?;
    AT_ONCE.with(|at_once| at_once.answer(status, &lines, body.map(str::as_bytes)))
}

/// Returns a header's value; several of the same name are joined by `, `.
pub fn header(headers: &Headers, name: &str) -> Option<String> {
    headers.get(name).ok().flatten()
}

/// Returns every `Set-Cookie` by itself.
pub fn set_cookies(headers: &Headers) -> Vec<String> {
    headers.unchecked_ref::<Lists>().get_set_cookie()
}

/// Whether a stub says that its object is overloaded. Asking again makes it worse.
pub fn is_overloaded(error: &JsValue) -> bool {
    error.is_object() && error.unchecked_ref::<Failure>().overloaded().is_truthy()
}

/// Whether the error is that no answer came in time.
pub fn is_late(error: &JsValue) -> bool {
    error.dyn_ref::<js_sys::Error>().is_some_and(|error| error.name() == LATE)
}

/// Describes what was thrown, for the log.
pub fn describe(error: &JsValue) -> String {
    let said = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    said.unwrap_or_else(|| format!("{error:?}"))
}
