//! Lobbies, and people who ask them and are told.

use super::{Desk, Flight, World};
use crate::simulate::people::{visitor_of, who};
use baton::facts::holder::Shown;
use baton::facts::units::LobbyId;
use baton::facts::wire::{Ask, Reason, State, Status, Told, Wish};
use baton::living::LivingLobby;
use baton::lobby::{Asker, Effect, Limits, Lobby, LobbyConfig};
use std::collections::BTreeMap;

impl World {
    /// A lobby's life that begins.
    pub(super) fn desk(&mut self, index: usize) -> Desk {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: 60_000_000,
            spread_ms: 5_000,
            tickets_max: 1_000,
            limits: Limits::default(),
            porter: false,
        };
        let lobby = Lobby::new(LobbyId(index as u16), config, self.rng.u64());
        Desk {
            core: LivingLobby::new(lobby, self.stay, self.now_ms, None),
            timer: None,
            askers: BTreeMap::new(),
        }
    }

    /// Carries out what follows from something that happened to a lobby.
    pub(super) fn follow_lobby(&mut self, index: usize) -> Result<(), String> {
        while let Some(effect) = self.desks[index].core.lobby.poll_effect() {
            match effect {
                Effect::Call(call, said, _) => self.flying.push(Flight::Call(index, call, said)),
                Effect::Answer(asker, told) => {
                    let person = self.desks[index].askers.remove(&asker);
                    if let (Some(person), Some(told)) = (person, told) {
                        self.take_answer(person, &told)?;
                    }
                }
                Effect::Tell { visitor, status, .. } => self.take_status(visitor_of(visitor), &status)?,
                Effect::Frame(..) | Effect::CloseSilent => {}
            }
        }
        let desk = &mut self.desks[index];
        if let Some(in_ms) = desk.core.timer_in_ms() {
            desk.timer = Some(self.now_ms + in_ms);
        }
        Ok(())
    }

    pub(super) fn somebody_asks(&mut self, person: usize) -> Result<(), String> {
        let wish = match (self.people[person].state, self.rng.below(10)) {
            (State::Called, _) => Wish::Claim,
            (State::Waiting | State::Admitted, 0) => Wish::Leave,
            (State::Waiting | State::Admitted, _) => Wish::Attend,
            _ => Wish::Join,
        };
        self.asks(person, wish)
    }

    pub(super) fn asks(&mut self, person: usize, wish: Wish) -> Result<(), String> {
        let index = person % self.desks.len();
        self.asked += 1;
        let asker = Asker(self.asked);
        let known = &mut self.people[person];
        known.asked_at = Some(self.step);
        if matches!(wish, Wish::Leave) {
            known.leaves = known.shown;
        }
        let shown = known.shown;
        let desk = &mut self.desks[index];
        desk.askers.insert(asker, person);
        let m = desk.core.moment(self.now_ms);
        let ask = Ask::plain(who(person), shown, wish);
        desk.core.lobby.handle_ask(m, asker, ask);
        self.follow_lobby(index)
    }

    fn take_answer(&mut self, person: usize, told: &Told) -> Result<(), String> {
        let known = &mut self.people[person];
        known.asked_at = None;
        known.answers += 1;
        if told.lost {
            known.shown = None;
            known.lost = None;
        }
        self.take_status(person, &told.status)
    }

    fn take_status(&mut self, person: usize, status: &Status) -> Result<(), String> {
        let edition = self.room.room().edition();
        let place = status.shown().filter(|_| status.state != State::Over);
        // The same place may be given to the same person again.
        let is_given = place.is_some_and(|place| self.has(person, place));
        let known = &mut self.people[person];
        let of = status.edition.zip(status.number);
        let is = |place: &Shown| of == Some((place.edition, place.number));
        let is_over = status.state == State::Over;
        let is_reset = status.reason == Some(Reason::Reset);
        // Nobody can know of a number that was given again, and ended again, before anybody proved anything. Then nothing is said of how it ended.
        let is_unknown = status.reason.is_none() && !self.is_seen;
        if let Some(lost) = known.lost.filter(is)
            && is_over
            && !(is_reset && lost.edition < edition)
            && !is_unknown
        {
            return Err(format!("nobody is told that a lost place is over: {person} had {lost:?}, {status:?}"));
        }
        if let Some(kept) = known.kept.filter(|kept| kept.edition == edition) {
            let stays = !is_over && is(&kept);
            if !stays && !known.has_left(&kept) && of.is_some() {
                return Err(format!("a place that the backup has stays: {person} had {kept:?}, {status:?}"));
            }
            known.kept = known.kept.filter(|_| stays);
        }
        known.state = status.state;
        if let Some(shown) = place {
            known.lost = known.lost.filter(|lost| is(lost) && !is_given);
            known.shown = Some(shown);
        } else if is_over {
            known.shown = None;
        }
        Ok(())
    }
}
