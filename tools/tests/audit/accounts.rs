//! Tests the audit of histories with accounts: what the room wrote is sound, and what it cannot have written about an account is found.

use crate::sale::{Keeps, Sale, export, holder};
use crate::{audit, seeds};
use baton::facts::command::Command;
use baton::facts::event::Event;
use baton::facts::holder::{Comes, Key, Member};
use baton::facts::units::{LobbyId, Number};

#[test]
fn what_a_room_writes_of_accounts_is_sound() {
    let (mut owned, mut carried) = (0, 0);
    for seed in seeds(0..60) {
        let keeps = Keeps {
            accounts: true,
            ..Keeps::default()
        };
        let sale = Sale::of(seed, 400, keeps);
        let report = audit(&export(&sale.rows), None);
        let report = report.unwrap_or_else(|stop| panic!("BATON_SEED={seed}: {stop}"));
        owned += report.totals.owned;
        carried += report.totals.carried;
    }
    assert!(owned > 1_000 && carried > 500, "{owned} owned, {carried} carried");
}

/// Returns a room with four tickets of one lobby: two are of an account each, two of none.
fn written() -> Sale {
    let mut sale = Sale::without_permits();
    let member = |of: u64| Member {
        holder: holder(of),
        account: Key(of << 40),
        comes: Comes::Anew,
    };
    let joins = [Command::join(vec![member(1), member(2)]), Command::join(vec![holder(3), holder(4)])];
    sale.write(|room, now, row| room.take(now, LobbyId(0), &joins, 0, row));
    sale
}

fn owned(tickets: &[u64]) -> Event {
    Event::Owned {
        tickets: tickets.iter().copied().map(Number).collect(),
        accounts: tickets.iter().map(|number| Key(number << 50)).collect(),
    }
}

fn carried(number: u64) -> Event {
    Event::Carried {
        number: Number(number),
        fences: None,
        to: Some(holder(90 + number)),
    }
}

#[test]
fn a_ticket_becomes_one_accounts_once_while_it_lives() {
    assert_eq!(written().judged(vec![owned(&[3])]), Ok(()));
    let says = |events, what: &str| {
        let found = written().judged(events).expect_err(what);
        assert!(found.contains(what), "{found}");
    };
    says(vec![owned(&[1])], "is an account's already");
    says(vec![owned(&[3]), owned(&[3])], "is an account's already");
    says(vec![owned(&[9])], "does not live");
    says(vec![Event::Left(Number(3)), owned(&[3])], "does not live");
    says(vec![owned(&[])], "were not issued so");
    says(vec![owned(&[3, 4])], "were not issued so");
}

/// One row may hold the batches of several lobbies, because a porter brings them at once. The tickets that one fact lists still belong to one lobby.
#[test]
fn a_row_holds_the_words_of_several_lobbies_and_a_fact_that_of_one() {
    let joined = Event::Joined {
        lobby: LobbyId(1),
        first: Number(5),
        count: 1,
        holders: vec![holder(5)],
    };
    assert_eq!(written().judged(vec![joined.clone(), carried(1)]), Ok(()));
    let counted = Event::Attempted { count: 1 };
    let of_two = vec![joined.clone(), counted.clone(), carried(3), counted];
    assert_eq!(written().judged(of_two), Ok(()));
    let numbers = vec![Number(5), Number(3)];
    let found = written().judged(vec![joined, Event::WentAway(numbers)]).expect_err("of two lobbies");
    assert!(found.contains("a ticket of lobby 0"), "{found}");
}

/// An export shows no account, and the audit refuses one that does.
#[test]
fn an_export_shows_no_account() {
    let sale = written();
    let lines = export(&sale.rows);
    let row = lines.iter().find(|line| line.contains("owned")).expect("a row");
    assert!(row.contains(r#""accounts":[]"#), "{row}");
    let key: [u8; 8] = Key(1 << 40).into();
    let shown = row.replace(r#""accounts":[]"#, &format!(r#""accounts":[{key:?}]"#));
    let mut forged = lines.clone();
    *forged.iter_mut().find(|line| *line == row).expect("it") = shown;
    assert!(audit(&forged, None).is_err());
}
