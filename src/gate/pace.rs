//! Decides how long a page without a number waits before it opens its first socket, so that a crowd that comes in one second
//! does not ask the lobbies in that second.
//!
//! **The law.** A lobby takes [`REQUESTS_PER_S`]. Pages take turns in the order in which they come: the page behind `n` others
//! waits until the lobbies, at that pace, have dealt with `n`. So sockets come at that pace whatever the shape of the burst,
//! and nobody waits longer than that takes.
//!
//! **Who knows how many come.** An isolate sees a part of the crowd, and nobody tells it how large that part is. So it tells a lobby how
//! many pages it filled, along with what it asks anyway. Any lobby will do: over many reports, each lobby hears of the same share of all
//! pages. The lobby keeps its books ([`Bookings`]), and answers for how long it is booked and of how many pages it heard lately ([`Load`]).
//! The isolate ([`Pace`]) goes on from the last answer. Time frees the lobby. Each page filled since then books it further, for itself and
//! for the pages that come elsewhere meanwhile. The isolate measures how many these are: all pages against its own of the same second.
//! Until it has measured that, it guesses ([`PRIOR`]), at most a full lobby of people, so that the first pages of a burst wait before any
//! lobby could hear of the burst. A guess lasts until the next answer.
//!
//! **Quiet.** The first [`FREE`] pages after an answer do not wait, and a wait below [`LEAST_MS`] is no wait: a visitor alone never waits.
//! The books empty by themselves, so nothing ever has to be taken back. **Bounds.** Nobody waits longer than [`SPREAD_S_MAX`]. That is also
//! the most that a flood of pages that never join can cost others.
//!
//! Pure: the time and the die are arguments. This module refuses nobody and orders nobody: a page that asks early is answered early.

use settings::CROWD_PER_LOBBY;

/// The requests a second that a lobby takes from pages. An object manages 1,000; 800 leave room for claims and releases; a quarter of these
/// is kept for chance, and for what isolates do not know of each other. At this pace the people of a full lobby have asked after 17 s.
const REQUESTS_PER_S: u64 = 600;
/// The longest wait, in seconds: enough for a crowd nearly twice as large as the room is for.
pub const SPREAD_S_MAX: u64 = 30;
const SPREAD_MS_MAX: u64 = SPREAD_S_MAX * 1_000;
/// A wait shorter than this is no wait.
const LEAST_MS: u64 = 200;
/// For how many pages of all isolates one page stands, as long as this is only a guess.
const PRIOR: u64 = 1_000;
/// The most that pages since the last answer add to a wait, guessed or measured: the time for one lobby's people.
const GUESS_MS_MAX: u64 = CROWD_PER_LOBBY * 1_000 / REQUESTS_PER_S;
/// The fewest pages in a second from which an isolate measures its share.
const OWN_MIN: u64 = 8;
/// How many pages after an answer do not wait.
const FREE: u64 = 1;
/// How old a report may be, in ms, for its answer to still say how many pages come now.
const HEARD_MS_MAX: u64 = 2_000;
/// How often an isolate reports when it has nothing to tell, in ms.
const REPORT_EVERY_MS: u64 = 1_000;
/// The number of unreported pages at which an isolate sends a report on its own if nobody asks anything: three requests for a hundred pages …
const UNTOLD_MAX: u64 = 32;
/// … but not twice within this time, in ms.
const TELL_EVERY_MS: u64 = 10;
/// How many strangers may ask whether they can walk in, where lately nobody could or no lobby has answered …
const PROBES: u64 = 2;
/// … within this time, in ms.
const PROBES_MS: u64 = 100;
const SLICES: usize = 10;
const SLICE_MS: u64 = 100;

/// The count of the last second, in slices of a tenth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lately {
    /// The slice for the `n`-th tenth of a second since 1970 is at `n` modulo [`SLICES`].
    slices: [u32; SLICES],
    newest: u64,
}

impl Lately {
    /// Forgets what is older than a second. If the clock was set back, forgets everything.
    fn turn(&mut self, now_ms: u64) {
        let now = now_ms / SLICE_MS;
        let passed = now.checked_sub(self.newest).unwrap_or(SLICES as u64);
        for back in 0..passed.min(SLICES as u64) {
            if let Some(slice) = self.slice(now.saturating_sub(back)) {
                *slice = 0;
            }
        }
        self.newest = now;
    }

    fn slice(&mut self, number: u64) -> Option<&mut u32> {
        let at = usize::try_from(number % SLICES as u64).ok()?;
        self.slices.get_mut(at)
    }

    fn count(&mut self, now_ms: u64, more: u64) {
        self.turn(now_ms);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        if let Some(slice) = self.slice(now_ms / SLICE_MS) {
            *slice = slice.saturating_add(more);
        }
    }

    fn sum(&mut self, now_ms: u64) -> u64 {
        self.turn(now_ms);
        self.slices.iter().map(|count| u64::from(*count)).sum()
    }
}

/// What a lobby says of its own load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// For how long the lobby is booked, in ms.
    pub busy_ms: u64,
    /// How many pages the lobby was told of in the last second.
    pub pages: u64,
}

impl Load {
    /// Writes `1560,812`.
    #[must_use]
    pub fn text(self) -> String {
        format!("{},{}", self.busy_ms, self.pages)
    }

    /// Reads what [`text`](Self::text) wrote. Returns `None` for any other text.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let (busy, pages) = text.split_once(',')?;
        Some(Self {
            busy_ms: busy.parse().ok()?,
            pages: pages.parse().ok()?,
        })
    }
}

/// The books of a lobby. They are lost with its memory; the lobby then counts as free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bookings {
    /// Until when the lobby is booked, Unix µs.
    until_us: u64,
    pages: Lately,
}

impl Bookings {
    /// Books `pages` that a front reported, each of which will make a request, and `requests` that were not booked before. Books at most
    /// [`SPREAD_S_MAX`] ahead. Returns the load after that.
    pub fn book(&mut self, now_ms: u64, pages: u64, requests: u64) -> Load {
        self.pages.count(now_ms, pages);
        let now_us = now_ms.saturating_mul(1_000);
        let latest_us = now_us.saturating_add(SPREAD_MS_MAX * 1_000);
        let more_us = pages.saturating_add(requests).saturating_mul(1_000_000) / REQUESTS_PER_S;
        let begins_us = self.until_us.clamp(now_us, latest_us);
        self.until_us = begins_us.saturating_add(more_us).min(latest_us);
        Load {
            busy_ms: (self.until_us - now_us) / 1_000,
            pages: self.pages.sum(now_ms),
        }
    }
}

/// What an isolate tells a lobby along with a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// The pages of which no lobby was told before.
    pub pages: u64,
    at_ms: u64,
    /// All pages of this isolate until then, and those of the last second.
    total: u64,
    lately: u64,
}

/// The last answer of a lobby, and the report that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heard {
    load: Load,
    to: Report,
}

/// What one isolate knows of the pages that come to a room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// The pages without a number that this isolate filled.
    lately: Lately,
    total: u64,
    /// How many of `total` were reported to lobbies.
    told: u64,
    told_at_ms: u64,
    heard: Option<Heard>,
    /// How many strangers have set out to ask, and since when.
    probes: (u64, u64),
}

impl Pace {
    /// Counts one more page without a number, and returns how long it waits, in ms. O(1).
    pub fn wait_ms(&mut self, now_ms: u64, lobbies: u16, die: u64) -> u64 {
        let wait_ms = self.booked_ms(now_ms, u64::from(lobbies.max(1)), die);
        self.lately.count(now_ms, 1);
        self.total = self.total.saturating_add(1);
        if wait_ms < LEAST_MS { 0 } else { wait_ms.min(SPREAD_MS_MAX) }
    }

    /// Estimates for how long each lobby is booked.
    fn booked_ms(&mut self, now_ms: u64, lobbies: u64, die: u64) -> u64 {
        let lately = self.lately.sum(now_ms);
        let (busy_ms, since, usual) = self.heard.map_or((0, lately, 0), |Heard { load, to }| {
            let left_ms = load.busy_ms.saturating_sub(now_ms.saturating_sub(to.at_ms));
            let since = self.total.saturating_sub(to.total).min(lately);
            (left_ms, since, to.lately)
        });
        let measured = self.each_stands_for(now_ms, lobbies);
        // While it guesses, an isolate does not count its usual pages of a second as a burst.
        let free = FREE + if measured.is_some() { 0 } else { usual };
        let most = lobbies.saturating_mul(CROWD_PER_LOBBY) / lately.max(1);
        let elsewhere = measured.unwrap_or(PRIOR).min(most).max(1);
        let came = since.saturating_sub(free).saturating_mul(elsewhere);
        let guess_ms = came.saturating_mul(1_000) / (REQUESTS_PER_S * lobbies);
        // An isolate that guesses does not know its page's place among those of other isolates, so it spreads its pages at random.
        let guess_ms = match measured {
            Some(_) => guess_ms,
            None => guess_ms / 2 + die % guess_ms.max(1),
        };
        let guess_ms = if guess_ms > GUESS_MS_MAX { die % GUESS_MS_MAX } else { guess_ms };
        busy_ms.saturating_add(guess_ms)
    }

    /// Returns for how many pages of all isolates one page of this isolate stands. Returns `None` if that was not measured.
    fn each_stands_for(&self, now_ms: u64, lobbies: u64) -> Option<u64> {
        let Heard { load, to } = self.heard?;
        let is_fresh = now_ms.saturating_sub(to.at_ms) <= HEARD_MS_MAX;
        let is_measured = is_fresh && to.lately >= OWN_MIN;
        is_measured.then(|| load.pages.saturating_mul(lobbies) / to.lately)
    }

    /// Returns what goes with the next question to a lobby. Returns `None` if there is nothing to tell and nothing to learn. Each page is
    /// reported once: a report that gets lost on the way stays lost, and no answer takes pages back here.
    pub fn report(&mut self, now_ms: u64) -> Option<Report> {
        let pages = self.total.saturating_sub(self.told);
        let is_fresh = |heard: Heard| now_ms.abs_diff(heard.to.at_ms) < REPORT_EVERY_MS;
        if pages == 0 && self.heard.is_some_and(is_fresh) {
            return None;
        }
        self.told = self.total;
        self.told_at_ms = now_ms;
        Some(Report {
            pages,
            at_ms: now_ms,
            total: self.total,
            lately: self.lately.sum(now_ms),
        })
    }

    /// Returns whether this isolate should send a report on its own, because nobody asks anything.
    #[must_use]
    pub const fn is_untold(&self, now_ms: u64) -> bool {
        self.total.saturating_sub(self.told) >= UNTOLD_MAX && now_ms.abs_diff(self.told_at_ms) >= TELL_EVERY_MS
    }

    /// Takes in the answer of one of `lobbies`. Lobbies hear of the crowd in lumps, and each lobby of different pages. So the answer counts
    /// half, and what was known before counts half.
    pub fn hear(&mut self, to: Report, load: Load, lobbies: u16) {
        let lobbies = u64::from(lobbies.max(1));
        let Some(old) = self.heard.replace(Heard { load, to }) else {
            return;
        };
        if old.to.at_ms > to.at_ms {
            self.heard = Some(old);
            return;
        }
        let Some(elsewhere) = self.each_stands_for(to.at_ms, lobbies) else {
            return;
        };
        let came = to.total.saturating_sub(old.to.total).saturating_mul(elsewhere);
        let more_ms = came.saturating_mul(1_000) / (REQUESTS_PER_S * lobbies);
        let known_ms = old
            .load
            .busy_ms
            .saturating_add(more_ms)
            .saturating_sub(to.at_ms.saturating_sub(old.to.at_ms));
        let busy_ms = (known_ms.min(SPREAD_MS_MAX).saturating_add(load.busy_ms)) / 2;
        self.heard = Some(Heard {
            load: Load { busy_ms, ..load },
            to,
        });
    }

    /// Records that a lobby was too busy to answer, unless a newer report was answered. Pages without a number then wait as long as a
    /// wait can be.
    pub fn refused(&mut self, to: Report) {
        if self.heard.is_some_and(|heard| heard.to.at_ms > to.at_ms) {
            return;
        }
        let load = Load {
            busy_ms: SPREAD_MS_MAX,
            pages: 0,
        };
        self.heard = Some(Heard { load, to });
    }

    /// Returns whether a stranger may ask to walk in while nothing says that this is possible, and counts it. A few strangers find out for all.
    pub const fn take_probe(&mut self, now_ms: u64) -> bool {
        let (count, since_ms) = self.probes;
        if now_ms.abs_diff(since_ms) >= PROBES_MS {
            self.probes = (1, now_ms);
            return true;
        }
        self.probes.0 = count.saturating_add(1);
        count < PROBES
    }
}

/// Returns a wait as pages are told it: the number of seconds within which they come, each at a random moment of the last of these seconds;
/// 0 means at once. The two dice (each modulo 1,000) blur the whole seconds, so that waits that grow evenly come evenly.
#[must_use]
pub const fn spread_s(wait_ms: u64, dice: [u16; 2]) -> u64 {
    if wait_ms == 0 {
        return 0;
    }
    let [a, b] = dice;
    let spread_s = (wait_ms + (a % 1_000) as u64 + (b % 1_000) as u64) / 1_000;
    if spread_s < SPREAD_S_MAX { spread_s } else { SPREAD_S_MAX }
}
