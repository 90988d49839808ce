//! The list of readings: the matcher and the list find the same, and no piece of the list leads past.

use super::asking::HOST;
use super::paths::judged;
use baton::gate::{Gate, PathReading, Reading};
use baton::settings;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn one_room() -> Gate {
    let vars = json!({ "ROOMS": { "buy": { "paths": ["/buy/*"], "permits": 1 } } });
    Gate::new(&settings::parse(&vars).expect("settings")).expect("patterns")
}

#[test]
fn c111_every_spelling_of_the_list_is_the_rooms_or_refused() {
    let gate = one_room();
    for reading in Reading::ALL {
        let spellings = reading.spellings("buy", "seat");
        assert!(!spellings.is_empty(), "{reading:?}");
        for path in spellings {
            let found = Reading::all_in(&path);
            assert!(found.contains(&reading), "{path}: {found:?}");
            let room = judged(&gate, &path);
            assert!(matches!(room.as_str(), "buy" | "400"), "{HOST}{path} is {room} by {reading:?}");
        }
    }
}

#[test]
fn a_path_has_one_reading_if_the_list_finds_none_in_it() {
    let pieces: Vec<&str> = Reading::ALL
        .iter()
        .flat_map(|reading| {
            let pieces = reading.pieces();
            let lists = [pieces.heads, pieces.blanks, pieces.ups, pieces.joints, pieces.ends];
            lists.into_iter().flatten().copied()
        })
        .chain([
            "buy", "seat", "/", "/", "/", "B", "é", "É", "ſ", "ｂ", "%62", "%25", "%", "..", ".", " ", "?x", "#x", "%E3%83", "%u0062", "%2525", "::",
            ":",
        ])
        .collect();
    let seed = 0xBA70_0111;
    let mut dice = fastrand::Rng::with_seed(seed);
    let (mut one, mut many) = (0, 0);
    for turn in 0..20_000 {
        let parts = (0..dice.usize(1..6)).map(|_| *dice.choice(&pieces).expect("some"));
        let path = format!("/{}", parts.collect::<String>());
        let found = Reading::all_in(&path);
        let is_one = found.iter().all(|reading| reading.is_everybodys());
        assert_eq!(
            PathReading::new(&path).has_one_reading(),
            is_one,
            "seed {seed:#x}, turn {turn}: {path:?} {found:?}"
        );
        if is_one { one += 1 } else { many += 1 }
    }
    assert!(one > 500 && many > 500, "{one} and {many}");
}

#[test]
fn a_reading_is_written_for_any_first_segment() {
    let of = |reading: Reading| reading.spellings("checkout", "pay");
    assert_eq!(of(Reading::Case), ["/Checkout/pay"]);
    assert_eq!(of(Reading::Alike), ["/%EF%BD%83heckout/pay"]);
    assert!(of(Reading::Overlong).contains(&"/%c1%a3heckout/pay".to_owned()));
    assert!(of(Reading::Host).contains(&"//u@x:80/checkout/pay".to_owned()));
}
