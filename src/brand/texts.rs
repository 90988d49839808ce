//! The operator's own texts on a page, by language. The page uses the text for its language, else the text for any language, else Baton's own text.

use std::collections::BTreeMap;

/// The key of the texts for every language that has no text of its own.
pub const ANY: &str = "any";
/// The names of the texts, and the most characters of each: the title and the message belong to the room, `paused` to a mode, every other text to
/// a state of the page.
pub const TEXTS: [(&str, usize); 7] = [
    ("title", 80),
    ("message", 500),
    ("hall", SENTENCE_CHARS_MAX),
    ("waiting", SENTENCE_CHARS_MAX),
    ("paused", SENTENCE_CHARS_MAX),
    ("closed", SENTENCE_CHARS_MAX),
    ("sold_out", SENTENCE_CHARS_MAX),
];
/// The most characters of a sentence below a heading: four lines on a phone.
const SENTENCE_CHARS_MAX: usize = 200;
/// The texts whose version for any language has a key of its own in a room's settings, such as `page_title`.
pub const OF_ROOM: [&str; 2] = ["title", "message"];

/// The texts by language and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(BTreeMap<String, BTreeMap<String, String>>);

impl Texts {
    /// Makes an empty set of texts.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds one text.
    pub fn put(&mut self, language: &str, name: &str, text: &str) {
        let own = self.0.entry(language.to_owned()).or_default();
        own.insert(name.to_owned(), text.to_owned());
    }

    /// Returns the text of this name in a language. Returns `None` if there is none, or if it is empty. An empty text hides
    /// the text for any language. O(log texts).
    #[must_use]
    pub fn get(&self, language: &str, name: &str) -> Option<&str> {
        let of = |language: &str| self.0.get(language)?.get(name);
        let found = of(language).or_else(|| of(ANY));
        found.map(String::as_str).filter(|text| !text.is_empty())
    }
}
