//! Draws: who holds each number that an entry of a hall has become.

use super::{Oracle, require};
use baton::facts::event::{Event, Row};
use baton::facts::units::Number;
use baton::room::Room;
use baton::room::laws::Check;

impl Oracle {
    /// Notes who gets which number by the draws of a row, before a link carries the number on in the same row. `before` is the room before the row.
    pub fn notes_draws(&mut self, row: &Row, before: &Room) {
        self.drawn_to.clear();
        let is_draw = |event: &Event| matches!(event, Event::Drawn { .. });
        if !self.on || !row.events.iter().any(is_draw) {
            return;
        }
        let mut room = before.clone();
        for event in &row.events {
            room.apply(row.version, row.at, event);
            if let Event::Drawn { first, count, .. } = event {
                let numbers = (0..*count).map(|offset| first.plus(offset));
                let held = numbers.filter_map(|number| Some((number, room.tickets().holder(number)?)));
                self.drawn_to.extend(held);
            }
        }
    }

    /// Takes in that entries have become numbers.
    pub(super) fn drawn(&mut self, first: Number, count: u64, room: &Room) -> Check {
        // The room was reset in the same turn, so nobody ever hears of these numbers.
        if room.lanes().lane(first.lane()).line().next() < first {
            return Ok(());
        }
        for offset in 0..count {
            let number = first.plus(offset);
            let Some(holder) = self.drawn_to.get(&number).copied() else {
                continue;
            };
            let visitor = self.visitor(holder)?;
            let entry = self.held[visitor].filter(|held| held.is_entry());
            require("a draw gives numbers to who is in the hall", entry.is_some(), || {
                format!("{number} to {visitor}")
            })?;
            self.held[visitor] = None;
            self.own(number, visitor)?;
            self.hold(number, visitor, room)?;
            if let Some(entry) = entry {
                self.owned_is_drawn(entry, number);
            }
            let former = entry.and_then(|entry| self.present().former.get(&entry).cloned());
            if let Some(former) = former {
                self.present().former.insert(number, former);
            }
            let missed = entry.and_then(|entry| self.present().missed.get(&entry).copied());
            if let Some(missed) = missed {
                self.present().missed.insert(number, missed);
            }
        }
        Ok(())
    }
}
