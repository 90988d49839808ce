//! The waiting answer: the page at the very address that was asked for, a link to it in another's frame, or JSON for a client that takes no page. No cache may keep it, it is whole
//! whatever the request's conditions and ranges, and it must never be a 500: while the assets cannot be read a built-in page takes their place.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::{Draft, RETRY_AFTER_S};
use super::received::Received;
use super::{challenge, mode, statics, vouchers};
use crate::dice;
use facts::units::{Number, VisitorId};
use facts::wire::{LaneTold, State, Status};
use gate::{
    Answer, Barred, ErrorCode, Gated, LINK_PAGE_POLICY, PageState, PageValues, Router, Template, VARY, VisitKind, entry_body, error_body, link_page,
    waiting_body,
};
use settings::{PageSettings, RoomSettings};
use token::Ticket;

/// What the page may load: its own files, its sockets, pictures and fonts of the site, a picture written in the page.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
/// How soon the first page looks without JavaScript whether the cookie was kept, seconds.
const FIRST_REFRESH_S: u64 = 3;
/// The least pause between two refreshes without JavaScript, seconds.
const REFRESH_S_MIN: u64 = 2;
/// How soon the page looks without JavaScript whether the place is still on another device, seconds.
const ELSEWHERE_REFRESH_S: u64 = 30;
/// How soon the page with Turnstile's question refreshes without JavaScript, seconds: nobody can answer it there, so sooner is useless.
const CHALLENGE_REFRESH_S: u64 = 60;
/// The page while the assets cannot be read.
const BUILT_IN: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
     content=\"width=device-width\"><title>Please wait</title>\
     {{#refresh_s}}<meta http-equiv=\"refresh\" content=\"{{refresh_s}}{{refresh_to}}\">{{/refresh_s}}</head><body data-state=\"{{state}}\">\
     <h1>Please wait / お待ちください</h1><p>{{message}}</p><p>{{number}}</p>\
     {{#refresh_s}}<p>This page looks again by itself. このページは自動的に更新されます。</p>{{/refresh_s}}\
     <script type=\"application/json\" id=\"baton-status\">{{status}}</script></body></html>\n";

/// The answer to a visitor who has to wait.
pub struct Waiting {
    /// What the page shows.
    pub state: PageState,
    /// What is known of the visitor.
    pub status: Status,
    /// Seconds until it is worth asking again. 0 on a page that never loads itself again.
    pub retry_after_s: u64,
    /// Cookies to set and to clear.
    pub cookies: Vec<String>,
    /// Whether the page puts Turnstile's question.
    pub challenge: bool,
    /// Why the shop's token does not let the visitor in.
    pub barred: Option<Barred>,
}

impl Waiting {
    /// The answer while nothing is known yet.
    pub fn arriving(room: &RoomSettings, cookies: Vec<String>) -> Self {
        let status = unknown(room);
        Self {
            state: PageState::Arriving,
            status,
            retry_after_s: FIRST_REFRESH_S,
            cookies,
            challenge: false,
            barred: None,
        }
    }

    /// The answer that puts Turnstile's question.
    pub fn challenged(room: &RoomSettings, cookies: Vec<String>) -> Self {
        Self {
            challenge: true,
            retry_after_s: CHALLENGE_REFRESH_S,
            ..Self::arriving(room, cookies)
        }
    }

    /// The answer while the room cannot be reached. `visitor` spreads the returns. The number of the ticket stays in sight: the place is kept.
    pub fn unreachable(room: &RoomSettings, visitor: Option<VisitorId>, ticket: Option<&Ticket>, cookies: Vec<String>) -> Self {
        let place = ticket.filter(|ticket| !ticket.number.is_entry());
        let spread = visitor.map_or(0, |VisitorId([.., last])| u64::from(last));
        let retry_after_s = RETRY_AFTER_S + spread % (RETRY_AFTER_S + 1);
        let status = Status {
            number: place.map(|ticket| ticket.number),
            edition: place.map(|ticket| ticket.edition),
            lane: place.and_then(|ticket| lane_of(ticket.number)),
            poll_after_s: retry_after_s,
            ..unknown(room)
        };
        Self {
            state: PageState::Unreachable,
            status,
            retry_after_s,
            cookies,
            challenge: false,
            barred: None,
        }
    }

    /// The answer while the account's place is on another device. It comes here only when somebody presses the button.
    pub fn elsewhere(room: &RoomSettings, status: Status, cookies: Vec<String>) -> Self {
        Self {
            state: PageState::Elsewhere,
            retry_after_s: ELSEWHERE_REFRESH_S,
            ..Self::told(room, status, cookies)
        }
    }

    /// The answer while as many people wait as may.
    pub fn full(room: &RoomSettings, status: Status, retry_after_s: u64, cookies: Vec<String>) -> Self {
        Self {
            state: PageState::Full,
            retry_after_s,
            ..Self::told(room, status, cookies)
        }
    }

    /// The answer that a lobby's status calls for.
    pub fn told(room: &RoomSettings, status: Status, cookies: Vec<String>) -> Self {
        let state = PageState::shown(&status);
        // A visitor not seen for `linger_s` counts as away, and without JavaScript the page is seen only when it refreshes.
        let seen_s = (room.linger_ms / 1_000).saturating_mul(3) / 4;
        let retry_after_s = match state {
            PageState::Arriving => FIRST_REFRESH_S,
            _ => status.poll_after_s.min(seen_s).max(REFRESH_S_MIN),
        };
        Self {
            state,
            status,
            retry_after_s,
            cookies,
            challenge: false,
            barred: None,
        }
    }

    /// Has the page ask for a number only after so many seconds.
    pub const fn spread(&mut self, spread_s: u64) {
        self.status.spread_s = spread_s;
        self.retry_after_s = self.retry_after_s.saturating_add(spread_s);
    }

    /// Whether this page's next step is to ask for a number by itself.
    pub const fn comes_first(&self) -> bool {
        let is_kept_out = matches!(self.state, PageState::Refused | PageState::Elsewhere | PageState::Full);
        matches!(self.status.state, State::None) && !is_kept_out && !self.challenge
    }
}

/// Returns what the number itself says of its lane: people are shown the number within it. Only the room knows the lane's name. `None` if the number
/// as it stands is the one that people are shown.
fn lane_of(number: Number) -> Option<LaneTold> {
    let within = number.within();
    (within != number.0).then(|| LaneTold {
        name: String::new(),
        title: String::new(),
        number: Some(within),
        better: false,
    })
}

/// The status of a visitor who is not known.
pub fn unknown(room: &RoomSettings) -> Status {
    Status {
        room: room.name_in_file().to_owned(),
        mode: mode::heard(room),
        poll_after_s: RETRY_AFTER_S,
        ..Status::default()
    }
}

/// Makes the waiting answer.
pub async fn answer(env: &Env, received: &Received, gated: &Gated<'_>, waiting: Waiting) -> Result<Response, JsValue> {
    let (status, state) = match waiting.state {
        PageState::Refused => (403, "refused"),
        _ => (gated.waiting_status(), "waiting"),
    };
    let draft = match gated.intent.answer {
        Answer::Json if let Some(barred) = &waiting.barred => Draft::json(status, entry_body(barred)),
        Answer::Json if waiting.state == PageState::Full => Draft::json(status, error_body(ErrorCode::LineFull, None)),
        Answer::Json => Draft::json(status, waiting_body(gated.room.settings.name_in_file(), waiting.retry_after_s)),
        Answer::Page => {
            let page = page(env, received, status, gated.intent.visit, &waiting).await;
            page.with("X-Robots-Tag", "noindex")
        }
        Answer::Link => link_to_window(received, &gated.room.settings, status),
    };
    let draft = match gated.intent.answer {
        Answer::Json => lead_router(received, &gated.room.settings, gated.intent.router, draft),
        Answer::Page | Answer::Link => draft,
    };
    let draft = if matches!(status, 429 | 503) {
        draft.with("Retry-After", waiting.retry_after_s.to_string())
    } else {
        draft
    };
    let draft = draft.with("Baton-State", state).with("Vary", VARY);
    if gated.intent.takes_nothing() || gated.intent.answer == Answer::Link {
        return received.finish(draft);
    }
    received.finish(draft.cookies(waiting.cookies))
}

/// Makes the page for the frame of another host: it leads to a window of its own, and nothing on it is worth a stranger's frame around it.
fn link_to_window(received: &Received, room: &RoomSettings, code: u16) -> Draft {
    let language = received.language();
    let address = match received.incoming.method() {
        "GET" => received.incoming.path_and_query().to_owned(),
        _ => received.way_back(room).page(),
    };
    Draft::new(code)
        .with("Content-Type", "text/html; charset=utf-8")
        .with("Content-Language", language.tag())
        .with("Content-Security-Policy", LINK_PAGE_POLICY)
        .with("Referrer-Policy", "same-origin")
        .with("X-Robots-Tag", "noindex")
        .body(link_page(language, &address))
}

/// Adds to an answer that no script can draw which page to load whole in its place: in the router's own word if it has one, and for `keep.js`.
pub fn lead_router(received: &Received, room: &RoomSettings, router: Option<Router>, draft: Draft) -> Draft {
    let page = received.way_back(room).page();
    let here = received.incoming.path_and_query();
    let address = if received.incoming.method() == "GET" { here } else { &page };
    let draft = match router.and_then(|router| router.word(address)) {
        Some(word) => draft.with_status(word.status).with(word.name, word.value),
        None => draft,
    };
    draft.with("Baton-Page", page)
}

/// Fills the page. `visit` says whether something was to be submitted.
///
/// Long because it names each value of the page.
pub async fn page(env: &Env, received: &Received, code: u16, visit: VisitKind, waiting: &Waiting) -> Draft {
    let now_ms = dice::now_ms();
    let language = received.language();
    let Waiting {
        state,
        status,
        retry_after_s,
        ..
    } = waiting;
    let json = serde_json::to_string(status).unwrap_or_else(|_| "{}".to_owned());
    let plain = PageSettings::default();
    let room = received.deployment.settings.room(&status.room);
    let after = room.filter(|_| visit == VisitKind::Submission);
    let (back, start) = after.map(|room| received.way_back(room).after()).unwrap_or_default();
    let values = PageValues {
        state: *state,
        reason: match &waiting.barred {
            Some(barred) => barred.reason_on_page(),
            None => status.reason.map_or("", facts::wire::Reason::name),
        },
        mode: status.mode,
        unsaid: PageState::unsaid(status, language.tag()),
        missed: status.missed,
        near: PageState::is_near(status),
        not_submitted: visit == VisitKind::Submission,
        room: &status.room,
        number: status.shown_number(),
        lane: status.lane.as_ref().map_or("", |lane| &lane.title),
        behind: PageState::is_behind(status),
        better: status.has_better_lane(),
        code: vouchers::code_asked(received, *state, status, now_ms),
        ahead: status.ahead,
        waiting: status.waiting,
        eta_min_s: status.eta_min_s,
        eta_max_s: status.eta_max_s,
        seats: PageState::seats(status),
        seats_to: status.seats_to.map(|number| number.0),
        opens_at_ms: status.opens_at_ms,
        draw: status.draw,
        entry: status.entry,
        now_ms,
        refresh_s: *retry_after_s,
        message: status.message_in(language.tag()),
        page: room.map_or(&plain, |room| &room.page),
        back: &back,
        start: &start,
        language: language.tag(),
        status: &json,
    };
    let (html, tag) = match statics::template(env, language).await {
        Some(template) => (template.fill(&values), language.tag()),
        None => (Template::parse(BUILT_IN).map(|page| page.fill(&values)).unwrap_or_default(), "en"),
    };
    let (html, policy) = match &received.deployment.turnstile {
        Some(turnstile) if waiting.challenge => (challenge::put_into(&html, turnstile, &status.room, language), challenge::POLICY),
        _ => (html, CONTENT_SECURITY_POLICY),
    };
    let policy = values.page.style.let_into(policy);
    Draft::new(code)
        .with("Content-Type", "text/html; charset=utf-8")
        .with("Content-Language", tag)
        .with("Content-Security-Policy", policy)
        .with("X-Frame-Options", "SAMEORIGIN")
        .with("Referrer-Policy", "same-origin")
        .body(html)
}
