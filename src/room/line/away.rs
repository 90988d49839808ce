//! Who is away, in groups that run out together. Away time is coarse: it costs four bits a ticket, and no timer for each visitor.

use super::{Line, Place, split};
use facts::units::{Instant, LobbyId, Number};
use serde::{Deserialize, Serialize};

/// The most groups of away tickets that run out together. Fifteen fit into four bits a ticket beside "not away".
pub(super) const AWAY_SLOTS: usize = 15;

/// The group that an away ticket is in: 1 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away(u8);

impl Away {
    pub(super) fn new(bits: u8) -> Option<Self> {
        (1..=AWAY_SLOTS).contains(&usize::from(bits)).then_some(Self(bits))
    }

    fn at(index: usize) -> Self {
        Self((index % AWAY_SLOTS) as u8 + 1)
    }

    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// A group of away tickets with a common end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Group {
    /// When its tickets are over.
    due_at: Instant,
    /// How many tickets are in it.
    count: u64,
}

/// The groups of one line. Those that are away are counted in the group that their bits name; an empty group is free for another end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Groups([Group; AWAY_SLOTS]);

impl Groups {
    /// Counts somebody who moves from one place to another.
    pub(super) fn moves(&mut self, from: Place, to: Place) {
        if let Some(group) = self.of(from) {
            group.count = group.count.saturating_sub(1);
        }
        if let Some(group) = self.of(to) {
            group.count += 1;
        }
    }

    fn of(&mut self, place: Place) -> Option<&mut Group> {
        match place {
            Place::Away(slot) => self.0.get_mut(slot.index()),
            Place::Gone | Place::Present | Place::Called => None,
        }
    }

    /// Returns whether so many are in each group as are in these places.
    pub(super) fn counts(&self, places: impl Iterator<Item = Place>) -> bool {
        let mut fresh = Self::default();
        places.for_each(|place| fresh.moves(Place::Gone, place));
        let counts = |groups: &Self| groups.0.map(|group| group.count);
        counts(&fresh) == counts(self)
    }

    /// Returns the group for tickets that may be over at `due_at`: one that ends within `grain_ms` after it, else a free one, else the next later
    /// one, else the latest, which then ends later.
    fn due_about(&mut self, due_at: Instant, grain_ms: u64) -> Away {
        let rounded = Instant(due_at.0.next_multiple_of(grain_ms.max(1)));
        let later = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, group)| group.count > 0 && group.due_at >= due_at)
            .min_by_key(|(_, group)| group.due_at)
            .map(|(i, group)| (i, group.due_at));
        if let Some((i, due)) = later
            && due <= rounded
        {
            return Away::at(i);
        }
        if let Some((i, group)) = self.0.iter_mut().enumerate().find(|(_, g)| g.count == 0) {
            group.due_at = rounded;
            return Away::at(i);
        }
        if let Some((i, _)) = later {
            return Away::at(i);
        }
        let latest = self.0.iter_mut().enumerate().max_by_key(|(_, group)| group.due_at);
        latest.map_or(Away::at(0), |(i, group)| {
            group.due_at = rounded;
            Away::at(i)
        })
    }
}

impl Line {
    /// The number of tickets that are away.
    #[must_use]
    pub fn away(&self) -> u64 {
        self.away.0.iter().map(|group| group.count).sum()
    }

    /// Returns when the next group of away tickets runs out, or `None` if nobody is away. O(1).
    #[must_use]
    pub fn away_due_at(&self) -> Option<Instant> {
        self.away.0.iter().filter(|group| group.count > 0).map(|group| group.due_at).min()
    }

    /// Returns until when an away ticket of this group keeps its place. O(1).
    #[must_use]
    pub fn away_until(&self, slot: Away) -> Instant {
        self.away.0.get(slot.index()).map_or(Instant(0), |group| group.due_at)
    }

    /// Marks a present or called ticket as away. It keeps its place until about `due_at`: never less, at most `grain_ms` longer. O(log n).
    pub fn set_away(&mut self, number: Number, due_at: Instant, grain_ms: u64) {
        if matches!(self.place(number), Place::Present | Place::Called) {
            let slot = self.away.due_about(due_at, grain_ms);
            self.move_to(number, Place::Away(slot));
        }
    }

    /// Ends every away ticket whose group is due at `now`, and returns how many. With `told` it calls `each` for each of them, with
    /// its lobby, because the line may know nothing of it afterwards. O(n / 64) word operations, only when a group is due, and
    /// O(log runs) for each that is told.
    pub fn expire_away(&mut self, now: Instant, told: bool, mut each: impl FnMut(Number, LobbyId)) -> u64 {
        let mut ended = 0;
        for (index, group) in self.away.0.iter_mut().enumerate() {
            if group.count > 0 && group.due_at <= now {
                ended += self.chunks.expire(Away::at(index), told, &mut each);
                group.count = 0;
            }
        }
        self.alive -= ended.min(self.alive);
        self.chunks.drop_empty_head(split(self.next).0);
        ended
    }

    /// Returns how many tickets [`Self::expire_away`] would end. O(1).
    #[must_use]
    pub fn away_due(&self, now: Instant) -> u64 {
        self.away.0.iter().filter(|group| group.due_at <= now).map(|group| group.count).sum()
    }
}
