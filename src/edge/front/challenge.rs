//! Turnstile's question on the waiting page. What becomes of the answer is in `turnstile`.

use crate::config::Turnstile;
use gate::{FrontWords, Language, TURNSTILE_ACTION};

/// What the page may load while it puts the question: what it always loads, and the platform's widget.
pub const POLICY: &str = "default-src 'none'; script-src 'self' https://challenges.cloudflare.com; \
     frame-src https://challenges.cloudflare.com; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/// Puts the question into the page, which then needs the policy [`POLICY`].
pub fn put_into(html: &str, turnstile: &Turnstile, room: &str, language: Language) -> String {
    let words = FrontWords::of(language);
    let (ask, no_script) = (words.show_that_you_are_a_person, words.question_needs_scripts);
    // A site key and a room's name hold only letters, digits, `-`, `_` and `.`.
    let question = format!(
        "<section id=\"baton-turnstile\" data-sitekey=\"{}\" data-action=\"{TURNSTILE_ACTION}\" data-room=\"{room}\">\
         <p>{ask}</p><noscript><p>{no_script}</p></noscript></section>\
         <script type=\"module\" src=\"/__baton/static/turnstile.js\"></script>",
        turnstile.site_key
    );
    let at = ["</main>", "</body>"].iter().find_map(|end| html.rfind(end)).unwrap_or(html.len());
    let (before, after) = html.split_at(at);
    format!("{before}{question}{after}")
}
