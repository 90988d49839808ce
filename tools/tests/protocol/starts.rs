//! Where searches of the model begin. Each start has a name, so that a schedule can be replayed from it.

use super::acts::Act;
use super::people::{Budget, KINDS, Rare};
use super::rules::Rules;
use super::words::*;
use super::world::World;

/// Where a search begins, and how much trouble it allows.
pub struct Start {
    pub name: &'static str,
    homes: [LobbyId; VISITORS],
    budget: Budget,
    /// What people do first, one after another, without any fault.
    first: Vec<Act>,
}

const SAME: [LobbyId; VISITORS] = [0, 0];
const APART: [LobbyId; VISITORS] = [0, 1];

/// Returns a budget that allows everything at most `times` times, but only one draw: a ticket tells the judge only one earlier number.
fn everything(times: u8) -> Budget {
    let mut budget = Budget([times; KINDS]);
    budget.0[Rare::Draw as usize] = times.min(1);
    budget
}

/// Returns the empty rooms in which random walks begin.
pub fn empty_rooms() -> Vec<Start> {
    let room = |name, homes, times| Start {
        name,
        homes,
        budget: everything(times),
        first: Vec::new(),
    };
    vec![
        room("same-1", SAME, 1),
        room("apart-1", APART, 1),
        room("same-2", SAME, 2),
        room("apart-2", APART, 2),
        room("same-3", SAME, 3),
        room("apart-3", APART, 3),
    ]
}

fn comes(key: Key) -> [Act; 3] {
    [Act::Open(key), Act::Join(key), Act::Connect(key)]
}

/// Returns the rooms with people in them, for the breadth-first search.
pub fn scenes() -> Vec<Start> {
    let both: Vec<Act> = [comes(0), comes(1)].concat();
    let with = |more: &[Act]| [&both, more].concat();
    let scene = |name, homes, first| Start {
        name,
        homes,
        budget: everything(2),
        first,
    };
    vec![
        scene("called", SAME, both.clone()),
        scene("called-apart", APART, both.clone()),
        scene("leased", SAME, with(&[Act::Claim(0)])),
        scene("linked-apart", APART, with(&[Act::MakeLink(0)])),
        scene("missed", SAME, with(&[Act::CallMissed(0)])),
    ]
}

/// Returns the rooms with few kinds of trouble, which show that single rules are needed.
///
/// Long because it is one list of scenes.
pub fn corners() -> Vec<Start> {
    use Rare::*;
    let both: Vec<Act> = [comes(0), comes(1)].concat();
    let corner = |name, homes, budget: &[(Rare, u8)], first: &[Act]| Start {
        name,
        homes,
        budget: Budget::of(budget),
        first: first.to_vec(),
    };
    vec![
        corner("late", SAME, &[(Repeat, 4), (TimeOut, 3), (RoomRestart, 2), (Timer, 3), (Leave, 1)], &[]),
        corner(
            "twins",
            SAME,
            &[(Twin, 3), (TimeOut, 2), (Repeat, 3), (LobbyDeath, 1), (Timer, 3), (Break, 1)],
            &[],
        ),
        corner(
            "lists",
            SAME,
            &[(LobbyDeath, 3), (Repeat, 3), (TimeOut, 3), (Forget, 3), (RoomRestart, 1), (Timer, 3)],
            &both,
        ),
        corner(
            "pages",
            SAME,
            &[(TimeOut, 5), (Repeat, 4), (Timer, 4), (LobbyDeath, 2), (Break, 1)],
            &both,
        ),
        corner(
            "moves",
            APART,
            &[(Carry, 3), (LoseCookie, 2), (Lose, 2), (TimeOut, 2), (Twin, 1), (Repeat, 1)],
            &[],
        ),
        corner("presence", SAME, &[(Break, 3), (TimeOut, 4), (Timer, 6), (Repeat, 2)], &both),
    ]
}

/// Returns every start.
pub fn all() -> Vec<Start> {
    empty_rooms().into_iter().chain(scenes()).chain(corners()).collect()
}

impl Start {
    /// Returns the start with this name.
    pub fn named(name: &str) -> Option<Start> {
        all().into_iter().find(|start| start.name == name)
    }

    /// Builds the world and lets the first acts happen in it.
    pub fn world(&self, rules: Rules) -> World {
        let mut world = World::new(rules, self.homes, self.budget);
        for act in &self.first {
            world.happen(act);
            let talk = |act: &Act| matches!(act, Act::Deliver(_) | Act::Push(_));
            while let Some(act) = world.ordinary().into_iter().find(talk) {
                world.happen(&act);
            }
        }
        world
    }
}
