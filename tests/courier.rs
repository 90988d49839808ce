//! The room's side of its lobbies: whose life is known, what each is told and when, and what is taken from whom. One push at a time
//! to each lobby, repeated until it arrived, and a picture of the line once a tick at most and only when it changed.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "courier/frames.rs"]
mod frames;
#[path = "courier/hundred.rs"]
mod hundred;
#[path = "courier/lives.rs"]
mod lives;
#[path = "courier/many.rs"]
mod many;
#[path = "courier/office.rs"]
mod office;
#[path = "courier/pushes.rs"]
mod pushes;
mod wishes;
