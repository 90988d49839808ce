//! What people see when the origin does not answer: a page in their language if the client takes one, otherwise an error of the contract.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::{Draft, finish};
use super::incoming::Incoming;
use super::memory::PlainPage;
use super::onward::Onward;
use super::received::Received;
use super::returned::Returned;
use super::{statics, waiting};
use crate::config;
use crate::dice;
use gate::{ErrorCode, Host, OwnCall, Plan, VARY};

/// The page reloads itself after this many seconds, and up to as many more, so that not everybody comes back at once.
const REFRESH_S: u64 = 20;

/// Answers in place of an origin that did not answer.
pub async fn origin_down(env: &Env, received: &Received) -> Draft {
    down(env, received, ErrorCode::OriginUnreachable).await
}

/// Answers that nothing can be done just now, for this reason.
pub async fn down(env: &Env, received: &Received, code: ErrorCode) -> Draft {
    let error = Draft::error(code);
    let request = received.incoming.described();
    // A router that looked ahead would show this page on the click, when the origin may be back.
    if !request.accepts_html() || request.is_speculative() {
        return error;
    }
    let Some(page) = statics::plain_page(env, received, PlainPage::Down).await else {
        return error;
    };
    let [spread] = dice::random_bytes().unwrap_or_default();
    let pause_s = REFRESH_S + u64::from(spread) % (REFRESH_S + 1);
    let draft = plain_draft(received, code, page.to_string());
    let draft = draft.with("Retry-After", pause_s.to_string());
    // Only a read reloads itself: a submission must not be sent again, and its address may be no page.
    if received.incoming.described().is_read() {
        draft.with("Refresh", pause_s.to_string())
    } else {
        draft
    }
}

/// Starts the answer of a plain page, with the status of an error.
pub(super) fn plain_draft(received: &Received, code: ErrorCode, html: String) -> Draft {
    Draft::new(code.status())
        .with("Content-Type", "text/html; charset=utf-8")
        .with("Content-Language", received.language().tag())
        .with("Content-Security-Policy", waiting::CONTENT_SECURITY_POLICY)
        .with("X-Robots-Tag", "noindex")
        .with("Vary", VARY)
        .body(html)
}

/// Answers while the configuration is bad: forwards what no room gates, serves Baton's own files and refuses everything else.
pub(super) async fn answer_unconfigured(env: &Env, incoming: &Incoming, host: &Host) -> Result<Response, JsValue> {
    let salvage = config::salvage(env);
    let gate = salvage.gate.as_ref();
    let plan = gate.map(|gate| (gate, gate.decide(&incoming.described())));
    match (plan, &salvage.destinations) {
        (Some((gate, Plan::NotGated)), Some(destinations)) => {
            let onward = Onward {
                incoming,
                host,
                origin: destinations.of(host),
                timeout_ms: destinations.timeout_ms(),
                site_data: destinations.site_data(),
                passed: destinations.headers(),
                key: None,
                gate,
                room: None,
                is_preflight: false,
            };
            match onward.send(env, None).await? {
                Returned::Answer(answer) => onward.plain(answer),
                Returned::Nothing { .. } => finish(Draft::error(ErrorCode::OriginUnreachable), incoming),
                Returned::Refused => finish(Draft::error(ErrorCode::BadRequest), incoming),
            }
        }
        (Some((_, Plan::Own(OwnCall::Static { file }))), _) => statics::file(env, incoming, &file).await,
        _ => finish(Draft::error(ErrorCode::BadConfig), incoming),
    }
}
