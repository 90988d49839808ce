//! What the operator does in a room, each in a turn of its own: changes live values, ends tickets, begins another edition.

use super::{LivingRoom, RoomOptions, Turned};
use crate::facts::event::Change;
use crate::facts::holder::Salt;
use crate::facts::units::{AccountId, Edition, Fence, Number};
use crate::journal::Store;
use crate::lobby::keys;

impl<S: Store> LivingRoom<S> {
    /// Sets the operator's live values. From this turn on, `options`, which follow from them, are in force.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn adjust(
        &mut self,
        wall_ms: u64,
        by: &str,
        values: Vec<Change>,
        options: RoomOptions,
    ) -> Turned<()> {
        self.options = options;
        // The values were judged against what the last turn left in force, so steps that are due since then wait for the next turn.
        let steps_to_ms = self.turned_wall_ms;
        self.turn_to(wall_ms, steps_to_ms, |living, _, row| {
            living.room.adjust(by, values, row);
        })
    }

    /// Ends a ticket for the operator. Returns `false` if it is not living.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn dismiss(&mut self, wall_ms: u64, number: Number, by: &str) -> Turned<bool> {
        self.turn(wall_ms, |living, now, row| {
            living.room.dismiss(now, number, by, row)
        })
    }

    /// Ends the ticket of an account for the operator. Returns its number, or `None` if the account has no living ticket.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
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

    /// Returns what the accounts of this edition are hashed with.
    pub fn account_salt(&self) -> Salt {
        keys::account_salt(self.salt.1)
    }

    /// Gives a lease back by its fence, for a machine of the shop; see [`Room::end_lease`](crate::room::Room::end_lease).
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn end_lease(&mut self, wall_ms: u64, fence: Fence, by: &str) -> Turned<Option<bool>> {
        self.turn(wall_ms, |living, now, row| {
            living.room.end_lease(now, fence, by, row)
        })
    }

    /// Resets the room for the operator and returns the edition that begins.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn reset(&mut self, wall_ms: u64, by: &str) -> Turned<Edition> {
        self.turn(wall_ms, |living, _, row| living.room.reset(by, row))
    }
}
