//! Pages of holders that are read late: whoever is on them is found as if nothing had been late, a room reads what it is asked for and no more, and a
//! page that was damaged meanwhile is named by whoever needs it, before anything is written or said.

use crate::disk::Disk;
use crate::scripted::Scribe;
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::holder::{Comes, Held, Key, Member};
use baton::facts::limits::HOLDERS_PAGE;
use baton::facts::message::{Batch, FromRoom, Hello, LobbyLife, ToRoom};
use baton::facts::units::{LobbyId, Number};
use baton::journal::{self, Damage, FORMAT, PageId, PageKind};
use baton::living::{Chance, Fault, LivingRoom, RoomOptions};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LOBBY: LobbyId = LobbyId(3);
const WALL_MS: u64 = 1_800_000_000_000;
/// Pages of holders. Some tickets are behind them.
const PAGES: u64 = 4;

fn config() -> RoomConfig {
    RoomConfig {
        permits: 0,
        ..RoomConfig::default()
    }
}

/// Four pages of people, half of whom have accounts, and no row after the snapshot.
fn crowd() -> Disk {
    let disk = Disk::default();
    let mut s = Scribe::new(&disk, u64::MAX, u64::MAX);
    s.configure(config());
    while s.room.line().next().0 < PAGES * HOLDERS_PAGE + 100 {
        let from = s.room.line().next().0;
        let people = from..from + 4_000;
        let join = if from % 8_000 < 4_000 {
            Command::join(people.map(wishes::holder).collect::<Vec<_>>())
        } else {
            Command::join(people.map(member).collect::<Vec<_>>())
        };
        s.batch(LOBBY.0, vec![join]);
    }
    s.rows_per_snapshot(0);
    let is_whole = |room: &Room| {
        let snapshot = disk.snapshot.borrow();
        snapshot.as_ref().is_some_and(|snapshot| snapshot.version == room.version().0)
    };
    while !is_whole(&s.room) {
        let join = wishes::join(&s.room, 1);
        s.batch(LOBBY.0, vec![join]);
    }
    disk
}

/// The person who came as `wishes::holder` of the same number, for an account.
fn member(person: u64) -> Member {
    Member {
        holder: wishes::holder(person),
        account: Key(person << 20),
        comes: Comes::Anew,
    }
}

fn woken(disk: &Disk) -> LivingRoom<&Disk> {
    let options = RoomOptions {
        config: config(),
        ramps: Ramps::default(),
        journal_keep_ms: 86_400_000,
        lots: Lots::default(),
    };
    LivingRoom::restore(disk, options, Chance([1; 32]), WALL_MS, None).unwrap()
}

/// The lobby says Hello, and this; a turn each.
fn says(living: &mut LivingRoom<&Disk>, command: Command) -> Result<(), Fault> {
    let life = LobbyLife(1);
    let hello = Hello {
        lobby: LOBBY,
        life,
        number: 1,
        knows: None,
    };
    let (answer, _) = living.hear(WALL_MS, &ToRoom::Hello(hello))?;
    let FromRoom::Welcome(welcome) = answer else { panic!("{answer:?}") };
    let batch = Batch {
        lobby: LOBBY,
        life,
        room: welcome.message.life,
        memory: welcome.memory,
        number: 1,
        since: welcome.message.version,
        attempts: 0,
        commands: vec![command],
    };
    let (answer, _) = living.hear(WALL_MS, &ToRoom::Batch(batch))?;
    assert!(matches!(answer, FromRoom::Answer(_)), "{answer:?}");
    Ok(())
}

fn leave(number: u64) -> Command {
    Command::Leave(Held {
        number: Number(number),
        key: wishes::holder(number).key,
    })
}

fn page_from(disk: &Disk, first: u64) -> PageId {
    let pages = disk.pages.borrow();
    let mut ids = pages.keys().filter(|id| id.kind == PageKind::Holders && id.first == first);
    *ids.next().expect("a page of holders")
}

/// The page of the third sixteen thousand is damaged. The room comes back, and ends a place on the second. Whoever asks for somebody on the third, or for
/// a key that may be there, gets nothing, and nothing is written.
#[test]
fn a_page_that_is_read_late_is_named_by_whoever_needs_it() {
    let whole = crowd();
    let id = page_from(&whole, 2 * HOLDERS_PAGE);
    let len = whole.pages.borrow()[&id].bytes.len();
    let mut rng = fastrand::Rng::with_seed(43);
    let some: Vec<usize> = (0..2).map(|_| rng.usize(..len)).collect();
    for at in [0, 1, len - 9, len - 1].into_iter().chain(some) {
        let disk = whole.clone();
        let bit = rng.u8(0..7);
        disk.pages.borrow_mut().get_mut(&id).unwrap().bytes[at] ^= 1 << bit;
        let format = FORMAT ^ 1 << bit;
        let named = if at == 0 && format > FORMAT {
            Damage::Newer(format)
        } else {
            Damage::Page(id)
        };
        says(&mut woken(&disk), leave(HOLDERS_PAGE + 7)).unwrap();
        let rows = disk.rows.borrow().len();
        let known_elsewhere = Command::join(vec![wishes::holder(3 * HOLDERS_PAGE + 9)]);
        let nobody = Command::join(vec![wishes::holder(u64::MAX)]);
        for command in [leave(2 * HOLDERS_PAGE), leave(3 * HOLDERS_PAGE - 1), known_elsewhere, nobody] {
            let said = says(&mut woken(&disk), command);
            assert_eq!(said, Err(Fault::Damage(named.clone())), "byte {at}, bit {bit}");
        }
        assert_eq!(disk.rows.borrow().len(), rows, "something was written");
        let mut idle = woken(&disk);
        let mut turns = core::iter::from_fn(|| (!idle.room().book().is_indexed()).then(|| idle.look(WALL_MS).err()));
        let found = turns.find_map(|fault| fault);
        assert_eq!(found, Some(Fault::Damage(named)), "a room that builds its index reads every page");
    }
    let gone = whole.clone();
    gone.pages.borrow_mut().remove(&id);
    assert_eq!(journal::restore_late::<Room, _>(&&gone).err(), Some(Damage::Page(id)));
}

/// The first turns after a restart only answer; the others enter half a page each. The line has a little more than four pages.
#[test]
fn a_room_that_came_back_answers_before_it_enters_keys() {
    let disk = crowd();
    let mut living = woken(&disk);
    let mut turns = 0;
    while !living.room().book().is_indexed() {
        living.look(WALL_MS).unwrap();
        turns += 1;
    }
    assert_eq!(turns, 16 + 2 * PAGES + 1);
}

/// Keys and accounts are found however many pages are read, in a room that reads them late as in one that has read all.
#[test]
fn a_room_that_reads_late_knows_whom_a_whole_one_knows() {
    let disk = crowd();
    let whole = journal::restore::<Room, _>(&&disk).unwrap().state;
    let late = || journal::restore_late::<Room, _>(&&disk).unwrap().state;
    let mut back = late();
    let people = || (1..PAGES * HOLDERS_PAGE + 200).step_by(9_973).chain([HOLDERS_PAGE, HOLDERS_PAGE - 1]);
    let mut members = 0;
    loop {
        for person in people() {
            let (key, account) = (wishes::holder(person).key, Key(person << 20));
            // A copy, so that one question leaves nothing read to the next.
            assert_eq!(
                back.clone().tickets().holder(Number(person)),
                whole.tickets().holder(Number(person)),
                "{person}"
            );
            assert_eq!(back.clone().living_of(key), whole.living_of(key), "{person}");
            assert_eq!(back.clone().living_of_account(account), whole.living_of_account(account), "{person}");
            members += u64::from(whole.living_of_account(account).is_some());
        }
        if back.book().is_indexed() {
            break;
        }
        back.index_slice();
    }
    assert!(members > 4, "nobody has an account");
    assert!(back == whole && late() == whole);
}
