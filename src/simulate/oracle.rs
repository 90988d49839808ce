//! Knows what nobody in the world knows, whose every number is, and judges all that is said.

use super::people::Visitor;
use super::queue::Life;
use super::slab::Table;
use super::world::{visitor_of, who};
use crate::lobby::event::LobbyEvent;
use crate::room::Room;
use crate::room::command::{Batch, Command, Reply, Standing};
use crate::room::event::{Event, How, Row};
use crate::room::laws::{Check, Violation};
use crate::room::line::Place;
use crate::token::Pass;
use crate::units::{Ahead, Fence, Instant, Number, VisitorId};
use crate::wire::{LeaseTold, Reason, State, Status};
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
}

/// How a fence came to its end, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    GivenBack(u64),
    Expired,
}

#[derive(Clone, Copy, Debug)]
struct Minted {
    number: Number,
    end: Option<End>,
}

/// Who a number was issued to.
#[derive(Clone, Copy, Debug)]
struct Owned {
    visitor: usize,
    least_ahead: u64,
}

/// What a lobby says to a visitor.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub status: &'a Status,
    pub lease: Option<LeaseTold>,
    /// By an isolate whose time is over.
    pub by_old: bool,
    /// Some object's clock is not the world's.
    pub skewed: bool,
}

/// (lobby, epoch, sequence)
type Key = (usize, u64, u64);

/// See the file's documentation.
#[derive(Default)]
pub struct Oracle {
    now: Instant,
    /// By number.
    owned: Table<Owned>,
    /// By entry of the hall.
    in_hall: BTreeMap<u64, Owned>,
    /// Numbers that were ever called.
    called: Table<()>,
    /// By fence.
    minted: Table<Minted>,
    /// Whom each batch that issues numbers is for, as the lobby stored it.
    meant_for: BTreeMap<Key, Vec<Vec<VisitorId>>>,
    /// Which places its commands carry elsewhere, by their place in the batch.
    carries: BTreeMap<Key, BTreeMap<usize, Number>>,
    /// Whose numbers were before they were carried to others.
    former: BTreeMap<Number, BTreeSet<usize>>,
    /// The batch each life sent last.
    last_sent: BTreeMap<(usize, u64), Batch>,
    /// The living number of each visitor.
    held: Vec<Option<Number>>,
    last_told: Vec<Option<Number>>,
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
                    self.called.insert(number.0, ());
                    self.mint(*fence, *number)?;
                }
                Event::WalkedIn { number, fence, .. } => self.mint(*fence, *number)?,
                Event::Drawn { .. } => self.drawn(room)?,
                Event::Refenced { from, fence } => {
                    let number = self.minted.get(from.0).map(|minted| minted.number);
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
        let before = self.minted.insert(fence.0, Minted { number, end: None });
        require("a fence is minted once (2)", before.is_none(), || {
            format!("fence {fence}")
        })
    }

    fn numbers_go(&mut self, key: Key, replies: &[Reply], room: &Room) -> Check {
        let meant_for = self.meant_for.get(&key).cloned().unwrap_or_default();
        let carries = self.carries.get(&key).cloned().unwrap_or_default();
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
                }) if visitors.len() == 1 => {
                    // A walk-in, or the repeated sight of one.
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
        let owned = match number.entry() {
            Some(entry) => self.in_hall.get_mut(&entry),
            None => self.owned.get_mut(number.0),
        };
        let Some(owned) = owned else {
            return;
        };
        let from = core::mem::replace(&mut owned.visitor, to);
        if from == to {
            return;
        }
        self.figures.carried += 1;
        self.former.entry(number).or_default().insert(from);
        self.held[from] = self.held[from].filter(|held| *held != number);
        self.held[to] = Some(number);
    }

    /// Whether the number was that visitor's before it was carried to another.
    fn was_carried_from(&self, visitor: usize, number: Number) -> bool {
        let former = self.former.get(&number);
        former.is_some_and(|former| former.contains(&visitor))
    }

    /// Entries have become numbers; whoever an entry was carried from had the number too.
    fn drawn(&mut self, room: &Room) -> Check {
        for (entry, owned) in core::mem::take(&mut self.in_hall) {
            let entry = Number::of_entry(entry);
            let number = room.named(entry);
            let visitor = owned.visitor;
            if let Some(former) = self.former.get(&entry).cloned() {
                self.former.insert(number, former);
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
        let before = match number.entry() {
            Some(entry) => self.in_hall.insert(entry, owned),
            None => self.owned.insert(number.0, owned),
        };
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

    /// A lobby says this to a visitor.
    pub fn told(&mut self, visitor: usize, said: &Said<'_>, room: &Room) -> Check {
        let Said {
            status,
            lease,
            by_old,
            skewed,
        } = *said;
        self.figures.told += 1;
        if !self.on {
            return Ok(());
        }
        if let Some(lease) = lease {
            self.lease_is_told(visitor, &lease, room, skewed)?;
        }
        if status.state == State::Hall {
            return self.entry_is_told(visitor, status.place().unwrap_or_default(), room);
        }
        let Some(number) = status.number else {
            return Ok(());
        };
        let owner = self.owned.get(number.0).map(|owned| owned.visitor);
        // The lobby may not have heard yet that it is another's.
        let former = self.was_carried_from(visitor, number);
        require(
            "a visitor is told of no other's number",
            owner == Some(visitor) || former,
            || format!("{visitor} is told {number} of {owner:?}"),
        )?;
        // A lobby that a visitor was passed on from may still tell of an older end.
        if status.state != State::Over && !by_old {
            self.number_grows(visitor, number, room)?;
        }
        match status.state {
            State::Over if status.reason == Some(Reason::Carried) => {
                // A lobby that lost what it stored has it from the cookies: the place is with who showed it last.
                let lost = self.forgotten[visitor] && self.former.contains_key(&number);
                let carried = (former && owner != Some(visitor)) || lost;
                require("carried is said of what is another's", carried, || {
                    format!("{visitor} is told that {number} was carried, it is {owner:?}'s")
                })
            }
            State::Over => {
                let standing = room.standing(self.now, number);
                require(
                    "over is said of what is over",
                    standing == Standing::Over,
                    || format!("{visitor} is told that {number} is over, it is {standing:?}"),
                )
            }
            State::Waiting => self.ahead_is_a_bound(visitor, number, said, room),
            State::Called => {
                let called = self.called.get(number.0).is_some();
                require("called is said of who was called", called, || {
                    format!("{visitor} with {number}")
                })
            }
            State::None | State::Hall | State::Admitted => Ok(()),
        }
    }

    fn entry_is_told(&self, visitor: usize, entry: Number, room: &Room) -> Check {
        let number = room.named(entry);
        let owner = match number.entry() {
            Some(entry) => self.in_hall.get(&entry).map(|owned| owned.visitor),
            None => self.owned.get(number.0).map(|owned| owned.visitor),
        };
        // One that ended in the hall is nobody's after the draw.
        let holds =
            owner.is_none_or(|owner| owner == visitor) || self.was_carried_from(visitor, number);
        require("a visitor is told of no other's entry", holds, || {
            format!("{visitor} is told {entry} of {owner:?}")
        })
    }

    fn lease_is_told(
        &mut self,
        visitor: usize,
        lease: &LeaseTold,
        room: &Room,
        skewed: bool,
    ) -> Check {
        self.figures.leases += 1;
        let minted = self.minted.get(lease.fence.0).copied();
        let owner = self.owned.get(lease.number.0).map(|owned| owned.visitor);
        // Once the room has moved it, its old holder hears of the old fence at most.
        let ended = minted.is_some_and(|minted| minted.end.is_some());
        let former = ended && self.was_carried_from(visitor, lease.number);
        let lost = self.forgotten[visitor] && self.was_carried_from(visitor, lease.number);
        let whose = minted.is_some_and(|minted| minted.number == lease.number)
            && (owner == Some(visitor) || former || lost);
        require("a lease is told to its holder (2)", whose, || {
            format!("{visitor}: {lease:?}")
        })?;
        let told_ms = lease.idle_in_ms.min(lease.hard_in_ms);
        // A host whose clock is wrong cannot know how long it has been.
        if skewed || told_ms == 0 {
            return Ok(());
        }
        let ended = minted.is_some_and(|minted| minted.end == Some(End::Expired));
        require("an ended lease is not told as open (7)", !ended, || {
            format!("{visitor}: {lease:?}")
        })?;
        let Some(grant) = room.permits().grant(lease.fence) else {
            return Ok(());
        };
        // The room's clock may have been read a while ago; it has not stood still since.
        let left_ms = grant.due_at().since_ms(room.now());
        require(
            "no lease is told longer than it is (8)",
            told_ms <= left_ms,
            || format!("{visitor} is told {told_ms} ms of {left_ms}: {lease:?}"),
        )
    }

    fn number_grows(&mut self, visitor: usize, number: Number, room: &Room) -> Check {
        let Some(last) = self.last_told[visitor]
            .replace(number)
            .filter(|last| *last != number)
        else {
            return Ok(());
        };
        let carried = |number| self.former.contains_key(&number);
        if self.forgotten[visitor] || carried(last) || carried(number) {
            return Ok(());
        }
        let over = room.standing(self.now, last) == Standing::Over;
        require(
            "a visitor's number grows (2)",
            number > last && over,
            || format!("visitor {visitor} had {last} (over: {over}) and is told {number}"),
        )
    }

    fn ahead_is_a_bound(
        &mut self,
        visitor: usize,
        number: Number,
        said: &Said<'_>,
        room: &Room,
    ) -> Check {
        let (Some(ahead), Some(owned)) = (said.status.ahead, self.owned.get_mut(number.0)) else {
            return Ok(());
        };
        let least = owned.least_ahead;
        require(
            "ahead as shown never rises (5)",
            said.by_old || ahead <= least,
            || format!("visitor {visitor} with {number} was shown {least} in front, now {ahead}"),
        )?;
        owned.least_ahead = ahead.min(least);
        let really = room.ahead(number);
        // Who has gone in or is over stands in no line, whatever an older word says.
        let holds = really <= Ahead(ahead) || room.line().place(number) == Place::Gone;
        require("ahead as shown is a bound (5)", holds, || {
            format!("{visitor} with {number} is shown {ahead}, it is {really}")
        })
    }

    /// Somebody goes in with a pass that nobody was asked about.
    pub fn passes(&self, visitor: usize, pass: &Pass, time: u64, skewed: bool) -> Check {
        if !self.on {
            return Ok(());
        }
        let whose = pass.visitor == who(visitor);
        let end = self.minted.get(pass.fence.0).and_then(|minted| minted.end);
        let lawful = match end {
            None => true,
            Some(End::Expired) => skewed,
            Some(End::GivenBack(at)) => time <= at + super::front::PASS_TTL_MS,
        };
        require(
            "a pass does not outlive its lease (8)",
            whose && lawful,
            || format!("{pass:?} at {time}: {end:?}"),
        )
    }

    /// Whose a number is.
    #[must_use]
    pub fn owner(&self, number: Number) -> Option<usize> {
        if let Some(entry) = number.entry() {
            return self.in_hall.get(&entry).map(|owned| owned.visitor);
        }
        self.owned.get(number.0).map(|owned| owned.visitor)
    }

    /// The numbers of a visitor, for a failure's message.
    pub fn numbers_of(&self, visitor: usize) -> impl Iterator<Item = Number> {
        let own = self
            .owned
            .iter()
            .filter(move |(_, owned)| owned.visitor == visitor);
        own.map(|(number, _)| Number(number))
    }
}
