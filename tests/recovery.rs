//! Recovery: what comes back from snapshot and journal is what was there, with a million in line
//! as with three; what is damaged, swapped, missing or of another history is named and refused;
//! and what every released format wrote can still be read.
//!
//! Bytes and times at a million:
//! `cargo test --release --test recovery a_million -- --nocapture`

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on stops; a clock measures what is printed, not what is asserted"
)]
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports, reason = "fixtures are written natively"))]

#[path = "recovery/damage.rs"]
mod damage;
#[path = "recovery/disk.rs"]
mod disk;
#[path = "recovery/fixture.rs"]
mod fixture;
#[path = "recovery/late.rs"]
mod late;
#[path = "recovery/million.rs"]
mod million;
#[path = "recovery/rollback.rs"]
mod rollback;
#[path = "recovery/scripted.rs"]
mod scripted;
mod wishes;
