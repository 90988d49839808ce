//! How a room stands between two rows, and what that adds to the counts while it lasts.

use super::counts::Stretch;
use crate::audit::Ledger;

/// How the room stood after a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    pub at_ms: u64,
    /// The wall clock, which never runs back here.
    pub wall_ms: u64,
    pub in_line: u64,
    pub present: u64,
    pub away: u64,
    pub hall: u64,
    pub called: u64,
    pub leased: u64,
    pub free: u64,
    pub permits: u64,
    /// Whether somebody present can be called, by mode and doors.
    pub somebody_waits: bool,
}

impl Standing {
    pub fn of(ledger: &Ledger, at_ms: u64, wall_ms: u64) -> Self {
        Self {
            at_ms,
            wall_ms,
            in_line: ledger.lanes.waiting(),
            present: ledger.lanes.present(),
            away: ledger.lanes.away(),
            hall: ledger.lanes.in_hall(),
            called: ledger.called(),
            leased: ledger.leased(),
            free: ledger.hand + ledger.tray,
            permits: ledger.permits(),
            somebody_waits: ledger.callable() > 0,
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.in_line + self.hall + self.called + self.leased == 0
    }

    /// Adds that the room stood like this for `ms`.
    pub const fn last(&self, ms: u64, stretch: &mut Stretch) {
        let Stretch { crowd, permit_time, .. } = stretch;
        crowd.covered_ms += ms;
        crowd.present_ms += ms.saturating_mul(self.present);
        crowd.away_ms += ms.saturating_mul(self.away);
        crowd.hall_ms += ms.saturating_mul(self.hall);
        crowd.permits_ms += ms.saturating_mul(self.permits);
        permit_time.used_ms += ms.saturating_mul(self.leased);
        permit_time.called_ms += ms.saturating_mul(self.called);
        if self.somebody_waits {
            permit_time.idle_ms += ms.saturating_mul(self.free);
        }
    }
}
