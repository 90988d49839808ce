//! A lobby that knows something of a ticket and hears a message, seen from outside.

use super::axes::{Age, HAVE, Knows, NOW, Says};
use crate::play::{START, lobby_config, visitor};
use baton::facts::event::WhyEnded;
use baton::facts::holder::{Holder, Salt};
use baton::facts::message::{
    FromRoom, Gist, Known, LaneEnd, LineEnd, Listed, LobbyLife, Message, Page, RoomLife, RoomMemory, ToLobby, ToRoom, Welcome,
};
use baton::facts::units::{Edition, Instant, LANES_MAX, LobbyId, Network, Number, Version};
use baton::facts::wire::{Reason, State};
use baton::lobby::{AtAddress, Effect, Lobby, Moment, Phase, Ticket, keys};

const SALT: Salt = Salt([7; 16]);
const ROOM: RoomLife = RoomLife(3);

pub fn of(name: &str) -> Holder {
    keys::holder(SALT, visitor(name))
}

fn at(now: Instant) -> Moment {
    Moment { now, wall_ms: now.0 }
}

/// What the lobby knows of the ticket, and of how places of Ann's and Bob's ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub ticket: Option<Ticket>,
    pub ends: [Option<Reason>; 2],
}

/// A cell of the table, as it came out or as it should.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub then: Kept,
    /// Who was told, and which state.
    pub told: Vec<String>,
    pub says_hello: bool,
    pub acknowledged: Option<Version>,
}

/// A lobby with the sockets of Ann and Bob, which has been given a list.
pub struct World {
    pub lobby: Lobby,
    life: LobbyLife,
    pub number: Number,
}

impl World {
    pub fn that(knows: Knows) -> Self {
        let mut lobby = Lobby::new(LobbyId(0), lobby_config(), 1);
        let m = at(START);
        lobby.handle_socket_opened(m, visitor("ann"), None);
        lobby.handle_socket_opened(m, visitor("bob"), None);
        let Some(Effect::Call(call, said, _)) = lobby.poll_effect() else {
            panic!("the lobby says nothing");
        };
        let ToRoom::Hello(hello) = *said else {
            panic!("the lobby does not say Hello: {said:?}");
        };
        let (number, life) = (knows.number(), hello.life);
        let mut world = Self { lobby, life, number };
        let listed = knows.listed().map(|standing| Listed {
            number,
            holder: of("ann"),
            standing,
        });
        let welcome = Welcome {
            number: hello.number,
            memory: RoomMemory(1),
            salt: SALT,
            list: Some(Page {
                hello: hello.number,
                version: HAVE,
                tickets: listed.into_iter().collect(),
                next: None,
            }),
            away: vec![],
            message: world.message(Age::Same),
        };
        let answer = FromRoom::Welcome(Box::new(welcome));
        world.lobby.handle_answer(m, call, Some(answer));
        while world.lobby.poll_effect().is_some() {}
        if knows == Knows::Over {
            world.is_told(Age::Same, Says::AwayForLong, of("ann"));
            world.lobby.handle_socket_opened(m, visitor("ann"), None);
        }
        if knows == Knows::Missed {
            world.lobby.handle_word(m, visitor("ann"));
        }
        while world.lobby.poll_effect().is_some() {}
        assert!(world.lobby.is_whole());
        world
    }

    pub fn message(&self, age: Age) -> Message {
        let (version, since) = age.rows();
        Message {
            to: match age {
                Age::ToAnotherLobbyLife => LobbyLife(self.life.0 ^ 1),
                _ => self.life,
            },
            life: match age {
                Age::OfAnotherRoomLife => RoomLife(4),
                _ => ROOM,
            },
            version,
            since,
            gist: Gist {
                edition: Edition(1),
                ..Gist::default()
            },
            ..Message::default()
        }
    }

    pub fn kept(&self) -> Kept {
        let replica = self.lobby.replica();
        let end = |name| replica.end_of(of(name).key).map(|(_, why)| why);
        Kept {
            ticket: replica.of_number(self.number).copied(),
            ends: [end("ann"), end("bob")],
        }
    }

    /// A message that says this of the ticket comes.
    pub fn is_told(&mut self, age: Age, says: Says, holder: Holder) -> Seen {
        let mut message = self.message(age);
        message.changes = says.change(self.number, holder).into_iter().collect();
        message.gist.ended = (says == Says::LineEnded).then_some(LineEnd {
            lanes: [LaneEnd {
                below: 10,
                entries_below: 10,
            }; LANES_MAX],
            version: HAVE,
            why: WhyEnded::SoldOut,
        });
        let seen = self.hears(message);
        self.agrees();
        seen
    }

    /// The message comes, and everything that is seen of it.
    pub fn hears(&mut self, message: Message) -> Seen {
        let said = ToLobby::Push(Box::new(message));
        let heard = self.lobby.handle_push(at(NOW), &said);
        let (mut told, mut says_hello) = (vec![], false);
        while let Some(effect) = self.lobby.poll_effect() {
            match effect {
                Effect::Tell { visitor: who, status, last } => {
                    let name = if who == visitor("ann") { "ann" } else { "bob" };
                    told.push(format!("{name} {}", status.state.name()));
                    assert_eq!(last, status.state == State::Over, "the last word");
                }
                Effect::Call(_, said, _) => {
                    let ToRoom::Hello(hello) = *said else {
                        panic!("not asked for: {said:?}");
                    };
                    let knows = Known { life: ROOM, version: HAVE };
                    assert_eq!((hello.number, hello.knows), (2, Some(knows)));
                    says_hello = true;
                }
                Effect::CloseSilent => {}
                other => panic!("not asked for: {other:?}"),
            }
        }
        told.sort();
        Seen {
            then: self.kept(),
            told,
            says_hello,
            acknowledged: heard.acknowledged,
        }
    }

    /// The replica's indexes say what its tickets say.
    fn agrees(&self) {
        let replica = self.lobby.replica();
        let ticket = replica.of_number(self.number);
        assert_eq!(replica.living(), usize::from(ticket.is_some()));
        let lane = ticket.map_or(0, |ticket| 1 << ticket.number.lane().0);
        assert_eq!(replica.lanes(), lane);
        for holder in ["ann", "bob"].map(of) {
            let own = ticket.filter(|ticket| ticket.holder == holder);
            assert_eq!(replica.of_key(holder.key), own);
            let lease = own.and_then(|own| match own.phase {
                Phase::Admitted { provisional, .. } => Some(provisional),
                _ => None,
            });
            let held = AtAddress {
                tickets: own.is_some().into(),
                leases: lease.is_some().into(),
                unproven: (lease == Some(true)).into(),
            };
            assert_eq!(replica.held_at(holder.tag, Network::Address), held);
        }
    }
}
