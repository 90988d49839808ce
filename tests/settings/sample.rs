//! A room with one key set, and one with none.

use baton::facts::config::{Mode, RoomConfig};
use baton::facts::hall::Draw;
use baton::facts::lanes::LanesRule;
use baton::facts::notice::Notice;
use baton::settings::{Crawlers, EntryPolicy, Limits, PageSettings, PreflightPolicy, Problem, RoomSettings, Strict, parse_room};
use serde_json::{Value, json};

/// A room with one key set.
pub fn with(key: &str, value: Value) -> Result<RoomSettings, Vec<Problem>> {
    let mut room = json!({ "paths": ["/buy/*"], "permits": 200 });
    room[key] = value;
    parse_room("onsale", &room)
}

/// Long because it names each default.
pub fn defaults() -> RoomSettings {
    RoomSettings {
        name: "onsale".to_owned(),
        bound_as: "onsale".to_owned(),
        defined: None,
        over: Vec::new(),
        is_over: false,
        paths: vec!["/buy/*".to_owned()],
        hosts: vec![],
        cookie_domain: None,
        bypass_paths: vec![],
        bypass_addresses: vec![],
        app_origins: vec![],
        widget_origins: vec![],
        core: RoomConfig {
            permits: 200,
            mode: Mode::Open,
            walk_in: true,
            tick_ms: 1_000,
            claim_within_ms: 30_000,
            grace_ms: 3_600_000,
            lease_idle_ms: 300_000,
            lease_max_ms: 1_800_000,
            lease_extend_max_ms: 1_800_000,
            admissions_milli_per_s: 0,
            origin_errors_max_percent: 0,
            origin_errors_window_ms: 30_000,
            stock_line: false,
            message: Notice::default(),
            periods: vec![],
            hall_ms: 3_600_000,
            draw: Draw::Shuffle,
            schedule: vec![],
            lanes: vec![],
            lanes_rule: LanesRule::Strict,
            line_max: 0,
        },
        crowd: 10_000,
        linger_ms: 10_000,
        carry_within_ms: 300_000,
        near_ahead: 100,
        pass_ttl_ms: 60_000,
        strict: Strict::Off,
        limits: Limits {
            tickets_per_ip_max: 10,
            walk_ins_per_ip_max: 20,
            walk_ins_per_ip_max_percent: 5,
            joins_per_ip_per_minute: 6,
            joins_per_visitor_per_minute: 30,
            ipv4_share: 20,
        },
        turnstile: false,
        entry: EntryPolicy::Off,
        entry_spares_turnstile: false,
        staff_epoch: 1,
        fail_open: None,
        waiting_status: 200,
        crawlers: Crawlers::Wait,
        preflights: PreflightPolicy::Shop,
        home: baton::settings::Home {
            location: "auto".to_owned(),
            generation: 1,
            jurisdiction: None,
        },
        journal_keep_days: 30,
        page_start: String::new(),
        page: PageSettings::default(),
    }
}
