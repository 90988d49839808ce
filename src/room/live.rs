//! Live values: what the operator changed while the room runs. They are in force instead of the deployment's until they are cleared.
//!
//! The room keeps them and who set them; it knows nothing of their keys. `src/settings/` turns them into the configuration by which the room decides.

use crate::facts::event::Change;
use crate::facts::limits::{BY_BYTES_MAX, VALUE_BYTES_MAX, VALUES_MAX};
use crate::facts::units::Instant;
use crate::ordered::filled;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One live value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveValue {
    /// The value as JSON.
    pub json: String,
    /// Who set it.
    pub by: String,
    /// When it was set, by the room's clock.
    pub at: Instant,
}

/// The live values of one room, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Counts up with each change, so that an operator who edits an older revision is told.
    pub revision: u64,
    /// The values in force instead of the file's.
    pub values: BTreeMap<String, LiveValue>,
    /// The values that the keys of the last change had before it; `None` is the file's. Setting them again undoes that change.
    pub before: BTreeMap<String, Option<String>>,
}

impl Live {
    /// Returns why these changes are refused (too many, or too long), or `None` if they may be made.
    #[must_use]
    pub fn refuses(&self, by: &str, changes: &[Change]) -> Option<&'static str> {
        let new = changes
            .iter()
            .filter(|(key, value)| value.is_some() && !self.values.contains_key(key));
        let long = |(key, value): &Change| {
            key.len() > BY_BYTES_MAX || value.as_ref().is_some_and(|v| v.len() > VALUE_BYTES_MAX)
        };
        if by.len() > BY_BYTES_MAX {
            Some("the name of who changes something is too long")
        } else if changes.iter().any(long) {
            Some("a value is too long")
        } else if self.values.len() + new.count() > VALUES_MAX {
            Some("too many values")
        } else {
            None
        }
    }

    pub(super) fn apply(&mut self, at: Instant, by: &str, changes: &[Change]) {
        self.revision += 1;
        let before = |key: &String| self.values.get(key).map(|value| value.json.clone());
        let keys = changes.iter().map(|(key, _)| key);
        self.before = filled(keys.map(|key| (key.clone(), before(key))));
        for (key, value) in changes {
            match value {
                Some(json) => {
                    let (json, by) = (json.clone(), by.to_owned());
                    self.values.insert(key.clone(), LiveValue { json, by, at });
                }
                None => drop(self.values.remove(key)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns why `new` changes beside `kept` values are refused, for a name, a key and a value of these lengths.
    fn refusal(
        by: usize,
        key: usize,
        value: usize,
        new: usize,
        kept: usize,
    ) -> Option<&'static str> {
        let change = |at: usize, key: usize| (format!("{at:0>key$}"), Some("v".repeat(value)));
        let changes = |from: usize, count: usize| -> Vec<Change> {
            filled((from..from + count).map(|at| change(at, key)))
        };
        let mut live = Live::default();
        live.apply(Instant(0), "desk", &changes(0, kept));
        live.refuses(&"b".repeat(by), &changes(kept, new))
    }

    #[test]
    fn what_is_too_much_is_refused_and_nothing_less() {
        let (name, value, all) = (BY_BYTES_MAX, VALUE_BYTES_MAX, VALUES_MAX);
        assert_eq!(refusal(name, name, value, all - 1, 1), None);
        let too_long = Some("a value is too long");
        assert_eq!(refusal(name, name + 1, value, 1, 0), too_long);
        assert_eq!(refusal(name, name + 9, value, 1, 0), too_long);
        assert_eq!(refusal(name, name, value + 1, 1, 0), too_long);
        assert_eq!(refusal(name, name, value + 9, 1, 0), too_long);
        let long_name = Some("the name of who changes something is too long");
        assert_eq!(refusal(name + 1, name, value, 1, 0), long_name);
        assert_eq!(refusal(name + 9, name, value, 1, 0), long_name);
        assert_eq!(refusal(name, name, 1, all, 1), Some("too many values"));
        assert_eq!(refusal(name, name, 1, all + 9, 0), Some("too many values"));
    }

    /// However many values there are, each may change and any may go.
    #[test]
    fn a_full_list_can_be_changed() {
        let mut live = Live::default();
        let set = |to: &str| -> Vec<Change> {
            filled((0..VALUES_MAX).map(|at| (at.to_string(), Some(to.to_owned()))))
        };
        live.apply(Instant(0), "desk", &set("1"));
        assert_eq!(live.refuses("desk", &set("2")), None);
        assert_eq!(live.refuses("desk", &[("another".to_owned(), None)]), None);
    }
}
