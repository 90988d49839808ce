//! The form: what is signed comes back byte for byte, and nothing else is read.

use super::samples::{NOW, OTHER, SCOPE, SECRET, accepted, carry, farewell, keys, pass, signed, ticket};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use baton::token::{Carry, Keyring, Pass, PassCookie, Provisional, StaffName, Ticket, room_mark};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn what_is_signed_comes_back() {
    let keys = keys();
    for (kind, text) in signed() {
        assert_eq!(accepted(&keys, &text, SCOPE), Some(kind));
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{text}");
    }
    let text = keys.sign(&ticket(), SCOPE);
    let shown = keys.verify::<Ticket>(&text, SCOPE, NOW);
    assert_eq!(shown.map(|v| v.token), Ok(ticket()));
    let text = keys.sign(&carry(), SCOPE);
    let shown = keys.verify::<Carry>(&text, SCOPE, NOW);
    assert_eq!(shown.map(|v| v.token), Ok(carry()));
    let text = keys.sign(&pass(), SCOPE);
    assert_eq!(keys.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.token), Ok(pass()));
    assert_eq!(keys.verify_pass_cookie(&text, SCOPE, NOW).map(|v| v.token), Ok(PassCookie::Pass(pass())));
    let text = keys.sign(&farewell(), SCOPE);
    assert_eq!(
        keys.verify_pass_cookie(&text, SCOPE, NOW).map(|v| v.token),
        Ok(PassCookie::Farewell(farewell()))
    );
    let walk_in = Pass {
        provisional: Provisional::UntilShown,
        ..pass()
    };
    let text = keys.sign(&walk_in, SCOPE);
    assert_eq!(keys.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.token), Ok(walk_in));
}

/// A token of each kind as version 0.1.0 signed it: the kind, and the text.
const FROZEN: &str = include_str!("../fixtures/frozen/0.1.0/tokens.txt");

/// One line a kind.
fn lines() -> String {
    signed().iter().map(|(kind, text)| format!("{kind:?} {text}\n")).collect()
}

#[test]
fn a_token_that_a_release_signed_stays_good() {
    assert_eq!(
        lines(),
        FROZEN,
        "people keep tokens: a kind that changes gets a new version of its form, and the old one is read too"
    );
}

#[test]
#[ignore = "writes tests/fixtures/frozen of a version that is not released yet"]
#[cfg(not(target_arch = "wasm32"))]
fn freeze() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/frozen/",
        env!("CARGO_PKG_VERSION"),
        "/tokens.txt"
    );
    std::fs::write(file, lines()).expect("written");
}

#[test]
fn every_single_bit_counts() {
    let keys = keys();
    for (kind, text) in signed() {
        let bytes = B64.decode(&text).expect("ours");
        for bit in 0..bytes.len() * 8 {
            let mut bent = bytes.clone();
            bent[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(accepted(&keys, &B64.encode(&bent), SCOPE), None, "{kind:?} bit {bit}");
        }
        // And in the text itself, trailing bits of the last character included.
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bent = text.clone().into_bytes();
                bent[at] ^= 1 << bit;
                let bent = String::from_utf8_lossy(&bent);
                assert_eq!(accepted(&keys, &bent, SCOPE), None, "{kind:?} character {at} bit {bit}");
            }
        }
    }
}

#[test]
fn nothing_may_be_missing_or_added() {
    let keys = keys();
    for (kind, text) in signed() {
        let bytes = B64.decode(&text).expect("ours");
        for len in 0..bytes.len() {
            assert_eq!(accepted(&keys, &B64.encode(&bytes[..len]), SCOPE), None, "{kind:?} {len} bytes");
            assert_eq!(accepted(&keys, &B64.encode(&bytes[len + 1..]), SCOPE), None);
        }
        for len in 0..text.len() {
            assert_eq!(accepted(&keys, &text[..len], SCOPE), None, "{kind:?} {len} characters");
        }
        for extra in 1..70 {
            let mut longer = bytes.clone();
            longer.extend(std::iter::repeat_n(0, extra));
            assert_eq!(accepted(&keys, &B64.encode(&longer), SCOPE), None, "{kind:?} +{extra}");
        }
    }
}

#[test]
fn only_the_one_spelling_is_read() {
    let keys = keys();
    for (kind, text) in signed() {
        let swapped = text.replace('-', "+").replace('_', "/");
        let mut spellings = vec![
            format!("{text}="),
            format!("{text}=="),
            format!(" {text}"),
            format!("{text} "),
            format!("{text}\n"),
            format!("\"{text}\""),
            format!("{text}\0"),
            format!("{}%3D", text),
            text.to_ascii_uppercase(),
            format!("{}é", &text[..text.len() - 2]),
        ];
        if swapped != text {
            spellings.push(swapped);
        }
        for spelling in spellings {
            assert!(keys.verify_pass_cookie(&spelling, SCOPE, NOW).is_err(), "{kind:?} {spelling:?}");
            assert_eq!(accepted(&keys, &spelling, SCOPE), None, "{kind:?} {spelling:?}");
        }
        // Trailing bits: the last character has neighbours that decode to the same bytes elsewhere.
        let last = text.chars().last().expect("not empty");
        for c in ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']) {
            let spelling = format!("{}{c}", &text[..text.len() - 1]);
            assert_eq!(accepted(&keys, &spelling, SCOPE).is_some(), c == last, "{kind:?} …{c}");
        }
    }
}

#[test]
fn random_bytes_are_refused_without_a_panic() {
    let seed = 0xBA70_0001;
    let mut dice = fastrand::Rng::with_seed(seed);
    let keys = Keyring::from_secrets(Some(SECRET), Some(OTHER)).expect("good");
    for turn in 0..20_000 {
        let len = dice.usize(0..160);
        let mut bytes: Vec<u8> = std::iter::repeat_with(|| dice.u8(..)).take(len).collect();
        if dice.bool() {
            // Close to the real thing: a good header on noise of a good length.
            let (_, text) = &signed()[dice.usize(0..4)];
            let real = B64.decode(text).expect("ours");
            bytes.resize(real.len(), 0);
            let keep = dice.usize(0..real.len());
            bytes[..keep].copy_from_slice(&real[..keep]);
            bytes[keep] = !real[keep];
        }
        let text = if dice.bool() {
            B64.encode(&bytes)
        } else {
            String::from_utf8_lossy(&bytes).into_owned()
        };
        assert_eq!(accepted(&keys, &text, SCOPE), None, "seed {seed:#x}, turn {turn}: {text:?}");
    }
    for huge in ["A".repeat(32 * 1024), "é".repeat(9_999), String::new()] {
        assert_eq!(accepted(&keys, &huge, SCOPE), None);
    }
}

#[test]
fn staff_are_named_in_small_letters_digits_and_dashes() {
    for name in ["m", "mika", "box-office-2", "0123456789abcdef"] {
        let read = StaffName::parse(name).expect(name);
        assert_eq!(read.as_str(), name);
    }
    for none in ["", "Mika", "mi ka", "mika_2", "m\0", "é", "0123456789abcdefg"] {
        assert_eq!(StaffName::parse(none), None, "{none:?}");
    }
}

#[test]
fn a_links_room_is_told_from_another() {
    assert_eq!(room_mark("onsale"), room_mark("onsale"));
    assert_ne!(room_mark("onsale"), room_mark("presale"));
}
