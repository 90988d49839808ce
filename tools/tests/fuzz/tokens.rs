//! The targets for what visitors, origins and operators show: Baton takes nothing but what was signed.

use super::worlds::{NONCE, NOW_MS, SCOPE, keys, origin_key, proof_request};
use super::{Read, text};
use baton::facts::holder::Key;
use baton::facts::units::{AccountId, Edition, Fence, LobbyId, Number, Version, VisitorId};
use baton::facts::voucher::{CodeHash, SheetId, Voucher};
use baton::gate::{code_in_form, code_of};
use baton::token::{
    AT_MS_MAX, Bearer, Carry, Entrant, Farewell, Invitation, KeySlot, Operators, Pass, ProofError, ProofRequest, Provisional, Scope, Staff,
    StaffName, Ticket, Token, TokenError, Visitor,
};
use core::fmt::Debug;

/// The length of the longest token, in characters.
const TOKEN_BYTES_MAX: usize = 146;

/// Reads a token that somebody shows, and signs tokens that are made of the same bytes.
pub fn token(bytes: &[u8]) -> Read {
    let shown = text(bytes);
    let taken = [
        shows::<Visitor>(&shown),
        shows::<Ticket>(&shown),
        shows::<Pass>(&shown),
        shows::<Farewell>(&shown),
        shows::<Carry>(&shown),
        shows::<Entrant>(&shown),
        shows::<Invitation>(&shown),
        shows::<Staff>(&shown),
    ];
    if let Some(code) = code_of(&shown) {
        assert_eq!(code_of(&code).as_ref(), Some(&code), "written once more");
        let form = format!("code={code}");
        assert_eq!(code_in_form(&form).as_ref(), Some(&code), "in a form");
    }
    let _ = code_in_form(&shown);
    let kinds = taken.iter().filter(|taken| **taken).count();
    assert!(kinds <= 1, "one token of {kinds} kinds");
    let in_cookie = keys().verify_pass_cookie(&shown, SCOPE, NOW_MS).is_ok();
    assert_eq!(in_cookie, taken[2] || taken[3], "the pass cookie differs");
    signed(bytes);
    (kinds == 1).into()
}

fn shows<T: Token + PartialEq + Debug>(shown: &str) -> bool {
    let verified = match keys().verify::<T>(shown, SCOPE, NOW_MS) {
        Ok(verified) => verified,
        // A token with a good signature may still be over, or name an instant that is out of range.
        Err(TokenError::Expired | TokenError::OutOfRange) | Err(_) => return false,
    };
    if verified.signed_by == KeySlot::Current {
        assert_eq!(keys().sign(&verified.token, SCOPE), shown, "a second spelling");
    }
    let elsewhere = [
        Scope { room: "other", ..SCOPE },
        Scope {
            host: "tickets.example:8443",
            ..SCOPE
        },
    ];
    for (scope, bound) in elsewhere.into_iter().zip([T::BOUND_TO_ROOM, true]) {
        let there = keys().verify::<T>(shown, scope, NOW_MS);
        assert_eq!(there.is_err(), bound, "{scope:?}: {there:?}");
    }
    for at in 0..shown.len() {
        let mut forged = shown.as_bytes().to_vec();
        forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).expect("ASCII");
        let seen = keys().verify::<T>(&forged, SCOPE, NOW_MS);
        assert!(seen.is_err(), "character {at} does not count");
        let cut = keys().verify::<T>(&shown[..at], SCOPE, NOW_MS);
        assert_eq!(cut, Err(TokenError::Malformed));
    }
    true
}

/// Takes numbers off the front of bytes, and zeros once there are no more.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut taken = [0; N];
        let count = N.min(self.0.len());
        taken[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        taken
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

/// Asserts that a token that was signed reads the same again, unless it is over or one of its instants is out of range.
///
/// Long because it is one list with a token of each kind and each of its fields.
fn signed(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let (number, visitor) = (Number(b.u64()), VisitorId(b.take()));
    let lobby = LobbyId(u16::from_le_bytes(b.take()));
    let edition = Edition(u32::from_le_bytes(b.take()));
    let [one, two, three] = [b.u64(), b.u64(), b.u64()];
    let who = Visitor {
        id: visitor,
        issued_at_ms: one,
    };
    reads_again(&who, &[one], None);
    let ticket = Ticket {
        number,
        edition,
        lobby,
        visitor,
        row: Version(two),
        issued_at_ms: one,
    };
    reads_again(&ticket, &[one], None);
    let farewell = Farewell {
        number,
        edition,
        lobby,
        visitor,
        ends_at_ms: one,
    };
    reads_again(&farewell, &[one], Some(one));
    let carry = Carry {
        number,
        edition,
        lobby,
        key: Key(three),
        row: Version(two),
        ends_at_ms: one,
    };
    reads_again(&carry, &[one], Some(one));
    let sheet = SheetId(edition.0);
    let room = one.to_le_bytes();
    let invitation = Invitation {
        room,
        sheet,
        index: edition.0,
        from_at_ms: one,
        ends_at_ms: two,
    };
    reads_again(&invitation, &[one, two], None);
    let name = StaffName::parse(&format!("s{}", lobby.0)).expect("a name");
    let staff = Staff {
        room,
        name,
        epoch: edition.0,
        ends_at_ms: one,
    };
    reads_again(&staff, &[one], Some(one));
    let hashes = [one, two, three].map(CodeHash);
    for bearer in [
        Bearer::Voucher(Voucher::Code(hashes)),
        Bearer::Voucher(Voucher::Invitation { sheet, index: edition.0 }),
        Bearer::Account {
            id: AccountId(visitor.0),
            signed_by: edition.0.to_le_bytes(),
        },
    ] {
        let entrant = Entrant {
            lane: None,
            bearer,
            from_at_ms: one,
            ends_at_ms: two,
            refused: None,
            tried: false,
        };
        reads_again(&entrant, &[one, two], None);
    }
    let provisional = match b.take() {
        [0] => Provisional::Confirmed,
        [_] => Provisional::UntilShown,
    };
    let pass = Pass {
        number,
        edition,
        fence: Fence(b.u64()),
        lobby,
        visitor,
        fresh_until_at_ms: one,
        lease_ends_at_ms: two,
        hard_ends_at_ms: three,
        provisional,
        row: Version(b.u64()),
    };
    reads_again(&pass, &[one, two, three], Some(three));
    // Whatever its fields say, a pass is not honoured after its lease.
    for ttl_ms in [0, 1_000, u64::MAX] {
        let freshness = pass.freshness(two.min(three), ttl_ms);
        assert_eq!(freshness, baton::token::Freshness::LeaseEnded);
    }
}

fn reads_again<T: Token + PartialEq + Debug>(token: &T, instants: &[u64], ends: Option<u64>) {
    let signed = keys().sign(token, SCOPE);
    assert!(signed.len() <= TOKEN_BYTES_MAX, "{} characters", signed.len());
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    assert!(signed.bytes().all(plain), "no cookie value: {signed}");
    let read = keys().verify::<T>(&signed, SCOPE, NOW_MS).map(|v| v.token);
    if instants.iter().any(|at| *at > AT_MS_MAX) {
        assert_eq!(read, Err(TokenError::OutOfRange));
    } else if ends.is_some_and(|ends| ends <= NOW_MS) {
        assert_eq!(read, Err(TokenError::Expired));
    } else {
        assert_eq!(read.as_ref(), Ok(token));
    }
}

/// Reads what is shown in the first line, as a `Baton-Proof` and as an `Authorization`, and a path in the rest.
pub fn proof(bytes: &[u8]) -> Read {
    let all = text(bytes);
    let (shown, path) = all.split_once('\n').unwrap_or((&all, "/buy/1?a=b"));
    let key = origin_key();
    let request = proof_request(path);
    let checked = key.check(shown, NOW_MS, &request);
    match key.prove(NOW_MS, NONCE, &request) {
        Err(error) => {
            assert_eq!(error, ProofError::LineBreak);
            assert!(path.contains(['\n', '\r']), "{path:?} has no line break");
            assert!(checked.is_err(), "a line break was proven");
        }
        Ok(proof) => {
            assert!(!path.contains(['\n', '\r']), "{path:?} has a line break");
            assert_eq!(key.check(&proof, NOW_MS, &request), Ok(()));
            let other = ProofRequest { fence: Fence(8), ..request };
            assert_eq!(key.check(&proof, NOW_MS, &other), Err(ProofError::BadMac));
        }
    }
    if checked.is_ok() {
        let mut parts = shown.split(['=', ';']);
        let t = parts.nth(2).and_then(|t| t.parse().ok());
        let nonce = parts.nth(1).and_then(|n| u64::from_str_radix(n, 16).ok());
        let again = key.prove(t.expect("a time"), nonce.expect("a nonce"), &request);
        assert_eq!(again.as_deref(), Ok(shown), "a second spelling");
    }
    let operators = Operators::new(Some("operator's own"), &[]);
    let is_shown = operators.shown_in(shown).is_some();
    if is_shown {
        let word = shown.split_once(' ').expect("two words");
        assert!(word.0.eq_ignore_ascii_case("bearer"));
        assert_eq!(word.1.trim(), "operator's own");
    }
    (checked.is_ok() || is_shown).into()
}
