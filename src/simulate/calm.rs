//! After the storm: faults stop, and whoever stays gets in, in order, within a stated time.

use super::people::Visitor;
use super::queue::{Event, Object};
use super::rng::Rng;
use super::world::{World, who};
use crate::room::command::Standing;
use crate::room::config::Mode;
use crate::room::event::{Event as Fact, Row};
use crate::room::laws::{Check, Violation};
use crate::room::line::Place;
use crate::room::ramp::Ramps;
use crate::wire::Shown;

/// After faults stop, so long until whatever they left is put right.
pub const SETTLED_AFTER_MS: u64 = 120_000;
/// Whoever holds a socket for so long is present in the room too.
const STEADY_MS: u64 = 20_000;

impl World {
    /// Faults stop. The room is open, and large enough for everybody to get in within the bound.
    pub fn calm(&mut self) {
        self.faults.borrow_mut().stop();
        let enough = (self.people.len() / 10).max(1) as u32;
        self.operator_sets(|options| {
            options.config.mode = Mode::Open;
            options.config.periods.clear();
            options.config.permits = options.config.permits.max(enough);
            options.ramps = Ramps::default();
        });
        self.calm_people();
        // A lost alarm is set anew by the first event after five seconds, whatever it is.
        for ms in [6_000, 12_000] {
            self.after(ms, Event::Poke);
        }
    }

    /// Faults stop; two of three of those who are there stay until they were in once more.
    pub fn calm_people(&mut self) {
        self.moody = false;
        for visitor in 0..self.people.len() {
            let mut rng = Rng::of(self.seed, visitor as u64 + 1);
            if rng.below(3) == 0 {
                if let Some(socket) = self.people[visitor].socket {
                    self.hangs_up(visitor, socket, &mut rng);
                }
                self.people[visitor].gone = true;
            } else if self.people[visitor].away_until > self.time {
                self.people[visitor].away_until = 0;
                self.after(0, Event::Acts(visitor));
            }
        }
    }

    /// Anything at all reaches every object.
    pub fn everything_is_poked(&mut self) {
        self.operator_sets(|_| {});
        for index in 0..self.lobbies.len() {
            if let Some(life) = self.wake_lobby(index) {
                let _ = self.change(life, |_, _, _| {});
            }
        }
    }

    /// Once everything has settled, whoever holds a socket is present in the room too, and nobody
    /// is called past them.
    pub fn calls_are_in_order(&self, row: &Row) -> Check {
        if self.oracle.settled_at.is_none_or(|at| self.time < at) {
            return Ok(());
        }
        let before = &self.judge.shadow;
        let edition = before.edition();
        let place_of = |number| Shown { edition, number };
        for event in &row.events {
            let (Fact::Called { number, .. } | Fact::Handed { number, .. }) = event else {
                continue;
            };
            for (earlier, place) in before.line().living().take_while(|(n, _)| n < number) {
                let owner = self
                    .oracle
                    .owner(earlier)
                    .map(|visitor| &self.people[visitor]);
                let steady = owner
                    .filter(|person| {
                        person
                            .ticket
                            .is_some_and(|(own, _)| own == place_of(earlier))
                    })
                    .and_then(Visitor::steady_since)
                    .is_some_and(|at| at + STEADY_MS < self.time);
                if steady && matches!(place, Place::Away(_)) && !before.line().missed(earlier) {
                    return Err(Violation {
                        law: "nobody is called past somebody who is there (3)",
                        seen: format!("{number} was called past {earlier}, whose socket is open"),
                    });
                }
            }
        }
        Ok(())
    }

    /// Everybody who stayed was in.
    #[must_use]
    pub fn all_are_served(&self) -> bool {
        self.people.iter().all(|visitor| !visitor.waits_in_calm())
    }

    /// Who was not served, and how things are in truth, for a failure's message.
    #[must_use]
    pub fn who_waits(&self) -> String {
        let room = &self.judge.shadow;
        let mut text = format!(
            "at {}, room due {:?}, alarm {:?}, wall {}: {:?}\n",
            self.time,
            room.due_at(room.now()),
            self.room.disk.alarm(),
            self.wall_of(Object::Room),
            room.permits()
        );
        for (index, visitor) in self
            .people
            .iter()
            .enumerate()
            .filter(|(_, v)| v.waits_in_calm())
            .take(4)
        {
            text += &format!("{index}: {visitor:?}\n");
            for number in self.oracle.numbers_of(index) {
                let standing = room.standing(room.now(), number);
                if standing != Standing::Over {
                    text += &format!("  {number} {:?} {standing:?}\n", room.line().place(number));
                }
            }
            for (at, side) in self.lobbies.iter().enumerate() {
                if let Some(ticket) = side
                    .living
                    .as_ref()
                    .and_then(|living| living.core.lobby.ticket(who(index)))
                {
                    text += &format!("  in lobby {at} {ticket:?}\n");
                }
            }
        }
        text
    }
}
