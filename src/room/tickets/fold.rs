//! What facts do to the tickets: each changes lines and permits together. Nothing here decides.

use super::Tickets;
use crate::hall::{Drawn, in_drawn_order, runs};
use crate::line::{Line, Place};
use crate::permits::{Grant, Lease, Stage};
use facts::config::RoomConfig;
use facts::event::{From, How};
use facts::hall::{Draw, Seed};
use facts::holder::{Holder, Key};
use facts::planted::{self, Bug};
use facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};

/// How long somebody who goes away now keeps the place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absence {
    /// The end of the grace.
    until: Instant,
    /// By how much later the place may end, with others of its group, ms.
    grain_ms: u64,
}

impl Absence {
    pub(crate) fn from(now: Instant, config: &RoomConfig) -> Self {
        let halves = if planted::is(Bug::GraceEndsEarly) { 2 } else { 1 };
        Self {
            until: now.plus_ms(config.grace_ms / halves),
            // Fourteen grains cover the grace, so fifteen groups are enough.
            grain_ms: config.grace_ms.div_ceil(14),
        }
    }
}

/// Somebody who was called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    pub lobby: LobbyId,
    pub holder: Holder,
    pub account: Option<Key>,
    /// When the number was issued, if this is its first call.
    pub issued_at: Option<Instant>,
}

/// A ticket that got another number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    pub from: Number,
    pub to: Number,
    pub lobby: LobbyId,
    pub holder: Holder,
    pub account: Option<Key>,
}

impl Tickets {
    /// Puts the operator's list of lanes and their rule in force. O(permits + lanes²).
    pub(crate) fn configure_lanes(&mut self, config: &RoomConfig) {
        let inside = self.permits.lanes();
        let is_inside = |id: LaneId| inside.get(usize::from(id.0)).copied() == Some(true);
        self.lanes.configure(&config.lanes, config.lanes_rule, is_inside);
    }

    /// Issues a number of the lane to each of these holders, and returns the first. O(holders + log n).
    pub(crate) fn join(&mut self, at: Instant, (lane, lobby): (LaneId, LobbyId), holders: &[Holder]) -> Number {
        let of = self.lanes.lane_mut(lane);
        of.note_joins(of.line.next(), at);
        of.line.join(lobby, holders)
    }

    /// Issues an entry of the lane's hall to each of these holders, and returns the first. O(holders + log n).
    pub(crate) fn enter_hall(&mut self, (lane, lobby): (LaneId, LobbyId), holders: &[Holder]) -> Number {
        self.lanes.lane_mut(lane).hall.line.join(lobby, holders)
    }

    /// Issues a number that never waits, with a permit, and returns it. O(log n).
    pub(crate) fn walk_in(&mut self, (lane, lobby): (LaneId, LobbyId), (fence, from): (Fence, From), holder: Holder, lease: Lease) -> Number {
        match from {
            From::Hand => self.permits.take_from_hand(),
            From::Tray => self.permits.take_from_tray(),
            From::Nowhere => self.permits.make_one(),
        }
        self.lanes.spend(lane);
        let number = self.lanes.lane_mut(lane).line.pass(lobby);
        let grant = Grant {
            number,
            lobby,
            holder,
            account: None,
            stage: Stage::Leased(lease),
        };
        self.permits.insert(fence, grant);
        number
    }

    /// Gives a number of a line a permit, which it must come for. O(log n).
    pub(crate) fn call(&mut self, number: Number, fence: Fence, now: Instant, stage: Stage) -> Called {
        let lane = self.lanes.lane_mut(number.lane());
        let line = &mut lane.line;
        let called = Called {
            lobby: line.lobby(number),
            holder: line.holder(number).unwrap_or_default(),
            account: line.account(number),
            issued_at: if line.missed(number) { None } else { lane.joins.issued_at(number) },
        };
        line.set_called(number);
        lane.rhythm.called(now);
        let grant = Grant {
            number,
            lobby: called.lobby,
            holder: called.holder,
            account: called.account.filter(|_| !planted::is(Bug::AccountLostInside)),
            stage,
        };
        self.permits.insert(fence, grant);
        self.lanes.spend(number.lane());
        called
    }

    /// Takes who was called out of the line and begins the lease. Returns the permit as it was before. O(log n).
    pub(crate) fn claim(&mut self, fence: Fence, lease: Lease) -> Option<Grant> {
        let grant = self.permits.grant(fence)?.clone();
        self.permits.set_stage(fence, Stage::Leased(lease));
        self.lanes.line_of_mut(grant.number).remove(grant.number);
        Some(grant)
    }

    /// Marks a ticket in line as away. O(log n).
    pub(crate) fn go_away(&mut self, number: Number, absence: Absence) {
        let Absence { until, grain_ms } = absence;
        self.lanes.line_of_mut(number).set_away(number, until, grain_ms);
    }

    /// Ends a permit's time with somebody and returns it as it was; `how` says what becomes of the ticket: one that missed its call stays in line.
    /// `None` if the fence is not out. O(log n).
    pub(crate) fn end(&mut self, fence: Fence, how: How, absence: Absence) -> Option<Grant> {
        let grant = self.permits.remove(fence)?;
        let number = grant.number;
        match how {
            How::Released | How::Expired => {}
            How::Missed => {
                self.go_away(number, absence);
                self.lanes.line_of_mut(number).set_missed(number);
                self.lanes.missed(number.lane());
            }
            How::MissedAgain | How::Left => self.lanes.line_of_mut(number).remove(number),
        }
        Some(grant)
    }

    /// Ends a ticket in line and returns its lobby. O(log n).
    pub(crate) fn leave(&mut self, number: Number) -> LobbyId {
        let line = self.lanes.line_of_mut(number);
        let lobby = line.lobby(number);
        line.remove(number);
        lobby
    }

    /// Ends the places whose grace is over. Returns how many and, with `told`, each with its lobby. See [`Line::expire_away`].
    pub(crate) fn end_graces(&mut self, at: Instant, told: bool) -> (u64, Vec<(Number, LobbyId)>) {
        let mut ended = Vec::new();
        let lines = self.lanes.lines_mut();
        let count = lines
            .map(|line| line.expire_away(at, told, |number, lobby| ended.push((number, lobby))))
            .sum();
        if planted::is(Bug::EndToldElsewhere) {
            ended
                .iter_mut()
                .for_each(|(number, lobby)| *lobby = self.lanes.line_of(*number).lobby(*number));
        }
        (count, ended)
    }

    /// Ends every place in line and in the halls, and returns them. Permits that were called for come back. O(n).
    pub(crate) fn end_line(&mut self) -> Vec<Number> {
        self.permits.call_off();
        let living = self.lanes.lines().flat_map(Line::living);
        let living: Vec<Number> = living.map(|(number, _)| number).collect();
        for number in &living {
            self.lanes.line_of_mut(*number).remove(*number);
        }
        living
    }

    /// Gives a place to another holder and returns its lobby. It keeps its rank, and a permit keeps its ends. O(log n).
    pub(crate) fn carry(&mut self, number: Number, fences: Option<(Fence, Fence)>, to: Holder) -> Option<LobbyId> {
        let lobby = self.lobby_of(number)?;
        if let Some((from, fence)) = fences {
            self.permits.carry(from, fence, to);
        }
        self.lanes.line_of_mut(number).set_holder(number, to);
        Some(lobby)
    }

    /// Gives a living ticket to an account. O(log n).
    pub(crate) fn set_account(&mut self, number: Number, account: Key) {
        self.permits.set_account(number, account);
        self.lanes.line_of_mut(number).set_account(number, account);
    }

    /// Moves a ticket in line to the end of another lane. Its holder, lobby, account, presence and missed call go along; the account is still to be set.
    /// `None` if it is in no line. O(log n).
    pub(crate) fn move_to(&mut self, from: Number, to: Number, now: Instant, absence: Absence) -> Option<Moved> {
        let line = self.lanes.line_of(from);
        let holder = line.holder(from)?;
        let (lobby, place) = (line.lobby(from), line.place(from));
        let away_until = match place {
            Place::Away(slot) => Some(line.away_until(slot)),
            _ => None,
        };
        let missed = line.missed(from);
        let account = self.account_of(from);
        self.lanes.line_of_mut(from).remove(from);
        if !to.is_entry() {
            self.lanes.lane_mut(to.lane()).note_joins(to, now);
        }
        let line = self.lanes.line_of_mut(to);
        let to = line.join(lobby, &[holder]);
        if let Some(until) = away_until {
            line.set_away(to, until, absence.grain_ms);
        }
        if missed {
            line.set_missed(to);
        }
        Some(Moved {
            from,
            to,
            lobby,
            holder,
            account,
        })
    }

    /// Gives numbers to the entries of the lane's hall, and calls `each` with each of them as it gets its number. Holders, accounts, lobbies, presence
    /// and missed calls go along. Returns how many there were. O(entries · log entries).
    pub(crate) fn draw(
        &mut self,
        id: LaneId,
        (draw, seed): (Draw, Seed),
        (row, now): (Version, Instant),
        absence: Absence,
        mut each: impl FnMut(&Self, Moved),
    ) -> u64 {
        let drawn = if planted::is(Bug::DrawAcrossLanes) { self.lanes.everybody() } else { id };
        let lane = self.lanes.lane_mut(drawn);
        let empty = Line::starting_at(lane.hall.line.next());
        let hall = core::mem::replace(&mut lane.hall.line, empty);
        let lane = self.lanes.lane_mut(id);
        let first = lane.line.next();
        lane.note_joins(first, now);
        in_drawn_order(&hall, draw, &seed, |entry| {
            let moved = self.give_number(id, &hall, entry, absence);
            each(self, moved);
        });
        let hall_of = &mut self.lanes.lane_mut(id).hall;
        let lot = hall_of.lot.take();
        hall_of.drawn = Some(Drawn {
            version: row,
            draw,
            commitment: lot.map_or_else(|| seed.commitment(), |lot| lot.commitment),
            seed,
            first,
            count: hall.alive(),
            runs: runs(hall.living().filter_map(|(number, _)| number.entry())),
        });
        hall.alive()
    }

    /// Moves an entry of a drawn hall to the end of the lane's line.
    fn give_number(&mut self, lane: LaneId, hall: &Line, entry: Number, absence: Absence) -> Moved {
        let holder = hall.holder(entry).unwrap_or_default();
        let lobby = hall.lobby(entry);
        let line = &mut self.lanes.lane_mut(lane).line;
        let number = line.join(lobby, &[holder]);
        if let Place::Away(slot) = hall.place(entry) {
            line.set_away(number, hall.away_until(slot), absence.grain_ms);
        }
        // The entry may have come from another lane's line, where it missed a call.
        if hall.missed(entry) {
            line.set_missed(number);
        }
        let account = hall.account(entry);
        if let Some(account) = account {
            line.set_account(number, account);
        }
        Moved {
            from: entry,
            to: number,
            lobby,
            holder,
            account,
        }
    }

    /// Begins an edition: nobody holds a place, and all permits are in the hand. O(n).
    pub(crate) fn begin(&mut self, permits: u32) {
        self.lanes.begin();
        self.permits.begin(permits);
    }
}
