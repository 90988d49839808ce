//! A room with its courier, two lobbies, two visitors, and what is on its way between them.

use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::{Key, Salt, Shown};
use baton::facts::message::{FromRoom, RoomLife, RoomMemory, ToRoom};
use baton::facts::units::{Instant, LobbyId, Number, VisitorId};
use baton::facts::wire::{Ask, State, Status, Wish};
use baton::lobby::{Asker, CallId, Effect, Limits, Lobby, LobbyConfig, Moment, keys};
use baton::room::Room;
use baton::room::courier::{Courier, Push, Slept};
use baton::room::laws;

pub const START: Instant = Instant(1_000_000);
pub const SALT: Salt = Salt([7; 16]);
/// Things that go wrong on one way.
const FAULTS: u8 = 3;

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A visitor asks for a place, with what it shows or, having lost it, in the other lobby.
    Ask(usize),
    Elsewhere(usize),
    Claim(usize),
    Leave(usize),
    Open(usize),
    Close(usize),
    /// The call that is at this place reaches the room; its answer arrives.
    Taken(usize),
    Answered(usize),
    /// The lobby gives a call up, which may still arrive; an answer is lost.
    GivenUp(usize),
    AnswerLost(usize),
    Pushed(usize),
    PushLost(usize),
    Usher,
    RoomRestarts,
    LobbyRestarts(usize),
    /// Time passes to what is due next.
    Later,
}

/// A visitor as its page has it.
#[derive(Clone, Debug, Default)]
pub struct Person {
    pub lobby: usize,
    pub shown: Option<Shown>,
    pub open: bool,
    pub state: State,
    pub number: Option<Number>,
    pub asks: bool,
}

#[derive(Clone, Debug)]
pub struct World {
    pub room: Room,
    pub courier: Courier,
    pub lobbies: Vec<Lobby>,
    pub people: Vec<Person>,
    pub now: Instant,
    pub calls: Vec<(usize, CallId, ToRoom)>,
    pub answers: Vec<(usize, CallId, FromRoom)>,
    pub pushes: Vec<Push>,
    asked: u64,
    memory: u64,
    births: u64,
    pub faults: u8,
    /// Who ever held which number.
    pub held: Vec<(Number, Key)>,
    /// What somebody was told that is not so.
    pub lie: Option<String>,
}

pub fn visitor(person: usize) -> VisitorId {
    VisitorId([person as u8 + 1; 16])
}

pub fn key(person: usize) -> Key {
    keys::holder(SALT, visitor(person)).key
}

fn lobby(id: usize, chance: u64) -> Lobby {
    let config = LobbyConfig {
        room: "onsale".into(),
        linger_ms: 10_000,
        spread_ms: 0,
        tickets_max: 100,
        limits: Limits::default(),
        porter: false,
    };
    Lobby::new(LobbyId(id as u16), config, chance)
}

impl World {
    pub fn new() -> Self {
        let person = |lobby| Person { lobby, ..Person::default() };
        let mut world = Self {
            room: Room::new(),
            courier: Courier::default(),
            lobbies: (0..2).map(|id| lobby(id, id as u64)).collect(),
            people: (0..2).map(person).collect(),
            now: START,
            calls: vec![],
            answers: vec![],
            pushes: vec![],
            asked: 0,
            memory: 0,
            births: 2,
            faults: FAULTS,
            held: vec![],
            lie: None,
        };
        let config = RoomConfig {
            permits: 1,
            walk_in: false,
            ..RoomConfig::default()
        };
        world.turn(|room, _, row| room.configure(&config, row));
        world.restarts();
        world
    }

    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        self.row(act);
        self.courier.lives(RoomLife(self.room.told_from().0));
        for person in 0..self.people.len() {
            let now = self.room.living_of(key(person)).map(|number| (number, key(person)));
            self.held.extend(now.filter(|held| !self.held.contains(held)));
        }
        self.speaks();
    }

    /// One row, which must be lawful.
    fn row(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        if !row.events.is_empty()
            && let Err(broken) = laws::check_row(&before, &self.room, &row)
        {
            self.lie = Some(broken.to_string());
        }
    }

    /// What the room has to say unasked goes on its way.
    fn speaks(&mut self) {
        let pushes = self.courier.pushes(&self.room, self.now);
        self.pushes.extend(pushes);
    }

    fn restarts(&mut self) {
        self.memory += 1;
        let life = RoomLife(self.room.told_from().0);
        self.courier = Courier::woken(&self.room, life, RoomMemory(self.memory), Slept::Briefly);
        self.speaks();
    }

    const fn moment(&self) -> Moment {
        Moment {
            now: self.now,
            wall_ms: self.now.0,
        }
    }

    /// Everything that can happen now.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = vec![];
        for (at, person) in self.people.iter().enumerate() {
            if !person.asks {
                match person.state {
                    State::None | State::Over => steps.push(Step::Ask(at)),
                    State::Waiting => steps.extend([Step::Leave(at), Step::Elsewhere(at)]),
                    State::Called => steps.extend([Step::Claim(at), Step::Leave(at)]),
                    State::Admitted | State::Hall => steps.push(Step::Leave(at)),
                }
            }
            match person.open {
                true => steps.push(Step::Close(at)),
                false if person.number.is_some() => steps.push(Step::Open(at)),
                false => {}
            }
        }
        steps.extend((0..self.calls.len()).map(Step::Taken));
        steps.extend((0..self.answers.len()).map(Step::Answered));
        steps.extend((0..self.pushes.len()).map(Step::Pushed));
        steps.push(Step::Usher);
        steps.push(Step::Later);
        if self.faults > 0 {
            steps.extend((0..self.calls.len()).map(Step::GivenUp));
            steps.extend((0..self.answers.len()).map(Step::AnswerLost));
            steps.extend((0..self.pushes.len()).map(Step::PushLost));
            steps.push(Step::RoomRestarts);
            steps.extend((0..2).map(Step::LobbyRestarts));
        }
        steps
    }

    /// Long because it has an arm for each step.
    pub fn act(&mut self, step: Step) {
        let m = self.moment();
        let faulty = matches!(
            step,
            Step::GivenUp(_) | Step::AnswerLost(_) | Step::PushLost(_) | Step::RoomRestarts | Step::LobbyRestarts(_)
        );
        self.faults -= u8::from(faulty && self.faults > 0);
        match step {
            Step::Ask(person) => self.asks(person, self.people[person].lobby, Wish::Join, true),
            Step::Elsewhere(person) => {
                self.asks(person, 1 - self.people[person].lobby, Wish::Join, false);
            }
            Step::Claim(person) => self.asks(person, self.people[person].lobby, Wish::Claim, true),
            Step::Leave(person) => self.asks(person, self.people[person].lobby, Wish::Leave, true),
            Step::Open(person) => {
                let page = &mut self.people[person];
                page.open = true;
                let (at, shown) = (page.lobby, page.shown);
                self.lobbies[at].handle_socket_opened(m, visitor(person), shown);
                let words = self.lobbies[at].first_words(m, visitor(person));
                self.is_told(person, &words.status);
                // The page asks then.
                if words.is_last {
                    self.people[person].open = false;
                    self.lobbies[at].handle_socket_closed(m, visitor(person));
                }
            }
            Step::Close(person) => {
                let page = &mut self.people[person];
                page.open = false;
                let at = page.lobby;
                self.lobbies[at].handle_socket_closed(m, visitor(person));
            }
            Step::Taken(at) => {
                let (lobby, call, said) = self.calls.remove(at);
                let answer = self.hear(&said);
                self.answers.push((lobby, call, answer));
            }
            Step::Answered(at) => {
                let (lobby, call, answer) = self.answers.remove(at);
                self.lobbies[lobby].handle_answer(m, call, Some(answer));
            }
            Step::GivenUp(at) => {
                let (lobby, call, _) = self.calls[at];
                self.lobbies[lobby].handle_answer(m, call, None);
            }
            Step::AnswerLost(at) => {
                let (lobby, call, _) = self.answers.remove(at);
                self.lobbies[lobby].handle_answer(m, call, None);
            }
            Step::Pushed(at) => {
                let push = self.pushes.remove(at);
                let lobby = usize::from(push.lobby.0);
                let heard = self.lobbies[lobby].handle_push(m, &push.said);
                self.effects();
                self.courier.finished(self.now, &push, Some(heard));
                self.speaks();
            }
            Step::PushLost(at) => {
                let push = self.pushes.remove(at);
                self.courier.finished(self.now, &push, None);
            }
            Step::Usher => self.turn(Room::take_turn),
            Step::RoomRestarts => {
                self.pushes.clear();
                self.restarts();
            }
            Step::LobbyRestarts(at) => self.is_born(at),
            Step::Later => self.later(),
        }
        self.effects();
    }

    fn asks(&mut self, person: usize, lobby: usize, wish: Wish, shows: bool) {
        self.asked += 1;
        let page = &mut self.people[person];
        page.asks = true;
        let ask = Ask::plain(visitor(person), page.shown.filter(|_| shows), wish);
        // Who asks is in the asker's number.
        let asker = Asker(self.asked * 2 + person as u64);
        let m = self.moment();
        self.lobbies[lobby].handle_ask(m, asker, ask);
    }

    fn is_born(&mut self, at: usize) {
        self.births += 1;
        self.lobbies[at] = lobby(at, self.births);
        self.calls.retain(|(lobby, ..)| *lobby != at);
        self.answers.retain(|(lobby, ..)| *lobby != at);
        let m = self.moment();
        for person in 0..self.people.len() {
            let page = &mut self.people[person];
            page.asks = false;
            if page.open && page.lobby == at {
                self.lobbies[at].handle_socket_opened(m, visitor(person), page.shown);
            }
        }
    }

    /// To what is due next, and that happens.
    fn later(&mut self) {
        let lobbies = self.lobbies.iter();
        let due = lobbies.flat_map(|lobby| [lobby.poll_timeout(), lobby.poll_alarm()]);
        let room = [self.room.case(self.now).due_at(), self.courier.due_at(&self.room)];
        let Some(at) = due.chain(room).flatten().min() else {
            return;
        };
        self.now = at.max(self.now.plus_ms(1));
        let m = self.moment();
        for at in 0..self.lobbies.len() {
            self.lobbies[at].handle_timeout(m);
        }
        self.effects();
        if self.room.case(self.now).due_at().is_some_and(|at| at <= self.now) {
            self.turn(Room::take_turn);
        }
        self.speaks();
    }

    fn hear(&mut self, said: &ToRoom) -> FromRoom {
        let now = self.now;
        let (room, courier) = (&self.room, &mut self.courier);
        let answer = match said {
            ToRoom::Hello(hello) => courier.hello(room, now, SALT, hello),
            ToRoom::More(more) => courier.more(room, now, more),
            ToRoom::Batch(batch) => match courier.admit(room, batch) {
                Err(refusal) => FromRoom::Refused(refusal),
                Ok(()) => {
                    self.row(|room, now, row| {
                        room.take(now, batch.lobby, &batch.commands, 0, row);
                    });
                    self.courier.answer(&self.room, now, batch).into()
                }
            },
            ToRoom::Check(_) => FromRoom::Leases(vec![]),
            ToRoom::Bundle(_) => panic!("there is no porter here"),
        };
        self.turn(|_, _, _| ());
        answer
    }

    fn effects(&mut self) {
        for at in 0..self.lobbies.len() {
            while let Some(effect) = self.lobbies[at].poll_effect() {
                match effect {
                    Effect::Call(call, said, _) => self.calls.push((at, call, *said)),
                    Effect::Answer(asker, told) => {
                        let person = (asker.0 % 2) as usize;
                        self.people[person].asks = false;
                        let Some(told) = told else { continue };
                        match told.at {
                            // The front asks there the next time; the cookie follows.
                            Some(place) => self.moves(person, usize::from(place.0)),
                            None if self.people[person].lobby != at => self.moves(person, at),
                            None => {}
                        }
                        if told.at.is_none() {
                            self.is_told(person, &told.status);
                        }
                    }
                    Effect::Tell { visitor: who, status, last } => {
                        let person = usize::from(who.0[0]) - 1;
                        if self.people[person].lobby == at {
                            self.people[person].open &= !last;
                            self.is_told(person, &status);
                        }
                    }
                    Effect::Frame(..) | Effect::CloseSilent => {}
                }
            }
        }
    }

    /// The page goes to another lobby, and shows nothing there yet.
    fn moves(&mut self, person: usize, to: usize) {
        let m = self.moment();
        let page = &mut self.people[person];
        if page.lobby == to {
            return;
        }
        let from = page.lobby;
        let was_open = core::mem::take(&mut page.open);
        *page = Person {
            lobby: to,
            ..Person::default()
        };
        if was_open {
            self.lobbies[from].handle_socket_closed(m, visitor(person));
        }
    }

    fn is_told(&mut self, person: usize, status: &Status) {
        let living = self.room.living_of(key(person));
        let number = status.number;
        let lie = match status.state {
            State::Over => number.is_some() && number == living,
            State::None => false,
            _ => !number.is_some_and(|number| self.held.contains(&(number, key(person)))),
        };
        if lie {
            self.lie = Some(format!("{person} was told {status:?} and has {living:?}"));
        }
        let page = &mut self.people[person];
        (page.state, page.number) = (status.state, number);
        page.shown = status.shown().or(page.shown);
    }

    /// Whatever is on its way arrives.
    pub fn calm(&mut self) {
        for _ in 0..400 {
            if !self.answers.is_empty() {
                self.act(Step::Answered(0));
            } else if !self.calls.is_empty() {
                self.act(Step::Taken(0));
            } else if !self.pushes.is_empty() {
                self.act(Step::Pushed(0));
            } else {
                return;
            }
        }
        self.lie = Some("messages go on without end".to_owned());
    }

    /// A scene: `ask 0, calm, open 0, usher`.
    pub fn play(&mut self, scene: &str) {
        for text in scene.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            let (word, who) = text.split_once(' ').unwrap_or((text, "0"));
            let who = who.parse().expect("a person");
            match word {
                "calm" => self.calm(),
                "ask" => self.act(Step::Ask(who)),
                "open" => self.act(Step::Open(who)),
                "claim" => self.act(Step::Claim(who)),
                "usher" => self.act(Step::Usher),
                _ => panic!("no step {text}"),
            }
        }
    }
}
