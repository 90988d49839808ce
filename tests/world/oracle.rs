//! Knows what nobody in the world knows, whose every number is, and judges all that is said.

use crate::people::who;
use crate::sim::World;
use baton::lobby::event::LobbyEvent;
use baton::room::Room;
use baton::room::command::{Batch, Command, Reply, Standing};
use baton::room::event::{Event, How, Row};
use baton::room::line::Place;
use baton::units::{Ahead, Fence, Instant, Number, VisitorId};
use baton::wire::{LeaseTold, State, Status};
use std::collections::{BTreeMap, BTreeSet};

/// After faults stop, so long until whatever they left is put right.
pub const SETTLED_AFTER_MS: u64 = 120_000;

#[derive(Default)]
pub struct Oracle {
    /// The room as it is stored.
    pub truth: Option<Room>,
    pub now: Instant,
    /// Whose each number is.
    owner: BTreeMap<Number, VisitorId>,
    /// Whom each batch that issues numbers is for, as the lobby stored it.
    meant_for: BTreeMap<(usize, u64, u64), Vec<Vec<VisitorId>>>,
    bytes: BTreeMap<(usize, u64, u64), Vec<u8>>,
    fences: BTreeMap<Fence, Number>,
    expired: BTreeSet<Fence>,
    last_told: BTreeMap<usize, Number>,
    least_ahead: BTreeMap<(usize, Number), u64>,
    /// When everything must have settled.
    pub settled_at: Option<u64>,
    pub figures: Figures,
}

#[derive(Default, Debug, Clone, Copy)]
pub struct Figures {
    pub turns: u64,
    pub told: u64,
    pub joined: u64,
    pub walked_in: u64,
    pub called: u64,
    pub leases: u64,
    pub expired: u64,
    pub missed: u64,
    pub repeats: u64,
}

impl Oracle {
    pub fn restored_room(&self, room: &Room) {
        let stored = self.truth.clone().unwrap_or_default();
        assert!(
            stored == *room,
            "the restored room is another: {room:#?}\nnot {stored:#?}"
        );
    }

    /// A lobby stored these.
    pub fn saved(&mut self, lobby: usize, events: &[LobbyEvent]) {
        for event in events {
            if let LobbyEvent::Sent { batch, visitors } = event {
                let key = (lobby, batch.epoch, batch.sequence);
                let before = self.meant_for.insert(key, visitors.clone());
                assert!(before.is_none(), "batch {key:?} was made twice");
            }
        }
    }

    /// A batch leaves a lobby: the same name means the same bytes, and one that issues numbers is
    /// stored.
    pub fn sent(&mut self, lobby: usize, batch: &Batch) {
        let key = (lobby, batch.epoch, batch.sequence);
        let bytes = postcard::to_allocvec(batch).expect("encodes");
        if let Some(before) = self.bytes.insert(key, bytes.clone()) {
            assert_eq!(before, bytes, "batch {key:?} changed");
            self.figures.repeats += 1;
        }
        let issues = batch
            .commands
            .iter()
            .any(|c| matches!(c, Command::Join { .. } | Command::WalkIn));
        assert!(
            !issues || self.meant_for.contains_key(&key),
            "batch {key:?} was sent before it was stored"
        );
    }

    /// A row is durable.
    pub fn committed(&mut self, before: &Room, after: &Room, row: &Row, now: Instant) {
        self.figures.turns += 1;
        self.now = now;
        if row.events.is_empty() {
            return;
        }
        if option_env!("BATON_SEED").is_some() {
            println!("{now} row {} {:?}", row.version, row.events);
        }
        for event in &row.events {
            match event {
                Event::BatchTaken {
                    lobby,
                    epoch,
                    sequence,
                    replies,
                    ..
                } => {
                    self.numbers_go(&(usize::from(lobby.0), *epoch, *sequence), replies);
                }
                Event::Called { number, fence } | Event::Handed { number, fence, .. } => {
                    self.figures.called += 1;
                    self.mint(*fence, *number);
                }
                Event::WalkedIn { number, fence, .. } => self.mint(*fence, *number),
                _ => {}
            }
            if let Event::Ended { fence, how, .. }
            | Event::Handed {
                from: fence, how, ..
            } = event
            {
                self.figures.expired += u64::from(*how == How::Expired);
                self.figures.missed += u64::from(matches!(how, How::Missed | How::MissedAgain));
                if *how == How::Expired {
                    self.expired.insert(*fence);
                }
            }
        }
        assert!(
            self.truth.as_ref().is_none_or(|truth| truth == before),
            "a turn began from another state"
        );
        self.truth = Some(after.clone());
        self.one_living_number_each(after, now);
    }

    fn mint(&mut self, fence: Fence, number: Number) {
        let before = self.fences.insert(fence, number);
        assert!(before.is_none(), "fence {fence} was minted twice");
    }

    fn numbers_go(&mut self, key: &(usize, u64, u64), replies: &[Reply]) {
        let nobody = vec![];
        let meant_for = self.meant_for.get(key).unwrap_or(&nobody).clone();
        let mut give = |number: Number, visitor: VisitorId| {
            let before = self.owner.insert(number, visitor);
            assert!(
                before.is_none_or(|before| before == visitor),
                "number {number} was issued twice"
            );
        };
        for (index, reply) in replies.iter().enumerate() {
            match reply {
                Reply::Joined { first, .. } => {
                    let visitors = &meant_for[index];
                    for (offset, visitor) in (0..).zip(visitors) {
                        give(first.plus(offset), *visitor);
                    }
                    self.figures.joined += visitors.len() as u64;
                }
                Reply::Stands(Standing::Admitted {
                    number,
                    provisional: true,
                    ..
                }) if meant_for.get(index).is_some_and(|v| v.len() == 1) => {
                    // A walk-in, or the repeated sight of one.
                    give(*number, meant_for[index][0]);
                    self.figures.walked_in += 1;
                }
                _ => {}
            }
        }
    }

    fn one_living_number_each(&self, room: &Room, now: Instant) {
        let in_line = room.line().living().map(|(number, _)| number);
        let leased = room.permits().out().map(|(_, grant)| grant.number);
        let living: BTreeSet<Number> = in_line.chain(leased).collect();
        let mut held: BTreeMap<VisitorId, Number> = BTreeMap::new();
        for number in living {
            if room.standing(now, number) == Standing::Over {
                continue;
            }
            let owner = self
                .owner
                .get(&number)
                .unwrap_or_else(|| panic!("nobody owns number {number}"));
            if let Some(other) = held.insert(*owner, number) {
                panic!("visitor {owner} has two living numbers, {other} and {number}");
            }
        }
    }

    /// A lobby says this to a visitor.
    pub fn told(&mut self, visitor: usize, status: &Status, lease: Option<LeaseTold>) {
        self.figures.told += 1;
        if option_env!("BATON_SEED").is_some() {
            println!("{} told {visitor}: {status:?} {lease:?}", self.now);
        }
        if let Some(lease) = lease {
            self.figures.leases += 1;
            assert_eq!(
                self.fences.get(&lease.fence),
                Some(&lease.number),
                "visitor {visitor}: {lease:?}"
            );
            assert_eq!(
                self.owner.get(&lease.number),
                Some(&who(visitor)),
                "{lease:?}"
            );
            let open = lease.idle_in_ms.min(lease.hard_in_ms) > 0;
            assert!(
                !open || !self.expired.contains(&lease.fence),
                "{visitor} is told an ended lease {lease:?}"
            );
            self.lease_is_no_longer_than_the_rooms(visitor, &lease);
        }
        let Some(number) = status.number else { return };
        let room = self.truth.clone().unwrap_or_default();
        let standing = room.standing(self.now, number);
        assert_eq!(
            self.owner.get(&number),
            Some(&who(visitor)),
            "{visitor} is told {number}"
        );
        // A lobby that a visitor was passed on from may still tell of an older end.
        if status.state != State::Over {
            self.number_grows(visitor, number, &room);
        }
        match status.state {
            State::Over => assert_eq!(
                standing,
                Standing::Over,
                "{visitor} is told that {number} is over"
            ),
            State::Waiting => {
                self.ahead_is_a_bound_that_never_rises(visitor, number, status, &room)
            }
            State::Called => {
                let called = self.fences.values().any(|called| *called == number);
                assert!(called, "{visitor} is told that {number} is called");
            }
            State::None | State::Admitted => {}
        }
    }

    fn number_grows(&mut self, visitor: usize, number: Number, room: &Room) {
        let Some(last) = self.last_told.insert(visitor, number) else {
            return;
        };
        assert!(
            number >= last,
            "visitor {visitor} had {last} and is told {number}"
        );
        let lives = number != last && room.standing(self.now, last) != Standing::Over;
        assert!(
            !lives,
            "visitor {visitor} still has {last} and is told {number}"
        );
    }

    fn lease_is_no_longer_than_the_rooms(&self, visitor: usize, lease: &LeaseTold) {
        let room = self.truth.as_ref().expect("there is a lease");
        let Some(grant) = room.permits().grant(lease.fence) else {
            return;
        };
        let told_ms = lease.idle_in_ms.min(lease.hard_in_ms);
        // The room's clock may have been read a while ago; it has not stood still since.
        let left_ms = grant.due_at().since_ms(room.now());
        assert!(
            told_ms <= left_ms,
            "{visitor} is told {told_ms} ms of {left_ms}: {lease:?}"
        );
    }

    fn ahead_is_a_bound_that_never_rises(
        &mut self,
        visitor: usize,
        number: Number,
        status: &Status,
        room: &Room,
    ) {
        let Some(ahead) = status.ahead else { return };
        let least = self
            .least_ahead
            .entry((visitor, number))
            .or_insert(u64::MAX);
        assert!(
            ahead <= *least,
            "visitor {visitor} with {number} was shown {least} in front, now {ahead}"
        );
        *least = ahead;
        let really = room.ahead(number);
        let living = room.standing(self.now, number) != Standing::Over;
        assert!(
            !living || really <= Ahead(ahead),
            "{visitor} with {number} is shown {ahead}, it is {really}"
        );
    }

    pub fn owner(&self, number: Number) -> Option<VisitorId> {
        self.owner.get(&number).copied()
    }
}

impl World {
    /// Once everything has settled, whoever holds a socket is present in the room too, and nobody
    /// is called past them.
    pub fn calls_are_in_order(&self, before: &Room, row: &Row) {
        if self.oracle.settled_at.is_none_or(|at| self.wall < at) {
            return;
        }
        for event in &row.events {
            let (Event::Called { number, .. } | Event::Handed { number, .. }) = event else {
                continue;
            };
            for (earlier, place) in before.line().living().take_while(|(n, _)| n < number) {
                let owner = self
                    .people
                    .iter()
                    .find(|v| Some(who(v.index())) == self.oracle.owner(earlier));
                let steady = owner
                    .and_then(|v| v.steady_since())
                    .is_some_and(|at| at + 20_000 < self.wall);
                let passed =
                    steady && matches!(place, Place::Away(_)) && !before.line().missed(earlier);
                assert!(
                    !passed,
                    "{number} was called past {earlier}, whose socket is open"
                );
            }
        }
    }

    /// Who was not served, and how things are in truth, for a failure's message.
    pub fn who_waits(&self) -> String {
        let room = self.oracle.truth.clone().unwrap_or_default();
        let mut text = format!("at {} {:?}\n", self.wall, room.permits());
        for visitor in self.people.iter().filter(|visitor| visitor.waits_in_calm()) {
            let numbers = self
                .oracle
                .owner
                .iter()
                .filter(|(_, owner)| **owner == who(visitor.index()));
            let places: Vec<_> = numbers
                .map(|(n, _)| {
                    (
                        *n,
                        room.line().place(*n),
                        room.standing(self.oracle.now, *n),
                    )
                })
                .filter(|(_, _, standing)| *standing != Standing::Over)
                .collect();
            text += &format!("{visitor:?}\n  in truth {places:?}\n");
            for (index, side) in self.lobbies.iter().enumerate() {
                let Some(living) = &side.living else { continue };
                let id = who(visitor.index());
                if let Some(ticket) = living.lobby.ticket(id) {
                    let holds = living.lobby.holds(id);
                    text += &format!("  in lobby {index} {ticket:?}, holds {holds}\n");
                }
            }
            let sockets = self
                .sockets
                .iter()
                .filter(|(_, s)| s.visitor == visitor.index());
            text += &format!(
                "  sockets {:?}\n",
                sockets.map(|(id, s)| (*id, s.lobby)).collect::<Vec<_>>()
            );
        }
        text
    }

    /// Everybody who stayed was in.
    pub fn all_are_served(&self) -> bool {
        self.people.iter().all(|visitor| !visitor.waits_in_calm())
    }
}
