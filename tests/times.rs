//! What a room measures of itself, against plain lists of what happened: waits, holds, dead permit-time, the last hour, and
//! the settings recommended from crowds where the right answer is known.
//!
//! A failure of the random sales prints the seed that replays it: `BATON_SEED=<seed> cargo test --test times`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

use baton::room::command::{Command, Reply, Standing};
use baton::room::config::{Mode, RoomConfig};
use baton::room::event::{Event, How, Row};
use baton::room::permits::Stage;
use baton::room::report::Report;
use baton::room::times::histogram::{Histogram, Sliding, WINDOW_MS};
use baton::room::times::hour::SAMPLES_MAX;
use baton::room::times::joins::Joins;
use baton::room::times::observed::{HELD_MS, Observation, Recommended, SEEN_MIN};
use baton::room::{Room, laws};
use baton::units::{Fence, Instant, LobbyId, Number};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LOBBY: LobbyId = LobbyId(0);
const BEGIN: Instant = Instant(1_700_000_000_000);

/// What so many thousandths of a list do not exceed.
fn exact(values: &[u64], thousandths: u64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() as u64 * thousandths).div_ceil(1_000).max(1);
    sorted[rank as usize - 1]
}

#[test]
fn a_quantile_is_never_too_short_and_at_most_an_eighth_too_long() {
    let mut rng = fastrand::Rng::with_seed(7);
    for top in [0, 1, 40, 1_000, 90_000, 5_000_000, 66_000_000] {
        let values: Vec<u64> = (0..500).map(|_| rng.u64(0..=top)).collect();
        let mut histogram = Histogram::default();
        for value in &values {
            histogram.add_ms(*value);
        }
        assert_eq!(histogram.count(), 500);
        assert_eq!(histogram.sum_ms(), values.iter().sum::<u64>());
        for thousandths in [1, 500, 900, 990, 1_000] {
            let (told, is) = (
                histogram.quantile_ms(thousandths).unwrap(),
                exact(&values, thousandths),
            );
            // A bucket's end is rounded up to a whole millisecond.
            let most = (is + is / 8).max(is + 16) + 1;
            assert!(
                is <= told && told <= most,
                "{top}: {thousandths}: {is} {told}"
            );
        }
    }
    assert_eq!(Histogram::default().quantile_ms(500), None);
}

#[test]
fn an_octave_holds_what_is_no_longer_than_its_end_and_nothing_else() {
    let ends_ms: Vec<u64> = (3..=22).map(|octave| (1_000 << octave) / 64).collect();
    let mut histogram = Histogram::default();
    for end in &ends_ms {
        histogram.add_ms(*end);
        histogram.add_ms(*end + 1);
    }
    let mut within = 0;
    for (units, count) in histogram.octaves() {
        within += count;
        let no_longer = ends_ms.iter().flat_map(|end| [*end, end + 1]);
        let is = no_longer.filter(|ms| ms * 64 <= units * 1_000).count() as u64;
        assert_eq!(within, is, "up to {units}/64 s");
    }
    assert_eq!(histogram.count() - within, 1, "one is longer than 18 hours");
}

#[test]
fn levels_are_told_by_the_time_that_was_spent_at_them() {
    let mut histogram = Histogram::default();
    for (level, ms) in [(3, 8_000), (10, 1_000), (15, 600), (12, 400)] {
        histogram.add_level(level, ms);
    }
    assert_eq!(histogram.quantile_level(800), Some(3));
    assert_eq!(histogram.quantile_level(801), Some(10));
    assert_eq!(histogram.quantile_level(1_000), Some(15));
    assert_eq!(histogram.level_held(600), Some(15));
    assert_eq!(histogram.level_held(601), Some(12));
    assert_eq!(histogram.level_held(2_001), Some(3));
    assert_eq!(histogram.level_held(10_001), None);
}

#[test]
fn the_recent_is_the_last_five_to_ten_minutes() {
    let mut sliding = Sliding::default();
    let at = |windows: u64, ms| Instant(windows * WINDOW_MS + ms);
    sliding.add_ms(at(10, 5), 1_000);
    sliding.add_ms(at(11, 7), 2_000);
    assert_eq!(sliding.recent(at(11, 9)).count(), 2);
    assert_eq!(sliding.recent(at(12, 0)).count(), 1);
    assert_eq!(sliding.recent(at(13, 0)).count(), 0);
    sliding.add_ms(at(12, 1), 3_000);
    assert_eq!(sliding.recent(at(12, 1)).sum_ms(), 5_000);
    sliding.add_ms(at(20, 0), 4_000);
    assert_eq!(sliding.recent(at(20, 0)).sum_ms(), 4_000);
    assert_eq!(sliding.all().sum_ms(), 10_000);
}

#[test]
fn the_table_of_joins_is_bounded_and_never_tells_a_wait_too_short() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut joins = Joins::default();
    let mut issued = Vec::new();
    let mut now = BEGIN;
    let mut living = 1_u64;
    let mut coarsest = 0;
    for step in 0..60_000_u64 {
        now = now.plus_ms(rng.u64(1..600));
        let first = Number(issued.len() as u64 + 1);
        let count = rng.u64(1..4);
        issued.extend((0..count).map(|_| now));
        joins.joined(first, now, Number(living));
        // In the first half nobody goes in, then more do than come.
        if step > 30_000 {
            living = (living + 4).min(issued.len() as u64);
        }
        let number = rng.u64(living..=issued.len() as u64);
        let told = joins.issued_at(Number(number)).expect("waits");
        let is = issued[number as usize - 1];
        coarsest = coarsest.max(is.since_ms(told));
        assert!(
            told <= is && is.since_ms(told) < 4_000,
            "{number}: {told} {is}"
        );
    }
    assert!(coarsest > 1_000, "the table was never thinned");
    let stored = postcard::to_allocvec(&joins).unwrap();
    assert!(
        stored.len() < 4_096 * 12,
        "{} bytes for {living}",
        stored.len()
    );
    // Where nobody is left the grain is fine again.
    for _ in 0..20 {
        now = now.plus_ms(10_000);
        living = issued.len() as u64 + 1;
        joins.joined(Number(living), now, Number(living));
        issued.push(now);
    }
    assert_eq!(joins.issued_at(Number(living)), Some(now));
}

/// A room, and lists of what happened in it, made from its rows without its figures.
struct Sale {
    room: Room,
    now: Instant,
    issued_at: BTreeMap<Number, Instant>,
    called_at: BTreeMap<Fence, (Number, Instant)>,
    begun_at: BTreeMap<Fence, Instant>,
    waits: Vec<u64>,
    claims: Vec<u64>,
    released: Vec<u64>,
    expired: Vec<u64>,
    dead_ms: u64,
    used_ms: u64,
}

impl Sale {
    fn new(config: &RoomConfig) -> Self {
        let mut sale = Self {
            room: Room::new(),
            now: BEGIN,
            issued_at: BTreeMap::new(),
            called_at: BTreeMap::new(),
            begun_at: BTreeMap::new(),
            waits: vec![],
            claims: vec![],
            released: vec![],
            expired: vec![],
            dead_ms: 0,
            used_ms: 0,
        };
        sale.turn(|room, _, row| room.configure(config, row));
        sale
    }

    fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        for event in &row.events {
            self.note(event);
        }
        laws::check_state(&self.room, self.now).expect("lawful");
        result
    }

    fn perform(&mut self, command: &Command) -> Reply {
        self.turn(|room, now, row| room.perform(now, command, LOBBY, row))
    }

    fn tick(&mut self) {
        self.turn(Room::take_turn);
    }

    /// Time passes: what a permit was is added millisecond by millisecond's worth.
    fn pass(&mut self, ms: u64) {
        let permits = self.room.permits();
        let wanted = self.room.config().mode.calls() && self.room.line().present() > 0;
        let free = if wanted { permits.free() } else { 0 };
        self.dead_ms += ms * u64::from(permits.called() + free);
        self.used_ms += ms * u64::from(permits.leased());
        self.now = self.now.plus_ms(ms);
    }

    fn note(&mut self, event: &Event) {
        let now = self.now;
        match event {
            Event::Joined { first, count, .. } => {
                let numbers = (0..u64::from(*count)).map(|more| (first.plus(more), now));
                self.issued_at.extend(numbers);
            }
            Event::WalkedIn { fence, .. } => {
                self.begun_at.insert(*fence, now);
            }
            Event::Called { number, fence } => self.call(*number, *fence),
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
                self.end(*from, *how);
                self.call(*number, *fence);
            }
            Event::Claimed { fence } => {
                let (_, called_at) = self.called_at[fence];
                self.claims.push(now.since_ms(called_at));
                self.begun_at.insert(*fence, now);
            }
            Event::Ended { fence, how, .. } => self.end(*fence, *how),
            _ => {}
        }
    }

    fn call(&mut self, number: Number, fence: Fence) {
        let again = self.called_at.values().any(|(called, _)| *called == number);
        self.called_at.insert(fence, (number, self.now));
        if !again {
            self.waits.push(self.now.since_ms(self.issued_at[&number]));
        }
    }

    fn end(&mut self, fence: Fence, how: How) {
        let begun = self.begun_at.get(&fence).copied();
        match (how, begun) {
            (How::Released, Some(begun)) => self.released.push(self.now.since_ms(begun)),
            (How::Expired, Some(begun)) => self.expired.push(self.now.since_ms(begun)),
            _ => {}
        }
    }

    fn report(&self) -> Report {
        self.room.report(self.now)
    }

    /// The room's figures are those of the lists.
    fn check(&self) {
        let report = self.report();
        assert_eq!(report.dead_permit_ms, self.dead_ms);
        assert_eq!(report.used_permit_ms, self.used_ms);
        let told = report.durations;
        for (told, list) in [
            (&told.claim, &self.claims),
            (&told.released, &self.released),
            (&told.expired, &self.expired),
        ] {
            let sum: u64 = list.iter().sum();
            assert_eq!((told.count, told.sum_ms), (list.len() as u64, sum));
        }
        let count = self.waits.len() as u64;
        let sum: u64 = self.waits.iter().sum();
        assert_eq!(told.wait.count, count);
        assert!((sum..=sum + 250 * count).contains(&told.wait.sum_ms));
        if count > 0 {
            let (p90, is) = (told.wait.p90_ms.unwrap(), exact(&self.waits, 900));
            let most = (is + 250) + (is + 250) / 8 + 17;
            assert!(is <= p90 && p90 <= most, "p90 {p90}, is {is}");
        }
    }

    /// Every dead millisecond is of one permit: one that was claimed since, or one that is still free or called for.
    fn check_dead(&self) {
        let report = self.report();
        let called = self
            .room
            .permits()
            .out()
            .map(|(_, grant)| match grant.stage {
                Stage::Called {
                    called_at, dead_ms, ..
                } => dead_ms + self.now.since_ms(called_at),
                Stage::Leased(_) => 0,
            });
        let mut times = self.room.times().clone();
        if self.room.line().present() > 0 {
            times.idle.wanted(self.now.since_ms(self.room.now()));
        }
        assert_eq!(times.idle.free(), self.room.permits().free());
        let all = report.durations.handover.sum_ms + times.idle.dead_ms() + called.sum::<u64>();
        assert_eq!(report.dead_permit_ms, all);
    }
}

fn config() -> RoomConfig {
    RoomConfig {
        permits: 3,
        walk_in: false,
        tick_ms: 1_000,
        claim_within_ms: 3_000,
        grace_ms: 60_000,
        lease_idle_ms: 9_000,
        lease_max_ms: 40_000,
        lease_extend_max_ms: 0,
        ..RoomConfig::default()
    }
}

fn seeds() -> Vec<u64> {
    match option_env!("BATON_SEED") {
        Some(seed) => vec![seed.parse().expect("a number")],
        None => (0..60).collect(),
    }
}

/// Something happens to somebody.
fn step(sale: &mut Sale, rng: &mut fastrand::Rng) {
    let out: Vec<(Fence, Number, bool)> = sale
        .room
        .permits()
        .out()
        .map(|(fence, grant)| {
            let called = matches!(grant.stage, Stage::Called { .. });
            (fence, grant.number, called)
        })
        .collect();
    let number = Number(rng.u64(1..sale.room.line().next().0 + 1));
    let (fence, holder, called) = rng
        .choice(&out)
        .copied()
        .unwrap_or((Fence(0), number, false));
    let command = match rng.u32(0..12) {
        0..=2 => Command::Join {
            count: rng.u32(1..4),
        },
        3..=7 if called => Command::Claim(holder),
        3 | 4 => Command::Renew(fence),
        5..=7 => Command::Release(fence),
        8 => Command::Leave(number),
        9 => Command::Away(vec![number]),
        10 => Command::Back(number),
        _ => Command::WalkIn,
    };
    sale.perform(&command);
}

#[test]
fn a_sales_figures_are_those_of_its_lists() {
    for seed in seeds() {
        println!("BATON_SEED={seed}");
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut sale = Sale::new(&config());
        for _ in 0..400 {
            sale.pass(*rng.choice(&[0, 1, 700, 1_000, 2_300]).unwrap());
            if rng.u32(0..3) == 0 {
                sale.tick();
            }
            step(&mut sale, &mut rng);
            sale.check_dead();
        }
        sale.check();
        assert!(sale.claims.len() > 20, "a sale in which nothing happens");
    }
}

#[test]
fn no_permit_is_dead_while_nobody_is_there_or_the_room_is_paused() {
    let mut sale = Sale::new(&config());
    sale.pass(10_000);
    sale.perform(&Command::Join { count: 1 });
    assert_eq!(sale.report().dead_permit_ms, 0, "nobody was there");
    sale.pass(500);
    assert_eq!(sale.report().dead_permit_ms, 1_500, "three free permits");
    let paused = RoomConfig {
        mode: Mode::Paused,
        ..config()
    };
    sale.turn(|room, _, row| room.configure(&paused, row));
    sale.pass(60_000);
    sale.turn(|room, _, row| room.configure(&config(), row));
    assert_eq!(
        sale.report().dead_permit_ms,
        1_500,
        "the operator wanted it"
    );
    sale.tick();
    sale.pass(2_000);
    sale.perform(&Command::Claim(Number(1)));
    let report = sale.report();
    assert_eq!(report.dead_permit_ms, 3_500);
    assert_eq!(report.durations.handover.sum_ms, 2_500);
    assert_eq!(report.durations.claim.sum_ms, 2_000);
    assert_eq!(
        report.durations.wait.sum_ms, 60_500,
        "a pause is waited through"
    );
}

#[test]
fn a_missed_call_makes_one_wait_and_its_time_is_the_permits() {
    let mut sale = Sale::new(&RoomConfig {
        permits: 1,
        ..config()
    });
    sale.perform(&Command::Join { count: 2 });
    sale.tick();
    sale.pass(3_000);
    sale.tick();
    sale.perform(&Command::Back(Number(1)));
    sale.pass(1_000);
    sale.perform(&Command::Claim(Number(2)));
    let told = sale.report().durations;
    assert_eq!((told.handover.count, told.handover.sum_ms), (1, 4_000));
    assert_eq!((told.claim.count, told.claim.sum_ms), (1, 1_000));
    sale.perform(&Command::Release(Fence(2)));
    sale.check();
    let told = sale.report().durations;
    assert_eq!(told.wait.count, 2, "number 1 was called twice");
}

#[test]
fn who_never_shows_the_cookie_was_not_inside_for_the_figures() {
    let mut sale = Sale::new(&RoomConfig {
        walk_in: true,
        ..config()
    });
    sale.perform(&Command::WalkIn);
    sale.perform(&Command::WalkIn);
    sale.perform(&Command::Renew(Fence(2)));
    sale.pass(20_000);
    sale.tick();
    let report = sale.report();
    assert_eq!((report.totals.expired, report.totals.unproven), (2, 1));
    assert_eq!(report.durations.expired.count, 1);
}

#[test]
fn the_last_hour_has_a_sample_a_minute_also_through_sleep() {
    let mut sale = Sale::new(&config());
    let minute = |report: &Room, now| report.hour(now).len();
    assert_eq!(minute(&sale.room, sale.now), 0);
    sale.perform(&Command::Join { count: 5 });
    sale.pass(60_000);
    sale.tick();
    sale.pass(150_000);
    let hour = sale.room.hour(sale.now);
    let waiting: Vec<u64> = hour.iter().map(|sample| sample.waiting).collect();
    assert_eq!(waiting, [5, 5, 5]);
    assert_eq!(
        hour.iter().map(|sample| sample.free).collect::<Vec<_>>(),
        [3, 0, 0]
    );
    assert!(
        hour.windows(2)
            .all(|pair| pair[1].at_ms - pair[0].at_ms == 60_000)
    );
    sale.pass(100 * 3_600_000);
    let hour = sale.room.hour(sale.now);
    assert_eq!(hour.len(), SAMPLES_MAX);
    assert!(sale.now.0 - hour[SAMPLES_MAX - 1].at_ms < 60_000);
}

#[test]
fn figures_outlive_the_snapshot() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut sale = Sale::new(&config());
    for _ in 0..200 {
        sale.pass(1_100);
        sale.tick();
        step(&mut sale, &mut rng);
    }
    let stored = postcard::to_allocvec(&sale.room).unwrap();
    let room: Room = postcard::from_bytes(&stored).unwrap();
    assert_eq!(room, sale.room);
    assert_eq!(room.report(sale.now), sale.report());
}

/// A crowd that nobody holds up: when each comes, and when each is active and leaves after that.
struct Visit {
    comes_ms: u64,
    active_ms: Vec<u64>,
    /// `None`: without a word.
    leaves_ms: Option<u64>,
}

/// What a room says of a crowd.
fn observed(visits: &[Visit], until_ms: u64) -> Option<Observation> {
    let mut sale = Sale::new(&RoomConfig {
        permits: 1,
        mode: Mode::Observe,
        lease_idle_ms: 600_000,
        lease_max_ms: 3_600_000,
        ..config()
    });
    let mut todo: BTreeMap<(u64, usize), Command> = BTreeMap::new();
    let mut fences = BTreeMap::new();
    for (who, visit) in visits.iter().enumerate() {
        todo.insert((visit.comes_ms, who), Command::WalkIn);
    }
    while let Some(((at, who), command)) = todo.pop_first() {
        while sale
            .room
            .due_at(sale.now)
            .is_some_and(|due| due.since_ms(BEGIN) < at)
        {
            let due = sale.room.due_at(sale.now).unwrap();
            sale.pass(due.since_ms(sale.now));
            sale.tick();
        }
        sale.pass(at - sale.now.since_ms(BEGIN));
        if command == Command::WalkIn {
            let Reply::Stands(Standing::Admitted { fence, .. }) = sale.perform(&command) else {
                panic!("held up");
            };
            fences.insert(who, fence);
            sale.perform(&Command::Renew(fence));
            let visit = &visits[who];
            for active in &visit.active_ms {
                todo.insert((at + active, who), Command::Renew(fence));
            }
            if let Some(leaves) = visit.leaves_ms {
                todo.insert((at + leaves, who), Command::Release(fence));
            }
        } else {
            sale.perform(&command);
        }
    }
    sale.pass(until_ms.saturating_sub(sale.now.since_ms(BEGIN)));
    sale.tick();
    sale.report().observation
}

/// Somebody comes each `every_ms` for `for_ms`, is active each 30 s and leaves after two minutes.
fn steady(from_ms: u64, for_ms: u64, every_ms: u64) -> Vec<Visit> {
    let comes = (0..for_ms / every_ms).map(|i| from_ms + i * every_ms);
    comes
        .map(|comes_ms| Visit {
            comes_ms,
            active_ms: vec![30_000, 60_000, 90_000],
            leaves_ms: Some(120_000),
        })
        .collect()
}

#[test]
fn a_steady_crowd_is_recommended_for_as_it_is() {
    // One in three seconds for two minutes each: forty at once.
    let seen = observed(&steady(0, 1_200_000, 3_000), 1_320_000).expect("observed");
    assert_eq!((seen.peak, seen.p90, seen.held), (40, 40, 40));
    assert_eq!(seen.visit_p99_ms, Some(120_000));
    assert_eq!(seen.pause_p99_ms, Some(30_000));
    assert_eq!((seen.visits, seen.cut, seen.silent), (400, 0, 0));
    assert_eq!(
        seen.recommended,
        Some(Recommended {
            permits: 40,
            lease_idle_s: 60,
            lease_max_s: 240,
            crowd: 10_000,
        })
    );
}

#[test]
fn a_spike_of_a_minute_is_told_and_not_recommended() {
    let mut visits = steady(0, 3_600_000, 6_000);
    // Eighty more for a minute.
    visits.extend((0..80).map(|i| Visit {
        comes_ms: 1_800_001 + i,
        active_ms: vec![],
        leaves_ms: Some(60_000),
    }));
    let seen = observed(&visits, 3_700_000).expect("observed");
    assert_eq!((seen.peak, seen.held), (100, 20));
    assert_eq!(seen.recommended.map(|settings| settings.permits), Some(20));
    // As long as anything that is recommended, it is.
    let mut visits = steady(0, 3_600_000, 6_000);
    visits.extend((0..80).map(|i| Visit {
        comes_ms: 1_800_001 + i,
        active_ms: vec![],
        leaves_ms: Some(HELD_MS + 1_000),
    }));
    let seen = observed(&visits, 3_700_000).expect("observed");
    let permits = seen.recommended.map(|settings| settings.permits).unwrap();
    assert!((96..=104).contains(&permits), "{permits} of {}", seen.peak);
}

#[test]
fn who_leaves_without_a_word_was_there_until_the_last_activity() {
    let visits: Vec<Visit> = (0..100)
        .map(|i| Visit {
            comes_ms: i * 10_000,
            active_ms: vec![60_000, 240_000],
            leaves_ms: None,
        })
        .collect();
    let seen = observed(&visits, 2_400_000).expect("observed");
    assert_eq!((seen.visits, seen.silent), (100, 100));
    assert_eq!(
        seen.visit_p99_ms,
        Some(240_000),
        "the lease lasted ten minutes more"
    );
    let settings = seen.recommended.unwrap();
    assert_eq!((settings.lease_max_s, settings.lease_idle_s), (480, 420));
}

#[test]
fn too_little_seen_recommends_nothing() {
    assert_eq!(observed(&[], 0), None);
    let few = steady(0, SEEN_MIN.saturating_sub(1) * 30_000, 30_000);
    let seen = observed(&few, 900_000).expect("observed");
    assert_eq!(seen.recommended, None);
    assert_eq!(seen.visits, SEEN_MIN - 1);
    // Many, and never five minutes of them.
    let seen = observed(&steady(0, 100_000, 1_000), 220_000).expect("observed");
    assert_eq!((seen.held, seen.recommended), (0, None));
}
