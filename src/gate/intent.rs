//! What a request wants, as far as its headers say: somebody goes to a page; a page or a program fetches something; a browser or a router looks ahead
//! of a click that may never come; a page of another site makes a visitor's browser ask. Only this module reads `Accept`, `Sec-Fetch-*` and the
//! headers that announce a look, to decide what a visit gets.
//!
//! Clients may leave out each of these headers: old browsers, browsers on plain http, proxies that strip, programs. Without `Sec-Fetch-*`, `Accept`
//! decides alone.

use super::{METHOD_OVERRIDES, Request, Router, is_own_origin};
use spelling::Site;

/// Headers that say in words what a request is for. Scripts may not set the first one, so Turbo sends the last.
const PURPOSES: [&str; 5] = ["sec-purpose", "purpose", "x-purpose", "x-moz", "x-sec-purpose"];
/// What those words begin with if a request looks ahead, as in `prefetch;prerender`.
const AHEAD: [&str; 3] = ["prefetch", "prerender", "preview"];
/// Headers that come with a look alone, so that any value announces one that does not deny it: `true` in older Turbo's and Turbolinks' way, `1` or `2`
/// and the path of a segment in Next's, `true` in that of htmx's extension `preload`.
const LOOKS: [&str; 4] = ["hx-preloaded", "vnd.prefetch", "next-router-prefetch", "next-router-segment-prefetch"];
/// What a page is loaded into, as `Sec-Fetch-Dest` names it.
const FRAMES: [&str; 3] = ["iframe", "frame", "fencedframe"];

/// `Vary` of an answer that depends on what a request wants, on the visitor and on the language.
pub const VARY: &str = "Accept, Accept-Language, Baton-Credentials, Cookie, HX-Boosted, HX-Preloaded, HX-Request, \
     HX-Request-Type, Next-Action, Next-Router-Prefetch, Next-Router-Segment-Prefetch, Purpose, RSC, Sec-Fetch-Dest, \
     Sec-Fetch-Mode, Sec-Fetch-Site, Sec-Fetch-User, Sec-Purpose, Vnd.Prefetch, X-Inertia, X-Inertia-Partial-Component, X-Moz, X-Purpose, \
     X-Requested-With, X-Sec-Purpose, X-Turbo-Request-Id, X-Up-Version";

/// What kind of visit to a gated path a request is. It decides what the visit may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitKind {
    /// Somebody goes to a page. The visit may walk in and may claim, and it joins when the page reloads itself.
    Navigation,
    /// GET or HEAD of something that is no page, or that nobody goes to, or that a script fetches. The visit is forwarded with a pass only.
    Resource,
    /// Any other method. The visit is forwarded with a pass only, unless it walks in; without one its body is not read.
    Submission,
    /// The request wants to become something else, such as a WebSocket. The visit is forwarded with a pass
    /// only. Baton does not know what it will carry.
    Upgrade,
}

impl VisitKind {
    /// Returns whether the visit is a GET or a HEAD that stays one. A farewell allows nothing else, and `strict = "unsafe"` asks the room about
    /// everything else.
    #[must_use]
    pub const fn only_reads(self) -> bool {
        matches!(self, Self::Navigation | Self::Resource)
    }
}

/// The form in which a visit is told to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The page: with `waiting_status` for GET and HEAD, with 429 for a submission.
    Page,
    /// In a frame of another host: one link to the page in a window of its own. The page itself may be framed by the site alone, and a frame of
    /// another site shows no cookie by which anybody would have a place.
    Link,
    /// A 429 with [`super::waiting_body`]; a 503 to a request that looks ahead.
    Json,
}

/// What a request to a gated path wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intent {
    /// What kind of visit it is.
    pub visit: VisitKind,
    /// How the visit is told to wait if it gets nothing.
    pub answer: Answer,
    /// Whether the visit walks in if a permit is free and nobody waits, and claims if it is called: a navigation, or what a page of this very host
    /// sends. Anybody may send it anew, but nothing is sent anew by itself.
    pub walks_in: bool,
    /// Whether the visit takes a number where it cannot walk in. Only a page that shows the number does.
    pub joins: bool,
    /// Whether a person has just gone to the page in a window, by a click or by typing the address; no script, refresh or frame does so. Browsers
    /// that do not say it are not believed to mean it.
    pub is_click: bool,
    /// The router that makes the request in the browser's place.
    pub router: Option<Router>,
    /// Whether the request looks ahead of a click that may never come. It takes nothing and gives nothing back, and no answer to it may stand in for
    /// the answer to the click.
    pub is_speculative: bool,
    /// Whether a browser loads a part of a page, such as an image or a script.
    pub is_part: bool,
    /// Whether a page of another site makes the request without going there. The cookies are the visitor's, the wish is not: no pass counts.
    pub is_foreign: bool,
    /// Whether a frame loads the page. A page of the shop's own may be in a hidden frame of another site, whose name no header says.
    pub is_framed: bool,
}

impl Intent {
    /// Returns whether nothing that the shop asks of Baton in its answer is done, because nobody need have clicked. Such an answer goes no further, and
    /// the click asks again.
    #[must_use]
    pub fn gives_nothing_back(self) -> bool {
        self.is_speculative || self.router == Some(Router::Swup)
    }

    /// Returns whether the request gets no more than a pass that counts gives it: it takes no number, no permit and no cookie.
    #[must_use]
    pub const fn takes_nothing(self) -> bool {
        self.is_speculative || self.is_foreign
    }
}

/// Where a request comes from, as a browser says by `Sec-Fetch-Site`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whence {
    /// Nobody says: an old browser, plain http, a proxy that strips, a program.
    Unsaid,
    /// From no page: somebody typed the address or opened a bookmark.
    Nowhere,
    /// From a page of this very scheme, host and port.
    Own,
    /// From a page of another host of the same site.
    Sister,
    /// From a page of another site.
    Other,
}

/// What a browser says of how it fetches something. Empty where it does not say.
struct Fetch {
    mode: String,
    dest: String,
}

impl Request<'_> {
    /// Returns what the request wants. `is_apps` says that an app which the room names makes it, or a client with credentials of its own, so that
    /// no other site makes it in a visitor's name.
    #[must_use]
    pub fn intent(&self, is_apps: bool) -> Intent {
        let fetch = self.fetch();
        let accepts_html = self.accepts_html();
        let is_speculative = self.is_speculative();
        let site = self.whence();
        // A form of another site's, such as a bank's, sends `Origin` with its POST; whoever goes to a page by a look sends none, and no form has another method.
        let is_by_origin = site == Whence::Unsaid && fetch.says_nothing() && self.method != "POST" && self.names_another_site();
        let is_elsewhere = (site == Whence::Other || is_by_origin) && !is_apps;
        let is_foreign = is_elsewhere && !fetch.goes_to_page(accepts_html);
        let router = Router::of(self);
        let visit = if !self.is_read() {
            VisitKind::Submission
        } else if self.headers.get("upgrade").is_some() {
            VisitKind::Upgrade
        } else if self.method == "GET"
            && accepts_html
            && fetch.may_be_page()
            && router.is_none()
            && !is_speculative
            && !is_foreign
            // A frame on another site's page may be hidden: nobody need have gone anywhere.
            && !(is_elsewhere && fetch.is_framed())
        {
            VisitKind::Navigation
        } else {
            VisitKind::Resource
        };
        let draws_page = router.is_none_or(|router| router == Router::TurboForm);
        let gets_page = accepts_html && visit != VisitKind::Upgrade && draws_page && !is_speculative && !is_foreign;
        let is_in_anothers_frame = fetch.is_framed() && (is_elsewhere || site == Whence::Sister);
        let answer = match (gets_page, is_in_anothers_frame) {
            (false, _) => Answer::Json,
            (true, true) => Answer::Link,
            (true, false) => Answer::Page,
        };
        let navigates = visit == VisitKind::Navigation;
        Intent {
            visit,
            answer,
            walks_in: navigates || (!is_speculative && self.is_own_post(site, &fetch)),
            joins: navigates && answer == Answer::Page,
            is_click: navigates && fetch.dest == "document" && self.lower("sec-fetch-user") == "?1",
            router,
            is_speculative,
            is_part: !fetch.may_be_asked(),
            is_foreign,
            is_framed: fetch.is_framed(),
        }
    }

    /// Returns whether the request announces that it looks ahead of a click that may never come. A fetch as such does not: a page's own calls and
    /// sockets are what somebody wants now.
    #[must_use]
    pub fn is_speculative(&self) -> bool {
        let says_so = |name: &&str| {
            let value = self.lower(name);
            let mut words = value.split([',', ';']).map(str::trim);
            words.any(|word| AHEAD.iter().any(|ahead| word.starts_with(ahead)))
        };
        let is_set = |name: &&str| !matches!(self.lower(name).as_str(), "" | "0" | "false");
        PURPOSES.iter().any(says_so) || LOOKS.iter().any(is_set)
    }

    /// Returns whether the request is the page's own form, sent by a browser without JavaScript. A client that merely accepts anything gets JSON.
    #[must_use]
    pub fn is_form(&self) -> bool {
        let sent = self.lower("content-type");
        self.accepts_html() && sent.starts_with("application/x-www-form-urlencoded")
    }

    /// Returns where a browser says that the request comes from.
    #[must_use]
    pub fn whence(&self) -> Whence {
        match self.lower("sec-fetch-site").as_str() {
            "none" => Whence::Nowhere,
            "same-origin" => Whence::Own,
            "same-site" => Whence::Sister,
            "cross-site" => Whence::Other,
            _ => Whence::Unsaid,
        }
    }

    /// Returns whether `Origin` names a page of another site, where a browser says no more. Hosts with the same last two labels may be sisters, whose pages may
    /// call; neither scheme nor port tells, for a proxy in front may end TLS. `null` names none: an app's own page may say so.
    fn names_another_site(&self) -> bool {
        let origin = self.headers.get("origin");
        let named = origin.as_deref().and_then(Site::parse);
        let own = self.parsed_host();
        named.zip(own).is_some_and(|(named, own)| {
            let [named, own] = [named.host.name(), own.name()].map(|name| name.rsplit('.').take(2));
            !named.eq(own)
        })
    }

    /// Returns `Accept` as it came, for an answer that has forms which are no pages.
    #[must_use]
    pub fn accept(&self) -> Option<String> {
        self.headers.get("accept")
    }

    /// Returns whether a page is a fitting answer: `Accept` names HTML, or the browser says that it loads a page
    /// (`Sec-Fetch-Dest: document` or `iframe`). `*/*` names nothing: programs, `fetch()` and images get JSON.
    #[must_use]
    pub fn accepts_html(&self) -> bool {
        !self.is_upgrade() && (names_html(self.accept().as_deref()) || ["document", "iframe"].contains(&self.lower("sec-fetch-dest").as_str()))
    }

    /// Returns whether a page of this very host sends something by POST, with an answer in mind: no beacon, and no other method in a header. A browser
    /// that does not say where the request comes from says so by `Origin`; a client that says neither is no page.
    fn is_own_post(&self, site: Whence, fetch: &Fetch) -> bool {
        let is_own = || match site {
            Whence::Own => true,
            Whence::Unsaid => self.parsed_host().is_some_and(|own| {
                let origin = self.headers.get("origin");
                is_own_origin(origin.as_deref(), self.scheme, &own)
            }),
            Whence::Nowhere | Whence::Sister | Whence::Other => false,
        };
        let is_there = |name: &&str| self.headers.get(name).is_some();
        self.method == "POST"
            && matches!(fetch.mode.as_str(), "" | "navigate" | "same-origin" | "cors")
            && !METHOD_OVERRIDES.iter().any(is_there)
            && !is_there(&"upgrade")
            && is_own()
    }

    fn fetch(&self) -> Fetch {
        Fetch {
            mode: self.lower("sec-fetch-mode"),
            dest: self.lower("sec-fetch-dest"),
        }
    }

    /// Returns a header's value trimmed and in lower case. Empty if there is none.
    fn lower(&self, name: &str) -> String {
        let value = self.headers.get(name).unwrap_or_default();
        value.trim().to_ascii_lowercase()
    }
}

impl Fetch {
    const fn says_nothing(&self) -> bool {
        self.mode.is_empty() && self.dest.is_empty()
    }

    /// Returns whether a window or a frame goes to the page. A service worker that sends the request on calls its destination `empty`.
    fn goes_to_page(&self, accepts_html: bool) -> bool {
        let to_window = matches!(self.dest.as_str(), "" | "document" | "empty");
        match self.mode.as_str() {
            "navigate" => to_window || self.is_framed(),
            "" => accepts_html && (to_window || self.is_framed()),
            _ => false,
        }
    }

    /// Returns whether the destination can hold a page, and no script fetches it. What a window or a frame loads no script fetches, whatever the mode
    /// says: Node's `fetch` adds its own to a program's.
    fn may_be_page(&self) -> bool {
        let is_loaded = self.dest == "document" || self.is_framed();
        let may_hold = ["", "empty", "embed", "object"].contains(&self.dest.as_str());
        is_loaded || (may_hold && matches!(self.mode.as_str(), "" | "navigate"))
    }

    /// Returns whether a person or a script asks for it, and no element of a page.
    fn may_be_asked(&self) -> bool {
        matches!(self.dest.as_str(), "" | "empty" | "document") || self.is_framed()
    }

    fn is_framed(&self) -> bool {
        FRAMES.contains(&self.dest.as_str())
    }
}

/// Returns whether `Accept` lists a type of HTML page and does not refuse it with `q=0`.
fn names_html(accept: Option<&str>) -> bool {
    accept.unwrap_or_default().split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_html = matches!(media.as_str(), "text/html" | "application/xhtml+xml");
        is_html && !parts.any(brand::language::is_zero_q)
    })
}
