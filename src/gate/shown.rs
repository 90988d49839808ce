//! Where a pass counts although the path needs none: on a room's exceptions, and, once the shop has answered, on paths of no room. So a shop may end a
//! visit at an address that mails link to, and may ask a permit of some calls of one address.

use super::cookies::{BLANKS, SEPARATOR};
use super::{CookieName, Cookies, Gate, Host, Intent, Request, Room, Scheme, without_query};
use facts::ordered::sort_few;

/// Why Baton does not do what an answer of the shop's asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unheeded {
    /// The request shows no pass of a room of this host.
    NoPass,
    /// The request shows a pass, but none that counts.
    NoLease,
    /// The path is no room's, the passes of several rooms are shown, and the answer names none.
    SeveralPasses,
    /// The answer names another room than the one whose pass is shown.
    OtherRoom,
    /// The path is no room's, and the answer came out of a cache: it was made for somebody else.
    Cached,
    /// The visitor need not have asked: a page of another site made the request, or it loads a part of a page.
    Unasked,
    /// The path is no room's, and `Baton-Extend` names none.
    Extends,
}

impl Unheeded {
    /// Returns whether somebody may keep a permit by it: a mistake to mend. Who opens a mailed receipt without a pass, or a buyer who loads it again, has
    /// nothing to give back.
    #[must_use]
    pub const fn keeps_a_permit(self) -> bool {
        !matches!(self, Self::NoPass | Self::NoLease)
    }

    /// The reason in words, for the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoPass => "no pass is shown",
            Self::NoLease => "the pass that is shown holds no lease any more",
            Self::SeveralPasses => "passes of several rooms are shown: answer with the room's name",
            Self::OtherRoom => "it is neither 1 nor the name of a room whose pass is shown",
            Self::Cached => "the answer came out of a cache",
            Self::Unasked => "another site's page, or a part of a page, asked for it",
            Self::Extends => "Baton-Extend counts on a room's paths and exceptions only",
        }
    }
}

/// Returns what the shop means by a `Baton-Release`, or `None` if it means nothing.
#[must_use]
pub fn meant_release(said: &str) -> Option<&str> {
    let said = said.trim();
    (!matches!(said, "" | "0")).then_some(said)
}

impl Intent {
    /// Returns whether a pass counts that the request shows where none is needed.
    #[must_use]
    pub const fn counts_its_pass(self) -> bool {
        !self.is_foreign && !self.is_part
    }
}

impl Gate {
    /// Returns the rooms of this host whose passes a text of cookies or credentials shows, by name. None of them is verified. O(length × log rooms).
    #[must_use]
    pub fn rooms_shown<'g>(&'g self, host: &Host, scheme: Scheme, are_credentials: bool, text: &str) -> Vec<&'g Room> {
        let is_shown = |room: &Room, name: &str| {
            let cookies = Cookies::of_room(scheme, host, &room.settings);
            let cookies = match are_credentials {
                true => cookies.as_credentials(),
                false => cookies,
            };
            room.is_for(host) && cookies.name(CookieName::Pass(&room.settings.name)) == name
        };
        let shown = text.split(SEPARATOR).filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let name = name.trim_matches(BLANKS);
            let room = self.room(Cookies::room_of_pass(name)?)?;
            (!value.is_empty() && is_shown(room, name)).then_some(room)
        });
        let mut shown: Vec<_> = shown.collect();
        sort_few(&mut shown, |a, b| a.settings.name.cmp(&b.settings.name));
        shown.dedup_by(|a, b| a.settings.name == b.settings.name);
        shown
    }

    /// Decides whose lease a release ends that the shop says on a path of no room, among the rooms whose passes the request shows. The pass is not
    /// verified yet.
    ///
    /// # Errors
    /// Why it ends nobody's.
    pub fn meant_by<'g>(&self, request: &Request<'_>, said: &str, is_cached: bool, shown: &[&'g Room]) -> Result<&'g Room, Unheeded> {
        let intent = request.intent(request.speaks_credentials());
        let named = |room: &&&Room| room.settings.name == said;
        match shown {
            [] => Err(Unheeded::NoPass),
            _ if is_cached => Err(Unheeded::Cached),
            _ if !intent.counts_its_pass() => Err(Unheeded::Unasked),
            [room] if said == "1" => Ok(room),
            _ if said == "1" => Err(Unheeded::SeveralPasses),
            shown => shown.iter().find(named).copied().ok_or(Unheeded::OtherRoom),
        }
    }
}

/// The most segments and characters of [`path_shape`].
const SHAPE_MAX: (usize, usize) = (8, 100);
/// A word of more letters may be a secret.
const WORD_CHARS_MAX: usize = 14;

/// Returns what the log may say of a path: its words, and `*` for each segment that may be somebody's. No query.
#[must_use]
pub fn path_shape(path_and_query: &str) -> String {
    let is_word = |word: &str| word.len() <= WORD_CHARS_MAX && word.bytes().all(|b| b.is_ascii_lowercase());
    let shown = |segment: &'_ str| match segment.split(['-', '_', '.']).all(is_word) {
        true => segment.to_owned(),
        false => "*".to_owned(),
    };
    let path = without_query(path_and_query);
    let segments = path.split('/').take(SHAPE_MAX.0 + 1).map(shown);
    let shape = segments.collect::<Vec<_>>().join("/");
    shape.chars().take(SHAPE_MAX.1).collect()
}
