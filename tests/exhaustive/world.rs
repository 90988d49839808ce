//! A small world: a room, the words of two lobbies, a few visitors, and what else decides what can
//! happen next. Time is counted in units of a few milliseconds, so that few moments differ.

use crate::step::{DEEDS, Deed, Person, Step, mode};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::enter;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Comes, Held, Holder, Key, Member};
use baton::facts::notice::Notice;
use baton::facts::reply::Reply;
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::line::Place;
use baton::room::permits::{Grant, Stage};

/// When it all begins.
pub const START: Instant = Instant(1_000);
/// How much an origin asks for.
const EXTEND_BY_MS: u64 = 2;

/// When a permit may be taken back, worked out here and not asked of the core.
pub fn ends_at(grant: &Grant) -> Instant {
    match grant.stage {
        Stage::Called { claim_by, .. } => claim_by,
        Stage::Leased(lease) => lease.idle_end.min(lease.hard_end),
    }
}

/// Who is there and what an operator may do.
#[derive(Clone, Debug)]
pub struct Rules {
    /// As they were written.
    pub text: String,
    /// The lobby of each visitor.
    pub people: Vec<LobbyId>,
    /// At the beginning.
    pub config: RoomConfig,
    /// Numbers of permits that the operator may set.
    pub permits: Vec<u8>,
    /// Modes that the operator may set.
    pub modes: Vec<Mode>,
    /// Whether the operator may begin the room anew.
    pub resets: bool,
    /// Whether everybody has an account, and joins for it.
    pub accounts: bool,
}

impl Rules {
    /// `a0 b0 c1 permits=2 set=0,1,open accounts=all`: visitors with their lobbies, the permits, what the
    /// operator may set, and that each has an account.
    pub fn of(text: &str) -> Self {
        let mut rules = Self {
            text: text.to_owned(),
            people: vec![],
            config: RoomConfig {
                permits: 1,
                mode: Mode::Open,
                walk_in: true,
                tick_ms: 2,
                claim_within_ms: 3,
                // Up to 14 a group of away tickets ends exactly when its tickets do.
                grace_ms: 4,
                lease_idle_ms: 4,
                lease_max_ms: 6,
                lease_extend_max_ms: EXTEND_BY_MS,
                admissions_milli_per_s: 0,
                origin_errors_max_percent: 0,
                origin_errors_window_ms: 1_000,
                stock_line: false,
                message: Notice::default(),
                ..RoomConfig::default()
            },
            permits: vec![],
            modes: vec![],
            resets: false,
            accounts: false,
        };
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("accounts", _)) => rules.accounts = true,
                Some(("permits", n)) => rules.config.permits = n.parse().expect("permits"),
                Some(("set", list)) => list.split(',').for_each(|word| match mode(word) {
                    Some(mode) => rules.modes.push(mode),
                    None if word == "reset" => rules.resets = true,
                    None => rules.permits.push(word.parse().expect("permits")),
                }),
                Some(_) => panic!("no rule: {word}"),
                None => rules.people.push(LobbyId(word[1..].parse().expect("lobby"))),
            }
        }
        rules
    }
}

/// What one step did.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub row: Row,
    /// Of a visitor's step.
    pub reply: Option<Reply>,
}

#[derive(Clone, Debug)]
pub struct World {
    pub room: Room,
    pub now: Instant,
    pub lobbies: u8,
    /// The last number of each visitor.
    pub tickets: Vec<Option<Number>>,
    /// Which of two devices each visitor has the place on.
    pub devices: Vec<bool>,
    /// When each visitor's time away ends, worked out here. Means something while it is away.
    pub away_until: Vec<Instant>,
    /// When the usher's last turn changed something.
    pub turned_at: Instant,
}

impl World {
    /// The world at its beginning and the row that made it so.
    pub fn new(rules: &Rules) -> (Self, Row) {
        let lobbies = rules.people.iter().map(|lobby| lobby.0).max().unwrap_or(0) + 1;
        let mut world = Self {
            room: Room::new(),
            now: START,
            lobbies: lobbies as u8,
            tickets: vec![None; rules.people.len()],
            devices: vec![false; rules.people.len()],
            away_until: vec![Instant(0); rules.people.len()],
            turned_at: Instant(0),
        };
        let mut row = world.room.open_row(START);
        world.room.configure(&rules.config, &mut row);
        (world, row)
    }

    /// The key that a visitor shows, or that of the other device.
    pub fn holder(&self, person: Person, other: bool) -> Holder {
        let second = self.devices[usize::from(person)] != other;
        wishes::holder(u64::from(person) * 2 + u64::from(second))
    }

    /// A visitor's last number under the key that the visitor shows.
    pub fn held(&self, person: Person) -> Held {
        Held {
            number: self.tickets[usize::from(person)].unwrap_or_default(),
            key: self.holder(person, false).key,
        }
    }

    /// The lobby through which a deed goes: that of the visitor's place, else the visitor's own.
    pub fn lobby_of(&self, rules: &Rules, deed: Deed, person: Person) -> LobbyId {
        let home = rules.people[usize::from(person)];
        let here = self.living(person).and_then(|number| self.room.tickets().lobby_of(number));
        let here = here.unwrap_or(home);
        match deed {
            Deed::Elsewhere => LobbyId((here.0 + 1) % u16::from(self.lobbies.max(2))),
            _ => here,
        }
    }

    /// The ticket of a visitor who has anything: a place, a call or a lease.
    pub fn living(&self, person: Person) -> Option<Number> {
        let number = self.tickets[usize::from(person)]?;
        let holds = self.room.permits().of_number(number).is_some();
        (holds || self.room.line().place(number) != Place::Gone).then_some(number)
    }

    /// The fence of a visitor who is called or inside.
    pub fn fence(&self, person: Person) -> Option<Fence> {
        Some(self.room.permits().of_number(self.living(person)?)?.0)
    }

    fn everybody(&self) -> core::ops::Range<Person> {
        0..self.tickets.len() as Person
    }

    fn of_lobby<'a>(&'a self, rules: &'a Rules, lobby: u8) -> impl Iterator<Item = Person> + 'a {
        self.everybody()
            .filter(move |person| rules.people[usize::from(*person)].0 == u16::from(lobby))
    }

    fn idle<'a>(&'a self, rules: &'a Rules, lobby: u8) -> impl Iterator<Item = Person> + 'a {
        self.of_lobby(rules, lobby).filter(|person| self.living(*person).is_none())
    }

    /// The next moment at which anything runs out, or the usher may look again.
    pub fn next_moment(&self) -> Option<Instant> {
        let ends = self.room.permits().out().flat_map(|(_, grant)| match grant.stage {
            Stage::Called { claim_by, .. } => [claim_by, claim_by],
            Stage::Leased(lease) => [lease.idle_end, lease.hard_end],
        });
        let away = self.everybody().filter_map(|person| self.away_until_of(person));
        let tick = self.turned_at.plus_ms(self.room.config().tick_ms);
        ends.chain(away).chain([tick]).filter(|at| *at > self.now).min()
    }

    /// How many permits may be taken back now.
    pub fn overdue(&self) -> u32 {
        let out = self.room.permits().out();
        out.filter(|(_, grant)| ends_at(grant) <= self.now).count() as u32
    }

    /// When an away visitor's time ends.
    pub fn away_until_of(&self, person: Person) -> Option<Instant> {
        let place = self.room.line().place(self.living(person)?);
        matches!(place, Place::Away(_)).then(|| self.away_until[usize::from(person)])
    }

    /// Everything that can happen now. One idle visitor of a lobby stands for all.
    pub fn steps(&self, rules: &Rules) -> Vec<Step> {
        let mut steps = vec![Step::Usher];
        for lobby in 0..self.lobbies {
            let idle: Vec<Person> = self.idle(rules, lobby).collect();
            if let Some(person) = idle.first() {
                steps.push(Step::Does(Deed::Join, *person));
                steps.push(Step::Does(Deed::WalkIn, *person));
            }
            if idle.len() > 1 {
                steps.push(Step::JoinAll(lobby));
            }
            steps.push(Step::Wake(lobby));
        }
        for person in self.everybody().filter(|person| self.living(*person).is_some()) {
            let of_lease = |deed| matches!(deed, Deed::Renew | Deed::Extend | Deed::Release);
            let may = |deed| match deed {
                Deed::WalkIn => false,
                Deed::Moves | Deed::Takes => rules.accounts,
                deed => !of_lease(deed) || self.fence(person).is_some(),
            };
            let deeds = DEEDS.iter().map(|(deed, _)| *deed).filter(|deed| may(*deed));
            steps.extend(deeds.map(|deed| Step::Does(deed, person)));
        }
        steps.extend(self.next_moment().map(|_| Step::Later));
        let config = self.room.config();
        let counts = rules.permits.iter().map(|n| Step::Permits(*n));
        steps.extend(counts.filter(|step| *step != Step::Permits(config.permits as u8)));
        let modes = rules.modes.iter().map(|mode| Step::Mode(*mode));
        steps.extend(modes.filter(|step| *step != Step::Mode(config.mode)));
        steps.extend(rules.resets.then_some(Step::Reset));
        steps
    }

    /// The command behind a visitor's step.
    pub fn command(&self, rules: &Rules, deed: Deed, person: Person) -> Command {
        let member = |other, comes| Member {
            holder: self.holder(person, other),
            account: Key(u64::from(person) + 1),
            comes,
        };
        if rules.accounts {
            let joins = |member| Command::join(vec![member]);
            match deed {
                Deed::Join | Deed::Elsewhere => return joins(member(false, Comes::Anew)),
                Deed::WalkIn => {
                    return Command::walk_in(member(false, Comes::Back));
                }
                Deed::Moves => return joins(member(true, Comes::Anew)),
                Deed::Takes => return joins(member(true, Comes::ByButton)),
                _ => {}
            }
        }
        let place = self.held(person);
        let holder = self.holder(person, false);
        let fence = self.fence(person).unwrap_or_default();
        let as_of = self.room.version();
        match deed {
            Deed::Join | Deed::Elsewhere | Deed::Moves | Deed::Takes => Command::join(vec![holder]),
            Deed::WalkIn => Command::walk_in(holder),
            Deed::Claim => Command::Claim { place, fence },
            Deed::Renew => Command::Renew(fence),
            Deed::Extend => wishes::extend(&self.room, fence, EXTEND_BY_MS),
            Deed::Release => Command::Release(fence),
            Deed::Leave => Command::Leave(place),
            Deed::Away | Deed::Back => {
                let (here, away) = match deed {
                    Deed::Back => (vec![place], vec![]),
                    _ => (vec![], vec![place]),
                };
                Command::Presence { as_of, here, away }
            }
            Deed::Carry => Command::Carry {
                place,
                row: as_of,
                to: self.holder(person, true),
            },
        }
    }

    /// Makes a step happen.
    ///
    /// Long because it has an arm for each step.
    pub fn act(&mut self, rules: &Rules, step: Step) -> Outcome {
        let mut row = self.room.open_row(self.now);
        let was_away: Vec<bool> = self.everybody().map(|p| self.away_until_of(p).is_some()).collect();
        let mut reply = None;
        match step {
            Step::Later => self.now = self.next_moment().expect("something runs out"),
            Step::Usher => self.room.take_turn(self.now, &mut row),
            Step::Reset => {
                self.room.reset("desk", &mut row);
                self.tickets.fill(None);
            }
            Step::Permits(_) | Step::Mode(_) => {
                let mut config = self.room.config().clone();
                match step {
                    Step::Permits(count) => config.permits = count.into(),
                    Step::Mode(mode) => config.mode = mode,
                    _ => {}
                }
                self.room.configure(&config, &mut row);
            }
            Step::Wake(lobby) => {
                let mine = self.everybody().map(|person| self.held(person));
                let mine = mine.filter(|held| self.room.tickets().lobby_of(held.number) == Some(LobbyId(lobby.into())));
                let here = mine.collect();
                let as_of = self.room.version();
                let away = vec![];
                self.send(LobbyId(lobby.into()), &Command::Presence { as_of, here, away }, &mut row);
            }
            Step::JoinAll(lobby) => {
                let idle = self.idle(rules, lobby);
                let each: Vec<Command> = idle.map(|person| self.command(rules, Deed::Join, person)).collect();
                self.send(LobbyId(lobby.into()), &together(each), &mut row);
            }
            Step::Does(deed, person) => {
                let lobby = self.lobby_of(rules, deed, person);
                let command = self.command(rules, deed, person);
                self.send(lobby, &command, &mut row);
                if matches!(deed, Deed::Carry | Deed::Moves | Deed::Takes) && self.room.living_of(self.holder(person, true).key).is_some() {
                    self.devices[usize::from(person)] ^= true;
                }
                reply = Some(self.answer(lobby, &command));
            }
        }
        for person in self.everybody() {
            if let Some(number) = self.room.living_of(self.holder(person, false).key) {
                self.tickets[usize::from(person)] = Some(number);
            }
        }
        if row.events.contains(&Event::Turned) {
            self.turned_at = row.at;
        }
        for person in self.everybody() {
            let at = usize::from(person);
            if self.away_until_of(person).is_some() && !was_away[at] {
                self.away_until[at] = self.now.plus_ms(self.room.config().grace_ms);
            }
        }
        Outcome { row, reply }
    }

    fn send(&mut self, lobby: LobbyId, command: &Command, row: &mut Row) {
        self.room.take(self.now, lobby, core::slice::from_ref(command), 1, row);
    }

    /// What follows from a command of this lobby.
    pub fn leads_to(&self, lobby: LobbyId, command: &Command) -> Vec<Event> {
        let mut room = self.room.clone();
        let mut row = room.open_row(self.now);
        room.perform(self.now, command, lobby, &mut row);
        row.events
    }

    /// What a command is answered when the turn ends.
    pub fn answer(&self, lobby: LobbyId, command: &Command) -> Reply {
        let answers = self.room.case(self.now).answers(lobby, core::slice::from_ref(command));
        answers.into_iter().next().expect("one answer a command")
    }
}

/// Joins as one command.
fn together(joins: Vec<Command>) -> Command {
    let who = joins.into_iter().flat_map(|join| match join {
        Command::Enter(enter) => enter.who.iter().collect::<Vec<_>>(),
        other => panic!("no join: {other:?}"),
    });
    let who: Vec<enter::Person> = who.collect();
    let is_plain = who.iter().all(|person| person.account.is_none());
    if is_plain {
        let holders = who.iter().map(|person| person.holder);
        Command::join(holders.collect::<Vec<_>>())
    } else {
        Command::join(who)
    }
}
