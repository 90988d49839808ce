//! The dashboard of docs/alerts/grafana.json asks for nothing that is not told: every metric, label and value is in the metrics of a
//! real room, and its panels lie side by side.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use baton::control::metrics;
use baton::facts::units::Instant;
use baton::room::Room;
use serde_json::Value;
use std::collections::BTreeSet;

const DASHBOARD: &str = include_str!("../docs/alerts/grafana.json");

fn panels() -> Vec<Value> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels").clone();
    panels.into_iter().filter(|panel| panel["type"] != "row").collect()
}

/// `(expression, legend)` of each target.
fn targets() -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let panels = panels();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets"));
    targets.map(|target| (text(&target["expr"]), text(&target["legendFormat"]))).collect()
}

/// The series of the metrics: name, then its labels as `name="value"`.
fn series() -> Vec<(String, BTreeSet<String>)> {
    let room = Room::new();
    let report = room.report(Instant(1));
    let text = metrics::text(&[("onsale", Some(&report))]);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, rest) = line.split_once('{').expect("labels");
            let (labels, _) = rest.split_once('}').expect("labels end");
            (name.to_owned(), labels.split(',').map(str::to_owned).collect())
        })
        .collect()
}

/// Metrics with their selectors, as the expression names them: `baton_waiting` and `room=~"$room"`.
fn asked(expression: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in expression.match_indices("baton_") {
        let rest = &expression[at..];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
        let selector = rest[end..].strip_prefix('{');
        let selector = selector.and_then(|rest| rest.split_once('}'));
        let pairs = selector.map(|(pairs, _)| pairs.split(", ").map(str::to_owned).collect());
        found.push((rest[..end].to_owned(), pairs.unwrap_or_default()));
    }
    found
}

#[test]
fn the_dashboard_asks_for_nothing_that_is_not_told() {
    let told = series();
    let mut metrics = BTreeSet::new();
    for (expression, legend) in targets() {
        let count = |c: char| expression.matches(c).count();
        assert_eq!((count('('), count('{')), (count(')'), count('}')), "{expression}");
        for (metric, pairs) in asked(&expression) {
            let of: Vec<_> = told.iter().filter(|(name, _)| *name == metric).collect();
            assert!(!of.is_empty(), "{metric} is not in the metrics");
            assert!(pairs.contains(&r#"room=~"$room""#.to_owned()), "{metric} is of the chosen rooms");
            for pair in &pairs {
                let (label, value) = pair.split_once('=').expect("a label");
                let (label, value) = (label.trim_end_matches('!'), value.trim_start_matches('~'));
                let plain = value.starts_with(r#""$"#);
                let is_told = |own: &String| own.starts_with(&format!("{label}=")) && (plain || own.ends_with(value));
                let found = of.iter().any(|(_, labels)| labels.iter().any(is_told));
                assert!(found, "{metric} has no {pair}");
            }
            for label in legend.split("{{").skip(1) {
                let label = label.split("}}").next().expect("a label");
                let has = |own: &String| own.starts_with(&format!("{label}="));
                assert!(of.iter().any(|(_, labels)| labels.iter().any(has)), "{metric} has no label {label}");
            }
            metrics.insert(metric);
        }
    }
    assert!(metrics.len() > 20, "{metrics:?}");
    assert!(DASHBOARD.contains("label_values(baton_up, room)"));
}

#[test]
fn panels_say_what_they_show_and_lie_side_by_side() {
    let mut taken = BTreeSet::new();
    for panel in panels() {
        let title = panel["title"].as_str().expect("a title");
        assert!(panel["description"].as_str().is_some_and(|text| !text.is_empty()), "{title}");
        assert_eq!(panel["datasource"]["uid"], "${source}", "{title}");
        let at = |key: &str| panel["gridPos"][key].as_u64().expect("a place");
        for column in at("x")..at("x") + at("w") {
            for row in at("y")..at("y") + at("h") {
                assert!(column < 24 && taken.insert((column, row)), "{title} lies on another");
            }
        }
    }
    assert_eq!(taken.len(), 15 * 64);
}
