//! What the operator is told and by whom: the report, the metrics, the token.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use baton::metrics;
use baton::room::Room;
use baton::room::command::{Batch, Command, Reply, Standing};
use baton::room::config::RoomConfig;
use baton::token::{Operator, Operators, Role, TOKEN_CHARS_MIN};
use baton::units::{Instant, LobbyId, Version};
use sha2::{Digest, Sha256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// One inside, one called, two wait of whom one is away; five attempts made four tickets.
fn busy_room() -> Room {
    let mut room = Room::new();
    let now = Instant(1_000);
    let mut row = room.open_row(now);
    let config = RoomConfig {
        permits: 2,
        ..RoomConfig::default()
    };
    room.configure(&config, &mut row);
    let mut sequence = 0;
    let mut batch = |room: &mut Room, commands: Vec<Command>, attempts| {
        sequence += 1;
        let batch = Batch {
            lobby: LobbyId(0),
            epoch: 1,
            sequence,
            attempts,
            acknowledged: Version(0),
            roster: vec![],
            commands,
        };
        let mut row = room.open_row(now);
        room.receive(now, &batch, &mut row).expect("taken")
    };
    let message = batch(&mut room, vec![Command::WalkIn], 1);
    let Some(Reply::Stands(Standing::Admitted { .. })) = message.replies.first() else {
        panic!("{message:?}");
    };
    let joined = batch(&mut room, vec![Command::Join { count: 3 }], 4);
    let Some(Reply::Joined { first, .. }) = joined.replies.first() else {
        panic!("{joined:?}");
    };
    batch(&mut room, vec![Command::Away(vec![first.plus(2)])], 0);
    let mut row = room.open_row(now);
    room.take_turn(now, &mut row);
    room
}

#[test]
fn a_report_says_where_everybody_is() {
    let report = busy_room().report(Instant(0));
    assert_eq!((report.permits, report.inside, report.called), (2, 1, 1));
    assert_eq!((report.waiting, report.present, report.away), (3, 1, 1));
    assert_eq!((report.hand, report.tray, report.debt), (0, 0, 0));
    assert_eq!((report.next_number, report.lobbies), (5, 1));
    let totals = report.totals;
    assert_eq!(
        (totals.attempts, totals.joined, totals.walked_in),
        (5, 3, 1)
    );
    let json = serde_json::to_value(report).unwrap();
    assert_eq!(json["totals"]["attempts"], 5);
    assert_eq!(json["mode"], "open");
}

/// Values of one metric, as `labels value`, sorted: they are written in no order.
fn samples<'t>(text: &'t str, metric: &str) -> Vec<&'t str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let values = lines.filter_map(|line| line.strip_prefix(metric));
    let mut values: Vec<_> = values.filter(|rest| rest.starts_with('{')).collect();
    values.sort_unstable();
    values
}

#[test]
fn metrics_are_open_metrics_text_with_every_figure_under_its_room() {
    let report = busy_room().report(Instant(0));
    let text = metrics::text(&[("onsale", Some(&report)), ("presale", None)]);
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert_eq!(
        samples(&text, "baton_up"),
        ["{room=\"onsale\"} 1", "{room=\"presale\"} 0"]
    );
    assert_eq!(
        samples(&text, "baton_join_attempts_total"),
        ["{room=\"onsale\"} 5"]
    );
    assert_eq!(
        samples(&text, "baton_waiting"),
        [
            "{room=\"onsale\",state=\"away\"} 1",
            "{room=\"onsale\",state=\"called\"} 1",
            "{room=\"onsale\",state=\"present\"} 1",
        ]
    );
    // Nothing is counted that has no explanation.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        let family = name.strip_suffix("_total").unwrap_or(name);
        assert!(text.contains(&format!("# HELP {family} ")), "{line}");
    }
}

#[test]
fn c37_only_the_whole_token_opens() {
    let operators = Operators::new(Some("correct horse battery staple"), &[]);
    let opens = |header: &str| operators.shown_in(header).is_some();
    assert!(opens("Bearer correct horse battery staple"));
    assert!(opens("bearer  correct horse battery staple "));
    for wrong in [
        "",
        "Bearer",
        "Bearer ",
        "Basic correct horse battery staple",
        "correct horse battery staple",
        "Bearer correct horse battery stapl",
        "Bearer correct horse battery staple2",
        "Bearer Correct horse battery staple",
    ] {
        assert!(!opens(wrong), "{wrong:?}");
    }
    for none in [None, Some("")] {
        let operators = Operators::new(none, &[]);
        assert!(operators.is_empty() && operators.of_token("").is_none());
    }
}

fn named(name: &str, role: Role, token: &str) -> Operator {
    Operator::of_digest(name.to_owned(), role, Sha256::digest(token).into())
}

#[test]
fn each_operator_is_known_by_the_own_token_alone() {
    let (view, operate) = ("v".repeat(32), "o".repeat(40));
    let known = [
        named("mika", Role::View, &view),
        named("noor", Role::Operate, &operate),
    ];
    let operators = Operators::new(Some("the secret"), &known);
    let who = |token: &str| {
        operators
            .of_token(token)
            .map(|operator| (operator.name.as_str(), operator.role))
    };
    assert_eq!(who(&view), Some(("mika", Role::View)));
    assert_eq!(who(&operate), Some(("noor", Role::Operate)));
    assert_eq!(who("the secret"), Some(("operator", Role::Operate)));
    assert_eq!(who("V"), None);
    assert!(Role::View < Role::Operate);
    let mut prints: Vec<_> = operators.iter().map(Operator::fingerprint).collect();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), 3, "no cookie of one is another's");
    assert!(!format!("{operators:?}").contains(&operators.iter().next().unwrap().fingerprint()));
}

/// What is short could be guessed from its hash.
#[test]
fn a_hash_of_something_short_opens_nothing() {
    for (chars, opens) in [(TOKEN_CHARS_MIN, true), (TOKEN_CHARS_MIN - 1, false)] {
        let token = "x".repeat(chars);
        let operators = Operators::new(None, &[named("mika", Role::View, &token)]);
        assert_eq!(operators.of_token(&token).is_some(), opens, "{chars}");
    }
}
