//! The room object's part, step by step as `src/edge/room_object.rs` does it.

use crate::disk::Disk;
use crate::sim::{Answer, Event, Object, World};
use baton::clock::Clock;
use baton::journal::{self, Store};
use baton::room::command::{Batch, Message};
use baton::room::courier::{Courier, PUSH_TIMEOUT_MS};
use baton::room::event::Row;
use baton::room::frame::Frame;
use baton::room::{Room, laws};
use baton::units::{Instant, LobbyId};

#[derive(Default)]
pub struct RoomSide {
    pub disk: Disk,
    pub living: Option<Living>,
    process: u64,
}

pub struct Living {
    pub room: Room,
    pub courier: Courier,
    clock: Clock,
    armed: Option<Instant>,
    rows_since_snapshot: u64,
    hash: journal::Hash,
}

impl World {
    fn wake_room(&mut self) {
        if self.room.living.is_some() {
            return;
        }
        let restored = journal::restore::<Room, _>(&self.room.disk).expect("nothing is damaged");
        self.oracle.restored_room(&restored.state);
        let mut clock = restored
            .clock
            .map_or(Clock::new(self.wall), |(at, wall)| Clock::resume(at, wall));
        let armed = self.room.disk.alarm().map(|ms| clock.at_wall_ms(ms));
        clock.advance(self.wall, armed);
        self.room.living = Some(Living {
            room: restored.state,
            courier: Courier::default(),
            clock,
            armed,
            rows_since_snapshot: restored.replayed,
            hash: restored.hash,
        });
    }

    /// One turn. `Err`: the write failed, or its outcome is not known; the memory is dropped.
    fn turn<T>(&mut self, act: impl FnOnce(&mut Living, Instant, &mut Row) -> T) -> Result<T, ()> {
        let mut living = self.room.living.take().ok_or(())?;
        let now = living.clock.advance(self.wall, living.armed);
        let before = living.room.clone();
        let mut row = living.room.open_row(now);
        living.room.configure(&self.config, &mut row);
        let result = act(&mut living, now, &mut row);
        laws::check_row(&before, &living.room, &row)
            .and_then(|()| laws::check_state(&living.room, now))
            .and_then(|()| laws::turn_is_idempotent(&living.room, now))
            .unwrap_or_else(|violation| panic!("{violation}\nrow: {row:#?}"));
        self.write_room(&mut living, &row);
        let pushes = living.courier.pushes(&living.room, now);
        let due = [living.room.due_at(now), living.courier.due_at(&living.room)];
        let due = due.into_iter().flatten().min();
        let alarm = arm(&mut living.armed, now, self.wall, due);
        if let Some(wall_ms) = alarm {
            self.room.disk.stage_alarm(wall_ms);
        }
        let fails = self.chance(self.weather.write_fails);
        if fails && self.rng.bool() {
            self.room.disk.undo();
            return Err(());
        }
        self.room.disk.commit();
        if let Some(due) = alarm {
            self.arm(Object::Room, due);
        }
        self.oracle.committed(&before, &living.room, &row, now);
        self.calls_are_in_order(&before, &row);
        if fails {
            return Err(());
        }
        let kept = self
            .room
            .disk
            .alarm()
            .is_some_and(|at| Some(at) <= due.map(|due| living.clock.to_wall_ms(due)));
        assert!(
            due.is_none() || kept,
            "law 10: due {due:?}, the alarm is set for {:?}",
            self.room.disk.alarm()
        );
        self.room.living = Some(living);
        let process = self.room.process;
        for push in pushes {
            let id = self.id();
            self.pushes.insert(id, (push, process));
            self.transmit(|| Event::PushArrives { push: id });
            self.after(
                PUSH_TIMEOUT_MS,
                Event::PushEnded {
                    push: id,
                    watchers: None,
                },
            );
        }
        Ok(result)
    }

    fn write_room(&mut self, living: &mut Living, row: &Row) {
        if row.events.is_empty() {
            return;
        }
        let sealed = journal::seal(&living.hash, row.version.0, row.at, self.wall, &row.events)
            .expect("sealed");
        living.hash = sealed.hash;
        let Ok(()) = self.room.disk.put_row(&sealed);
        living.rows_since_snapshot += 1;
        if living.rows_since_snapshot >= self.rows_per_snapshot {
            let snapshot =
                journal::snapshot(row.version.0, row.at, self.wall, &living.hash, &living.room)
                    .expect("sealed");
            let Ok(()) = self
                .room
                .disk
                .put_snapshot(&snapshot, self.wall.saturating_sub(30_000));
            living.rows_since_snapshot = 0;
        }
    }

    /// An alarm rings, now and then late.
    pub fn arm(&mut self, object: Object, due: u64) {
        let late = if self.chance(self.weather.alarm_late) {
            self.rng.u64(0..20_000)
        } else {
            self.rng.u64(0..5)
        };
        self.after(
            due.saturating_sub(self.wall) + late,
            Event::Alarm { object, due },
        );
    }

    pub fn room_rings(&mut self, due: u64) {
        if self.room.disk.alarm() != Some(due) {
            return;
        }
        self.room.disk.set_alarm(None);
        self.wake_room();
        let rung = self.turn(|living, now, row| {
            living.armed = None;
            living.room.take_turn(now, row);
        });
        if rung.is_err() {
            // Set anew, sooner or later than one that may be stored.
            let again = self.wall + 1_000;
            self.room.disk.set_alarm(Some(again));
            self.arm(Object::Room, again);
        }
    }

    pub fn room_takes(&mut self, call: u64, batch: &Batch) {
        self.wake_room();
        let taken = self.turn(|living, now, row| {
            let answer = living.room.receive(now, batch, row);
            if let Ok(message) = &answer {
                living.courier.heard_from(batch.lobby, message.noticed);
            }
            answer
        });
        if let Ok(Ok(message)) = &taken {
            assert_eq!(
                message.replies.len(),
                batch.commands.len(),
                "one reply for each command"
            );
        }
        let answer: Answer = taken;
        self.transmit(|| Event::Answered {
            call,
            answer: Box::new(answer.clone()),
        });
    }

    pub fn room_is_looked_at(&mut self, ask: u64) {
        self.wake_room();
        let message = self.turn(|living, now, _| Message {
            version: living.room.version(),
            gist: living.room.gist(now),
            frame: Some(Frame::of(&living.room, now).encode()),
            ..Message::default()
        });
        let message = message.ok().map(Box::new);
        self.transmit(|| Event::Looked {
            ask,
            message: message.clone(),
        });
    }

    pub fn push_arrives(&mut self, id: u64) {
        // A push that was given up still arrives.
        let Some(push) = self.pushes.get(&id).map(|(push, _)| push.clone()) else {
            return;
        };
        let watchers = self.lobby_is_pushed(usize::from(push.lobby.0), &push.message);
        if let Some(count) = watchers {
            self.transmit(|| Event::PushEnded {
                push: id,
                watchers: Some(count),
            });
        }
    }

    pub fn push_ended(&mut self, id: u64, watchers: Option<u64>) {
        let Some((push, process)) = self.pushes.get(&id).cloned() else {
            return;
        };
        // Its end is told once; a late copy may still arrive at the lobby.
        self.pushes.insert(id, (push.clone(), u64::MAX));
        if process == self.room.process {
            let _ = self.turn(|living, now, _| living.courier.finished(now, &push, watchers));
        }
    }

    pub fn room_crashes(&mut self) {
        self.room.process += 1;
        self.room.living = None;
    }

    pub fn lobby_id(lobby: usize) -> LobbyId {
        LobbyId(lobby as u16)
    }
}

/// As `src/edge/alarm.rs` does: never moved later, set anew when it was lost. When it is to be set
/// for, on the wall clock, if it must be set.
pub fn arm(
    armed: &mut Option<Instant>,
    now: Instant,
    wall: u64,
    due: Option<Instant>,
) -> Option<u64> {
    let due = due?;
    let lost = armed.is_some_and(|at| now.since_ms(at) > 5_000);
    if armed.is_some_and(|at| at <= due) && !lost {
        return None;
    }
    *armed = Some(due);
    Some(wall + due.since_ms(now))
}
