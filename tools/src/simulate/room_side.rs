//! The room object as its platform keeps it: its process, its disk, its clock. `acts/room` drives it.

use super::disk::Disk;
use super::faults::Shared;
use super::schedule::Plans;
use super::slab::Slab;
use baton::living::{LivingRoom, RoomOptions};
use baton::room::courier::Push;
use baton_advice::chance::Chance;
use std::rc::Rc;

/// The room object.
pub struct RoomSide {
    pub disk: Disk,
    pub living: Option<Box<LivingRoom<Disk>>>,
    pub options: RoomOptions,
    pub plans: Plans,
    pub process: u64,
    /// When the timer in its memory goes off; `None` if none is set.
    pub timer: Option<u64>,
    seed: u64,
    /// How often it came into memory.
    woken: u64,
    /// By how much the host's clock is ahead of the world's time, ms.
    pub offset_ms: i64,
    /// When the room last looked at its clock.
    pub looked_at: u64,
    pub rows_per_snapshot: u64,
    /// Pushes that were sent, with the process that sent each.
    pub pushes: Slab<(Rc<Push>, u64)>,
}

impl RoomSide {
    /// Makes a room that was never seen.
    #[must_use]
    pub fn new(faults: &Shared, seed: u64, options: RoomOptions, rows_per_snapshot: u64) -> Self {
        Self {
            disk: Disk::new(faults),
            living: None,
            options,
            plans: Plans::default(),
            process: 0,
            timer: None,
            seed,
            woken: 0,
            offset_ms: 0,
            looked_at: 0,
            rows_per_snapshot,
            pushes: Slab::default(),
        }
    }

    /// Draws the chance with which the room comes into memory: another each time.
    pub(super) fn chance(&mut self) -> baton::living::Chance {
        self.woken += 1;
        let mut rng = Chance::of(self.seed, 1 << 49 | self.woken);
        let mut bytes = [0; 32];
        let parts = bytes.chunks_exact_mut(8);
        parts.for_each(|part| part.copy_from_slice(&rng.u64().to_le_bytes()));
        baton::living::Chance(bytes)
    }
}

/// What the host's clock says.
#[must_use]
pub const fn wall(time: u64, offset_ms: i64) -> u64 {
    time.saturating_add_signed(offset_ms)
}
