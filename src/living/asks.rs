//! What is asked of a room in memory and changes nothing: where a ticket stands, the room in numbers, its last hour, what a forecast needs.

use super::room::{LivingRoom, Turned};
use facts::units::{Instant, Number};
use journal::Store;
use room::outlook::Outlook;
use room::report::Report;
use room::times::hour::Sample;

impl<S: Store> LivingRoom<S> {
    /// The room in numbers. Asking writes nothing; the turn around it may.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn report(&mut self, wall_ms: u64) -> Turned<Report> {
        self.turn(wall_ms, |living, now, _| living.numbers(now))
    }

    pub(super) fn numbers(&self, now: Instant) -> Report {
        Report {
            unreached: self.courier.unreached(),
            untold: self.courier.untold(&self.room),
            ..self.room.report(now)
        }
    }

    /// Returns where a ticket stands, as a word, and how many are ahead of it if it waits. Asking writes nothing.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn look_up(&mut self, wall_ms: u64, number: Number) -> Turned<(&'static str, Option<u64>)> {
        self.turn(wall_ms, |living, now, _| living.room.tickets().look_up(now, number))
    }

    /// The room's time in ms, and its last hour; as measured until now. Asking writes nothing.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn hour(&mut self, wall_ms: u64) -> Turned<(u64, Vec<Sample>)> {
        self.turn(wall_ms, |living, now, _| (now.0, living.room.measured_at(now).times.hour.samples()))
    }

    /// What a forecast needs to know; see [`Room::outlook`]. Asking writes nothing.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn outlook(&mut self, wall_ms: u64) -> Turned<Outlook> {
        self.turn(wall_ms, |living, now, _| living.room.outlook(now, &living.options.ramps))
    }
}
