//! When the room was begun anew: every ticket here is over, and numbers mean others than before.
//!
//! What the room says carries the row in which its edition began, and each single statement the row of its own. So of a
//! statement one compare tells whether it is of this edition ([`Lobby::is_of_this_edition`]); and a batch names the edition
//! of the numbers in it, so that the room takes none for another's. Numbers in memory that are keyed by themselves go with
//! their edition; what is keyed by visitor or fence may stay.

use super::answers::Outcome;
use super::batches::issues_number;
use super::event::LobbyEvent;
use super::{Book, Delivered, Lobby, Want};
use crate::planted::{self, Bug};
use crate::room::command::{Batch, Command, Message};
use crate::units::{Edition, Instant, Version, VisitorId};
use crate::wire::{Ask, Reason, Shown, Wish};

impl Book {
    /// Everybody is over. O(tickets), once a reset.
    pub(super) fn begin(&mut self, edition: Edition, version: Version) {
        self.edition = edition;
        self.began = version;
        self.by_number.clear();
        self.carrying.offers.clear();
        self.carrying.dropping.clear();
        self.ended = None;
        let living = self.tickets.iter().filter(|(_, t)| t.phase.living());
        let living: Vec<VisitorId> = living.map(|(visitor, _)| *visitor).collect();
        for visitor in living {
            self.end(visitor, Reason::Reset, version);
        }
    }
}

impl Lobby {
    /// Whether what the room said in this version speaks of the edition that is known here.
    pub(super) fn is_of_this_edition(&self, said: Version) -> bool {
        said >= self.book.began || planted::is(Bug::AnswerOutlivesTheReset)
    }

    /// The room was begun anew, as far as this message tells. What waits for the room by number waits for nothing.
    pub(super) fn take_edition(
        &mut self,
        now: Instant,
        message: &Message,
        delivered: &mut Delivered,
    ) {
        let (edition, version) = (message.gist.edition, message.gist.began);
        if edition <= self.book.edition {
            return;
        }
        delivered.everybody = true;
        self.record(now, LobbyEvent::Begun { edition, version });
        self.confirmed.clear();
        self.leaving.clear();
        self.in_front.clear();
        self.early.clear();
        self.frame = None;
        self.frame_fresh = false;
        let queue = core::mem::take(&mut self.queue).into_iter();
        let (vain, kept): (Vec<_>, Vec<_>) = queue.partition(|(_, want)| want.goes_by_number());
        self.queue = kept.into();
        for (visitor, want) in vain {
            self.take_nothing(want, &[visitor], delivered);
        }
    }

    /// Which replies to a batch are of another edition than the one that is known here: those given before it began, and
    /// those to numbers of another. Whoever got a number in it has it.
    pub(super) fn means_others(&self, batch: &Batch) -> impl Fn(Version, &Command) -> bool + use<> {
        let planted = planted::is(Bug::AnswerOutlivesTheReset);
        let (began, same) = (self.book.began, batch.edition == self.book.edition);
        move |answered, command| !planted && (answered < began || !(same || issues_number(command)))
    }

    /// An answer that means nothing here. Who asked for a number and still waits gets one of this edition; the others are
    /// told how things are.
    pub(super) fn take_nothing(
        &mut self,
        want: Want,
        visitors: &[VisitorId],
        delivered: &mut Delivered,
    ) {
        let outcome = Outcome::of_nothing(want);
        for visitor in visitors {
            let key = (*visitor, want);
            let Some(waiters) = self.waiters.remove(&key) else {
                continue;
            };
            if matches!(want, Want::Join | Want::WalkIn) && !waiters.is_empty() {
                self.waiters.insert(key, waiters);
                self.queue.push_back(key);
            } else {
                let told = waiters.into_iter().map(|waiter| (waiter, outcome));
                delivered.outcomes.extend(told);
            }
        }
    }

    /// Whether the room must be looked at before this ask is answered: what it said last is too old to tell, or
    /// [not enough](Self::has_not_heard_of).
    #[must_use]
    pub fn asks_to_look(&self, now: Instant, ask: &Ask) -> bool {
        let old = matches!(ask.wish, Wish::Status { .. }) && self.must_look(now);
        old || self.has_not_heard_of(ask)
    }

    /// Whether the visitor shows a place of an edition that nobody here has heard of: that must not be guessed about.
    #[must_use]
    pub fn has_not_heard_of(&self, ask: &Ask) -> bool {
        let ahead = |shown: Shown| shown.edition > self.book.edition;
        let carried = match ask.wish {
            Wish::Carry { place, .. } => ahead(place),
            _ => false,
        };
        carried || ask.shown.is_some_and(ahead)
    }

    /// Whether a place is of the edition that is known here.
    pub(super) fn is_here(&self, shown: Shown) -> bool {
        shown.edition == self.book.edition
    }
}
