//! What each act does to a world of the model.

use super::acts::Act;
use super::asks::Ask;

use super::judge;
use super::room::Room;
use super::ticket::Turn;
use super::words::*;
use super::world::World;

impl World {
    /// Lets an act happen and pays for it.
    pub fn act(&mut self, act: &Act) {
        if let Some(rare) = act.rare()
            && !self.is_free(act)
        {
            self.budget.spend(rare);
        }
        self.happen(act);
    }

    /// Lets an act happen.
    pub fn happen(&mut self, act: &Act) {
        match act {
            Act::Deliver(message) => {
                self.network.retain(|other| other != message);
                self.deliver(message.clone());
            }
            Act::Repeat(message) => self.deliver(message.clone()),
            Act::Lose(message) => self.network.retain(|other| other != message),
            Act::Push(id) => {
                let push = self.room.push(*id);
                self.room.pushed(self.rules, *id);
                self.send(Message::ToLobby(*id, push));
            }
            Act::HelloTimesOut(nonce) => self.at(*nonce, |world, at| world.lobby(at, |lobby, out| lobby.hello_timed_out(out))),
            Act::BatchTimesOut(nonce) => self.at(*nonce, |world, at| world.lobby(at, |lobby, out| lobby.batch_timed_out(out))),
            Act::PageTimesOut(nonce) => self.at(*nonce, |world, at| world.lobby(at, |lobby, out| lobby.page_timed_out(out))),
            Act::LingerEnds(nonce, key) => {
                self.at(*nonce, |world, at| world.lobby(at, |lobby, out| lobby.linger_is_over(*key, out)));
            }
            Act::RoomRestarts => self.room.restart(self.rules),
            Act::LobbyDies(id) => {
                if let Some(at) = self.current(*id) {
                    self.kill(at);
                }
            }
            Act::TwinBegins(id) => {
                if let Some(at) = self.current(*id) {
                    self.twins.push(self.lobbies[at].nonce);
                }
            }
            Act::TwinDies(nonce) => self.at(*nonce, World::kill),
            Act::Forget(id) => self.room.forget(*id),
            Act::CallMissed(at) => self.turn(|room| room.book.miss_call(*at)),
            Act::LeaseEnds(at) | Act::AwayTooLong(at) => self.turn(|room| room.book.end(*at)),
            Act::Reset => self.turn(Room::reset),
            Act::Draw => self.turn(Room::draw),
            _ => self.somebody_does(act),
        }
    }

    fn at(&mut self, nonce: Nonce, happens: impl FnOnce(&mut World, usize)) {
        if let Some(at) = self.with_nonce(nonce) {
            happens(self, at);
        }
    }

    fn turn(&mut self, turn: impl FnOnce(&mut Room) -> Turn) {
        let turn = turn(&mut self.room);
        judge::turn(self, None, turn);
    }

    /// Carries out an act of a visitor.
    ///
    /// Long because it has an arm for each act.
    fn somebody_does(&mut self, act: &Act) {
        match *act {
            Act::Open(key) => self.visitors[key].open = true,
            Act::Join(key) => self.ask(key, self.visitors[key].home, Ask::Join),
            Act::Connect(key) => {
                let Some(shown) = self.visitors[key].shown else {
                    return;
                };
                let at = self.wake(self.visitors[key].home);
                self.visitors[key].spoke_at = self.room.book.row;
                self.lobby(at, |lobby, out| lobby.connected(key, shown, out));
            }
            Act::Speak(key) => {
                let visitor = &mut self.visitors[key];
                (visitor.answered, visitor.spoke_at) = (true, self.room.book.row);
                let at = match (self.socket_of(key), self.sleeps_at(key)) {
                    (Some(at), _) => at,
                    (None, Some(id)) => self.wake(id),
                    (None, None) => return,
                };
                self.revive(at);
                self.lobby(at, |lobby, out| lobby.spoke(key, out));
            }
            Act::Claim(key) => {
                if let Some(shown) = self.visitors[key].shown {
                    self.ask(key, self.visitors[key].home, Ask::Claim(shown));
                }
            }
            Act::Leave(key) => {
                if let Some(shown) = self.visitors[key].shown {
                    self.ask(key, self.visitors[key].home, Ask::Leave(shown));
                }
            }
            Act::Release(key) => {
                let visitor = &mut self.visitors[key];
                visitor.done = true;
                let (Some(pass), home) = (visitor.pass.take(), visitor.home) else {
                    return;
                };
                let at = self.wake(home);
                self.lobby(at, |lobby, out| lobby.released(key, pass.fence, out));
            }
            Act::Close(key) => {
                self.visitors[key].open = false;
                self.stop_asking(key);
                self.drop_socket(key);
            }
            Act::Break(key) => self.drop_socket(key),
            Act::GiveUp(key) => self.stop_asking(key),
            Act::LoseCookie(key) | Act::Rejoin(key) => {
                self.drop_socket(key);
                let visitor = &mut self.visitors[key];
                (visitor.shown, visitor.told, visitor.pass, visitor.done) = (None, None, None, false);
                if matches!(act, Act::LoseCookie(_)) {
                    visitor.home = 1 - visitor.home;
                }
            }
            Act::MakeLink(key) => self.visitors[1 - key].link = self.link_from(key),
            Act::UseLink(key) => {
                if let Some(link) = self.visitors[key].link {
                    self.ask(key, link.lobby, Ask::Carry(link.place, link.from));
                }
            }
            _ => {}
        }
    }
}
