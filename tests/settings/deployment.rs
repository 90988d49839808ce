//! What is of the whole deployment: the origin, secrets, operators.

use baton::settings::{self, Problem, Severity, parse};
use baton::token::{Operator, Role};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn c14_c123_secrets_are_judged_by_length() {
    let check = |secrets: Value| settings::check_secrets(secrets.as_object().expect("object"));
    let errors = |secrets: Value| {
        check(secrets)
            .into_iter()
            .filter(|p| p.severity == Severity::Error)
            .map(|p| p.key)
            .collect::<Vec<_>>()
    };
    assert!(check(json!({ "BATON_SECRET": 32 })).is_empty());
    assert!(check(json!({ "BATON_SECRET": 48, "BATON_SECRET_PREVIOUS": 0, "ORIGIN_SECRET": 48, "BATON_ADMIN_TOKEN": 48 })).is_empty());
    assert_eq!(errors(json!({})), ["secrets.BATON_SECRET"]);
    assert_eq!(
        errors(json!({ "BATON_SECRET": 31 })),
        ["secrets.BATON_SECRET"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "BATON_SECRET_PREVIOUS": 5 })),
        ["secrets.BATON_SECRET_PREVIOUS"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "BATON_SECRT": 5 })),
        ["secrets.BATON_SECRT"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "ORIGIN_SECRET": "the secret itself" })),
        ["secrets.ORIGIN_SECRET"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "BATON_ADMIN_TOKEN": 31 })),
        ["secrets.BATON_ADMIN_TOKEN"],
        "anybody may try it"
    );
    let warned = check(json!({ "BATON_SECRET": 32, "ORIGIN_SECRET": 5 }));
    assert_eq!(warned.len(), 1);
    assert_eq!(warned[0].severity, Severity::Warning);
}

/// The problems of a deployment with these operators.
fn operators(list: Value) -> Result<Vec<Operator>, Vec<Problem>> {
    let room = json!({ "paths": ["/buy/*"], "permits": 1 });
    let parsed = parse(&json!({ "ROOMS": { "onsale": room }, "OPERATORS": list }));
    parsed.map(|settings| settings.operators)
}

const HASH: &str = "9F86D081884C7D659A2FEAA0C55AD015a3bf4f1b2b0b822cd15d6c15b0f00a08";

#[test]
fn operators_are_read_in_order_and_none_are_fine() {
    let two = json!([
        { "name": "mika@example.com", "role": "view", "sha256": HASH },
        { "name": "noor", "role": "operate", "sha256": "0".repeat(64) },
    ]);
    let read = operators(two).expect("good");
    let seen: Vec<_> = read.iter().map(|o| (o.name.as_str(), o.role)).collect();
    assert_eq!(
        seen,
        [("mika@example.com", Role::View), ("noor", Role::Operate)]
    );
    // "test" has this hash; as a token it would be too short.
    let digest = [
        0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0,
        0x15, 0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0,
        0x0a, 0x08,
    ];
    let same = Operator::of_digest("mika@example.com".to_owned(), Role::View, digest);
    assert_eq!(read[0], same);
    assert_eq!(operators(json!([])), Ok(vec![]));
    assert_eq!(operators(Value::Null), Ok(vec![]));
}

#[test]
fn c38_operators_that_are_wrong_are_named_with_a_cure() {
    let good = || json!({ "name": "mika", "role": "view", "sha256": HASH });
    let with = |key: &str, value: Value| {
        let mut one = good();
        one[key] = value;
        json!([one])
    };
    let mut nameless = good();
    nameless.as_object_mut().expect("a table").remove("name");
    let mut twin = good();
    twin["sha256"] = json!("1".repeat(64));
    let mut same_token = good();
    same_token["name"] = json!("noor");
    let many = (0..=settings::OPERATORS_MAX)
        .map(|n| json!({ "name": format!("o{n}"), "role": "view", "sha256": format!("{n:064}") }));
    for (list, key, cure) in [
        (json!({}), "OPERATORS", "[[vars.OPERATORS]]"),
        (json!(["mika"]), "OPERATORS[0]", "[[vars.OPERATORS]]"),
        (json!([nameless]), "OPERATORS[0].name", "mika"),
        (with("name", json!("operator")), "OPERATORS[0].name", "mika"),
        (with("name", json!("")), "OPERATORS[0].name", "mika"),
        (with("name", json!("a b")), "OPERATORS[0].name", "mika"),
        (
            with("name", json!("a".repeat(65))),
            "OPERATORS[0].name",
            "64",
        ),
        (with("role", json!("admin")), "OPERATORS[0].role", "operate"),
        (with("role", json!(1)), "OPERATORS[0].role", "operate"),
        (
            with("sha256", json!("")),
            "OPERATORS[0].sha256",
            "operator-token",
        ),
        (
            with("sha256", json!("g".repeat(64))),
            "OPERATORS[0].sha256",
            "operator-token",
        ),
        (
            with("sha256", json!("é".repeat(32))),
            "OPERATORS[0].sha256",
            "operator-token",
        ),
        (
            with("token", json!("secret-secret-secret-secret-secret")),
            "OPERATORS[0].token",
            "new one",
        ),
        (
            with("sha265", json!("secret")),
            "OPERATORS[0].sha265",
            "sha256",
        ),
        (json!([good(), twin]), "OPERATORS[1].name", "of their own"),
        (
            json!([good(), same_token]),
            "OPERATORS[1].sha256",
            "of their own",
        ),
        (Value::Array(many.collect()), "OPERATORS", "Remove"),
    ] {
        let problems = operators(list.clone()).expect_err(key);
        assert_eq!(problems.len(), 1, "{list}: {problems:?}");
        assert_eq!(problems[0].key, key, "{list}");
        let text = problems[0].to_string();
        assert!(problems[0].cure.contains(cure), "{text}");
        assert!(!text.contains("secret"), "{text}");
        assert!(!text.contains(HASH), "{text}");
    }
}

#[test]
fn a_machine_that_releases_has_a_room_and_an_end_and_nobody_else_has() {
    let machine = |more: Value| {
        let mut table = json!({ "name": "hooks", "role": "release", "sha256": HASH, "room": "onsale", "ends_at": "2027-01-31T00:00:00+09:00" });
        for (key, value) in more.as_object().expect("a table") {
            if value.is_null() {
                table.as_object_mut().expect("a table").remove(key);
            } else {
                table[key] = value.clone();
            }
        }
        operators(json!([table]))
    };
    let read = machine(json!({})).expect("good");
    let bounds = read[0].bounds.clone().expect("bounds");
    assert_eq!(
        (bounds.room.as_str(), bounds.ends_at_ms),
        ("onsale", 1_801_321_200_000)
    );
    #[rustfmt::skip]
    let bad = [
        (json!({ "room": null }), "OPERATORS[0].room", "is missing"), (json!({ "room": "other" }), "OPERATORS[0].room", "no room of this file"),
        (json!({ "ends_at": null }), "OPERATORS[0].ends_at", "is missing"), (json!({ "ends_at": "2027-01-31" }), "OPERATORS[0].ends_at", "not a date"),
        (json!({ "role": "view" }), "OPERATORS[0].room", "for the role release alone"),
        (json!({ "role": "operate", "room": null }), "OPERATORS[0].ends_at", "for the role release alone"),
    ];
    for (more, at, why) in bad {
        let problems = machine(more.clone()).expect_err("bad");
        assert!(
            problems.iter().any(|p| p.key == at && p.what.contains(why)),
            "{more}: {problems:?}"
        );
    }
}
