//! One token of each kind, signed, and the secrets and the room that they are of.

use baton::facts::holder::Key;
use baton::facts::units::{AccountId, Edition, Fence, LobbyId, Number, Version, VisitorId};
use baton::facts::voucher::SheetId;
use baton::token::{
    Bearer, Carry, Desk, Entrant, Farewell, Human, Invitation, Keyring, Kind, Knock, Login, Pass, Provisional, Rehearsal, Scope, Staff, StaffName,
    Ticket, Visitor, room_mark,
};

pub const SECRET: &str = "the first secret, of forty bytes or more.";
pub const OTHER: &str = "quite another secret of forty bytes or so";
pub const SCOPE: Scope<'static> = Scope {
    room: "onsale",
    host: "tickets.example.com",
};
pub const NOW: u64 = 1_800_000_000_000;
const WHO: VisitorId = VisitorId([7; 16]);

/// Of what grows with its padding: the one of so many bytes, and the next longer one. Base64 has no text of some lengths, so what is
/// padded must be such that this one is reached.
pub fn at_the_bound(bytes: usize, padded: impl Fn(usize) -> String) -> [String; 2] {
    let more = (0..bytes).find(|more| padded(*more).len() == bytes);
    let more = more.expect("one is as long");
    [padded(more), padded(more + 1)]
}

pub fn keys() -> Keyring {
    Keyring::from_secrets(Some(SECRET), None).expect("good secret")
}

pub fn visitor() -> Visitor {
    Visitor { id: WHO, issued_at_ms: NOW }
}

pub fn ticket() -> Ticket {
    Ticket {
        number: Number(41),
        edition: Edition(7),
        lobby: LobbyId(3),
        visitor: WHO,
        row: Version(311),
        issued_at_ms: NOW,
    }
}

pub fn pass() -> Pass {
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
        row: Version(77),
    }
}

pub fn carry() -> Carry {
    Carry {
        number: Number(4_123),
        edition: Edition(7),
        lobby: LobbyId(3),
        key: Key(0x0102_0304_0506_0708),
        row: Version(311),
        ends_at_ms: NOW + 300_000,
    }
}

pub fn farewell() -> Farewell {
    Farewell {
        number: Number(41),
        edition: Edition(7),
        lobby: LobbyId(3),
        visitor: WHO,
        ends_at_ms: NOW + 60_000,
    }
}

/// Every kind's reading of one text; the first that accepts it, if any.
pub fn accepted(keys: &Keyring, text: &str, scope: Scope<'_>) -> Option<Kind> {
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
    if keys.verify::<Rehearsal>(text, scope, NOW).is_ok() {
        return Some(Kind::Rehearsal);
    }
    if keys.verify::<Knock>(text, scope, NOW).is_ok() {
        return Some(Kind::Knock);
    }
    if keys.verify::<Entrant>(text, scope, NOW).is_ok() {
        return Some(Kind::Entrant);
    }
    if keys.verify::<Invitation>(text, scope, NOW).is_ok() {
        return Some(Kind::Invitation);
    }
    if keys.verify::<Staff>(text, scope, NOW).is_ok() {
        return Some(Kind::Staff);
    }
    if keys.verify::<Human>(text, scope, NOW).is_ok() {
        return Some(Kind::Human);
    }
    if keys.verify::<Login>(text, scope, NOW).is_ok() {
        return Some(Kind::Login);
    }
    let either = keys.verify_pass_cookie(text, scope, NOW);
    assert!(either.is_err(), "the pass cookie takes what no kind takes: {text}");
    None
}

pub fn desk() -> Desk {
    Desk {
        session: [7; 8],
        ends_at_ms: NOW + 60_000,
    }
}

pub fn rehearsal() -> Rehearsal {
    Rehearsal {
        edition: Edition(3),
        ends_at_ms: NOW + 60_000,
    }
}

pub fn knock() -> Knock {
    Knock {
        visitor: ticket().visitor,
        ticket: Some(ticket()),
        ends_at_ms: NOW + 30_000,
    }
}

pub fn entrant() -> Entrant {
    Entrant {
        bearer: Bearer::Account {
            id: AccountId([9; 16]),
            signed_by: [1, 2, 3, 4],
        },
        from_at_ms: NOW - 60_000,
        ends_at_ms: NOW + 3_600_000,
        lane: None,
        refused: None,
        tried: false,
    }
}

pub fn invitation() -> Invitation {
    Invitation {
        room: room_mark("onsale"),
        sheet: SheetId(3),
        index: 70_000,
        from_at_ms: 0,
        ends_at_ms: NOW + 3_600_000,
    }
}

pub fn staff() -> Staff {
    Staff {
        room: room_mark("onsale"),
        name: StaffName::parse("mika").expect("a name"),
        epoch: 2,
        ends_at_ms: NOW + 3_600_000,
    }
}

pub fn human() -> Human {
    Human {
        visitor: WHO,
        ends_at_ms: NOW + 600_000,
    }
}

pub fn login() -> Login {
    Login {
        seed: [7; 32],
        ends_at_ms: NOW + 600_000,
    }
}

pub fn signed() -> [(Kind, String); 13] {
    let keys = keys();
    [
        (Kind::Visitor, keys.sign(&visitor(), SCOPE)),
        (Kind::Ticket, keys.sign(&ticket(), SCOPE)),
        (Kind::Pass, keys.sign(&pass(), SCOPE)),
        (Kind::Farewell, keys.sign(&farewell(), SCOPE)),
        (Kind::Carry, keys.sign(&carry(), SCOPE)),
        (Kind::Desk, keys.sign(&desk(), SCOPE)),
        (Kind::Rehearsal, keys.sign(&rehearsal(), SCOPE)),
        (Kind::Knock, keys.sign(&knock(), SCOPE)),
        (Kind::Entrant, keys.sign(&entrant(), SCOPE)),
        (Kind::Invitation, keys.sign(&invitation(), SCOPE)),
        (Kind::Staff, keys.sign(&staff(), SCOPE)),
        (Kind::Login, keys.sign(&login(), SCOPE)),
        (Kind::Human, keys.sign(&human(), SCOPE)),
    ]
}
