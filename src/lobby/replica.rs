//! A lobby's part of the room's book, as the room last told it. Only this file writes a ticket.
//!
//! [`Replica::take`] is the one function by which a statement of the room changes a ticket. An older statement never comes
//! here: the lobby judges messages whole, by their version ([`Replica::judge`]).

use super::ticket::{Phase, Ticket, earlier, reason};
use crate::facts::holder::{Holder, Key, Salt, Shown, Tag};
use crate::facts::limits::NUMBERS_MAX;
use crate::facts::message::{Change, Ended, Gist, Known, LineEnd, Listed, Message, RoomLife};
use crate::facts::reply::Standing;
use crate::facts::units::{Edition, Instant, LaneId, Number, Version};
use crate::ordered::filled;
use crate::planted::{self, Bug};
use crate::wire::Reason;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Tickets whose end is remembered, so that whoever asks is told the reason: then the oldest are forgotten. 48 bytes each.
const ENDED_MAX: usize = 16_000;

/// How a message stands to what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// It is as new as what is known, or newer.
    News,
    /// What is known is newer.
    Old,
    /// Something in between is missing, or it is of another life of the room.
    Gap,
}

/// See the file's documentation.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    salt: Salt,
    life: RoomLife,
    /// Everything up to this row is in here.
    have: Version,
    whole: bool,
    /// The list is in here, and what comes now is new.
    watches: bool,
    tickets: BTreeMap<Number, Ticket>,
    by_key: BTreeMap<Key, Number>,
    by_tag: BTreeMap<Tag, u32>,
    /// Walk-ins whose cookie has not come back.
    unproven: BTreeMap<Number, Tag>,
    /// Why tickets of this edition ended, while it is remembered: by key the last, and the order in which they came.
    ended: BTreeMap<Key, (Number, Reason)>,
    ended_order: VecDeque<Key>,
    line_end: Option<LineEnd>,
    edition: Edition,
    /// Whose holders must be told.
    news: BTreeSet<Key>,
    /// Whose presence must be compared.
    moved: BTreeSet<Number>,
}

impl Replica {
    /// What is known, for a Hello.
    #[must_use]
    pub fn known(&self) -> Option<Known> {
        self.whole.then_some(Known {
            life: self.life,
            version: self.have,
        })
    }

    /// Everything up to this row is in here.
    #[must_use]
    pub const fn have(&self) -> Version {
        self.have
    }

    /// The room's life.
    #[must_use]
    pub const fn life(&self) -> RoomLife {
        self.life
    }

    /// Which edition the room is in.
    #[must_use]
    pub const fn edition(&self) -> Edition {
        self.edition
    }

    /// With what keys are made.
    #[must_use]
    pub const fn salt(&self) -> Salt {
        self.salt
    }

    /// Living tickets.
    #[must_use]
    pub fn living(&self) -> usize {
        self.tickets.len()
    }

    /// Living tickets that were issued at an address. O(log addresses).
    #[must_use]
    pub fn living_at(&self, tag: Tag) -> u64 {
        self.by_tag.get(&tag).copied().unwrap_or(0).into()
    }

    /// Of these: walk-ins whose cookie has not come back. O(such walk-ins).
    #[must_use]
    pub fn unproven_at(&self, tag: Tag) -> u64 {
        self.unproven.values().filter(|of| **of == tag).count() as u64
    }

    /// Every living ticket, in order. O(tickets).
    pub fn tickets(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.values()
    }

    /// In which lanes there are living tickets, as bits. O(lanes · log tickets).
    #[must_use]
    pub fn lanes(&self) -> u8 {
        let bit = |lane: LaneId| {
            let numbers = lane.number(0)..=lane.entry(NUMBERS_MAX);
            let any = self.tickets.range(numbers).next().is_some();
            u8::from(any) << lane.0
        };
        LaneId::all().map(bit).fold(0, |bits, bit| bits | bit)
    }

    /// The living ticket of a holder. O(log tickets).
    #[must_use]
    pub fn of_key(&self, key: Key) -> Option<&Ticket> {
        self.tickets.get(self.by_key.get(&key)?)
    }

    /// The living ticket of a number. O(log tickets).
    #[must_use]
    pub fn of_number(&self, number: Number) -> Option<&Ticket> {
        self.tickets.get(&number)
    }

    /// How a ticket of this holder ended last, if that is remembered. O(log tickets).
    #[must_use]
    pub fn end_of(&self, key: Key) -> Option<(Number, Reason)> {
        self.ended.get(&key).copied()
    }

    /// Why the place that somebody shows is over, who has no living ticket; `None`: it may not be, or nobody knows here. The
    /// reason is `Some(None)` when the room no longer says it.
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

    /// Forgets everything: this life is over, or begins.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A list replaces everything. Visitors who are called or inside, or have missed a call, are told again. O(tickets).
    pub fn replace(
        &mut self,
        salt: Salt,
        life: RoomLife,
        listed: &[Listed],
        version: Version,
        since: Instant,
    ) {
        *self = Self {
            salt,
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

    /// How a message stands to what is known. O(1).
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

    /// Takes in what has changed, by a message that was judged to be news; remaining times count from `since`.
    /// O(changes · log tickets), at the end of the line O(tickets).
    pub(super) fn merge(&mut self, message: &Message, since: Instant) {
        self.have = message.version;
        self.edition = message.gist.edition;
        for change in &message.changes {
            match change {
                Change::Lives(listed) => self.take(listed, message.version, since),
                // Its new number says what became of it, behind it or in front of it.
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

    /// Everybody who waited when the line ended is over.
    fn end_line(&mut self, gist: &Gist) {
        let Some(end) = gist.ended.filter(|end| self.line_end != Some(*end)) else {
            self.line_end = gist.ended;
            return;
        };
        self.line_end = Some(end);
        let waits = |ticket: &&Ticket| {
            end.covers(ticket.number) && !matches!(ticket.phase, Phase::Admitted { .. })
        };
        let over: Vec<Number> = self.tickets().filter(waits).map(|t| t.number).collect();
        for number in over {
            self.end(number, end.why.into());
        }
    }

    /// The one function by which a statement of the room changes a ticket: it stands so, as of row `row`.
    pub(super) fn take(&mut self, listed: &Listed, row: Version, since: Instant) {
        let Listed {
            number,
            holder,
            standing,
        } = *listed;
        let Some(phase) = Phase::of(standing, since) else {
            return self.end(number, Reason::Expired);
        };
        let before = self.tickets.get(&number).copied();
        let same_holder = self
            .of_key(holder.key)
            .copied()
            .filter(|_| before.is_none());
        if before.is_none_or(|before| before.holder != holder) {
            self.changes_hands(number, before, holder);
        }
        if before.is_none_or(|b| b.holder != holder || phase.is_news_after(b.phase)) {
            self.news.insert(holder.key);
        }
        let (ahead, away) = match standing {
            Standing::Waiting { ahead, away, .. } => (ahead.0, Some(away)),
            // Nothing is said of who is in front, and after a missed call somebody may be.
            Standing::Called { .. } | Standing::Admitted { .. } | Standing::Over => {
                (u64::MAX, None)
            }
        };
        let knew = before.is_some_and(|before| before.holder == holder && before.phase == phase);
        let is_new = before.is_none() && self.watches;
        let ticket = Ticket {
            number,
            holder,
            account: before.or(same_holder).and_then(|before| before.account),
            unseen_since: before
                .or(same_holder)
                .map_or(is_new.then_some(since), |before| before.unseen_since),
            spoke: before.is_some_and(|before| before.spoke)
                && (knew || phase != Phase::Waiting { missed: true }),
            phase: earlier(before.map(|before| before.phase), phase),
            // While a word about it is out it is not known whether the room said this before or after hearing that.
            away: away.filter(|_| {
                before.is_none_or(|before| before.away.is_some() || before.waits_not())
            }),
            ahead: before.map_or(ahead, |before| before.ahead.min(ahead)),
            row: before.map_or(row, |before| before.row),
        };
        self.tickets.insert(number, ticket);
        self.note_unproven(number, holder.tag, phase);
        self.moved.insert(number);
    }

    fn note_unproven(&mut self, number: Number, tag: Tag, phase: Phase) {
        match phase {
            Phase::Admitted {
                provisional: true, ..
            } => drop(self.unproven.insert(number, tag)),
            _ => drop(self.unproven.remove(&number)),
        }
    }

    /// The room has said how a lease stands, in answer to a wish: its ends, of which nothing is told one by one.
    pub(super) fn note_lease(&mut self, number: Number, standing: Standing, since: Instant) {
        let told = Phase::of(standing, since);
        if let (Some(ticket), Some(told)) = (self.tickets.get_mut(&number), told)
            && !told.is_news_after(ticket.phase)
        {
            ticket.phase = earlier(Some(ticket.phase), told);
            let tag = ticket.holder.tag;
            self.note_unproven(number, tag, told);
        }
    }

    /// Keeps the ways to a ticket in step with whose it is.
    fn changes_hands(&mut self, number: Number, before: Option<Ticket>, to: Holder) {
        if let Some(before) = before {
            self.unlink(&before);
            self.remember(before.holder.key, number, Reason::Carried);
            self.news.insert(before.holder.key);
        }
        // Its own place was left in the same turn, which the same message says; the order of the numbers may say it later.
        if let Some(other) = self.by_key.insert(to.key, number)
            && other != number
            && let Some(ticket) = self.tickets.remove(&other)
        {
            self.uncount(ticket.holder.tag);
        }
        *self.by_tag.entry(to.tag).or_insert(0) += 1;
    }

    /// A ticket is over.
    fn end(&mut self, number: Number, why: Reason) {
        if let Some(ticket) = self.tickets.remove(&number) {
            self.unlink(&ticket);
            self.unproven.remove(&number);
            self.remember(ticket.holder.key, number, why);
            self.news.insert(ticket.holder.key);
        }
    }

    fn unlink(&mut self, ticket: &Ticket) {
        if self.by_key.get(&ticket.holder.key) == Some(&ticket.number) {
            self.by_key.remove(&ticket.holder.key);
        }
        self.uncount(ticket.holder.tag);
    }

    fn uncount(&mut self, tag: Tag) {
        if let Some(count) = self.by_tag.get_mut(&tag) {
            *count -= 1;
            if *count == 0 {
                self.by_tag.remove(&tag);
            }
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

    /// A word about this ticket's presence goes to the room: until the answer nobody knows what it thinks.
    pub(super) fn presence_said(&mut self, number: Number) {
        if let Some(ticket) = self.tickets.get_mut(&number)
            && !planted::is(Bug::PresenceByEdges)
        {
            ticket.away = None;
        }
    }

    /// The room has heard of it, and nothing newer is known.
    pub(super) fn presence_heard(&mut self, number: Number, away: bool) {
        if let Some(ticket) = self.tickets.get_mut(&number) {
            ticket.away = Some(away);
            self.moved.insert(number);
        }
    }

    /// The room says whom of those who wait it takes for away; `None`: that is not known any more. O(tickets).
    pub(super) fn hears_away(&mut self, away: Option<&[Number]>) {
        for ticket in self.tickets.values_mut() {
            if !ticket.waits_not() {
                ticket.away = away.map(|away| away.binary_search(&ticket.number).is_ok());
                self.moved.insert(ticket.number);
            }
        }
    }

    /// A place of which the room says that it does not wait here: what became of it comes with the changes, or came.
    pub(super) fn presence_unheard(&mut self, number: Number) {
        self.moved.insert(number);
    }

    /// So many are in front of a number, at most. O(log tickets).
    pub(super) fn note_ahead(&mut self, number: Number, ahead: u64) -> u64 {
        match self.tickets.get_mut(&number) {
            Some(ticket) => {
                ticket.ahead = ticket.ahead.min(ahead);
                ticket.ahead
            }
            None => ahead,
        }
    }

    /// The room has said that the holder's place is this account's.
    pub(super) fn note_account(&mut self, key: Key, account: Key) {
        if let Some(number) = self.by_key.get(&key)
            && let Some(ticket) = self.tickets.get_mut(number)
        {
            ticket.account = Some(account);
        }
    }

    /// The holder of a ticket has said something.
    pub(super) fn speaks(&mut self, key: Key) {
        if let Some(number) = self.by_key.get(&key)
            && let Some(ticket) = self.tickets.get_mut(number)
        {
            ticket.spoke = true;
        }
    }

    /// The holder of a ticket has come back after joining.
    pub(super) fn is_seen(&mut self, key: Key) {
        if let Some(number) = self.by_key.get(&key)
            && let Some(ticket) = self.tickets.get_mut(number)
        {
            ticket.unseen_since = None;
        }
    }

    /// The holder must be told, whatever there is to tell.
    pub(super) fn is_news(&mut self, key: Key) {
        self.news.insert(key);
    }

    /// Its presence must be compared again.
    pub(super) fn look_at(&mut self, key: Key) {
        if let Some(number) = self.by_key.get(&key) {
            self.moved.insert(*number);
        }
    }

    /// Whose holders must be told, once.
    pub(super) fn take_news(&mut self) -> BTreeSet<Key> {
        core::mem::take(&mut self.news)
    }

    /// Whose presence must be compared, once.
    pub(super) fn take_moved(&mut self) -> BTreeSet<Number> {
        core::mem::take(&mut self.moved)
    }
}
