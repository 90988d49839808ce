//! What a change affects: each room, brand and operator that differs between the house before and after it.

use super::{House, Kept};

/// A room's brand before and after a change, as JSON; `None` for the keys of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrandStep<'a> {
    /// The room's name.
    pub room: &'a str,
    /// The brand before the change.
    pub from: Option<&'a str>,
    /// The brand after the change.
    pub to: Option<&'a str>,
}

/// An operator's table before and after a change, as JSON; `None` if there is no such operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorStep<'a> {
    /// The operator's name.
    pub name: &'a str,
    /// The table before the change.
    pub from: Option<&'a str>,
    /// The table after the change.
    pub to: Option<&'a str>,
}

/// A room before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// Its name.
    pub room: &'a str,
    /// The room before the change; `None` if it is new or its name is used again.
    pub from: Option<&'a Kept>,
    /// The room after the change.
    pub to: &'a Kept,
}

impl House {
    /// Yields the rooms that differ in `after`, by name.
    pub fn steps<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = Step<'a>> {
        after.before.keys().filter_map(move |room| {
            let to = after.rooms.get(room)?;
            let from = self.rooms.get(room);
            let from = from.filter(|from| from.generation == to.generation);
            Some(Step { room, from, to })
        })
    }

    /// Yields the brands that differ in `after`, by room.
    pub fn brand_steps<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = BrandStep<'a>> {
        after.brands_before.keys().map(move |room| BrandStep {
            room,
            from: self.brands.get(room).map(String::as_str),
            to: after.brands.get(room).map(String::as_str),
        })
    }

    /// Yields the operators that differ in `after` or are gone there, by name. O(what changed).
    pub fn moved<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = OperatorStep<'a>> {
        after.operators_before.keys().map(move |name| OperatorStep {
            name,
            from: self.operators.get(name).map(String::as_str),
            to: after.operators.get(name).map(String::as_str),
        })
    }
}
