//! The laws of places: each ticket is in one state, is counted there, and is the only one of its key and of its account.

use super::{Check, require};
use crate::Room;
use crate::line::{Line, Place};
use crate::permits::Stage;
use facts::units::{Instant, Number};
use std::collections::BTreeMap;

/// Checks law 2: every ticket is in exactly one state. O(n).
///
/// # Errors
/// Returns the law if it is broken.
pub fn one_state_each(room: &Room, _: Instant) -> Check {
    const LAW: &str = "one state each (2)";
    for (fence, grant) in room.permits().out() {
        let place = room.tickets().line_of(grant.number).place(grant.number);
        let fits = match grant.stage {
            Stage::Called { .. } => place == Place::Called,
            Stage::Leased(_) => place == Place::Gone,
        };
        require(LAW, fits, || format!("number {} of fence {fence} is {place:?}", grant.number))?;
    }
    let called = room.lanes().lines().flat_map(Line::living).filter(|(_, place)| *place == Place::Called);
    for (number, _) in called {
        let known = room.permits().of_number(number).is_some();
        require(LAW, known, || format!("number {number} is called without a permit"))?;
    }
    Ok(())
}

/// Checks law 2 for the counts: the running counts equal a recount bit by bit. O(n).
///
/// # Errors
/// Returns the law if it is broken.
pub fn counts_agree(room: &Room, _: Instant) -> Check {
    let p = room.permits();
    let called = p.out().filter(|(_, g)| matches!(g.stage, Stage::Called { .. })).count();
    let lines = room.lanes().lines().all(Line::recount_agrees);
    let agree = lines && called == p.called() as usize;
    require("counts agree (2)", agree, || "a running count differs from a recount".to_owned())
}

/// Checks law 2 for the whole book: each ticket in line or inside has a key of its own, and the index finds it. O(n).
///
/// # Errors
/// Returns the law if it is broken.
pub fn keys_are_unique(room: &Room, _: Instant) -> Check {
    let mut seen = BTreeMap::new();
    for number in living(room) {
        let key = room.tickets().holder(number).map(|holder| holder.key);
        let found = key.and_then(|key| room.living_of(key));
        let other = key.and_then(|key| seen.insert(key, number));
        let alone = other.is_none_or(|other| other == number) && found == Some(number);
        require("one living place a key (2)", alone, || {
            format!("{number} is {key:?}'s, which has {other:?} and is found at {found:?}")
        })?;
    }
    Ok(())
}

/// Checks law 2 for all accounts: a living ticket of an account is its only one, and the index finds it. An account that is stored beside the pages
/// is its ticket's account. O(n).
///
/// # Errors
/// Returns the law if it is broken.
pub fn one_place_an_account(room: &Room, _: Instant) -> Check {
    let mut seen = BTreeMap::new();
    let owned = living(room).filter_map(|number| Some((number, room.tickets().account_of(number)?)));
    for (number, account) in owned {
        let found = room.living_of_account(account);
        let other = seen.insert(account, number);
        let alone = other.is_none_or(|other| other == number) && found == Some(number);
        require("one living place an account (2)", alone, || {
            format!("{number} is {account}'s, which has {other:?} and is found at {found:?}")
        })?;
    }
    for (number, account) in room.book().accounts().late() {
        let own = room.tickets().account_of(number);
        require("what came later is so (2)", own == Some(account), || {
            format!("{number} is stored as {account}'s, and is {own:?}'s")
        })?;
    }
    Ok(())
}

/// Returns every living ticket: in the line, in the hall or inside. One that is called comes twice.
fn living(room: &Room) -> impl Iterator<Item = Number> {
    let waiting = room.lanes().lines().flat_map(Line::living).map(|(number, _)| number);
    waiting.chain(room.permits().out().map(|(_, grant)| grant.number))
}
