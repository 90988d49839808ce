//! Answers a lobby's commands and says where a number stands: always from the book as it is when the turn ends, whatever each command did. So a
//! repeat is answered like the first, and no answer has to be remembered.

use super::decide::Case;
use facts::command::Command;
use facts::enter::{Enter, Enters, Person};
use facts::holder::{Held, Key};
use facts::reply::{NoTicket, Reply, Standing};
use facts::units::{Fence, LaneId, LobbyId, Number};

impl Case<'_> {
    /// Returns one reply to each command of lobby `from`. O(commands · log n).
    #[must_use]
    pub fn answers(&self, from: LobbyId, commands: &[Command]) -> Vec<Reply> {
        commands.iter().map(|command| self.answer(from, command)).collect()
    }

    fn answer(&self, from: LobbyId, command: &Command) -> Reply {
        match command {
            Command::Enter(enter) => self.answer_enter(enter, from),
            Command::Claim { place, .. } => self.held_stands(*place, from),
            Command::Carry { place, to, .. } => {
                let moved = Held { key: to.key, ..*place };
                self.held_stands(moved, from)
            }
            Command::Shows { key, shown } if self.is_lost(*key, *shown) => Reply::None(NoTicket::Lost),
            Command::Renew(fence) | Command::Extend { fence, .. } => self.stands_by(*fence, from),
            Command::Presence { .. } | Command::Shows { .. } | Command::Release(_) | Command::Leave(_) | Command::Overheard(_) => Reply::Done,
        }
    }

    /// Answers people who came in. Those who came together have consecutive numbers as a rule, so each is looked for behind the one before.
    fn answer_enter(&self, enter: &Enter, from: LobbyId) -> Reply {
        let into = (self.tickets.lanes().named(enter.lane), from);
        if enter.how == Enters::WalkIn {
            let first = enter.who.iter().next().unwrap_or_default();
            return self.answer_walk_in(into, &first);
        }
        let mut guess = Number(0);
        let without = (0..).zip(enter.who.iter()).filter_map(|(at, person)| {
            let living = self.book.living_near(self.tickets, person.holder.key, guess);
            guess = living.map_or(guess, |number| number.plus(1));
            Some((at, self.why_none(into, &person, living)?))
        });
        Reply::Joined(without.collect())
    }

    /// Answers a walk-in. Whoever holds a ticket is told where it stands, whatever their account has.
    fn answer_walk_in(&self, into: (LaneId, LobbyId), person: &Person) -> Reply {
        let person = Person { account: None, ..*person };
        let key = person.holder.key;
        match self.why_none(into, &person, self.book.living_of(self.tickets, key)) {
            Some(why @ (NoTicket::At(_) | NoTicket::Unspent(_))) => Reply::None(why),
            Some(_) => Reply::None(NoTicket::NoWalkIn),
            None => self.stands_of(key, NoTicket::NoWalkIn),
        }
    }

    fn stands_of(&self, key: Key, otherwise: NoTicket) -> Reply {
        let number = self.book.living_of(self.tickets, key);
        number.map_or(Reply::None(otherwise), |number| {
            Reply::Stands(number, self.tickets.standing(self.now, number))
        })
    }

    fn held_stands(&self, held: Held, lobby: LobbyId) -> Reply {
        if self.tickets.is_held(held, lobby) {
            Reply::Stands(held.number, self.tickets.standing(self.now, held.number))
        } else {
            Reply::None(NoTicket::Void)
        }
    }

    /// Answers where a lease stands. For another lobby's ticket it names that lobby: here nobody would hear what becomes of the lease.
    fn stands_by(&self, fence: Fence, lobby: LobbyId) -> Reply {
        let (number, standing) = self.check(fence);
        match self.tickets.lobby_of(number) {
            _ if standing == Standing::Over => Reply::None(NoTicket::Void),
            Some(of) if of != lobby => Reply::None(NoTicket::At(of)),
            _ => Reply::Stands(number, standing),
        }
    }
}
