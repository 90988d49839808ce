//! What goes to the room.
//!
//! At most one batch is out. What arrives meanwhile waits for the next, so batches grow with
//! load and nobody waits for a timer. A batch without an answer has an unknown outcome: the same
//! bytes go again, and nothing newer before it is settled.

use super::answers::Asked;
use super::event::LobbyEvent;
use super::{Flying, Lobby, Outstanding, Phase, Ticket, Want};
use crate::room::command::{Batch, Command};
use crate::room::config::{BATCH_COMMANDS_MAX, ENTRIES_ASKED_MAX, JOIN_COUNT_MAX};
use crate::units::{Instant, Number, VisitorId};

/// When a command is stored, with its batch, so that a later life sends it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    /// Something else in its stead could give one visitor two tickets; and of who took a place over the room never speaks
    /// again.
    BeforeItIsSent,
    /// Somebody has left or is done, which must reach the room though their lobby should be lost.
    UnlessAnswered,
    /// Whoever wanted it asks again.
    Never,
}

impl Stored {
    const fn when(command: &Command) -> Self {
        match command {
            Command::Join { .. } | Command::WalkIn | Command::Carry(_) => Self::BeforeItIsSent,
            Command::Leave(_) | Command::Release(_) => Self::UnlessAnswered,
            Command::Claim(_)
            | Command::Back(_)
            | Command::Renew(_)
            | Command::Extend { .. }
            | Command::Away(_)
            | Command::Numbers(_)
            | Command::Origin { .. }
            | Command::Stock { .. } => Self::Never,
        }
    }
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
                Command::Away(_) => (Want::Away, visitors),
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

    /// Its commands, each with what it was wanted for, and by whom.
    pub(super) fn asked(&self) -> impl Iterator<Item = Asked<'_>> {
        let commands = self.batch.commands.iter().zip(&self.wants);
        commands.map(|(command, (want, visitors))| Asked {
            command,
            want: *want,
            visitors,
        })
    }

    /// Whether it has a command that is to be stored then.
    fn is_stored(&self, when: Stored) -> bool {
        let mut commands = self.batch.commands.iter();
        commands.any(|command| Stored::when(command) == when)
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
        if flying.is_stored(Stored::BeforeItIsSent) {
            self.record(now, flying.sent());
        }
        Some(flying)
    }

    /// The batch that is out was not answered. Who leaves waits for no row of the lobby's, so that the permit is handed on
    /// at once; but now the room may be out of reach for longer than this life, and the next shall tell it.
    pub fn unanswered(&mut self, now: Instant) {
        if self.book.outstanding.is_some() {
            return;
        }
        let flying = self.flying.as_ref();
        let unknown = flying.filter(|flying| flying.is_stored(Stored::UnlessAnswered));
        if let Some(sent) = unknown.map(Flying::sent) {
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
}

pub(super) fn issues_numbers(batch: &Batch) -> bool {
    batch.commands.iter().any(issues_number)
}

pub(super) const fn issues_number(command: &Command) -> bool {
    matches!(command, Command::Join { .. } | Command::WalkIn)
}
