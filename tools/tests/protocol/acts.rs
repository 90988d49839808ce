//! The acts that can happen next in a world of the model.

use super::asks::Shown;
use super::people::{Link, Rare};
use super::words::*;
use super::world::World;

/// One thing that can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    // The network.
    Deliver(Message),
    Repeat(Message),
    Lose(Message),
    Push(LobbyId),
    // Time-outs of a life of a lobby.
    HelloTimesOut(Nonce),
    BatchTimesOut(Nonce),
    PageTimesOut(Nonce),
    // People.
    Open(Key),
    Join(Key),
    Connect(Key),
    Speak(Key),
    Claim(Key),
    Release(Key),
    Close(Key),
    Break(Key),
    GiveUp(Key),
    LoseCookie(Key),
    Leave(Key),
    Rejoin(Key),
    /// Makes a link to this visitor's place for the other visitor.
    MakeLink(Key),
    UseLink(Key),
    // Memory.
    RoomRestarts,
    LobbyDies(LobbyId),
    TwinBegins(LobbyId),
    TwinDies(Nonce),
    Forget(LobbyId),
    // Time.
    LingerEnds(Nonce, Key),
    CallMissed(usize),
    LeaseEnds(usize),
    AwayTooLong(usize),
    // The operator.
    Reset,
    Draw,
}

impl Act {
    /// Returns which budget the act is paid from, or `None` if it may happen at any time.
    pub fn rare(&self) -> Option<Rare> {
        Some(match self {
            Act::Repeat(_) => Rare::Repeat,
            Act::Lose(_) => Rare::Lose,
            Act::HelloTimesOut(_) | Act::BatchTimesOut(_) | Act::PageTimesOut(_) => Rare::TimeOut,
            Act::Close(_) => Rare::Close,
            Act::Break(_) => Rare::Break,
            Act::GiveUp(_) => Rare::GiveUp,
            Act::LoseCookie(_) => Rare::LoseCookie,
            Act::Leave(_) => Rare::Leave,
            Act::Rejoin(_) => Rare::Rejoin,
            Act::MakeLink(_) => Rare::Carry,
            Act::RoomRestarts => Rare::RoomRestart,
            Act::LobbyDies(_) => Rare::LobbyDeath,
            Act::TwinBegins(_) => Rare::Twin,
            Act::Forget(_) => Rare::Forget,
            Act::LingerEnds(..) | Act::CallMissed(_) | Act::LeaseEnds(_) | Act::AwayTooLong(_) => Rare::Timer,
            Act::Reset => Rare::Reset,
            Act::Draw => Rare::Draw,
            _ => return None,
        })
    }
}

impl World {
    /// Returns every act that can happen next and that the budget allows.
    pub fn acts(&self) -> Vec<Act> {
        let mut acts = self.ordinary();
        acts.extend(self.time_outs(true));
        acts.extend(self.timers());
        acts.extend(self.troubles());
        acts.retain(|act| act.rare().is_none_or(|rare| self.budget.has(rare)) || self.is_free(act));
        acts
    }

    /// Returns whether the act costs nothing: a time-out of a call that no message on its way can answer any more.
    pub(super) fn is_free(&self, act: &Act) -> bool {
        act.rare() == Some(Rare::TimeOut) && self.time_outs(false).contains(act)
    }

    /// Returns the acts that need no fault: messages arrive, people go on.
    pub fn ordinary(&self) -> Vec<Act> {
        let mut acts: Vec<Act> = self.network.iter().cloned().map(Act::Deliver).collect();
        for id in 0..LOBBIES {
            if self.room.untold(id) && self.network.binary_search(&Message::ToLobby(id, self.room.push(id))).is_err() {
                acts.push(Act::Push(id));
            }
        }
        for (key, visitor) in self.visitors.iter().enumerate() {
            if visitor.pass.is_some() && visitor.asking.is_none() {
                acts.push(Act::Release(key));
            }
            if visitor.link.is_some() && visitor.asking.is_none() {
                acts.push(Act::UseLink(key));
            }
            if !visitor.open {
                continue;
            }
            let (idle, connected) = (visitor.asking.is_none(), self.connected(key));
            if visitor.shown.is_none() && idle && visitor.told.is_none() {
                acts.push(Act::Join(key));
            }
            if visitor.shown.is_some() && !connected && !visitor.told_over() {
                acts.push(Act::Connect(key));
            }
            match visitor.told.map(|told| told.standing) {
                Some(Standing::Called(_) | Standing::Leased(_)) if idle && connected && visitor.pass.is_none() && !visitor.done => {
                    acts.push(Act::Claim(key));
                }
                Some(Standing::Waiting { missed: true, here: false }) if connected && !visitor.answered => {
                    acts.push(Act::Speak(key));
                }
                _ => {}
            }
        }
        acts
    }

    /// Returns the time-outs of lobbies' calls. With `early`, also of calls whose answer may still come.
    pub fn time_outs(&self, early: bool) -> Vec<Act> {
        let mut acts = Vec::new();
        for lobby in &self.lobbies {
            let nonce = lobby.nonce;
            let on_its_way = |test: &dyn Fn(&Message) -> bool| !early && self.network.iter().any(test);
            let refused = |message: &Message, call: Call| matches!(message, Message::ToLobby(_, ToLobby::Refused { nonce: its, call: of, .. }) if (*its, *of) == (nonce, call));
            if let Some(awaited) = lobby.awaits_welcome()
                && !on_its_way(&|message| match message {
                    Message::ToRoom(_, ToRoom::Hello { nonce: its, number, .. }) => (*its, *number) == (nonce, awaited),
                    Message::ToLobby(_, ToLobby::Welcome { bond, number, .. }) => (bond.nonce, *number) == (nonce, awaited),
                    _ => false,
                })
            {
                acts.push(Act::HelloTimesOut(nonce));
            }
            if let Some(awaited) = lobby.awaits_answer()
                && !on_its_way(&|message| match message {
                    Message::ToRoom(_, ToRoom::Batch { bond, number, .. }) | Message::ToLobby(_, ToLobby::Answered { bond, number, .. }) => {
                        (bond.nonce, *number) == (nonce, awaited)
                    }
                    message => refused(message, Call::Batch(awaited)),
                })
            {
                acts.push(Act::BatchTimesOut(nonce));
            }
            if let Some(awaited) = lobby.awaits_page()
                && !on_its_way(&|message| match message {
                    Message::ToRoom(_, ToRoom::More { bond, from }) | Message::ToLobby(_, ToLobby::Page { bond, from, .. }) => {
                        (bond.nonce, *from) == (nonce, awaited)
                    }
                    message => refused(message, Call::Page(awaited)),
                })
            {
                acts.push(Act::PageTimesOut(nonce));
            }
        }
        acts
    }

    /// Returns the lingers, calls, leases and graces that may run out.
    pub fn timers(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for lobby in &self.lobbies {
            acts.extend(
                (0..VISITORS)
                    .filter(|key| lobby.linger[*key])
                    .map(|key| Act::LingerEnds(lobby.nonce, key)),
            );
        }
        for (at, ticket) in self.room.book.tickets.iter().enumerate() {
            match ticket.standing {
                Standing::Called(_) => acts.push(Act::CallMissed(at)),
                Standing::Leased(_) => acts.push(Act::LeaseEnds(at)),
                Standing::Waiting { here: false, .. } => acts.push(Act::AwayTooLong(at)),
                Standing::Waiting { here: true, .. } | Standing::Over => {}
            }
        }
        acts
    }

    /// Returns the faults, and what people and operators do of their own will.
    fn troubles(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        if self.budget.has(Rare::Repeat) {
            acts.extend(self.network.iter().cloned().map(Act::Repeat));
        }
        if self.budget.has(Rare::Lose) {
            acts.extend(self.network.iter().cloned().map(Act::Lose));
        }
        acts.extend(self.twins.iter().map(|nonce| Act::TwinDies(*nonce)));
        for id in 0..LOBBIES {
            if self.current(id).is_some() {
                acts.extend([Act::LobbyDies(id), Act::TwinBegins(id)]);
            }
            if self.room.can_forget(id) {
                acts.push(Act::Forget(id));
            }
        }
        for (key, visitor) in self.visitors.iter().enumerate() {
            let (idle, in_line) = (visitor.asking.is_none(), visitor.told.is_some() && !visitor.told_over());
            let connected = self.connected(key);
            let may = [
                (!visitor.open && !visitor.done, Act::Open(key)),
                (visitor.open, Act::Close(key)),
                (connected, Act::Break(key)),
                (!idle, Act::GiveUp(key)),
                (idle && visitor.shown.is_some(), Act::LoseCookie(key)),
                (idle && in_line, Act::Leave(key)),
                (idle && visitor.told_over(), Act::Rejoin(key)),
                (self.link_from(key).is_some() && self.visitors[1 - key].link.is_none(), Act::MakeLink(key)),
            ];
            acts.extend(may.into_iter().filter(|(may, _)| *may).map(|(_, act)| act));
        }
        acts.extend([Act::RoomRestarts, Act::Reset]);
        let waiting = |standing: Standing| matches!(standing, Standing::Waiting { .. });
        if self.room.book.tickets.iter().any(|ticket| waiting(ticket.standing)) {
            acts.push(Act::Draw);
        }
        acts
    }

    /// Returns a link to the visitor's place, or `None` unless the visitor has a socket at a life whose replica knows the place.
    pub(super) fn link_from(&self, key: Key) -> Option<Link> {
        let lobby = &self.lobbies[self.socket_of(key)?];
        let (shown, replica) = (lobby.sockets[key]?, lobby.whole()?);
        let entry = replica.of_key(key)?;
        let place = Shown {
            edition: replica.edition,
            number: entry.number,
            row: replica.version.max(shown.row),
        };
        Some(Link {
            lobby: lobby.id,
            from: key,
            place,
        })
    }
}
