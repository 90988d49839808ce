//! Which language the waiting page speaks.

/// The languages there is a page in. To add one: a variant, its tag below, and `web/`'s template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// English, the default.
    En,
    /// Japanese.
    Ja,
}

/// More ranges than this are not looked at; browsers send fewer than ten.
const RANGES_MAX: usize = 32;

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::En, Self::Ja];
    /// When nothing fits.
    pub const DEFAULT: Self = Self::En;

    /// The primary tag, as in `page.{lang}.html` and `<html lang>`.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
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
            let primary = tag.split('-').next().unwrap_or_default();
            let language = match primary {
                "*" => Some(Self::DEFAULT),
                primary => Self::ALL
                    .into_iter()
                    .find(|l| l.tag().eq_ignore_ascii_case(primary)),
            };
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
pub(super) fn is_zero_q(parameter: &str) -> bool {
    weight(parameter) == Some(0)
}
