//! The page in another's frame, where somebody must wait: one sentence and one link to a window of its own. The waiting page itself must not stand in
//! a frame of another site, which could lay itself over its buttons; and there its cookies would be strangers'.

use super::{FrontWords, Language, escape_html};

/// The policy of this page alone: anybody may frame it, and it loads, runs and sends nothing.
pub const LINK_PAGE_POLICY: &str = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors *";

/// Returns the page that leads to `address`, a path of this host. O(length).
#[must_use]
pub fn link_page(language: Language, address: &str) -> String {
    let words = FrontWords::of(language);
    let direction = match language {
        Language::Ar => "rtl",
        _ => "ltr",
    };
    let mut href = String::new();
    escape_html(address, &mut href);
    format!(
        "<!doctype html>\n<html lang=\"{}\" dir=\"{direction}\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><meta name=\"robots\" content=\"noindex\"><title>{2}</title></head>\
         <body><p>{}</p><p><a href=\"{href}\" target=\"_blank\" rel=\"noopener\">{2}</a></p></body></html>\n",
        language.tag(),
        words.needs_a_window,
        words.open_a_window,
    )
}
