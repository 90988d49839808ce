//! The two forms of the metrics' text: OpenMetrics, and Prometheus' older one for whoever asks for it. `promtool check metrics` (Debian: package
//! `prometheus`) judges the older one, if it is there.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used)]

use baton::control::metrics::{self, Form};
use baton::facts::units::Instant;
use baton::room::Room;
use std::io::Write;
use std::process::{Command, Stdio};

/// Prometheus asks for OpenMetrics first. Who names only `text/plain` reads the older format, as `promtool check metrics` does.
#[test]
fn the_older_text_format_is_for_whoever_asks_for_it() {
    let scraper = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    for accept in [None, Some("*/*"), Some(scraper), Some("text/html")] {
        assert_eq!(Form::asked_by(accept), Form::OpenMetrics, "{accept:?}");
    }
    for accept in ["text/plain", "Text/Plain; version=0.0.4, */*;q=0.1"] {
        assert_eq!(Form::asked_by(Some(accept)), Form::Plain, "{accept}");
    }
    let report = Room::new().report(Instant(1_000));
    let open = metrics::text(&[("onsale", Some(&report)), ("presale", None)]);
    let plain = Form::Plain.of(open.clone());
    assert!(plain.contains("# TYPE baton_calls_total counter\n"), "{plain}");
    assert!(!plain.contains("# EOF") && !plain.contains("# UNIT"), "{plain}");
    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(values(&plain), values(&open));
    let mut promtool = match Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    {
        Ok(promtool) => promtool,
        Err(error) => return eprintln!("promtool is not here: {error}"),
    };
    let mut stdin = promtool.stdin.take().expect("a pipe");
    stdin.write_all(plain.as_bytes()).expect("written");
    drop(stdin);
    let said = promtool.wait_with_output().expect("an answer");
    let complaints = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{complaints}");
}
