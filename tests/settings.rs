//! The settings: everything known is read, everything unknown refused with a cure. Catalogue rows 14, 38.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::type_complexity)]

#[path = "settings/deployment.rs"]
mod deployment;
#[path = "settings/home.rs"]
mod home;
#[path = "settings/keys.rs"]
mod keys;
#[path = "settings/lanes.rs"]
mod lanes;
#[path = "settings/live.rs"]
mod live;
#[path = "settings/origins.rs"]
mod origins;
#[path = "settings/rehearsal.rs"]
mod rehearsal;
#[path = "settings/sample.rs"]
mod sample;
#[path = "settings/together.rs"]
mod together;
#[path = "settings/values.rs"]
mod values;
