//! The lobby's link to its room: how a life begins, how a list comes, and how either side finds out that a life is over.

use super::asking::{Asking, WaitsFor, Want};
use super::replica::Judged;
use super::timers::Timer;
use super::{CallId, Lobby, Moment, QUIET_MS, QUIET_SPREAD_MS, Way};
use facts::holder::Salt;
use facts::message::{FromRoom, Heard, Hello, Listed, LobbyLife, Message, More, Page, Refusal, ToLobby, ToRoom, Welcome};
use facts::planted::{self, Bug};
use facts::units::{Instant, Number, Version};

/// How far the lobby has come with its room in this life.
#[derive(Clone, Debug, Default)]
pub(super) enum Link {
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

/// A list that is not whole yet.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    salt: Salt,
    /// The message with the first page. What has changed since then must still be asked for.
    first: Message,
    since: Instant,
    tickets: Vec<Listed>,
    call: Option<CallId>,
    next: Number,
}

impl Link {
    pub const fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }
}

impl Lobby {
    /// Begins a life if there is none, because something happened that needs the room.
    pub(super) fn awake(&mut self, m: Moment) {
        if matches!(self.link, Link::Silent) {
            self.life = LobbyLife(next_chance(&mut self.chance));
            self.hellos = 0;
            self.batches.begin();
            self.says_hello(m);
        }
    }

    /// Tells the room that this life is there, and asks what it has missed. A batch that is out is given up.
    pub(super) fn says_hello(&mut self, m: Moment) {
        self.batches.lose(&mut self.asks, &mut self.replica);
        self.hellos += 1;
        self.link = Link::Hello(None);
        self.send_hello(m);
    }

    /// Says Hello, or asks for the next page, unless the call is out already or must wait.
    pub(super) fn send_hello(&mut self, m: Moment) {
        if self.timers.has(Timer::Again) {
            return;
        }
        match &self.link {
            Link::Hello(None) => {
                let hello = Hello {
                    lobby: self.id,
                    life: self.life,
                    number: self.hellos,
                    knows: self.replica.known(),
                };
                self.link = Link::Hello(Some(self.call(m.now, ToRoom::Hello(hello))));
            }
            Link::Listing(listing) if listing.call.is_none() => {
                let more = More {
                    lobby: self.id,
                    life: self.life,
                    hello: self.hellos,
                    from: listing.next,
                };
                let call = self.call(m.now, ToRoom::More(more));
                if let Link::Listing(listing) = &mut self.link {
                    listing.call = Some(call);
                }
            }
            _ => {}
        }
    }

    /// Hands a question to the driver, which asks the room directly.
    fn call(&mut self, now: Instant, ask: ToRoom) -> CallId {
        self.reach.call(now, ask, Way::Direct, &mut self.timers, &mut self.effects)
    }

    /// Takes in the room's answer to a call, or that none came (`None`). Ignores an answer that nobody waits for any more.
    pub fn handle_answer(&mut self, m: Moment, call: CallId, answer: Option<FromRoom>) {
        if !self.reach.end(call, answer.is_some(), &mut self.timers) {
            return;
        }
        let is_batch = self.batches.is_out(call);
        let is_check = self.checks.is_out(call);
        let is_hello = match &self.link {
            Link::Hello(out) => *out == Some(call),
            Link::Listing(listing) => listing.call == Some(call),
            Link::Silent | Link::Whole => false,
        };
        if is_batch && answer.is_none() && self.batches.is_with_porter() {
            // What is still wanted goes to the room directly at once, and so does everything else for a while.
            self.reach.rest_porter(m.now);
            self.batches.lose(&mut self.asks, &mut self.replica);
            return self.settle(m);
        }
        match answer {
            Some(FromRoom::Answer(answer)) if is_batch => self.batch_answered(m, &answer),
            Some(FromRoom::Leases(leases)) if is_check => {
                let asked = self.checks.hear(self.replica.edition(), &leases, &mut self.asks);
                self.proceed_all(m, asked);
            }
            Some(FromRoom::Welcome(welcome)) if is_hello => self.welcomed(m, *welcome),
            Some(FromRoom::Page(page)) if is_hello => self.page_comes(m, page),
            Some(FromRoom::Refused(Refusal::Version)) if is_check && planted::is(Bug::RefusedCheckPasses) => {
                let asked = self.checks.pass(m.now, self.picture.lanes().gist().lease_idle_ms, &mut self.asks);
                self.proceed_all(m, asked);
            }
            Some(FromRoom::Later(wait_ms)) if is_hello => {
                self.link = Link::Hello(None);
                self.timers.set(Timer::Again, m.now.plus_ms(wait_ms));
            }
            Some(FromRoom::Refused(Refusal::Unknown)) if is_batch || is_hello => self.says_hello(m),
            Some(FromRoom::Refused(Refusal::Deposed)) if is_batch || is_hello => self.depose(m.now),
            _ => self.handle_no_answer(m.now, is_batch, is_check, is_hello),
        }
        self.settle(m);
    }

    fn handle_no_answer(&mut self, now: Instant, is_batch: bool, is_check: bool, is_hello: bool) {
        if is_check {
            for asker in self.checks.lose() {
                self.gives_up(now, asker);
            }
        }
        if is_batch {
            self.batches.lose(&mut self.asks, &mut self.replica);
        }
        if is_hello {
            match &mut self.link {
                Link::Hello(out) => *out = None,
                Link::Listing(listing) => listing.call = None,
                Link::Silent | Link::Whole => {}
            }
        }
        if is_batch || is_hello {
            self.reach.try_again(now, &mut self.timers);
        }
    }

    /// Takes in the room's answer to a Hello.
    fn welcomed(&mut self, m: Moment, welcome: Welcome) {
        if welcome.number != self.hellos {
            return;
        }
        let Welcome {
            memory,
            salt,
            list,
            away,
            message,
            ..
        } = welcome;
        self.memory = memory;
        match list {
            None => {
                self.link = Link::Whole;
                self.batches.look();
                // If something newer has come meanwhile, the lobby can't know whom the room takes for away.
                let is_news = self.hears(m, &message, m.now);
                if !planted::is(Bug::ResumedWithoutPresence) {
                    self.replica.hears_away(is_news.then_some(away.as_slice()));
                }
                self.everybody_goes_on(m);
            }
            Some(page) => {
                self.link = Link::Listing(Box::new(Listing {
                    salt,
                    first: message,
                    since: m.now,
                    tickets: Vec::new(),
                    call: None,
                    next: Number(0),
                }));
                self.page_comes(m, page);
            }
        }
    }

    /// Takes in a page of a list. The list is used only once its last page is here. A page older than the list's first is not part of it.
    fn page_comes(&mut self, m: Moment, page: Page) {
        let Link::Listing(listing) = &mut self.link else {
            return;
        };
        listing.call = None;
        if page.hello != self.hellos || page.version < listing.first.version {
            return;
        }
        listing.tickets.extend(page.tickets);
        match page.next {
            Some(next) if !planted::is(Bug::ListTakenInParts) => listing.next = next,
            _ => self.list_is_here(m, page.version),
        }
    }

    /// Takes in a whole list. Its pages are of different rows, so the lobby asks what changed since the first before it tells anybody.
    fn list_is_here(&mut self, m: Moment, last: Version) {
        let Link::Listing(listing) = core::mem::take(&mut self.link) else {
            return;
        };
        let first = &listing.first;
        self.link = Link::Whole;
        // The next batch tells the room that the list has come.
        self.batches.look();
        self.guests.rekey(listing.salt);
        self.replica.replace(first.life, &listing.tickets, first.version, listing.since);
        self.hears(m, first, listing.since);
        self.guests.retell(&mut self.replica);
        self.guests.expect_all(m.now, &mut self.replica, &mut self.timers);
        if last > first.version && !planted::is(Bug::ListTakenInParts) {
            // A ticket that changed between two pages may be here twice or not at all.
            return self.says_hello(m);
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
        self.link = Link::Silent;
    }

    /// Takes in what the room says unasked. Returns the lobby's answer, to be sent once every effect was carried out.
    pub fn handle_push(&mut self, m: Moment, said: &ToLobby) -> Heard {
        match said {
            ToLobby::Poke => match self.link {
                Link::Whole => self.says_hello(m),
                // The room is there, and may want this lobby before the time that it told.
                Link::Hello(None) => self.timers.cancel(Timer::Again),
                Link::Hello(Some(_)) | Link::Listing(_) | Link::Silent => {}
            },
            ToLobby::Push(message) if message.to == self.life => {
                if self.link.is_whole() {
                    self.hears(m, message, m.now);
                }
            }
            // The push is meant for another life: either that life is dead, or this one was deposed.
            ToLobby::Push(_) => {
                if self.link.is_whole() {
                    self.says_hello(m);
                }
            }
        }
        self.awake(m);
        self.settle(m);
        Heard {
            life: self.life,
            acknowledged: self.link.is_whole().then(|| self.replica.have()),
            is_watched: self.guests.are_there(),
            lanes: self.replica.lanes(),
        }
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
                self.picture.hear(m.now, message, self.guests.sockets(), &mut self.timers);
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
        match self.link {
            Link::Silent => self.awake(m),
            Link::Whole => self.batches.look(),
            Link::Hello(_) | Link::Listing(_) => {}
        }
    }

    /// When to look by itself next. The lobby's number spreads this, so that a hundred lobbies do not look at once.
    pub(super) fn quiet_at(&self, now: Instant) -> Instant {
        let spread_ms = u64::from(self.id.0).wrapping_mul(7_919) % QUIET_SPREAD_MS;
        now.plus_ms(QUIET_MS + spread_ms)
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
