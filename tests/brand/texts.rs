//! Texts: of the page's language, else of any, else the room's, else ours; bounded, and never markup.

use baton::brand::language::Language;
use baton::brand::texts::TEXTS;
use baton::settings::{Problem, RoomSettings, parse_room};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn room(texts: &Value) -> Result<RoomSettings, Vec<Problem>> {
    let room = json!({ "paths": ["/buy/*"], "permits": 1, "page_title": "Tour", "page_texts": texts });
    parse_room("onsale", &room)
}

#[test]
fn a_text_falls_back_from_language_to_room_to_ours() {
    let texts = json!({
        "ja": { "title": "ツアー", "waiting": "", "message": "お一人様四枚まで" },
        "ko": { "title": "" },
        "any": { "waiting": "Doors at six.", "closed": "See you in May." },
    });
    let page = room(&texts).expect("good").page;
    for (language, name, expected) in [
        ("ja", "title", "ツアー"),
        ("en", "title", "Tour"),
        ("ja", "message", "お一人様四枚まで"),
        ("en", "message", ""),
        // Empty: ours again, in this language.
        ("ja", "waiting", ""),
        ("de", "waiting", "Doors at six."),
        ("ja", "closed", "See you in May."),
        ("ja", "hall", ""),
        ("ko", "title", "Tour"),
    ] {
        assert_eq!(page.text(language, name), expected, "{language} {name}");
    }
}

#[test]
fn every_text_of_every_language_has_a_bound() {
    for language in Language::ALL.map(Language::tag) {
        for (name, chars_max) in TEXTS {
            let said = |chars: usize| room(&json!({ language: { name: "あ".repeat(chars) } }));
            assert!(said(chars_max).is_ok(), "{language} {name}");
            let problems = said(chars_max + 1).expect_err("too long");
            let at = format!("ROOMS.onsale.page_texts.{language}.{name}");
            assert_eq!(problems[0].key, at);
            assert!(problems[0].what.contains("characters"), "{problems:?}");
        }
    }
}

#[test]
fn what_is_no_text_or_no_language_is_refused_with_a_cure() {
    for (texts, at, cure) in [
        (json!({ "jp": {} }), "page_texts.jp", "Did you mean ja?"),
        (json!({ "ja": { "tile": "x" } }), "page_texts.ja.tile", "Did you mean title?"),
        (json!({ "ja": { "title": 7 } }), "page_texts.ja.title", "in quotes"),
        (json!({ "ja": { "title": "a\u{0}b" } }), "page_texts.ja.title", "plain text"),
        (json!({ "any": { "title": "x" } }), "page_texts.any.title", "page_title"),
        (json!({ "any": { "message": "x" } }), "page_texts.any.message", "page_message"),
        (json!({ "ja": "x" }), "page_texts.ja", "page_texts"),
        (json!([]), "page_texts", "page_texts"),
    ] {
        let problems = room(&texts).expect_err("refused");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].key, format!("ROOMS.onsale.{at}"));
        assert!(problems[0].cure.contains(cure), "{}", problems[0]);
    }
}
