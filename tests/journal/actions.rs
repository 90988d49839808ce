//! Who did what, as the facts of a row say it.

use baton::facts::config::Change;
use baton::facts::event::Event;
use baton::facts::house::HouseEvent;
use baton::facts::live::Ramped;
use baton::facts::notice::Notice;
use baton::facts::units::{Edition, Number};
use baton::facts::voucher::{CodeHash, SheetId, Slips, Terms};
use baton::journal::actions::Acts;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn told<E: Acts>(events: &[E]) -> Value {
    json!(E::actions(events))
}

#[test]
fn a_rooms_row_says_what_an_operator_changed_ended_or_began_and_nothing_of_visitors() {
    let by = || "mika".to_owned();
    let values = vec![
        Change::Permits(Some(Ramped::At(300))),
        Change::Message(Some(Notice::of("Back at \"noon\""))),
        Change::Mode(None),
    ];
    let row = [
        Event::Turned,
        Event::Adjusted {
            by: "schedule".to_owned(),
            values,
        },
        Event::Left(Number(7)),
        Event::Dismissed { number: Number(7), by: by() },
        Event::Reset {
            edition: Edition(2),
            by: by(),
            waiting: 3,
            inside: 1,
        },
    ];
    assert_eq!(
        told(&row),
        json!([
            { "by": "schedule", "does": "change", "what": { "permits": 300, "message": "Back at \"noon\"", "mode": null } },
            { "by": "mika", "does": "end_ticket", "what": { "number": 7 } },
            { "by": "mika", "does": "reset", "what": { "edition": 2 } },
        ])
    );
    assert_eq!(told(&[Event::Turned]), json!([]));
}

#[test]
fn a_row_of_the_house_is_that_of_whose_name_stands_at_its_head() {
    let room = || "spring".to_owned();
    let name = || "noor".to_owned();
    let table = "{\"role\":\"own\",\"sha256\":\"00\"}".to_owned();
    let row = [
        HouseEvent::Changed { by: "mika".to_owned() },
        HouseEvent::Defined {
            room: room(),
            table: "{}".to_owned(),
            generation: 2,
            over: Vec::new(),
        },
        HouseEvent::Archived { room: room() },
        HouseEvent::Freed { room: room() },
        HouseEvent::OperatorSet { name: name(), table },
        HouseEvent::OperatorRemoved { name: name() },
    ];
    let said = told(&row);
    let each: Vec<_> = said
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["does"].clone(), one["what"].clone()))
        .collect();
    assert_eq!(
        each,
        [
            (json!("define"), json!({ "room": "spring", "generation": 2 })),
            (json!("archive"), json!({ "room": "spring" })),
            (json!("release_paths"), json!({ "room": "spring" })),
            (json!("set_operator"), json!({ "operator": "noor" })),
            (json!("remove_operator"), json!({ "operator": "noor" })),
        ]
    );
    assert!(said.as_array().unwrap().iter().all(|one| one["by"] == "mika"));
    assert!(!said.to_string().contains("sha256"), "what is made of a token is told to nobody");
    assert_eq!(told(&row[1..]), json!([]), "no head, nobody's");
}

/// The list tells nobody the codes.
#[test]
fn a_sheet_and_a_brand_are_somebodys_doing() {
    let sheet = SheetId(4);
    let by = || "mika".to_owned();
    let terms = Terms {
        lane: None,
        from_at_ms: 0,
        ends_at_ms: 9,
    };
    let row = [
        Event::SheetMade {
            sheet,
            terms,
            slips: Slips::Codes { count: 1, uses: 2 },
            codes: vec![(CodeHash(77), 2)],
            by: by(),
        },
        Event::SheetWithdrawn { sheet, by: by() },
    ];
    let what = json!({ "sheet": 4 });
    assert_eq!(
        told(&row),
        json!([
            { "by": "mika", "does": "make_sheet", "what": what },
            { "by": "mika", "does": "withdraw_sheet", "what": what },
        ])
    );
    let brand = HouseEvent::Branded {
        room: "spring".to_owned(),
        brand: None,
    };
    assert_eq!(
        told(&[HouseEvent::Changed { by: by() }, brand]),
        json!([{ "by": "mika", "does": "brand", "what": { "room": "spring" } }])
    );
}
