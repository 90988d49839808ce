//! What follows from a command, as the state stands. Looks, and changes nothing.
//!
//! What a visitor can send never fails here: a command that comes too late, twice or for
//! somebody unknown is answered with how things are.

use super::Room;
use super::command::{Command, Reply, Standing};
use super::config::{JOIN_COUNT_MAX, LINE_MAX};
use super::event::{Event, From, How, To};
use super::line::Place;
use super::permits::{Grant, Lease, Stage};
use super::stock::STOCK_MAX;
use crate::planted::{self, Bug};
use crate::units::{Fence, Instant, LobbyId, Number};

/// Every command but a walk-in leads to one fact at most.
type Decision = (Option<Event>, Reply);

impl Room {
    /// What `command` of lobby `from` leads to at `now`. O(log n), plus what the command lists
    /// and what has run out.
    #[must_use]
    pub fn decide(&self, now: Instant, command: &Command, from: LobbyId) -> (Vec<Event>, Reply) {
        let mut events = Vec::new();
        let reply = self.decide_into(&mut events, now, command, from);
        (events, reply)
    }

    /// The same; the facts are added to `events`, so that a batch fills one row without a list for each command.
    pub(super) fn decide_into(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        command: &Command,
        from: LobbyId,
    ) -> Reply {
        let (event, reply) = match command {
            Command::Join { count } => self.decide_join(*count, from),
            Command::WalkIn => return self.decide_walk_in(events, now, from),
            Command::Claim(number) => self.decide_claim(now, self.named(*number)),
            Command::Renew(fence) => self.decide_renew(now, *fence),
            Command::Extend { fence, by_ms } => self.decide_extend(now, *fence, *by_ms),
            Command::Release(fence) => (self.give_back(now, *fence), Reply::Done),
            Command::Leave(number) => (self.decide_leave(now, self.named(*number)), Reply::Done),
            Command::Away(numbers) => (self.decide_away(numbers), Reply::Done),
            Command::Back(number) => self.decide_back(now, *number),
            Command::Carry(number) => self.decide_carry(now, self.named(*number)),
            Command::Origin { good, bad } => (self.decide_origin(*good, *bad), Reply::Done),
            Command::Stock {
                left,
                reported_at_ms,
            } => (self.decide_stock(*left, *reported_at_ms), Reply::Done),
            Command::Numbers(entries) => (None, Reply::Numbers(self.numbers_of(entries))),
        };
        events.extend(event);
        reply
    }

    fn decide_join(&self, count: u32, lobby: LobbyId) -> Decision {
        let enters = self.enters_hall();
        if !enters && !self.mode().issues() {
            return (None, Reply::Shut);
        }
        let count = count.clamp(1, JOIN_COUNT_MAX);
        if self.line.alive() + self.hall.line().alive() + u64::from(count) > LINE_MAX {
            return (None, Reply::Full);
        }
        if enters {
            let first = self.hall.line().next();
            let reply = Reply::Joined {
                first,
                ahead: self.hall.line().ahead(first),
            };
            let entered = Event::Entered {
                lobby,
                first,
                count,
            };
            return (Some(entered), reply);
        }
        let first = self.line.next();
        let reply = Reply::Joined {
            first,
            ahead: self.line.ahead(first),
        };
        (
            Some(Event::Joined {
                lobby,
                first,
                count,
            }),
            reply,
        )
    }

    /// When somebody asks and nothing is free, what has run out is put back first, without
    /// waiting for the usher: the leak cure of a blocking pop from a list of permits.
    fn decide_walk_in(&self, events: &mut Vec<Event>, now: Instant, lobby: LobbyId) -> Reply {
        let mut in_hand = self.permits.hand() as usize;
        if self.permits.free() == 0 {
            let run_out = self.collect(now);
            let returned = run_out
                .iter()
                .filter(|e| matches!(e, Event::Ended { to: To::Hand, .. }));
            in_hand += returned.count();
            events.extend(run_out);
        }
        let free = in_hand + self.permits.tray() as usize;
        let past = planted::is(Bug::WalkInPastTheLine) && self.may_call(now);
        let welcome = self.may_walk_in(now) || past;
        if !welcome || (free == 0 && !self.makes_permits()) {
            return Reply::NoWalkIn;
        }
        let number = self.line.next();
        let fence = self.permits.last_fence().next();
        let from = match (in_hand, free) {
            (0, 0) => From::Nowhere,
            (0, _) => From::Tray,
            _ => From::Hand,
        };
        events.push(Event::WalkedIn {
            lobby,
            number,
            fence,
            from,
        });
        let lease = Lease::begin_provisional(now, &self.config);
        let grant = Grant {
            number,
            lobby,
            stage: Stage::Leased(lease),
        };
        Reply::Stands(self.standing_of(now, fence, &grant))
    }

    /// A claim that arrives before the usher looked wins, however late it is.
    fn decide_claim(&self, now: Instant, number: Number) -> Decision {
        match self.permits.of_number(number) {
            Some((fence, grant)) if matches!(grant.stage, Stage::Called { .. }) => {
                let stage = Stage::Leased(Lease::begin(now, &self.config));
                let leased = Grant {
                    stage,
                    ..grant.clone()
                };
                let reply = Reply::Stands(self.standing_of(now, fence, &leased));
                (Some(Event::Claimed { fence }), reply)
            }
            _ => (None, Reply::Stands(self.standing(now, number))),
        }
    }

    fn decide_renew(&self, now: Instant, fence: Fence) -> Decision {
        let Some((lease, grant)) = self.lease(now, fence) else {
            return (None, Reply::Stands(Standing::Over));
        };
        let idle_end = lease.idle_end.max(now.plus_ms(self.config.lease_idle_ms));
        let slid = Lease {
            idle_end,
            provisional: false,
            ..lease
        };
        let grant = Grant {
            stage: Stage::Leased(slid),
            ..grant.clone()
        };
        let reply = Reply::Stands(self.standing_of(now, fence, &grant));
        let unchanged = slid == lease || planted::is(Bug::SlideNotJournaled);
        ((!unchanged).then_some(Event::Slid { fence }), reply)
    }

    fn decide_extend(&self, now: Instant, fence: Fence, by_ms: u64) -> Decision {
        let Some((lease, grant)) = self.lease(now, fence) else {
            return (None, Reply::Stands(Standing::Over));
        };
        let left_ms = self
            .config
            .lease_extend_max_ms
            .saturating_sub(lease.extended_ms);
        let by_ms = by_ms.min(left_ms);
        let longer = Lease {
            hard_end: lease.hard_end.plus_ms(by_ms),
            ..lease
        };
        let grant = Grant {
            stage: Stage::Leased(longer),
            ..grant.clone()
        };
        let reply = Reply::Stands(self.standing_of(now, fence, &grant));
        let extended = Event::Extended { fence, by_ms };
        ((by_ms > 0).then_some(extended), reply)
    }

    /// Whether a lease lives, and for how long: what a renewal would find, without renewing. Such a question decides
    /// nothing and is journaled nowhere. O(log permits).
    #[must_use]
    pub fn check(&self, now: Instant, fence: Fence) -> Standing {
        self.lease(now, fence).map_or(Standing::Over, |(_, grant)| {
            self.standing_of(now, fence, grant)
        })
    }

    /// A lease that has not reached its hard end. One whose idle end has passed still counts:
    /// a renewal that arrives before the usher looked wins.
    fn lease(&self, now: Instant, fence: Fence) -> Option<(Lease, &Grant)> {
        let newest = || {
            self.newest_if(Bug::OldFenceAccepted)
                .map(|(_, grant)| grant)
        };
        let grant = self.permits.grant(fence).or_else(newest)?;
        match grant.stage {
            Stage::Leased(lease) if lease.hard_end > now => Some((lease, grant)),
            Stage::Leased(_) | Stage::Called { .. } => None,
        }
    }

    /// For planted bugs only.
    fn newest_if(&self, bug: Bug) -> Option<(Fence, &Grant)> {
        planted::is(bug)
            .then(|| self.permits.out().last())
            .flatten()
    }

    fn decide_leave(&self, now: Instant, number: Number) -> Option<Event> {
        if let Some((fence, _)) = self.permits.of_number(number) {
            return self.give_back(now, fence);
        }
        match self.line_of(number).place(number) {
            Place::Present | Place::Away(_) => Some(Event::Left(number)),
            Place::Called | Place::Gone => None,
        }
    }

    /// A permit comes back by its holder's own doing: as the baton to the first who is present,
    /// else onto the tray. Of a fence that is not out nothing comes back: whoever comes second
    /// changes nothing.
    fn give_back(&self, now: Instant, fence: Fence) -> Option<Event> {
        let (fence, grant) = match self.permits.grant(fence) {
            Some(grant) => (fence, grant),
            None => self.newest_if(Bug::ReleaseFreesAnother)?,
        };
        let how = match grant.stage {
            Stage::Called { .. } => How::Left,
            Stage::Leased(_) => How::Released,
        };
        if self.permits.debt() > 0 && !planted::is(Bug::DebtNotPaid) {
            return Some(Event::Ended {
                fence,
                how,
                to: To::Debt,
            });
        }
        let first = self.line.first_present();
        let behind = first.filter(|_| planted::is(Bug::BatonToTheSecond));
        let second = behind.and_then(|first| self.line.next_present(first));
        let first = second.or(first);
        match first {
            Some(number) if self.may_call(now) => {
                let next = self.permits.last_fence().next();
                Some(Event::Handed {
                    from: fence,
                    how,
                    number,
                    fence: next,
                })
            }
            _ => Some(Event::Ended {
                fence,
                how,
                to: To::Tray,
            }),
        }
    }

    fn decide_away(&self, numbers: &[Number]) -> Option<Event> {
        let gone = self.in_place(numbers, |place| place == Place::Present);
        (!gone.is_empty()).then_some(Event::WentAway(gone))
    }

    fn decide_back(&self, now: Instant, number: Number) -> Decision {
        let event = self.decide_roster(&[number]);
        (event, Reply::Stands(self.standing(now, number)))
    }

    /// The place stays what it is, the lease gets a new fence. A call keeps its own, which nobody
    /// has been given yet, and the time there is to come.
    fn decide_carry(&self, now: Instant, number: Number) -> Decision {
        let leased = self.permits.of_number(number);
        let leased = leased.and_then(|(fence, _)| self.lease(now, fence).zip(Some(fence)));
        let Some(((_, grant), from)) = leased else {
            return self.decide_back(now, number);
        };
        let fence = self.permits.last_fence().next();
        let reply = Reply::Stands(self.standing_of(now, fence, grant));
        (Some(Event::Refenced { from, fence }), reply)
    }

    /// How the origin answers is a fact only where something follows from it.
    fn decide_origin(&self, good: u32, bad: u32) -> Option<Event> {
        let wanted = self.config.origin_errors_max_percent > 0;
        (wanted && (good > 0 || bad > 0)).then_some(Event::OriginSeen { good, bad })
    }

    /// What is left is a fact only where it is told, and when it is newer than what is known.
    fn decide_stock(&self, left: u32, reported_at_ms: u64) -> Option<Event> {
        let wanted = self.config.stock_line && left <= STOCK_MAX;
        let seen = Event::StockSeen {
            left,
            reported_at_ms,
        };
        (wanted && self.stock.is_news(reported_at_ms)).then_some(seen)
    }

    /// Tickets that have a live socket are present. Says nothing of all the others: a lobby that
    /// just woke knows no more of them than that it does not see them *yet*.
    pub(super) fn decide_roster(&self, numbers: &[Number]) -> Option<Event> {
        let back = self.in_place(numbers, |place| matches!(place, Place::Away(_)));
        (!back.is_empty()).then_some(Event::CameBack(back))
    }

    fn in_place(&self, numbers: &[Number], wanted: impl Fn(Place) -> bool) -> Vec<Number> {
        numbers
            .iter()
            .map(|number| self.named(*number))
            .filter(|number| wanted(self.line_of(*number).place(*number)))
            .collect()
    }
}
