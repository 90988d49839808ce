//! A crowd that comes to many isolates, in simulated time: the real pace and the real books, with requests that take their time on
//! the way. What a page, its socket and its first look for a free permit cost is what the front does.

use baton::gate::{Bookings, Load, Pace, Report, spread_s};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// How people come: within so many ms.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Even(u64),
    Rising(u64),
    Falling(u64),
    /// Half of them within this, the other half so much later.
    Twice(u64, u64),
}

impl Shape {
    fn at_ms(self, rng: &mut fastrand::Rng) -> u64 {
        let even = |rng: &mut fastrand::Rng, ms: u64| rng.u64(0..ms.max(1));
        match self {
            Self::Even(ms) => even(rng, ms),
            Self::Rising(ms) => even(rng, ms).max(even(rng, ms)),
            Self::Falling(ms) => even(rng, ms).min(even(rng, ms)).min(even(rng, ms)),
            Self::Twice(ms, later_ms) => even(rng, ms) + if rng.bool() { later_ms } else { 0 },
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    pub seed: u64,
    pub people: usize,
    pub lobbies: u64,
    pub isolates: usize,
    /// Some isolates have much more of the crowd than others.
    pub is_uneven: bool,
    pub round_trip_ms: u64,
    /// Whether strangers ask for a free permit, which nobody gets.
    pub walk_in: bool,
    /// Whether pages do as they are told, or open their sockets at once.
    pub is_paced: bool,
    pub shape: Shape,
}

#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Requests to one lobby within a second.
    pub most_per_s: usize,
    /// When the last page had asked.
    pub last_ms: u64,
    /// What a page waited on average.
    pub mean_ms: u64,
    /// Pages that did not wait.
    pub unspread: usize,
    /// The longest wait.
    pub longest_ms: u64,
    /// What it had to, on average, were lobbies asked 600 times a second from the first page on.
    pub ideal_ms: u64,
}

/// A page loads its script before it does anything.
const LOADS_MS: (u64, u64) = (100, 500);
/// For so long a front believes that nobody can walk in.
const TICK_MS: u64 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A page is asked for.
    Page(usize),
    /// A socket is asked for.
    Socket(usize),
    /// A request of an isolate is at a lobby: by index into what was sent.
    At(usize),
    /// Its answer is back.
    Back(usize),
}

struct Sent {
    isolate: usize,
    lobby: usize,
    report: Option<Report>,
    load: Load,
    /// Whether a page is filled when the answer is back.
    fills: bool,
    is_socket: bool,
}

struct Isolate {
    pace: Pace,
    full_at_ms: Option<u64>,
    way_ms: u64,
}

struct World<'a> {
    crowd: &'a Crowd,
    rng: fastrand::Rng,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    order: u64,
    isolates: Vec<Isolate>,
    shares: Vec<f64>,
    books: Vec<Bookings>,
    asked: Vec<VecDeque<u64>>,
    sent: Vec<Sent>,
    seen: Seen,
    waited_ms: u64,
}

pub fn play(crowd: &Crowd) -> Seen {
    let mut rng = fastrand::Rng::with_seed(crowd.seed);
    let mut shares = Vec::new();
    let mut sum = 0.0;
    for at in 0..crowd.isolates {
        sum += if crowd.is_uneven { 1.0 / (1.0 + at as f64).sqrt() } else { 1.0 };
        shares.push(sum);
    }
    let isolates = (0..crowd.isolates)
        .map(|_| Isolate {
            pace: Pace::default(),
            full_at_ms: None,
            way_ms: rng.u64(crowd.round_trip_ms / 4..=crowd.round_trip_ms / 2),
        })
        .collect();
    let lobbies = crowd.lobbies as usize;
    let mut world = World {
        crowd,
        rng,
        events: BinaryHeap::new(),
        order: 0,
        isolates,
        shares,
        books: vec![Bookings::default(); lobbies],
        asked: vec![VecDeque::new(); lobbies],
        sent: Vec::new(),
        seen: Seen::default(),
        waited_ms: 0,
    };
    let start_ms = 1_700_000_000_000;
    let mut times: Vec<u64> = (0..crowd.people).map(|_| crowd.shape.at_ms(&mut world.rng)).collect();
    times.sort_unstable();
    let mut free = 0;
    let mut waits = 0;
    for at in &times {
        let came = *at * 600 * crowd.lobbies;
        waits += free.max(came) - came;
        free = free.max(came) + 1_000;
    }
    world.seen.ideal_ms = waits / (600 * crowd.lobbies) / crowd.people as u64;
    for at in times {
        let isolate = world.isolate();
        world.plan(start_ms + at, Event::Page(isolate));
    }
    while let Some(Reverse((at_ms, _, event))) = world.events.pop() {
        world.happens(at_ms, event);
    }
    world.seen.last_ms -= start_ms;
    world.seen.mean_ms = world.waited_ms / crowd.people as u64;
    world.seen
}

impl World<'_> {
    fn plan(&mut self, at_ms: u64, event: Event) {
        self.order += 1;
        self.events.push(Reverse((at_ms, self.order, event)));
    }

    fn isolate(&mut self) -> usize {
        let last = *self.shares.last().unwrap();
        let at = self.rng.f64() * last;
        self.shares.partition_point(|share| *share < at).min(self.shares.len() - 1)
    }

    fn happens(&mut self, now_ms: u64, event: Event) {
        match event {
            Event::Page(at) => self.page(now_ms, at),
            Event::Socket(at) => self.send(now_ms, at, false, true),
            Event::At(sent) => self.at(now_ms, sent),
            Event::Back(sent) => self.back(now_ms, sent),
        }
    }

    fn at(&mut self, now_ms: u64, at: usize) {
        let sent = &mut self.sent[at];
        let asked = &mut self.asked[sent.lobby];
        asked.push_back(now_ms);
        while asked.front().is_some_and(|at| at + 1_000 <= now_ms) {
            asked.pop_front();
        }
        self.seen.most_per_s = self.seen.most_per_s.max(asked.len());
        if sent.is_socket {
            self.seen.last_ms = now_ms;
        }
        let pages = sent.report.map_or(0, |report| report.pages);
        sent.load = self.books[sent.lobby].book(now_ms, pages, u64::from(!sent.is_socket));
        let back_ms = now_ms + self.isolates[sent.isolate].way_ms;
        self.plan(back_ms, Event::Back(at));
    }

    fn back(&mut self, now_ms: u64, at: usize) {
        let Sent {
            isolate: of,
            report,
            load,
            fills,
            ..
        } = self.sent[at];
        let isolate = &mut self.isolates[of];
        if let Some(report) = report {
            isolate.pace.hear(report, load, self.crowd.lobbies as u16);
        }
        let asked_at_ms = now_ms - 2 * isolate.way_ms;
        isolate.full_at_ms = isolate.full_at_ms.max(Some(asked_at_ms));
        if fills {
            self.fill(now_ms, of);
        }
    }

    fn page(&mut self, now_ms: u64, at: usize) {
        let isolate = &mut self.isolates[at];
        let is_full = isolate.full_at_ms.is_some_and(|full_at| now_ms < full_at + TICK_MS);
        if self.crowd.walk_in && !is_full && isolate.pace.take_probe(now_ms) {
            self.send(now_ms, at, true, false);
        } else {
            self.fill(now_ms, at);
        }
    }

    fn fill(&mut self, now_ms: u64, at: usize) {
        let dice = [self.rng.u16(..), self.rng.u16(..)];
        let roll = self.rng.u64(..);
        let pace = &mut self.isolates[at].pace;
        let spread_s = spread_s(pace.wait_ms(now_ms, self.crowd.lobbies as u16, roll), dice);
        let tells = pace.is_untold(now_ms);
        let told_ms = (spread_s * 1_000).saturating_sub(self.rng.u64(0..1_000));
        let wait_ms = if self.crowd.is_paced { told_ms } else { 0 };
        self.seen.longest_ms = self.seen.longest_ms.max(wait_ms);
        self.waited_ms += wait_ms;
        self.seen.unspread += usize::from(spread_s == 0);
        if tells {
            self.send(now_ms, at, false, false);
        }
        let loads_ms = self.rng.u64(LOADS_MS.0..LOADS_MS.1);
        let socket_at = self.isolate();
        self.plan(now_ms + loads_ms + wait_ms, Event::Socket(socket_at));
    }

    fn send(&mut self, now_ms: u64, at: usize, fills: bool, is_socket: bool) {
        let report = self.isolates[at].pace.report(now_ms);
        // No `usize`: its width is the machine's, and a seed must mean the same crowd on each.
        let lobby = self.rng.u64(0..self.crowd.lobbies) as usize;
        let load = Load::default();
        self.sent.push(Sent {
            isolate: at,
            lobby,
            report,
            load,
            fills,
            is_socket,
        });
        let sent = self.sent.len() - 1;
        self.plan(now_ms + self.isolates[at].way_ms, Event::At(sent));
    }
}
