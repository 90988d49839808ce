//! Decides what follows from a command, given the state. Reads the state and never changes it.
//!
//! Nothing that a visitor can send fails here: a command that comes too late, twice or for an unknown ticket leads to nothing. Its answer follows
//! from the book at the end of the turn (`answer.rs`).

use super::Room;
use super::allowance::Allowance;
use super::book::Book;
use super::line::Place;
use super::lost::Lost;
use super::permits::{Grant, Lease, Stage};
use super::stock::Stock;
use super::tickets::Tickets;
use super::vouchers::Vouchers;
use facts::command::Command;
use facts::config::RoomConfig;
use facts::event::{Event, How, To};
use facts::holder::{Held, Holder};
use facts::limits::STOCK_MAX;
use facts::origin::OriginAnswers;
use facts::overheard::Overheard;
use facts::planted::{self, Bug};
use facts::reply::Standing;
use facts::units::{Edition, Fence, Instant, LobbyId, Number, Version};

/// A room at one moment, as a decision looks at it. It borrows what may be decided by, and can change none of it: what the room measures and counts is not
/// here, so nothing is decided by that.
#[derive(Clone, Copy)]
pub struct Case<'r> {
    pub(super) now: Instant,
    pub(super) config: &'r RoomConfig,
    pub(super) tickets: &'r Tickets,
    pub(super) book: &'r Book,
    pub(super) allowance: &'r Allowance,
    pub(super) stock: &'r Stock,
    pub(super) vouchers: &'r Vouchers,
    pub(super) lost: &'r Lost,
    pub(super) edition: Edition,
    pub(super) version: Version,
    pub(super) turned_at: Instant,
}

impl Room {
    /// Returns the room as a decision at `now` looks at it. O(1).
    #[must_use]
    pub const fn case(&self, now: Instant) -> Case<'_> {
        Case {
            now,
            config: &self.config,
            tickets: &self.tickets,
            book: &self.book,
            allowance: &self.allowance,
            stock: &self.stock,
            vouchers: &self.vouchers,
            lost: &self.lost,
            edition: self.edition,
            version: self.version,
            turned_at: self.turned_at,
        }
    }
}

impl Case<'_> {
    /// Adds to `events` what `command` of lobby `from` leads to at `self.now`, so that a batch fills one row without a list for each command. O(log n),
    /// plus what the command lists and what has run out.
    pub(super) fn decide_into(&self, events: &mut Vec<Event>, command: &Command, from: LobbyId) {
        let event = match command {
            // Each step is decided by what the one before it did (`admit.rs`).
            Command::Enter(_) => return,
            Command::Presence { as_of, here, away } => {
                return self.decide_presence(events, *as_of, here, away, from);
            }
            Command::Renew(fence) => return self.decide_renew(events, *fence),
            Command::Claim { place, fence } => self.decide_claim(*place, *fence, from),
            Command::Extend { fence, total_ms } => self.decide_extend(*fence, *total_ms),
            Command::Release(fence) => self.give_back(*fence),
            Command::Shows { key, shown } => self.decide_shown(*key, *shown),
            Command::Leave(place) => self.decide_leave(*place, from),
            Command::Carry { place, row, to } => self.decide_carry(*place, *row, *to, from),
            Command::Overheard(heard) => self.decide_overheard(heard),
        };
        if let Some(event) = event {
            events.push(event);
        }
    }

    /// Decides a claim. However late it is, it wins if it arrives before the permit is taken back.
    fn decide_claim(&self, place: Held, fence: Fence, lobby: LobbyId) -> Option<Event> {
        let (called, grant) = self.tickets.permits().of_number(place.number)?;
        let is_theirs = grant.lobby == lobby && (grant.holder.key == place.key || planted::is(Bug::KeyIgnored));
        (grant.is_called() && called == fence && is_theirs).then_some(Event::Claimed { fence })
    }

    fn decide_renew(&self, events: &mut Vec<Event>, fence: Fence) {
        let Some((lease, grant)) = self.lease(fence) else {
            let over = self
                .tickets
                .permits()
                .grant(fence)
                .is_some_and(|grant| self.tickets.has_run_out(self.now, grant.number));
            if over {
                events.extend(self.collect());
            }
            return;
        };
        let idle_end = lease.idle_end.max(self.now.plus_ms(self.config.lease_idle_ms));
        let slid = Lease {
            idle_end,
            provisional: false,
            ..lease
        };
        let fence = self.tickets.permits().of_number(grant.number).map_or(fence, |(fence, _)| fence);
        if slid != lease && !planted::is(Bug::SlideNotJournaled) {
            events.push(Event::Slid { fence });
        }
    }

    fn decide_extend(&self, fence: Fence, total_ms: u64) -> Option<Event> {
        let (lease, _) = self.lease(fence)?;
        let total_ms = total_ms.min(self.config.lease_extend_max_ms);
        let by_ms = total_ms.saturating_sub(lease.extended_ms);
        (by_ms > 0).then_some(Event::Extended { fence, by_ms })
    }

    /// Returns the ticket of a lease and where it stands: what a renewal would find, without renewing. If the lease is over, returns number 0 and
    /// [`Standing::Over`]. The question decides nothing and is not journaled. O(log permits).
    #[must_use]
    pub fn check(&self, fence: Fence) -> (Number, Standing) {
        let none = (Number(0), Standing::Over);
        self.lease(fence)
            .map_or(none, |(_, grant)| (grant.number, grant.standing(self.now, fence)))
    }

    /// Returns the lease of a fence unless it has reached its hard end. A lease past its idle end still counts: a renewal wins if it arrives
    /// before the usher looks.
    pub(super) fn lease(&self, fence: Fence) -> Option<(Lease, &Grant)> {
        let newest = || self.newest_if(Bug::OldFenceAccepted).map(|(_, grant)| grant);
        let grant = self.tickets.permits().grant(fence).or_else(newest)?;
        match grant.stage {
            Stage::Leased(lease) if lease.hard_end > self.now => Some((lease, grant)),
            Stage::Leased(_) | Stage::Called { .. } => None,
        }
    }

    /// Returns the newest permit if `bug` is planted. For planted bugs only.
    fn newest_if(&self, bug: Bug) -> Option<(Fence, &Grant)> {
        planted::is(bug).then(|| self.tickets.permits().out().last()).flatten()
    }

    fn decide_leave(&self, place: Held, lobby: LobbyId) -> Option<Event> {
        if !self.tickets.is_held(place, lobby) {
            return None;
        }
        if let Some((fence, _)) = self.tickets.permits().of_number(place.number) {
            return self.give_back(fence);
        }
        match self.tickets.line_of(place.number).place(place.number) {
            Place::Present | Place::Away(_) => Some(Event::Left(place.number)),
            Place::Called | Place::Gone => None,
        }
    }

    /// Decides where a permit goes when its holder gives it back: it pays the debt if there is one, else passes as the baton to the first ticket
    /// present, else goes onto the tray. Returns `None` if the fence is not out, so whoever comes second changes nothing.
    fn give_back(&self, fence: Fence) -> Option<Event> {
        let (fence, grant) = match self.tickets.permits().grant(fence) {
            Some(grant) => (fence, grant),
            None => self.newest_if(Bug::ReleaseFreesAnother)?,
        };
        let how = match grant.stage {
            Stage::Called { .. } => How::Left,
            Stage::Leased(_) => How::Released,
        };
        if self.tickets.permits().debt() > 0 && !planted::is(Bug::DebtNotPaid) {
            return Some(Event::Ended { fence, how, to: To::Debt });
        }
        let first = self.tickets.lanes().next_to_call(self.config.mode);
        let behind = first.filter(|_| planted::is(Bug::BatonToTheSecond));
        let second = behind.and_then(|first| self.tickets.line_of(first).next_present(first));
        let first = second.or(first);
        match first {
            Some(number) if self.may_call() => {
                let next = self.tickets.permits().minted().next();
                Some(Event::Handed {
                    from: fence,
                    how,
                    number,
                    fence: next,
                })
            }
            _ => Some(Event::Ended { fence, how, to: To::Tray }),
        }
    }

    /// Decides who came back and who went away. A lobby's report counts only for its own tickets, and only if the keys that it names hold them. A
    /// report from before a missed call does not bring back whoever missed it.
    fn decide_presence(&self, events: &mut Vec<Event>, as_of: Version, here: &[Held], away: &[Held], lobby: LobbyId) {
        let in_place = |held: &[Held], wanted: fn(Place) -> bool| -> Vec<Number> {
            let held = held.iter();
            let held = held.filter(|held| wanted(self.tickets.line_of(held.number).place(held.number)));
            let held = held.filter(|held| self.tickets.is_held(**held, lobby));
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
        self.tickets.line_of(number).missed(number)
            && !planted::is(Bug::OldWordCounts)
            && self
                .book
                .changes()
                .since(lobby, row)
                .is_none_or(|mut changed| changed.any(|changed| changed.covers(number)))
    }

    /// Returns whether a link is good: the place lives in this lobby, has the holder it had when the link was made, and was not carried since.
    fn is_carried(&self, place: Held, made_in: Version, to: Holder, lobby: LobbyId) -> bool {
        let void = self.book.carried_in(place.number) > made_in && !planted::is(Bug::LinkGoodTwice);
        let takes = place.key != to.key && self.tickets.is_held(place, lobby);
        takes && !void && !self.tickets.has_run_out(self.now, place.number)
    }

    /// Returns the place that the new device must leave, with its lobby; `None` if it has none or the link is void.
    pub(super) fn left_by_carry(&self, place: Held, made_in: Version, to: Holder, lobby: LobbyId) -> Option<(Held, LobbyId)> {
        let good = self.is_carried(place, made_in, to, lobby);
        let number = self
            .book
            .living_of(self.tickets, to.key)
            .filter(|_| good && !planted::is(Bug::OwnPlaceKept))?;
        Some((Held { number, key: to.key }, self.tickets.lobby_of(number)?))
    }

    /// Gives a place to the holder who came with the link. The place keeps its number and its rank. A permit gets a new fence, so whatever was handed
    /// out under the old one is void.
    fn decide_carry(&self, place: Held, made_in: Version, to: Holder, lobby: LobbyId) -> Option<Event> {
        let is_good = self.is_carried(place, made_in, to, lobby);
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
