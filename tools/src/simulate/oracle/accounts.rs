//! Judges accounts: none ever has two places, the device that joined last has the one that waits, and nobody's place is moved, left or
//! taken over but by a word of its own people.

use super::{Oracle, require};
use crate::simulate::accounts::{account, devices_of};
use baton::facts::command::Command;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Comes, Holder, Key, Member, Salt};
use baton::facts::message::Batch;
use baton::facts::reply::Standing;
use baton::facts::units::Number;
use baton::lobby::keys;
use baton::room::Room;
use baton::room::laws::Check;
use std::collections::BTreeMap;

/// Whose places are which account's.
#[derive(Default)]
pub struct Accounts {
    /// By key, of every edition.
    names: BTreeMap<Key, usize>,
    /// The last place of each, in this edition.
    held: BTreeMap<usize, Number>,
}

impl Accounts {
    /// Keys are made with this salt too.
    pub(super) fn salt_is(&mut self, salt: Salt, visitors: usize) {
        let all = 0..devices_of(visitors);
        let named = all.map(|name| (keys::account(salt, account(name)), name));
        self.names.extend(named);
    }

    /// Nobody has a place.
    pub(super) fn begin(&mut self) {
        self.held.clear();
    }
}

impl Oracle {
    /// Tickets are accounts' from now on.
    pub(super) fn is_owned(&mut self, tickets: &[Number], keys: &[Key], room: &Room) -> Check {
        for (number, key) in tickets.iter().zip(keys) {
            let Some(name) = self.accounts.names.get(key).copied() else {
                return require("an account is somebody's", false, || format!("{key}"));
            };
            let other = self.accounts.held.insert(name, *number);
            let other = other.filter(|other| other != number);
            let lives = |other: Number| room.standing(self.now, other) != Standing::Over;
            require(
                "one account, one living place",
                !other.is_some_and(lives),
                || format!("account {name} has {other:?} and gets {number}"),
            )?;
        }
        Ok(())
    }

    /// An account's entry has become a number.
    pub(super) fn owned_is_drawn(&mut self, entry: Number, number: Number) {
        let mut held = self.accounts.held.values_mut();
        if let Some(held) = held.find(|held| **held == entry) {
            *held = number;
        }
    }

    /// A batch was taken in this row; `before` is the room as it was.
    pub fn takes(&self, batch: &Batch, row: &Row, before: &Room, room: &Room) -> Check {
        if !self.on || row.events.iter().any(|e| matches!(e, Event::Drawn { .. })) {
            return Ok(());
        }
        let members = batch.commands.iter().flat_map(|command| match command {
            Command::JoinAs(members) => members.as_slice(),
            _ => &[],
        });
        let members: Vec<Member> = members.copied().collect();
        for event in &row.events {
            match event {
                Event::Carried { number, fences, to } => {
                    let to = to.unwrap_or_default();
                    was_moved(batch, &members, (*number, to), fences.is_some(), before)?;
                }
                Event::Left(number) => was_left(batch, row, *number, before)?,
                _ => {}
            }
        }
        newest_have_theirs(&members, room)
    }
}

/// A place moves by a link that names it, or to a device that joined for its account; with a permit by a button.
fn was_moved(
    batch: &Batch,
    members: &[Member],
    (number, to): (Number, Holder),
    has_permit: bool,
    before: &Room,
) -> Check {
    let by_link = batch.commands.iter().any(|command| {
        matches!(command, Command::Carry { place, to: taker, .. }
            if place.number == number && *taker == to)
    });
    let was_busy = before.permits().of_number(number).is_some();
    let by_account = members.iter().any(|member| {
        let pressed = member.comes == Comes::ByButton;
        let theirs = before
            .account_of(number)
            .is_none_or(|of| of == member.account);
        member.holder == to && theirs && (pressed || !(was_busy && has_permit))
    });
    require(
        "a place moves by a word of its own people",
        by_link || by_account,
        || format!("{number} went to {to:?}: {batch:?}"),
    )
}

/// A place is left by its holder's word, or for another that its holder took over.
fn was_left(batch: &Batch, row: &Row, number: Number, before: &Room) -> Check {
    let by_word = batch
        .commands
        .iter()
        .any(|command| matches!(command, Command::Leave(place) if place.number == number));
    // One that was issued in this row is nobody's before it.
    let holder = before.holder(number);
    let for_another = row.events.iter().any(|event| {
        matches!(event, Event::Carried { to: Some(to), .. }
            if holder.is_none_or(|holder| holder == *to))
    });
    require(
        "a place is left by its holder's word",
        by_word || for_another,
        || format!("{number} of {holder:?}: {batch:?}"),
    )
}

/// Whoever joined last for an account has its place, if that waits: unless this device has a place of another account, or a permit
/// that it would have to leave.
fn newest_have_theirs(members: &[Member], room: &Room) -> Check {
    let mut seen = std::collections::BTreeSet::new();
    for member in members.iter().rev() {
        if member.comes == Comes::Back || !seen.insert(member.account) {
            continue;
        }
        let Some(place) = room.living_of_account(member.account) else {
            continue;
        };
        let own = room.living_of(member.holder.key);
        let has_permit = |number| room.permits().of_number(number).is_some();
        let may_keep = own.is_some_and(|own| room.account_of(own).is_some() || has_permit(own));
        require(
            "the device that joined last has the account's waiting place",
            own == Some(place) || has_permit(place) || may_keep,
            || format!("{member:?} has {own:?}, the account's is {place}"),
        )?;
    }
    Ok(())
}
