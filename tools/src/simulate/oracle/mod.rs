//! The oracle knows what nobody in the world knows, who holds and held every number, and judges all that is said ([`words`]). The owner of a number
//! follows from the facts: from the holders' keys, under the salt that the room keeps. That nobody has two living numbers the judge sees.

mod accounts;
mod numbers;
mod words;

use numbers::{Numbers, Owned};
pub use words::Said;

use super::law::require;
use super::people::who;
use super::slab::Table;
use crate::sums::counts;
use baton::facts::event::{Event, How, Row};
use baton::facts::holder::{Holder, Key, Salt, Shown};
use baton::facts::message::ToRoom;
use baton::facts::reply::Standing;
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number};
use baton::facts::wire::Reason;
use baton::lobby::keys;
use baton::room::Room;
use baton::room::lanes::Lane;
use baton::room::laws::{Check, Violation};
use std::collections::{BTreeMap, BTreeSet};

counts! {
/// Counts of what happened, for reports. Nothing is judged by them.
Figures {
    told,
    joined,
    walked_in,
    called,
    leases,
    expired,
    missed,
    carried,
    elsewhere,
}
}

/// How and when a fence ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    GivenBack(u64),
    Expired(u64),
}

#[derive(Clone, Copy, Debug)]
struct Minted {
    place: (Edition, Number),
    end: Option<End>,
}

/// The oracle; see the file's documentation.
#[derive(Default)]
pub struct Oracle {
    now: Instant,
    /// What is known of the numbers of each edition, from the first.
    editions: Vec<Numbers>,
    /// The fences that were minted, by fence.
    minted: Table<Minted>,
    /// The visitor of each key, over all editions.
    keys: BTreeMap<Key, usize>,
    salts: BTreeMap<Edition, Salt>,
    /// The lobbies in which each visitor ever had a place.
    at: Vec<BTreeSet<LobbyId>>,
    /// When each visitor last asked or said something that a lobby heard.
    spoke_at: Vec<u64>,
    /// When everything must have settled.
    pub settled_at: Option<u64>,
    pub figures: Figures,
    pub on: bool,
}

impl Oracle {
    /// Makes the oracle of a world to which nobody has come yet.
    #[must_use]
    pub fn new(visitors: usize, on: bool) -> Self {
        Self {
            at: vec![BTreeSet::new(); visitors],
            spoke_at: vec![0; visitors],
            editions: vec![Numbers::default()],
            on,
            ..Self::default()
        }
    }

    /// The present edition.
    fn edition(&self) -> Edition {
        Edition(self.editions.len() as u32)
    }

    /// Returns what is known of the numbers of an edition, or `None` if it has not begun.
    fn of(&self, edition: Edition) -> Option<&Numbers> {
        self.editions.get((edition.0 as usize).checked_sub(1)?)
    }

    fn present(&mut self) -> &mut Numbers {
        self.editions.last_mut().expect("there is a first")
    }

    /// Notes that a lobby hears a word of a visitor.
    pub fn speaks(&mut self, visitor: usize, time: u64) {
        self.spoke_at[visitor] = time;
    }

    /// Checks what a lobby sends to the room while these visitors wait there for a place.
    pub fn sent(&self, said: &ToRoom, waits: &[usize]) -> Check {
        let ToRoom::Batch(batch) = said else {
            return Ok(());
        };
        if !self.on {
            return Ok(());
        }
        for holder in batch.commands.iter().flat_map(accounts::takers) {
            let visitor = self.visitor(holder)?;
            require("a place is asked for only while its asker waits", waits.contains(&visitor), || {
                format!("{visitor}, not of {waits:?}: {batch:?}")
            })?;
        }
        Ok(())
    }

    /// Takes in the salt under which keys are made in an edition. A room that was empty for long forgets it and makes another.
    fn salt_is(&mut self, edition: Edition, salt: Option<Salt>, was_empty: bool) -> Check {
        let Some(salt) = salt else {
            return require("an edition's salt is kept", false, || format!("{edition}"));
        };
        let known = self.salts.insert(edition, salt);
        require(
            "a salt stays while anybody has a place",
            was_empty || known.is_none_or(|known| known == salt),
            || format!("{edition}"),
        )?;
        let last = keys::holder(salt, who(self.at.len() - 1));
        if !self.keys.contains_key(&last.key) {
            let visitors = 0..self.at.len();
            let named = visitors.map(|visitor| (keys::holder(salt, who(visitor)).key, visitor));
            self.keys.extend(named);
        }
        Ok(())
    }

    /// Returns whether the edition had another salt before: then the room has forgotten who came.
    #[must_use]
    pub fn is_another_salt(&self, edition: Edition, salt: Option<Salt>) -> bool {
        let known = self.salts.get(&edition);
        known.is_some_and(|known| salt.is_some_and(|salt| salt != *known))
    }

    fn visitor(&self, holder: Holder) -> Result<usize, Violation> {
        let visitor = self.keys.get(&holder.key).copied();
        let law = "a key is some visitor's";
        visitor.ok_or_else(|| Violation {
            law,
            seen: format!("{holder:?}"),
        })
    }

    /// Begins the next edition: nobody has a number, and every permit has come back.
    fn begins_anew(&mut self, time: u64) {
        self.editions.push(Numbers::default());
        for minted in self.minted.iter_mut() {
            minted.end.get_or_insert(End::GivenBack(time));
        }
    }

    /// Takes in a row that is durable. `room` is the state that it leads to, `drawn` the entries that became numbers in it, `salt` what is stored for its
    /// edition, and `was_empty` says that nobody had a place before.
    pub fn turned(&mut self, row: &Row, room: &Room, drawn: &[(Number, Number)], time: u64, salt: Option<Salt>, was_empty: bool) -> Check {
        self.now = self.now.max(row.at);
        if !self.on {
            return Ok(());
        }
        if salt.is_some() || !row.events.is_empty() {
            self.salt_is(room.edition(), salt, was_empty)?;
        }
        for event in &row.events {
            self.learns(event, room, drawn, time)?;
            if let Event::Carried { number, .. } = event {
                self.present().carried.insert(*number, row.version);
            }
            if let Event::Ended { fence, how, .. } | Event::Handed { from: fence, how, .. } = event {
                self.ends(*fence, *how, time);
            }
        }
        Ok(())
    }

    /// Learns from a fact. Long because it has an arm for each fact.
    fn learns(&mut self, event: &Event, room: &Room, drawn: &[(Number, Number)], time: u64) -> Check {
        match event {
            Event::Joined { lobby, first, holders, .. } | Event::Entered { lobby, first, holders, .. } => {
                for (offset, holder) in (0..).zip(holders) {
                    self.give(first.plus(offset), *holder, *lobby)?;
                }
                self.figures.joined += holders.len() as u64;
            }
            Event::WalkedIn {
                lobby,
                number,
                fence,
                holder,
                ..
            } => {
                self.mint(*fence, *number)?;
                self.give(*number, holder.unwrap_or_default(), *lobby)?;
                self.figures.walked_in += 1;
            }
            Event::Called { number, fence } | Event::Handed { number, fence, .. } => {
                self.figures.called += 1;
                self.present().called.insert(numbers::dense(*number), ());
                self.mint(*fence, *number)?;
            }
            Event::Carried { number, fences, to } => {
                if let Some((from, fence)) = fences {
                    self.mint(*fence, *number)?;
                    if let Some(minted) = self.minted.get_mut(from.0) {
                        minted.end = Some(End::GivenBack(time));
                    }
                }
                self.changes_hands(*number, to.unwrap_or_default(), room)?;
            }
            Event::CameBack(numbers) => {
                for number in numbers {
                    self.check_spoke(*number)?;
                }
            }
            Event::Moved { from, to } => {
                self.move_place(*from, *to, room)?;
                self.present().ended.insert(*from, Reason::Left);
            }
            Event::Left(number) => {
                self.present().ended.insert(*number, Reason::Left);
            }
            Event::Dismissed { number, .. } => {
                self.present().ended.insert(*number, Reason::Released);
            }
            // After a reset in the same turn the room's line is the next edition's, and nobody ever hears of this end.
            Event::LineEnded { .. } if room.edition() == self.edition() => {
                let below = |(_, lane): (_, &Lane)| (lane.line().next(), lane.hall().line().next());
                self.present().line_ended = room.lanes().all().map(below).collect();
            }
            // After a reset in the same turn nobody ever hears of these numbers.
            Event::Drawn { first, count, .. } if room.lanes().lane(first.lane()).line().next() >= *first => {
                let theirs = drawn.iter().filter(|(_, to)| (*first..first.plus(*count)).contains(to));
                theirs.copied().try_for_each(|(from, to)| self.move_place(from, to, room))?;
            }
            Event::Reset { .. } => self.begins_anew(time),
            _ => {}
        }
        Ok(())
    }

    fn ends(&mut self, fence: Fence, how: How, time: u64) {
        self.figures.expired += u64::from(how == How::Expired);
        self.figures.missed += u64::from(matches!(how, How::Missed | How::MissedAgain));
        let end = if how == How::Expired { End::Expired(time) } else { End::GivenBack(time) };
        let Some(minted) = self.minted.get_mut(fence.0) else {
            return;
        };
        minted.end = Some(end);
        let number = minted.place.1;
        let reason = match how {
            How::Released => Reason::Released,
            How::Expired => Reason::Expired,
            How::MissedAgain => Reason::Missed,
            How::Left => Reason::Left,
            How::Missed => {
                self.present().missed.insert(number, time);
                return;
            }
        };
        self.present().ended.insert(number, reason);
    }

    fn mint(&mut self, fence: Fence, number: Number) -> Check {
        let place = (self.edition(), number);
        let before = self.minted.insert(fence.0, Minted { place, end: None });
        require("a fence is minted once (2)", before.is_none(), || format!("fence {fence}"))
    }

    /// Checks that a visitor who slept through a call is back only after a word.
    fn check_spoke(&mut self, number: Number) -> Check {
        let numbers = self.present();
        let (missed_at, owner) = (numbers.missed.get(&number).copied(), numbers.owner(number));
        let spoke_at = owner.map_or(0, |owner| self.spoke_at[owner]);
        require(
            "who slept through a call is back only after a word",
            missed_at.is_none_or(|at| spoke_at >= at),
            || format!("{owner:?} with {number}, missed at {missed_at:?}, spoke at {spoke_at}"),
        )
    }

    /// Gives a place to another visitor.
    fn changes_hands(&mut self, number: Number, to: Holder, room: &Room) -> Check {
        let to = self.visitor(to)?;
        let lobby = room.tickets().lobby_of(number);
        let numbers = self.present();
        let Some(owned) = numbers.owned_mut(number) else {
            return require("a place that is carried was somebody's", false, || format!("{number}"));
        };
        let from = core::mem::replace(&mut owned.visitor, to);
        numbers.former.entry(number).or_default().insert(from);
        self.figures.carried += 1;
        self.at[to].extend(lobby);
        Ok(())
    }

    /// Gives a place another number; its holder stays.
    fn move_place(&mut self, from: Number, to: Number, room: &Room) -> Check {
        let Some(visitor) = self.present().owner(from) else {
            return require("a place that moves is somebody's", false, || format!("{from}"));
        };
        self.at[visitor].extend(room.tickets().lobby_of(to));
        self.own(to, visitor)?;
        let numbers = self.present();
        if let Some(at) = numbers.missed.get(&from).copied() {
            numbers.missed.insert(to, at);
        }
        if let Some(former) = numbers.former.get(&from).cloned() {
            numbers.former.insert(to, former);
        }
        if let Some(row) = numbers.carried.get(&from).copied() {
            numbers.carried.insert(to, row);
        }
        Ok(())
    }

    /// Gives a new number to its holder.
    fn give(&mut self, number: Number, holder: Holder, lobby: LobbyId) -> Check {
        let visitor = self.visitor(holder)?;
        self.at[visitor].insert(lobby);
        self.own(number, visitor)
    }

    fn own(&mut self, number: Number, visitor: usize) -> Check {
        let owned = Owned {
            visitor,
            least_ahead: u64::MAX,
        };
        let before = self.present().insert(number, owned);
        require("a number is issued once (2)", before.is_none(), || format!("{number}"))
    }

    /// Returns the visitor who holds this number of the present edition.
    #[must_use]
    pub fn owner(&self, number: Number) -> Option<usize> {
        self.of(self.edition())?.owner(number)
    }

    /// Returns the numbers of a visitor in the present edition, for a failure's message.
    pub fn numbers_of(&self, visitor: usize) -> impl Iterator<Item = Number> {
        let present = self.editions.last().into_iter();
        let owned = present.flat_map(|numbers| numbers.owned.iter());
        let own = owned.filter(move |(_, owned)| owned.visitor == visitor);
        own.map(|(number, _)| Number(number))
    }

    /// Returns whether the owner of a number was told of this call.
    #[must_use]
    pub fn was_told_of_call(&self, number: Number, fence: Fence) -> bool {
        let numbers = self.of(self.edition());
        numbers.is_some_and(|numbers| numbers.told_called.get(&number) == Some(&fence))
    }

    fn grows(&self, before: Shown, after: (Edition, Number), room: &Room) -> bool {
        let was = (before.edition, before.number);
        if was == after {
            return true;
        }
        let carried = |(edition, number): (Edition, Number)| {
            let numbers = self.of(edition);
            numbers.is_some_and(|numbers| numbers.former.contains_key(&number))
        };
        if carried(was) || carried(after) {
            return true;
        }
        // Each lane counts for itself, and a place may move to another lane.
        if before.edition == after.0 && before.number.lane() != after.1.lane() {
            return true;
        }
        if before.edition != after.0 {
            return before.edition < after.0;
        }
        let over = before.edition < self.edition() || room.tickets().standing(self.now, before.number) == Standing::Over;
        // An entry becomes a number. Another hall comes after that.
        let later = before.number.is_entry() != after.1.is_entry() || before.number < after.1;
        over && later
    }
}
