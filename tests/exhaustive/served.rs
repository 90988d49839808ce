//! Liveness: from every state, if whoever is present stays and whoever is called claims and
//! releases, all present are served, in order and in bounded time.
//!
//! Those who are inside are the worst there can be: they never come back. So the first permit
//! comes free when a lease runs idle, which is at most `lease_idle_ms` away, and the usher looks
//! at most a tick later. From then on the baton serves everybody in the same moment.

use crate::promises::require;
use crate::world::World;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::units::{Fence, Number};
use baton::room::laws::{self, Check};
use baton::room::permits::Stage;

/// Turns until everybody is served: one for each permit that may run out, and one more.
const TURNS_MAX: u32 = 12;

pub fn check(world: &World) -> Check {
    let mut world = world.clone();
    let mut row = world.room.open_row(world.now);
    let open = RoomConfig {
        permits: world.room.config().permits.max(1),
        mode: Mode::Open,
        ..world.room.config().clone()
    };
    world.room.configure(&open, &mut row);
    let config = world.room.config().clone();
    let longest = config.lease_idle_ms.max(config.claim_within_ms);
    let latest = world.now.plus_ms(longest + config.tick_ms);

    let mut wait: Vec<Number> = present(&world);
    let mut turns = 0;
    come(&mut world, &mut wait)?;
    while !wait.is_empty() {
        let due_at = world.room.case(world.now).due_at();
        let Some(due_at) = due_at else {
            return require("whoever stays is served (4)", false, || format!("{wait:?} wait and no alarm is armed"));
        };
        world.now = due_at.max(world.now);
        turns += 1;
        let in_time = world.now <= latest && turns <= TURNS_MAX;
        require("whoever stays is served in time (4)", in_time, || {
            format!("{wait:?} wait at {} in turn {turns}, latest {latest}", world.now)
        })?;
        let mut row = world.room.open_row(world.now);
        world.room.take_turn(world.now, &mut row);
        answer(&mut wait, &row)?;
        come(&mut world, &mut wait)?;
    }
    laws::check_state(&world.room, world.now)
}

fn present(world: &World) -> Vec<Number> {
    let first = world.room.line().first_present();
    core::iter::successors(first, |n| world.room.line().next_present(*n)).collect()
}

/// Strikes off who was called, and looks that it was the first of those who wait.
fn answer(wait: &mut Vec<Number>, row: &Row) -> Check {
    for event in &row.events {
        let (Event::Called { number, .. } | Event::Handed { number, .. }) = event else {
            continue;
        };
        require("served in order (3)", wait.first() == Some(number), || {
            format!("{number} was called, {wait:?} wait")
        })?;
        wait.remove(0);
    }
    Ok(())
}

/// Everybody who is called comes and is done at once, until nobody is called any more.
fn come(world: &mut World, wait: &mut Vec<Number>) -> Check {
    loop {
        let called: Vec<(Number, Fence)> = world
            .room
            .permits()
            .out()
            .filter(|(_, grant)| matches!(grant.stage, Stage::Called { .. }))
            .map(|(fence, grant)| (grant.number, fence))
            .collect();
        if called.is_empty() {
            return Ok(());
        }
        for (number, fence) in called {
            let mut row = world.room.open_row(world.now);
            let lobby = world.room.tickets().lobby_of(number).unwrap_or_default();
            let claim = crate::wishes::claim(&world.room, number);
            for command in [claim, Command::Release(fence)] {
                world.room.perform(world.now, &command, lobby, &mut row);
            }
            laws::conserved(&world.room, world.now)?;
            answer(wait, &row)?;
        }
    }
}
