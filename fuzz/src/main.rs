//! One target under libFuzzer, with the corpus of `tests/fuzz_corpus.rs`:
//!
//! ```text
//! BATON_TARGET=path cargo +nightly fuzz run target tests/corpus/path
//! ```
//!
//! What it finds goes into that corpus under a name that begins with `found-`.

#![no_main]

#[path = "../../tests/fuzz/targets.rs"]
mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use targets::TARGETS;

/// The target that `BATON_TARGET` names.
fn target() -> fn(&[u8]) -> targets::Read {
    static TARGET: OnceLock<fn(&[u8]) -> targets::Read> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let name = std::env::var("BATON_TARGET").unwrap_or_default();
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        let found = TARGETS.iter().find(|(known, _)| *known == name);
        let Some((_, run)) = found else {
            panic!("BATON_TARGET is {name:?}; there are {}", names.join(", "));
        };
        *run
    })
}

fuzz_target!(|bytes: &[u8]| {
    target()(bytes);
});
