//! What a change makes another: each room, brand and operator that differs between the house before and after it.

use super::{House, Kept};

/// A room's brand before and after a change, as JSON; none: what its table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrandStep<'a> {
    /// The room's name.
    pub room: &'a str,
    /// As it was.
    pub from: Option<&'a str>,
    /// As it will be.
    pub to: Option<&'a str>,
}

/// An operator before and after a change, each as JSON; none: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorStep<'a> {
    /// Who.
    pub name: &'a str,
    /// As before.
    pub from: Option<&'a str>,
    /// As after.
    pub to: Option<&'a str>,
}

/// A room before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// Its name.
    pub room: &'a str,
    /// As it was; none: it is new, or its name is used again.
    pub from: Option<&'a Kept>,
    /// As it will be.
    pub to: &'a Kept,
}

impl House {
    /// The rooms that are another in `after`, by name.
    pub fn steps<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = Step<'a>> {
        after.before.keys().filter_map(move |room| {
            let to = after.rooms.get(room)?;
            let from = self.rooms.get(room);
            let from = from.filter(|from| from.generation == to.generation);
            Some(Step { room, from, to })
        })
    }

    /// The brands that are others in `after`, by room.
    pub fn brand_steps<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = BrandStep<'a>> {
        after.brands_before.keys().map(move |room| BrandStep {
            room,
            from: self.brands.get(room).map(String::as_str),
            to: after.brands.get(room).map(String::as_str),
        })
    }

    /// The operators that are another in `after`, or none there, by name. O(what changed).
    pub fn moved<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = OperatorStep<'a>> {
        after.operators_before.keys().map(move |name| OperatorStep {
            name,
            from: self.operators.get(name).map(String::as_str),
            to: after.operators.get(name).map(String::as_str),
        })
    }
}
