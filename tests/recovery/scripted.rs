//! A room that lives through everything that can be stored: every fact, every reason.

use crate::disk::Disk;
use crate::wishes::{self, holder};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::command::Command;
use baton::facts::config::{Change, Mode, RoomConfig};
use baton::facts::entry::{EntryRefusal, EntryRefusals};
use baton::facts::event::Row;
use baton::facts::holder::{Comes, Holder, Key, Member, Salt};
use baton::facts::hours::Period;
use baton::facts::live::Ramped;
use baton::facts::overheard::Overheard;
use baton::facts::proofs::ProofChecks;
use baton::facts::schedule::{BY_SCHEDULE, Step, StepEnd};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::journal::{Journal, Store};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::live;
use baton::room::schedule;

/// The hour at which the script begins.
pub const START: Instant = Instant(1_700_000_000_000);
/// A snapshot after so many rows; all rows are kept.
pub const SNAPSHOT_AFTER: u64 = 10;
/// With what private facts are hidden, in every edition.
pub const SALT: Salt = Salt([7; 16]);

/// Three steps, a minute after each other, of which the first was over before.
fn steps(now: Instant) -> Vec<Step> {
    let step = |at_ms, permits: u32| Step {
        at_ms,
        offset_s: 9 * 3_600,
        set: vec![Change::Permits(Some(Ramped::At(permits)))],
    };
    let permits = (0..).zip([1, 3, u32::MAX]);
    permits.map(|(nth, permits)| step(now.0 - 60_000 + nth * 60_000, permits)).collect()
}

/// Each of them ends another way.
fn planned(s: &mut Scribe<'_>) {
    let why = "ROOMS.onsale.permits: is not a whole number".to_owned();
    s.turn(|room, _, row| {
        let at_ms = |room: &Room| room.schedule().due_ms(room.config()).unwrap();
        room.commit([schedule::ended(at_ms(room), StepEnd::Passed)], row);
        let values = vec![Change::Permits(Some(Ramped::At(3)))];
        room.commit([live::adjusted(BY_SCHEDULE, values)], row);
        room.commit([schedule::ended(at_ms(room), StepEnd::Done)], row);
        room.commit([schedule::ended(at_ms(room), StepEnd::Refused(why))], row);
    });
}

/// A room that writes a row a turn, as the object does.
pub struct Scribe<'d> {
    pub room: Room,
    pub now: Instant,
    journal: Journal<&'d Disk>,
    keep_from_ms: u64,
}

impl<'d> Scribe<'d> {
    pub fn new(disk: &'d Disk, rows_per_snapshot: u64, keep_from_ms: u64) -> Self {
        let (mut journal, restored) = Journal::open::<Room>(disk).unwrap();
        journal.rows_per_snapshot = rows_per_snapshot;
        Self {
            room: restored.state,
            now: START,
            journal,
            keep_from_ms,
        }
    }

    /// How often it takes a snapshot from now on.
    pub fn rows_per_snapshot(&mut self, rows: u64) {
        self.journal.rows_per_snapshot = rows;
    }

    /// One turn: what is done, and its row.
    pub fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let store = self.journal.store();
        store.put_salt(self.room.edition(), SALT).unwrap();
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        if !row.events.is_empty() {
            // The wall clock is not the room's: here it is a little ahead.
            let wall_ms = self.now.0 + 250;
            let (events, keep) = (&row.events, self.keep_from_ms);
            self.journal.append(&SALT, self.now, wall_ms, events, &mut self.room, keep).unwrap();
        }
    }

    pub fn usher_after(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    pub fn batch(&mut self, lobby: u16, commands: Vec<Command>) {
        self.turn(|room, now, row| room.take(now, LobbyId(lobby), &commands, 3, row));
    }

    pub fn configure(&mut self, config: RoomConfig) {
        self.turn(|room, _, row| room.configure(&config, row));
    }

    /// What the hours ask for now.
    pub fn hours(&mut self) {
        let lots = Lots::new(vec![[7; 32]]);
        self.turn(|room, now, row| room.keep_hours(now.0, &lots, row));
    }
}

/// Lives through every fact of a room.
///
/// Long because it is one story that goes through every fact.
pub fn room(disk: &Disk) -> Room {
    let mut s = Scribe::new(disk, SNAPSHOT_AFTER, 0);
    let config = RoomConfig {
        permits: 2,
        grace_ms: 600_000,
        ..RoomConfig::default()
    };
    let permits = |permits| RoomConfig { permits, ..config.clone() };
    s.configure(config.clone());
    s.batch(0, vec![wishes::join(&s.room, 2)]);
    s.turn(|room, _, row| {
        room.reset("operator", row);
    });
    s.batch(0, vec![Command::walk_in(holder(1))]); // 1 again, fence 1
    s.batch(1, vec![Command::walk_in(holder(2)), wishes::join(&s.room, 2)]); // 2, fence 2; 3, 4
    s.batch(0, vec![wishes::join(&s.room, 3)]); // 5, 6, 7
    s.now = s.now.plus_ms(1_500);
    s.batch(0, vec![Command::Release(Fence(1))]); // baton to 3, fence 3
    s.batch(1, vec![wishes::claim(&s.room, Number(3)), Command::Renew(Fence(2))]);
    let more_time = Command::Extend {
        fence: Fence(3),
        total_ms: 60_000,
    };
    let away = |s: &Scribe<'_>, numbers: &[u64]| {
        let numbers: Vec<Number> = numbers.iter().copied().map(Number).collect();
        wishes::away(&s.room, &numbers)
    };
    s.batch(1, vec![more_time, away(&s, &[4])]);
    s.batch(0, vec![away(&s, &[5, 6])]);
    s.batch(1, vec![wishes::back(&s.room, Number(4))]);
    s.configure(permits(1)); // a debt of 1
    s.batch(1, vec![Command::Release(Fence(3))]); // pays it
    s.configure(permits(3));
    s.usher_after(1_000); // calls 4 and 7, fences 4 and 5
    s.batch(0, vec![wishes::back(&s.room, Number(5))]);
    s.batch(1, vec![wishes::leave(&s.room, Number(4))]); // called and left: baton to 5, fence 6
    s.batch(0, vec![wishes::claim(&s.room, Number(5))]);
    s.usher_after(31_000); // 7 missed; into the hand
    s.batch(0, vec![wishes::back(&s.room, Number(7))]);
    s.usher_after(1_000); // calls 7 again, fence 7
    s.usher_after(31_000); // missed again, over; into the hand
    s.batch(1, vec![Command::walk_in(holder(3))]); // 8, fence 8, provisional
    s.configure(RoomConfig {
        mode: Mode::Paused,
        ..permits(3)
    });
    s.batch(1, vec![wishes::join(&s.room, 2), Command::Release(Fence(8))]); // 9, 10; to the tray
    s.configure(permits(3));
    s.usher_after(1_000); // the tray into the hand; calls 9, fence 9
    s.batch(1, vec![wishes::leave(&s.room, Number(10)), wishes::join(&s.room, 4)]); // 11–14
    s.usher_after(500_000); // what has run out: leases, 9's call, the grace of 6
    s.batch(2, vec![wishes::join(&s.room, 2)]); // 15, 16
    s.batch(1, vec![away(&s, &[13])]);
    s.usher_after(200_000); // calls 14, 15, 16, fences 13, 14, 15
    let more_time = Command::Extend {
        fence: Fence(14),
        total_ms: 5_000,
    };
    s.batch(1, vec![wishes::claim(&s.room, Number(14)), more_time]);
    s.batch(2, vec![wishes::claim(&s.room, Number(15))]);
    s.batch(4, vec![wishes::join(&s.room, 3)]); // 17, 18, 19
    s.configure(RoomConfig {
        mode: Mode::Paused,
        ..permits(3)
    });
    s.batch(2, vec![wishes::leave(&s.room, Number(16))]); // to the tray
    s.batch(4, vec![wishes::carry(&s.room, Number(17), holder(4))]);
    s.batch(2, vec![wishes::carry(&s.room, Number(15), holder(5))]);
    let own = s.room.tickets().holder(Number(17)).expect("carried");
    s.batch(4, vec![join_as(own, 1)]);
    the_rest(&mut s, &config);
    s.room
}

/// Somebody joins for an account.
fn join_as(holder: Holder, account: u64) -> Command {
    let account = Key(account);
    let comes = Comes::Anew;
    Command::join(vec![Member { holder, account, comes }])
}

/// What the operator, the origin and the hours add. Afterwards some wait in the line and some in the hall of the next day.
fn the_rest(s: &mut Scribe<'_>, config: &RoomConfig) {
    let number = Number(18);
    s.turn(|room, _, row| room.commit([live::adjusted("ops", vec![Change::Permits(Some(Ramped::At(3)))])], row));
    s.turn(|room, now, row| assert!(room.dismiss(now, number, "ops", row)));
    let measured = RoomConfig {
        origin_errors_max_percent: 50,
        stock_line: true,
        mode: Mode::SoldOut,
        ..config.clone()
    };
    s.configure(measured.clone());
    let proofs = ProofChecks::of_counts([7, 0, 0, 0, 2, 0, 0, 0, 1]);
    let times = [1, 240, 900, 70_000].map(AnswerTimes::one);
    let times = times.iter().fold(AnswerTimes::one_failed(), |all, one| all.plus(one));
    let origin = wishes::origin(3, 1);
    let entry = EntryRefusals::one(EntryRefusal::Missing).plus(&EntryRefusals::one(EntryRefusal::Late));
    let rest = wishes::overheard(Overheard {
        proofs,
        entry,
        observed_only: 4,
        unheeded: 2,
        times,
        ..Overheard::default()
    });
    s.batch(0, vec![origin, wishes::stock(9, 5), rest]);
    let day = |hours: u64| Period {
        opens_at_ms: s.now.plus_ms(hours * 3_600_000).0,
        closes_at_ms: s.now.plus_ms((hours + 1) * 3_600_000).0,
    };
    let periods = vec![day(1), day(3)];
    s.configure(RoomConfig {
        mode: Mode::Open,
        hall_ms: 3_600_000,
        periods,
        schedule: steps(s.now),
        ..measured
    });
    s.hours();
    planned(s);
    s.batch(0, vec![wishes::join(&s.room, 3)]);
    s.batch(1, vec![join_as(holder(70), 2), wishes::join(&s.room, 2)]);
    s.now = s.now.plus_ms(3_600_000);
    s.hours();
    s.now = s.now.plus_ms(3_600_000);
    s.hours();
    s.batch(3, vec![wishes::join(&s.room, 2)]);
    s.batch(0, vec![wishes::away(&s.room, &[Number::of_entry(6)])]);
    s.batch(0, vec![wishes::join(&s.room, 1)]);
}
