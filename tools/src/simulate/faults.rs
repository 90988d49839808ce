//! What goes wrong, how often, and under which name. Every single fault has a name (`lost.12` is the thirteenth time that a message would be lost:
//! names count from 0), so a run can be played again without it.

use baton_advice::chance::Chance;
use core::fmt;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// A kind of fault, or of something that an operator does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $kind,)* }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// Its name in scripts, flags and figures.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    /// A message never arrives.
    Lost = "lost",
    /// A message arrives twice.
    Twice = "twice",
    /// Later messages overtake a message.
    Slow = "slow",
    /// The store refuses a write.
    WriteFails = "write-fails",
    /// The store reports a failure but has written all the same.
    WriteUnsure = "write-unsure",
    /// The power is cut before the writes are durable.
    PowerBefore = "power-before",
    /// The power is cut when the writes are durable but nobody was told.
    PowerAfter = "power-after",
    /// An alarm rings late.
    AlarmLate = "alarm-late",
    /// An alarm rings twice.
    AlarmTwice = "alarm-twice",
    /// An alarm never rings.
    AlarmLost = "alarm-lost",
    /// The room's process ends.
    RoomRestart = "room-restart",
    /// A lobby's process ends, and its sockets with it.
    LobbyRestart = "lobby-restart",
    /// A lobby's memory goes, but its sockets stay.
    LobbySleeps = "lobby-sleeps",
    /// The room restarts together with all lobbies, some of which keep their sockets.
    AllRestart = "all-restart",
    /// All lobbies come into memory at once, and say Hello.
    Burst = "burst",
    /// A lobby begins a second life while the first goes on.
    TwoLives = "two-lives",
    /// A host's clock is set forward.
    ClockForward = "clock-forward",
    /// A host's clock is set back.
    ClockBack = "clock-back",
    /// The operator gives the room more permits.
    Raise = "raise",
    /// The operator gives the room fewer permits.
    Lower = "lower",
    /// The operator sets another mode for a while: paused, closed, drain, observe or sold out.
    Pause = "pause",
    /// The operator opens the room again.
    Resume = "resume",
    /// The operator closes the room until a given time, and opens a hall before it.
    Hours = "hours",
    /// The operator resets the room.
    Reset = "reset",
    /// The operator ends somebody's ticket.
    Dismiss = "dismiss",
    /// An asker no longer waits.
    Gone = "gone",
    /// A strict room asks whether a lease lives.
    Check = "check",
    /// A lobby holds a poll.
    LongPoll = "long-poll",
    /// A visitor's ticket cookie is lost.
    CookieLost = "cookie-lost",
    /// From now on a visitor without a ticket comes to another lobby.
    OtherLobby = "other-lobby",
    /// A visitor opens a link.
    Carry = "carry",
    /// A visitor loads a page again.
    Reload = "reload",
    /// A visitor closes the page for at most 40 s.
    Close = "close",
    /// A visitor vanishes, and comes back after at most fifteen minutes or when the calm begins.
    Vanish = "vanish",
    /// A visitor opens a second tab.
    SecondTab = "second-tab",
    /// A visitor shows an old fence or number again.
    Replay = "replay",
    /// A visitor shows a pass that was tampered with.
    Forgery = "forgery",
    /// The origin answers with errors for a while.
    OriginFails = "origin-fails",
    /// The shop says how many seats are left.
    StockSaid = "stock-said",
    /// For a while nothing that the room says reaches a lobby, but the room still hears the lobby.
    Deaf = "deaf",
    /// The operator sets a schedule.
    Schedule = "schedule",
    /// A porter's process ends.
    PorterRestart = "porter-restart",
    /// A porter's bundle reaches the room in two parts.
    BundleSplit = "bundle-split",
    /// The operator changes the lanes.
    Lanes = "lanes",
    /// The operator makes a sheet of vouchers, or takes one back.
    Sheets = "sheets",
    /// For a while the room, a lobby or what goes between them is of another build.
    Skew = "skew",
    /// A visitor's browser looks ahead: it loads the gated page before anybody clicks.
    Look = "look",
    /// A visitor goes back to a page that the browser stored: it shows an old status and acts by it.
    StoredPage = "stored-page",
}

/// The number of kinds.
pub const KINDS: usize = Kind::ALL.len();

/// How often each kind has happened, by its position in [`Kind::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts(pub [u64; KINDS]);

impl Default for Counts {
    fn default() -> Self {
        Self([0; KINDS])
    }
}

/// One thing that happened: a fault, or something that a visitor did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A fault of this kind, counted from 0.
    Fault(Kind, u32),
    /// An act of this visitor, counted from 0.
    Act(u16, u32),
}

impl Name {
    /// The same thing at another count.
    #[must_use]
    pub const fn nth(self, count: u32) -> Self {
        match self {
            Self::Fault(kind, _) => Self::Fault(kind, count),
            Self::Act(visitor, _) => Self::Act(visitor, count),
        }
    }

    /// Its count.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Fault(_, count) | Self::Act(_, count) => count,
        }
    }

    /// Writes names as the command line takes them: `lost.3`, and `lost.3-9` for the faults from 3 to 9.
    #[must_use]
    pub fn list(names: &BTreeSet<Self>) -> String {
        let mut runs: Vec<(Self, u32)> = Vec::new();
        for name in names {
            match runs.last_mut() {
                Some((first, last)) if first.nth(*last + 1) == *name => *last += 1,
                _ => runs.push((*name, name.count())),
            }
        }
        let written = runs.iter().map(|(first, last)| match first.count() {
            count if count == *last => first.to_string(),
            _ => format!("{first}-{last}"),
        });
        written.collect::<Vec<_>>().join(",")
    }

    /// Reads what [`list`](Self::list) wrote.
    ///
    /// # Errors
    /// Returns what is no name, and what names look like.
    pub fn parse_list(text: &str) -> Result<BTreeSet<Self>, String> {
        let mut names = BTreeSet::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let numbers_at = word.rfind('.').unwrap_or(0);
            let (first, last) = match word.get(numbers_at..).and_then(|rest| rest.find('-')) {
                Some(dash) => word.split_at(numbers_at + dash),
                None => (word, ""),
            };
            let first: Self = first.parse()?;
            let last = match last.strip_prefix('-') {
                None => first.count(),
                Some(last) => last.parse().map_err(|_| format!("`{word}` is no range; ranges look like lost.3-9"))?,
            };
            names.extend((first.count()..=last).map(|count| first.nth(count)));
        }
        Ok(names)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(kind, count) => write!(f, "{}.{count}", kind.name()),
            Self::Act(visitor, count) => write!(f, "v{visitor}.{count}"),
        }
    }
}

impl std::str::FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` names nothing that happens; names look like lost.3 or v2.17");
        let (what, count) = text.rsplit_once('.').ok_or_else(wrong)?;
        let count = count.parse().map_err(|_| wrong())?;
        if let Some(kind) = Kind::ALL.iter().find(|kind| kind.name() == what) {
            return Ok(Self::Fault(*kind, count));
        }
        let visitor = what.strip_prefix('v').and_then(|v| v.parse().ok());
        Ok(Self::Act(visitor.ok_or_else(wrong)?, count))
    }
}

/// Everything that can go wrong in one run.
#[derive(Debug)]
pub struct Faults {
    /// How many of a thousand occasions a kind spoils. For a kind that comes with time: the mean time between two, in ms.
    rates: [u32; KINDS],
    streams: Vec<Chance>,
    picked: [u32; KINDS],
    /// How often each kind has happened.
    pub counts: Counts,
    only: Option<Rc<BTreeSet<Name>>>,
    /// What has happened; `None` if no log is kept.
    pub log: Option<Vec<Name>>,
}

/// The run's faults, shared with its disks.
pub type Shared = Rc<RefCell<Faults>>;

impl Faults {
    /// Makes the faults of a run, all of them at rate 0. With `only`, just the faults and acts that it names happen.
    #[must_use]
    pub fn new(seed: u64, only: Option<Rc<BTreeSet<Name>>>, keeps_log: bool) -> Self {
        let stream = |kind: &Kind| Chance::of(seed, 1_000 + *kind as u64);
        Self {
            rates: [0; KINDS],
            streams: Kind::ALL.iter().map(stream).collect(),
            picked: [0; KINDS],
            counts: Counts::default(),
            only,
            log: keeps_log.then(Vec::new),
        }
    }

    /// Sets the rate of a kind.
    pub const fn set(&mut self, kind: Kind, rate: u32) {
        self.rates[kind as usize] = rate;
    }

    /// The rate of a kind.
    #[must_use]
    pub const fn rate(&self, kind: Kind) -> u32 {
        self.rates[kind as usize]
    }

    /// The kind's own stream of chance.
    pub fn chance_of(&mut self, kind: Kind) -> &mut Chance {
        &mut self.streams[kind as usize]
    }

    /// Picks whether a kind strikes on this occasion, and counts it if so.
    pub fn strikes(&mut self, kind: Kind) -> bool {
        let rate = self.rates[kind as usize];
        rate > 0 && self.streams[kind as usize].chance(rate) && self.happens(kind)
    }

    /// Counts a fault that is due, and returns whether it may happen.
    pub fn happens(&mut self, kind: Kind) -> bool {
        let count = self.picked[kind as usize];
        self.picked[kind as usize] += 1;
        let may = self.may(Name::Fault(kind, count));
        self.counts.0[kind as usize] += u64::from(may);
        may
    }

    /// Returns whether something may happen, and logs it if so.
    pub fn may(&mut self, name: Name) -> bool {
        let may = self.only.as_ref().is_none_or(|only| only.contains(&name));
        if may && let Some(log) = &mut self.log {
            log.push(name);
        }
        may
    }

    /// Counts something that is never left out.
    pub const fn note(&mut self, kind: Kind) {
        self.counts.0[kind as usize] += 1;
    }

    /// Stops all faults.
    pub const fn stop(&mut self) {
        self.rates = [0; KINDS];
    }
}
