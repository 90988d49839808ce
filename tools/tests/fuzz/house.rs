//! The target for what an operator wants of the house, of its rooms, brands and operators: rows of wishes, one after another. A house that took them
//! is within its limits, reads the same when its table is written and read again, loses no generation, and can undo each row.

use super::Read;
use baton::facts::limits::{HOUSE_BYTES_MAX, HOUSE_ROOMS_MAX, TABLE_BYTES_MAX};
use baton::house::table::Table;
use baton::house::{House, Stands, Wish};
use baton::settings::{Settings, house_changes, house_operators, parse, parse_brand};
use serde_json::json;

fn beside() -> Settings {
    let file = json!({ "onsale": { "paths": ["/buy/*"], "permits": 1 } });
    parse(&json!({ "GROUNDS": { "paths": ["/*"] }, "ROOMS": file })).expect("a good file")
}

/// Reads `[[wish, …], …]` and lets the house take it row by row.
pub fn house(bytes: &[u8]) -> Read {
    let Ok(rows) = serde_json::from_slice::<Vec<Vec<Wish>>>(bytes) else {
        return Read::No;
    };
    let file = beside();
    let mut house = House::default();
    for wishes in rows {
        let Ok(events) = house.decide(&wishes) else {
            return Read::No;
        };
        if events.is_empty() {
            continue;
        }
        let before = house.clone();
        let next = house.after(&events);
        judge(&file, &before, &next);
        house.apply(before.version() + 1, &events);
        assert_eq!(house, next, "what a plan shows is what an apply does");
        undone(&house, &before, wishes.len());
    }
    Read::Yes
}

fn judge(file: &Settings, before: &House, next: &House) {
    for (name, kept) in before.rooms() {
        let then = next.rooms().get(name).expect("a name is for ever");
        assert!(then.generation >= kept.generation, "{name} lost a generation");
    }
    let gated: Vec<_> = next.gated().collect();
    let bytes: usize = gated.iter().map(|(_, kept)| kept.table.len()).sum();
    assert!(gated.len() <= HOUSE_ROOMS_MAX && bytes <= HOUSE_BYTES_MAX);
    assert!(gated.iter().all(|(_, kept)| kept.table.len() <= TABLE_BYTES_MAX));
    let table = Table::of(next);
    let text = serde_json::to_string(&table).expect("can be told");
    let read: Table = serde_json::from_str(&text).expect("is read again");
    let (_, problems) = house_operators(file, None, &table.operators);
    assert!(problems.iter().all(|it| !it.to_string().trim().is_empty()));
    for (room, brand) in &table.brands {
        if let Err(problems) = parse_brand(room, brand) {
            assert!(!problems.is_empty(), "refused without a word");
        }
    }
    let grounds = file.grounds.as_ref().expect("grounds");
    match house_changes(&file.rooms, grounds, before, next) {
        // A refused table is neither stored nor told, so it may hold a number that JSON reads back as another one.
        Ok(_) => assert_eq!(read.rooms, table.rooms),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a word");
            assert!(problems.iter().all(|it| !it.to_string().trim().is_empty()));
        }
    }
}

/// Asserts that an undo brings back operators and brands, and, after a row of one wish, the rooms. A room that was freed does not come back.
fn undone(house: &House, before: &House, wishes: usize) {
    let undo = house.undo().expect("something was changed");
    let after = house.after(&undo);
    assert_eq!(after.operators(), before.operators());
    let is_freed = |room: &String| {
        let kept = house.rooms().get(room);
        kept.is_some_and(|kept| kept.stands == Stands::Freed)
    };
    let brands = before.brands().iter();
    let mut brands = brands.filter(|(room, _)| !is_freed(room));
    assert!(brands.all(|(room, brand)| after.brands().get(room) == Some(brand)));
    for (name, kept) in before.rooms().iter().filter(|_| wishes == 1) {
        let then = after.rooms().get(name).expect("a name is for ever");
        if kept.stands != Stands::Freed {
            let same = (&then.table, then.stands, then.generation);
            assert_eq!(same, (&kept.table, kept.stands, kept.generation), "{name}");
        }
    }
}
