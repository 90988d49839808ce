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
    assert_eq!(errors(json!({ "BATON_SECRET": 31 })), ["secrets.BATON_SECRET"]);
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "BATON_SECRET_PREVIOUS": 5 })),
        ["secrets.BATON_SECRET_PREVIOUS"]
    );
    assert_eq!(errors(json!({ "BATON_SECRET": 32, "BATON_SECRT": 5 })), ["secrets.BATON_SECRT"]);
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
    assert_eq!(seen, [("mika@example.com", Role::View), ("noor", Role::Operate)]);
    // "test" has this hash; as a token it would be too short.
    let digest = [
        0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0, 0x15, 0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82,
        0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0, 0x0a, 0x08,
    ];
    let same = Operator::named("mika@example.com".to_owned(), Role::View).by_token(digest);
    assert_eq!(read[0], same);
    assert_eq!(operators(json!([])), Ok(vec![]));
    assert_eq!(operators(Value::Null), Ok(vec![]));
}

/// Long because it is one table, a row for each mistake.
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
    let many = (0..=settings::OPERATORS_MAX).map(|n| json!({ "name": format!("o{n}"), "role": "view", "sha256": format!("{n:064}") }));
    for (list, key, cure) in [
        (json!({}), "OPERATORS", "[[vars.OPERATORS]]"),
        (json!(["mika"]), "OPERATORS[0]", "[[vars.OPERATORS]]"),
        (json!([nameless]), "OPERATORS[0].name", "mika"),
        (with("name", json!("operator")), "OPERATORS[0].name", "mika"),
        (with("name", json!("")), "OPERATORS[0].name", "mika"),
        (with("name", json!("a b")), "OPERATORS[0].name", "mika"),
        (with("name", json!("a".repeat(65))), "OPERATORS[0].name", "64"),
        (with("role", json!("admin")), "OPERATORS[0].role", "operate"),
        (with("role", json!(1)), "OPERATORS[0].role", "operate"),
        (with("sha256", json!("")), "OPERATORS[0].sha256", "operator-token"),
        (with("sha256", json!("g".repeat(64))), "OPERATORS[0].sha256", "operator-token"),
        (with("sha256", json!("é".repeat(32))), "OPERATORS[0].sha256", "operator-token"),
        (
            with("token", json!("secret-secret-secret-secret-secret")),
            "OPERATORS[0].token",
            "new one",
        ),
        (with("sha265", json!("secret")), "OPERATORS[0].sha265", "sha256"),
        (json!([good(), twin]), "OPERATORS[1].name", "of their own"),
        (json!([good(), same_token]), "OPERATORS[1].sha256", "of their own"),
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
fn rooms_ends_and_addresses_of_operators_are_read_and_a_machine_has_rooms_and_an_end() {
    let one = |more: Value| {
        let mut table = json!({ "name": "hooks", "role": "release", "sha256": HASH, "rooms": ["onsale"], "ends_at": "2027-01-31T00:00:00+09:00" });
        for (key, value) in more.as_object().expect("a table") {
            if value.is_null() {
                table.as_object_mut().expect("a table").remove(key);
            } else {
                table[key] = value.clone();
            }
        }
        operators(json!([table]))
    };
    let read = one(json!({})).expect("good");
    assert_eq!(read[0].rooms, ["onsale"]);
    assert_eq!(read[0].ends_at_ms, Some(1_801_321_200_000));
    let free = one(json!({ "role": "own", "rooms": null, "ends_at": null })).expect("good");
    assert!(free[0].owns() && free[0].ends_at_ms.is_none());
    let many: Vec<_> = vec!["onsale"; settings::ROOMS_OF_OPERATOR_MAX + 1];
    #[rustfmt::skip]
    let bad = [
        (json!({ "rooms": null }), "OPERATORS[0].rooms", "is missing"), (json!({ "rooms": ["other"] }), "OPERATORS[0].rooms", "this file's rooms"),
        (json!({ "role": "view", "rooms": [] }), "OPERATORS[0].rooms", "this file's rooms"), (json!({ "role": "view", "rooms": "onsale" }), "OPERATORS[0].rooms", "this file's rooms"),
        (json!({ "rooms": many }), "OPERATORS[0].rooms", "at most 50"), (json!({ "room": "onsale" }), "OPERATORS[0].room", "not a known key"),
        (json!({ "ends_at": null }), "OPERATORS[0].ends_at", "is missing"), (json!({ "ends_at": "2027-01-31" }), "OPERATORS[0].ends_at", "not a date"),
        (json!({ "role": "view", "ends_at": 1 }), "OPERATORS[0].ends_at", "not a date"),
        (json!({ "email": "a@b.example" }), "OPERATORS[0].email", "is for people"),
        (json!({ "role": "view", "email": "a@b.example" }), "OPERATORS[0].email", "needs an identity provider"),
        (json!({ "role": "view", "email": "a@b@c" }), "OPERATORS[0].email", "is no address"),
        (json!({ "name": "schedule" }), "OPERATORS[0].name", "the journal uses itself"),
    ];
    for (more, at, why) in bad {
        let problems = one(more.clone()).expect_err("bad");
        assert!(
            problems.iter().any(|p| p.key == at && p.to_string().contains(why)),
            "{more}: {problems:?}"
        );
    }
}

#[test]
fn who_vouches_for_addresses_is_read_whole_or_named_with_a_cure() {
    let parse = |more: Value| {
        let mut vars = json!({ "ORIGIN": "https://shop.example", "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1 } } });
        vars.as_object_mut().expect("a table").extend(more.as_object().expect("a table").clone());
        settings::parse(&vars)
    };
    let access = json!({ "issuer": "https://team.cloudflareaccess.com", "audience": "4714c1358e65fe4b" });
    let oidc = json!({ "issuer": "https://accounts.example.com", "client_id": "baton" });
    let people = json!([{ "name": "mika", "role": "view", "email": "Mika@example.com" }]);
    let both = json!({ "ACCESS": access, "OIDC": oidc, "OPERATORS": people });
    let read = parse(both).expect("good");
    assert_eq!(
        read.access.expect("there").certs_url,
        "https://team.cloudflareaccess.com/cdn-cgi/access/certs"
    );
    assert_eq!(read.oidc.expect("there").scopes, "openid email");
    assert_eq!(read.operators[0].email.as_deref(), Some("mika@example.com"));
    let with = |mut table: Value, key: &str, value: Value| {
        table[key] = value;
        table
    };
    let twins = json!([people[0], { "name": "noor", "role": "view", "email": "mika@EXAMPLE.com" }]);
    #[rustfmt::skip]
    let bad = [
        (json!({ "ACCESS": [] }), "ACCESS", "not a table"), (json!({ "ACCESS": {} }), "ACCESS.issuer", "missing"), (json!({ "ACCESS": {} }), "ACCESS.audience", "missing"),
        (json!({ "ACCESS": with(access.clone(), "issuer", json!("http://team.example")) }), "ACCESS.issuer", "no https"),
        (json!({ "ACCESS": with(access.clone(), "certs_url", json!("http://127.0.0.1.evil.example/")) }), "ACCESS.certs_url", "no https"),
        (json!({ "ACCESS": with(access.clone(), "aud", json!("x")) }), "ACCESS.aud", "not a known key"),
        (json!({ "OIDC": with(oidc.clone(), "issuer", json!("https://user@evil.example")) }), "OIDC.issuer", "no https"),
        (json!({ "OIDC": with(oidc.clone(), "client_secret", json!("hush-hush")) }), "OIDC.client_secret", "not a known key"),
        (json!({ "OIDC": with(oidc.clone(), "scopes", json!("openid profile")) }), "OIDC.scopes", "lacks"),
        (json!({ "OIDC_CLIENT_SECRET": "hush-hush" }), "OIDC_CLIENT_SECRET", "is a secret"),
        (json!({ "OIDC": oidc.clone(), "OPERATORS": twins }), "OPERATORS[1].email", "that of mika"),
    ];
    for (more, at, why) in bad {
        let problems = parse(more.clone()).expect_err("bad");
        let text: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert!(problems.iter().any(|p| p.key == at && p.to_string().contains(why)), "{more}: {text:?}");
        assert!(!text.join("\n").contains("hush"), "{text:?}");
    }
    let local = with(access, "certs_url", json!("http://127.0.0.1:8080/certs"));
    assert!(parse(json!({ "ACCESS": local })).is_ok(), "for tests on one machine");
}
