//! A code as a visitor writes it, and as Baton compares it: spaces, dashes, case and full-width forms make no difference.

/// The number of letters and digits in a code.
const LENGTH: core::ops::RangeInclusive<usize> = 6..=64;
/// The most bytes of a text that is looked at: enough for a code of wide characters, with a wide dash and a wide space after each.
const TEXT_BYTES_MAX: usize = 600;
/// The characters that may separate groups of a code, besides blanks: hyphens and dashes, also those of East Asian keyboards.
const BETWEEN: [char; 9] = ['-', '‐', '‑', '‒', '–', '—', '−', 'ー', '_'];
/// The distance from a plain character to its full-width form.
const WIDE: u32 = 0xfee0;

/// Returns a code without blanks and dashes, in capitals and plain digits: 6 to 64 of `A-Z0-9`. Returns `None` if the text is no code. O(length).
#[must_use]
pub fn code_of(text: &str) -> Option<String> {
    let fits = (1..=TEXT_BYTES_MAX).contains(&text.len());
    let mut code = String::new();
    let plain = text.chars().filter(|_| fits).map(narrow);
    for c in plain.filter(|c| !c.is_whitespace() && !BETWEEN.contains(c)) {
        if !c.is_ascii_alphanumeric() {
            return None;
        }
        code.push(c.to_ascii_uppercase());
    }
    LENGTH.contains(&code.len()).then_some(code)
}

fn narrow(c: char) -> char {
    let wide = '\u{ff01}'..='\u{ff5e}';
    let narrow = u32::from(c).checked_sub(WIDE).and_then(char::from_u32);
    narrow.filter(|_| wide.contains(&c)).unwrap_or(c)
}

/// Returns the field `code` of a form (`application/x-www-form-urlencoded`), decoded. Returns `None` if it is missing or malformed. O(length).
#[must_use]
pub fn code_in_form(body: &str) -> Option<String> {
    let mut pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| *name == "code")?;
    unescaped(&value.replace('+', " "))
}

/// Reads a text out of a query: as `decodeURIComponent` does. Returns `None` if it has an escape that means no byte, or is no UTF-8.
pub(super) fn unescaped(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high << 4 | low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_however_it_is_written() {
        for text in [
            "ab12cd",
            "AB12-CD",
            " ab1 2cd ",
            "Ab–12—cD",
            "ＡＢ１２ＣＤ",
            "ab12\u{3000}cd",
            "ab_12\tcd",
        ] {
            assert_eq!(code_of(text).as_deref(), Some("AB12CD"), "{text}");
        }
    }

    #[test]
    fn what_is_no_code_is_none() {
        let long = "a".repeat(65);
        let padded = format!("abcdef{}", " ".repeat(TEXT_BYTES_MAX));
        for text in ["", "ab12c", "ab12c!", "ümlaut1", "-----------", &long, &padded] {
            assert_eq!(code_of(text), None, "{text}");
        }
        assert_eq!(code_of(&"a".repeat(64)).map(|code| code.len()), Some(64));
    }

    #[test]
    fn a_form_is_read() {
        let read = |body: &str| code_in_form(body);
        assert_eq!(read("code=ab+12%2Dcd").as_deref(), Some("ab 12-cd"));
        assert_eq!(read("a=b&code=%EF%BC%A1&code=x").as_deref(), Some("Ａ"));
        for none in ["", "code", "other=1", "code=%", "code=%4", "code=%zz", "code=%ff"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
