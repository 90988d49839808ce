//! The way to the origin and back. Baton adds and removes headers; everything else stays untouched and is streamed.
//!
//! The request goes out as the platform clones it: method, headers, body stream, `Upgrade`, redirects not followed.
//! - With the variable `ORIGIN`, scheme and host are the origin's, and so is `Host`. With `ORIGIN_HOST = "public"` only the machine is the
//!   origin's: the platform finds it by the origin's name (`resolveOverride`), and `Host` stays the visitor's. Where the origin's answer points to
//!   the address at which the front asked it, the front rewrites that to the visitor's (`gate/relocate.rs`).
//! - With a service binding, or the zone's own origin, address and `Host` stay the visitor's.
//! - The visitor's host, scheme and address go in `X-Forwarded-Host`, `-Proto` and `-For`, which replace whatever the client claimed. The host is
//!   as safe as a `Host` header: the platform brings only requests for hosts of ours here, and where rooms name hosts the gate refuses every other
//!   (421). The address is the one that the platform gives; without it there is none.
//!
//! Path and query go on as the gate judged them: spelled as the URL standard spells them (`gate/sent.rs`), which is also what the platform's
//! `fetch` does. Should the platform ever make something else of an address, the gate judges that too, and a path that would be another room's is
//! not sent. `Baton-Proof` is made for what is sent.

use std::borrow::Cow;

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;
use worker::web_sys::{Headers, Response};

use super::answers::{PRIVATE, put_tokens};
use super::incoming::{Incoming, path_of};
use super::js::{self, Gone, Patience, Seen, Way};
use super::memory;
use super::mode::{self, Together};
use super::returned::{Answer, Returned};
use crate::config::Origin;
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::units::Fence;
use gate::{
    CLEAR_SITE_DATA, Cacheability, Clearing, Cookies, Fate, Gate, HeaderKind, Host, Method, PREFLIGHT_HEADER, Pledge, Relocation, Site,
    cache_control_with_cookie, cacheability, fate_of, goes_with_preflight, is_baton_header, origin_headers, private_cache_control, said_to_shared,
    without_query,
};
use settings::{OriginHost, PassedHeaders, RoomSettings, SiteData};
use token::{OriginKey, ProofRequest};

/// A request that sends something may take this many times as long, sending included.
const SENT_PATIENCE: u64 = 6;

/// The binding of the service that is the origin.
pub const ORIGIN: &str = "ORIGIN";

/// A request on its way to the origin.
pub struct Onward<'a> {
    /// The request.
    pub incoming: &'a Incoming,
    /// The host that the visitor asked.
    pub host: &'a Host,
    /// Where the request goes on to.
    pub origin: Origin<'a>,
    /// How long the origin may take to begin its answer to a GET or HEAD, ms; for everything else `SENT_PATIENCE` times as long.
    pub timeout_ms: u64,
    /// What becomes of the origin's `Clear-Site-Data`.
    pub site_data: SiteData,
    /// Which of the client's headers go on although their names would keep them back.
    pub passed: &'a PassedHeaders,
    /// The key that signs the proof.
    pub key: Option<&'a OriginKey>,
    /// The gate that judged the path.
    pub gate: &'a Gate,
    /// The room to which the path was found to belong; `None`: no room.
    pub room: Option<&'a str>,
    /// Whether only what a browser's preflight has goes on, whatever came: no query either.
    pub is_preflight: bool,
}

/// Cookies to put on the origin's answer.
#[derive(Debug, Default)]
pub struct Attached {
    /// Cookies that must get through: where a shared cache might keep the answer, the answer is made private.
    pub must: Vec<String>,
    /// Cookies that may get lost: an answer that shared caches keep goes without them.
    pub may: Vec<String>,
}

impl Onward<'_> {
    /// Sends the request and waits for the answer to begin.
    ///
    /// # Errors
    /// When the platform refuses something about the request itself.
    pub async fn send(&self, env: &Env, pledge: Option<&Pledge<'_>>) -> Result<Returned, JsValue> {
        if mode::together(self.gate) == Together::Observed && self.keeps_something_back() {
            mode::hear_all(env, self.gate).await;
        }
        // The platform's clock stands still while code runs and goes on with each answer from outside.
        let now_ms = dice::now_ms();
        let Some(sent) = self.request(env, pledge, now_ms)? else {
            return Ok(Returned::Refused);
        };
        let came = match sent.await {
            Ok(response) => Ok(response.unchecked_into()),
            Err(error) => Err(js::describe(&error)),
        };
        Ok(Returned::of(pledge, now_ms, self.sends_nothing(), came))
    }

    /// How long the origin may take to begin its answer, ms. A request that sends something gets longer: nobody can tell whether the origin or the
    /// client is slow, and what it asks for may still be done.
    pub fn patience_ms(&self) -> u64 {
        if self.sends_nothing() {
            self.timeout_ms
        } else {
            self.timeout_ms.saturating_mul(SENT_PATIENCE)
        }
    }

    /// Whether the request sends nothing.
    fn sends_nothing(&self) -> bool {
        self.is_preflight || self.incoming.described().is_read()
    }

    /// Path and query as they go on.
    fn target(&self) -> &str {
        let target = self.incoming.path_and_query();
        if self.is_preflight { without_query(target) } else { target }
    }

    /// Whether the origin may take so long that the lease could end meanwhile.
    pub fn is_slow(&self, room: &RoomSettings) -> bool {
        self.patience_ms() >= room.core.lease_idle_ms / 2
    }

    /// Sends the request on. Returns `None` if the platform made a path of it that was not judged to be this room's.
    fn request(&self, env: &Env, pledge: Option<&Pledge<'_>>, now_ms: u64) -> Result<Option<JsFuture>, JsValue> {
        let way = self.way();
        let to = match self.origin {
            Origin::Service => js::fetcher(env, ORIGIN),
            Origin::Url(..) | Origin::Zone => None,
        };
        let send = |way: &Way<'_>| {
            let lines = self.lines(way, pledge, now_ms)?;
            js::go_on(self.incoming.raw(), way, &lines, to.as_ref())
        };
        let made = match send(&way)? {
            Gone::Sent(sent) => return Ok(Some(sent)),
            Gone::Readdressed(made) => made,
        };
        let path = path_of(&made);
        let method = Method::of(self.incoming.method());
        let is_judged = path == self.target() || (self.gate).is_of(self.room, self.host, method, path);
        if !is_judged {
            return Ok(None);
        }
        let way = Way {
            url: Cow::Borrowed(&made),
            ..way
        };
        Ok(match send(&way)? {
            Gone::Sent(sent) => Some(sent),
            Gone::Readdressed(_) => None,
        })
    }

    /// Returns where the request goes on to, and how long to wait for its answer.
    pub fn way(&self) -> Way<'_> {
        let (url, found_by, is_within) = self.address();
        let patience = if self.sends_nothing() {
            Patience::Begun(self.patience_ms())
        } else {
            Patience::BegunOrEnded(self.patience_ms())
        };
        Way {
            url,
            is_within,
            found_by,
            patience,
        }
    }

    /// Returns `url`, `found_by` and `is_within` of the [`Way`].
    fn address(&self) -> (Cow<'_, str>, Option<&str>, bool) {
        let path = self.target();
        match &self.origin {
            Origin::Url(site, OriginHost::Origin) => (Cow::Owned(format!("{}{path}", site.base())), None, false),
            Origin::Url(site, OriginHost::Public) => {
                let url = format!("{}://{}{path}", site.scheme.as_str(), self.host);
                (Cow::Owned(url), Some(site.host.name()), false)
            }
            Origin::Service | Origin::Zone if self.is_preflight => {
                let url = without_query(&self.incoming.url()).to_owned();
                (Cow::Owned(url), None, true)
            }
            Origin::Service | Origin::Zone => (self.incoming.url(), None, true),
        }
    }

    /// Returns the changes to the request's headers: what is added for the origin, and what must not reach it.
    ///
    /// # Errors
    /// When something about the request cannot be proved.
    pub fn lines(&self, way: &Way<'_>, pledge: Option<&Pledge<'_>>, now_ms: u64) -> Result<String, JsValue> {
        let proof = ProofRequest {
            method: self.incoming.method(),
            host: self.host.as_str(),
            path_and_query: path_of(&way.url),
            room: "",
            fence: Fence(0),
        };
        let nonce = dice::nonce()?;
        let added = origin_headers(pledge, self.key, now_ms, nonce, &proof).map_err(|error| JsValue::from_str(&format!("no proof: {error:?}")))?;
        let cookie = self.incoming.header("cookie");
        let cookie = cookie.filter(|_| !self.is_preflight);
        let kept = cookie.as_deref().map(|cookie| {
            let kept = self.cookies().without_own(cookie);
            kept.unwrap_or_default()
        });
        let claimed = self.incoming.headers();
        let claimed = claimed.filter(|(name, value)| !self.takes_along(name, value));
        let mut changes: Vec<(&str, &str)> = claimed.map(|(name, _)| (name, "")).collect();
        if kept != cookie {
            // Only if changed: text loses bytes that are not UTF-8.
            changes.extend(kept.as_deref().map(|kept| ("Cookie", kept)));
        }
        changes.push(("X-Forwarded-Host", self.host.as_str()));
        changes.push(("X-Forwarded-Proto", self.incoming.scheme().as_str()));
        let client = self.incoming.client().unwrap_or_default();
        changes.push(("X-Forwarded-For", &client));
        changes.extend(self.is_preflight.then_some((PREFLIGHT_HEADER, "1")));
        changes.extend(added.iter().map(|(name, value)| (*name, value.as_str())));
        js::lines_of(changes)
    }

    /// Returns the fate of a client's header in a deployment of which some room does more than observe.
    fn fate_of(&self, name: &str, value: &str) -> Fate {
        match fate_of(name, self.incoming.method(), self.passed) {
            // The platform, and what stands in front, may tell the address under several names.
            Fate::Stays(HeaderKind::Address) if self.incoming.is_client(value) => Fate::Goes,
            fate => fate,
        }
    }

    fn keeps_something_back(&self) -> bool {
        let stays = |(name, value): (&str, &str)| matches!(self.fate_of(name, value), Fate::Stays(_));
        self.incoming.headers().any(stays)
    }

    /// Whether a header of the client's goes on. Logs the first time that a name does not, or would not if the rooms did more than observe.
    fn takes_along(&self, name: &str, value: &str) -> bool {
        if self.is_preflight && !goes_with_preflight(name) {
            return false;
        }
        let kind = match self.fate_of(name, value) {
            Fate::Goes => return true,
            Fate::Ours => return false,
            Fate::Stays(kind) => kind,
        };
        // A header may move a request from one room to another.
        let goes = mode::together(self.gate) == Together::Observe;
        if memory::begin_saying_header(name) {
            let why = if goes { "it goes on while all rooms observe" } else { kind.as_str() };
            log::say(&Remark::front(Code::HeaderStays).about_header(name).because(why));
        }
        goes
    }

    /// Returns the origin's answer without Baton's headers and cookies, and with the visitor's address in place of the origin's. Leaves it
    /// untouched if there is nothing to change.
    pub fn plain(&self, answer: Answer) -> Result<Response, JsValue> {
        let cleaning = self.cleaning(&answer);
        if cleaning.is_none() {
            return Ok(answer.response);
        }
        let response = js::changeable(&answer.response)?;
        cleaning.apply(&response)?;
        Ok(response)
    }

    /// Returns the answer to a gated request: cleaned, kept by no cache if it is an error, and with Baton's cookies on it. With `needs_pass` no shared
    /// cache may keep it, whatever the shop said: it would hand the page to people without a pass.
    pub fn gated(&self, answer: Answer, attached: &Attached, needs_pass: bool) -> Result<Response, JsValue> {
        let failed = answer.glance.is_error();
        let narrows = needs_pass && answer.glance.is_for_shared_caches();
        if !failed && !narrows && attached.must.is_empty() && attached.may.is_empty() {
            return self.plain(answer);
        }
        let cleaning = self.cleaning(&answer);
        let response = js::changeable(&answer.response)?;
        let headers = response.headers();
        cleaning.apply(&response)?;
        let said = js::header(&headers, "cache-control");
        let kept = cacheability(said.as_deref(), shared(&headers).as_deref());
        let may = attached.may.iter().filter(|_| failed || kept != Cacheability::Public);
        let cookies: Vec<String> = attached.must.iter().chain(may).cloned().collect();
        let cache_control = if cookies.is_empty() { None } else { cache_control_with_cookie(kept) };
        if cache_control.is_some() || failed {
            js::make_private(&headers, PRIVATE);
        } else if let Some(narrowed) = private_cache_control(said.as_deref(), kept).filter(|_| narrows) {
            js::make_private(&headers, &narrowed);
        }
        if !cookies.is_empty() {
            put_tokens(&headers, self.incoming, &cookies)?;
        }
        Ok(response)
    }

    fn cleaning(&self, answer: &Answer) -> Cleaning {
        let glance = &answer.glance;
        let is_due = glance.sets_cookies || !glance.addresses.is_empty();
        if !is_due && !glance.speaks_baton && !glance.clears_data {
            return Cleaning::default();
        }
        let headers = answer.response.headers();
        let relocation = is_due.then(|| self.relocation()).flatten();
        let addresses = relocation.iter().flat_map(|relocation| {
            let value = |name| relocation.header(name, &js::header(&headers, name)?);
            let names = glance.addresses.iter();
            names.filter_map(move |name| Some((*name, value(name)?)))
        });
        let mut cleaning = Cleaning {
            takes_ours: glance.speaks_baton,
            addresses: addresses.collect(),
            cookies: glance
                .sets_cookies
                .then(|| self.cookies_let_through(js::set_cookies(&headers), relocation.as_ref()))
                .flatten(),
            clears: None,
        };
        if let Some((types, expired)) = glance.clears_data.then(|| self.clears(&headers)).flatten() {
            let mut lines = cleaning.cookies.take().unwrap_or_else(|| js::set_cookies(&headers));
            // Behind the origin's own: a browser that obeyed the header would keep none of those either.
            lines.extend(expired);
            cleaning.cookies = Some(lines);
            cleaning.clears = Some(types);
        }
        cleaning
    }

    /// Returns the `Clear-Site-Data` that the visitor gets, and the lines that expire the origin's cookies. Returns `None` if the origin's may stay.
    fn clears(&self, headers: &Headers) -> Option<(String, Vec<String>)> {
        if self.site_data == SiteData::Through {
            return None;
        }
        let shown = self.incoming.header("cookie");
        let header = js::header(headers, CLEAR_SITE_DATA)?;
        let path = self.incoming.path_and_query();
        let clearing = (self.cookies()).clearing(&header, shown.as_deref(), self.host, path);
        let (instead, why) = match clearing {
            Clearing::AsItIs => return None,
            Clearing::TooMuch => (None, "too many cookies, or odd names: the place goes too"),
            Clearing::Instead(types, expired) => (Some((types, expired)), "the place stays"),
        };
        if memory::begin_saying_clears() {
            log::say(&Remark::front(Code::ShopClearsCookies).because(why));
        }
        instead
    }

    /// Returns the origin's cookies as the visitor gets them, or `None` if they need no change.
    fn cookies_let_through(&self, lines: Vec<String>, relocation: Option<&Relocation<'_>>) -> Option<Vec<String>> {
        let mut is_changed = false;
        let mut kept = Vec::with_capacity(lines.len());
        for line in lines {
            let moved = relocation.and_then(|relocation| relocation.cookie(&line));
            let is_own = self.cookies().sets_own(&line);
            is_changed |= is_own || moved.is_some();
            if !is_own {
                kept.push(moved.unwrap_or(line));
            }
        }
        is_changed.then_some(kept)
    }

    fn relocation(&self) -> Option<Relocation<'_>> {
        match self.origin {
            Origin::Url(site, name) => Some(Relocation {
                from: match name {
                    OriginHost::Origin => site.clone(),
                    OriginHost::Public => Site {
                        scheme: site.scheme,
                        host: Host::parse(site.scheme, self.host.as_str())?,
                    },
                },
                scheme: self.incoming.scheme(),
                host: self.host,
            }),
            Origin::Service | Origin::Zone => None,
        }
    }

    fn cookies(&self) -> Cookies<'static> {
        Cookies::new(self.incoming.scheme(), self.host)
    }
}

/// What has to change in an answer. Most answers need nothing and are handed on as they are.
#[derive(Default)]
struct Cleaning {
    /// Whether the answer has headers of Baton's, which are removed.
    takes_ours: bool,
    /// Headers that get another value.
    addresses: Vec<(&'static str, String)>,
    /// All `Set-Cookie` lines, if one of them changes or goes.
    cookies: Option<Vec<String>>,
    /// What `Clear-Site-Data` says instead; empty if it goes. No cache may then keep the answer, which has lines for this visitor's cookies.
    clears: Option<String>,
}

impl Cleaning {
    fn is_none(&self) -> bool {
        !self.takes_ours && self.addresses.is_empty() && self.cookies.is_none()
    }

    fn apply(&self, response: &Response) -> Result<(), JsValue> {
        let headers = response.headers();
        if self.takes_ours {
            let seen = Seen::of(response);
            for name in seen.names.iter().filter(|name| is_baton_header(name)) {
                headers.delete(name)?;
            }
        }
        for (name, value) in &self.addresses {
            headers.set(name, value)?;
        }
        if let Some(lines) = &self.cookies {
            headers.delete("Set-Cookie")?;
            for line in lines {
                headers.append("Set-Cookie", line)?;
            }
        }
        if let Some(types) = &self.clears {
            if types.is_empty() {
                headers.delete(CLEAR_SITE_DATA)?;
            } else {
                headers.set(CLEAR_SITE_DATA, types)?;
            }
            js::make_private(&headers, PRIVATE);
        }
        Ok(())
    }
}

/// Returns what the headers to shared caches alone say, as `Cache-Control` says it.
fn shared(headers: &Headers) -> Option<String> {
    let values: Vec<String> = js::headers_to_caches(headers)
        .into_iter()
        .map(|(name, value)| said_to_shared(&name, value))
        .collect();
    (!values.is_empty()).then(|| values.join(","))
}
