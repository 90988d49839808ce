//! Which room a request belongs to.

use super::{Host, HostPattern, PathReading, Pattern, PatternError, path::without_query};
use crate::settings::{RoomSettings, Settings};

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
}

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
        Ok(Self { rooms })
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

    /// The room that a path belongs to, in any spelling that an origin might read as one of its patterns:
    /// exact host first, then the longest literal, then the name. O(rooms × patterns × path).
    #[must_use]
    pub fn room_of(&self, host: &Host, path: &PathReading) -> Option<&Room> {
        let mut best: Option<((bool, usize), &Room)> = None;
        for room in &self.rooms {
            let Some(rank) = room.rank(host, path) else {
                continue;
            };
            // The rooms come by name, so the first of equals stays.
            if best.is_none_or(|(best_rank, _)| rank > best_rank) {
                best = Some((rank, room));
            }
        }
        best.map(|(_, room)| room)
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

    /// (host named, longest literal of the patterns that may match).
    fn rank(&self, host: &Host, path: &PathReading) -> Option<(bool, usize)> {
        if !self.is_for(host) {
            return None;
        }
        let literals = self.paths.iter().filter(|pattern| pattern.may_match(path));
        Some((
            !self.hosts.is_empty(),
            literals.map(Pattern::literal_len).max()?,
        ))
    }
}
