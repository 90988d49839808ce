//! How old a front's copy of the house may be. A change holds everywhere within [`BOUND_MS`]: a copy is used without a question
//! while it is fresh, with one beside the answer when it is not, and never when it is stale and the house answers. Fronts and the simulator
//! (`tools/src/simulate/fleet`) go by the same [`Copy`].

/// Up to this age a copy is used and nobody is asked, ms.
pub const FRESH_MS: u64 = 2_000;
/// From this age on a request waits for a newer one, ms.
pub const STALE_MS: u64 = 4_000;
/// How long it waits, ms.
pub const WAIT_MS: u64 = 1_000;
/// How long a data centre keeps the answer of the house for all its isolates, s.
pub const CACHED_S: u64 = 1;
/// A change of the house holds everywhere after so long, while the house answers: a copy is as old as the question that brought it,
/// the data centre's too, and none is used that is older than [`STALE_MS`] but by a request that has waited for a newer one.
pub const BOUND_MS: u64 = STALE_MS + WAIT_MS;
/// So long the operators of the house may go on while it does not answer, ms: fifteen minutes. Its rooms run without it, so whoever steers a
/// sale must not be shut out by its absence; and whoever was removed just before must not stay in for as long as it lasts.
pub const OPERATORS_MS: u64 = 900_000;
/// A question beside an answer that has not ended by then was cut off with its request; and so long nobody asks a house again that
/// did not answer, ms.
pub const ASKED_MS: u64 = 2_000;

/// What a front does before it uses its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// It asks beside the answer.
    Beside,
    /// It waits for a newer one, [`WAIT_MS`] at most, and goes on with the old one if none comes.
    First,
}

/// When a copy came, and when somebody last set out for a newer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Unix ms; none: there is no copy.
    at_ms: Option<u64>,
    /// As of when the copy is right, also while it is known to be old. Unix ms.
    as_of_ms: Option<u64>,
    asked_at_ms: Option<u64>,
    /// When the house last did not answer.
    failed_at_ms: Option<u64>,
}

impl Copied {
    /// What is due now. One of many requests in the same moment asks beside its answer. O(1).
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

    /// The house did not answer. For a while nobody waits for it again: a house that is away costs one request its patience, and not
    /// every one.
    pub const fn failed(&mut self, now_ms: u64) {
        (self.asked_at_ms, self.failed_at_ms) = (None, Some(now_ms));
    }

    /// Whether the copy may still say who operates. O(1).
    #[must_use]
    pub fn vouches(&self, now_ms: u64) -> bool {
        self.as_of_ms
            .is_some_and(|at| now_ms.abs_diff(at) < OPERATORS_MS)
    }

    /// It is known to be old: the next one that needs it waits for a newer one.
    pub const fn is_old(&mut self) {
        self.at_ms = None;
    }

    /// Somebody sets out to ask.
    pub const fn asked(&mut self, now_ms: u64) {
        self.asked_at_ms = Some(now_ms);
    }

    /// The answer has come. `as_of_ms`: when somebody asked the house for it.
    pub fn came(&mut self, as_of_ms: u64) {
        self.at_ms = self.at_ms.max(Some(as_of_ms));
        self.as_of_ms = self.as_of_ms.max(self.at_ms);
        self.ended();
    }

    /// The house has answered, and the copy is as old as it was.
    pub const fn ended(&mut self) {
        (self.asked_at_ms, self.failed_at_ms) = (None, None);
    }
}

/// A front's copy of the house's table, kept as the `T` that the front made of it.
#[derive(Clone, Debug)]
pub struct Copy<T> {
    copied: Copied,
    version: u64,
    /// The lowest version that will do: this front has heard of it.
    least: u64,
    /// When it last heard of one, Unix ms.
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
    /// What was made of the copy; none: there never was one.
    pub const fn made(&self) -> Option<&T> {
        self.made.as_ref()
    }

    /// The copy's version; none: there is no copy.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        self.made.as_ref().map(|_| self.version)
    }

    /// A table that another front of the data centre has asked for will do from this version on.
    #[must_use]
    pub const fn least(&self) -> u64 {
        self.least
    }

    /// What is due before the copy is used. See [`Copied::due`].
    #[must_use]
    pub fn due(&self, now_ms: u64) -> Due {
        self.copied.due(now_ms)
    }

    /// Whether the copy may still say who operates. See [`Copied::vouches`].
    #[must_use]
    pub fn vouches(&self, now_ms: u64) -> bool {
        self.copied.vouches(now_ms)
    }

    /// Somebody sets out to ask beside an answer.
    pub const fn asked(&mut self, now_ms: u64) {
        self.copied.asked(now_ms);
    }

    /// Whether a table of this version is worth a look: a lower one than is known is passed over.
    #[must_use]
    pub fn is_news(&self, version: u64) -> bool {
        self.known().is_none_or(|known| version > known)
    }

    /// This was made of a table of this version.
    pub fn learn(&mut self, version: u64, made: T) {
        if self.is_news(version) {
            (self.version, self.made) = (version, Some(made));
        }
    }

    /// The answer has come, with news or without. `as_of_ms`: when somebody asked the house for it. One to a question from before this front
    /// heard of a newer version leaves the copy old.
    pub fn came(&mut self, as_of_ms: u64) {
        let will_do = self.known().is_some_and(|known| known >= self.least);
        if will_do || Some(as_of_ms) > self.heard_at_ms {
            self.copied.came(as_of_ms);
        } else {
            self.copied.ended();
        }
    }

    /// The house did not answer.
    pub const fn failed(&mut self, now_ms: u64) {
        self.copied.failed(now_ms);
    }

    /// This front has made this version, or was told of it: the next request that needs the copy waits for that.
    pub fn expect(&mut self, now_ms: u64, version: u64) {
        self.least = self.least.max(version);
        self.heard_at_ms = Some(now_ms);
        self.copied.is_old();
    }
}
