//! The lanes of random sales: which lanes there are, and which lane's token people show.

use super::Sale;
use baton::facts::command::Command;
use baton::facts::hall::Draw;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::units::Number;

const NAMES: [&str; 4] = ["members", "friends", "press", "everybody"];

impl Sale {
    /// Returns up to four random lanes, some with hours of their own; now and then none.
    pub fn lanes(&mut self) -> (Vec<Lane>, LanesRule) {
        if !self.keeps.lanes || self.rng.u8(0..8) == 0 {
            return (vec![], LanesRule::Strict);
        }
        let mut lanes = vec![];
        for name in NAMES {
            if self.rng.u8(0..4) == 0 {
                continue;
            }
            let draws = [None, None, Some(Draw::Shuffle), Some(Draw::Arrival)];
            lanes.push(Lane {
                name: LaneName::parse(name).unwrap(),
                title: String::new(),
                share: self.rng.u32(1..4),
                periods: (self.rng.u8(0..3) == 0).then(|| self.periods()),
                hall_ms: (self.rng.u8(0..3) == 0).then(|| self.rng.u64(0..20_000)),
                draw: *self.rng.choice(&draws).unwrap(),
            });
        }
        let rules = [LanesRule::Strict, LanesRule::Shares, LanesRule::Shares];
        (lanes, *self.rng.choice(&rules).unwrap())
    }

    /// Returns a living ticket of any lane, or `None` now and then, and always in a sale without lanes.
    pub fn number_of_any_lane(&mut self) -> Option<Number> {
        if !self.keeps.lanes || self.rng.u8(0..5) == 0 {
            return None;
        }
        let lines = self.room.lanes().lines();
        let living = lines.flat_map(|line| line.living().take(8));
        let living: Vec<Number> = living.map(|(number, _)| number).collect();
        self.rng.choice(&living).copied()
    }

    /// Returns the command, mostly with a token of some lane if somebody comes by it.
    pub fn with_a_token(&mut self, command: Command) -> Command {
        if !self.keeps.lanes {
            return command;
        }
        let names = ["members", "friends", "press", "nobodys"];
        let name = LaneName::parse(self.rng.choice(&names).unwrap()).unwrap();
        if matches!(command, Command::Enter(_)) && self.rng.u8(0..4) > 0 {
            command.into_lane(name)
        } else {
            command
        }
    }
}
