//! Judges every word: whatever a visitor is told, or goes in with.

use super::numbers::dense;
use super::{End, Oracle, require};
use crate::simulate::front::{Asking, PASS_TTL_MS};
use crate::simulate::people::who;
use baton::facts::holder::Shown;
use baton::facts::reply::Standing;
use baton::facts::units::{Ahead, Edition, Fence, Number};
use baton::facts::wire::{CarryTold, LeaseTold, Reason, State, Status, Told, Wish};
use baton::room::Room;
use baton::room::frame::Frame;
use baton::room::laws::Check;
use baton::room::line::Place;
use baton::token::Pass;

/// What a lobby says to a visitor, and how.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub status: &'a Status,
    /// The place that the ask, or the socket, shows.
    pub shown: Option<Shown>,
    pub lease: Option<LeaseTold>,
    /// Whether an isolate whose time is over says it.
    pub by_old: bool,
    /// Whether some object's clock differs from the world's.
    pub skewed: bool,
}

impl Oracle {
    /// Judges what a lobby says to a visitor.
    ///
    /// Long because it has an arm for each state that a visitor may be told.
    pub fn told(&mut self, visitor: usize, said: &Said<'_>, room: &Room) -> Check {
        let Said {
            status,
            shown,
            lease,
            skewed,
            ..
        } = *said;
        self.figures.told += 1;
        if !self.on {
            return Ok(());
        }
        if let Some(lease) = lease {
            self.lease_is_told(visitor, &lease, room, skewed)?;
        }
        let Some(Shown { edition, number, .. }) = status.shown() else {
            return Ok(());
        };
        let place = (edition, number);
        let Some(numbers) = self.of(edition) else {
            return require("an edition is told once it began", false, || format!("{place:?}"));
        };
        let owner = numbers.owner(number);
        // The lobby may not have heard yet that another visitor holds it.
        let former = numbers.was_carried_from(visitor, number);
        require("a visitor is told of no other's number", owner == Some(visitor) || former, || {
            format!("{visitor} is told {place:?} of {owner:?}")
        })?;
        // The lobby says nothing older than what is shown to it.
        let grows = shown.is_none_or(|shown| self.grows(shown, place, room));
        require("a visitor's number grows (2)", grows, || {
            format!("{visitor} shows {shown:?} and is told {place:?}")
        })?;
        let reset = status.reason == Some(Reason::Reset);
        require("a reset ends what was before it", !reset || edition < self.edition(), || {
            format!("{visitor} is told that {place:?} ended in a reset")
        })?;
        // Until the lobby hears of the reset, it says what was so before.
        if edition < self.edition() {
            return match status.state {
                State::Over if !reset => self.reason_is_so(visitor, place, status.reason),
                _ => Ok(()),
            };
        }
        if status.missed {
            let missed = self.present().missed.contains_key(&number);
            require("a missed call is told to who missed one", missed, || format!("{visitor} with {number}"))?;
        }
        match status.state {
            State::Over => self.over_is_so(visitor, number, status.reason, room),
            State::Waiting => self.ahead_is_a_bound(visitor, number, said, room),
            State::Called => {
                let called = self.present().called.get(dense(number)).is_some();
                if let Some((fence, _)) = room.permits().of_number(number) {
                    self.present().told_called.insert(number, fence);
                }
                require("called is said of who was called", called, || format!("{visitor} with {number}"))
            }
            State::Hall => require("an entry is told as one", number.is_entry(), || format!("{visitor} with {number}")),
            State::None | State::Admitted => Ok(()),
        }
    }

    /// Checks that the ticket is over for this visitor, and for the reason that is told.
    fn over_is_so(&mut self, visitor: usize, number: Number, reason: Option<Reason>, room: &Room) -> Check {
        let standing = room.tickets().standing(self.now, number);
        let owner = self.owner(number);
        // The place may have been carried back just now, and the lobby has not heard of it yet.
        let over = standing == Standing::Over || owner != Some(visitor) || reason == Some(Reason::Carried);
        require("over is said of what is over", over, || {
            format!("{visitor} is told that {number} is over, it is {standing:?}")
        })?;
        self.reason_is_so(visitor, (self.edition(), number), reason)
    }

    fn reason_is_so(&self, visitor: usize, (edition, number): (Edition, Number), reason: Option<Reason>) -> Check {
        let Some((numbers, reason)) = self.of(edition).zip(reason) else {
            return Ok(());
        };
        let former = numbers.was_carried_from(visitor, number);
        let is = numbers.ended.get(&number).copied();
        let fits = match reason {
            Reason::Carried => former,
            Reason::SoldOut => numbers.is_below_line_end(number),
            _ => is.unwrap_or(Reason::Away) == reason || former,
        };
        require("the reason is told as it was", fits, || {
            format!("{visitor} is told that {number} of {edition} is over by {reason:?}, it is {is:?}")
        })
    }

    fn lease_is_told(&mut self, visitor: usize, lease: &LeaseTold, room: &Room, skewed: bool) -> Check {
        self.figures.leases += 1;
        let minted = self.minted.get(lease.fence.0).copied();
        let numbers = self.of(lease.edition);
        let owner = numbers.and_then(|numbers| numbers.owner(lease.number));
        let carried = numbers.is_some_and(|n| n.was_carried_from(visitor, lease.number));
        let place = (lease.edition, lease.number);
        // Once the room has moved the lease, its old holder hears of the old fence at most.
        let ended = minted.is_some_and(|minted| minted.end.is_some());
        let former = ended && carried;
        let whose = minted.is_some_and(|minted| minted.place == place) && (owner == Some(visitor) || former);
        require("a lease is told to its holder (2)", whose, || format!("{visitor}: {lease:?}"))?;
        let told_ms = lease.idle_in_ms.min(lease.hard_in_ms);
        // A host whose clock is wrong cannot know how much time has passed.
        if skewed || told_ms == 0 {
            return Ok(());
        }
        let ended = minted.is_some_and(|minted| matches!(minted.end, Some(End::Expired(_))));
        require("an ended lease is not told as open (7)", !ended, || format!("{visitor}: {lease:?}"))?;
        let Some(grant) = room.permits().grant(lease.fence) else {
            return Ok(());
        };
        // The room may have read its clock a while ago, and time has passed since.
        let left_ms = grant.due_at().since_ms(room.now());
        require("no lease is told longer than it is (8)", told_ms <= left_ms, || {
            format!("{visitor} is told {told_ms} ms of {left_ms}: {lease:?}")
        })
    }

    fn ahead_is_a_bound(&mut self, visitor: usize, number: Number, said: &Said<'_>, room: &Room) -> Check {
        let (Some(ahead), Some(owned)) = (said.status.ahead, self.present().owned.get_mut(dense(number))) else {
            return Ok(());
        };
        let least = owned.least_ahead;
        require("ahead as shown never rises (5)", said.by_old || ahead <= least, || {
            format!("visitor {visitor} with {number} was shown {least} in front, now {ahead}")
        })?;
        // The living isolate need not know what an old one has said.
        if !said.by_old {
            owned.least_ahead = ahead.min(least);
        }
        let really = room.lanes().ahead(number);
        // A visitor who has gone in or is over stands in no line, whatever an older word says.
        let holds = really <= Ahead(ahead) || room.tickets().line_of(number).place(number) == Place::Gone;
        require("ahead as shown is a bound (5)", holds, || {
            format!("{visitor} with {number} is shown {ahead}, it is {really}")
        })
    }

    /// Checks a frame against what the page that it reaches shows.
    pub fn frame(&self, seen: &Status, bytes: &[u8], room: &Room) -> Check {
        let Some(frame) = Frame::decode(bytes) else {
            return require("a frame can be read", false, || format!("{bytes:?}"));
        };
        let number = seen
            .number
            .filter(|_| seen.state == State::Waiting && seen.edition == Some(self.edition()) && seen.version <= frame.version);
        let Some(number) = number else { return Ok(()) };
        let within = Number(number.within());
        let (drawn, really) = (frame.ahead(within), room.lanes().ahead(number));
        let holds = really <= drawn || room.tickets().line_of(number).place(number) == Place::Gone;
        require("a frame is a bound (5)", holds, || {
            format!("{number} is drawn with {drawn} in front, it is {really}")
        })
    }

    /// Judges the frame that a socket hears right after its first words.
    pub fn first_frame(&self, words: &Status, bytes: &[u8], room: &Room) -> Check {
        if !self.on {
            return Ok(());
        }
        let place = words.number.filter(|_| words.state == State::Waiting);
        if let (Some(number), Some(frame)) = (place, Frame::decode(bytes)) {
            let drawn = frame.ahead(Number(number.within()));
            let exact = words.ahead.is_some_and(|ahead| Ahead(ahead) <= drawn);
            require("ahead is told before any frame (5)", exact, || {
                format!("{number} is told {:?}, then drawn with {drawn}", words.ahead)
            })?;
        }
        self.frame(words, bytes, room)
    }

    /// Judges what an ask led to, beside the status.
    pub fn answered(&mut self, asking: &Asking, told: &Told, room: &Room) -> Check {
        if !self.on {
            return Ok(());
        }
        let visitor = asking.visitor;
        if let Some(lobby) = told.at {
            self.figures.elsewhere += 1;
            require("a place is said to be where there was one", self.at[visitor].contains(&lobby), || {
                format!("{visitor} is sent to {lobby}, {:?}", self.at[visitor])
            })?;
        }
        if let (Some(CarryTold::Carried), Wish::Carry { place, .. }) = (told.carry, asking.ask.wish) {
            let numbers = self.of(place.edition);
            let owner = numbers.and_then(|numbers| numbers.owner(place.number));
            let former = numbers.is_some_and(|n| n.was_carried_from(visitor, place.number));
            require("carried is said to who has the place", owner == Some(visitor) || former, || {
                format!("{visitor} has taken {place:?}, it is {owner:?}'s")
            })?;
        }
        // An offer names the place as it is.
        if let Some(CarryTold::Offered { row, .. }) = told.carry {
            require("an offer is of a row that was", row <= room.version(), || {
                format!("{row} of {}", room.version())
            })?;
        }
        Ok(())
    }

    /// Judges a visitor who goes in with a pass that no lobby was asked about.
    pub fn passes(&self, visitor: usize, pass: &Pass, time: u64, skewed: bool) -> Check {
        if !self.on {
            return Ok(());
        }
        let whose = pass.visitor == who(visitor);
        let end = self.minted.get(pass.fence.0).and_then(|minted| minted.end);
        let lawful = match end {
            None => true,
            Some(End::Expired(_)) => skewed,
            Some(End::GivenBack(at)) => time <= at + PASS_TTL_MS,
        };
        require("a pass does not outlive its lease (8)", whose && lawful, || {
            format!("{pass:?} at {time}: {end:?}")
        })
    }

    /// Judges a visitor who goes in to a strict room, which was asked at `asked_at`.
    pub fn checked(&self, visitor: usize, fence: Fence, asked_at: u64) -> Check {
        if !self.on {
            return Ok(());
        }
        let end = self.minted.get(fence.0).and_then(|minted| minted.end);
        let lawful = match end {
            None => true,
            Some(End::Expired(at) | End::GivenBack(at)) => at >= asked_at,
        };
        require("a strict room lets nobody in whose lease was over when it was asked (7)", lawful, || {
            format!("{visitor} with {fence}, asked at {asked_at}: {end:?}")
        })
    }
}
