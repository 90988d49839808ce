//! How old a front's copy of the house may be. A change holds everywhere within [`BOUND_MS`]: a front uses a fresh copy without asking, asks
//! beside its answer if the copy is older, and never uses a stale one while the house answers. Fronts and the simulator
//! (`tools/src/simulate/fleet`) go by the same [`Copy`](struct@Copy).

/// Below this age a front uses its copy and asks nobody, ms.
pub const FRESH_MS: u64 = 2_000;
/// From this age on a request waits for a newer copy, ms.
pub const STALE_MS: u64 = 4_000;
/// How long a request waits for a newer copy, ms.
pub const WAIT_MS: u64 = 1_000;
/// How long a data centre keeps the house's answer for all its isolates, s.
pub const CACHED_S: u64 = 1;
/// After this time a change of the house holds everywhere while the house answers, ms. A copy is as old as the question that brought it, also in
/// the data centre's cache, and only a request that has waited for a newer one uses a copy older than [`STALE_MS`].
pub const BOUND_MS: u64 = STALE_MS + WAIT_MS;
/// How long the operators of the house may go on while it does not answer, ms: fifteen minutes. Its rooms run without it, so its absence must not
/// shut out whoever steers a sale; but an operator who was removed just before must not stay in for as long as the absence lasts.
pub const OPERATORS_MS: u64 = 900_000;
/// After this time a question beside an answer counts as cut off with its request, ms. For the same time nobody asks
/// again after the house failed to answer.
pub const ASKED_MS: u64 = 2_000;

/// What a front does before it uses its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// It asks beside the answer.
    Beside,
    /// It waits for a newer copy, [`WAIT_MS`] at most, and goes on with the old one if none comes.
    First,
}

/// When a copy came, and when the front last set out for a newer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The moment from which the copy's age counts, Unix ms; `None` if there is no copy or it is known to be old.
    at_ms: Option<u64>,
    /// The moment as of which the copy is right, even while it is known to be old, Unix ms.
    as_of_ms: Option<u64>,
    asked_at_ms: Option<u64>,
    /// When the house last failed to answer, Unix ms.
    failed_at_ms: Option<u64>,
}

impl Copied {
    /// Decides what is due now. Of many requests in the same moment, only one asks beside its answer. O(1).
    #[must_use]
    pub fn due(&self, now_ms: u64) -> Due {
        let lately = |at: Option<u64>| at.is_some_and(|at| now_ms.abs_diff(at) < ASKED_MS);
        let age_ms = self.at_ms.map_or(u64::MAX, |at| now_ms.abs_diff(at));
        if age_ms < FRESH_MS || lately(self.failed_at_ms) {
            Due::Nothing
        } else if age_ms >= STALE_MS {
            Due::First
        } else if lately(self.asked_at_ms) {
            Due::Nothing
        } else {
            Due::Beside
        }
    }

    /// Records that the house did not answer. For a while nobody waits for it again, so that a house that is away costs the patience
    /// of one request and not of every one.
    pub const fn failed(&mut self, now_ms: u64) {
        (self.asked_at_ms, self.failed_at_ms) = (None, Some(now_ms));
    }

    /// Returns whether the copy may still say who operates. O(1).
    #[must_use]
    pub fn vouches(&self, now_ms: u64) -> bool {
        self.as_of_ms.is_some_and(|at| now_ms.abs_diff(at) < OPERATORS_MS)
    }

    /// Records that the copy is known to be old: the next request that needs it waits for a newer one.
    pub const fn expire(&mut self) {
        self.at_ms = None;
    }

    /// Records that somebody sets out to ask.
    pub const fn asked(&mut self, now_ms: u64) {
        self.asked_at_ms = Some(now_ms);
    }

    /// Records that the answer came. `as_of_ms` is when somebody asked the house for it.
    pub fn came(&mut self, as_of_ms: u64) {
        self.at_ms = self.at_ms.max(Some(as_of_ms));
        self.as_of_ms = self.as_of_ms.max(self.at_ms);
        self.ended();
    }

    /// Records that the house answered, and that the copy is as old as it was.
    pub const fn ended(&mut self) {
        (self.asked_at_ms, self.failed_at_ms) = (None, None);
    }
}

/// A front's copy of the house's table, kept as the `T` that the front made of it.
#[derive(Clone, Debug)]
pub struct Copy<T> {
    copied: Copied,
    version: u64,
    /// The lowest version that will do, because this front has heard of it.
    least: u64,
    /// When this front last heard of such a version, Unix ms.
    heard_at_ms: Option<u64>,
    made: Option<T>,
}

impl<T> Default for Copy<T> {
    fn default() -> Self {
        Self {
            copied: Copied::default(),
            version: 0,
            least: 0,
            heard_at_ms: None,
            made: None,
        }
    }
}

impl<T> Copy<T> {
    /// What the front made of the copy; `None` if there never was one.
    pub const fn made(&self) -> Option<&T> {
        self.made.as_ref()
    }

    /// The copy's version; `None` if there is no copy.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        self.made.as_ref().map(|_| self.version)
    }

    /// The lowest version that will do, also in a table that another front of the data centre asked for.
    #[must_use]
    pub const fn least(&self) -> u64 {
        self.least
    }

    /// Decides what is due before the copy is used. See [`Copied::due`].
    #[must_use]
    pub fn due(&self, now_ms: u64) -> Due {
        self.copied.due(now_ms)
    }

    /// Returns whether the copy may still say who operates. See [`Copied::vouches`].
    #[must_use]
    pub fn vouches(&self, now_ms: u64) -> bool {
        self.copied.vouches(now_ms)
    }

    /// Records that somebody sets out to ask beside an answer.
    pub const fn asked(&mut self, now_ms: u64) {
        self.copied.asked(now_ms);
    }

    /// Returns whether a table of this version is worth a look. One that is not newer than the copy is passed over.
    #[must_use]
    pub fn is_news(&self, version: u64) -> bool {
        self.known().is_none_or(|known| version > known)
    }

    /// Takes in what was made of a table of this version, if that is news.
    pub fn learn(&mut self, version: u64, made: T) {
        if self.is_news(version) {
            (self.version, self.made) = (version, Some(made));
        }
    }

    /// Records that the answer came, with news or without. `as_of_ms` is when somebody asked the house for it. If that was before this front heard
    /// of a version newer than the copy, the copy stays old.
    pub fn came(&mut self, as_of_ms: u64) {
        let will_do = self.known().is_some_and(|known| known >= self.least);
        if will_do || Some(as_of_ms) > self.heard_at_ms {
            self.copied.came(as_of_ms);
        } else {
            self.copied.ended();
        }
    }

    /// Records that the house did not answer.
    pub const fn failed(&mut self, now_ms: u64) {
        self.copied.failed(now_ms);
    }

    /// Records that this front made this version or was told of it. The next request that needs the copy waits for that version.
    pub fn expect(&mut self, now_ms: u64, version: u64) {
        self.least = self.least.max(version);
        self.heard_at_ms = Some(now_ms);
        self.copied.expire();
    }
}
