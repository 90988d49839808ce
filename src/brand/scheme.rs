//! The colours of a room's page: an operator chooses up to three for a scheme, and all that `web/theme.css` names follows from them. The
//! style sheet is written here, of nothing but names of ours and [`Colour`]s. `web/desk/colours.js` does the same for the desk's preview;
//! `tests/fixtures/colours.json` holds both to each other.

use super::colour::{CONTRAST_MIN_MILLI, Colour};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;

/// How far the ticket's paper is from its ground to white, in hundredths: on a light page, on a dark one.
const PAPER_PERCENT: [u8; 2] = [75, 5];
/// How far a line is from the ground to the text.
const LINE_PERCENT: u8 = 15;
/// How far secondary text is at least from the ground to the text.
const SOFT_PERCENT_MIN: u8 = 65;

/// Light or dark, as the visitor's browser prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// For light screens.
    Light,
    /// For dark ones.
    Dark,
}

impl Shade {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// As settings and style sheets name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Accent, ground and text where nothing is chosen: those of `web/theme.css`.
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

    /// The ticket's paper where nothing is chosen.
    #[must_use]
    pub const fn our_paper(self) -> Colour {
        match self {
            Self::Light => Colour::new(0xff, 0xfe, 0xfb),
            Self::Dark => Colour::new(0x1a, 0x23, 0x28),
        }
    }
}

/// What an operator chose for one shade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Buttons, progress, the called ticket.
    pub accent: Option<Colour>,
    /// The page.
    pub ground: Option<Colour>,
    /// Text.
    pub ink: Option<Colour>,
}

/// A colour that cannot be read on what is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// `accent` or `ink`.
    pub name: &'static str,
    /// The colour.
    pub colour: Colour,
    /// Its contrast, in thousandths.
    pub contrast_milli: u64,
    /// The nearest colour that can be read; none: only another ground helps.
    pub nearest: Option<Colour>,
}

impl Chosen {
    /// The names, in the order of the fields.
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

    /// What of it cannot be read on the page or the ticket.
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
        [
            self.accent.unwrap_or(accent),
            self.ground.unwrap_or(ground),
            self.ink.unwrap_or(ink),
        ]
    }

    /// The properties of `web/theme.css` that are another by it.
    fn properties(self, shade: Shade) -> Vec<(&'static str, Colour)> {
        let mut properties = Vec::new();
        if let Some(accent) = self.accent {
            let is_light = Colour::WHITE.contrast_milli(accent) >= CONTRAST_MIN_MILLI;
            // One of the two can be read on any colour: 4.58 is the root of 21.
            let on_accent = if is_light {
                Colour::WHITE
            } else {
                Colour::BLACK
            };
            properties.extend([("accent", accent), ("on-accent", on_accent)]);
        }
        if self.ground.is_some() || self.ink.is_some() {
            let [_, ground, ink] = self.filled(shade);
            let paper = self.paper(shade);
            let mut shares = (SOFT_PERCENT_MIN..=100).map(|percent| ground.towards(ink, percent));
            let is_read =
                |soft: &Colour| soft.least_contrast_milli(&[ground, paper]) >= CONTRAST_MIN_MILLI;
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

/// A style sheet for the page itself, and how a Content-Security-Policy names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Empty where nothing is chosen. Nothing in it has to be escaped in HTML.
    pub css: String,
    /// `sha256-…`, empty likewise.
    pub hash: String,
}

impl Style {
    /// A Content-Security-Policy that lets this very sheet into the page, and no other that it did not let in before.
    #[must_use]
    pub fn let_into<'p>(&self, policy: &'p str) -> Cow<'p, str> {
        const STYLES: &str = "style-src 'self'";
        if self.hash.is_empty() {
            return Cow::Borrowed(policy);
        }
        Cow::Owned(policy.replacen(STYLES, &format!("{STYLES} '{}'", self.hash), 1))
    }

    /// The sheet for what was chosen for light and for dark screens.
    #[must_use]
    pub fn of(chosen: [Chosen; 2]) -> Self {
        let mut rules = String::new();
        for (shade, chosen) in Shade::ALL.into_iter().zip(chosen) {
            let properties = chosen.properties(shade);
            if properties.is_empty() {
                continue;
            }
            // Writing to a String does not fail.
            let _ = write!(
                rules,
                "@media (prefers-color-scheme:{}){{:root{{",
                shade.name()
            );
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
