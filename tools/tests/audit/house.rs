//! Tests the audit of the house's journal: what the real house writes under random wishes is sound, and each law finds what breaks it.

use baton::facts::holder::Salt;
use baton::facts::house::HouseEvent;
use baton::facts::units::Instant;
use baton::house::{House, Stands, Wish};
use baton::journal::export::{self, HOUSE};
use baton::journal::{Hash, seal};
use baton_tools::audit::report::Report;
use baton_tools::audit::story::Tale;
use baton_tools::audit::{Audit, Scope, Stop};
use serde_json::{Map, json};

const SALT: Salt = Salt([0x5a; 16]);

fn changed() -> HouseEvent {
    let by = String::new();
    HouseEvent::Changed { by }
}

fn defined(room: &str, permits: u32, generation: u32) -> HouseEvent {
    let table = json!({ "paths": [format!("/{room}/*")], "permits": permits });
    defined_as(room, &table.to_string(), generation)
}

fn defined_as(room: &str, table: &str, generation: u32) -> HouseEvent {
    HouseEvent::Defined {
        room: room.to_owned(),
        table: table.to_owned(),
        generation,
        over: Vec::new(),
    }
}

fn archived(room: &str) -> HouseEvent {
    let room = room.to_owned();
    HouseEvent::Archived { room }
}

fn freed(room: &str) -> HouseEvent {
    let room = room.to_owned();
    HouseEvent::Freed { room }
}

/// Returns the lines of an export with correct hashes. Anybody who can compute SHA-256 can write them.
fn lines(rows: &[Vec<HouseEvent>]) -> Vec<String> {
    let mut previous = Hash::default();
    let mut lines = vec![export::header(HOUSE, 0, &previous).unwrap()];
    for (version, events) in (1..).zip(rows) {
        let at = Instant(version * 1_000);
        let row = seal(&previous, &SALT, version, at, 7 + version * 1_000, events).unwrap();
        lines.push(export::line::<HouseEvent>(&previous, &row).unwrap());
        previous = row.hash;
    }
    lines
}

fn verify(rows: &[Vec<HouseEvent>]) -> Result<Report, Stop> {
    let mut audit = Audit::new(Scope::Everything, None);
    lines(rows).iter().try_for_each(|line| audit.line(line))?;
    audit.finish()
}

/// Returns the real house after random wishes and undos, and its rows.
fn history(seed: u64, count: usize) -> (House, Vec<Vec<HouseEvent>>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut house, mut rows) = (House::default(), Vec::new());
    while rows.len() < count {
        let room = ["a", "b", "c"][rng.usize(0..3)].to_owned();
        let table: Map<_, _> = json!({ "paths": [format!("/{room}/*")], "permits": rng.u8(0..3) })
            .as_object()
            .cloned()
            .unwrap();
        let brand = json!({ "page_title": rng.u8(0..3).to_string() });
        let facts = match rng.u8(0..8) {
            0..3 => house.decide(&[Wish::Define {
                room,
                table,
                over: Vec::new(),
            }]),
            3 => house.decide(&[Wish::Archive { room }]),
            4 => house.decide(&[Wish::Free { room }]),
            5 => house.decide(&[Wish::Brand {
                room,
                brand: brand.as_object().cloned(),
            }]),
            6 => house.decide(&[Wish::Brand { room, brand: None }]),
            _ => house.undo(),
        };
        let Some(facts) = facts.ok().filter(|facts| !facts.is_empty()) else {
            continue;
        };
        let by = "mika".to_owned();
        let row = [vec![HouseEvent::Changed { by }], facts].concat();
        house.apply(house.version() + 1, &row);
        rows.push(row);
    }
    (house, rows)
}

#[test]
fn what_the_house_writes_is_sound_and_the_figures_are_its_own() {
    for seed in super::seeds(0..60) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test audit what_the_house");
        let (house, rows) = history(seed, 120);
        let report = verify(&rows).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(report.rows, 120);
        let told = serde_json::to_value(report.house.unwrap()).unwrap();
        assert_eq!(told["rooms"].as_object().unwrap().len(), house.rooms().len());
        for (name, kept) in house.rooms() {
            let stands = serde_json::to_value(kept.stands).unwrap();
            let is = json!({ "stands": stands, "generation": kept.generation, "since": kept.since });
            assert_eq!(told["rooms"][name], is, "{name}");
        }
    }
}

/// Long because it is one table with a row for each way to break a law.
#[test]
fn each_law_of_the_house_finds_what_breaks_it() {
    let first = || vec![changed(), defined("a", 1, 1)];
    let over = || vec![first(), vec![changed(), archived("a")]];
    let long = json!({ "message": "x".repeat(16_384) }).to_string();
    let branded = |brand: Option<&str>| HouseEvent::Branded {
        room: "a".to_owned(),
        brand: brand.map(str::to_owned),
    };
    let long_brand = json!({ "page_message": "x".repeat(16_384) }).to_string();
    let many = (0..1_001).map(|at| defined(&format!("r{at}"), 1, 1));
    let reused = |generation| {
        let row = vec![changed(), freed("a")];
        let again = vec![changed(), defined("a", 5, generation)];
        [over(), vec![row, again]].concat()
    };
    let fallen = || {
        let again = vec![changed(), archived("a"), freed("a"), defined("a", 2, 2)];
        vec![first(), again, vec![changed(), defined("a", 1, 1)]]
    };
    let form = "a row is one change of the house";
    let there = "no fact about a room that is not there";
    let same = "a change changes something";
    let generations = "generations follow each other";
    let freed_first = "a name is used again when its paths are released";
    let tables = "a definition is a table";
    let broken: Vec<(&str, Vec<Vec<HouseEvent>>)> = vec![
        (form, vec![vec![changed()]]),
        (form, vec![vec![defined("a", 1, 1)]]),
        (form, vec![vec![changed(), defined("a", 1, 1), changed()]]),
        (same, vec![first(), vec![changed(), defined("a", 1, 1)]]),
        (same, [over(), vec![vec![changed(), archived("a"), archived("a")]]].concat()),
        (there, vec![vec![changed(), archived("a")]]),
        (there, vec![first(), vec![changed(), freed("a")]]),
        (there, vec![vec![changed(), freed("b")]]),
        (generations, vec![vec![changed(), defined("a", 1, 2)]]),
        (generations, vec![first(), vec![changed(), defined("a", 2, 2)]]),
        (generations, reused(1)),
        (generations, reused(3)),
        (generations, fallen()),
        (freed_first, [over(), vec![vec![changed(), defined("a", 2, 2)]]].concat()),
        (freed_first, [over(), vec![vec![changed(), defined("a", 2, 1)]]].concat()),
        (tables, vec![vec![changed(), defined_as("a", "[]", 1)]]),
        (tables, vec![vec![changed(), defined_as("a", "{", 1)]]),
        (tables, vec![vec![changed(), branded(Some("[]"))]]),
        (same, vec![vec![changed(), branded(None)]]),
        (same, vec![vec![changed(), branded(Some("{}"))], vec![changed(), branded(Some("{}"))]]),
        ("the house is bounded", vec![vec![changed(), branded(Some(&long_brand))]]),
        ("the house is bounded", vec![vec![changed(), defined_as("long", &long, 1)]]),
        ("the house is bounded", vec![[changed()].into_iter().chain(many).collect()]),
    ];
    for (law, rows) in broken {
        match verify(&rows) {
            Err(Stop::Fault(fault)) => {
                assert_eq!(fault.law, law, "{fault}");
                assert_eq!(fault.row, rows.len() as u64, "{fault}");
            }
            other => panic!("{law}: {other:?}"),
        }
    }
    let lawful = [reused(2), [over(), vec![vec![changed(), defined("a", 1, 1)]]].concat()];
    let rebranded = vec![
        vec![changed(), branded(Some("{}"))],
        vec![changed(), branded(None)],
        vec![changed(), branded(Some("{}"))],
    ];
    let lawful = lawful.into_iter().chain([rebranded]);
    for rows in lawful {
        verify(&rows).unwrap_or_else(|stop| panic!("{stop}"));
    }
}

/// Changes the lines of an export.
type Change = fn(&mut Vec<String>);

#[test]
fn the_chain_of_the_house_is_held_together_and_names_nobody() {
    let is_telling = |(house, rows): &(House, Vec<Vec<HouseEvent>>)| {
        let mut rooms = house.rooms().values();
        let is_first = matches!(rows[0][..], [_, HouseEvent::Defined { .. }]);
        is_first && rooms.any(|kept| kept.stands == Stands::Open)
    };
    let mut histories = (1..).map(|seed| history(seed, 20));
    let (_, rows) = histories.find(is_telling).expect("one of many");
    let whole = lines(&rows);
    let changes: [(&str, Change); 4] = [
        ("removed", |lines| drop(lines.remove(7))),
        ("swapped", |lines| lines.swap(5, 6)),
        ("another generation", |lines| {
            lines[1] = lines[1].replace("\"generation\":1", "\"generation\":2");
        }),
        ("a name", |lines| {
            lines[1] = lines[1].replacen("\"by\":\"\"", "\"by\":\"mika\"", 1);
        }),
    ];
    for (what, change) in changes {
        let mut lines = whole.clone();
        change(&mut lines);
        assert_ne!(lines, whole, "{what}");
        let mut audit = Audit::new(Scope::Everything, None);
        let read = lines.iter().try_for_each(|line| audit.line(line));
        assert!(matches!(read, Err(Stop::Fault(_))), "{what}: {read:?}");
    }
    let mut tale = Tale::new(1, None, None);
    let refused = tale.line(&whole[0]).unwrap_err().to_string();
    assert!(refused.contains("which has no tickets"), "{refused}");
    let mut chain = Audit::new(Scope::Chain, None);
    whole.iter().try_for_each(|line| chain.line(line)).unwrap();
    assert!(chain.finish().unwrap().to_string().contains("the house, rows 1 to 20"));
}
