//! Advice for the operator: what the line will probably do, given what the room tells of itself ([`Outlook`]).
//!
//! The desk's browser runs this as WebAssembly; tools run it natively. It plays the *real* room core forward many times, each time with people drawn
//! from what was measured, and says where the outcomes lie. It changes nothing and asks nobody.
//!
//! - [`beliefs`]: what the aggregates say about stays, arrivals and patience, and how sure that is;
//! - [`future`]: one future, played by the room's core;
//! - [`agenda`], [`chance`]: the event loop and the dice, which the tools use too;
//! - [`bands`]: many futures, told as bands;
//! - [`measured`]: how many permits were tried, and where the shop slows; nothing is said beyond that.

pub mod agenda;
pub mod arrivals;
pub mod bands;
pub mod beliefs;
pub mod chance;
pub mod future;
pub mod measured;
pub mod patience;
pub mod stays;
#[cfg(target_arch = "wasm32")]
mod web;

pub use bands::{Band, Forecast, Question, Silence, forecast};
pub use room::outlook::Outlook;
