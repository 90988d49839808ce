//! Judges what the room says to its lobbies. Lists and changes must be what the plain model's book says, counted from what was acknowledged. The room
//! must hear only the life that said Hello last, take each of its batches once, and take none after a later one.

use super::greetings::Greetings;
use super::law::require;
use super::model::{Ended as Over, Model};
use baton::facts::event::{Event, Row};
use baton::facts::limits::sizes;
use baton::facts::message::{
    Answer, Batch, Change, FromRoom, Hello, LobbyLife, Message, More, Page, Refusal, RoomLife, RoomMemory, Taken, ToLobby, ToRoom, Welcome,
};
use baton::facts::reply::Standing;
use baton::facts::units::{Instant, LobbyId, Number, Version};
use baton::lobby::{Phase, Replica};
use baton::room::courier::Push;
use baton::room::laws::Check;
use std::collections::BTreeMap;

/// A lobby's life that the room knows.
#[derive(Clone, Copy, Debug)]
struct Known {
    life: LobbyLife,
    memory: RoomMemory,
    hello: u32,
    batch: u64,
}

/// What was said before; see the file's documentation.
#[derive(Debug, Default)]
pub struct Watch {
    /// The life of each lobby that the room knows, in this stretch of the room's memory.
    known: BTreeMap<LobbyId, Known>,
    /// The last batch of each life that the room ever took.
    taken: BTreeMap<LobbyLife, u64>,
    /// The last batch of each life that ever came.
    heard: BTreeMap<LobbyLife, u64>,
    /// Up to which row each life has acknowledged.
    acknowledged: BTreeMap<LobbyLife, Version>,
    /// The room's lives, by the row since which each tells changes.
    lives: BTreeMap<Version, RoomLife>,
    told_from: Version,
    /// Whether a life of the room began in the last turn: it knows no lobby any more.
    begins: bool,
    /// `told_from` as the turn began.
    heard_under: Version,
    /// Judges when lobbies get long lists.
    pub greetings: Greetings,
}

impl Watch {
    /// Notes that the room came into memory, and knows no lobby's life.
    pub fn forgets_lobbies(&mut self) {
        self.known.clear();
        self.greetings.room_forgets();
    }

    /// Notes that the room has forgotten who came and makes keys with another salt: this is another life of it, which knows no lobby.
    pub fn forgets_life(&mut self) {
        self.known.clear();
        self.lives.remove(&self.told_from);
    }

    fn forgets_if_begun(&mut self) {
        if core::mem::take(&mut self.begins) {
            self.known.clear();
            self.greetings.life_begins();
        }
    }

    pub fn hears(&mut self, batches: &[Batch], told_from: Version) {
        self.heard_under = told_from;
        self.forgets_if_begun();
        for batch in batches {
            self.acknowledged(batch.life, batch.since);
        }
    }

    /// Notes what a lobby's life acknowledges.
    pub fn acknowledged(&mut self, life: LobbyLife, version: Version) {
        let known = self.acknowledged.entry(life).or_default();
        *known = version.max(*known);
    }

    /// Takes in the row of a turn that is durable.
    pub fn turned(&mut self, row: &Row) {
        let begins = |event: &Event| matches!(event, Event::Reset { .. } | Event::Drawn { .. });
        if row.events.iter().any(begins) {
            self.told_from = row.version;
            self.begins = true;
        }
    }

    /// Returns whether this is the room's present life.
    pub fn is_current(&self, life: RoomLife) -> bool {
        self.lives.get(&self.told_from) == Some(&life)
    }

    /// Checks that the room has one life between two resets or draws, whatever restarts.
    fn life_is(&mut self, from: Version, life: RoomLife) -> Check {
        let other = self.lives.iter().any(|(of, is)| *of != from && *is == life);
        let known = *self.lives.entry(from).or_insert(life);
        require(
            "the room's life changes at a reset, at a draw and when it forgets who came, and never else",
            known == life && !other,
            || format!("{life:?} since {from}, it was {known:?}"),
        )
    }

    /// Judges an answer of the room; `skewed` says whether builds differ now.
    ///
    /// Long because it has an arm for each call and its answer.
    pub fn says(&mut self, model: &Model, now: Instant, said: &ToRoom, answer: &FromRoom, skewed: bool) -> Check {
        self.greetings.looks(model, now);
        let checked = match (said, answer) {
            (_, FromRoom::Refused(Refusal::Version)) => {
                require("a message is of another build only while builds differ", skewed, || format!("{said:?}"))
            }
            (ToRoom::Bundle(batches), FromRoom::Bundle(taken)) if batches.len() == taken.len() => {
                let mut each = batches.iter().zip(taken);
                each.try_for_each(|(batch, taken)| self.takes_or_not(model, now, batch, taken))
            }
            (ToRoom::Batch(batch), FromRoom::Answer(answer)) => self.takes_or_not(model, now, batch, &Ok(answer.clone())),
            (ToRoom::Batch(batch), FromRoom::Refused(refusal)) => self.takes_or_not(model, now, batch, &Err(*refusal)),
            (ToRoom::Hello(hello), FromRoom::Welcome(welcome)) => self.welcomes(model, now, hello, welcome),
            (ToRoom::Hello(hello), FromRoom::Refused(refusal)) => {
                let known = self.known.get(&hello.lobby);
                let late = known.is_some_and(|k| k.life == hello.life && hello.number < k.hello);
                require(
                    "a Hello is refused only when a later one was here",
                    late && *refusal == Refusal::Late,
                    || format!("{refusal:?}: {hello:?}"),
                )
            }
            (ToRoom::Hello(hello), FromRoom::Later(waits_ms)) => self.greetings.answered(model, now, hello.lobby, *waits_ms),
            (ToRoom::More(more), FromRoom::Page(page)) => self.page_comes(model, now, more, page),
            (ToRoom::Check(fences), FromRoom::Leases(leases)) => {
                let wanted: Vec<_> = fences.iter().map(|fence| model.check(now, *fence)).collect();
                require("a check says how the lease stands", wanted == *leases, || {
                    format!("{fences:?}: {wanted:?}\nthe room {leases:?}")
                })
            }
            (ToRoom::More(_), FromRoom::Refused(_)) => Ok(()),
            _ => require("an answer fits its question", false, || format!("{said:?}: {answer:?}")),
        };
        // A draw in the same turn begins another life.
        self.forgets_if_begun();
        checked
    }

    fn takes_or_not(&mut self, model: &Model, now: Instant, batch: &Batch, taken: &Taken) -> Check {
        let checked = match taken {
            Ok(answer) => self.answers(model, now, batch, answer),
            Err(refusal) => self.refuses(model, batch, *refusal),
        };
        let last = self.heard.entry(batch.life).or_default();
        *last = batch.number.max(*last);
        checked
    }

    fn answers(&mut self, model: &Model, now: Instant, batch: &Batch, answer: &Answer) -> Check {
        self.takes(batch)?;
        let expected = model.answers(now, batch);
        require("the room answers as the book is when the turn ends", expected == answer.replies, || {
            format!("{expected:?}\nthe room {:?}\n{batch:?}", answer.replies)
        })?;
        self.message(model, now, batch.lobby, &answer.message, self.heard_under)?;
        require(
            "an answer counts from what the batch says to know",
            answer.message.since == batch.since && answer.message.to == batch.life,
            || format!("{batch:?}: {:?}", answer.message),
        )
    }

    fn welcomes(&mut self, model: &Model, now: Instant, hello: &Hello, welcome: &Welcome) -> Check {
        let batch = self.known.get(&hello.lobby).filter(|k| k.life == hello.life);
        let known = Known {
            life: hello.life,
            memory: welcome.memory,
            hello: hello.number,
            batch: batch.map_or(0, |known| known.batch),
        };
        self.known.insert(hello.lobby, known);
        self.message(model, now, hello.lobby, &welcome.message, self.heard_under)?;
        match &welcome.list {
            Some(page) => {
                let fits = page.hello == hello.number && welcome.number == hello.number;
                require("a list is for its Hello", fits, || format!("{hello:?}: {page:?}"))?;
                self.greetings.answered(model, now, hello.lobby, 0)?;
                self.note_list(model, now, hello.lobby, Number(0), page)
            }
            None => {
                self.greetings.note_unneeded(hello.lobby);
                self.greetings.note_whole(model, now, hello.lobby);
                let since = welcome.message.since;
                let knows = hello.knows.is_some_and(|knows| knows.version == since);
                require("a lobby resumes from what it knows", knows, || format!("{hello:?}: since {since}"))?;
                let away = model.away_of(hello.lobby);
                require("a lobby that resumes is told who is away", away == welcome.away, || {
                    format!("{away:?}\nthe room {:?}", welcome.away)
                })
            }
        }
    }

    fn page_comes(&mut self, model: &Model, now: Instant, more: &More, page: &Page) -> Check {
        let known = self.known.get(&more.lobby);
        let known = known.is_some_and(|k| k.life == more.life && k.hello == more.hello);
        require("a page is for the last Hello", known && page.hello == more.hello, || {
            format!("{more:?}: {page:?}")
        })?;
        self.note_list(model, now, more.lobby, more.from, page)
    }

    fn note_list(&mut self, model: &Model, now: Instant, lobby: LobbyId, from: Number, page: &Page) -> Check {
        if page.next.is_none() {
            self.greetings.note_whole(model, now, lobby);
        }
        is_listed(model, now, lobby, from, page)
    }

    fn takes(&mut self, batch: &Batch) -> Check {
        let life = self.lives.get(&self.heard_under).copied();
        require(
            "a batch of another life of the room is not taken",
            life.is_none_or(|life| life == batch.room),
            || format!("{batch:?} under {life:?}"),
        )?;
        let last = self.taken.insert(batch.life, batch.number).unwrap_or(0);
        require("each batch is taken once, and none after a later one", last < batch.number, || {
            format!("{batch:?} after {last}")
        })?;
        let known = self.known.get_mut(&batch.lobby);
        let current = known.filter(|known| known.life == batch.life);
        let is_current = current.is_some();
        if let Some(known) = current {
            known.batch = batch.number;
        }
        require("only the life that said Hello last is heard", is_current, || format!("{batch:?}"))
    }

    fn refuses(&self, model: &Model, batch: &Batch, refusal: Refusal) -> Check {
        let known = self.known.get(&batch.lobby);
        // Lobbies are not told one by one of what was before a reset or a draw, perhaps of this very turn.
        let begun = batch.since < self.told_from;
        let is_too_much = begun || model.may_be_forgotten(batch.lobby, batch.since);
        let is_other = self.lives.get(&self.heard_under) != Some(&batch.room);
        let fits = match refusal {
            Refusal::Deposed => known.is_some_and(|known| known.life != batch.life),
            Refusal::Late => self.heard.get(&batch.life) >= Some(&batch.number),
            // A batch from an earlier stretch of the room's memory counts as one of another life, too.
            Refusal::Unknown => {
                let other = known.is_none_or(|k| k.life != batch.life || k.memory != batch.memory);
                other || is_other || is_too_much
            }
            Refusal::Malformed | Refusal::Version => false,
        };
        require("a batch is refused for a reason", fits, || {
            format!("{refusal:?}: {batch:?}, known is {known:?}")
        })
    }

    pub fn pushes(&mut self, model: &Model, now: Instant, push: &Push) -> Check {
        self.forgets_if_begun();
        match &push.said {
            ToLobby::Poke => {
                self.known.remove(&push.lobby);
                Ok(())
            }
            ToLobby::Push(message) => {
                let known = self.known.get(&push.lobby).copied();
                let to_current = known.is_some_and(|known| known.life == message.to);
                let acknowledged = self.acknowledged.get(&message.to).copied();
                let since = acknowledged.unwrap_or_default() >= message.since;
                require(
                    "a push is for the life that is known, since what that acknowledged",
                    to_current && since,
                    || {
                        format!(
                            "to {:?}, since {}; known is {known:?}, acknowledged {acknowledged:?}",
                            message.to, message.since
                        )
                    },
                )?;
                self.message(model, now, push.lobby, message, self.told_from)
            }
        }
    }

    /// Checks that a message tells each change since the row from which it counts, and tells it as it is.
    fn message(&mut self, model: &Model, now: Instant, lobby: LobbyId, message: &Message, told_from: Version) -> Check {
        self.life_is(told_from, message.life)?;
        let version = model.version();
        require("a message is of the last row", message.version == version, || {
            format!("{} of {version}", message.version)
        })?;
        let said: BTreeMap<Number, &Change> = message.changes.iter().map(|c| (c.number(), c)).collect();
        for (number, changed) in model.changed_of(lobby, message.since) {
            let said = said.get(&number).copied();
            let listed = model.listed(now, number).filter(|_| model.lobby_of(number) == Some(lobby));
            let fits = match (said, listed, changed) {
                (Some(Change::Lives(said)), Some(listed), _) => *said == listed,
                (Some(Change::Over(_, why)), None, Over::By(reason)) => *why == reason,
                // The gist tells those who waited when the line ended. A lease that has run out is told once it is taken back.
                (None, None, Over::WithTheLine) => message.gist.ended.is_some_and(|e| e.covers(number)),
                (None, None, Over::Not) => true,
                _ => false,
            };
            require("what has changed is said (9)", fits, || {
                format!(
                    "to {lobby} of {number}: {said:?}, it is {listed:?} ({changed:?}); since {}",
                    message.since
                )
            })?;
        }
        // And the message says nothing that is not so of any other ticket.
        for change in &message.changes {
            let fits = match change {
                Change::Lives(said) => model.listed(now, said.number) == Some(*said) && model.lobby_of(said.number) == Some(lobby),
                Change::Over(number, _) => model.standing(now, *number) == Standing::Over,
            };
            require("what is said of a ticket is so", fits, || format!("to {lobby}: {change:?}"))?;
        }
        Ok(())
    }

    /// See [`Judge::replica_agrees`](super::judge::Judge::replica_agrees).
    pub fn replica_agrees(&self, model: &Model, now: Instant, lobby: LobbyId, replica: &Replica) -> Check {
        let mut kept = replica.tickets().peekable();
        for listed in model.all_listed(now, lobby) {
            // A replica keeps leases that have run out until the room says that they are over.
            while kept
                .peek()
                .is_some_and(|ticket| ticket.number < listed.number && model.has_run_out(now, ticket.number))
            {
                kept.next();
            }
            let ticket = kept.next();
            let same = ticket.is_some_and(|ticket| {
                let phase = match (listed.standing, ticket.phase) {
                    (Standing::Waiting { missed, .. }, Phase::Waiting { missed: kept }) => missed == kept,
                    (Standing::Called { fence, .. }, Phase::Called { fence: kept, .. })
                    | (Standing::Admitted { fence, .. }, Phase::Admitted { fence: kept, .. }) => fence == kept,
                    _ => false,
                };
                phase && (ticket.number, ticket.holder) == (listed.number, listed.holder)
            });
            require("a replica is what the book says", same, || {
                format!("{lobby} has {ticket:?}, the book {listed:?}")
            })?;
        }
        let more = kept.find(|ticket| !model.has_run_out(now, ticket.number));
        require("a replica is what the book says", more.is_none(), || {
            format!("{lobby} has {more:?}, the book nothing")
        })
    }
}

fn is_listed(model: &Model, now: Instant, lobby: LobbyId, from: Number, page: &Page) -> Check {
    let all = model.all_listed(now, lobby);
    let mut rest = all.into_iter().filter(|listed| listed.number >= from);
    let wanted: Vec<_> = rest.by_ref().take(sizes().page_tickets_max).collect();
    let next = rest.next().map(|listed| listed.number);
    require(
        "a list is what the book says",
        page.tickets == wanted && page.next == next && page.version == model.version(),
        || format!("to {lobby} from {from}: {wanted:?}, {next:?}\nthe room {page:?}"),
    )
}
