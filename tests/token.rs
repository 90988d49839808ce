//! The tokens: what is signed comes back, and nothing else ever does. Catalogue rows 1–8, 13, 14.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::type_complexity)]

#[path = "token/bound.rs"]
mod bound;
#[path = "token/ends.rs"]
mod ends;
#[path = "token/entry.rs"]
mod entry;
#[path = "token/forms.rs"]
mod forms;
#[path = "token/origin.rs"]
mod origin;
#[path = "token/samples.rs"]
mod samples;
#[path = "token/vouched.rs"]
mod vouched;
