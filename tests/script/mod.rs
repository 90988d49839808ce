//! A tiny language for stories about a room. One line is one turn:
//!
//! ```text
//! AT  COMMAND [NAME…] [VALUE]  =>  WHAT IS SO, WHAT IS SO, …
//! ```
//!
//! `AT` is in seconds. Commands: `join` (one command, names in order, `name@2` comes through lobby
//! 2), `join:LANE`, `walkin`, `walkin:LANE`, `claim`, `renew`, `extend NAME SECONDS`, `release`, `leave`, `away`, `back`,
//! `carry NAME` (to another device of the same person), `carry NAME to OTHER` (who has the place from
//! then on), `usher` (its turn), `alarm` (its turn, at the very moment the room asked for),
//! `set key=value…` and `look` (nothing). A name is a person with a key of its own.
//!
//! *Whoever is admitted in a turn must be named in its line*, in order: `usher ann bob`,
//! `baton cy`, `walkin dee`. The rest may be stated: `ann waits 3` (people ahead), `ann missed`,
//! `ann called 30` (time to come), `ann in 300` (time to the idle end; a second number is that to
//! the hard end), `ann provisional`, `ann confirmed`, `ann over`, `hand 1`, `tray 0`, `debt 0`,
//! `alarm 2.5` or `alarm none`, `tells ann:called bob:expired` (exactly what this turn makes lobbies
//! hear unasked, in order of lobbies and numbers), `untold`, `nothing` (no fact was stored), `full`
//! (the answer: no number or no way in), `at 2` (the answer: the place is in that lobby).
//!
//! After every line every law is checked.

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder};
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton::facts::message::{Change, Ended};
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::room::{Room, laws};
use std::collections::BTreeMap;

/// Where the room's clock stands at 0 in a story.
pub const START: Instant = Instant(1_000_000_000);

/// Plays a story. `rules` are settings as in `set`, put in force at its beginning.
pub fn check(rules: &str, story: &str) -> Told {
    let mut told = Told::new();
    told.run(&format!("0 set {rules}"));
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        told.run(line);
    }
    told
}

/// How far a story has come.
pub struct Told {
    pub room: Room,
    pub now: Instant,
    config: RoomConfig,
    line: String,
    tickets: BTreeMap<String, (Number, LobbyId)>,
    fences: BTreeMap<String, Fence>,
    holders: BTreeMap<String, Holder>,
    /// How many devices there were.
    devices: u64,
}

/// Seconds with up to three decimals, as milliseconds.
fn ms(text: &str) -> u64 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part: u64 = format!("{part:0<3}").parse().unwrap_or_else(|_| panic!("{text}: no time"));
    whole.parse::<u64>().unwrap_or_else(|_| panic!("{text}: no time")) * 1_000 + part
}

/// `members` or `members:3`, with its share; empty: no lane.
fn lane(text: &str) -> Option<Lane> {
    let (name, share) = text.split_once(':').unwrap_or((text, "1"));
    Some(Lane {
        name: LaneName::parse(name)?,
        title: name.to_owned(),
        share: count(share),
        periods: None,
        hall_ms: None,
        draw: None,
    })
}

fn count(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("{text}: no number"))
}

impl Told {
    fn new() -> Self {
        let config = RoomConfig {
            walk_in: false,
            ..RoomConfig::default()
        };
        Self {
            room: Room::new(),
            now: START,
            config,
            line: String::new(),
            tickets: BTreeMap::new(),
            fences: BTreeMap::new(),
            holders: BTreeMap::new(),
            devices: 0,
        }
    }

    fn run(&mut self, line: &str) {
        self.line = line.to_owned();
        let (doing, so) = line.split_once("=>").unwrap_or((line, ""));
        let words: Vec<&str> = doing.split_whitespace().collect();
        let [at, verb, arguments @ ..] = words.as_slice() else {
            panic!("no command: {line}");
        };
        let at = START.plus_ms(ms(at));
        assert!(at >= self.now, "time runs backwards: {line}");
        self.now = at;
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let reply = self.act(verb, arguments, &mut row);
        let checked = laws::check_row(&before, &self.room, &row)
            .and_then(|()| laws::check_state(&self.room, self.now))
            .and_then(|()| laws::turn_is_idempotent(&self.room, self.now));
        checked.unwrap_or_else(|violation| panic!("{violation}\n  {line}\n  {row:?}"));
        self.judge(so, &row, reply.as_ref(), before.version());
    }

    fn act(&mut self, verb: &str, arguments: &[&str], row: &mut Row) -> Option<Reply> {
        match verb {
            "set" => {
                arguments.iter().for_each(|word| self.set(word));
                let config = self.config.clone();
                self.room.configure(&config, row);
                return None;
            }
            "usher" => self.room.take_turn(self.now, row),
            "alarm" => {
                assert_eq!(self.room.case(self.now).due_at(), Some(self.now), "{}", self.line);
                self.room.take_turn(self.now, row);
            }
            "look" => {}
            _ if verb.starts_with("join") || verb.starts_with("walkin") => {
                return self.enter(verb, arguments, row);
            }
            _ => return self.ask(verb, arguments, row),
        }
        None
    }

    fn set(&mut self, word: &str) {
        let (key, value) = word.split_once('=').expect("key=value");
        let config = &mut self.config;
        match key {
            "permits" => config.permits = count(value),
            "walkin" => config.walk_in = value == "yes",
            "rate" => config.admissions_milli_per_s = ms(value),
            "tick" => config.tick_ms = ms(value),
            "claim" => config.claim_within_ms = ms(value),
            "grace" => config.grace_ms = ms(value),
            "idle" => config.lease_idle_ms = ms(value),
            "max" => config.lease_max_ms = ms(value),
            "line" => config.line_max = count(value),
            "extend" => config.lease_extend_max_ms = ms(value),
            "lanes" => config.lanes = value.split(',').filter_map(lane).collect(),
            "rule" => config.lanes_rule = LanesRule::named(value).expect("a rule"),
            "mode" => {
                let modes = [Mode::Open, Mode::Paused, Mode::Bypass];
                config.mode = modes.into_iter().find(|m| m.name() == value).expect("a mode");
            }
            _ => panic!("no setting {key}"),
        }
    }

    fn enter(&mut self, verb: &str, names: &[&str], row: &mut Row) -> Option<Reply> {
        let lobby_of = |name: &str| match name.split_once('@') {
            Some((name, lobby)) => (name.to_owned(), LobbyId(count(lobby) as u16)),
            None => (name.to_owned(), LobbyId(0)),
        };
        let (_, lobby) = lobby_of(names[0]);
        let people: Vec<String> = names.iter().map(|name| lobby_of(name).0).collect();
        let holders: Vec<Holder> = people.iter().map(|name| self.holder(name)).collect();
        let (verb, lane) = verb.split_once(':').unwrap_or((verb, ""));
        let command = match verb {
            "join" => Command::join(holders.clone()),
            _ => Command::walk_in(holders[0]),
        };
        let command = match LaneName::parse(lane) {
            Some(lane) => command.into_lane(lane),
            None => command,
        };
        let reply = self.say(&command, lobby, row);
        for (name, holder) in people.into_iter().zip(holders) {
            let number = self.room.living_of(holder.key);
            if let Some(number) = number {
                let lobby = self.room.tickets().lobby_of(number).expect("it lives");
                self.tickets.insert(name, (number, lobby));
            }
        }
        Some(reply)
    }

    /// A command, and what it is answered when the turn ends.
    fn say(&mut self, command: &Command, lobby: LobbyId, row: &mut Row) -> Reply {
        self.room.perform(self.now, command, lobby, row);
        laws::done_twice_is_done_once(&self.room, self.now, command, lobby).expect("lawful");
        let answers = self.room.case(self.now).answers(lobby, core::slice::from_ref(command));
        answers.into_iter().next().expect("one answer a command")
    }

    /// The key of a person's device, which is a new one for somebody new.
    fn holder(&mut self, name: &str) -> Holder {
        if !self.holders.contains_key(name) {
            self.devices += 1;
            let device = crate::wishes::holder(self.devices);
            self.holders.insert(name.to_owned(), device);
        }
        self.holders[name]
    }

    fn ask(&mut self, verb: &str, arguments: &[&str], row: &mut Row) -> Option<Reply> {
        let name = arguments[0];
        let (_, lobby) = self.ticket(name);
        let fence = self.fences.get(name).copied().unwrap_or_default();
        let place = self.held(name);
        let all = || arguments.iter().map(|name| self.held(name)).collect();
        let (here, away) = match verb {
            "away" => (vec![], all()),
            "back" => (all(), vec![]),
            _ => (vec![], vec![]),
        };
        let command = match verb {
            "claim" => Command::Claim { place, fence },
            "renew" => Command::Renew(fence),
            "extend" => crate::wishes::extend(&self.room, fence, ms(arguments[1])),
            "release" => Command::Release(fence),
            "leave" => Command::Leave(place),
            "away" | "back" => Command::Presence {
                as_of: self.room.version(),
                here,
                away,
            },
            "carry" => return Some(self.carry(name, arguments.get(2).copied(), row)),
            _ => panic!("no command {verb}: {}", self.line),
        };
        Some(self.say(&command, lobby, row))
    }

    /// By a link that is made just before.
    fn carry(&mut self, name: &str, to: Option<&str>, row: &mut Row) -> Reply {
        let (number, lobby) = self.ticket(name);
        let place = self.held(name);
        let made_in = self.room.version();
        let device = match to {
            Some(other) => self.holder(other),
            None => {
                self.devices += 1;
                crate::wishes::holder(self.devices)
            }
        };
        let command = Command::Carry {
            place,
            row: made_in,
            to: device,
        };
        let reply = self.say(&command, lobby, row);
        if self.room.tickets().holder(number) == Some(device) {
            let taker = to.unwrap_or(name).to_owned();
            self.tickets.remove(name);
            self.tickets.insert(taker.clone(), (number, lobby));
            self.holders.insert(taker, device);
        }
        reply
    }

    /// A person's ticket and the key under which it is meant to be held.
    fn held(&self, name: &str) -> Held {
        let (number, _) = self.ticket(name);
        Held {
            number,
            key: self.holders[name].key,
        }
    }

    pub fn ticket(&self, name: &str) -> (Number, LobbyId) {
        *self.tickets.get(name).unwrap_or_else(|| panic!("who is {name}? {}", self.line))
    }

    fn name(&self, number: Number) -> &str {
        let found = self.tickets.iter().find(|(_, (n, _))| *n == number);
        found.map_or("somebody", |(name, _)| name)
    }

    /// Remembers the fences minted, and says who was admitted.
    fn admissions(&mut self, row: &Row) -> Vec<String> {
        let mut lists: Vec<String> = Vec::new();
        for event in &row.events {
            let (by, number, fence) = match event {
                Event::Called { number, fence } => ("usher", *number, *fence),
                Event::Handed { number, fence, .. } => ("baton", *number, *fence),
                Event::WalkedIn { number, fence, .. } => ("walkin", *number, *fence),
                _ => continue,
            };
            let name = self.name(number).to_owned();
            match lists.last_mut() {
                Some(list) if list.starts_with(by) => *list = format!("{list} {name}"),
                _ => lists.push(format!("{by} {name}")),
            }
            self.fences.insert(name, fence);
        }
        lists
    }

    fn judge(&mut self, so: &str, row: &Row, reply: Option<&Reply>, before: Version) {
        let seen = self.admissions(row);
        let statements = so.split(',').map(str::trim).filter(|s| !s.is_empty());
        let (stated, others): (Vec<&str>, Vec<&str>) = statements.partition(|s| ["usher ", "baton ", "walkin "].iter().any(|by| s.starts_with(by)));
        assert_eq!(stated, seen, "admitted in: {}\n  {row:?}", self.line);
        for statement in others {
            let words: Vec<&str> = statement.split_whitespace().collect();
            self.hold(&words, row, reply, before);
        }
    }

    fn hold(&self, statement: &[&str], row: &Row, reply: Option<&Reply>, before: Version) {
        let line = &self.line;
        let permits = self.room.permits();
        let number = |text: &str, is: u32| assert_eq!(is, count(text), "{statement:?}: {line}");
        match statement {
            ["nothing"] => assert_eq!(row.events, [], "{line}"),
            ["full"] => assert!(matches!(why_none(reply), Some(NoTicket::NoWalkIn | NoTicket::Full)), "{reply:?}: {line}"),
            ["at", lobby] => assert_eq!(why_none(reply), Some(NoTicket::At(LobbyId(count(lobby) as u16))), "{line}"),
            ["hand", n] => number(n, permits.hand()),
            ["tray", n] => number(n, permits.tray()),
            ["debt", n] => number(n, permits.debt()),
            ["alarm", at] => {
                let due = self.room.case(self.now).due_at();
                let wanted = (*at != "none").then(|| START.plus_ms(ms(at)));
                assert_eq!(due, wanted, "{statement:?}: {line}");
            }
            ["untold"] => assert_eq!(self.told(before), [] as [&str; 0], "{line}"),
            ["tells", what @ ..] => assert_eq!(self.told(before), *what, "{line}"),
            [name, what @ ..] => self.stands(name, what),
            [] => {}
        }
    }

    /// What lobbies hear unasked of what has changed since a row. Not how what they asked for ended.
    fn told(&self, since: Version) -> Vec<String> {
        let changes = self.room.book().lobbies().flat_map(|lobby| {
            let changes = self.room.book().changes_since(self.room.tickets(), self.now, lobby, since);
            changes.expect("the room remembers a turn")
        });
        let mut all = Vec::new();
        for change in changes {
            let what = match &change {
                Change::Lives(listed) => match listed.standing {
                    Standing::Called { .. } => "called",
                    Standing::Waiting { missed: true, .. } => "missed",
                    _ => continue,
                },
                Change::Over(_, Ended::Missed) => "missed-again",
                Change::Over(_, Ended::Expired) => "expired",
                Change::Over(_, Ended::Away) => "away",
                Change::Over(_, Ended::Released | Ended::Left | Ended::Moved) => continue,
            };
            all.push(format!("{}:{what}", self.name(change.number())));
        }
        all
    }

    fn stands(&self, name: &str, what: &[&str]) {
        let standing = self.room.tickets().standing(self.now, self.ticket(name).0);
        let line = &self.line;
        let wrong = || panic!("{name} {what:?}, but {standing:?}: {line}");
        let time = |text: &str, is: u64| assert_eq!(is, ms(text), "{name} {what:?}: {line}");
        match (what, standing) {
            (["waits"], Standing::Waiting { .. })
            | (["missed"], Standing::Waiting { missed: true, .. })
            | (["called"], Standing::Called { .. })
            | (["in"], Standing::Admitted { .. })
            | (["provisional"], Standing::Admitted { provisional: true, .. })
            | (["confirmed"], Standing::Admitted { provisional: false, .. })
            | (["over"], Standing::Over) => {}
            (["waits", ahead], Standing::Waiting { ahead: is, .. }) => {
                assert_eq!(is.0, u64::from(count(ahead)), "{name} {what:?}: {line}");
            }
            (["called", left], Standing::Called { claim_in_ms, .. }) => time(left, claim_in_ms),
            (["in", idle], Standing::Admitted { idle_in_ms, .. }) => time(idle, idle_in_ms),
            (["in", idle, hard], Standing::Admitted { idle_in_ms, hard_in_ms, .. }) => {
                time(idle, idle_in_ms);
                time(hard, hard_in_ms);
            }
            _ => wrong(),
        }
    }
}

/// Why somebody got no ticket here by what was asked.
fn why_none(reply: Option<&Reply>) -> Option<NoTicket> {
    match reply? {
        Reply::None(why) => Some(*why),
        Reply::Joined(without) => without.first().map(|(_, why)| *why),
        _ => None,
    }
}
