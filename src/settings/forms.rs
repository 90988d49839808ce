//! What texts, addresses and numbers look like.

use super::schema::{ADDRESS_BYTES_MAX, Kind};
use brand::image::{IMAGES_AT, named_by};

/// Returns what is wrong with a text for visitors, and the cure; `None` if nothing is.
pub(super) fn wrong_text(text: &str, chars_max: usize) -> Option<(String, &'static str)> {
    let chars = text.chars().count();
    if chars > chars_max {
        let what = format!("has {chars} characters, more than {chars_max}");
        return Some((what, "Say it shorter"));
    }
    let control = text.chars().any(|c| c.is_control() && c != '\n');
    control.then(|| {
        let cure = "Use plain text; \\n begins a new line";
        ("has control characters".to_owned(), cure)
    })
}

/// Returns what is wrong with an address on the page, and the cure; `None` if nothing is. It refuses whatever could run a script.
pub(super) fn wrong_address(text: &str, kind: Kind) -> Option<(String, &'static str)> {
    let (begins, cure): (&[&str], _) = match kind {
        Kind::Picture => (
            &["/", "data:image/"],
            "Write a path of the site such as \"/logo.svg\", or \"data:image/…\"",
        ),
        Kind::Page => (&["/"], "Write a path of the site such as \"/tickets\""),
        _ => (
            &["/", "https://", "mailto:"],
            "Write \"https://…\", \"mailto:…\" or a path of the site such as \"/help\"",
        ),
    };
    let plain = text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    let known = begins.iter().any(|begin| text.starts_with(begin)) && !text.starts_with("//");
    let honest = !matches!(kind, Kind::Picture) || is_of_one_picture(text);
    if text.is_empty() || (plain && known && honest && text.len() <= ADDRESS_BYTES_MAX) {
        return None;
    }
    let what = if text.len() > ADDRESS_BYTES_MAX {
        format!("is longer than {ADDRESS_BYTES_MAX} bytes")
    } else {
        "is no address that the page may use".to_owned()
    };
    Some((what, cure))
}

/// Returns whether the address of a picture has one spelling: whose picture it shows is decided by its text. Browsers take out dot segments, a query and a
/// fragment before Baton sees the path, so a picture of the house is named without any of them.
fn is_of_one_picture(text: &str) -> bool {
    if !text.starts_with('/') {
        return true;
    }
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let is_dotted = path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    });
    !is_dotted && (!path.starts_with(IMAGES_AT) || named_by(text).is_some())
}

/// Reads a decimal text in thousandths, exactly: `"200"`, `"200.0"`, `"0.125"`. Returns `None` for anything else (signs, exponents, more decimals,
/// numbers beyond u64). It computes with no float.
pub(super) fn thousandths(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let decimals = match decimals.trim_end_matches('0') {
        "" if digits(decimals) => "0",
        rest => rest,
    };
    if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
        return None;
    }
    let milli: u64 = format!("{decimals:0<3}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(milli)
}
