//! Decides what follows from a command, given the state. Reads the state and never changes it.
//!
//! Nothing that a visitor can send fails here: a command that comes too late, twice or for an unknown ticket leads to nothing. Its answer follows
//! from the book at the end of the turn (`answer.rs`).

use super::Room;
use super::line::Place;
use super::permits::{Grant, Lease, Stage};
use super::seen::Seen;
use crate::facts::command::{Command, Entering};
use crate::facts::event::{Event, From, How, To};
use crate::facts::holder::{Held, Holder, Key, Member};
use crate::facts::limits::{JOIN_COUNT_MAX, STOCK_MAX};
use crate::facts::origin::OriginAnswers;
use crate::facts::overheard::Overheard;
use crate::facts::reply::Standing;
use crate::facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};
use crate::planted::{self, Bug};

impl Room {
    /// Returns the events that `command` of lobby `from` leads to at `now`. O(log n), plus what the command lists and what has run out.
    #[must_use]
    pub fn decide(&self, now: Instant, command: &Command, from: LobbyId) -> Vec<Event> {
        let mut events = Vec::new();
        self.decide_into(&mut events, now, command, from);
        events
    }

    /// Like [`decide`](Self::decide), but adds the facts to `events`, so that a batch fills one row without a list for each command.
    pub(super) fn decide_into(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        command: &Command,
        from: LobbyId,
    ) {
        let everybody = self.lanes.everybody();
        let event = match command {
            Command::Join(holders) => {
                return self.decide_join(events, now, (everybody, from), holders);
            }
            Command::WalkIn(holder) => {
                return self.decide_walk_in(events, now, (everybody, from), *holder);
            }
            Command::JoinAs(members) => {
                return self.decide_join_as(events, now, (everybody, from), members);
            }
            Command::WalkInAs { holder, account } => {
                let member = Member::arriving(*holder, *account);
                return self.decide_walk_in_as(events, now, (everybody, from), &member);
            }
            Command::Into(name, entering) => {
                let into = (self.lanes.named(Some(*name)), from);
                return self.decide_entering(events, now, into, entering);
            }
            Command::JoinWith { holder, spend } => {
                return self.decide_join_with(events, now, (*holder, spend), from);
            }
            Command::WalkInWith { holder, spend } => {
                return self.decide_walk_in_with(events, now, (*holder, spend), from);
            }
            Command::Presence { as_of, here, away } => {
                return self.decide_presence(events, *as_of, here, away, from);
            }
            Command::Renew(fence) => return self.decide_renew(events, now, *fence),
            Command::Claim { place, fence } => self.decide_claim(*place, *fence, from),
            Command::Extend { fence, total_ms } => self.decide_extend(now, *fence, *total_ms),
            Command::Release(fence) => self.give_back(now, *fence),
            Command::Shows { key, shown } => self.decide_shown(*key, *shown),
            Command::Leave(place) => self.decide_leave(now, *place, from),
            Command::Carry { place, row, to } => self.decide_carry(now, *place, *row, *to, from),
            Command::Overheard(heard) => self.decide_overheard(heard),
        };
        if let Some(event) = event {
            events.push(event);
        }
    }

    fn decide_entering(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        into: (LaneId, LobbyId),
        entering: &Entering,
    ) {
        match entering {
            Entering::Join(holders) => self.decide_join(events, now, into, holders),
            Entering::WalkIn(holder) => self.decide_walk_in(events, now, into, *holder),
            Entering::JoinAs(members) => self.decide_join_as(events, now, into, members),
            Entering::WalkInAs { holder, account } => {
                let member = Member::arriving(*holder, *account);
                self.decide_walk_in_as(events, now, into, &member);
            }
        }
    }

    /// Takes back everything that has run out if that includes a lease of one of these holders: nobody may be told to be inside by a lease that is
    /// over. Returns whether it did.
    pub(super) fn collect_for(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        keys: impl Iterator<Item = Key>,
    ) -> bool {
        let mut living = keys.filter_map(|key| self.living_of(key));
        let collects = living.any(|number| self.has_run_out(now, number));
        if collects {
            events.extend(self.collect(now));
        }
        collects
    }

    /// Returns the ticket that a key still holds once everything that has run out is taken back.
    pub(super) fn lives_on(&self, now: Instant, key: Key) -> Option<Number> {
        self.still(now, self.living_of(key))
    }

    /// Returns this living ticket of a key, unless it is over once everything that has run out is taken back.
    fn still(&self, now: Instant, living: Option<Number>) -> Option<Number> {
        let number = living.filter(|_| !planted::is(Bug::KeyTwice))?;
        (!self.has_run_out(now, number)).then_some(number)
    }

    pub(super) fn decide_join(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        (lane, lobby): (LaneId, LobbyId),
        holders: &[Holder],
    ) {
        let decided = events.len();
        let living = self.living_of_each(holders.iter().map(|holder| holder.key));
        if living.iter().flatten().any(|of| self.has_run_out(now, *of)) {
            events.extend(self.collect(now));
        }
        let Some(first) = self.next_in(lane) else {
            return;
        };
        let has_place = |living| {
            let place = self.still(now, living);
            let elsewhere = planted::is(Bug::TwoPlacesByLane);
            place.is_some_and(|number| !elsewhere || number.lane() == lane)
        };
        let most = holders.len().min(JOIN_COUNT_MAX as usize);
        let mut seen = Seen::default();
        let new = holders.iter().zip(living).take(most);
        let new = new.filter(|(holder, living)| !has_place(*living) && seen.insert(holder.key));
        let ended = self.places_ended(events.get(decided..).unwrap_or_default(), lane);
        let new = new.take(self.room_left(first, ended));
        let holders = new.map(|(holder, _)| *holder);
        Self::issue(events, lobby, first, holders.collect());
    }

    /// Adds the fact that these holders get numbers from `first` on, if there are any.
    pub(super) fn issue(
        events: &mut Vec<Event>,
        lobby: LobbyId,
        first: Number,
        holders: Vec<Holder>,
    ) {
        let count = holders.len() as u32;
        if count == 0 {
            return;
        }
        events.push(if first.is_entry() {
            Event::Entered {
                lobby,
                first,
                count,
                holders,
            }
        } else {
            Event::Joined {
                lobby,
                first,
                count,
                holders,
            }
        });
    }

    /// Decides a walk-in. If no permit is free, it first takes back what has run out, without waiting for the usher. A blocking pop from a list of
    /// permits cures its leaks in the same way.
    pub(super) fn decide_walk_in(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        (lane, lobby): (LaneId, LobbyId),
        holder: Holder,
    ) {
        let decided = events.len();
        let mut collected = self.collect_for(events, now, core::iter::once(holder.key));
        if self.lives_on(now, holder.key).is_some() {
            return;
        }
        if self.permits.free() == 0 && !collected {
            events.extend(self.collect(now));
            collected = true;
        }
        let mut in_hand = self.permits.hand() as usize;
        if collected {
            // What earlier commands of this turn took back is already in `in_hand`.
            let returned = events.iter().skip(decided);
            let returned = returned.filter(|e| matches!(e, Event::Ended { to: To::Hand, .. }));
            in_hand += returned.count();
        }
        let free = in_hand + self.permits.tray() as usize;
        let past = planted::is(Bug::WalkInPastTheLine) && self.may_call(now);
        let lane = self.lanes.lane(lane);
        let welcome = self.may_walk_in(now, lane) || past;
        let number = lane.line.next();
        // Who walks in never waits, so no cap of the line counts.
        if !welcome || (free == 0 && !self.makes_permits()) || self.tickets_left(number) == 0 {
            return;
        }
        let fence = self.last_fence().next();
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
            holder: Some(holder),
        });
    }

    /// Decides a claim. However late it is, it wins if it arrives before the permit is taken back.
    fn decide_claim(&self, place: Held, fence: Fence, lobby: LobbyId) -> Option<Event> {
        let (called, grant) = self.permits.of_number(place.number)?;
        let is_theirs =
            grant.lobby == lobby && (grant.holder.key == place.key || planted::is(Bug::KeyIgnored));
        (grant.is_called() && called == fence && is_theirs).then_some(Event::Claimed { fence })
    }

    fn decide_renew(&self, events: &mut Vec<Event>, now: Instant, fence: Fence) {
        let Some((lease, grant)) = self.lease(now, fence) else {
            let over = self
                .permits
                .grant(fence)
                .is_some_and(|grant| self.has_run_out(now, grant.number));
            if over {
                events.extend(self.collect(now));
            }
            return;
        };
        let idle_end = lease.idle_end.max(now.plus_ms(self.config.lease_idle_ms));
        let slid = Lease {
            idle_end,
            provisional: false,
            ..lease
        };
        let fence = self
            .permits
            .of_number(grant.number)
            .map_or(fence, |(fence, _)| fence);
        if slid != lease && !planted::is(Bug::SlideNotJournaled) {
            events.push(Event::Slid { fence });
        }
    }

    fn decide_extend(&self, now: Instant, fence: Fence, total_ms: u64) -> Option<Event> {
        let (lease, _) = self.lease(now, fence)?;
        let total_ms = total_ms.min(self.config.lease_extend_max_ms);
        let by_ms = total_ms.saturating_sub(lease.extended_ms);
        (by_ms > 0).then_some(Event::Extended { fence, by_ms })
    }

    /// Returns the ticket of a lease and where it stands: what a renewal would find, without renewing. If the lease is over, returns number 0 and
    /// [`Standing::Over`]. The question decides nothing and is not journaled. O(log permits).
    #[must_use]
    pub fn check(&self, now: Instant, fence: Fence) -> (Number, Standing) {
        let none = (Number(0), Standing::Over);
        self.lease(now, fence).map_or(none, |(_, grant)| {
            (grant.number, self.standing_of(now, fence, grant))
        })
    }

    /// Returns the lease of a fence unless it has reached its hard end. A lease past its idle end still counts: a renewal wins if it arrives
    /// before the usher looks.
    pub(super) fn lease(&self, now: Instant, fence: Fence) -> Option<(Lease, &Grant)> {
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

    /// Returns the newest permit if `bug` is planted. For planted bugs only.
    fn newest_if(&self, bug: Bug) -> Option<(Fence, &Grant)> {
        planted::is(bug)
            .then(|| self.permits.out().last())
            .flatten()
    }

    fn decide_leave(&self, now: Instant, place: Held, lobby: LobbyId) -> Option<Event> {
        if !self.is_held(place, lobby) {
            return None;
        }
        if let Some((fence, _)) = self.permits.of_number(place.number) {
            return self.give_back(now, fence);
        }
        match self.line_of(place.number).place(place.number) {
            Place::Present | Place::Away(_) => Some(Event::Left(place.number)),
            Place::Called | Place::Gone => None,
        }
    }

    /// Decides where a permit goes when its holder gives it back: it pays the debt if there is one, else passes as the baton to the first ticket
    /// present, else goes onto the tray. Returns `None` if the fence is not out, so whoever comes second changes nothing.
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
        let first = self.next_to_call();
        let behind = first.filter(|_| planted::is(Bug::BatonToTheSecond));
        let second = behind.and_then(|first| self.line_of(first).next_present(first));
        let first = second.or(first);
        match first {
            Some(number) if self.may_call(now) => {
                let next = self.last_fence().next();
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

    /// Decides who came back and who went away. A lobby's report counts only for its own tickets, and only if the keys that it names hold them. A
    /// report from before a missed call does not bring back whoever missed it.
    fn decide_presence(
        &self,
        events: &mut Vec<Event>,
        as_of: Version,
        here: &[Held],
        away: &[Held],
        lobby: LobbyId,
    ) {
        let in_place = |held: &[Held], wanted: fn(Place) -> bool| -> Vec<Number> {
            let held = held.iter();
            let held = held.filter(|held| wanted(self.line_of(held.number).place(held.number)));
            let held = held.filter(|held| self.is_held(**held, lobby));
            held.map(|held| held.number).collect()
        };
        let mut back = in_place(here, |place| matches!(place, Place::Away(_)));
        back.retain(|number| !self.missed_since(*number, lobby, as_of));
        let gone = in_place(away, |place| place == Place::Present);
        if !back.is_empty() {
            events.push(Event::CameBack(back));
        }
        if !gone.is_empty() {
            events.push(Event::WentAway(gone));
        }
    }

    /// Returns whether a ticket may have missed a call after this row. O(changes since then) for a ticket that ever missed one, else O(1).
    fn missed_since(&self, number: Number, lobby: LobbyId, row: Version) -> bool {
        self.line_of(number).missed(number)
            && !planted::is(Bug::OldWordCounts)
            && self
                .changes
                .since(lobby, row)
                .is_none_or(|mut changed| changed.any(|changed| changed.covers(number)))
    }

    /// Returns whether a link is good: the place lives in this lobby, has the holder it had when the link was made, and was not carried since.
    fn is_carried(
        &self,
        now: Instant,
        place: Held,
        made_in: Version,
        to: Holder,
        lobby: LobbyId,
    ) -> bool {
        let void = self.carried_in(place.number) > made_in && !planted::is(Bug::LinkGoodTwice);
        let takes = place.key != to.key && self.is_held(place, lobby);
        takes && !void && !self.has_run_out(now, place.number)
    }

    /// Returns the place that the new device must leave, with its lobby; `None` if it has none or the link is void.
    pub(super) fn left_by_carry(
        &self,
        now: Instant,
        place: Held,
        made_in: Version,
        to: Holder,
        lobby: LobbyId,
    ) -> Option<(Held, LobbyId)> {
        let good = self.is_carried(now, place, made_in, to, lobby);
        let number = self
            .living_of(to.key)
            .filter(|_| good && !planted::is(Bug::OwnPlaceKept))?;
        Some((
            Held {
                number,
                key: to.key,
            },
            self.lobby_of(number)?,
        ))
    }

    /// Gives a place to the holder who came with the link. The place keeps its number and its rank. A permit gets a new fence, so whatever was handed
    /// out under the old one is void.
    fn decide_carry(
        &self,
        now: Instant,
        place: Held,
        made_in: Version,
        to: Holder,
        lobby: LobbyId,
    ) -> Option<Event> {
        let is_good = self.is_carried(now, place, made_in, to, lobby);
        is_good.then(|| self.carried_to(place.number, to))
    }

    /// Turns what was overheard into a fact: the origin's answers only if the settings act on them, the seats left only if visitors are told of them
    /// and the report is newer than the last.
    fn decide_overheard(&self, heard: &Overheard) -> Option<Event> {
        // Counted anew, so that a row has no more than may be, whatever a lobby said.
        let mut origin = OriginAnswers::default();
        if self.config.origin_errors_max_percent > 0 {
            origin.add(&heard.origin);
        }
        let tells_stock = self.config.stock_line;
        let stock = heard
            .stock
            .filter(|said| tells_stock && said.left <= STOCK_MAX && self.stock.is_news(said.at_ms));
        let heard = Overheard {
            origin,
            stock,
            ..heard.clone()
        };
        (!heard.is_none()).then(|| Event::Overheard(Box::new(heard)))
    }
}
