//! Who waits, who is called, who is away and until when. Kept for each living ticket by itself.
//!
//! `GraceEnded` only says how many places were lost. Which ones follows from the facts before it:
//! away tickets are gathered into at most fifteen groups with a common end, by the rule in
//! [`Line::group_for`], and a group ends as a whole.

use std::collections::{BTreeMap, BTreeSet};

/// How many groups of away tickets there may be.
const GROUPS_MAX: usize = 15;
/// The grace is cut into so many grains; a group ends on a whole grain.
const GRAINS: u64 = 14;

/// Where a living ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Present,
    /// In which group.
    Away(u8),
    Called,
}

#[derive(Clone, Copy, Debug)]
struct Ticket {
    /// Whose visitor holds it, for life.
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

    /// Tickets that wait, are away or called.
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

    /// `None`: not in the line.
    pub fn place(&self, number: u64) -> Option<Place> {
        self.tickets.get(&number).map(|ticket| ticket.place)
    }

    /// Whether it missed a call.
    pub fn missed(&self, number: u64) -> bool {
        self.tickets.get(&number).is_some_and(|t| t.missed)
    }

    /// Nobody is in it any more; numbers go on.
    pub fn end_all(&mut self) {
        *self = Self {
            issued: self.issued,
            ..Self::default()
        };
    }

    /// Living tickets in front. O(those).
    pub fn ahead(&self, number: u64) -> u64 {
        self.tickets.range(..number).count() as u64
    }

    /// Through which lobby a living ticket was issued.
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

    /// Issues the next number to somebody who does not wait.
    pub const fn pass(&mut self) -> u64 {
        self.issued += 1;
        self.issued
    }

    /// The ticket goes away at `at_ms` and keeps its place for the grace. O(log n).
    pub fn go_away(&mut self, number: u64, at_ms: u64, grace_ms: u64) {
        self.stay_away(number, at_ms.saturating_add(grace_ms), grace_ms);
    }

    /// The ticket is away and keeps its place as long as it did in the hall. O(log n).
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

    /// The ticket has missed its first call.
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

    /// The ticket has gone in, or is over. O(log n).
    pub fn remove(&mut self, number: u64) {
        if let Some(ticket) = self.tickets.remove(&number) {
            self.unlist(number, ticket.place);
        }
    }

    /// How many away tickets have run out of grace.
    pub fn away_due(&self, at_ms: u64) -> u64 {
        let due = self.groups.values().filter(|group| group.end_ms <= at_ms);
        due.map(|group| group.count).sum()
    }

    /// Ends all of them. O(ended · log n).
    pub fn end_grace(&mut self, at_ms: u64) {
        let due: Vec<u8> = self
            .groups
            .iter()
            .filter(|(_, group)| group.end_ms <= at_ms)
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let members: Vec<u64> = self
                .away
                .range((id, 0)..=(id, u64::MAX))
                .map(|(_, number)| *number)
                .collect();
            for number in members {
                self.remove(number);
            }
        }
    }

    /// When an away ticket's place is lost.
    pub fn kept_until_ms(&self, number: u64) -> Option<u64> {
        match self.place(number)? {
            Place::Away(id) => self.groups.get(&id).map(|group| group.end_ms),
            Place::Present | Place::Called => None,
        }
    }

    /// The group for a ticket whose place must be kept until `wanted_ms`: the first that ends
    /// neither before that nor after the end of its grain; else a new one that ends with the
    /// grain. When there are fifteen already, the next that ends later takes it, or the last one
    /// is made to end with the grain.
    fn group_for(&mut self, wanted_ms: u64, grace_ms: u64) -> u8 {
        let grain_ms = grace_ms.div_ceil(GRAINS).max(1);
        let grain_end_ms = wanted_ms
            .checked_next_multiple_of(grain_ms)
            .unwrap_or(u64::MAX);
        let later = self
            .groups
            .iter()
            .filter(|(_, group)| group.end_ms >= wanted_ms)
            .min_by_key(|(_, group)| group.end_ms)
            .map(|(id, group)| (*id, group.end_ms));
        let last = self
            .groups
            .iter()
            .max_by_key(|(_, group)| group.end_ms)
            .map(|(id, _)| *id);
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
