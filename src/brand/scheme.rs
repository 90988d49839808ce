//! The colours of a room's page. An operator chooses up to three colours for light and up to three for dark screens; the other colours of
//! `web/theme.css` follow from them, except those of notes. This module writes the style sheet, out of nothing but our own names and
//! [`Colour`]s. `web/desk/colours.js` does the same for the desk's preview; `tests/fixtures/colours.json` holds both to the same results.

use super::colour::{CONTRAST_MIN_MILLI, Colour};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;

/// How far the ticket's paper is from the ground towards white, in hundredths: on a light page, and on a dark one.
const PAPER_PERCENT: [u8; 2] = [75, 5];
/// How far the colour of a line is from the ground towards the text, in hundredths.
const LINE_PERCENT: u8 = 15;
/// The least that secondary text is from the ground towards the text, in hundredths.
const SOFT_PERCENT_MIN: u8 = 65;

/// Light or dark, whichever the visitor's browser prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// For light screens.
    Light,
    /// For dark screens.
    Dark,
}

impl Shade {
    /// Both shades.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// The name in settings and style sheets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The default accent, ground and text: the colours of `web/theme.css`.
    #[must_use]
    pub const fn ours(self) -> [Colour; 3] {
        match self {
            Self::Light => [
                Colour::new(0x1f, 0x6f, 0x66),
                Colour::new(0xf4, 0xf2, 0xec),
                Colour::new(0x1c, 0x2a, 0x33),
            ],
            Self::Dark => [
                Colour::new(0x84, 0xd0, 0xc2),
                Colour::new(0x11, 0x17, 0x1b),
                Colour::new(0xe8, 0xec, 0xec),
            ],
        }
    }

    /// The default colour of the ticket's paper.
    #[must_use]
    pub const fn our_paper(self) -> Colour {
        match self {
            Self::Light => Colour::new(0xff, 0xfe, 0xfb),
            Self::Dark => Colour::new(0x1a, 0x23, 0x28),
        }
    }
}

/// The colours that an operator chose for one shade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The colour of buttons, of progress and of the called ticket.
    pub accent: Option<Colour>,
    /// The colour of the page.
    pub ground: Option<Colour>,
    /// The colour of text.
    pub ink: Option<Colour>,
}

/// A colour that is not readable on its background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The name of the colour: `accent` or `ink`.
    pub name: &'static str,
    /// The colour.
    pub colour: Colour,
    /// Its contrast with the background, in thousandths.
    pub contrast_milli: u64,
    /// The nearest readable colour. `None` means that only another ground helps.
    pub nearest: Option<Colour>,
}

impl Chosen {
    /// The names of the colours, in the order of the fields.
    pub const NAMES: [&str; 3] = ["accent", "ground", "ink"];

    fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn paper(self, shade: Shade) -> Colour {
        let [_, _, our_ink] = shade.ours();
        let (Some(ground), ink) = (self.ground, self.ink.unwrap_or(our_ink)) else {
            return shade.our_paper();
        };
        let [light, dark] = PAPER_PERCENT;
        let is_dark = ink.is_brighter_than(ground);
        ground.towards(Colour::WHITE, if is_dark { dark } else { light })
    }

    /// Returns the chosen colours that are not readable on the page or on the ticket.
    #[must_use]
    pub fn unreadable(self, shade: Shade) -> Vec<Unreadable> {
        if self.is_empty() {
            return Vec::new();
        }
        let [accent, ground, ink] = self.filled(shade);
        let behind = [ground, self.paper(shade)];
        let judged = [("ink", ink), ("accent", accent)].map(|(name, colour)| Unreadable {
            name,
            colour,
            contrast_milli: colour.least_contrast_milli(&behind),
            nearest: colour.readable_on(&behind),
        });
        let is_poor = |one: &Unreadable| one.contrast_milli < CONTRAST_MIN_MILLI;
        judged.into_iter().filter(is_poor).collect()
    }

    fn filled(self, shade: Shade) -> [Colour; 3] {
        let [accent, ground, ink] = shade.ours();
        [self.accent.unwrap_or(accent), self.ground.unwrap_or(ground), self.ink.unwrap_or(ink)]
    }

    /// Returns the properties of `web/theme.css` that these colours change.
    fn properties(self, shade: Shade) -> Vec<(&'static str, Colour)> {
        let mut properties = Vec::new();
        if let Some(accent) = self.accent {
            let is_light = Colour::WHITE.contrast_milli(accent) >= CONTRAST_MIN_MILLI;
            // White or black is readable on any colour: the better of the two has a contrast of at least 4.58, the root of 21.
            let on_accent = if is_light { Colour::WHITE } else { Colour::BLACK };
            properties.extend([("accent", accent), ("on-accent", on_accent)]);
        }
        if self.ground.is_some() || self.ink.is_some() {
            let [_, ground, ink] = self.filled(shade);
            let paper = self.paper(shade);
            let mut shares = (SOFT_PERCENT_MIN..=100).map(|percent| ground.towards(ink, percent));
            let is_read = |soft: &Colour| soft.least_contrast_milli(&[ground, paper]) >= CONTRAST_MIN_MILLI;
            properties.extend([
                ("ground", ground),
                ("ink", ink),
                ("line", ground.towards(ink, LINE_PERCENT)),
                ("paper", paper),
                ("soft", shares.find(is_read).unwrap_or(ink)),
            ]);
        }
        properties
    }
}

/// A style sheet that is written into the page, and the hash by which a Content-Security-Policy allows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The style sheet; empty if no colour is chosen. Nothing in it needs escaping in HTML.
    pub css: String,
    /// `sha256-…`; empty if the style sheet is.
    pub hash: String,
}

impl Style {
    /// Returns `policy`, extended to allow exactly this style sheet and nothing else.
    #[must_use]
    pub fn let_into<'p>(&self, policy: &'p str) -> Cow<'p, str> {
        const STYLES: &str = "style-src 'self'";
        if self.hash.is_empty() {
            return Cow::Borrowed(policy);
        }
        Cow::Owned(policy.replacen(STYLES, &format!("{STYLES} '{}'", self.hash), 1))
    }

    /// Writes the style sheet for the colours that were chosen for light and for dark screens.
    #[must_use]
    pub fn of(chosen: [Chosen; 2]) -> Self {
        let mut rules = String::new();
        for (shade, chosen) in Shade::ALL.into_iter().zip(chosen) {
            let properties = chosen.properties(shade);
            if properties.is_empty() {
                continue;
            }
            // Writing to a String does not fail.
            let _ = write!(rules, "@media (prefers-color-scheme:{}){{:root{{", shade.name());
            for (name, colour) in properties {
                let _ = write!(rules, "--{name}:{colour};");
            }
            rules.push_str("}}");
        }
        if rules.is_empty() {
            return Self::default();
        }
        let css = format!("@layer theme{{{rules}}}");
        let hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(&css)));
        Self { css, hash }
    }
}
