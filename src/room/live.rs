//! Live values: what the operator changed while the room runs. They are in force instead of the deployment's until they are cleared.
//!
//! The room keeps them and who set them. `src/settings/` lays them over the deployment's and says whether the result is a room.

use facts::config::LiveKey;
use facts::event::{Change, Event};
use facts::few::FewMap;
use facts::limits::BY_BYTES_MAX;
use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// One live value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveValue {
    /// The value.
    pub change: Change,
    /// Who set it.
    pub by: String,
    /// When it was set, by the room's clock.
    pub at: Instant,
}

/// The live values of one room, by setting. Each is bounded where it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Counts up with each change, so that an operator who edits an older revision is told.
    pub revision: u64,
    /// The values in force instead of the file's.
    pub values: FewMap<LiveKey, LiveValue>,
    /// What the settings of the last change were before it. Setting them again undoes that change.
    pub before: Vec<Change>,
}

impl Live {
    /// Returns why nobody with this name may change anything, or `None` if they may.
    #[must_use]
    pub const fn refuses(&self, by: &str) -> Option<&'static str> {
        if by.len() > BY_BYTES_MAX {
            Some("the name of who changes something is too long")
        } else {
            None
        }
    }

    pub(super) fn apply(&mut self, at: Instant, by: &str, changes: &[Change]) {
        self.revision += 1;
        let before = |change: &Change| {
            let known = self.values.get(&change.key());
            known.map_or_else(|| change.key().cleared(), |value| value.change.clone())
        };
        self.before = changes.iter().map(before).collect();
        for change in changes {
            if change.is_set() {
                let (change, by) = (change.clone(), by.to_owned());
                self.values.insert(change.key(), LiveValue { change, by, at });
            } else {
                self.values.remove(&change.key());
            }
        }
    }
}

/// Returns the fact that `by` set these live values. The settings that follow from them stand before this in the row.
#[must_use]
pub fn adjusted(by: &str, values: Vec<Change>) -> Event {
    let by = by.to_owned();
    Event::Adjusted { by, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_something_has_a_name_of_bounded_length() {
        let live = Live::default();
        let long = "the name of who changes something is too long";
        assert_eq!(live.refuses(&"b".repeat(BY_BYTES_MAX)), None);
        assert_eq!(live.refuses(&"b".repeat(BY_BYTES_MAX + 1)), Some(long));
    }
}
