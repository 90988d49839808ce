//! What follows from a command, and from a turn of the usher.

use super::{Facts, Model, Permit, Place, only_if};
use baton::facts::command::Command;
use baton::facts::config::Mode;
use baton::facts::event::{Event, From, How, To};
use baton::facts::holder::{Held, Holder};
use baton::facts::limits::STOCK_MAX;
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number};

/// The number of permits that these facts put into the hand.
fn into_hand(facts: &[Event]) -> u32 {
    let back = |fact: &&Event| matches!(fact, Event::Ended { to: To::Hand, .. });
    facts.iter().filter(back).count() as u32
}

impl Model {
    /// Decides a command. Long because it has an arm for each command.
    pub(super) fn decide(&self, now: Instant, command: &Command, lobby: LobbyId) -> Facts {
        match *command {
            Command::Join(ref holders) => self.decide_join(now, holders, (self.everybody(), lobby)),
            Command::WalkIn(holder) => self.decide_walk_in(now, holder, (self.everybody(), lobby)),
            Command::Claim { place, fence } => {
                let permit = self
                    .permit_of(place.number)
                    .filter(|_| self.is_held(place, lobby));
                let called = permit.is_some_and(|permit| permit.called && permit.fence == fence);
                only_if(called, Event::Claimed { fence })
            }
            Command::Renew(fence) => match self.lease(now, fence) {
                Some(permit) => {
                    let idle_end = now.plus_ms(self.config().lease_idle_ms);
                    let slides = permit.provisional || permit.idle_end < idle_end;
                    only_if(slides, Event::Slid { fence })
                }
                // A renewal that finds the lease over takes it back.
                None => {
                    let ended = self.permits.iter().any(|p| p.fence == fence && !p.called);
                    if ended { self.take_back(now) } else { vec![] }
                }
            },
            Command::Extend { fence, total_ms } => {
                let most_ms = self.config().lease_extend_max_ms;
                let had_ms = self.lease(now, fence).map(|permit| permit.extended_ms);
                let by_ms = had_ms.map_or(0, |had_ms| total_ms.min(most_ms).saturating_sub(had_ms));
                only_if(by_ms > 0, Event::Extended { fence, by_ms })
            }
            Command::Release(fence) => self.give_back(now, fence),
            Command::Leave(place) if !self.is_held(place, lobby) => vec![],
            Command::Leave(Held { number, .. }) => match self.permit_of(number) {
                Some(permit) => self.give_back(now, permit.fence),
                None => only_if(self.ticket(number).is_some(), Event::Left(number)),
            },
            Command::Presence {
                as_of,
                ref here,
                ref away,
            } => {
                let mut back = self.those(here, lobby, |place| matches!(place, Place::Away(_)));
                // A visitor who has missed a call since is not known to be back.
                back.retain(|number| {
                    let missed = self.ticket(*number).is_some_and(|ticket| ticket.missed);
                    let since = self.changed.get(number).is_some_and(|c| c.version > as_of);
                    let forgotten = || {
                        let told = self.told_back.contains(number);
                        !told && self.may_be_forgotten(lobby, as_of)
                    };
                    !(missed && (since || forgotten()))
                });
                let gone = self.those(away, lobby, |place| place == Place::Present);
                let mut facts = only_if(!back.is_empty(), Event::CameBack(back));
                facts.extend(only_if(!gone.is_empty(), Event::WentAway(gone)));
                facts
            }
            Command::Carry { place, row, to } => {
                let good = self.link_is_good(now, place, row, to, lobby);
                let permit = self.permit_of(place.number);
                let carried = Event::Carried {
                    number: place.number,
                    fences: permit.map(|permit| (permit.fence, Fence(self.fences + 1))),
                    to: Some(to),
                };
                only_if(good, carried)
            }
            Command::Origin(ref answers) => {
                let wanted = self.config().origin_errors_max_percent > 0 && !answers.is_none();
                only_if(wanted, Event::OriginSeen(answers.clone()))
            }
            Command::Stock {
                left,
                reported_at_ms,
            } => {
                let wanted = self.config().stock_line
                    && left <= STOCK_MAX
                    && reported_at_ms > self.stock_reported_at_ms;
                let seen = Event::StockSeen {
                    left,
                    reported_at_ms,
                };
                only_if(wanted, seen)
            }
            Command::EntryRefused(refusals) => {
                only_if(!refusals.is_none(), Event::EntryRefused(refusals))
            }
            Command::ObservedOnly(count) => only_if(count > 0, Event::ObservedOnly(count)),
            Command::Proofs(checks) => only_if(!checks.is_none(), Event::ProofsChecked(checks)),
            // No data is older here than what people were told.
            Command::Shows { .. } => vec![],
            // These are decided one step at a time (`accounts.rs`, `lanes.rs`, `vouchers.rs`).
            Command::JoinAs(_)
            | Command::WalkInAs { .. }
            | Command::JoinWith { .. }
            | Command::WalkInWith { .. }
            | Command::Into(..) => vec![],
            Command::AnswerTimes(times) => only_if(!times.is_none(), Event::AnswersTimed(times)),
        }
    }

    /// Decides a number, or an entry, for each holder without a place. If a lease of one of them has run out,
    /// everything that has run out is taken back first.
    pub(super) fn decide_join(
        &self,
        now: Instant,
        holders: &[Holder],
        (lane, lobby): (LaneId, LobbyId),
    ) -> Facts {
        let has_run_out = |holder: &Holder| {
            self.number_of(holder.key)
                .is_some_and(|number| self.has_run_out(now, number))
        };
        let mut facts = vec![];
        if holders.iter().any(has_run_out) {
            facts = self.take_back(now);
        }
        let Some(first) = self.next_in(lane) else {
            return facts;
        };
        let mut new: Vec<Holder> = vec![];
        for holder in holders {
            let lives = self.number_of(holder.key).is_some() && !has_run_out(holder);
            if !lives && new.iter().all(|other| other.key != holder.key) {
                new.push(*holder);
            }
        }
        let count = new.len() as u32;
        if count > 0 && first.is_entry() {
            facts.push(Event::Entered {
                lobby,
                first,
                count,
                holders: new,
            });
        } else if count > 0 {
            facts.push(Event::Joined {
                lobby,
                first,
                count,
                holders: new,
            });
        }
        facts
    }

    fn those(&self, held: &[Held], lobby: LobbyId, wanted: fn(Place) -> bool) -> Vec<Number> {
        let fits = |held: &&Held| {
            let ticket = self.ticket(held.number);
            ticket.is_some_and(|ticket| wanted(ticket.place)) && self.is_held(**held, lobby)
        };
        held.iter().filter(fits).map(|held| held.number).collect()
    }

    pub(super) fn decide_walk_in(
        &self,
        now: Instant,
        holder: Holder,
        (lane, lobby): (LaneId, LobbyId),
    ) -> Facts {
        let own = self.number_of(holder.key);
        let run_out = own.is_some_and(|number| self.has_run_out(now, number));
        if own.is_some() && !run_out {
            return vec![];
        }
        let nothing_free = self.hand + self.tray == 0;
        let mut facts = if nothing_free || run_out {
            self.take_back(now)
        } else {
            vec![]
        };
        let hand = self.hand + into_hand(&facts);
        let observed = self.config().mode == Mode::Observe;
        let open = self.lane_is_open(lane)
            && self.config().walk_in
            && self.allows(now) > 0
            && self.first_present().is_none();
        let free = hand + self.tray;
        if !(observed || (open && free > 0)) {
            return facts;
        }
        let number = self.next_number(lane);
        let fence = Fence(self.fences + 1);
        let from = match (hand, self.tray) {
            (0, 0) => From::Nowhere,
            (0, _) => From::Tray,
            _ => From::Hand,
        };
        facts.push(Event::WalkedIn {
            lobby,
            number,
            fence,
            from,
            holder: Some(holder),
        });
        facts
    }

    fn give_back(&self, now: Instant, fence: Fence) -> Facts {
        let Some(permit) = self.permits.iter().find(|p| p.fence == fence) else {
            return vec![];
        };
        let how = if permit.called {
            How::Left
        } else {
            How::Released
        };
        if self.debt > 0 {
            return vec![Event::Ended {
                fence,
                how,
                to: To::Debt,
            }];
        }
        match self.first_present().filter(|_| self.may_call(now)) {
            Some(number) => vec![Event::Handed {
                from: fence,
                how,
                number,
                fence: Fence(self.fences + 1),
            }],
            None => vec![Event::Ended {
                fence,
                how,
                to: To::Tray,
            }],
        }
    }

    /// Takes back what has run out, the earliest first.
    pub(super) fn take_back(&self, now: Instant) -> Facts {
        let mut due: Vec<&Permit> = self.permits.iter().filter(|p| p.due_at() <= now).collect();
        due.sort_by_key(|p| (p.due_at(), p.fence));
        let end = |(at, permit): (usize, &&Permit)| {
            let missed_before = self.ticket(permit.number).is_some_and(|t| t.missed);
            let how = match permit.called {
                false => How::Expired,
                true if missed_before => How::MissedAgain,
                true => How::Missed,
            };
            let to = if at < self.debt as usize {
                To::Debt
            } else {
                To::Hand
            };
            Event::Ended {
                fence: permit.fence,
                how,
                to,
            }
        };
        due.iter().enumerate().map(end).collect()
    }

    /// Decides the usher's turn. `graces` is how many places end now.
    pub fn decide_turn(&self, now: Instant, graces: u64) -> Facts {
        let mut facts = vec![];
        if graces > 0 {
            facts.push(Event::GraceEnded { count: graces });
        }
        facts.extend(self.take_back(now));
        let (mut hand, mut tray) = (self.hand + into_hand(&facts), self.tray);
        let mut fence = self.fences;
        let mut allowed = if self.calls() { self.allows(now) } else { 0 };
        let all = (u64::from(hand) + u64::from(tray)).min(allowed) as usize;
        let mut waiting = self.next_to_call(all).into_iter();
        while allowed > 0 {
            if hand == 0 && tray > 0 {
                facts.push(Event::TrayEmptied { permits: tray });
                (hand, tray) = (tray, 0);
            }
            if hand == 0 {
                break;
            }
            let Some(number) = waiting.next() else { break };
            fence += 1;
            facts.push(Event::Called {
                number,
                fence: Fence(fence),
            });
            hand -= 1;
            allowed -= 1;
        }
        if !facts.is_empty() {
            facts.push(Event::Turned);
        }
        facts
    }
}
