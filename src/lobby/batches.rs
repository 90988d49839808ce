//! What goes to the room and what comes back.
//!
//! At most one batch is out. What arrives meanwhile waits for the next, so batches grow with
//! load and nobody waits for a timer. A batch without an answer has an unknown outcome: the same
//! bytes go again, and nothing newer before it is settled.

use super::event::LobbyEvent;
use super::standings::Said;
use super::{Book, Flying, LOOK_AFTER_MS, Lobby, Outstanding, Phase, Ticket, Waiter, Want};
use crate::planted::{self, Bug};
use crate::room::command::{Batch, Command, LineEnd, Message, Reply};
use crate::room::config::{BATCH_COMMANDS_MAX, ENTRIES_ASKED_MAX, JOIN_COUNT_MAX};
use crate::room::frame::Frame;
use crate::units::{Instant, Number, Version, VisitorId};

/// What a waiter is told; the rest follows from the ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub(super) want: Want,
    /// A ticket was issued.
    pub(super) issued: bool,
    /// The room's line is as long as it may be.
    pub(super) line_full: bool,
    /// A place that was taken up is the visitor's now, by whatever number.
    pub(super) moved: bool,
}

impl Outcome {
    /// The room's answer meant nothing.
    pub(super) const fn of_nothing(want: Want) -> Self {
        Self {
            want,
            issued: false,
            line_full: false,
            moved: false,
        }
    }
}

/// What came of a message.
#[derive(Clone, Debug, Default)]
pub struct Delivered {
    /// Who is answered.
    pub outcomes: Vec<(Waiter, Outcome)>,
    /// Whose status changed: their sockets and held polls are told.
    pub changed: Vec<VisitorId>,
    /// The mode changed: everybody is told.
    pub everybody: bool,
    /// Who got a place from another in the midst of the batch: what else it says of that place may be of the other's.
    pub(super) unsure: Vec<VisitorId>,
}

impl Flying {
    /// A batch whose answer an earlier life did not hear.
    pub(super) fn of_earlier_life(now: Instant, old: Outstanding) -> Self {
        let wants = old
            .batch
            .commands
            .iter()
            .zip(old.visitors)
            .map(|(command, visitors)| match command {
                Command::Join { .. } => (Want::Join, visitors),
                Command::WalkIn => (Want::WalkIn, visitors),
                Command::Leave(_) => (Want::Leave, visitors),
                Command::Release(fence) => (Want::Release(*fence), visitors),
                // It may reach the room only now. A claim is heard of by its answer alone.
                Command::Claim(_) => (Want::Claim, visitors),
                Command::Carry(number) => (Want::Carry(*number), visitors),
                // Idempotent, and whoever wanted it asks again. Nothing is made of its reply: it is as
                // old as the earlier life, and may speak of what has ended since.
                _ => (Want::Away, Vec::new()),
            });
        Self {
            wants: wants.collect(),
            batch: old.batch,
            sent_at: now,
            // Remaining times in a repeated answer are as old as its first: they have run out.
            asked_at: Instant(0),
        }
    }

    /// The fact that it is out.
    fn sent(&self) -> LobbyEvent {
        LobbyEvent::Sent {
            batch: self.batch.clone(),
            visitors: self
                .wants
                .iter()
                .map(|(_, visitors)| visitors.clone())
                .collect(),
        }
    }
}

impl Lobby {
    /// The batch to send now: the one that is out (again), or the next, or `None`. Write
    /// [`take_unsaved`](Self::take_unsaved) before sending. O(batch · log tickets).
    pub fn next_batch(&mut self, now: Instant) -> Option<Batch> {
        if self.flying.is_none() {
            self.flying = Some(self.gather(now)?);
        }
        self.flying.as_ref().map(|flying| flying.batch.clone())
    }

    /// Whether there is something to send.
    #[must_use]
    pub fn has_batch(&self) -> bool {
        self.flying.is_some() || self.has_something_to_say()
    }

    fn has_something_to_say(&self) -> bool {
        !self.queue.is_empty()
            || self.must_introduce()
            || self.pressure.overdue()
            || self.origin.overdue()
    }

    /// A life that finds sockets speaks first: what the room said to the life before may be lost,
    /// and a page that just shows the line asks nothing.
    const fn must_introduce(&self) -> bool {
        !self.introduced && self.presence.sockets() > 0
    }

    fn gather(&mut self, now: Instant) -> Option<Flying> {
        if !self.has_something_to_say() {
            return None;
        }
        if !self.introduced {
            self.ask_about_the_ended();
        }
        let mut commands: Vec<Command> = Vec::new();
        let mut wants: Vec<(Want, Vec<VisitorId>)> = Vec::new();
        for said in self.origin.take() {
            commands.push(said);
            wants.push((Want::Origin, Vec::new()));
        }
        while commands.len() < BATCH_COMMANDS_MAX {
            let Some((visitor, want)) = self.queue.pop_front() else {
                break;
            };
            // Whose place has been carried off or ended since may have another one by now, and is there for that.
            if want == Want::Away && !self.leaving.contains(&visitor) {
                self.waiters.remove(&(visitor, want));
                continue;
            }
            self.add(visitor, want, &mut commands, &mut wants);
            // Who has the number after this is not known before the answer.
            if matches!(want, Want::Carry(_)) {
                break;
            }
        }
        self.sequence += 1;
        let roster = if self.introduced {
            Vec::new()
        } else {
            self.roster()
        };
        self.introduced = true;
        let batch = Batch {
            lobby: self.id,
            epoch: self.book.epoch,
            sequence: self.sequence,
            attempts: self.pressure.take(),
            edition: self.book.edition,
            acknowledged: self.saved,
            roster,
            commands,
        };
        let flying = Flying {
            batch,
            wants,
            sent_at: now,
            asked_at: now,
        };
        if must_be_known(&flying.batch) {
            self.record(now, flying.sent());
        }
        Some(flying)
    }

    /// The batch that is out was not answered. Who leaves waits for no row of the lobby's, so that the permit is handed on
    /// at once; but now the room may be out of reach for longer than this life, and the next shall tell it.
    pub fn unanswered(&mut self, now: Instant) {
        let unknown = self.book.outstanding.is_none();
        let flying = self.flying.as_ref().filter(|_| unknown);
        if let Some(sent) = flying
            .filter(|flying| gives_back(&flying.batch))
            .map(Flying::sent)
        {
            self.record(now, sent);
        }
    }

    /// Adds one want; joins in a row share a command, so do departures.
    fn add(
        &self,
        visitor: VisitorId,
        want: Want,
        commands: &mut Vec<Command>,
        wants: &mut Vec<(Want, Vec<VisitorId>)>,
    ) {
        let number = self.own_number(visitor);
        match (want, commands.last_mut(), wants.last_mut()) {
            (Want::Join, Some(Command::Join { count }), Some((_, visitors)))
                if *count < JOIN_COUNT_MAX =>
            {
                *count += 1;
                visitors.push(visitor);
                return;
            }
            (Want::Away, Some(Command::Away(numbers)), Some((_, visitors))) => {
                numbers.extend(number);
                visitors.push(visitor);
                return;
            }
            (Want::Number, Some(Command::Numbers(entries)), Some((_, visitors)))
                if entries.len() < ENTRIES_ASKED_MAX =>
            {
                entries.push(number.unwrap_or_default());
                visitors.push(visitor);
                return;
            }
            _ => {}
        }
        let number = number.unwrap_or_default();
        commands.push(match want {
            Want::Join => Command::Join { count: 1 },
            Want::WalkIn => Command::WalkIn,
            Want::Claim => Command::Claim(number),
            Want::Back => Command::Back(number),
            Want::Leave => Command::Leave(number),
            Want::Renew(fence) => Command::Renew(fence),
            Want::Release(fence) => Command::Release(fence),
            Want::Extend(fence, by_ms) => Command::Extend { fence, by_ms },
            Want::Away => Command::Away(vec![number]),
            Want::Carry(number) => Command::Carry(number),
            Want::Drop(number) => Command::Leave(number),
            // Nobody's, and counted already.
            Want::Origin => Command::Origin { good: 0, bad: 0 },
            Want::Number => Command::Numbers(vec![number]),
        });
        wants.push((want, vec![visitor]));
    }

    /// The tickets that somebody holds a socket for. Those that are away speak for themselves: a
    /// page that slept through its call is not called back by its lobby's waking.
    fn roster(&self) -> Vec<Number> {
        let waiting = |(visitor, ticket): (&VisitorId, &Ticket)| {
            let away = matches!(
                ticket.phase,
                Phase::Waiting { away: true, .. } | Phase::Over(_)
            );
            let here = !away && self.holds(*visitor);
            here.then_some(ticket.number)
        };
        self.book.tickets.iter().filter_map(waiting).collect()
    }

    /// The room answered the batch that is out. O(batch · log tickets).
    pub fn delivered(&mut self, now: Instant, message: &Message) -> Delivered {
        let Some(flying) = self.flying.take() else {
            return self.pushed(now, message);
        };
        let mut delivered = Delivered::default();
        // Before the replies: "over" of a ticket that ended with the line means that, and numbers are of an edition.
        self.take_edition(now, message, &mut delivered);
        self.take_line_end(now, message, &mut delivered);
        let means_others = self.means_others(&flying.batch);
        let asked = flying.batch.commands.iter().zip(&flying.wants);
        for ((command, (want, visitors)), reply) in asked.zip(&message.replies) {
            let asked_at = if planted::is(Bug::LeaseToldLonger) {
                now
            } else {
                flying.asked_at
            };
            let said = Said {
                now,
                asked_at,
                version: message.answered,
                notices: &message.notices,
                commands: &flying.batch.commands,
                replies: &message.replies,
            };
            if means_others(said.version, command) {
                self.take_nothing(*want, visitors, &mut delivered);
                continue;
            }
            self.take_reply(said, command, (*want, visitors), reply, &mut delivered);
        }
        self.end_those_who_waited(now, &flying, message);
        self.ask_about_the_unsure(&mut delivered);
        if self.book.outstanding.is_some() {
            self.record(now, LobbyEvent::Settled);
        }
        let awaits = self.awaits_numbers(message);
        for (number, (said_at, version, notice)) in core::mem::take(&mut self.early) {
            if awaits && !self.book.by_number.contains_key(&number) {
                self.early.insert(number, (said_at, version, notice));
                continue;
            }
            let changed = self.take_notice((now, said_at), number, version, notice);
            delivered.changed.extend(changed);
        }
        self.take_message(now, flying.sent_at, message, &mut delivered);
        if flying.batch.epoch == self.book.epoch && flying.batch.sequence == 1 {
            delivered.changed.extend(self.untold());
        }
        delivered
    }

    /// Whose sockets an earlier life may not have told, though it stored what there was to tell:
    /// everybody with more news than that the line moves. O(tickets), once in a life.
    fn untold(&self) -> Vec<VisitorId> {
        let quiet = Phase::Waiting {
            away: false,
            missed: false,
        };
        let tickets = self.book.tickets.iter();
        let news =
            tickets.filter(|(visitor, ticket)| ticket.phase != quiet && self.holds(**visitor));
        news.map(|(visitor, _)| *visitor).collect()
    }

    /// The room will never take the batch that is out: it is of an earlier life. Whoever asked
    /// asks again.
    pub fn refused(&mut self, now: Instant) {
        let flying = self.flying.take();
        let same = flying
            .as_ref()
            .is_some_and(|flying| flying.batch.edition == self.book.edition);
        for (want, visitors) in flying.map(|flying| flying.wants).unwrap_or_default() {
            for visitor in visitors {
                let key = (visitor, want);
                // Who has asked in this life still waits; the others are let go, and so is whatever went by a number of
                // another edition.
                match self.waiters.get(&key) {
                    Some(waiters) if !waiters.is_empty() && (same || !want.goes_by_number()) => {
                        self.queue.push_back(key);
                    }
                    _ => drop(self.waiters.remove(&key)),
                }
            }
        }
        // Not acknowledged, so the room says it again.
        self.early.clear();
        if self.book.outstanding.is_some() {
            self.record(now, LobbyEvent::Settled);
        }
        self.pursue();
    }

    /// Whether exactly this batch is out: an answer to anything else is not taken.
    #[must_use]
    pub fn is_out(&self, batch: &Batch) -> bool {
        let out = self
            .flying
            .as_ref()
            .map(|flying| (flying.batch.epoch, flying.batch.sequence));
        out == Some((batch.epoch, batch.sequence))
    }

    /// Whether the batch that is out is of this life.
    #[must_use]
    pub fn flies_in_this_life(&self) -> bool {
        self.flying
            .as_ref()
            .is_some_and(|flying| flying.batch.epoch == self.book.epoch)
    }

    /// The room said something unasked. O(notices · log tickets).
    pub fn pushed(&mut self, now: Instant, message: &Message) -> Delivered {
        let mut delivered = Delivered::default();
        self.take_edition(now, message, &mut delivered);
        self.take_line_end(now, message, &mut delivered);
        self.take_message(now, now, message, &mut delivered);
        delivered
    }

    /// Everybody who waited is over, in one fact. But not who has something out at the room, or was not
    /// confirmed in this life: they may be inside. If they are there, the room is asked.
    fn take_line_end(&mut self, now: Instant, message: &Message, delivered: &mut Delivered) {
        let news = |end: &LineEnd| {
            let known = self.book.ended.map(|known| known.version);
            known.is_none_or(|known| known < end.version) && self.is_of_this_edition(end.version)
        };
        let Some(end) = message.gist.ended.filter(news) else {
            return;
        };
        delivered.everybody = true;
        let over = self.book.over_with(end);
        let unsure: Vec<VisitorId> = over
            .filter(|visitor| !self.confirmed.contains(visitor) || self.asks_the_room(*visitor))
            .collect();
        let there: Vec<VisitorId> = unsure.iter().copied().filter(|v| self.holds(*v)).collect();
        for visitor in &unsure {
            self.confirmed.remove(visitor);
        }
        self.record(now, LobbyEvent::LineEnded { end, unsure });
        for visitor in there {
            self.want(visitor, Want::Back);
        }
    }

    /// Of whom an earlier life was not sure when the line ended, and who are there: nothing that the room says
    /// by itself would tell them.
    fn ask_about_the_ended(&mut self) {
        let Some(end) = self.book.ended else { return };
        let unsure: Vec<VisitorId> = self
            .book
            .over_with(end)
            .filter(|v| self.holds(*v))
            .collect();
        for visitor in unsure {
            self.want(visitor, Want::Back);
        }
    }

    /// An answer that comes late: whoever waited when the room spoke is over, as the line has ended since. In between
    /// nothing of this lobby's reached the room, as one batch is out at a time. After all replies: one that waits by
    /// the first of them may be inside by the last. O(batch · log tickets).
    fn end_those_who_waited(&mut self, now: Instant, flying: &Flying, message: &Message) {
        let late = |end: &LineEnd| message.answered < end.version;
        let Some(end) = self.book.ended.filter(late) else {
            return;
        };
        for ((_, visitors), reply) in flying.wants.iter().zip(&message.replies) {
            if !matches!(reply, Reply::Joined { .. } | Reply::Stands(_)) {
                continue;
            }
            for visitor in visitors {
                let ticket = self.ticket(*visitor).copied();
                let spoken_of = |ticket: &Ticket| {
                    ticket.version == message.answered && ticket.is_over_with(end)
                };
                if let Some(ticket) = ticket.filter(spoken_of) {
                    let over = Book::over(*visitor, &ticket, end.why.into(), end.version);
                    self.record(now, over);
                }
            }
        }
    }

    /// Whether the room's answer about this visitor is awaited. O(log waiters).
    fn asks_the_room(&self, visitor: VisitorId) -> bool {
        let mut later = self.waiters.range((visitor, Want::Join)..);
        later.next().is_some_and(|((asks, _), _)| *asks == visitor)
    }

    /// Whether what the room last said is too old to tell a visitor who asks.
    #[must_use]
    pub fn must_look(&self, now: Instant) -> bool {
        self.heard_at
            .is_none_or(|at| now.since_ms(at) >= LOOK_AFTER_MS)
    }

    fn take_reply(
        &mut self,
        said: Said<'_>,
        command: &Command,
        (want, visitors): (Want, &[VisitorId]),
        reply: &Reply,
        delivered: &mut Delivered,
    ) {
        let Said { now, version, .. } = said;
        let (mut issued, mut moved) = (false, false);
        // A command before this one in the batch may have made another ticket the visitor's.
        let means = |lobby: &Self, visitor: VisitorId| match command {
            Command::Claim(asked) | Command::Back(asked) | Command::Leave(asked) => {
                let own = lobby.number(visitor);
                own == Some(*asked) || own.is_some_and(|own| said.became(*asked) == Some(own))
            }
            _ => true,
        };
        match reply {
            Reply::Joined { first, ahead } => {
                let (first, ahead) = (*first, ahead.0);
                for (offset, visitor) in (0..).zip(visitors) {
                    self.presence.seen(now, *visitor, self.config.linger_ms);
                    // Of an old answer the visitor may know already, and of fewer in front since: the room is asked.
                    if !said.is_old() {
                        self.confirmed.insert(*visitor);
                        self.note_ahead(first.plus(offset), ahead.saturating_add(offset));
                    }
                }
                let joined = LobbyEvent::Joined {
                    visitors: visitors.to_vec(),
                    first,
                    ahead,
                    version,
                };
                self.record(now, joined);
                issued = true;
            }
            Reply::Stands(standing) if let Want::Carry(number) = want => {
                for to in visitors {
                    let before = self.own_number(*to);
                    let from = self.take_carried(said, number, *to, standing);
                    delivered.changed.extend(from);
                    moved |= self.own_number(*to) != before;
                }
            }
            Reply::Stands(standing) => {
                for visitor in visitors.iter().copied() {
                    if means(self, visitor) {
                        self.take_standing(said, visitor, want, standing);
                    }
                }
                issued = want == Want::WalkIn;
            }
            Reply::Done if let Want::Drop(number) = want => {
                self.record(now, LobbyEvent::Dropped(number));
            }
            Reply::Done => {
                for visitor in visitors.iter().copied() {
                    if means(self, visitor) {
                        let over = self.take_done((now, version), visitor, want);
                        delivered.changed.extend(over);
                    }
                }
            }
            Reply::Numbers(numbers) => {
                self.take_numbers(now, command, (visitors, numbers), delivered);
            }
            Reply::Full | Reply::NoWalkIn | Reply::Shut => {
                for visitor in visitors {
                    self.uncount_number(*visitor);
                }
            }
        }
        let outcome = Outcome {
            want,
            issued,
            line_full: *reply == Reply::Full,
            moved,
        };
        for visitor in visitors {
            let waiters = self.waiters.remove(&(*visitor, want)).unwrap_or_default();
            delivered
                .outcomes
                .extend(waiters.into_iter().map(|waiter| (waiter, outcome)));
            if want != Want::Away && *reply != Reply::NoWalkIn {
                delivered.changed.push(*visitor);
            }
        }
    }

    fn take_message(
        &mut self,
        now: Instant,
        sent_at: Instant,
        message: &Message,
        delivered: &mut Delivered,
    ) {
        let flying = self.flying.as_ref();
        let numbers_come = flying.is_some_and(|flying| issues_numbers(&flying.batch))
            || self.awaits_numbers(message);
        for (number, version, notice) in &message.notices {
            if !self.is_of_this_edition(*version) {
                continue;
            }
            if numbers_come && !self.book.by_number.contains_key(number) {
                let newest = self
                    .early
                    .get(number)
                    .is_none_or(|(_, known, _)| known <= version);
                if newest {
                    self.early.insert(*number, (sent_at, *version, *notice));
                }
                continue;
            }
            let changed = self.take_notice((now, sent_at), *number, *version, *notice);
            delivered.changed.extend(changed);
        }
        let whole = self.early.is_empty() && !message.notices.is_empty();
        if whole && message.noticed > self.book.noticed {
            self.record(now, LobbyEvent::Noticed(message.noticed));
        }
        if message.version >= self.gist_version {
            delivered.everybody |=
                self.gist.mode != message.gist.mode || self.message != message.message;
            self.gist = message.gist;
            self.message.clone_from(&message.message);
            self.config.tick_ms = message.gist.tick_ms;
            self.config.lease_idle_ms = message.gist.lease_idle_ms;
            self.gist_version = message.version;
            self.heard_at = Some(now);
            self.ask_for_numbers();
        }
        if let Some(bytes) = &message.frame
            && let Some(frame) = Frame::decode(bytes)
            && self.is_of_this_edition(Version(frame.version))
            && self
                .frame
                .as_ref()
                .is_none_or(|(old, _)| old.version < frame.version)
        {
            self.frame = Some((frame, bytes.clone()));
            self.frame_fresh = true;
        }
    }
}

/// Whether a batch must be known to a later life before it is sent: sending something else in its stead could give
/// one visitor two tickets, and of who took a place over the room never speaks again.
fn must_be_known(batch: &Batch) -> bool {
    let carries = |command: &Command| matches!(command, Command::Carry(_));
    issues_numbers(batch) || batch.commands.iter().any(carries)
}

/// Whether somebody has left or is done, which must reach the room though their lobby should be lost.
fn gives_back(batch: &Batch) -> bool {
    let gives = |command: &Command| matches!(command, Command::Leave(_) | Command::Release(_));
    batch.commands.iter().any(gives)
}

fn issues_numbers(batch: &Batch) -> bool {
    batch.commands.iter().any(issues_number)
}

pub(super) const fn issues_number(command: &Command) -> bool {
    matches!(command, Command::Join { .. } | Command::WalkIn)
}
