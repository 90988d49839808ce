//! What goes wrong, how often, and by which name: every single fault has one (`lost.12` is the twelfth
//! time that a message would be lost), so that a run can be played again without it.

use super::rng::Rng;
use core::fmt;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// A kind of fault, or of what an operator does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $kind,)* }

        impl Kind {
            /// All of them.
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
    /// A message is overtaken by later ones.
    Slow = "slow",
    /// The store does not take a write.
    WriteFails = "write-fails",
    /// The store says that it failed, and has written all the same.
    WriteUnsure = "write-unsure",
    /// Power is cut before what was written is durable.
    PowerBefore = "power-before",
    /// Power is cut when it is durable and nobody was told.
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
    /// A lobby's memory goes, its sockets stay.
    LobbySleeps = "lobby-sleeps",
    /// The room and its lobbies restart together.
    AllRestart = "all-restart",
    /// All lobbies come into memory at once, and say Hello.
    Burst = "burst",
    /// A lobby gets a second life while the first goes on.
    TwoLives = "two-lives",
    /// A host's clock is set forward.
    ClockForward = "clock-forward",
    /// A host's clock is set back.
    ClockBack = "clock-back",
    /// The operator gives the room more permits.
    Raise = "raise",
    /// The operator gives the room fewer permits.
    Lower = "lower",
    /// The operator pauses the room.
    Pause = "pause",
    /// The operator opens the room.
    Resume = "resume",
    /// The operator closes the room until an hour, and opens a hall before that.
    Hours = "hours",
    /// The operator begins the room anew.
    Reset = "reset",
    /// The operator ends somebody's ticket.
    Dismiss = "dismiss",
    /// The asker waits no longer.
    Gone = "gone",
    /// A strict room asks whether a lease lives.
    Check = "check",
    /// A poll is held.
    LongPoll = "long-poll",
    /// A visitor's ticket cookie is lost.
    CookieLost = "cookie-lost",
    /// A visitor without a ticket comes to another lobby from now on.
    OtherLobby = "other-lobby",
    /// A link is opened.
    Carry = "carry",
    /// A page is loaded again.
    Reload = "reload",
    /// A page is closed for a while.
    Close = "close",
    /// A visitor vanishes, and comes back when all is over or never.
    Vanish = "vanish",
    /// A second tab is opened.
    SecondTab = "second-tab",
    /// An old fence or number is shown again.
    Replay = "replay",
    /// A pass that was tampered with is shown.
    Forgery = "forgery",
    /// The origin answers with errors for a while.
    OriginFails = "origin-fails",
    /// The shop says how many seats are left.
    StockSaid = "stock-said",
    /// A lobby hears nothing of the room for a while, and is heard.
    Deaf = "deaf",
    /// The operator plans what changes by itself.
    Schedule = "schedule",
    /// A porter's process ends.
    PorterRestart = "porter-restart",
    /// A porter's bundle reaches the room in two parts.
    BundleSplit = "bundle-split",
    /// The operator changes the lanes.
    Lanes = "lanes",
    /// The operator makes a sheet of vouchers, or takes one back.
    Sheets = "sheets",
}

/// How many kinds there are.
pub const KINDS: usize = Kind::ALL.len();

/// How often each kind happened.
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
    /// The so-many-th fault of this kind.
    Fault(Kind, u32),
    /// The so-many-th act of this visitor.
    Act(u16, u32),
}

impl Name {
    /// The same thing, the so-many-th time.
    #[must_use]
    pub const fn nth(self, count: u32) -> Self {
        match self {
            Self::Fault(kind, _) => Self::Fault(kind, count),
            Self::Act(visitor, _) => Self::Act(visitor, count),
        }
    }

    /// Which time it is.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Fault(_, count) | Self::Act(_, count) => count,
        }
    }

    /// Names as the command line takes them: `lost.3`, and `lost.3-9` for all from the third to the ninth.
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

    /// What [`list`](Self::list) wrote.
    ///
    /// # Errors
    /// What is no name, and how names look.
    pub fn parse_list(text: &str) -> Result<BTreeSet<Self>, String> {
        let mut names = BTreeSet::new();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let numbers_at = word.rfind('.').unwrap_or(0);
            let (first, last) = match word.get(numbers_at..).and_then(|rest| rest.find('-')) {
                Some(dash) => word.split_at(numbers_at + dash),
                None => (word, ""),
            };
            let first: Self = first.parse()?;
            let last = match last.strip_prefix('-') {
                None => first.count(),
                Some(last) => last
                    .parse()
                    .map_err(|_| format!("`{word}` is no range; ranges look like lost.3-9"))?,
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
        let wrong =
            || format!("`{text}` names nothing that happens; names look like lost.3 or v2.17");
        let (what, count) = text.rsplit_once('.').ok_or_else(wrong)?;
        let count = count.parse().map_err(|_| wrong())?;
        if let Some(kind) = Kind::ALL.iter().find(|kind| kind.name() == what) {
            return Ok(Self::Fault(*kind, count));
        }
        let visitor = what.strip_prefix('v').and_then(|v| v.parse().ok());
        Ok(Self::Act(visitor.ok_or_else(wrong)?, count))
    }
}

/// Everything that goes wrong in one run.
#[derive(Debug)]
pub struct Faults {
    /// So many of a thousand occasions; for what happens now and then, mean milliseconds between.
    rates: [u32; KINDS],
    streams: Vec<Rng>,
    drawn: [u32; KINDS],
    /// How often each kind happened.
    pub counts: Counts,
    only: Option<Rc<BTreeSet<Name>>>,
    /// What happened, when it is kept.
    pub log: Option<Vec<Name>>,
}

/// The run's faults, shared with its disks.
pub type Shared = Rc<RefCell<Faults>>;

impl Faults {
    /// None yet.
    #[must_use]
    pub fn new(seed: u64, only: Option<Rc<BTreeSet<Name>>>, keeps_log: bool) -> Self {
        let stream = |kind: &Kind| Rng::of(seed, 1_000 + *kind as u64);
        Self {
            rates: [0; KINDS],
            streams: Kind::ALL.iter().map(stream).collect(),
            drawn: [0; KINDS],
            counts: Counts::default(),
            only,
            log: keeps_log.then(Vec::new),
        }
    }

    /// How often, from now on.
    pub const fn set(&mut self, kind: Kind, rate: u32) {
        self.rates[kind as usize] = rate;
    }

    /// How often.
    #[must_use]
    pub const fn rate(&self, kind: Kind) -> u32 {
        self.rates[kind as usize]
    }

    /// The kind's own chance.
    pub fn chance_of(&mut self, kind: Kind) -> &mut Rng {
        &mut self.streams[kind as usize]
    }

    /// Whether it happens on this occasion.
    pub fn strikes(&mut self, kind: Kind) -> bool {
        let rate = self.rates[kind as usize];
        rate > 0 && self.streams[kind as usize].chance(rate) && self.happens(kind)
    }

    /// It is due. Whether it may.
    pub fn happens(&mut self, kind: Kind) -> bool {
        let count = self.drawn[kind as usize];
        self.drawn[kind as usize] += 1;
        let may = self.may(Name::Fault(kind, count));
        self.counts.0[kind as usize] += u64::from(may);
        may
    }

    /// Whether something may happen; then it is noted.
    pub fn may(&mut self, name: Name) -> bool {
        let may = self.only.as_ref().is_none_or(|only| only.contains(&name));
        if may && let Some(log) = &mut self.log {
            log.push(name);
        }
        may
    }

    /// Counted, and never left out.
    pub const fn note(&mut self, kind: Kind) {
        self.counts.0[kind as usize] += 1;
    }

    /// From now on nothing goes wrong.
    pub const fn stop(&mut self) {
        self.rates = [0; KINDS];
    }
}
