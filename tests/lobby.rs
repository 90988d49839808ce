//! The lobby as an endpoint: what it does upon each input, told as stories with a real room behind it. The language is described
//! in `lobby/play`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

#[path = "lobby/accounts.rs"]
mod accounts;
#[path = "lobby/asks.rs"]
mod asks;
#[path = "lobby/batches.rs"]
mod batches;
#[path = "lobby/carry.rs"]
mod carry;
#[path = "lobby/checks.rs"]
mod checks;
#[path = "lobby/company.rs"]
mod company;
#[path = "lobby/counts.rs"]
mod counts;
#[path = "lobby/draw.rs"]
mod draw;
#[path = "lobby/frames.rs"]
mod frames;
#[path = "lobby/gone.rs"]
mod gone;
#[path = "lobby/hello.rs"]
mod hello;
#[path = "lobby/lanes.rs"]
mod lanes;
#[path = "lobby/line_end.rs"]
mod line_end;
#[path = "lobby/merge/mod.rs"]
mod merge;
#[path = "lobby/play/mod.rs"]
mod play;
#[path = "lobby/polls.rs"]
mod polls;
#[path = "lobby/porter.rs"]
mod porter;
#[path = "lobby/presence.rs"]
mod presence;
#[path = "lobby/quiet.rs"]
mod quiet;
#[path = "lobby/reset.rs"]
mod reset;
#[path = "lobby/rollback.rs"]
mod rollback;
#[path = "lobby/shares.rs"]
mod shares;
#[path = "lobby/sockets.rs"]
mod sockets;
#[path = "lobby/told.rs"]
mod told;
