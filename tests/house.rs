//! The house: which rooms there are beside those of the file, what may be done with them, and how long a change takes to hold.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "house/brands.rs"]
mod brands;
#[path = "house/core.rs"]
mod core;
#[path = "house/fresh.rs"]
mod fresh;
#[path = "house/grounds.rs"]
mod grounds;
#[path = "house/neighbours.rs"]
mod neighbours;
#[path = "house/pictures.rs"]
mod pictures;
