//! How Baton writes paths with escapes.

/// Writes spaces and non-ASCII bytes as escapes, and escapes in upper case.
pub(super) fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte == b' ' || byte >= 0x80 {
            out.push_str(&format!("%{byte:02X}"));
        } else {
            out.push(char::from(byte));
        }
    }
    upper_escapes(&out)
}

/// Writes escapes in upper case.
pub(super) fn upper_escapes(path: &str) -> String {
    let mut after_percent = 0_u8;
    path.chars()
        .map(|c| {
            if c == '%' {
                after_percent = 2;
                return c;
            }
            let in_escape = after_percent > 0;
            after_percent = after_percent.saturating_sub(1);
            if in_escape { c.to_ascii_uppercase() } else { c }
        })
        .collect()
}

/// Writes the text of one segment so that it holds nothing but that text.
pub(super) fn encode_segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(c) {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
