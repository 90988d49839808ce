//! The gate: no spelling slips by, no exception is gained by one, nothing of Baton's reaches the origin and
//! nothing of the origin's passes for Baton's. Catalogue rows 15–24, 28, 29, 31, 35.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::type_complexity)]

#[path = "gate/arrival.rs"]
mod arrival;
#[path = "gate/asking.rs"]
mod asking;
#[path = "gate/away.rs"]
mod away;
#[path = "gate/by_pass.rs"]
mod by_pass;
#[path = "gate/call.rs"]
mod call;
#[path = "gate/call_steps.rs"]
mod call_steps;
#[path = "gate/callers.rs"]
mod callers;
#[path = "gate/clearing.rs"]
mod clearing;
#[path = "gate/cookies.rs"]
mod cookies;
#[path = "gate/crawlers.rs"]
mod crawlers;
#[path = "gate/credentials.rs"]
mod credentials;
#[path = "gate/entry.rs"]
mod entry;
#[path = "gate/guesses.rs"]
mod guesses;
#[path = "gate/header_names.rs"]
mod header_names;
#[path = "gate/headers.rs"]
mod headers;
#[path = "gate/heard_mode.rs"]
mod heard_mode;
#[path = "gate/hops.rs"]
mod hops;
#[path = "gate/intent.rs"]
mod intent;
#[path = "gate/letters.rs"]
mod letters;
#[path = "gate/looks.rs"]
mod looks;
#[path = "gate/many.rs"]
mod many;
#[path = "gate/nearer.rs"]
mod nearer;
#[path = "gate/outcome.rs"]
mod outcome;
#[path = "gate/overlaps.rs"]
mod overlaps;
#[path = "gate/page.rs"]
mod page;
#[path = "gate/pasted.rs"]
mod pasted;
#[path = "gate/paths.rs"]
mod paths;
#[path = "gate/patterns.rs"]
mod patterns;
#[path = "gate/plans.rs"]
mod plans;
#[path = "gate/readings.rs"]
mod readings;
#[path = "gate/relocate.rs"]
mod relocate;
#[path = "gate/routers.rs"]
mod routers;
#[path = "gate/shown.rs"]
mod shown;
#[path = "gate/tokens.rs"]
mod tokens;
#[path = "gate/visit.rs"]
mod visit;
#[path = "gate/visit_steps.rs"]
mod visit_steps;
#[path = "gate/way_back.rs"]
mod way_back;
#[path = "gate/words.rs"]
mod words;
