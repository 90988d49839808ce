//! Turnstile: what becomes of the answer to the question on the waiting page (`challenge`). The front asks `siteverify`, judges what it says (`gate/turnstile.rs`) and
//! gives the visitor a proof, so that each visitor is asked once in a while and not for each number. Without the proof nobody gets a number or walks
//! in; a visitor who has a ticket or a pass keeps it.

use js_sys::Date;
use serde_json::json;
use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::{Headers, Request, RequestInit, Response};

use super::answers::Draft;
use super::incoming::Incoming;
use super::received::Received;
use super::{js, limits, lobby};
use crate::config::Turnstile;
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::units::VisitorId;
use gate::{CookieName, Cookies, ErrorCode, SiteVerdict, TURNSTILE_ANSWER_BYTES_MAX, idempotency_key, turnstile_answer};
use settings::RoomSettings;
use token::Human;

/// How long a proof is good, ms: a sale's day.
const PROOF_MS: u64 = 12 * 3_600_000;
/// How long `siteverify` may take, ms.
const VERIFY_TIMEOUT_MS: u64 = 5_000;
/// The most bytes of an answer from `siteverify`; it writes less than 1 KB.
const VERDICT_BYTES_MAX: usize = 16 * 1_024;
/// The most bytes of a visitor's answer with the form or JSON around it.
const BODY_BYTES_MAX: usize = 2 * TURNSTILE_ANSWER_BYTES_MAX;

/// `POST …/verify`: checks the visitor's answer and sets the proof.
pub async fn verify(env: &Env, received: &Received, room: &RoomSettings, visitor: VisitorId) -> Draft {
    let Some(turnstile) = received.deployment.turnstile.as_ref().filter(|_| room.turnstile) else {
        return Draft::error(ErrorCode::NotFound);
    };
    if let Err(limited) = limits::check_limit(env, received, room, None).await {
        return limits::limited(limited);
    }
    let answer = match sent_answer(&received.incoming).await {
        Ok(answer) => answer,
        Err(code) => return Draft::error(code),
    };
    let asked = site_verify(&received.incoming, turnstile, visitor, &answer);
    let verdict = match lobby::within(VERIFY_TIMEOUT_MS, asked).await {
        Some(Ok(verdict)) if !verdict.is_ours_to_mend() => verdict,
        other => {
            let remark = Remark::front(Code::TurnstileUnreachable).in_room(&room.name);
            log::say(&remark.because(failure(other)));
            return Draft::error(ErrorCode::VerificationUnavailable);
        }
    };
    let now_ms = dice::now_ms();
    let solved_at = Date::parse(&verdict.challenge_ts);
    let solved_at_ms = (solved_at >= 0.0).then_some(solved_at as u64);
    if let Err(why) = verdict.judge(&received.host, solved_at_ms, now_ms) {
        let why = format!("{why:?} {}", verdict.error_codes.join(" "));
        let remark = Remark::front(Code::TurnstileRefused).in_room(&room.name);
        log::say(&remark.because(why.trim_end()));
        return Draft::error(ErrorCode::VerificationRequired);
    }
    Draft::new(204).cookies(vec![human_cookie(received, room, visitor, now_ms)])
}

/// Makes the `Set-Cookie` of the proof.
fn human_cookie(received: &Received, room: &RoomSettings, visitor: VisitorId, now_ms: u64) -> String {
    let ends_at_ms = now_ms.saturating_add(PROOF_MS);
    let proof = Human { visitor, ends_at_ms };
    let value = received.deployment.keyring.sign(&proof, received.scope(room));
    let age_s = Cookies::age_s(now_ms, ends_at_ms);
    received.cookies_of(room).set(CookieName::Human, &value, age_s)
}

async fn sent_answer(incoming: &Incoming) -> Result<String, ErrorCode> {
    let text = incoming.text(BODY_BYTES_MAX).await;
    let text = text.unwrap_or_else(|_| Some(String::new()));
    let text = text.ok_or(ErrorCode::PayloadTooLarge)?;
    let sent_as = incoming.header("content-type").unwrap_or_default();
    let answer = turnstile_answer(&sent_as.to_ascii_lowercase(), &text);
    answer.ok_or(ErrorCode::BadRequest)
}

async fn site_verify(incoming: &Incoming, turnstile: &Turnstile, visitor: VisitorId, answer: &str) -> Result<SiteVerdict, JsValue> {
    let body = json!({
        "secret": turnstile.secret,
        "response": answer,
        "remoteip": incoming.header("cf-connecting-ip"),
        "idempotency_key": idempotency_key(visitor, answer),
    });
    let headers = Headers::new()?;
    headers.set("Content-Type", "application/json")?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers(headers.as_ref());
    init.set_body(&body.to_string().into());
    let request = Request::new_with_str_and_init(&turnstile.verify_url, &init)?;
    let response: Response = js::fetch(None, &request, js::Patience::Endless).await?;
    let text = js::text_of(&response, VERDICT_BYTES_MAX).await?;
    let verdict = text.and_then(|text| serde_json::from_str(&text).ok());
    verdict.ok_or_else(|| format!("siteverify answered {}", response.status()).into())
}

fn failure(asked: Option<Result<SiteVerdict, JsValue>>) -> String {
    match asked {
        None => format!("no answer within {VERIFY_TIMEOUT_MS} ms"),
        Some(Err(error)) => js::describe(&error),
        Some(Ok(verdict)) => verdict.error_codes.join(" "),
    }
}
