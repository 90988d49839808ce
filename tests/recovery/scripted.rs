//! A room and a lobby that live through everything that can be stored: every fact, every reason.

use crate::disk::Disk;
use baton::journal::Journal;
use baton::lobby::event::LobbyEvent;
use baton::lobby::{Book, Phase};
use baton::room::Room;
use baton::room::command::{Batch, Command};
use baton::room::config::{Mode, RoomConfig};
use baton::room::event::Row;
use baton::units::{Edition, Fence, Instant, LobbyId, Number, Version, VisitorId};
use baton::wire::Reason;

/// The hour at which the scripts begin.
pub const START: Instant = Instant(1_700_000_000_000);
/// A snapshot after so many rows; all rows are kept.
pub const SNAPSHOT_AFTER: u64 = 10;

/// A room that writes a row a turn, as the object does.
pub struct Scribe<'d> {
    pub room: Room,
    pub now: Instant,
    journal: Journal<&'d Disk>,
    sequences: [u64; 256],
    keep_from_ms: u64,
}

impl<'d> Scribe<'d> {
    pub fn new(disk: &'d Disk, rows_per_snapshot: u64, keep_from_ms: u64) -> Self {
        let (mut journal, restored) = Journal::open::<Room>(disk).unwrap();
        journal.rows_per_snapshot = rows_per_snapshot;
        Self {
            room: restored.state,
            now: START,
            journal,
            sequences: [0; 256],
            keep_from_ms,
        }
    }

    /// One turn: what is done, and its row.
    pub fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        if !row.events.is_empty() {
            // The wall clock is not the room's: here it is a little ahead.
            let wall_ms = self.now.0 + 250;
            let (events, keep) = (&row.events, self.keep_from_ms);
            self.journal
                .append(self.now, wall_ms, events, &self.room, keep)
                .unwrap();
        }
    }

    pub fn usher_after(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    pub fn batch(&mut self, lobby: u16, commands: Vec<Command>) {
        let sequence = &mut self.sequences[usize::from(lobby)];
        *sequence += 1;
        let batch = Batch {
            lobby: LobbyId(lobby),
            epoch: 7,
            sequence: *sequence,
            attempts: 3,
            edition: self.room.edition(),
            acknowledged: Version(0),
            roster: vec![],
            commands,
        };
        self.turn(|room, now, row| {
            room.receive(now, &batch, row).expect("taken");
        });
    }

    pub fn configure(&mut self, config: RoomConfig) {
        self.turn(|room, _, row| room.configure(&config, row));
    }
}

/// Lives through every fact of a room.
pub fn room(disk: &Disk) -> Room {
    let mut s = Scribe::new(disk, SNAPSHOT_AFTER, 0);
    let config = RoomConfig {
        permits: 2,
        grace_ms: 600_000,
        ..RoomConfig::default()
    };
    let permits = |permits| RoomConfig {
        permits,
        ..config.clone()
    };
    s.configure(config.clone());
    s.batch(0, vec![Command::Join { count: 2 }]);
    s.turn(|room, _, row| {
        room.reset("operator", row);
    });
    s.batch(0, vec![Command::WalkIn]); // 1 again, fence 1
    s.batch(1, vec![Command::WalkIn, Command::Join { count: 2 }]); // 2, fence 2; 3, 4
    s.batch(0, vec![Command::Join { count: 3 }]); // 5, 6, 7
    s.now = s.now.plus_ms(1_500);
    s.batch(0, vec![Command::Release(Fence(1))]); // baton to 3, fence 3
    s.batch(1, vec![Command::Claim(Number(3)), Command::Renew(Fence(2))]);
    let more_time = Command::Extend {
        fence: Fence(3),
        by_ms: 60_000,
    };
    let away = Command::Away(vec![Number(4), Number(5), Number(6)]);
    s.batch(1, vec![more_time, away, Command::Back(Number(4))]);
    s.configure(permits(1)); // a debt of 1
    s.batch(1, vec![Command::Release(Fence(3))]); // pays it
    s.configure(permits(3));
    s.usher_after(1_000); // calls 4 and 7, fences 4 and 5
    s.batch(0, vec![Command::Back(Number(5))]);
    s.batch(1, vec![Command::Leave(Number(4))]); // called and left: baton to 5, fence 6
    s.batch(0, vec![Command::Claim(Number(5))]);
    s.usher_after(31_000); // 7 missed; into the hand
    s.batch(0, vec![Command::Back(Number(7))]);
    s.usher_after(1_000); // calls 7 again, fence 7
    s.usher_after(31_000); // missed again, over; into the hand
    s.batch(1, vec![Command::WalkIn]); // 8, fence 8, provisional
    s.configure(RoomConfig {
        mode: Mode::Paused,
        ..permits(3)
    });
    s.batch(
        1,
        vec![Command::Join { count: 2 }, Command::Release(Fence(8))],
    ); // 9, 10; to the tray
    s.configure(permits(3));
    s.usher_after(1_000); // the tray into the hand; calls 9, fence 9
    s.batch(
        1,
        vec![Command::Leave(Number(10)), Command::Join { count: 4 }],
    ); // 11–14
    s.usher_after(500_000); // what has run out: leases, 9's call, the grace of 6
    s.batch(
        2,
        vec![Command::Join { count: 2 }, Command::Away(vec![Number(13)])],
    ); // 15, 16
    s.usher_after(200_000); // calls 14, 15, 16, fences 13, 14, 15
    let more_time = Command::Extend {
        fence: Fence(14),
        by_ms: 5_000,
    };
    let inside = [Command::Claim(Number(14)), Command::Claim(Number(15))];
    s.batch(2, inside.into_iter().chain([more_time]).collect());
    s.batch(4, vec![Command::Join { count: 3 }]); // 17, 18, 19
    s.configure(RoomConfig {
        mode: Mode::Paused,
        ..permits(3)
    });
    s.batch(2, vec![Command::Leave(Number(16))]); // to the tray
    s.room
}

/// Who a visitor of the lobby's script is.
pub fn visitor(byte: u8) -> VisitorId {
    VisitorId([byte; 16])
}

/// Lives through every fact of a lobby.
pub fn lobby(disk: &Disk) -> Book {
    let (mut journal, restored) = Journal::open::<Book>(disk).unwrap();
    journal.rows_per_snapshot = 4;
    let mut book = restored.state;
    for (at, events) in (0..).zip(lobby_rows()) {
        events.iter().for_each(|event| book.apply(event));
        let at = START.plus_ms(1_000 * at);
        journal.append(at, at.0 - 90, &events, &book, 0).unwrap();
    }
    book
}

fn lobby_rows() -> Vec<Vec<LobbyEvent>> {
    let stands = |who, number, phase, ahead, version| LobbyEvent::Stands {
        visitor: visitor(who),
        number: Number(number),
        phase,
        ahead,
        version: Version(version),
    };
    let over = |who, number, reason| stands(who, number, Phase::Over(reason), None, 40);
    let batch = Batch {
        lobby: LobbyId(3),
        epoch: 8,
        sequence: 2,
        attempts: 1,
        edition: Edition(2),
        acknowledged: Version(12),
        roster: vec![Number(50)],
        commands: vec![Command::Join { count: 1 }, Command::Leave(Number(52))],
    };
    let called = Phase::Called {
        fence: Fence(31),
        claim_by: START.plus_ms(400_000),
    };
    let inside = Phase::Admitted {
        fence: Fence(30),
        idle_end: START.plus_ms(500_000),
        hard_end: START.plus_ms(1_800_000),
        provisional: true,
    };
    let waits = |away, missed| Phase::Waiting { away, missed };
    vec![
        vec![LobbyEvent::Woke { epoch: 8 }],
        vec![
            LobbyEvent::Joined {
                visitors: vec![visitor(40)],
                first: Number(51),
                ahead: 50,
                version: Version(4),
            },
            LobbyEvent::Begun {
                edition: Edition(2),
                version: Version(6),
            },
            LobbyEvent::Outdated {
                visitor: visitor(41),
                edition: Edition::FIRST,
                number: Number(52),
            },
        ],
        vec![LobbyEvent::Joined {
            visitors: (1..=12).map(visitor).collect(),
            first: Number(50),
            ahead: 17,
            version: Version(10),
        }],
        vec![
            LobbyEvent::Noticed(Version(12)),
            stands(1, 50, called, Some(0), 12),
        ],
        vec![
            stands(2, 51, inside, None, 14),
            stands(3, 52, waits(true, true), Some(9), 15),
        ],
        vec![LobbyEvent::PassedOn(visitor(90)), over(5, 54, Reason::Left)],
        vec![over(6, 55, Reason::Missed), over(7, 56, Reason::Away)],
        vec![over(8, 57, Reason::Released), over(9, 58, Reason::Expired)],
        vec![
            LobbyEvent::Sent {
                batch: batch.clone(),
                visitors: vec![vec![visitor(13)], vec![visitor(3)]],
            },
            LobbyEvent::Settled,
        ],
        vec![LobbyEvent::Sent {
            batch,
            visitors: vec![vec![visitor(14)], vec![visitor(4)]],
        }],
    ]
}
