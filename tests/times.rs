//! What a room measures of itself, against plain lists of what happened: waits, holds, dead permit-time, the last hour, and
//! the settings recommended from crowds where the right answer is known.
//!
//! A failure of the random sales prints the seed that replays it: `BATON_SEED=<seed> cargo test --test times`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

#[path = "times/figures.rs"]
mod figures;
#[path = "times/observed.rs"]
mod observed;
#[path = "times/rhythm.rs"]
mod rhythm;
#[path = "times/sale.rs"]
mod sale;
#[path = "times/tables.rs"]
mod tables;
