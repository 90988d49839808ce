//! Decides which room a request belongs to.

use super::index::{Index, ROOMS_MIN};
use super::{Exception, Garbled, Host, HostPattern, Method, Particular, PathReading, Pattern, PatternError, Request};
use facts::ordered::sort_few;
use settings::{ANY_ORIGIN, Origins, RoomSettings, Settings};

/// Why no gate can be made. Settings that [`settings::parse`] returned never cause it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateError {
    /// A path pattern of a room is wrong.
    Pattern {
        /// The room.
        room: String,
        /// The pattern as it is written.
        text: String,
        /// What is wrong with it.
        error: PatternError,
    },
    /// A host of a room is wrong.
    Host {
        /// The room.
        room: String,
        /// The host as it is written.
        text: String,
    },
}

/// One room, ready to be matched against requests.
#[derive(Debug, Clone)]
pub struct Room {
    /// The room's whole configuration.
    pub settings: RoomSettings,
    paths: Vec<Pattern>,
    hosts: Vec<HostPattern>,
    bypass: Vec<Exception>,
}

/// All rooms, ready to be matched against requests. An isolate makes its gate once, and anew when the house's table changes.
#[derive(Debug, Clone)]
pub struct Gate {
    rooms: Vec<Room>,
    /// `None` if there are only a few rooms.
    index: Option<Index>,
    /// The origins, which name hosts too.
    origins: Origins,
}

/// Whether a path is a room's, nobody's, or in doubt.
#[derive(Debug, Clone, Copy)]
pub enum Territory<'g> {
    /// No room's, however an origin reads the path.
    Open,
    /// This room's, however an origin reads the path.
    Of(&'g Room),
    /// One origin would read the path as one room's, and another origin as another room's or as nobody's.
    Doubtful,
}

impl Territory<'_> {
    /// Returns whether both paths are the same room's or both nobody's. A doubtful path is like no other.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Of(room), Self::Of(others)) => room.settings.name == others.settings.name,
            (Self::Open, Self::Open) => true,
            _ => false,
        }
    }
}

/// A room's claim to a request: its most particular pattern for the request.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'g> {
    /// The room.
    pub room: &'g Room,
    /// The pattern.
    pub pattern: &'g Pattern,
}

/// The greater rank wins: a room that names the host, then the pattern segment by segment, then a pattern that names a method.
type Rank<'g> = (bool, &'g [Particular], bool);

impl<'g> Claim<'g> {
    fn rank(&self) -> Rank<'g> {
        let (path, names_method) = self.pattern.rank();
        (!self.room.hosts.is_empty(), path, names_method)
    }

    /// Returns whether this claim is more particular than another room's. Of equals, the room whose name comes first.
    fn exceeds(&self, other: &Self) -> bool {
        let (own, others) = (self.rank(), other.rank());
        own > others || (own == others && self.room.settings.name < other.room.settings.name)
    }

    /// Returns whether this claim loses to another room's however particular it is: a room of the house to a room of the file, unless an owner of all
    /// rooms put it over that one. So neither the owner of one room nor a later deploy makes a house room take what a room of the file gates.
    fn yields_to(&self, other: &Self) -> bool {
        let (own, other) = (&self.room.settings, &other.room.settings);
        own.defined.is_some() && other.defined.is_none() && !own.over.contains(&other.name)
    }

    /// Returns whether this claim wins over another room's.
    fn beats(&self, other: &Self) -> bool {
        !self.yields_to(other) && (other.yields_to(self) || self.exceeds(other))
    }
}

/// Returns the winner of all claims to one request: the most particular claim of the file's rooms, or, if it is more particular still, that of a room of
/// the house that does not yield to it. O(claims).
fn winner<'g>(claims: impl Iterator<Item = Claim<'g>>) -> Option<Claim<'g>> {
    let best = |best: Claim<'g>, next: Claim<'g>| if next.exceeds(&best) { next } else { best };
    let (mut of_house, mut of_file) = (Vec::new(), None);
    for claim in claims {
        if claim.room.settings.defined.is_some() {
            of_house.push(claim);
        } else {
            of_file = of_file.into_iter().chain([claim]).reduce(best);
        }
    }
    let bold = of_house.into_iter();
    let bold = bold.filter(|claim| of_file.is_none_or(|file| !claim.yields_to(&file)));
    bold.chain(of_file).reduce(best)
}

impl Gate {
    /// Compiles the patterns of all rooms. O(bytes of the configuration).
    ///
    /// # Errors
    /// The first [`GateError`].
    pub fn new(settings: &Settings) -> Result<Self, GateError> {
        let rooms: Vec<Room> = settings.rooms.iter().map(Room::new).collect::<Result<_, _>>()?;
        let filed = rooms.iter();
        let filed = filed.map(|room| (room.paths.as_slice(), room.hosts.as_slice()));
        Ok(Self {
            index: (rooms.len() >= ROOMS_MIN).then(|| Index::new(filed)),
            rooms,
            origins: settings.origins.clone(),
        })
    }

    /// Returns the rooms, by name, ascending.
    #[must_use]
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// Returns the room of this name. O(log rooms).
    #[must_use]
    pub fn room(&self, name: &str) -> Option<&Room> {
        let by_name = |room: &Room| room.settings.name.as_str().cmp(name);
        let at = self.rooms.binary_search_by(by_name).ok()?;
        self.rooms.get(at)
    }

    /// Decides whose a request is. Of all rooms with a pattern for it, the room with the most particular pattern wins: by host, then
    /// segment by segment (written out, then given by its beginning, then `*`, then everything below), then by method, then by the room's
    /// name. A room of the house loses to a room of the file unless it was put over it. If two readings of the path belong to different rooms, or one to a room and one to nobody, the path is doubtful. O(candidates
    /// × patterns × path); `index.rs` finds the candidates.
    ///
    /// A path of a room that begins with several slashes stays the room's where it is nobody's behind its first segment: the pass is asked for,
    /// and an origin that takes that segment for a host shows its holder what everybody may see. So does a path whose segments have parameters behind
    /// them (`/buy;jsessionid=1`) and which is one room's in any reading: Java's servers write their sessions so.
    ///
    /// A POST that is nobody's counts as a GET: a form can name that method too.
    #[must_use]
    pub fn room_of(&self, host: &Host, method: Method, path: &PathReading) -> Territory<'_> {
        match self.room_by_method(host, method, path) {
            Territory::Open if method == Method::Post => self.room_by_method(host, Method::Get, path),
            found => found,
        }
    }

    fn room_by_method(&self, host: &Host, method: Method, path: &PathReading) -> Territory<'_> {
        let found = self.room_by_segments(host, method, path);
        let mut behind = (path.behind_host().iter()).map(|path| self.room_by_segments(host, method, path));
        let differs = behind.any(|behind| !matches!(behind, Territory::Open) && !behind.is_same_as(&found));
        let is_doubtful = differs || self.may_be_at_another_host(host, method, path);
        if is_doubtful { Territory::Doubtful } else { found }
    }

    /// Returns whether some origin may read the path's beginning as another host, at which the rest is a room's. O(rooms × patterns × path) for a path that
    /// begins with several slashes.
    fn may_be_at_another_host(&self, host: &Host, method: Method, path: &PathReading) -> bool {
        let rests = path.behind_host();
        let is_named = |room: &&Room| !room.is_for(host) && room.hosts.iter().any(|named| path.may_name(named));
        let mut rooms = self.rooms.iter().filter(|_| !rests.is_empty()).filter(is_named);
        rooms.any(|room| {
            let mut patterns = room.paths.iter().filter(|pattern| pattern.takes(method));
            patterns.any(|pattern| rests.iter().any(|rest| pattern.may_match(rest)))
        })
    }

    fn room_by_segments(&self, host: &Host, method: Method, path: &PathReading) -> Territory<'_> {
        let candidates = self.candidates(host, path);
        let sure = claims(&candidates, host, move |pattern| pattern.takes(method) && pattern.surely_matches(path));
        let sure = winner(sure);
        if path.has_one_reading() {
            return sure.map_or(Territory::Open, |claim| Territory::Of(claim.room));
        }
        let mut perhaps = claims(&candidates, host, move |pattern| pattern.takes(method) && pattern.may_match(path));
        match sure {
            None => match (perhaps.next(), perhaps.next()) {
                (None, _) => Territory::Open,
                (Some(claim), None) if path.differs_by_parameters() => Territory::Of(claim.room),
                _ => Territory::Doubtful,
            },
            Some(sure) => {
                let is_others = |claim: &Claim<'_>| claim.room.settings.name != sure.room.settings.name;
                let has_rival = perhaps.any(|claim| is_others(&claim) && claim.beats(&sure));
                if has_rival { Territory::Doubtful } else { Territory::Of(sure.room) }
            }
        }
    }

    /// Returns whether some decoder might make a path of a room's out of one with malformed escapes, though no reading of it is a room's. Methods do not
    /// matter. O(patterns × path × pattern), of 2,048 bytes at most.
    #[must_use]
    pub fn may_hide_a_room(&self, host: &Host, path_and_query: &str) -> bool {
        let garbled = Garbled::new(path_and_query);
        let is_in = |pattern: &Pattern| {
            let garbled = garbled.as_ref();
            garbled.is_none_or(|garbled| pattern.may_be_hidden_in(garbled))
        };
        let mut rooms = self.rooms.iter().filter(|room| room.is_for(host));
        rooms.any(|room| room.paths.iter().any(is_in))
    }

    /// Returns every room's best claim to a request, the winner first. The path must be one that all origins
    /// read in one way. For people who ask why.
    #[must_use]
    pub fn claims_to(&self, host: &Host, method: Method, path: &PathReading) -> Vec<Claim<'_>> {
        let mut claims: Vec<_> = claims(&self.candidates(host, path), host, move |pattern| {
            pattern.takes(method) && pattern.may_match(path)
        })
        .collect();
        let winner = winner(claims.iter().copied());
        let is_winner = |claim: &Claim<'_>| winner.is_some_and(|winner| winner.room.settings.name == claim.room.settings.name);
        sort_few(&mut claims, |a, b| {
            let by_name = || a.room.settings.name.cmp(&b.room.settings.name);
            let by_rank = || b.rank().cmp(&a.rank()).then_with(by_name);
            is_winner(b).cmp(&is_winner(a)).then_with(by_rank)
        });
        claims
    }

    /// Returns the rooms that a request can be for.
    fn candidates(&self, host: &Host, path: &PathReading) -> Candidates<'_> {
        match &self.index {
            None => Candidates::All(&self.rooms),
            Some(index) => {
                let filed = index.candidates(host, path).into_iter();
                Candidates::Filed(filed.filter_map(|at| self.rooms.get(at)).collect())
            }
        }
    }

    /// Returns whether a room or `ORIGIN` in the settings names this host, or some room is for every host.
    /// Without rooms every host counts as known.
    #[must_use]
    pub fn knows(&self, host: &Host) -> bool {
        self.rooms.is_empty() || self.guards(host) || self.origins.know(host)
    }

    /// Returns whether some room is for this host.
    #[must_use]
    pub fn guards(&self, host: &Host) -> bool {
        self.rooms.iter().any(|room| room.is_for(host))
    }
}

/// The rooms that a request can be for, in the order of their names.
enum Candidates<'g> {
    All(&'g [Room]),
    Filed(Vec<&'g Room>),
}

impl<'g> Candidates<'g> {
    fn iter(&self) -> impl Iterator<Item = &'g Room> {
        let (all, filed): (&'g [Room], &[&'g Room]) = match self {
            Self::All(rooms) => (rooms, &[]),
            Self::Filed(rooms) => (&[], rooms),
        };
        all.iter().chain(filed.iter().copied())
    }
}

/// Returns each room's claim for this host: its most particular pattern that matches.
fn claims<'g, 'a>(candidates: &'a Candidates<'g>, host: &'a Host, matches: impl Fn(&Pattern) -> bool + 'a) -> impl Iterator<Item = Claim<'g>> {
    let rooms = candidates.iter().filter(move |room| room.is_for(host));
    rooms.filter_map(move |room| {
        let own = room.paths.iter().filter(|pattern| matches(pattern));
        let pattern = own.max_by_key(|pattern| pattern.rank())?;
        Some(Claim { room, pattern })
    })
}

impl Room {
    fn new(settings: &RoomSettings) -> Result<Self, GateError> {
        let wrong = |text: &str, error| GateError::Pattern {
            room: settings.name.clone(),
            text: text.to_owned(),
            error,
        };
        let pattern = |text: &String| Pattern::parse(text).map_err(|error| wrong(text, error));
        let exception = |text: &String| Exception::parse(text).map_err(|error| wrong(text, error));
        let host = |text: &String| {
            HostPattern::parse(text).ok_or_else(|| GateError::Host {
                room: settings.name.clone(),
                text: text.clone(),
            })
        };
        Ok(Self {
            paths: settings.paths.iter().map(pattern).collect::<Result<_, _>>()?,
            bypass: (settings.bypass_paths.iter().map(exception)).collect::<Result<_, _>>()?,
            hosts: settings.hosts.iter().map(host).collect::<Result<_, _>>()?,
            settings: settings.clone(),
        })
    }

    /// Returns whether a request as sent is one of this room's exceptions: its path, and its query if that is named, in exactly this spelling, with
    /// exactly this method.
    #[must_use]
    pub fn bypasses(&self, method: Method, path_and_query: &str) -> bool {
        self.bypass.iter().any(|exception| exception.matches_strictly(method, path_and_query))
    }

    /// Returns the origin of a request if it is that of an app whose pages may call here. It must equal a configured origin byte for byte.
    #[must_use]
    pub fn app_origin(&self, request: &Request<'_>) -> Option<&str> {
        let origins = &self.settings.app_origins;
        if origins.is_empty() {
            return None;
        }
        let shown = request.headers.get("origin")?;
        let mut named = origins.iter().map(String::as_str);
        named.find(|origin| *origin == shown)
    }

    /// Returns what a browser is told that lets the page read Baton's answer which embeds a widget of the shop's and makes the request: its origin, or
    /// [`ANY_ORIGIN`] where every page may.
    #[must_use]
    pub fn widget_origin(&self, request: &Request<'_>) -> Option<&str> {
        let origins = &self.settings.widget_origins;
        if origins.is_empty() {
            return None;
        }
        let shown = request.headers.get("origin")?;
        let mut named = origins.iter().map(String::as_str);
        named.find(|origin| *origin == shown || *origin == ANY_ORIGIN)
    }

    /// Returns the address of a page of this room, for a link back to it: the first of its paths that is one address,
    /// without a last `*`. `/` if there is none.
    #[must_use]
    pub fn first_address(&self) -> &str {
        self.paths.iter().find_map(Pattern::address).unwrap_or("/")
    }

    /// Returns whether the room's `hosts` name this host.
    #[must_use]
    pub fn names(&self, host: &Host) -> bool {
        self.hosts.iter().any(|pattern| pattern.matches(host))
    }

    /// Returns whether the room is for this host.
    #[must_use]
    pub fn is_for(&self, host: &Host) -> bool {
        self.hosts.is_empty() || self.names(host)
    }
}
