//! The lobby's link to its room: how a life begins, how a list comes, and how either side finds out that a life is over.

use super::asking::{Asking, WaitsFor, Want};
use super::replica::{Judged, Replica};
use super::timers::Timer;
use super::{CallId, Lobby, Moment, QUIET_MS, QUIET_SPREAD_MS, Way};
use facts::command::Command;
use facts::holder::Salt;
use facts::message::{Batch, Hello, Known, Listed, LobbyLife, Message, More, Page, RoomMemory, ToRoom, Welcome};
use facts::planted::{self, Bug};
use facts::units::{Instant, LobbyId, Number, Version};

/// The lobby's life, as the room knows it. A life has a name of its own; the last Hello in it is the one that counts, and only what answers that one is
/// taken in.
#[derive(Clone, Debug, Default)]
pub(super) struct Link {
    lobby: LobbyId,
    life: LobbyLife,
    /// The stretch of the room's memory that knows this life.
    memory: RoomMemory,
    chance: u64,
    hellos: u32,
    state: State,
}

/// How far the lobby has come with its room in this life.
#[derive(Clone, Debug, Default)]
enum State {
    /// The lobby knows nothing and asks nothing: before the first event, and after another life has taken over.
    #[default]
    Silent,
    /// The lobby must say Hello, or has said it in this call.
    Hello(Option<CallId>),
    /// A list is coming, in pages. Until it is whole, nobody is told anything by it.
    Listing(Box<Listing>),
    /// The replica is whole.
    Whole,
}

/// A list, whole or not yet.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    pub salt: Salt,
    /// The message with the first page. What has changed since then must still be asked for.
    pub first: Message,
    pub since: Instant,
    pub tickets: Vec<Listed>,
    /// The version of the last page that came.
    pub last: Version,
    call: Option<CallId>,
    next: Number,
}

/// What the room's answer to a Hello comes to.
pub(super) enum Come {
    /// The lobby knows the rest: this message says what changed, and whom of those who wait the room takes for away.
    Changes(Box<Message>, Vec<Number>),
    /// A list is whole.
    List(Box<Listing>),
}

impl Link {
    /// A lobby that has no life. `chance` is random; it makes its lives of it.
    pub fn new(lobby: LobbyId, chance: u64) -> Self {
        Self {
            lobby,
            chance,
            ..Self::default()
        }
    }

    pub const fn life(&self) -> LobbyLife {
        self.life
    }

    pub const fn is_whole(&self) -> bool {
        matches!(self.state, State::Whole)
    }

    pub const fn is_silent(&self) -> bool {
        matches!(self.state, State::Silent)
    }

    /// Whether a Hello is to be said that is not out.
    pub const fn must_greet(&self) -> bool {
        matches!(self.state, State::Hello(None))
    }

    /// Whether this call is the Hello, or asks for the next page.
    pub fn is_out(&self, call: CallId) -> bool {
        match &self.state {
            State::Hello(out) => *out == Some(call),
            State::Listing(listing) => listing.call == Some(call),
            State::Silent | State::Whole => false,
        }
    }

    /// Begins another life.
    pub const fn begin(&mut self) {
        self.life = LobbyLife(next_chance(&mut self.chance));
        self.hellos = 0;
    }

    /// Makes another Hello necessary.
    pub fn greet(&mut self) {
        self.hellos += 1;
        self.state = State::Hello(None);
    }

    /// Makes the same Hello necessary again, because the room had no time for it.
    pub fn greet_again(&mut self) {
        self.state = State::Hello(None);
    }

    /// Ends the life.
    pub fn end(&mut self) {
        self.state = State::Silent;
    }

    /// Says Hello by `call`, or asks for the next page, unless that is out. `knows`: what the lobby knows whole.
    pub fn send(&mut self, knows: Option<Known>, call: impl FnOnce(ToRoom) -> CallId) {
        let (lobby, life) = (self.lobby, self.life);
        match &mut self.state {
            State::Hello(out @ None) => {
                let number = self.hellos;
                *out = Some(call(ToRoom::Hello(Hello { lobby, life, number, knows })));
            }
            State::Listing(listing) if listing.call.is_none() => {
                let (hello, from) = (self.hellos, listing.next);
                listing.call = Some(call(ToRoom::More(More { lobby, life, hello, from })));
            }
            _ => {}
        }
    }

    /// Notes that a call for a Hello or a page got no answer.
    pub fn lose_call(&mut self) {
        match &mut self.state {
            State::Hello(out) => *out = None,
            State::Listing(listing) => listing.call = None,
            State::Silent | State::Whole => {}
        }
    }

    /// Takes in the room's answer to a Hello. Returns `None` if it is to another one, or if pages are missing.
    pub fn welcome(&mut self, now: Instant, welcome: Welcome) -> Option<Come> {
        if welcome.number != self.hellos {
            return None;
        }
        self.memory = welcome.memory;
        let Some(page) = welcome.list else {
            self.state = State::Whole;
            return Some(Come::Changes(Box::new(welcome.message), welcome.away));
        };
        self.state = State::Listing(Box::new(Listing {
            salt: welcome.salt,
            last: welcome.message.version,
            first: welcome.message,
            since: now,
            tickets: Vec::new(),
            call: None,
            next: Number(0),
        }));
        self.page(page)
    }

    /// Takes in a page of a list. The list is used only once its last page is here: returns it then. A page older than the list's first is not part of it.
    pub fn page(&mut self, page: Page) -> Option<Come> {
        let State::Listing(listing) = &mut self.state else {
            return None;
        };
        listing.call = None;
        if page.hello != self.hellos || page.version < listing.first.version {
            return None;
        }
        listing.tickets.extend(page.tickets);
        listing.last = page.version;
        match page.next {
            Some(next) if !planted::is(Bug::ListTakenInParts) => listing.next = next,
            _ => {
                if let State::Listing(list) = core::mem::replace(&mut self.state, State::Whole) {
                    return Some(Come::List(list));
                }
            }
        }
        None
    }

    /// Makes a batch of this life.
    pub fn batch(&self, replica: &Replica, number: u64, attempts: u32, commands: Vec<Command>) -> Batch {
        Batch {
            lobby: self.lobby,
            life: self.life,
            room: replica.life(),
            memory: self.memory,
            number,
            since: replica.have(),
            attempts,
            commands,
        }
    }

    /// When to look at the room by itself next. The lobby's number spreads this, so that a hundred lobbies do not look at once.
    pub fn quiet_at(&self, now: Instant) -> Instant {
        let spread_ms = u64::from(self.lobby.0).wrapping_mul(7_919) % QUIET_SPREAD_MS;
        now.plus_ms(QUIET_MS + spread_ms)
    }
}

impl Lobby {
    /// Begins a life if there is none, because something happened that needs the room.
    pub(super) fn awake(&mut self, m: Moment) {
        if self.link.is_silent() {
            self.link.begin();
            self.batches.begin();
            self.says_hello(m);
        }
    }

    /// Tells the room that this life is there, and asks what it has missed. A batch that is out is given up.
    pub(super) fn says_hello(&mut self, m: Moment) {
        self.batches.lose(&mut self.asks, &mut self.replica);
        self.link.greet();
        self.send_hello(m);
    }

    /// Says Hello, or asks for the next page, unless the call is out already or must wait.
    pub(super) fn send_hello(&mut self, m: Moment) {
        if self.timers.has(Timer::Again) {
            return;
        }
        let Self { reach, timers, effects, .. } = self;
        let call = |ask| reach.call(m.now, ask, Way::Direct, timers, effects);
        self.link.send(self.replica.known(), call);
    }

    /// Goes on without the answer to a call.
    pub(super) fn no_answer(&mut self, now: Instant, is_batch: bool, is_check: bool, is_hello: bool) {
        if is_check {
            for asker in self.checks.lose() {
                self.gives_up(now, asker);
            }
        }
        if is_batch {
            self.batches.lose(&mut self.asks, &mut self.replica);
        }
        if is_hello {
            self.link.lose_call();
        }
        if is_batch || is_hello {
            self.reach.try_again(now, &mut self.timers);
        }
    }

    /// Takes in what the lobby did not know yet, if it has come, and goes on with whoever waited for it.
    pub(super) fn takes(&mut self, m: Moment, come: Option<Come>) {
        let Some(come) = come else {
            return;
        };
        // The next batch tells the room that it has come.
        self.batches.look();
        match come {
            Come::Changes(message, away) => {
                // If something newer has come meanwhile, the lobby can't know whom the room takes for away.
                let is_news = self.hears(m, &message, m.now);
                if !planted::is(Bug::ResumedWithoutPresence) {
                    self.replica.hears_away(is_news.then_some(away.as_slice()));
                }
            }
            Come::List(list) => {
                let first = &list.first;
                self.guests.rekey(list.salt);
                self.replica.replace(first.life, &list.tickets, first.version, list.since);
                self.hears(m, first, list.since);
                self.guests.retell(&mut self.replica);
                self.guests.expect_all(m.now, &mut self.replica, &mut self.timers);
                // Its pages are of different rows, so the lobby asks what changed since the first before it tells anybody: a ticket that changed between
                // two pages may be here twice or not at all.
                if list.last > first.version && !planted::is(Bug::ListTakenInParts) {
                    return self.says_hello(m);
                }
            }
        }
        self.everybody_goes_on(m);
    }

    /// Forgets everything, because another life of this lobby has taken over. The lobby says nothing until something happens,
    /// or until a quiet time has passed while there are sockets.
    pub(super) fn depose(&mut self, now: Instant) {
        self.batches.clear();
        for asker in self.asks.askers(|_| true) {
            self.gives_up(now, asker);
        }
        self.replica.clear();
        self.picture.forget();
        self.link.end();
    }

    /// Takes in a message of the room. Returns `false` if the lobby knows something newer, or misses what came before it. O(changes · log tickets).
    pub(super) fn hears(&mut self, m: Moment, message: &Message, since: Instant) -> bool {
        match self.replica.judge(message) {
            Judged::Gap => {
                self.says_hello(m);
                false
            }
            Judged::Old => false,
            Judged::News => {
                self.replica.merge(message, since);
                self.picture.hear(m, message, self.guests.sockets(), &mut self.timers);
                true
            }
        }
    }

    /// Goes on with all asks that waited for the room's first message in this life. A wish that names a ticket is
    /// judged anew, since the ticket may be another by now.
    pub(super) fn everybody_goes_on(&mut self, m: Moment) {
        let goes_on = |asking: &Asking| match asking.waits_for {
            WaitsFor::News => true,
            WaitsFor::Wants(want) => !matches!(want, Want::Join | Want::WalkIn),
            WaitsFor::Sent(_) | WaitsFor::Check | WaitsFor::Held => false,
        };
        self.go_on(m, self.asks.askers(goes_on));
    }

    /// Looks at the room after a quiet time, or says Hello if there is no life. A lobby with sockets always has
    /// an alarm for this: it catches whatever was lost.
    pub(super) fn look_if_quiet(&mut self, m: Moment) {
        if self.link.is_whole() {
            self.batches.look();
        }
        self.awake(m);
    }
}

/// Takes one step of splitmix64 (Steele, Lea and Flood, 2014) over a seed from the object's dice. Lives must differ; they need no secrecy.
const fn next_chance(chance: &mut u64) -> u64 {
    *chance = chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*chance ^ (*chance >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::next_chance;

    /// The numbers are those that the authors' C code prints.
    #[test]
    fn lives_are_chosen_as_splitmix64_does() {
        let mut chance = 1_234_567;
        let chosen: Vec<u64> = (0..3).map(|_| next_chance(&mut chance)).collect();
        assert_eq!(chosen, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
