//! Rooms, lobbies, keys and a gate for targets to meet, always the same ones.

use baton::gate::Gate;
use baton::lobby::event::LobbyEvent;
use baton::lobby::{Book, Limits, Lobby, LobbyConfig};
use baton::room::Room;
use baton::room::command::{Batch, Command};
use baton::room::config::RoomConfig;
use baton::settings::{self, Settings};
use baton::token::{Keyring, OriginKey, Scope};
use baton::units::{Edition, Instant, LobbyId, Number, Version, VisitorId};
use serde_json::json;
use std::sync::OnceLock;

pub const NOW_MS: u64 = 1_700_000_000_000;
pub const NOW: Instant = Instant(NOW_MS);
pub const SCOPE: Scope<'_> = Scope {
    room: "onsale",
    host: "tickets.example",
};
const SECRET: &str = "a secret that only the fuzzer has, and it is long enough";
/// Of before; its tokens are still good.
pub const SECRET_BEFORE: &str = "the secret before it, long enough as well, and another";

pub fn keys() -> &'static Keyring {
    static KEYS: OnceLock<Keyring> = OnceLock::new();
    KEYS.get_or_init(|| {
        Keyring::from_secrets(Some(SECRET), Some(SECRET_BEFORE)).expect("good secrets")
    })
}

pub fn origin_key() -> OriginKey {
    OriginKey::new(SECRET).expect("a good secret")
}

/// A room with people waiting, away, called, inside, through lobby 0 and 1.
pub fn room() -> Room {
    static ROOM: OnceLock<Room> = OnceLock::new();
    ROOM.get_or_init(|| {
        let mut room = Room::new();
        let mut row = room.open_row(NOW);
        let config = RoomConfig {
            permits: 4,
            ..RoomConfig::default()
        };
        room.configure(&config, &mut row);
        let commands = vec![
            Command::WalkIn,
            Command::WalkIn,
            Command::Join { count: 20 },
            Command::Away(vec![Number(4), Number(5), Number(9)]),
        ];
        for (lobby, commands) in [(0, commands), (1, vec![Command::Join { count: 3 }])] {
            let batch = Batch {
                commands,
                ..batch(lobby, 1)
            };
            let mut row = room.open_row(NOW);
            room.receive(NOW, &batch, &mut row).expect("taken");
        }
        let mut row = room.open_row(NOW);
        room.take_turn(NOW, &mut row);
        room
    })
    .clone()
}

/// An empty batch.
pub fn batch(lobby: u16, sequence: u64) -> Batch {
    Batch {
        lobby: LobbyId(lobby),
        epoch: 1,
        sequence,
        attempts: 1,
        edition: Edition::FIRST,
        acknowledged: Version(0),
        roster: vec![],
        commands: vec![],
    }
}

pub fn visitor(byte: u8) -> VisitorId {
    VisitorId([byte; 16])
}

/// The book of lobby 0 of that room: visitor 3 has number 3, and so on to 22.
pub fn book() -> Book {
    let mut book = Book::default();
    book.apply(&LobbyEvent::Woke { epoch: 1 });
    book.apply(&LobbyEvent::Joined {
        visitors: (3..23).map(visitor).collect(),
        first: Number(3),
        ahead: 0,
        version: Version(2),
    });
    book
}

/// A new life of that lobby, everything written.
pub fn lobby() -> Lobby {
    let config = LobbyConfig {
        room: "onsale".into(),
        linger_ms: 10_000,
        tick_ms: 1_000,
        lease_idle_ms: 300_000,
        tickets_max: 30,
        limits: Limits::default(),
    };
    Lobby::wake(LobbyId(0), config, book(), NOW)
}

/// Rooms with every kind of pattern and exception.
pub fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        settings::parse(&json!({ "ROOMS": {
            "onsale": { "paths": ["/buy/*"], "permits": 2,
                "bypass_paths": ["/buy/static/*", "/buy/ok", "/buy/img*"] },
            "exact": { "paths": ["/seat"], "permits": 2 },
            "begins": { "paths": ["/vip*", "/shop/now/*"], "permits": 2 },
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
