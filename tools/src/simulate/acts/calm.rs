//! The calm after the storm: faults stop, and every visitor who stays gets in, in order, within a stated time.

use crate::audit::Place as Plain;
use crate::simulate::law::require;
use crate::simulate::people::{Visitor, who};
use crate::simulate::queue::{Event, Life, Object};
use crate::simulate::world::World;
use baton::facts::config::Mode;
use baton::facts::event::{Event as Fact, How, Row};
use baton::facts::reply::Standing;
use baton::facts::units::{LobbyId, Number};
use baton::lobby::Lobby;
use baton::room::laws::Check;
use baton::room::line::Place;
use baton::room::ramp::Ramps;
use baton_advice::chance::Chance;

/// By this time after the faults stop, everything that they left behind has been put right.
pub const SETTLED_AFTER_MS: u64 = 120_000;
/// A visitor who has held a socket for this long is present in the room too.
const STEADY_MS: u64 = 20_000;
/// How long visitors wait on open sockets before the doors open for the second time.
const WAITS_MS: u64 = 10_000;
/// Within this time the room hears of a visitor who holds a socket.
const HEARD_AFTER_MS: u64 = 10_000;
/// Once everything has settled, the room's process still ends after this many of a thousand rows that call somebody, before it tells anybody.
const RESTARTS_MILLI: u32 = 150;

impl World {
    /// Lets every visitor who was in come once more, and takes all permits away. Returns when the doors may open: by then the visitors
    /// who wait have held their sockets for long.
    pub fn calm_again(&mut self) -> u64 {
        self.operator_sets(|options| options.config.permits = 0);
        for visitor in 0..self.people.len() {
            self.people[visitor].comes_once_more();
            let ms = self.net.within(0, 2_500);
            self.after(ms, Event::Acts(visitor));
        }
        self.time + STEADY_MS + WAITS_MS
    }

    /// Opens the doors again, with as many permits as the bound needs.
    pub fn doors_open(&mut self) {
        let enough = self.enough();
        self.operator_sets(|options| options.config.permits = enough);
    }

    /// The number of permits with which everybody gets in within the bound.
    fn enough(&self) -> u32 {
        (self.people.len() / 10).max(1) as u32
    }

    /// Stops the faults, opens the room, and makes it large enough for everybody to get in within the bound.
    pub fn calm(&mut self) {
        self.faults.borrow_mut().stop();
        let enough = self.enough();
        let lanes = self.lanes_in_the_calm();
        self.operator_sets(|options| {
            options.config.mode = Mode::Open;
            options.config.periods.clear();
            options.config.lanes = lanes;
            options.config.schedule.clear();
            options.config.line_max = 0;
            options.config.permits = options.config.permits.max(enough);
            options.ramps = Ramps::default();
        });
        self.builds_agree();
        for index in 0..self.lobbies.len() {
            self.lobbies[index].deaf_until = 0;
            if let Some(id) = self.lobbies[index].old.as_ref().map(|old| old.id) {
                self.old_ends(Life { lobby: index, id });
            }
        }
        self.calm_people();
        // Any event arms a lost alarm again once it is five seconds late.
        for ms in [6_000, 12_000] {
            self.after(ms, Event::Poke);
        }
    }

    /// Calms the visitors: about a third leave, and the others stay until they were in once more. Those who are away come back at once.
    pub fn calm_people(&mut self) {
        self.moody = false;
        for visitor in 0..self.people.len() {
            let mut rng = Chance::of(self.seed, visitor as u64 + 1);
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

    /// Makes an event reach every object.
    pub fn everything_is_poked(&mut self) {
        self.operator_sets(|_| {});
        for index in 0..self.lobbies.len() {
            let life = self.wake_lobby(index);
            self.lobby_does(life, Lobby::handle_timeout);
        }
    }

    /// Returns whether everything that the faults left behind must have been put right by now.
    pub(super) fn is_settled(&self) -> bool {
        self.oracle.settled_at.is_some_and(|at| self.time >= at)
    }

    /// Checks the calls of a row and the calls that nobody answered, once everything has settled.
    pub fn calls_are_kept(&self, row: &Row) -> Check {
        if !self.is_settled() {
            return Ok(());
        }
        self.calls_are_in_order(row)?;
        self.calls_are_told(row)
    }

    /// Checks that nobody is called past a visitor of the same lane who holds a socket.
    fn calls_are_in_order(&self, row: &Row) -> Check {
        let before = &self.judge.shadow;
        for event in &row.events {
            let (Fact::Called { number, .. } | Fact::Handed { number, .. }) = event else {
                continue;
            };
            let line = before.tickets().line_of(*number);
            for (earlier, place) in line.living().take_while(|(n, _)| n < number) {
                let is_passed = self.is_steady(earlier) && matches!(place, Place::Away(_)) && !line.missed(earlier);
                require("nobody is called past somebody who is there (3)", !is_passed, || {
                    format!("{number} was called past {earlier}, whose socket is open")
                })?;
            }
        }
        Ok(())
    }

    /// Checks that, once everything has settled, every visitor who holds a socket is present in the room too, a moment later at most.
    pub fn the_steady_are_present(&self) -> Check {
        if !self.is_settled() {
            return Ok(());
        }
        let now = self.judge.shadow.now();
        let model = &self.judge.model;
        let is_long = |number| model.away_since(number).is_some_and(|since| now.since_ms(since) > HEARD_AFTER_MS);
        let away = model.tickets().filter(|ticket| matches!(ticket.place, Plain::Away(_)) && !ticket.missed);
        for ticket in away.filter(|ticket| !ticket.number.is_entry() && is_long(ticket.number)) {
            require("who is there is there in the room too (3)", !self.is_steady(ticket.number), || {
                format!("{ticket:?}, whose socket is open")
            })?;
        }
        Ok(())
    }

    /// Checks that no visitor who holds a socket misses a call without having been told of it.
    fn calls_are_told(&self, row: &Row) -> Check {
        for event in &row.events {
            let Fact::Ended {
                fence,
                how: How::Missed | How::MissedAgain,
                ..
            } = event
            else {
                continue;
            };
            let number = self.judge.shadow.permits().grant(*fence).map(|grant| grant.number);
            let untold = number.filter(|number| self.is_steady(*number) && !self.oracle.was_told_of_call(*number, *fence));
            require("who is there is told of the call (4)", untold.is_none(), || {
                let number = untold.unwrap_or_default();
                format!("{number} missed the call {fence}, of which nothing was said")
            })?;
        }
        Ok(())
    }

    /// Returns whether the owner of a number has shown it on an open socket at its lobby for long enough.
    fn is_steady(&self, number: Number) -> bool {
        let room = &self.judge.shadow;
        let (edition, at) = (room.edition(), room.tickets().lobby_of(number));
        let owner = self.oracle.owner(number).map(|visitor| &self.people[visitor]);
        let owner = owner.filter(|person| {
            let shown = person.seen.shown();
            shown.is_some_and(|own| (own.edition, own.number) == (edition, number)) && self.is_at(person, at)
        });
        owner.and_then(Visitor::steady_since).is_some_and(|since| since + STEADY_MS < self.time)
    }

    /// Returns whether the page's socket is at this lobby.
    fn is_at(&self, person: &Visitor, lobby: Option<LobbyId>) -> bool {
        let socket = person.socket.and_then(|socket| self.sockets.get(socket));
        socket.is_some_and(|socket| lobby == Some(Self::lobby_id(socket.lobby)))
    }

    /// Decides whether the room's process ends now, with a call that nobody was told of.
    pub fn dies_with_a_call(&mut self, row: &Row) -> bool {
        let calls = |event: &Fact| matches!(event, Fact::Called { .. } | Fact::Handed { .. });
        self.is_settled() && row.events.iter().any(calls) && self.net.chance(RESTARTS_MILLI)
    }

    /// Returns whether every visitor who stayed was in.
    #[must_use]
    pub fn all_are_served(&self) -> bool {
        self.people.iter().all(|visitor| !visitor.waits_in_calm())
    }

    /// Describes the visitors who were not served and how things are in truth, for a failure's message.
    #[must_use]
    pub fn who_waits(&self) -> String {
        let room = &self.judge.shadow;
        let mut text = format!(
            "at {}, room due {:?}, alarm {:?}, wall {}: {:?}\n",
            self.time,
            room.case(room.now()).due_at(),
            self.room.disk.alarm(),
            self.wall_of(Object::Room),
            room.permits()
        );
        for (index, visitor) in self.people.iter().enumerate().filter(|(_, v)| v.waits_in_calm()).take(4) {
            text += &format!("{index}: {visitor:?}\n");
            for number in self.oracle.numbers_of(index) {
                let standing = room.tickets().standing(room.now(), number);
                if standing != Standing::Over {
                    text += &format!("  {number} {:?} {standing:?}\n", room.line().place(number));
                }
            }
            for (at, side) in self.lobbies.iter().enumerate() {
                if let Some(ticket) = side.living.as_ref().and_then(|living| living.core.lobby.ticket_of(who(index))) {
                    text += &format!("  in lobby {at} {ticket:?}\n");
                }
            }
        }
        text
    }
}
