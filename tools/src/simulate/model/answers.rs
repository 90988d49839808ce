//! What the plain semaphore says of itself: where tickets stand, who holds them, and what lobbies are answered and told.

use super::{Ended, Model, Permit};
use baton::facts::command::Command;
use baton::facts::enter::{Enters, Person};
use baton::facts::holder::{Held, Holder, Key};
use baton::facts::limits::{CHANGES_MAX, Sizes, sizes};
use baton::facts::message::{Batch, Listed};
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Ahead, Fence, Instant, LANES_MAX, LobbyId, Number, Version};

impl Model {
    /// Returns where a number stands. `ahead` counts within the number's lane.
    #[must_use]
    pub fn standing(&self, now: Instant, number: Number) -> Standing {
        if let Some(permit) = self.permit_of(number) {
            return stands(now, permit);
        }
        let line = if number.is_entry() { &self.hall } else { &self.tickets };
        let in_lane = line.iter().filter(|t| t.number.lane() == number.lane());
        match line.iter().position(|t| t.number == number) {
            Some(at) => {
                let before = in_lane.take_while(|t| t.number != number);
                line[at].waits(Ahead(before.count() as u64))
            }
            None => Standing::Over,
        }
    }

    /// Returns the holder of a living ticket.
    pub(super) fn holder(&self, number: Number) -> Option<Holder> {
        let waits = self.ticket(number).map(|ticket| ticket.holder);
        waits.or_else(|| Some(self.permit_of(number)?.holder))
    }

    /// Returns the lobby of a living ticket.
    #[must_use]
    pub fn lobby_of(&self, number: Number) -> Option<LobbyId> {
        let waits = self.ticket(number).map(|ticket| ticket.lobby);
        waits.or_else(|| Some(self.permit_of(number)?.lobby))
    }

    /// Returns the living ticket of a key.
    pub(super) fn number_of(&self, key: Key) -> Option<Number> {
        let tickets = self.tickets.iter().chain(&self.hall);
        let waiting = tickets.map(|t| (t.holder.key, t.number));
        let inside = self.permits.iter().map(|p| (p.holder.key, p.number));
        let mut all = waiting.chain(inside);
        all.find(|(of, _)| *of == key).map(|(_, number)| number)
    }

    /// Returns whether a ticket lives in this lobby and this key holds it.
    pub(super) fn is_held(&self, held: Held, lobby: LobbyId) -> bool {
        let key = self.holder(held.number).map(|holder| holder.key);
        key == Some(held.key) && self.lobby_of(held.number) == Some(lobby)
    }

    /// Returns whether a ticket has a lease whose time is over and which nobody has taken back yet.
    #[must_use]
    pub fn has_run_out(&self, now: Instant, number: Number) -> bool {
        let permit = self.permit_of(number);
        permit.is_some_and(|permit| !permit.called && permit.due_at() <= now)
    }

    /// Returns how long ago this permit's ticket was called, in ms.
    #[must_use]
    pub fn called_for_ms(&self, now: Instant, permit: &Permit) -> u64 {
        let claim_within_ms = self.config().claim_within_ms;
        claim_within_ms.saturating_sub(permit.due_at().since_ms(now))
    }

    /// Returns the ticket of a lease, and where it stands.
    #[must_use]
    pub fn check(&self, now: Instant, fence: Fence) -> (Number, Standing) {
        self.lease(now, fence)
            .map_or((Number(0), Standing::Over), |permit| (permit.number, stands(now, permit)))
    }

    /// Returns a living ticket as lobbies are told of it.
    #[must_use]
    pub fn listed(&self, now: Instant, number: Number) -> Option<Listed> {
        let holder = self.holder(number)?;
        let standing = self.standing(now, number);
        (standing != Standing::Over).then_some(Listed { number, holder, standing })
    }

    /// Returns all living tickets of a lobby, in order of number. It scans each list once, because worlds ask after each message.
    #[must_use]
    pub fn all_listed(&self, now: Instant, lobby: LobbyId) -> Vec<Listed> {
        let mut all = vec![];
        for line in [&self.tickets, &self.hall] {
            let mut ranks = [0; LANES_MAX];
            for ticket in line {
                let rank = &mut ranks[usize::from(ticket.number.lane().0)];
                let waits = ticket.place != super::Place::Called;
                if ticket.lobby == lobby && waits {
                    all.push(Listed {
                        number: ticket.number,
                        holder: ticket.holder,
                        standing: ticket.waits(Ahead(*rank)),
                    });
                }
                *rank += 1;
            }
        }
        let permits = self.permits.iter().filter(|p| p.lobby == lobby);
        all.extend(permits.map(|permit| Listed {
            number: permit.number,
            holder: permit.holder,
            standing: stands(now, permit),
        }));
        all.retain(|listed| listed.standing != Standing::Over);
        all.sort_unstable_by_key(|listed| listed.number);
        all
    }

    /// Returns a lobby's waiting tickets that count as away, in order.
    #[must_use]
    pub fn away_of(&self, lobby: LobbyId) -> Vec<Number> {
        let tickets = self.tickets.iter().chain(&self.hall);
        let away = tickets.filter(|t| t.lobby == lobby && matches!(t.place, super::Place::Away(_)));
        let mut away: Vec<Number> = away.map(|t| t.number).collect();
        away.sort_unstable();
        away
    }

    /// Returns the lobby's tickets to which something happened after a row, and how each ended.
    pub fn changed_of(&self, lobby: LobbyId, since: Version) -> impl Iterator<Item = (Number, Ended)> {
        let all = self.changes_of(lobby, since);
        all.filter_map(|(number, last)| Some((number, last?)))
    }

    /// Returns what happened to a lobby's tickets after a row. A ticket may come several times; only its last row says how it ended.
    pub fn changes_of(&self, lobby: LobbyId, since: Version) -> impl Iterator<Item = (Number, Option<Ended>)> {
        let from = self.changes.partition_point(|(version, _)| *version <= since);
        let later = self.changes.iter().skip(from);
        later.filter_map(move |(version, number)| {
            let changed = self.changed.get(number)?;
            let last = (changed.version == *version).then_some(changed.ended);
            (changed.lobby == lobby).then_some((*number, last))
        })
    }

    /// Returns whether the room may have forgotten what happened to a lobby's tickets after a row. The room counts tickets that joined together once.
    #[must_use]
    pub fn may_be_forgotten(&self, lobby: LobbyId, since: Version) -> bool {
        sizes() != Sizes::USUAL || self.changes_of(lobby, since).count() > CHANGES_MAX
    }

    /// Returns the answers to a batch, once all of it has become true.
    #[must_use]
    pub fn answers(&self, now: Instant, batch: &Batch) -> Vec<Reply> {
        let answer = |command| self.answer(now, command, batch.lobby);
        batch.commands.iter().map(answer).collect()
    }

    /// Returns the answer to a command. Long because it has an arm for each command.
    fn answer(&self, now: Instant, command: &Command, lobby: LobbyId) -> Reply {
        let stands = |number| Reply::Stands(number, self.standing(now, number));
        let held = |place: Held| {
            if self.is_held(place, lobby) {
                stands(place.number)
            } else {
                Reply::None(NoTicket::Void)
            }
        };
        match command {
            Command::Enter(enter) => {
                let into = (self.lane_named(enter.lane), lobby);
                let why = |person: &Person| self.why_not(person, into);
                if enter.how == Enters::Join {
                    let all = (0..).zip(enter.who.iter());
                    return Reply::Joined(all.filter_map(|(at, of)| Some((at, why(&of)?))).collect());
                }
                // Whoever walks in is told of the own place, whatever the account has.
                let person = Person {
                    account: None,
                    ..enter.who.iter().next().unwrap_or_default()
                };
                match (why(&person), self.number_of(person.holder.key)) {
                    (None, Some(number)) => stands(number),
                    (Some(why @ (NoTicket::At(_) | NoTicket::Unspent(_))), _) => Reply::None(why),
                    _ => Reply::None(NoTicket::NoWalkIn),
                }
            }
            Command::Claim { place, .. } => held(*place),
            Command::Carry { place, to, .. } => held(Held {
                number: place.number,
                key: to.key,
            }),
            Command::Renew(fence) | Command::Extend { fence, .. } => {
                let (number, standing) = self.check(now, *fence);
                let at = self.lobby_of(number);
                match at {
                    _ if standing == Standing::Over => Reply::None(NoTicket::Void),
                    Some(of) if of != lobby => Reply::None(NoTicket::At(of)),
                    _ => Reply::Stands(number, standing),
                }
            }
            Command::Presence { .. } | Command::Release(_) | Command::Leave(_) | Command::Overheard(_) | Command::Shows { .. } => Reply::Done,
        }
    }
}

fn stands(now: Instant, permit: &Permit) -> Standing {
    let fence = permit.fence;
    match permit.called {
        true => Standing::Called {
            fence,
            claim_in_ms: permit.idle_end.since_ms(now),
        },
        false if permit.hard_end <= now => Standing::Over,
        false => Standing::Admitted {
            fence,
            idle_in_ms: permit.idle_end.since_ms(now),
            hard_in_ms: permit.hard_end.since_ms(now),
            extended_ms: permit.extended_ms,
            provisional: permit.provisional,
        },
    }
}
