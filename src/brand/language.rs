//! Which language the waiting page speaks.

/// The languages there is a page in. To add one: a variant, its tag below, and a file in `web/locales/`.
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
    /// Arabic, from right to left.
    Ar,
}

/// More ranges than this are not looked at; browsers send fewer than ten.
const RANGES_MAX: usize = 32;

impl Language {
    /// Every language.
    #[rustfmt::skip]
    pub const ALL: [Self; 15] = [
        Self::En, Self::Ja, Self::ZhHans, Self::ZhHant, Self::Ko, Self::Es, Self::Pt, Self::Fr, Self::De, Self::It,
        Self::Vi, Self::Th, Self::Id, Self::Hi, Self::Ar,
    ];
    /// When nothing fits.
    pub const DEFAULT: Self = Self::En;

    /// The tag, as in `page.{lang}.html` and `<html lang>`.
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

    /// The language of exactly this tag. O(1).
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    /// What a language range asks for, by its primary tag alone but for Chinese: its script, or where it is
    /// written so. `in` is what old systems call Indonesian.
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

    /// The best of `Accept-Language`: the highest weight, then the first named. `*` means the default.
    /// O(length).
    #[must_use]
    pub fn negotiate(accept_language: Option<&str>) -> Self {
        let mut best = None;
        for range in accept_language
            .unwrap_or_default()
            .split(',')
            .take(RANGES_MAX)
        {
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

/// `q=0.7` in thousandths; malformed ones count as 0, other parameters as nothing.
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

/// Whether a parameter is `q=0`: not wanted at all.
pub(crate) fn is_zero_q(parameter: &str) -> bool {
    weight(parameter) == Some(0)
}
