//! What comes back from the room: answers to batches, and what it says unasked. Who is told follows from it.

use super::batches::issues_numbers;
use super::event::LobbyEvent;
use super::standings::Said;
use super::{Flying, LOOK_AFTER_MS, Lobby, Phase, Waiter, Want};
use crate::planted::{self, Bug};
use crate::room::command::{Command, Message, Notice, Reply};
use crate::room::frame::Frame;
use crate::units::{Ahead, Edition, Instant, Number, Version, VisitorId};

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
    /// Nothing came of the room's answer.
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
}

/// A command of a batch, what it was wanted for, and by whom.
#[derive(Clone, Copy)]
pub(super) struct Asked<'b> {
    pub(super) command: &'b Command,
    pub(super) want: Want,
    pub(super) visitors: &'b [VisitorId],
}

impl Lobby {
    /// The room answered the batch that is out. O(batch · log tickets).
    pub fn delivered(&mut self, now: Instant, message: &Message) -> Delivered {
        let Some(flying) = self.flying.take() else {
            return self.pushed(now, message);
        };
        let mut delivered = Delivered::default();
        // Before the replies: "over" of a ticket that ended with the line means that, and numbers are of an edition.
        self.take_edition(now, message, &mut delivered);
        self.take_line_end(now, message, &mut delivered);
        self.take_replies(now, &flying, message, &mut delivered);
        self.settle(now);
        let numbers_come = self.awaits_numbers(message);
        for (number, (said_at, version, notice)) in core::mem::take(&mut self.early) {
            let noticed = (number, version, notice);
            let changed = self.take_or_keep((now, said_at), numbers_come, noticed);
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
        if let Some(flying) = self.flying.take() {
            for (want, visitors) in flying.wants {
                for visitor in visitors {
                    self.ask_again((visitor, want), flying.batch.edition);
                }
            }
        }
        // Not acknowledged, so the room says it again.
        self.early.clear();
        self.settle(now);
        self.pursue();
    }

    /// Who has asked in this life still waits; the others are let go, and so is whatever went by a number of another
    /// edition.
    fn ask_again(&mut self, key: (VisitorId, Want), edition: Edition) {
        let (_, want) = key;
        let means_others = want.goes_by_number() && edition != self.book.edition;
        match self.waiters.get(&key) {
            Some(waiters) if !waiters.is_empty() && !means_others => self.queue.push_back(key),
            _ => drop(self.waiters.remove(&key)),
        }
    }

    /// The outcome of the batch is known.
    fn settle(&mut self, now: Instant) {
        if self.book.outstanding.is_some() {
            self.record(now, LobbyEvent::Settled);
        }
    }

    /// The room said something unasked. O(notices · log tickets).
    pub fn pushed(&mut self, now: Instant, message: &Message) -> Delivered {
        let mut delivered = Delivered::default();
        self.take_edition(now, message, &mut delivered);
        self.take_line_end(now, message, &mut delivered);
        self.take_message(now, now, message, &mut delivered);
        delivered
    }

    /// Whether what the room last said is too old to tell a visitor who asks.
    #[must_use]
    pub fn must_look(&self, now: Instant) -> bool {
        self.heard_at
            .is_none_or(|at| now.since_ms(at) >= LOOK_AFTER_MS)
    }

    /// Takes the replies one by one, and then what only all of them tell. O(batch · log tickets).
    fn take_replies(
        &mut self,
        now: Instant,
        flying: &Flying,
        message: &Message,
        delivered: &mut Delivered,
    ) {
        let said = Said {
            now,
            asked_at: if planted::is(Bug::LeaseToldLonger) {
                now
            } else {
                flying.asked_at
            },
            version: message.answered,
            notices: &message.notices,
            commands: &flying.batch.commands,
            replies: &message.replies,
        };
        let means_others = self.means_others(&flying.batch);
        let mut merged = Vec::new();
        for (asked, reply) in flying.asked().zip(&message.replies) {
            if means_others(said.version, asked.command) {
                self.take_nothing(asked.want, asked.visitors, delivered);
            } else {
                merged.extend(self.take_reply(said, asked, reply, delivered));
            }
        }
        self.end_those_who_waited(now, flying, message);
        self.ask_about_the_merged(merged);
    }

    /// Returns to whose place it added that of another: what else the batch says of it may be of the other's.
    fn take_reply(
        &mut self,
        said: Said<'_>,
        asked: Asked<'_>,
        reply: &Reply,
        delivered: &mut Delivered,
    ) -> Vec<VisitorId> {
        let Asked { want, visitors, .. } = asked;
        let mut outcome = Outcome::of_nothing(want);
        let mut merged = Vec::new();
        match reply {
            Reply::Joined { first, ahead } => {
                self.take_joined(said, visitors, *first, *ahead);
                outcome.issued = true;
            }
            Reply::Stands(standing) if let Want::Carry(number) = want => {
                for to in visitors {
                    let before = self.own_number(*to);
                    let from = self.take_carried(said, number, *to, standing);
                    delivered.changed.extend(from);
                    outcome.moved |= self.own_number(*to) != before;
                }
            }
            Reply::Stands(standing) => {
                for visitor in visitors.iter().copied() {
                    if self.is_meant(said, asked.command, visitor) {
                        self.take_standing(said, visitor, want, standing);
                    }
                }
                outcome.issued = want == Want::WalkIn;
            }
            Reply::Done if let Want::Drop(number) = want => {
                self.record(said.now, LobbyEvent::Dropped(number));
            }
            Reply::Done => {
                for visitor in visitors.iter().copied() {
                    if self.is_meant(said, asked.command, visitor) {
                        let over = self.take_done(said, visitor, want);
                        delivered.changed.extend(over);
                    }
                }
            }
            Reply::Numbers(numbers) => {
                merged = self.take_numbers(said.now, asked, numbers, delivered);
            }
            Reply::Full | Reply::NoWalkIn | Reply::Shut => {
                for visitor in visitors {
                    self.uncount_number(*visitor);
                }
                outcome.line_full = *reply == Reply::Full;
            }
        }
        let is_news = want != Want::Away && *reply != Reply::NoWalkIn;
        for visitor in visitors {
            let waiters = self.waiters.remove(&(*visitor, want)).unwrap_or_default();
            let told = waiters.into_iter().map(|waiter| (waiter, outcome));
            delivered.outcomes.extend(told);
            if is_news {
                delivered.changed.push(*visitor);
            }
        }
        merged
    }

    /// Whether what this command asked of is still the visitor's: one before it in the batch may have made another
    /// ticket the visitor's.
    fn is_meant(&self, said: Said<'_>, command: &Command, visitor: VisitorId) -> bool {
        match command {
            Command::Claim(asked) | Command::Back(asked) | Command::Leave(asked) => {
                let own = self.number(visitor);
                own == Some(*asked) || own.is_some_and(|own| said.became(*asked) == Some(own))
            }
            _ => true,
        }
    }

    /// Numbers in a row, from the first on.
    fn take_joined(
        &mut self,
        said: Said<'_>,
        visitors: &[VisitorId],
        first: Number,
        Ahead(ahead): Ahead,
    ) {
        for (offset, visitor) in (0..).zip(visitors) {
            self.presence
                .seen(said.now, *visitor, self.config.linger_ms);
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
            version: said.version,
        };
        self.record(said.now, joined);
    }

    /// What every message carries, an answer or not.
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
        for noticed in &message.notices {
            if self.is_of_this_edition(noticed.1) {
                let changed = self.take_or_keep((now, sent_at), numbers_come, *noticed);
                delivered.changed.extend(changed);
            }
        }
        let whole = self.early.is_empty() && !message.notices.is_empty();
        if whole && message.noticed > self.book.noticed {
            self.record(now, LobbyEvent::Noticed(message.noticed));
        }
        if message.version >= self.gist_version {
            self.take_gist(now, message, delivered);
        }
        if let Some(bytes) = &message.frame {
            self.take_frame(bytes);
        }
    }

    /// Takes a notice in, or keeps it while numbers are to come, one of which it may speak of. Says whose status changed.
    fn take_or_keep(
        &mut self,
        (now, said_at): (Instant, Instant),
        numbers_come: bool,
        (number, version, notice): (Number, Version, Notice),
    ) -> Option<VisitorId> {
        if !numbers_come || self.book.by_number.contains_key(&number) {
            return self.take_notice((now, said_at), number, version, notice);
        }
        let kept = self.early.get(&number);
        if kept.is_none_or(|(_, known, _)| *known <= version) {
            self.early.insert(number, (said_at, version, notice));
        }
        None
    }

    fn take_gist(&mut self, now: Instant, message: &Message, delivered: &mut Delivered) {
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

    fn take_frame(&mut self, bytes: &[u8]) {
        let Some(frame) = Frame::decode(bytes) else {
            return;
        };
        let known = self.frame.as_ref().map(|(known, _)| known.version);
        let newer = known.is_none_or(|known| known < frame.version);
        if newer && self.is_of_this_edition(Version(frame.version)) {
            self.frame = Some((frame, bytes.to_vec()));
            self.frame_fresh = true;
        }
    }
}
