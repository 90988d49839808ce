//! When the room's line has ended: who waited is over, in one fact, and the room is asked about those of whom the lobby is
//! not sure.

use super::event::LobbyEvent;
use super::{Book, Delivered, Flying, Lobby, Ticket, Want};
use crate::ordered::filled;
use crate::room::command::{LineEnd, Message, Reply};
use crate::units::{Instant, VisitorId};
use std::collections::BTreeSet;

impl Book {
    /// Who waits and is over by the end of the line, as far as this lobby knows.
    fn over_with(&self, end: LineEnd) -> impl Iterator<Item = VisitorId> + '_ {
        let ends = move |(_, ticket): &(&VisitorId, &Ticket)| {
            ticket.is_over_with(end) && ticket.version <= end.version
        };
        self.tickets
            .iter()
            .filter(ends)
            .map(|(visitor, _)| *visitor)
    }

    pub(super) fn end_line(&mut self, end: LineEnd, unsure: &[VisitorId]) {
        self.ended = Some(end);
        let unsure: BTreeSet<VisitorId> = filled(unsure.iter().copied());
        let over = self.over_with(end);
        let over: Vec<VisitorId> = over.filter(|visitor| !unsure.contains(visitor)).collect();
        for visitor in over {
            self.end(visitor, end.why.into(), end.version);
        }
    }
}

impl Lobby {
    /// Everybody who waited is over, in one fact. But not who has something out at the room, or was not
    /// confirmed in this life: they may be inside. If they are there, the room is asked.
    pub(super) fn take_line_end(
        &mut self,
        now: Instant,
        message: &Message,
        delivered: &mut Delivered,
    ) {
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
    pub(super) fn ask_about_the_ended(&mut self) {
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
    /// nothing of this life's reached the room, as one batch is out at a time. But in an earlier life other batches may
    /// have followed the one that is answered, and brought somebody in: then the room is asked. After all replies: one
    /// that waits by the first of them may be inside by the last. O(batch · log tickets).
    pub(super) fn end_those_who_waited(
        &mut self,
        now: Instant,
        flying: &Flying,
        message: &Message,
    ) {
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
                let Some(ticket) = ticket.filter(spoken_of) else {
                    continue;
                };
                if flying.batch.epoch < self.book.epoch {
                    self.want(*visitor, Want::Back);
                } else {
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
}
