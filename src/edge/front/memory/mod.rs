//! What an isolate remembers from one request for the next: plain data, never a promise (one request's I/O must not hang on another's). All of it may
//! be lost at any moment, which costs only another question.
//!
//! | file | what |
//! |---|---|
//! | `mod` | what rooms let the front know, pages that were read, wrong guesses |
//! | `pace` | how many pages without a number come |
//! | `untold` | what was overheard and rooms have not been told yet |
//! | `renewals` | passes that are being renewed, or that were renewed too late for an answer |

mod pace;
mod renewals;
mod untold;

pub use pace::{hear_load, is_untold, take_probe, take_report, wait_ms};
pub use renewals::{begin_renewal, end_renewal, forget, is_renewing, renewed};
pub use untold::{admit_teller, begin_saying_refused, begin_telling, overhear, take_overheard};

use facts::few::FewMap;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::untold::Untold;
use facts::config::Mode;
use facts::units::{AddressTag, Edition, LobbyId};
use facts::wire::Told;
use gate::{
    Address, Away, CRAWLS_A_SECOND_MAX, Failed, Guesses, HeardMode, Language, Looks, News, Openly, Outage, Pace, PreflightAsked, Preflights, Second,
    Template,
};
use settings::OpenPolicy;

/// The least time between two log lines that say the shop is not believed, a key is unknown, or requests came that only observing lets in, ms.
const REFUSED_EVERY_MS: u64 = 10_000;

/// The most names of headers of which the log says that they stay, and the most paths at which it says that a command is ignored: anybody can send new
/// ones. At most 100 bytes each.
const SAID_MAX: usize = 64;

/// The most rooms that an isolate remembers something of, at about a kilobyte each. Rooms of the house come and go, and nobody says here that one
/// has gone. Beyond that all are forgotten.
const ROOMS_MAX: usize = 4_096;

#[derive(Default)]
struct Memory {
    /// One for each language that was asked for, of the few that there are.
    templates: ByLanguage<Template>,
    /// Pages without anything of the visitor's.
    plain_pages: FewMap<PlainPage, ByLanguage<str>>,
    /// By room name, at most [`ROOMS_MAX`].
    rooms: BTreeMap<String, OfRoom>,
    guesses: Guesses,
    /// Names of headers of which the log has said that they stay, at most [`SAID_MAX`].
    headers_said: BTreeSet<String>,
    /// Where the log has said that a command of the shop's is ignored, at most [`SAID_MAX`].
    unheeded_said: BTreeSet<String>,
}

/// A page without anything of the visitor's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlainPage {
    /// In place of an origin that does not answer.
    Down,
    /// In place of what Baton refuses; `{{to}}` is where its link leads.
    Refused,
}

impl PlainPage {
    /// The name of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Refused => "refused",
        }
    }
}

/// What was read once for each language. `Default` is written out because a derived one would require it of `T`.
struct ByLanguage<T: ?Sized>(Vec<(Language, Rc<T>)>);

impl<T: ?Sized> Default for ByLanguage<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: ?Sized> ByLanguage<T> {
    fn get(&self, language: Language) -> Option<Rc<T>> {
        let found = self.0.iter().find(|(of, _)| *of == language)?;
        Some(Rc::clone(&found.1))
    }

    fn keep(&mut self, language: Language, text: &Rc<T>) {
        self.0.retain(|(of, _)| *of != language);
        self.0.push((language, Rc::clone(text)));
    }
}

/// What the isolate remembers of one room.
#[derive(Default)]
struct OfRoom {
    heard: Option<Heard>,
    heard_mode: HeardMode,
    outage: Outage,
    away: Away,
    /// Requests let in while the room failed, which the room has not been told of.
    opened: u64,
    untold: Untold,
    pace: Pace,
    preflights: Preflights,
    /// The requests of crawlers that went on to the shop.
    crawls: Second,
    observed_only: ObservedOnly,
    /// What the room tells everybody, as JSON.
    draw: Looks<Rc<str>>,
    chain: Looks<Rc<str>>,
    /// Which edition of the room's rehearsal goes on.
    rehearsal: Looks<Option<Edition>>,
}

/// Requests that a room lets in only because it observes, of which the log has not told.
#[derive(Default)]
struct ObservedOnly {
    count: u64,
    /// When the log last told of some, Unix ms.
    said_at_ms: u64,
}

/// What a room last let the front know.
#[derive(Clone, Copy)]
struct Heard {
    at_ms: u64,
    no_walk_in: bool,
    mode: Mode,
    opens_at_ms: Option<u64>,
    wants_health: Option<bool>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
    /// When the log last said that a key is unknown, Unix ms.
    static UNKNOWN_KEY_AT_MS: Cell<u64> = const { Cell::new(0) };
    /// When the log last said that the shop contradicts itself, Unix ms.
    static CONTRADICTS_AT_MS: Cell<u64> = const { Cell::new(0) };
    /// When the log last said that an address cannot be read, Unix ms.
    static ADDRESS_AT_MS: Cell<u64> = const { Cell::new(0) };
    /// When the log last said that a request with a body came to nothing, Unix ms.
    static UPLOAD_AT_MS: Cell<u64> = const { Cell::new(0) };
    /// Whether the log has said that calls come by another scheme than their pages.
    static HAS_SAID_SCHEME: Cell<bool> = const { Cell::new(false) };
    /// Whether the log has said that the shop clears cookies.
    static HAS_SAID_CLEARS: Cell<bool> = const { Cell::new(false) };
}

/// Returns for how many more seconds operators' tokens from this address are not looked at; `None` if they are.
pub fn slowed_s(now_ms: u64, from: Option<Address>) -> Option<u64> {
    MEMORY.with_borrow(|memory| memory.guesses.slowed_s(now_ms, from))
}

/// Counts an operator's token that is nobody's.
pub fn note_guess(now_ms: u64, from: Option<Address>) {
    MEMORY.with_borrow_mut(|memory| memory.guesses.fail(now_ms, from));
}

/// Looks at what is remembered of a room. Returns `None` if nothing is.
fn of_room<T>(room: &str, look: impl FnOnce(&OfRoom) -> T) -> Option<T> {
    MEMORY.with_borrow(|memory| memory.rooms.get(room).map(look))
}

/// Changes what is remembered of a room.
fn change_room<T>(room: &str, change: impl FnOnce(&mut OfRoom) -> T) -> T {
    MEMORY.with_borrow_mut(|memory| {
        let rooms = &mut memory.rooms;
        if let Some(known) = rooms.get_mut(room) {
            return change(known);
        }
        if rooms.len() >= ROOMS_MAX {
            rooms.clear();
        }
        change(rooms.entry(room.to_owned()).or_default())
    })
}

/// The waiting page in this language, if it was read already.
pub fn template(language: Language) -> Option<Rc<Template>> {
    MEMORY.with_borrow(|memory| memory.templates.get(language))
}

/// Keeps the waiting page in this language.
pub fn keep_template(language: Language, template: &Rc<Template>) {
    MEMORY.with_borrow_mut(|memory| memory.templates.keep(language, template));
}

/// A plain page in this language, if it was read already.
pub fn plain_page(page: PlainPage, language: Language) -> Option<Rc<str>> {
    MEMORY.with_borrow(|memory| memory.plain_pages.get(&page)?.get(language))
}

/// Keeps that page, one for each language.
pub fn keep_plain_page(page: PlainPage, language: Language, html: &Rc<str>) {
    MEMORY.with_borrow_mut(|memory| {
        let pages = memory.plain_pages.or_default(page);
        pages.keep(language, html);
    });
}

/// Notes at `now_ms` that a room answered, and what it said unless something newer is known. `at_ms` is when it was asked.
pub fn hear(room: &str, at_ms: u64, now_ms: u64, told: &Told) {
    change_room(room, |known| {
        known.outage.heal();
        if known.heard_mode.heard(at_ms, now_ms) {
            known.heard = Some(Heard {
                at_ms,
                no_walk_in: told.no_walk_in,
                mode: told.status.mode,
                opens_at_ms: told.status.opens_at_ms,
                wants_health: told.wants_health,
            });
        }
    });
}

/// Notes that a lobby of the room answered. Returns for how long nobody did, in ms, if the log has said so.
pub fn answers(room: &str, lobby: LobbyId, now_ms: u64) -> Option<u64> {
    change_room(room, |known| known.away.answered(lobby, now_ms))
}

/// Notes that a lobby of the room gave no answer to a question asked at `asked_at_ms`.
pub fn gives_no_answer(room: &str, lobby: LobbyId, asked_at_ms: u64, now_ms: u64) -> News {
    change_room(room, |known| {
        known.heard_mode.failed(now_ms);
        known.away.failed(lobby, asked_at_ms, now_ms)
    })
}

/// Whether a lobby of the room lately gave no answer, and has given none since.
pub fn is_away(room: &str, lobby: LobbyId, now_ms: u64) -> bool {
    of_room(room, |known| known.away.is_away(lobby, now_ms)).unwrap_or(false)
}

/// Returns true if one request is let in although the room is out of reach, and counts it. `Failed::Now` begins or prolongs the outage.
pub fn opens(room: &str, now_ms: u64, policy: &OpenPolicy, failed: Failed) -> bool {
    change_room(room, |known| {
        if failed == Failed::Now {
            known.outage.failed(now_ms, policy);
        }
        let lets_in = known.outage.lets_in(now_ms, policy);
        known.opened += u64::from(lets_in);
        lets_in
    })
}

/// Takes how many requests were let in that the room has not been told of, once it answers again. The request that takes them must tell them.
pub fn take_opened(room: &str) -> Option<u64> {
    if !of_room(room, |known| known.opened > 0 && !known.outage.is_on())? {
        return None;
    }
    Some(change_room(room, |known| core::mem::take(&mut known.opened)))
}

/// Puts back what the room was not told after all.
pub fn put_back_opened(room: &str, count: u64) {
    change_room(room, |known| known.opened += count);
}

/// Whether the room wants to know how the origin answers; `None` if it has not said.
pub fn wants_health(room: &str) -> Option<bool> {
    heard(room)?.wants_health
}

/// Returns true if the log may say now that a key is unknown: once in [`REFUSED_EVERY_MS`].
pub fn begin_saying_unknown_key(now_ms: u64) -> bool {
    UNKNOWN_KEY_AT_MS.with(|at_ms| begin_saying(at_ms, now_ms))
}

/// Returns true if the log may say now that the shop contradicts itself: once in [`REFUSED_EVERY_MS`].
pub fn begin_saying_contradicts(now_ms: u64) -> bool {
    CONTRADICTS_AT_MS.with(|at_ms| begin_saying(at_ms, now_ms))
}

/// Returns true if the log may say now that a request with a body came to nothing: once in [`REFUSED_EVERY_MS`].
pub fn begin_saying_upload(now_ms: u64) -> bool {
    UPLOAD_AT_MS.with(|at_ms| begin_saying(at_ms, now_ms))
}

/// Returns true if the log may say now that an address cannot be read: once in [`REFUSED_EVERY_MS`].
pub fn begin_saying_address(now_ms: u64) -> bool {
    ADDRESS_AT_MS.with(|at_ms| begin_saying(at_ms, now_ms))
}

/// Returns true if the log may say that a client's header of this name stays: once in an isolate.
pub fn begin_saying_header(name: &str) -> bool {
    MEMORY.with_borrow_mut(|memory| begin_saying_once(&mut memory.headers_said, name))
}

/// Returns true if the log may say that a command of the shop's is ignored, where and why: once in an isolate.
pub fn begin_saying_unheeded(said: &str) -> bool {
    MEMORY.with_borrow_mut(|memory| begin_saying_once(&mut memory.unheeded_said, said))
}

fn begin_saying_once(said: &mut BTreeSet<String>, text: &str) -> bool {
    let may = said.len() < SAID_MAX && !said.contains(text);
    may && said.insert(text.to_owned())
}

/// Returns the names of clients' headers that stayed in this isolate, or would have stayed while all rooms observe.
pub fn headers_said() -> Vec<String> {
    MEMORY.with_borrow(|memory| memory.headers_said.iter().cloned().collect())
}

/// Returns true if the log may say that the shop clears cookies: once in an isolate.
pub fn begin_saying_clears() -> bool {
    !HAS_SAID_CLEARS.replace(true)
}

/// Returns true if the log may say that calls come by another scheme than their pages: once in an isolate.
pub fn begin_saying_scheme() -> bool {
    !HAS_SAID_SCHEME.replace(true)
}

fn begin_saying(at_ms: &Cell<u64>, now_ms: u64) -> bool {
    let may = now_ms.abs_diff(at_ms.get()) >= REFUSED_EVERY_MS;
    if may {
        at_ms.set(now_ms);
    }
    may
}

/// Counts such a request for the log. Returns how many have come since the log last said so, if it may say so now.
pub fn say_observed_only(room: &str, now_ms: u64) -> Option<u64> {
    change_room(room, |known| {
        let ObservedOnly { count, said_at_ms } = &mut known.observed_only;
        *count = count.saturating_add(1);
        (now_ms.abs_diff(*said_at_ms) >= REFUSED_EVERY_MS).then(|| {
            *said_at_ms = now_ms;
            core::mem::take(count)
        })
    })
}

/// Counts a preflight to a path of the room.
pub fn ask_preflight(room: &str, now_ms: u64, permits: u32, address: Option<AddressTag>) -> PreflightAsked {
    change_room(room, |known| known.preflights.ask(now_ms, permits, address))
}

/// Returns whether one more crawler goes on to the room's shop, and counts it if so.
pub fn count_crawl(room: &str, now_ms: u64) -> bool {
    change_room(room, |known| known.crawls.lets_pass(now_ms, CRAWLS_A_SECOND_MAX))
}

/// Whether the room said within the last `tick_ms` that nobody can walk in. False if the clock was set back.
pub fn is_lately_full(room: &str, now_ms: u64, tick_ms: u64) -> bool {
    heard(room).is_some_and(|heard| heard.no_walk_in && now_ms.checked_sub(heard.at_ms).is_some_and(|age_ms| age_ms < tick_ms))
}

/// What the room last let the front know.
fn heard(room: &str) -> Option<Heard> {
    of_room(room, |known| known.heard).flatten()
}

/// The mode that the room last spoke of.
pub fn heard_mode(room: &str) -> Option<Mode> {
    heard(room).map(|heard| heard.mode)
}

/// When the room opens, as it last said, Unix ms.
pub fn heard_opening(room: &str) -> Option<u64> {
    heard(room)?.opens_at_ms
}

/// Gives `act` when the room's mode was heard and asked for.
pub fn mode_news<T>(room: &str, act: impl FnOnce(&mut HeardMode) -> T) -> T {
    change_room(room, |known| act(&mut known.heard_mode))
}

/// Gives `act` what is known of what the room tells everybody.
pub fn openly<T>(room: &str, what: Openly, act: impl FnOnce(&mut Looks<Rc<str>>) -> T) -> T {
    change_room(room, |known| match what {
        Openly::Draw => act(&mut known.draw),
        Openly::Chain => act(&mut known.chain),
    })
}

/// Gives `act` what is known of the room's rehearsal.
pub fn rehearsal<T>(room: &str, act: impl FnOnce(&mut Looks<Option<Edition>>) -> T) -> T {
    change_room(room, |known| act(&mut known.rehearsal))
}
