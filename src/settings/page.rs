//! The operator's words on a room's waiting page, which are the keys of a brand too. One table defines each: its field, how it is read, and its key
//! in the file.

use brand::scheme::Style;
use brand::texts::Texts;
use facts::config::Source;
use facts::limits::TEXT_CHARS_MAX;
use facts::setting::Changes::Deploy;
use facts::setting::{Key, Kind, key};

/// The most characters of a title: it stands in a tab and above the page.
pub const TITLE_CHARS_MAX: usize = 80;

/// Where the settings of a page are read from.
pub(super) trait PageSource: Source {
    /// Reads colours.
    fn colours(&mut self, name: &str) -> Style;
    /// Reads texts by language.
    fn texts(&mut self, name: &str) -> Texts;
}

/// Generates the settings of the page, [`KEYS`], how they are read, and how a brand lies over them, all from one table.
macro_rules! page {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $read:ident { $name:literal, $kind:expr, $default:expr, $about:literal })*) => {
        /// The operator's words on a room's waiting page. Empty ones are not shown.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct PageSettings {
            $($(#[$doc])* pub $field: $type,)*
        }

        /// The keys of the page, in the order of the reference.
        pub const KEYS: &[Key] = &[$(key($name, $kind, $default, Deploy, $about),)*];

        impl PageSettings {
            /// Reads the settings of a page.
            pub(super) fn read(reader: &mut impl PageSource) -> Self {
                Self { $($field: reader.$read($name),)* }
            }

            /// Takes the values of these keys from `other`.
            pub(super) fn take(&mut self, other: &Self, keys: &[&str]) {
                $(if keys.contains(&$name) {
                    self.$field.clone_from(&other.$field);
                })*
            }
        }
    };
}

page! {
    /// The heading.
    title: String = text { "page_title", Kind::Text { chars_max: TITLE_CHARS_MAX }, Some("\"\""),
        "The waiting page's heading, such as the event's name" }
    /// The address of the logo.
    logo: String = text { "page_logo", Kind::Picture, Some("\"\""),
        "The logo above it: an ungated path of the site, or a `data:image/` address" }
    /// A text that always stands on the page; plain text.
    message: String = text { "page_message", Kind::Text { chars_max: TEXT_CHARS_MAX }, Some("\"\""),
        "A text that always stands on the page, above the operator's `message`" }
    /// The address of the help link.
    help_url: String = text { "page_help_url", Kind::Link, Some("\"\""),
        "Where the page's help link leads; empty: no link" }
    /// The colours of the page.
    style: Style = colours { "page_colours", Kind::Colours, Some("{}"),
        "Its `accent`, `ground` and `ink`: `{ light = { accent = \"#1f6f66\" }, dark = { … } }`; else ours. See [page.md](page.md#your-brand)" }
    /// The texts of the page, by language.
    texts: Texts = texts { "page_texts", Kind::Texts, Some("{}"),
        "Its texts by language: `{ ja = { title = \"…\" }, any = { waiting = \"…\" } }`. Else those of `any`, then `page_title` or `page_message`, then ours. \
         `paused` stands in place of `waiting` while the room is paused and `message` is empty" }
}

impl PageSettings {
    /// Returns the operator's text of this name for a page in this language: the language's own, else the one for any language, else the room's.
    /// Empty means that there is none.
    #[must_use]
    pub fn text(&self, language: &str, name: &str) -> &str {
        let of_room = match name {
            "title" => &self.title,
            "message" => &self.message,
            _ => "",
        };
        self.texts.get(language, name).unwrap_or(of_room)
    }
}
