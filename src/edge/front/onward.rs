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
use crate::edge::config::Origin;
use crate::edge::dice;
use crate::edge::log::{self, Code, Remark};
use crate::facts::answer_times::AnswerTimes;
use crate::facts::proofs::ProofChecks;
use crate::facts::units::Fence;
use crate::gate::{
    ADDRESS_HEADERS, Cacheability, Cookies, Gate, Host, OriginCommands, Pledge, Relocation,
    SHARED_CACHE_HEADERS, Site, cache_control_with_cookie, cacheability, is_baton_header,
    is_unwelcome, origin_headers, read_checked, read_origin_commands,
};
use crate::settings::OriginHost;
use crate::token::{OriginKey, ProofRequest};

/// How many times as long what sends something may take, sending included.
const SENT_PATIENCE: u64 = 6;

/// From a request to the origin.
pub struct Onward<'a> {
    /// The bindings.
    pub env: &'a Env,
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

/// What came back.
pub enum Returned {
    /// The origin's answer, as it came.
    Answer(Answer),
    /// There is none.
    Nothing,
    /// It was not sent: the platform made another path of it than was judged.
    Refused,
}

/// The origin's answer as it came, and what can be seen of it at a glance.
pub struct Answer {
    response: Response,
    status: u16,
    /// From the request sent to the headers received, in ms.
    took_ms: u64,
    speaks_baton: bool,
    sets_cookies: bool,
    /// Which of [`ADDRESS_HEADERS`] it has.
    addresses: Vec<&'static str>,
}

impl Answer {
    fn new(response: Response, seen: &Seen, sent_at_ms: u64) -> Self {
        let has = |wanted: &str| seen.names.iter().any(|name| name == wanted);
        Self {
            response,
            status: seen.status,
            took_ms: seen.at_ms.saturating_sub(sent_at_ms),
            speaks_baton: seen.names.iter().any(|name| is_baton_header(name)),
            sets_cookies: has("set-cookie"),
            addresses: ADDRESS_HEADERS
                .into_iter()
                .filter(|address| has(address))
                .collect(),
        }
    }

    /// Whether the origin has failed: an error of its own.
    pub const fn is_error(&self) -> bool {
        self.status >= 500
    }

    /// How long it took, or that it failed.
    pub fn times(&self) -> AnswerTimes {
        if self.is_error() {
            AnswerTimes::one_failed()
        } else {
            AnswerTimes::one(self.took_ms)
        }
    }

    /// What the shop says of its stock, not yet believed.
    pub fn stock(&self) -> Option<String> {
        let headers = self.speaks_baton.then(|| self.response.headers());
        js::header(&headers?, "baton-stock")
    }

    /// How the shop's check judged the proof, if it did.
    pub fn checked(&self) -> Option<ProofChecks> {
        let headers = self.speaks_baton.then(|| self.response.headers());
        read_checked(&js::header(&headers?, "baton-checked")?)
    }

    /// What the origin asks of us.
    pub fn commands(&self) -> OriginCommands {
        let headers = self.speaks_baton.then(|| self.response.headers());
        let value = |name| js::header(headers.as_ref()?, name);
        read_origin_commands(
            value("baton-release").as_deref(),
            value("baton-extend").as_deref(),
        )
    }
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
    pub async fn send(&self, pledge: Option<&Pledge<'_>>) -> Result<Returned, JsValue> {
        // The platform's clock stands still while code runs, and goes on with each answer from outside.
        let now_ms = dice::now_ms();
        let Some(sent) = self.request(pledge, now_ms)? else {
            return Ok(Returned::Refused);
        };
        let why = match sent.await {
            Ok(response) => {
                let response: Response = response.unchecked_into();
                let seen = Seen::of(&response);
                match why_none(&seen) {
                    None => {
                        return Ok(Returned::Answer(Answer::new(response, &seen, now_ms)));
                    }
                    Some(why) => why,
                }
            }
            Err(error) => js::describe(&error),
        };
        let mut remark = Remark::front(Code::OriginUnreachable);
        if let Some(pledge) = pledge {
            remark = remark.in_room(pledge.room);
        }
        log::say(&remark.because(why));
        Ok(Returned::Nothing)
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

    /// Sends the request on. None: the platform made a path of it that was not judged so.
    fn request(
        &self,
        pledge: Option<&Pledge<'_>>,
        now_ms: u64,
    ) -> Result<Option<JsFuture>, JsValue> {
        let (first, found_by, is_within) = self.address();
        let to = match self.origin {
            Origin::Service => js::fetcher(self.env, "ORIGIN"),
            Origin::Url(..) | Origin::Zone => None,
        };
        let patience = if self.incoming.described().is_read() {
            Patience::Begun(self.patience_ms())
        } else {
            Patience::BegunOrEnded(self.patience_ms())
        };
        let send = |url: &str| {
            let way = Way {
                url,
                is_within,
                found_by,
                to: to.as_ref(),
                patience,
            };
            self.go_on(&way, pledge, now_ms)
        };
        let made = match send(&first)? {
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
        Ok(match send(&made)? {
            Gone::Sent(sent) => Some(sent),
            Gone::Readdressed(_) => None,
        })
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

    /// Sends it there, with the headers that are for the origin and without those that are not.
    fn go_on(
        &self,
        way: &Way<'_>,
        pledge: Option<&Pledge<'_>>,
        now_ms: u64,
    ) -> Result<Gone, JsValue> {
        let proof = ProofRequest {
            method: self.incoming.method(),
            host: self.host.as_str(),
            path_and_query: path_of(way.url),
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
        js::go_on(self.incoming.raw(), way, &changes)
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
        let failed = answer.is_error();
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
        let is_due = answer.sets_cookies || !answer.addresses.is_empty();
        if !is_due && !answer.speaks_baton {
            return Cleaning::default();
        }
        let headers = answer.response.headers();
        let relocation = is_due.then(|| self.relocation()).flatten();
        let addresses = relocation.iter().flat_map(|relocation| {
            let value = |name| relocation.header(name, &js::header(&headers, name)?);
            let names = answer.addresses.iter();
            names.filter_map(move |name| Some((*name, value(name)?)))
        });
        Cleaning {
            takes_ours: answer.speaks_baton,
            addresses: addresses.collect(),
            cookies: answer
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

/// Why an answer is none; `None`: it is one. What Cloudflare answers in the name of an origin that is down, too slow, or has a bad
/// certificate (520 to 527, 530) is none; nor is one that cannot be handed on: with a status that the platform takes for none, or a `101`
/// that opened nothing.
fn why_none(seen: &Seen) -> Option<String> {
    match seen.status {
        status @ (520..=527 | 530) => Some(format!("the platform answered {status} for it")),
        200..=599 => None,
        101 if seen.is_open_socket => None,
        status => Some(format!("it answered {status}, which ends no request")),
    }
}

fn shared(headers: &Headers) -> Option<String> {
    let values: Vec<String> = SHARED_CACHE_HEADERS
        .into_iter()
        .filter_map(|name| js::header(headers, name))
        .collect();
    (!values.is_empty()).then(|| values.join(","))
}
