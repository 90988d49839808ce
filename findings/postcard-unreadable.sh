#!/usr/bin/env bash
# postcard writes types that it cannot read, and reads a longer message as a shorter one without a word.
#
# Guessed:  what a format cannot read it refuses to write; `#[serde(default)]` reads the messages of an older version; bytes that are left over are an error.
# Happens:  `tag`, `untagged` and `skip_serializing_if` are written without complaint, and fail only when read. A field that is new at the end is not
#           defaulted but "end of input". The other way round it is worse: an old reader takes a longer message, and ignores the rest.
# Matters:  front and objects of two versions run side by side for minutes after a deploy: one direction fails, the other loses a field in silence.
#           A version before each message is the way, and a check that nothing is left (`take_from_bytes`).
# Versions: postcard 1.1.3, serde 1.0.228 (crates.io); cargo (required).
# Seen on 2026-11-27:
#   old to new: 1 bytes are written, read as Err(DeserializeUnexpectedEnd)
#   new to old: 2 bytes are written, read as Ok(Old { ticket: 7 })
#   skip_serializing_if: 1 bytes are written, read as Err(DeserializeBadOption)
#   tag: 8 bytes are written, read as Err(WontImplement)
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v cargo > /dev/null || { echo "This needs Debian's package cargo."; exit 2; }
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "run"
version = "0.0.0"
edition = "2021"
[dependencies]
postcard = { version = "=1.1.3", features = ["use-std"] }
serde = { version = "=1.0.228", features = ["derive"] }
TOML
cat > src/main.rs <<'RUST'
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

#[derive(Serialize, Deserialize, Debug)]
struct Old { ticket: u64 }
#[derive(Serialize, Deserialize, Debug)]
struct New { ticket: u64, #[serde(default)] lane: u8 }
#[derive(Serialize, Deserialize, Debug)]
struct Skipping { #[serde(default, skip_serializing_if = "Option::is_none")] lane: Option<u8>, ticket: u64 }
#[derive(Serialize, Deserialize, Debug)]
#[serde(tag = "kind")]
enum Tagged { Called { ticket: u64 } }

fn through<R: for<'a> Deserialize<'a> + Debug>(name: &str, value: impl Serialize) {
    let bytes = postcard::to_stdvec(&value).unwrap();
    println!("{name}: {} bytes are written, read as {:?}", bytes.len(), postcard::from_bytes::<R>(&bytes));
}

fn main() {
    through::<New>("old to new", Old { ticket: 7 });
    through::<Old>("new to old", New { ticket: 7, lane: 2 });
    through::<Skipping>("skip_serializing_if", Skipping { lane: None, ticket: 7 });
    through::<Tagged>("tag", Tagged::Called { ticket: 7 });
}
RUST
cargo run --quiet 2> log | tee seen
diff seen - <<'EXPECTED'
old to new: 1 bytes are written, read as Err(DeserializeUnexpectedEnd)
new to old: 2 bytes are written, read as Ok(Old { ticket: 7 })
skip_serializing_if: 1 bytes are written, read as Err(DeserializeBadOption)
tag: 8 bytes are written, read as Err(WontImplement)
EXPECTED
