//! Baton: a fair semaphore for web sites.
//!
//! Two worlds. The *cores* are pure: [`room`] (who is next), [`lobby`] (who has which number), [`house`] (which rooms there are),
//! [`gate`] (what the front decides by itself), [`spelling`], [`token`], [`settings`], [`journal`], [`clock`].
//! What they say to each other and store is in [`facts`], which imports none of them.
//! They have no clock, no randomness and no I/O, and are tested natively. `edge` is the shell
//! around them, the only impure code, and exists for the wasm target only: a core that reaches
//! for the runtime does not compile.

pub mod clock;
pub mod envelope;
pub mod facts;
pub mod gate;
pub mod house;
pub mod journal;
pub mod living;
pub mod lobby;
pub mod log;
pub mod metrics;
pub mod openapi;
pub mod ordered;
pub mod planted;
pub mod room;
pub mod settings;
pub mod spelling;
pub mod token;
pub mod wire;

#[cfg(all(target_arch = "wasm32", feature = "edge"))]
mod edge;
