//! Routers: scripts of the shop's pages that fetch a page in the browser's place and draw it themselves. None can draw the waiting page. Some have a
//! word by which they load an address whole; some do so by themselves when the answer is no page; for the rest there is `keep.js`.
//!
//! Read in the routers' own sources and seen in Chromium before Baton: `npm run check-world -- routers` asks them again.

use super::Request;

/// Which router fetches, as far as what to say to it depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Router {
    /// htmx (2 and 4), for a link or a form that it loads as a whole page.
    Htmx,
    /// Inertia, for a page and not for parts of one.
    Inertia,
    /// A server action of Next.js.
    NextAction,
    /// A form of Turbo's: it draws the page that comes back, and shows nothing of an answer that is no page.
    TurboForm,
    /// swup. Its look under the mouse and its click are one and the same request, and it loads whole what is no page.
    Swup,
    /// A router that loads the page whole by itself when the answer is no page, or a fragment that nobody need have asked for.
    Other,
}

/// What tells a router to load an address whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The status of the answer, if the router hears the word at one alone.
    pub status: Option<u16>,
    /// The header.
    pub name: &'static str,
    /// The header's value.
    pub value: String,
}

/// The headers by which a router says that it fetches, in lower case. `X-Requested-With` says so by its value alone: Android's web views send it too.
pub const ROUTER_HEADERS: [&str; 10] = [
    "hx-boosted",
    "hx-request",
    "hx-request-type",
    "next-action",
    "rsc",
    "x-inertia",
    "x-inertia-partial-component",
    "x-requested-with",
    "x-turbo-request-id",
    "x-up-version",
];

impl Router {
    /// Returns the router that makes a request, by the marker that it sends.
    #[must_use]
    pub fn of(request: &Request<'_>) -> Option<Self> {
        let has = |name: &str| request.headers.get(name).is_some();
        let says = |name: &str, word: &str| {
            let value = request.headers.get(name);
            value.is_some_and(|value| value.trim().eq_ignore_ascii_case(word))
        };
        if says("hx-request", "true") {
            let is_page = says("hx-boosted", "true") || says("hx-request-type", "full");
            return Some(if is_page { Self::Htmx } else { Self::Other });
        }
        if says("x-inertia", "true") {
            let is_part = has("x-inertia-partial-component");
            return Some(if is_part { Self::Other } else { Self::Inertia });
        }
        if has("next-action") {
            return Some(Self::NextAction);
        }
        if has("x-turbo-request-id") && !request.is_read() {
            return Some(Self::TurboForm);
        }
        if says("x-requested-with", "swup") && request.is_read() {
            return Some(Self::Swup);
        }
        let falls_back = has("x-turbo-request-id") || has("rsc") || has("x-up-version");
        falls_back.then_some(Self::Other)
    }

    /// Returns what makes the router load `address`, a path of this host, as a whole page. `None` if there is no such word, or no need of one.
    #[must_use]
    pub fn word(self, address: &str) -> Option<Word> {
        let word = |status, name, value| Some(Word { status, name, value });
        match self {
            Self::Htmx => word(None, "HX-Redirect", address.to_owned()),
            Self::Inertia => word(Some(409), "X-Inertia-Location", address.to_owned()),
            Self::NextAction => word(None, "x-action-redirect", format!("{address};push")),
            Self::TurboForm | Self::Swup | Self::Other => None,
        }
    }
}
