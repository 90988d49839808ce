//! A room, and beside it plain lists of what happened, which its figures are held against.

use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, How, Row};
use baton::facts::reply::Reply;
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::permits::Stage;
use baton::room::report::Report;
use baton::room::times::hour::Sample;
use baton::room::{Room, laws};
use std::collections::BTreeMap;

const LOBBY: LobbyId = LobbyId(0);
pub const BEGIN: Instant = Instant(1_700_000_000_000);

/// What so many thousandths of a list do not exceed.
pub fn exact(values: &[u64], thousandths: u64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() as u64 * thousandths).div_ceil(1_000).max(1);
    sorted[rank as usize - 1]
}

/// A room, and lists of what happened in it, made from its rows without its figures.
pub struct Sale {
    pub room: Room,
    pub now: Instant,
    issued_at: BTreeMap<Number, Instant>,
    called_at: BTreeMap<Fence, (Number, Instant)>,
    begun_at: BTreeMap<Fence, Instant>,
    waits: Vec<u64>,
    pub claims: Vec<u64>,
    released: Vec<u64>,
    expired: Vec<u64>,
    dead_ms: u64,
    used_ms: u64,
}

impl Sale {
    pub fn new(config: &RoomConfig) -> Self {
        let mut sale = Self {
            room: Room::new(),
            now: BEGIN,
            issued_at: BTreeMap::new(),
            called_at: BTreeMap::new(),
            begun_at: BTreeMap::new(),
            waits: vec![],
            claims: vec![],
            released: vec![],
            expired: vec![],
            dead_ms: 0,
            used_ms: 0,
        };
        sale.turn(|room, _, row| room.configure(config, row));
        sale
    }

    pub fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        for event in &row.events {
            self.note(event);
        }
        laws::check_state(&self.room, self.now).expect("lawful");
        result
    }

    pub fn perform(&mut self, command: &Command) -> Reply {
        self.turn(|room, now, row| wishes::say(room, now, command, LOBBY, row))
    }

    /// The same of a command that is made of how things are.
    pub fn wants(&mut self, command: impl FnOnce(&Room) -> Command) -> Reply {
        let command = command(&self.room);
        self.perform(&command)
    }

    pub fn tick(&mut self) {
        self.turn(Room::take_turn);
    }

    /// Time passes: what a permit was is added millisecond by millisecond's worth.
    pub fn pass(&mut self, ms: u64) {
        let permits = self.room.permits();
        let wanted = self.room.config().mode.calls() && self.room.line().present() > 0;
        let free = if wanted { permits.free() } else { 0 };
        self.dead_ms += ms * u64::from(permits.called() + free);
        self.used_ms += ms * u64::from(permits.leased());
        self.now = self.now.plus_ms(ms);
    }

    fn note(&mut self, event: &Event) {
        let now = self.now;
        match event {
            Event::Joined { first, count, .. } => {
                let numbers = (0..u64::from(*count)).map(|more| (first.plus(more), now));
                self.issued_at.extend(numbers);
            }
            Event::WalkedIn { fence, .. } => {
                self.begun_at.insert(*fence, now);
            }
            Event::Called { number, fence } => self.call(*number, *fence),
            Event::Handed { from, how, number, fence } => {
                self.end(*from, *how);
                self.call(*number, *fence);
            }
            Event::Claimed { fence } => {
                let (_, called_at) = self.called_at[fence];
                self.claims.push(now.since_ms(called_at));
                self.begun_at.insert(*fence, now);
            }
            Event::Ended { fence, how, .. } => self.end(*fence, *how),
            _ => {}
        }
    }

    fn call(&mut self, number: Number, fence: Fence) {
        let again = self.called_at.values().any(|(called, _)| *called == number);
        self.called_at.insert(fence, (number, self.now));
        if !again {
            self.waits.push(self.now.since_ms(self.issued_at[&number]));
        }
    }

    fn end(&mut self, fence: Fence, how: How) {
        let begun = self.begun_at.get(&fence).copied();
        match (how, begun) {
            (How::Released, Some(begun)) => self.released.push(self.now.since_ms(begun)),
            (How::Expired, Some(begun)) => self.expired.push(self.now.since_ms(begun)),
            _ => {}
        }
    }

    pub fn report(&self) -> Report {
        self.room.report(self.now)
    }

    /// The room's figures are those of the lists.
    pub fn check(&self) {
        let report = self.report();
        assert_eq!(report.dead_permit_ms, self.dead_ms);
        assert_eq!(report.used_permit_ms, self.used_ms);
        let told = report.durations;
        for (told, list) in [
            (&told.claim, &self.claims),
            (&told.released, &self.released),
            (&told.expired, &self.expired),
        ] {
            let sum: u64 = list.iter().sum();
            assert_eq!((told.count, told.sum_ms), (list.len() as u64, sum));
        }
        let count = self.waits.len() as u64;
        let sum: u64 = self.waits.iter().sum();
        assert_eq!(told.wait.count, count);
        assert!((sum..=sum + 250 * count).contains(&told.wait.sum_ms));
        if count > 0 {
            let (p90, is) = (told.wait.p90_ms.unwrap(), exact(&self.waits, 900));
            let most = (is + 250) + (is + 250) / 8 + 17;
            assert!(is <= p90 && p90 <= most, "p90 {p90}, is {is}");
        }
    }

    /// Every dead millisecond is of one permit: one that was claimed since, or one that is still free or called for.
    pub fn hour(&self) -> Vec<Sample> {
        self.room.measured_at(self.now).times.hour.samples()
    }

    pub fn check_dead(&self) {
        let report = self.report();
        let called = self.room.permits().out().map(|(_, grant)| match grant.stage {
            Stage::Called { called_at, dead_ms, .. } => dead_ms + self.now.since_ms(called_at),
            Stage::Leased(_) => 0,
        });
        let mut times = self.room.measured().times.clone();
        if self.room.line().present() > 0 {
            times.idle.wanted(self.now.since_ms(self.room.now()));
        }
        assert_eq!(times.idle.free(), self.room.permits().free());
        let all = report.durations.handover.sum_ms + times.idle.dead_ms() + called.sum::<u64>();
        assert_eq!(report.dead_permit_ms, all);
    }
}

pub fn config() -> RoomConfig {
    RoomConfig {
        permits: 3,
        walk_in: false,
        tick_ms: 1_000,
        claim_within_ms: 3_000,
        grace_ms: 60_000,
        lease_idle_ms: 9_000,
        lease_max_ms: 40_000,
        lease_extend_max_ms: 0,
        ..RoomConfig::default()
    }
}
