//! Answers a lobby's commands and says where a number stands: always from the book as it is when the turn ends, whatever each command did. So a
//! repeat is answered like the first, and no answer has to be remembered.

use super::Room;
use super::line::Place;
use super::permits::{Grant, Stage};
use facts::command::Command;
use facts::enter::{Enter, Enters, Person};
use facts::holder::{Held, Key};
use facts::reply::{NoTicket, Reply, Standing};
use facts::units::{Ahead, Fence, Instant, LaneId, LobbyId, Number};

impl Room {
    /// Returns one reply to each command of lobby `from`. O(commands · log n).
    #[must_use]
    pub fn answers(&self, now: Instant, from: LobbyId, commands: &[Command]) -> Vec<Reply> {
        commands.iter().map(|command| self.answer(now, from, command)).collect()
    }

    fn answer(&self, now: Instant, from: LobbyId, command: &Command) -> Reply {
        match command {
            Command::Enter(enter) => self.answer_enter(now, enter, from),
            Command::Claim { place, .. } => self.held_stands(now, *place, from),
            Command::Carry { place, to, .. } => {
                let moved = Held { key: to.key, ..*place };
                self.held_stands(now, moved, from)
            }
            Command::Shows { key, shown } if self.is_lost(*key, *shown) => Reply::None(NoTicket::Lost),
            Command::Renew(fence) | Command::Extend { fence, .. } => self.stands_by(now, *fence, from),
            Command::Presence { .. } | Command::Shows { .. } | Command::Release(_) | Command::Leave(_) | Command::Overheard(_) => Reply::Done,
        }
    }

    /// Answers people who came in. Those who came together have consecutive numbers as a rule, so each is looked for behind the one before.
    fn answer_enter(&self, now: Instant, enter: &Enter, from: LobbyId) -> Reply {
        let into = (self.lanes().named(enter.lane), from);
        if enter.how == Enters::WalkIn {
            let first = enter.who.iter().next().unwrap_or_default();
            return self.answer_walk_in(now, into, &first);
        }
        let mut guess = Number(0);
        let without = (0..).zip(enter.who.iter()).filter_map(|(at, person)| {
            let living = self.living_near(person.holder.key, guess);
            guess = living.map_or(guess, |number| number.plus(1));
            Some((at, self.why_none(into, &person, living)?))
        });
        Reply::Joined(without.collect())
    }

    /// Answers a walk-in. Whoever holds a ticket is told where it stands, whatever their account has.
    fn answer_walk_in(&self, now: Instant, into: (LaneId, LobbyId), person: &Person) -> Reply {
        let person = Person { account: None, ..*person };
        let key = person.holder.key;
        match self.why_none(into, &person, self.living_of(key)) {
            Some(why @ (NoTicket::At(_) | NoTicket::Unspent(_))) => Reply::None(why),
            Some(_) => Reply::None(NoTicket::NoWalkIn),
            None => self.stands_of(now, key, NoTicket::NoWalkIn),
        }
    }

    fn stands_of(&self, now: Instant, key: Key, otherwise: NoTicket) -> Reply {
        let number = self.living_of(key);
        number.map_or(Reply::None(otherwise), |number| Reply::Stands(number, self.standing(now, number)))
    }

    fn held_stands(&self, now: Instant, held: Held, lobby: LobbyId) -> Reply {
        if self.is_held(held, lobby) {
            Reply::Stands(held.number, self.standing(now, held.number))
        } else {
            Reply::None(NoTicket::Void)
        }
    }

    /// Answers where a lease stands. For another lobby's ticket it names that lobby: here nobody would hear what becomes of the lease.
    fn stands_by(&self, now: Instant, fence: Fence, lobby: LobbyId) -> Reply {
        let (number, standing) = self.check(now, fence);
        match self.lobby_of(number) {
            _ if standing == Standing::Over => Reply::None(NoTicket::Void),
            Some(of) if of != lobby => Reply::None(NoTicket::At(of)),
            _ => Reply::Stands(number, standing),
        }
    }

    /// Returns where a number stands. O(log n).
    #[must_use]
    pub fn standing(&self, now: Instant, number: Number) -> Standing {
        self.standing_behind(now, number, None)
    }

    /// Returns the same. `before` is a number in line with how many are ahead of it: the number behind it has one more ahead.
    pub(super) fn standing_behind(&self, now: Instant, number: Number, before: Option<(Number, Ahead)>) -> Standing {
        if let Some((fence, grant)) = self.permits.of_number(number) {
            return self.standing_of(now, fence, grant);
        }
        let line = self.line_of(number);
        let place = line.place(number);
        match place {
            Place::Gone => Standing::Over,
            Place::Present | Place::Away(_) | Place::Called => Standing::Waiting {
                ahead: match before {
                    Some((before, ahead)) if before.plus(1) == number => Ahead(ahead.0 + 1),
                    _ => line.ahead(number),
                },
                away: matches!(place, Place::Away(_)),
                missed: line.missed(number),
            },
        }
    }

    pub(super) fn standing_of(&self, now: Instant, fence: Fence, grant: &Grant) -> Standing {
        match grant.stage {
            Stage::Called { claim_by, .. } => Standing::Called {
                fence,
                claim_in_ms: claim_by.since_ms(now),
            },
            Stage::Leased(lease) if lease.hard_end <= now => Standing::Over,
            Stage::Leased(lease) => Standing::Admitted {
                fence,
                idle_in_ms: lease.idle_end.since_ms(now),
                hard_in_ms: lease.hard_end.since_ms(now),
                extended_ms: lease.extended_ms,
                provisional: lease.provisional,
            },
        }
    }
}
