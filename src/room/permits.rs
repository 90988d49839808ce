//! Where every permit is: in the hand, on the tray, called for, or leased.
//!
//! This file keeps the books. It never decides who gets a permit.

use super::in_order::{InOrder, Key, merged};
use crate::facts::config::RoomConfig;
use crate::facts::holder::{self, Holder};
use crate::facts::units::{Fence, Instant, LobbyId, Number};
use crate::planted::{self, Bug};
use serde::{Deserialize, Serialize};

/// A permit that somebody has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Whose it is.
    pub number: Number,
    /// Through which lobby.
    pub lobby: LobbyId,
    /// Who that is.
    pub holder: Holder,
    /// For which account, if it is one's.
    pub account: Option<holder::Key>,
    /// How far the holder has come.
    pub stage: Stage,
}

/// How far the holder of a permit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Given out, not yet taken.
    Called {
        /// Until when it may be taken.
        claim_by: Instant,
        /// When it was given out.
        called_at: Instant,
        /// For how long the permit was dead until then; see [`times::idle`](super::times::idle).
        dead_ms: u64,
    },
    /// In use.
    Leased(Lease),
}

/// A permit in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// When it was taken.
    pub begun_at: Instant,
    /// Slides with activity.
    pub idle_end: Instant,
    /// Moves only when the origin asks for it.
    pub hard_end: Instant,
    /// By how much the hard end was moved so far.
    pub extended_ms: u64,
    /// A walk-in that has not shown its cookie yet.
    pub provisional: bool,
}

impl Lease {
    /// A lease that begins now.
    #[must_use]
    pub fn begin(now: Instant, config: &RoomConfig) -> Self {
        Self {
            begun_at: now,
            idle_end: now.plus_ms(config.lease_idle_ms),
            hard_end: now.plus_ms(config.lease_max_ms),
            extended_ms: 0,
            provisional: false,
        }
    }

    /// A walk-in's lease, short until the client shows its cookie back.
    #[must_use]
    pub fn begin_provisional(now: Instant, config: &RoomConfig) -> Self {
        let idle_end = now.plus_ms(config.claim_within_ms.min(config.lease_idle_ms));
        Self {
            idle_end,
            provisional: true,
            ..Self::begin(now, config)
        }
    }

    /// The last activity: where the idle end was slid from, unless it was set under other settings.
    #[must_use]
    pub fn active_at(&self, config: &RoomConfig) -> Instant {
        let idle_ms = self.idle_end.since_ms(self.begun_at);
        self.begun_at
            .plus_ms(idle_ms.saturating_sub(config.lease_idle_ms))
    }

    /// When it ends if nothing happens.
    #[must_use]
    pub fn end(&self) -> Instant {
        self.idle_end.min(self.hard_end)
    }
}

impl Grant {
    /// When the usher may take the permit back.
    #[must_use]
    pub fn due_at(&self) -> Instant {
        match self.stage {
            Stage::Called { .. } if planted::is(Bug::ClaimDeadlineForgotten) => Instant::NEVER,
            Stage::Called { claim_by, .. } => claim_by,
            Stage::Leased(lease) => lease.end(),
        }
    }

    /// Whether it was given out and not yet taken.
    #[must_use]
    pub const fn is_called(&self) -> bool {
        matches!(self.stage, Stage::Called { .. })
    }

    /// Whether it ends within the time to claim, and not within that of a lease.
    const fn ends_soon(&self) -> bool {
        match self.stage {
            Stage::Called { .. } => true,
            Stage::Leased(lease) => lease.provisional,
        }
    }
}

/// The books of one room's permits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Permits {
    hand: u32,
    tray: u32,
    debt: u32,
    next_fence: Fence,
    grants: InOrder<Fence, Grant>,
    /// These four follow from the grants.
    by_number: InOrder<Number, Fence>,
    /// Calls and trials end soon, leases late: apart each end nearly in the order in which they began.
    soon: InOrder<(Instant, Fence), ()>,
    late: InOrder<(Instant, Fence), ()>,
    called: u32,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    hand: u32,
    tray: u32,
    debt: u32,
    next_fence: Fence,
    grants: InOrder<Fence, Grant>,
}

impl From<Stored> for Permits {
    fn from(stored: Stored) -> Self {
        let mut permits = Self {
            hand: stored.hand,
            tray: stored.tray,
            debt: stored.debt,
            next_fence: stored.next_fence,
            ..Self::default()
        };
        for (fence, grant) in stored.grants.iter() {
            permits.insert(fence, grant.clone());
        }
        permits
    }
}

impl From<Permits> for Stored {
    fn from(permits: Permits) -> Self {
        Self {
            hand: permits.hand,
            tray: if planted::is(Bug::TrayLostOnRestart) {
                0
            } else {
                permits.tray
            },
            debt: permits.debt,
            next_fence: permits.next_fence,
            grants: permits.grants,
        }
    }
}

impl Permits {
    /// In the usher's hand.
    #[must_use]
    pub const fn hand(&self) -> u32 {
        self.hand
    }

    /// On the tray.
    #[must_use]
    pub const fn tray(&self) -> u32 {
        self.tray
    }

    /// Out beyond what the room has now.
    #[must_use]
    pub const fn debt(&self) -> u32 {
        self.debt
    }

    /// Given out and not yet taken.
    #[must_use]
    pub const fn called(&self) -> u32 {
        self.called
    }

    /// In use.
    #[must_use]
    pub fn leased(&self) -> u32 {
        self.out_count() - self.called
    }

    /// Called for or in use. O(1).
    #[must_use]
    pub fn out_count(&self) -> u32 {
        self.grants.len() as u32
    }

    /// Hand and tray.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.hand + self.tray
    }

    /// The last fence minted.
    #[must_use]
    pub const fn last_fence(&self) -> Fence {
        self.next_fence
    }

    /// The permit of a fence, if it is out. O(log permits).
    #[must_use]
    pub fn grant(&self, fence: Fence) -> Option<&Grant> {
        self.grants.get(fence)
    }

    /// The permit of a ticket, if it has one. O(log permits).
    #[must_use]
    pub fn of_number(&self, number: Number) -> Option<(Fence, &Grant)> {
        let fence = *self.by_number.get(number)?;
        Some((fence, self.grants.get(fence)?))
    }

    /// When the first permit may be taken back. O(log permits).
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        let firsts = [self.soon.first(), self.late.first()];
        let (at, _) = firsts.into_iter().flatten().min()?;
        Some(at)
    }

    /// The permits that may be taken back now, earliest first.
    pub fn due(&self, now: Instant) -> impl Iterator<Item = (Fence, &Grant)> {
        merged(self.soon.iter(), self.late.iter())
            .take_while(move |((at, _), ())| *at <= now)
            .filter_map(|((_, fence), ())| Some((fence, self.grants.get(fence)?)))
    }

    /// Every permit that is out, oldest fence first.
    pub fn out(&self) -> impl Iterator<Item = (Fence, &Grant)> {
        self.grants.iter()
    }

    /// The operator changed how many there are. New ones pay the debt first; of those that are
    /// too many the free ones vanish and the rest becomes debt.
    pub fn resize(&mut self, from: u32, to: u32) {
        let more = to.saturating_sub(from);
        let paid = more.min(self.debt);
        self.debt -= paid;
        self.hand += more - paid;
        let fewer = from.saturating_sub(to);
        let of_hand = fewer.min(self.hand);
        let of_tray = (fewer - of_hand).min(self.tray);
        self.hand -= of_hand;
        self.tray -= of_tray;
        self.debt += fewer - of_hand - of_tray;
    }

    /// Nobody has a permit and none is owed: all are in the hand. Fences go on.
    pub fn begin(&mut self, permits: u32) {
        *self = Self {
            hand: permits,
            next_fence: self.next_fence,
            ..Self::default()
        };
    }

    /// A permit leaves the hand.
    pub fn take_from_hand(&mut self) {
        self.hand = self.hand.saturating_sub(1);
    }

    /// A permit leaves the tray.
    pub fn take_from_tray(&mut self) {
        self.tray = self.tray.saturating_sub(1);
    }

    /// A permit is made for somebody who is only observed, and is owed.
    pub fn make_one(&mut self) {
        self.debt += 1;
    }

    /// A permit comes back into the hand.
    pub fn put_in_hand(&mut self) {
        self.hand += 1;
    }

    /// A permit comes back onto the tray.
    pub fn put_on_tray(&mut self) {
        self.tray += 1;
    }

    /// A permit comes back and vanishes.
    pub fn pay_debt(&mut self) {
        self.debt = self.debt.saturating_sub(1);
    }

    /// Everything on the tray goes into the hand.
    pub fn empty_tray(&mut self) {
        self.hand += self.tray;
        self.tray = 0;
    }

    /// A permit is out under a new fence.
    pub fn insert(&mut self, fence: Fence, grant: Grant) {
        self.next_fence = self.next_fence.max(fence);
        self.ends(grant.ends_soon())
            .insert((grant.due_at(), fence), ());
        self.by_number.insert(grant.number, fence);
        self.called += u32::from(matches!(grant.stage, Stage::Called { .. }));
        self.grants.insert(fence, grant);
    }

    /// A permit is no longer out under this fence.
    pub fn remove(&mut self, fence: Fence) -> Option<Grant> {
        let grant = self.grants.remove(fence)?;
        self.ends(grant.ends_soon()).remove((grant.due_at(), fence));
        self.by_number.remove(grant.number);
        self.called -= u32::from(matches!(grant.stage, Stage::Called { .. }));
        Some(grant)
    }

    /// A permit goes on under another fence, with another holder.
    pub fn carry(&mut self, from: Fence, fence: Fence, holder: Holder) {
        if let Some(grant) = self.remove(from) {
            self.insert(fence, Grant { holder, ..grant });
        }
    }

    /// The permit of a ticket is an account's from now on. O(log permits).
    pub fn set_account(&mut self, number: Number, account: holder::Key) {
        let fence = self.by_number.get(number).copied();
        if let Some(grant) = fence.and_then(|fence| self.grants.get_mut(fence)) {
            grant.account = Some(account);
        }
    }

    /// Changes how far the holder has come.
    pub fn set_stage(&mut self, fence: Fence, stage: Stage) {
        let Some(grant) = self.grants.get_mut(fence) else {
            return;
        };
        let called = |stage: Stage| u32::from(matches!(stage, Stage::Called { .. }));
        self.called = self.called - called(grant.stage) + called(stage);
        let was = (grant.ends_soon(), grant.due_at());
        grant.stage = stage;
        let is = (grant.ends_soon(), grant.due_at());
        if is != was {
            self.ends(was.0).remove((was.1, fence));
            self.ends(is.0).insert((is.1, fence), ());
        }
    }

    /// Where the ends of such permits are kept.
    const fn ends(&mut self, soon: bool) -> &mut InOrder<(Instant, Fence), ()> {
        if soon { &mut self.soon } else { &mut self.late }
    }
}

impl Key for Fence {
    fn steps_to(self, later: Self) -> usize {
        usize::try_from(later.0.saturating_sub(self.0)).unwrap_or(usize::MAX)
    }
}

impl Key for Number {
    fn steps_to(self, later: Self) -> usize {
        usize::try_from(later.0.saturating_sub(self.0)).unwrap_or(usize::MAX)
    }
}

/// There may be any number of fences between two ends, so it is searched for; but the first is found at once.
impl Key for (Instant, Fence) {
    fn steps_to(self, later: Self) -> usize {
        if self == later { 0 } else { usize::MAX }
    }
}
