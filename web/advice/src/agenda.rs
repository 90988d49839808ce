//! The one event loop: what is planned happens in order of time, and within one moment in the order in which it was planned. A [`Scenario`] says what
//! can happen and what comes of it: a forecast's future, a simulated sale, a plan, whole worlds.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A place in the heap. It is small because a heap moves its elements about; what is planned stays where it is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    at: u64,
    turn: u64,
    slot: usize,
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.turn).cmp(&(self.at, self.turn))
    }
}

/// Everything that is planned. Times are in ms.
pub struct Agenda<W> {
    heap: BinaryHeap<Entry>,
    planned: Vec<Option<W>>,
    free: Vec<usize>,
    turns: u64,
}

impl<W> Default for Agenda<W> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            planned: Vec::new(),
            free: Vec::new(),
            turns: 0,
        }
    }
}

impl<W> Agenda<W> {
    /// Plans something. O(log planned).
    pub fn push(&mut self, at: u64, what: W) {
        self.turns += 1;
        let slot = self.free.pop().unwrap_or(self.planned.len());
        match self.planned.get_mut(slot) {
            Some(place) => *place = Some(what),
            None => self.planned.push(Some(what)),
        }
        let turn = self.turns;
        self.heap.push(Entry { at, turn, slot });
    }

    /// When the next thing happens; `None` if nothing is planned.
    #[must_use]
    pub fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|entry| entry.at)
    }

    fn pop(&mut self) -> Option<W> {
        let Entry { slot, .. } = self.heap.pop()?;
        self.free.push(slot);
        self.planned.get_mut(slot)?.take()
    }
}

/// What is played.
pub trait Scenario {
    /// What can be planned.
    type What;
    /// Why it ends before its time.
    type Stop;

    /// What is planned.
    fn agenda(&mut self) -> &mut Agenda<Self::What>;

    /// Takes in that it is this time now.
    fn passes(&mut self, at: u64);

    /// Plays what was planned for now.
    ///
    /// # Errors
    /// Returns why nothing more is played.
    fn happens(&mut self, what: Self::What) -> Result<(), Self::Stop>;

    /// When something comes by itself, such as an alarm of the room: before what is planned for the same time.
    fn comes_at(&self) -> Option<u64> {
        None
    }

    /// Plays what comes by itself now.
    ///
    /// # Errors
    /// Returns why nothing more is played.
    fn comes(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Whether anything more is played.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Plays what happens next, if it does by `until`. Returns false if nothing does. O(log planned) and what the scenario takes.
///
/// # Errors
/// Returns why nothing more is played.
pub fn step<S: Scenario>(scenario: &mut S, until: u64) -> Result<bool, S::Stop> {
    let comes_at = scenario.comes_at();
    let next = scenario.agenda().next_at().into_iter().chain(comes_at);
    let Some(at) = next.min().filter(|at| *at <= until) else {
        return Ok(false);
    };
    scenario.passes(at);
    if comes_at == Some(at) {
        scenario.comes()?;
    } else if let Some(what) = scenario.agenda().pop() {
        scenario.happens(what)?;
    }
    Ok(true)
}

/// Plays everything up to `until`, or until the scenario goes on no more.
///
/// # Errors
/// Returns why it ended before.
pub fn play<S: Scenario>(scenario: &mut S, until: u64) -> Result<(), S::Stop> {
    while scenario.goes_on() && step(scenario, until)? {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told {
        agenda: Agenda<&'static str>,
        now: u64,
        alarm: Option<u64>,
        seen: Vec<(u64, &'static str)>,
    }

    impl Scenario for Told {
        type What = &'static str;
        type Stop = &'static str;

        fn agenda(&mut self) -> &mut Agenda<Self::What> {
            &mut self.agenda
        }

        fn passes(&mut self, at: u64) {
            self.now = at;
        }

        fn happens(&mut self, what: Self::What) -> Result<(), Self::Stop> {
            self.seen.push((self.now, what));
            match what {
                "stop" => Err(what),
                "plan" => {
                    self.agenda.push(self.now, "planned now");
                    Ok(())
                }
                _ => Ok(()),
            }
        }

        fn comes_at(&self) -> Option<u64> {
            self.alarm
        }

        fn comes(&mut self) -> Result<(), Self::Stop> {
            self.alarm = None;
            self.seen.push((self.now, "alarm"));
            Ok(())
        }

        fn goes_on(&self) -> bool {
            self.seen.len() < 7
        }
    }

    #[test]
    fn what_is_planned_for_one_moment_keeps_its_order_and_an_alarm_comes_first() {
        let mut told = Told::default();
        for (at, what) in [(5, "c"), (1, "a"), (5, "d"), (3, "plan"), (3, "b")] {
            told.agenda.push(at, what);
        }
        told.alarm = Some(5);
        assert_eq!(play(&mut told, 4), Ok(()));
        let begun = [(1, "a"), (3, "plan"), (3, "b"), (3, "planned now")];
        assert_eq!((told.seen.as_slice(), told.now), (begun.as_slice(), 3));
        assert_eq!(play(&mut told, 9), Ok(()));
        assert_eq!(told.seen[4..], [(5, "alarm"), (5, "c"), (5, "d")]);
        told.seen.clear();
        told.agenda.push(7, "stop");
        told.agenda.push(8, "never");
        assert_eq!(play(&mut told, 9), Err("stop"));
        assert_eq!(told.agenda.next_at(), Some(8));
    }
}
