//! Whose a picture is. To an operator of all rooms every picture belongs; to any other those that the operator uploaded, and those that the pages of
//! the operator's rooms show. Two who upload the same bytes both have the picture.

use brand::image::IMAGES_MAX;

/// The most pictures that an operator of some rooms may have: a logo in each of a dozen languages, and the new ones beside the old.
pub const IMAGES_OF_ONE_MAX: usize = 20;
/// The places that operators of some rooms, all together, leave to those of all rooms.
pub const IMAGES_KEPT_FREE: usize = 20;

/// Returns whether the house takes one more picture, of so many. `own` is how many the operator has who uploads it, if the operator may not act in all
/// rooms.
#[must_use]
pub const fn has_place(kept: usize, own: Option<usize>) -> bool {
    match own {
        None => kept < IMAGES_MAX,
        Some(own) => own < IMAGES_OF_ONE_MAX && kept + IMAGES_KEPT_FREE < IMAGES_MAX,
    }
}

/// One picture before one operator.
#[derive(Debug, Clone)]
pub struct Hold<'a> {
    /// The operator's name.
    pub by: &'a str,
    /// The rooms in which the operator may act; empty means all.
    pub within: &'a [String],
    /// The operators who uploaded the picture.
    pub uploaders: Vec<String>,
    /// The rooms whose pages show the picture.
    pub rooms: Vec<String>,
}

/// What becomes of a picture that an operator deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deletion {
    /// It goes.
    Forget,
    /// It is the operator's no more, and stays for the others who have it.
    GiveUp,
    /// It stays: the pages of these rooms of the operator show it.
    Shown(Vec<String>),
    /// The operator has no such picture.
    Unknown,
}

impl Hold<'_> {
    /// Returns whether the operator has the picture.
    #[must_use]
    pub fn is_theirs(&self) -> bool {
        self.within.is_empty() || self.is_uploaders() || !self.own_rooms().is_empty()
    }

    /// Returns the rooms, of those in which the operator may act, whose pages show the picture.
    #[must_use]
    pub fn own_rooms(&self) -> Vec<String> {
        let may_act = |room: &&String| self.within.is_empty() || self.within.contains(room);
        self.rooms.iter().filter(may_act).cloned().collect()
    }

    /// Decides what a deletion by the operator comes to. It tells of no other operator and no other's room.
    #[must_use]
    pub fn deletion(&self) -> Deletion {
        let own = self.own_rooms();
        let is_others = || {
            let mut others = self.uploaders.iter().filter(|name| *name != self.by);
            others.next().is_some() || !self.rooms.is_empty()
        };
        if !self.is_theirs() {
            Deletion::Unknown
        } else if !own.is_empty() {
            Deletion::Shown(own)
        } else if !self.within.is_empty() && is_others() {
            Deletion::GiveUp
        } else {
            Deletion::Forget
        }
    }

    fn is_uploaders(&self) -> bool {
        self.uploaders.iter().any(|name| name == self.by)
    }
}
