//! Baton: a fair semaphore for web sites.
//!
//! There are two worlds. The *cores* are pure: [`room`] (who is next), [`lobby`] (who has which number), [`porter`] (what brings the room the
//! batches of several lobbies at once), [`house`] (which rooms there are), [`brand`] (what makes a page the operator's), [`gate`] (what the
//! front decides by itself), [`outbox`] (what other software is told, and when), [`spelling`], [`token`], [`settings`], [`journal`],
//! [`clock`]. [`facts`] has what they say to each other and store, and imports none of them. The cores have no clock, no randomness and no
//! I/O, and are tested natively. `edge` is the shell around them and the only impure code. It exists for the wasm target only, so a core that
//! reaches for the runtime does not compile.
//!
//! | JavaScript of its own | what it is |
//! |---|---|
//! | `staging/` | what `npm run staging` puts around the worker |
//! | `way_out/` | the worker that only forwards, deployed in Baton's place; it shares no code with Baton |

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
