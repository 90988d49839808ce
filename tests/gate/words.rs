//! Languages, and the closed list of errors.

use baton::gate::{ErrorCode, FrontWords, Language, error_body, waiting_body};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn languages() {
    #[rustfmt::skip]
    let table = [
        (None, "en"), (Some(""), "en"), (Some("ja"), "ja"), (Some("ja-JP"), "ja"), (Some("JA"), "ja"),
        (Some("en-GB,en;q=0.9,ja;q=0.8"), "en"), (Some("ja,en-US;q=0.9"), "ja"), (Some("en;q=0.5, ja;q=0.8"), "ja"),
        (Some("fr,de;q=0.9"), "fr"), (Some("sv,de;q=0.9"), "de"), (Some("sv,ja;q=0.1"), "ja"), (Some("sv,fi;q=0.9"), "en"),
        (Some("zh"), "zh-Hans"), (Some("zh-CN"), "zh-Hans"), (Some("zh-SG"), "zh-Hans"), (Some("zh-TW,zh;q=0.9"), "zh-Hant"),
        (Some("zh-Hant-HK"), "zh-Hant"), (Some("zh-HK"), "zh-Hant"), (Some("zh-Hans-HK"), "zh-Hans"), (Some("ZH-hant"), "zh-Hant"),
        (Some("pt-BR"), "pt"), (Some("in"), "id"), (Some("ar-EG,en;q=0.5"), "ar"), (Some("*-*"), "en"), (Some("*"), "en"), (Some("*;q=0.5,ja;q=0.6"), "ja"),
        (Some("ja;q=0"), "en"), (Some("ja;q=0,en;q=0.1"), "en"), (Some("ja;q=2"), "en"), (Some("ja;q=x"), "en"),
        (Some("ja;q=0.5,en;q=0.5"), "ja"), (Some("jam"), "en"), (Some(",,;;q=,-,ja"), "ja"), (Some("ja; q = 1.000"), "ja"),
    ];
    for (header, expected) in table {
        assert_eq!(Language::negotiate(header).tag(), expected, "{header:?}");
    }
    let long = format!("{}ja", "sv,".repeat(10_000));
    assert_eq!(Language::negotiate(Some(&long)), Language::En);
}

#[test]
fn the_front_speaks_every_language_of_the_page() {
    let texts = Language::ALL.map(|language| FrontWords::of(language).all());
    let mut all: Vec<&str> = texts.as_flattened().to_vec();
    for text in &all {
        // They stand in HTML and in JSON as they are.
        assert!(!text.is_empty() && !text.contains(['<', '&', '"', '\\']), "{text}");
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 15 * 8, "none is another language's");
}

#[test]
fn errors_are_a_closed_list() {
    let mut names: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    #[rustfmt::skip]
    let promised = [
        ("cookies_required", 403), ("forbidden_origin", 403), ("bad_ticket", 401), ("not_called", 409),
        ("ticket_over", 410), ("upgrade_required", 426), ("too_many_requests", 429), ("room_unavailable", 503),
        ("bad_config", 503), ("unauthorized", 401), ("precondition_failed", 412), ("bad_request", 400),
        ("method_not_allowed", 405), ("unknown_room", 404),
    ];
    for (name, status) in promised {
        assert_eq!(ErrorCode::parse(name).map(ErrorCode::status), Some(status), "{name}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ErrorCode::ALL.len());
    let body: serde_json::Value = serde_json::from_str(&error_body(ErrorCode::BadTicket, Some("a \"quote\" <b>"))).expect("JSON");
    assert_eq!(body, json!({"error": {"code": "bad_ticket", "message": "a \"quote\" <b>"}}));
    let body: serde_json::Value = serde_json::from_str(&waiting_body("onsale", 5)).expect("JSON");
    assert_eq!(
        body,
        json!({"state": "waiting", "room": "onsale", "join": "/__baton/onsale/join", "enter": "/__baton/onsale/enter", "retry_after_s": 5})
    );
}
