//! What the plain semaphore says of itself: where tickets stand, who holds them, and what lobbies are answered and told.

use super::{Ended, Model};
use crate::audit::{Grant, Place, Stage};
use baton::facts::command::Command;
use baton::facts::enter::{Enters, Person};
use baton::facts::holder::{Held, Key};
use baton::facts::limits::{CHANGES_MAX, Sizes, sizes};
use baton::facts::message::{Batch, Listed};
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Ahead, Fence, Instant, LobbyId, Number, Version};
use std::collections::BTreeSet;

impl Model {
    /// Returns where a number stands. `ahead` counts within the number's lane.
    #[must_use]
    pub fn standing(&self, now: Instant, number: Number) -> Standing {
        if let Some((fence, grant)) = self.ledger.fence_of(number) {
            return stands(now, Fence(fence), grant);
        }
        let place = self.ledger.place(number);
        place.map_or(Standing::Over, |place| waits(place, self.ledger.ahead(number), self.missed(number)))
    }

    /// Returns the living ticket of a key.
    pub(super) fn number_of(&self, key: Key) -> Option<Number> {
        let mut all = self.beside.held.iter();
        all.find(|(_, held)| held.holder.key == key).map(|(number, _)| *number)
    }

    /// Returns whether a ticket lives in this lobby and this key holds it.
    pub(super) fn is_held(&self, held: Held, lobby: LobbyId) -> bool {
        let key = self.holder(held.number).map(|holder| holder.key);
        key == Some(held.key) && self.lobby_of(held.number) == Some(lobby)
    }

    /// Returns whether a ticket has a lease whose time is over and which nobody has taken back yet.
    #[must_use]
    pub fn has_run_out(&self, now: Instant, number: Number) -> bool {
        let permit = self.ledger.fence_of(number);
        permit.is_some_and(|(_, grant)| matches!(grant.stage, Stage::Leased(_)) && grant.due_ms() <= now.0)
    }

    /// Returns for how long somebody of this lobby has been called, at most, in ms; `None` if nobody is.
    #[must_use]
    pub fn called_for_ms(&self, now: Instant, lobby: LobbyId) -> Option<u64> {
        let claim_within_ms = self.config().map_or(0, |config| config.claim_within_ms);
        let of_lobby = self.permits().filter(|(_, grant)| grant.lobby == lobby.0);
        let called = of_lobby.filter_map(|(_, grant)| match grant.stage {
            Stage::Called { claim_by_ms } => Some(claim_within_ms.saturating_sub(claim_by_ms.saturating_sub(now.0))),
            Stage::Leased(_) => None,
        });
        called.max()
    }

    /// Returns the lobbies that have living tickets.
    #[must_use]
    pub fn lobbies(&self) -> BTreeSet<LobbyId> {
        let waiting = self.tickets().map(|ticket| ticket.lobby);
        waiting.chain(self.permits().map(|(_, grant)| LobbyId(grant.lobby))).collect()
    }

    /// Returns the ticket of a lease, and where it stands.
    #[must_use]
    pub fn check(&self, now: Instant, fence: Fence) -> (Number, Standing) {
        self.lease(now, fence)
            .map_or((Number(0), Standing::Over), |grant| (grant.number, stands(now, fence, grant)))
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
        let listed = |number, standing| Listed {
            number,
            holder: self.holder(number).unwrap_or_default(),
            standing,
        };
        let waiting = self.tickets().filter(|ticket| ticket.lobby == lobby && ticket.place != Place::Called);
        let waiting = waiting.map(|ticket| listed(ticket.number, waits(ticket.place, ticket.rank, ticket.missed)));
        let permits = self.permits().filter(|(_, grant)| grant.lobby == lobby.0);
        let inside = permits.map(|(fence, grant)| listed(grant.number, stands(now, fence, grant)));
        let mut all: Vec<Listed> = waiting.chain(inside).filter(|listed| listed.standing != Standing::Over).collect();
        all.sort_unstable_by_key(|listed| listed.number);
        all
    }

    /// Returns a lobby's waiting tickets that count as away, in order.
    #[must_use]
    pub fn away_of(&self, lobby: LobbyId) -> Vec<Number> {
        let away = self.tickets().filter(|t| t.lobby == lobby && matches!(t.place, Place::Away(_)));
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
        let changes = &self.beside.changes;
        let from = changes.partition_point(|(version, _)| *version <= since);
        let later = changes.iter().skip(from);
        later.filter_map(move |(version, number)| {
            let changed = self.beside.changed.get(number)?;
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

const fn waits(place: Place, ahead: u64, missed: bool) -> Standing {
    Standing::Waiting {
        ahead: Ahead(ahead),
        away: matches!(place, Place::Away(_)),
        missed,
    }
}

const fn stands(now: Instant, fence: Fence, grant: Grant) -> Standing {
    match grant.stage {
        Stage::Called { claim_by_ms } => Standing::Called {
            fence,
            claim_in_ms: claim_by_ms.saturating_sub(now.0),
        },
        Stage::Leased(lease) if lease.hard_end_ms <= now.0 => Standing::Over,
        Stage::Leased(lease) => Standing::Admitted {
            fence,
            idle_in_ms: lease.idle_end_ms.saturating_sub(now.0),
            hard_in_ms: lease.hard_end_ms.saturating_sub(now.0),
            extended_ms: lease.extended_ms,
            provisional: lease.provisional,
        },
    }
}
