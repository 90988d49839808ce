//! A small world: a room, two lobbies' batches, a few visitors, and what else decides what can
//! happen next. Time is counted in units of a few milliseconds, so that few moments differ.

use crate::step::{DEEDS, Deed, Person, Step, mode};
use baton::room::Room;
use baton::room::command::{Batch, Command, Reply, Standing};
use baton::room::config::{Mode, RoomConfig};
use baton::room::event::{Event, Row};
use baton::room::line::Place;
use baton::room::permits::{Grant, Stage};
use baton::units::{Fence, Instant, LobbyId, Number, Version};

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
}

impl Rules {
    /// `a0 b0 c1 permits=2 set=0,1,open`: visitors with their lobbies, the permits, what the
    /// operator may set.
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
                message: String::new(),
                ..RoomConfig::default()
            },
            permits: vec![],
            modes: vec![],
            resets: false,
        };
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("permits", n)) => rules.config.permits = n.parse().expect("permits"),
                Some(("set", list)) => list.split(',').for_each(|word| match mode(word) {
                    Some(mode) => rules.modes.push(mode),
                    None if word == "reset" => rules.resets = true,
                    None => rules.permits.push(word.parse().expect("permits")),
                }),
                Some(_) => panic!("no rule: {word}"),
                None => rules
                    .people
                    .push(LobbyId(word[1..].parse().expect("lobby"))),
            }
        }
        rules
    }
}

/// A lobby as the room sees it.
#[derive(Clone, Debug, Default)]
pub struct Lobby {
    pub epoch: u64,
    pub sequence: u64,
    /// The last batch, its replies, and the version in which it was taken.
    pub last: Option<(Batch, Vec<Reply>, Version)>,
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
    pub lobbies: Vec<Lobby>,
    /// The last number of each visitor.
    pub tickets: Vec<Option<Number>>,
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
            lobbies: vec![
                Lobby {
                    epoch: 1,
                    ..Lobby::default()
                };
                usize::from(lobbies)
            ],
            tickets: vec![None; rules.people.len()],
            away_until: vec![Instant(0); rules.people.len()],
            turned_at: Instant(0),
        };
        let mut row = world.room.open_row(START);
        world.room.configure(&rules.config, &mut row);
        (world, row)
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
        self.of_lobby(rules, lobby)
            .filter(|person| self.living(*person).is_none())
    }

    /// The next moment at which anything runs out, or the usher may look again.
    pub fn next_moment(&self) -> Option<Instant> {
        let ends = self
            .room
            .permits()
            .out()
            .flat_map(|(_, grant)| match grant.stage {
                Stage::Called { claim_by, .. } => [claim_by, claim_by],
                Stage::Leased(lease) => [lease.idle_end, lease.hard_end],
            });
        let away = self
            .everybody()
            .filter_map(|person| self.away_until_of(person));
        let tick = self.turned_at.plus_ms(self.room.config().tick_ms);
        ends.chain(away)
            .chain([tick])
            .filter(|at| *at > self.now)
            .min()
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

    /// Everything that can happen now. Of idle visitors of a lobby one stands for all.
    pub fn steps(&self, rules: &Rules) -> Vec<Step> {
        let mut steps = vec![Step::Usher];
        for lobby in 0..self.lobbies.len() as u8 {
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
        for person in self
            .everybody()
            .filter(|person| self.living(*person).is_some())
        {
            let of_lease = |deed| matches!(deed, Deed::Renew | Deed::Extend | Deed::Release);
            let may = |deed| match deed {
                Deed::Join | Deed::WalkIn => false,
                deed => !of_lease(deed) || self.fence(person).is_some(),
            };
            let deeds = DEEDS
                .iter()
                .map(|(deed, _)| *deed)
                .filter(|deed| may(*deed));
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
    pub fn command(&self, deed: Deed, person: Person) -> Command {
        let number = self.living(person).unwrap_or_default();
        let fence = self.fence(person).unwrap_or_default();
        match deed {
            Deed::Join => Command::Join { count: 1 },
            Deed::WalkIn => Command::WalkIn,
            Deed::Claim => Command::Claim(number),
            Deed::Renew => Command::Renew(fence),
            Deed::Extend => Command::Extend {
                fence,
                by_ms: EXTEND_BY_MS,
            },
            Deed::Release => Command::Release(fence),
            Deed::Leave => Command::Leave(number),
            Deed::Away => Command::Away(vec![number]),
            Deed::Back => Command::Back(number),
            Deed::Carry => Command::Carry(number),
        }
    }

    /// Makes a step happen.
    pub fn act(&mut self, rules: &Rules, step: Step) -> Outcome {
        let mut row = self.room.open_row(self.now);
        let was_away: Vec<bool> = self
            .everybody()
            .map(|p| self.away_until_of(p).is_some())
            .collect();
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
                let roster = self
                    .of_lobby(rules, lobby)
                    .filter_map(|p| self.living(p))
                    .collect();
                let of = &mut self.lobbies[usize::from(lobby)];
                (of.epoch, of.sequence) = (of.epoch + 1, 0);
                self.send(lobby, roster, vec![], &mut row);
            }
            Step::JoinAll(lobby) => {
                let idle: Vec<Person> = self.idle(rules, lobby).collect();
                let count = idle.len() as u32;
                let replies = self.send(lobby, vec![], vec![Command::Join { count }], &mut row);
                self.enrol(&idle, &replies[0]);
            }
            Step::Does(deed, person) => {
                let lobby = rules.people[usize::from(person)].0 as u8;
                let command = self.command(deed, person);
                let replies = self.send(lobby, vec![], vec![command], &mut row);
                self.enrol(&[person], &replies[0]);
                reply = replies.into_iter().next();
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

    fn send(
        &mut self,
        lobby: u8,
        roster: Vec<Number>,
        commands: Vec<Command>,
        row: &mut Row,
    ) -> Vec<Reply> {
        let of = &mut self.lobbies[usize::from(lobby)];
        of.sequence += 1;
        let batch = Batch {
            lobby: LobbyId(lobby.into()),
            epoch: of.epoch,
            sequence: of.sequence,
            attempts: 1,
            edition: self.room.edition(),
            acknowledged: of.last.as_ref().map_or(Version(0), |(_, _, v)| *v),
            roster,
            commands,
        };
        let message = self.room.receive(self.now, &batch, row);
        let message = message.expect("the next batch of a lobby is taken");
        self.lobbies[usize::from(lobby)].last =
            Some((batch, message.replies.clone(), message.answered));
        message.replies
    }

    /// Visitors who were given a number have it.
    fn enrol(&mut self, people: &[Person], reply: &Reply) {
        let first = match reply {
            Reply::Joined { first, .. } => *first,
            Reply::Stands(Standing::Admitted { number, .. }) => *number,
            _ => return,
        };
        for (place, person) in (0..).zip(people) {
            self.tickets[usize::from(*person)] = Some(first.plus(place));
        }
    }
}
