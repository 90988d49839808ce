//! Letters that have several forms: by case, as a letter and its mark, and in another character set. What a pattern has beyond ASCII is compared in each.

/// A text of a pattern. Two are equal if they differ by case alone.
#[derive(Debug, Clone)]
pub(super) struct Text {
    /// With its letters [folded], as [`PathReading`](super::PathReading) gives it.
    pub folded: String,
    /// As it is written in the pattern, in lower case.
    pub written: String,
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for Text {}

impl Text {
    /// Returns whether a token may be this text in another character set: one that has ASCII's characters too, and for others one to four bytes, of which
    /// the token has those that are no UTF-8 as U+FFFD. None of these sets writes a character beyond ASCII without a byte beyond it. O(length).
    pub fn may_be_foreign(&self, token: &str, is_beginning: bool) -> bool {
        let bytes_of = |c: char| if c == char::REPLACEMENT_CHARACTER { 1 } else { c.len_utf8() };
        let bytes_beyond: usize = token.chars().filter(|c| !c.is_ascii()).map(bytes_of).sum();
        if bytes_beyond < self.written.chars().filter(|c| !c.is_ascii()).count() {
            return false;
        }
        let (found, chars) = (token.chars().count(), self.written.chars().count());
        let mut rest = token.chars();
        let mut ascii = self.written.chars().filter(char::is_ascii);
        !self.written.is_ascii() && ascii.all(|c| rest.any(|found| found == c)) && chars <= found && (is_beginning || found <= 4 * chars)
    }

    /// Returns whether this text and a token are alike, as far as one can tell who does not know which letter and mark are which character. O(length).
    pub fn has_outline_of(&self, token: &str, is_beginning: bool) -> bool {
        let (own, found) = (outline(&self.folded), outline(token));
        own == found || (is_beginning && found.starts_with(&own))
    }
}

/// Folds case by way of upper case, as some origins do, so that no origin folds more: `ſ`, `ı` and the Kelvin sign become the letters that they look like, `ς`
/// becomes `σ`, `ß` and `ẞ` become `ss`. `İ` becomes `i` and a dot above it, which counts as `i` alone (`pieces`).
pub(super) fn folded(c: char) -> impl Iterator<Item = char> {
    (c.to_lowercase()).flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Returns whether a character is part of the one before it, so that Unicode has one character for both: the marks of Latin, Greek, Cyrillic and kana, and
/// all but the first part of a syllable of Hangul.
pub(super) fn is_mark(c: char) -> bool {
    !is_unseen(c) && matches!(c, '\u{300}'..='\u{36F}' | '\u{1160}'..='\u{11FF}' | '\u{3099}' | '\u{309A}')
}

/// Returns whether a character shows nothing by itself: Unicode's `Default_Ignorable_Code_Point`, and what breaks a line or turns its direction.
pub(super) fn is_unseen(c: char) -> bool {
    let is_single = matches!(
        u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x3164 | 0xFEFF | 0xFFA0
    );
    let is_low = matches!(u32::from(c), 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFE00..=0xFE0F | 0xFFF0..=0xFFF8);
    is_single || is_low || matches!(u32::from(c), 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Returns a text as nobody mistakes it who knows ASCII alone: `None` stands for each character beyond it, and for each that has marks.
fn outline(text: &str) -> Vec<Option<char>> {
    let mut outline = Vec::with_capacity(text.len());
    for c in text.chars() {
        if !is_mark(c) {
            outline.push(c.is_ascii().then_some(c));
        } else if let Some(base) = outline.last_mut() {
            *base = None;
        }
    }
    outline
}
