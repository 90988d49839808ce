//! Writes a long sale with a crowd, to measure the audit with. It asserts only that the sale is sound:
//!
//! `BATON_EXPORT=crowd.jsonl BATON_ROWS=1000000 cargo test --release -p baton-tools --test audit crowd -- --ignored`
//! `cargo run --release -p baton-tools --bin audit -- verify tools/crowd.jsonl`

use super::sale::{self, OPENS_MS, ROOM, holder};
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::Held;
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::journal::{Hash, export};
use baton::room::Room;
use baton_tools::audit::{Audit, Scope};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};

const LOBBIES: u64 = 8;

/// A sale in which 20,000 people wait at once and three come and three go in each row. Some go away, and some of these never come back.
struct Crowd {
    rng: fastrand::Rng,
    room: Room,
    inside: VecDeque<Fence>,
    now: Instant,
    rows: u64,
    /// How many people have come.
    came: u64,
}

impl Crowd {
    fn row(&mut self) -> Row {
        self.now = self.now.plus_ms(self.rng.u64(0..40));
        let mut row = self.room.open_row(self.now);
        if self.rows == 0 {
            let config = RoomConfig {
                permits: 500,
                ..RoomConfig::default()
            };
            self.room.configure(&config, &mut row);
        }
        let due = self.room.case(self.now).due_at().is_some_and(|at| at <= self.now);
        if due {
            self.room.take_turn(self.now, &mut row);
        } else {
            let lobby = LobbyId((self.rows % LOBBIES) as u16);
            let commands = self.commands(lobby);
            self.room.take(self.now, lobby, &commands, 3, &mut row);
        }
        self.rows += 1;
        row
    }

    fn held(&self, number: Number) -> Held {
        let key = self.room.tickets().holder(number).unwrap_or_default().key;
        Held { number, key }
    }

    fn commands(&mut self, lobby: LobbyId) -> Vec<Command> {
        let waiting = self.room.line().alive();
        let count = if waiting < 20_000 { 30 } else { 3 };
        let come = self.came..self.came + count;
        self.came += count;
        let mut commands = vec![Command::join(come.map(holder).collect::<Vec<_>>())];
        let called: Vec<(Fence, Number)> = self
            .room
            .permits()
            .out()
            .filter(|(fence, grant)| grant.lobby == lobby && !self.inside.contains(fence))
            .map(|(fence, grant)| (fence, grant.number))
            .take(4 * LOBBIES as usize)
            .collect();
        for (fence, number) in called {
            let place = self.held(number);
            commands.push(Command::Claim { place, fence });
            self.inside.push_back(fence);
        }
        if self.inside.len() > 400 {
            let leaving = self.inside.drain(..3).collect::<Vec<_>>();
            commands.extend(leaving.into_iter().map(Command::Release));
        }
        if let Some(number) = self.room.line().nth(self.rng.u64(0..waiting.max(1))) {
            let held = vec![self.held(number)];
            let (here, away) = match self.rng.u8(0..2) {
                0 => (vec![], held),
                _ => (held, vec![]),
            };
            commands.push(Command::Presence {
                as_of: self.room.version(),
                here,
                away,
            });
            commands.push(Command::Renew(self.inside.back().copied().unwrap_or_default()));
        }
        commands
    }
}

#[test]
#[ignore = "writes a file of hundreds of megabytes, to measure with"]
fn a_crowd_is_written() {
    let path = std::env::var("BATON_EXPORT").expect("BATON_EXPORT names the file to write");
    let rows = std::env::var("BATON_ROWS").map_or(1_000_000, |rows| rows.parse().unwrap());
    let mut crowd = Crowd {
        rng: fastrand::Rng::with_seed(1),
        room: Room::new(),
        inside: VecDeque::new(),
        now: Instant(OPENS_MS),
        rows: 0,
        came: 0,
    };
    let mut out = BufWriter::new(File::create(path).unwrap());
    let mut audit = Audit::new(Scope::Everything, None);
    let mut last = export::header(ROOM, 0, &Hash::default()).unwrap();
    out.write_all(last.as_bytes()).unwrap();
    audit.line(&last).unwrap();
    while crowd.rows < rows {
        let row = crowd.row();
        for line in sale::rows_after(&last, &[row]) {
            out.write_all(line.as_bytes()).unwrap();
            audit.line(&line).unwrap_or_else(|stop| panic!("{stop}"));
            last = line;
        }
    }
    out.flush().unwrap();
    println!("{}", audit.finish().unwrap());
    assert!(crowd.room.version() >= Version(rows));
}
