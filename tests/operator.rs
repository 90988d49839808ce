//! What the operator is told and by whom: the report, the metrics, the token.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod wishes;

use baton::control::metrics;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Change, Event};
use baton::facts::live::Ramped;
use baton::facts::reply::{Reply, Standing};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::live;
use baton::token::{Need, Operator, Operators, RESERVED_NAMES, Role, TOKEN_CHARS_MIN};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
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
    let batch = |room: &mut Room, command: Command, attempts| {
        let mut row = room.open_row(now);
        let commands = [command];
        room.take(now, LobbyId(0), &commands, attempts, &mut row);
        room.case(now).answers(LobbyId(0), &commands)
    };
    let walk_in = wishes::walk_in(&room);
    let walked = batch(&mut room, walk_in, 1);
    let [Reply::Stands(_, Standing::Admitted { .. })] = walked[..] else {
        panic!("{walked:?}");
    };
    let join = wishes::join(&room, 3);
    let joined = batch(&mut room, join, 4);
    assert_eq!(joined, [Reply::Joined(vec![])]);
    let away = wishes::away(&room, &[Number(4)]);
    batch(&mut room, away, 0);
    let mut row = room.open_row(now);
    room.take_turn(now, &mut row);
    room
}

/// Two inside from 1 s on; number 3 joins then, is handed the permit of the first at 61 s and comes half a second later.
fn a_sale() -> Room {
    let mut room = Room::new();
    let config = RoomConfig {
        permits: 2,
        ..RoomConfig::default()
    };
    let turn = |room: &mut Room, at: u64, command: &dyn Fn(&Room) -> Command| {
        let now = Instant(at);
        let command = command(room);
        let mut row = room.open_row(now);
        room.configure(&config, &mut row);
        room.perform(now, &command, LobbyId(0), &mut row)
    };
    turn(&mut room, 1_000, &wishes::walk_in);
    turn(&mut room, 1_000, &wishes::walk_in);
    turn(&mut room, 1_000, &|_| Command::Renew(Fence(1)));
    turn(&mut room, 1_000, &|_| Command::Renew(Fence(2)));
    turn(&mut room, 1_000, &|room| wishes::join(room, 1));
    turn(&mut room, 61_000, &|_| Command::Release(Fence(1)));
    turn(&mut room, 61_500, &|room| wishes::claim(room, Number(3)));
    room
}

/// A room of two lanes.
fn with_lanes() -> Room {
    let config = RoomConfig {
        lanes: vec![wishes::lane("members", 1), wishes::lane("everybody", 1)],
        ..RoomConfig::default()
    };
    let mut room = Room::new();
    let mut row = room.open_row(Instant(1_000));
    room.configure(&config, &mut row);
    room
}

#[test]
fn a_lease_ends_by_its_fence_once_and_no_call_and_no_other_does() {
    let mut room = busy_room();
    let end = |room: &mut Room, at: u64, fence: u64| {
        let now = Instant(at);
        let mut row = room.open_row(now);
        let ended = room.end_lease(now, Fence(fence), "hooks", &mut row);
        let is_named = row
            .events
            .iter()
            .any(|event| matches!(event, Event::Dismissed { number: Number(1), by } if by == "hooks"));
        (ended, is_named)
    };
    // Fence 1 is inside, fence 2 is called for, and there is no third.
    assert_eq!(end(&mut room, 1_000, 2), (Some(false), false), "only called");
    assert_eq!(end(&mut room, 1_000, 3), (None, false), "never given");
    assert_eq!(end(&mut room, 1_000, 0), (None, false));
    assert_eq!(end(&mut room, 1_000, 1), (Some(true), true));
    let report = room.report(Instant(1_000));
    assert_eq!((report.inside, report.permits), (0, 2));
    assert_eq!(end(&mut room, 1_000, 1), (Some(false), false), "it has ended");
    assert!(end(&mut room, 1_000, u64::MAX).0.is_none());
}

#[test]
fn a_report_says_where_everybody_is() {
    let report = busy_room().report(Instant(1_000));
    assert_eq!((report.permits, report.inside, report.called), (2, 1, 1));
    assert_eq!((report.waiting, report.present, report.away), (3, 1, 1));
    assert_eq!((report.hand, report.tray, report.debt), (0, 0, 0));
    assert_eq!((report.next_number, report.lobbies), (5, 1));
    let totals = report.totals;
    assert_eq!((totals.attempts, totals.joined, totals.walked_in), (5, 3, 1));
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
    let report = busy_room().report(Instant(1_000));
    let text = metrics::text(&[("onsale", Some(&report)), ("presale", None)]);
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert_eq!(samples(&text, "baton_up"), ["{room=\"onsale\"} 1", "{room=\"presale\"} 0"]);
    assert_eq!(samples(&text, "baton_join_attempts_total"), ["{room=\"onsale\"} 5"]);
    assert_eq!(
        samples(&text, "baton_origin_health"),
        [
            "{room=\"onsale\",state=\"failing\"} 0",
            "{room=\"onsale\",state=\"recovering\"} 0",
            "{room=\"onsale\",state=\"well\"} 1",
        ]
    );
    assert_eq!(
        samples(&text, "baton_waiting"),
        [
            "{room=\"onsale\",state=\"away\"} 1",
            "{room=\"onsale\",state=\"called\"} 1",
            "{room=\"onsale\",state=\"present\"} 1",
        ]
    );
}

/// One family of a text: its name, kind, unit and lines of (name after the family's, labels, value).
#[derive(Debug, Default)]
struct Family<'t> {
    kind: &'t str,
    unit: Option<&'t str>,
    lines: Vec<(&'t str, BTreeMap<&'t str, &'t str>, f64)>,
}

/// Reads OpenMetrics text as its specification has it, as far as our text goes: families in one piece with `HELP` and `TYPE`
/// before their samples, no sample twice, suffixes that fit the kind, a unit that ends the name, `# EOF` at the end.
fn parse(text: &str) -> BTreeMap<&str, Family<'_>> {
    let body = text.strip_suffix("# EOF\n").expect("ends with EOF");
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    let mut current = "";
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let (what, rest) = rest.split_once(' ').expect("a keyword");
            let (name, said) = rest.split_once(' ').expect("a name");
            if what == "HELP" {
                assert!(!families.contains_key(name), "{name} comes in two pieces");
                assert!(said.ends_with('.') && said.len() > 8, "{line}");
                families.insert(name, Family::default());
                current = name;
            }
            assert_eq!(name, current, "{line}");
            let family = families.get_mut(name).expect("HELP comes first");
            assert!(family.lines.is_empty(), "{line} comes after samples");
            match what {
                "HELP" => {}
                "TYPE" => family.kind = said,
                "UNIT" => {
                    assert!(name.ends_with(&format!("_{said}")), "{line}");
                    family.unit = Some(said);
                }
                other => panic!("{other}: {line}"),
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let (name, labels) = series.split_once('{').expect("labels");
        let labels = labels.strip_suffix('}').expect("labels end");
        let label = |pair: &'_ str| {
            let (name, value) = pair.split_once('=').expect("a label");
            let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
            (name.len(), value.expect("quoted").len())
        };
        let parsed = labels.split(',').map(|pair| {
            let (name, value) = label(pair);
            (&pair[..name], &pair[name + 2..name + 2 + value])
        });
        let suffix = name.strip_prefix(current).expect("in its family");
        let family = families.get_mut(current).expect("HELP comes first");
        let allowed: &[&str] = match family.kind {
            "gauge" => &[""],
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_count", "_sum"],
            kind => panic!("{kind}: {line}"),
        };
        assert!(allowed.contains(&suffix), "{line}");
        let sample = (suffix, parsed.collect(), value.parse().expect("a number"));
        let same = |(s, l, _): &&(&str, BTreeMap<&str, &str>, f64)| (s, l) == (&sample.0, &sample.1);
        assert!(!family.lines.iter().any(|line| same(&line)), "twice: {line}");
        family.lines.push(sample);
    }
    families
}

#[test]
fn the_text_keeps_every_rule_of_its_format() {
    let report = a_sale().report(Instant(121_000));
    let lanes = with_lanes().report(Instant(121_000));
    let text = metrics::text(&[("onsale", Some(&report)), ("presale", Some(&lanes))]);
    let families = parse(&text);
    for (name, family) in &families {
        assert!(!family.lines.is_empty(), "{name} has no values");
        if family.kind != "histogram" {
            continue;
        }
        assert_eq!(family.unit, Some("seconds"), "{name}");
        // By room and whatever else but the bucket.
        let mut series: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (suffix, labels, value) in &family.lines {
            let mut labels = labels.clone();
            let end = labels.remove("le");
            series.entry(labels).or_default().push((*suffix, end, *value));
        }
        for (labels, lines) in series {
            let of = |wanted| lines.iter().filter(move |(suffix, ..)| *suffix == wanted);
            let buckets: Vec<(f64, f64)> = of("_bucket")
                .map(|(_, end, count)| (end.expect("le").parse().expect("a number"), *count))
                .collect();
            assert!(
                buckets.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1),
                "{name} {labels:?}: {buckets:?}"
            );
            let (end, most) = buckets.last().expect("buckets");
            assert_eq!(*end, f64::INFINITY, "{name}");
            assert_eq!(of("_count").map(|(.., count)| *count).collect::<Vec<_>>(), [*most]);
            assert_eq!(of("_sum").count(), 1);
        }
    }
}

#[test]
fn histograms_are_written_in_seconds() {
    let report = a_sale().report(Instant(121_000));
    let text = metrics::text(&[("onsale", Some(&report))]);
    let families = parse(&text);
    let value = |family: &str, suffix: &str, le: Option<&str>, how: Option<&str>| {
        let found = families[family]
            .lines
            .iter()
            .find(|(name, labels, _)| *name == suffix && labels.get("le").copied() == le && labels.get("how").copied() == how);
        found.map(|(.., value)| *value)
    };
    // Number 3 was called at 60 s and came after 500 ms; the permit had been inside for a minute.
    assert_eq!(value("baton_wait_seconds", "_sum", None, None), Some(60.0));
    assert_eq!(value("baton_wait_seconds", "_bucket", Some("32.0"), None), Some(0.0));
    assert_eq!(value("baton_wait_seconds", "_bucket", Some("64.0"), None), Some(1.0));
    assert_eq!(value("baton_claim_delay_seconds", "_bucket", Some("0.5"), None), Some(1.0));
    assert_eq!(value("baton_claim_delay_seconds", "_bucket", Some("0.25"), None), Some(0.0));
    assert_eq!(value("baton_hold_seconds", "_sum", None, Some("released")), Some(60.0));
    assert_eq!(value("baton_hold_seconds", "_count", None, Some("expired")), Some(0.0));
    assert_eq!(value("baton_handover_seconds", "_sum", None, None), Some(0.5));
    assert_eq!(value("baton_dead_permit_seconds", "_total", None, None), Some(0.5));
    assert_eq!(value("baton_used_permit_seconds", "_total", None, None), Some(60.0 + 120.0 + 59.5));
}

#[test]
fn c37_only_the_whole_token_opens() {
    let operators = Operators::new(Some("correct horse battery staple"), &[]);
    assert!(!operators.is_empty());
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
    Operator::named(name.to_owned(), role).by_token(Sha256::digest(token).into())
}

#[test]
fn each_operator_is_known_by_the_own_token_alone() {
    let (view, operate) = ("v".repeat(32), "o".repeat(40));
    let known = [named("mika", Role::View, &view), named("noor", Role::Operate, &operate)];
    let operators = Operators::new(Some("the secret"), &known);
    let who = |token: &str| operators.of_token(token).map(|operator| (operator.name.as_str(), operator.role));
    assert_eq!(who(&view), Some(("mika", Role::View)));
    assert_eq!(who(&operate), Some(("noor", Role::Operate)));
    assert_eq!(who("the secret"), Some(("operator", Role::Own)));
    assert_eq!(who("V"), None);
    let reach = |role: Role| Role::ALL.map(|needed| role.reaches(needed));
    assert_eq!(reach(Role::View), [true, false, false, false]);
    assert_eq!(reach(Role::Operate), [true, true, false, true]);
    assert_eq!(reach(Role::Own), [true; 4]);
    assert_eq!(reach(Role::Release), [false, false, false, true], "a machine reads nothing");
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

#[test]
fn who_has_a_list_of_rooms_may_there_and_nowhere_else() {
    let rooms = vec!["onsale".to_owned(), "spring".to_owned()];
    for role in Role::ALL {
        let bound = named("mika", role, &"m".repeat(32)).within(rooms.clone());
        let free = named("noor", role, &"n".repeat(32));
        for needed in Role::ALL {
            let may = role.reaches(needed);
            let cases = [
                (Need::in_room(needed, "onsale"), may),
                (Need::in_room(needed, "spring"), may),
                (Need::in_room(needed, "other"), false),
                (Need::in_own_rooms(needed), may),
                (Need::everywhere(needed), false),
            ];
            for (need, expected) in cases {
                assert_eq!(bound.may(need).is_ok(), expected, "{role:?} {need:?}");
                assert_eq!(free.may(need).is_ok(), may, "{role:?} {need:?}");
            }
        }
        assert!(!bound.owns(), "who is bound gives nobody anything");
        assert_eq!(bound.sees("onsale"), role != Role::Release);
        assert!(!bound.sees("other"));
        assert_eq!(free.owns(), role == Role::Own);
    }
    let bound = named("mika", Role::View, &"m".repeat(32)).within(rooms);
    let why = |need| bound.may(need).expect_err("denied").to_string();
    assert_eq!(
        why(Need::in_room(Role::View, "other")),
        "You may act in onsale, spring; this is about the room other."
    );
    assert_eq!(why(Need::in_room(Role::Own, "onsale")), "Your role is view; this needs the role own.");
}

#[test]
fn an_operator_ends_and_is_known_by_an_address_in_any_case() {
    let contractor = named("aiko", Role::Operate, &"a".repeat(32)).until(1_000);
    assert!(!contractor.is_over(999) && contractor.is_over(1_000));
    assert!(!named("noor", Role::Own, &"n".repeat(32)).is_over(u64::MAX));
    let mika = Operator::named("mika".to_owned(), Role::View).by_email("Mika@Example.com");
    let operators = Operators::new(None, &[mika.clone(), contractor]);
    let who = |email: &str| operators.of_email(email).map(|found| found.name.as_str());
    assert_eq!(who("mika@example.COM"), Some("mika"));
    assert_eq!(who("mika@example.co"), None);
    assert_eq!(who(""), None);
    assert!(operators.of_token("").is_none() && !mika.has_token());
    assert!(named("noor", Role::Own, &"n".repeat(32)).has_token());
    let other = Operator::named("mika".to_owned(), Role::View).by_email("mika@example.org");
    assert_ne!(mika.fingerprint(), other.fingerprint(), "a cookie ends with the address");
    assert!(!format!("{mika:?}").contains("xample"));
}

#[test]
fn nobody_is_called_as_the_journal_calls_itself() {
    for name in RESERVED_NAMES {
        assert!(!baton::settings::is_operator_name(name), "{name}");
        let upper = name.to_ascii_uppercase();
        assert!(!baton::settings::is_operator_name(&upper), "{upper}");
    }
    for name in ["0perator", "Operat0r", "hOuse"] {
        assert!(!baton::settings::is_operator_name(name), "{name}");
    }
    for name in ["оperator", "ｏperator", "opérator"] {
        assert!(!baton::settings::is_operator_name(name), "{name}, beyond ASCII");
    }
    for fact in [baton::facts::schedule::BY_SCHEDULE, baton::token::SECRET_HOLDER] {
        assert!(RESERVED_NAMES.contains(&fact), "{fact}");
    }
}

/// Whoever edits what another has changed meanwhile is told, also after a reset; and what was there before is known.
#[test]
fn each_change_of_live_values_is_another_revision() {
    let mut room = busy_room();
    let three = Change::Permits(Some(Ramped::At(3)));
    let sets = |room: &mut Room, values: &[Change]| {
        let mut row = room.open_row(Instant(2_000));
        room.commit([live::adjusted("desk", values.to_vec())], &mut row);
        room.live().clone()
    };
    assert_eq!(sets(&mut room, std::slice::from_ref(&three)).revision, 1);
    let live = sets(&mut room, &[Change::Permits(None), Change::TickMs(Some(500))]);
    assert_eq!((live.revision, live.values.len()), (2, 1));
    assert_eq!(live.before, [three, Change::TickMs(None)], "3, the file's");
    let mut row = room.open_row(Instant(2_000));
    room.reset("desk", &mut row);
    assert_eq!(room.live().revision, 3);
}
