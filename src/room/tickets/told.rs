//! Where tickets stand, as lobbies and visitors are told.

use super::Tickets;
use crate::line::Place;
use crate::permits::{Grant, Stage};
use facts::limits::sizes;
use facts::message::Listed;
use facts::planted::{self, Bug};
use facts::reply::Standing;
use facts::units::{Ahead, Fence, Instant, LobbyId, Number};

impl Tickets {
    /// Returns where a ticket stands, in the words of the operator's API, and how many are ahead of one that waits. O(log n).
    #[must_use]
    pub fn look_up(&self, now: Instant, number: Number) -> (&'static str, Option<u64>) {
        let line = self.lanes.line_of(number);
        if number.within() == 0 || number >= line.next() {
            return ("none", None);
        }
        match self.standing(now, number) {
            Standing::Waiting { ahead, .. } => match line.place(number) {
                Place::Away(_) => ("away", Some(ahead.0)),
                _ => ("waiting", Some(ahead.0)),
            },
            Standing::Called { .. } => ("called", None),
            Standing::Admitted { .. } => ("admitted", None),
            Standing::Over => ("over", None),
        }
    }

    /// Returns where a number stands. O(log n).
    #[must_use]
    pub fn standing(&self, now: Instant, number: Number) -> Standing {
        self.standing_behind(now, number, None)
    }

    /// Returns the same. `before` is a number in line with how many are ahead of it: the number behind it has one more ahead.
    pub(crate) fn standing_behind(&self, now: Instant, number: Number, before: Option<(Number, Ahead)>) -> Standing {
        if let Some((fence, grant)) = self.permits.of_number(number) {
            return grant.standing(now, fence);
        }
        let line = self.lanes.line_of(number);
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

    /// Returns a living ticket as lobbies are told of it. `before`: see [`standing_behind`](Self::standing_behind). O(log n).
    pub(crate) fn listed(&self, now: Instant, number: Number, before: Option<(Number, Ahead)>) -> Option<Listed> {
        let holder = self.holder(number)?;
        let standing = self.standing_behind(now, number, before);
        (standing != Standing::Over).then_some(Listed { number, holder, standing })
    }

    /// Returns a page of a lobby's living tickets from a number on, and where the next page begins. Sorted by number: for each lane its line, with
    /// the tickets that only permits hold, then the entries of its hall. O(chunks + permits + those).
    #[must_use]
    pub fn list(&self, now: Instant, lobby: LobbyId, from: Number) -> (Vec<Listed>, Option<Number>) {
        let most = sizes().page_tickets_max;
        let mut tickets: Vec<Listed> = Vec::new();
        let forgets_calls = planted::is(Bug::ListWithoutTheCalled);
        for line in self.lanes.lines() {
            line.of_lobby(lobby, from, |number, ahead| {
                let place = line.place(number);
                if let Some(holder) = line.holder(number)
                    && place != Place::Called
                {
                    tickets.push(Listed {
                        number,
                        holder,
                        standing: Standing::Waiting {
                            ahead,
                            away: matches!(place, Place::Away(_)),
                            missed: line.missed(number),
                        },
                    });
                }
                tickets.len() <= most
            });
        }
        let permits = self.permits.out().filter(|(_, grant)| grant.lobby == lobby && grant.number >= from);
        let permits = permits.filter(|(_, grant)| !(forgets_calls && matches!(grant.stage, Stage::Called { .. })));
        tickets.extend(permits.filter_map(|(fence, grant)| self.listed_permit(now, fence, grant)));
        tickets.sort_unstable_by_key(|listed| listed.number);
        let next = tickets.get(most).map(|listed| listed.number);
        tickets.truncate(most);
        (tickets, next)
    }

    /// Returns which of a lobby's waiting tickets the room takes to be away, sorted by number. O(chunks + tickets of the lobby).
    #[must_use]
    pub fn away_of(&self, lobby: LobbyId) -> Vec<Number> {
        let mut away = Vec::new();
        for line in self.lanes.lines() {
            line.of_lobby(lobby, Number(0), |number, _| {
                if matches!(line.place(number), Place::Away(_)) {
                    away.push(number);
                }
                true
            });
        }
        away
    }

    fn listed_permit(&self, now: Instant, fence: Fence, grant: &Grant) -> Option<Listed> {
        let standing = grant.standing(now, fence);
        (standing != Standing::Over).then_some(Listed {
            number: grant.number,
            holder: grant.holder,
            standing,
        })
    }

    /// Returns whether any of the lobby's tickets lives. O(chunks + permits).
    #[must_use]
    pub fn has_living(&self, lobby: LobbyId) -> bool {
        let mut lives = self.permits.out().any(|(_, grant)| grant.lobby == lobby);
        for line in self.lanes.lines() {
            if !lives {
                line.of_lobby(lobby, Number(0), |_, _| {
                    lives = true;
                    false
                });
            }
        }
        lives
    }
}
