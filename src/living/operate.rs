//! What the operator does in a room, each in a turn of its own: changes live values, ends tickets, begins another edition.

use super::{LivingRoom, RoomOptions, Turned};
use facts::event::Change;
use facts::holder::Salt;
use facts::units::{AccountId, Edition, Fence, Instant, Number};
use journal::Store;
use lobby::keys;
use room::live;
use room::report::Report;

impl<S: Store> LivingRoom<S> {
    /// Changes the operator's live values, in one turn. `judge` is shown the room as it is then, the steps of its schedule carried out. It says what
    /// changes and which options follow, or refuses. Returns what changed, and the room in numbers as it is afterwards.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn change<E>(
        &mut self,
        wall_ms: u64,
        by: &str,
        judge: impl FnOnce(&Self, Instant) -> Result<(Vec<Change>, RoomOptions), E>,
    ) -> Turned<Result<(Vec<Change>, Report), E>> {
        self.turn(wall_ms, |living, now, row| {
            let (changes, options) = judge(living, now)?;
            if !changes.is_empty() {
                living.options = options;
                living.configure(now, row);
                // Steps that are over when they are set are passed over.
                living.keep_schedule(now, wall_ms, row);
                living.room.keep_hours(wall_ms, &living.options.lots, row);
                living.room.commit([live::adjusted(by, changes.clone())], row);
            }
            Ok((changes, living.numbers(now)))
        })
    }

    /// Ends a ticket for the operator. Returns `false` if it is not living.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn dismiss(&mut self, wall_ms: u64, number: Number, by: &str) -> Turned<bool> {
        self.turn(wall_ms, |living, now, row| living.room.dismiss(now, number, by, row))
    }

    /// Ends the ticket of an account for the operator. Returns its number, or `None` if the account has no living ticket.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn dismiss_account(&mut self, wall_ms: u64, account: AccountId, by: &str) -> Turned<Option<Number>> {
        self.turn(wall_ms, |living, now, row| {
            let account = keys::account(living.salt.1, account);
            let number = living.room.living_of_account(account)?;
            living.room.dismiss(now, number, by, row).then_some(number)
        })
    }

    /// Returns what the accounts of this edition are hashed with.
    pub fn account_salt(&self) -> Salt {
        keys::account_salt(self.salt.1)
    }

    /// Gives a lease back by its fence, for a machine of the shop; see [`Room::end_lease`](room::Room::end_lease).
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn end_lease(&mut self, wall_ms: u64, fence: Fence, by: &str) -> Turned<Option<bool>> {
        self.turn(wall_ms, |living, now, row| living.room.end_lease(now, fence, by, row))
    }

    /// Resets the room for the operator and returns the edition that begins.
    ///
    /// # Errors
    /// Returns [`Fault`](super::Fault); the memory must then be dropped.
    pub fn reset(&mut self, wall_ms: u64, by: &str) -> Turned<Edition> {
        self.turn(wall_ms, |living, _, row| living.room.reset(by, row))
    }
}
