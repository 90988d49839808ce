//! Keeps who waits, who is called, and who is away until when, for each living ticket by itself.
//!
//! `GraceEnded` says only how many places were lost. Which ones follows from the facts before it: away tickets are gathered into at most fifteen
//! groups with a common end, by the rule in [`Line::group_for`], and a group ends as a whole.

use std::collections::{BTreeMap, BTreeSet};

/// The most groups of away tickets.
const GROUPS_MAX: usize = 15;
/// The number of grains in a grace. A group ends at the end of a grain.
const GRAINS: u64 = 14;

/// Where a living ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Present,
    /// Away, in this group.
    Away(u8),
    Called,
}

#[derive(Clone, Copy, Debug)]
struct Ticket {
    /// The lobby of its holder, for life.
    lobby: u16,
    place: Place,
    missed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    end_ms: u64,
    count: u64,
}

/// The line of one lane. Its numbers count from 1 within the lane.
#[derive(Clone, Debug, Default)]
pub struct Line {
    issued: u64,
    tickets: BTreeMap<u64, Ticket>,
    present: BTreeSet<u64>,
    away: BTreeSet<(u8, u64)>,
    groups: BTreeMap<u8, Group>,
}

impl Line {
    /// The last number issued; 0 before the first.
    pub const fn issued(&self) -> u64 {
        self.issued
    }

    /// The number of tickets that are present, away or called.
    pub fn alive(&self) -> u64 {
        self.tickets.len() as u64
    }

    pub fn away(&self) -> u64 {
        self.away.len() as u64
    }

    pub fn present(&self) -> u64 {
        self.present.len() as u64
    }

    pub fn first_present(&self) -> Option<u64> {
        self.present.first().copied()
    }

    /// Returns where a ticket stands, or `None` if it is not in the line.
    pub fn place(&self, number: u64) -> Option<Place> {
        self.tickets.get(&number).map(|ticket| ticket.place)
    }

    /// Returns true if the ticket missed a call.
    pub fn missed(&self, number: u64) -> bool {
        self.tickets.get(&number).is_some_and(|t| t.missed)
    }

    /// Empties the line; numbers go on.
    pub fn end_all(&mut self) {
        *self = Self {
            issued: self.issued,
            ..Self::default()
        };
    }

    /// Returns the number of living tickets in front. O(those).
    pub fn ahead(&self, number: u64) -> u64 {
        self.tickets.range(..number).count() as u64
    }

    /// Returns the lobby through which a living ticket was issued.
    pub fn lobby(&self, number: u64) -> Option<u16> {
        self.tickets.get(&number).map(|ticket| ticket.lobby)
    }

    /// Issues the next numbers to a lobby, all present. O(count · log n).
    pub fn join(&mut self, lobby: u16, count: u64) {
        for number in self.issued + 1..=self.issued + count {
            let ticket = Ticket {
                lobby,
                place: Place::Present,
                missed: false,
            };
            self.tickets.insert(number, ticket);
            self.present.insert(number);
        }
        self.issued += count;
    }

    /// Issues nothing below `next` from now on.
    pub fn skip_to(&mut self, next: u64) {
        self.issued = self.issued.max(next.saturating_sub(1));
    }

    /// Issues the next number to a visitor who does not wait, and returns it.
    pub const fn pass(&mut self) -> u64 {
        self.issued += 1;
        self.issued
    }

    /// Marks a ticket as away at `at_ms`; it keeps its place for the grace. O(log n).
    pub fn go_away(&mut self, number: u64, at_ms: u64, grace_ms: u64) {
        self.stay_away(number, at_ms.saturating_add(grace_ms), grace_ms);
    }

    /// Marks a ticket as away; it keeps its place until `until_ms`. O(log n).
    pub fn stay_away(&mut self, number: u64, until_ms: u64, grace_ms: u64) {
        let group = self.group_for(until_ms, grace_ms);
        if let Some(group) = self.groups.get_mut(&group) {
            group.count += 1;
        }
        self.put(number, Place::Away(group));
    }

    /// Every living ticket, in order.
    pub fn living(&self) -> impl Iterator<Item = (u64, Place, u16)> + '_ {
        let tickets = self.tickets.iter();
        tickets.map(|(number, t)| (*number, t.place, t.lobby))
    }

    /// Records that a ticket missed its first call.
    pub fn set_missed(&mut self, number: u64) {
        if let Some(ticket) = self.tickets.get_mut(&number) {
            ticket.missed = true;
        }
    }

    pub fn set_present(&mut self, number: u64) {
        self.put(number, Place::Present);
    }

    pub fn set_called(&mut self, number: u64) {
        self.put(number, Place::Called);
    }

    /// Removes a ticket that has gone in or is over. O(log n).
    pub fn remove(&mut self, number: u64) {
        if let Some(ticket) = self.tickets.remove(&number) {
            self.unlist(number, ticket.place);
        }
    }

    /// Returns the number of away tickets that have run out of grace.
    pub fn away_due(&self, at_ms: u64) -> u64 {
        let due = self.groups.values().filter(|group| group.end_ms <= at_ms);
        due.map(|group| group.count).sum()
    }

    /// Ends all away tickets that have run out of grace. O(ended · log n).
    pub fn end_grace(&mut self, at_ms: u64) {
        let due: Vec<u8> = self.groups.iter().filter(|(_, group)| group.end_ms <= at_ms).map(|(id, _)| *id).collect();
        for id in due {
            let members: Vec<u64> = self.away.range((id, 0)..=(id, u64::MAX)).map(|(_, number)| *number).collect();
            for number in members {
                self.remove(number);
            }
        }
    }

    /// Returns when an away ticket loses its place.
    pub fn kept_until_ms(&self, number: u64) -> Option<u64> {
        match self.place(number)? {
            Place::Away(id) => self.groups.get(&id).map(|group| group.end_ms),
            Place::Present | Place::Called => None,
        }
    }

    /// Returns the group for a ticket whose place must be kept until `wanted_ms`: the first group that ends neither before that nor after the end of
    /// its grain; else a new group that ends with the grain. If there are fifteen groups already, the next group that ends later takes the ticket, or
    /// else the last group's end moves to the end of the grain.
    fn group_for(&mut self, wanted_ms: u64, grace_ms: u64) -> u8 {
        let grain_ms = grace_ms.div_ceil(GRAINS).max(1);
        let grain_end_ms = wanted_ms.checked_next_multiple_of(grain_ms).unwrap_or(u64::MAX);
        let later = self
            .groups
            .iter()
            .filter(|(_, group)| group.end_ms >= wanted_ms)
            .min_by_key(|(_, group)| group.end_ms)
            .map(|(id, group)| (*id, group.end_ms));
        let last = self.groups.iter().max_by_key(|(_, group)| group.end_ms).map(|(id, _)| *id);
        match (later, last) {
            (Some((id, end_ms)), _) if end_ms <= grain_end_ms => id,
            (Some((id, _)), _) if self.groups.len() >= GROUPS_MAX => id,
            (None, Some(id)) if self.groups.len() >= GROUPS_MAX => {
                if let Some(group) = self.groups.get_mut(&id) {
                    group.end_ms = grain_end_ms;
                }
                id
            }
            _ => {
                let free = (0..u8::MAX).find(|id| !self.groups.contains_key(id));
                let id = free.unwrap_or_default();
                let group = Group {
                    end_ms: grain_end_ms,
                    count: 0,
                };
                self.groups.insert(id, group);
                id
            }
        }
    }

    fn put(&mut self, number: u64, place: Place) {
        let Some(ticket) = self.tickets.get_mut(&number) else {
            return;
        };
        let before = core::mem::replace(&mut ticket.place, place);
        self.unlist(number, before);
        match place {
            Place::Present => {
                self.present.insert(number);
            }
            Place::Away(id) => {
                self.away.insert((id, number));
            }
            Place::Called => {}
        }
    }

    fn unlist(&mut self, number: u64, place: Place) {
        match place {
            Place::Present => {
                self.present.remove(&number);
            }
            Place::Away(id) => {
                self.away.remove(&(id, number));
                if let Some(group) = self.groups.get_mut(&id) {
                    group.count = group.count.saturating_sub(1);
                    if group.count == 0 {
                        self.groups.remove(&id);
                    }
                }
            }
            Place::Called => {}
        }
    }
}
