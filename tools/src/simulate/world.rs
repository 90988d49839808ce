//! The world: its time, its network, its faults, and one step after the other. Everything happens as an [`Event`] at a
//! time, and all chance comes from one seed.

use super::accounts::Accounts;
use super::builds::Skew;
use super::faults::{Faults, Kind, Shared};
use super::front::{Asking, Front};
use super::judge::{Depth, Judge};
use super::lobby_side::LobbySide;
use super::oracle::{Oracle, Said};
use super::people::Visitor;
use super::picks;
use super::plan::{BEGINS_AT_MS, Plan};
use super::played::Played;
use super::porter_side::PorterSide;
use super::queue::{Event, Life, Object};
use super::room_side::{RoomSide, wall};
use super::slab::Slab;
use super::vouchers::Remembered;
use baton::facts::holder::Shown;
use baton::facts::limits::set_sizes;
use baton::facts::wire::{LeaseTold, Status};
use baton::gate::FULL_HOPS_MAX;
use baton::living::clock::{Bell, Clock, REACH_MS, SLACK_MS, TIMER_REACH_MS, TIMER_SLACK_MS};
use baton::living::{RoomOptions, Stay};
use baton::room::hall::Lots;
use baton::room::laws::{Check, Violation};
use baton::room::ramp::Ramps;
use baton::token::Carry;
use baton_advice::agenda::{self, Agenda, Scenario};
use baton_advice::chance::Chance;
use std::convert::Infallible;
use std::rc::Rc;

/// A visitor's socket, as the lobby's runtime keeps it.
#[derive(Clone, Copy)]
pub struct Socket {
    pub visitor: usize,
    pub lobby: usize,
    /// The place that it shows: its attachment.
    pub shown: Option<Shown>,
    /// When its page was last there: when it opened, or later when the page left it half-open. A page that holds it pings.
    pub heard_at: u64,
    /// When the last status that was sent over it arrives: what was sent first arrives first.
    pub last_at: u64,
}

impl Socket {
    /// Takes in a status that is sent over it: the attachment changes with the place.
    pub fn shows(&mut self, status: &Status) {
        let place = |shown: Option<Shown>| shown.map(|shown| (shown.edition, shown.number));
        if place(status.shown()) != place(self.shown) {
            self.shown = status.shown();
        }
    }
}

/// The world; see the file's documentation.
pub struct World {
    pub seed: u64,
    pub time: u64,
    /// The network's chance.
    pub net: Chance,
    /// How late timers ring, where the host is busy.
    host: Option<Chance>,
    pub faults: Shared,
    /// Whether visitors do as they like: true until the calm.
    pub moody: bool,
    pub room: RoomSide,
    pub lobbies: Vec<LobbySide>,
    pub porters: Vec<PorterSide>,
    pub people: Vec<Visitor>,
    pub accounts: Accounts,
    /// The sheets that the operator has made.
    pub sheets: Vec<Remembered>,
    pub sockets: Slab<Socket>,
    pub asks: Slab<Asking>,
    /// The number of askers up to now.
    pub askers: u64,
    pub front: Front,
    /// The links that were made last.
    pub links: Vec<Carry>,
    pub oracle: Oracle,
    pub judge: Judge,
    pub checks: bool,
    /// The number of lobbies' lives up to now.
    pub lives: u64,
    /// On which ways between the room and all others messages cannot be read, and until when.
    pub room_skew: Skew,
    /// What objects do about their memory: they stay where the host is one machine, whose clock somebody may set.
    pub stay: Stay,
    /// Whether some object's clock has ever differed from the world's.
    pub skewed: bool,
    pub played: Played,
    /// Whether a lobby ever said that the room keeps nobody waiting.
    pub told_free: bool,
    /// The first law that was broken.
    pub broken: Option<Violation>,
    /// What happened, line by line; `None` if no diary is kept.
    pub diary: Option<Vec<String>>,
    agenda: Agenda<Event>,
}

impl Scenario for World {
    type What = Event;
    type Stop = Infallible;

    fn agenda(&mut self) -> &mut Agenda<Event> {
        &mut self.agenda
    }

    fn passes(&mut self, at: u64) {
        self.time = at;
        self.played.steps += 1;
    }

    fn happens(&mut self, event: Event) -> Result<(), Infallible> {
        if self.diary.is_some() && !matches!(event, Event::Acts(_)) {
            self.writes(|| format!("{event:?}"));
        }
        self.carries_out(event);
        Ok(())
    }
}

impl World {
    /// Makes a world before its first step. O(visitors).
    ///
    /// Long because it names each part of a world.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let mut rng = Chance::of(plan.seed, 0);
        let faults = Faults::new(plan.seed, plan.only.clone(), plan.keeps_log);
        let faults = Rc::new(std::cell::RefCell::new(faults));
        let picked = picks::pick(&mut rng, plan, &mut faults.borrow_mut());
        set_sizes(plan.climate.map_or(picked.sizes, |climate| climate.sizes));
        let checks = plan.depth != Depth::Off;
        let options = RoomOptions {
            config: picked.config,
            ramps: Ramps::default(),
            journal_keep_ms: 30_000,
            lots: Lots::default(),
        };
        let porters = picks::pick_porters(plan.seed, picked.lobbies, &mut faults.borrow_mut());
        if let Some(climate) = &plan.climate {
            faults.borrow_mut().stop();
            for (kind, rate) in climate.faults {
                faults.borrow_mut().set(*kind, *rate);
            }
        }
        let lobby = |index: usize| {
            // One of so many lobbies has space enough, so a front that hops from full ones finds it in the end.
            let is_large = (index + 1).is_multiple_of(usize::from(FULL_HOPS_MAX));
            let tickets_max = if is_large || index + 1 == picked.lobbies {
                1_000
            } else {
                picked.tickets_max
            };
            LobbySide::new(tickets_max, picked.spread_ms, porters > 0)
        };
        let mut world = Self {
            seed: plan.seed,
            time: BEGINS_AT_MS,
            net: Chance::of(plan.seed, 1),
            host: picks::pick_busy_host(plan.seed),
            moody: true,
            lobbies: (0..picked.lobbies).map(lobby).collect(),
            porters: (0..porters).map(|_| PorterSide::default()).collect(),
            people: (0..picked.visitors).map(|index| Visitor::new(index % picked.lobbies)).collect(),
            accounts: Accounts::pick(plan.seed, picked.visitors),
            sheets: vec![],
            sockets: Slab::default(),
            asks: Slab::default(),
            askers: 0,
            front: Front {
                keyring: picked.keyring,
                strict: picked.strict,
            },
            links: vec![],
            oracle: Oracle::new(picked.visitors, checks),
            judge: Judge::new(plan.depth),
            room: RoomSide::new(&faults, plan.seed, options, picked.rows_per_snapshot),
            faults,
            checks,
            lives: 0,
            room_skew: Skew::default(),
            stay: picks::pick_stay(plan.seed),
            skewed: false,
            played: Played::default(),
            told_free: false,
            broken: None,
            diary: plan.keeps_log.then(Vec::new),
            agenda: Agenda::default(),
        };
        for visitor in 0..picked.visitors {
            let at = rng.below(15_000);
            world.after(at, Event::Acts(visitor));
        }
        world.weather_begins();
        world
    }

    /// Sets a timer for `ms`. On a busy host it rings late.
    pub fn rings_after(&mut self, ms: u64, timer: Event) {
        let late_ms = self.host.as_mut().map_or(0, |host| host.below(picks::LATE_MS));
        self.after(ms + late_ms, timer);
    }

    /// Plans an event.
    pub fn after(&mut self, ms: u64, event: Event) {
        self.agenda.push(self.time + ms, event);
    }

    /// Takes in what a law says, and keeps the first violation.
    pub fn holds(&mut self, check: Check) {
        if let Err(violation) = check
            && self.broken.is_none()
        {
            self.broken = Some(violation);
        }
    }

    /// Notes a broken law, unless checks are off.
    pub fn flaw(&mut self, law: &'static str, seen: String) {
        if self.checks {
            self.holds(Err(Violation { law, seen }));
        }
    }

    /// Counts something that happened.
    pub fn note(&mut self, kind: Kind) {
        self.faults.borrow_mut().note(kind);
    }

    /// Writes a line into the diary, if one is kept.
    pub fn writes(&mut self, line: impl FnOnce() -> String) {
        let at = self.time - BEGINS_AT_MS;
        if let Some(diary) = &mut self.diary {
            diary.push(format!("{:>6}.{:03} {}", at / 1_000, at % 1_000, line()));
        }
    }

    /// Picks how long a message travels, in ms.
    pub fn travel_ms(&mut self) -> u64 {
        let mut faults = self.faults.borrow_mut();
        if faults.strikes(Kind::Slow) {
            faults.chance_of(Kind::Slow).within(100, 12_000)
        } else {
            self.net.within(1, 60)
        }
    }

    /// Sends something. It may be lost, come twice, or overtake what was sent before.
    pub fn transmit(&mut self, event: impl Fn() -> Event) {
        if self.faults.borrow_mut().strikes(Kind::Lost) {
            return;
        }
        let twice = self.faults.borrow_mut().strikes(Kind::Twice);
        for _ in 0..=u8::from(twice) {
            let ms = self.travel_ms();
            self.after(ms, event());
        }
    }

    /// Plays the next event, if there is one up to `until`. Returns false if there is none or a law is broken.
    pub fn step(&mut self, until: u64) -> bool {
        agenda::step(self, until) == Ok(true) && self.broken.is_none()
    }

    fn carries_out(&mut self, event: Event) {
        match event {
            Event::Alarm { object, due, again } => self.rings(object, due, again),
            Event::Strikes(kind) => self.weather_strikes(kind),
            Event::OriginAnswers { lobby, until } => self.origin_answers(lobby, until),
            Event::Poke => self.everything_is_poked(),
            Event::RoomHears { from, said } => self.room_hears(from, &said),
            Event::PorterHears { porter, life, call, said } => self.porter_hears(porter, (life, call), &said),
            Event::PorterIsAnswered {
                porter,
                process,
                bundle,
                answer,
            } => self.porter_is_answered((porter, process), bundle, answer.as_deref()),
            Event::LobbyHears { life, call, answer } => {
                if !self.is_deaf(life.lobby) {
                    self.lobby_hears(life, call, answer.as_deref());
                }
            }
            Event::PushArrives { id, push } => self.push_arrives(id, &push),
            Event::PushEnded { id, heard } => self.push_ended(id, heard),
            Event::RoomTimer(at) => self.room_timer(at),
            Event::LobbyTimer { life, at } => self.lobby_timer(life, at),
            Event::Deployed(first) => self.deployed(first),
            Event::OldEnds(life) => self.old_ends(life),
            Event::AskArrives(ask) => self.ask_arrives(ask),
            Event::AskerGone(ask) => self.asker_gone(ask),
            Event::Heard { ask, told } => self.heard(ask, told.map(|told| *told)),
            Event::SocketSays { socket, status } => self.socket_says(socket, &status),
            Event::SocketWord(socket) => self.socket_word(socket),
            Event::SocketGone { socket, by_visitor } => self.socket_gone(socket, by_visitor),
            Event::Acts(visitor) => self.acts(visitor),
        }
    }

    /// Judges what a lobby says to a visitor. An old isolate may say what was true before; the version tells.
    pub fn judge_told(&mut self, life: Life, visitor: usize, shown: Option<Shown>, status: &Status, lease: Option<LeaseTold>) {
        if self.diary.is_some() {
            let lease = lease.map_or(String::new(), |lease| format!(" {lease:?}"));
            self.writes(|| {
                format!(
                    "visitor {visitor} is told by {} ({}) {} {:?} {:?} ahead {:?} version {}{lease}",
                    life.lobby,
                    life.id,
                    status.state.name(),
                    status.reason,
                    status.shown().map(|shown| (shown.edition.0, shown.number.0)),
                    status.ahead,
                    status.version
                )
            });
        }
        let said = Said {
            status,
            shown,
            lease,
            by_old: self.lobbies[life.lobby].is_old(life.id),
            skewed: self.skewed,
        };
        let told = self.oracle.told(visitor, &said, &self.judge.shadow);
        self.holds(told);
    }

    /// Checks that an object's clock never runs back and never leaps past what rings next; and, where objects stay in memory, that it gains hardly
    /// anything on the world's time, whoever sets the host's clock. If nothing `is_due`, time matters to nobody, and an alarm that an earlier life left far
    /// ahead may be where it goes.
    pub fn clock_is_sane(&mut self, of: Object, is_due: bool, before: &Clock, bell: Option<Bell>, after: &Clock) {
        self.skewed |= after.now().0 != self.time;
        let looked_at = match of {
            Object::Room => &mut self.room.looked_at,
            Object::Lobby(index) => &mut self.lobbies[index].looked_at,
        };
        let was_right = before.now().0 == *looked_at;
        let passed_ms = self.time - std::mem::replace(looked_at, self.time);
        let gone_ms = after.now().since_ms(before.now());
        let most_ms = match bell {
            None => u64::MAX,
            Some(Bell::Alarm { at_ms, .. }) => at_ms.saturating_sub(before.wall_ms()) + SLACK_MS,
            Some(Bell::Timer(at)) => at.since_ms(before.now()) + TIMER_SLACK_MS,
        };
        if after.now() < before.now() || gone_ms > most_ms {
            let seen = format!("{} to {}, bound by {bell:?}", before.now(), after.now());
            self.flaw("a clock neither runs back nor leaps", seen);
        }
        let host_ms = match of {
            Object::Room => self.room.offset_ms,
            Object::Lobby(index) => self.lobbies[index].offset_ms,
        };
        let follows = was_right && host_ms == 0 && matches!(bell, Some(Bell::Timer(_)));
        if follows && after.wall_ms().saturating_sub(before.wall_ms()) == passed_ms && gone_ms != passed_ms {
            let seen = format!("{gone_ms} ms in {passed_ms}, bound by {bell:?}");
            self.flaw("no timer moves a clock away from the wall", seen);
        }
        let gained_ms = match bell {
            Some(Bell::Timer(_)) => TIMER_REACH_MS + TIMER_SLACK_MS,
            Some(Bell::Alarm { .. }) => REACH_MS + SLACK_MS,
            None => u64::MAX,
        };
        let is_timed = is_due && self.stay == Stay::Stays && before.now().0 > 0;
        if is_timed && gone_ms > passed_ms.saturating_add(gained_ms) {
            let seen = format!("{gone_ms} ms in {passed_ms}, bound by {bell:?}");
            self.flaw("a jump of the clock takes nobody's time", seen);
        }
    }

    /// Sets the clock of an object's host forward or back.
    pub fn clock_is_set(&mut self, object: Object, by_ms: i64) {
        let offset_ms = match object {
            Object::Room => &mut self.room.offset_ms,
            Object::Lobby(index) => &mut self.lobbies[index].offset_ms,
        };
        *offset_ms += by_ms;
        let now = (self.time, *offset_ms);
        if let Object::Lobby(index) = object {
            self.lobbies[index].offsets.push(now);
        }
        let (_, offset_ms) = now;
        let wall_ms = wall(self.time, offset_ms);
        if let Some(due) = self.alarm_of(object).filter(|due| *due <= wall_ms) {
            self.after(1, Event::Alarm { object, due, again: false });
        }
    }
}
