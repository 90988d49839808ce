//! The frame: what is encoded is read back, nothing else is, and what a page works out from it is
//! never better than the truth and close to it.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

#[path = "frame/bounds.rs"]
mod bounds;
#[path = "frame/crowds.rs"]
mod crowds;
#[path = "frame/form.rs"]
mod form;
#[path = "frame/golden.rs"]
mod golden;
