//! Lanes as an operator writes them: what is read, and how each mistake is named by lane, place and cure.

use super::sample::with;
use baton::facts::hall::Draw;
use baton::facts::lanes::LanesRule;
use baton::settings::{RoomSettings, dropped, parse_live, parse_room, why_kept};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TEN: &str = "2030-06-01T10:00:00+09:00";
const NOON: &str = "2030-06-01T12:00:00+09:00";

fn lanes(list: Value) -> RoomSettings {
    with("lanes", list).expect("good lanes")
}

#[test]
fn a_lane_says_what_it_has_and_the_rest_is_the_rooms() {
    let room = lanes(json!([
        { "name": "members", "title": "Members & friends", "share": 3, "opens_at": TEN, "closes_at": NOON, "hall_s": 60, "draw": "arrival" },
        { "name": "everybody" },
    ]));
    let [members, everybody] = room.core.lanes.as_slice() else {
        panic!("two lanes");
    };
    assert_eq!(members.name.as_str(), "members");
    assert_eq!((members.title.as_str(), members.share), ("Members & friends", 3));
    assert_eq!(members.periods.as_ref().map(Vec::len), Some(1));
    assert_eq!((members.hall_ms, members.draw), (Some(60_000), Some(Draw::Arrival)));
    assert_eq!((everybody.title.as_str(), everybody.share), ("everybody", 1));
    assert_eq!((&everybody.periods, everybody.hall_ms, everybody.draw), (&None, None, None));
    assert_eq!(room.core.lanes_rule, LanesRule::Strict);
    let shares = with("lanes_rule", json!("shares")).expect("a rule");
    assert_eq!(shares.core.lanes_rule, LanesRule::Shares);
    let eight: Vec<Value> = (1..=8).map(|n| json!({ "name": format!("lane-{n}") })).collect();
    assert_eq!(lanes(json!(eight)).core.lanes.len(), 8);
    assert!(lanes(json!([])).core.lanes.is_empty());
}

/// What is wrong with `list`: the key of the problem, and what it says.
///
/// Long because it is one table, a row for each mistake.
#[test]
fn each_mistake_names_the_lane_the_place_and_the_cure() {
    let nine: Vec<Value> = (1..=9).map(|n| json!({ "name": format!("lane-{n}") })).collect();
    let vip = |more: Value| {
        let mut lane = json!({ "name": "vip" });
        lane.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        json!([lane])
    };
    let table = [
        (json!("vip"), "lanes", "is not a list of lanes"),
        (json!(["vip"]), "lanes[0]", "is not a lane"),
        (json!(nine), "lanes", "has 9 lanes, more than 8"),
        (json!([{ "title": "VIP" }]), "lanes[0].name", "is missing"),
        (json!([{ "name": "a" }, { "name": "Vip" }]), "lanes[1].name", "is no lane's name"),
        (json!([{ "name": "x".repeat(17) }]), "lanes[0].name", "is no lane's name"),
        (json!([{ "name": "vip" }, { "name": "vip" }]), "lanes", "has two lanes with the name vip"),
        (vip(json!({ "share": 0 })), "lanes.vip.share", "is not a whole number from 1 to 100"),
        (vip(json!({ "share": 101 })), "lanes.vip.share", "is not a whole number from 1 to 100"),
        (vip(json!({ "share": 1.5 })), "lanes.vip.share", "is not a whole number from 1 to 100"),
        (vip(json!({ "share": "3" })), "lanes.vip.share", "is not a whole number from 1 to 100"),
        (vip(json!({ "title": "" })), "lanes.vip.title", "has 0 characters, and may have 1 to 80"),
        (vip(json!({ "title": "x".repeat(81) })), "lanes.vip.title", "has 81 characters"),
        (vip(json!({ "title": "V\nIP" })), "lanes.vip.title", "has control characters"),
        (vip(json!({ "title": 7 })), "lanes.vip.title", "is not a text"),
        (vip(json!({ "opens_at": "soon" })), "lanes.vip.opens_at", "which is no date"),
        (vip(json!({ "opens_at": [TEN, NOON] })), "lanes.vip.opens_at", "opens twice"),
        (
            vip(json!({ "opens_at": TEN, "closes_at": TEN })),
            "lanes.vip.opens_at",
            "names one moment twice",
        ),
        (
            vip(json!({ "opens_at": TEN, "hall_s": -1 })),
            "lanes.vip.hall_s",
            "is not a whole number of seconds",
        ),
        (vip(json!({ "opens_at": TEN, "draw": "dice" })), "lanes.vip.draw", "is none of"),
        (vip(json!({ "hall_s": 60 })), "lanes", "has a hall in the lane vip and no opening for it"),
        (
            vip(json!({ "draw": "shuffle" })),
            "lanes",
            "has a hall in the lane vip and no opening for it",
        ),
        (vip(json!({ "weight": 3 })), "lanes.vip.weight", "is not a known key"),
    ];
    for (list, key, what) in table {
        let problems = with("lanes", list.clone()).expect_err(what);
        assert_eq!(problems.len(), 1, "{list}: {problems:?}");
        let problem = &problems[0];
        assert_eq!(problem.key, format!("ROOMS.onsale.{key}"), "{problem}");
        assert!(problem.what.contains(what), "{problem}");
        assert!(!problem.cure.is_empty(), "{problem}");
    }
}

#[test]
fn a_lane_with_people_in_it_stays() {
    let next = |list: Value| lanes(list).core.lanes;
    let have = [("vip", 0), ("club", 2), ("all", 9)];
    let both = json!([{ "name": "club" }, { "name": "all" }]);
    assert_eq!(dropped(&have, &next(both)), None, "nobody is in vip");
    let all = json!([{ "name": "vip" }, { "name": "all" }]);
    assert_eq!(dropped(&have, &next(all)), Some(("club", 2)));
    let other = json!([{ "name": "club" }, { "name": "public" }]);
    assert_eq!(dropped(&have, &next(other)), Some(("all", 9)), "another name is another lane");
    assert_eq!(dropped(&have, &next(json!([]))), Some(("club", 2)));
    assert_eq!(dropped(&have[2..], &next(json!([]))), None, "everybody's becomes the one line");
    assert!(why_kept(("club", 2)).contains("club cannot be taken out while 2 people have"));
}

/// Every lane's mistakes are told at once.
#[test]
fn all_lanes_are_judged() {
    let two = json!([{ "name": "a", "share": 0 }, { "name": "b", "share": 0, "title": "" }]);
    let problems = with("lanes", two).expect_err("three mistakes");
    let keys: Vec<&str> = problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(
        keys,
        ["ROOMS.onsale.lanes.a.share", "ROOMS.onsale.lanes.b.title", "ROOMS.onsale.lanes.b.share"]
    );
}

#[test]
fn the_rooms_opening_serves_a_lanes_hall() {
    let room = json!({ "paths": ["/x"], "permits": 1, "opens_at": TEN, "lanes": [{ "name": "vip", "hall_s": 60 }] });
    assert!(parse_room("onsale", &room).is_ok());
}

#[test]
fn lanes_change_live_and_by_a_schedule() {
    let file = json!({ "paths": ["/x"], "permits": 1 });
    let set = json!({ "lanes": [{ "name": "vip" }, { "name": "all" }], "lanes_rule": "shares" });
    let room = parse_live("onsale", &file, &set).expect("live");
    assert_eq!(room.core.lanes.len(), 2);
    let steps = |set: &Value| json!({ "paths": ["/x"], "permits": 1, "schedule": [{ "at": TEN, "set": set }] });
    assert!(parse_room("onsale", &steps(&set)).is_ok());
    let wrong = json!({ "lanes": [{ "name": "vip", "share": 0 }] });
    let problems = parse_room("onsale", &steps(&wrong)).expect_err("a wrong step");
    assert_eq!(problems[0].key, "ROOMS.onsale.schedule[0].set.lanes.vip.share");
}
