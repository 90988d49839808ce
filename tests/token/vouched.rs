//! What issuers vouch for: which tokens are read at all, what they must say, when keys are asked for, and what the code flow sends.

use super::samples::at_the_bound;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use baton::token::{
    ASSERTION_BYTES_MAX, Algorithm, Assertion, Doubt, Email, Expected, FAILED_MS, KEYS_MAX, KEYS_MS, Keyset, Login, Lookup, Provider, Returned,
    UNKNOWN_MS, is_secure_address,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NOW: u64 = 1_800_000_000_000;
const BOTH: [Algorithm; 2] = [Algorithm::Rs256, Algorithm::Es256];

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn token(header: &Value, claims: &Value) -> String {
    format!("{}.{}.{}", part(header), part(claims), URL_SAFE_NO_PAD.encode([1; 256]))
}

fn header() -> Value {
    json!({ "alg": "RS256", "kid": "k1", "typ": "JWT" })
}

fn claims() -> Value {
    let s = NOW / 1_000;
    json!({ "iss": "https://team.example", "aud": "baton", "exp": s + 60, "nbf": s, "iat": s, "nonce": "n", "email": "Mika@example.com", "email_verified": true })
}

fn with(mut table: Value, key: &str, value: Value) -> Value {
    match value {
        Value::Null => drop(table.as_object_mut().expect("a table").remove(key)),
        value => table[key] = value,
    }
    table
}

fn expected() -> Expected<'static> {
    Expected {
        issuer: "https://team.example",
        audience: "baton",
        nonce: Some("n"),
        email: Email::Verified,
    }
}

fn judged(claims: &Value) -> Result<String, Doubt> {
    let assertion = Assertion::open(&token(&header(), claims), &BOTH)?;
    let email = assertion.answered(true, expected(), NOW)?;
    Ok(email.to_owned())
}

#[test]
fn an_assertion_names_an_algorithm_that_is_taken_and_a_key() {
    let open = |header: &Value| Assertion::open(&token(header, &claims()), &[Algorithm::Rs256]);
    assert_eq!(open(&header()).expect("good").key(), "k1");
    // The header of Azure and others names a certificate too; nothing is made of it, nor of a key that travels along.
    for more in ["x5t", "jwk", "jku", "x5u"] {
        assert!(open(&with(header(), more, json!("https://evil.example"))).is_ok(), "{more}");
    }
    for alg in ["none", "None", "HS256", "ES256", "RS512", "PS256", "rs256", ""] {
        let opened = open(&with(header(), "alg", json!(alg)));
        assert_eq!(opened, Err(Doubt::Algorithm), "{alg}");
    }
    assert_eq!(open(&with(header(), "alg", Value::Null)), Err(Doubt::Algorithm));
    assert_eq!(open(&with(header(), "kid", Value::Null)), Err(Doubt::Malformed));
    assert_eq!(open(&with(header(), "crit", json!(["b64"]))), Err(Doubt::Malformed));
    let whole = token(&header(), &claims());
    let padded = format!("{whole}=");
    let twice = format!("{whole}.{whole}");
    let long = format!("{whole}{}", "A".repeat(9_000));
    for bad in ["", ".", "..", "a.b", "é.é.é", padded.as_str(), twice.as_str(), long.as_str()] {
        assert!(Assertion::open(bad, &BOTH).is_err(), "{bad}");
    }
    let unsigned = format!("{}.{}.", part(&with(header(), "alg", json!("none"))), part(&claims()));
    assert_eq!(Assertion::open(&unsigned, &BOTH), Err(Doubt::Algorithm));
}

#[test]
fn the_longest_assertion_is_read_and_a_longer_one_is_not() {
    let header = with(header(), "kid", json!("k12"));
    let padded = |more: usize| token(&header, &with(claims(), "x", json!("y".repeat(more))));
    let [longest, longer] = at_the_bound(ASSERTION_BYTES_MAX, padded);
    assert!(Assertion::open(&longest, &BOTH).is_ok());
    assert_eq!(Assertion::open(&longer, &BOTH), Err(Doubt::Malformed));
}

#[test]
fn an_assertion_says_who_for_whom_and_when_or_is_not_believed() {
    assert_eq!(judged(&claims()), Ok("Mika@example.com".to_owned()));
    let s = NOW / 1_000;
    #[rustfmt::skip]
    let bad = [
        ("iss", json!("https://team.example/"), Doubt::Issuer), ("iss", Value::Null, Doubt::Issuer), ("iss", json!(["https://team.example"]), Doubt::Issuer),
        ("aud", json!("other"), Doubt::Audience), ("aud", Value::Null, Doubt::Audience), ("aud", json!([]), Doubt::Audience), ("aud", json!(["other", "another"]), Doubt::Audience), ("aud", json!(["other"]), Doubt::Audience),
        ("aud", json!(["baton", "other"]), Doubt::Audience), ("exp", json!(s - 61), Doubt::Time), ("exp", json!(s - 60), Doubt::Time), ("exp", Value::Null, Doubt::Time), ("exp", json!("2099"), Doubt::Time),
        ("exp", json!(-1), Doubt::Time), ("exp", json!(1e300), Doubt::Time), ("nbf", json!(s + 61), Doubt::Time), ("nbf", json!("now"), Doubt::Time), ("iat", json!(s + 61), Doubt::Time),
        ("nonce", json!("m"), Doubt::Nonce), ("nonce", Value::Null, Doubt::Nonce), ("email_verified", json!(false), Doubt::Email), ("email_verified", json!("true"), Doubt::Email),
        ("email_verified", Value::Null, Doubt::Email), ("email", Value::Null, Doubt::Email), ("email", json!(""), Doubt::Email), ("email", json!(["mika@example.com"]), Doubt::Email),
    ];
    for (key, value, doubt) in bad {
        assert_eq!(judged(&with(claims(), key, value.clone())), Err(doubt), "{key} {value}");
    }
    // A little off is a clock; of several audiences the party must be us.
    for (key, value) in [
        ("exp", json!(s - 59)),
        ("nbf", json!(s + 59)),
        ("exp", json!(s as f64 + 0.5)),
        ("aud", json!(["baton"])),
        ("nbf", Value::Null),
    ] {
        assert!(judged(&with(claims(), key, value.clone())).is_ok(), "{key} {value}");
    }
    let several = with(claims(), "aud", json!(["baton", "other"]));
    assert!(judged(&with(several.clone(), "azp", json!("baton"))).is_ok());
    assert_eq!(judged(&with(several, "azp", json!("other"))), Err(Doubt::Audience));
    let assertion = Assertion::open(&token(&header(), &claims()), &BOTH).expect("good");
    let unsigned = assertion.answered(false, expected(), NOW);
    assert_eq!(unsigned, Err(Doubt::Signature), "nothing it says counts");
    // Access asks for no verification of its own, and no nonce.
    let access = Expected {
        nonce: None,
        email: Email::AsTold,
        ..expected()
    };
    let told = with(claims(), "email_verified", Value::Null);
    let assertion = Assertion::open(&token(&header(), &told), &BOTH).expect("good");
    assert!(assertion.answered(true, access, NOW).is_ok());
}

fn rsa(id: &str) -> Value {
    json!({ "kty": "RSA", "kid": id, "n": "A".repeat(342), "e": "AQAB" })
}

fn ec(id: &str) -> Value {
    json!({ "kty": "EC", "kid": id, "crv": "P-256", "x": "A", "y": "B", "use": "sig" })
}

fn keyset(keys: &[Value]) -> Keyset {
    let mut keyset = Keyset::default();
    keyset.came(&json!({ "keys": keys }).to_string(), NOW);
    keyset
}

#[test]
fn only_keys_for_signing_by_these_algorithms_count_and_each_for_its_own() {
    let mut private = rsa("private");
    private["d"] = json!("secret");
    let known = keyset(&[rsa("r"), ec("e"), private]);
    let found = |id: &str| match known.find(id, NOW) {
        Lookup::Found(key) => Some(key.clone()),
        _ => None,
    };
    assert_eq!(found("r").expect("r").algorithm, Algorithm::Rs256);
    assert_eq!(found("e").expect("e").algorithm, Algorithm::Es256);
    assert!(!found("private").expect("there").jwk.contains("secret"));
    // A token that names RS256 and a key of ECDSA, and the other way round.
    let open = |alg: &str| Assertion::open(&token(&with(header(), "alg", json!(alg)), &claims()), &BOTH).expect("good");
    let (rs, es) = (open("RS256"), open("ES256"));
    assert!(rs.ask(&found("r").expect("r")).is_ok() && es.ask(&found("e").expect("e")).is_ok());
    assert_eq!(rs.ask(&found("e").expect("e")).err(), Some(Doubt::Algorithm));
    assert_eq!(es.ask(&found("r").expect("r")).err(), Some(Doubt::Algorithm));
    #[rustfmt::skip]
    let others = [
        with(rsa("x"), "use", json!("enc")), with(rsa("x"), "alg", json!("RS512")), with(rsa("x"), "alg", json!("HS256")), with(rsa("x"), "n", json!("A".repeat(171))),
        with(rsa("x"), "kid", Value::Null), with(rsa("x"), "n", json!("A".repeat(2_000))), with(ec("x"), "crv", json!("P-521")), with(ec("x"), "y", Value::Null),
        json!({ "kty": "oct", "kid": "x", "k": "AAAA" }), json!("x"),
    ];
    for other in others {
        let keyset = keyset(std::slice::from_ref(&other));
        assert_eq!(keyset.find("x", NOW), Lookup::Unknown, "{other}");
    }
    let many: Vec<_> = (0..=KEYS_MAX).map(|at| rsa(&format!("k{at}"))).collect();
    assert_eq!(keyset(&many).find(&format!("k{KEYS_MAX}"), NOW), Lookup::Unknown);
}

#[test]
fn keys_are_believed_an_hour_and_an_unknown_one_costs_one_question_a_minute() {
    let mut known = Keyset::default();
    assert_eq!(known.find("r", NOW), Lookup::Ask, "nobody was asked yet");
    known.asked(NOW);
    assert_eq!(
        known.find("r", NOW),
        Lookup::Ask,
        "whoever comes meanwhile asks too: there is nothing to go by"
    );
    known.came(&json!({ "keys": [rsa("r")] }).to_string(), NOW);
    assert!(matches!(known.find("r", NOW + KEYS_MS - 1), Lookup::Found(_)));
    assert_eq!(known.find("r", NOW + KEYS_MS), Lookup::Ask);
    assert_eq!(known.find("x", NOW + UNKNOWN_MS - 1), Lookup::Unknown);
    assert_eq!(known.find("x", NOW + UNKNOWN_MS), Lookup::Ask);
    known.asked(NOW + UNKNOWN_MS);
    assert_eq!(known.find("y", NOW + UNKNOWN_MS + 1), Lookup::Unknown, "one question for all");
    assert!(matches!(known.find("r", NOW + UNKNOWN_MS + 1), Lookup::Found(_)));
    // An issuer that is away, or answers something else, takes away no key before its time, and is left alone for a while.
    let later = NOW + 2 * UNKNOWN_MS;
    known.failed(later);
    assert!(matches!(known.find("r", later), Lookup::Found(_)));
    for nonsense in ["", "[]", "{\"keys\": 1}"] {
        known.came(nonsense, later);
        assert!(matches!(known.find("r", later), Lookup::Found(_)), "{nonsense}");
    }
    assert_eq!(known.find("x", later + FAILED_MS - 1), Lookup::Unknown, "nor is it asked for another");
    assert_eq!(known.find("x", later + FAILED_MS), Lookup::Ask);
    known.failed(NOW + KEYS_MS);
    assert_eq!(known.find("r", NOW + KEYS_MS + FAILED_MS - 1), Lookup::Unknown);
    assert_eq!(known.find("r", NOW + KEYS_MS + FAILED_MS), Lookup::Ask);
}

fn configuration() -> Value {
    json!({ "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize", "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys" })
}

#[test]
fn a_provider_is_the_one_that_was_named_and_leads_nowhere_in_the_open() {
    let parse = |value: &Value| Provider::parse("https://id.example", &value.to_string());
    assert_eq!(parse(&configuration()).expect("good").keys, "https://id.example/keys");
    assert_eq!(
        Provider::configuration_url("https://id.example/x/"),
        "https://id.example/x/.well-known/openid-configuration"
    );
    for (key, value) in [
        ("issuer", json!("https://id.example/")),
        ("issuer", Value::Null),
        ("token_endpoint", json!("http://id.example/token")),
        ("jwks_uri", json!("https://")),
        ("authorization_endpoint", Value::Null),
    ] {
        assert!(parse(&with(configuration(), key, value.clone())).is_none(), "{key} {value}");
    }
    for (address, is) in [
        ("https://id.example", true),
        ("http://127.0.0.1:8080/x", true),
        ("http://localhost", true),
        ("http://localhost.evil.example", false),
        ("http://127.0.0.1@evil.example", false),
        ("https://a@b", false),
        ("javascript:alert(1)", false),
        ("https:///x", false),
    ] {
        assert_eq!(is_secure_address(address), is, "{address}");
    }
}

/// The pairs of a query or a form.
fn pairs(text: &str) -> std::collections::BTreeMap<String, String> {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

#[test]
fn the_code_flow_sends_state_nonce_and_challenge_and_exchanges_with_the_verifier() {
    let login = Login {
        seed: [7; 32],
        ends_at_ms: NOW,
    };
    let provider = Provider::parse("https://id.example", &configuration().to_string()).expect("good");
    let question = provider.question("baton", "openid email", "https://tickets.example.com/back", &login);
    let (to, query) = question.split_once('?').expect("a query");
    let query = pairs(query);
    assert_eq!(to, "https://id.example/authorize");
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(login.verifier()));
    #[rustfmt::skip]
    let expected = [
        ("response_type", "code"), ("client_id", "baton"), ("redirect_uri", "https://tickets.example.com/back"), ("scope", "openid email"),
        ("state", &login.state()), ("nonce", &login.nonce()), ("code_challenge", &challenge), ("code_challenge_method", "S256"),
    ];
    assert_eq!(query.len(), expected.len());
    for (key, value) in expected {
        assert_eq!(query[key], value, "{key}");
    }
    let secrets = [login.state(), login.nonce(), login.verifier()];
    assert!(secrets.iter().all(|one| one.len() == 43));
    assert!(secrets[0] != secrets[1] && secrets[1] != secrets[2] && !question.contains(&secrets[2]));
    let (body, header) = provider.exchange(("a b", Some("s:&")), ("c+d", "https://x/back"), &login);
    assert_eq!(header.as_deref(), Some("Basic YStiOnMlM0ElMjY="), "form-encoded, then joined");
    let body = pairs(&body);
    assert_eq!((body["code"].as_str(), body["code_verifier"].as_str()), ("c+d", secrets[2].as_str()));
    assert!(!body.contains_key("client_secret"));
    let post = with(configuration(), "token_endpoint_auth_methods_supported", json!(["client_secret_post"]));
    let post = Provider::parse("https://id.example", &post.to_string()).expect("good");
    let (body, header) = post.exchange(("baton", Some("s:&")), ("c", "b"), &login);
    assert_eq!((pairs(&body)["client_secret"].as_str(), header), ("s:&", None));
    let (body, header) = provider.exchange(("baton", None), ("c", "b"), &login);
    assert!(header.is_none() && !pairs(&body).contains_key("client_secret"));
}

#[test]
fn what_comes_back_answers_one_question_of_one_browser() {
    let login = Login {
        seed: [7; 32],
        ends_at_ms: NOW,
    };
    let other = Login {
        seed: [8; 32],
        ends_at_ms: NOW,
    };
    let back = |query: &str| Returned::parse(&format!("/__baton/admin/oidc/callback{query}"));
    let state = login.state();
    let good = back(&format!("?code=a%2Bb&state={state}"));
    assert!(good.answers(&login) && !good.answers(&other));
    assert_eq!(good.code.as_deref(), Some("a+b"));
    for query in [
        "",
        "?",
        "?code=x",
        "?code=x&state=",
        &format!("?code=x&state={state}&state={state}"),
        &format!("?code=x&state={state}x"),
    ] {
        assert!(!back(query).answers(&login), "{query}");
    }
    for query in [
        format!("?state={state}&error=access_denied"),
        format!("?state={state}&code="),
        format!("?state={state}&code=a&code=b"),
    ] {
        assert_eq!(back(&query).code, None, "{query}");
    }
}

/// For the log, which says each reason once in a while.
#[test]
fn each_doubt_has_a_name_of_its_own() {
    use Doubt::{Algorithm, Audience, Code, Issuer, Key, Malformed, Nonce, Signature, Time};
    let doubts = [Malformed, Algorithm, Key, Signature, Issuer, Audience, Time, Nonce, Doubt::Email, Code];
    let names: std::collections::BTreeSet<&str> = doubts.iter().map(|doubt| doubt.name()).collect();
    assert_eq!(names.len(), doubts.len());
}
