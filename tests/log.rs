//! The lines of the log: their form, that nothing of a visitor's gets into them, and that the list is what is said.

#![allow(clippy::expect_used, reason = "a test that cannot go on stops")]

use baton::facts::log::{Code, Level, Part, Remark, WHY_CHARS_MAX};
use baton::facts::units::{Edition, LobbyId, Number, VisitorId};
use baton::token::{Keyring, Scope, Ticket};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_line_is_json_with_what_is_known_and_nothing_else() {
    let remark = Remark::front(Code::LobbyUnreachable)
        .in_room("onsale")
        .at_lobby(LobbyId(3))
        .because("no answer within 5000 ms");
    assert_eq!(remark.level(), Level::Warn);
    assert_eq!(
        remark.to_json(),
        r#"{"level":"warn","code":"lobby_unreachable","part":"front","room":"onsale","lobby":3,"why":"no answer within 5000 ms","message":"A lobby did not answer a front. Logged once, until it answers."}"#
    );
    let counted = Remark::of(Part::Room, Code::LiveChanged).by("mika").counting(7);
    assert_eq!(
        counted.to_json(),
        r#"{"level":"info","code":"live_changed","part":"room","count":7,"by":"mika","message":"An operator changed live values."}"#
    );
    let lines = Remark::front(Code::RequestFailed).because("two\nlines \"and\" quotes").to_json();
    assert!(!lines.contains('\n') && lines.contains(r#"two\nlines \"and\" quotes"#), "{lines}");
}

#[test]
fn what_is_as_long_as_a_name_or_a_secret_is_left_out() {
    let keys = Keyring::from_secrets(Some("a secret of at least 32 bytes, and some"), None).expect("good");
    let visitor = VisitorId([0xab; 16]);
    let scope = Scope {
        room: "onsale",
        host: "tickets.example.com",
    };
    let ticket = Ticket {
        visitor,
        number: Number(7),
        edition: Edition::FIRST,
        lobby: LobbyId(1),
        row: baton::facts::units::Version(9),
        issued_at_ms: 1,
    };
    for told in [visitor.to_string(), keys.sign(&ticket, scope)] {
        for why in [
            told.clone(),
            format!("{told} is odd"),
            format!("of \"{told}\"."),
            format!("a={told}\n{told}"),
        ] {
            let line = Remark::front(Code::RequestFailed).because(&why).to_json();
            assert!(!line.contains(&told) && line.contains('…'), "{why}: {line}");
        }
    }
    let said = |why: &str| Remark::front(Code::ConfigBad).because(why).to_json();
    let plain = "ROOMS.onsale.origin_errors_max_percent = 100: at most 99; onsale/3 did not answer";
    assert!(said(plain).contains(plain), "what is short stays");
    assert!(said("a … b ü: äöü").contains("a … b ü: äöü"));
    let long = said(&"word ".repeat(1_000));
    assert!(long.len() < WHY_CHARS_MAX + 200, "{}", long.len());
}

#[test]
fn the_list_has_every_code_once() {
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(names.len(), Code::ALL.len());
    for code in Code::ALL {
        let name = code.as_str();
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        assert!(code.message().ends_with('.'), "{name}");
    }
}

/// The shell's files, by name.
#[cfg(not(target_arch = "wasm32"))]
fn shell() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/edge")];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).expect("there").flatten() {
            let path = file.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).expect("text");
                files.push((path.display().to_string(), text));
            }
        }
    }
    files
}

/// A code that nobody says is a promise that is not kept, and what is said around the list cannot be searched.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_code_is_said_somewhere_and_nothing_is_said_otherwise() {
    let files = shell();
    let is_said = |what: &str| files.iter().any(|(_, text)| text.contains(what));
    for code in Code::ALL {
        let by_entry = format!("code: \"{}\"", code.as_str());
        let said = is_said(&format!("Code::{code:?}"));
        assert!(said || is_said(&by_entry) && is_said(code.message()), "{}", code.as_str());
    }
    for (name, text) in &files {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let prints: usize = code.map(|line| line.matches("console").count()).sum();
        let may = match name.rsplit('/').next() {
            Some("log.rs") => 3,
            // One line of the list each, and one that Rust made.
            Some("entry.js" | "peers.js") => 1,
            _ => 0,
        };
        assert!(prints <= may, "{name}: {prints}");
    }
}
