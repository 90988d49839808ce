//! Moves a ticket to a better lane: to the end of it, with a new number. A ticket that is called or inside must never move.

use super::super::Room;
use super::super::apply::away_grain_ms;
use super::super::line::Place;
use facts::event::{Event, Row};
use facts::holder::Key;
use facts::message::Ended;
use facts::planted::{self, Bug};
use facts::units::{Instant, LaneId, LobbyId, Number};

impl Room {
    /// Moves the waiting tickets that these keys have in lobby `from` to the end of a lane, where that lane is better than theirs and people come
    /// into it. O(keys · log n).
    pub(crate) fn raise(&mut self, now: Instant, lane: LaneId, keys: impl Iterator<Item = Key>, from: LobbyId, row: &mut Row) {
        for key in keys {
            let moved = self.better_place(now, lane, key, from);
            self.commit(moved.map(|(from, to)| Event::Moved { from, to }), row);
        }
    }

    /// Returns the ticket that moves and its number in the better lane, or `None` if it must not move.
    pub(crate) fn better_place(&self, now: Instant, lane: LaneId, key: Key, lobby: LobbyId) -> Option<(Number, Number)> {
        let number = self.lives_on(now, key)?;
        let to = self.next_in(lane)?;
        let moves = self.may_move(number, to) && self.lobby_of(number) == Some(lobby);
        (moves && self.numbers_left(to) > 0).then_some((number, to))
    }

    /// Returns true if the law of moves allows a move: a ticket moves while it waits, to the end of a better lane into which people come. O(lanes).
    #[must_use]
    pub fn may_move(&self, from: Number, to: Number) -> bool {
        let is_better = self.lanes.is_better(to.lane(), from.lane());
        self.waits(from) && is_better && self.next_in(to.lane()) == Some(to)
    }

    /// Returns true if a number waits in a line or in a hall and is not called.
    pub(crate) fn waits(&self, number: Number) -> bool {
        let place = self.line_of(number).place(number);
        matches!(place, Place::Present | Place::Away(_))
    }

    /// Returns the number that the next person to come into a lane gets, or `None` if nobody may come into it.
    pub(crate) fn next_in(&self, lane: LaneId) -> Option<Number> {
        let of = self.lanes.lane(lane);
        if of.enters_hall(self.config.mode) {
            Some(of.hall.line.next())
        } else {
            of.mode(self.config.mode).issues().then(|| of.line.next())
        }
    }

    /// Moves a ticket. Its holder, lobby, account, presence and missed call go along.
    pub(crate) fn apply_move(&mut self, from: Number, to: Number) {
        let line = self.line_of(from);
        let (place, lobby) = (line.place(from), line.lobby(from));
        let Some(holder) = line.holder(from) else {
            return;
        };
        let away_until = match place {
            Place::Away(slot) => Some(line.away_until(slot)),
            _ => None,
        };
        let missed = line.missed(from);
        let account = self.account_of(from);
        let carried = self.carried.remove(&from);
        self.line_of_mut(from).remove(from);
        self.note_end(lobby, from, Ended::Moved);
        let lane = self.lanes.lane_mut(to.lane());
        if !to.is_entry() {
            if lane.line.alive() == 0 {
                lane.rhythm.clear();
            }
            let living = lane.line.first_living().unwrap_or(to);
            lane.joins.joined(to, self.now, living);
        }
        let to = self.line_of_mut(to).join(lobby, &[holder]);
        self.enter_in_book(to, holder);
        if let Some(until) = away_until {
            let grain_ms = away_grain_ms(&self.config);
            self.line_of_mut(to).set_away(to, until, grain_ms);
        }
        if missed {
            self.line_of_mut(to).set_missed(to);
        }
        if let Some(carried) = carried {
            self.carried.insert(to, carried);
        }
        if let Some(account) = account.filter(|_| !planted::is(Bug::MoveForgetsTheAccount)) {
            self.own(to, account);
        }
        self.note(lobby, to);
    }
}
