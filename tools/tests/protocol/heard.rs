//! What a lobby of the model does with a push, and with the answer to a batch.

use super::asks::{Ask, Effect};
use super::lobby::{Lobby, Stage};
use super::replica::{Merged, Replica};
use super::rules::{Rule, Rules};
use super::words::*;

impl Lobby {
    /// Lets the replica take in a message. A visitor whose ticket has newly missed a call has not spoken since. The miss belongs to the ticket: a
    /// place that a visitor takes over may bring one.
    pub(super) fn learn<T>(&mut self, take: impl FnOnce(Rules, &mut Replica) -> T) -> Option<T> {
        let replica = self.replica.as_mut()?;
        let missed = |replica: &Replica| -> Vec<Entry> {
            let missed = |entry: &&Entry| matches!(entry.standing, Standing::Waiting { missed: true, .. });
            replica.tickets.iter().filter(missed).copied().collect()
        };
        let before = missed(replica);
        let taken = take(self.rules, replica);
        for Entry { number, key, .. } in missed(replica) {
            self.spoken[key] &= before.iter().any(|entry| entry.number == number);
        }
        Some(taken)
    }

    pub(super) fn take_changes(&mut self, changes: Changes) -> Merged {
        self.learn(|rules, replica| replica.take_changes(rules, changes))
            .unwrap_or(Merged::Ignored)
    }

    pub(super) fn pushed(&mut self, bond: Bond, changes: Changes, out: &mut Vec<Effect>) {
        let known = match self.stage {
            Stage::Bound(known) => known,
            // The answer to the Hello brings the same.
            Stage::Silent | Stage::Greeted => return,
        };
        let was_whole = self.whole().is_some();
        let merged = if bond == known { self.take_changes(changes) } else { Merged::Gap };
        match merged {
            Merged::Gap if self.rules.has(Rule::HelloOnGap) => self.say_hello(out),
            Merged::Gap => {}
            Merged::Taken | Merged::Ignored => {
                self.go_on(!was_whole, out);
                let since = self.replica.as_ref().map_or(0, |replica| replica.version);
                out.push(Effect::Send(ToRoom::Heard { bond, since }));
            }
        }
    }

    pub(super) fn answered(&mut self, bond: Bond, number: u8, changes: Changes, answers: Vec<Answer>, out: &mut Vec<Effect>) {
        if self.stage != Stage::Bound(bond) {
            return;
        }
        let row = changes.version;
        let in_flight = self.flight.take_if(|flight| flight.number == number);
        if let Some(flight) = &in_flight {
            self.releases.retain(|release| !flight.commands.contains(release));
            self.unsure.clear();
        }
        let edition = self.replica.as_ref().map_or(0, |replica| replica.edition);
        for Answer { key, kind, what } in answers {
            let is_its = |ask: &(Ask, u8)| {
                let its_batch = in_flight.is_some() && ask.1 == number;
                ask.0.kind() == kind && (its_batch || !self.rules.has(Rule::AnswerOfItsAsk))
            };
            if self.asks[key].as_ref().is_some_and(is_its) {
                self.asks[key] = None;
                out.push(Effect::Reply { key, what, edition, row });
            }
        }
        let was_whole = self.whole().is_some();
        if self.take_changes(changes) == Merged::Gap && self.rules.has(Rule::HelloOnGap) {
            return self.say_hello(out);
        }
        self.go_on(!was_whole, out);
    }
}
