//! Visitors: they come, join, hold sockets, drop them, come back, claim when they learn of a call,
//! release, leave, vanish. All they know is what they were told, and that may be old.

use crate::sim::{Event, World};
use baton::lobby::Progress;
use baton::units::{Fence, Number, VisitorId};
use baton::wire::{Ask, State, Status, Told, Wish};

pub fn who(visitor: usize) -> VisitorId {
    let mut id = [0; 16];
    id[0] = visitor as u8;
    VisitorId(id)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A request and its answer.
    Plain,
    /// An upgrade to a socket.
    Socket,
    /// A word on a socket: no answer.
    Word,
}

/// An ask on its way, in a lobby, or on its way back.
pub struct Asking {
    pub visitor: usize,
    pub lobby: usize,
    pub ask: Ask,
    pub kind: Kind,
    pub progress: Progress,
    pub settling: bool,
    pub done: bool,
    /// Counts what was waited for.
    pub turn: u32,
    pub socket: Option<u64>,
}

#[derive(Debug)]
pub struct Visitor {
    index: usize,
    home: usize,
    /// The ticket cookie: it names its lobby.
    ticket: Option<(Number, usize)>,
    /// The pass.
    fence: Option<Fence>,
    seen: Status,
    socket: Option<u64>,
    /// Since when the socket is open without a break.
    socket_since: u64,
    under_way: u32,
    away_until: u64,
    /// Went away for good.
    gone: bool,
    pub admitted_in_calm: bool,
    pub admissions: u32,
}

impl Visitor {
    pub fn new(index: usize, home: usize) -> Self {
        Self {
            index,
            home,
            ticket: None,
            fence: None,
            seen: Status::default(),
            socket: None,
            socket_since: 0,
            under_way: 0,
            away_until: 0,
            gone: false,
            admitted_in_calm: false,
            admissions: 0,
        }
    }

    pub fn lost(&mut self, socket: u64) {
        if self.socket == Some(socket) {
            self.socket = None;
        }
    }

    /// Has held a socket since then.
    pub fn steady_since(&self) -> Option<u64> {
        self.socket.map(|_| self.socket_since)
    }

    pub fn waits_in_calm(&self) -> bool {
        !self.gone && !self.admitted_in_calm
    }

    pub fn goes_for_good(&mut self) {
        self.gone = true;
    }

    fn sees(&mut self, status: &Status, lobby: usize) {
        if status.version < self.seen.version {
            return;
        }
        if status.state == State::Admitted && self.seen.state != State::Admitted {
            self.admissions += 1;
        }
        self.seen = status.clone();
        match (status.state, status.number) {
            (State::Over, _) => (self.ticket, self.fence) = (None, None),
            (_, Some(number)) => self.ticket = Some((number, lobby)),
            _ => {}
        }
    }
}

impl World {
    pub fn new_ask(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) -> u64 {
        let id = self.id();
        let asking = Asking {
            visitor,
            lobby,
            ask,
            kind,
            progress: Progress::default(),
            settling: false,
            done: false,
            turn: 0,
            socket: None,
        };
        self.asks.insert(id, asking);
        id
    }

    fn asks_for(&mut self, visitor: usize, wish: Wish, kind: Kind) {
        let person = &mut self.people[visitor];
        let lobby = person.ticket.map_or(person.home, |(_, lobby)| lobby);
        let number = person.ticket.map(|(number, _)| number);
        person.under_way += 1;
        self.goes_to(
            visitor,
            lobby,
            Ask {
                visitor: who(visitor),
                number,
                wish,
            },
            kind,
        );
    }

    fn goes_to(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) {
        let id = self.new_ask(visitor, lobby, ask, kind);
        if self.chance(self.weather.lost) {
            self.asks.get_mut(&id).expect("new").done = true;
            self.after(
                8_000,
                Event::Heard {
                    ask: id,
                    told: None,
                },
            );
        } else {
            let ms = self.travel_ms();
            self.after(ms, Event::AskArrives { ask: id });
        }
    }

    /// The front hears, passes on what is full, and tells the visitor.
    pub fn heard(&mut self, id: u64, told: Option<Told>) {
        let Some(asking) = self.asks.remove(&id) else {
            return;
        };
        let Asking {
            visitor,
            lobby,
            kind,
            ..
        } = asking;
        let person = &mut self.people[visitor];
        person.under_way -= 1;
        let Some(told) = told else {
            // The upgrade's answer was lost: so is the socket.
            if let Some(socket) = asking.socket {
                self.after(
                    100,
                    Event::SocketGone {
                        socket,
                        by_visitor: true,
                    },
                );
            }
            return;
        };
        if told.full {
            self.people[visitor].under_way += 1;
            return self.goes_to(visitor, lobby + 1, asking.ask, kind);
        }
        let person = &mut self.people[visitor];
        person.sees(&told.status, lobby);
        if let Some(lease) = told.lease {
            person.fence = Some(lease.fence);
        }
        if let Some(socket) = asking.socket {
            let before = person.socket.replace(socket);
            match before {
                Some(before) => self.after(
                    20,
                    Event::SocketGone {
                        socket: before,
                        by_visitor: true,
                    },
                ),
                None => person.socket_since = self.wall,
            }
            if !self.sockets.contains_key(&socket) {
                self.people[visitor].socket = None;
            }
        }
    }

    pub fn socket_says(&mut self, socket: u64, status: &Status) {
        let Some((visitor, lobby)) = self.sockets.get(&socket).map(|s| (s.visitor, s.lobby)) else {
            return;
        };
        self.people[visitor].sees(status, lobby);
        // A page acts on what it is told.
        if status.state == State::Called {
            let ms = self.rng.u64(10..2_500);
            self.after(ms, Event::Acts { visitor });
        }
    }

    pub fn acts(&mut self, visitor: usize) {
        let wall = self.wall;
        let person = &mut self.people[visitor];
        if person.gone {
            return;
        }
        if person.away_until > wall {
            let ms = person.away_until - wall;
            return self.after(ms, Event::Acts { visitor });
        }
        // A page that is told of a call acts more often: one clock each.
        let moody = self.weather.moody;
        if self.people[visitor].under_way < if moody { 2 } else { 1 } {
            match self.people[visitor].seen.state {
                State::None | State::Over => self.comes(visitor),
                State::Waiting => self.waits(visitor),
                State::Called => self.is_called(visitor),
                State::Admitted => self.is_in(visitor),
            }
        }
        let ms = if moody {
            self.rng.u64(50..6_000)
        } else {
            self.rng.u64(300..2_500)
        };
        self.after(ms, Event::Acts { visitor });
    }

    fn comes(&mut self, visitor: usize) {
        let person = &mut self.people[visitor];
        if person.admitted_in_calm && !self.weather.moody {
            return;
        }
        if person.seen.state == State::Over {
            person.seen = Status {
                version: person.seen.version,
                ..Status::default()
            };
        }
        match self.rng.u8(0..6) {
            0 | 1 => self.asks_for(
                visitor,
                Wish::Arrive {
                    walk_in: true,
                    join: true,
                },
                Kind::Plain,
            ),
            2 | 3 => self.asks_for(visitor, Wish::Join, Kind::Socket),
            4 => self.asks_for(visitor, Wish::Join, Kind::Plain),
            _ => {
                // Two tabs at once.
                self.asks_for(
                    visitor,
                    Wish::Arrive {
                        walk_in: true,
                        join: true,
                    },
                    Kind::Plain,
                );
                self.asks_for(visitor, Wish::Join, Kind::Socket);
            }
        }
    }

    fn waits(&mut self, visitor: usize) {
        let missed = self.people[visitor].seen.missed;
        // A tab that showed an ended ticket of another lobby is not the page that waits.
        let there = self.people[visitor].socket.and_then(|socket| {
            let lobby = self.sockets.get(&socket).map(|socket| socket.lobby)?;
            let home = self.people[visitor].ticket.map(|(_, lobby)| lobby)?;
            (lobby != home).then_some(socket)
        });
        if let Some(elsewhere) = there {
            self.hangs_up(visitor, elsewhere);
        }
        let Some(socket) = self.people[visitor].socket else {
            return match self.rng.u8(0..6) {
                0 if self.weather.moody => self.vanishes(visitor),
                1 => self.asks_for(visitor, Wish::Status { wait_ms: 4_000 }, Kind::Plain),
                2 => self.asks_for(
                    visitor,
                    Wish::Arrive {
                        walk_in: true,
                        join: true,
                    },
                    Kind::Plain,
                ),
                _ => self.asks_for(visitor, Wish::Join, Kind::Socket),
            };
        };
        if !self.weather.moody {
            // A page that slept through its call says a word.
            if missed {
                let ms = self.travel_ms();
                self.after(ms, Event::SocketWord { socket });
            }
            return;
        }
        match self.rng.u8(0..30) {
            0 | 1 => self.hangs_up(visitor, socket),
            2 => {
                self.hangs_up(visitor, socket);
                self.vanishes(visitor);
            }
            3 => self.asks_for(visitor, Wish::Leave, Kind::Plain),
            4..8 => {
                let ms = self.travel_ms();
                self.after(ms, Event::SocketWord { socket });
            }
            8 => self.asks_for(visitor, Wish::Join, Kind::Plain),
            9 => self.asks_for(visitor, Wish::Claim, Kind::Plain),
            10 => self.asks_for(visitor, Wish::Join, Kind::Socket),
            _ => {}
        }
    }

    fn is_called(&mut self, visitor: usize) {
        match self.rng.u8(0..10) {
            0 if self.weather.moody => self.vanishes(visitor),
            1 if self.weather.moody => self.asks_for(visitor, Wish::Leave, Kind::Plain),
            2..6 => self.asks_for(
                visitor,
                Wish::Arrive {
                    walk_in: true,
                    join: true,
                },
                Kind::Plain,
            ),
            _ => self.asks_for(visitor, Wish::Claim, Kind::Plain),
        }
    }

    fn is_in(&mut self, visitor: usize) {
        if !self.weather.moody {
            self.people[visitor].admitted_in_calm = true;
        }
        let Some(fence) = self.people[visitor].fence else {
            return self.asks_for(
                visitor,
                Wish::Arrive {
                    walk_in: true,
                    join: true,
                },
                Kind::Plain,
            );
        };
        let wish = match self.rng.u8(0..10) {
            0 if self.weather.moody => return self.vanishes(visitor),
            1 | 2 if self.weather.moody => Wish::Renew(fence),
            3 if self.weather.moody => Wish::Extend {
                fence,
                by_ms: 5_000,
            },
            4 if self.weather.moody => Wish::Leave,
            5 if self.weather.moody => return self.asks_for(visitor, Wish::Join, Kind::Socket),
            6 | 7 if self.weather.moody => return,
            _ => Wish::Release(fence),
        };
        self.asks_for(visitor, wish, Kind::Plain);
    }

    fn hangs_up(&mut self, visitor: usize, socket: u64) {
        self.people[visitor].socket = None;
        // Half-open for a while, now and then.
        let ms = if self.chance(200) {
            self.rng.u64(1_000..40_000)
        } else {
            self.travel_ms()
        };
        self.after(
            ms,
            Event::SocketGone {
                socket,
                by_visitor: true,
            },
        );
    }

    fn vanishes(&mut self, visitor: usize) {
        let ms = self.rng.u64(500..40_000);
        let person = &mut self.people[visitor];
        person.away_until = self.wall + ms;
        if let Some(socket) = person.socket {
            self.hangs_up(visitor, socket);
        }
    }

    /// Faults stop; half of those who are there stay until they were in once more.
    pub fn calm(&mut self) {
        self.weather = crate::sim::Weather::default();
        for visitor in 0..self.people.len() {
            if self.rng.u8(0..3) == 0 {
                if let Some(socket) = self.people[visitor].socket {
                    self.hangs_up(visitor, socket);
                }
                self.people[visitor].goes_for_good();
            } else {
                self.people[visitor].away_until = 0;
            }
        }
    }
}

impl Visitor {
    pub fn index(&self) -> usize {
        self.index
    }
}
