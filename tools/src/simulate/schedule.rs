//! Schedules, and what their steps come to. This is worked out plainly, not in the room's own way.

use baton::facts::config::Change;
use baton::facts::live::Ramped;
use baton::facts::units::Instant;
use baton::living::{RoomOptions, StepJudge};
use baton::room::Room;
use baton::room::ramp::Ramp;
use std::collections::BTreeSet;

/// What the steps of this world come to: `permits` and `mode`, without the settings of a file.
#[derive(Debug)]
pub struct PlainSteps;

impl StepJudge for PlainSteps {
    fn judge(&self, room: &Room, options: &RoomOptions, now: Instant, set: &[Change]) -> Result<(Vec<Change>, RoomOptions), String> {
        let mut options = options.clone();
        comes_to(&mut options, set, now, room.config().permits)?;
        Ok((set.to_vec(), options))
    }
}

/// Lays a step's values over these options; a ramp begins at `permits`. Returns an error that says why if the room refuses the step.
pub(super) fn comes_to(options: &mut RoomOptions, set: &[Change], now: Instant, permits: u32) -> Result<(), String> {
    for change in set {
        match change {
            Change::Mode(Some(mode)) => options.config.mode = *mode,
            Change::Permits(Some(to)) => {
                options.config.permits = to.end();
                options.ramps.permits = match *to {
                    Ramped::At(_) => None,
                    Ramped::Ramp { to, over_ms, .. } => Some(Ramp {
                        from: u64::from(permits),
                        to: u64::from(to),
                        since: now,
                        over_ms,
                    }),
                };
            }
            _ => return Err("neither a mode nor permits".to_owned()),
        }
    }
    Ok(())
}

/// What was planned, and what has come of it. No crash touches it.
#[derive(Default)]
pub struct Plans {
    /// What the host's clock read when the schedule in force was set, Unix ms.
    pub(super) known_ms: u64,
    /// The moments of all steps that were ever dealt with, Unix ms.
    pub(super) dealt: BTreeSet<u64>,
}
