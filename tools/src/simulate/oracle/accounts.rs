//! Judges accounts: the device that joined last has the place that waits, and no place is moved, left or taken over except by a word of its own people.
//! That none ever has two places the judge sees.

use super::{Oracle, require};
use baton::facts::command::Command;
use baton::facts::enter::{Account, Enters};
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Comes, Holder, Key, Member};
use baton::facts::message::Batch;
use baton::facts::units::{Number, Version};
use baton::room::Room;
use baton::room::laws::Check;
use std::collections::{BTreeMap, BTreeSet};

impl Oracle {
    /// Checks a row in which batches were taken. `before` is the room before it, `room` the room after it.
    pub fn takes(&self, batches: &[&Batch], row: &Row, before: &Room, room: &Room) -> Check {
        if !self.on || row.events.iter().any(|e| matches!(e, Event::Drawn { .. })) {
            return Ok(());
        }
        let commands = batches.iter().flat_map(|batch| &batch.commands);
        let commands: Vec<&Command> = commands.collect();
        let entered = commands.iter().filter_map(|command| match command {
            Command::Enter(enter) => Some(enter),
            _ => None,
        });
        let joins = entered.filter(|enter| enter.how == Enters::Join);
        let joined = joins.flat_map(|enter| enter.who.iter());
        let members = joined.filter_map(|person| {
            let Account { key, comes } = person.account?;
            Some(Member {
                holder: person.holder,
                account: key,
                comes,
            })
        });
        let members: Vec<Member> = members.collect();
        vouchers_are_spent(&commands, row)?;
        let mut stands = Stands::default();
        for event in &row.events {
            match event {
                Event::Carried { number, fences, to } => {
                    let to = to.unwrap_or_default();
                    let account = stands.account(*number, before);
                    let numbers = self.of(self.edition());
                    let carried = numbers.and_then(|all| all.carried.get(number).copied());
                    was_moved(&commands, &members, (*number, to), carried, account, fences.is_some())?;
                }
                Event::Left(number) => {
                    was_left(&commands, row, *number, stands.holder(*number, before))?;
                }
                _ => {}
            }
            stands.learns(event, before);
        }
        // A link may have moved places after these devices joined, and a walk-in may have brought the account one.
        let may_follow = |command: &&Command| match command {
            Command::Carry { .. } => true,
            Command::Enter(enter) if enter.how == Enters::WalkIn => enter.who.iter().any(|person| person.account.is_some()),
            _ => false,
        };
        if commands.iter().any(may_follow) {
            return Ok(());
        }
        newest_have_theirs(&members, before, room)
    }
}

/// What the facts of a row have changed up to now.
#[derive(Default)]
struct Stands {
    holders: BTreeMap<Number, Holder>,
    accounts: BTreeMap<Number, Key>,
}

impl Stands {
    fn learns(&mut self, event: &Event, before: &Room) {
        match event {
            Event::Moved { from, to } => {
                if let Some(holder) = self.holder(*from, before) {
                    self.holders.insert(*to, holder);
                }
                if let Some(account) = self.account(*from, before) {
                    self.accounts.insert(*to, account);
                }
            }
            Event::Joined { first, holders, .. } | Event::Entered { first, holders, .. } => {
                let numbers = (0..).map(|offset| first.plus(offset));
                self.holders.extend(numbers.zip(holders.iter().copied()));
            }
            Event::Carried { number, to, .. } => {
                self.holders.insert(*number, to.unwrap_or_default());
            }
            Event::Owned { tickets, accounts } => {
                let all = tickets.iter().copied().zip(accounts.iter().copied());
                self.accounts.extend(all);
            }
            _ => {}
        }
    }

    fn holder(&self, number: Number, before: &Room) -> Option<Holder> {
        let known = self.holders.get(&number).copied();
        known.or_else(|| before.tickets().holder(number))
    }

    fn account(&self, number: Number, before: &Room) -> Option<Key> {
        let known = self.accounts.get(&number).copied();
        known.or_else(|| before.tickets().account_of(number))
    }
}

/// Checks that a place moves by a link that names it and was made since the place was carried last, or to a device that joined for its account. A place with a permit
/// moves to such a device only by a button.
fn was_moved(
    commands: &[&Command],
    members: &[Member],
    (number, to): (Number, Holder),
    carried: Option<Version>,
    account: Option<Key>,
    has_permit: bool,
) -> Check {
    let by_link = commands.iter().any(|command| {
        matches!(command, Command::Carry { place, row, to: taker }
            if place.number == number && *taker == to && carried.is_none_or(|at| at <= *row))
    });
    let by_account = members.iter().any(|member| {
        let pressed = member.comes == Comes::ByButton;
        member.holder == to && account == Some(member.account) && (pressed || !has_permit)
    });
    require("a place moves by a word of its own people", by_link || by_account, || {
        format!("{number} of {account:?} went to {to:?}: {commands:?}")
    })
}

/// Checks that a place is left by its holder's word, or for another place that its holder took over.
fn was_left(commands: &[&Command], row: &Row, number: Number, holder: Option<Holder>) -> Check {
    let by_word = commands
        .iter()
        .any(|command| matches!(command, Command::Leave(place) if place.number == number));
    let for_another = row.events.iter().any(|event| matches!(event, Event::Carried { to, .. } if *to == holder));
    require("a place is left by its holder's word", by_word || for_another, || {
        format!("{number} of {holder:?}: {commands:?}")
    })
}

/// Checks that the device that joined last for an account has the account's place, if the place waits. That need not be so if the device has a place
/// of another account, or a permit that it would have to leave. A device that came back with a place of its own may have joined after it.
fn newest_have_theirs(members: &[Member], before: &Room, room: &Room) -> Check {
    let mut later: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for member in members.iter().rev() {
        let devices = later.entry(member.account).or_default();
        devices.push(member.holder.key);
        if member.comes == Comes::Back || !seen.insert(member.account) {
            continue;
        }
        let Some(place) = room.living_of_account(member.account) else {
            continue;
        };
        let key = member.holder.key;
        let own = room.living_of(key);
        // The call may have been missed in this very row.
        let has_permit = |number| {
            let in_either = |room: &Room| room.permits().of_number(number).is_some();
            in_either(before) || in_either(room)
        };
        let keeps = |room: &Room| {
            let own = room.living_of(key);
            own.is_some_and(|own| room.tickets().account_of(own).is_some() || room.permits().of_number(own).is_some())
        };
        let for_others = members.iter().any(|other| other.holder.key == key && other.account != member.account);
        let may_keep = keeps(before) || keeps(room) || for_others;
        let holder = room.tickets().holder(place).map(|holder| holder.key);
        let is_newest = holder.is_some_and(|holder| devices.contains(&holder));
        require(
            "the device that joined last has the account's waiting place",
            is_newest || has_permit(place) || may_keep,
            || format!("{member:?} has {own:?}, the account's is {place}, {holder:?}'s"),
        )?;
    }
    Ok(())
}

/// Returns who may get a place by a command.
pub(super) fn takers(command: &Command) -> Vec<Holder> {
    match command {
        Command::Enter(enter) => enter.who.iter().map(|person| person.holder).collect(),
        Command::Carry { to: holder, .. } => vec![*holder],
        _ => vec![],
    }
}

/// Checks that a number which somebody gets by a voucher, and by nothing else in this row, spends it.
fn vouchers_are_spent(commands: &[&Command], row: &Row) -> Check {
    let takers: Vec<Holder> = commands.iter().flat_map(|command| takers(command)).collect();
    let spent: Vec<Number> = row.events.iter().filter_map(spends).collect();
    let entered = commands.iter().filter_map(|command| match command {
        Command::Enter(enter) => Some(&enter.who),
        _ => None,
    });
    let with_voucher = entered.flat_map(|who| who.iter());
    for person in with_voucher.filter(|person| person.spend.is_some()) {
        let holder = person.holder;
        let alone = takers.iter().filter(|taker| taker.key == holder.key).count() == 1;
        let issued = row.events.iter().find_map(|event| issues(event, holder));
        if let Some(number) = issued.filter(|_| alone) {
            require("a number for a voucher spends it", spent.contains(&number), || {
                format!("{number} for {holder:?}: {row:?}")
            })?;
        }
    }
    Ok(())
}

fn spends(event: &Event) -> Option<Number> {
    match event {
        Event::Spent(spent) => Some(spent.number),
        _ => None,
    }
}

/// Returns the number that a fact gives to this holder.
fn issues(event: &Event, to: Holder) -> Option<Number> {
    match event {
        Event::Joined { first, holders, .. } | Event::Entered { first, holders, .. } => {
            let at = holders.iter().position(|holder| *holder == to)?;
            Some(first.plus(at as u64))
        }
        Event::WalkedIn { number, holder, .. } => holder.filter(|holder| *holder == to).map(|_| *number),
        _ => None,
    }
}
