//! The outbox's core: what a journal's rows tell other software, where it may be sent, and that every message is taken or lies
//! for the operator, in order, whatever dies between sending and storing.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "outbox/addresses.rs"]
mod addresses;
#[path = "outbox/crashes.rs"]
mod crashes;
#[path = "outbox/notes.rs"]
mod notes;
#[path = "outbox/queue.rs"]
mod queue;
#[path = "outbox/settings.rs"]
mod settings;
#[path = "outbox/signatures.rs"]
mod signatures;
