//! A token is bound to its kind, to one room of one host and to its secret.

use super::samples::{NOW, OTHER, SCOPE, SECRET, accepted, carry, keys, pass, signed, visitor};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use baton::gate::Address;
use baton::token::{
    Carry, Desk, EntryKeys, Farewell, KeyError, KeySlot, Keyring, Kind, Knock, Operators, OriginKey, Pass, Rehearsal, Scope, Ticket, Token,
    TokenError, UNKNOWN_KEY_MS_MAX, Visitor,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Long because it reads each kind as each other kind.
#[test]
fn no_kind_passes_for_another() {
    let keys = keys();
    for (kind, text) in signed() {
        let results = [
            (Kind::Visitor, keys.verify::<Visitor>(&text, SCOPE, NOW).err()),
            (Kind::Ticket, keys.verify::<Ticket>(&text, SCOPE, NOW).err()),
            (Kind::Pass, keys.verify::<Pass>(&text, SCOPE, NOW).err()),
            (Kind::Farewell, keys.verify::<Farewell>(&text, SCOPE, NOW).err()),
            (Kind::Carry, keys.verify::<Carry>(&text, SCOPE, NOW).err()),
            (Kind::Desk, keys.verify::<Desk>(&text, SCOPE, NOW).err()),
            (Kind::Rehearsal, keys.verify::<Rehearsal>(&text, SCOPE, NOW).err()),
            (Kind::Knock, keys.verify::<Knock>(&text, SCOPE, NOW).err()),
        ];
        for (read_as, error) in results {
            assert_eq!(error.is_none(), read_as == kind, "{kind:?} read as {read_as:?}: {error:?}");
        }
        if kind == Kind::Carry {
            // Of one length, so the label alone tells them apart before the key does.
            let error = keys.verify::<Farewell>(&text, SCOPE, NOW).err();
            assert_eq!(error, Some(TokenError::WrongKind));
        }
        // Relabelled, and cut or filled to the other kind's length: the subkey differs.
        for other in Kind::ALL {
            let mut bytes = B64.decode(&text).expect("ours");
            bytes[1] = other.byte();
            let lens = [
                Visitor::PAYLOAD_BYTES,
                Ticket::PAYLOAD_BYTES,
                Pass::PAYLOAD_BYTES,
                Farewell::PAYLOAD_BYTES,
                Carry::PAYLOAD_BYTES,
                Desk::PAYLOAD_BYTES,
                Rehearsal::PAYLOAD_BYTES,
                Knock::PAYLOAD_BYTES,
            ];
            for len in lens {
                let mac = bytes[bytes.len() - 32..].to_vec();
                let mut bent = bytes[..bytes.len() - 32].to_vec();
                bent.resize(6 + len, 0);
                bent.extend(mac);
                let expected = (bent == bytes && other == kind).then_some(kind);
                assert_eq!(accepted(&keys, &B64.encode(&bent), SCOPE), expected, "{kind:?}→{other:?}");
            }
        }
    }
}

#[test]
fn a_token_is_at_home_in_one_room_of_one_host() {
    let keys = keys();
    let strangers = [
        Scope {
            room: "onsale",
            host: "tickets.example.org",
        },
        Scope {
            room: "onsale",
            host: "tickets.example.com:8443",
        },
        Scope { room: "onsale", host: "" },
        Scope {
            room: "presale",
            host: SCOPE.host,
        },
        Scope { room: "", host: SCOPE.host },
        Scope {
            room: "onsal",
            host: "etickets.example.com",
        },
        Scope {
            room: "onsaletickets.example.com",
            host: "",
        },
        Scope {
            room: "tickets.example.com",
            host: "onsale",
        },
    ];
    for (kind, text) in signed() {
        for scope in strangers {
            let anywhere = matches!(kind, Kind::Visitor | Kind::Invitation | Kind::Staff | Kind::Human);
            let fine = anywhere && scope.host == SCOPE.host;
            assert_eq!(accepted(&keys, &text, scope).is_some(), fine, "{kind:?} {scope:?}");
        }
        let loud = Scope {
            host: "Tickets.EXAMPLE.com",
            ..SCOPE
        };
        assert_eq!(accepted(&keys, &text, loud), Some(kind), "a host's case does not matter");
    }
}

#[test]
fn a_secret_is_followed_by_the_next() {
    let (old, new) = (keys(), Keyring::from_secrets(Some(OTHER), Some(SECRET)).expect("good"));
    let after = Keyring::from_secrets(Some(OTHER), None).expect("good");
    let text = old.sign(&pass(), SCOPE);
    assert_eq!(new.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.signed_by), Ok(KeySlot::Previous));
    assert_eq!(after.verify::<Pass>(&text, SCOPE, NOW), Err(TokenError::UnknownKey));
    let text = new.sign(&pass(), SCOPE);
    assert_eq!(new.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.signed_by), Ok(KeySlot::Current));
    assert_eq!(old.verify::<Pass>(&text, SCOPE, NOW), Err(TokenError::UnknownKey));
    // A borrowed key id does not help.
    let mut bytes = B64.decode(&text).expect("ours");
    let stolen = B64.decode(old.sign(&pass(), SCOPE)).expect("ours");
    bytes[2..6].copy_from_slice(&stolen[2..6]);
    assert_eq!(old.verify::<Pass>(&B64.encode(&bytes), SCOPE, NOW), Err(TokenError::BadMac));
    for id in [[0; 4], [255; 4]] {
        bytes[2..6].copy_from_slice(&id);
        assert_eq!(new.verify::<Pass>(&B64.encode(&bytes), SCOPE, NOW), Err(TokenError::UnknownKey));
    }
    let twice = Keyring::from_secrets(Some(SECRET), Some(SECRET)).expect("good");
    assert!(twice.verify::<Pass>(&old.sign(&pass(), SCOPE), SCOPE, NOW).is_ok());
}

#[test]
fn the_coming_secret_verifies_and_does_not_sign() {
    let staged = keys().with_next(Some(OTHER)).expect("good");
    let rotated = Keyring::from_secrets(Some(OTHER), Some(SECRET)).expect("good");
    let text = rotated.sign(&pass(), SCOPE);
    assert_eq!(staged.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.signed_by), Ok(KeySlot::Next));
    assert_eq!(staged.sign(&pass(), SCOPE), keys().sign(&pass(), SCOPE), "signed with the old one");
    assert_eq!(keys().with_next(Some("short")).map(|_| ()), Err(KeyError::NextShort { bytes: 5 }));
    assert!(keys().with_next(Some("")).is_ok());
    assert_eq!(staged.draw_keys("onsale").len(), 2);
}

#[test]
fn a_new_token_of_an_unknown_key_is_ahead_of_us_and_an_old_one_is_not() {
    let strange = Keyring::from_secrets(Some(OTHER), None).expect("good");
    let visitor = Visitor {
        issued_at_ms: NOW,
        ..visitor()
    };
    let text = strange.sign(&visitor, SCOPE);
    assert!(keys().is_ahead_of_us(&text, NOW));
    assert!(keys().is_ahead_of_us(&text, NOW + UNKNOWN_KEY_MS_MAX - 1));
    assert!(!keys().is_ahead_of_us(&text, NOW + UNKNOWN_KEY_MS_MAX));
    assert_eq!(UNKNOWN_KEY_MS_MAX, 600_000, "as long as a deploy takes");
    assert!(keys().is_ahead_of_us(&strange.sign(&pass(), SCOPE), NOW));
    let invented = Visitor {
        issued_at_ms: NOW + 3_600_001,
        ..visitor
    };
    assert!(
        !keys().is_ahead_of_us(&strange.sign(&invented, SCOPE), NOW),
        "nobody is made to wait for ever"
    );
    // Of what is known, or is no token, nothing of the kind is ever said.
    assert!(!keys().is_ahead_of_us(&keys().sign(&visitor, SCOPE), NOW));
    assert!(!keys().with_next(Some(OTHER)).expect("good").is_ahead_of_us(&text, NOW));
    // A link is as long as a farewell, and no cookie: nobody is to keep it. What another version says nobody can read here.
    let link = strange.sign(&carry(), SCOPE);
    let mut other = B64.decode(&text).expect("ours");
    other[0] += 1;
    for not in [link, B64.encode(other)] {
        assert!(!keys().is_ahead_of_us(&not, NOW), "{not}");
    }
    for broken in ["", "AQ", &text[1..], &text[..text.len() - 1]] {
        assert!(!keys().is_ahead_of_us(broken, NOW), "{broken}");
    }
}

#[test]
fn without_a_proper_secret_nothing_is_signed() {
    let make = |current: Option<&str>, previous: Option<&str>| Keyring::from_secrets(current, previous).map(|_| ());
    let (short, just) = ("x".repeat(31), "x".repeat(32));
    assert_eq!(make(None, None), Err(KeyError::Missing));
    assert_eq!(make(Some(""), None), Err(KeyError::Missing));
    assert_eq!(make(None, Some(SECRET)), Err(KeyError::Missing));
    assert_eq!(make(Some(&short), None), Err(KeyError::Short { bytes: 31 }));
    assert_eq!(make(Some(&just), None), Ok(()));
    assert_eq!(make(Some(&just), Some(&short)), Err(KeyError::PreviousShort { bytes: 31 }));
    assert_eq!(make(Some(&just), Some("")), Ok(()));
    let shown = format!("{:?} {}", keys(), KeyError::Short { bytes: 31 });
    assert!(!shown.contains("secret,") && !shown.contains(SECRET), "{shown}");
}

/// For logs and for whoever looks for a mistake: which keys these are, what is wrong, and nothing of a secret.
#[test]
fn keys_and_refusals_have_names() {
    let staged = keys().with_next(Some(OTHER)).expect("good");
    let ids = |shown: String| shown.matches('[').count();
    assert_eq!(ids(format!("{:?}", keys())), 1);
    assert_eq!(ids(format!("{staged:?}")), 2);
    let origin = OriginKey::new(SECRET).expect("not empty");
    assert_eq!(format!("{origin:?}"), "OriginKey");
    let listed = format!(r#"[{{"kid": "a", "alg": "HS256", "key": "{SECRET}"}}]"#);
    let entry = EntryKeys::parse(&listed).expect("good keys");
    assert_eq!(ids(format!("{entry:?}")), 2, "a list of one");
    let operators = format!("{:?}", Operators::new(Some(SECRET), &[]));
    assert!(operators.contains("operator") && operators.contains("Own"));
    let missing = KeyError::Missing.to_string();
    assert!(missing.starts_with("BATON_SECRET is not set"), "{missing}");
    let refusals = [
        (TokenError::Malformed, "malformed"),
        (TokenError::BadMac, "bad_mac"),
        (TokenError::Expired, "expired"),
    ];
    for (error, name) in refusals {
        assert_eq!(error.to_string(), name);
    }
}

/// The last bit of a tag is no part of the hash.
#[test]
fn every_address_of_the_old_kind_is_shared_and_none_of_the_new_kind() {
    for nth in 0..64 {
        let tag = |text: String| keys().tag(Address::parse(&text).expect("an address"));
        assert!(tag(format!("203.0.113.{nth}")).is_shared());
        assert!(!tag(format!("2001:db8:0:{nth:x}::1")).is_shared());
    }
    let tags = (0..64).map(|nth| {
        let address = Address::parse(&format!("203.0.113.{nth}"));
        keys().tag(address.expect("an address")).0[7]
    });
    let ends: std::collections::BTreeSet<u8> = tags.collect();
    assert!(ends.len() > 40, "seven bits of the last byte are of the hash");
}
