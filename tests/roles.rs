//! Who may ask what: every call that the API's document has for operators, the role that it takes, and where.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use baton::gate::{Gate, OwnCall, Plan, Request, Scheme};
use baton::openapi::document;
use baton::settings::parse;
use baton::token::{Operator, Role, Within};
use serde_json::{Value, json};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What a call takes: a role, and `room` (the one in the path), `own` (each sees the own rooms) or `all`; `-`: nothing, it is a door.
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str)] = &[
    ("desk", "-", "-"), ("signIn", "-", "-"), ("signOut", "-", "-"), ("ways", "-", "-"), ("toProvider", "-", "-"), ("fromProvider", "-", "-"),
    ("rooms", "view", "own"), ("actions", "view", "own"), ("openapi", "view", "own"), ("metrics", "view", "own"),
    ("room", "view", "room"), ("rehearsal", "view", "room"), ("rehearsalJournal", "view", "room"), ("story", "view", "room"), ("hour", "view", "room"),
    ("outlook", "view", "room"), ("probe", "view", "room"), ("journal", "view", "room"),
    ("change", "operate", "room"), ("undo", "operate", "room"), ("reset", "operate", "room"), ("beginRehearsal", "operate", "room"),
    ("endRehearsal", "operate", "room"), ("leaveFor", "operate", "room"), ("release", "operate", "room"),
    ("releaseLease", "release", "room"),
    ("house", "view", "own"), ("planHouse", "view", "own"), ("houseJournal", "view", "all"),
    ("applyHouse", "own", "own"), ("undoHouse", "own", "all"), ("defineRoom", "own", "room"), ("deleteRoom", "own", "room"), ("releaseRoom", "own", "room"),
    ("setOperator", "own", "all"), ("changeOperator", "own", "all"), ("removeOperator", "own", "all"),
    ("brandRoom", "operate", "room"), ("unbrandRoom", "operate", "room"),
    ("images", "view", "own"), ("putImage", "operate", "own"), ("dropImage", "operate", "own"),
    ("sheets", "view", "room"), ("makeSheet", "operate", "room"), ("withdrawSheet", "operate", "room"), ("invitations", "operate", "room"),
    ("staffLink", "operate", "room"),
    ("webhooks", "view", "all"), ("testWebhook", "operate", "all"), ("resend", "operate", "all"),
];

fn gate() -> Gate {
    let vars = json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1 } } });
    Gate::new(&parse(&vars).expect("good")).expect("a gate")
}

/// Every operation with the tag `operator`: its name, its method, and its path filled in.
fn operations() -> Vec<(String, String, String)> {
    let document = document();
    let paths = document["paths"].as_object().expect("paths").clone();
    let filled = |path: &str| {
        let parts = [
            ("{room}", "onsale"),
            ("{name}", "mika"),
            ("{number}", "1"),
            ("{fence}", "1"),
            ("{sheet}", "1"),
            ("{webhook}", "crm"),
            ("{image}", "00000000000000000000000000000000.png"),
        ];
        parts.iter().fold(path.to_owned(), |path, (part, value)| {
            path.replace(part, value)
        })
    };
    let mut found = Vec::new();
    for (path, methods) in &paths {
        for (method, operation) in methods.as_object().expect("methods") {
            let tags = operation["tags"].as_array();
            if tags.is_some_and(|tags| tags.contains(&Value::from("operator"))) {
                let name = operation["operationId"]
                    .as_str()
                    .expect("a name")
                    .to_owned();
                found.push((name, method.to_ascii_uppercase(), filled(path)));
            }
        }
    }
    found
}

/// The call that a request without headers is.
fn call(gate: &Gate, method: &str, path: &str) -> OwnCall {
    let plan = gate.decide(&Request {
        method,
        scheme: Scheme::Https,
        host: "tickets.example.com",
        path_and_query: path,
        has_body: false,
        headers: &|_: &str| None,
    });
    match plan {
        Plan::Own(call) => call,
        _ => panic!("{method} {path} is none of Baton's calls"),
    }
}

/// What the code takes for a request, in the words of the table.
fn needs(gate: &Gate, method: &str, path: &str) -> (String, String) {
    let call = call(gate, method, path);
    let need = match &call {
        OwnCall::Monitor(_) => return ("view".to_owned(), "own".to_owned()),
        OwnCall::Admin(call) => call.needs(),
        call => panic!("{method} {path} is {call:?}"),
    };
    let Some(need) = need else {
        return ("-".to_owned(), "-".to_owned());
    };
    let within = match need.within {
        Within::Room("onsale") => "room",
        Within::Room(room) => panic!("{method} {path} is about {room}"),
        Within::OwnRooms => "own",
        Within::Everything => "all",
    };
    (need.role.name().to_owned(), within.to_owned())
}

#[test]
fn every_call_of_the_document_takes_what_the_table_says() {
    let gate = gate();
    let mut table: BTreeMap<_, _> = TABLE
        .iter()
        .map(|(name, role, within)| (*name, (*role, *within)))
        .collect();
    assert_eq!(table.len(), TABLE.len(), "no name twice");
    for (name, method, path) in operations() {
        let (role, within) = table
            .remove(name.as_str())
            .unwrap_or_else(|| panic!("{name} is not in the table"));
        let needed = needs(&gate, &method, &path);
        assert_eq!(
            (needed.0.as_str(), needed.1.as_str()),
            (role, within),
            "{name}"
        );
    }
    assert!(table.is_empty(), "not in the document: {table:?}");
}

#[test]
fn what_changes_something_is_for_more_than_looking_and_what_makes_operators_for_owners_alone() {
    let gate = gate();
    let viewer = Operator::named("mika".to_owned(), Role::View);
    let machine = Operator::named("hooks".to_owned(), Role::Release);
    let bound = Operator::named("noor".to_owned(), Role::Own).within(vec!["onsale".to_owned()]);
    for (name, method, path) in operations() {
        let OwnCall::Admin(call) = call(&gate, &method, &path) else {
            continue;
        };
        let Some(need) = call.needs() else { continue };
        // A plan is asked with POST, and changes nothing.
        // Invitations are handed out by looking at them.
        let looks = (method == "GET" && name != "invitations") || name == "planHouse";
        assert_eq!(viewer.may(need).is_ok(), looks, "{name}");
        assert_eq!(machine.may(need).is_ok(), name == "releaseLease", "{name}");
        if name.ends_with("Operator") {
            assert!(
                bound.may(need).is_err(),
                "{name}: who is bound gives nobody anything"
            );
        }
    }
}
