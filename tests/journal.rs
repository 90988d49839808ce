//! What is stored comes back, and what is damaged is named and refused, never guessed at.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "journal/actions.rs"]
mod actions;
#[path = "journal/damaged.rs"]
mod damaged;
#[path = "journal/private.rs"]
mod private;
#[path = "journal/restored.rs"]
mod restored;
#[path = "journal/shelf.rs"]
mod shelf;
