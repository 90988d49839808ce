//! Reads lists of tables, `[[vars.NAME]]`, and reports what may be wrong with any such list.

use serde_json::{Map, Value};

use super::Problem;

/// A list of tables that the file may have.
pub(super) struct Tables {
    /// The list's name in the file.
    pub(super) key: &'static str,
    /// The most tables in it. Nothing after them is read.
    pub(super) max: usize,
    /// What to write instead of something that is no list, or no table.
    pub(super) cure: &'static str,
    /// What to do about too many tables.
    pub(super) cure_of_many: &'static str,
}

impl Tables {
    /// Gives each table of the list to `read`, in the order of the file, with where it stands, such as `OPERATORS[2]`.
    pub(super) fn read(
        &self,
        value: Option<&Value>,
        problems: &mut Vec<Problem>,
        mut read: impl FnMut(&str, &Map<String, Value>, &mut Vec<Problem>),
    ) {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return;
        };
        let Self {
            key,
            max,
            cure,
            cure_of_many,
        } = *self;
        let Some(list) = value.as_array() else {
            let what = "is not a list of tables";
            problems.push(Problem::new(key, Some(value), what, cure));
            return;
        };
        if list.len() > max {
            let what = format!("names {}, at most {max} are allowed", list.len());
            problems.push(Problem::new(key, None, what, cure_of_many));
        }
        for (at, value) in list.iter().take(max).enumerate() {
            let at = format!("{key}[{at}]");
            match value.as_object() {
                Some(table) => read(&at, table, problems),
                None => problems.push(Problem::new(at, Some(value), "is not a table", cure)),
            }
        }
    }
}
