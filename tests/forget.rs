//! What a room stores of who came is kept for so long and no longer, also when no sale follows.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "recovery/disk.rs"]
mod disk;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::limits::JOIN_COUNT_MAX;
use baton::facts::message::{Batch, FromRoom, Heard, Hello, LobbyLife, ToLobby, ToRoom};
use baton::facts::units::{Instant, LobbyId, Number};
use baton::journal::{Hash, Sealed};
use baton::living::{Chance, LivingRoom, RoomOptions};
use baton::room::Room;
use baton::room::courier::Push;
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use disk::Disk;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const DAY_MS: u64 = 86_400_000;
const KEEP_MS: u64 = 30 * DAY_MS;
const BEGUN_MS: u64 = 1_800_000_000_000;

fn options() -> RoomOptions {
    RoomOptions {
        config: RoomConfig {
            permits: 1,
            walk_in: false,
            ..RoomConfig::default()
        },
        ramps: Ramps::default(),
        journal_keep_ms: KEEP_MS,
        lots: Lots::default(),
    }
}

/// A room in memory, and the one lobby that speaks to it.
struct Scene<'d> {
    living: LivingRoom<&'d Disk>,
    wall_ms: u64,
    /// Which lobby speaks.
    lobby: u16,
}

impl<'d> Scene<'d> {
    fn wakes(disk: &'d Disk, chance: u8, wall_ms: u64) -> Self {
        let chance = Chance([chance; 32]);
        let living = LivingRoom::restore(disk, options(), chance, wall_ms, None);
        Self {
            living: living.unwrap(),
            wall_ms,
            lobby: 0,
        }
    }

    /// The lobby begins a life, says one thing, and acknowledges what it was told.
    fn asks(&mut self, wishes: impl FnOnce(&Room) -> Command) {
        let (lobby, life) = (LobbyId(self.lobby), LobbyLife(self.wall_ms));
        let hello = ToRoom::Hello(Hello {
            lobby,
            life,
            number: 1,
            knows: None,
        });
        let FromRoom::Welcome(welcome) = self.hears(&hello) else {
            panic!("no welcome")
        };
        let mut batch = Batch {
            lobby,
            life,
            room: welcome.message.life,
            memory: welcome.memory,
            number: 1,
            since: welcome.message.version,
            attempts: 0,
            commands: vec![wishes(self.living.room())],
        };
        for number in 1..=2 {
            batch.number = number;
            let FromRoom::Answer(answer) = self.hears(&ToRoom::Batch(batch.clone())) else {
                panic!("no answer")
            };
            batch.since = answer.message.version;
            batch.commands.clear();
        }
        self.wall_ms += 1;
    }

    fn hears(&mut self, said: &ToRoom) -> FromRoom {
        let (answer, pushes) = self.living.hear(self.wall_ms, said).unwrap();
        self.takes(pushes);
        answer
    }

    /// The lobby takes whatever it is pushed.
    fn takes(&mut self, pushes: Vec<Push>) {
        for push in pushes {
            let ToLobby::Push(message) = &push.said else { panic!("poked") };
            let heard = Heard {
                life: message.to,
                acknowledged: Some(message.version),
                is_watched: false,
                lanes: 0,
            };
            let after = self.living.pushed(self.wall_ms, &push, Some(heard));
            self.takes(after.unwrap().1);
        }
    }

    /// Somebody comes, waits and goes.
    fn visit(&mut self) {
        let number = self.living.room().line().next();
        self.asks(|room| wishes::join(room, 1));
        self.asks(|room| wishes::leave(room, number));
        assert!(self.living.room().tickets().is_empty());
    }

    /// The alarm rings whenever it is due until then. How often.
    fn rests_until(&mut self, wall_ms: u64) -> u32 {
        for rings in 0..1_000 {
            // An alarm that was armed for something sooner rings then, and is armed anew.
            let due = self.living.due_at().and(self.living.armed());
            let at_ms = due.map_or(u64::MAX, |at| self.living.clock().to_wall_ms(at));
            if at_ms > wall_ms {
                self.wall_ms = wall_ms;
                return rings;
            }
            self.wall_ms = at_ms.max(self.wall_ms);
            self.rings();
        }
        panic!("it is woken again and again")
    }

    fn rings(&mut self) {
        let ((), pushes) = self.living.ring(self.wall_ms).unwrap();
        self.takes(pushes);
    }

    /// When the last row was written.
    fn last_ms(&self) -> u64 {
        self.living.room().now().0
    }
}

/// Whether what is stored has these bytes in it somewhere.
fn says(disk: &Disk, bytes: &[u8]) -> bool {
    let has = |stored: &[u8]| stored.windows(bytes.len()).any(|at| at == bytes);
    let rows = disk.rows.borrow();
    let snapshot = disk.snapshot.borrow();
    let parts = snapshot.iter().flat_map(|snapshot| &snapshot.parts);
    rows.iter().any(|row| has(&row.bytes)) || parts.into_iter().any(|part| has(part))
}

/// The bytes of a key, whatever order they are stored in.
fn key_of(room: &Room, number: Number) -> [Vec<u8>; 2] {
    let key = room.tickets().holder(number).unwrap().key.0;
    [key.to_le_bytes().into(), key.to_be_bytes().into()]
}

#[test]
fn when_nothing_happens_for_so_long_all_that_says_who_came_goes() {
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, 1, BEGUN_MS);
    scene.asks(|room| wishes::join(room, 3));
    let keys: Vec<Vec<u8>> = (1..=3).flat_map(|number| key_of(scene.living.room(), Number(number))).collect();
    for number in 1..=3 {
        scene.asks(|room| wishes::leave(room, Number(number)));
    }
    assert!(keys.iter().any(|key| says(&disk, key)), "they are kept for now");
    let salts: Vec<_> = disk.salts.borrow().values().copied().collect();
    let (room, hash) = (scene.living.room().clone(), tip(&disk));
    let goes_ms = scene.last_ms() + KEEP_MS;

    scene.rests_until(goes_ms - 1);
    assert!(!disk.rows.borrow().is_empty(), "not a moment too soon");
    let rings = scene.rests_until(goes_ms);
    assert_eq!(rings, 1, "it was not woken for nothing");
    assert_eq!(*disk.rows.borrow(), []);
    assert!(!keys.iter().any(|key| says(&disk, key)));
    assert!(disk.salts.borrow().values().all(|salt| !salts.contains(salt)));
    assert_eq!(scene.living.due_at(), None, "and never again");

    // What must never begin anew goes on, in this memory and in the next.
    for room_now in [scene.living.room(), Scene::wakes(&disk, 2, goes_ms).living.room()] {
        assert_eq!(room_now.version(), room.version());
        assert_eq!(room_now.line().next(), room.line().next());
        assert_eq!(room_now.permits().last_fence(), room.permits().last_fence());
        assert_eq!(room_now.measured().totals, room.measured().totals);
    }
    let mut next = Scene::wakes(&disk, 2, goes_ms + DAY_MS);
    assert_eq!(next.living.due_at(), None);
    next.visit();
    let first: Sealed = disk.rows.borrow()[0].clone();
    assert_eq!(first.version, room.version().0 + 1);
    let opened = baton::journal::halves::<baton::facts::event::Event>(&hash, &first);
    assert!(opened.is_ok(), "the hash chain goes on");
}

fn tip(disk: &Disk) -> Hash {
    disk.rows.borrow().last().unwrap().hash
}

#[test]
fn what_happens_meanwhile_puts_it_off() {
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, 1, BEGUN_MS);
    scene.visit();
    let first = disk.rows.borrow().len();
    scene.rests_until(BEGUN_MS + 29 * DAY_MS);
    scene.visit();
    scene.rests_until(BEGUN_MS + 58 * DAY_MS);
    assert!(disk.rows.borrow().len() > first, "everything is there");
    scene.rests_until(BEGUN_MS + 60 * DAY_MS);
    assert_eq!(*disk.rows.borrow(), []);
}

#[test]
fn while_somebody_has_a_place_nothing_goes() {
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, 1, BEGUN_MS);
    scene.asks(|room| Command::join(wishes::newcomers(room, 1)));
    let claims = |room: &Room| wishes::claim(room, Number(1));
    scene.rings();
    scene.asks(claims);
    assert_eq!(scene.living.forgets_at(), None, "somebody is inside");
    scene.rests_until(BEGUN_MS + DAY_MS);
    assert!(scene.living.room().tickets().is_empty(), "the lease ran out");
    let goes_at = Instant(scene.last_ms() + KEEP_MS);
    assert_eq!(scene.living.forgets_at(), Some(goes_at));
    assert_eq!(scene.living.due_at(), Some(goes_at));
}

/// The alarm was lost, and somebody comes after that time: what is older goes all the same, and what is new stays.
#[test]
fn whoever_wakes_a_room_later_finds_nothing() {
    let disk = Disk::default();
    Scene::wakes(&disk, 1, BEGUN_MS).visit();
    let before = disk.rows.borrow().len() as u64;
    let mut late = Scene::wakes(&disk, 2, BEGUN_MS + 2 * KEEP_MS);
    late.visit();
    let rows = disk.rows.borrow();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.version > before));
}

/// The holders of full pages are stored apart from the snapshot. Those of a page that is being filled are in memory too.
#[test]
fn full_pages_of_holders_go_with_the_rest() {
    let disk = Disk::default();
    let mut scene = Scene::wakes(&disk, 1, BEGUN_MS);
    // A lobby that has many would have to wait for its list, so each has some.
    for lobby in 0..3 {
        scene.lobby = lobby;
        scene.asks(|room| wishes::join(room, JOIN_COUNT_MAX));
    }
    assert!(!disk.pages.borrow().is_empty(), "a page is stored");
    let mut options = options();
    options.config.mode = Mode::SoldOut;
    scene.living.set_options(options);
    scene.rings();
    let goes_ms = scene.last_ms() + KEEP_MS;
    let in_memory = |scene: &Scene<'_>| scene.living.room().line().holder_bytes();
    let knew = in_memory(&scene);
    scene.rests_until(goes_ms);
    assert_eq!(*disk.rows.borrow(), []);
    assert!(disk.pages.borrow().is_empty());
    assert!(in_memory(&scene) < knew / 10, "{knew} bytes before");
    assert!(Scene::wakes(&disk, 2, goes_ms).living.room().tickets().is_empty());
}
