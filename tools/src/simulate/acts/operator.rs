//! What the operator does to the room: settings at once or on a ramp, resets and dismissals. And what should be in force when, worked out plainly.

use crate::simulate::acts::OPERATOR;
use crate::simulate::judge::Cause;
use crate::simulate::law::require;
use crate::simulate::room_side::RoomSide;
use crate::simulate::world::World;
use baton::facts::config::RoomConfig;
use baton::facts::units::Instant;
use baton::journal::Store;
use baton::living::{LivingRoom, RoomOptions};
use baton::room::laws::Check;
use baton::room::ramp::Ramp;

/// The rates, in thousandths a second, between which ramps run: never below what the calm counts on.
const RATES: [u64; 4] = [2_000, 2_500, 3_000, 6_000];

impl RoomSide {
    /// Returns the settings that the operator wants in force at `now`.
    pub fn wanted_at(&self, now: Instant) -> RoomConfig {
        let (options, tick_ms) = (&self.options, self.options.config.tick_ms);
        let mut config = options.config.clone();
        if let Some(ramp) = options.ramps.permits {
            config.permits = earned(ramp, now, tick_ms) as u32;
        }
        if let Some(ramp) = options.ramps.admissions_milli_per_s {
            config.admissions_milli_per_s = earned(ramp, now, tick_ms);
        }
        config
    }

    /// Checks that no ramp moves before the room's alarm rings, however quiet the room is.
    ///
    /// # Errors
    /// Returns the broken law if a ramp would move before it.
    pub fn ramps_move_on_time<S: Store>(&self, living: &LivingRoom<S>) -> Check {
        let now = living.clock().now();
        let until = living.rings_at().map_or(u64::MAX, |at| at.0.saturating_sub(1)).max(now.0);
        let stays = self.wanted_at(Instant(until)) == self.wanted_at(now);
        require("a ramp moves on time (4)", stays, || {
            format!("{:?} at {now}, awake at {:?}", self.options.ramps, living.rings_at())
        })
    }
}

/// Returns the value that a ramp has in force: as many steps as its share of the time has earned. It counts them one by one, unlike the room.
fn earned(ramp: Ramp, now: Instant, tick_ms: u64) -> u64 {
    let gone_ms = now.since_ms(ramp.since) / tick_ms * tick_ms;
    if gone_ms >= ramp.over_ms {
        return ramp.to;
    }
    let way = ramp.from.abs_diff(ramp.to);
    let steps = (1..=way).take_while(|step| step * ramp.over_ms <= way * gone_ms);
    let gone = steps.count() as u64;
    if ramp.to > ramp.from { ramp.from + gone } else { ramp.from - gone }
}

impl World {
    /// Changes what the operator wants, and brings it to the room: now, and again after each restart.
    pub fn operator_sets(&mut self, change: impl FnOnce(&mut RoomOptions)) {
        change(&mut self.room.options);
        if let Some(living) = &mut self.room.living {
            living.set_options(self.room.options.clone());
        }
        self.wake_room();
        let _ = self.turn(|(), _| Cause::Other, |living, wall_ms| living.look(wall_ms));
    }

    /// Resets the room.
    pub fn operator_resets(&mut self) {
        self.wake_room();
        let _ = self.turn(|_, _| Cause::Other, |living, wall_ms| living.reset(wall_ms, OPERATOR));
    }

    /// Ends the ticket of somebody who waits or is inside, for the operator.
    pub fn operator_dismisses(&mut self, which: u64) {
        self.wake_room();
        let Some(room) = self.room.living.as_ref().map(|living| living.room()) else {
            return;
        };
        let waiting = room.line().living().map(|(number, _)| number);
        let inside = room.permits().out().map(|(_, grant)| grant.number);
        let living: Vec<_> = waiting.chain(inside).collect();
        let Some(number) = living.get((which % living.len().max(1) as u64) as usize).copied() else {
            return;
        };
        let _ = self.turn(|_, _| Cause::Other, |living, wall_ms| living.dismiss(wall_ms, number, OPERATOR));
    }

    /// Sets this many permits, and another rate where there is one: at once, or on a ramp of some seconds from what is in force.
    pub fn operator_turns(&mut self, permits: u32, which: u64) {
        self.wake_room();
        let ramps = which.is_multiple_of(2);
        let over_ms = 1_000 * (1 + which / 2 % 20);
        let rate = RATES.get((which / 64 % 8) as usize).copied();
        let living = self.room.living.as_ref().filter(|_| ramps);
        let now = living.map(|living| (living.clock().now(), living.room().config().clone()));
        let ramp = |from: fn(&RoomConfig) -> u64, to| {
            let (since, config) = now.as_ref()?;
            let (from, since) = (from(config), *since);
            Some(Ramp { from, to, since, over_ms })
        };
        let permits_ramp = ramp(|config| u64::from(config.permits), u64::from(permits));
        let capped = self.room.options.config.admissions_milli_per_s > 0;
        let rate = rate.filter(|_| capped).map(|to| (to, ramp(|config| config.admissions_milli_per_s, to)));
        self.operator_sets(|options| {
            options.config.permits = permits;
            options.ramps.permits = permits_ramp;
            if let Some((to, ramp)) = rate {
                options.config.admissions_milli_per_s = to;
                options.ramps.admissions_milli_per_s = ramp;
            }
        });
    }
}
