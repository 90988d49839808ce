//! The API's document: what it says of live values is what the schema of the configuration takes.

#![allow(clippy::expect_used, clippy::panic)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use baton::control::openapi::document;
use baton::gate::{CarryCall, ErrorCode, Gate, OwnCall, Plan, Request, RoomCall, Scheme, VisitorCall};
use baton::settings::{KEYS, parse, parse_live};
use serde_json::{Value, json};

fn at<'d>(document: &'d Value, pointer: &str) -> &'d Value {
    document.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer}"))
}

/// Whether the room takes this live value; what else it has leaves room for every value of one key.
fn takes(key: &str, value: Value) -> bool {
    let file = json!({ "paths": ["/x"], "permits": 1, "tick_ms": 20, "claim_within_s": 3600,
        "lease_idle_s": 1, "lease_max_s": 604_800 });
    let live = json!({ key: value });
    match parse_live("onsale", &file, &live) {
        Ok(_) => true,
        Err(problems) => problems
            .iter()
            .any(|p| p.what.contains("tick (") || p.what.contains("longer than lease_max_s")),
    }
}

/// Whoever makes a client reads the file.
#[test]
fn the_document_in_the_docs_is_this_one() {
    let written: Value = serde_json::from_str(include_str!("../docs/openapi.json")).expect("JSON");
    assert!(written == document(), "docs/openapi.json is older than the code: run `npm run docs`");
}

/// Long because it has a branch for each kind of value that the schema knows.
#[test]
fn live_values_are_those_of_the_schema_with_its_ends() {
    let document = document();
    let values = at(&document, "/components/schemas/LiveValues/properties");
    let values = values.as_object().expect("an object");
    let mut known = 0;
    for key in KEYS {
        let live = key.is_live();
        assert_eq!(values.contains_key(key.name), live, "{}", key.name);
        if !live {
            continue;
        }
        known += 1;
        let value = at(&document, &format!("/components/schemas/LiveValues/properties/{}/anyOf/0", key.name));
        if let (Some(min), Some(max)) = (value["minimum"].as_u64(), value["maximum"].as_u64()) {
            assert!(takes(key.name, json!(min)) && takes(key.name, json!(max)), "{}", key.name);
            assert!(!takes(key.name, json!(max + 1)), "{}", key.name);
            assert!(min == 0 || !takes(key.name, json!(min - 1)), "{}", key.name);
        } else if let Some(words) = value["enum"].as_array() {
            assert!(words.iter().all(|word| takes(key.name, word.clone())), "{}", key.name);
            assert!(!takes(key.name, json!("no such word")), "{}", key.name);
        } else if let Some(chars) = [value, &value["anyOf"][0]].iter().find_map(|text| text["maxLength"].as_u64()) {
            let text = |chars: u64| json!("é".repeat(usize::try_from(chars).expect("small")));
            assert!(takes(key.name, text(chars)) && !takes(key.name, text(chars + 1)), "{}", key.name);
        } else if let Some(most) = value["anyOf"][1]["maxItems"].as_u64() {
            assert_eq!(value["anyOf"][0]["format"], "date-time", "{}", key.name);
            let date = |hour: u64| json!(format!("2030-01-01T{hour:02}:00:00+09:00"));
            // More than one would have to alternate with the other list.
            assert!(takes(key.name, date(1)) && takes(key.name, json!([date(1)])));
            assert!(!takes(key.name, json!("2030-01-01")) && !takes(key.name, json!(1)));
            let many: Vec<Value> = (0..=most).map(date).collect();
            assert!(!takes(key.name, json!(many)), "{}", key.name);
        } else if value["items"]["properties"]["share"].is_object() {
            let most = value["maxItems"].as_u64().expect("a bound");
            let lane = |n: u64| json!({ "name": format!("lane-{n}") });
            let lanes = |count| json!((0..count).map(lane).collect::<Vec<_>>());
            assert!(takes(key.name, lanes(most)) && !takes(key.name, lanes(most + 1)));
            let share = &value["items"]["properties"]["share"];
            let with = |share: u64| json!([{ "name": "vip", "share": share }]);
            let max = share["maximum"].as_u64().expect("an end");
            assert!(takes(key.name, with(1)) && takes(key.name, with(max)));
            assert!(!takes(key.name, with(0)) && !takes(key.name, with(max + 1)));
        } else if let Some(most) = value["maxItems"].as_u64() {
            let step = |minute: u64| {
                let at = format!("2030-01-01T{:02}:{:02}:00Z", minute / 60, minute % 60);
                json!({ "at": at, "set": { "mode": "open" } })
            };
            let steps = |count| json!((0..count).map(step).collect::<Vec<_>>());
            assert!(takes(key.name, steps(most)) && !takes(key.name, steps(most + 1)));
            let required = json!({ "at": "2030-01-01T10:00:00Z" });
            assert!(!takes(key.name, json!([required])), "a step sets something");
        } else {
            assert_eq!(value["type"], "boolean", "{}", key.name);
            assert!(takes(key.name, json!(true)) && !takes(key.name, json!(1)));
        }
    }
    assert_eq!(values.len(), known, "and no other");
}

#[test]
fn every_reference_leads_somewhere_and_every_code_is_told_once() {
    let document = document();
    let mut open = vec![&document];
    let mut references = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                    at(&document, reference.trim_start_matches('#'));
                    references += 1;
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    assert!(references > 100, "{references}");
    for code in ErrorCode::ALL {
        let told = at(&document, &format!("/components/responses/E{}/description", code.status()));
        let name = format!("`{}`: ", code.as_str());
        assert_eq!(told.as_str().expect("a text").matches(&name).count(), 1, "{name}");
    }
}

/// Lists every call that is no operator's, with the name that the document gives it. A call that is missing here does not compile.
macro_rules! calls {
    ($($pattern:pat => $name:literal,)*) => {
        fn name_of(call: &OwnCall) -> &'static str {
            match call {
                $($pattern => $name,)*
                OwnCall::Preflight { .. } | OwnCall::Static { .. } | OwnCall::Operators => "",
            }
        }

        const CALLS: &[&str] = &[$($name),*];
    };
}

calls! {
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Socket), .. } => "socket",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Join), .. } => "join",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Status { .. }), .. } => "status",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Take), .. } => "takeHere",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Claim), .. } => "claim",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Leave), .. } => "leave",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Offer), .. } => "offer",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Verify), .. } => "verify",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Knock), .. } => "knock",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Code), .. } => "writeCode",
    OwnCall::Room { call: RoomCall::Visitor(VisitorCall::Enter), .. } => "enter",
    OwnCall::Room { call: RoomCall::Carry { call: CarryCall::Look, .. }, .. } => "look",
    OwnCall::Room { call: RoomCall::Carry { call: CarryCall::Take, .. }, .. } => "take",
    OwnCall::Room { call: RoomCall::Speak(_), .. } => "speak",
    OwnCall::Room { call: RoomCall::Left, .. } => "left",
    OwnCall::Room { call: RoomCall::Draw, .. } => "draw",
    OwnCall::Room { call: RoomCall::Chain, .. } => "chain",
    OwnCall::Image { .. } => "image",
    OwnCall::Health => "health",
}

/// The pages of the docs for whoever writes a client.
const CLIENT_DOCS: [&str; 5] = [
    include_str!("../docs/client.md"),
    include_str!("../docs/apps.md"),
    include_str!("../docs/draw.md"),
    include_str!("../docs/invitations.md"),
    include_str!("../docs/api.md"),
];

/// A route of our own that nobody documents is one that nobody can use.
#[test]
fn every_own_route_is_in_the_document_and_in_the_docs() {
    let vars = json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1 } } });
    let gate = Gate::new(&parse(&vars).expect("good")).expect("a gate");
    let mut found = Vec::new();
    let document = document();
    for (path, methods) in at(&document, "/paths").as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let tags = operation["tags"].as_array();
            if tags.is_some_and(|tags| tags.contains(&Value::from("operator"))) {
                continue;
            }
            let filled = path.replace("{room}", "onsale").replace("{code}", "abc");
            let filled = filled.replace("{tag}", "ja");
            let filled = filled.replace("{image}", "00000000000000000000000000000000.png");
            let plan = gate.decide(&Request {
                method: &method.to_ascii_uppercase(),
                scheme: Scheme::Https,
                host: "tickets.example.com",
                path_and_query: &filled,
                has_body: false,
                headers: &|name: &str| (method == "get" && path.ends_with("/socket") && name == "upgrade").then(|| "websocket".to_owned()),
            });
            let Plan::Own(call) = plan else {
                panic!("{method} {path} is none of our routes");
            };
            assert_eq!(operation["operationId"], name_of(&call), "{method} {path}");
            let last = path.split('/').rfind(|part| !part.starts_with('{'));
            let last = last.unwrap_or_default();
            assert!(CLIENT_DOCS.iter().any(|page| page.contains(last)), "{path} is in no page for clients");
            found.push(name_of(&call));
        }
    }
    found.sort_unstable();
    let mut all = CALLS.to_vec();
    all.sort_unstable();
    assert_eq!(found, all);
}

/// Each way in which an endpoint gives its answer, by one that does.
#[test]
fn an_operation_answers_with_the_status_of_its_form() {
    let document = document();
    for (path, method, status) in [
        ("admin~1rooms", "get", "200"),
        ("admin~1rooms~1{room}~1sheets", "post", "201"),
        ("admin~1session", "delete", "204"),
        ("admin~1oidc", "get", "303"),
    ] {
        let responses = at(&document, &format!("/paths/~1__baton~1{path}/{method}/responses"));
        let good: Vec<&String> = responses
            .as_object()
            .expect("responses")
            .keys()
            .filter(|code| code.as_str() < "400")
            .collect();
        assert_eq!(good, [status], "{path}");
    }
}
