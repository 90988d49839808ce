//! The facts that a room stores. Its state is the fold of these, so recovery, the audit and the tests need nothing else.
//!
//! **The stored form is for ever.** `postcard` writes a variant by its position: append new variants at the end, never change the fields of one
//! that was released. The names are for ever too, because the export uses them (`journal/export.rs`).

use super::config::RoomConfig;
use super::hall::{Door, Draw, Lot, Seed};
use super::holder::{Holder, Key, Shown};
use super::overheard::Overheard;
pub use super::schedule::Change;
use super::schedule::StepEnd;
use super::units::{Edition, Fence, Instant, LaneId, LobbyId, Number, Version};
use super::voucher::{CodeHash, SheetId, Slips, Spent, Terms};
use serde::{Deserialize, Serialize};

/// Why a permit came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The holder was done, or left.
    Released,
    /// The lease reached its idle or its hard end.
    Expired,
    /// The visitor missed the call. The ticket keeps its place once.
    Missed,
    /// The visitor missed the second call too. The ticket is over.
    MissedAgain,
    /// A called visitor gave up the place.
    Left,
}

/// Where a permit that came back went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum To {
    /// Into the usher's hand.
    Hand,
    /// Onto the tray.
    Tray,
    /// Nowhere: it paid debt, because the room had more permits out than it has now.
    Debt,
}

/// Where a walk-in's permit came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// The usher's hand.
    Hand,
    /// The tray, which happens only when the hand is empty.
    Tray,
    /// Nowhere: the room made it for an observed visitor, and owes it.
    Nowhere,
}

/// Why everybody in line is over at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyEnded {
    /// There is nothing left.
    SoldOut,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The room's settings are these from now on. The room makes permits to match, or makes them vanish.
    Configured(Box<RoomConfig>),
    /// The room issued tickets to a lobby, from `first` on, all present.
    Joined {
        /// The lobby.
        lobby: LobbyId,
        /// The first number.
        first: Number,
        /// The number of tickets.
        count: u32,
        /// The holder of each ticket, in order. Private.
        holders: Vec<Holder>,
    },
    /// Somebody walked in without waiting: ticket, call and provisional lease in one.
    WalkedIn {
        /// The visitor's lobby.
        lobby: LobbyId,
        /// The number issued.
        number: Number,
        /// The fence minted.
        fence: Fence,
        /// Where the permit came from.
        from: From,
        /// The holder. Private, here and below: an export has none.
        holder: Option<Holder>,
    },
    /// The usher called a ticket: hand → called.
    Called {
        /// The ticket.
        number: Number,
        /// The fence minted.
        fence: Fence,
    },
    /// A permit passed from one visitor to the next, touching neither hand nor tray.
    Handed {
        /// The fence that the permit had before.
        from: Fence,
        /// How it came back.
        how: How,
        /// The ticket that is called with it.
        number: Number,
        /// The fence minted.
        fence: Fence,
    },
    /// A called visitor came and took the permit: called → leased.
    Claimed {
        /// The fence of the call.
        fence: Fence,
    },
    /// A lease's idle end slid. A provisional lease became an ordinary one by that.
    Slid {
        /// The lease.
        fence: Fence,
    },
    /// A lease's hard end moved.
    Extended {
        /// The lease.
        fence: Fence,
        /// By how much, in ms.
        by_ms: u64,
    },
    /// A permit came back and nobody took it at once.
    Ended {
        /// The permit's fence.
        fence: Fence,
        /// Why it came back.
        how: How,
        /// Where it went.
        to: To,
    },
    /// The usher emptied the tray into the empty hand.
    TrayEmptied {
        /// The number of permits that moved.
        permits: u32,
    },
    /// Waiting visitors went away. They keep their places for the grace.
    WentAway(Vec<Number>),
    /// Away visitors came back.
    CameBack(Vec<Number>),
    /// A waiting visitor gave up the place.
    Left(Number),
    /// Away tickets ran out of grace and are over.
    GraceEnded {
        /// The number of tickets.
        count: u64,
    },
    /// Lobbies counted more join attempts, repeats included.
    Attempted {
        /// The number of attempts.
        count: u32,
    },
    /// The usher took a turn that changed something.
    Turned,
    /// Another device holds a ticket from now on. Its permit goes on under another fence, with the ends that it had.
    Carried {
        /// The ticket.
        number: Number,
        /// The fence that is worth nothing from now on and the one minted instead; `None` if the ticket has no permit.
        fences: Option<(Fence, Fence)>,
        /// The new holder. Private.
        to: Option<Holder>,
    },
    /// Every place in the line ended. Permits of called tickets went into the hand, or paid debt.
    LineEnded {
        /// Why.
        why: WhyEnded,
        /// The number of places, called ones included.
        count: u64,
    },
    /// An operator or a step of the schedule changed live values. What follows from them for the room's decisions stands
    /// before this in the row, as `configured`.
    Adjusted {
        /// The operator; `schedule` for a step. Private.
        by: String,
        /// What changed, a setting each.
        values: Vec<Change>,
    },
    /// An operator ended a ticket. The end of its place or permit stands before this in the row.
    Dismissed {
        /// The ticket.
        number: Number,
        /// The operator. Private.
        by: String,
    },
    /// A lobby told what fronts had overheard, as far as the settings act on it.
    Overheard(Box<Overheard>),
    /// The room opened or closed, by its hours.
    Doors(Door),
    /// A hall began. How it will be drawn is fixed, and nobody can know it yet.
    Committed(Lot),
    /// A lobby's visitors came into the hall, with entries from `first` on, all present.
    Entered {
        /// The lobby.
        lobby: LobbyId,
        /// The first entry.
        first: Number,
        /// The number of entries.
        count: u32,
        /// The holder of each entry, in order. Private.
        holders: Vec<Holder>,
    },
    /// Everybody in the hall got a number, in the order that follows from the seed.
    Drawn {
        /// How the draw was made.
        draw: Draw,
        /// What the order follows from. The room committed to its hash before.
        seed: Seed,
        /// The first number.
        first: Number,
        /// The number of entries drawn.
        count: u64,
    },
    /// An operator began the room anew. Every ticket is over, every permit is in the hand, nothing is owed, and numbers begin at 1. Versions and
    /// fences go on; settings and live values stay.
    Reset {
        /// The edition that begins.
        edition: Edition,
        /// The operator. Private.
        by: String,
        /// The number of places in the line and in the hall that ended, called ones included.
        waiting: u64,
        /// The number of leases that ended.
        inside: u32,
    },
    /// These living tickets belong to accounts from now on, until they end. Their holders stay.
    Owned {
        /// The tickets.
        tickets: Vec<Number>,
        /// The account of each ticket, in order. Private.
        accounts: Vec<Key>,
    },
    /// The room dealt with a step of its schedule. What the step changed stands before this in the row, as `configured` and `adjusted`.
    Scheduled {
        /// The step's moment, in Unix ms.
        at_ms: u64,
        /// How the room dealt with it.
        end: StepEnd,
    },
    /// An operator made a sheet of vouchers.
    SheetMade {
        /// The sheet: the one after the last that was made.
        sheet: SheetId,
        /// The terms of its vouchers.
        terms: Terms,
        /// Its vouchers.
        slips: Slips,
        /// Its codes in order, each with the number of places that it gives. Private.
        codes: Vec<(CodeHash, u32)>,
        /// The operator. Private.
        by: String,
    },
    /// An operator took a sheet back. Its vouchers give no place from now on; places that they gave stay.
    SheetWithdrawn {
        /// The sheet.
        sheet: SheetId,
        /// The operator. Private.
        by: String,
    },
    /// The ticket that stands right before this in the row was given for a voucher.
    Spent(Spent),
    /// A lane other than the first opened or closed, by its hours. `doors` is the first lane's.
    LaneDoors {
        /// The lane.
        lane: LaneId,
        /// Its door from now on.
        door: Door,
    },
    /// The hall of a lane other than the first began. `committed` is the first lane's.
    LaneCommitted {
        /// The lane.
        lane: LaneId,
        /// What fixes its draw.
        lot: Lot,
    },
    /// A ticket moved to the end of a better lane, in the line or in the hall, with a new number. Its holder, its lobby and its presence stay.
    Moved {
        /// The number until now.
        from: Number,
        /// The number from now on.
        to: Number,
    },
    /// Somebody showed a place that this room cannot have given, or a lobby knew a row that it has not written: the room's data is older than what
    /// people were told, because a backup was restored.
    RolledBack {
        /// The place. A lobby's row has number 0.
        shown: Shown,
        /// The number that the place's lane gives next; those before it are left out.
        next: Number,
    },
    /// The room begins, in another edition than the first: rooms of its name had the earlier ones. Stands first in the first row.
    Begun {
        /// The edition.
        edition: Edition,
    },
}

/// What one turn of the room stores: one row of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Counts up by one from 1.
    pub version: Version,
    /// The time of the turn, on the room's clock.
    pub at: Instant,
    /// The facts, in order.
    pub events: Vec<Event>,
}
