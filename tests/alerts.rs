//! The alerts of docs/alerts/baton.yaml on the metrics of real rooms, each with one thing wrong: every alert fires where it
//! should and nowhere else, none where all is well.
//!
//! The expressions are evaluated by `promtool test rules` (Debian: package `prometheus`), found on the path or by `PROMTOOL`.
//! Without it, only that every metric and label that the rules name is in the real text is checked, and it is said.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod wishes;

use baton::control::metrics;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::schedule::{Step, StepEnd};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::health::Condition;
use baton::room::permits::Stage;
use baton::room::report::Report;
use baton::room::schedule;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const RULES: &str = include_str!("../docs/alerts/baton.yaml");
const LOBBY: LobbyId = LobbyId(0);
/// Seconds of the run, and between two scrapes.
const RUN_S: u64 = 2_400;
const SCRAPE_S: u64 = 15;
/// When the step of a room's schedule is due, by its clock.
const STEP_AT_MS: u64 = 1_000_000 + 1_500_000;
const NEVER_S: u64 = u64::MAX / 2;

/// What is wrong with a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    Silent,
    UsherDead,
    FewRelease,
    ManyStayAway,
    EverybodyLate,
    LobbyAway,
    FailsOpen,
    OriginFails,
    StepRefused,
    RolledBack,
}

/// Each with the alerts that must fire in the end.
const ROOMS: [(&str, Wrong, &[&str]); 11] = [
    ("well", Wrong::Nothing, &[]),
    ("silent", Wrong::Silent, &["BatonRoomUnavailable"]),
    ("stuck", Wrong::UsherDead, &["BatonNobodyIsCalled", "BatonPermitsDead"]),
    ("leaky", Wrong::FewRelease, &["BatonPermitsLeak"]),
    ("noshow", Wrong::ManyStayAway, &["BatonCallsMissed", "BatonPermitsDead"]),
    ("late", Wrong::EverybodyLate, &["BatonPermitsDead"]),
    ("behind", Wrong::LobbyAway, &["BatonPushesBehind"]),
    ("open", Wrong::FailsOpen, &["BatonFailOpen"]),
    ("failing", Wrong::OriginFails, &["BatonOriginFailing"]),
    ("unplanned", Wrong::StepRefused, &["BatonStepRefused"]),
    ("restored", Wrong::RolledBack, &["BatonRolledBack"]),
];

/// A sale: three join in two seconds, ten may be inside, for ten seconds each.
struct Sale {
    room: Room,
    wrong: Wrong,
    /// When the holder of a fence does the next thing.
    todo: BTreeMap<Fence, u64>,
}

impl Sale {
    fn new(wrong: Wrong) -> Self {
        Self {
            room: Room::new(),
            wrong,
            todo: BTreeMap::new(),
        }
    }

    fn config(dead: bool) -> RoomConfig {
        RoomConfig {
            // Five more, which a dead usher does not give out.
            permits: if dead { 15 } else { 10 },
            walk_in: false,
            lease_idle_ms: 20_000,
            ..RoomConfig::default()
        }
    }

    fn batch(&mut self, now: Instant, commands: &[Command]) {
        let mut row = self.room.open_row(now);
        self.room.take(now, LOBBY, commands, 0, &mut row);
    }

    /// How long the holder of a permit takes for the next thing. Where all is well some do not come and some do not say
    /// that they are done, and where something is wrong some do: an alert must tell one from the other.
    fn takes_s(&self, number: Number, stage: Stage) -> u64 {
        let one_of = |n| number.0.is_multiple_of(n);
        match (stage, self.wrong) {
            (Stage::Called { .. }, Wrong::EverybodyLate) => 6,
            (Stage::Called { .. }, Wrong::ManyStayAway) if one_of(2) => NEVER_S,
            (Stage::Called { .. }, Wrong::Nothing) if one_of(50) => NEVER_S,
            (Stage::Called { .. }, _) => 1,
            (Stage::Leased(_), Wrong::FewRelease) if !one_of(10) => NEVER_S,
            (Stage::Leased(_), Wrong::Nothing) if one_of(2) => NEVER_S,
            (Stage::Leased(_), _) => 10,
        }
    }

    fn second(&mut self, s: u64) {
        let now = Instant(1_000_000 + s * 1_000);
        let mut row = self.room.open_row(now);
        let dead = self.wrong == Wrong::UsherDead && s > 600;
        let mut config = Self::config(dead);
        if matches!(self.wrong, Wrong::Nothing | Wrong::StepRefused) {
            config.schedule = vec![Step {
                at_ms: STEP_AT_MS,
                offset_s: 0,
                set: vec![],
            }];
        }
        self.room.configure(&config, &mut row);
        if now.0 == STEP_AT_MS && !self.room.config().schedule.is_empty() {
            let end = match self.wrong {
                Wrong::StepRefused => StepEnd::Refused("permits: too few".to_owned()),
                _ => StepEnd::Done,
            };
            self.room.commit([schedule::ended(STEP_AT_MS, end)], &mut row);
        }
        let mut commands = Vec::new();
        if s.is_multiple_of(2) {
            commands.push(wishes::join(&self.room, 3));
        }
        let out: Vec<(Fence, Number, Stage)> = self
            .room
            .permits()
            .out()
            .map(|(fence, grant)| (fence, grant.number, grant.stage))
            .collect();
        self.todo.retain(|fence, _| out.iter().any(|(held, ..)| held == fence));
        for (fence, number, stage) in out {
            let due = s + self.takes_s(number, stage);
            let due = *self.todo.entry(fence).or_insert(due);
            if s >= due {
                self.todo.remove(&fence);
                commands.push(match stage {
                    Stage::Called { .. } => wishes::claim(&self.room, number),
                    Stage::Leased(_) => Command::Release(fence),
                });
            }
        }
        if dead {
            // Nothing is handed on either: as if calling itself were broken, which no room that is whole does.
            commands.retain(|command| matches!(command, Command::Enter(_)));
        }
        if !commands.is_empty() {
            self.batch(now, &commands);
        }
        if !dead {
            let mut row = self.room.open_row(now);
            self.room.take_turn(now, &mut row);
        }
    }

    fn report(&self, s: u64) -> Option<Report> {
        let report = self.room.report(Instant(1_000_000 + s * 1_000));
        let late = s > RUN_S / 2;
        match self.wrong {
            Wrong::Silent if late => None,
            // These are counted by courier, object and fronts, not by the room's core.
            Wrong::LobbyAway if late => Some(Report { unreached: 1, ..report }),
            Wrong::FailsOpen => Some(Report {
                opened: if late { s } else { 0 },
                ..report
            }),
            Wrong::RolledBack => Some(Report {
                rolled_back: if late { s } else { 0 },
                ..report
            }),
            Wrong::OriginFails if late => Some(Report {
                origin: Condition::Failing,
                ..report
            }),
            _ => Some(report),
        }
    }
}

/// Metric names and label pairs of an expression: `baton_x` and `state="present"`.
fn named(rules: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let mut expressions = String::new();
    let mut within = false;
    for line in rules.lines() {
        let text = line.trim_start();
        let key = text.split_once(": ").map(|(key, _)| key);
        within = match text.strip_prefix("expr:") {
            Some(rest) => {
                let _ = writeln!(expressions, "{rest}");
                true
            }
            None => within && !matches!(key, Some("for" | "labels" | "annotations" | "- alert")),
        };
        if within {
            let _ = writeln!(expressions, "{text}");
        }
    }
    let metrics = expressions.split(word).filter(|w| w.starts_with("baton_"));
    let metrics = metrics.map(str::to_owned).collect();
    let mut labels = BTreeSet::new();
    for selector in expressions.split('{').skip(1) {
        let (pair, _) = selector.split_once('}').expect("a selector ends");
        let (name, values) = pair.split_once('=').expect("a label");
        for value in values.trim_start_matches('~').trim_matches('"').split('|') {
            labels.insert(format!("{name}=\"{value}\""));
        }
    }
    (metrics, labels)
}

/// Every series of the metrics that the rules name, with a value for each scrape.
fn scrape(wanted: &BTreeSet<String>) -> BTreeMap<String, Vec<Option<String>>> {
    let mut sales: Vec<(&str, Sale)> = ROOMS.map(|(room, wrong, _)| (room, Sale::new(wrong))).into();
    let mut series: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for s in 0..=RUN_S {
        for (_, sale) in &mut sales {
            sale.second(s);
        }
        if !s.is_multiple_of(SCRAPE_S) {
            continue;
        }
        let at = usize::try_from(s / SCRAPE_S).expect("small");
        let reports: Vec<_> = sales.iter().map(|(room, sale)| (*room, sale.report(s))).collect();
        let rooms: Vec<_> = reports.iter().map(|(room, report)| (*room, report.as_ref())).collect();
        for line in metrics::text(&rooms).lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').expect("a value");
            if wanted.contains(name.split('{').next().expect("a name")) {
                let values = series.entry(name.to_owned()).or_default();
                values.resize(at, None);
                values.push(Some(value.to_owned()));
            }
        }
    }
    series
}

/// The tests as `promtool` reads them: the series, and which alerts fire at the end of the run.
fn promtool_tests(rules: &Path, series: &BTreeMap<String, Vec<Option<String>>>) -> String {
    let mut text = format!(
        "rule_files: ['{}']\nevaluation_interval: {SCRAPE_S}s\ntests:\n  - interval: {SCRAPE_S}s\n    input_series:\n",
        rules.display()
    );
    for (name, values) in series {
        let values: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or("_")).collect();
        let _ = writeln!(text, "      - {{ series: '{name}', values: '{}' }}", values.join(" "));
    }
    let firing = "count by (alertname, room) (ALERTS{alertstate=\"firing\"})";
    let _ = writeln!(
        text,
        "    promql_expr_test:\n      - expr: '{firing}'\n        eval_time: {RUN_S}s\n        exp_samples:"
    );
    for (room, _, alerts) in ROOMS {
        for alert in alerts {
            let _ = writeln!(text, "          - {{ labels: '{{alertname=\"{alert}\", room=\"{room}\"}}', value: 1 }}");
        }
    }
    let _ = writeln!(
        text,
        "  - interval: 1m\n    input_series:\n      - {{ series: 'up', values: '1x20' }}\n    promql_expr_test:\n      \
         - expr: 'count by (alertname) (ALERTS{{alertstate=\"firing\"}})'\n        eval_time: 10m\n        exp_samples:\n          \
         - {{ labels: '{{alertname=\"BatonMetricsAbsent\"}}', value: 1 }}"
    );
    text
}

/// The program, if it is here.
fn promtool() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PROMTOOL") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path).map(|folder| folder.join("promtool"));
    places.into_iter().find(|place| place.is_file())
}

#[test]
fn the_rules_name_nothing_that_is_not_told() {
    let (metrics, labels) = named(RULES);
    assert!(metrics.len() > 10 && labels.len() > 4, "{metrics:?} {labels:?}");
    let sale = Sale::new(Wrong::Nothing);
    let report = sale.report(0);
    let text = metrics::text(&[("onsale", report.as_ref())]);
    for metric in &metrics {
        let told = text.lines().any(|line| line.split('{').next() == Some(metric));
        assert!(told, "{metric} is not in the metrics");
    }
    for label in &labels {
        assert!(text.contains(label), "{label} is not in the metrics");
    }
}

#[test]
fn every_alert_fires_in_its_room_and_nowhere_else() {
    let alerts: BTreeSet<&str> = RULES.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let mut expected: BTreeSet<&str> = ROOMS.iter().flat_map(|(.., alerts)| alerts.iter().copied()).collect();
    expected.insert("BatonMetricsAbsent");
    assert_eq!(alerts, expected, "an alert that no room tests");
    let guide = include_str!("../docs/alerts/README.md");
    for alert in &alerts {
        assert!(guide.contains(&format!("| `{alert}` |")), "{alert} has no line in the guide");
    }
    let Some(promtool) = promtool() else {
        eprintln!("promtool is not here: the rules were not evaluated. Debian has it in the package prometheus");
        return;
    };
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/alerts/baton.yaml");
    let folder = std::env::temp_dir().join(format!("baton-alerts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("alerts.test.yaml");
    let series = scrape(&named(RULES).0);
    std::fs::write(&file, promtool_tests(&rules, &series)).expect("written");
    let said = std::process::Command::new(&promtool)
        .args(["test", "rules"])
        .arg(&file)
        .output()
        .expect("promtool runs");
    let text = [said.stdout, said.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    assert!(said.status.success(), "{text}");
    // And the text itself is what Prometheus takes.
    let checked = std::process::Command::new(&promtool)
        .args(["check", "rules"])
        .arg(&rules)
        .output()
        .expect("promtool runs");
    assert!(checked.status.success(), "{checked:?}");
    std::fs::remove_dir_all(&folder).expect("removed");
}
