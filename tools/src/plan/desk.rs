//! Plays a lobby's batches: one is out at a time, and what people want meanwhile gathers for the next. This decides how many
//! requests and rows there are.

use super::parts::{State, Visit, What, Wish};
use super::world::World;
use baton::facts::command::Command;
use baton::facts::enter::{Enter, Enters, Who};
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::lane_name::LaneName;
use baton::facts::limits::{BATCH_COMMANDS_MAX, JOIN_COUNT_MAX};
use baton::facts::overheard::{Overheard, StockReport};

impl World<'_> {
    pub(super) fn lobby_of(&self, who: u32) -> u16 {
        let lobbies = self.desks.len().max(1) as u32;
        (who % lobbies) as u16
    }

    /// The time from lobby to room, or back, ms.
    pub(super) fn way_ms(&self) -> u32 {
        (self.event.round_ms / 2) as u32
    }

    /// Records what somebody wants; it goes with the next batch.
    pub(super) fn ask(&mut self, who: u32, wish: Wish) {
        let (lobby, now, way_ms) = (self.lobby_of(who), self.now, self.way_ms());
        let Some(desk) = self.desks.get_mut(lobby as usize) else {
            return;
        };
        desk.wishes.push_back((who, wish));
        self.used += u16::from(!core::mem::replace(&mut desk.is_used, true));
        if !desk.is_out {
            desk.is_out = true;
            let after = desk.free_at.max(now) - now + way_ms;
            self.plan(after, What::Batch(lobby));
        }
    }

    /// Returns what a batch holds that reaches the room. The next one goes when its answer is back.
    pub(super) fn take_batch(&mut self, lobby: u16) -> Vec<(u32, Wish)> {
        let (now, way_ms) = (self.now, self.way_ms());
        let Some(desk) = self.desks.get_mut(lobby as usize) else {
            return Vec::new();
        };
        let count = desk.wishes.len().min(BATCH_COMMANDS_MAX);
        let taken = desk.wishes.drain(..count).collect();
        desk.free_at = now.saturating_add(way_ms);
        desk.is_out = !desk.wishes.is_empty();
        if desk.is_out {
            self.plan(2 * way_ms, What::Batch(lobby));
        }
        taken
    }

    /// Returns the lane that somebody's token names; `None` for everybody's, the last of the list.
    fn lane_asked(&self, visit: &Visit) -> Option<LaneName> {
        let (_, others) = self.config.lanes.split_last()?;
        let lane = others.get(usize::from(visit.person.lane));
        lane.map(|lane| lane.name)
    }

    /// Returns the commands of a batch, and how many people wanted a number. Joins in a row into one lane make one command.
    pub(super) fn commands(&self, wishes: &[(u32, Wish)]) -> (Vec<Command>, u32) {
        let mut commands = Vec::with_capacity(wishes.len());
        let (mut here, mut away) = (Vec::new(), Vec::new());
        let mut joins = 0;
        let entering = |how, lane, who| {
            let who = vec![holder(who)].into();
            Command::Enter(Enter { how, lane, who })
        };
        for (who, wish) in wishes {
            let Some(visit) = self.visits.get(*who as usize) else {
                continue;
            };
            let place = held(*who, visit);
            match wish {
                Wish::Join => {
                    joins += 1;
                    let into = self.lane_asked(visit);
                    match commands.last_mut().and_then(|last| joins_into(last, into)) {
                        Some(holders) if holders.len() < JOIN_COUNT_MAX as usize => {
                            holders.push(holder(*who));
                        }
                        _ => commands.push(entering(Enters::Join, into, *who)),
                    }
                }
                Wish::WalkIn => commands.push(entering(Enters::WalkIn, self.lane_asked(visit), *who)),
                Wish::Claim => commands.push(Command::Claim { place, fence: visit.fence }),
                Wish::Renew => commands.push(Command::Renew(visit.fence)),
                Wish::Release => commands.push(Command::Release(visit.fence)),
                Wish::Away if visit.state == State::Gone => away.push(place),
                Wish::Here => here.push(place),
                Wish::Away => {}
                Wish::Stock => {
                    let stock = Some(StockReport {
                        left: self.seats_left.unwrap_or(0) as u32,
                        at_ms: self.instant().0,
                    });
                    let heard = Overheard {
                        stock,
                        ..Overheard::default()
                    };
                    commands.push(Command::Overheard(Box::new(heard)));
                }
            }
        }
        if !here.is_empty() || !away.is_empty() {
            let as_of = self.room.version();
            commands.push(Command::Presence { as_of, here, away });
        }
        (commands, joins)
    }
}

/// Returns the holders of this command if it is a join into that lane.
fn joins_into(command: &mut Command, into: Option<LaneName>) -> Option<&mut Vec<Holder>> {
    match command {
        Command::Enter(Enter {
            how: Enters::Join,
            lane,
            who: Who::Plain(holders),
        }) if *lane == into => Some(holders),
        _ => None,
    }
}

/// Returns somebody's key. Keys are spread as hashes are, because the room finds them by their first bits.
fn key(who: u32) -> Key {
    let nth = who + 1;
    Key(u64::from(nth.reverse_bits()) << 32 | u64::from(nth))
}

/// Returns whose key it is. For the key of nobody that is a number past everybody's.
pub(super) fn who_holds(key: Key) -> u32 {
    (key.0 as u32).wrapping_sub(1)
}

fn holder(who: u32) -> Holder {
    Holder {
        key: key(who),
        tag: Tag::default(),
    }
}

fn held(who: u32, visit: &Visit) -> Held {
    Held {
        number: visit.number,
        key: key(who),
    }
}
