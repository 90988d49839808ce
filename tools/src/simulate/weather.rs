//! What a seed decides about a world: how many are in it, how the room is set, and how bad it is. And the faults that come
//! with time, not with a message or a write.

use super::builds::draw_builds;
use super::faults::{Faults, Kind};
use super::lanes;
use super::queue::{Event, Object};
use super::rng::Rng;
use super::schedule::draw_schedules;
use super::vouchers::draw_vouchers;
use super::world::{Setting, World};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::hall::Draw;
use baton::facts::hours::{NEVER_MS, Period};
use baton::facts::limits::Sizes;
use baton::lobby::Lobby;
use baton::token::Keyring;

/// The measures of one world.
pub struct Drawn {
    pub visitors: usize,
    pub lobbies: usize,
    pub tickets_max: usize,
    pub spread_ms: u64,
    pub strict: bool,
    pub sizes: Sizes,
    pub rows_per_snapshot: u64,
    pub config: RoomConfig,
    pub keyring: Option<Keyring>,
}

/// The faults that come with time: the kind, and the mean time between two in worlds where it comes at all, ms.
const TIMED: &[(Kind, u32)] = &[
    (Kind::RoomRestart, 30_000),
    (Kind::LobbyRestart, 30_000),
    (Kind::LobbySleeps, 15_000),
    (Kind::TwoLives, 40_000),
    (Kind::AllRestart, 60_000),
    (Kind::Burst, 60_000),
    (Kind::Dismiss, 40_000),
    (Kind::CookieLost, 5_000),
    (Kind::OtherLobby, 5_000),
    (Kind::ClockForward, 60_000),
    (Kind::ClockBack, 60_000),
    (Kind::Raise, 40_000),
    (Kind::Lower, 40_000),
    (Kind::Pause, 60_000),
    (Kind::Hours, 60_000),
    (Kind::Reset, 60_000),
];
/// The mean time between two failures of the origin, in worlds whose room wants to know how the origin answers, ms. It is drawn from the kind's own
/// stream, so in the other worlds older seeds play as they did.
const ORIGIN_FAILS_EVERY_MS: u32 = 25_000;
/// How long the origin fails at most, ms.
const ORIGIN_FAILS_MAX_MS: u64 = 12_000;
/// How often a lobby is told of it, ms.
const ORIGIN_TOLD_EVERY_MS: u64 = 1_000;
/// By how much each good answer slows the origin, ms.
const SLOWER_MS: u64 = 100;
/// The mean time between two words of the shop on how many seats are left, in every other world, ms. It is drawn from the kind's own stream too.
const STOCK_SAID_EVERY_MS: u32 = 3_000;
/// How many seats are left at most.
const STOCK_MOST: u64 = 500;
/// How old the shop's word is at most, ms: some words are overtaken on their way.
const STOCK_AGE_MAX_MS: u64 = 5_000;
/// The mean time between two deaf lobbies, in one world of three, ms. It is drawn from the kind's own stream too.
const DEAF_EVERY_MS: u32 = 30_000;
/// The mean time between two ends of a porter's process, ms.
const PORTER_RESTARTS_EVERY_MS: u32 = 30_000;
/// How long a lobby is deaf at most, ms: longer than it waits for an answer.
const DEAF_MAX_MS: u64 = 25_000;
/// A room that was paused opens again within this time, ms.
const PAUSED_MAX_MS: u64 = 30_000;
/// A room whose hours are set opens within this time, ms.
const SHUT_MAX_MS: u64 = 40_000;
/// How long an isolate whose time is over goes on at most, ms.
const OLD_LIFE_MAX_MS: u64 = 40_000;
/// By how much a clock is set at most, ms.
const CLOCK_SET_MAX_MS: u64 = 7_200_000;
/// The secret of the front's keyring, good for simulated worlds only.
const SECRET: &str = "a secret that is only good for a world that does not exist";

/// Draws a world's measures, and sets the rates of its faults.
///
/// Long because it draws each measure of a world, in the order that a seed replays.
pub fn draw(rng: &mut Rng, setting: &Setting, faults: &mut Faults) -> Drawn {
    let (least, most) = setting.visitors;
    // The exponent is drawn evenly, so there are as many small worlds as large ones.
    let doublings = (most.max(1) / least.max(1)).ilog2() + 1;
    let scale = 1_u64 << rng.below(u64::from(doublings));
    let visitors = rng
        .within(least * scale, least * scale * 2)
        .clamp(least, most) as usize;
    let bad = rng.below(4) as u32;
    faults.set(Kind::Lost, 15 * bad);
    faults.set(Kind::Twice, 20 * bad);
    faults.set(Kind::Slow, 25 * bad);
    for kind in [
        Kind::WriteFails,
        Kind::WriteUnsure,
        Kind::PowerBefore,
        Kind::PowerAfter,
    ] {
        faults.set(kind, rng.pick(&[0, 0, 2, 15]));
    }
    faults.set(Kind::AlarmLate, 50);
    faults.set(Kind::AlarmTwice, rng.pick(&[0, 20]));
    faults.set(Kind::AlarmLost, rng.pick(&[0, 0, 10]));
    faults.set(Kind::Forgery, 20);
    faults.set(Kind::Gone, rng.pick(&[0, 20, 100]));
    for (kind, every_ms) in TIMED {
        // Clocks that are set hide what a clock can show, and a reset hides what a long line can, so three of four worlds go without them.
        let hides = matches!(kind, Kind::ClockForward | Kind::ClockBack | Kind::Reset);
        let comes = rng.below(4) < if hides { 1 } else { 2 };
        faults.set(*kind, if comes { *every_ms } else { 0 });
    }
    draw_deafness(faults);
    draw_schedules(faults);
    draw_vouchers(faults);
    draw_builds(faults);
    let (errors_max_percent, errors_window_ms) = draw_origin(faults);
    let config = RoomConfig {
        permits: rng.within(1, 1 + (visitors as u64 / 8).max(4)) as u32,
        walk_in: rng.below(2) == 0,
        claim_within_ms: 8_000,
        grace_ms: rng.pick(&[60_000, 600_000]),
        lease_idle_ms: 20_000,
        lease_max_ms: 60_000,
        lease_extend_max_ms: 20_000,
        admissions_milli_per_s: rng.pick(&[0, 0, 2_000]),
        origin_errors_max_percent: errors_max_percent,
        origin_errors_window_ms: errors_window_ms,
        stock_line: draw_stock(faults),
        lanes: lanes::draw(setting.seed, faults),
        lanes_rule: lanes::rule(setting.seed),
        ..RoomConfig::default()
    };
    let signs = rng.below(16) == 0;
    Drawn {
        visitors,
        lobbies: rng.within(setting.lobbies.0, setting.lobbies.1) as usize,
        tickets_max: rng.pick(&[3, 1_000, 1_000]),
        spread_ms: rng.pick(&[0, 3_000]),
        strict: rng.below(4) == 0,
        sizes: draw_sizes(rng, visitors),
        rows_per_snapshot: rng.within(3, 80),
        config,
        keyring: signs
            .then(|| Keyring::from_secrets(Some(SECRET), None).ok())
            .flatten(),
    }
}

/// Draws how much is told at once: as much as in what ships, or so little that this world's people are too many. It is never less than its lobbies
/// can work with: if a list comes in thirty pages, something in it is always older than the room remembers.
fn draw_sizes(rng: &mut Rng, visitors: usize) -> Sizes {
    let usual = rng.below(3) == 0;
    let mut drawn = Sizes {
        chunk: rng.pick(&[64, 128]),
        holders_page: 8,
        changes_max: rng.pick(&[4, 16, 64]).max(visitors),
        changes_told_max: rng.pick(&[4, 16, 64]).max(visitors / 2),
        page_tickets_max: rng.pick(&[1, 2, 5, 20]).max(visitors / 8),
        list_long: rng.pick(&[0, 3, 10]),
        ended_told_max: rng.pick(&[0, 2, 10]),
        late_accounts_max: 0,
    };
    drawn.late_accounts_max = drawn.list_long / 2;
    drawn.holders_page <<= drawn.list_long.min(3);
    if usual { Sizes::USUAL } else { drawn }
}

/// Draws how many of the origin's answers may be errors, in percent, and within which time, in ms. That is 0 in every other world.
/// In the rest the origin fails now and then.
fn draw_origin(faults: &mut Faults) -> (u32, u64) {
    let chance = faults.chance_of(Kind::OriginFails);
    let percent = chance.pick(&[0, 0, 10, 50]);
    let window_ms = chance.pick(&[1_000, 5_000]);
    let every_ms = if percent > 0 {
        ORIGIN_FAILS_EVERY_MS
    } else {
        0
    };
    faults.set(Kind::OriginFails, every_ms);
    (percent, window_ms)
}

/// Draws how many porters there are: none in two worlds of three, because most rooms have none. In the rest they come to harm.
pub fn draw_porters(seed: u64, lobbies: usize, faults: &mut Faults) -> usize {
    let mut rng = Rng::of(seed, 1 << 50);
    let porters = match rng.below(3) {
        0 => (rng.within(1, 2) as usize).min(lobbies),
        _ => 0,
    };
    if porters > 0 {
        faults.set(
            Kind::PorterRestart,
            rng.pick(&[0, PORTER_RESTARTS_EVERY_MS]),
        );
        faults.set(Kind::BundleSplit, rng.pick(&[0, 400]));
    }
    porters
}

fn draw_deafness(faults: &mut Faults) {
    let comes = faults.chance_of(Kind::Deaf).below(3) == 0;
    faults.set(Kind::Deaf, if comes { DEAF_EVERY_MS } else { 0 });
}

/// Draws whether the room draws the stock line. If it does, the shop says now and then how many seats are left.
fn draw_stock(faults: &mut Faults) -> bool {
    let is_drawn = faults.chance_of(Kind::StockSaid).below(2) == 0;
    let every_ms = if is_drawn { STOCK_SAID_EVERY_MS } else { 0 };
    faults.set(Kind::StockSaid, every_ms);
    is_drawn
}

impl World {
    /// Plans the first fault of each kind that comes with time.
    pub fn weather_begins(&mut self) {
        for (kind, _) in TIMED {
            self.weather_goes_on(*kind);
        }
        self.weather_goes_on(Kind::OriginFails);
        self.weather_goes_on(Kind::StockSaid);
        self.weather_goes_on(Kind::Deaf);
        self.weather_goes_on(Kind::Schedule);
        self.weather_goes_on(Kind::PorterRestart);
        self.weather_goes_on(Kind::Lanes);
        self.weather_goes_on(Kind::Sheets);
        self.weather_goes_on(Kind::Skew);
    }

    /// Returns whether nothing that the room says reaches this lobby now.
    pub fn is_deaf(&self, lobby: usize) -> bool {
        self.time < self.lobbies[lobby].deaf_until
    }

    fn weather_goes_on(&mut self, kind: Kind) {
        let mut faults = self.faults.borrow_mut();
        let every_ms = u64::from(faults.rate(kind));
        if every_ms > 0 {
            let ms = faults.chance_of(kind).within(1, 2 * every_ms);
            drop(faults);
            self.after(ms, Event::Strikes(kind));
        }
    }

    /// Lets a fault that comes with time happen, and plans the next of its kind.
    pub fn weather_strikes(&mut self, kind: Kind) {
        if kind == Kind::Resume {
            return self.operator_sets(|options| options.config.mode = Mode::Open);
        }
        let mut faults = self.faults.borrow_mut();
        if faults.rate(kind) == 0 {
            return;
        }
        // These are drawn whether the fault may happen or not, so that leaving it out changes nothing else.
        let chance = faults.chance_of(kind);
        let (which, size) = (chance.u64(), chance.u64());
        let may = faults.happens(kind);
        drop(faults);
        self.weather_goes_on(kind);
        if may {
            self.fault_happens(kind, which, size);
        }
    }

    /// Lets a fault happen. Long because it has an arm for each kind of fault.
    fn fault_happens(&mut self, kind: Kind, which: u64, size: u64) {
        let index = (which % self.lobbies.len() as u64) as usize;
        self.writes(|| format!("FAULT {} (lobby {index})", kind.name()));
        match kind {
            Kind::RoomRestart => self.room_restarts(),
            Kind::Lanes => self.operator_changes_lanes(which),
            Kind::PorterRestart => {
                self.porter_restarts((which % self.porters.len() as u64) as usize)
            }
            Kind::LobbyRestart => self.lobby_restarts(index),
            Kind::LobbySleeps => self.lobby_sleeps(index),
            Kind::TwoLives => self.lobby_lives_twice(index, 1_000 + size % OLD_LIFE_MAX_MS),
            Kind::AllRestart => self.all_restart(which),
            Kind::Burst => self.all_say_hello(),
            Kind::Deaf => self.lobbies[index].deaf_until = self.time + size % DEAF_MAX_MS,
            Kind::Skew => self.builds_differ(index, which, size),
            Kind::Schedule => self.operator_plans(which, size),
            Kind::Sheets => self.operator_turns_to_sheets(which, size),
            Kind::Dismiss => self.operator_dismisses(size),
            Kind::CookieLost => self.cookie_is_lost(size),
            Kind::OtherLobby => {
                let visitor = (size % self.people.len() as u64) as usize;
                self.people[visitor].home = index;
            }
            Kind::ClockForward | Kind::ClockBack => {
                let object = if which.is_multiple_of(3) {
                    Object::Room
                } else {
                    Object::Lobby(index)
                };
                let by_ms = 1_000 + (size % CLOCK_SET_MAX_MS) as i64;
                self.clock_is_set(
                    object,
                    if kind == Kind::ClockForward {
                        by_ms
                    } else {
                        -by_ms
                    },
                );
            }
            Kind::Reset => self.operator_resets(),
            Kind::Raise => {
                let more = 1 + (size % 3) as u32;
                let permits = self.room.options.config.permits + more;
                self.operator_turns(permits, which);
            }
            Kind::Lower => {
                let fewer = 1 + (size % 3) as u32;
                let permits = self
                    .room
                    .options
                    .config
                    .permits
                    .saturating_sub(fewer)
                    .max(1);
                self.operator_turns(permits, which);
            }
            Kind::Pause => {
                self.after(1 + size % PAUSED_MAX_MS, Event::Strikes(Kind::Resume));
                self.note(Kind::Resume);
                // Only one pause in seven ends the sale, so that not every world is emptied.
                let modes = [
                    Mode::Paused,
                    Mode::Closed,
                    Mode::Drain,
                    Mode::Observe,
                    Mode::SoldOut,
                ];
                let mode = modes.get((which % 7) as usize).copied();
                self.operator_sets(|options| options.config.mode = mode.unwrap_or(Mode::Paused));
            }
            Kind::OriginFails => self.origin_answers(index, self.time + size % ORIGIN_FAILS_MAX_MS),
            Kind::StockSaid => self.stock_is_said(index, (size % STOCK_MOST) as u32, which),
            Kind::Hours => {
                let now_ms = self.wall_of(Object::Room);
                let opens_at_ms = now_ms + 1 + size % SHUT_MAX_MS;
                // Sometimes the room stays shut for a while before the hall.
                let hall_ms = [0, 5_000, SHUT_MAX_MS, SHUT_MAX_MS];
                let hall_ms = hall_ms.get((which % 4) as usize).copied();
                self.operator_sets(|options| {
                    options.config.periods = vec![Period {
                        opens_at_ms,
                        closes_at_ms: NEVER_MS,
                    }];
                    options.config.hall_ms = hall_ms.unwrap_or_default();
                    options.config.draw = if which.is_multiple_of(5) {
                        Draw::Arrival
                    } else {
                        Draw::Shuffle
                    };
                });
            }
            _ => {}
        }
    }

    /// Ends every process in the same moment; some lobbies keep their sockets.
    fn all_restart(&mut self, which: u64) {
        self.room_restarts();
        for index in 0..self.lobbies.len() {
            if which >> (index % 60) & 1 == 0 {
                self.lobby_restarts(index);
            } else {
                self.lobby_sleeps(index);
            }
        }
    }

    /// Brings every lobby into memory in the same moment, and lets it say Hello.
    fn all_say_hello(&mut self) {
        for index in 0..self.lobbies.len() {
            self.lobby_sleeps(index);
            let life = self.wake_lobby(index);
            self.lobby_does(life, Lobby::handle_timeout);
        }
    }

    /// Takes a visitor's ticket cookie away, and sometimes the pass.
    fn cookie_is_lost(&mut self, size: u64) {
        let visitor = (size % self.people.len() as u64) as usize;
        let person = &mut self.people[visitor];
        person.old_place = person.ticket.or(person.old_place);
        person.ticket = None;
        if (size / 1_000).is_multiple_of(2) {
            person.drops_pass();
        }
    }

    /// Lets a front tell a lobby how many seats the shop has left.
    fn stock_is_said(&mut self, lobby: usize, left: u32, which: u64) {
        let reported_at_ms = self.time.saturating_sub(which % STOCK_AGE_MAX_MS);
        let life = self.wake_lobby(lobby);
        self.lobby_does(life, |lobby, m| {
            lobby.handle_stock(m, left, reported_at_ms);
        });
    }

    /// Lets a front tell a lobby how the origin answered, mostly with errors, and plans to tell it again a second later while the origin fails.
    pub fn origin_answers(&mut self, lobby: usize, until: u64) {
        let mut faults = self.faults.borrow_mut();
        if faults.rate(Kind::OriginFails) == 0 {
            return;
        }
        let chance = faults.chance_of(Kind::OriginFails);
        let (good, bad) = (chance.below(6) as u32, chance.below(20) as u32);
        drop(faults);
        let life = self.wake_lobby(lobby);
        let times = AnswerTimes::one(u64::from(good) * SLOWER_MS);
        self.lobby_does(life, |lobby, m| {
            lobby.handle_answer_times(&times);
            lobby.handle_origin(m, good, bad);
        });
        if self.time < until {
            self.after(ORIGIN_TOLD_EVERY_MS, Event::OriginAnswers { lobby, until });
        }
    }
}
