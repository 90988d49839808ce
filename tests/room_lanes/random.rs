//! Rooms with one to four lanes under random commands, against the rule said once more as plainly as it can be said; every law
//! after every turn; shares over any time in which the same lanes have people present.

use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder};
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number};
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NAMES: [&str; 5] = ["gold", "silver", "bronze", "press", "all"];

/// The rule by itself: a list of lanes, and tokens in the hands of the one whose turn it is.
#[derive(Default)]
struct Plain {
    set: Option<(Vec<Lane>, LanesRule)>,
    lanes: Vec<(LaneId, u32)>,
    shares: bool,
    turn: Option<LaneId>,
    tokens: u32,
    /// Calls of each lane since the same lanes have people.
    calls: Vec<(LaneId, u64)>,
    present: Vec<LaneId>,
}

impl Plain {
    fn learns(&mut self, room: &Room) {
        let config = room.config();
        let set = Some((config.lanes.clone(), config.lanes_rule));
        if set != self.set {
            let lanes = room.lanes().order();
            *self = Self {
                lanes: lanes.map(|(id, lane)| (id, lane.share())).collect(),
                shares: config.lanes_rule == LanesRule::Shares,
                set,
                ..Self::default()
            };
        }
    }

    /// After each fact.
    fn sees(&mut self, room: &Room) {
        self.learns(room);
        let mode = room.config().mode;
        let present = |id: &LaneId| room.lanes().lane(*id).line().present() > 0 && mode.calls();
        let now: Vec<LaneId> = self.lanes.iter().map(|(id, _)| *id).filter(present).collect();
        if now != self.present {
            self.present = now;
            self.calls = self.lanes.iter().map(|(id, _)| (*id, 0)).collect();
        }
        if self.turn.is_some_and(|turn| !self.present.contains(&turn)) {
            self.tokens = 0;
        }
    }

    fn next(&self) -> LaneId {
        if !self.shares {
            return self.present[0];
        }
        let Some(turn) = self.turn else {
            return self.present[0];
        };
        if self.tokens > 0 {
            return turn;
        }
        let at = self.lanes.iter().position(|(id, _)| *id == turn).unwrap();
        let round = self.lanes.iter().cycle().skip(at + 1).map(|(id, _)| *id);
        round.take(self.lanes.len()).find(|id| self.present.contains(id)).unwrap()
    }

    fn called(&mut self, lane: LaneId) {
        if self.tokens == 0 || self.turn != Some(lane) {
            let share = self.lanes.iter().find(|(id, _)| *id == lane);
            self.tokens = share.map_or(1, |(_, share)| *share);
        }
        self.turn = Some(lane);
        self.tokens -= 1;
        for (id, calls) in &mut self.calls {
            *calls += u64::from(*id == lane);
        }
        self.shares_hold();
    }

    /// No two lanes that have people differ from their shares by more than one turn each.
    fn shares_hold(&self) {
        if !self.shares {
            return;
        }
        let of = |wanted: &LaneId| {
            let calls = self.calls.iter().find(|(id, _)| id == wanted).unwrap().1;
            let share = self.lanes.iter().find(|(id, _)| id == wanted).unwrap().1;
            (calls, u64::from(share))
        };
        for one in &self.present {
            for other in &self.present {
                let ((calls, share), (less, of_other)) = (of(one), of(other));
                let turns = calls.div_ceil(share);
                assert!(turns <= less / of_other + 2, "{one}: {calls}/{share}, {other}: {less}/{of_other}");
            }
        }
    }
}

struct World {
    rng: fastrand::Rng,
    room: Room,
    plain: Plain,
    config: RoomConfig,
    now: Instant,
    people: u64,
    seen: [u32; 4],
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(seed),
            room: Room::new(),
            plain: Plain::default(),
            config: RoomConfig {
                permits: 4,
                tick_ms: 1_000,
                claim_within_ms: 4_000,
                grace_ms: 30_000,
                ..RoomConfig::default()
            },
            now: Instant(1_000_000),
            people: 0,
            seen: [0; 4],
        }
    }

    /// One command; done again it changes nothing more.
    fn says(&mut self, command: &Command, lobby: LobbyId) {
        self.turn(|room, now, row| room.perform(now, command, lobby, row));
        laws::done_twice_is_done_once(&self.room, self.now, command, lobby).unwrap_or_else(|broken| panic!("{broken}"));
    }

    /// One row, every fact of which is checked as it becomes true.
    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        laws::check_row(&before, &self.room, &row)
            .and_then(|()| laws::check_state(&self.room, self.now))
            .and_then(|()| laws::turn_is_idempotent(&self.room, self.now))
            .unwrap_or_else(|broken| panic!("{broken}: {row:?}"));
        let mut step = before;
        self.plain.sees(&step);
        for event in &row.events {
            self.judge(event);
            step.apply(row.version, row.at, event);
            self.plain.sees(&step);
        }
        if self.rng.u8(0..8) == 0 {
            self.comes_back();
        }
    }

    /// From snapshot and pages.
    fn comes_back(&self) {
        assert!(wishes::come_back(&self.room) == self.room, "a snapshot brings another room");
    }

    fn judge(&mut self, event: &Event) {
        match event {
            Event::Called { number, .. } | Event::Handed { number, .. } => {
                assert_eq!(number.lane(), self.plain.next(), "{event:?}");
                self.plain.called(number.lane());
                self.seen[0] += 1;
            }
            Event::WalkedIn { number, .. } => {
                assert_eq!(self.plain.present, [], "somebody was there: {event:?}");
                self.plain.called(number.lane());
                self.plain.tokens = 0;
                self.seen[1] += 1;
            }
            Event::Moved { .. } => self.seen[2] += 1,
            Event::Configured(_) => self.seen[3] += 1,
            _ => {}
        }
    }

    fn lanes(&mut self) -> Vec<Lane> {
        let count = self.rng.usize(0..=4);
        let mut names = NAMES.to_vec();
        self.rng.shuffle(&mut names);
        let lane = |(name, share)| crate::wishes::lane(name, share);
        let shares: Vec<u32> = (0..count).map(|_| self.rng.u32(1..4)).collect();
        names.into_iter().zip(shares).map(lane).collect()
    }

    fn configures(&mut self) {
        self.config.lanes = self.lanes();
        self.config.lanes_rule = *self.rng.choice(&[LanesRule::Strict, LanesRule::Shares]).unwrap();
        let config = self.config.clone();
        self.turn(|room, _, row| room.configure(&config, row));
    }

    /// Somebody's ticket, whoever's.
    fn any(&mut self) -> Option<(Held, LobbyId)> {
        let lines = self.room.lanes().lines().flat_map(|line| line.living());
        let living: Vec<Number> = lines.map(|(number, _)| number).collect();
        let number = *self.rng.choice(&living)?;
        let key = self.room.tickets().holder(number)?.key;
        Some((Held { number, key }, self.room.tickets().lobby_of(number)?))
    }

    fn enters(&mut self) {
        let old = self.rng.u64(0..self.people.max(1));
        let person = if self.rng.u8(0..3) == 0 { old } else { self.people };
        self.people += u64::from(person == self.people);
        let holder: Holder = crate::wishes::holder(person);
        let mut command = match self.rng.u8(0..5) {
            0 => Command::walk_in(holder),
            _ => Command::join(vec![holder]),
        };
        let name = *self.rng.choice(&NAMES).unwrap();
        if let Some(lane) = LaneName::parse(name).filter(|_| self.rng.u8(0..6) > 0) {
            command = command.into_lane(lane);
        }
        let lobby = LobbyId((person % 2) as u16);
        self.says(&command, lobby);
    }

    fn acts(&mut self) {
        let Some((held, lobby)) = self.any() else {
            return;
        };
        let presence = |here, away, as_of| Command::Presence { as_of, here, away };
        let version = self.room.version();
        let command = match self.rng.u8(0..6) {
            0 | 1 => presence(vec![], vec![held], version),
            2 | 3 => presence(vec![held], vec![], version),
            4 => Command::Leave(held),
            _ => match self.room.permits().of_number(held.number) {
                Some((fence, _)) => Command::Claim { place: held, fence },
                None => return,
            },
        };
        self.says(&command, lobby);
    }

    fn releases(&mut self) {
        let out: Vec<Fence> = self.room.permits().out().map(|(fence, _)| fence).collect();
        if let Some(fence) = self.rng.choice(&out).copied() {
            let release = Command::Release(fence);
            self.says(&release, LobbyId(0));
        }
    }

    fn steps(&mut self) {
        match self.rng.u8(0..40) {
            0 => self.configures(),
            1..=15 => self.enters(),
            16..=24 => self.acts(),
            25..=31 => self.releases(),
            _ => {
                self.now = self.now.plus_ms(self.rng.u64(0..3_000));
                self.turn(|room, now, row| room.take_turn(now, row));
            }
        }
    }
}

#[test]
fn the_plain_rule_picks_the_same() {
    let mut seen = [0; 4];
    for seed in 0..30 {
        let mut world = World::new(seed);
        world.configures();
        for _ in 0..250 {
            world.steps();
        }
        for (all, one) in seen.iter_mut().zip(world.seen) {
            *all += one;
        }
    }
    // Calls, walk-ins, moves and changes of the list were all there, many times.
    assert!(seen.iter().all(|count| *count > 30), "{seen:?}");
}

/// Each bug of the lanes breaks a law, or the plain rule, in one of these worlds.
#[cfg(feature = "planted-bugs")]
#[test]
fn every_planted_bug_of_the_lanes_is_found() {
    use baton::facts::planted::{Bug, plant};
    let play = |seed: u64| {
        let mut world = World::new(seed);
        world.configures();
        (0..250).for_each(|_| world.steps());
    };
    std::panic::set_hook(Box::new(|_| {}));
    let bugs = [
        Bug::SecondLaneFirst,
        Bug::AbsentLaneSavesUp,
        Bug::MissedCallIsFree,
        Bug::WalkInPastALane,
        Bug::TwoPlacesByLane,
        Bug::DrawAcrossLanes,
        Bug::MoveForgetsTheAccount,
    ];
    let missed: Vec<_> = bugs
        .into_iter()
        .filter(|bug| {
            plant(Some(*bug));
            let breaks = |test: fn()| std::panic::catch_unwind(test).is_err();
            let found = breaks(crate::draws::each_lane_has_its_hall_and_its_draw)
                || breaks(crate::a_move_keeps_the_account)
                || (0..40).any(|seed| std::panic::catch_unwind(|| play(seed)).is_err());
            plant(None);
            !found
        })
        .collect();
    let _ = std::panic::take_hook();
    assert_eq!(missed, []);
}
