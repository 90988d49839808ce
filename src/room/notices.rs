//! What a room remembers of its lobbies, and what each of them must still be told: everything that happened to its tickets
//! since the row that it has acknowledged, in every message, until it says that it has written that down.

use super::Room;
use super::command::{Message, Notice, Reply};
use super::config::NOTICES_PER_PUSH_MAX;
use super::in_order::InOrder;
use crate::planted::{self, Bug};
use crate::units::{Edition, Fence, Instant, LobbyId, Number, Version};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What a room remembers of a lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LobbyRecord {
    pub(super) epoch: u64,
    pub(super) sequence: u64,
    /// What the last batch was answered, for when it comes again, unless that is `issued`.
    last: Answered,
    /// Likewise the last batch that brought numbers. Others may have followed: whose they are the lobby writes down only
    /// before it asks for more, and a life of it that does not know sends that batch again.
    issued: Answered,
    /// The row that last issued numbers to it.
    issued_in: Version,
    /// The edition that the lobby knew when it last spoke.
    pub(super) edition: Edition,
    /// What the lobby must be told, the newest for each ticket, until it is acknowledged.
    notices: InOrder<Number, (Version, Noted)>,
    /// Likewise who has left or is done, or was ended by the operator: each comes once, in the order of the rows.
    ended: VecDeque<(Version, Number, Noted)>,
}

/// What a batch was answered, and in which row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answered {
    sequence: u64,
    pub(super) replies: Vec<Reply>,
    pub(super) version: Version,
}

impl LobbyRecord {
    /// The row gives it numbers.
    pub(super) const fn issue(&mut self, row: Version) {
        self.issued_in = row;
    }

    /// The row takes a batch of it. O(replies).
    pub(super) fn take(&mut self, (epoch, sequence): (u64, u64), row: Version, replies: &[Reply]) {
        if epoch != self.epoch {
            (self.last, self.issued) = Default::default();
        }
        (self.epoch, self.sequence) = (epoch, sequence);
        let issues = self.issued_in == row && !planted::is(Bug::IssuedForgotten);
        let answered = if issues {
            &mut self.issued
        } else {
            &mut self.last
        };
        (answered.sequence, answered.version) = (sequence, row);
        answered.replies.clear();
        answered.replies.extend_from_slice(replies);
    }

    /// What this batch of its present epoch was answered, if that is still known.
    pub(super) fn answer_to(&self, sequence: u64) -> Option<&Answered> {
        let known = [&self.last, &self.issued];
        known
            .into_iter()
            .find(|answered| sequence > 0 && answered.sequence == sequence)
    }

    /// What the lobby must still be told. Of one row it is in the order of numbers, for who leaves has come before who is
    /// called; of more it is not.
    fn unacknowledged(&self) -> impl Iterator<Item = (Version, Number, Noted)> + '_ {
        let notices = self.notices.iter();
        let notices = notices.map(|(number, (version, noted))| (*version, number, *noted));
        self.ended.iter().copied().chain(notices)
    }

    /// How much that is. O(1).
    pub(super) fn unacknowledged_count(&self) -> usize {
        self.notices.len() + self.ended.len()
    }

    /// What happened up to this row needs no telling any more. O(notices).
    pub(super) fn acknowledge(&mut self, row: Version) {
        let row = if planted::is(Bug::NoticeDropped) {
            Version(u64::MAX)
        } else {
            row
        };
        self.notices.retain(|_, (version, _)| *version > row);
        let told = |(version, ..): &(Version, Number, Noted)| *version <= row;
        while self.ended.front().is_some_and(told) {
            self.ended.pop_front();
        }
    }

    /// Nothing that happened so far needs telling any more.
    pub(super) fn forget_notices(&mut self) {
        self.notices.clear();
        self.ended.clear();
    }
}

/// A [`Notice`] as it is kept. They differ in the call alone: what is left of its time is worked out when it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Noted {
    Called(Fence),
    Missed,
    MissedAgain,
    Expired,
    Dismissed,
    Released,
    Left,
}

impl Room {
    /// What a lobby must hear: the gist and every unacknowledged notice, the oldest first and those alone when there are
    /// more than one message holds. O(notices), and O(notices · log) where rows went by without an acknowledgement.
    #[must_use]
    pub fn message(&self, now: Instant, lobby: LobbyId) -> Message {
        let record = self.lobbies.get(&lobby);
        let told = record.map(|record| self.notices_of(now, record));
        let (noticed, notices) = told.unwrap_or((self.version, Vec::new()));
        Message {
            version: self.version,
            noticed,
            notices,
            gist: self.gist(now),
            message: self.config.message.clone(),
            replies: Vec::new(),
            answered: self.version,
            frame: None,
        }
    }

    /// What is told of a record's notices, the oldest first, and up to which row that is all there is.
    fn notices_of(
        &self,
        now: Instant,
        record: &LobbyRecord,
    ) -> (Version, Vec<(Number, Version, Notice)>) {
        let mut kept: Vec<(Version, Number, Noted)> = record.unacknowledged().collect();
        kept.sort_unstable_by_key(|(version, number, _)| (*version, *number));
        let row_of = |index: usize| kept.get(index).map(|(version, ..)| *version);
        // Cut between rows, so that one acknowledgement says exactly what arrived. A row that does not fit at all goes whole.
        let last = match (row_of(0), row_of(NOTICES_PER_PUSH_MAX)) {
            (Some(first), Some(cut)) if first < cut => Version(cut.0 - 1),
            (_, Some(cut)) => cut,
            (_, None) => self.version,
        };
        let fit = kept.iter().take_while(|(version, ..)| *version <= last);
        let told =
            fit.map(|(version, number, noted)| (*number, *version, self.notice(now, *noted)));
        (last, told.collect())
    }

    fn notice(&self, now: Instant, noted: Noted) -> Notice {
        match noted {
            Noted::Called(fence) => Notice::Called {
                fence,
                claim_in_ms: self
                    .permits
                    .grant(fence)
                    .map_or(0, |grant| grant.due_at().since_ms(now)),
            },
            Noted::Missed => Notice::Missed,
            Noted::MissedAgain => Notice::MissedAgain,
            Noted::Expired => Notice::Expired,
            Noted::Dismissed => Notice::Dismissed,
            Noted::Released => Notice::Released,
            Noted::Left => Notice::Left,
        }
    }

    /// The newest notice a lobby has not acknowledged. O(notices of the lobby).
    #[must_use]
    pub fn newest_notice(&self, lobby: LobbyId) -> Option<Version> {
        let record = self.lobbies.get(&lobby)?;
        record.unacknowledged().map(|(version, ..)| version).max()
    }

    /// The lobby must be told this of the ticket, whatever it was to be told before. O(log notices).
    pub(super) fn note(&mut self, lobby: LobbyId, number: Number, noted: Noted) {
        let record = self.lobbies.entry(lobby).or_default();
        record.notices.insert(number, (self.version, noted));
    }

    /// Its lobby or the operator has ended the ticket; of both together the operator's word stands.
    pub(super) fn note_end(&mut self, lobby: LobbyId, number: Number, noted: Noted) {
        let record = self.lobbies.entry(lobby).or_default();
        if record
            .ended
            .back()
            .is_some_and(|(_, last, _)| *last == number)
        {
            record.ended.pop_back();
        }
        record.notices.remove(number);
        record.ended.push_back((self.version, number, noted));
    }

    /// There is nothing to tell of the ticket: its lobby itself has said what became of it, or hears of all tickets at once.
    pub(super) fn forget_notice(&mut self, lobby: LobbyId, number: Number) {
        if let Some(record) = self.lobbies.get_mut(&lobby) {
            record.notices.remove(number);
        }
    }
}
