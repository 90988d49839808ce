//! What a seed picks for a world: how many are in it, how the room is set, and how bad it is.

use super::faults::{Faults, Kind};
use super::lanes;
use super::plan::Plan;
use baton::facts::config::RoomConfig;
use baton::facts::limits::Sizes;
use baton::living::Stay;
use baton::token::Keyring;
use baton_advice::chance::Chance;

/// The measures of one world.
pub struct Picked {
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
pub(super) const TIMED: &[(Kind, u32)] = &[
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
/// The mean time between two failures of the origin, in worlds whose room wants to know how the origin answers, ms. It is picked from the kind's own
/// stream, so in the other worlds older seeds play as they did.
const ORIGIN_FAILS_EVERY_MS: u32 = 25_000;
/// The mean time between two words of the shop on how many seats are left, in every other world, ms. It is picked from the kind's own stream too.
const STOCK_SAID_EVERY_MS: u32 = 3_000;
/// The faults that come with time in one world of so many, picked from the kind's own stream too: the kind, how many worlds there are for one in which
/// it comes, and the mean time between two there, ms.
const SELDOM: [(Kind, u64, u32); 4] = [
    (Kind::Deaf, 3, 30_000),
    (Kind::Schedule, 2, 40_000),
    (Kind::Sheets, 2, 25_000),
    (Kind::Skew, 3, 30_000),
];
/// The mean time between two ends of a porter's process, ms.
const PORTER_RESTARTS_EVERY_MS: u32 = 30_000;
/// The secret of the front's keyring, good for simulated worlds only.
const SECRET: &str = "a secret that is only good for a world that does not exist";

/// Picks a world's measures, and sets the rates of its faults.
///
/// Long because it picks each measure of a world, in the order that a seed replays.
pub fn pick(rng: &mut Chance, plan: &Plan, faults: &mut Faults) -> Picked {
    let (least, most) = plan.visitors;
    // The exponent is picked evenly, so there are as many small worlds as large ones.
    let doublings = (most.max(1) / least.max(1)).ilog2() + 1;
    let scale = 1_u64 << rng.below(u64::from(doublings));
    let visitors = rng.within(least * scale, least * scale * 2).clamp(least, most) as usize;
    let bad = rng.below(4) as u32;
    faults.set(Kind::Lost, 15 * bad);
    faults.set(Kind::Twice, 20 * bad);
    faults.set(Kind::Slow, 25 * bad);
    for kind in [Kind::WriteFails, Kind::WriteUnsure, Kind::PowerBefore, Kind::PowerAfter] {
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
    for (kind, worlds, every_ms) in SELDOM {
        let comes = faults.chance_of(kind).below(worlds) == 0;
        faults.set(kind, if comes { every_ms } else { 0 });
    }
    let (errors_max_percent, errors_window_ms) = pick_origin(faults);
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
        stock_line: pick_stock(faults),
        lanes: lanes::pick(plan.seed, faults),
        lanes_rule: lanes::rule(plan.seed),
        line_max: pick_line_max(plan.seed, visitors),
        ..RoomConfig::default()
    };
    let signs = rng.below(16) == 0;
    Picked {
        visitors,
        lobbies: rng.within(plan.lobbies.0, plan.lobbies.1) as usize,
        tickets_max: rng.pick(&[3, 1_000, 1_000]),
        spread_ms: rng.pick(&[0, 3_000]),
        strict: rng.below(4) == 0,
        sizes: pick_sizes(rng, visitors),
        rows_per_snapshot: rng.within(3, 80),
        config,
        keyring: signs.then(|| Keyring::from_secrets(Some(SECRET), None).ok()).flatten(),
    }
}

/// Picks how much is told at once: as much as in what ships, or so little that this world's people are too many. It is never less than its lobbies
/// can work with: if a list comes in thirty pages, something in it is always older than the room remembers.
fn pick_sizes(rng: &mut Chance, visitors: usize) -> Sizes {
    let usual = rng.below(3) == 0;
    let mut picked = Sizes {
        chunk: rng.pick(&[64, 128]),
        holders_page: 8,
        chunks_page: 1,
        changes_max: rng.pick(&[4, 16, 64]).max(visitors),
        changes_told_max: rng.pick(&[4, 16, 64]).max(visitors / 2),
        page_tickets_max: rng.pick(&[1, 2, 5, 20]).max(visitors / 8),
        list_long: rng.pick(&[0, 3, 10]),
        ended_told_max: rng.pick(&[0, 2, 10]),
        late_accounts_max: 0,
        index_slice: 64,
    };
    picked.late_accounts_max = picked.list_long / 2;
    picked.holders_page <<= picked.list_long.min(3);
    if usual { Sizes::USUAL } else { picked }
}

/// Picks how many of the origin's answers may be errors, in percent, and within which time, in ms. That is 0 in every other world.
/// In the rest the origin fails now and then.
fn pick_origin(faults: &mut Faults) -> (u32, u64) {
    let chance = faults.chance_of(Kind::OriginFails);
    let percent = chance.pick(&[0, 0, 10, 50]);
    let window_ms = chance.pick(&[1_000, 5_000]);
    let every_ms = if percent > 0 { ORIGIN_FAILS_EVERY_MS } else { 0 };
    faults.set(Kind::OriginFails, every_ms);
    (percent, window_ms)
}

/// Picks how many porters there are: none in two worlds of three, because most rooms have none. In the rest they come to harm.
pub fn pick_porters(seed: u64, lobbies: usize, faults: &mut Faults) -> usize {
    let mut rng = Chance::of(seed, 1 << 50);
    let porters = match rng.below(3) {
        0 => (rng.within(1, 2) as usize).min(lobbies),
        _ => 0,
    };
    if porters > 0 {
        faults.set(Kind::PorterRestart, rng.pick(&[0, PORTER_RESTARTS_EVERY_MS]));
        faults.set(Kind::BundleSplit, rng.pick(&[0, 400]));
    }
    porters
}

/// Picks what objects do about their memory, half and half, from a stream of its own: where they stay, somebody may set their hosts' clocks.
pub(super) fn pick_stay(seed: u64) -> Stay {
    match Chance::of(seed, 1 << 51).below(2) {
        0 => Stay::Sleeps,
        _ => Stay::Stays,
    }
}

/// By how much less than this a busy host's timers are late, in ms.
pub const LATE_MS: u64 = 60;

/// Picks whether timers ring late, in every other world, and by what chance.
pub fn pick_busy_host(seed: u64) -> Option<Chance> {
    seed.is_multiple_of(2).then(|| Chance::of(seed, 1 << 54))
}

/// Picks how many may wait, in one world of four, from a stream of its own; 0 in the rest: as many as come.
fn pick_line_max(seed: u64, visitors: usize) -> u32 {
    let mut rng = Chance::of(seed, 1 << 53);
    match rng.below(4) {
        0 => rng.within(1, (visitors as u64 / 2).max(2)) as u32,
        _ => 0,
    }
}

/// Picks whether the room draws the stock line. If it does, the shop says now and then how many seats are left.
fn pick_stock(faults: &mut Faults) -> bool {
    let is_drawn = faults.chance_of(Kind::StockSaid).below(2) == 0;
    let every_ms = if is_drawn { STOCK_SAID_EVERY_MS } else { 0 };
    faults.set(Kind::StockSaid, every_ms);
    is_drawn
}
