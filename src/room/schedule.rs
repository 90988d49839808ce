//! The room's schedule: which step is next, and how each was dealt with. [`living`] knows the settings and works out what a step's values lead
//! to. This module remembers that it did, so that no step is ever carried out twice.

use facts::config::RoomConfig;
use facts::event::Event;
use facts::few::FewMap;
use facts::limits::{STEPS_MAX, WHY_BYTES_MAX};
use facts::planted::{self, Bug};
use facts::schedule::{Step, StepEnd};
use serde::{Deserialize, Serialize};

/// How far the room has come in its schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The latest moment of a step that was dealt with, Unix ms. No step up to it is ever looked at again.
    dealt_to_ms: u64,
    /// How the last steps were dealt with, by their moment; at most [`STEPS_MAX`].
    ended: FewMap<u64, StepEnd>,
}

impl Schedule {
    /// The steps in force that have not been dealt with, the next one first. O(steps).
    pub fn ahead<'c>(&self, config: &'c RoomConfig) -> impl Iterator<Item = &'c Step> + use<'c> {
        let dealt_to_ms = self.dealt_to_ms;
        let steps = config.schedule.iter();
        steps.filter(move |step| step.at_ms > dealt_to_ms)
    }

    /// When the next step is due, Unix ms; `None` if there is none. O(steps).
    #[must_use]
    pub fn due_ms(&self, config: &RoomConfig) -> Option<u64> {
        self.ahead(config).map(|step| step.at_ms).next()
    }

    /// Returns the facts that the steps were passed over whose time was over at `known_ms`, before the room had them. O(steps).
    #[must_use]
    pub fn passed(&self, config: &RoomConfig, known_ms: u64) -> Vec<Event> {
        let over = self.ahead(config).take_while(|step| step.at_ms <= known_ms);
        over.map(|step| ended(step.at_ms, StepEnd::Passed)).collect()
    }

    /// Returns every step in force, and how it stands. O(steps · log steps).
    #[must_use]
    pub fn told(&self, config: &RoomConfig) -> Vec<StepTold> {
        let told = |step: &Step| {
            let end = self.ended.get(&step.at_ms);
            let is_over = step.at_ms <= self.dealt_to_ms;
            let state = end.map_or(if is_over { "passed" } else { "due" }, StepEnd::name);
            StepTold {
                at_ms: step.at_ms,
                state: state.to_owned(),
                why: match end {
                    Some(StepEnd::Refused(why)) => Some(why.clone()),
                    _ => None,
                },
            }
        };
        config.schedule.iter().map(told).collect()
    }

    pub(super) fn end(&mut self, at_ms: u64, end: &StepEnd) {
        if !planted::is(Bug::StepTwice) {
            self.dealt_to_ms = self.dealt_to_ms.max(at_ms);
        }
        self.ended.insert(at_ms, end.clone());
        while self.ended.len() > STEPS_MAX {
            self.ended.pop_first();
        }
    }
}

/// A step as the operator is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTold {
    /// The moment of the step, Unix ms.
    pub at_ms: u64,
    /// `due` if it is still to come, `done`, `refused`, or `passed` if its time was over before the room knew of it.
    pub state: String,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Returns the fact that a step was dealt with. What the step changed must stand before this in the row.
#[must_use]
pub fn ended(at_ms: u64, end: StepEnd) -> Event {
    let end = match end {
        StepEnd::Refused(why) => StepEnd::Refused(cut(why)),
        end => end,
    };
    Event::Scheduled { at_ms, end }
}

/// Cuts a reason to at most [`WHY_BYTES_MAX`] bytes, between two characters.
fn cut(mut why: String) -> String {
    let end = (0..=WHY_BYTES_MAX.min(why.len())).rfind(|end| why.is_char_boundary(*end));
    why.truncate(end.unwrap_or_default());
    why
}
