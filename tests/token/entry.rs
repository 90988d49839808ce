//! Entry tokens: what the shop's keys sign is taken for the room and host that it names, and nothing else is.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use baton::facts::entry::{EntryRefusal, EntryRefusals};
use baton::facts::units::AccountId;
use baton::facts::voucher::{CODE_KEYS, CodeHash};
use baton::token::{
    AT_MS_MAX, Audience, Bearer, CLOCK_SKEW_MS, ENTRY_BYTES_MAX, ENTRY_KEYS_MAX, Entrant, EntryKeys, LIFE_S_MAX, Opened, Scope, account_id,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::samples::{NOW, OTHER, SCOPE, SECRET, at_the_bound, invitation, keys};

const SHARED: &str = "a key that the shop shares with Baton";
/// RFC 8037, appendix A.2: the public key of the example.
const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
const HERE: Audience<'static> = Audience {
    room: "onsale",
    host: "tickets.example.com",
};
const NOW_S: u64 = NOW / 1_000;

fn shop() -> EntryKeys {
    let listed = json!([
        { "kid": "a", "alg": "HS256", "key": SHARED },
        { "kid": "e", "alg": "EdDSA", "key": PUBLIC },
    ]);
    EntryKeys::parse(&listed.to_string()).expect("good keys")
}

/// The key of one issuer alone.
fn club() -> EntryKeys {
    let listed = json!([{ "kid": "e", "alg": "EdDSA", "key": PUBLIC, "iss": "club" }]);
    EntryKeys::parse(&listed.to_string()).expect("a good key")
}

fn text(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// Signed with HS256 by `key`, whatever the header says.
fn account_of(entrant: &Entrant) -> AccountId {
    match entrant.bearer {
        Bearer::Account { id, .. } => id,
        Bearer::Voucher(_) => panic!("an account"),
    }
}

fn signed_by(key: &[u8], header: &Value, claims: &Value) -> String {
    let signed = format!("{}.{}", text(header), text(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(signed.as_bytes());
    let mac = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{signed}.{mac}")
}

fn header() -> Value {
    json!({ "alg": "HS256", "kid": "a", "typ": "JWT" })
}

fn claims() -> Value {
    json!({ "sub": "anna", "aud": "onsale@tickets.example.com", "exp": NOW_S + 3_600 })
}

fn with(changes: Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().expect("an object") {
        let all = claims.as_object_mut().expect("an object");
        if value.is_null() {
            all.remove(name);
        } else {
            all.insert(name.clone(), value.clone());
        }
    }
    claims
}

/// So many, and this one is the last.
fn audiences(count: usize) -> Vec<&'static str> {
    let mut all = vec!["store"; count - 1];
    all.push("onsale@tickets.example.com");
    all
}

fn token(claims: &Value) -> String {
    signed_by(SHARED.as_bytes(), &header(), claims)
}

fn judged(text: &str) -> Result<Entrant, EntryRefusal> {
    let shop = shop();
    match shop.open(text)? {
        Opened::Signed(signed) => signed.judge(HERE, NOW),
        Opened::Asked(_) => panic!("no public key is named"),
    }
}

#[test]
fn what_the_shop_signs_is_taken() {
    let entrant = judged(&token(&claims())).expect("a good token");
    assert_eq!(account_of(&entrant), account_id("", "anna"));
    assert_eq!(entrant.ends_at_ms, (NOW_S + 3_600) * 1_000);
    assert_eq!(entrant.refusal(&shop(), NOW), None);
    let many = json!(["store", "onsale@tickets.example.com"]);
    for good in [
        json!({ "iss": "club" }),
        json!({ "aud": audiences(16) }),
        json!({ "aud": many }),
        json!({ "nbf": NOW_S + 30, "iat": NOW_S, "jti": "1" }),
        json!({ "exp": NOW_S + LIFE_S_MAX }),
        json!({ "nbf": NOW_S + 86_400, "exp": NOW_S + 2 * 86_400 }),
        json!({ "unknown": { "to": "us" } }),
    ] {
        assert!(judged(&token(&with(good.clone()))).is_ok(), "{good}");
    }
}

#[test]
fn a_header_decides_nothing() {
    let by = |header: Value, key: &[u8]| judged(&signed_by(key, &header, &claims()));
    let refused = [
        (json!({ "alg": "none", "kid": "a" }), EntryRefusal::Key),
        (json!({ "alg": "HS512", "kid": "a" }), EntryRefusal::Key),
        (json!({ "alg": "EdDSA", "kid": "a" }), EntryRefusal::Key),
        // The public key as a shared one: its name belongs to EdDSA.
        (json!({ "alg": "HS256", "kid": "e" }), EntryRefusal::Key),
        (json!({ "alg": "HS256", "kid": "b" }), EntryRefusal::Key),
        (json!({ "alg": "HS256" }), EntryRefusal::Malformed),
        (json!({ "kid": "a" }), EntryRefusal::Malformed),
        (json!({ "alg": "HS256", "kid": "a", "crit": ["exp"] }), EntryRefusal::Malformed),
        (json!({ "alg": "HS256", "kid": "a", "jwk": {} }), EntryRefusal::Malformed),
        (json!({ "alg": "HS256", "kid": "a", "typ": "JWE" }), EntryRefusal::Malformed),
        (json!({ "alg": "HS256", "kid": 1 }), EntryRefusal::Malformed),
        (json!(["HS256"]), EntryRefusal::Malformed),
    ];
    for (header, why) in refused {
        for key in [SHARED.as_bytes(), PUBLIC.as_bytes(), b"".as_slice()] {
            assert_eq!(by(header.clone(), key), Err(why), "{header}");
        }
    }
    let other = signed_by(b"another key", &header(), &claims());
    assert_eq!(judged(&other), Err(EntryRefusal::Signature));
}

#[test]
fn every_byte_of_a_token_counts() {
    let good = token(&claims());
    for at in 0..good.len() {
        for byte in [b'A', b'_', b'.', b'=', b' '] {
            let mut bytes = good.clone().into_bytes();
            if bytes[at] == byte {
                continue;
            }
            bytes[at] = byte;
            let forged = String::from_utf8(bytes).expect("ASCII");
            assert!(judged(&forged).is_err(), "{forged}");
        }
    }
    for length in 0..good.len() {
        assert!(judged(&good[..length]).is_err());
    }
    for more in ["=", ".", ".A", "A", "\n"] {
        assert!(judged(&format!("{good}{more}")).is_err());
    }
    let (signed, _) = good.rsplit_once('.').expect("three parts");
    assert_eq!(judged(&format!("{signed}.")), Err(EntryRefusal::Malformed));
    assert_eq!(judged(signed), Err(EntryRefusal::Malformed));
    let long = token(&with(json!({ "x": "y".repeat(ENTRY_BYTES_MAX) })));
    assert_eq!(judged(&long), Err(EntryRefusal::Malformed));
}

#[test]
fn the_longest_token_is_read_and_a_longer_one_is_not() {
    let listed = json!([{ "kid": "ab", "alg": "HS256", "key": SHARED }]);
    let shop = EntryKeys::parse(&listed.to_string()).expect("good keys");
    let header = json!({ "alg": "HS256", "kid": "ab" });
    let padded = |more: usize| {
        let claims = with(json!({ "x": "y".repeat(more) }));
        signed_by(SHARED.as_bytes(), &header, &claims)
    };
    let [longest, longer] = at_the_bound(ENTRY_BYTES_MAX, padded);
    assert!(matches!(shop.open(&longest), Ok(Opened::Signed(_))));
    let longer = shop.open(&longer);
    assert_eq!(longer.err(), Some(EntryRefusal::Malformed));
}

#[test]
fn claims_are_of_their_types_and_for_this_place() {
    use EntryRefusal::{Audience, Claims, Lane, Life};
    let refused = [
        (json!({ "sub": null }), Claims),
        (json!({ "sub": 7 }), Claims),
        (json!({ "sub": "" }), Claims),
        (json!({ "sub": "x".repeat(257) }), Claims),
        (json!({ "iss": ["club"] }), Claims),
        (json!({ "jti": 7 }), Claims),
        (json!({ "exp": null }), Claims),
        (json!({ "exp": "soon" }), Claims),
        (json!({ "exp": 1.5 }), Claims),
        (json!({ "exp": -1 }), Claims),
        (json!({ "exp": u64::MAX }), Claims),
        (json!({ "nbf": "now" }), Claims),
        (json!({ "aud": null }), Audience),
        (json!({ "aud": "" }), Audience),
        (json!({ "aud": "onsale" }), Audience),
        (json!({ "aud": "presale@tickets.example.com" }), Audience),
        (json!({ "aud": "onsale@tickets.example.org" }), Audience),
        (json!({ "aud": "onsale@tickets.example.com:8443" }), Audience),
        (json!({ "aud": ["presale@tickets.example.com", 7] }), Audience),
        (json!({ "aud": audiences(17) }), Audience),
        (json!({ "exp": AT_MS_MAX / 1_000 }), Life),
        (json!({ "exp": AT_MS_MAX / 1_000 + 1 }), Claims),
        (json!({ "lane": 7 }), Claims),
        (json!({ "lane": "" }), Lane),
        (json!({ "lane": "Members" }), Lane),
        (json!({ "lane": "members\0" }), Lane),
        (json!({ "lane": "x".repeat(17) }), Lane),
        (json!({ "exp": NOW_S + LIFE_S_MAX + 1 }), Life),
        (json!({ "nbf": NOW_S - 5, "exp": NOW_S + LIFE_S_MAX }), Life),
        (json!({ "iat": NOW_S - 5, "exp": NOW_S + LIFE_S_MAX }), Life),
        // Made tomorrow, it would live two days.
        (json!({ "iat": NOW_S + 86_400, "exp": NOW_S + 2 * 86_400 }), Life),
    ];
    for (changes, why) in refused {
        assert_eq!(judged(&token(&with(changes.clone()))), Err(why), "{changes}");
    }
}

#[test]
fn a_token_names_a_lane_and_the_cookie_remembers_it() {
    assert_eq!(judged(&token(&claims())).expect("good").lane, None);
    for name in ["m", "members", "16-letters-above"] {
        let entrant = judged(&token(&with(json!({ "lane": name })))).expect(name);
        assert_eq!(entrant.lane.expect("named").as_str(), name);
        let kept = keys().sign(&entrant, SCOPE);
        let read = keys().verify::<Entrant>(&kept, SCOPE, NOW).expect("ours");
        assert_eq!(read.token, entrant);
    }
}

#[test]
fn a_public_key_is_asked_of_the_platform_and_bound_to_its_issuer() {
    let shop = club();
    let header = json!({ "alg": "EdDSA", "kid": "e" });
    let asked = |claims: &Value| {
        let signed = format!("{}.{}", text(&header), text(claims));
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode([5; 64]));
        match shop.open(&token) {
            Ok(Opened::Asked(question)) => {
                assert_eq!(question.signature, [5; 64]);
                assert_eq!(question.signed, signed.as_bytes());
                assert_eq!(URL_SAFE_NO_PAD.encode(question.key), PUBLIC);
                question
            }
            other => panic!("not asked: {other:?}"),
        }
    };
    let club = with(json!({ "iss": "club" }));
    assert!(matches!(asked(&club).answered(false), Err(EntryRefusal::Signature)));
    let entrant = asked(&club).answered(true).expect("good").judge(HERE, NOW);
    assert_eq!(account_of(&entrant.expect("good")), account_id("club", "anna"));
    for other in [json!({}), json!({ "iss": "clubs" })] {
        let signed = asked(&with(other)).answered(true).expect("good");
        assert_eq!(signed.judge(HERE, NOW), Err(EntryRefusal::Issuer));
    }
    let short = format!("{}.{}.AAAA", text(&header), text(&club));
    assert!(matches!(shop.open(&short), Err(EntryRefusal::Signature)));
}

#[test]
fn issuers_do_not_share_accounts() {
    let all = [("", "ab"), ("a", "b"), ("ab", "c"), ("a", "bc")];
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            assert_ne!(account_id(one.0, one.1), account_id(other.0, other.1));
        }
    }
}

#[test]
fn time_is_judged_at_each_visit_with_a_minute_for_clocks() {
    let claims = with(json!({ "nbf": NOW_S + 600 }));
    let entrant = judged(&token(&claims)).expect("it only is early");
    let (shop, from_ms, ends_ms) = (shop(), entrant.from_at_ms, entrant.ends_at_ms);
    let at = |now_ms| entrant.refusal(&shop, now_ms);
    assert_eq!(at(NOW), Some(EntryRefusal::Early));
    assert_eq!(at(from_ms - CLOCK_SKEW_MS - 1), Some(EntryRefusal::Early));
    assert_eq!(at(from_ms - CLOCK_SKEW_MS), None);
    assert_eq!(at(ends_ms + CLOCK_SKEW_MS - 1), None);
    assert_eq!(at(ends_ms + CLOCK_SKEW_MS), Some(EntryRefusal::Late));
    assert_eq!(at(u64::MAX), Some(EntryRefusal::Late));
}

#[test]
fn a_key_that_is_taken_away_takes_along_what_it_signed() {
    let entrant = judged(&token(&claims())).expect("a good token");
    let kept = |listed: Value| {
        let keys = EntryKeys::parse(&listed.to_string()).expect("good keys");
        entrant.refusal(&keys, NOW)
    };
    let a = json!({ "kid": "a", "alg": "HS256", "key": SHARED });
    let b = json!({ "kid": "b", "alg": "HS256", "key": "the next key that the shop shares with us" });
    assert_eq!(kept(json!([b, a])), None);
    assert_eq!(kept(json!([b])), Some(EntryRefusal::Key));
    let renamed = json!({ "kid": "a", "alg": "HS256", "key": "the next key that the shop shares with us" });
    assert_eq!(kept(json!([renamed])), Some(EntryRefusal::Key));
    assert_eq!(entrant.refusal(&EntryKeys::default(), NOW), Some(EntryRefusal::Key));
}

#[test]
fn what_is_remembered_comes_back_for_its_room_and_host_alone() {
    let keys = keys();
    let refusals = EntryRefusal::ALL.iter().map(|why| Entrant::refused(*why));
    let good = judged(&token(&claims())).expect("a good token");
    let invited = Entrant::invited(&invitation());
    let hashes: [CodeHash; CODE_KEYS] = core::array::from_fn(|at| CodeHash(at as u64));
    let coded = Entrant::with_code(hashes, NOW);
    let tried = Entrant { tried: true, ..coded };
    for entrant in refusals.chain([good, invited, coded, tried]) {
        let text = keys.sign(&entrant, SCOPE);
        let read = keys.verify::<Entrant>(&text, SCOPE, NOW).expect("ours");
        assert_eq!(read.token, entrant);
        assert_eq!(entrant.refused, read.token.refusal(&shop(), NOW));
        for other in [
            Scope { room: "presale", ..SCOPE },
            Scope {
                host: "tickets.example.org",
                ..SCOPE
            },
        ] {
            assert!(keys.verify::<Entrant>(&text, other, NOW).is_err());
        }
    }
}

#[test]
fn what_is_wrong_with_the_keys_is_named_and_never_shown() {
    let secret = "no key of any use";
    let cases = [
        (secret.to_owned(), vec![""]),
        (format!("\"{secret}\""), vec![""]),
        (json!([secret]).to_string(), vec!["[0]"]),
        (json!([{ "kid": "a", "alg": "HS256", "key": secret }]).to_string(), vec!["[0].key"]),
        (json!([{ "kid": "a", "alg": "EdDSA", "key": secret }]).to_string(), vec!["[0].key"]),
        (json!([{ "kid": "a", "alg": "none", "key": secret }]).to_string(), vec!["[0].alg"]),
        (
            json!([{ "kid": "", "alg": "RS256", "key": secret, "iss": 7 }]).to_string(),
            vec!["[0].kid", "[0].iss", "[0].alg"],
        ),
        (
            json!([{ "kid": "a", "alg": "HS256", "key": SHARED, "use": secret }]).to_string(),
            vec!["[0]"],
        ),
        (
            json!([{ "kid": "a", "alg": "HS256", "key": SHARED }, { "kid": "a", "alg": "EdDSA", "key": PUBLIC }]).to_string(),
            vec!["[1].kid"],
        ),
        (
            json!([
                { "kid": "a", "alg": "HS256", "key": SHARED },
                { "kid": "e", "alg": "EdDSA", "key": PUBLIC, "iss": "club" },
                { "kid": "b", "alg": "HS256", "key": SHARED },
            ])
            .to_string(),
            vec!["[0].iss", "[2].iss"],
        ),
        (json!(vec![json!({ "kid": "a", "alg": "HS256", "key": SHARED }); 5]).to_string(), vec![""]),
    ];
    for (text, places) in cases {
        let errors = EntryKeys::parse(&text).expect_err(&text);
        let found: Vec<&str> = errors.iter().map(|error| error.at.as_str()).collect();
        assert_eq!(found, places, "{text}");
        assert!(!format!("{errors:?}").contains(secret), "{errors:?}");
    }
    assert!(!format!("{:?}", shop()).contains(SHARED));
    for none in ["", "  ", "[]"] {
        assert!(EntryKeys::parse(none).expect("no keys").is_empty());
    }
    let key = |kid| json!({ "kid": kid, "alg": "HS256", "key": SHARED });
    let four: Vec<Value> = ["a", "b", "c", "d"].map(key).to_vec();
    assert_eq!(four.len(), ENTRY_KEYS_MAX);
    assert!(!EntryKeys::parse(&json!(four).to_string()).expect("four").is_empty());
}

#[test]
fn refusals_are_counted_by_reason() {
    let mut sum = EntryRefusals::default();
    assert!(sum.is_none());
    for why in EntryRefusal::ALL {
        let one = EntryRefusals::one(*why);
        sum = sum.plus(&one).plus(&one);
        let named = serde_json::to_value(one).expect("JSON");
        assert_eq!(named[why.name()], 1);
    }
    assert_eq!(sum.counts(), vec![2; EntryRefusal::ALL.len()]);
    assert_eq!(EntryRefusals::of_counts(&sum.counts()), Some(sum));
    assert_eq!(EntryRefusals::of_counts(&[1]), None);
}

#[test]
fn a_voucher_counts_to_the_millisecond_and_needs_no_key() {
    let none = EntryKeys::default();
    let invited = Entrant {
        from_at_ms: NOW,
        ends_at_ms: NOW + 10,
        ..Entrant::invited(&invitation())
    };
    let at = |now_ms| invited.refusal(&none, now_ms);
    assert_eq!(at(NOW - 1), Some(EntryRefusal::Early));
    assert_eq!((at(NOW), at(NOW + 9)), (None, None));
    assert_eq!(at(NOW + 10), Some(EntryRefusal::Late));
}

#[test]
fn a_code_is_known_under_the_secret_before_and_is_another_in_each_room() {
    let old = keys();
    let new = baton::token::Keyring::from_secrets(Some(OTHER), Some(SECRET)).expect("good");
    let stored = old.code_hash("onsale", "ABC123");
    assert!(new.code_hashes("onsale", "ABC123").contains(&stored));
    assert_eq!(old.code_hashes("onsale", "ABC123"), [stored; CODE_KEYS]);
    for (room, code) in [("presale", "ABC123"), ("onsale", "ABC124"), ("onsaleA", "BC123")] {
        assert!(!new.code_hashes(room, code).contains(&stored), "{room} {code}");
    }
}
