//! What a lobby does when the room has drawn: it asks what its entries have become, and whoever held an entry holds the
//! number from then on. What the room notices of numbers meanwhile waits for the answer.

use super::answers::Asked;
use super::event::LobbyEvent;
use super::{Book, Delivered, Lobby, Want};
use crate::planted::{self, Bug};
use crate::room::command::{Command, Message};
use crate::units::{Ahead, Instant, Number, Version, VisitorId};
use crate::wire::Reason;

impl Lobby {
    /// Whether somebody's entry has become a number that this lobby has not heard yet: what is noticed of numbers it
    /// does not know may be theirs.
    pub(super) fn awaits_numbers(&self, message: &Message) -> bool {
        let drawn = message.gist.drawn.or(self.gist.drawn);
        drawn.is_some_and(|drawn| self.book.entries_below(drawn.below).next().is_some())
    }

    /// There was a draw: what did the entries become? O(entries drawn · log waiters), while there are any.
    pub(super) fn ask_for_numbers(&mut self) {
        let Some(drawn) = self.gist.drawn else { return };
        if planted::is(Bug::NumbersNotAskedFor) {
            return;
        }
        let drawn: Vec<VisitorId> = self
            .book
            .entries_below(drawn.below)
            .map(|(_, visitor)| visitor)
            .filter(|visitor| !self.goes_elsewhere(*visitor))
            .collect();
        for visitor in drawn {
            self.want(visitor, Want::Number);
        }
    }

    /// What the room says that entries became. An entry that took no part is over: its visitor was away too long. Returns who
    /// got a number that another had here.
    pub(super) fn take_numbers(
        &mut self,
        now: Instant,
        asked: Asked<'_>,
        numbers: &[(Number, Ahead, Version)],
        delivered: &mut Delivered,
    ) -> Vec<VisitorId> {
        let (mut numbered, mut merged) = (Vec::new(), Vec::new());
        let Command::Numbers(entries) = asked.command else {
            return merged;
        };
        let asked = entries.iter().zip(asked.visitors);
        for ((entry, visitor), (number, ahead, version)) in asked.zip(numbers) {
            let ticket = self.ticket(*visitor).copied();
            let Some(ticket) = ticket.filter(|ticket| ticket.number == *entry) else {
                continue;
            };
            // What the room is asked to carry goes by the name it was asked under; then the new holder asks.
            if self.goes_elsewhere(*visitor) {
                continue;
            }
            // Another place than the entry that the question was meant for.
            if !entry.is_entry() {
                continue;
            }
            if *number == Number(0) {
                let over = Book::over(
                    *visitor,
                    &ticket,
                    Reason::Away,
                    ticket.version.max(*version),
                );
                self.record(now, over);
            } else if number != entry {
                numbered.push((*visitor, *number, ahead.0, *version));
            }
        }
        for (visitor, number, ahead, _) in &numbered {
            self.note_ahead(*number, *ahead);
            let other = self.book.by_number.get(number).copied();
            if let Some(other) = other.filter(|other| other != visitor) {
                // This lobby lost what it stored, and has one place from two cookies: by the entry, and by the number.
                self.leaving.remove(&other);
                delivered.changed.push(other);
                merged.push(*visitor);
            }
        }
        if !numbered.is_empty() {
            let numbers = numbered;
            self.record(now, LobbyEvent::Numbered { numbers });
        }
        merged
    }

    /// What was wanted in the name of whoever had the place before, in this batch too, the room took for this place's: of a
    /// departure it never speaks again. So it is asked how things are.
    pub(super) fn ask_about_the_merged(&mut self, merged: Vec<VisitorId>) {
        for visitor in merged {
            if self.is_living(visitor) {
                self.confirmed.remove(&visitor);
                self.want(visitor, Want::Back);
            }
        }
    }
}
