//! The room, the lobby, the keys and the gate that targets meet. They are always the same.

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::holder::{Held, Holder, Salt};
use baton::facts::message::{Batch, FromRoom, Hello, LobbyLife, RoomLife, RoomMemory, ToRoom};
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number, Version, VisitorId};
use baton::gate::Gate;
use baton::journal::{Page, PageId, Sealed, Shelf, Snapshot, Store};
use baton::living::{Chance, LivingRoom, RoomOptions};
use baton::lobby::{Asker, Effect, Limits, Lobby, LobbyConfig, Moment, keys};
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use baton::settings::{self, Settings};
use baton::token::{Keyring, OriginKey, ProofRequest, Scope};
use serde_json::json;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

pub const NOW_MS: u64 = 1_700_000_000_000;
pub const NOW: Instant = Instant(NOW_MS);
pub const SCOPE: Scope<'_> = Scope {
    room: "onsale",
    host: "tickets.example",
};
const SECRET: &str = "a secret that only the fuzzer has, and it is long enough";
/// The secret before [`SECRET`]. Its tokens are still good.
pub const SECRET_BEFORE: &str = "the secret before it, long enough as well, and another";

pub fn keys() -> &'static Keyring {
    static KEYS: OnceLock<Keyring> = OnceLock::new();
    KEYS.get_or_init(|| Keyring::from_secrets(Some(SECRET), Some(SECRET_BEFORE)).expect("good secrets"))
}

pub fn origin_key() -> OriginKey {
    OriginKey::new(SECRET).expect("a good secret")
}

/// The nonce of every proof.
pub const NONCE: u64 = 0x0123_4567_89ab_cdef;

/// Returns the request that proofs are for, to this path.
pub const fn proof_request(path: &str) -> ProofRequest<'_> {
    ProofRequest {
        method: "POST",
        host: SCOPE.host,
        path_and_query: path,
        room: SCOPE.room,
        fence: Fence(7),
    }
}

/// What one room stores.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    pub rows: RefCell<Vec<Sealed>>,
    pub snapshot: Option<Snapshot>,
    pub salt: RefCell<Option<Salt>>,
}

impl Store for Disk {
    type Error = Infallible;

    fn put_row(&self, row: Sealed) -> Result<(), Infallible> {
        self.rows.borrow_mut().push(row);
        Ok(())
    }

    fn rows_after(&self, _: u64) -> Result<Vec<Sealed>, Infallible> {
        Ok(self.rows.borrow().clone())
    }

    fn put_snapshot(&self, _: Snapshot, _: u64) -> Result<(), Infallible> {
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Infallible> {
        Ok(self.snapshot.clone())
    }

    fn put_page(&self, _: Page) -> Result<(), Infallible> {
        Ok(())
    }

    fn keep_pages(&self, _: &BTreeSet<PageId>) -> Result<(), Infallible> {
        Ok(())
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, Infallible> {
        Ok(BTreeSet::new())
    }

    fn shelf(&self) -> Result<Arc<dyn Shelf>, Infallible> {
        Ok(Arc::new(BTreeMap::new()))
    }

    fn put_salt(&self, _: Edition, salt: Salt) -> Result<(), Infallible> {
        *self.salt.borrow_mut() = Some(salt);
        Ok(())
    }

    fn salt(&self, _: Edition) -> Result<Option<Salt>, Infallible> {
        Ok(*self.salt.borrow())
    }

    fn drop_salts(&self) -> Result<(), Infallible> {
        *self.salt.borrow_mut() = None;
        Ok(())
    }

    fn put_alarm(&self, _: u64) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Returns a disk with this row or this snapshot, and the salt of every edition.
pub fn disk_of(row: Option<Sealed>, snapshot: Option<Snapshot>) -> Disk {
    Disk {
        rows: RefCell::new(row.into_iter().collect()),
        snapshot,
        salt: RefCell::new(Some(SALT)),
    }
}

/// The life under which the room knows either lobby.
pub const LIFE: LobbyLife = LobbyLife(77);
pub const SALT: Salt = Salt([9; 16]);

/// A room in memory with people who wait, are away, called or inside, through lobbies 0 and 1. Both lobbies have said Hello.
#[derive(Clone)]
pub struct World {
    pub room: LivingRoom<Disk>,
    pub life: RoomLife,
    /// What the room remembers each lobby's life by.
    pub memories: [RoomMemory; 2],
    batches: u64,
}

impl World {
    fn new() -> Self {
        let options = RoomOptions {
            config: RoomConfig {
                permits: 4,
                ..RoomConfig::default()
            },
            ramps: Ramps::default(),
            journal_keep_ms: 30 * 86_400_000,
            lots: Lots::default(),
        };
        let disk = Disk::default();
        let Ok(()) = disk.put_salt(Edition::FIRST, SALT);
        let room = LivingRoom::restore(disk, options, Chance([3; 32]), NOW_MS, None);
        let mut world = Self {
            room: room.expect("an empty disk is whole"),
            life: RoomLife::default(),
            memories: [RoomMemory::default(); 2],
            batches: 0,
        };
        for lobby in [0, 1].map(LobbyId) {
            match world.hears(&hello(lobby.0, LIFE)) {
                FromRoom::Welcome(welcome) => {
                    world.life = welcome.message.life;
                    world.memories[usize::from(lobby.0)] = welcome.memory;
                }
                other => panic!("{other:?}"),
            }
        }
        let away = presence(vec![], [4, 5, 9].map(held).to_vec());
        let join = |from: u8, to: u8| Command::join((from..to).map(holder).collect::<Vec<_>>());
        let walk_ins = [1, 2].map(|who| Command::walk_in(holder(who)));
        world.does(0, [walk_ins.to_vec(), vec![join(3, 23), away]].concat());
        world.does(1, vec![join(23, 26)]);
        world.room.ring(NOW_MS).expect("lawful");
        world
    }

    pub fn hears(&mut self, said: &ToRoom) -> FromRoom {
        self.room.hear(NOW_MS, said).expect("lawful").0
    }

    fn does(&mut self, lobby: u16, commands: Vec<Command>) {
        self.batches += 1;
        let batch = Batch {
            number: self.batches,
            ..self.batch(lobby, commands)
        };
        let answer = self.hears(&ToRoom::Batch(batch));
        assert!(matches!(answer, FromRoom::Answer(_)), "{answer:?}");
    }

    /// Returns a batch of a lobby that the room takes as the next one.
    pub fn batch(&self, lobby: u16, commands: Vec<Command>) -> Batch {
        Batch {
            lobby: LobbyId(lobby),
            life: LIFE,
            room: self.life,
            memory: self.memories[usize::from(lobby % 2)],
            number: 1_000,
            since: self.room.room().version(),
            attempts: 1,
            commands,
        }
    }
}

/// Returns the first Hello of a lobby's life that knows nothing.
pub const fn hello(lobby: u16, life: LobbyLife) -> ToRoom {
    ToRoom::Hello(Hello {
        lobby: LobbyId(lobby),
        life,
        number: 1,
        knows: None,
    })
}

/// Returns a report of who is there and who is away, newer than every missed call.
pub const fn presence(here: Vec<Held>, away: Vec<Held>) -> Command {
    Command::Presence {
        as_of: Version(u64::MAX),
        here,
        away,
    }
}

pub fn world() -> World {
    thread_local! {
        static WORLD: World = World::new();
    }
    WORLD.with(Clone::clone)
}

pub fn visitor(byte: u8) -> VisitorId {
    VisitorId([byte; 16])
}

/// Returns the holder that a visitor is to the room.
pub fn holder(byte: u8) -> Holder {
    keys::holder(SALT, visitor(byte))
}

/// Returns the number and the key of a visitor. Both follow from the same byte.
pub fn held(byte: u8) -> Held {
    Held {
        number: Number(byte.into()),
        key: holder(byte).key,
    }
}

pub const MOMENT: Moment = Moment { now: NOW, wall_ms: NOW_MS };

/// Returns lobby 0, which knows nothing yet.
pub fn new_lobby() -> Lobby {
    let config = LobbyConfig {
        room: "onsale".into(),
        linger_ms: 10_000,
        spread_ms: 5_000,
        tickets_max: 30,
        limits: Limits::default(),
        porter: false,
    };
    Lobby::new(LobbyId(0), config, 7)
}

/// Returns that lobby with its whole list, in which visitor 3 has number 3 and so on to 22, and its room.
pub fn lobby() -> (Lobby, World) {
    thread_local! {
        static BOTH: (Lobby, World) = whole();
    }
    BOTH.with(Clone::clone)
}

fn whole() -> (Lobby, World) {
    let (mut lobby, mut world) = (new_lobby(), world());
    lobby.handle_socket_opened(MOMENT, visitor(3), None);
    while let Some(effect) = lobby.poll_effect() {
        if let Effect::Call(call, said, _) = effect {
            let answer = world.hears(&said);
            lobby.handle_answer(MOMENT, call, Some(answer));
        }
    }
    assert!(lobby.is_whole(), "no list came");
    (lobby, world)
}

/// The asker of every ask in a target.
pub const ASKER: Asker = Asker(5);

/// Returns rooms with every kind of pattern and exception.
pub fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        settings::parse(&json!({ "ROOMS": {
            "onsale": { "paths": ["/buy/*"], "permits": 2,
                "bypass_paths": ["/buy/static/*", "/buy/ok", "/buy/img*"] },
            "exact": { "paths": ["/seat"], "permits": 2 },
            "begins": { "paths": ["/vip*", "/shop/now/*"], "permits": 2 },
            "starred": { "paths": ["/events/*/pay"], "permits": 2 },
            "named": { "paths": ["/b*"], "hosts": ["named.example", "other.example:8443"],
                "permits": 2 },
        } }))
        .expect("good settings")
    })
}

pub fn gate() -> &'static Gate {
    static GATE: OnceLock<Gate> = OnceLock::new();
    GATE.get_or_init(|| Gate::new(settings()).expect("good patterns"))
}
