//! Keeps the books of a room: where every permit is and who waits, after the facts so far. It is double entry: a permit is in the hand, on the tray,
//! called or leased, and what is out beyond `permits` is debt. `facts` has what a fact may do to the books.

use super::health::Health;
use super::lanes::{Lane, Lanes};
use super::line::Place;
use super::pace::Pace;
use super::schedule::Schedule;
use super::vouchers::Sheets;
use super::{Check, require};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::units::{LANES_MAX, LaneId, Number};
use std::collections::{BTreeMap, BTreeSet};

/// The most living tickets.
pub const LINE_MAX: u64 = 3_000_000;
/// The most permits out of one room.
const PERMITS_MAX: u64 = 100_000;

/// A permit that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The ticket that has it.
    pub number: Number,
    /// The lobby through which that ticket was issued.
    pub lobby: u16,
    pub stage: Stage,
}

/// How far its holder has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Called { claim_by_ms: u64 },
    Leased(Lease),
}

/// A permit in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub idle_end_ms: u64,
    pub hard_end_ms: u64,
    pub extended_ms: u64,
    pub provisional: bool,
}

impl Lease {
    pub fn begin(at_ms: u64, config: &RoomConfig) -> Self {
        Self {
            idle_end_ms: at_ms.saturating_add(config.lease_idle_ms),
            hard_end_ms: at_ms.saturating_add(config.lease_max_ms),
            extended_ms: 0,
            provisional: false,
        }
    }

    /// Begins a walk-in's lease, which is short until the visitor shows the cookie.
    pub fn begin_provisional(at_ms: u64, config: &RoomConfig) -> Self {
        let short_ms = config.claim_within_ms.min(config.lease_idle_ms);
        Self {
            idle_end_ms: at_ms.saturating_add(short_ms),
            provisional: true,
            ..Self::begin(at_ms, config)
        }
    }
}

impl Grant {
    /// Returns when the permit may be taken back.
    pub fn due_ms(&self) -> u64 {
        match self.stage {
            Stage::Called { claim_by_ms } => claim_by_ms,
            Stage::Leased(lease) => lease.idle_end_ms.min(lease.hard_end_ms),
        }
    }
}

/// Counts of what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    /// Facts of every kind.
    pub facts: u64,
    /// Rows to which lobbies' commands led.
    pub batches: u64,
    /// Turns of the usher that changed something.
    pub turns: u64,
    /// Changes of the settings.
    pub configured: u64,
    /// Tickets issued to people who wait.
    pub joined: u64,
    /// Walk-ins: visitors who never waited.
    pub walked_in: u64,
    /// Calls by the usher.
    pub called: u64,
    /// Calls by baton.
    pub handed: u64,
    /// Calls that were answered.
    pub claimed: u64,
    /// Leases given back.
    pub released: u64,
    /// Leases taken back at their end.
    pub expired: u64,
    /// Calls that nobody answered, first and second ones.
    pub missed: u64,
    /// Places that were carried to another device.
    pub carried: u64,
    /// Tickets that moved to a better lane.
    pub moved: u64,
    /// Tickets that came to belong to an account.
    pub owned: u64,
    /// Tickets given for an invitation or a code.
    pub spent: u64,
    /// Attempts to join that lobbies counted, repeats included.
    pub attempts: u64,
    /// Places given up, waiting or called.
    pub left: u64,
    /// Places lost by staying away too long.
    pub grace_ended: u64,
    /// Places that ended because all was sold.
    pub line_ended: u64,
    /// Entries to the hall.
    pub entered: u64,
    /// Numbers issued by a draw.
    pub drawn: u64,
    /// Tickets that the operator ended.
    pub dismissed: u64,
    /// Changes of live values.
    pub adjusted: u64,
    /// Steps of the schedule that were dealt with.
    pub steps: u64,
    /// Resets of the room.
    pub resets: u64,
    /// Tickets that a reset ended: places and leases.
    pub reset: u64,
    /// The most leases after any fact.
    pub inside_most: u64,
    /// The most living tickets in line after any fact.
    pub line_most: u64,
}

/// An edition of the room.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Begun {
    /// The edition's number, from 1.
    pub edition: u32,
    /// The row in which it began.
    pub row: u64,
    /// The number of numbers issued in it.
    pub numbers: u64,
    /// The same for the lane in each slot.
    #[serde(skip)]
    pub by_lane: [u64; LANES_MAX],
}

/// The books of one room.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub config: Option<RoomConfig>,
    pub lanes: Lanes,
    pub pace: Pace,
    pub health: Health,
    pub schedule: Schedule,
    pub stock_reported_at_ms: u64,
    pub totals: Totals,
    pub hand: u64,
    pub tray: u64,
    pub debt: u64,
    pub last_fence: u64,
    /// Whether a fence was minted in the row.
    pub has_minted: bool,
    /// How many proofs of a roll-back there were since the last reset, and the one that it answered.
    pub proofs: u32,
    /// A later edition that somebody has shown, and how many editions were left out: for proofs, and because other homes have them.
    pub proved_edition: Option<u32>,
    pub editions_lost: u32,
    /// The editions that a reset has ended.
    pub past: Vec<Begun>,
    /// The row in which the current edition began.
    pub begun: u64,
    /// The tickets that belong to accounts, whether they live or not.
    pub(super) owned: BTreeSet<Number>,
    pub(super) sheets: Sheets,
    out: BTreeMap<u64, Grant>,
    due: BTreeSet<(u64, u64)>,
    called: u64,
}

impl Ledger {
    /// The number of permits in force.
    pub fn permits(&self) -> u64 {
        self.config.as_ref().map_or(0, |c| u64::from(c.permits))
    }

    /// The number of permits given out and not yet taken.
    pub const fn called(&self) -> u64 {
        self.called
    }

    /// The number of permits in use.
    pub fn leased(&self) -> u64 {
        self.out.len() as u64 - self.called
    }

    pub fn grant(&self, fence: u64) -> Option<Grant> {
        self.out.get(&fence).copied()
    }

    /// Returns every permit that is out, by fence.
    #[cfg(feature = "programs")]
    pub fn grants(&self) -> impl Iterator<Item = (u64, Grant)> {
        self.out.iter().map(|(fence, grant)| (*fence, *grant))
    }

    /// Returns the fence and the permit that a number holds. O(permits out).
    pub fn fence_of(&self, number: Number) -> Option<(u64, Grant)> {
        self.out
            .iter()
            .find(|(_, grant)| grant.number == number)
            .map(|(fence, grant)| (*fence, *grant))
    }

    /// Returns the fence of the permit that runs out first, and when it does.
    pub fn first_due(&self) -> Option<(u64, u64)> {
        self.due.first().map(|(due_ms, fence)| (*fence, *due_ms))
    }

    /// Returns true if some permit can be taken back at this moment.
    pub fn anything_due(&self, at_ms: u64) -> bool {
        self.first_due().is_some_and(|(_, due_ms)| due_ms <= at_ms)
    }

    fn lets_in(&self, at_ms: u64, config: &RoomConfig) -> bool {
        self.pace.allows(at_ms, config) && self.health.allows(at_ms, config)
    }

    /// Returns where a number or an entry stands.
    pub fn place(&self, number: Number) -> Option<Place> {
        self.lanes.place(number)
    }

    /// Returns true if a number or an entry waits, present or away.
    pub fn waits(&self, number: Number) -> bool {
        matches!(self.place(number), Some(Place::Present | Place::Away(_)))
    }

    /// Returns a number as people see it.
    pub fn say(&self, number: Number) -> String {
        self.lanes.say(number)
    }

    /// The mode in the settings.
    pub fn mode(&self) -> Mode {
        self.config.as_ref().map_or(Mode::Closed, |c| c.mode)
    }

    /// The number of people who can be called, by mode and hours.
    pub fn callable(&self) -> u64 {
        self.lanes.callable(self.mode())
    }

    /// Returns who is called next.
    pub fn next_to_call(&self) -> Option<Number> {
        self.lanes.next_to_call(self.mode())
    }

    /// Returns true if mode, hours, pace and the origin's health let somebody be called, in any lane.
    pub fn may_call(&self, at_ms: u64) -> bool {
        let mut lanes = self.lanes.in_order();
        let calls = lanes.any(|(_, lane)| lane.calls(self.mode()));
        let lets_in = |c| self.lets_in(at_ms, c);
        calls && self.config.as_ref().is_some_and(lets_in)
    }

    /// Returns true if a visitor may walk into a lane, given a free permit. An observed visitor always may.
    pub fn may_walk_in(&self, at_ms: u64, lane: &Lane) -> bool {
        self.config.as_ref().is_some_and(|c| match c.mode {
            Mode::Observe => true,
            Mode::Open => {
                let calls = lane.is_open() && self.lets_in(at_ms, c);
                calls && c.walk_in && self.callable() == 0
            }
            _ => false,
        })
    }

    /// Returns true if permits are made for observed visitors.
    pub fn observes(&self) -> bool {
        let observes = |c: &RoomConfig| c.mode == Mode::Observe;
        self.config.as_ref().is_some_and(observes) && (self.out.len() as u64) < PERMITS_MAX
    }

    /// Ends every place. Permits that were called for go into the hand, or pay debt.
    pub fn end_line(&mut self) {
        let called = self.out.iter().filter(|(_, grant)| matches!(grant.stage, Stage::Called { .. }));
        let fences: Vec<u64> = called.map(|(fence, _)| *fence).collect();
        for fence in fences {
            self.take_back(fence);
            if self.debt > 0 {
                self.debt -= 1;
            } else {
                self.hand += 1;
            }
        }
        self.lanes.end_all();
    }

    /// The current edition, counted from 1.
    pub fn edition(&self) -> u32 {
        let begun = u32::try_from(self.past.len() + 1).unwrap_or(u32::MAX);
        begun.saturating_add(self.editions_lost)
    }

    /// Returns the current edition so far.
    pub fn present(&self) -> Begun {
        let mut by_lane = [0; LANES_MAX];
        for (issued, (_, lane)) in by_lane.iter_mut().zip(self.lanes.all()) {
            *issued = lane.line.issued();
        }
        Begun {
            edition: self.edition(),
            row: self.begun,
            numbers: by_lane.iter().sum(),
            by_lane,
        }
    }

    /// Begins the next edition: nobody has a place or a permit, and numbers begin at 1. Fences and the pace go on.
    pub fn begin(&mut self) {
        self.past.push(self.present());
        self.hand = self.permits();
        (self.tray, self.debt, self.called) = (0, 0, 0);
        self.out.clear();
        self.due.clear();
        self.lanes.begin();
        self.owned.clear();
        self.sheets.begin();
    }

    /// Returns the lobby of a living ticket. O(permits out) for a ticket that only a permit holds.
    pub fn lobby_of(&self, number: Number) -> Option<u16> {
        let line = self.lanes.line_of(number);
        let waits = line.and_then(|(line, within)| line.lobby(within));
        waits.or_else(|| Some(self.fence_of(number)?.1.lobby))
    }

    /// Returns the number of living tickets of its lane in front of a number. O(those).
    pub fn ahead(&self, number: Number) -> u64 {
        let line = self.lanes.line_of(number);
        line.map_or(0, |(line, within)| line.ahead(within))
    }

    /// Returns true if one more place is within the limits.
    pub fn has_room(&self) -> bool {
        self.lanes.alive() < LINE_MAX
    }

    /// Records that a permit is out under this fence.
    pub fn put_out(&mut self, fence: u64, grant: Grant) {
        self.last_fence = self.last_fence.max(fence);
        self.due.insert((grant.due_ms(), fence));
        self.called += u64::from(matches!(grant.stage, Stage::Called { .. }));
        self.out.insert(fence, grant);
    }

    /// Returns the lanes of people who have a permit. O(permits out).
    pub fn lanes_inside(&self) -> BTreeSet<LaneId> {
        let numbers = self.out.values().map(|grant| grant.number);
        numbers.map(Number::lane).collect()
    }

    /// Removes the permit that is out under this fence.
    pub fn take_back(&mut self, fence: u64) {
        if let Some(grant) = self.out.remove(&fence) {
            self.due.remove(&(grant.due_ms(), fence));
            self.called -= u64::from(matches!(grant.stage, Stage::Called { .. }));
        }
    }

    /// Gives a permit another fence.
    pub fn refence(&mut self, from: u64, fence: u64) {
        if let Some(grant) = self.grant(from) {
            self.take_back(from);
            self.put_out(fence, grant);
        }
    }

    /// Records that a permit's holder has come further.
    pub fn restage(&mut self, fence: u64, stage: Stage) {
        if let Some(grant) = self.grant(fence) {
            self.take_back(fence);
            self.put_out(fence, Grant { stage, ..grant });
        }
    }

    /// Takes another number of permits from the operator. More permits pay the debt before they go into the hand. Fewer are taken from the hand, then
    /// from the tray, and the rest is owed.
    pub fn resize(&mut self, permits: u64) {
        let before = self.permits();
        let mut more = permits.saturating_sub(before);
        let mut fewer = before.saturating_sub(permits);
        let pay = |from: &mut u64, amount: &mut u64| {
            let paid = (*from).min(*amount);
            *from -= paid;
            *amount -= paid;
        };
        pay(&mut self.debt, &mut more);
        self.hand += more;
        pay(&mut self.hand, &mut fewer);
        pay(&mut self.tray, &mut fewer);
        self.debt += fewer;
    }

    /// Checks the balance, after each fact.
    pub fn balance(&mut self) -> Check {
        let (leased, called) = (self.leased(), self.called);
        self.totals.inside_most = self.totals.inside_most.max(leased);
        self.totals.line_most = self.totals.line_most.max(self.lanes.waiting());
        let have = self.hand + self.tray + called + leased;
        let should = self.permits() + self.debt;
        require("every permit is accounted for", have == should, || {
            format!(
                "hand {} + tray {} + called {called} + leased {leased} = {have}, but permits {} + \
                 debt {} = {should}",
                self.hand,
                self.tray,
                self.permits(),
                self.debt
            )
        })?;
        require("leases are bounded", leased <= should, || {
            format!("{leased} are inside, at most {should} may be")
        })
    }
}
