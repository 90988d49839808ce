//! Where a room's objects live is part of what its tokens are bound to.

use super::sample::with;
use baton::settings::{Home, JURISDICTIONS, LOCATIONS, rehearsal_of};
use serde_json::json;
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn home(location: &str, generation: u32, jurisdiction: &str) -> Home {
    Home {
        location: location.to_owned(),
        generation,
        jurisdiction: Some(jurisdiction.to_owned()).filter(|word| !word.is_empty()),
    }
}

#[test]
fn tokens_are_bound_to_another_text_in_each_home() {
    let mut homes = 0;
    let mut bound = BTreeSet::new();
    for room in ["onsale", "onsale-2", "apac", "eu"] {
        for location in ["auto", "wnam", "weur", "apac"] {
            for generation in [1, 2, 12] {
                for jurisdiction in ["", "eu", "fedramp"] {
                    homes += 2;
                    let text = home(location, generation, jurisdiction).bound(room);
                    bound.insert(rehearsal_of(&text));
                    bound.insert(text);
                }
            }
        }
    }
    assert_eq!(bound.len(), homes);
}

#[test]
fn a_room_that_never_moved_is_bound_to_its_name() {
    assert_eq!(home("auto", 1, "").bound("onsale"), "onsale");
    assert_eq!(home("apac", 2, "eu").bound("onsale"), "onsale@apac.2/eu");
    for (key, value, bound) in [
        ("permits", json!(200), "onsale"),
        ("location", json!("apac"), "onsale@apac"),
        ("generation", json!(2), "onsale.2"),
        ("jurisdiction", json!("eu"), "onsale/eu"),
    ] {
        let room = with(key, value).expect("a good room");
        assert_eq!(room.bound_as, bound);
    }
}

#[test]
fn a_home_travels_as_text() {
    for home in [home("auto", 1, ""), home("apac", 12, ""), home("weur", 2, "eu")] {
        let text = home.text();
        assert_eq!(Home::of_text(text.trim()), Some(home), "{text:?}");
    }
    for wrong in ["", "apac", "apac 1", "apac.x", "apac/eu", "./eu"] {
        assert_eq!(Home::of_text(wrong), None, "{wrong:?}");
    }
}

#[test]
fn no_two_homes_share_an_edition() {
    const RESETS: u32 = 1_000;
    let mut first = BTreeSet::new();
    for generation in [1, 2, 3, 14_999, 15_000] {
        for location in LOCATIONS {
            for jurisdiction in JURISDICTIONS {
                first.insert(home(location, generation, jurisdiction).first_edition().0);
            }
        }
    }
    assert_eq!(first.len(), 5 * LOCATIONS.len() * JURISDICTIONS.len());
    let apart = first.iter().zip(first.iter().skip(1));
    assert!(apart.into_iter().all(|(one, next)| next - one >= RESETS));
    assert_eq!(home("auto", 1, "").first_edition().0, 1);
    assert!(first.last() < Some(&(1_000_000_000 - RESETS)));
}
