//! The facts a room stores. State is the fold of these, so they are all that recovery, the audit
//! and the tests need.
//!
//! **The stored form is for ever.** `postcard` writes a variant by its position: append new
//! variants at the end, never change the fields of one that was released. The names are for ever
//! too: they are the export's (`journal/export.rs`).

use super::answer_times::AnswerTimes;
use super::config::RoomConfig;
use super::entry::EntryRefusals;
use super::hall::{Door, Draw, Lot, Seed};
use super::holder::{Holder, Key};
use super::proofs::ProofChecks;
pub use super::schedule::Change;
use super::schedule::StepEnd;
use super::units::{Edition, Fence, Instant, LaneId, LobbyId, Number, Version};
use super::voucher::{CodeHash, SheetId, Slips, Spent, Terms};
use serde::{Deserialize, Serialize};

/// Why a permit came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The holder is done, or left.
    Released,
    /// The lease reached its idle or its hard end.
    Expired,
    /// The call was not answered in time; the ticket keeps its place once.
    Missed,
    /// The call was not answered in time for the second time; the ticket is over.
    MissedAgain,
    /// A called visitor gave the place up.
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
    /// Away: the room had more permits out than it has now.
    Debt,
}

/// Where a walk-in's permit came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// The usher's hand.
    Hand,
    /// The tray; only when the hand was empty.
    Tray,
    /// Nowhere: it was made for an observed visitor, and is owed.
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
    /// The room's settings are these from now on. Permits are made or made to vanish.
    Configured(Box<RoomConfig>),
    /// Tickets were issued to a lobby, from `first` on, all present.
    Joined {
        /// Whose visitors they are.
        lobby: LobbyId,
        /// The first number.
        first: Number,
        /// How many.
        count: u32,
        /// Whose each is, in order. Private.
        holders: Vec<Holder>,
    },
    /// Somebody walked in without waiting: ticket, call and provisional lease in one.
    WalkedIn {
        /// Whose visitor it is.
        lobby: LobbyId,
        /// The number issued.
        number: Number,
        /// The fence minted.
        fence: Fence,
        /// Where the permit came from.
        from: From,
        /// Whose it is. Private, as below: an export has none.
        holder: Option<Holder>,
    },
    /// The usher called a ticket: hand → called.
    Called {
        /// Who is called.
        number: Number,
        /// The fence minted.
        fence: Fence,
    },
    /// A permit passed from one visitor to the next, touching neither hand nor tray.
    Handed {
        /// Whose permit it was.
        from: Fence,
        /// How it came back.
        how: How,
        /// Who is called with it.
        number: Number,
        /// The fence minted.
        fence: Fence,
    },
    /// A called visitor came and took the permit: called → leased.
    Claimed {
        /// The call.
        fence: Fence,
    },
    /// A lease's idle end slid; a provisional lease became an ordinary one.
    Slid {
        /// The lease.
        fence: Fence,
    },
    /// A lease's hard end moved.
    Extended {
        /// The lease.
        fence: Fence,
        /// By how much.
        by_ms: u64,
    },
    /// A permit came back and nobody took it in the same moment.
    Ended {
        /// Which permit.
        fence: Fence,
        /// Why.
        how: How,
        /// Where it went.
        to: To,
    },
    /// The usher emptied the tray into the empty hand.
    TrayEmptied {
        /// How many permits moved.
        permits: u32,
    },
    /// Waiting visitors went away and keep their places for the grace.
    WentAway(Vec<Number>),
    /// Away visitors are back.
    CameBack(Vec<Number>),
    /// A waiting visitor gave the place up.
    Left(Number),
    /// Away tickets ran out of grace.
    GraceEnded {
        /// How many.
        count: u64,
    },
    /// Lobbies counted so many join attempts, repeats included.
    Attempted {
        /// So many more.
        count: u32,
    },
    /// The usher took a turn that changed something.
    Turned,
    /// A ticket is another's device's from now on. A permit goes on under another fence, with the ends it had.
    Carried {
        /// Which.
        number: Number,
        /// The fence that is worth nothing from now on, and the one minted instead.
        fences: Option<(Fence, Fence)>,
        /// Whose it is. Private.
        to: Option<Holder>,
    },
    /// Every place in the line ended. Permits that were called for went into the hand, or paid debt.
    LineEnded {
        /// Why.
        why: WhyEnded,
        /// How many places, the called among them.
        count: u64,
    },
    /// The operator changed live values. What follows from them for the room's decisions stands
    /// before this in the row, as `configured`.
    Adjusted {
        /// Who.
        by: String,
        /// Key and new value as JSON; `None`: the deployment's again.
        values: Vec<Change>,
    },
    /// The operator ended a ticket. The end of its place or permit stands before this in the row.
    Dismissed {
        /// Which.
        number: Number,
        /// Who did. Private.
        by: String,
    },
    /// The origin answered requests of people inside; a lobby has counted.
    OriginSeen {
        /// Answers that were none of these:
        good: u32,
        /// errors of the origin's own (5xx), or no answer at all.
        bad: u32,
    },
    /// The shop has said how many seats are left.
    StockSeen {
        /// So many.
        left: u32,
        /// When, by the shop's clock, Unix ms.
        reported_at_ms: u64,
    },
    /// The room opens or closes, by its hours.
    Doors(Door),
    /// A hall began: how it will be drawn is decided, and nobody can know it yet.
    Committed(Lot),
    /// Visitors came into the hall, from `first` on, all present.
    Entered {
        /// Whose visitors they are.
        lobby: LobbyId,
        /// The first entry.
        first: Number,
        /// How many.
        count: u32,
        /// Whose each is, in order. Private.
        holders: Vec<Holder>,
    },
    /// Everybody in the hall got a number, in the order that follows from the seed.
    Drawn {
        /// How.
        draw: Draw,
        /// What the order follows from; its hash was committed to.
        seed: Seed,
        /// The first number.
        first: Number,
        /// How many.
        count: u64,
    },
    /// The operator began the room anew. Every ticket is over and every permit in the hand, nothing is owed, numbers
    /// begin at 1. Versions and fences go on; settings and live values stay.
    Reset {
        /// The edition that begins.
        edition: Edition,
        /// Who did.
        by: String,
        /// How many places in the line and in the hall ended, the called among them.
        waiting: u64,
        /// How many leases ended.
        inside: u32,
    },
    /// The shop's check judged proofs of requests that were forwarded; a lobby has counted.
    ProofsChecked(ProofChecks),
    /// How long the origin took to answer people inside; a lobby has counted.
    AnswersTimed(AnswerTimes),
    /// These living tickets are accounts' from now on, until they end. Their holders stay.
    Owned {
        /// Which.
        tickets: Vec<Number>,
        /// Whose each is, in order. Private.
        accounts: Vec<Key>,
    },
    /// Visits had no entry; a lobby has counted.
    EntryRefused(EntryRefusals),
    /// The room dealt with a step of its schedule. What the step changed stands before this in the row, as `configured` and
    /// `adjusted`.
    Scheduled {
        /// Which: the one of this moment, Unix ms.
        at_ms: u64,
        /// How.
        end: StepEnd,
    },
    /// The operator made a sheet of vouchers.
    SheetMade {
        /// Which: the one after the last that was made.
        sheet: SheetId,
        /// What holds for its vouchers.
        terms: Terms,
        /// What it has.
        slips: Slips,
        /// Its codes in order, and how many places each gives. Private.
        codes: Vec<(CodeHash, u32)>,
        /// Who did. Private.
        by: String,
    },
    /// The operator took a sheet back: its vouchers give no place from now on. Places that they gave stay.
    SheetWithdrawn {
        /// Which.
        sheet: SheetId,
        /// Who did. Private.
        by: String,
    },
    /// A ticket that stands right before this in the row was given for a voucher.
    Spent(Spent),
    /// A lane other than the first opens or closes, by its hours. `doors` is the first one's.
    LaneDoors {
        /// Which.
        lane: LaneId,
        /// How.
        door: Door,
    },
    /// The hall of a lane other than the first began. `committed` is the first one's.
    LaneCommitted {
        /// Which.
        lane: LaneId,
        /// How it will be drawn.
        lot: Lot,
    },
    /// A ticket went to the end of a better lane, in the line or in the hall, with a new number. Whose it is, its lobby, and whether
    /// its holder is there stay.
    Moved {
        /// The number until now.
        from: Number,
        /// The number from now on.
        to: Number,
    },
}

/// What one turn of the room stores: one row of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Counts up by one from 1.
    pub version: Version,
    /// The room's time of the turn.
    pub at: Instant,
    /// The facts, in order.
    pub events: Vec<Event>,
}
