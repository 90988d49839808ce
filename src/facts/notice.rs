//! What an operator tells everybody who waits: one text, and the same in other languages. They are one value, so a text that changes leaves no
//! older translation behind.

use serde::{Deserialize, Serialize};

/// A text for everybody, and the same in other languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The text for every language without one of its own; empty if nobody is told anything.
    pub any: String,
    /// The same by the tag of a language, in the order of the tags. Empty if `any` is.
    pub by_language: Vec<(String, String)>,
}

impl Notice {
    /// A text in one language.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self {
            any: text.to_owned(),
            by_language: Vec::new(),
        }
    }
}
