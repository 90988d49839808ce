//! A lobby's part of the room's book, as the room last told it. Only this file writes a ticket.
//!
//! [`Replica::take`] is the one function that writes where a ticket stands, as a message tells it; the others end a ticket or adjust a field of one
//! that lives. No older message comes here: the lobby judges each as a whole, by its version ([`Replica::judge`]).

use super::ticket::{AtAddress, Phase, Ticket, earlier, reason};
use facts::holder::{Holder, Key, Shown, Tag};
use facts::limits::NUMBERS_MAX;
use facts::message::{Change, Ended, Gist, Known, LineEnd, Listed, Message, RoomLife};
use facts::ordered::filled;
use facts::planted::{self, Bug};
use facts::reply::Standing;
use facts::units::{Edition, Instant, LaneId, Network, Number, Version};
use facts::wire::Reason;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most ended tickets that are remembered, so that a visitor who asks is told the reason. Beyond that the oldest are forgotten. 48 bytes each.
const ENDED_MAX: usize = 16_000;

/// How a message compares to what the lobby knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// It is as new as what the lobby knows, or newer.
    News,
    /// The lobby knows something newer.
    Old,
    /// Something in between is missing, or the message is of another life of the room.
    Gap,
}

/// See the file's documentation.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    life: RoomLife,
    /// Everything up to this row is in the replica.
    have: Version,
    whole: bool,
    /// Whether the list was taken in, so that tickets that come now are new.
    watches: bool,
    tickets: BTreeMap<Number, Ticket>,
    by_key: BTreeMap<Key, Number>,
    by_tag: BTreeMap<Tag, AtAddress>,
    /// Why tickets of this edition ended, while that is remembered: the last end of each key, and the order in which the keys came.
    ended: BTreeMap<Key, (Number, Reason)>,
    ended_order: VecDeque<Key>,
    line_end: Option<LineEnd>,
    edition: Edition,
    /// Holders who must be told.
    news: BTreeSet<Key>,
    /// Tickets whose presence must be compared.
    moved: BTreeSet<Number>,
}

impl Replica {
    /// What the lobby knows, for a Hello; `None` if it does not know a whole state.
    #[must_use]
    pub fn known(&self) -> Option<Known> {
        self.whole.then_some(Known {
            life: self.life,
            version: self.have,
        })
    }

    /// The row up to which everything is in the replica.
    #[must_use]
    pub const fn have(&self) -> Version {
        self.have
    }

    /// The room's life.
    #[must_use]
    pub const fn life(&self) -> RoomLife {
        self.life
    }

    /// The edition that the room is in.
    #[must_use]
    pub const fn edition(&self) -> Edition {
        self.edition
    }

    /// The number of living tickets.
    #[must_use]
    pub fn living(&self) -> usize {
        self.tickets.len()
    }

    /// What the holders named at an address have, or those named in this network of it. O(addresses in the network).
    #[must_use]
    pub fn held_at(&self, tag: Tag, network: Network) -> AtAddress {
        let held = self.by_tag.range(tag.within(network));
        held.fold(AtAddress::default(), |sum, (_, held)| sum.plus(*held))
    }

    /// Every living ticket, in the order of their numbers. O(tickets).
    pub fn tickets(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.values()
    }

    /// The lanes in which there are living tickets, as bits. O(lanes · log tickets).
    #[must_use]
    pub fn lanes(&self) -> u8 {
        let bit = |lane: LaneId| {
            let numbers = lane.number(0)..=lane.entry(NUMBERS_MAX);
            let any = self.tickets.range(numbers).next().is_some();
            u8::from(any) << lane.0
        };
        LaneId::all().map(bit).fold(0, |bits, bit| bits | bit)
    }

    /// The living ticket of a holder, or `None` if there is none. O(log tickets).
    #[must_use]
    pub fn of_key(&self, key: Key) -> Option<&Ticket> {
        self.tickets.get(self.by_key.get(&key)?)
    }

    /// The living ticket with this number, or `None` if there is none. O(log tickets).
    #[must_use]
    pub fn of_number(&self, number: Number) -> Option<&Ticket> {
        self.tickets.get(&number)
    }

    /// How a ticket of this holder last ended, or `None` if that is not remembered. O(log tickets).
    #[must_use]
    pub fn end_of(&self, key: Key) -> Option<(Number, Reason)> {
        self.ended.get(&key).copied()
    }

    /// Whether this place of the room's edition is over as far as the lobby can tell, and nobody has told it how the place ended.
    #[must_use]
    pub fn knows_no_end(&self, key: Key, shown: Shown) -> bool {
        let is_told = self.end_of(key).is_some_and(|(n, _)| n == shown.number) || self.line_end.is_some_and(|end| end.covers(shown.number));
        self.whole && shown.edition == self.edition && !is_told
    }

    /// Returns why the place that somebody without a living ticket shows is over. `None`: it may not be over, or the lobby can't know.
    /// `Some(None)`: it is over, but the room no longer says why.
    #[must_use]
    pub fn why_over(&self, key: Key, shown: Shown) -> Option<Option<Reason>> {
        if !self.whole || self.have < shown.row {
            return None;
        }
        let ignores = planted::is(Bug::EditionIgnored);
        if shown.edition < self.edition && !ignores {
            return Some(Some(Reason::Reset));
        }
        if let Some((_, reason)) = self.end_of(key).filter(|(n, _)| *n == shown.number) {
            return Some(Some(reason));
        }
        if self.tickets.contains_key(&shown.number) {
            return Some(Some(Reason::Carried));
        }
        let ended = self.line_end.filter(|end| end.covers(shown.number));
        Some(ended.map(|end| end.why.into()))
    }

    /// Forgets everything, because this life is over or begins.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Replaces everything with a list. Visitors who are called or inside, or who missed a call, are told again. O(tickets).
    pub fn replace(&mut self, life: RoomLife, listed: &[Listed], version: Version, since: Instant) {
        *self = Self {
            life,
            have: version,
            whole: true,
            ..Self::default()
        };
        for listed in listed {
            self.take(listed, version, since);
        }
        self.watches = true;
        self.moved = filled(self.tickets.keys().copied());
        let quiet = Phase::Waiting { missed: false };
        let news = self.tickets().filter(|ticket| ticket.phase != quiet);
        self.news = filled(news.map(|ticket| ticket.holder.key));
    }

    /// Compares a message with what the lobby knows. O(1).
    pub(super) fn judge(&self, message: &Message) -> Judged {
        let ignores = planted::is(Bug::OlderTaken);
        if !self.whole || message.life != self.life || message.since > self.have {
            Judged::Gap
        } else if message.version < self.have && !ignores {
            Judged::Old
        } else {
            Judged::News
        }
    }

    /// Takes in the changes of a message that was judged to be news. Remaining times count from `since`.
    /// O(changes · log tickets), or O(tickets) at the end of the line.
    pub(super) fn merge(&mut self, message: &Message, since: Instant) {
        self.have = message.version;
        self.edition = message.gist.edition;
        for change in &message.changes {
            match change {
                Change::Lives(listed) => self.take(listed, message.version, since),
                // The change of its new number, before or behind this one, says what became of it.
                Change::Over(_, Ended::Moved) => {}
                Change::Over(number, why) => self.end(*number, reason(*why)),
            }
        }
        for change in &message.changes {
            if let Change::Over(number, Ended::Moved) = change {
                self.end(*number, reason(Ended::Moved));
            }
        }
        self.end_line(&message.gist);
    }

    /// Ends the ticket of everybody who waited when the line ended.
    fn end_line(&mut self, gist: &Gist) {
        let Some(end) = gist.ended.filter(|end| self.line_end != Some(*end)) else {
            self.line_end = gist.ended;
            return;
        };
        self.line_end = Some(end);
        let waits = |ticket: &&Ticket| end.covers(ticket.number) && !matches!(ticket.phase, Phase::Admitted { .. });
        let over: Vec<Number> = self.tickets().filter(waits).map(|t| t.number).collect();
        for number in over {
            self.end(number, end.why.into());
        }
    }

    /// Writes where a ticket stands as of `row`, as the room says. This is the one function that does; remaining times count from `since`.
    pub(super) fn take(&mut self, listed: &Listed, row: Version, since: Instant) {
        let Listed { number, holder, standing } = *listed;
        let Some(phase) = Phase::of(standing, since) else {
            return self.end(number, Reason::Expired);
        };
        let before = self.tickets.get(&number).copied();
        let same_holder = self.of_key(holder.key).copied().filter(|_| before.is_none());
        if before.is_none_or(|before| before.holder != holder) {
            self.changes_hands(number, before, holder);
        }
        if before.is_none_or(|b| b.holder != holder || phase.is_news_after(b.phase)) {
            self.news.insert(holder.key);
        }
        let (ahead, away) = match standing {
            Standing::Waiting { ahead, away, .. } => (ahead.0, Some(away)),
            // The standing does not say who is in front, and after a missed call somebody may be.
            Standing::Called { .. } | Standing::Admitted { .. } | Standing::Over => (u64::MAX, None),
        };
        let knew = before.is_some_and(|before| before.holder == holder && before.phase == phase);
        let known = before.or(same_holder);
        // Who slept through a call is not there, until heard.
        let slept = phase == Phase::Waiting { missed: true } && !knew;
        let unseen = known.is_none_or(|known| known.unseen_since.is_some());
        let unseen_since = known.and_then(|known| known.unseen_since).unwrap_or(since);
        let ticket = Ticket {
            number,
            holder,
            account: known.and_then(|known| known.account),
            unseen_since: (unseen || slept).then_some(unseen_since),
            returned: known.map_or(!self.watches, |known| known.returned),
            spoke: before.is_some_and(|before| before.spoke) && (knew || phase != Phase::Waiting { missed: true }),
            phase: earlier(before.map(|before| before.phase), phase),
            // While a word about presence is out, nobody knows whether the room said this before or after it heard that word.
            away: away.filter(|_| before.is_none_or(|before| before.away.is_some() || before.waits_not())),
            ahead: before.map_or(ahead, |before| before.ahead.min(ahead)),
            row: before.map_or(row, |before| before.row),
        };
        self.put(ticket);
        self.moved.insert(number);
    }

    /// Puts a ticket in the place of the one with its number, and counts it at its address.
    fn put(&mut self, ticket: Ticket) {
        self.remove(ticket.number);
        let held = self.by_tag.entry(ticket.holder.tag).or_default();
        *held = held.plus(AtAddress::by(&ticket));
        self.tickets.insert(ticket.number, ticket);
    }

    fn remove(&mut self, number: Number) -> Option<Ticket> {
        let ticket = self.tickets.remove(&number)?;
        let tag = ticket.holder.tag;
        if let Some(held) = self.by_tag.get_mut(&tag) {
            let by = AtAddress::by(&ticket);
            held.tickets -= by.tickets;
            held.leases -= by.leases;
            held.unproven -= by.unproven;
            if held.tickets == 0 {
                self.by_tag.remove(&tag);
            }
        }
        Some(ticket)
    }

    /// Notes the ends of a lease as the room answered a wish. The room does not tell every change of them unasked.
    pub(super) fn note_lease(&mut self, number: Number, standing: Standing, since: Instant) {
        let told = Phase::of(standing, since);
        if let (Some(ticket), Some(told)) = (self.tickets.get(&number).copied(), told)
            && !told.is_news_after(ticket.phase)
        {
            self.put(Ticket {
                phase: earlier(Some(ticket.phase), told),
                ..ticket
            });
        }
    }

    /// Updates the indexes of a ticket that gets another holder.
    fn changes_hands(&mut self, number: Number, before: Option<Ticket>, to: Holder) {
        if let Some(before) = before {
            self.unlink(&before);
            self.remember(before.holder.key, number, Reason::Carried);
            self.news.insert(before.holder.key);
        }
        // The holder's own place was left in the same turn. The same message says so, but maybe later, since changes are in the order of numbers.
        if let Some(other) = self.by_key.insert(to.key, number)
            && other != number
        {
            self.remove(other);
        }
    }

    /// Ends a ticket.
    fn end(&mut self, number: Number, why: Reason) {
        if let Some(ticket) = self.remove(number) {
            self.unlink(&ticket);
            self.remember(ticket.holder.key, number, why);
            self.news.insert(ticket.holder.key);
        }
    }

    fn unlink(&mut self, ticket: &Ticket) {
        if self.by_key.get(&ticket.holder.key) == Some(&ticket.number) {
            self.by_key.remove(&ticket.holder.key);
        }
    }

    fn remember(&mut self, key: Key, number: Number, why: Reason) {
        if self.ended.insert(key, (number, why)).is_none() {
            self.ended_order.push_back(key);
        }
        if self.ended_order.len() > ENDED_MAX
            && let Some(oldest) = self.ended_order.pop_front()
        {
            self.ended.remove(&oldest);
        }
    }

    /// Notes that a word about this ticket's presence goes to the room. Until the answer nobody knows what the room thinks.
    pub(super) fn presence_said(&mut self, number: Number) {
        if let Some(ticket) = self.tickets.get_mut(&number)
            && !planted::is(Bug::PresenceByEdges)
        {
            ticket.away = None;
        }
    }

    /// Notes what the room thinks of this ticket's presence, when nothing newer is known.
    pub(super) fn presence_heard(&mut self, number: Number, away: bool) {
        if let Some(ticket) = self.tickets.get_mut(&number) {
            ticket.away = Some(away);
            self.moved.insert(number);
        }
    }

    /// Notes whom of those who wait the room takes for away; `None` if that is no longer known. O(tickets).
    pub(super) fn hears_away(&mut self, away: Option<&[Number]>) {
        for ticket in self.tickets.values_mut() {
            if !ticket.waits_not() {
                ticket.away = away.map(|away| away.binary_search(&ticket.number).is_ok());
                self.moved.insert(ticket.number);
            }
        }
    }

    /// Compares the presence of this ticket again, because the room's answer about it was lost or is outdated.
    pub(super) fn presence_unheard(&mut self, number: Number) {
        self.moved.insert(number);
    }

    /// Lowers the known number of people in front to `ahead`, if that is less, and returns it. O(log tickets).
    pub(super) fn note_ahead(&mut self, number: Number, ahead: u64) -> u64 {
        match self.tickets.get_mut(&number) {
            Some(ticket) => {
                ticket.ahead = ticket.ahead.min(ahead);
                ticket.ahead
            }
            None => ahead,
        }
    }

    fn of_key_mut(&mut self, key: Key) -> Option<&mut Ticket> {
        self.tickets.get_mut(self.by_key.get(&key)?)
    }

    /// Notes that the holder's place is this account's, as the room has said.
    pub(super) fn note_account(&mut self, key: Key, account: Key) {
        if let Some(ticket) = self.of_key_mut(key) {
            ticket.account = Some(account);
        }
    }

    /// Notes that the holder of a ticket has said something.
    pub(super) fn speaks(&mut self, key: Key) {
        if let Some(ticket) = self.of_key_mut(key) {
            ticket.spoke = true;
        }
    }

    /// Notes that the holder of a ticket has come back after joining.
    pub(super) fn note_seen(&mut self, key: Key) {
        if let Some(ticket) = self.of_key_mut(key) {
            ticket.unseen_since = None;
            ticket.returned = true;
        }
    }

    /// Notes that the holder of a ticket was last seen at this time.
    pub(super) fn note_gone(&mut self, key: Key, since: Instant) {
        if let Some(ticket) = self.of_key_mut(key) {
            ticket.unseen_since.get_or_insert(since);
        }
    }

    /// Makes sure that the holder is told, whatever there is to tell.
    pub(super) fn queue_news(&mut self, key: Key) {
        self.news.insert(key);
    }

    /// Makes sure that the presence of the holder's ticket is compared again.
    pub(super) fn look_at(&mut self, key: Key) {
        if let Some(number) = self.by_key.get(&key) {
            self.moved.insert(*number);
        }
    }

    /// Takes the holders who must be told, once.
    pub(super) fn take_news(&mut self) -> BTreeSet<Key> {
        core::mem::take(&mut self.news)
    }

    /// Takes the tickets whose presence must be compared, once.
    pub(super) fn take_moved(&mut self) -> BTreeSet<Number> {
        core::mem::take(&mut self.moved)
    }
}
