//! Who may ask what: every call that the API's document has for operators takes in the code what the document says (`x-needs`), and random operators may
//! make exactly those.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use baton::control::openapi::document;
use baton::control::{Call, ENDPOINTS, Endpoint, Takes, narrow};
use baton::facts::limits::{HOUSE_BYTES_MAX, TABLE_BYTES_MAX};
use baton::gate::{Gate, OwnCall, Plan, Request, Scheme};
use baton::settings::parse;
use baton::token::{Need, Operator, Operators, Role, Within};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn gate() -> Gate {
    let vars = json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1 } } });
    Gate::new(&parse(&vars).expect("good")).expect("a gate")
}

/// An operation with the tag `operator`.
struct Operation {
    name: String,
    method: String,
    /// With a value for each of its parts.
    path: String,
    /// Role and place in the document's words; `None`: it is a door.
    needs: Option<(String, String)>,
}

fn operations() -> Vec<Operation> {
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
        parts.iter().fold(path.to_owned(), |path, (part, value)| path.replace(part, value))
    };
    let mut found = Vec::new();
    for (path, methods) in &paths {
        for (method, operation) in methods.as_object().expect("methods") {
            let tags = operation["tags"].as_array();
            if tags.is_some_and(|tags| tags.contains(&Value::from("operator"))) {
                let text = |value: &Value| value.as_str().expect("a text").to_owned();
                let needs = operation.get("x-needs");
                found.push(Operation {
                    name: text(&operation["operationId"]),
                    method: method.to_ascii_uppercase(),
                    path: filled(path),
                    needs: needs.map(|needs| (text(&needs["role"]), text(&needs["within"]))),
                });
            }
        }
    }
    found
}

/// The call that a request without headers is.
fn call(gate: &Gate, method: &str, path: &str) -> Call {
    let request = Request {
        method,
        scheme: Scheme::Https,
        host: "tickets.example.com",
        path_and_query: path,
        has_body: false,
        headers: &|_: &str| None,
    };
    assert!(
        matches!(gate.decide(&request), Plan::Own(OwnCall::Operators)),
        "{method} {path} is no operator's"
    );
    Call::of(gate, &request).unwrap_or_else(|refusal| panic!("{method} {path}: {refusal:?}"))
}

/// That in the words of the document.
fn told(need: Need<'_>) -> (String, String) {
    let within = match need.within {
        Within::Room("onsale") => "room",
        Within::Room(room) => panic!("it is about {room}"),
        Within::OwnRooms => "own",
        Within::Everything => "all",
    };
    (need.role.name().to_owned(), within.to_owned())
}

#[test]
fn every_call_of_the_document_takes_what_it_says() {
    let gate = gate();
    for operation in operations() {
        let call = call(&gate, &operation.method, &operation.path);
        let needs = call.needs().map(told);
        assert_eq!(needs, operation.needs, "{}", operation.name);
    }
}

/// The rule in other words than the code's: the roles in a row, and a release beside them.
fn expected(operator: &Operator, role: &str, within: &str, room: &str) -> bool {
    let reached: &[&str] = match operator.role {
        Role::Release => &["release"],
        Role::View => &["view"],
        Role::Operate => &["view", "operate", "release"],
        Role::Own => &["view", "operate", "release", "own"],
    };
    let is_there = match within {
        "own" => true,
        "room" => operator.rooms.is_empty() || operator.rooms.iter().any(|own| own == room),
        _ => operator.rooms.is_empty(),
    };
    reached.contains(&role) && is_there
}

#[test]
fn random_operators_may_make_exactly_the_calls_that_the_document_gives_them() {
    const SEED: u64 = 40;
    let (mut random, gate, operations) = (Xorshift(SEED), gate(), operations());
    let rooms = ["onsale", "spring", "onsal", "onsale2", "house"];
    let mut seen = [0_u32; 2];
    for at in 0..2_000 {
        let role = Role::ALL[random.below(4)];
        let own = rooms.iter().filter(|_| random.below(3) == 0);
        let own: Vec<String> = own.map(|room| (*room).to_owned()).collect();
        let operator = Operator::named("mika".to_owned(), role).within(own);
        let operation = &operations[random.below(operations.len())];
        let call = call(&gate, &operation.method, &operation.path);
        let (Some(need), Some((role, within))) = (call.needs(), &operation.needs) else {
            continue;
        };
        let may = operator.may(need).is_ok();
        let what = format!("case {at} of seed {SEED}: {operator:?}, {}", operation.name);
        assert_eq!(may, expected(&operator, role, within, "onsale"), "{what}");
        seen[usize::from(may)] += 1;
    }
    assert!(seen.iter().all(|cases| *cases > 200), "{seen:?}");
}

struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("small")
    }
}

#[test]
fn what_changes_something_is_for_more_than_looking_and_what_makes_operators_for_owners_alone() {
    let gate = gate();
    let viewer = Operator::named("mika".to_owned(), Role::View);
    let machine = Operator::named("hooks".to_owned(), Role::Release);
    let bound = Operator::named("noor".to_owned(), Role::Own).within(vec!["onsale".to_owned()]);
    for Operation { name, method, path, .. } in operations() {
        let call = call(&gate, &method, &path);
        let Some(need) = call.needs() else { continue };
        // A plan is asked with POST, and changes nothing.
        // Invitations are handed out by looking at them.
        let looks = (method == "GET" && name != "invitations") || name == "planHouse";
        assert_eq!(viewer.may(need).is_ok(), looks, "{name}");
        assert_eq!(machine.may(need).is_ok(), name == "releaseLease", "{name}");
        if name.ends_with("Operator") {
            assert!(bound.may(need).is_err(), "{name}: who is bound gives nobody anything");
        }
    }
}

#[test]
fn the_values_of_a_call_are_read_by_name() {
    let gate = gate();
    let release = call(&gate, "POST", "/__baton/admin/rooms/onsale/tickets/9007199254740991/release");
    assert_eq!((release.text("room"), release.number("number")), ("onsale", Some(9_007_199_254_740_991)));
    assert_eq!(
        (release.text("number"), release.number("room"), release.number("fence")),
        ("", None, None)
    );
}

/// Blanks count in a body, and not in what the house keeps of it.
#[test]
fn a_body_may_be_longer_than_the_table_in_it() {
    for (name, table) in [
        ("defineRoom", TABLE_BYTES_MAX),
        ("brandRoom", TABLE_BYTES_MAX),
        ("applyHouse", HOUSE_BYTES_MAX),
    ] {
        let Takes::Json { bytes_max, .. } = endpoint(name).takes else {
            panic!("{name} takes no JSON");
        };
        assert!(bytes_max >= 2 * table, "{name} takes {bytes_max} bytes");
    }
}

fn endpoint(name: &str) -> &'static Endpoint {
    let mut rows = ENDPOINTS.iter();
    rows.find(|row| row.name == name).expect("a row")
}

#[test]
fn an_operator_is_told_of_the_own_rooms_alone() {
    let told = json!({
        "revision": 7, "problems": ["one"], "rooms": { "alpha": {}, "gamma": {} }, "released": { "old": 2 }, "brands": { "alpha": { "page_title": "A" }, "beta": {} },
        "undo": [{ "room": "beta" }, { "room": "alpha" }, { "operator": "mika" }], "changes": [{ "room": "gamma" }], "operators": {}, "something_new": 1,
    });
    let as_told = |operator: Operator| {
        let mut told = told.as_object().cloned().expect("an object");
        narrow(endpoint("house"), &mut told, &operator);
        Value::Object(told)
    };
    let named = |role| Operator::named("noor".to_owned(), role);
    let of_one = json!({ "revision": 7, "problems": ["one"], "rooms": { "alpha": {} }, "released": {}, "brands": { "alpha": { "page_title": "A" } }, "undo": [{ "room": "alpha" }], "changes": [] });
    for role in [Role::View, Role::Own] {
        assert_eq!(as_told(named(role).within(vec!["alpha".to_owned()])), of_one, "{role:?}");
    }
    assert_eq!(as_told(named(Role::Own)), told);
    let mut of_viewer = told.clone();
    of_viewer.as_object_mut().expect("there").remove("operators");
    of_viewer["undo"].as_array_mut().expect("there").pop();
    assert_eq!(as_told(named(Role::View)), of_viewer);
}

#[test]
fn lists_tell_of_the_own_rooms_alone_and_a_room_all_but_the_headers() {
    let noor = Operator::named("noor".to_owned(), Role::Operate).within(vec!["alpha".to_owned()]);
    let told = |name: &str, told: &Value| {
        let mut told = told.as_object().cloned().expect("an object");
        narrow(endpoint(name), &mut told, &noor);
        Value::Object(told)
    };
    let rooms = json!({ "operator": { "name": "noor" }, "rooms": [{ "room": "alpha" }, { "room": "beta" }], "more_of_all": 1 });
    assert_eq!(
        told("rooms", &rooms),
        json!({ "operator": { "name": "noor" }, "rooms": [{ "room": "alpha" }] })
    );
    let done = |room: &str, what: Value| json!({ "room": room, "by": "mika", "what": what });
    let (of_alpha, of_beta) = (json!({ "room": "alpha" }), json!({ "room": "beta" }));
    let seen = [done("alpha", json!({})), done("~house", of_alpha)];
    let hidden = [
        done("beta", json!({})),
        done("~house", of_beta),
        done("~house", json!({ "operator": "mika" })),
    ];
    let all: Vec<&Value> = seen.iter().chain(&hidden).collect();
    let actions = json!({
        "actions": all, "silent": ["alpha", "beta", "~house"],
        "more": [{ "room": "alpha", "before": 3 }, { "room": "beta", "before": 9 }, { "room": "~house", "before": 1 }],
    });
    assert_eq!(
        told("actions", &actions),
        json!({ "actions": seen, "silent": ["alpha", "~house"],
            "more": [{ "room": "alpha", "before": 3 }, { "room": "~house", "before": 1 }] })
    );
    let probe = json!({ "front": {}, "headers_stay": ["x-a"] });
    assert_eq!(told("probe", &probe), json!({ "front": {} }));
    let report = json!({ "report": {}, "undo": { "permits": 1 }, "rooms_of_this": 1 });
    assert_eq!(told("room", &report), report);
}

#[test]
fn the_secret_keeps_its_role_whoever_else_is_given_its_hash() {
    let secret = "s".repeat(32);
    let of_secret = Operators::new(Some(&secret), &[]);
    let holder = of_secret.holder().expect("set");
    let twin = Operator::named("mika".to_owned(), Role::View).by_token(digest(&secret));
    assert!(holder.shares_token_with(&twin));
    let operators = Operators::new(Some(&secret), &[twin]);
    let found = operators.of_token(&secret).expect("an operator");
    assert_eq!((found.name.as_str(), found.role), ("operator", Role::Own));
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Who may make each call, a line each: method, path, role, where, whether the request may come from any site, and what it must have seen.
fn written_roles() -> String {
    let line = |row: &Endpoint| {
        let needs = row.needs.map_or_else(
            || "nobody known".to_owned(),
            |(role, within)| format!("{} in {}", role.name(), within.name()),
        );
        let methods = row.methods.join(",");
        format!("{methods} {}: {needs}, from {:?}, seen {:?}\n", row.path, row.from, row.seen)
    };
    let mut lines: Vec<String> = ENDPOINTS.iter().map(line).collect();
    lines.sort();
    lines.concat()
}

/// Whoever changes a role in the table sees it in this file too, and so does the reviewer.
#[test]
fn nobody_may_call_what_they_could_not_call_before_without_being_asked() {
    let frozen = include_str!("fixtures/roles.txt");
    let now = written_roles();
    let only = |here: &str, there: &str| -> Vec<String> {
        let new = here.lines().filter(|line| there.lines().all(|other| other != *line));
        new.map(str::to_owned).collect()
    };
    let (gone, new) = (only(frozen, &now), only(&now, frozen));
    assert!(
        gone.is_empty() && new.is_empty(),
        "who may call what has changed:\n- {}\n+ {}\nIf it is meant: cargo test --test roles -- --ignored write_roles",
        gone.join("\n- "),
        new.join("\n+ ")
    );
    assert_eq!(frozen.lines().count(), ENDPOINTS.len());
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
#[ignore = "writes tests/fixtures/roles.txt"]
fn write_roles() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/roles.txt");
    std::fs::write(file, written_roles()).expect("written");
}
