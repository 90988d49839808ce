//! The way to the origin and back: headers added and taken away, everything else untouched and streamed.
//!
//! The request goes out as the platform clones it: method, headers, body stream, `Upgrade`, redirects not followed.
//! - With the variable `ORIGIN`, scheme and host are the origin's, and so is `Host`; with `ORIGIN_HOST = "public"` only the
//!   machine is, which the platform finds by the origin's name (`resolveOverride`), and `Host` stays the visitor's. Where its answer sends the visitor to that
//!   very address, it is made to mean the visitor's (`gate/relocate.rs`).
//! - With a service binding, or the zone's own origin, address and `Host` stay the visitor's.
//! - The visitor's host, scheme and address go in `X-Forwarded-Host`, `-Proto` and `-For`, replacing whatever the client claimed.
//!   The host is as safe as a `Host` header is: the platform only brings requests here whose host is one of ours, and where rooms
//!   name hosts the gate refuses every other (421). The address is the one that the platform gives; without it there is none.
//!
//! Path and query go on as the gate judged them: written as the URL standard writes them (`gate/sent.rs`), which is also
//! what the platform's `fetch` does. Should it ever make something else of an address, that is judged too, and what would be
//! another room's is not sent. `Baton-Proof` is made for what is sent.

use std::borrow::Cow;

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;
use worker::web_sys::{Headers, Response};

use super::answers::{PRIVATE, put_tokens};
use super::incoming::{Incoming, path_of};
use super::js::{self, Gone, Patience, Seen, Way};
use super::returned::{Answer, Returned};
use crate::edge::config::Origin;
use crate::edge::dice;
use crate::facts::units::Fence;
use crate::gate::{
    Cacheability, Cookies, Gate, Host, Pledge, Relocation, SHARED_CACHE_HEADERS, Site,
    cache_control_with_cookie, cacheability, is_baton_header, is_unwelcome, origin_headers,
};
use crate::settings::{OriginHost, RoomSettings};
use crate::token::{OriginKey, ProofRequest};

/// How many times as long what sends something may take, sending included.
const SENT_PATIENCE: u64 = 6;

/// The binding of a service that is the origin.
pub const ORIGIN: &str = "ORIGIN";

/// From a request to the origin.
pub struct Onward<'a> {
    /// The request.
    pub incoming: &'a Incoming,
    /// Where the visitor went.
    pub host: &'a Host,
    /// Where it goes on to.
    pub origin: Origin<'a>,
    /// How long it may take to begin its answer to a GET or HEAD; to everything else `SENT_PATIENCE` times as long.
    pub timeout_ms: u64,
    /// For the proof.
    pub key: Option<&'a OriginKey>,
    /// What judged the path.
    pub gate: &'a Gate,
    /// Whose the path was found to be; none: no room's.
    pub room: Option<&'a str>,
}

/// Cookies to put on the origin's answer.
#[derive(Debug, Default)]
pub struct Attached {
    /// These must get through: where a shared cache might keep the answer it is made private.
    pub must: Vec<String>,
    /// These may: an answer that shared caches keep goes without them.
    pub may: Vec<String>,
}

impl Onward<'_> {
    /// Sends the request.
    ///
    /// # Errors
    /// When the platform refuses something about the request itself.
    pub async fn send(&self, env: &Env, pledge: Option<&Pledge<'_>>) -> Result<Returned, JsValue> {
        // The platform's clock stands still while code runs, and goes on with each answer from outside.
        let now_ms = dice::now_ms();
        let Some(sent) = self.request(env, pledge, now_ms)? else {
            return Ok(Returned::Refused);
        };
        let came = match sent.await {
            Ok(response) => Ok(response.unchecked_into()),
            Err(error) => Err(js::describe(&error)),
        };
        Ok(Returned::of(pledge, now_ms, came))
    }

    /// How long the origin may take to begin its answer, in ms. Of what sends something nobody can say whether the origin is slow or the
    /// client, and what is to be done may yet be done.
    pub fn patience_ms(&self) -> u64 {
        if self.incoming.described().is_read() {
            self.timeout_ms
        } else {
            self.timeout_ms.saturating_mul(SENT_PATIENCE)
        }
    }

    /// Whether the origin may take so long that the lease could end meanwhile.
    pub fn is_slow(&self, room: &RoomSettings) -> bool {
        self.patience_ms() >= room.core.lease_idle_ms / 2
    }

    /// Sends the request on. None: the platform made a path of it that was not judged so.
    fn request(
        &self,
        env: &Env,
        pledge: Option<&Pledge<'_>>,
        now_ms: u64,
    ) -> Result<Option<JsFuture>, JsValue> {
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
        let judged_method = || self.incoming.described().judged_method();
        let is_judged = path == self.incoming.path_and_query()
            || (self.gate).is_of(self.room, self.host, judged_method(), path);
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

    /// Where the request goes on to, and how long its answer is waited for.
    pub fn way(&self) -> Way<'_> {
        let (url, found_by, is_within) = self.address();
        let patience = if self.incoming.described().is_read() {
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

    /// Where the request goes on to, by whose machine, and whether that is within.
    fn address(&self) -> (Cow<'_, str>, Option<&str>, bool) {
        let path = self.incoming.path_and_query();
        match &self.origin {
            Origin::Url(site, OriginHost::Origin) => {
                (Cow::Owned(format!("{}{path}", site.base())), None, false)
            }
            Origin::Url(site, OriginHost::Public) => {
                let url = format!("{}://{}{path}", site.scheme.as_str(), self.host);
                (Cow::Owned(url), Some(site.host.name()), false)
            }
            Origin::Service | Origin::Zone => (self.incoming.url(), None, true),
        }
    }

    /// What is changed of its headers on this way: those that are for the origin, and those that are not.
    ///
    /// # Errors
    /// When something about the request cannot be proved.
    pub fn lines(
        &self,
        way: &Way<'_>,
        pledge: Option<&Pledge<'_>>,
        now_ms: u64,
    ) -> Result<String, JsValue> {
        let proof = ProofRequest {
            method: self.incoming.method(),
            host: self.host.as_str(),
            path_and_query: path_of(&way.url),
            room: "",
            fence: Fence(0),
        };
        let nonce = dice::nonce()?;
        let added = origin_headers(pledge, self.key, now_ms, nonce, &proof)
            .map_err(|error| JsValue::from_str(&format!("no proof: {error:?}")))?;
        let cookie = self.incoming.header("cookie");
        let kept = cookie.as_deref().map(|cookie| {
            let kept = self.cookies().without_own(cookie);
            kept.unwrap_or_default()
        });
        let claimed = self.incoming.headers().map(|(name, _)| name);
        let method = self.incoming.method();
        let claimed = claimed.filter(|name| is_unwelcome(name, method));
        let mut changes: Vec<(&str, &str)> = claimed.map(|name| (name, "")).collect();
        if kept != cookie {
            // Only when changed: text loses bytes that are no UTF-8.
            changes.extend(kept.as_deref().map(|kept| ("Cookie", kept)));
        }
        changes.push(("X-Forwarded-Host", self.host.as_str()));
        changes.push(("X-Forwarded-Proto", self.incoming.scheme().as_str()));
        let client = self.incoming.client().unwrap_or_default();
        changes.push(("X-Forwarded-For", &client));
        changes.extend(added.iter().map(|(name, value)| (*name, value.as_str())));
        js::lines_of(changes)
    }

    /// The origin's answer, less Baton's headers and cookies, and with the visitor's address in place of the origin's. Untouched
    /// if there is nothing to change.
    pub fn plain(&self, answer: Answer) -> Result<Response, JsValue> {
        let cleaning = self.cleaning(&answer);
        if cleaning.is_none() {
            return Ok(answer.response);
        }
        let response = js::changeable(&answer.response)?;
        cleaning.apply(&response)?;
        Ok(response)
    }

    /// The answer to a gated request: cleaned, kept by no cache when it is an error, with our cookies on it.
    pub fn gated(&self, answer: Answer, attached: &Attached) -> Result<Response, JsValue> {
        let failed = answer.glance.is_error();
        if !failed && attached.must.is_empty() && attached.may.is_empty() {
            return self.plain(answer);
        }
        let cleaning = self.cleaning(&answer);
        let response = js::changeable(&answer.response)?;
        let headers = response.headers();
        cleaning.apply(&response)?;
        let kept = cacheability(
            js::header(&headers, "cache-control").as_deref(),
            shared(&headers).as_deref(),
        );
        let may = attached
            .may
            .iter()
            .filter(|_| failed || kept != Cacheability::Public);
        let cookies: Vec<String> = attached.must.iter().chain(may).cloned().collect();
        let cache_control = if cookies.is_empty() {
            None
        } else {
            cache_control_with_cookie(kept)
        };
        if let Some(value) = cache_control.or(failed.then_some(PRIVATE)) {
            headers.set("Cache-Control", value)?;
            for name in SHARED_CACHE_HEADERS {
                headers.delete(name)?;
            }
        }
        if !cookies.is_empty() {
            put_tokens(&headers, self.incoming, &cookies)?;
        }
        Ok(response)
    }

    fn cleaning(&self, answer: &Answer) -> Cleaning {
        let glance = &answer.glance;
        let is_due = glance.sets_cookies || !glance.addresses.is_empty();
        if !is_due && !glance.speaks_baton {
            return Cleaning::default();
        }
        let headers = answer.response.headers();
        let relocation = is_due.then(|| self.relocation()).flatten();
        let addresses = relocation.iter().flat_map(|relocation| {
            let value = |name| relocation.header(name, &js::header(&headers, name)?);
            let names = glance.addresses.iter();
            names.filter_map(move |name| Some((*name, value(name)?)))
        });
        Cleaning {
            takes_ours: glance.speaks_baton,
            addresses: addresses.collect(),
            cookies: glance
                .sets_cookies
                .then(|| self.cookies_let_through(js::set_cookies(&headers), relocation.as_ref()))
                .flatten(),
        }
    }

    /// The origin's cookies as the visitor gets them. None: as they are.
    fn cookies_let_through(
        &self,
        lines: Vec<String>,
        relocation: Option<&Relocation<'_>>,
    ) -> Option<Vec<String>> {
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

/// What is to be changed of an answer. Most need nothing, and are handed on as they are.
#[derive(Default)]
struct Cleaning {
    /// It has headers of Baton's.
    takes_ours: bool,
    /// Headers with another value.
    addresses: Vec<(&'static str, String)>,
    /// All `Set-Cookie` lines, where one is another or goes.
    cookies: Option<Vec<String>>,
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
        Ok(())
    }
}

fn shared(headers: &Headers) -> Option<String> {
    let values: Vec<String> = SHARED_CACHE_HEADERS
        .into_iter()
        .filter_map(|name| js::header(headers, name))
        .collect();
    (!values.is_empty()).then(|| values.join(","))
}
