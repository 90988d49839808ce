//! Builds that differ for a while, and agree again. An object does nothing with what it cannot read (`edge/object.rs`, *unread*): the room refuses, or
//! its answer cannot be read; a lobby's word to the room counts as none; and a front asks a lobby once more before it gives up.

use crate::simulate::builds::{Skew, WAYS, Way};
use crate::simulate::faults::Kind;
use crate::simulate::queue::{Caller, Event};
use crate::simulate::slab::Id;
use crate::simulate::world::World;
use baton::facts::message::{FromRoom, Refusal, ToRoom};
use baton::gate::ASK_AGAIN_MS;
use std::rc::Rc;

/// How long builds differ at most, ms: longer than anybody waits for an answer.
const DIFFER_MAX_MS: u64 = 25_000;

impl World {
    /// Makes the room, a lobby or one way of messages another build's for a while. Whoever gets another build restarts for it, and the others
    /// restart when they get it too, unless only the way is changed.
    pub fn builds_differ(&mut self, index: usize, which: u64, size: u64) {
        let ms = 1 + size % DIFFER_MAX_MS;
        let until = self.time + ms;
        let way = WAYS[(size >> 40) as usize % WAYS.len()];
        let restarts = size >> 48 & 1 == 0;
        match which >> 32 & 3 {
            0 => {
                self.room_skew = Skew::of(&[Way::ToRoom, Way::Push], until);
                if restarts {
                    self.room_restarts();
                    self.after(ms, Event::Deployed(None));
                }
            }
            1 => {
                let ways = [Way::ToRoom, Way::Push, Way::ToLobby, Way::ToPorter];
                self.lobbies[index].skew = Skew::of(&ways, until);
                if restarts {
                    self.lobby_restarts(index);
                    self.after(ms, Event::Deployed(Some(index)));
                }
            }
            2 => self.room_skew = Skew::of(&[way], until),
            _ => self.lobbies[index].skew = Skew::of(&[way], until),
        }
    }

    /// Ends a deploy that began with the room (`None`) or with one lobby: the others get the same build, and restart for it.
    pub fn deployed(&mut self, first: Option<usize>) {
        if !self.moody {
            return;
        }
        for index in (0..self.lobbies.len()).filter(|index| first.is_none_or(|at| at != *index)) {
            self.lobby_restarts(index);
        }
        if first.is_some() {
            self.room_restarts();
        }
    }

    /// Lets all builds agree.
    pub fn builds_agree(&mut self) {
        self.room_skew = Skew::default();
        for lobby in &mut self.lobbies {
            lobby.skew = Skew::default();
        }
    }

    /// Returns whether what goes this way to or from a lobby cannot be read.
    pub fn is_unread(&self, lobby: usize, way: Way) -> bool {
        let skews = [self.room_skew, self.lobbies[lobby].skew];
        skews.iter().any(|skew| skew.has(self.time, way))
    }

    /// Returns whether what goes this way between the room and a caller cannot be read. A porter's bundles are its own.
    pub fn is_unread_of(&self, caller: Caller, way: Way) -> bool {
        match caller {
            Caller::Lobby(life, _) => self.is_unread(life.lobby, way),
            Caller::Porter(..) => self.room_skew.has(self.time, way),
        }
    }

    /// Refuses a call of another build. The room's memory hears nothing of it, but comes to be. The caller may be of a build that can read the
    /// refusal, or only sees that there is no answer.
    pub fn room_refuses(&mut self, from: Caller, said: &ToRoom) {
        self.wake_room();
        let answer = FromRoom::Refused(Refusal::Version);
        let lawful = self.judge.says(said, &answer, self.is_skewed());
        self.holds(lawful);
        let is_read = self.faults.borrow_mut().chance_of(Kind::Skew).below(2) == 0;
        let answer = is_read.then(|| Rc::new(answer));
        self.room_answers(from, answer);
    }

    /// Whether any builds differ now.
    pub fn is_skewed(&self) -> bool {
        let lobbies = self.lobbies.iter().map(|lobby| lobby.skew);
        let mut all = lobbies.chain([self.room_skew]);
        all.any(|skew| self.time < skew.until)
    }

    /// Lets a lobby refuse an ask of another build. The front asks once more, and then gives up.
    pub fn ask_is_refused(&mut self, id: Id) {
        let Some(asking) = self.asks.get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut asking.again, true) {
            return self.finish(id, None);
        }
        let ms = ASK_AGAIN_MS + self.travel_ms();
        self.after(ms, Event::AskArrives(id));
    }
}
