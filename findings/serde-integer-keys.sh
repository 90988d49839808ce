#!/usr/bin/env bash
# serde writes a map with whole numbers as keys into a tagged, flattened or untagged type, and cannot read it back; without the tag it can.
#
# Guessed:  `BTreeMap<u64, u32>` in JSON has its keys as text, and serde_json turns them back, wherever the map stands.
# Happens:  at the top of a struct it does. Below `#[serde(tag)]`, `flatten` or `untagged` the value goes through a buffer that knows texts only as
#           texts: "invalid type: string "1", expected u64". The writing side says nothing, the compiler neither.
# Matters:  events with a `kind` and places by ticket number are the very shape. The row is in the journal before anybody tries to read it.
# Versions: serde 1.0.228, serde_json 1.0.150 (crates.io); cargo (required).
# Seen on 2026-11-27:
#   alone: {"ahead":{"1":2}} is read back
#   tagged: {"kind":"Places","ahead":{"1":2}} invalid type: string "1", expected u64
#   untagged: {"ahead":{"1":2}} data did not match any variant of untagged enum Untagged
#   flattened: {"room":"a","ahead":{"1":2}} invalid type: string "1", expected u64 at line 1 column 28
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
serde = { version = "=1.0.228", features = ["derive"] }
serde_json = "=1.0.150"
TOML
cat > src/main.rs <<'RUST'
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
struct Places { ahead: BTreeMap<u64, u32> }
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged { Places(Places) }
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged { Places(Places) }
#[derive(Serialize, Deserialize)]
struct Flattened { room: String, #[serde(flatten)] places: Places }

fn there_and_back<T: Serialize + for<'a> Deserialize<'a>>(name: &str, value: T) {
    let text = serde_json::to_string(&value).unwrap();
    println!("{name}: {text} {}", match serde_json::from_str::<T>(&text) { Ok(_) => "is read back".into(), Err(error) => error.to_string() });
}

fn main() {
    let places = || Places { ahead: BTreeMap::from([(1, 2)]) };
    there_and_back("alone", places());
    there_and_back("tagged", Tagged::Places(places()));
    there_and_back("untagged", Untagged::Places(places()));
    there_and_back("flattened", Flattened { room: "a".into(), places: places() });
}
RUST
cargo run --quiet | tee seen
diff seen - <<'EXPECTED'
alone: {"ahead":{"1":2}} is read back
tagged: {"kind":"Places","ahead":{"1":2}} invalid type: string "1", expected u64
untagged: {"ahead":{"1":2}} data did not match any variant of untagged enum Untagged
flattened: {"room":"a","ahead":{"1":2}} invalid type: string "1", expected u64 at line 1 column 28
EXPECTED
