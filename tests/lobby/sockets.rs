//! Who gets a socket: nobody to whom the front would not hand it on. Such a socket would count as somebody who is there.

use baton::facts::holder::Shown;
use baton::facts::units::{Edition, LobbyId, Number, Version};
use baton::facts::wire::{AccountTold, Limited, Share, State, Told};
use baton::lobby::{NoSocket, socket_for};

#[test]
fn nobody_gets_a_socket_who_has_no_place_here() {
    let told = Told::default;
    let account = |account| Told {
        account: Some(account),
        ..told()
    };
    let limited = Limited {
        by: Share::Address,
        retry_after_s: 20,
    };
    for (told, why) in [
        (
            Told {
                at: Some(LobbyId(2)),
                ..told()
            },
            NoSocket::Elsewhere,
        ),
        (Told { full: true, ..told() }, NoSocket::Full),
        (Told { no_lane: true, ..told() }, NoSocket::NoLane),
        (
            Told {
                limited: Some(limited),
                ..told()
            },
            NoSocket::Limited,
        ),
        (account(AccountTold::Elsewhere(State::Called)), NoSocket::OnOtherDevice),
    ] {
        assert_eq!(socket_for(&told, None), Err(why));
    }
}

#[test]
fn a_socket_shows_the_place_that_is_told_or_was_shown_unless_that_is_lost() {
    let shown = Shown {
        edition: Edition(1),
        number: Number(7),
        row: Version(1),
    };
    let another = Told {
        account: Some(AccountTold::Another),
        ..Told::default()
    };
    assert_eq!(socket_for(&Told::default(), Some(shown)), Ok(Some(shown)));
    assert_eq!(socket_for(&another, Some(shown)), Ok(Some(shown)));
    let lost = Told {
        lost: true,
        ..Told::default()
    };
    assert_eq!(socket_for(&lost, Some(shown)), Ok(None));
}
