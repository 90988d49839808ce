//! Everything that reads bytes from outside, with one function for each target: `fn(&[u8]) -> Read`. Each asserts what must be true for any input:
//! nothing panics, whatever was read is within its limits and reads the same when it is written again, and nothing slips by.
//!
//! `tools/tests/fuzz_corpus.rs` runs the targets natively with a seeded generator; the fuzzer in `fuzz/` looks for new paths through the code.

#[path = "entry.rs"]
mod entry;
#[path = "gate.rs"]
mod gate;
#[path = "house.rs"]
mod house;
#[path = "paths.rs"]
mod paths;
#[path = "rehearse.rs"]
mod rehearse;
#[path = "settings.rs"]
mod settings;
#[path = "stored.rs"]
mod stored;
#[path = "tokens.rs"]
mod tokens;
#[path = "travel.rs"]
mod travel;
#[path = "worlds.rs"]
pub mod worlds;

/// Whether a target took the bytes for what they claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It took them.
    Yes,
    /// It refused them.
    No,
}

impl From<bool> for Read {
    fn from(read: bool) -> Self {
        if read { Self::Yes } else { Self::No }
    }
}

/// A target: its name, which is also that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]) -> Read);

/// All targets.
pub const TARGETS: &[Target] = &[
    ("token", tokens::token),
    ("proof", tokens::proof),
    ("to_room", travel::to_room),
    ("from_room", travel::from_room),
    ("to_lobby", travel::to_lobby),
    ("ask", travel::ask),
    ("told", travel::told),
    ("frame", travel::frame),
    ("row", stored::row),
    ("snapshot", stored::snapshot),
    ("settings", settings::settings),
    ("path", paths::path),
    ("request", gate::request),
    ("host", gate::host),
    ("cookies", gate::cookies),
    ("credentials", gate::credentials),
    ("headers", gate::headers),
    ("page", gate::page),
    ("trace", rehearse::trace),
    ("expected", rehearse::expected),
    ("flags", rehearse::flags),
    ("entry", entry::entry),
    ("house", house::house),
];

/// Returns bytes as text. Whatever is not UTF-8 becomes U+FFFD.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
