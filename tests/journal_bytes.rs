//! What a visitor costs in the journal: a sale of 100,000, whose lobbies send batches of so many.
//!
//! `cargo test --release --test journal_bytes -- --nocapture` prints them.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used)]

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::{Held, Holder, Key, Salt, Tag};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::journal::{self, Hash};
use baton::room::Room;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const VISITORS: u64 = 100_000;
const PERMITS: u32 = 2_000;
const LOBBIES: u64 = 10;
/// What SQLite takes for a row beside its `bytes`: the hash (32), two instants (6 each), the version, the form of the row, and what is
/// left empty of a page. Measured with rows of 60 to 1,300 bytes: 59 to 74.
const ROW_BYTES: usize = 74;

/// Where a visitor's bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Join,
    Call,
    Claim,
    Slide,
    Release,
}

struct Sale {
    room: Room,
    now: Instant,
    tip: Hash,
    rows: usize,
    bytes: [usize; 5],
}

impl Sale {
    fn new() -> Self {
        let mut sale = Self {
            room: Room::new(),
            now: Instant(1_800_000_000_000),
            tip: Hash::default(),
            rows: 0,
            bytes: [0; 5],
        };
        let config = RoomConfig {
            permits: PERMITS,
            walk_in: false,
            ..RoomConfig::default()
        };
        sale.writes(Step::Call, |room, _, row| room.configure(&config, row));
        sale
    }

    fn writes(&mut self, step: Step, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        self.now = self.now.plus_ms(40);
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        if row.events.is_empty() {
            return;
        }
        let (version, at) = (row.version.0, row.at);
        let sealed = journal::seal(&self.tip, &Salt([7; 16]), version, at, at.0 + 7, &row.events);
        let sealed = sealed.unwrap();
        self.bytes[step as usize] += sealed.bytes.len() + ROW_BYTES;
        self.rows += 1;
        self.tip = sealed.hash;
    }

    fn says(&mut self, step: Step, lobby: u64, commands: &[Command]) {
        let lobby = LobbyId((lobby % LOBBIES) as u16);
        let joins = commands.iter().map(|command| match command {
            Command::Enter(enter) => enter.who.len() as u32,
            _ => 0,
        });
        let attempts = joins.sum();
        self.writes(step, |room, now, row| room.take(now, lobby, commands, attempts, row));
    }

    /// Whoever is called and has not come, by lobby.
    fn called(&self) -> Vec<(LobbyId, Fence, Number)> {
        let called = self
            .room
            .permits()
            .out()
            .filter(|(_, grant)| matches!(grant.stage, baton::room::permits::Stage::Called { .. }));
        let mut called: Vec<_> = called.map(|(fence, grant)| (grant.lobby, fence, grant.number)).collect();
        called.sort_unstable();
        called
    }
}

fn holder(who: u64) -> Holder {
    Holder {
        key: Key(who.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        tag: Tag(who as u32),
    }
}

/// Joined, called, claimed, active twice, released: everybody, in batches of `size`. Bytes a visitor, by step.
fn sale(size: usize) -> [f64; 5] {
    let mut sale = Sale::new();
    let everybody: Vec<u64> = (0..VISITORS).collect();
    for (batch, people) in (0..).zip(everybody.chunks(size)) {
        let join = Command::join(people.iter().copied().map(holder).collect::<Vec<_>>());
        sale.says(Step::Join, batch, &[join]);
    }
    sale.writes(Step::Call, Room::take_turn);
    let mut inside: Vec<Fence> = Vec::new();
    loop {
        let mut came: Vec<Fence> = Vec::new();
        for of_lobby in sale.called().chunk_by(|a, b| a.0 == b.0) {
            for some in of_lobby.chunks(size) {
                let claims: Vec<Command> = some
                    .iter()
                    .map(|&(_, fence, number)| {
                        let key = sale.room.tickets().holder(number).unwrap().key;
                        let place = Held { number, key };
                        Command::Claim { place, fence }
                    })
                    .collect();
                sale.says(Step::Claim, some[0].0.0.into(), &claims);
                came.extend(some.iter().map(|(_, fence, _)| *fence));
            }
        }
        for _ in 0..2 {
            for fences in came.chunks(size) {
                let renews: Vec<Command> = fences.iter().copied().map(Command::Renew).collect();
                sale.says(Step::Slide, 0, &renews);
            }
        }
        inside.append(&mut came);
        // Half of those inside give their permits to as many in line.
        let leaving: Vec<Fence> = inside.drain(..inside.len().min(PERMITS as usize / 2)).collect();
        for fences in leaving.chunks(size) {
            let releases: Vec<Command> = fences.iter().copied().map(Command::Release).collect();
            sale.says(Step::Release, 0, &releases);
        }
        if leaving.is_empty() {
            break;
        }
    }
    let totals = sale.room.measured().totals;
    assert_eq!([totals.joined, totals.claimed, totals.released], [VISITORS; 3]);
    let rows = sale.rows;
    let each = sale.bytes.map(|bytes| bytes as f64 / VISITORS as f64);
    println!(
        "batches of {size}: {:.1} bytes a visitor in {rows} rows; join, call, claim, slide, release: {each:.1?}",
        each.iter().sum::<f64>()
    );
    each
}

#[test]
fn a_visitor_takes_few_bytes_of_the_journal() {
    for (size, most) in [(20, 60.0), (100, 45.0)] {
        let each = sale(size);
        let all: f64 = each.iter().sum();
        assert!(all <= most, "{all} bytes a visitor with batches of {size}: {each:?}");
        // Nobody is left out of the account: a key and an address at least.
        assert!(each[Step::Join as usize] > 12.0);
    }
}
