//! Collects what was done to a room, and when: what the operator changed, how doors and mode stood, draws, and when an origin in trouble kept people
//! from being called. No export says who at the desk did something.

use baton::facts::config::{Change, KEYS, RoomConfig};
use baton::facts::hall::{Door, Lot};
use baton::facts::schedule::StepEnd;
use baton::room::ramp::Ramps;
use baton::settings::{LiveValues, put};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most entries of each list. Further acts are counted; further doors, modes, draws and stops are dropped.
const ACTS_MAX: usize = 1_000;

/// What an operator did, at a desk, with a deploy or by a schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// Changed live values.
    Adjusted {
        /// The changes.
        changes: Vec<Turned>,
    },
    /// A step of the schedule changed live values.
    Scheduled {
        /// The changes.
        changes: Vec<Turned>,
    },
    /// A step of the schedule could not be carried out.
    StepRefused {
        /// The step's moment, Unix ms.
        step_ms: u64,
        /// Why; left out in public.
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// A step of the schedule was past before the room knew of it.
    StepPassed {
        /// The step's moment, Unix ms.
        step_ms: u64,
    },
    /// Deployed other settings.
    Deployed {
        /// The changes.
        changes: Vec<Turned>,
    },
    /// Ended a ticket.
    Dismissed {
        /// The number; left out in public.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
        /// The lane, if the room has lanes; left out in public.
        #[serde(skip_serializing_if = "Option::is_none")]
        lane: Option<String>,
    },
    /// Began another edition.
    Reset {
        /// The number of places that ended.
        waiting: u64,
        /// The number of leases that ended.
        inside: u64,
    },
}

/// A setting whose value changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turned {
    /// Its name in the configuration.
    pub key: String,
    /// Its value before; null if there was none or it is not known.
    pub from: Value,
    /// Its value from then on; null if the deployment's holds.
    pub to: Value,
}

/// An act of the operator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Act {
    /// Wall clock, Unix ms.
    pub at_ms: u64,
    /// The row that says so.
    pub row: u64,
    /// What was done.
    #[serde(flatten)]
    pub what: What,
}

/// How something stood from a moment on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stood<T> {
    /// Wall clock, Unix ms.
    pub at_ms: u64,
    /// The lane, if the room has lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// How it stood.
    pub is: T,
}

/// A draw, or one that is still to come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawing {
    /// When the hall began and the seed was committed to: wall clock, Unix ms.
    pub committed_ms: u64,
    /// The row that committed to the seed.
    pub committed_row: u64,
    /// The lane, if the room has lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// SHA-256 of the seed, hex.
    pub commitment: String,
    /// What came of it; null if there was no draw yet.
    pub drawn: Option<Drawn>,
}

/// A draw that was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawn {
    /// Wall clock, Unix ms.
    pub at_ms: u64,
    /// The row that says so.
    pub row: u64,
    /// `shuffle` or `arrival`.
    pub way: &'static str,
    /// The seed from which the order follows, hex.
    pub seed: String,
    /// The first number.
    pub first: u64,
    /// The number of numbers.
    pub count: u64,
}

impl Drawing {
    /// Makes a draw that is to come: its seed was committed to.
    #[must_use]
    pub fn committed((at_ms, row): (u64, u64), lane: Option<String>, lot: Lot) -> Self {
        Self {
            lane,
            committed_ms: at_ms,
            committed_row: row,
            commitment: lot.commitment.to_string(),
            drawn: None,
        }
    }
}

/// Everything that was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Acts {
    /// The operator's acts.
    pub acts: Vec<Act>,
    /// How many more there were, which are not told.
    pub acts_more: u64,
    /// How the doors stood.
    pub doors: Vec<Stood<Door>>,
    /// The mode, from the first on.
    pub modes: Vec<Stood<&'static str>>,
    /// The draws.
    pub draws: Vec<Drawing>,
    /// The times in which the origin's errors kept everybody from being called: from and to, wall clock, Unix ms.
    pub stops: Vec<(u64, u64)>,
}

fn push<T>(list: &mut Vec<T>, one: T) -> bool {
    let fits = list.len() < ACTS_MAX;
    if fits {
        list.push(one);
    }
    fits
}

impl Acts {
    /// Records that the operator did something.
    pub fn act(&mut self, (at_ms, row): (u64, u64), what: What) {
        if !push(&mut self.acts, Act { at_ms, row, what }) {
            self.acts_more += 1;
        }
    }

    /// Records that the room dealt with the schedule's step of `step_ms`. What the step changed was recorded right before, for the same row.
    pub fn step(&mut self, when: (u64, u64), step_ms: u64, end: &StepEnd) {
        let what = match end {
            StepEnd::Done => return self.by_schedule(when.1),
            StepEnd::Refused(why) => What::StepRefused {
                step_ms,
                why: Some(why.clone()),
            },
            StepEnd::Passed => What::StepPassed { step_ms },
        };
        self.act(when, what);
    }

    /// Marks the last change of live values, if it is of this row, as the schedule's and nobody's at a desk.
    fn by_schedule(&mut self, row: u64) {
        if let Some(act) = self.acts.last_mut()
            && act.row == row
            && let What::Adjusted { changes } = &mut act.what
        {
            let changes = core::mem::take(changes);
            act.what = What::Scheduled { changes };
        }
    }

    /// Records that a lane's door stands like this from now on.
    pub fn door(&mut self, at_ms: u64, lane: Option<String>, is: Door) {
        push(&mut self.doors, Stood { at_ms, lane, is });
    }

    /// Records that the mode is this from now on, if it was not already.
    pub fn mode(&mut self, at_ms: u64, is: &'static str) {
        if self.modes.last().map(|last| last.is) != Some(is) {
            let lane = None;
            push(&mut self.modes, Stood { at_ms, lane, is });
        }
    }

    /// Records a draw that was made or is to come.
    pub fn draw(&mut self, draw: Drawing) {
        push(&mut self.draws, draw);
    }

    /// Records that nobody is called until then, because the origin fails.
    pub fn stopped(&mut self, at_ms: u64, until_ms: u64) {
        match self.stops.last_mut() {
            Some((_, end_ms)) if *end_ms >= at_ms => *end_ms = until_ms,
            _ => {
                push(&mut self.stops, (at_ms, until_ms));
            }
        }
    }

    /// Returns this without anything that names a ticket or an operator's mistake.
    #[must_use]
    pub fn public(mut self) -> Self {
        for act in &mut self.acts {
            match &mut act.what {
                What::Dismissed { number, lane } => (*number, *lane) = (None, None),
                What::StepRefused { why, .. } => *why = None,
                _ => {}
            }
        }
        self
    }
}

/// The values of a room's settings, by their names in the configuration.
pub type Settings = BTreeMap<&'static str, Value>;

/// Returns the name of the core's field that a setting with a plain value sets. A field of another name has thousandths of what an operator writes.
#[must_use]
pub fn field_of(setting: &str) -> String {
    match setting.strip_suffix("_s") {
        Some(_) if setting == "admissions_per_s" => "admissions_milli_per_s".to_owned(),
        Some(stem) => format!("{stem}_ms"),
        None => setting.to_owned(),
    }
}

/// Returns the room's settings, as an operator writes them. Dates are Unix ms.
#[must_use]
pub fn settings(config: &RoomConfig) -> Settings {
    let fields = json!(config);
    let field = |name: &str| fields.get(name).cloned();
    let thousandth = |value: Value| match value.as_u64() {
        Some(whole) if whole.is_multiple_of(1_000) => json!(whole / 1_000),
        Some(parts) => json!(parts as f64 / 1_000.0),
        None => value,
    };
    let dates = |of: fn(&baton::facts::hours::Period) -> u64| {
        let dates = config.periods.iter().map(of);
        json!(dates.filter(|ms| *ms != 0 && *ms != u64::MAX).collect::<Vec<u64>>())
    };
    let value = |name: &str| match name {
        "opens_at" => Some(dates(|period| period.opens_at_ms)),
        "closes_at" => Some(dates(|period| period.closes_at_ms)),
        _ => {
            let own = field_of(name);
            field(&own).map(|value| if own == name { value } else { thousandth(value) })
        }
    };
    let named = KEYS.iter().map(|key| key.name);
    named.filter_map(|name| Some((name, value(name)?))).collect()
}

/// The live values in force, and what a change of settings says.
#[derive(Clone, Debug, Default)]
pub struct Values {
    live: LiveValues,
}

impl Values {
    /// Takes the operator's changes of live values, which led the settings from `before` to `after`.
    pub fn adjust(&mut self, values: &[Change], before: &Settings, after: &Settings) -> What {
        put(&mut self.live, values);
        let turned = |change: &Change| {
            let key = change.key().name();
            let of = |settings: &Settings| settings.get(key).cloned().unwrap_or_default();
            Turned {
                key: key.to_owned(),
                from: of(before),
                to: if change.is_set() { change.written() } else { of(after) },
            }
        };
        What::Adjusted {
            changes: values.iter().map(turned).collect(),
        }
    }

    /// Returns the deploy that led the settings from `before` to `after`, given that no operator at a desk did. A ramp's step is left
    /// out: a live value said it.
    pub fn deployed(&self, before: &Settings, after: &Settings) -> Option<What> {
        let ramps = Ramps::of(self.live.values());
        let is_ramp = |key: &str| match key {
            "permits" => ramps.permits.is_some(),
            "admissions_per_s" => ramps.admissions_milli_per_s.is_some(),
            _ => false,
        };
        let changed = after.iter().filter(|(key, to)| before.get(*key) != Some(to) && !is_ramp(key));
        let changes: Vec<Turned> = changed
            .map(|(key, to)| Turned {
                key: (*key).to_owned(),
                from: before.get(key).cloned().unwrap_or_default(),
                to: to.clone(),
            })
            .collect();
        (!changes.is_empty()).then_some(What::Deployed { changes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton::facts::live::Ramped;
    use baton::facts::units::Instant;

    #[test]
    fn every_setting_has_a_value_by_its_own_name() {
        let config = RoomConfig {
            tick_ms: 200,
            admissions_milli_per_s: 1_500,
            grace_ms: 600_000,
            ..RoomConfig::default()
        };
        let told = settings(&config);
        assert_eq!(told.len(), KEYS.len(), "{told:?}");
        assert_eq!(told.get("tick_ms"), Some(&json!(200)));
        assert_eq!(told.get("grace_s"), Some(&json!(600)));
        assert_eq!(told.get("admissions_per_s"), Some(&json!(1.5)));
        assert_eq!(told.get("mode"), Some(&json!("open")));
        assert_eq!(told.get("draw"), Some(&json!("shuffle")));
    }

    #[test]
    fn what_a_schedule_did_is_not_told_as_done_at_a_desk() {
        let adjusted = || What::Adjusted { changes: vec![] };
        let mut acts = Acts::default();
        acts.act((1, 1), adjusted());
        acts.step((2, 2), 2, &StepEnd::Done);
        acts.act((3, 3), adjusted());
        acts.step((3, 3), 3, &StepEnd::Done);
        acts.step((4, 4), 4, &StepEnd::Refused("permits: at most 9".to_owned()));
        acts.step((5, 5), 1, &StepEnd::Passed);
        let told = |acts: &Acts| acts.acts.iter().map(|act| act.what.clone()).collect::<Vec<_>>();
        let refused = |why: Option<&str>| What::StepRefused {
            step_ms: 4,
            why: why.map(str::to_owned),
        };
        let as_told = |why| {
            let by_schedule = What::Scheduled { changes: vec![] };
            vec![adjusted(), by_schedule, refused(why), What::StepPassed { step_ms: 1 }]
        };
        assert_eq!(told(&acts), as_told(Some("permits: at most 9")));
        assert_eq!(told(&acts.public()), as_told(None));
    }

    #[test]
    fn a_ramps_steps_are_not_told_as_deploys() {
        let of = |permits| {
            settings(&RoomConfig {
                permits,
                ..RoomConfig::default()
            })
        };
        let mut values = Values::default();
        let change = [Change::Permits(Some(Ramped::Ramp {
            from: Some(10),
            to: 40,
            over_ms: 60_000,
            since: Some(Instant(1)),
        }))];
        let told = values.adjust(&change, &of(10), &of(10));
        let What::Adjusted { changes } = told else {
            return assert!(matches!(told, What::Adjusted { .. }));
        };
        let from: Vec<&Value> = changes.iter().map(|change| &change.from).collect();
        assert_eq!(from, [&json!(10)]);
        assert_eq!(values.deployed(&of(10), &of(20)), None);
        let back = [Change::Permits(None)];
        let told = values.adjust(&back, &of(40), &of(10));
        let to_file = matches!(&told, What::Adjusted { changes } if changes.iter().all(|c| c.to == json!(10)));
        assert!(to_file, "{told:?}");
        assert!(values.deployed(&of(10), &of(20)).is_some());
    }
}
