//! Takes a lobby's batches in: each once, in order, and a repeat is answered the same.
//!
//! A lobby that got no answer sends the *same bytes* again; the room cannot know whether it is a
//! repeat but for (epoch, sequence). So this is where "at least once" becomes "once". Answered again are the last batch and
//! the last that brought numbers: a lobby that dies before it has written down whose they are sends it again in its next
//! life, though others have followed.

use super::command::{Batch, Command, Message, Refusal, Reply, Standing};
use super::config::{BATCH_COMMANDS_MAX, LOBBIES_MAX};
use super::event::{Event, Row};
use super::{LobbyRecord, Room};
use crate::planted::{self, Bug};
use crate::units::{Instant, Number, Version};

/// What to do with a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the next one.
    New,
    /// It was taken already, and this was the answer.
    Repeat(Vec<Reply>, Version),
    /// It must not be taken.
    Refused(Refusal),
}

impl Room {
    /// What to do with a batch. O(log lobbies), plus copying the answer of a repeat.
    #[must_use]
    pub fn judge(&self, batch: &Batch) -> Verdict {
        if batch.lobby.0 >= LOBBIES_MAX || batch.commands.len() > BATCH_COMMANDS_MAX {
            return Verdict::Refused(Refusal::Malformed);
        }
        let unknown = LobbyRecord::default();
        let record = self.lobbies.get(&batch.lobby).unwrap_or(&unknown);
        if batch.epoch < record.epoch && planted::is(Bug::EpochIgnored) {
            return Verdict::New;
        }
        if batch.epoch < record.epoch {
            return Verdict::Refused(Refusal::OldEpoch);
        }
        let taken = if batch.epoch > record.epoch {
            0
        } else {
            record.sequence
        };
        let answered = record.answer_to(batch.sequence).filter(|_| taken > 0);
        match answered {
            Some(_) if planted::is(Bug::BatchDoubledOnRetry) => Verdict::New,
            Some(answered) => Verdict::Repeat(answered.replies.clone(), answered.version),
            None if batch.sequence == taken + 1 => Verdict::New,
            None => Verdict::Refused(Refusal::Gap),
        }
    }

    /// Takes a batch and answers it. A repeat and a refusal write nothing: `row` stays empty.
    ///
    /// # Errors
    /// The refusal, when the batch is of an old epoch, leaves a gap, or is past the limits.
    pub fn receive(
        &mut self,
        now: Instant,
        batch: &Batch,
        row: &mut Row,
    ) -> Result<Message, Refusal> {
        let (replies, answered) = match self.judge(batch) {
            Verdict::Refused(refusal) => return Err(refusal),
            Verdict::Repeat(replies, answered) => (replies, answered),
            Verdict::New => (self.take(now, batch, row), row.version),
        };
        Ok(Message {
            replies,
            answered,
            ..self.message(now, batch.lobby)
        })
    }

    fn take(&mut self, now: Instant, batch: &Batch, row: &mut Row) -> Vec<Reply> {
        row.events.reserve(batch.commands.len() + 1);
        let known = batch.edition == self.edition || planted::is(Bug::EditionIgnored);
        if known {
            let back = self.decide_roster(&batch.roster);
            self.commit(back, row);
        }
        if batch.sequence == 1 && planted::is(Bug::RosterPutsEverybodyAway) {
            let seen = |(n, _): &(Number, _)| {
                !batch.roster.contains(n) && self.line.lobby(*n) == batch.lobby
            };
            let unseen: Vec<Number> = self.line.living().filter(seen).map(|(n, _)| n).collect();
            self.perform(now, &Command::Away(unseen), batch.lobby, row);
        }
        let answer = |command: &Command| match of_another_edition(command).filter(|_| !known) {
            Some(reply) => reply,
            None => self.perform(now, command, batch.lobby, row),
        };
        let replies: Vec<Reply> = batch.commands.iter().map(answer).collect();
        let taken = Event::BatchTaken {
            lobby: batch.lobby,
            epoch: batch.epoch,
            sequence: batch.sequence,
            attempts: batch.attempts,
            edition: batch.edition,
            acknowledged: batch.acknowledged,
            replies: replies.clone(),
        };
        self.commit([taken], row);
        replies
    }
}

/// The answer to a command of another edition, when it speaks of a number: here that is somebody else's, or nobody's.
/// `None`: numbers are issued in the edition that there is, and fences are for ever.
const fn of_another_edition(command: &Command) -> Option<Reply> {
    match command {
        Command::Claim(_) | Command::Back(_) | Command::Carry(_) => {
            Some(Reply::Stands(Standing::Over))
        }
        Command::Leave(_) | Command::Away(_) => Some(Reply::Done),
        Command::Numbers(_) => Some(Reply::Numbers(Vec::new())),
        Command::Join { .. }
        | Command::WalkIn
        | Command::Renew(_)
        | Command::Extend { .. }
        | Command::Release(_)
        | Command::Origin { .. }
        | Command::Stock { .. } => None,
    }
}
