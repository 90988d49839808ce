//! What the house decides, what it remembers, and what comes back from its journal.

use baton::facts::holder::Salt;
use baton::facts::house::HouseEvent;
use baton::facts::limits::{HOUSE_BYTES_MAX, HOUSE_NAMES_MAX, HOUSE_OPERATORS_MAX, HOUSE_ROOMS_MAX, OPERATOR_BYTES_MAX, TABLE_BYTES_MAX};
use baton::house::table::Table;
use baton::house::{House, Refusal, Stands, Wish};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn table(permits: u32) -> Map<String, Value> {
    let table = json!({ "paths": ["/a/*"], "permits": permits });
    table.as_object().cloned().unwrap()
}

fn define(room: &str, permits: u32) -> Wish {
    let (room, table) = (room.to_owned(), table(permits));
    Wish::Define {
        room,
        table,
        over: Vec::new(),
    }
}

fn archive(room: &str) -> Wish {
    let room = room.to_owned();
    Wish::Archive { room }
}

fn free(room: &str) -> Wish {
    let room = room.to_owned();
    Wish::Free { room }
}

/// Does it, and says in how many facts.
fn done(house: &mut House, wishes: &[Wish]) -> usize {
    let events = house.decide(wishes).expect("it may be");
    house.apply(house.version() + 1, &events);
    events.len()
}

fn stands(house: &House, room: &str) -> Option<(Stands, u32)> {
    let kept = house.rooms().get(room)?;
    Some((kept.stands, kept.generation))
}

#[test]
fn a_room_comes_changes_goes_and_comes_again_as_another() {
    let mut house = House::default();
    assert_eq!(done(&mut house, &[define("a", 1)]), 1);
    assert!(house.decide(&[define("a", 1)]).unwrap().is_empty(), "so already");
    done(&mut house, &[define("a", 2)]);
    assert_eq!(house.rooms()["a"].since, 2);
    assert_eq!(house.decide(&[free("a")]), Err(Refusal::IsOpen("a".to_owned())));
    done(&mut house, &[archive("a")]);
    assert_eq!(stands(&house, "a"), Some((Stands::Archived, 1)));
    assert_eq!(Table::of(&house).rooms["a"].in_force()["mode"], "closed", "its paths stay shut");
    assert_eq!(house.decide(&[define("a", 3)]), Err(Refusal::IsOver("a".to_owned())));
    done(&mut house, &[free("a")]);
    assert!(Table::of(&house).rooms.is_empty());
    assert_eq!(house.decide(&[archive("a")]), Err(Refusal::Unknown("a".to_owned())));
    done(&mut house, &[define("a", 4)]);
    assert_eq!(stands(&house, "a"), Some((Stands::Open, 2)));
    assert_eq!(Table::of(&house).rooms["a"].in_force()["generation"], 2);
}

#[test]
fn wishes_are_taken_whole_and_in_order() {
    let mut house = House::default();
    let refused = house.decide(&[define("a", 1), archive("b")]);
    assert_eq!(refused, Err(Refusal::Unknown("b".to_owned())));
    done(&mut house, &[define("a", 1), archive("a"), free("a"), define("a", 2)]);
    assert_eq!(stands(&house, "a"), Some((Stands::Open, 2)));
    assert_eq!(house.version(), 1, "all of it is one row");
}

#[test]
fn an_undo_brings_back_what_the_last_change_replaced() {
    let mut house = House::default();
    assert_eq!(house.undo(), Err(Refusal::NothingToUndo));
    done(&mut house, &[define("a", 1), define("b", 1)]);
    let before = house.clone();
    done(&mut house, &[define("a", 5), archive("b"), define("c", 1)]);
    let undo = house.undo().unwrap();
    house.apply(house.version() + 1, &undo);
    for room in ["a", "b"] {
        assert_eq!(house.rooms()[room].table, before.rooms()[room].table);
        assert_eq!(stands(&house, room), Some((Stands::Open, 1)));
    }
    assert_eq!(stands(&house, "c"), Some((Stands::Freed, 1)), "what was new is nobody's");
    done(&mut house, &[archive("a")]);
    done(&mut house, &[free("a")]);
    assert_eq!(house.rooms()["a"].table, "", "only the name is left");
    let undo = house.undo().unwrap();
    house.apply(house.version() + 1, &undo);
    assert_eq!(stands(&house, "a"), Some((Stands::Archived, 1)), "its paths are shut again");
    assert_eq!(house.rooms()["a"].table, before.rooms()["a"].table);
}

#[test]
fn a_room_that_is_taken_back_and_was_released_before_is_released_again() {
    let mut house = House::default();
    done(&mut house, &[define("a", 1)]);
    done(&mut house, &[archive("a"), free("a")]);
    done(&mut house, &[define("a", 2)]);
    let undo = house.undo().unwrap();
    house.apply(house.version() + 1, &undo);
    assert_eq!(stands(&house, "a"), Some((Stands::Freed, 2)));
    assert_eq!(house.rooms()["a"].table, "");
}

#[test]
fn names_of_released_rooms_are_kept_and_there_is_an_end_to_them() {
    let mut house = House::default();
    let name = |at: usize| format!("r{at}");
    for first in (0..HOUSE_NAMES_MAX).step_by(HOUSE_ROOMS_MAX) {
        let all = first..(first + HOUSE_ROOMS_MAX).min(HOUSE_NAMES_MAX);
        let wishes = |wish: fn(&str) -> Wish| all.clone().map(|at| wish(&name(at))).collect();
        let (define, archive, free): (Vec<_>, Vec<_>, Vec<_>) = (wishes(|room| define(room, 1)), wishes(archive), wishes(free));
        done(&mut house, &[define, archive, free].concat());
    }
    assert_eq!(house.rooms().len(), HOUSE_NAMES_MAX);
    let full = Err(Refusal::FullOfNames);
    assert_eq!(house.decide(&[define("more", 1)]), full);
    done(&mut house, &[define("r7", 1)]);
    assert_eq!(stands(&house, "r7"), Some((Stands::Open, 2)));
}

#[test]
fn names_of_released_rooms_count_among_the_bytes() {
    let mut house = House::default();
    let long = "n".repeat(32);
    done(&mut house, &[define(&long, 1)]);
    done(&mut house, &[archive(&long), free(&long)]);
    let filled = |room: &str, bytes: usize| {
        let mut table = Map::new();
        let frame = r#"{"message":""}"#.len();
        table.insert("message".to_owned(), Value::from("x".repeat(bytes - frame)));
        let room = room.to_owned();
        Wish::Define {
            room,
            table,
            over: Vec::new(),
        }
    };
    let whole = HOUSE_BYTES_MAX / TABLE_BYTES_MAX;
    let all: Vec<Wish> = (0..whole).map(|at| filled(&format!("r{at}"), TABLE_BYTES_MAX)).collect();
    done(&mut house, &all);
    let left = HOUSE_BYTES_MAX - whole * TABLE_BYTES_MAX;
    let refused = house.decide(&[filled("last", left - 31)]);
    assert_eq!(refused, Err(Refusal::Full));
    assert!(house.decide(&[filled("last", left - 32)]).is_ok());
    assert!(house.decide(&[filled(&long, left)]).is_ok(), "the name is used again");
}

#[test]
fn there_are_so_many_rooms_and_no_more() {
    let mut house = House::default();
    let all: Vec<Wish> = (0..HOUSE_ROOMS_MAX).map(|at| define(&format!("r{at}"), 1)).collect();
    done(&mut house, &all);
    assert_eq!(house.decide(&[define("more", 1)]), Err(Refusal::Full));
    assert!(house.decide(&[define("r1", 2)]).is_ok(), "one that is there may change");
    let mut long = table(1);
    long.insert("message".to_owned(), Value::from("x".repeat(TABLE_BYTES_MAX)));
    let room = "r1".to_owned();
    let refused = house.decide(&[Wish::Define {
        room,
        table: long,
        over: Vec::new(),
    }]);
    assert_eq!(refused, Err(Refusal::Long("r1".to_owned())));
}

#[test]
fn the_journal_brings_the_house_back_and_hides_who_it_was() {
    use baton::facts::units::Instant;
    use baton::journal::{Hash, halves, open, seal};
    let salt = Salt([7; 16]);
    let mut house = House::default();
    let mut rows = Vec::new();
    let mut previous = Hash::default();
    for wishes in [vec![define("a", 1), define("b", 2)], vec![archive("a")], vec![free("a")]] {
        let by = "mika".to_owned();
        let mut events = vec![HouseEvent::Changed { by }];
        events.extend(house.decide(&wishes).unwrap());
        let version = house.version() + 1;
        house.apply(version, &events);
        let row = seal(&previous, &salt, version, Instant(version), 0, &events).unwrap();
        rows.push((previous, row.clone()));
        previous = row.hash;
    }
    let mut again = House::default();
    for (previous, row) in &rows {
        let events: Vec<HouseEvent> = open(previous, row, Some(&salt)).unwrap();
        assert_eq!(events[0], HouseEvent::Changed { by: "mika".to_owned() });
        again.apply(row.version, &events);
        let public = halves::<HouseEvent>(previous, row).unwrap();
        assert_eq!(public.events[0], HouseEvent::Changed { by: String::new() });
    }
    assert_eq!(again, house);
}

fn person(name: &str, role: &str) -> Wish {
    let table = json!({ "role": role, "sha256": "0".repeat(64) });
    Wish::SetOperator {
        name: name.to_owned(),
        table: table.as_object().cloned().unwrap(),
    }
}

fn remove(name: &str) -> Wish {
    let name = name.to_owned();
    Wish::RemoveOperator { name }
}

#[test]
fn an_operator_comes_changes_goes_and_is_brought_back_by_an_undo() {
    let mut house = House::default();
    assert_eq!(done(&mut house, &[person("mika", "view")]), 1);
    assert!(house.decide(&[person("mika", "view")]).unwrap().is_empty());
    let unknown = Err(Refusal::UnknownOperator("noor".to_owned()));
    assert_eq!(house.decide(&[remove("noor")]), unknown);
    done(&mut house, &[person("mika", "own"), person("noor", "view")]);
    let before = house.clone();
    assert_eq!(Table::of(&house).operators["mika"]["role"], "own");
    done(&mut house, &[remove("mika"), define("a", 1)]);
    assert!(!Table::of(&house).operators.contains_key("mika"));
    let undo = house.undo().unwrap();
    let after = before.after(&undo);
    let moved: Vec<_> = before.moved(&after).map(|moved| moved.name).collect();
    assert_eq!(moved, ["mika"]);
    house.apply(house.version() + 1, &undo);
    assert_eq!(house.operators(), before.operators());
    assert_eq!(stands(&house, "a"), Some((Stands::Freed, 1)));
    done(&mut house, &[person("aiko", "view")]);
    let undo = house.undo().unwrap();
    house.apply(house.version() + 1, &undo);
    assert_eq!(house.operators(), before.operators(), "who was new is nobody");
}

fn change(name: &str, keys: &Value) -> Wish {
    Wish::ChangeOperator {
        name: name.to_owned(),
        keys: keys.as_object().cloned().unwrap(),
    }
}

#[test]
fn an_operator_changes_in_what_is_named_and_keeps_the_token() {
    let mut house = House::default();
    done(&mut house, &[person("mika", "view")]);
    let rooms = json!({ "role": "operate", "rooms": ["a"] });
    done(&mut house, &[change("mika", &rooms)]);
    let now = Table::of(&house).operators["mika"].clone();
    let all = json!({ "role": "operate", "rooms": ["a"], "sha256": "0".repeat(64) });
    assert_eq!(now, all);
    assert!(house.decide(&[change("mika", &rooms)]).unwrap().is_empty());
    done(&mut house, &[change("mika", &json!({ "rooms": null }))]);
    let everywhere = json!({ "role": "operate", "sha256": "0".repeat(64) });
    assert_eq!(Table::of(&house).operators["mika"], everywhere);
    let unknown = Err(Refusal::UnknownOperator("noor".to_owned()));
    assert_eq!(house.decide(&[change("noor", &rooms)]), unknown);
    let long = change("mika", &json!({ "email": "x".repeat(OPERATOR_BYTES_MAX) }));
    let refused = Err(Refusal::LongOperator("mika".to_owned()));
    assert_eq!(house.decide(&[long]), refused);
}

#[test]
fn there_are_so_many_operators_and_no_more() {
    let mut house = House::default();
    let all: Vec<Wish> = (0..HOUSE_OPERATORS_MAX).map(|at| person(&format!("o{at}"), "view")).collect();
    done(&mut house, &all);
    let more = house.decide(&[person("more", "view")]);
    assert_eq!(more, Err(Refusal::FullOfOperators));
    assert!(house.decide(&[person("o1", "own")]).is_ok(), "one may change");
    let long = json!({ "rooms": ["x".repeat(OPERATOR_BYTES_MAX)] });
    let wish = Wish::SetOperator {
        name: "o1".to_owned(),
        table: long.as_object().cloned().unwrap(),
    };
    let long = Err(Refusal::LongOperator("o1".to_owned()));
    assert_eq!(house.decide(&[wish]), long);
}

#[test]
fn the_journal_hides_who_may_operate_and_by_what() {
    use baton::facts::units::Instant;
    use baton::journal::{Hash, halves, open, seal};
    let mut house = House::default();
    let events = house.decide(&[person("mika", "own")]).unwrap();
    let events = [events, vec![HouseEvent::OperatorRemoved { name: "noor".to_owned() }]].concat();
    let row = seal(&Hash::default(), &Salt([7; 16]), 1, Instant(1), 1, &events).unwrap();
    let shown = halves::<HouseEvent>(&Hash::default(), &row).unwrap();
    let text = serde_json::to_string(&shown.events).unwrap();
    for hidden in ["mika", "noor", "own", "000"] {
        assert!(!text.contains(hidden), "{text}");
    }
    let known = open::<HouseEvent>(&Hash::default(), &row, None).unwrap();
    assert_eq!(known, events);
    house.apply(1, &known);
    assert!(house.operators().contains_key("mika"));
}
