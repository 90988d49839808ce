//! Strict rooms: whether a lease lives, before each request of its holder. The room is asked beside the batches, and
//! nothing of the question or of its answer is stored.

use super::{Lobby, Phase};
use crate::room::command::Standing;
use crate::room::config::Mode;
use crate::units::{Fence, Instant, VisitorId};
use crate::wire::{LeaseTold, Told};

/// Most checks that wait for the room in one lobby. At 10,000 visitors inside that is two a visitor; 32 bytes each.
pub const CHECKS_WAITING_MAX: usize = 20_000;

impl Lobby {
    /// What the room's answer to a check means for who asked; `asked_at` is when the room was asked. `None`: the lease is
    /// over, or on its way back, and what became of the ticket must be asked for. O(log tickets).
    pub fn checked(
        &mut self,
        (now, wall_ms, asked_at): (Instant, u64, Instant),
        visitor: VisitorId,
        asked: Fence,
        standing: &Standing,
    ) -> Option<Told> {
        let Standing::Admitted {
            number,
            fence,
            idle_in_ms,
            hard_in_ms,
            provisional,
        } = *standing
        else {
            return None;
        };
        // What has arrived here counts, a release of which the room may not have heard, or a reset that its answer is older than.
        if fence != asked || !self.is_inside(visitor, fence) || self.gives_back(visitor, fence) {
            return None;
        }
        self.touch(now, visitor);
        let left_ms = |in_ms| asked_at.plus_ms(in_ms).since_ms(now);
        Some(Told {
            status: self.status(now, wall_ms, visitor),
            lease: Some(LeaseTold {
                number,
                edition: self.book.edition,
                fence,
                idle_in_ms: left_ms(idle_in_ms),
                hard_in_ms: left_ms(hard_in_ms),
                provisional,
            }),
            no_walk_in: self.gist.mode != Mode::Bypass && !self.gist.walk_in,
            wants_health: self.wants_health(),
            ..Told::default()
        })
    }

    /// Whether the lobby, too, takes the visitor for inside with this fence. O(log tickets).
    fn is_inside(&self, visitor: VisitorId, fence: Fence) -> bool {
        let phase = self.ticket(visitor).map(|ticket| ticket.phase);
        matches!(phase, Some(Phase::Admitted { fence: own, .. }) if own == fence)
    }
}
