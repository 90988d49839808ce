//! The room in which one rehearses: the settings of the room, but for what would keep a crowd out, or let somebody in by accident.

use baton::facts::config::{Mode, RoomConfig};
use baton::settings::{EntryPolicy, KEYS, Limits, RoomSettings, name_in_file, parse_live, parse_room, rehearsal_of, table_of_rehearsal};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Everything set that a rehearsal has otherwise, and something that it keeps.
fn table() -> Value {
    json!({
        "paths": ["/buy/*"], "bypass_paths": ["/buy/terms"], "permits": 200, "crowd": 40_000, "strict": "unsafe", "pass_ttl_s": 30,
        "mode": "open", "opens_at": "2030-01-01T10:00:00+09:00", "closes_at": "2030-01-01T12:00:00+09:00", "hall_s": 600, "message": "Soon",
        "tickets_per_ip_max": 2, "walk_ins_per_ip_max": 2, "walk_ins_per_ip_max_percent": 2,
        "joins_per_ip_per_minute": 2, "joins_per_visitor_per_minute": 2,
        "turnstile": true, "fail": "open", "stock_line": true, "carry_within_s": 60,
        "entry": "required", "entry_spares_turnstile": true,
    })
}

fn rehearsal(table: &Value) -> RoomSettings {
    parse_room("onsale", &table_of_rehearsal(table)).expect("a good room")
}

#[test]
fn it_is_closed_and_without_limits_questions_and_dates_and_otherwise_the_room() {
    let (room, stage) = (parse_room("onsale", &table()).expect("good"), rehearsal(&table()));
    assert_eq!(stage.core.mode, Mode::Closed, "until an operator begins one");
    assert_eq!(stage.core.periods, vec![]);
    assert_eq!((stage.entry, stage.entry_spares_turnstile), (EntryPolicy::Off, false));
    assert!(!stage.turnstile && stage.fail_open.is_none() && !stage.core.stock_line);
    assert_eq!((stage.carry_within_ms, stage.core.message.any.as_str()), (0, ""));
    let ipv4_share = room.limits.ipv4_share;
    let none = Limits {
        ipv4_share,
        ..Limits::default()
    };
    assert_eq!(stage.limits, none);
    let core = RoomConfig {
        mode: room.core.mode,
        periods: room.core.periods.clone(),
        stock_line: room.core.stock_line,
        message: room.core.message.clone(),
        ..stage.core.clone()
    };
    let same = RoomSettings {
        core,
        turnstile: room.turnstile,
        entry: room.entry,
        entry_spares_turnstile: room.entry_spares_turnstile,
        fail_open: room.fail_open,
        carry_within_ms: room.carry_within_ms,
        limits: room.limits,
        ..stage
    };
    assert_eq!(same, room, "everything else is the room's");
}

#[test]
fn it_can_be_read_whatever_else_a_room_has_and_takes_its_live_values() {
    let least = json!({ "paths": ["/buy/*"], "permits": 1 });
    assert_eq!(rehearsal(&least).core.mode, Mode::Closed);
    for key in KEYS {
        let Some(default) = key.default else { continue };
        let mut table = table();
        table[key.name] = serde_json::from_str(default).expect("JSON");
        rehearsal(&table);
    }
    let live = json!({ "mode": "open", "permits": 7, "claim_within_s": 9 });
    let begun = parse_live("onsale", &table_of_rehearsal(&table()), &live).expect("good");
    assert_eq!((begun.core.mode, begun.core.permits), (Mode::Open, 7));
}

#[test]
fn no_room_of_the_file_has_its_name() {
    let name = rehearsal_of("onsale");
    assert_eq!((name_in_file(&name), name_in_file("onsale")), ("onsale", "onsale"));
    assert!(parse_room(&name, &table()).is_err());
    let stage = RoomSettings { name, ..rehearsal(&table()) };
    assert!(stage.is_rehearsal() && !rehearsal(&table()).is_rehearsal());
    assert_eq!(stage.name_in_file(), "onsale");
}
