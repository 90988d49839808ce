//! Every state that a scene leads to, breadth first, by as many threads as there are cores.

use crate::judge;
use crate::world::{Step, World};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Keys that were seen, apart by their lowest bits so that threads hardly wait for each other.
struct Seen(Vec<Mutex<HashSet<u128>>>);

impl Seen {
    fn new() -> Self {
        Self((0..64).map(|_| Mutex::default()).collect())
    }

    /// Whether it is new.
    fn insert(&self, key: u128) -> bool {
        let shard = &self.0[key as usize % self.0.len()];
        shard.lock().expect("no thread failed").insert(key)
    }

    fn has(&self, key: u128) -> bool {
        let shard = &self.0[key as usize % self.0.len()];
        shard.lock().expect("no thread failed").contains(&key)
    }
}

/// A state by the way to it, since a world takes a hundred times as much memory: from which one, by which step.
#[derive(Clone, Copy)]
struct Node {
    from: u32,
    step: Option<Step>,
}

/// When a search ends.
#[derive(Clone, Copy)]
pub enum Until {
    /// So many states were looked at.
    States(usize),
    /// So much time is over.
    Time(Duration),
}

/// What a search has looked at.
#[derive(Debug)]
pub struct Found {
    pub states: usize,
    /// Of which every edge was walked, and from which everything settles.
    pub whole: usize,
    pub edges: usize,
    /// Of every state within so many steps it is known that all laws hold; from those one step nearer everything settles.
    pub depth: usize,
    /// There is no other state.
    pub closed: bool,
}

struct Search<'a> {
    scene: &'a str,
    nodes: Vec<Node>,
    seen: Seen,
    /// From these everything settles.
    settled: Seen,
}

impl Search<'_> {
    fn way(&self, mut at: usize) -> Vec<Step> {
        let mut way = Vec::new();
        while let Some(step) = self.nodes[at].step {
            way.push(step);
            at = self.nodes[at].from as usize;
        }
        way.reverse();
        way
    }

    /// Looks at one state; what is new behind it, and how many edges lead on.
    fn look(&self, first: &World, at: usize) -> (Vec<Node>, usize) {
        let way = self.way(at);
        let mut world = first.clone();
        way.iter().for_each(|step| world.act(*step));
        let fails = |broken: String, last: Option<Step>| -> ! {
            let steps = way.iter().copied().chain(last);
            let steps: Vec<String> = steps.map(|step| format!("{step:?}")).collect();
            panic!("{broken}\n  after: {}\n  then: {}", self.scene, steps.join(", "));
        };
        let mut passed = Vec::new();
        let known = |world: &World| {
            let key = world.key();
            passed.push(key);
            self.settled.has(key)
        };
        judge::settles(world.clone(), known).unwrap_or_else(|broken| fails(broken, None));
        for key in passed {
            self.settled.insert(key);
        }
        let steps = world.steps();
        let edges = steps.len();
        let mut new = Vec::new();
        for step in steps {
            let mut after = world.clone();
            after.act(step);
            judge::holds(&after).unwrap_or_else(|broken| fails(broken, Some(step)));
            if self.seen.insert(after.key()) {
                let (from, step) = (at as u32, Some(step));
                new.push(Node { from, step });
            }
        }
        (new, edges)
    }
}

/// Searches from a scene.
///
/// Long because the threads of one level share what stands above them, and a scope keeps them in one place.
pub fn search(scene: &str, until: Until) -> Found {
    crate::plants();
    let began = Instant::now();
    let mut first = World::new();
    first.play(scene);
    let mut search = Search {
        scene,
        nodes: vec![Node { from: 0, step: None }],
        seen: Seen::new(),
        settled: Seen::new(),
    };
    search.seen.insert(first.key());
    let (next, edges) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_over = |looked: usize| match until {
        Until::States(states) => looked >= states,
        Until::Time(time) => began.elapsed() >= time,
    };
    let mut depth = 0;
    loop {
        let end = search.nodes.len();
        let work = &|first: World| {
            crate::plants();
            let mut new = Vec::new();
            while !is_over(next.load(Ordering::Relaxed)) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= end {
                    break;
                }
                let (more, of_it) = search.look(&first, at);
                new.extend(more);
                edges.fetch_add(of_it, Ordering::Relaxed);
            }
            new
        };
        let new: Vec<Node> = std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().map_or(1, Into::into);
            let threads = (0..cores).map(|_| {
                let first = first.clone();
                scope.spawn(move || work(first))
            });
            let threads: Vec<_> = threads.collect();
            let ended = threads.into_iter().map(|thread| match thread.join() {
                Ok(new) => new,
                Err(failed) => std::panic::resume_unwind(failed),
            });
            ended.flatten().collect()
        });
        let looked = next.load(Ordering::Relaxed);
        let whole = looked.min(end);
        let (is_level_over, closed) = (looked >= end, looked >= end && new.is_empty());
        next.store(whole, Ordering::Relaxed);
        search.nodes.extend(new);
        depth += usize::from(is_level_over && !closed);
        if closed || !is_level_over {
            return Found {
                states: search.nodes.len(),
                whole,
                edges: edges.load(Ordering::Relaxed),
                depth,
                closed,
            };
        }
    }
}
