//! Knows what nobody in the world knows, whose every number is, and judges all that is said ([`words`]).

mod words;

pub use words::Said;

use super::people::Visitor;
use super::queue::Life;
use super::slab::Table;
use super::world::visitor_of;
use crate::lobby::event::LobbyEvent;
use crate::room::Room;
use crate::room::command::{Batch, Command, Reply, Standing};
use crate::room::event::{Event, How, Row};
use crate::room::laws::{Check, Violation};
use crate::units::{Edition, Fence, Instant, Number, VisitorId};
use crate::wire::Shown;
use std::collections::{BTreeMap, BTreeSet};

/// What happened, for the curious.
#[derive(Default, Debug, Clone, Copy)]
pub struct Figures {
    pub told: u64,
    pub joined: u64,
    pub walked_in: u64,
    pub called: u64,
    pub leases: u64,
    pub expired: u64,
    pub missed: u64,
    pub repeats: u64,
    pub carried: u64,
    pub resets: u64,
}

/// How a fence came to its end, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    GivenBack(u64),
    Expired,
}

#[derive(Clone, Copy, Debug)]
struct Minted {
    place: Shown,
    end: Option<End>,
}

/// Who a number was issued to.
#[derive(Clone, Copy, Debug)]
struct Owned {
    visitor: usize,
    least_ahead: u64,
}

/// (lobby, epoch, sequence)
type Key = (usize, u64, u64);

/// What is known of the numbers of one edition.
#[derive(Default)]
struct Numbers {
    owned: Table<Owned>,
    /// By entry of the hall.
    in_hall: BTreeMap<u64, Owned>,
    /// Those that were ever called.
    called: Table<()>,
    /// Whose they were before they were carried to others.
    former: BTreeMap<Number, BTreeSet<usize>>,
}

impl Numbers {
    fn owner(&self, number: Number) -> Option<usize> {
        let owned = match number.entry() {
            Some(entry) => self.in_hall.get(&entry),
            None => self.owned.get(number.0),
        };
        owned.map(|owned| owned.visitor)
    }

    fn owned_mut(&mut self, number: Number) -> Option<&mut Owned> {
        match number.entry() {
            Some(entry) => self.in_hall.get_mut(&entry),
            None => self.owned.get_mut(number.0),
        }
    }

    fn insert(&mut self, number: Number, owned: Owned) -> Option<Owned> {
        match number.entry() {
            Some(entry) => self.in_hall.insert(entry, owned),
            None => self.owned.insert(number.0, owned),
        }
    }

    /// Whether the number was that visitor's before it was carried to another.
    fn was_carried_from(&self, visitor: usize, number: Number) -> bool {
        let former = self.former.get(&number);
        former.is_some_and(|former| former.contains(&visitor))
    }
}

/// See the file's documentation.
#[derive(Default)]
pub struct Oracle {
    now: Instant,
    /// Of each edition, from the first.
    editions: Vec<Numbers>,
    /// By fence.
    minted: Table<Minted>,
    /// Whom each batch that issues numbers is for, as the lobby stored it.
    meant_for: BTreeMap<Key, Vec<Vec<VisitorId>>>,
    /// Which places its commands carry elsewhere, by their place in the batch.
    carries: BTreeMap<Key, BTreeMap<usize, Number>>,
    /// Which of them walk somebody in. Any other that tells of a walk-in's lease gives nobody anything.
    walk_ins: BTreeMap<Key, BTreeSet<usize>>,
    /// The batch each life sent last.
    last_sent: BTreeMap<(usize, u64), Batch>,
    /// The living number of each visitor.
    held: Vec<Option<Number>>,
    last_told: Vec<Option<Shown>>,
    /// Whose way from the home lobby leads past one that has lost its storage.
    forgotten: Vec<bool>,
    /// When everything must have settled.
    pub settled_at: Option<u64>,
    pub figures: Figures,
    pub on: bool,
}

fn require(law: &'static str, holds: bool, seen: impl FnOnce() -> String) -> Check {
    if holds {
        Ok(())
    } else {
        Err(Violation { law, seen: seen() })
    }
}

impl Oracle {
    /// Before anybody came.
    #[must_use]
    pub fn new(visitors: usize, on: bool) -> Self {
        Self {
            held: vec![None; visitors],
            last_told: vec![None; visitors],
            forgotten: vec![false; visitors],
            editions: vec![Numbers::default()],
            on,
            ..Self::default()
        }
    }

    /// A lobby stored these.
    pub fn saved(&mut self, lobby: usize, bytes: &[u8]) -> Check {
        if !self.on {
            return Ok(());
        }
        let facts = bytes.get(1..).unwrap_or_default();
        let Ok(events) = postcard::from_bytes::<Vec<LobbyEvent>>(facts) else {
            return require("a row can be read", false, || format!("{bytes:?}"));
        };
        for event in events {
            if let LobbyEvent::Sent { batch, visitors } = event {
                let key = (lobby, batch.epoch, batch.sequence);
                let commands = batch.commands.iter().enumerate();
                let walk_ins = commands.clone().filter(|(_, c)| **c == Command::WalkIn);
                let walk_ins = walk_ins.map(|(index, _)| index).collect();
                self.walk_ins.insert(key, walk_ins);
                let carries = commands.filter_map(|(index, command)| match command {
                    Command::Carry(number) => Some((index, *number)),
                    _ => None,
                });
                self.carries.insert(key, carries.collect());
                let before = self.meant_for.insert(key, visitors);
                require("a batch is made once (9)", before.is_none(), || {
                    format!("{key:?}")
                })?;
            }
        }
        Ok(())
    }

    /// A batch leaves a lobby: the same name means the same bytes, and one that issues numbers is
    /// stored.
    pub fn sent(&mut self, life: Life, batch: &Batch) -> Check {
        if !self.on {
            return Ok(());
        }
        let key = (life.lobby, batch.epoch, batch.sequence);
        if let Some(before) = self
            .last_sent
            .insert((life.lobby, batch.epoch), batch.clone())
            && before.sequence == batch.sequence
        {
            require("a batch never changes", before == *batch, || {
                format!("{before:?}\n{batch:?}")
            })?;
            self.figures.repeats += 1;
        }
        let issues = |c: &Command| matches!(c, Command::Join { .. } | Command::WalkIn);
        let stored = !batch.commands.iter().any(issues) || self.meant_for.contains_key(&key);
        require(
            "what issues numbers is stored before it is sent (9)",
            stored,
            || format!("{batch:?}"),
        )
    }

    /// The storage of a lobby is gone: what it alone knew is no more. A visitor whose way from the home
    /// lobby leads past it may get another number, unless the ticket's cookie shows the old one.
    pub fn lobby_lost(&mut self, lobby: usize, people: &[Visitor]) {
        for (forgotten, person) in self.forgotten.iter_mut().zip(people) {
            *forgotten |= person.home <= lobby;
        }
    }

    /// Somebody takes a place up while another lobby may give them a number: that one lapses unused.
    pub fn may_have_two(&mut self, visitor: usize) {
        if let Some(forgotten) = self.forgotten.get_mut(visitor) {
            *forgotten = true;
        }
    }

    /// The present edition.
    fn edition(&self) -> Edition {
        Edition(self.editions.len() as u32)
    }

    /// What is known of the numbers of an edition, if it has begun.
    fn of(&self, edition: Edition) -> Option<&Numbers> {
        self.editions.get((edition.0 as usize).checked_sub(1)?)
    }

    fn present(&mut self) -> &mut Numbers {
        self.editions.last_mut().expect("there is a first")
    }

    /// The room was begun anew: nobody has a number, and whatever was out has come back.
    fn begins_anew(&mut self, time: u64) {
        self.editions.push(Numbers::default());
        self.held.fill(None);
        self.figures.resets += 1;
        for minted in self.minted.iter_mut() {
            minted.end.get_or_insert(End::GivenBack(time));
        }
    }

    /// A row is durable; `room` is the state it leads to.
    pub fn turned(&mut self, row: &Row, room: &Room, time: u64) -> Check {
        self.now = self.now.max(row.at);
        if !self.on {
            return Ok(());
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
                    self.numbers_go((usize::from(lobby.0), *epoch, *sequence), replies, room)?;
                }
                Event::Called { number, fence } | Event::Handed { number, fence, .. } => {
                    self.figures.called += 1;
                    self.present().called.insert(number.0, ());
                    self.mint(*fence, *number)?;
                }
                Event::WalkedIn { number, fence, .. } => self.mint(*fence, *number)?,
                Event::Drawn { .. } => self.drawn(room)?,
                Event::Reset { .. } => self.begins_anew(time),
                Event::Refenced { from, fence } => {
                    let number = self.minted.get(from.0).map(|minted| minted.place.number);
                    self.mint(*fence, number.unwrap_or_default())?;
                    if let Some(minted) = self.minted.get_mut(from.0) {
                        minted.end = Some(End::GivenBack(time));
                    }
                }
                _ => {}
            }
            if let Event::Ended { fence, how, .. }
            | Event::Handed {
                from: fence, how, ..
            } = event
            {
                self.figures.expired += u64::from(*how == How::Expired);
                self.figures.missed += u64::from(matches!(how, How::Missed | How::MissedAgain));
                let end = if *how == How::Expired {
                    End::Expired
                } else {
                    End::GivenBack(time)
                };
                if let Some(minted) = self.minted.get_mut(fence.0) {
                    minted.end = Some(end);
                }
            }
        }
        Ok(())
    }

    fn mint(&mut self, fence: Fence, number: Number) -> Check {
        let edition = self.edition();
        let place = Shown { edition, number };
        let before = self.minted.insert(fence.0, Minted { place, end: None });
        require("a fence is minted once (2)", before.is_none(), || {
            format!("fence {fence}")
        })
    }

    fn numbers_go(&mut self, key: Key, replies: &[Reply], room: &Room) -> Check {
        let meant_for = self.meant_for.get(&key).cloned().unwrap_or_default();
        let carries = self.carries.get(&key).cloned().unwrap_or_default();
        let walk_ins = self.walk_ins.get(&key).cloned().unwrap_or_default();
        for (index, reply) in replies.iter().enumerate() {
            let visitors = meant_for.get(index).map_or(&[][..], Vec::as_slice);
            match reply {
                Reply::Stands(standing)
                    if let Some(number) = carries.get(&index)
                        && *standing != Standing::Over =>
                {
                    self.changes_hands(room.named(*number), visitors[0]);
                }
                Reply::Joined { first, .. } => {
                    require("a number is for somebody (2)", !visitors.is_empty(), || {
                        format!("{key:?} {first}")
                    })?;
                    for (offset, visitor) in (0..).zip(visitors) {
                        self.give(first.plus(offset), *visitor, room)?;
                    }
                    self.figures.joined += visitors.len() as u64;
                }
                Reply::Stands(Standing::Admitted {
                    number,
                    provisional: true,
                    ..
                }) if walk_ins.contains(&index) && visitors.len() == 1 => {
                    self.give(*number, visitors[0], room)?;
                    self.figures.walked_in += 1;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A place is another's from now on. One of its own it gives up later.
    fn changes_hands(&mut self, number: Number, to: VisitorId) {
        let to = visitor_of(to);
        let numbers = self.present();
        let Some(owned) = numbers.owned_mut(number) else {
            return;
        };
        let from = core::mem::replace(&mut owned.visitor, to);
        if from == to {
            return;
        }
        numbers.former.entry(number).or_default().insert(from);
        self.figures.carried += 1;
        self.held[from] = self.held[from].filter(|held| *held != number);
        self.held[to] = Some(number);
    }

    /// Entries have become numbers; whoever an entry was carried from had the number too.
    fn drawn(&mut self, room: &Room) -> Check {
        for (entry, owned) in core::mem::take(&mut self.present().in_hall) {
            let entry = Number::of_entry(entry);
            let number = room.named(entry);
            let visitor = owned.visitor;
            let numbers = self.present();
            if let Some(former) = numbers.former.get(&entry).cloned() {
                numbers.former.insert(number, former);
            }
            // Who took another's place over gives up the entry it had: it is not what the visitor holds.
            let holds = self.held[visitor] == Some(entry);
            if holds {
                self.held[visitor] = None;
            }
            if !number.is_entry() {
                self.own(number, visitor)?;
            }
            if !number.is_entry() && holds {
                self.hold(number, visitor, room)?;
            }
        }
        Ok(())
    }

    /// One visitor, one living number.
    fn give(&mut self, number: Number, visitor: VisitorId, room: &Room) -> Check {
        let visitor = visitor_of(visitor);
        self.own(number, visitor)?;
        self.hold(number, visitor, room)
    }

    fn own(&mut self, number: Number, visitor: usize) -> Check {
        let owned = Owned {
            visitor,
            least_ahead: u64::MAX,
        };
        let before = self.present().insert(number, owned);
        require(
            "a number is issued once (2)",
            before.is_none_or(|b| b.visitor == visitor),
            || format!("{number}"),
        )
    }

    /// One visitor, one living number.
    fn hold(&mut self, number: Number, visitor: usize, room: &Room) -> Check {
        let other = self.held[visitor]
            .replace(number)
            .filter(|other| *other != number);
        let other = other.filter(|other| room.standing(self.now, *other) != Standing::Over);
        let other = other.filter(|_| !self.forgotten[visitor]);
        require(
            "one visitor, one living number (2)",
            other.is_none(),
            || format!("visitor {visitor} has {other:?} and gets {number}"),
        )
    }

    /// Whose a number of the present edition is.
    #[must_use]
    pub fn owner(&self, number: Number) -> Option<usize> {
        self.of(self.edition())?.owner(number)
    }

    /// The numbers of a visitor in the present edition, for a failure's message.
    pub fn numbers_of(&self, visitor: usize) -> impl Iterator<Item = Number> {
        let present = self.editions.last().into_iter();
        let owned = present.flat_map(|numbers| numbers.owned.iter());
        let own = owned.filter(move |(_, owned)| owned.visitor == visitor);
        own.map(|(number, _)| Number(number))
    }
}
