//! The room's side of a story: the room with its courier, what travels between it and the lobby, and another lobby's visitors.

use super::front::lane_of;
use super::text::refused;
use super::{FAR, HERE, Play, account, count, ms, visitor};
use baton::facts::command::Command;
use baton::facts::event::Row;
use baton::facts::holder::{Comes, Held, Member};
use baton::facts::message::{FromRoom, Refusal, RoomLife, RoomMemory, ToLobby, ToRoom};
use baton::facts::units::Instant;
use baton::facts::voucher::{CodeHash, Terms};
use baton::lobby::keys;
use baton::room::Room;
use baton::room::courier::{Courier, Push, Slept};
use baton::room::hall::Lots;
use baton::room::vouchers::NewSheet;

impl Play {
    /// One row of the room, and what is pushed after it.
    pub(super) fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let mut row = self.room.open_row(self.now);
        let lots = Lots::new(vec![[7; 32]]);
        self.room.keep_hours(self.now.0, &lots, &mut row);
        let result = act(&mut self.room, self.now, &mut row);
        let edition = self.room.edition();
        self.room.follow_proved_edition(&mut row);
        self.salt.0[0] += u8::from(self.room.edition() != edition);
        self.courier.lives(RoomLife(self.room.told_from().0));
        result
    }

    pub(super) fn wakes(&mut self) {
        self.memory += 1;
        let life = RoomLife(self.room.told_from().0);
        self.courier = Courier::woken(&self.room, life, RoomMemory(self.memory), Slept::Briefly);
        self.pushes.clear();
    }

    pub(super) fn configure(&mut self) {
        let config = self.config.clone();
        self.turn(|room, _, row| room.configure(&config, row));
    }

    /// A code that is good so often, and leads into a lane.
    pub(super) fn makes_code(&mut self, code: &str, uses: &str, rest: &[&str]) {
        let new = NewSheet::Codes(vec![(CodeHash(count(code)), count(uses))]);
        let terms = Terms {
            lane: lane_of(rest).map(|lane| lane.to_string()),
            from_at_ms: 0,
            ends_at_ms: self.now.plus_ms(3_600_000).0,
        };
        let (_, made) = self.room.vouchers().decide_sheet(terms, new, self.now.0, "desk").expect("a sheet");
        self.turn(|room, _, row| room.commit([made], row));
    }

    pub(super) fn hear(&mut self, said: &ToRoom) -> FromRoom {
        let now = self.now;
        match said {
            ToRoom::Hello(hello) => {
                let life = RoomLife(self.room.told_from().0);
                if let Some(knows) = hello.knows.filter(|knows| knows.life == life) {
                    self.turn(|room, now, row| room.commit(room.case(now).decide_known(knows.version), row));
                }
                self.courier.hello(&self.room, now, self.salt, hello)
            }
            ToRoom::More(more) => self.courier.more(&self.room, now, more),
            ToRoom::Batch(batch) => {
                if let Err(refusal) = self.courier.admit(&self.room, batch) {
                    return FromRoom::Refused(refusal);
                }
                self.turn(|room, now, row| {
                    room.take(now, batch.lobby, &batch.commands, batch.attempts, row);
                });
                self.courier.answer(&self.room, now, batch).into()
            }
            ToRoom::Bundle(_) => panic!("there is no porter here"),
            ToRoom::Check(fences) => {
                let leases = fences.iter().map(|fence| self.room.case(now).check(*fence));
                FromRoom::Leases(leases.collect())
            }
        }
    }

    pub(super) fn taken(&mut self) {
        let (call, said) = self.calls.pop_front().expect("a call is out");
        let answer = self.hear(&said);
        self.taken = Some(said);
        self.answers.push_back((call, answer));
    }

    pub(super) fn answered(&mut self) -> Vec<String> {
        let (call, answer) = self.answers.pop_front().expect("an answer is out");
        let mut seen: Vec<String> = match &answer {
            FromRoom::Refused(_) | FromRoom::Later(_) => vec![refused(&answer)],
            _ => vec![],
        };
        self.lobby.handle_answer(self.moment(), call, Some(answer));
        seen.extend(self.effects());
        seen
    }

    pub(super) fn says(&mut self, what: &[&str]) {
        let answer = match what {
            ["deposed"] => FromRoom::Refused(Refusal::Deposed),
            ["unknown"] => FromRoom::Refused(Refusal::Unknown),
            ["late"] => FromRoom::Refused(Refusal::Late),
            ["malformed"] => FromRoom::Refused(Refusal::Malformed),
            ["version"] => FromRoom::Refused(Refusal::Version),
            ["later", wait] => FromRoom::Later(ms(wait)),
            _ => panic!("no answer {what:?}"),
        };
        let (call, _) = self.calls.pop_front().expect("a call is out");
        self.lobby.handle_answer(self.moment(), call, Some(answer));
    }

    pub(super) fn next_push(&mut self) -> Push {
        let pushes = self.courier.pushes(&self.room, self.now);
        self.pushes.extend(pushes.into_iter().filter(|push| push.lobby == HERE));
        self.pushes.pop_front().expect("the room has nothing to say")
    }

    pub(super) fn push(&mut self) -> Vec<String> {
        let push = self.next_push();
        let heard = self.lobby.handle_push(self.moment(), &push.said);
        let mut seen: Vec<String> = matches!(push.said, ToLobby::Poke).then(|| "poked".to_owned()).into_iter().collect();
        seen.extend(self.effects());
        self.courier.finished(self.now, &push, Some(heard));
        let up_to = self.room.version();
        seen.push(match heard.acknowledged {
            None => "no ack".to_owned(),
            Some(version) if version == up_to => "ack".to_owned(),
            Some(version) => format!("ack {version}"),
        });
        seen
    }

    pub(super) fn far(&mut self, verb: &str, who: &str, rest: &[&str]) {
        let holder = keys::holder(self.salt, visitor(who));
        let place = |play: &Self, name: &str| {
            let key = keys::holder(play.salt, visitor(name)).key;
            let number = play.room.living_of(key).expect("has a place");
            Held { number, key }
        };
        let command = match (verb, rest) {
            ("joins", []) => Command::join(vec![holder]),
            ("joins", ["as", name]) => {
                self.accounts.insert((*name).to_owned());
                Command::join(vec![Member {
                    holder,
                    account: keys::account(self.salt, account(name)),
                    comes: Comes::Anew,
                }])
            }
            ("leaves", []) => Command::Leave(place(self, who)),
            // Whoever is named last has the place then.
            ("takes", [taker]) => Command::Carry {
                place: place(self, who),
                row: self.room.version(),
                to: keys::holder(self.salt, visitor(taker)),
            },
            _ => panic!("far {verb}"),
        };
        self.turn(|room, now, row| room.perform(now, &command, FAR, row));
    }
}
