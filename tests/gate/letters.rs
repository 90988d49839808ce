//! Paths beyond ASCII: a room's own address is the room's, and no other form of its letters leads past.

use super::asking::HOST;
use super::paths::judged;
use baton::gate::Gate;
use baton::settings;
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn gate(path: &str) -> Gate {
    let vars = json!({ "ROOMS": { "buy": { "paths": [path], "permits": 1 } } });
    Gate::new(&settings::parse(&vars).expect("settings")).expect("patterns")
}

fn asked(gate: &Gate, word: &[u8]) -> String {
    judged(gate, &format!("/{}/seat", percent_encode(word, NON_ALPHANUMERIC)))
}

#[test]
fn the_address_of_a_room_is_the_rooms_in_any_language() {
    // Words whose letters change when they go to upper case and back, as in German, Greek and Turkish; and words whose letters do not.
    let words = [
        "größe",
        "straße",
        "τιμές",
        "satış",
        "İzmir",
        "ſhop",
        "ŉa",
        "ﬁlm",
        "Ωm",
        "Ⱥx",
        "café",
        "купить",
        "チケット",
        "ガチャ",
        "표",
        "ตั๋ว",
        "हिन्दी",
        "vé",
        "a\u{301}b",
    ];
    for word in words {
        for pattern in [format!("/{word}/*"), format!("/{word}*"), format!("/{word}/seat")] {
            let gate = gate(&pattern);
            assert_eq!(asked(&gate, word.as_bytes()), "buy", "{HOST}, {pattern}");
            assert_eq!(judged(&gate, &format!("/{word}/seat")), "buy", "{pattern}, as typed");
            assert_eq!(judged(&gate, "/about"), "open", "{pattern}");
        }
    }
    assert_eq!(judged(&gate("/τιμές/*"), "/τιμές;jsessionid=1/seat"), "buy");
}

#[test]
fn c22_no_other_form_of_a_rooms_letters_leads_past() {
    // A room's word, and another word that some origin takes for it.
    let forms: [(&str, &str); 26] = [
        // To Go's and Java's simple mappings \u{130} is an i in upper case, to JavaScript's an i and a dot.
        ("spring", "spr\u{130}ng"),
        ("izmir", "\u{130}ZM\u{130}R"),
        ("İzmir", "izmir"),
        ("İzmir", "i\u{307}zmir"),
        ("café", "cafe\u{301}"),
        ("ガチャ", "カ\u{3099}チャ"),
        ("표", "\u{1111}\u{116D}"),
        ("vé", "ve\u{301}"),
        ("ệ", "ê\u{323}"),
        ("a\u{301}b", "a\u{300}b"),
        ("CAFÉ", "cafe\u{301}"),
        ("größe", "GRÖSSE"),
        ("größe", "GRÖẞE"),
        ("größe", "gro\u{308}ße"),
        ("straße", "STRASSE"),
        ("straße", "stra\u{1E9E}e"),
        ("τιμές", "ΤΙΜΈΣ"),
        ("τιμές", "τιμέσ"),
        ("τιμές", "τιμε\u{301}ς"),
        ("satış", "SATIŞ"),
        ("shop", "ſhop"),
        ("kit", "\u{212A}it"),
        ("film", "ﬁlm"),
        ("İzmir", "i\u{307}zmir"),
        ("é*", "e\u{301}tage"),
        ("ångström", "\u{212B}ngström"),
    ];
    for (room, other) in forms {
        let pattern = if room.ends_with('*') { format!("/{room}") } else { format!("/{room}/*") };
        let found = asked(&gate(&pattern), other.as_bytes());
        assert!(matches!(found.as_str(), "buy" | "400"), "{pattern}: {other} is {found}");
    }
}

#[test]
fn c22_no_other_character_set_leads_past() {
    // A room's word in Latin-1, Windows-1251, Shift_JIS, EUC-JP, Big5, KOI8-R and UTF-16.
    let forms: [(&str, &[u8]); 9] = [
        ("café", b"caf\xE9"),
        ("größe", b"gr\xF6\xDFe"),
        ("straße", b"stra\xDFe"),
        ("купить", b"\xEA\xF3\xEF\xE8\xF2\xFC"),
        ("チケット", b"\x83\x60\x83\x50\x83\x62\x83\x67"),
        ("切符", b"\xC0\xDA\xC9\xE4"),
        ("票", b"\xB2\xBC"),
        ("места", b"\xCD\xC5\xD3\xD4\xC1"),
        ("été*", b"\xE9t\xE9x"),
    ];
    for (room, bytes) in forms {
        let pattern = if room.ends_with('*') { format!("/{room}") } else { format!("/{room}/*") };
        assert_eq!(asked(&gate(&pattern), bytes), "400", "{pattern}: {bytes:x?}");
    }
    // Bytes that can be no such word go on, and so do all where rooms have ASCII alone.
    for (room, bytes) in [
        ("チケット", &b"\x83\x60"[..]),
        ("チケット", b"caf\xE9"),
        ("チケット", b"M\xFCnchen"),
        ("café", b"th\xE9"),
        ("buy", b"caf\xE9"),
        ("buy", b"caf\xE9buy"),
        ("vé", b"\xE9\xE9\xE9\xE9\xE9\xE9\xE9\xE9\xE9"),
    ] {
        assert_eq!(asked(&gate(&format!("/{room}/*")), bytes), "open", "{room}: {bytes:x?}");
    }
}
