//! The rules of a story: how its room and its lobby are set, as `key=value`.

use super::{Play, START, count, ms};
use baton::facts::hall::Draw;
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};

impl Play {
    /// Goes by one rule.
    pub(super) fn set(&mut self, rule: &str) {
        let (key, value) = rule.split_once('=').expect("key=value");
        let (room, lobby) = (&mut self.config, &mut self.lobby_config);
        match key {
            "permits" => room.permits = count(value),
            "walkin" => room.walk_in = value == "yes",
            "claim" => room.claim_within_ms = ms(value),
            "grace" => room.grace_ms = ms(value),
            "idle" => room.lease_idle_ms = ms(value),
            "max" => room.lease_max_ms = ms(value),
            "extend" => room.lease_extend_max_ms = ms(value),
            "linger" => lobby.linger_ms = ms(value),
            "spread" => lobby.spread_ms = ms(value),
            "porter" => lobby.porter = value == "yes",
            "tickets" => lobby.tickets_max = count(value),
            "per_ip" => lobby.limits.tickets_per_ip_max = count(value),
            "ghosts" => lobby.limits.walk_ins_per_ip_max = count(value),
            "share" => lobby.limits.walk_ins_per_ip_max_percent = count(value),
            "per_minute" => lobby.limits.joins_per_visitor_per_minute = count(value),
            "health" => room.origin_errors_max_percent = count(value),
            "seats" => room.stock_line = value == "yes",
            "rule" => room.lanes_rule = LanesRule::named(value).expect("a rule"),
            "lanes" => room.lanes = value.split(',').map(lane).collect(),
            "hall" => {
                room.draw = Draw::Shuffle;
                room.hall_ms = 1 << 40;
                let opens_at_ms = START.plus_ms(ms(value)).0;
                room.periods = vec![Period {
                    opens_at_ms,
                    closes_at_ms: u64::MAX,
                }];
            }
            _ => panic!("no rule {key}"),
        }
    }
}

/// A lane, as `vip`, `vip:3` with its share, or `vip@20` that opens so many seconds after the story begins; `vip@20!` gives numbers there
/// as people came.
fn lane(text: &str) -> Lane {
    let (text, in_order) = match text.strip_suffix('!') {
        Some(text) => (text, Some(Draw::Arrival)),
        None => (text, None),
    };
    let (text, opens) = text.split_once('@').unwrap_or((text, ""));
    let (name, share) = text.split_once(':').unwrap_or((text, "1"));
    let periods = (!opens.is_empty()).then(|| {
        vec![Period {
            opens_at_ms: START.plus_ms(ms(opens)).0,
            closes_at_ms: u64::MAX,
        }]
    });
    Lane {
        name: LaneName::parse(name).expect("a lane's name"),
        title: name.to_uppercase(),
        share: count(share),
        periods,
        hall_ms: None,
        draw: in_order,
    }
}
