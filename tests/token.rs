//! The tokens: what is signed comes back, and nothing else ever does. Catalogue rows 1–8, 13, 14.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::type_complexity
)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use baton::token::{
    AT_MS_MAX, Carry, Desk, Farewell, KeyError, KeySlot, Keyring, Kind, Operator, OriginKey, Pass,
    PassCookie, ProofError, ProofRequest, Provisional, Scope, Standing, StockReport, Ticket, Token,
    TokenError, Visitor,
};
use baton::units::{Edition, Fence, LobbyId, Number, VisitorId};

const SECRET: &str = "the first secret, of forty bytes or more.";
const OTHER: &str = "quite another secret of forty bytes or so";
const SCOPE: Scope<'static> = Scope {
    room: "onsale",
    host: "tickets.example.com",
};
const NOW: u64 = 1_800_000_000_000;
/// `printf 'baton-stock-v1\n1800000000000\nonsale\n1200' | openssl dgst -sha256 -hmac "shared with the shop"`
const STOCK_MAC: &str = "e929a8b30ed5100ece45278eb1aace1d7e0e7bcb3c3b0a2cfdc8caac14a2a618";
const WHO: VisitorId = VisitorId([7; 16]);

fn keys() -> Keyring {
    Keyring::from_secrets(Some(SECRET), None).expect("good secret")
}

fn visitor() -> Visitor {
    Visitor {
        id: WHO,
        issued_at_ms: NOW,
    }
}

fn ticket() -> Ticket {
    Ticket {
        number: Number(41),
        edition: Edition(7),
        lobby: LobbyId(3),
        visitor: WHO,
        issued_at_ms: NOW,
    }
}

fn pass() -> Pass {
    Pass {
        number: Number(41),
        edition: Edition(7),
        fence: Fence(907),
        lobby: LobbyId(3),
        visitor: WHO,
        fresh_until_at_ms: NOW + 60_000,
        lease_ends_at_ms: NOW + 300_000,
        hard_ends_at_ms: NOW + 1_800_000,
        provisional: Provisional::Confirmed,
    }
}

fn carry() -> Carry {
    Carry {
        number: Number(4_123),
        edition: Edition(7),
        lobby: LobbyId(3),
        secret: [9; 16],
        ends_at_ms: NOW + 300_000,
    }
}

fn farewell() -> Farewell {
    Farewell {
        number: Number(41),
        edition: Edition(7),
        lobby: LobbyId(3),
        visitor: WHO,
        ends_at_ms: NOW + 60_000,
    }
}

/// Every kind's reading of one text; the first that accepts it, if any.
fn accepted(keys: &Keyring, text: &str, scope: Scope<'_>) -> Option<Kind> {
    if keys.verify::<Visitor>(text, scope, NOW).is_ok() {
        return Some(Kind::Visitor);
    }
    if keys.verify::<Ticket>(text, scope, NOW).is_ok() {
        return Some(Kind::Ticket);
    }
    if keys.verify::<Pass>(text, scope, NOW).is_ok() {
        return Some(Kind::Pass);
    }
    if keys.verify::<Farewell>(text, scope, NOW).is_ok() {
        return Some(Kind::Farewell);
    }
    if keys.verify::<Carry>(text, scope, NOW).is_ok() {
        return Some(Kind::Carry);
    }
    if keys.verify::<Desk>(text, scope, NOW).is_ok() {
        return Some(Kind::Desk);
    }
    let either = keys.verify_pass_cookie(text, scope, NOW);
    assert!(
        either.is_err(),
        "the pass cookie takes what no kind takes: {text}"
    );
    None
}

fn desk() -> Desk {
    Desk {
        ends_at_ms: NOW + 60_000,
    }
}

fn signed() -> [(Kind, String); 6] {
    let keys = keys();
    [
        (Kind::Visitor, keys.sign(&visitor(), SCOPE)),
        (Kind::Ticket, keys.sign(&ticket(), SCOPE)),
        (Kind::Pass, keys.sign(&pass(), SCOPE)),
        (Kind::Farewell, keys.sign(&farewell(), SCOPE)),
        (Kind::Carry, keys.sign(&carry(), SCOPE)),
        (Kind::Desk, keys.sign(&desk(), SCOPE)),
    ]
}

#[test]
fn what_is_signed_comes_back() {
    let keys = keys();
    for (kind, text) in signed() {
        assert_eq!(accepted(&keys, &text, SCOPE), Some(kind));
        assert!(
            text.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'),
            "{text}"
        );
    }
    let text = keys.sign(&ticket(), SCOPE);
    let shown = keys.verify::<Ticket>(&text, SCOPE, NOW);
    assert_eq!(shown.map(|v| v.token), Ok(ticket()));
    let text = keys.sign(&carry(), SCOPE);
    let shown = keys.verify::<Carry>(&text, SCOPE, NOW);
    assert_eq!(shown.map(|v| v.token), Ok(carry()));
    let text = keys.sign(&pass(), SCOPE);
    assert_eq!(
        keys.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.token),
        Ok(pass())
    );
    assert_eq!(
        keys.verify_pass_cookie(&text, SCOPE, NOW).map(|v| v.token),
        Ok(PassCookie::Pass(pass()))
    );
    let text = keys.sign(&farewell(), SCOPE);
    assert_eq!(
        keys.verify_pass_cookie(&text, SCOPE, NOW).map(|v| v.token),
        Ok(PassCookie::Farewell(farewell()))
    );
    let walk_in = Pass {
        provisional: Provisional::UntilShown,
        ..pass()
    };
    let text = keys.sign(&walk_in, SCOPE);
    assert_eq!(
        keys.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.token),
        Ok(walk_in)
    );
}

#[test]
fn a_stored_token_stays_readable() {
    // Written down once: a change of the format shows here, and needs a new version.
    let text = keys().sign(&visitor(), SCOPE);
    assert_eq!(
        text,
        "AQGRGBgyBwcHBwcHBwcHBwcHBwcHBwAAAaMYXFAA9hm3P3VFgXne8QlbA-OhkdjfhCg4wo9Z2Wyfv3eS8tM"
    );
}

#[test]
fn every_single_bit_counts() {
    let keys = keys();
    for (kind, text) in signed() {
        let bytes = B64.decode(&text).expect("ours");
        for bit in 0..bytes.len() * 8 {
            let mut bent = bytes.clone();
            bent[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                accepted(&keys, &B64.encode(&bent), SCOPE),
                None,
                "{kind:?} bit {bit}"
            );
        }
        // And in the text itself, trailing bits of the last character included.
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bent = text.clone().into_bytes();
                bent[at] ^= 1 << bit;
                let bent = String::from_utf8_lossy(&bent);
                assert_eq!(
                    accepted(&keys, &bent, SCOPE),
                    None,
                    "{kind:?} character {at} bit {bit}"
                );
            }
        }
    }
}

#[test]
fn nothing_may_be_missing_or_added() {
    let keys = keys();
    for (kind, text) in signed() {
        let bytes = B64.decode(&text).expect("ours");
        for len in 0..bytes.len() {
            assert_eq!(
                accepted(&keys, &B64.encode(&bytes[..len]), SCOPE),
                None,
                "{kind:?} {len} bytes"
            );
            assert_eq!(accepted(&keys, &B64.encode(&bytes[len + 1..]), SCOPE), None);
        }
        for len in 0..text.len() {
            assert_eq!(
                accepted(&keys, &text[..len], SCOPE),
                None,
                "{kind:?} {len} characters"
            );
        }
        for extra in 1..70 {
            let mut longer = bytes.clone();
            longer.extend(std::iter::repeat_n(0, extra));
            assert_eq!(
                accepted(&keys, &B64.encode(&longer), SCOPE),
                None,
                "{kind:?} +{extra}"
            );
        }
    }
}

#[test]
fn only_the_one_spelling_is_read() {
    let keys = keys();
    for (kind, text) in signed() {
        let swapped = text.replace('-', "+").replace('_', "/");
        let mut spellings = vec![
            format!("{text}="),
            format!("{text}=="),
            format!(" {text}"),
            format!("{text} "),
            format!("{text}\n"),
            format!("\"{text}\""),
            format!("{text}\0"),
            format!("{}%3D", text),
            text.to_ascii_uppercase(),
            format!("{}é", &text[..text.len() - 2]),
        ];
        if swapped != text {
            spellings.push(swapped);
        }
        for spelling in spellings {
            assert!(
                keys.verify_pass_cookie(&spelling, SCOPE, NOW).is_err(),
                "{kind:?} {spelling:?}"
            );
            assert_eq!(
                accepted(&keys, &spelling, SCOPE),
                None,
                "{kind:?} {spelling:?}"
            );
        }
        // Trailing bits: the last character has neighbours that decode to the same bytes elsewhere.
        let last = text.chars().last().expect("not empty");
        for c in ('A'..='Z')
            .chain('a'..='z')
            .chain('0'..='9')
            .chain(['-', '_'])
        {
            let spelling = format!("{}{c}", &text[..text.len() - 1]);
            assert_eq!(
                accepted(&keys, &spelling, SCOPE).is_some(),
                c == last,
                "{kind:?} …{c}"
            );
        }
    }
}

#[test]
fn the_desk_is_open_until_its_end_and_for_one_token_of_the_operator() {
    let keys = keys();
    let one = Operator::of_secret("one").expect("not empty").fingerprint();
    let next = Operator::of_secret("next")
        .expect("not empty")
        .fingerprint();
    let bound = |room| Scope { room, ..SCOPE };
    let text = keys.sign(&desk(), bound(&one));
    let at = |room, now_ms| keys.verify::<Desk>(&text, bound(room), now_ms).err();
    assert_eq!(at(&one, NOW + 59_999), None);
    assert_eq!(at(&one, NOW + 60_000), Some(TokenError::Expired));
    assert_eq!(at(&next, NOW), Some(TokenError::BadMac));
    let never = Desk {
        ends_at_ms: AT_MS_MAX + 1,
    };
    let text = keys.sign(&never, SCOPE);
    let error = keys.verify::<Desk>(&text, SCOPE, NOW).err();
    assert_eq!(error, Some(TokenError::OutOfRange));
}

#[test]
fn no_kind_passes_for_another() {
    let keys = keys();
    for (kind, text) in signed() {
        let results = [
            (
                Kind::Visitor,
                keys.verify::<Visitor>(&text, SCOPE, NOW).err(),
            ),
            (Kind::Ticket, keys.verify::<Ticket>(&text, SCOPE, NOW).err()),
            (Kind::Pass, keys.verify::<Pass>(&text, SCOPE, NOW).err()),
            (
                Kind::Farewell,
                keys.verify::<Farewell>(&text, SCOPE, NOW).err(),
            ),
            (Kind::Carry, keys.verify::<Carry>(&text, SCOPE, NOW).err()),
            (Kind::Desk, keys.verify::<Desk>(&text, SCOPE, NOW).err()),
        ];
        for (read_as, error) in results {
            assert_eq!(
                error.is_none(),
                read_as == kind,
                "{kind:?} read as {read_as:?}: {error:?}"
            );
        }
        if kind == Kind::Ticket {
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
            ];
            for len in lens {
                let mac = bytes[bytes.len() - 32..].to_vec();
                let mut bent = bytes[..bytes.len() - 32].to_vec();
                bent.resize(6 + len, 0);
                bent.extend(mac);
                let expected = (bent == bytes && other == kind).then_some(kind);
                assert_eq!(
                    accepted(&keys, &B64.encode(&bent), SCOPE),
                    expected,
                    "{kind:?}→{other:?}"
                );
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
        Scope {
            room: "onsale",
            host: "",
        },
        Scope {
            room: "presale",
            host: SCOPE.host,
        },
        Scope {
            room: "",
            host: SCOPE.host,
        },
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
            let fine = kind == Kind::Visitor && scope.host == SCOPE.host;
            assert_eq!(
                accepted(&keys, &text, scope).is_some(),
                fine,
                "{kind:?} {scope:?}"
            );
        }
        let loud = Scope {
            host: "Tickets.EXAMPLE.com",
            ..SCOPE
        };
        assert_eq!(
            accepted(&keys, &text, loud),
            Some(kind),
            "a host's case does not matter"
        );
    }
}

#[test]
fn a_secret_is_followed_by_the_next() {
    let (old, new) = (
        keys(),
        Keyring::from_secrets(Some(OTHER), Some(SECRET)).expect("good"),
    );
    let after = Keyring::from_secrets(Some(OTHER), None).expect("good");
    let text = old.sign(&pass(), SCOPE);
    assert_eq!(
        new.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.signed_by),
        Ok(KeySlot::Previous)
    );
    assert_eq!(
        after.verify::<Pass>(&text, SCOPE, NOW),
        Err(TokenError::UnknownKey)
    );
    let text = new.sign(&pass(), SCOPE);
    assert_eq!(
        new.verify::<Pass>(&text, SCOPE, NOW).map(|v| v.signed_by),
        Ok(KeySlot::Current)
    );
    assert_eq!(
        old.verify::<Pass>(&text, SCOPE, NOW),
        Err(TokenError::UnknownKey)
    );
    // A borrowed key id does not help.
    let mut bytes = B64.decode(&text).expect("ours");
    let stolen = B64.decode(old.sign(&pass(), SCOPE)).expect("ours");
    bytes[2..6].copy_from_slice(&stolen[2..6]);
    assert_eq!(
        old.verify::<Pass>(&B64.encode(&bytes), SCOPE, NOW),
        Err(TokenError::BadMac)
    );
    for id in [[0; 4], [255; 4]] {
        bytes[2..6].copy_from_slice(&id);
        assert_eq!(
            new.verify::<Pass>(&B64.encode(&bytes), SCOPE, NOW),
            Err(TokenError::UnknownKey)
        );
    }
    let twice = Keyring::from_secrets(Some(SECRET), Some(SECRET)).expect("good");
    assert!(
        twice
            .verify::<Pass>(&old.sign(&pass(), SCOPE), SCOPE, NOW)
            .is_ok()
    );
}

#[test]
fn without_a_proper_secret_nothing_is_signed() {
    let make = |current: Option<&str>, previous: Option<&str>| {
        Keyring::from_secrets(current, previous).map(|_| ())
    };
    let (short, just) = ("x".repeat(31), "x".repeat(32));
    assert_eq!(make(None, None), Err(KeyError::Missing));
    assert_eq!(make(Some(""), None), Err(KeyError::Missing));
    assert_eq!(make(None, Some(SECRET)), Err(KeyError::Missing));
    assert_eq!(make(Some(&short), None), Err(KeyError::Short { bytes: 31 }));
    assert_eq!(make(Some(&just), None), Ok(()));
    assert_eq!(
        make(Some(&just), Some(&short)),
        Err(KeyError::PreviousShort { bytes: 31 })
    );
    assert_eq!(make(Some(&just), Some("")), Ok(()));
    let shown = format!("{:?} {}", keys(), KeyError::Short { bytes: 31 });
    assert!(
        !shown.contains("secret,") && !shown.contains(SECRET),
        "{shown}"
    );
}

#[test]
fn ends_at_the_edges_of_time() {
    let keys = keys();
    let verify = |token: Pass, now| {
        keys.verify::<Pass>(&keys.sign(&token, SCOPE), SCOPE, now)
            .map(|v| v.token)
    };
    let ends = |at_ms| Pass {
        hard_ends_at_ms: at_ms,
        ..pass()
    };
    assert_eq!(verify(ends(0), NOW), Err(TokenError::Expired));
    assert_eq!(verify(ends(0), 0), Err(TokenError::Expired));
    assert_eq!(
        verify(ends(u64::MAX), NOW),
        Err(TokenError::OutOfRange),
        "-1 and u64::MAX alike"
    );
    assert_eq!(
        verify(ends(AT_MS_MAX + 1), NOW),
        Err(TokenError::OutOfRange)
    );
    assert!(verify(ends(AT_MS_MAX), NOW).is_ok());
    assert!(verify(ends(NOW + 1), NOW).is_ok());
    assert_eq!(verify(ends(NOW), NOW), Err(TokenError::Expired));
    assert_eq!(verify(ends(NOW), u64::MAX), Err(TokenError::Expired));
    for odd in [
        Pass {
            fresh_until_at_ms: u64::MAX,
            ..pass()
        },
        Pass {
            lease_ends_at_ms: u64::MAX,
            ..pass()
        },
    ] {
        assert_eq!(verify(odd, NOW), Err(TokenError::OutOfRange));
    }
    let bye = |ends_at_ms, now| {
        let text = keys.sign(
            &Farewell {
                ends_at_ms,
                ..farewell()
            },
            SCOPE,
        );
        keys.verify::<Farewell>(&text, SCOPE, now).map(|_| ())
    };
    assert_eq!(bye(NOW, NOW), Err(TokenError::Expired));
    assert_eq!(bye(NOW + 1, NOW), Ok(()));
    assert_eq!(bye(0, 0), Err(TokenError::Expired));
    assert_eq!(bye(u64::MAX, NOW), Err(TokenError::OutOfRange));
    let text = keys.sign(
        &Visitor {
            issued_at_ms: u64::MAX,
            ..visitor()
        },
        SCOPE,
    );
    assert_eq!(
        keys.verify::<Visitor>(&text, SCOPE, NOW).map(|_| ()),
        Err(TokenError::OutOfRange)
    );
    let text = keys.sign(
        &Ticket {
            issued_at_ms: u64::MAX,
            number: Number(u64::MAX),
            ..ticket()
        },
        SCOPE,
    );
    assert_eq!(
        keys.verify::<Ticket>(&text, SCOPE, NOW).map(|_| ()),
        Err(TokenError::OutOfRange)
    );
}

#[test]
fn what_a_pass_is_good_for() {
    let ttl = 60_000;
    let at = |ms: u64| pass().standing(NOW + ms, ttl);
    assert_eq!(at(0), Standing::Fresh);
    assert_eq!(at(29_999), Standing::Fresh);
    assert_eq!(at(30_000), Standing::RenewSoon);
    assert_eq!(
        at(59_000),
        Standing::RenewSoon,
        "one second before its end it forwards"
    );
    assert_eq!(at(60_000), Standing::Ended);
    assert_eq!(at(299_999), Standing::Ended);
    assert_eq!(at(300_000), Standing::LeaseEnded);
    let walk_in = Pass {
        provisional: Provisional::UntilShown,
        ..pass()
    };
    assert_eq!(walk_in.standing(NOW, ttl), Standing::RenewSoon);
    // A pass never outlives the lease that it carries, however it was signed.
    let odd = Pass {
        fresh_until_at_ms: AT_MS_MAX,
        lease_ends_at_ms: NOW,
        ..pass()
    };
    assert_eq!(odd.standing(NOW, ttl), Standing::LeaseEnded);
    let odd = Pass {
        lease_ends_at_ms: AT_MS_MAX,
        hard_ends_at_ms: NOW + 5,
        ..pass()
    };
    assert_eq!(odd.standing(NOW + 5, ttl), Standing::LeaseEnded);
    assert_eq!(odd.standing(u64::MAX, u64::MAX), Standing::LeaseEnded);
}

#[test]
fn random_bytes_are_refused_without_a_panic() {
    let seed = 0xBA70_0001;
    let mut dice = fastrand::Rng::with_seed(seed);
    let keys = Keyring::from_secrets(Some(SECRET), Some(OTHER)).expect("good");
    for turn in 0..20_000 {
        let len = dice.usize(0..160);
        let mut bytes: Vec<u8> = std::iter::repeat_with(|| dice.u8(..)).take(len).collect();
        if dice.bool() {
            // Close to the real thing: a good header on noise of a good length.
            let (_, text) = &signed()[dice.usize(0..4)];
            let real = B64.decode(text).expect("ours");
            bytes.resize(real.len(), 0);
            let keep = dice.usize(0..real.len());
            bytes[..keep].copy_from_slice(&real[..keep]);
            bytes[keep] = !real[keep];
        }
        let text = if dice.bool() {
            B64.encode(&bytes)
        } else {
            String::from_utf8_lossy(&bytes).into_owned()
        };
        assert_eq!(
            accepted(&keys, &text, SCOPE),
            None,
            "seed {seed:#x}, turn {turn}: {text:?}"
        );
    }
    for huge in ["A".repeat(32 * 1024), "é".repeat(9_999), String::new()] {
        assert_eq!(accepted(&keys, &huge, SCOPE), None);
    }
}

fn buy() -> ProofRequest<'static> {
    ProofRequest {
        method: "POST",
        host: "Tickets.example.com",
        path_and_query: "/buy/seat?row=4&x=%2F",
        fence: Fence(907),
    }
}

#[test]
fn the_origin_can_tell_who_came_through() {
    let key = OriginKey::new("shared with the shop").expect("not empty");
    let header = key.prove(NOW, &buy()).expect("no line break");
    assert_eq!(
        header,
        "v1;t=1800000000000;mac=bf3588f4a8ae35147de3d1ec2cac80361740384de82fb8ef7249afa108fc0b1b"
    );
    assert_eq!(key.check(&header, NOW + 60_000, &buy()), Ok(()));
    assert_eq!(
        key.check(&header, NOW + 60_001, &buy()),
        Err(ProofError::Skewed)
    );
    assert_eq!(
        key.check(&header, NOW - 60_001, &buy()),
        Err(ProofError::Skewed)
    );
    let others = [
        ProofRequest {
            method: "GET",
            ..buy()
        },
        ProofRequest {
            host: "tickets.example.org",
            ..buy()
        },
        ProofRequest {
            path_and_query: "/buy/seat?row=4&x=/",
            ..buy()
        },
        ProofRequest {
            fence: Fence(908),
            ..buy()
        },
    ];
    for other in others {
        assert_eq!(
            key.check(&header, NOW, &other),
            Err(ProofError::BadMac),
            "{other:?}"
        );
    }
    let stranger = OriginKey::new("another").expect("not empty");
    assert_eq!(
        stranger.check(&header, NOW, &buy()),
        Err(ProofError::BadMac)
    );
    let broken = ProofRequest {
        path_and_query: "/a\nb",
        ..buy()
    };
    assert_eq!(key.prove(NOW, &broken), Err(ProofError::LineBreak));
    assert_eq!(
        OriginKey::new("").map(|_| ()).err(),
        Some(ProofError::NoSecret)
    );
    for at in 0..header.len() {
        for bit in 0..7 {
            let mut bent = header.clone().into_bytes();
            bent[at] ^= 1 << bit;
            let bent = String::from_utf8(bent).expect("ASCII");
            assert!(key.check(&bent, NOW, &buy()).is_err(), "{bent:?}");
        }
        assert!(key.check(&header[..at], NOW, &buy()).is_err());
    }
    assert!(
        key.check(&header.replace("t=", "t=+"), NOW, &buy())
            .is_err()
    );
    assert!(
        key.check(&header.replace("t=", "t=0"), NOW, &buy())
            .is_err()
    );
}

/// A link is worth nothing at its end, in another room or on another host; a lobby that knows the hash
/// does not know the secret.
#[test]
fn a_link_ends_and_is_bound_to_its_room() {
    let keys = keys();
    let text = keys.sign(&carry(), SCOPE);
    let read = |scope, now| keys.verify::<Carry>(&text, scope, now).map(|v| v.token);
    assert_eq!(read(SCOPE, NOW), Ok(carry()));
    let end = carry().ends_at_ms;
    assert_eq!(read(SCOPE, end - 1), Ok(carry()));
    assert_eq!(read(SCOPE, end), Err(TokenError::Expired));
    let elsewhere = Scope {
        room: "other",
        ..SCOPE
    };
    assert_eq!(read(elsewhere, NOW), Err(TokenError::BadMac));
    assert_ne!(carry().hash()[..16], carry().secret);
    let other = Carry {
        secret: [8; 16],
        ..carry()
    };
    assert_ne!(carry().hash(), other.hash());
}

#[test]
fn a_stock_is_believed_of_who_knows_the_secret_for_its_room_and_for_a_minute() {
    let key = OriginKey::new("shared with the shop").expect("not empty");
    let report = StockReport {
        left: 1_200,
        at_ms: NOW,
    };
    let header = key.report_stock("onsale", report);
    assert!(
        include_str!("../docs/protocol.md").contains(&header),
        "the example of the protocol"
    );
    assert_eq!(
        header,
        format!("v1;left=1200;t={NOW};mac={STOCK_MAC}"),
        "the form that shops make"
    );
    let check = |header: &str, now_ms, room| key.check_stock(header, now_ms, room);
    assert_eq!(check(&header, NOW, "onsale"), Ok(report));
    assert_eq!(check(&format!(" {header} "), NOW, "onsale"), Ok(report));
    assert_eq!(check(&header, NOW + 60_000, "onsale"), Ok(report));
    assert_eq!(
        check(&header, NOW + 60_001, "onsale"),
        Err(ProofError::Skewed)
    );
    assert_eq!(
        check(&header, NOW - 60_001, "onsale"),
        Err(ProofError::Skewed)
    );
    assert_eq!(check(&header, NOW, "other"), Err(ProofError::BadMac));
    assert_eq!(
        check(&header.replace("left=1200", "left=1201"), NOW, "onsale"),
        Err(ProofError::BadMac)
    );
    let stranger = OriginKey::new("another").expect("not empty");
    assert_eq!(
        stranger.check_stock(&header, NOW, "onsale"),
        Err(ProofError::BadMac)
    );
    for broken in [
        "",
        "1200",
        "v1;left=1200",
        "v1;left=x;t=1;mac=00",
        "v1;left=-1;t=1;mac=00",
    ] {
        assert_eq!(
            check(broken, NOW, "onsale"),
            Err(ProofError::Malformed),
            "{broken}"
        );
    }
    assert_eq!(
        check(
            &header.to_uppercase().replace("V1;LEFT", "v1;left"),
            NOW,
            "onsale"
        ),
        Err(ProofError::Malformed)
    );
}
