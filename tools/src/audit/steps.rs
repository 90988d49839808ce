//! Checks the steps of the schedule at the head of a row: none before its time, and a step changes only what it says.

use super::schedule::LAW;
use super::turn::{FORM, Facts, UNDONE, Wrong};
use super::{Check, Watch, require};
use baton::facts::config::Change;
use baton::facts::event::Event;
use baton::facts::live::Ramped;
use baton::facts::schedule::{Step, StepEnd};

/// Returns true if a value is what the step says. A ramp in force also has where and when it began.
fn follows(said: &Change, is: &Change) -> bool {
    match (said, is) {
        (Change::Permits(Some(said)), Change::Permits(Some(is))) => leads(said, is),
        (Change::AdmissionsMilliPerS(Some(said)), Change::AdmissionsMilliPerS(Some(is))) => leads(said, is),
        _ => said == is,
    }
}

fn leads<T: Copy + PartialEq>(said: &Ramped<T>, is: &Ramped<T>) -> bool {
    match (*said, *is) {
        (
            Ramped::Ramp {
                from,
                to,
                over_ms,
                since: None,
            },
            Ramped::Ramp {
                from: Some(began_at),
                to: leads_to,
                over_ms: takes_ms,
                since: Some(_),
            },
        ) => (to, over_ms) == (leads_to, takes_ms) && from.is_none_or(|from| from == began_at),
        (said, is) => said == is,
    }
}

impl<W: Watch> Facts<'_, W> {
    /// Enters the steps at the head of the row, each with what it changed before it. Returns the facts after them.
    pub fn steps<'r>(&mut self, mut rest: &'r [Event]) -> Result<&'r [Event], Wrong> {
        while let Some((group, others)) = group_of(rest) {
            self.one_step(group)?;
            rest = others;
        }
        // An operator's change was judged by what was in force; a step that became due meanwhile comes with the next row.
        let is_operators = matches!(rest.last(), Some(Event::Adjusted { .. }));
        let due = self.step().map(|step| step.at_ms);
        let wall_ms = self.wall_ms();
        let is_kept = is_operators || due.is_none_or(|at_ms| at_ms > wall_ms);
        self.whole(require(UNDONE, is_kept, || format!("the step of {due:?} was due at {wall_ms}")))?;
        Ok(rest)
    }

    /// Enters one step: other settings, if the step leads to other ones; live values, if it sets other ones; and how it was dealt with.
    fn one_step(&mut self, group: &[Event]) -> Result<(), Wrong> {
        let mut rest = group;
        if let Some((configured @ Event::Configured(_), others)) = rest.split_first() {
            self.enter(configured)?;
            rest = self.line_ends(others)?;
        }
        if let Some((adjusted @ Event::Adjusted { values, .. }, others)) = rest.split_first() {
            let said = self.step().map_or(&[][..], |step| step.set.as_slice());
            self.next(only_what_it_says(said, values))?;
            self.enter(adjusted)?;
            rest = others;
        }
        let [scheduled @ Event::Scheduled { at_ms, end }] = rest else {
            return self.whole(require(FORM, false, || "a step of the schedule changes something twice".to_owned()));
        };
        self.next(self.in_time(*at_ms))?;
        if *end == StepEnd::Done {
            self.next(self.all_it_says())?;
        } else {
            self.next(require(FORM, group.len() == 1, || {
                "a step that was not carried out changes something".to_owned()
            }))?;
        }
        self.enter(scheduled)
    }

    fn step(&self) -> Option<&Step> {
        let config = self.ledger.config.as_ref()?;
        self.ledger.schedule.next(&config.schedule)
    }

    fn in_time(&self, at_ms: u64) -> Check {
        let wall_ms = self.wall_ms();
        require(LAW, at_ms <= wall_ms, || {
            format!("the step of {at_ms} was dealt with at {wall_ms}, before its time")
        })
    }

    /// Checks that everything that a step says is in force after it was carried out.
    fn all_it_says(&self) -> Check {
        let live = &self.ledger.schedule.live;
        let said = self.step().map_or(&[][..], |step| step.set.as_slice());
        let is_missing = |said: &&Change| match live.get(&said.key()) {
            Some(is) => !follows(said, is),
            None => said.is_set(),
        };
        let missing = said.iter().find(is_missing);
        require(LAW, missing.is_none(), || {
            format!("a step was carried out, and {missing:?} is not in force")
        })
    }
}

fn only_what_it_says(said: &[Change], values: &[Change]) -> Check {
    let is_said = |is: &&Change| {
        let said = said.iter().find(|said| said.key() == is.key());
        said.is_some_and(|said| follows(said, is))
    };
    let other = values.iter().find(|change| !is_said(change));
    require(LAW, other.is_none(), || format!("the step changed {other:?}, which it does not say"))
}

/// Splits these facts after the first step's, or returns `None` if they do not begin with a step.
fn group_of(events: &[Event]) -> Option<(&[Event], &[Event])> {
    let of_a_step = |event: &&Event| matches!(event, Event::Configured(_) | Event::LineEnded { .. } | Event::Adjusted { .. });
    let before = events.iter().take_while(of_a_step).count();
    let is_step = matches!(events.get(before), Some(Event::Scheduled { .. }));
    is_step.then(|| events.split_at(before + 1))
}
