//! Baton: a fair semaphore for web sites.
//!
//! Two worlds. The *cores* are pure: [`room`] (who is next), [`lobby`] (who has which number), [`porter`] (what brings the room several
//! lobbies' batches at once), [`house`] (which rooms there are), [`brand`] (what makes a page the operator's), [`gate`] (what the front
//! decides by itself), [`outbox`] (what other software is told, and when), [`spelling`], [`token`], [`settings`], [`journal`], [`clock`].
//! [`facts`] has what they say to each other and store, and imports none of them. They have no clock, no randomness and no I/O, and are
//! tested natively. `edge` is the shell around them, the only impure code, and exists for the wasm target only: a core that reaches for
//! the runtime does not compile.
//!
//! | JavaScript of its own | what it is |
//! |---|---|
//! | `staging/` | what `npm run staging` puts around the worker |
//! | `way_out/` | the worker that only forwards, in Baton's place; it shares no code with it |

pub mod brand;
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
pub mod outbox;
pub mod planted;
pub mod porter;
pub mod room;
pub mod settings;
pub mod spelling;
pub mod token;
pub mod wire;

#[cfg(all(target_arch = "wasm32", feature = "edge"))]
mod edge;
