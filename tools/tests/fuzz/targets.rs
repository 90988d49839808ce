//! Everything that reads bytes from outside, as one function a target: `fn(&[u8]) -> Read`. Each
//! asserts what must be so of whatever it is given: no panic, what was read is within its limits,
//! what is written again is read the same, nothing slips by.
//!
//! Used by `tools/tests/fuzz_corpus.rs`, natively and with a seeded generator, and by the fuzzer of
//! `fuzz/`, which looks for new paths.

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

/// Whether bytes were taken for what they claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// They were.
    Yes,
    /// They were refused.
    No,
}

impl From<bool> for Read {
    fn from(read: bool) -> Self {
        if read { Self::Yes } else { Self::No }
    }
}

/// What is fuzzed: its name, which is that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]) -> Read);

/// All of them.
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

/// Bytes as the text they are, or might be.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
