//! What the origin and the deployment prove to each other: who came through, and how much is left.

use super::samples::NOW;
use baton::facts::units::Fence;
use baton::token::{OriginKey, ProofError, ProofRequest, StockReport};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// `printf 'baton-stock-v1\n1800000000000\nonsale\n1200' | openssl dgst -sha256 -hmac "shared with the shop"`
const STOCK_MAC: &str = "e929a8b30ed5100ece45278eb1aace1d7e0e7bcb3c3b0a2cfdc8caac14a2a618";

/// Any number.
const NONCE: u64 = 0x0123_4567_89ab_cdef;

fn buy() -> ProofRequest<'static> {
    ProofRequest {
        method: "POST",
        host: "Tickets.example.com",
        path_and_query: "/buy/seat?row=4&x=%2F",
        room: "onsale",
        fence: Fence(907),
    }
}

/// Long because it is one list of what may differ from what was signed.
#[test]
fn the_origin_can_tell_who_came_through() {
    let key = OriginKey::new("shared with the shop").expect("not empty");
    let header = key.prove(NOW, NONCE, &buy()).expect("no line break");
    assert_eq!(
        header,
        "v1;t=1800000000000;n=0123456789abcdef;mac=0928ac0145daa494dfd9517c4aecc59a78b6311b7b2c82cc860f3b8bb7c597dd"
    );
    assert_eq!(key.check(&header, NOW + 60_000, &buy()), Ok(()));
    assert_eq!(key.check(&header, NOW + 60_001, &buy()), Err(ProofError::Skewed));
    assert_eq!(key.check(&header, NOW - 60_001, &buy()), Err(ProofError::Skewed));
    let others = [
        ProofRequest { method: "GET", ..buy() },
        ProofRequest {
            host: "tickets.example.org",
            ..buy()
        },
        ProofRequest {
            path_and_query: "/buy/seat?row=4&x=/",
            ..buy()
        },
        ProofRequest { fence: Fence(908), ..buy() },
    ];
    for other in others {
        assert_eq!(key.check(&header, NOW, &other), Err(ProofError::BadMac), "{other:?}");
    }
    let stranger = OriginKey::new("another").expect("not empty");
    assert_eq!(stranger.check(&header, NOW, &buy()), Err(ProofError::BadMac));
    let broken = ProofRequest {
        path_and_query: "/a\nb",
        ..buy()
    };
    assert_eq!(key.prove(NOW, NONCE, &broken), Err(ProofError::LineBreak));
    assert_eq!(OriginKey::new("").map(|_| ()).err(), Some(ProofError::NoSecret));
    for at in 0..header.len() {
        for bit in 0..7 {
            let mut bent = header.clone().into_bytes();
            bent[at] ^= 1 << bit;
            let bent = String::from_utf8(bent).expect("ASCII");
            assert!(key.check(&bent, NOW, &buy()).is_err(), "{bent:?}");
        }
        assert!(key.check(&header[..at], NOW, &buy()).is_err());
    }
    assert!(key.check(&header.replace("t=", "t=+"), NOW, &buy()).is_err());
    assert!(key.check(&header.replace("t=", "t=0"), NOW, &buy()).is_err());
}

#[test]
fn a_stock_is_believed_of_who_knows_the_secret_for_its_room_and_for_a_minute() {
    let key = OriginKey::new("shared with the shop").expect("not empty");
    let report = StockReport { left: 1_200, at_ms: NOW };
    let header = key.report_stock("onsale", report);
    assert!(include_str!("../../docs/protocol.md").contains(&header), "the example of the protocol");
    assert_eq!(header, format!("v1;left=1200;t={NOW};mac={STOCK_MAC}"), "the form that shops make");
    let check = |header: &str, now_ms, room| key.check_stock(header, now_ms, room);
    assert_eq!(check(&header, NOW, "onsale"), Ok(report));
    assert_eq!(check(&format!(" {header} "), NOW, "onsale"), Ok(report));
    assert_eq!(check(&header, NOW + 60_000, "onsale"), Ok(report));
    assert_eq!(check(&header, NOW + 60_001, "onsale"), Err(ProofError::Skewed));
    assert_eq!(check(&header, NOW - 60_001, "onsale"), Err(ProofError::Skewed));
    assert_eq!(check(&header, NOW, "other"), Err(ProofError::BadMac));
    assert_eq!(check(&header.replace("left=1200", "left=1201"), NOW, "onsale"), Err(ProofError::BadMac));
    let stranger = OriginKey::new("another").expect("not empty");
    assert_eq!(stranger.check_stock(&header, NOW, "onsale"), Err(ProofError::BadMac));
    for broken in ["", "1200", "v1;left=1200", "v1;left=x;t=1;mac=00", "v1;left=-1;t=1;mac=00"] {
        assert_eq!(check(broken, NOW, "onsale"), Err(ProofError::Malformed), "{broken}");
    }
    assert_eq!(
        check(&header.to_uppercase().replace("V1;LEFT", "v1;left"), NOW, "onsale"),
        Err(ProofError::Malformed)
    );
}
