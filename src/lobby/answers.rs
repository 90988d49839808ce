//! What comes back from the room: answers to batches, and what it says unasked. Who is told follows from it.

use super::batches::issues_numbers;
use super::event::LobbyEvent;
use super::standings::Said;
use super::{LOOK_AFTER_MS, Lobby, Phase, Waiter, Want};
use crate::planted::{self, Bug};
use crate::room::command::{Command, Message, Reply};
use crate::room::frame::Frame;
use crate::units::{Instant, Version, VisitorId};

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
