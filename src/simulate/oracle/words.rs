//! Judges every word: whatever a visitor is told, or goes in with.

use super::{End, Oracle, require};
use crate::room::Room;
use crate::room::command::Standing;
use crate::room::laws::Check;
use crate::room::line::Place;
use crate::simulate::front::PASS_TTL_MS;
use crate::simulate::world::who;
use crate::token::Pass;
use crate::units::{Ahead, Number};
use crate::wire::{LeaseTold, Reason, Shown, State, Status};

/// What a lobby says to a visitor.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub status: &'a Status,
    pub lease: Option<LeaseTold>,
    /// By an isolate whose time is over.
    pub by_old: bool,
    /// Some object's clock is not the world's.
    pub skewed: bool,
}

impl Oracle {
    /// A lobby says this to a visitor.
    pub fn told(&mut self, visitor: usize, said: &Said<'_>, room: &Room) -> Check {
        let Said {
            status,
            lease,
            by_old,
            skewed,
        } = *said;
        self.figures.told += 1;
        if !self.on {
            return Ok(());
        }
        if let Some(lease) = lease {
            self.lease_is_told(visitor, &lease, room, skewed)?;
        }
        if status.state == State::Hall {
            return self.entry_is_told(visitor, status, room);
        }
        let Some((edition, number)) = status.edition.zip(status.number) else {
            return Ok(());
        };
        let place = Shown { edition, number };
        let Some(numbers) = self.of(edition) else {
            return require("an edition is told once it began", false, || {
                format!("{place:?}")
            });
        };
        let owner = numbers.owner(number);
        // The lobby may not have heard yet that it is another's.
        let former = numbers.was_carried_from(visitor, number);
        require(
            "a visitor is told of no other's number",
            owner == Some(visitor) || former,
            || format!("{visitor} is told {place:?} of {owner:?}"),
        )?;
        // A lobby that a visitor was passed on from may still tell of an older end.
        if status.state != State::Over && !by_old {
            self.number_grows(visitor, place, room)?;
        }
        let reset = status.reason == Some(Reason::Reset);
        require(
            "a reset ends what was before it",
            !reset || edition < self.edition(),
            || format!("{visitor} is told that {place:?} ended in a reset"),
        )?;
        // Until the lobby hears of the reset it says what was so before.
        if edition < self.edition() {
            return Ok(());
        }
        match status.state {
            State::Over if status.reason == Some(Reason::Carried) => {
                // It may have been carried back just now, which the lobby has not heard yet; and one that lost what it
                // stored has it from the cookies: the place is with who showed it last.
                let lost = self.forgotten[visitor] && self.present().former.contains_key(&number);
                require(
                    "carried is said of what was another's",
                    former || lost,
                    || format!("{visitor} is told that {number} was carried, it is {owner:?}'s"),
                )
            }
            State::Over => {
                let standing = room.standing(self.now, number);
                require(
                    "over is said of what is over",
                    standing == Standing::Over,
                    || format!("{visitor} is told that {number} is over, it is {standing:?}"),
                )
            }
            State::Waiting => self.ahead_is_a_bound(visitor, number, said, room),
            State::Called => {
                let called = self.present().called.get(number.0).is_some();
                require("called is said of who was called", called, || {
                    format!("{visitor} with {number}")
                })
            }
            State::None | State::Hall | State::Admitted => Ok(()),
        }
    }

    fn entry_is_told(&self, visitor: usize, status: &Status, room: &Room) -> Check {
        let place = status.place();
        let Some((place, numbers)) = place.and_then(|place| Some((place, self.of(place.edition)?)))
        else {
            return require("an entry is told of an edition that began", false, || {
                format!("{visitor} is told {status:?}")
            });
        };
        // What an entry became in an earlier edition the room does not know any more.
        let number = if place.edition == self.edition() {
            room.named(place.number)
        } else {
            place.number
        };
        // One that ended in the hall is nobody's after the draw.
        let owner = numbers.owner(number);
        let holds =
            owner.is_none_or(|owner| owner == visitor) || numbers.was_carried_from(visitor, number);
        require("a visitor is told of no other's entry", holds, || {
            format!("{visitor} is told {place:?} of {owner:?}")
        })
    }

    fn lease_is_told(
        &mut self,
        visitor: usize,
        lease: &LeaseTold,
        room: &Room,
        skewed: bool,
    ) -> Check {
        self.figures.leases += 1;
        let minted = self.minted.get(lease.fence.0).copied();
        let numbers = self.of(lease.edition);
        let owner = numbers.and_then(|numbers| numbers.owner(lease.number));
        let carried = numbers.is_some_and(|n| n.was_carried_from(visitor, lease.number));
        let place = Shown {
            edition: lease.edition,
            number: lease.number,
        };
        // Once the room has moved it, its old holder hears of the old fence at most.
        let ended = minted.is_some_and(|minted| minted.end.is_some());
        let former = ended && carried;
        let lost = self.forgotten[visitor] && carried;
        let whose = minted.is_some_and(|minted| minted.place == place)
            && (owner == Some(visitor) || former || lost);
        require("a lease is told to its holder (2)", whose, || {
            format!("{visitor}: {lease:?}")
        })?;
        let told_ms = lease.idle_in_ms.min(lease.hard_in_ms);
        // A host whose clock is wrong cannot know how long it has been.
        if skewed || told_ms == 0 {
            return Ok(());
        }
        let ended = minted.is_some_and(|minted| minted.end == Some(End::Expired));
        require("an ended lease is not told as open (7)", !ended, || {
            format!("{visitor}: {lease:?}")
        })?;
        let Some(grant) = room.permits().grant(lease.fence) else {
            return Ok(());
        };
        // The room's clock may have been read a while ago; it has not stood still since.
        let left_ms = grant.due_at().since_ms(room.now());
        require(
            "no lease is told longer than it is (8)",
            told_ms <= left_ms,
            || format!("{visitor} is told {told_ms} ms of {left_ms}: {lease:?}"),
        )
    }

    fn number_grows(&mut self, visitor: usize, place: Shown, room: &Room) -> Check {
        let Some(last) = self.last_told[visitor]
            .replace(place)
            .filter(|last| *last != place)
        else {
            return Ok(());
        };
        let carried = |place: Shown| {
            let numbers = self.of(place.edition);
            numbers.is_some_and(|numbers| numbers.former.contains_key(&place.number))
        };
        if self.forgotten[visitor] || carried(last) || carried(place) {
            return Ok(());
        }
        let standing = room.standing(self.now, last.number);
        let over = last.edition < self.edition() || standing == Standing::Over;
        let grows = (place.edition, place.number) > (last.edition, last.number);
        require("a visitor's number grows (2)", grows && over, || {
            format!("visitor {visitor} had {last:?} (over: {over}) and is told {place:?}")
        })
    }

    fn ahead_is_a_bound(
        &mut self,
        visitor: usize,
        number: Number,
        said: &Said<'_>,
        room: &Room,
    ) -> Check {
        let (Some(ahead), Some(owned)) =
            (said.status.ahead, self.present().owned.get_mut(number.0))
        else {
            return Ok(());
        };
        let least = owned.least_ahead;
        require(
            "ahead as shown never rises (5)",
            said.by_old || ahead <= least,
            || format!("visitor {visitor} with {number} was shown {least} in front, now {ahead}"),
        )?;
        owned.least_ahead = ahead.min(least);
        let really = room.ahead(number);
        // Who has gone in or is over stands in no line, whatever an older word says.
        let holds = really <= Ahead(ahead) || room.line().place(number) == Place::Gone;
        require("ahead as shown is a bound (5)", holds, || {
            format!("{visitor} with {number} is shown {ahead}, it is {really}")
        })
    }

    /// Somebody goes in with a pass that nobody was asked about.
    pub fn passes(&self, visitor: usize, pass: &Pass, time: u64, skewed: bool) -> Check {
        if !self.on {
            return Ok(());
        }
        let whose = pass.visitor == who(visitor);
        let end = self.minted.get(pass.fence.0).and_then(|minted| minted.end);
        let lawful = match end {
            None => true,
            Some(End::Expired) => skewed,
            Some(End::GivenBack(at)) => time <= at + PASS_TTL_MS,
        };
        require(
            "a pass does not outlive its lease (8)",
            whose && lawful,
            || format!("{pass:?} at {time}: {end:?}"),
        )
    }
}
