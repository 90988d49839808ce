//! How long a page without a number waits before it opens its first socket, so that a crowd that comes in one second does not ask
//! the lobbies in that second.
//!
//! **The law.** A lobby takes [`REQUESTS_PER_S`]. Pages take turns in the order in which they come: the page behind `n` others
//! waits until the lobbies, at that pace, have dealt with `n`. So sockets come at that pace whatever the shape of the burst, and
//! nobody waits longer than that takes.
//!
//! **Who knows how many come.** An isolate sees a part of the crowd, and nobody tells it how large a part. So it tells a lobby how many
//! pages it filled, beside what it asks anyway; any lobby, since over many reports each lobby hears of the same part of all. The
//! lobby keeps the books ([`Bookings`]) and answers for how long it is booked and how many pages it heard of lately ([`Load`]). The
//! isolate ([`Pace`]) goes on from the last answer: time frees the lobby, and each page filled since then books it further, for itself
//! and for those that come elsewhere meanwhile. How many these are is measured: all pages against its own of the same second.
//! Until that is known it guesses ([`PRIOR`]), at most a full lobby of people, so that the first pages of a burst wait before
//! anybody could be told of it. A guess lasts until the next answer.
//!
//! **Quiet.** The [`FREE`] pages after an answer wait for nobody, and a wait below [`LEAST_MS`] is none: a visitor alone never
//! waits. The books empty by themselves, so nothing must be taken back. **Bounds.** Nobody waits longer than [`SPREAD_S_MAX`]: so much
//! a flood of pages that never join can cost others.
//!
//! Pure: the time and the die are arguments. It refuses nobody and orders nobody: who asks early is answered early.

use crate::settings::CROWD_PER_LOBBY;

/// An object is good for 1,000 requests a second. 800 leave room for claims and releases; of these, a quarter is for chance and
/// for what isolates do not know of each other. A full lobby's people have asked after 17 s.
const REQUESTS_PER_S: u64 = 600;
/// The longest wait, seconds: a crowd nearly twice as large as the room is for.
pub const SPREAD_S_MAX: u64 = 30;
const SPREAD_MS_MAX: u64 = SPREAD_S_MAX * 1_000;
/// A shorter wait is none.
const LEAST_MS: u64 = 200;
/// For how many pages of all isolates one page stands, as a guess.
const PRIOR: u64 = 1_000;
/// No guess adds more: a lobby's people.
const GUESS_MS_MAX: u64 = CROWD_PER_LOBBY * 1_000 / REQUESTS_PER_S;
/// An isolate that filled fewer pages in a second measures nothing by them.
const OWN_MIN: u64 = 8;
/// Pages after an answer that wait for nobody.
const FREE: u64 = 1;
/// An answer to an older question says nothing of how many come now, ms.
const HEARD_MS_MAX: u64 = 2_000;
/// With nothing to tell and an answer to a question not older than this there is no report, ms.
const REPORT_EVERY_MS: u64 = 1_000;
/// Somebody sets out to tell of so many pages, if nobody asks anything: three of a hundred requests …
const UNTOLD_MAX: u64 = 32;
/// … but not twice within this, ms.
const TELL_EVERY_MS: u64 = 10;
/// Strangers who may ask whether they can walk in, where nobody lately could or nothing was heard …
const PROBES: u64 = 2;
/// … within so many ms.
const PROBES_MS: u64 = 100;
const SLICES: usize = 10;
const SLICE_MS: u64 = 100;

/// How many there were in the last second, in slices of a tenth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lately {
    /// By number, modulo how many there are.
    slices: [u32; SLICES],
    newest: u64,
}

impl Lately {
    /// Forgets what is older than a second. A clock that was set back makes it forget all.
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

/// What a lobby says of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// For how long it is booked, ms.
    pub busy_ms: u64,
    /// Pages that it was told of in the last second.
    pub pages: u64,
}

impl Load {
    /// `1560,812`
    #[must_use]
    pub fn text(self) -> String {
        format!("{},{}", self.busy_ms, self.pages)
    }

    /// Reads what [`text`](Self::text) wrote.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let (busy, pages) = text.split_once(',')?;
        Some(Self {
            busy_ms: busy.parse().ok()?,
            pages: pages.parse().ok()?,
        })
    }
}

/// The books of a lobby. Lost with its memory: then it is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bookings {
    /// It is booked until then, Unix µs.
    until_us: u64,
    pages: Lately,
}

impl Bookings {
    /// Pages that will make a request each, as a front tells, and requests that were not booked. At most [`SPREAD_S_MAX`] is booked
    /// ahead.
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

/// What goes with a question to a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Pages that no lobby was told of.
    pub pages: u64,
    at_ms: u64,
    /// All pages until then, and those of the last second.
    total: u64,
    lately: u64,
}

/// The last answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heard {
    load: Load,
    to: Report,
}

/// What one isolate knows of a room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Pages without a number.
    lately: Lately,
    total: u64,
    /// Of these lobbies were told.
    told: u64,
    told_at_ms: u64,
    heard: Option<Heard>,
    /// Strangers who set out to ask, since when.
    probes: (u64, u64),
}

impl Pace {
    /// One more page without a number is filled: how long it waits, ms. O(1).
    pub fn wait_ms(&mut self, now_ms: u64, lobbies: u16, die: u64) -> u64 {
        let wait_ms = self.booked_ms(now_ms, u64::from(lobbies.max(1)), die);
        self.lately.count(now_ms, 1);
        self.total = self.total.saturating_add(1);
        if wait_ms < LEAST_MS {
            0
        } else {
            wait_ms.min(SPREAD_MS_MAX)
        }
    }

    /// For how long each lobby is booked, as far as can be told here.
    fn booked_ms(&mut self, now_ms: u64, lobbies: u64, die: u64) -> u64 {
        let lately = self.lately.sum(now_ms);
        let (busy_ms, since, usual) = self.heard.map_or((0, lately, 0), |Heard { load, to }| {
            let left_ms = load.busy_ms.saturating_sub(now_ms.saturating_sub(to.at_ms));
            let since = self.total.saturating_sub(to.total).min(lately);
            (left_ms, since, to.lately)
        });
        let measured = self.each_stands_for(now_ms, lobbies);
        // Who guesses does not take for a burst what came in the second before.
        let free = FREE + if measured.is_some() { 0 } else { usual };
        let most = lobbies.saturating_mul(CROWD_PER_LOBBY) / lately.max(1);
        let elsewhere = measured.unwrap_or(PRIOR).min(most).max(1);
        let came = since.saturating_sub(free).saturating_mul(elsewhere);
        let guess_ms = came.saturating_mul(1_000) / (REQUESTS_PER_S * lobbies);
        // Nobody who guesses knows its place among those who guess elsewhere.
        let guess_ms = match measured {
            Some(_) => guess_ms,
            None => guess_ms / 2 + die % guess_ms.max(1),
        };
        let guess_ms = if guess_ms > GUESS_MS_MAX {
            die % GUESS_MS_MAX
        } else {
            guess_ms
        };
        busy_ms.saturating_add(guess_ms)
    }

    /// For how many pages of all isolates one page of this one stands; none: that was not measured.
    fn each_stands_for(&self, now_ms: u64, lobbies: u64) -> Option<u64> {
        let Heard { load, to } = self.heard?;
        let is_fresh = now_ms.saturating_sub(to.at_ms) <= HEARD_MS_MAX;
        let is_measured = is_fresh && to.lately >= OWN_MIN;
        is_measured.then(|| load.pages.saturating_mul(lobbies) / to.lately.max(1))
    }

    /// What goes with the next question to a lobby; none: there is nothing to tell and nothing to hear. Told once: what gets lost on the
    /// way is lost, and no answer makes less of it here.
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

    /// Whether somebody should set out to tell, since nobody asks anything.
    #[must_use]
    pub const fn is_untold(&self, now_ms: u64) -> bool {
        self.total.saturating_sub(self.told) >= UNTOLD_MAX
            && now_ms.abs_diff(self.told_at_ms) >= TELL_EVERY_MS
    }

    /// One of `lobbies` has answered. They hear of the crowd in lumps, each of others: what is heard counts half, what was known half.
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
        let came = to
            .total
            .saturating_sub(old.to.total)
            .saturating_mul(elsewhere);
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

    /// A lobby had too much to do to answer: whoever has no number waits as long as there is.
    pub fn refused(&mut self, to: Report) {
        let load = Load {
            busy_ms: SPREAD_MS_MAX,
            pages: 0,
        };
        self.heard = Some(Heard { load, to });
    }

    /// Whether a stranger may ask if it can walk in, when nothing says that it could: some do for all.
    pub const fn may_probe(&mut self, now_ms: u64) -> bool {
        let (count, since_ms) = self.probes;
        if now_ms.abs_diff(since_ms) >= PROBES_MS {
            self.probes = (1, now_ms);
            return true;
        }
        self.probes.0 = count.saturating_add(1);
        count < PROBES
    }
}

/// A wait as pages are told it: in how many seconds they come, each at a moment of its own in the last of these; 0: at once. The two
/// dice (of which what is below 1,000 counts) blur the whole seconds, so that waits that grow evenly come evenly.
#[must_use]
pub const fn spread_s(wait_ms: u64, dice: [u16; 2]) -> u64 {
    if wait_ms == 0 {
        return 0;
    }
    let [a, b] = dice;
    let spread_s = (wait_ms + (a % 1_000) as u64 + (b % 1_000) as u64) / 1_000;
    if spread_s < SPREAD_S_MAX {
        spread_s
    } else {
        SPREAD_S_MAX
    }
}
