//! The few things of the platform that workers-rs does not hand through as they are: requests and answers are passed
//! on untouched, with their streams, their sockets and every method there is (workers-rs knows ten).

use std::borrow::Cow;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Headers, Request, RequestInit, Response, ResponseInit};
use worker::worker_sys::Fetcher;

use crate::edge::peers::js_ms;

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
    fn answer(
        this: &AtOnce,
        status: u16,
        lines: &str,
        body: Option<&[u8]>,
    ) -> Result<Response, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn send(
        this: &AtOnce,
        to: Option<&Fetcher>,
        request: &Request,
        timeout_ms: Option<u32>,
        ends_then: bool,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn text(this: &AtOnce, request: &Request) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn bytes(this: &AtOnce, request: &Request) -> Result<Promise, JsValue>;
}

/// Method, address, then name and value of every header, each a line.
pub fn read_request(request: &Request) -> String {
    AT_ONCE.with(|headers| headers.read(request))
}

/// What is to be seen of an answer at a glance.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its status.
    pub status: u16,
    /// When it came, Unix ms.
    pub at_ms: u64,
    /// Whether a socket came with it.
    pub is_open_socket: bool,
    /// Those of its headers that could be Baton's in some spelling, hold an address or are `set-cookie`: lower-case names, each once.
    /// Most answers have none.
    pub names: Vec<String>,
}

impl Seen {
    /// Looks at an answer.
    pub fn of(answer: &Response) -> Self {
        Self::read(&AT_ONCE.with(|headers| headers.seen(answer)))
    }

    /// What JavaScript saw, in the form of headers.js.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let (status, at_ms, socket) = (next(), next(), next());
        let mut names: Vec<String> = lines.map(str::to_owned).collect();
        names.dedup();
        Self {
            status: status.parse().unwrap_or_default(),
            at_ms: at_ms.parse().unwrap_or_default(),
            is_open_socket: !socket.is_empty(),
            names,
        }
    }
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

impl Patience {
    /// In ms, if at all; and whether the request ends then.
    pub const fn parts(self) -> (Option<u64>, bool) {
        match self {
            Self::Endless => (None, false),
            Self::Begun(ms) => (Some(ms), false),
            Self::BegunOrEnded(ms) => (Some(ms), true),
        }
    }
}

/// Where a request goes on to.
#[derive(Debug)]
pub struct Way<'a> {
    /// The address.
    pub url: Cow<'a, str>,
    /// To a binding, or the zone's own origin: what the platform knows of the visitor goes along.
    pub is_within: bool,
    /// The machine is that of another host name, as far as the platform lets it be.
    pub found_by: Option<&'a str>,
    /// How long the answer is waited for.
    pub patience: Patience,
}

/// What became of a request that was to go on.
pub enum Gone {
    /// It is on its way.
    Sent(JsFuture),
    /// It was not sent: the platform makes this address of the one that was named.
    Readdressed(String),
}

/// Name and value of headers in turn, each a line: how they cross in one piece.
///
/// # Errors
/// When a value holds a line break, which no header may.
pub fn lines_of<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<String, JsValue> {
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

/// Sends the same request somewhere else, with headers changed as [`lines_of`] has them; an empty value takes one away. One call, whatever
/// it takes. `to`: a binding; none: outside.
///
/// # Errors
/// When the platform does not take it.
pub fn go_on(
    request: &Request,
    way: &Way<'_>,
    lines: &str,
    to: Option<&Fetcher>,
) -> Result<Gone, JsValue> {
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

/// Sends a request to a binding, or outside. Fails if the answer has not begun in time.
pub async fn fetch(
    to: Option<&Fetcher>,
    request: &Request,
    patience: Patience,
) -> Result<Response, JsValue> {
    let (timeout_ms, ends_then) = patience.parts();
    let timeout_ms = timeout_ms.map(js_ms);
    let sent = AT_ONCE.with(|headers| headers.send(to, request, timeout_ms, ends_then))?;
    JsFuture::from(sent).await?.dyn_into()
}

/// A binding that takes requests: assets, or a service.
pub fn fetcher(env: &worker::Env, name: &str) -> Option<Fetcher> {
    let value = js_sys::Reflect::get(env, &JsValue::from(name)).ok()?;
    value.is_object().then(|| value.unchecked_into())
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

/// An answer of our own, in one call. No `body`, no stream. It goes as the bytes that it is: as text it would be decoded here, and encoded
/// again on its way out.
///
/// # Errors
/// When the platform refuses a header or the status, or [`lines_of`] a header.
pub fn answer(
    status: u16,
    headers: &[(&str, String)],
    body: Option<&str>,
) -> Result<Response, JsValue> {
    let lines = lines_of(headers.iter().map(|(name, value)| (*name, value.as_str())))?;
    AT_ONCE.with(|at_once| at_once.answer(status, &lines, body.map(str::as_bytes)))
}

/// The header's value; several of one name joined by `, `.
pub fn header(headers: &Headers, name: &str) -> Option<String> {
    headers.get(name).ok().flatten()
}

/// Every `Set-Cookie`, each by itself.
pub fn set_cookies(headers: &Headers) -> Vec<String> {
    headers.unchecked_ref::<Lists>().get_set_cookie()
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
