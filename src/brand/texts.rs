//! What a page says in the operator's words, by language. A text is looked for in the page's language, then in what is said for any,
//! then it is ours.

use std::collections::BTreeMap;

/// Names the texts for every language that has none of its own.
pub const ANY: &str = "any";
/// The texts there are, and the most characters of each: a title and a message as of the room, a sentence in a state.
pub const TEXTS: [(&str, usize); 6] = [
    ("title", 80),
    ("message", 500),
    ("hall", SENTENCE_CHARS_MAX),
    ("waiting", SENTENCE_CHARS_MAX),
    ("closed", SENTENCE_CHARS_MAX),
    ("sold_out", SENTENCE_CHARS_MAX),
];
/// Characters of a sentence below a heading: four lines on a phone.
const SENTENCE_CHARS_MAX: usize = 200;
/// These of a room have keys of their own.
pub const OF_ROOM: [&str; 2] = ["title", "message"];

/// Texts by language and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(BTreeMap<String, BTreeMap<String, String>>);

impl Texts {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// One text more.
    pub fn put(&mut self, language: &str, name: &str, text: &str) {
        let own = self.0.entry(language.to_owned()).or_default();
        own.insert(name.to_owned(), text.to_owned());
    }

    /// What is said in a language; none: nothing. O(log texts).
    #[must_use]
    pub fn get(&self, language: &str, name: &str) -> Option<&str> {
        let of = |language: &str| self.0.get(language)?.get(name);
        let found = of(language).or_else(|| of(ANY));
        found.map(String::as_str).filter(|text| !text.is_empty())
    }
}
