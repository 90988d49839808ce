//! The languages of the waiting page, and which of them a browser asks for.

/// The languages that the waiting page exists in. To add one, add a variant, its tag below, and a file in `web/locales/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// English, the default.
    En,
    /// Japanese.
    Ja,
    /// Chinese in simplified characters.
    ZhHans,
    /// Chinese in traditional characters.
    ZhHant,
    /// Korean.
    Ko,
    /// Spanish.
    Es,
    /// Portuguese.
    Pt,
    /// French.
    Fr,
    /// German.
    De,
    /// Italian.
    It,
    /// Vietnamese.
    Vi,
    /// Thai.
    Th,
    /// Indonesian.
    Id,
    /// Hindi.
    Hi,
    /// Arabic, written from right to left.
    Ar,
}

/// The most language ranges that are read; browsers send fewer than ten.
const RANGES_MAX: usize = 32;

impl Language {
    /// Every language.
    #[rustfmt::skip]
    pub const ALL: [Self; 15] = [
        Self::En, Self::Ja, Self::ZhHans, Self::ZhHant, Self::Ko, Self::Es, Self::Pt, Self::Fr, Self::De, Self::It,
        Self::Vi, Self::Th, Self::Id, Self::Hi, Self::Ar,
    ];
    /// The language when none fits.
    pub const DEFAULT: Self = Self::En;

    /// The language tag, as in `page.{lang}.html` and `<html lang>`.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
            Self::ZhHans => "zh-Hans",
            Self::ZhHant => "zh-Hant",
            Self::Ko => "ko",
            Self::Es => "es",
            Self::Pt => "pt",
            Self::Fr => "fr",
            Self::De => "de",
            Self::It => "it",
            Self::Vi => "vi",
            Self::Th => "th",
            Self::Id => "id",
            Self::Hi => "hi",
            Self::Ar => "ar",
        }
    }

    /// Returns the language with exactly this tag. O(1).
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    /// Returns the language that a language range asks for. Only the primary tag counts, except for Chinese, where the script or the region
    /// decides between simplified and traditional characters. Old systems say `in` for Indonesian.
    fn of_range(range: &str) -> Option<Self> {
        let range = range.to_ascii_lowercase();
        let mut parts = range.split('-');
        match parts.next().unwrap_or_default() {
            "*" => Some(Self::DEFAULT),
            "in" => Some(Self::Id),
            "zh" => Some(match parts.next().unwrap_or_default() {
                "hant" | "tw" | "hk" | "mo" => Self::ZhHant,
                _ => Self::ZhHans,
            }),
            primary => Self::from_tag(primary),
        }
    }

    /// Returns the best language for an `Accept-Language`: the one with the highest weight, and the first of
    /// equals. `*` means the default. O(length).
    #[must_use]
    pub fn negotiate(accept_language: Option<&str>) -> Self {
        let mut best = None;
        for range in accept_language.unwrap_or_default().split(',').take(RANGES_MAX) {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default();
            let q = parts.find_map(weight).unwrap_or(1_000);
            let language = Self::of_range(tag);
            let Some(language) = language else { continue };
            if q > 0 && best.is_none_or(|(best_q, _)| q > best_q) {
                best = Some((q, language));
            }
        }
        best.map_or(Self::DEFAULT, |(_, language)| language)
    }
}

/// Reads `q=0.7` as thousandths. A malformed weight counts as 0. Returns `None` for any other parameter.
fn weight(parameter: &str) -> Option<u32> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let (whole, decimals) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    let fits = decimals.len() <= 3 && decimals.bytes().all(|b| b.is_ascii_digit());
    let milli: u32 = format!("{decimals:0<3}").parse().unwrap_or(0);
    Some(match whole {
        "1" if fits && milli == 0 => 1_000,
        "0" if fits => milli,
        _ => 0,
    })
}

/// Returns whether a parameter is `q=0`, which means "not wanted at all". A malformed weight counts as `q=0`.
#[must_use]
pub fn is_zero_q(parameter: &str) -> bool {
    weight(parameter) == Some(0)
}
