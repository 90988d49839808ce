//! What the operator does in a room, each in a turn of its own: changes live values, ends tickets, begins it anew.

use super::{LivingRoom, RoomOptions, Turned};
use crate::facts::event::Change;
use crate::facts::units::{AccountId, Edition, Fence, Number};
use crate::journal::Store;
use crate::lobby::keys;

impl<S: Store> LivingRoom<S> {
    /// The operator changes live values: in force with `options`, which they lead to, from this
    /// turn on.
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn adjust(
        &mut self,
        wall_ms: u64,
        by: &str,
        values: Vec<Change>,
        options: RoomOptions,
    ) -> Turned<()> {
        self.options = options;
        // These were judged beside what the last turn left in force: what is due since waits for the next one.
        let steps_to_ms = self.turned_wall_ms;
        self.turn_to(wall_ms, steps_to_ms, |living, _, row| {
            living.room.adjust(by, values, row);
        })
    }

    /// The operator ends a ticket; false: it is not living.
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn dismiss(&mut self, wall_ms: u64, number: Number, by: &str) -> Turned<bool> {
        self.turn(wall_ms, |living, now, row| {
            living.room.dismiss(now, number, by, row)
        })
    }

    /// The operator ends the ticket of an account; `None`: it has none.
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn dismiss_account(
        &mut self,
        wall_ms: u64,
        account: AccountId,
        by: &str,
    ) -> Turned<Option<Number>> {
        self.turn(wall_ms, |living, now, row| {
            let account = keys::account(living.salt.1, account);
            living.room.dismiss_account(now, account, by, row)
        })
    }

    /// A machine of the shop gives a lease back by its fence; see [`Room::end_lease`](crate::room::Room::end_lease).
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn end_lease(&mut self, wall_ms: u64, fence: Fence, by: &str) -> Turned<Option<bool>> {
        self.turn(wall_ms, |living, now, row| {
            living.room.end_lease(now, fence, by, row)
        })
    }

    /// The operator begins the room anew: a new edition.
    ///
    /// # Errors
    /// [`Fault`](super::Fault); the memory must be dropped.
    pub fn reset(&mut self, wall_ms: u64, by: &str) -> Turned<Edition> {
        self.turn(wall_ms, |living, _, row| living.room.reset(by, row))
    }
}
