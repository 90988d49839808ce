//! Tests the audit with random sales of rooms with lanes, and tells the forgeries and the second judge what they need to know about lanes.

use super::sale::{Keeps, Sale};
use super::{Verdicts, audit, judge, seeds};
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Event;
use baton::facts::hall::{Door, Draw, Lot, Seed};
use baton::facts::lanes::LanesRule;
use baton::facts::units::{LaneId, Number};
use baton::room::Room;

/// Returns the command, and the same command with a token of each lane.
pub fn into_each(room: &Room, command: Command) -> Vec<Command> {
    let lanes = room.lanes().order().filter_map(|(_, lane)| lane.config());
    let comes_in = matches!(command, Command::Enter(_));
    let lanes = lanes.filter(|_| comes_in);
    let with_tokens: Vec<Command> = lanes.map(|lane| command.clone().into_lane(lane.name)).collect();
    [vec![command], with_tokens].concat()
}

/// Returns the first present ticket of each lane.
pub fn first_present(room: &Room) -> Vec<Number> {
    let first = |(_, lane): (LaneId, &baton::room::lanes::Lane)| lane.line().first_present();
    room.lanes().all().filter_map(first).collect()
}

/// Returns numbers of other lanes to put in the place of this one; none in a room without lanes.
pub fn others(room: &Room, number: Number) -> Vec<Number> {
    let others = room.lanes().all().filter(|(id, _)| *id != number.lane());
    let numbers = others.flat_map(|(id, lane)| {
        let next = lane.line().next();
        let first = lane.line().first_present();
        let own = lane.line().next_present(number);
        [Some(next), first, own, Some(id.number(number.within())), Some(id.entry(1))]
    });
    numbers.flatten().collect()
}

/// Returns changes to these settings that have other lanes.
pub fn configs(config: &RoomConfig) -> Vec<Event> {
    if config.lanes.is_empty() {
        return vec![];
    }
    let mut forged = vec![];
    let mut put = |change: fn(&mut RoomConfig)| {
        let mut other = config.clone();
        change(&mut other);
        forged.push(Event::Configured(Box::new(other)));
    };
    put(|other| {
        other.lanes_rule = match other.lanes_rule {
            LanesRule::Strict => LanesRule::Shares,
            LanesRule::Shares => LanesRule::Strict,
        };
    });
    put(|other| other.lanes.rotate_left(1));
    put(|other| other.lanes[0].share += 1);
    put(|other| drop(other.lanes.remove(0)));
    put(|other| drop(other.lanes.pop()));
    put(|other| other.lanes[0].periods = Some(vec![]));
    put(|other| other.lanes[0].draw = Some(Draw::Arrival));
    put(|other| other.lanes.clear());
    forged
}

/// Returns invented facts for each lane: moves into it, a door that changes, a seed that is committed to.
pub fn inventions(room: &Room) -> Vec<Event> {
    if room.lanes().all().count() < 2 {
        return vec![];
    }
    let mut invented = vec![];
    let lot = Lot {
        nonce: baton::facts::units::Version(room.version().0 + 1),
        commitment: Seed([7; 32]),
    };
    for (lane, of) in room.lanes().all() {
        for from in first_present(room) {
            let ends = [of.line().next(), of.hall().line().next()];
            invented.extend(ends.map(|to| Event::Moved { from, to }));
        }
        let door = Door::Hall { opens_at_ms: 1 };
        invented.push(Event::LaneDoors { lane, door });
        invented.push(Event::LaneCommitted { lane, lot });
    }
    invented
}

fn with_lanes() -> Keeps {
    Keeps {
        lanes: true,
        permits: 1..6,
        ..Keeps::default()
    }
}

#[test]
fn what_a_room_writes_of_lanes_is_sound() {
    let (mut moved, mut drawn, mut lanes) = (0, 0, 0);
    for seed in seeds(0..50) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test audit what_a_room_writes");
        for accounts in [false, true] {
            let keeps = Keeps { accounts, ..with_lanes() };
            let sale = Sale::of(seed, 300, keeps);
            let report = audit(&sale.export(), None).unwrap_or_else(|stop| panic!("{stop}"));
            let numbers = report.editions.last().unwrap().numbers;
            let all = sale.room.lanes().all();
            let issued = all.map(|(_, lane)| lane.line().next().within() - 1);
            assert_eq!(numbers, issued.sum::<u64>());
            let (is, of) = (report.standing, sale.room.lanes());
            assert_eq!([is.present, is.away], [of.present(), of.away()]);
            moved += report.totals.moved;
            drawn += report.totals.drawn;
            lanes += of.all().count();
        }
    }
    println!("{moved} moved, {drawn} drawn, {lanes} slots");
    assert!(moved > 20 && drawn > 100 && lanes > 200);
}

#[test]
fn a_forgery_of_lanes_is_found_where_the_core_could_not_have_written_it() {
    let mut verdicts = Verdicts::default();
    for seed in seeds([0, 3]) {
        println!("BATON_SEED={seed} cargo test -p baton-tools --test audit a_forgery_of_lanes");
        judge(&Sale::of(seed, 30, with_lanes()), &mut verdicts);
    }
    let Verdicts { found, lawful, laws } = verdicts;
    println!("{found} found, {} lawful, {laws:?}", lawful.len());
    if option_env!("BATON_SEED").is_none() {
        assert!(found > 3_000 && lawful.len() < found / 3);
        for law in LAWS {
            assert!(laws.contains(law), "{law} has found nothing");
        }
    }
}

/// The laws that only lanes can break, except that lanes keep their shares, which takes more people: see `lane_forgeries`.
const LAWS: [&str; 3] = [
    "a ticket moves to the end of a better lane",
    "nobody comes into a lane that left the list",
    "the rule picks the lane",
];
