//! Whether a world of the model settles once the faults stop: what people were told is what the book says, and the line runs dry.

use super::acts::Act;
use super::rules::Rule;
use super::words::*;
use super::world::World;

/// The most steps that a world may take to settle. Every correct one needs fewer.
const STEPS_MAX: usize = 1_500;

impl World {
    /// Runs a copy of the world to its end without faults. Returns an error that says what did not settle.
    pub fn settles(&self) -> Result<(), String> {
        self.clone().settle(&mut Vec::new())
    }

    /// Settles this world and adds what happened to `log`.
    pub fn settle(&mut self, log: &mut Vec<Act>) -> Result<(), String> {
        while let Some(nonce) = self.twins.first().copied() {
            self.happen(&Act::TwinDies(nonce));
        }
        loop {
            self.go_on_without_faults(log)?;
            self.check_lobbies_in_memory()?;
            for id in 0..LOBBIES {
                self.quiet_time(id);
            }
            self.go_on_without_faults(log)?;
            self.check_everybody()?;
            match self.next_timer() {
                Some(timer) => self.step(timer, log)?,
                None => break,
            }
        }
        match self.room.book.tickets.iter().any(|ticket| ticket.living()) {
            true => Err("somebody waits for ever".to_string()),
            false => Ok(()),
        }
    }

    fn step(&mut self, act: Act, log: &mut Vec<Act>) -> Result<(), String> {
        self.happen(&act);
        log.push(act);
        match &self.broken {
            Some(broken) => Err(broken.clone()),
            None if log.len() > STEPS_MAX => Err("it never comes to rest".to_string()),
            None => Ok(()),
        }
    }

    /// Lets messages arrive, sends lost ones again and lets people go on, until nothing more happens by itself.
    fn go_on_without_faults(&mut self, log: &mut Vec<Act>) -> Result<(), String> {
        loop {
            let acts = self.ordinary();
            let arrives = acts.iter().find(|act| matches!(act, Act::Deliver(_))).cloned();
            let goes_on = acts.into_iter().find(|act| !matches!(act, Act::Release(_)));
            let times_out = || self.time_outs(false).into_iter().next();
            let next = arrives.or_else(times_out).or(goes_on).or_else(|| self.stranded_asker());
            match next {
                Some(act) => self.step(act, log)?,
                None => return Ok(()),
            }
        }
    }

    /// Returns the act by which a visitor gives up an ask that no lobby has any more: a browser's request ends some day.
    fn stranded_asker(&self) -> Option<Act> {
        let stranded = |key: &Key| match self.visitors[*key].asking {
            None => false,
            Some(asking) => self.with_nonce(asking.nonce).is_none_or(|at| !self.lobbies[at].asks(*key)),
        };
        (0..VISITORS).find(stranded).map(Act::GiveUp)
    }

    fn quiet_time(&mut self, id: LobbyId) {
        if !self.rules.has(Rule::QuietAlarm) {
            return;
        }
        match self.current(id) {
            Some(at) if self.lobbies[at].has_sockets() => {
                self.revive(at);
                self.lobby(at, |lobby, out| lobby.quiet(out));
            }
            None if self.asleep[id].iter().any(Option::is_some) => {
                self.wake(id);
            }
            Some(_) | None => {}
        }
    }

    fn next_timer(&self) -> Option<Act> {
        let release = |act: &Act| matches!(act, Act::Release(_));
        self.ordinary().into_iter().find(release).or_else(|| self.timers().into_iter().next())
    }

    /// Checks, before any quiet time, that everybody with a socket at a lobby in memory that was not deposed knows the truth.
    fn check_lobbies_in_memory(&self) -> Result<(), String> {
        for key in 0..VISITORS {
            if self.socket_of(key).is_some_and(|at| !self.lobbies[at].silent()) {
                self.check(key)?;
            }
        }
        Ok(())
    }

    /// Checks that a lobby in memory that the room knows has told the room of everybody who is gone.
    fn check_nobody_absent_is_here(&self) -> Result<(), String> {
        let here = Standing::Waiting { here: true, missed: false };
        for ticket in self.room.book.tickets.iter().filter(|ticket| ticket.standing == here) {
            let Some(lobby) = self.current(ticket.lobby).map(|at| &self.lobbies[at]) else {
                continue;
            };
            let there = lobby.sockets[ticket.key].is_some() || lobby.linger[ticket.key];
            if lobby.bond().is_some() && !there {
                return Err(format!("visitor {} is gone, and the room holds it here", ticket.key));
            }
        }
        Ok(())
    }

    fn check_everybody(&self) -> Result<(), String> {
        self.check_nobody_absent_is_here()?;
        (0..VISITORS).try_for_each(|key| self.check(key))
    }

    /// Checks that an open page was told what the book says, and that the room holds a visitor with a socket to be present.
    fn check(&self, key: Key) -> Result<(), String> {
        let visitor = &self.visitors[key];
        let told = visitor.told.map(|told| (told.edition, told.number, told.standing));
        let place = self.room.book.place(key);
        if !visitor.open {
            return Ok(());
        }
        match place.map(|ticket| (ticket.edition, ticket.number, ticket.standing)) {
            // A page that was told that another ticket is over asks no more.
            Some((edition, number, _)) if visitor.told_over() && told.is_some_and(|told| (told.0, told.1) != (edition, number)) => Ok(()),
            Some((_, _, Standing::Waiting { here: false, .. })) if self.connected(key) => {
                Err(format!("visitor {key} is there, and the room holds it away"))
            }
            Some(place) if told != Some(place) => Err(format!("visitor {key} was told {told:?}, the book says {place:?}")),
            None if told.is_some() && !visitor.told_over() => Err(format!("visitor {key} was told {told:?}, the book has no place")),
            Some(_) | None => Ok(()),
        }
    }
}
