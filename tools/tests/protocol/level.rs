//! What a lobby of the model does after each event: it tells its sockets, answers askers, levels presence with the book, and sends one batch if
//! none is out.

use super::asks::{Ask, Effect, Shown};
use super::lobby::{Flight, Lobby};
use super::rules::Rule;
use super::words::*;

impl Lobby {
    /// Tells the sockets, answers askers, and sends a batch if there is anything to say. `fresh` makes the pages answer again.
    pub fn go_on(&mut self, fresh: bool, out: &mut Vec<Effect>) {
        self.tell(fresh, out);
        self.answer_from_replica(out);
        self.send_batch(out);
    }

    fn tell(&mut self, fresh: bool, out: &mut Vec<Effect>) {
        let Some(replica) = self.whole().cloned() else {
            return;
        };
        for (key, socket) in self.sockets.iter_mut().enumerate() {
            let Some(shown) = socket.filter(|shown| replica.version >= shown.row || !self.rules.has(Rule::RowShown)) else {
                continue;
            };
            let (now, standing) = match replica.of_key(key) {
                Some(Entry { number, standing, .. }) if (replica.edition, number) == (shown.edition, shown.number) => (shown, standing),
                Some(Entry { number, standing, .. }) => (
                    Shown {
                        edition: replica.edition,
                        number,
                        row: replica.version,
                    },
                    standing,
                ),
                None => (shown, Standing::Over),
            };
            *socket = Some(now);
            out.push(Effect::Tell {
                key,
                shown: now,
                standing,
                row: replica.version,
                fresh,
            });
        }
    }

    fn answer_from_replica(&mut self, out: &mut Vec<Effect>) {
        let Some(replica) = self.whole().cloned() else {
            return;
        };
        let (edition, row) = (replica.edition, replica.version);
        for (key, ask) in self.asks.iter_mut().enumerate() {
            let what = match ask {
                Some((Ask::Join, _)) if self.rules.has(Rule::RoomAnswersJoins) => continue,
                Some((Ask::Join, _)) => match replica.of_key(key) {
                    Some(Entry { number, .. }) => What::Place { lobby: self.id, number },
                    None => continue,
                },
                // The ask is about an edition that is over.
                Some((ask, _)) if ask.edition() < Some(edition) => What::Nothing,
                _ => continue,
            };
            *ask = None;
            out.push(Effect::Reply { key, what, edition, row });
        }
    }

    fn send_batch(&mut self, out: &mut Vec<Effect>) {
        let (Some(bond), Some(replica), None) = (self.bond(), &self.replica, &self.flight) else {
            return;
        };
        let mut commands = self.releases.clone();
        let mut look = self.look || replica.lacks_changes();
        for (key, ask) in self.asks.iter_mut().enumerate() {
            match ask {
                Some((ask, batch)) if ask.edition().is_none_or(|edition| edition == replica.edition) => {
                    commands.push(ask.command(key));
                    *batch = self.batches + 1;
                }
                // The ask is about an edition that this replica has not heard of: look. An ask about an edition that is over waits for a whole list.
                Some((ask, _)) => look |= ask.edition() > Some(replica.edition),
                None => {}
            }
        }
        // While pages are missing, a look would bring nothing and would be repeated for ever.
        let ahead = |shown: &Shown| shown.row > replica.version;
        look |= replica.next_page().is_none() && self.sockets.iter().flatten().any(ahead);
        if let Some(replica) = self.whole() {
            commands.extend(replica.tickets.iter().filter_map(|entry| self.presence(entry)));
        }
        if commands.is_empty() && !look {
            return;
        }
        self.look = false;
        self.batches += 1;
        let since = self.replica.as_ref().map_or(0, |replica| replica.version);
        self.flight = Some(Flight {
            number: self.batches,
            commands: commands.clone(),
        });
        out.push(Effect::Send(ToRoom::Batch {
            bond,
            number: self.batches,
            since,
            commands,
        }));
    }

    /// Returns the command that tells the room whether a ticket's holder is there, or `None` if the room need not be told.
    fn presence(&self, entry: &Entry) -> Option<Command> {
        let Entry {
            number,
            key,
            standing: Standing::Waiting { here, missed },
        } = *entry
        else {
            return None;
        };
        let there = self.sockets[key].is_some() || self.linger[key];
        let excused = missed && !self.spoken[key] && self.rules.has(Rule::MissedCallException);
        let unsure = self.unsure.contains(&number) && self.rules.has(Rule::RepeatPresence);
        match there {
            true if (!here || unsure) && !excused => Some(Command::Here { number, key }),
            false if here || unsure => Some(Command::Away { number, key }),
            _ => None,
        }
    }
}
