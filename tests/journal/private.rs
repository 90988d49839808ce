//! What is private in a row: it goes with its salt, and shows in no export.

use super::shelf::{KEEP_MS, SALT, Shelf, holder, three_rows};
use baton::facts::command::Command;
use baton::facts::config::{Change, RoomConfig};
use baton::facts::event::Event;
use baton::facts::holder::{Key, Salt};
use baton::facts::house::HouseEvent;
use baton::facts::live::Ramped;
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number};
use baton::facts::voucher::{CodeHash, SheetId, Slip, Slips, Spent, Terms};
use baton::journal::Store;
use baton::journal::{self, Damage, Hash, Hides, Sealed, export};
use baton::living::{Chance, Fault, LivingHouse, LivingRoom, RoomOptions};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use serde::{Deserialize, Serialize};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NAME: &str = "Ermintrude";

/// One of each fact that has a private half, and some that have none.
///
/// Long because it is one list of facts.
fn private_facts() -> Vec<Event> {
    let by = || NAME.to_owned();
    vec![
        Event::Turned,
        Event::Joined {
            lobby: LobbyId(3),
            first: Number(1),
            count: 3,
            holders: vec![holder(1), holder(2), holder(3)],
        },
        Event::Entered {
            lobby: LobbyId(3),
            first: Number::of_entry(1),
            count: 1,
            holders: vec![holder(4)],
        },
        Event::WalkedIn {
            lobby: LobbyId(3),
            number: Number(4),
            fence: Fence(1),
            from: baton::facts::event::From::Hand,
            holder: Some(holder(5)),
        },
        Event::Slid { fence: Fence(1) },
        Event::Carried {
            number: Number(2),
            fences: None,
            to: Some(holder(6)),
        },
        Event::Adjusted {
            by: by(),
            values: vec![Change::Permits(Some(Ramped::At(3)))],
        },
        Event::Dismissed { number: Number(3), by: by() },
        Event::Reset {
            edition: Edition(2),
            by: by(),
            waiting: 2,
            inside: 1,
        },
        Event::Owned {
            tickets: vec![Number(1), Number(4)],
            accounts: vec![Key(7), Key(8)],
        },
        Event::SheetMade {
            sheet: SheetId(1),
            terms: Terms {
                lane: None,
                from_at_ms: 0,
                ends_at_ms: 9,
            },
            slips: Slips::Codes { count: 1, uses: 2 },
            codes: vec![(CodeHash(9), 2)],
            by: by(),
        },
        Event::SheetWithdrawn { sheet: SheetId(1), by: by() },
        Event::Spent(Spent {
            number: Number(1),
            sheet: SheetId(1),
            used: 1,
            slip: Some(Slip::Code(CodeHash(9))),
        }),
    ]
}

/// Each alone, and all in one row.
fn private_rows() -> Vec<Vec<Event>> {
    let all = private_facts();
    let alone = all.iter().cloned().map(|event| vec![event]);
    alone.chain([all.clone()]).collect()
}

fn sealed(salt: &Salt, events: &[Event]) -> Sealed {
    journal::seal(&Hash([1; 32]), salt, 9, Instant(8), 7, events).unwrap()
}

fn opened(row: &Sealed, salt: Option<&Salt>) -> Result<Vec<Event>, Damage> {
    journal::open(&Hash([1; 32]), row, salt)
}

#[test]
fn facts_come_back_whole_with_their_salt_and_without_it() {
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        assert_eq!(opened(&row, Some(&SALT)).as_ref(), Ok(&events));
        assert_eq!(opened(&row, None), Ok(events));
    }
}

#[test]
fn facts_of_a_house_come_back_whole_and_its_public_half_names_nobody() {
    let name = || NAME.to_owned();
    let set = HouseEvent::OperatorSet {
        name: name(),
        table: format!("the role of {NAME}"),
    };
    let archived = HouseEvent::Archived { room: "onsale".to_owned() };
    let events = [
        HouseEvent::Changed { by: name() },
        set,
        archived,
        HouseEvent::OperatorRemoved { name: name() },
    ];
    let row = journal::seal(&Hash([1; 32]), &SALT, 9, Instant(8), 7, &events).unwrap();
    assert_eq!(journal::open::<HouseEvent>(&Hash([1; 32]), &row, Some(&SALT)).as_deref(), Ok(&events[..]));
    let public = journal::halves::<HouseEvent>(&Hash([1; 32]), &row).unwrap().public;
    assert!(!public.windows(NAME.len()).any(|at| at == NAME.as_bytes()));
}

#[test]
fn the_same_facts_with_another_salt_or_in_another_row_have_another_hash() {
    let hidden = |row: &Sealed| {
        let halves = journal::halves::<Event>(&Hash([1; 32]), row).unwrap();
        halves.hidden
    };
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        let other = sealed(&Salt([8; 16]), &events);
        let later = journal::seal(&Hash([1; 32]), &SALT, 10, Instant(8), 7, &events).unwrap();
        let has_private = hidden(&row) != Hash::default();
        let public = [Event::Turned, Event::Slid { fence: Fence(1) }];
        assert_eq!(has_private, !events.iter().all(|event| public.contains(event)));
        assert_eq!(hidden(&row) != hidden(&other), has_private);
        assert_eq!(row.hash != other.hash, has_private);
        assert_eq!(hidden(&row) != hidden(&later), has_private);
        let with_other = opened(&other, Some(&SALT));
        assert_eq!(with_other.is_err(), has_private, "opened with the wrong salt");
    }
}

#[test]
fn every_damaged_bit_of_either_half_is_found_while_the_salt_is_kept() {
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        let halves = journal::halves::<Event>(&Hash([1; 32]), &row).unwrap();
        let private = 1 + halves.public.len()..row.bytes.len().saturating_sub(32);
        for at in 1..row.bytes.len() {
            for bit in 0..8 {
                let mut hit = row.clone();
                hit.bytes[at] ^= 1 << bit;
                assert_eq!(opened(&hit, Some(&SALT)), Err(Damage::Row(9)), "byte {at}");
                // Whose the tickets were nobody can tell any more, and nobody can vouch for it.
                if !private.contains(&at) {
                    assert_eq!(opened(&hit, None), Err(Damage::Row(9)), "byte {at}");
                }
            }
        }
        for more in [&[0][..], &[0; 32], &[0; 33], &[1; 40]] {
            let mut longer = row.clone();
            longer.bytes.extend_from_slice(more);
            assert!(opened(&longer, Some(&SALT)).is_err(), "{more:?}");
            assert!(opened(&longer, None).is_err(), "{more:?}");
            let halves = journal::halves::<Event>(&Hash([1; 32]), &longer);
            assert!(halves.is_err(), "{more:?}");
        }
    }
}

/// Puts more away than it takes back.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hoarder;

impl Hides for Hoarder {
    fn hide(&mut self, private: &mut Vec<u8>) -> postcard::Result<()> {
        private.push(1);
        Ok(())
    }

    fn reveal<'a>(&mut self, private: &'a [u8]) -> postcard::Result<&'a [u8]> {
        Ok(private)
    }
}

#[test]
fn a_private_half_with_more_than_the_facts_take_is_refused() {
    let before = Hash::default();
    let row = journal::seal(&before, &SALT, 1, Instant(8), 7, &[Hoarder]).unwrap();
    let damage = journal::open::<Hoarder>(&before, &row, Some(&SALT)).unwrap_err();
    assert_eq!(damage, Damage::Row(1));
}

#[test]
fn a_state_comes_back_after_its_salt_was_deleted_and_the_chain_still_holds() {
    let shelf = three_rows();
    shelf.salts.borrow_mut().clear();
    let room = journal::restore::<Room, _>(&shelf).unwrap().state;
    assert_eq!(room, journal::restore::<Room, _>(&three_rows()).unwrap().state);
    assert_eq!(room.living_of(holder(2).key), Some(Number(2)));
    // Public.
    let at = 3;
    shelf.rows.borrow_mut()[1].bytes[at] ^= 1;
    let damage = journal::restore::<Room, _>(&shelf).unwrap_err();
    assert_eq!(damage, Damage::Row(2));
}

/// The row of a reset is of the edition that ends.
#[test]
fn each_edition_has_its_salt() {
    let shelf = Shelf::salted();
    let next = Salt([8; 16]);
    shelf.put_salt(Edition(2), next).unwrap();
    let mut room = Room::new();
    let mut row = room.open_row(Instant(1));
    room.configure(&RoomConfig::default(), &mut row);
    room.reset(NAME, &mut row);
    shelf.add(&SALT, 1, row.at, &row.events);
    let mut row = room.open_row(Instant(2));
    let join = Command::join(vec![holder(1)]);
    room.take(Instant(2), LobbyId(0), &[join], 0, &mut row);
    shelf.add(&next, 2, row.at, &row.events);
    assert_eq!(journal::restore::<Room, _>(&shelf).unwrap().state, room);
    shelf.put_salt(Edition(2), SALT).unwrap();
    let damage = journal::restore::<Room, _>(&shelf).unwrap_err();
    assert_eq!(damage, Damage::Row(2));
}

/// A room as an object keeps it: each row is sealed with the salt of the edition that it begins in, a reset's with that of the one
/// that ends.
#[test]
fn a_living_room_seals_with_the_salt_of_its_edition() {
    let options = RoomOptions {
        config: RoomConfig::default(),
        ramps: Ramps::default(),
        journal_keep_ms: KEEP_MS,
        lots: Lots::default(),
    };
    let wake = |shelf: Shelf, chance| LivingRoom::restore(shelf, options.clone(), Chance([chance; 32]), 9, None).unwrap();
    let mut living = wake(Shelf::default(), 1);
    living.turn(10, |_, _, _| ()).unwrap();
    living.reset(11, NAME).unwrap();
    let none = vec![Change::Permits(None)];
    let turned = living.change(13, NAME, |_, _| Ok::<_, ()>((none, options.clone())));
    turned.unwrap().0.unwrap();
    let shelf = living.journal().store().clone();
    assert_eq!(shelf.salts.borrow().len(), 2);
    let again = wake(shelf.clone(), 2);
    assert_eq!(again.room(), living.room());
    let rows = shelf.rows.borrow();
    let mut previous = Hash::default();
    let mut names = 0;
    for row in rows.iter() {
        let salts = [Edition(1), Edition(2)].map(|edition| shelf.salts.borrow()[&edition]);
        let opens = |salt| journal::open::<Event>(&previous, row, Some(&salt)).is_ok();
        let halves = journal::halves::<Event>(&previous, row).unwrap();
        if halves.hidden != Hash::default() {
            names += 1;
            let of_first = matches!(halves.events[..], [Event::Reset { .. }]);
            assert_eq!(salts.map(opens), [of_first, !of_first]);
        }
        previous = row.hash;
    }
    assert_eq!(names, 2);
    assert_eq!(living.journal().hash(), previous, "it goes on from there");
}

/// So an operator's name that somebody changed in the store is found.
#[test]
fn a_house_comes_back_and_is_opened_with_its_salt() {
    let mut house = LivingHouse::restore(Shelf::default(), SALT, 9).unwrap();
    for wall_ms in 10..13 {
        house.change(wall_ms, NAME, Vec::new()).unwrap();
    }
    let shelf = house.journal().store().clone();
    let other = Salt([8; 16]);
    let again = LivingHouse::restore(shelf.clone(), other, 13).unwrap();
    assert_eq!(again.house(), house.house());
    {
        let row = &mut shelf.rows.borrow_mut()[0];
        // The name's last letter: 32 bytes of hash stand behind it.
        let at = row.bytes.len() - 33;
        row.bytes[at] ^= 1;
    }
    let refused = LivingHouse::restore(shelf, SALT, 13);
    assert!(matches!(refused, Err(Fault::Damage(Damage::Row(1)))));
}

/// Bytes are looked for, not fields.
#[test]
fn an_export_has_no_key_and_no_name_in_it() {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let contains = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|at| at == part);
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        let line = export::line::<Event>(&Hash([1; 32]), &row).unwrap();
        let fields: export::Line<Event> = serde_json::from_str(&line).unwrap();
        let facts = STANDARD.decode(&fields.facts).unwrap();
        // Its hash takes the place of the private half.
        let hidden = journal::halves::<Event>(&Hash([1; 32]), &row).unwrap().hidden;
        assert_eq!(fields.private, (hidden != Hash::default()).then(|| hidden.to_string()));
        let mut secrets: Vec<Vec<u8>> = vec![NAME.into(), vec![0xab; 4]];
        for who in 1..=6 {
            let [key @ .., _, _, _, _] = <[u8; 8]>::from(holder(who).key);
            secrets.push(key.to_vec());
            secrets.push(format!("{:x}", holder(who).key.0).into());
            secrets.push(holder(who).key.0.to_string().into());
        }
        for secret in &secrets {
            assert!(!contains(line.as_bytes(), secret), "{line}");
            assert!(!contains(&facts, secret), "{line}");
        }
        // The stored row has them: the desk's story of a ticket says who did what.
        if events.len() > 1 {
            assert!(contains(&row.bytes, NAME.as_bytes()) && contains(&row.bytes, &[0xab; 4]));
        }
    }
}
