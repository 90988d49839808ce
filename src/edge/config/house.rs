//! Adds the rooms and operators of the house to those of the file. A room that contradicts this file is
//! shut; an operator who contradicts it may do nothing.

use facts::ordered::sort_few;
use serde_json::{Map, Value};

use super::salvage::salvage_room;
use crate::log::{self, Code, Remark};
use house::table::Table;
use settings::{RoomSettings, Settings};
use token::Operator;

/// Adds the rooms of the house. A room that contradicts this file, because a deploy took its name or its ground, is
/// shut: where no room of the file has them, its paths are gated under a name that no object has.
pub(super) fn add_rooms(settings: &mut Settings, tables: &mut Map<String, Value>, house: &Table) {
    let Some(grounds) = settings.grounds.clone() else {
        return;
    };
    let file = settings.rooms.clone();
    for (at, (name, definition)) in house.rooms.iter().enumerate() {
        match settings::parse_definition(&file, &grounds, name, definition) {
            Ok(room) => {
                tables.insert(name.clone(), definition.in_force());
                settings.rooms.push(room);
            }
            Err(problems) => {
                for problem in &problems {
                    let remark = Remark::front(Code::HouseRoomBad).in_room(name);
                    log::say(&remark.because(problem));
                }
                let shut = salvage_room(at, &definition.table);
                settings.rooms.extend(shut.map(|room| RoomSettings {
                    name: format!("{name}!"),
                    defined: Some(definition.since),
                    over: definition.over.clone(),
                    ..room
                }));
            }
        }
    }
    let rooms = &mut settings.rooms;
    sort_few(rooms, |a, b| a.name.cmp(&b.name));
    for room in rooms {
        // A brand that was good when it was made, but that this version refuses, leaves the page as the room's table has it.
        let brand = house.brands.get(&room.name);
        if let Some(Ok(brand)) = brand.map(|brand| settings::parse_brand(&room.name, brand)) {
            brand.lay_over(&mut room.page);
        }
    }
}

/// Returns the operators of the house, without those who contradict this file because a deploy took their name.
pub(super) fn operators_of(file: &Settings, holder: Option<&Operator>, house: &Table) -> Vec<Operator> {
    let (operators, problems) = settings::house_operators(file, holder, &house.operators);
    for problem in &problems {
        log::say(&Remark::front(Code::HouseOperatorBad).because(problem));
    }
    operators
}
