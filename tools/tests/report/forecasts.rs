//! Tests how the report judges the outlook, with sales in which it is known what came.

use super::sale::{self, Sale};
use super::value;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::limits::JOIN_COUNT_MAX;
use baton::facts::units::LobbyId;
use baton_tools::advise::afterwards::Afterwards;
use baton_tools::report::forecasts::{Forecasts, JUDGED_FROM, Said};
use baton_tools::report::{Asked, Report};
use std::collections::BTreeMap;

const LOBBY: LobbyId = LobbyId(0);
const PERMITS: u32 = 10;
const MINUTE_MS: u64 = 60_000;
/// The time between two calls with the same permit: a second until the visitor comes, and a minute inside.
const WAVE_MS: u64 = 61_000;

/// A sale, and what its people will do.
struct Shop {
    sale: Sale,
    begun_ms: u64,
    ahead: BTreeMap<u64, Vec<Command>>,
    /// Returns how long a visitor stays who is called this long after the beginning.
    stays_ms: fn(after_ms: u64) -> u64,
}

impl Shop {
    /// Returns a sale to which all these people come at once.
    fn of(people: u64, stays_ms: fn(after_ms: u64) -> u64) -> Self {
        let mut sale = Sale::without_permits();
        let begun_ms = sale.now.0;
        sale.set(&RoomConfig {
            permits: PERMITS,
            ..RoomConfig::default()
        });
        let mut shop = Self {
            sale,
            begun_ms,
            ahead: BTreeMap::new(),
            stays_ms,
        };
        shop.come(people);
        shop
    }

    fn come(&mut self, people: u64) {
        let all: Vec<_> = (1..=people).map(sale::holder).collect();
        let joins = all.chunks(JOIN_COUNT_MAX as usize);
        let joins: Vec<Command> = joins.map(|some| Command::join(some.to_vec())).collect();
        self.take(&joins);
    }

    fn take(&mut self, commands: &[Command]) {
        for some in commands.chunks(100) {
            self.turn(|room, now, row| room.take(now, LOBBY, some, 0, row));
        }
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    fn turn(&mut self, act: impl FnOnce(&mut baton::room::Room, baton::facts::units::Instant, &mut Row)) {
        let rows = self.sale.rows.len();
        self.sale.write(act);
        let row = self.sale.rows.get(rows).cloned();
        for event in row.iter().flat_map(|row| &row.events) {
            if let Event::Called { number, fence } | Event::Handed { number, fence, .. } = event {
                let (place, fence) = (self.sale.place(*number), *fence);
                self.plan(1_000, Command::Claim { place, fence });
                let stays_ms = (self.stays_ms)(self.sale.now.0 - self.begun_ms);
                self.plan(1_000 + stays_ms, Command::Release(fence));
            }
        }
    }

    fn plan(&mut self, in_ms: u64, command: Command) {
        let at_ms = self.sale.now.0 + in_ms;
        self.ahead.entry(at_ms).or_default().push(command);
    }

    /// Runs the sale for this long, or until nothing happens any more.
    fn run(mut self, until_ms: u64) -> Sale {
        let end_ms = self.begun_ms.saturating_add(until_ms);
        while let Some((at_ms, commands)) = self.ahead.pop_first() {
            if at_ms > end_ms {
                break;
            }
            self.sale.now.0 = at_ms;
            self.take(&commands);
        }
        self.sale
    }
}

const fn steadily(_: u64) -> u64 {
    MINUTE_MS
}

/// From minute 30 on, people stay three times as long.
const fn slower(after_ms: u64) -> u64 {
    if after_ms < 30 * MINUTE_MS { MINUTE_MS } else { 3 * MINUTE_MS }
}

fn made(lines: &[String], asked: Asked) -> Report {
    let mut report = Afterwards::new(asked);
    lines.iter().for_each(|line| report.line(line).unwrap());
    report.finish().unwrap()
}

fn forecasts(lines: &[String]) -> Forecasts {
    made(lines, Asked::default()).forecasts.unwrap()
}

/// Returns the forecasts of one thing, each with the minute at which it was made.
fn of<'f>(told: &'f Forecasts, name: &str) -> Vec<(u64, &'f Said)> {
    let said = told.said.iter().filter(|said| said.of == name);
    // The wall clock of these sales is set back by a second now and then.
    let minute = |said: &Said| (said.at_ms - sale::OPENS_MS + 2_000) / MINUTE_MS;
    said.map(|said| (minute(said), said)).collect()
}

/// Returns the forecasts of one thing: the minute, whether what came lay in the band, and what came.
fn came(told: &Forecasts, name: &str) -> Vec<(u64, bool, Option<u64>)> {
    let all = of(told, name).into_iter();
    all.map(|(minute, said)| (minute, said.is_within, said.came)).collect()
}

#[test]
fn a_sale_that_goes_on_as_it_went_is_foretold() {
    // The last ten are called in the 102nd wave.
    let (waves, end_ms) = (102, 101 * WAVE_MS);
    let lines = Shop::of(waves * 10, steadily).run(u64::MAX).export();
    let told = forecasts(&lines);
    assert_eq!((told.every_ms, told.moments, told.silent), (10 * MINUTE_MS, 10, 0));
    let minutes = || (1..=10).map(|nth| nth * 10);
    let ends: Vec<_> = minutes().map(|minute| (minute, true, Some(end_ms - minute * MINUTE_MS))).collect();
    assert_eq!(came(&told, "line_ends_ms"), ends);
    // Nobody else comes, so a newcomer walks in once the line has ended.
    assert_eq!(came(&told, "newcomer_ms"), ends);
    let waiting = |minute| 10 * (waves - 1 - minute * MINUTE_MS / WAVE_MS);
    for (name, later) in [("waiting_in_10_min", 10), ("waiting_in_30_min", 30)] {
        let known = minutes().filter(|minute| (minute + later) * MINUTE_MS < end_ms);
        let known: Vec<_> = known.map(|minute| (minute, true, Some(waiting(minute + later)))).collect();
        assert_eq!(came(&told, name), known, "{name}");
    }
    let judged = told.scores.iter().map(|one| (one.of, one.count, one.within, one.below, one.is_judged));
    assert_eq!(
        judged.collect::<Vec<_>>(),
        [
            ("line_ends_ms", 10, 10, 0, true),
            ("newcomer_ms", 10, 10, 0, true),
            ("waiting_in_10_min", 9, 9, 0, false),
            ("waiting_in_30_min", 7, 7, 0, false),
        ]
    );
    assert_eq!(told.judged_from, JUDGED_FROM);
}

#[test]
fn a_shop_that_grows_slower_puts_the_forecasts_in_the_wrong() {
    let lines = Shop::of(500, slower).run(u64::MAX).export();
    let told = forecasts(&lines);
    let ends = of(&told, "line_ends_ms");
    let within = |minute| ends.iter().find(|(at, _)| *at == minute).map(|(_, said)| said.is_within);
    assert_eq!((within(10), within(20)), (Some(false), Some(false)), "{ends:?}");
    // The line ends later than the forecasts said.
    let [line, ..] = told.scores.as_slice() else { panic!("{told:?}") };
    assert!(line.within < line.count && line.below == 0, "{line:?}");
    assert!(line.miss_percent > Some(0.0) && line.width_percent > Some(0.0));
    let again = forecasts(&lines);
    assert_eq!(told, again, "the same journal, the same forecasts");
}

#[test]
fn too_little_is_said_to_be_too_little() {
    // At minute 10 only ten visits have ended, and the journal ends at minute 37, so only one forecast, made at minute 20, can be judged.
    let slow = |_| 9 * MINUTE_MS;
    let lines = Shop::of(100, slow).run(37 * MINUTE_MS).export();
    let told = forecasts(&lines);
    assert_eq!((told.moments, told.silent), (3, 1), "{told:?}");
    assert_eq!(came(&told, "waiting_in_10_min"), [(20, true, Some(60))]);
    // A forecast beyond the end of the journal is not judged.
    assert_eq!(told.said.len(), 1, "{told:?}");
    assert!(told.scores.iter().all(|one| !one.is_judged), "{told:?}");
    let none = forecasts(&super::small());
    assert_eq!((none.said.len(), none.moments), (0, none.silent));
    assert!(none.scores.iter().all(|one| one.width_percent.is_none()));
}

#[test]
fn only_what_the_report_is_of_is_told_and_nothing_in_public() {
    let lines = Shop::of(300, steadily).run(u64::MAX).export();
    let whole = made(&lines, Asked::default());
    let late = Asked {
        from_ms: whole.from_ms + 15 * MINUTE_MS,
        ..Asked::default()
    };
    let told = made(&lines, late).forecasts.unwrap();
    let all = whole.forecasts.unwrap();
    assert_eq!((all.moments, told.moments), (2, 1));
    assert_eq!(all.said.last(), told.said.last());
    let public = Asked {
        is_public: true,
        ..Asked::default()
    };
    let told = value(&made(&lines, public));
    assert_eq!(told.get("forecasts"), None);
}

#[test]
fn each_edition_has_its_own() {
    let mut shop = Shop::of(300, steadily);
    // Before minute 10 a new edition begins, and people join again.
    shop.ahead.clear();
    shop.sale.now.0 += 5 * MINUTE_MS;
    shop.turn(|room, _, row| {
        room.reset("desk", row);
    });
    shop.come(300);
    let lines = shop.run(u64::MAX).export();
    let told = made(&lines, Asked::default());
    let forecasts = told.forecasts.unwrap();
    let minutes: Vec<u64> = of(&forecasts, "line_ends_ms").iter().map(|(minute, _)| *minute).collect();
    assert_eq!((told.edition, minutes), (2, vec![15, 25]));
    let first = Asked {
        edition: Some(1),
        ..Asked::default()
    };
    assert_eq!(made(&lines, first).forecasts.unwrap().moments, 0);
}
