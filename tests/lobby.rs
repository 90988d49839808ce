//! The lobby's pure core: who asks what, what goes to the room, what is told.
//!
//! The room in these stories is a real one, played by [`hall::Hall`]: batch → `receive` → message →
//! `delivered`. What is saved is folded into a second book, which is what a new life begins with.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "lobby/bounds.rs"]
mod bounds;
#[path = "lobby/carry.rs"]
mod carry;
#[path = "lobby/checks.rs"]
mod checks;
#[path = "lobby/draw.rs"]
mod draw;
#[path = "lobby/ends.rs"]
mod ends;
#[path = "lobby/hall.rs"]
mod hall;
#[path = "lobby/joining.rs"]
mod joining;
#[path = "lobby/leases.rs"]
mod leases;
#[path = "lobby/line_end.rs"]
mod line_end;
#[path = "lobby/lives.rs"]
mod lives;
#[path = "lobby/presence.rs"]
mod presence;
#[path = "lobby/reset.rs"]
mod reset;
#[path = "lobby/status.rs"]
mod status;
#[path = "lobby/unasked.rs"]
mod unasked;
