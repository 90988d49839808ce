//! What a run is made of: what can happen in it, how far each person has come, and each lobby's desk.

use super::crowd::Person;
use super::outcome::Outcome;
use baton::facts::units::{Fence, Number};
use std::collections::VecDeque;

/// What happens at a moment. Within one moment the order is that of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// This person's waiting page has loaded and opens its socket.
    Page(u32),
    /// A batch of this lobby reaches the room.
    Batch(u16),
    /// The room's alarm rings, unless it was armed for another moment.
    Alarm,
    /// The shop has loaded for somebody who was called.
    Land(u32),
    /// Somebody inside asks for a page with a pass past half its life.
    Renew(u32),
    /// Somebody inside is done, or closes the tab.
    Leave(u32),
    /// Somebody who waits closes the page.
    Close(u32),
    /// The lobby takes this person for away.
    Linger(u32),
    /// This person looks again.
    Return(u32),
    /// The shop reports the seats left.
    Stock,
    /// The operator sees that all is sold.
    SoldOut,
}

/// How far somebody has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not come yet, or the page loads.
    Coming,
    /// The lobby asks the room for a number.
    Asking,
    /// Has a place, and the page is open.
    Waiting,
    /// Perhaps has a place, and the page is closed or asleep.
    Gone,
    /// The shop loads.
    Called,
    /// The landing is on its way to the room.
    Landing,
    /// In the shop.
    Inside,
    /// Over, with this outcome.
    Over(Outcome),
}

/// A person, and what the run made of them.
pub(super) struct Visit {
    pub person: Person,
    pub state: State,
    pub number: Number,
    pub fence: Fence,
    /// When the person first had a place; NEVER if there was none.
    pub placed_ms: u32,
    /// Since when the waiting page is open and awake; NEVER if it is not.
    pub open_ms: u32,
    pub in_ms: u32,
    pub renewed_ms: u32,
    pub closes_planned: bool,
    pub slept: bool,
}

/// What somebody wants of the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// To go straight through.
    WalkIn,
    /// A number.
    Join,
    /// To go in, having been called.
    Claim,
    /// To stay in.
    Renew,
    /// To give the permit back.
    Release,
    /// To be marked as away.
    Away,
    /// To be marked as present.
    Here,
    /// To report the seats left, for the shop.
    Stock,
}

/// One lobby.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub wishes: VecDeque<(u32, Wish)>,
    /// Whether a batch is on its way to the room.
    pub is_out: bool,
    /// When the last answer is back.
    pub free_at: u32,
    /// Whether anybody was ever here.
    pub is_used: bool,
    /// Whether something happened to its people that it was not told.
    pub has_news: bool,
}
