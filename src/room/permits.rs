//! The books of where every permit is: in the hand, on the tray, called for, or leased.
//!
//! This file only keeps the books. It never decides who gets a permit.

use super::by_number::ByNumber;
use super::in_order::{InOrder, Key, merged};
use facts::config::RoomConfig;
use facts::holder::{self, Holder, Tag};
use facts::ordered;
use facts::planted::{self, Bug};
use facts::reply::Standing;
use facts::units::{Fence, Instant, LANES_MAX, LobbyId, Number};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeSet;

/// A permit that somebody has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The ticket that has it.
    pub number: Number,
    /// The ticket's lobby.
    pub lobby: LobbyId,
    /// The ticket's holder.
    pub holder: Holder,
    /// The ticket's account, if it has one.
    pub account: Option<holder::Key>,
    /// How far the holder has come.
    pub stage: Stage,
}

/// How far the holder of a permit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Given out, not yet taken.
    Called {
        /// The deadline for taking it.
        claim_by: Instant,
        /// When it was given out.
        called_at: Instant,
        /// For how long the permit had been dead by then; see [`times::idle`](super::times::idle).
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
    /// The idle end, which slides with activity.
    pub idle_end: Instant,
    /// The hard end, which moves only when the origin asks for it.
    pub hard_end: Instant,
    /// By how much the hard end has been moved.
    pub extended_ms: u64,
    /// True for a walk-in that has not shown its cookie yet.
    pub provisional: bool,
}

impl Lease {
    /// Returns a lease that begins now.
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

    /// Returns the lease of a walk-in: short until the client shows its cookie.
    #[must_use]
    pub fn begin_provisional(now: Instant, config: &RoomConfig) -> Self {
        let idle_end = now.plus_ms(config.claim_within_ms.min(config.lease_idle_ms));
        Self {
            idle_end,
            provisional: true,
            ..Self::begin(now, config)
        }
    }

    /// The time of the last activity, from which the idle end was slid. Not exact if `lease_idle_ms` has changed since.
    #[must_use]
    pub fn active_at(&self, config: &RoomConfig) -> Instant {
        let idle_ms = self.idle_end.since_ms(self.begun_at);
        self.begun_at.plus_ms(idle_ms.saturating_sub(config.lease_idle_ms))
    }

    /// When the lease ends if nothing happens.
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

    /// Whether the permit is given out and not yet taken.
    #[must_use]
    pub const fn is_called(&self) -> bool {
        matches!(self.stage, Stage::Called { .. })
    }

    /// Returns where its holder stands. O(1).
    pub(crate) fn standing(&self, now: Instant, fence: Fence) -> Standing {
        match self.stage {
            Stage::Called { claim_by, .. } => Standing::Called {
                fence,
                claim_in_ms: claim_by.since_ms(now),
            },
            Stage::Leased(lease) if lease.hard_end <= now => Standing::Over,
            Stage::Leased(lease) => Standing::Admitted {
                fence,
                idle_in_ms: lease.idle_end.since_ms(now),
                hard_in_ms: lease.hard_end.since_ms(now),
                extended_ms: lease.extended_ms,
                provisional: lease.provisional,
            },
        }
    }

    /// Whether the permit ends within the time to claim, not within that of a lease.
    const fn ends_soon(&self) -> bool {
        match self.stage {
            Stage::Called { .. } => true,
            Stage::Leased(lease) => lease.provisional,
        }
    }
}

/// The books of one room's permits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Stored")]
pub struct Permits {
    hand: u32,
    tray: u32,
    debt: u32,
    next_fence: Fence,
    grants: InOrder<Fence, Grant>,
    /// This table and the three fields below follow from the grants.
    by_number: ByNumber,
    /// Calls and provisional leases end soon, other leases late. Kept apart, each kind ends nearly in the order in which it began.
    soon: InOrder<(Instant, Fence), ()>,
    late: InOrder<(Instant, Fence), ()>,
    called: u32,
    /// Fences are minted above this. No snapshot has it.
    minted_above: Fence,
}

/// What a snapshot has of the books: what the rest follows from.
#[derive(Deserialize)]
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

/// [`Stored`], borrowed to be written.
#[derive(Serialize)]
struct Storing<'a> {
    hand: u32,
    tray: u32,
    debt: u32,
    next_fence: Fence,
    grants: &'a InOrder<Fence, Grant>,
}

impl Serialize for Permits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let storing = Storing {
            hand: self.hand,
            tray: if planted::is(Bug::TrayLostOnRestart) { 0 } else { self.tray },
            debt: self.debt,
            next_fence: self.next_fence,
            grants: &self.grants,
        };
        storing.serialize(serializer)
    }
}

impl Permits {
    /// The number of permits in the usher's hand.
    #[must_use]
    pub const fn hand(&self) -> u32 {
        self.hand
    }

    /// The number of permits on the tray.
    #[must_use]
    pub const fn tray(&self) -> u32 {
        self.tray
    }

    /// The number of permits that are out beyond those that the room has now.
    #[must_use]
    pub const fn debt(&self) -> u32 {
        self.debt
    }

    /// The number of permits given out and not yet taken.
    #[must_use]
    pub const fn called(&self) -> u32 {
        self.called
    }

    /// The number of permits in use.
    #[must_use]
    pub fn leased(&self) -> u32 {
        self.out_count() - self.called
    }

    /// The number of permits called for or in use. O(1).
    #[must_use]
    pub fn out_count(&self) -> u32 {
        self.grants.len() as u32
    }

    /// The number of permits in the hand and on the tray.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.hand + self.tray
    }

    /// The last fence minted.
    #[must_use]
    pub const fn last_fence(&self) -> Fence {
        self.next_fence
    }

    /// The last fence that was minted, or that may have been.
    pub(crate) fn minted(&self) -> Fence {
        self.next_fence.max(self.minted_above)
    }

    /// Makes every later fence greater than this one.
    pub(crate) fn mint_above(&mut self, fence: Fence) {
        self.minted_above = self.minted_above.max(fence);
    }

    /// Returns the permit of a fence, if it is out. O(log permits).
    #[must_use]
    pub fn grant(&self, fence: Fence) -> Option<&Grant> {
        self.grants.get(fence)
    }

    /// Returns the permit of a ticket with its fence, if it has one. O(1) on average, as a rule; O(log permits) once older permits are out.
    #[must_use]
    pub fn of_number(&self, number: Number) -> Option<(Fence, &Grant)> {
        let fence = self.by_number.get(number)?;
        Some((fence, self.grants.get(fence)?))
    }

    /// Returns when the first permit may be taken back; `None` if none is out. O(log permits).
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        let firsts = [self.soon.first(), self.late.first()];
        let (at, _) = firsts.into_iter().flatten().min()?;
        Some(at)
    }

    /// The permits that may be taken back now, the earliest end first.
    pub fn due(&self, now: Instant) -> impl Iterator<Item = (Fence, &Grant)> {
        merged(self.soon.iter(), self.late.iter())
            .take_while(move |((at, _), ())| *at <= now)
            .filter_map(|((_, fence), ())| Some((fence, self.grants.get(fence)?)))
    }

    /// Every permit that is out, oldest fence first.
    pub fn out(&self) -> impl Iterator<Item = (Fence, &Grant)> {
        self.grants.iter()
    }

    /// Returns whether any of the lobby's tickets is called. Such a lobby must be told before others. O(permits).
    #[must_use]
    pub fn has_called(&self, lobby: LobbyId) -> bool {
        self.called > 0 && self.out().any(|(_, grant)| grant.lobby == lobby && grant.is_called())
    }

    /// The lobbies that have called tickets. O(permits · log lobbies), or O(1) if nobody is called.
    #[must_use]
    pub fn lobbies_called(&self) -> BTreeSet<LobbyId> {
        if self.called == 0 {
            return BTreeSet::new();
        }
        let called = self.out().filter(|(_, grant)| grant.is_called());
        ordered::filled(called.map(|(_, grant)| grant.lobby))
    }

    /// Returns for each lane whether anybody has a permit with a number of it, by slot. O(permits).
    pub(crate) fn lanes(&self) -> [bool; LANES_MAX] {
        let mut lanes = [false; LANES_MAX];
        for (_, grant) in self.out() {
            if let Some(lane) = lanes.get_mut(usize::from(grant.number.lane().0)) {
                *lane = true;
            }
        }
        lanes
    }

    /// The number of leases of the address that holds the most, as far as holders were named at an address; of IPv6, of the /48, which one holder has
    /// for nothing. O(permits · log permits).
    #[must_use]
    pub fn leases_of_one_address(&self) -> u32 {
        let leased = self.grants.iter().filter(|(_, grant)| !grant.is_called());
        let mut tags: Vec<Tag> = leased.map(|(_, grant)| grant.holder.tag.of_holder()).collect();
        tags.sort_unstable();
        let held = tags.chunk_by(Tag::eq).map(<[Tag]>::len).max();
        held.unwrap_or(0) as u32
    }

    /// Changes the number of permits. New ones pay the debt first. Of those that are too many, the free ones vanish and the rest becomes debt.
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

    /// Begins an edition: all permits are in the hand and none is owed. Fences keep counting.
    pub fn begin(&mut self, permits: u32) {
        *self = Self {
            hand: permits,
            next_fence: self.next_fence,
            minted_above: self.minted_above,
            ..Self::default()
        };
    }

    /// Takes a permit from the hand.
    pub fn take_from_hand(&mut self) {
        self.hand = self.hand.saturating_sub(1);
    }

    /// Takes a permit from the tray.
    pub fn take_from_tray(&mut self) {
        self.tray = self.tray.saturating_sub(1);
    }

    /// Makes a permit for an observed visitor. The room owes it.
    pub fn make_one(&mut self) {
        self.debt += 1;
    }

    /// Puts a permit that came back into the hand.
    pub fn put_in_hand(&mut self) {
        self.hand += 1;
    }

    /// Puts a permit that came back onto the tray.
    pub fn put_on_tray(&mut self) {
        self.tray += 1;
    }

    /// Lets a permit that came back vanish, to pay debt.
    pub fn pay_debt(&mut self) {
        self.debt = self.debt.saturating_sub(1);
    }

    /// Moves everything on the tray into the hand.
    pub fn empty_tray(&mut self) {
        self.hand += self.tray;
        self.tray = 0;
    }

    /// Records a permit that goes out under a new fence.
    pub fn insert(&mut self, fence: Fence, grant: Grant) {
        self.next_fence = self.next_fence.max(fence);
        self.ends(grant.ends_soon()).insert((grant.due_at(), fence), ());
        self.by_number.insert(grant.number, fence);
        self.called += u32::from(matches!(grant.stage, Stage::Called { .. }));
        self.grants.insert(fence, grant);
    }

    /// Removes the permit that is out under this fence and returns it, or `None` if there is none.
    pub fn remove(&mut self, fence: Fence) -> Option<Grant> {
        let grant = self.grants.remove(fence)?;
        self.ends(grant.ends_soon()).remove((grant.due_at(), fence));
        self.by_number.remove(grant.number);
        self.called -= u32::from(matches!(grant.stage, Stage::Called { .. }));
        Some(grant)
    }

    /// Moves a permit to another fence and another holder.
    pub fn carry(&mut self, from: Fence, fence: Fence, holder: Holder) {
        if let Some(grant) = self.remove(from) {
            self.insert(fence, Grant { holder, ..grant });
        }
    }

    /// Sets the account of a ticket that has a permit. O(log permits).
    pub fn set_account(&mut self, number: Number, account: holder::Key) {
        let fence = self.by_number.get(number);
        if let Some(grant) = fence.and_then(|fence| self.grants.get_mut(fence)) {
            grant.account = Some(account);
        }
    }

    /// Sets how far the holder has come.
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

    /// Changes a lease; does nothing if the fence has none.
    pub(crate) fn change_lease(&mut self, fence: Fence, change: impl FnOnce(&mut Lease)) {
        if let Some(Stage::Leased(mut lease)) = self.grant(fence).map(|grant| grant.stage) {
            change(&mut lease);
            self.set_stage(fence, Stage::Leased(lease));
        }
    }

    /// Takes back every permit that was called for and not taken, for the debt first. O(permits).
    pub(crate) fn call_off(&mut self) {
        let called = self.out().filter(|(_, grant)| grant.is_called());
        let called: Vec<Fence> = called.map(|(fence, _)| fence).collect();
        for fence in called {
            self.remove(fence);
            if self.debt > 0 {
                self.pay_debt();
            } else {
                self.put_in_hand();
            }
        }
    }

    /// Returns the ends of the permits that end soon, or of the others.
    const fn ends(&mut self, soon: bool) -> &mut InOrder<(Instant, Fence), ()> {
        if soon { &mut self.soon } else { &mut self.late }
    }
}

impl Key for Fence {
    fn steps_to(self, later: Self) -> usize {
        usize::try_from(later.0.saturating_sub(self.0)).unwrap_or(usize::MAX)
    }
}

/// Any number of fences may lie between two ends, so a key must be searched for. Only the first and the last are found at once.
impl Key for (Instant, Fence) {
    fn steps_to(self, later: Self) -> usize {
        if self == later { 0 } else { usize::MAX }
    }
}
