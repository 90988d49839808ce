//! Tests what the report says of each lane of a room.

use super::sale::{self, Keeps, Sale};
use super::{report, seeds, small, value};
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::units::LobbyId;
use baton_tools::report::Asked;
use serde_json::{Value, json};

/// Returns a sale with 30 members and 15 others. Five of the others come again with a member's token. The members get two of three calls.
fn sale_with_lanes() -> Sale {
    let lane = |name: &str, title: &str, share| Lane {
        name: LaneName::parse(name).unwrap(),
        title: title.to_owned(),
        share,
        periods: None,
        hall_ms: None,
        draw: None,
    };
    let lanes = vec![lane("members", "Members", 2), lane("everybody", "Everybody", 1)];
    let config = |permits| RoomConfig {
        permits,
        lanes: lanes.clone(),
        lanes_rule: LanesRule::Shares,
        ..RoomConfig::default()
    };
    let mut sale = Sale::without_permits();
    let people = |who: core::ops::Range<u64>| Command::join(who.map(sale::holder).collect::<Vec<_>>());
    let into = |name: &str, join: Command| join.into_lane(LaneName::parse(name).unwrap());
    let mut take = |after_ms: u64, permits: u32, commands: Vec<Command>| {
        sale.now = sale.now.plus_ms(after_ms);
        sale.write(|room, now, row| {
            room.configure(&config(permits), row);
            room.take(now, LobbyId(0), &commands, 0, row);
        });
        sale.write(|room, now, row| room.take_turn(now, row));
    };
    take(0, 0, vec![into("members", people(1..31))]);
    take(1_000, 0, vec![into("everybody", people(101..116))]);
    take(1_000, 0, vec![into("members", people(101..106))]);
    take(8_000, 9, vec![]);
    sale
}

#[test]
fn each_lane_is_told_with_its_calls_and_waits() {
    let sale = sale_with_lanes();
    let told = value(&report(&sale.export(), Asked::default()));
    let lanes = told["lanes"].as_array().unwrap();
    let of = |name: &str| lanes.iter().find(|lane| lane["name"] == name).unwrap();
    let (members, everybody) = (of("members"), of("everybody"));
    let counts = |lane: &Value| ["issued", "came_over", "went_over", "called", "calls", "share"].map(|key| lane[key].as_u64().unwrap());
    assert_eq!(counts(members), [35, 5, 0, 6, 6, 2]);
    assert_eq!(counts(everybody), [15, 0, 5, 3, 3, 1]);
    assert_eq!(members["title"], "Members");
    assert_eq!((&members["calls_percent"], &everybody["calls_percent"]), (&json!(66.7), &json!(33.3)));
    // The first six members came ten seconds before they were called, the others nine.
    assert_eq!((&members["longest_ms"], &members["half_ms"]), (&json!(10_000), &json!(10_000)));
    assert_eq!((&everybody["longest_ms"], &everybody["nine_of_ten_ms"]), (&json!(9_000), &json!(9_000)));
    assert_eq!(told["people"]["joined"], 45);
    let numbers = told["numbers"].as_array().unwrap();
    let first: Vec<&Value> = numbers.iter().filter(|group| group["lane"] == "members").collect();
    assert_eq!(first[0]["first"], 1);
    let issued = first.iter().map(|group| group["issued"].as_u64().unwrap());
    assert_eq!(issued.sum::<u64>(), 35);
    // The report of a room of one line has no lanes.
    let told = value(&report(&small(), Asked::default()));
    assert_eq!(told.get("lanes"), None);
    assert_eq!(told["numbers"][0].get("lane"), None);
}

#[test]
fn in_public_lanes_of_few_people_are_put_together() {
    let sale = sale_with_lanes();
    let asked = Asked {
        is_public: true,
        ..Asked::default()
    };
    let lanes = |sale: &Sale| value(&report(&sale.export(), asked))["lanes"].clone();
    assert_eq!(lanes(&sale).as_array().unwrap().len(), 2);
    let mut few = Sale::without_permits();
    few.now = sale.now;
    let config = sale.room.config().clone();
    few.write(|room, now, row| {
        room.configure(&config, row);
        let into = |name: &str, who: core::ops::Range<u64>| {
            let join = Command::join(who.map(sale::holder).collect::<Vec<_>>());
            join.into_lane(LaneName::parse(name).unwrap())
        };
        let commands = [into("members", 1..5), into("everybody", 11..30)];
        room.take(now, LobbyId(0), &commands, 0, row);
    });
    let told = lanes(&few);
    let [all] = told.as_array().unwrap().as_slice() else {
        panic!("{told}");
    };
    assert_eq!((&all["name"], &all["issued"]), (&json!("members, everybody"), &json!(23)));
    assert_eq!(all["share"], Value::Null);
}

/// Under random commands, what the report says of the lanes adds up to what it says of the whole room.
#[test]
fn lanes_add_up_to_the_room() {
    let keeps = || Keeps {
        lanes: true,
        permits: 1..6,
        ..Keeps::default()
    };
    let mut told_lanes = 0;
    for seed in seeds(0..60) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test report lanes_add_up");
        let sale = Sale::of(seed, 250, keeps());
        let told = value(&report(&sale.export(), Asked::default()));
        let empty = vec![];
        let lanes = told["lanes"].as_array().unwrap_or(&empty);
        told_lanes += lanes.len();
        if lanes.is_empty() {
            continue;
        }
        let sum = |key: &str| lanes.iter().map(|lane| lane[key].as_u64().unwrap()).sum::<u64>();
        assert_eq!(sum("calls"), told["counted"]["calls"].as_u64().unwrap());
        assert_eq!(sum("called"), told["waits"]["count"].as_u64().unwrap());
        assert_eq!(sum("walked_in"), told["people"]["walked_in"].as_u64().unwrap());
        assert_eq!(sum("came_over"), sum("went_over"));
        let numbers = told["numbers"].as_array().unwrap();
        let issued = numbers.iter().map(|group| group["issued"].as_u64().unwrap());
        assert_eq!(issued.sum::<u64>(), sum("issued") + sum("walked_in"));
        let highest = numbers.iter().map(|group| group["last"].as_u64().unwrap()).max();
        assert!(highest < Some(10_000), "within the lane: {highest:?}");
    }
    assert!(told_lanes > 60);
}
