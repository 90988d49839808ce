//! The book of the room once more: the audit's own ([`Ledger`]), and beside it what an export does not show, such as who holds which ticket. The model
//! decides nothing: laws and audit judge what the room decides. It folds the room's facts by itself, and must arrive at the same picture of everybody,
//! and at the same replies, lists and changes as the room.
//!
//! | file | what |
//! |---|---|
//! | `beside` | what the facts say beyond the ledger |
//! | `answers`, `enter` | what lobbies are answered and told; why somebody who came in has no place |
//! | `vouchers` | what each voucher has left |

mod answers;
mod beside;
mod enter;
mod vouchers;

use super::law::broken;
use crate::audit::{Grant, Ledger, Place, Stage, check_facts};
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::{Holder, Key};
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::room::laws::Check;
pub use beside::Ended;

/// The whole semaphore.
#[derive(Clone, Debug, Default)]
pub struct Model {
    ledger: Ledger,
    beside: beside::Beside,
}

/// A ticket in a line or in a hall.
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    /// Its number.
    pub number: Number,
    /// Whether it is present, away or called.
    pub place: Place,
    /// Whether it missed a call.
    pub missed: bool,
    /// How many are in front of it in its line or hall.
    pub rank: u64,
    /// The lobby of its holder.
    pub lobby: LobbyId,
}

impl Model {
    /// Checks the row of a turn that is durable, as a reader does who has only the facts, and takes it in.
    ///
    /// # Errors
    /// Returns what the audit finds wrong with the row.
    pub fn turned(&mut self, row: &Row, wall_ms: u64) -> Check {
        let Self { ledger, beside } = self;
        check_facts(ledger, row, wall_ms, beside).or_else(|wrong| broken("the audit finds every row lawful", || wrong))
    }

    /// The audit's books.
    #[must_use]
    pub(crate) const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The settings; `None` before the first are set.
    #[must_use]
    pub const fn config(&self) -> Option<&RoomConfig> {
        self.ledger.config.as_ref()
    }

    /// The version of the last row.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.beside.version
    }

    /// The entries of halls that became numbers in the last row.
    #[must_use]
    pub fn drawn(&self) -> &[(Number, Number)] {
        &self.beside.drawn
    }

    /// The version of the last reset or draw.
    #[must_use]
    pub const fn told_from(&self) -> Version {
        self.beside.told_from
    }

    /// Returns everybody in a line or in a hall: within each in order.
    pub fn tickets(&self) -> impl Iterator<Item = Ticket> {
        let lines = self.ledger.lanes.all().flat_map(|(id, lane)| lane.lines().map(|of| (id, of)));
        lines.flat_map(|(id, (line, number))| {
            (0..).zip(line.living()).map(move |(rank, (nth, place, lobby))| Ticket {
                number: number(id, nth),
                place,
                missed: line.missed(nth),
                rank,
                lobby: LobbyId(lobby),
            })
        })
    }

    /// Returns the permits that are out, the oldest fence first.
    pub(crate) fn permits(&self) -> impl Iterator<Item = (Fence, Grant)> {
        self.ledger.grants().map(|(fence, grant)| (Fence(fence), grant))
    }

    /// Returns the lobby of a living ticket.
    #[must_use]
    pub fn lobby_of(&self, number: Number) -> Option<LobbyId> {
        self.ledger.lobby_of(number).map(LobbyId)
    }

    /// Returns the holder of a living ticket.
    pub fn holder(&self, number: Number) -> Option<Holder> {
        self.beside.held.get(&number).map(|held| held.holder)
    }

    /// Returns the account of a number that is known to live.
    #[must_use]
    pub fn account_of_living(&self, number: Number) -> Option<Key> {
        self.beside.owned.get(&number).copied()
    }

    /// Returns since when a ticket is away that is.
    #[must_use]
    pub fn away_since(&self, number: Number) -> Option<Instant> {
        self.beside.held.get(&number).map(|held| held.away_since)
    }

    fn missed(&self, number: Number) -> bool {
        let line = self.ledger.lanes.line_of(number);
        line.is_some_and(|(line, within)| line.missed(within))
    }

    /// Returns the row of the last change of a ticket that has missed a call; `None` if it has missed none.
    #[must_use]
    pub fn missed_in(&self, number: Number) -> Option<Version> {
        let changed = self.beside.changed.get(&number).filter(|_| self.missed(number));
        changed.map(|changed| changed.version)
    }

    /// Returns whether a lease has less than its idle time before it, as one has that nobody has renewed now.
    #[must_use]
    pub fn is_unslid(&self, now: Instant, fence: Fence) -> bool {
        let idle_ms = self.config().map_or(0, |config| config.lease_idle_ms);
        self.lease(now, fence).is_some_and(|grant| match grant.stage {
            Stage::Leased(lease) => lease.provisional || lease.idle_end_ms < now.0 + idle_ms,
            Stage::Called { .. } => false,
        })
    }

    /// Returns the permit of a lease that has not reached its hard end.
    fn lease(&self, now: Instant, fence: Fence) -> Option<Grant> {
        let grant = self.ledger.grant(fence.0);
        grant.filter(|grant| matches!(grant.stage, Stage::Leased(lease) if lease.hard_end_ms > now.0))
    }
}
