//! A room as its object runs it, without the platform: from the bytes of a batch to its row and to the bytes of the answer.

use super::kept::Kept;
use baton::facts::envelope;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::message::{Batch, FromRoom, Hello, LobbyLife, ToRoom};
use baton::facts::units::LobbyId;
use baton::living::{Chance, LivingRoom, RoomOptions};
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use std::collections::VecDeque;

const LOBBY: LobbyId = LobbyId(1);
const LIFE: LobbyLife = LobbyLife(7);
const BEGIN_MS: u64 = 1_000_000_000;
const KEEP_MS: u64 = 86_400_000;

/// A room in memory, and the batches that one lobby is going to send.
pub struct Object {
    room: LivingRoom<Kept>,
    wall_ms: u64,
    hellos: u32,
    batches: VecDeque<Vec<u8>>,
}

impl Object {
    /// Makes a room in which nobody is called. Returns `None` if it cannot begin.
    pub fn new() -> Option<Self> {
        let options = RoomOptions {
            config: RoomConfig {
                permits: 0,
                ..RoomConfig::default()
            },
            ramps: Ramps::default(),
            journal_keep_ms: KEEP_MS,
            lots: Lots::default(),
        };
        let room = LivingRoom::restore(Kept::default(), options, Chance([7; 32]), BEGIN_MS, None);
        Some(Self {
            room: room.ok()?,
            wall_ms: BEGIN_MS,
            hellos: 0,
            batches: VecDeque::new(),
        })
    }

    /// Writes `count` batches for the lobby to send, each of one join. They count from what the room says now.
    pub fn write(&mut self, count: u64, mut join: impl FnMut() -> Command) -> Option<()> {
        self.hellos += 1;
        let hello = Hello {
            lobby: LOBBY,
            life: LIFE,
            number: self.hellos,
            knows: None,
        };
        let said = self.room.hear(self.wall_ms, &ToRoom::Hello(hello)).ok()?.0;
        let FromRoom::Welcome(welcome) = said else { return None };
        let mut since = welcome.message.version;
        for number in since.0 + 1..=since.0 + count {
            let batch = Batch {
                lobby: LOBBY,
                life: LIFE,
                room: welcome.message.life,
                memory: welcome.memory,
                number,
                since,
                attempts: 1,
                commands: vec![join()],
            };
            self.batches.push_back(envelope::bytes(&ToRoom::Batch(batch)).ok()?);
            since.0 += 1;
        }
        Some(())
    }

    /// Hears the next `count` batches. Returns the bytes of the answers, or 0 if the room refused one.
    pub fn hear(&mut self, count: u64) -> u64 {
        let mut bytes = 0;
        for _ in 0..count {
            self.wall_ms += 1;
            match self.answer() {
                Some(answer) => bytes += answer.len() as u64,
                None => return 0,
            }
        }
        bytes
    }

    fn answer(&mut self) -> Option<Vec<u8>> {
        let said = envelope::of_bytes::<ToRoom>(&self.batches.pop_front()?).ok()?;
        let (answer, _) = self.room.hear(self.wall_ms, &said).ok()?;
        let took = matches!(&answer, FromRoom::Answer(answer) if !answer.message.changes.is_empty());
        took.then(|| envelope::bytes(&answer).ok())?
    }
}
