//! Decides who has which lane, by `vip` or by the room's `lanes`, and what the room is told of it. Only the planner reads a lane's `people`; the
//! settings' own reader reads the rest of a lane.

use super::keys::LANES;
use super::said::{Value, Wrong, json_of};
use super::taken::Taken;
use baton::settings::Problem;
use serde_json::{Map, Value as Json, json};
use toml::de::DeTable;

/// The key of a lane that only the planner reads.
const PEOPLE: &str = "people";
/// How close the sum of all shares must be to 1.
const NEAR: f64 = 1e-6;
/// A date that lets a lane have a hall of its own, as in a room with hours; the plan's opening takes its place.
const SOME_DATE: &str = "2100-01-01T00:00:00Z";

/// The people of one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The lane's name.
    pub name: String,
    /// Their share of all.
    pub people: f64,
}

/// Who has which lane, and the room's settings for it.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    pub groups: Vec<Group>,
    pub settings: Map<String, Json>,
}

impl Taken<'_> {
    /// Reads the lanes from `vip`, else from the room's `lanes`. `vip = 0` takes the lanes away, so that two plans can be compared.
    pub(super) fn lanes(&mut self) -> Lanes {
        let vip = self.said.event.get("vip").cloned();
        let calls = self.said.event.get("vip_share").cloned();
        let list = self.said.room.get(LANES).cloned();
        let people = self.number("vip");
        if let (None, Some(calls)) = (&vip, &calls) {
            let cure = "say which share of the people does, --vip 0.15, or leave it out";
            self.wrong("vip_share", calls, "nobody has the VIP lane", cure);
        }
        match (vip, list) {
            (Some(vip), Some(_)) if people > 0.0 => {
                let cure = "leave one of the two out; vip = 0 takes the lanes away";
                self.wrong("vip", &vip, "lanes says already who has which lane", cure);
                Lanes::default()
            }
            (Some(_), _) if people > 0.0 => self.vip_lane(people, calls.is_some()),
            (None, Some(list)) => self.listed(&list),
            _ => Lanes::default(),
        }
    }

    fn vip_lane(&mut self, people: f64, by_shares: bool) -> Lanes {
        if let Some(value) = self.said.room.get("lanes_rule").cloned() {
            let cure = "leave it out: --vip-share 3 is shares, and without it VIPs are called first";
            self.wrong("lanes_rule", &value, "vip says the rule", cure);
        }
        let calls = if by_shares { self.whole("vip_share") } else { 1 };
        let lanes = json!([{ "name": "vip", "share": calls }, { "name": "everybody" }]);
        let rule = if by_shares { "shares" } else { "strict" };
        let mut settings = Map::new();
        settings.insert(LANES.to_owned(), lanes);
        settings.insert("lanes_rule".to_owned(), json!(rule));
        let group = |name: &str, people| Group {
            name: name.to_owned(),
            people,
        };
        Lanes {
            groups: vec![group("vip", people), group("everybody", 1.0 - people)],
            settings,
        }
    }

    /// Reads the lanes from the room's own list, each with its `people`.
    fn listed(&mut self, value: &Value) -> Lanes {
        let Some(mut list) = list(&value.text) else {
            let cure = "write [{ name = \"vip\", people = 0.15 }, { name = \"everybody\" }]";
            self.wrong_lanes(value, "is no list of lanes", cure);
            return Lanes::default();
        };
        let (last, mut left) = (list.len().saturating_sub(1), 1.0);
        let mut groups = Vec::with_capacity(list.len());
        for (at, lane) in list.iter_mut().enumerate() {
            let name = lane.get("name").and_then(Json::as_str).unwrap_or("?");
            let name = name.to_owned();
            let lane = lane.as_object_mut();
            let said = lane.and_then(|lane| {
                self.dateless(value, &name, lane);
                lane.remove(PEOPLE)
            });
            let people = self.share_of(value, &name, said.as_ref(), (at == last).then_some(left));
            left -= people;
            groups.push(Group { name, people });
        }
        if left < -NEAR {
            let what = format!("the lanes' people make {}", rounded(1.0 - left));
            let cure = "shares of all people make 1; the last lane may leave its own out";
            self.wrong_lanes(value, &what, cure);
        }
        let mut settings = Map::new();
        settings.insert(LANES.to_owned(), Json::Array(list));
        settings.insert("opens_at".to_owned(), json!(SOME_DATE));
        Lanes { groups, settings }
    }

    /// Returns the share of the people who have a lane. The last lane has what is `left`, and need not say it.
    fn share_of(&mut self, value: &Value, lane: &str, said: Option<&Json>, left: Option<f64>) -> f64 {
        let share = said.and_then(Json::as_f64);
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        match (said, share, left) {
            (None, _, Some(left)) => return left.max(0.0),
            (None, ..) => {
                let what = format!("{lane}: nobody is said to have it");
                let cure = format!("say which share of the people does: {{ name = \"{lane}\", people = 0.15 }}");
                self.wrong_lanes(value, &what, &cure);
            }
            (Some(said), None, _) => {
                let what = format!("{lane}: people = {said} is no share");
                let cure = "a share of all, from 0 to 1: 0.15 is fifteen of a hundred";
                self.wrong_lanes(value, &what, cure);
            }
            (Some(_), Some(share), Some(left)) if left - share > NEAR => {
                let what = format!("the lanes' people make {}", rounded(1.0 - left + share));
                let cure = "shares of all people make 1; the last lane may leave its own out";
                self.wrong_lanes(value, &what, cure);
            }
            _ => {}
        }
        share.unwrap_or(0.0)
    }

    fn dateless(&mut self, value: &Value, lane: &str, keys: &Map<String, Json>) {
        for key in ["opens_at", "closes_at"] {
            if keys.contains_key(key) {
                let what = format!("{lane}: {key} is a date");
                let cure = "leave it out: all lanes of a plan open together";
                self.wrong_lanes(value, &what, cure);
            }
        }
    }

    fn wrong_lanes(&mut self, value: &Value, what: &str, cure: &str) {
        self.wrong(LANES, &unread(value), what, cure);
    }
}

/// Leaves the text of the list out of messages, because it is long.
fn unread(value: &Value) -> Value {
    Value {
        text: "…".to_owned(),
        place: value.place.clone(),
    }
}

/// Returns what the settings' reader says of a lane, with the place of the list; `None` if it is about another key.
pub(super) fn problem_of(problem: &Problem, list: Option<&Value>) -> Option<Wrong> {
    let (_, at) = problem.key.split_once(".lanes")?;
    let value = list.filter(|_| at.is_empty() || at.starts_with(['.', '[']))?;
    let at = at.trim_start_matches('.');
    let what = match at {
        "" => problem.what.clone(),
        at => format!("{at} {}", problem.what),
    };
    Some(Wrong::of(LANES, &unread(value), &what, &problem.cure))
}

fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// Reads the list, as JSON from a file's reader ([`json_of`]) or as TOML from the command line.
fn list(text: &str) -> Option<Vec<Json>> {
    if let Ok(Json::Array(list)) = serde_json::from_str(text) {
        return Some(list);
    }
    let text = format!("{LANES} = {text}");
    let table = DeTable::parse(&text).ok()?.into_inner();
    match json_of(table.get(LANES)?.get_ref()) {
        Json::Array(list) => Some(list),
        _ => None,
    }
}
