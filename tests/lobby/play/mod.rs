//! A tiny language for stories about a lobby. One line is one input, and exactly what the lobby does upon it:
//!
//! ```text
//! AT  INPUT  =>  EFFECT, EFFECT, …
//! ```
//!
//! `AT` is in seconds. Behind the lobby, which is number 0, stands a real room with its courier; what travels between them waits
//! until the story says what becomes of it.
//!
//! | input | what happens |
//! |---|---|
//! | `ann joins`, `arrives`, `peeks`, `attends`, `asks`, `polls 30`, `claims`, `leaves`, `renews`, `checks`, `releases`, `extends 20`, `offers`, `bob takes ann` | the front asks for a visitor, who shows what was told last; with `bare` at the end, nothing; with `old`, the lease before the last. `ann joins as a`, `arrives as a`, `attends as a`: for an account, and with `pressed` at the end by a button; `ann joins into vip`: that lane, and with `only` at the end none else; `ann joins with 7`: a code, and with `tried` at the end one that she has joined with before |
//! | `ann knows 9` | what she shows is as of that row: another life of this lobby has told her |
//! | `ann gone` | the front that asked last for her waits no longer |
//! | `ann opens`, `closes`, `speaks`, `looks` | her sockets: one opens, closes, says something; one is told its first words |
//! | `ann dies`, `ann silent` | her sockets die without a word, and `born` finds them silent; one was silent for so long that it was closed |
//! | `ok` | the call that is out longest reaches the room, and the answer arrives |
//! | `taken`, `answered`, `lost` | the room takes that call and its answer waits; that answer arrives; the call comes to nothing |
//! | `again` | the room is given a copy of the call that it took last |
//! | `says deposed`, `says late`, `says later 0.3` … | an answer that the story makes up |
//! | `push`, `push lost` | the room's next push arrives, or does not |
//! | `usher`, `wakes`, `reset`, `hours`, `mode paused`, `permits 3`, `code 7 2 into vip`, `message hello` | the room: the usher's turn; it comes into memory; …; a code that is good twice; the operator's words |
//! | `kept`, `restored` | a backup of the room is made; the room comes into memory from it |
//! | `far joins dee`, `far leaves dee`, `far takes dee ann` | another lobby's visitors |
//! | `crowd 5000` | so many thousands whom nobody knows join in this lobby, by an earlier life of it |
//! | `rush 60` | so many strangers join, evenly over a second, and get their numbers; a second and a quarter later all have |
//! | `time` | the lobby's timers |
//! | `born` | the lobby comes into memory, and finds the sockets that are open |
//! | `origin 3 1`, `proofs 3 1`, `refused late`, `only 3`, `stock 9 5`, `took 240` | the front has counted (good and bad), the shop has said; an answer took so many ms |
//! | `when` | when the lobby wants to be woken, in memory and by its alarm |
//!
//! A story may begin with `ann waits already` or `ann is in already`, which stand for the lines that lead there.
//!
//! A line without `=>` does nothing that can be seen. A name is a visitor; `ann:2` is one who was named at the same address.

mod front;
mod room;
mod rules;
mod text;

use baton::facts::answer_times::AnswerTimes;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::entry::{EntryRefusal, EntryRefusals};
use baton::facts::holder::{Key, Salt, Shown};
use baton::facts::message::{FromRoom, ToRoom};
use baton::facts::origin::OriginAnswers;
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::proofs::ProofChecks;
use baton::facts::units::{AccountId, AddressTag, Fence, Instant, LobbyId, Version, VisitorId};
use baton::facts::wire::{LeaseTold, Status, Told};
use baton::lobby::{Asker, COMPANY_MS_MAX, CallId, Limits, Lobby, LobbyConfig, Moment};
use baton::room::Room;
use baton::room::courier::{Courier, Push};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use text::{notice, refused, shown};

/// Where both clocks stand at 0 in a story.
pub const START: Instant = Instant(1_000_000_000);
const HERE: LobbyId = LobbyId(0);
const FAR: LobbyId = LobbyId(1);

/// Plays a story and compares it with what is written there.
pub fn play(rules: &str, story: &str) -> Play {
    let mut play = Play::new(rules);
    let lines: Vec<&str> = story.lines().flat_map(begun).map(str::trim).filter(|line| !line.is_empty()).collect();
    let (mut told, mut wanted) = (Vec::new(), Vec::new());
    for line in lines {
        let (doing, effects) = line.split_once("=>").unwrap_or((line, ""));
        let doing = doing.trim();
        let seen = play.run(doing).join(", ");
        let show = |effects: &str| match effects {
            "" => doing.to_owned(),
            effects => format!("{doing} => {effects}"),
        };
        wanted.push(show(effects.trim()));
        told.push(show(&seen));
    }
    if told != wanted {
        let shown: Vec<String> = told
            .iter()
            .zip(&wanted)
            .map(|(is, should)| match is == should {
                true => format!("        {is}"),
                false => format!("        {is}\n     #  {should}"),
            })
            .collect();
        panic!("the story goes otherwise (# is what it should be):\n{}", shown.join("\n"));
    }
    play
}

/// Stories begin alike: these lines stand for others.
fn begun(line: &str) -> std::str::Lines<'_> {
    match line.trim() {
        "ann waits already" => WAITS.lines(),
        "ann is in already" => IS_IN.lines(),
        _ => line.lines(),
    }
}

/// Ann has number 1 and shows it, in a room without a free permit or before the usher's first turn.
const WAITS: &str = "
    0 ann joins   => hello 1
    0 ok          => batch 1 (1 attempts; join ann)
    0 ok          => ann is told 1 waits 0 issued
";
/// And she came when she was called.
const IS_IN: &str = "
    0 ann joins   => hello 1
    0 ok          => batch 1 (1 attempts; join ann)
    0 ok          => ann is told 1 waits 0 issued
    0 usher
    0 push        => ack
    0 ann claims  => batch 2 (claim ann by 1)
    0 ok          => ann is told 1 in lease 300/1800
";

/// What a person has in hand.
#[derive(Clone, Debug, Default)]
struct Person {
    shown: Option<Shown>,
    lease: Option<LeaseTold>,
    old_lease: Option<LeaseTold>,
    offer: Option<(Key, Version)>,
    sockets: u32,
    /// Whether they are dead, which nobody has noticed yet.
    is_dead: bool,
    /// What her sockets show.
    attached: Option<Shown>,
}

/// A story as far as it has come.
pub struct Play {
    pub lobby: Lobby,
    pub room: Room,
    /// What was answered last.
    pub told: Option<Told>,
    courier: Courier,
    config: RoomConfig,
    lobby_config: LobbyConfig,
    salt: Salt,
    memory: u64,
    now: Instant,
    people: BTreeMap<String, Person>,
    accounts: BTreeSet<String>,
    asking: BTreeMap<Asker, String>,
    asked: u64,
    calls: VecDeque<(CallId, ToRoom)>,
    /// How often the lobby has looked for silent sockets.
    pub looks: u32,
    answers: VecDeque<(CallId, FromRoom)>,
    taken: Option<ToRoom>,
    pushes: VecDeque<Push>,
    born: u64,
    kept: Option<(Room, Salt)>,
}

fn ms(text: &str) -> u64 {
    let seconds: f64 = text.parse().unwrap_or_else(|_| panic!("{text}: no time"));
    (seconds * 1_000.0).round() as u64
}

fn count<T: core::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text}: no number"))
}

fn seconds(ms: u64) -> String {
    match ms % 1_000 {
        0 => (ms / 1_000).to_string(),
        _ => format!("{}", ms as f64 / 1_000.0),
    }
}

/// The account of this name.
fn account(name: &str) -> AccountId {
    let mut id = [0; 16];
    id.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    AccountId(id)
}

/// How a lobby is set where a story says nothing.
pub fn lobby_config() -> LobbyConfig {
    LobbyConfig {
        room: "onsale".into(),
        linger_ms: 10_000,
        spread_ms: 20_000,
        tickets_max: 1_000,
        limits: Limits::default(),
        porter: false,
    }
}

/// `ann:2` is named where `ann` is.
pub fn visitor(name: &str) -> VisitorId {
    let (first, nth) = name.split_once(':').unwrap_or((name, "1"));
    let bytes = |text: &str| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        bytes
    };
    let [a, b, c, d, e, f, g, _] = bytes(first);
    // The last bit says that it was no shared address.
    VisitorId::at(AddressTag([a, b, c, d, e, f, g, 0]), bytes(nth))
}

impl Play {
    pub fn new(rules: &str) -> Self {
        let config = RoomConfig {
            walk_in: false,
            lease_idle_ms: 300_000,
            lease_max_ms: 1_800_000,
            ..RoomConfig::default()
        };
        let lobby_config = lobby_config();
        let mut play = Self {
            lobby: Lobby::new(HERE, lobby_config.clone(), 1),
            room: Room::new(),
            told: None,
            courier: Courier::default(),
            config,
            lobby_config,
            salt: Salt([7; 16]),
            memory: 0,
            now: START,
            people: BTreeMap::new(),
            accounts: BTreeSet::new(),
            asking: BTreeMap::new(),
            asked: 0,
            calls: VecDeque::new(),
            looks: 0,
            answers: VecDeque::new(),
            taken: None,
            pushes: VecDeque::new(),
            born: 1,
            kept: None,
        };
        rules.split_whitespace().for_each(|rule| play.set(rule));
        play.lobby = Lobby::new(HERE, play.lobby_config.clone(), 1);
        let config = play.config.clone();
        play.turn(|room, _, row| room.configure(&config, row));
        play.wakes();
        play
    }

    const fn moment(&self) -> Moment {
        Moment {
            now: self.now,
            wall_ms: self.now.0,
        }
    }

    /// What a new socket of hers would be told now.
    pub fn status_of(&mut self, name: &str) -> Status {
        let m = self.moment();
        self.lobby.first_words(m, visitor(name)).status
    }

    /// Does one thing, and says what the lobby does upon it.
    ///
    /// Long because it has an arm for each verb of the language.
    pub fn run(&mut self, line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [at, what @ ..] = words.as_slice() else {
            panic!("nothing happens: {line}");
        };
        let at = START.plus_ms(ms(at));
        assert!(at >= self.now, "time runs backwards: {line}");
        self.now = at;
        let mut seen = Vec::new();
        match *what {
            ["ok"] => {
                self.taken();
                let answer = self.answers.pop_back().expect("it was just given");
                self.answers.push_front(answer);
                return self.answered();
            }
            ["taken"] => self.taken(),
            ["answered"] => return self.answered(),
            ["again"] => {
                let copy = self.taken.clone().expect("something was taken");
                seen.push(refused(&self.hear(&copy)));
            }
            ["lost"] => {
                let (call, _) = self.calls.pop_front().expect("a call is out");
                self.lobby.handle_answer(self.moment(), call, None);
            }
            ["says", ref what @ ..] => self.says(what),
            ["push"] => return self.push(),
            ["push", "lost"] => {
                let push = self.next_push();
                self.courier.finished(self.now, &push, None);
            }
            ["usher"] => self.turn(Room::take_turn),
            ["hours"] => self.turn(|_, _, _| ()),
            ["wakes"] => self.wakes(),
            ["kept"] => self.kept = Some((self.room.clone(), self.salt)),
            ["restored"] => {
                (self.room, self.salt) = self.kept.clone().expect("a backup");
                self.wakes();
            }
            ["reset"] => {
                self.turn(|room, _, row| room.reset("desk", row));
                self.salt.0[0] += 1;
            }
            ["mode", word] => {
                let mode = Mode::ALL.into_iter().find(|mode| mode.name() == word);
                self.config.mode = mode.expect("a mode");
                self.configure();
            }
            ["permits", n] => {
                self.config.permits = count(n);
                self.configure();
            }
            ["message", ref words @ ..] => {
                self.config.message = notice(words);
                self.configure();
            }
            ["code", code, uses, ref rest @ ..] => self.makes_code(code, uses, rest),
            ["far", verb, who, ref rest @ ..] => self.far(verb, who, rest),
            ["crowd", n] => {
                for _ in 0..count::<u64>(n).div_ceil(1_000) {
                    let join = crate::wishes::join(&self.room, 1_000);
                    self.turn(|room, now, row| room.perform(now, &join, HERE, row));
                }
            }
            ["rush", n] => {
                self.rush(count(n));
                return Vec::new();
            }
            ["time"] => self.lobby.handle_timeout(self.moment()),
            ["born"] => self.is_born(),
            ["origin", good, bad] => {
                let mut origin = OriginAnswers::default();
                origin.count(Fence(1), count(good), count(bad));
                self.overhears(Overheard {
                    origin,
                    ..Overheard::default()
                });
            }
            ["refused", why] => {
                let mut all = EntryRefusal::ALL.iter();
                let why = all.find(|known| known.name() == why).expect("a reason");
                self.overhears(Overheard {
                    entry: EntryRefusals::one(*why),
                    ..Overheard::default()
                });
            }
            ["only", n] => self.overhears(Overheard {
                observed_only: count(n),
                ..Overheard::default()
            }),
            ["proofs", ok, mac] => {
                let proofs = ProofChecks {
                    ok: count(ok),
                    mac: count(mac),
                    ..ProofChecks::default()
                };
                self.overhears(Overheard {
                    proofs,
                    ..Overheard::default()
                });
            }
            ["took", ms] => self.overhears(Overheard {
                times: AnswerTimes::one(count(ms)),
                ..Overheard::default()
            }),
            ["stock", left, at] => self.overhears(Overheard {
                stock: Some(StockReport {
                    left: count(left),
                    at_ms: count(at),
                }),
                ..Overheard::default()
            }),
            ["when"] => return self.when(),
            [name, verb, ref rest @ ..] => seen.extend(self.person_does(name, verb, rest)),
            _ => panic!("what is this? {line}"),
        }
        seen.extend(self.effects());
        seen
    }

    fn overhears(&mut self, heard: Overheard) {
        self.lobby.handle_overheard(self.moment(), &heard);
    }

    /// Strangers join, evenly over a second, and the room answers each batch at once; then nobody waits any more.
    fn rush(&mut self, people: u64) {
        let from = self.now;
        for at in 0..people {
            self.now = from.plus_ms(at * 1_000 / people);
            self.lobby.handle_timeout(self.moment());
            self.person_does(&format!("r{at}"), "joins", &[]);
            self.answers_all();
        }
        self.now = from.plus_ms(1_000 + COMPANY_MS_MAX);
        self.lobby.handle_timeout(self.moment());
        self.answers_all();
    }

    fn answers_all(&mut self) {
        self.effects();
        while !self.calls.is_empty() {
            self.taken();
            self.answered();
        }
    }
}
