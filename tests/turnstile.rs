//! What an answer to Turnstile's question is worth.

#![allow(clippy::expect_used, reason = "a test that cannot go on stops")]

use baton::facts::units::VisitorId;
use baton::gate::{Host, Scheme, SiteVerdict, TURNSTILE_ACTION, TURNSTILE_ANSWER_BYTES_MAX, Unproven, idempotency_key, turnstile_answer};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NOW: u64 = 1_700_000_000_000;

fn host(text: &str) -> Host {
    Host::parse(Scheme::Https, text).expect("a host")
}

fn good() -> SiteVerdict {
    SiteVerdict {
        success: true,
        hostname: "tickets.example.com".into(),
        action: TURNSTILE_ACTION.into(),
        ..SiteVerdict::default()
    }
}

fn judge(verdict: &SiteVerdict, solved_at_ms: Option<u64>) -> Result<(), Unproven> {
    verdict.judge(&host("tickets.example.com"), solved_at_ms, NOW)
}

#[test]
fn a_good_answer_is_good_on_its_site_for_its_question_and_for_five_minutes() {
    assert_eq!(judge(&good(), Some(NOW)), Ok(()));
    assert_eq!(judge(&good(), Some(NOW - 300_000)), Ok(()));
    assert_eq!(judge(&good(), Some(NOW + 60_000)), Ok(()), "a clock ahead");
    let port = good().judge(&host("tickets.example.com:8443"), Some(NOW), NOW);
    assert_eq!(port, Ok(()), "a host has its port, a site has none");
    for when in [None, Some(0), Some(NOW - 300_001), Some(NOW + 60_001), Some(u64::MAX)] {
        assert_eq!(judge(&good(), when), Err(Unproven::WrongTime), "{when:?}");
    }
    for hostname in ["", "example.com", "tickets.example.com.evil.example", "evil.tickets.example.com"] {
        let other = SiteVerdict {
            hostname: hostname.into(),
            ..good()
        };
        assert_eq!(judge(&other, Some(NOW)), Err(Unproven::OtherHost), "{hostname}");
    }
    for action in ["", "login", "baton-joi", "BATON-JOIN"] {
        let other = SiteVerdict {
            action: action.into(),
            ..good()
        };
        assert_eq!(judge(&other, Some(NOW)), Err(Unproven::OtherAction), "{action}");
    }
    let refused = SiteVerdict { success: false, ..good() };
    assert_eq!(judge(&refused, Some(NOW)), Err(Unproven::Refused));
}

#[test]
fn what_siteverify_writes_is_read() {
    let text = r#"{"success":true,"challenge_ts":"2023-11-14T22:13:20.000Z","hostname":"h","error-codes":[],"action":"a","cdata":"","metadata":{}}"#;
    let read: SiteVerdict = serde_json::from_str(text).expect("read");
    assert_eq!((read.success, &*read.hostname, &*read.action), (true, "h", "a"));
    let bare: SiteVerdict = serde_json::from_str(r#"{"success":false,"error-codes":["timeout-or-duplicate"]}"#).expect("read");
    assert_eq!(bare.error_codes, ["timeout-or-duplicate"]);
    assert!(!bare.is_ours_to_mend());
    let ours: SiteVerdict = serde_json::from_str(r#"{"success":false,"error-codes":["invalid-input-secret"]}"#).expect("read");
    assert!(ours.is_ours_to_mend());
    let nothing: SiteVerdict = serde_json::from_str("{}").expect("read");
    assert_eq!(judge(&nothing, Some(NOW)), Err(Unproven::Refused));
}

#[test]
fn answers_come_as_json_or_from_a_form() {
    let json = |body: &str| turnstile_answer("application/json; charset=utf-8", body);
    let form = |body: &str| turnstile_answer("application/x-www-form-urlencoded", body);
    assert_eq!(json(r#"{"token":"0.abc-D_e"}"#).as_deref(), Some("0.abc-D_e"));
    assert_eq!(form("a=b&cf-turnstile-response=0.abc&c=d").as_deref(), Some("0.abc"));
    let long = "x".repeat(TURNSTILE_ANSWER_BYTES_MAX + 1);
    let bad = [
        json(""),
        json("null"),
        json(r#"{"token":""}"#),
        json(r#"{"token":7}"#),
        json(r#"{"token":"a b"}"#),
        json(r#"{"token":"ä"}"#),
        json(&format!(r#"{{"token":"{long}"}}"#)),
        form(""),
        form("cf-turnstile-response="),
        form("cf-turnstile-response=%20"),
        form(&format!("cf-turnstile-response={long}")),
        form("token=0.abc"),
    ];
    assert_eq!(bad, [const { None }; 12]);
}

#[test]
fn a_repeated_question_is_the_same_for_the_same_visitor_only() {
    let (one, two) = (VisitorId([1; 16]), VisitorId([2; 16]));
    let key = idempotency_key(one, "answer");
    assert_eq!(key, idempotency_key(one, "answer"));
    assert_ne!(key, idempotency_key(two, "answer"));
    assert_ne!(key, idempotency_key(one, "answer2"));
    let lengths: Vec<usize> = key.split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12], "{key}");
}
