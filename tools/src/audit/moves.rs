//! Checks that a ticket moves to a better lane, to the end of its line or of its hall, with a new number. A ticket that is
//! called or inside never moves.

use super::facts::{LIVING, NUMBERS};
use super::ledger::Ledger;
use super::{Check, require};
use baton::facts::config::RoomConfig;
use baton::facts::units::Number;

const MOVES: &str = "a ticket moves to the end of a better lane";

impl Ledger {
    /// Moves a ticket. Its holder, lobby, account, presence and missed call go along.
    pub(super) fn moved(&mut self, config: &RoomConfig, from: Number, to: Number) -> Check {
        let said = || format!("number {} became {}", self.say(from), self.say(to));
        require(LIVING, self.waits(from), || format!("{}, and does not wait", said()))?;
        let lane = self.lanes.taking_of(NUMBERS, to)?;
        let is_better = self.lanes.is_better(to.lane(), from.lane());
        require(MOVES, is_better, || format!("{}, and that lane is no better", said()))?;
        let (mode, id) = (config.mode, to.lane());
        let next = if lane.takes_entries(mode) {
            Some(id.entry(lane.hall.line.issued() + 1))
        } else {
            (lane.issues(mode)).then(|| id.number(lane.line.issued() + 1))
        };
        require(MOVES, next == Some(to), || match next {
            Some(next) => format!("{}, and {} is next", said(), self.say(next)),
            None => format!("{}, and nobody comes into that lane now", said()),
        })?;
        // The ticket was counted before, so the limit of living tickets holds.
        let lobby = self.lobby_of(from).unwrap_or_default();
        let (line, within) = self.lanes.line_of_mut(from);
        let until_ms = line.kept_until_ms(within);
        let missed = line.missed(within);
        line.remove(within);
        let (line, within) = self.lanes.line_of_mut(to);
        line.join(lobby, 1);
        if let Some(until_ms) = until_ms {
            line.stay_away(within, until_ms, config.grace_ms);
        }
        if missed {
            line.set_missed(within);
        }
        self.owned_moves(from, to);
        self.totals.moved += 1;
        Ok(())
    }
}
