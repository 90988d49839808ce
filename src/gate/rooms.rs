//! Which room a request belongs to.

use super::{Host, HostPattern, PathReading, Pattern, PatternError, without_query};
use crate::settings::{Origins, RoomSettings, Settings};

/// Why no gate could be made. Settings that [`crate::settings::parse`] returned never cause it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateError {
    /// A path pattern of a room.
    Pattern {
        /// The room.
        room: String,
        /// The pattern as written.
        text: String,
        /// What is wrong with it.
        error: PatternError,
    },
    /// A host of a room.
    Host {
        /// The room.
        room: String,
        /// The host as written.
        text: String,
    },
}

/// One room, ready for matching.
#[derive(Debug, Clone)]
pub struct Room {
    /// Everything that is configured.
    pub settings: RoomSettings,
    paths: Vec<Pattern>,
    hosts: Vec<HostPattern>,
    bypass: Vec<Pattern>,
}

/// All rooms, ready for matching. Made once for each isolate.
#[derive(Debug, Clone)]
pub struct Gate {
    rooms: Vec<Room>,
    /// Which name hosts too.
    origins: Origins,
}

/// Whose a path is.
#[derive(Debug, Clone, Copy)]
pub enum Territory<'g> {
    /// No room's, however an origin reads it.
    Open,
    /// This room's, however an origin reads it.
    Of(&'g Room),
    /// One origin would find one room there, and another origin another room or none.
    Doubtful,
}

/// How particular a pattern is: whether its room names the host, and how long its literal is.
type Rank = (bool, usize);

impl Gate {
    /// Compiles the patterns. O(bytes of the configuration).
    ///
    /// # Errors
    /// [`GateError`], the first.
    pub fn new(settings: &Settings) -> Result<Self, GateError> {
        let rooms = settings
            .rooms
            .iter()
            .map(Room::new)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            rooms,
            origins: settings.origins.clone(),
        })
    }

    /// The rooms by name, ascending.
    #[must_use]
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// The room of this name. O(rooms).
    #[must_use]
    pub fn room(&self, name: &str) -> Option<&Room> {
        self.rooms.iter().find(|room| room.settings.name == name)
    }

    /// Whose a path is: exact host first, then the longest literal, then the room's name. Where two readings of the path
    /// belong to different rooms, or one to a room and one to none, it is doubtful. O(rooms × patterns × path).
    #[must_use]
    pub fn room_of(&self, host: &Host, path: &PathReading) -> Territory<'_> {
        let mut sure: Option<(Rank, &Room)> = None;
        let mut perhaps: Option<(Rank, &Room)> = None;
        for room in &self.rooms {
            // The rooms come by name, so the first of equals stays.
            for (best, rank) in [
                (
                    &mut sure,
                    room.rank(host, |pattern| pattern.surely_matches(path)),
                ),
                (
                    &mut perhaps,
                    room.rank(host, |pattern| pattern.may_match(path)),
                ),
            ] {
                if let Some(rank) = rank
                    && best.is_none_or(|(best_rank, _)| rank > best_rank)
                {
                    *best = Some((rank, room));
                }
            }
        }
        match (sure, perhaps) {
            (None, None) => Territory::Open,
            (Some((sure_rank, sure)), Some((perhaps_rank, perhaps)))
                if sure_rank == perhaps_rank && sure.settings.name == perhaps.settings.name =>
            {
                Territory::Of(sure)
            }
            (Some((sure_rank, sure)), _) if !self.has_rival(host, path, sure, sure_rank) => {
                Territory::Of(sure)
            }
            _ => Territory::Doubtful,
        }
    }

    /// Whether some reading gives the path to another room than the one that has it for sure.
    fn has_rival(&self, host: &Host, path: &PathReading, sure: &Room, sure_rank: Rank) -> bool {
        self.rooms
            .iter()
            .filter(|room| room.settings.name != sure.settings.name)
            .any(|room| {
                let rank = room.rank(host, |pattern| pattern.may_match(path));
                rank.is_some_and(|rank| {
                    rank > sure_rank
                        || (rank == sure_rank && room.settings.name < sure.settings.name)
                })
            })
    }

    /// Whether a room or the settings' `ORIGIN` names this host, or some room is for every host. Without rooms there is
    /// nothing to name one.
    #[must_use]
    pub fn knows(&self, host: &Host) -> bool {
        self.rooms.is_empty() || self.guards(host) || self.origins.know(host)
    }

    /// Whether some room is for this host at all.
    #[must_use]
    pub fn guards(&self, host: &Host) -> bool {
        self.rooms.iter().any(|room| room.is_for(host))
    }
}

impl Room {
    fn new(settings: &RoomSettings) -> Result<Self, GateError> {
        let patterns = |texts: &[String]| {
            texts
                .iter()
                .map(|text| {
                    Pattern::parse(text).map_err(|error| GateError::Pattern {
                        room: settings.name.clone(),
                        text: text.clone(),
                        error,
                    })
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let host = |text: &String| {
            HostPattern::parse(text).ok_or_else(|| GateError::Host {
                room: settings.name.clone(),
                text: text.clone(),
            })
        };
        Ok(Self {
            paths: patterns(&settings.paths)?,
            bypass: patterns(&settings.bypass_paths)?,
            hosts: settings.hosts.iter().map(host).collect::<Result<_, _>>()?,
            settings: settings.clone(),
        })
    }

    /// Whether the path as sent is an exception, in its exact spelling.
    #[must_use]
    pub fn bypasses(&self, path_and_query: &str) -> bool {
        let path = without_query(path_and_query);
        self.bypass
            .iter()
            .any(|pattern| pattern.matches_strictly(path))
    }

    /// Whether the host is one that `hosts` names.
    #[must_use]
    pub fn names(&self, host: &Host) -> bool {
        self.hosts.iter().any(|pattern| pattern.matches(host))
    }

    fn is_for(&self, host: &Host) -> bool {
        self.hosts.is_empty() || self.names(host)
    }

    /// The most particular of the patterns that match so.
    fn rank(&self, host: &Host, matches: impl Fn(&Pattern) -> bool) -> Option<Rank> {
        if !self.is_for(host) {
            return None;
        }
        let literals = self.paths.iter().filter(|pattern| matches(pattern));
        Some((
            !self.hosts.is_empty(),
            literals.map(Pattern::literal_len).max()?,
        ))
    }
}
