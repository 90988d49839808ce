#!/usr/bin/env bash
# A semaphore of async-lock gives a returned permit to whoever asks next, not to who waits; tokio's hands it over.
#
# Guessed:  a permit that comes back belongs to the first in line, as with tokio: who asks a moment later gets nothing.
# Happens:  async-lock 3.5.0 wakes the one who waits and leaves the permit lying there: `try_acquire` and a new `acquire` both take it before the
#           waiter is polled, who then goes on waiting. Nothing bounds how often; its Mutex has such a bound, its Semaphore has none.
# Matters:  under load latecomers overtake those in line, and moving a service from tokio to smol takes away a fairness that nobody wrote down.
# Versions: async-lock 3.5.0, tokio 1.54.1, futures-lite 2.6.1 (crates.io), Rust 1.85 or newer (cargo required).
# Seen on 2026-11-28:
#   async-lock: a latecomer who tries gets it: true; who asks gets it: true; who waited since before both: false
#   tokio: a latecomer who tries gets it: false; who asks gets it: false; who waited since before both: true
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'rm -rf "$folder"' EXIT
command -v cargo > /dev/null || { echo "This needs cargo."; exit 2; }
cat > Cargo.toml <<'TOML'
[package]
name = "latecomer"
version = "0.0.0"
edition = "2021"

[dependencies]
async-lock = "=3.5.0"
futures-lite = "=2.6.1"
tokio = { version = "=1.54.1", features = ["sync"] }
TOML
mkdir src
cat > src/main.rs <<'RUST'
use futures_lite::future::{block_on, poll_once};
use std::pin::pin;

macro_rules! line {
    ($name:literal, $new:expr, $tried:expr) => {{
        let line = $new;
        let inside = line.acquire().await;
        let mut waits = pin!(line.acquire());
        assert!(poll_once(&mut waits).await.is_none());
        drop(inside);
        let tried = $tried(&line);
        let mut late = pin!(line.acquire());
        let kept = poll_once(&mut late).await;
        let asked = kept.is_some();
        let waited = poll_once(&mut waits).await.is_some();
        println!("{}: a latecomer who tries gets it: {tried}; who asks gets it: {asked}; who waited since before both: {waited}", $name);
    }};
}

fn main() {
    block_on(async {
        line!("async-lock", async_lock::Semaphore::new(1), |line: &async_lock::Semaphore| line.try_acquire().is_some());
        line!("tokio", tokio::sync::Semaphore::new(1), |line: &tokio::sync::Semaphore| line.try_acquire().is_ok());
    });
}
RUST
cargo run --quiet | tee seen
diff seen - <<'EXPECTED'
async-lock: a latecomer who tries gets it: true; who asks gets it: true; who waited since before both: false
tokio: a latecomer who tries gets it: false; who asks gets it: false; who waited since before both: true
EXPECTED
