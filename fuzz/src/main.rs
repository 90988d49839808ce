//! One target under libFuzzer, with the corpus of `tools/tests/fuzz_corpus.rs`:
//!
//! ```text
//! BATON_TARGET=path cargo +nightly fuzz run target tools/tests/corpus/path
//! ```
//!
//! Without cargo-fuzz and nightly, the coverage that libFuzzer needs can be asked of stable Rust. Built
//! so, each target runs; only the address sanitizer is missing, and there is no `unsafe` here:
//!
//! ```text
//! RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
//!   -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
//!   -Cllvm-args=-sanitizer-coverage-trace-compares" \
//!   cargo build --release --target x86_64-unknown-linux-gnu   # in fuzz/; the triple is the host's
//! BATON_TARGET=path fuzz/target/x86_64-unknown-linux-gnu/release/target tools/tests/corpus/path
//! ```
//!
//! What it finds belongs into that corpus, under a name that begins with `found-`.

#![no_main]

#[path = "../../tools/tests/fuzz/targets.rs"]
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
