//! Whose a picture is. To an operator of all rooms every picture belongs; to any other those that the operator uploaded, and those that the pages of
//! the operator's rooms show. Two who upload the same bytes both have the picture.

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
