//! The book of the semaphore once more, as plainly as it can be said: a list of tickets, a list of permits, and scans from the front. The model decides
//! nothing: laws and audit judge what the room decides. It folds the room's facts by itself, and must arrive at the same picture of everybody, and at the
//! same replies, lists and changes as the room.
//!
//! The judge tells it which of the places that are past their grace a turn ends, for no fact names them.

mod answers;
mod apply;
mod enter;
mod lanes;
mod vouchers;

use baton::facts::config::RoomConfig;
use baton::facts::holder::{Holder, Key};
use baton::facts::message::Ended as Why;
use baton::facts::reply::Standing;
use baton::facts::units::{Ahead, Fence, Instant, LobbyId, Number, Version};
use baton::facts::voucher::SheetId;
use std::collections::BTreeMap;

/// A place in a line or in a hall.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// Its number.
    pub number: Number,
    /// Whether it is present, away or called.
    pub place: Place,
    /// Whether it missed a call.
    pub missed: bool,
    /// Who holds it.
    pub holder: Holder,
    lobby: LobbyId,
}

impl Ticket {
    fn waits(&self, ahead: Ahead) -> Standing {
        Standing::Waiting {
            ahead,
            away: matches!(self.place, Place::Away(_)),
            missed: self.missed,
        }
    }
}

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Present.
    Present,
    /// Away since then.
    Away(Instant),
    /// Called: it has a permit to come for.
    Called,
}

/// A permit that somebody has.
#[derive(Clone, Debug)]
pub struct Permit {
    /// Its fence.
    pub fence: Fence,
    /// The number of the ticket that has it.
    pub number: Number,
    /// Whether it is called and not yet claimed.
    pub called: bool,
    /// When the usher takes it back if nothing happens.
    pub idle_end: Instant,
    /// When the usher takes it back in any case.
    pub hard_end: Instant,
    /// Who holds the ticket.
    pub holder: Holder,
    extended_ms: u64,
    provisional: bool,
    lobby: LobbyId,
}

impl Permit {
    fn due_at(&self) -> Instant {
        self.idle_end.min(self.hard_end)
    }
}

/// Whether a ticket is over, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was not over when something last happened to it.
    Not,
    /// It ended with the line.
    WithTheLine,
    /// It ended by itself.
    By(Why),
}

/// The last thing that happened to a ticket.
#[derive(Clone, Copy, Debug)]
struct Changed {
    lobby: LobbyId,
    version: Version,
    ended: Ended,
}

/// The whole semaphore.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The settings; `None` before the first are set.
    pub config: Option<RoomConfig>,
    /// Everybody in line: within each lane in order of number.
    pub tickets: Vec<Ticket>,
    /// Everybody in the hall: within each lane in order of entry.
    pub hall: Vec<Ticket>,
    /// The permits that are out, the oldest fence first.
    pub permits: Vec<Permit>,
    /// Permits in the usher's hand.
    pub hand: u32,
    /// Permits on the tray.
    pub tray: u32,
    /// Permits that are out beyond those that there are.
    pub debt: u32,
    changed: BTreeMap<Number, Changed>,
    /// Everything that was ever put into `changed`, the oldest row first.
    changes: Vec<(Version, Number)>,
    /// The account of each number, whether its ticket lives or not.
    owned: BTreeMap<Number, Key>,
    sheets: BTreeMap<SheetId, vouchers::Sheet>,
    version: Version,
    told_from: Version,
    slots: lanes::Slots,
}

impl Model {
    fn config(&self) -> RoomConfig {
        let none = RoomConfig {
            permits: 0,
            ..RoomConfig::default()
        };
        self.config.clone().unwrap_or(none)
    }

    /// The version of the last row.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The version of the last reset or draw.
    #[must_use]
    pub const fn told_from(&self) -> Version {
        self.told_from
    }

    fn ticket(&self, number: Number) -> Option<&Ticket> {
        let mut tickets = self.tickets.iter().chain(&self.hall);
        tickets.find(|t| t.number == number)
    }

    fn permit_of(&self, number: Number) -> Option<&Permit> {
        self.permits.iter().find(|p| p.number == number)
    }

    /// Returns the row of the last change of a ticket that has missed a call; `None` if it has missed none.
    #[must_use]
    pub fn missed_in(&self, number: Number) -> Option<Version> {
        let ticket = self.ticket(number).filter(|ticket| ticket.missed)?;
        let changed = self.changed.get(&ticket.number)?;
        Some(changed.version)
    }

    /// Returns whether a lease has less than its idle time before it, as one has that nobody has renewed now.
    #[must_use]
    pub fn is_unslid(&self, now: Instant, fence: Fence) -> bool {
        let idle_end = now.plus_ms(self.config().lease_idle_ms);
        let lease = self.lease(now, fence);
        lease.is_some_and(|permit| permit.provisional || permit.idle_end < idle_end)
    }

    fn lease(&self, now: Instant, fence: Fence) -> Option<&Permit> {
        self.permits.iter().find(|p| p.fence == fence && !p.called && p.hard_end > now)
    }
}
