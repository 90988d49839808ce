//! Brands: what is laid over the pages of rooms of the house and of the file, by whom it is refused, and how it is taken back.

use baton::facts::limits::{HOUSE_ROOMS_MAX, TABLE_BYTES_MAX};
use baton::house::table::Table;
use baton::house::{House, Refusal, Wish};
use baton::settings::{Settings, house_changes, missing_pictures, parse, parse_brand, rooms_showing};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PICTURE: &str = "0123456789abcdef0123456789abcdef.png";

fn settings() -> Settings {
    let file = json!({ "onsale": { "paths": ["/buy/*"], "permits": 1, "page_title": "Of the file", "page_help_url": "/help" } });
    let vars = json!({ "GROUNDS": { "paths": ["/*"] }, "ROOMS": file });
    parse(&vars).expect("good settings")
}

fn table(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().expect("a table")
}

fn brand(room: &str, brand: &Value) -> Wish {
    Wish::Brand {
        room: room.to_owned(),
        brand: Some(table(brand)),
    }
}

fn unbrand(room: &str) -> Wish {
    let room = room.to_owned();
    Wish::Brand { room, brand: None }
}

fn define(room: &str) -> Wish {
    let table = table(&json!({ "paths": [format!("/{room}/*")], "permits": 1, "mode": "closed" }));
    let room = room.to_owned();
    Wish::Define {
        room,
        table,
        over: Vec::new(),
    }
}

fn done(house: &mut House, wishes: &[Wish]) {
    let events = house.decide(wishes).expect("it may be");
    house.apply(house.version() + 1, &events);
}

fn undone(house: &mut House) {
    let events = house.undo().expect("something to undo");
    house.apply(house.version() + 1, &events);
}

/// What a change comes to, or every problem.
fn judged(house: &House, wishes: &[Wish]) -> Result<Value, String> {
    let settings = settings();
    let events = house.decide(wishes).map_err(|refusal| refusal.to_string())?;
    let grounds = settings.grounds.as_ref().expect("grounds");
    house_changes(&settings.rooms, grounds, house, &house.after(&events))
        .map(|changes| changes.iter().map(|change| change.told()).collect())
        .map_err(|problems| problems.iter().map(|one| format!("{one}\n")).collect())
}

#[test]
fn a_brand_is_laid_over_a_page_and_leaves_the_rest() {
    let mut page = settings().rooms[0].page.clone();
    let colours = json!({ "light": { "accent": "#0033aa" } });
    let brand = json!({ "page_title": "Tour", "page_colours": colours, "page_texts": { "ja": { "title": "ツアー" } } });
    parse_brand("onsale", &brand).expect("good").lay_over(&mut page);
    assert_eq!(page.text("en", "title"), "Tour");
    assert_eq!(page.text("ja", "title"), "ツアー");
    assert_eq!(page.help_url, "/help", "of the file");
    assert!(page.style.css.contains("#0033aa"));
    let empty = json!({ "page_title": "" });
    parse_brand("onsale", &empty).expect("good").lay_over(&mut page);
    assert_eq!(page.title, "", "what is said to be nothing is nothing");
}

#[test]
fn rooms_of_the_file_and_of_the_house_have_brands_and_no_others() {
    let mut house = House::default();
    done(&mut house, &[define("spring")]);
    let told = judged(&house, &[brand("onsale", &json!({ "page_title": "Tour" }))]).expect("good");
    let keys = json!({ "page_title": { "from": null, "to": "Tour" } });
    assert_eq!(told, json!([{ "room": "onsale", "does": "brand", "keys": keys, "needs_nobody_for": [] }]));
    assert!(judged(&house, &[brand("spring", &json!({}))]).is_ok());
    assert!(judged(&house, &[define("new"), brand("new", &json!({}))]).is_ok(), "with the room itself");
    for (wish, said) in [
        (brand("none", &json!({})), "brands.none: is no room"),
        (brand("onsale", &json!({ "permits": 9 })), "brands.onsale.permits"),
        (brand("onsale", &json!({ "page_titel": "x" })), "Did you mean page_title?"),
        (
            brand("onsale", &json!({ "page_help_url": "javascript:alert(1)" })),
            "brands.onsale.page_help_url",
        ),
        (brand("onsale", &json!({ "page_colours": { "dark": { "ink": "#000000" } } })), "1.1 : 1"),
    ] {
        let problems = judged(&house, &[wish]).expect_err(said);
        assert!(problems.contains(said), "{said}: {problems}");
    }
}

#[test]
fn a_brand_is_no_other_room_and_wakes_none() {
    let mut house = House::default();
    done(&mut house, &[define("spring")]);
    let before = Table::of(&house);
    done(&mut house, &[brand("spring", &json!({ "page_title": "Tour" }))]);
    let after = Table::of(&house);
    assert_eq!(before.rooms, after.rooms);
    assert_eq!(after.brands["spring"]["page_title"], "Tour");
    assert!(after.version > before.version);
    let same = [brand("spring", &json!({ "page_title": "Tour" }))];
    assert!(house.decide(&same).expect("good").is_empty(), "so already");
    assert!(house.decide(&[unbrand("onsale")]).expect("good").is_empty());
}

#[test]
fn every_change_of_a_brand_is_taken_back() {
    let mut house = House::default();
    done(&mut house, &[define("spring")]);
    done(
        &mut house,
        &[brand("spring", &json!({ "page_title": "One" })), brand("onsale", &json!({}))],
    );
    let one = house.brands().clone();
    for wishes in [
        vec![brand("spring", &json!({ "page_title": "Two" }))],
        vec![unbrand("spring"), unbrand("onsale")],
        vec![brand("spring", &json!({})), define("autumn"), brand("autumn", &json!({}))],
    ] {
        done(&mut house, &wishes);
        let changed = house.brands().clone();
        assert_ne!(changed, one);
        undone(&mut house);
        assert_eq!(house.brands(), &one);
        undone(&mut house);
        assert_eq!(house.brands(), &changed, "an undo is undone");
        undone(&mut house);
    }
}

#[test]
fn the_next_room_of_a_name_begins_without_the_brand_of_the_one_before() {
    let mut house = House::default();
    done(&mut house, &[define("spring"), brand("spring", &json!({ "page_title": "One" }))]);
    let spring = || "spring".to_owned();
    done(&mut house, &[Wish::Archive { room: spring() }]);
    assert_eq!(house.brands().len(), 1, "its page still tells that it is over");
    done(&mut house, &[Wish::Free { room: spring() }]);
    assert!(house.brands().is_empty());
    undone(&mut house);
    assert_eq!(house.brands().len(), 1);
    let stored = postcard::to_allocvec(&house).expect("a snapshot");
    assert_eq!(postcard::from_bytes::<House>(&stored).expect("the same"), house);
}

#[test]
fn brands_are_bounded() {
    let mut house = House::default();
    let long = "x".repeat(TABLE_BYTES_MAX);
    let refused = house.decide(&[brand("onsale", &json!({ "page_title": long }))]);
    assert_eq!(refused, Err(Refusal::Long("onsale".to_owned())));
    let all: Vec<Wish> = (0..HOUSE_ROOMS_MAX).map(|at| brand(&format!("r{at}"), &json!({}))).collect();
    done(&mut house, &all);
    assert_eq!(house.decide(&[brand("more", &json!({}))]), Err(Refusal::Full));
    assert!(house.decide(&[brand("r7", &json!({ "page_title": "x" }))]).is_ok());
    let mut house = House::default();
    let text = "x".repeat(TABLE_BYTES_MAX - 100);
    let full = (0..).map(|at| brand(&format!("r{at}"), &json!({ "page_message": text })));
    let mut taken = 0;
    for wish in full.take(100) {
        match house.decide(core::slice::from_ref(&wish)) {
            Ok(_) => done(&mut house, &[wish]),
            Err(refusal) => {
                assert_eq!(refusal, Refusal::Full);
                break;
            }
        }
        taken += 1;
    }
    assert_eq!(taken, 61, "a million bytes");
}

#[test]
fn a_picture_is_shown_by_rooms_and_must_be_there() {
    let mut house = House::default();
    let logo = json!({ "page_logo": format!("/__baton/images/{PICTURE}") });
    let events = house.decide(&[brand("onsale", &logo)]).expect("good");
    let settings = settings();
    let grounds = settings.grounds.as_ref().expect("grounds");
    let changes = house_changes(&settings.rooms, grounds, &house, &house.after(&events));
    let changes = changes.expect("good");
    let problems = missing_pictures(&changes, |_| false);
    assert!(problems[0].to_string().contains("Upload it first"), "{problems:?}");
    assert!(missing_pictures(&changes, |name| name == PICTURE).is_empty());
    done(&mut house, &[brand("onsale", &logo), define("spring"), brand("spring", &logo)]);
    assert_eq!(rooms_showing(&settings.rooms, &house, PICTURE), ["onsale", "spring"]);
    done(&mut house, &[unbrand("onsale"), unbrand("spring")]);
    assert!(rooms_showing(&settings.rooms, &house, PICTURE).is_empty());
}
