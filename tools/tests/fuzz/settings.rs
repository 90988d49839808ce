//! The target for the configuration: one that parses is within every limit and makes a gate, and any other is refused with a reason.

use super::Read;
use baton::facts::limits::{LOBBIES_MAX, PERMITS_MAX};
use baton::gate::Gate;
use baton::settings::{CROWD_MAX, PATTERNS_MAX, Problem, ROOMS_MAX, RoomSettings, check_secrets, is_room_name, parse, parse_live, parse_room};
use serde_json::Value;

const WEEK_MS: u64 = 7 * 24 * 3_600_000;
const HOUR_MS: u64 = 3_600_000;

fn refused(problems: &[Problem]) -> Read {
    assert!(!problems.is_empty(), "refused without a word");
    for problem in problems {
        assert!(!problem.to_string().trim().is_empty());
    }
    Read::No
}

fn within(room: &RoomSettings) {
    let limits = [
        ("permits", u64::from(room.core.permits), 0, u64::from(PERMITS_MAX)),
        ("crowd", u64::from(room.crowd), 1, CROWD_MAX),
        ("lobbies", u64::from(room.lobbies()), 1, u64::from(LOBBIES_MAX)),
        ("tick_ms", room.core.tick_ms, 20, 60_000),
        ("claim", room.core.claim_within_ms, 1_000, HOUR_MS),
        ("linger", room.linger_ms, 1_000, HOUR_MS),
        ("grace", room.core.grace_ms, 0, WEEK_MS),
        ("idle", room.core.lease_idle_ms, 1_000, WEEK_MS),
        ("max", room.core.lease_max_ms, 1_000, WEEK_MS),
        ("extend", room.core.lease_extend_max_ms, 0, WEEK_MS),
        ("ttl", room.pass_ttl_ms, 1_000, HOUR_MS),
        ("rate", room.core.admissions_milli_per_s, 0, 100_000_000),
        ("status", u64::from(room.waiting_status), 200, 503),
        ("days", u64::from(room.journal_keep_days), 1, 3_650),
    ];
    for (name, value, min, max) in limits {
        assert!((min..=max).contains(&value), "{name} is {value}");
    }
    assert!(is_room_name(&room.name), "{:?}", room.name);
    for list in [&room.paths, &room.hosts, &room.bypass_paths] {
        assert!(list.len() <= PATTERNS_MAX, "{} patterns", list.len());
    }
    assert!(!room.paths.is_empty(), "a room of no path");
}

/// Reads `{"ORIGIN", "ROOMS"}`, or `{"file", "live"}`: a room's table and an operator's change of it.
pub fn settings(bytes: &[u8]) -> Read {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return Read::No;
    };
    if let Some(map) = value.as_object() {
        for problem in check_secrets(map) {
            assert!(!problem.to_string().is_empty());
        }
    }
    if let (Some(file), Some(live)) = (value.get("file"), value.get("live")) {
        return change(file, live);
    }
    match parse(&value) {
        Ok(settings) => {
            assert!(settings.rooms.len() <= ROOMS_MAX);
            settings.rooms.iter().for_each(within);
            let sorted = settings.rooms.is_sorted_by(|a, b| a.name < b.name);
            assert!(sorted, "rooms out of order");
            let gate = Gate::new(&settings).expect("what parses makes a gate");
            for room in &settings.rooms {
                assert_eq!(settings.room(&room.name), Some(room));
                assert!(gate.room(&room.name).is_some());
            }
            Read::Yes
        }
        Err(problems) => refused(&problems),
    }
}

fn change(file: &Value, live: &Value) -> Read {
    let before = parse_room("onsale", file);
    match parse_live("onsale", file, live) {
        Ok(room) => {
            within(&room);
            // Whatever only a deploy can change stays as it is in the file.
            if let Ok(before) = before {
                let deploy = |r: &RoomSettings| {
                    let lists = [r.paths.clone(), r.hosts.clone(), r.bypass_paths.clone()];
                    (lists, r.crowd, r.pass_ttl_ms, r.strict, r.home.clone())
                };
                assert_eq!(deploy(&room), deploy(&before));
            }
            Read::Yes
        }
        Err(problems) => refused(&problems),
    }
}
