//! A batch's answers against its facts. Every wish has one answer, in order; some wishes lead to
//! facts. So the answers that the facts call for must be found among those given, in order, and
//! no answer may promise a number, a call or a lease that the room did not have.
//!
//! What an answer says to somebody who *waits* (`ahead`, `missed`) cannot be checked: it does not
//! name the ticket.

use super::ledger::Ledger;
use super::{Check, require};
use crate::room::command::{Reply, Standing};
use crate::room::event::Event;
use crate::units::Ahead;
use std::collections::BTreeMap;

const LAW: &str = "answers say what happened";

/// What a fact calls for.
enum Called {
    For(Reply),
    ForWaiting,
}

/// The answers that a batch's facts call for, gathered as the facts are entered.
#[derive(Default)]
pub struct Answers {
    called_for: Vec<Called>,
    issued: Vec<Reply>,
    /// How the permits that were touched stood at each moment, by fence.
    stood: BTreeMap<u64, Vec<Standing>>,
}

impl Answers {
    /// Somebody wanted to walk in, and could not.
    pub fn no_walk_in(&mut self) {
        self.called_for.push(Called::For(Reply::NoWalkIn));
    }

    /// A fact is about to be entered.
    pub fn before(&mut self, ledger: &Ledger, at_ms: u64, event: &Event) {
        match event {
            Event::Joined { first, .. } => {
                let reply = Reply::Joined {
                    first: *first,
                    ahead: Ahead(ledger.line.alive()),
                };
                self.issued.push(reply.clone());
                self.called_for.push(Called::For(reply));
            }
            Event::Handed { from: fence, .. }
            | Event::Ended { fence, .. }
            | Event::Claimed { fence }
            | Event::Slid { fence }
            | Event::Extended { fence, .. } => self.stands(ledger, at_ms, fence.0),
            _ => {}
        }
    }

    /// A fact was entered.
    pub fn after(&mut self, ledger: &Ledger, at_ms: u64, event: &Event, first_of_batch: bool) {
        match event {
            Event::WalkedIn { fence, .. }
            | Event::Claimed { fence }
            | Event::Slid { fence }
            | Event::Extended { fence, .. } => {
                self.stands(ledger, at_ms, fence.0);
                let reply = Reply::Stands(ledger.standing(fence.0, at_ms));
                self.called_for.push(Called::For(reply));
            }
            Event::Handed { fence, .. } => {
                self.stands(ledger, at_ms, fence.0);
                self.called_for.push(Called::For(Reply::Done));
            }
            Event::Ended { how, .. } if !super::turn::ran_out(*how) => {
                self.called_for.push(Called::For(Reply::Done));
            }
            Event::Left(_) | Event::WentAway(_) => {
                self.called_for.push(Called::For(Reply::Done));
            }
            // The first may be the roster's, which asks for no answer.
            Event::CameBack(_) if !first_of_batch => self.called_for.push(Called::ForWaiting),
            _ => {}
        }
    }

    fn stands(&mut self, ledger: &Ledger, at_ms: u64, fence: u64) {
        let standing = ledger.standing(fence, at_ms);
        self.stood.entry(fence).or_default().push(standing);
    }

    /// Holds the answers given against all this. O(answers · log permits).
    pub fn check(&self, ledger: &Ledger, at_ms: u64, replies: &[Reply]) -> Check {
        let mut given = replies.iter();
        for called in &self.called_for {
            let found = given.any(|reply| match called {
                Called::For(wanted) => wanted == reply,
                Called::ForWaiting => {
                    matches!(reply, Reply::Stands(Standing::Waiting { .. }))
                }
            });
            require(LAW, found, || match called {
                Called::For(wanted) => format!("no answer in its place says {wanted:?}"),
                Called::ForWaiting => "nobody who came back was told so".to_owned(),
            })?;
        }
        let joins = |reply: &&Reply| matches!(reply, Reply::Joined { .. });
        let promised = replies.iter().filter(joins);
        require(LAW, promised.eq(self.issued.iter()), || {
            "an answer promises numbers that were not issued".to_owned()
        })?;
        for reply in replies {
            if let Reply::Stands(standing) = reply {
                self.check_promise(ledger, at_ms, standing)?;
            }
        }
        Ok(())
    }

    /// A call or a lease that somebody was told of must have stood so at some moment of the row.
    fn check_promise(&self, ledger: &Ledger, at_ms: u64, told: &Standing) -> Check {
        let (Standing::Called { fence, .. } | Standing::Admitted { fence, .. }) = told else {
            return Ok(());
        };
        let stood = self.stood.get(&fence.0);
        let true_once = stood.is_some_and(|stood| stood.contains(told))
            || ledger.standing(fence.0, at_ms) == *told;
        require(LAW, true_once, || {
            format!("somebody was told {told:?}, and it was not so")
        })
    }
}
