//! When a token ends, and what a pass is good for until then.

use super::samples::{NOW, SCOPE, carry, desk, entrant, farewell, human, invitation, keys, knock, login, pass, rehearsal, staff, ticket, visitor};
use baton::facts::units::{Edition, Fence, Number};
use baton::facts::wire::LeaseTold;
use baton::token::{
    AT_MS_MAX, Carry, Desk, Entrant, Farewell, Freshness, Invitation, Knock, Operator, Pass, Provisional, Scope, Ticket, Token, TokenError, Visitor,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn the_desk_is_open_until_its_end_and_for_one_token_of_the_operator() {
    let keys = keys();
    let one = Operator::of_secret("one").expect("not empty").fingerprint();
    let next = Operator::of_secret("next").expect("not empty").fingerprint();
    let bound = |room| Scope { room, ..SCOPE };
    let text = keys.sign(&desk(), bound(&one));
    let at = |room, now_ms| keys.verify::<Desk>(&text, bound(room), now_ms).err();
    assert_eq!(at(&one, NOW + 59_999), None);
    assert_eq!(at(&one, NOW + 60_000), Some(TokenError::Expired));
    assert_eq!(at(&next, NOW), Some(TokenError::BadMac));
    let never = Desk {
        session: [7; 8],
        ends_at_ms: AT_MS_MAX + 1,
    };
    let text = keys.sign(&never, SCOPE);
    let error = keys.verify::<Desk>(&text, SCOPE, NOW).err();
    assert_eq!(error, Some(TokenError::OutOfRange));
}

#[test]
fn a_knock_is_good_for_its_half_minute_and_says_whose_place_is_watched() {
    let keys = keys();
    let text = keys.sign(&knock(), SCOPE);
    let read = |now_ms| keys.verify::<Knock>(&text, SCOPE, now_ms).map(|v| v.token);
    assert_eq!(read(NOW), Ok(knock()));
    assert_eq!(read(NOW + 29_999), Ok(knock()));
    assert_eq!(read(NOW + 30_000), Err(TokenError::Expired));
    let without = Knock { ticket: None, ..knock() };
    let text = keys.sign(&without, SCOPE);
    let read = keys.verify::<Knock>(&text, SCOPE, NOW).map(|v| v.token);
    assert_eq!(read, Ok(without));
    let elsewhere = Scope { room: "other", ..SCOPE };
    let read = keys.verify::<Knock>(&text, elsewhere, NOW).err();
    assert_eq!(read, Some(TokenError::BadMac));
}

/// Long because it is one list of instants at the edges.
#[test]
fn ends_at_the_edges_of_time() {
    let keys = keys();
    let verify = |token: Pass, now| keys.verify::<Pass>(&keys.sign(&token, SCOPE), SCOPE, now).map(|v| v.token);
    let ends = |at_ms| Pass {
        hard_ends_at_ms: at_ms,
        ..pass()
    };
    assert_eq!(verify(ends(0), NOW), Err(TokenError::Expired));
    assert_eq!(verify(ends(0), 0), Err(TokenError::Expired));
    assert_eq!(verify(ends(u64::MAX), NOW), Err(TokenError::OutOfRange), "-1 and u64::MAX alike");
    assert_eq!(verify(ends(AT_MS_MAX + 1), NOW), Err(TokenError::OutOfRange));
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
        let text = keys.sign(&Farewell { ends_at_ms, ..farewell() }, SCOPE);
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
    assert_eq!(keys.verify::<Visitor>(&text, SCOPE, NOW).map(|_| ()), Err(TokenError::OutOfRange));
    let text = keys.sign(
        &Ticket {
            issued_at_ms: u64::MAX,
            number: Number(u64::MAX),
            ..ticket()
        },
        SCOPE,
    );
    assert_eq!(keys.verify::<Ticket>(&text, SCOPE, NOW).map(|_| ()), Err(TokenError::OutOfRange));
}

#[test]
fn what_a_pass_is_good_for() {
    let ttl = 60_000;
    let at = |ms: u64| pass().freshness(NOW + ms, ttl);
    assert_eq!(at(0), Freshness::Fresh);
    assert_eq!(at(29_999), Freshness::Fresh);
    assert_eq!(at(30_000), Freshness::RenewSoon);
    assert_eq!(at(59_000), Freshness::RenewSoon, "one second before its end it forwards");
    assert_eq!(at(60_000), Freshness::Ended);
    assert_eq!(at(299_999), Freshness::Ended);
    assert_eq!(at(300_000), Freshness::LeaseEnded);
    let walk_in = Pass {
        provisional: Provisional::UntilShown,
        ..pass()
    };
    assert_eq!(walk_in.freshness(NOW, ttl), Freshness::RenewSoon);
    // Signed by a clock that was an hour ahead, or under a longer `pass_ttl_s`: the room is asked first.
    assert_eq!(pass().freshness(NOW - 1, ttl), Freshness::Ended);
    assert_eq!(pass().freshness(NOW - 3_600_000, ttl), Freshness::Ended);
    assert_eq!(pass().freshness(NOW, ttl / 2), Freshness::Ended);
    // A pass never outlives the lease that it carries, however it was signed.
    let odd = Pass {
        fresh_until_at_ms: AT_MS_MAX,
        lease_ends_at_ms: NOW,
        ..pass()
    };
    assert_eq!(odd.freshness(NOW, ttl), Freshness::LeaseEnded);
    let odd = Pass {
        lease_ends_at_ms: AT_MS_MAX,
        hard_ends_at_ms: NOW + 5,
        ..pass()
    };
    assert_eq!(odd.freshness(NOW + 5, ttl), Freshness::LeaseEnded);
    assert_eq!(odd.freshness(u64::MAX, u64::MAX), Freshness::LeaseEnded);
}

#[test]
fn a_farewell_loads_pages_for_as_long_as_a_pass_is_fresh_and_no_longer() {
    let ttl = 60_000;
    let farewell = pass().farewell(NOW + ttl);
    let loads = |now_ms| farewell.loads(now_ms, ttl);
    assert!(loads(NOW) && loads(NOW + 59_999));
    assert!(!loads(NOW + 60_000), "over");
    assert!(!loads(NOW - 1), "signed by a clock that was ahead");
}

/// A link is worth nothing at its end, in another room or on another host.
#[test]
fn a_link_ends_and_is_bound_to_its_room() {
    let keys = keys();
    let text = keys.sign(&carry(), SCOPE);
    let read = |scope, now| keys.verify::<Carry>(&text, scope, now).map(|v| v.token);
    assert_eq!(read(SCOPE, NOW), Ok(carry()));
    let end = carry().ends_at_ms;
    assert_eq!(read(SCOPE, end - 1), Ok(carry()));
    assert_eq!(read(SCOPE, end), Err(TokenError::Expired));
    let elsewhere = Scope { room: "other", ..SCOPE };
    assert_eq!(read(elsewhere, NOW), Err(TokenError::BadMac));
}

/// What a ticket and a link say of the place they name: nothing older than that row is told of it.
#[test]
fn a_ticket_a_pass_and_a_link_name_their_row() {
    assert_eq!(ticket().shown().row, ticket().row);
    assert_eq!(carry().shown().row, carry().row);
    assert_eq!(pass().shown().row, pass().row);
}

/// What becomes of a token that is signed, and read then.
fn read<T: Token>(token: &T, now_ms: u64) -> Result<(), TokenError> {
    let text = keys().sign(token, SCOPE);
    keys().verify::<T>(&text, SCOPE, now_ms).map(|_| ())
}

#[test]
fn a_rehearsal_a_humans_proof_a_staff_link_and_a_sign_in_are_over_at_their_end() {
    let over = Err(TokenError::Expired);
    let end = rehearsal().ends_at_ms;
    assert_eq!([read(&rehearsal(), end - 1), read(&rehearsal(), end)], [Ok(()), over]);
    let end = human().ends_at_ms;
    assert_eq!([read(&human(), end - 1), read(&human(), end)], [Ok(()), over]);
    let end = staff().ends_at_ms;
    assert_eq!([read(&staff(), end - 1), read(&staff(), end)], [Ok(()), over]);
    let end = login().ends_at_ms;
    assert_eq!([read(&login(), end - 1), read(&login(), end)], [Ok(()), over]);
}

/// An invitation and what is remembered of an entry have no end of their own: who comes too late is told so. But an instant that no
/// calendar has is no instant.
#[test]
fn who_is_late_with_an_invitation_can_be_told_so_and_no_calendar_is_left() {
    assert_eq!(read(&invitation(), AT_MS_MAX), Ok(()));
    assert_eq!(read(&entrant(), AT_MS_MAX), Ok(()));
    let ends_at_ms = AT_MS_MAX + 1;
    let odd = Invitation { ends_at_ms, ..invitation() };
    assert_eq!(read(&odd, NOW), Err(TokenError::OutOfRange));
    let odd = Entrant { ends_at_ms, ..entrant() };
    assert_eq!(read(&odd, NOW), Err(TokenError::OutOfRange));
}

#[test]
fn another_rooms_lease_is_not_the_passs_own_though_the_fence_is_the_same() {
    let lease = LeaseTold {
        number: pass().number,
        edition: pass().edition,
        fence: pass().fence,
        idle_in_ms: 1,
        hard_in_ms: 2,
        provisional: false,
    };
    assert!(pass().is_of(&lease));
    for other in [
        LeaseTold { number: Number(1), ..lease },
        LeaseTold {
            edition: Edition(1),
            ..lease
        },
        LeaseTold { fence: Fence(1), ..lease },
    ] {
        assert!(!pass().is_of(&other), "{other:?}");
    }
}
