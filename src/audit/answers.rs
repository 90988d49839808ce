//! A batch's answers against its facts. Every wish has exactly one answer, in order; some wishes
//! lead to facts, the others only ask how things are. So there must be a way to give each fact the
//! answer that it calls for, such that every answer in between was true at its moment.
//!
//! That is a small automaton: all positions that can be reached in the answers, moved on with each
//! fact. What an answer says to somebody who *waits* (`ahead`, `missed`) cannot be checked, since
//! it does not name the ticket.

use super::facts::{JOINED_MAX, LINE_MAX};
use super::ledger::Ledger;
use super::{Check, require};
use crate::room::command::{Reply, Standing};
use crate::room::event::Event;
use crate::units::Ahead;

const LAW: &str = "answers say what happened";
/// Most wishes of one batch.
const WISHES_MAX: usize = 2_000;

/// Where in a batch's answers its facts may have come to.
pub struct Answers<'a> {
    replies: &'a [Reply],
    /// How many answers may have been given so far: every possibility, ascending.
    given: Vec<usize>,
}

/// The answer that a fact calls for.
pub enum Wanted {
    Exactly(Reply),
    Waiting,
}

impl<'a> Answers<'a> {
    pub fn new(replies: &'a [Reply]) -> Self {
        let given = vec![0];
        Self { replies, given }
    }

    /// Whether a batch may have so many wishes.
    pub fn bounded(&self) -> Check {
        let count = self.replies.len();
        require("batches are bounded", count <= WISHES_MAX, || {
            format!("{count} answers in one batch")
        })
    }

    /// Between two facts, as the books stand: answers to who only asked how things are may follow.
    /// O(positions), each once.
    pub fn pass(&mut self, ledger: &Ledger, at_ms: u64) {
        let mut reached = Vec::with_capacity(self.given.len());
        for start in core::mem::take(&mut self.given) {
            if reached.last().is_some_and(|last| *last >= start) {
                continue;
            }
            let rest = self.replies.iter().skip(start);
            let told = rest.take_while(|reply| is_so(ledger, at_ms, reply)).count();
            reached.extend(start..=start + told);
        }
        self.given = reached;
    }

    /// The next answer must be this one. O(positions).
    pub fn want(&mut self, wanted: &Wanted) -> Check {
        let fits = |reply: &Reply| match wanted {
            Wanted::Exactly(wanted) => reply == wanted,
            Wanted::Waiting => matches!(reply, Reply::Stands(Standing::Waiting { .. })),
        };
        let replies = self.replies;
        self.given
            .retain(|given| replies.get(*given).is_some_and(fits));
        self.given.iter_mut().for_each(|given| *given += 1);
        require(LAW, !self.given.is_empty(), || match wanted {
            Wanted::Exactly(reply) => format!("no answer in its place says {reply:?}"),
            Wanted::Waiting => "no answer in its place says that somebody waits".to_owned(),
        })
    }

    /// The batch may have begun with a roster that brought these back, which asks for no answer,
    /// or with the wish of somebody who came back.
    pub fn roster(&mut self, ledger: &Ledger, at_ms: u64, came_back: usize) {
        self.pass(ledger, at_ms);
        if came_back > 1 || self.want(&Wanted::Waiting).is_err() {
            self.given.clear();
        }
        self.given.insert(0, 0);
    }

    /// Permits were collected for somebody who then could not walk in.
    pub fn turned_away(&mut self, ledger: &Ledger, at_ms: u64) -> Check {
        require(LAW, is_so(ledger, at_ms, &Reply::NoWalkIn), || {
            "permits were collected for a walk-in that did not happen, and nothing forbade it"
                .to_owned()
        })?;
        self.want(&Wanted::Exactly(Reply::NoWalkIn))
    }

    /// No fact follows. O(positions).
    pub fn finish(mut self, ledger: &Ledger, at_ms: u64) -> Check {
        self.pass(ledger, at_ms);
        let furthest = self.given.last().copied().unwrap_or_default();
        require(LAW, furthest == self.replies.len(), || {
            let reply = self.replies.get(furthest);
            format!("answer {} was not so: {reply:?}", furthest + 1)
        })
    }
}

/// What a fact that is about to be entered calls for, when that follows from the books before it.
pub fn wanted_before(ledger: &Ledger, event: &Event) -> Option<Wanted> {
    let reply = match event {
        Event::Joined { first, .. } => Reply::Joined {
            first: *first,
            ahead: Ahead(ledger.line.alive()),
        },
        Event::Entered { first, .. } => Reply::Joined {
            first: *first,
            ahead: Ahead(ledger.hall.line.alive()),
        },
        Event::Handed { .. }
        | Event::Ended { .. }
        | Event::Left(_)
        | Event::WentAway(_)
        | Event::OriginSeen { .. }
        | Event::StockSeen { .. } => Reply::Done,
        Event::CameBack(_) => return Some(Wanted::Waiting),
        _ => return None,
    };
    Some(Wanted::Exactly(reply))
}

/// What a fact that was entered calls for, when that follows from the books after it.
pub fn wanted_after(ledger: &Ledger, at_ms: u64, event: &Event) -> Option<Wanted> {
    match event {
        Event::WalkedIn { fence, .. }
        | Event::Claimed { fence }
        | Event::Slid { fence }
        | Event::Extended { fence, .. }
        | Event::Refenced { fence, .. } => {
            let standing = ledger.standing(fence.0, at_ms);
            Some(Wanted::Exactly(Reply::Stands(standing)))
        }
        _ => None,
    }
}

/// Whether somebody could be answered this without any fact, as the books stand.
fn is_so(ledger: &Ledger, at_ms: u64, reply: &Reply) -> bool {
    match reply {
        Reply::Joined { .. } => false,
        Reply::Shut => !ledger.issues() && !ledger.takes_entries(),
        Reply::Full => {
            ledger.line.alive() + ledger.hall.line.alive() + u64::from(JOINED_MAX) > LINE_MAX
        }
        Reply::NoWalkIn => {
            let free = ledger.hand + ledger.tray > 0;
            let collects = !free && ledger.anything_due(at_ms);
            let lets_in = ledger.may_walk_in(at_ms) && (free || ledger.observes());
            !collects && !lets_in
        }
        // Which entries were asked for is not in the journal; the draw itself is checked.
        Reply::Numbers(numbers) => numbers
            .iter()
            .all(|(number, ..)| ledger.was_issued(*number)),
        Reply::Done | Reply::Stands(Standing::Waiting { .. } | Standing::Over) => true,
        Reply::Stands(
            told @ (Standing::Called { fence, .. } | Standing::Admitted { fence, .. }),
        ) => ledger.standing(fence.0, at_ms) == *told,
    }
}
